package variants

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"scanmap/dna"
	"scanmap/locate"
	"scanmap/search"
)

// A Kind says how a place of a haplotype differs from the reference.
type Kind int

const (
	// Made is a place of a haplotype where the reference has none.
	Made Kind = iota
	// Changed is a place of a haplotype where the reference has one too.
	Changed
	// Lost is a place of the reference where a haplotype has none.
	Lost
)

// String is the name of a kind in the output.
func (k Kind) String() string { return [...]string{"made", "changed", "lost"}[k] }

// A Side is a place on a haplotype, or on the reference. Without a place within the distance
// Distance is negative, and Letters are the letters that stand there: as many as the pattern has,
// from the start or up to the end of the other side's place, whichever fits better. There are none
// where that place has gaps, or neither of its ends is there.
type Side struct {
	Distance int
	// Letters are the letters of the site, in the direction of the pattern. Operations are as
	// search.Location has them.
	Letters    []byte
	Operations []locate.Operation
	// Start and End are positions of the contig, as a row has them; of letters alone they are 0.
	Start, End int
}

// A Change is a place of a pattern that the alleles of a haplotype make, change or take away.
type Change struct {
	Kind            Kind
	Pattern, Contig int
	Reverse         bool
	// Haplotype has the alleles. A place of either side is a location, of both in a Changed one.
	Haplotype, Reference Side
	// Alleles are the alleles that the place touches, as a row of Run has them. For a Lost place
	// they are the alleles that change its letters, and all in the letters of the haplotype that
	// start or end with its letters, as many as the pattern has. With edits those in the 2k letters
	// on either side count too, and where an end is deleted those within reach of the alleles: they
	// decide whether there is another place.
	Alleles string
	// Samples are the samples that have the haplotype there, as a row of Run has them.
	Samples string
	// Copies is how many copies of a chromosome have the alleles, and no others there. Called is the
	// number of copies in the genotypes of the first allele's record, missing ones too, and 0 without
	// genotypes. Where calls leave the number open, Copies is the most that it may be, or less where
	// alleles that are not in Alleles hide each other.
	Copies, Called int
	// Frequency is Copies / Called or, without genotypes, the least AF of the alleles, which is the
	// most that it can be. It is NaN where an allele has none.
	Frequency float64
}

// Compare hands over each place of a pattern that a haplotype of a VCF makes, changes or takes
// away, with the reference's place or letters beside it, pattern by pattern in the order of Run's
// rows, and once each. Emit may keep what it gets. Options.Rows does not count.
//
// A place that a haplotype has is one of Run's rows; without genotypes, of the haplotype with the
// alleles that it touches alone. The reference has a place there if one starts or ends with the
// same letter of the contig or, with edits, has its start or its end within k letters: the one with
// the fewest edits, of equal ones the nearest, and of these the first. A place of the reference is
// lost on a haplotype in this case: alleles replace a letter of the place, or insert some between
// two, and the haplotype has no place that the reference's is beside in this way. A haplotype
// without letters loses nothing.
//
// A letter that an allele replaces another with stands for the letter of the contig. Where an
// allele has more letters than it replaces, its last are the inserted ones, which stand for none.
// With edits the positions of a row count. Inserted letters have the position of the insertion.
func Compare(
	ctx context.Context, ref *dna.Reference, patterns []search.Pattern, o Options, emit func(*Change) error,
) (stats *Stats, err error) {
	if o.VCF == "" {
		return nil, errors.New("changes are those of a VCF")
	}
	r := newRunner(ctx, ref, patterns, o)
	r.changes = &comparer{}
	defer func() {
		if closed := r.sorter.Discard(); err == nil {
			err = closed
		}
	}()
	if err := r.variants(); err != nil {
		return nil, err
	}
	m, err := merge(r.sorter)
	for err == nil && m.valid {
		if err = ctx.Err(); err != nil {
			break
		}
		var c Change
		if err = c.read(&m.head); err != nil {
			break
		}
		if err = emit(&c); err != nil {
			break
		}
		r.stats.Places++
		err = m.next()
	}
	if err != nil {
		return nil, err
	}
	return &r.stats, nil
}

// A comparer is the part of a runner for Compare.
type comparer struct {
	// stretches are the windows of the reference, one before the windows that lie in it.
	contig, from, to int // of the last one
	valid            bool
	// The fields below are of a pattern: its locations in a stretch and its windows.
	pattern   int
	first     int // the stretch among the windows of the batch
	locations []search.Location
}

// addStretch adds the letters of the reference that a window is compared with to the batch, unless
// they were the last that were added. In them lies every place that touches an allele of the
// window, or may be compared with such a place.
func (r *runner) addStretch(w *window) {
	from, _ := w.position(0, func(a *placed) bool { return a.at <= 0 })
	to, _ := w.position(len(w.text), func(a *placed) bool { return a.at < len(w.text) })
	for _, a := range w.central {
		from, to = min(from, a.start), max(to, a.end)
	}
	margin := r.reach + 5*r.o.Search.Distance
	from, to = max(0, from-margin), min(r.ref.Contigs[w.contig].Length, to+margin)
	c := r.changes
	if c.valid && len(r.batch.windows) > 0 && c.contig == w.contig && c.from == from && c.to == to {
		return
	}
	c.contig, c.from, c.to, c.valid = w.contig, from, to, true
	r.addToBatch(&window{contig: w.contig, start: from, whole: from == 0, text: appendLetters(nil, r.ref, w.contig, from, to)})
}

// compareBatch keeps the changes of the windows of a batch.
func (r *runner) compareBatch(b *batch) error {
	c := r.changes
	c.locations, c.pattern = c.locations[:0], 0
	stretches := make([]int, len(b.windows)) // of each window
	for i, w := range b.windows {
		if w.central == nil {
			stretches[i] = i
		} else {
			stretches[i] = stretches[i-1]
		}
	}
	err := r.find(b.number, search.NewDNA(&b.text), func(locations []search.Location) error {
		for i := range locations {
			l := locations[i]
			if len(c.locations) > 0 && (c.pattern != l.Pattern || c.first != stretches[l.Contig]) {
				if err := r.compareStretch(b); err != nil {
					return err
				}
			}
			c.pattern, c.first = l.Pattern, stretches[l.Contig]
			l.Operations = slices.Clone(l.Operations)
			c.locations = append(c.locations, l)
		}
		return nil
	})
	if err != nil || len(c.locations) == 0 {
		return err
	}
	return r.compareStretch(b)
}

// A found is a location on a haplotype or the reference with where it is.
type found struct {
	*search.Location
	place
	// startsAt and endsAt are the contig's letters that its first and last letter stand for, and 1
	// more for the last; -1 for none.
	startsAt, endsAt int
}

// compareStretch compares the locations of a pattern in a stretch with those in its windows.
func (r *runner) compareStretch(b *batch) error {
	c := r.changes
	stretch := b.windows[c.first]
	var reference []found
	rest := c.locations
	for len(rest) > 0 && rest[0].Contig == c.first {
		l := &rest[0]
		start, end := stretch.start+l.Start, stretch.start+l.End
		reference = append(reference, found{l, place{start: start, end: end}, start, end})
		rest = rest[1:]
	}
	for i := c.first + 1; i < len(b.windows) && b.windows[i].central != nil; i++ {
		n := 0
		for n < len(rest) && rest[n].Contig == i {
			n++
		}
		if err := r.compareWindow(b, i, reference, rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	c.locations = c.locations[:0]
	return nil
}

// compareWindow keeps the changes of a pattern in a window.
func (r *runner) compareWindow(b *batch, number int, reference []found, locations []search.Location) error {
	w := b.windows[number]
	var all []found
	for i := range locations {
		l := &locations[i]
		f := found{l, w.place(l), w.standsFor(l.Start), w.standsFor(l.End - 1)}
		if f.endsAt >= 0 {
			f.endsAt++
		}
		all = append(all, f)
	}
	for i := range all {
		f := &all[i]
		letters := appendLetters(nil, &b.text, number, f.Start, f.End)
		if !w.reports(r.ref, r.reach, f.Location, &f.place, letters) || !w.foremost(f.touched) {
			continue
		}
		change := Change{Pattern: f.Pattern, Contig: w.contig, Reverse: f.Reverse,
			Haplotype: Side{Distance: f.Distance, Letters: turned(letters, f.Reverse), Operations: f.Operations, Start: f.start, End: f.end}}
		if at := r.beside(reference, f); at != nil {
			change.Kind = Changed
			change.Reference = r.referenceSide(w.contig, at)
		} else if change.Reference.Distance = -1; !gapped(f.Operations) {
			change.Reference = Side{Distance: -1, Letters: r.nearest(&r.patterns[f.Pattern], f.Reverse, f.startsAt, f.endsAt,
				r.ref.Contigs[w.contig].Length, func(from, to int) []byte { return appendLetters(nil, r.ref, w.contig, from, to) })}
		}
		if err := r.keepChange(&change, w, &f.place, &f.place); err != nil {
			return err
		}
	}
	for i := range reference {
		f := &reference[i]
		other, span, ok := r.standing(w, f)
		if !ok || !w.foremost(span.touched) {
			continue
		}
		if r.o.Search.Substitutions || r.o.Search.Distance == 0 {
			if mismatches, fits := r.compared(&r.patterns[f.Pattern], other); fits && mismatches <= r.o.Search.Distance {
				continue
			}
		} else if r.beside(all, f) != nil {
			continue
		}
		if gapped(f.Operations) {
			other = nil
		}
		change := Change{Kind: Lost, Pattern: f.Pattern, Contig: w.contig, Reverse: f.Reverse, Haplotype: Side{Distance: -1, Letters: other},
			Reference: r.referenceSide(w.contig, f)}
		if err := r.keepChange(&change, w, &span, &f.place); err != nil {
			return err
		}
	}
	return nil
}

// referenceSide is a place of the reference.
func (r *runner) referenceSide(contig int, f *found) Side {
	return Side{Distance: f.Distance, Operations: f.Operations, Start: f.start, End: f.end,
		Letters: turned(appendLetters(nil, r.ref, contig, f.start, f.end), f.Reverse)}
}

// standing returns the letters of a window's haplotype that stand where a place of the reference
// is, nil if there are none, in the direction of the pattern. The span has the alleles that decide
// which these are, and is where the haplotype has no others. It is not ok where no allele changes
// the place.
func (r *runner) standing(w *window, f *found) (letters []byte, span place, ok bool) {
	first, past := -1, 0
	for i, a := range w.haplotype {
		if a.changes(f.start, f.end) {
			if first < 0 {
				first = i
			}
			past = i + 1
		}
	}
	if first < 0 {
		return nil, span, false
	}
	span = place{start: f.start, end: f.end, touched: w.haplotype[first:past]}
	beside := 0 // letters on either side: a place made there is compared with f
	if !r.o.Search.Substitutions {
		beside = 2 * r.o.Search.Distance
	}
	around := build(r.ref, r.reach+beside, w.haplotype, first, past-1)
	if around == nil {
		return nil, span, true
	}
	p, m := &r.patterns[f.Pattern], len(r.patterns[f.Pattern].Letters)
	startsAt, endsAt := around.offsetsOf(f.start, f.end)
	// Letters past an end of the contig stand for all that alleles do there.
	from, to := len(around.text), 0
	if startsAt >= 0 {
		from, to = startsAt, min(startsAt+m, len(around.text)+1)
	}
	if endsAt >= 0 {
		from, to = min(from, max(endsAt-m, -1)), max(to, endsAt)
	}
	if beside > 0 && (startsAt < 0 || endsAt < 0) {
		// A place may start before the allele, or end after it.
		for i := range around.placed {
			if a := &around.placed[i]; slices.Contains(span.touched, a.allele) {
				from, to = min(from, a.at-r.reach), max(to, a.after()+r.reach)
			}
		}
	}
	if from < to {
		from, to = max(from-beside, -1), min(to+beside, len(around.text)+1)
		stands := around.place(&search.Location{Start: from, End: to})
		span.start, span.end = min(f.start, stands.start), max(f.end, stands.end)
		var touched []*allele
		for i := range around.placed {
			if a := around.placed[i].allele; slices.Contains(stands.touched, a) || slices.Contains(span.touched, a) {
				touched = append(touched, a)
			}
		}
		span.touched = touched
	}
	return r.nearest(p, f.Reverse, startsAt, endsAt, len(around.text), func(from, to int) []byte {
		return slices.Clone(around.text[from:to])
	}), span, true
}

// gapped tells whether an alignment has gaps.
func gapped(operations []locate.Operation) bool {
	return slices.ContainsFunc(operations, func(o locate.Operation) bool { return o.Kind != locate.Diagonal })
}

// foremost tells whether a window has to report alleles, and no other window of the haplotype has
// to: the window was made for the first alleles, or for all.
func (w *window) foremost(touched []*allele) bool {
	return len(touched) >= len(w.central) && slices.Equal(touched[:len(w.central)], w.central)
}

// changes tells whether an allele replaces letters of [start, end), or inserts some between them.
func (a *allele) changes(start, end int) bool { return a.start < end && a.end > start }

// standsFor returns the position of the contig's letter that the letter at an offset of the text is
// or replaces, -1 for none.
func (w *window) standsFor(offset int) int {
	at := w.start + offset
	for i := range w.placed {
		a := &w.placed[i]
		if a.at > offset {
			break
		}
		in := offset - a.at
		switch {
		case in >= len(a.letters):
			at = a.end + in - len(a.letters)
		case a.start+in < a.end:
			return a.start + in
		default:
			return -1
		}
	}
	return at
}

// offsetsOf returns the offsets of the letters that stand for the first letter of [start, end) and,
// 1 more, for the last; -1 for none.
func (w *window) offsetsOf(start, end int) (first, last int) {
	first, last = -1, -1
	for offset := range w.text {
		switch w.standsFor(offset) {
		case start:
			first = offset
			if end == start+1 {
				last = offset + 1
			}
		case end - 1:
			last = offset + 1
		}
	}
	return first, last
}

// beside returns the place of a list that lies where another does.
func (r *runner) beside(list []found, f *found) *found {
	var best *found
	edits := 0
	if !r.o.Search.Substitutions {
		edits = r.o.Search.Distance
	}
	away := func(g *found) int {
		if edits > 0 {
			return min(max(g.start-f.start, f.start-g.start), max(g.end-f.end, f.end-g.end))
		}
		if g.startsAt >= 0 && g.startsAt == f.startsAt || g.endsAt >= 0 && g.endsAt == f.endsAt {
			return 0
		}
		return 1
	}
	for i := range list {
		g := &list[i]
		if g.Reverse != f.Reverse || away(g) > edits {
			continue
		}
		if best == nil || cmp.Or(g.Distance-best.Distance, away(g)-away(best)) < 0 {
			best = g
		}
	}
	return best
}

// nearest returns the letters, in the direction of a pattern, of a stretch of its length that
// starts at one offset or ends at another: the stretch whose PAM and exact letters fit or, if both
// or neither do, the one with fewer mismatches. It is nil if neither lies in the letters, of that
// length.
func (r *runner) nearest(p *search.Pattern, reverse bool, start, end, length int, letters func(from, to int) []byte) []byte {
	var best []byte
	m := len(p.Letters)
	for _, at := range [2]int{start, end - m} {
		if at < 0 || at+m > length {
			continue
		}
		site := turned(letters(at, at+m), reverse)
		if best == nil || r.better(p, site, best) {
			best = site
		}
	}
	return best
}

// better tells whether a site fits a pattern better than another.
func (r *runner) better(p *search.Pattern, site, other []byte) bool {
	a, fitsA := r.compared(p, site)
	b, fitsB := r.compared(p, other)
	return fitsA && !fitsB || fitsA == fitsB && a < b
}

// compared returns the mismatches of a site and a pattern, and tells whether the letters that have
// to match do. They do not where there is no site.
func (r *runner) compared(p *search.Pattern, site []byte) (mismatches int, fits bool) {
	fits = len(site) == len(p.Letters)
	matches := r.o.Search.Matcher()
	for i, c := range site {
		if !matches(p.Letters[i], c) {
			mismatches++
			fits = fits && (p.Exact == nil || !p.Exact[i])
		}
	}
	return mismatches, fits
}

// turned returns letters, which it may change, in the direction of a strand.
func turned(letters []byte, reverse bool) []byte {
	if reverse {
		dna.ReverseComplement(letters)
	}
	return letters
}

// keepChange adds the alleles and samples of place p to a change, and keeps it as a change at
// another place.
func (r *runner) keepChange(c *Change, w *window, p, at *place) error {
	var alleles []byte
	c.Frequency = 1
	for i, a := range p.touched {
		if i > 0 {
			alleles = append(alleles, ',')
		}
		alleles = append(alleles, a.name...)
		if a.frequency < 0 {
			c.Frequency = math.NaN()
		}
		c.Frequency = min(c.Frequency, a.frequency) // NaN if one is
	}
	c.Alleles, c.Samples = string(alleles), "."
	if r.names != nil {
		samples, copies := w.samples(p)
		c.Samples = string(r.appendNames(nil, samples))
		c.Copies, c.Called = copies, p.touched[0].site.copies
		c.Frequency = float64(c.Copies) / float64(c.Called)
	}
	return r.keep(c.row(at))
}

// row makes the row that a change waits as.
func (c *Change) row(p *place) row {
	made := row{pattern: c.Pattern, contig: c.Contig, start: p.start, end: p.end, reverse: c.Reverse, distance: int(c.Kind),
		startIn: p.startIn, endIn: p.endIn, alleles: c.Alleles}
	b := binary.AppendUvarint(nil, math.Float64bits(c.Frequency))
	for _, n := range []int{c.Copies, c.Called} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	for _, s := range []*Side{&c.Haplotype, &c.Reference} {
		for _, n := range []int{s.Distance + 1, s.Start, s.End, len(s.Operations)} {
			b = binary.AppendUvarint(b, uint64(n))
		}
		for _, o := range s.Operations {
			b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(o.Kind)), uint64(o.Length))
		}
		b = append(binary.AppendUvarint(b, uint64(len(s.Letters))), s.Letters...)
	}
	made.line = append(b, c.Samples...)
	return made
}

// read reads what row made.
func (c *Change) read(r *row) error {
	in := bytes.NewReader(r.line)
	var err error
	number := func() int {
		n, failed := binary.ReadUvarint(in)
		err = cmp.Or(err, failed)
		return int(n)
	}
	*c = Change{Kind: Kind(r.distance), Pattern: r.pattern, Contig: r.contig, Reverse: r.reverse, Alleles: r.alleles}
	c.Frequency = math.Float64frombits(uint64(number()))
	c.Copies, c.Called = number(), number()
	for _, s := range []*Side{&c.Haplotype, &c.Reference} {
		s.Distance, s.Start, s.End = number()-1, number(), number()
		for range number() {
			s.Operations = append(s.Operations, locate.Operation{Kind: locate.OperationKind(number()), Length: int32(number())})
		}
		if n := number(); n > 0 && err == nil {
			s.Letters = make([]byte, n)
			_, err = in.Read(s.Letters)
		}
	}
	if err != nil {
		return err
	}
	c.Samples = string(r.line[len(r.line)-in.Len():])
	return nil
}

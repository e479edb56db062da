package variants

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"runtime"
	"strconv"

	"scanmap/dna"
	"scanmap/gpu/device"
	"scanmap/internal/extsort"
	"scanmap/internal/temporary"
	"scanmap/search"
)

// DefaultHaplotypes is the most haplotypes of an allele's window unless Options say otherwise: the
// haplotypes of ten sites with two alleles.
const DefaultHaplotypes = 1024

// DefaultSamples is the most names of samples in a row unless Options say otherwise.
const DefaultSamples = 10

// Options say which variants are searched, and how.
type Options struct {
	// VCF is a file of variants, "-" being standard input, plain or compressed as package fasta has
	// it. Where it is empty, the IUPAC letters of the reference are the variants.
	VCF string
	// Haplotypes is the most haplotypes of the window of an allele; 0 is DefaultHaplotypes.
	Haplotypes int
	// Samples is the most names of samples in a row; a negative number is no limit.
	Samples int
	// Search is as in search.Run; Announce is not used. Rows say the format, TSV or BED.
	Search search.Options
	Rows   search.RowOptions
	// Temporary has the files of rows that do not fit the memory.
	Temporary temporary.Files
	bounds    bounds
}

// bounds limit how much is held at a time. 0 is a good number; others are for tests.
type bounds struct {
	// batch is the most letters of windows that are searched together, those between them included.
	batch int
	// calls is the most calls of samples that such windows may have.
	calls int
	// rows are the sizes of the sorter of rows.
	rows extsort.Sizes
}

const (
	// defaultBatch are 44,000 windows of guides, which take some 25 MB, in each of two batches. Eight
	// times as many were not faster.
	defaultBatch = 1 << 23
	// defaultCalls take 32 MB in each batch.
	defaultCalls = 1 << 23
	// callsOfLoose is for how many calls a loose one counts, by its memory.
	callsOfLoose = 32
)

// Stats says how a search went.
type Stats struct {
	search.Stats       // of the reference; Locations are all rows, and FoundPatterns have a row
	Sites, Alleles int // of the variants
	Windows        int64
	// Letters is the number of letters of all windows.
	Letters int64
	// Places is the number of rows that need an allele.
	Places  int64
	LeftOut LeftOut
}

// Run searches a reference and the windows of the haplotypes that its variants make, and writes the
// rows of both to out, in the order of package search; see the package comment.
func Run(ctx context.Context, ref *dna.Reference, patterns []search.Pattern, o Options, out io.Writer) (stats *Stats, err error) {
	if o.Rows.Format == search.SAM {
		return nil, errors.New("SAM has no place for alleles: with variants the format is tsv or bed")
	}
	r := newRunner(ctx, ref, patterns, o)
	defer func() {
		if closed := r.sorter.Discard(); err == nil {
			err = closed
		}
	}()
	if err := r.variants(); err != nil {
		return nil, err
	}
	if err := r.reference(out); err != nil {
		return nil, err
	}
	return &r.stats, nil
}

func newRunner(ctx context.Context, ref *dna.Reference, patterns []search.Pattern, o Options) *runner {
	o.Haplotypes = cmp.Or(o.Haplotypes, DefaultHaplotypes)
	o.bounds.batch = cmp.Or(o.bounds.batch, defaultBatch)
	o.bounds.calls = cmp.Or(o.bounds.calls, defaultCalls)
	r := &runner{ctx: ctx, ref: ref, patterns: patterns, o: o, batches: 1, found: make([]bool, len(patterns))}
	r.sorter = newSorter(&o, r.threads())
	return r
}

// runner is a call of Run or Compare.
type runner struct {
	ctx      context.Context
	ref      *dna.Reference
	patterns []search.Pattern
	o        Options
	reach    int
	names    []string // of the samples
	stats    Stats
	found    []bool // of each pattern
	sorter   *extsort.Sorter
	record   []byte // of the row that is added to the sorter, or of a row of the reference
	// batch is being made, nil without windows, while another one is searched.
	batch     *batch
	batches   int        // the number of this one, from 1 on
	calls     int        // of the alleles of the batch, each counted once
	searching chan error // gives how the search ended; nil without one
	// State of the search.
	repeated *search.Repeated
	searched int  // letters of all batches
	auto     bool // whether a GPU is worth it is still open
	letters  []byte
	// State of the output.
	out     io.Writer
	buffer  []byte
	line    []byte // of the reference's location
	pending row
	waits   bool
	// For Compare, nil otherwise.
	changes *comparer
}

// A batch is windows that are searched together. They are the contigs of text.
type batch struct {
	number  int // from 1 on
	windows []*window
	text    dna.Reference
}

// Flank returns the letters of a window before and after its alleles, and the most letters of a
// place, for patterns of at most m letters.
//
// With substitutions alone a place that touches an allele has at most m - 1 letters on either side.
// With edits it has m + k letters at most. Places that end within 3k of its end (package locate,
// Separator) decide whether it is a location of its haplotype, and the distance of each of these
// depends on the m + k letters before its end. The window therefore has m + 4k on either side.
func Flank(m, k int, substitutions bool) (flank, reach int) {
	if substitutions || k == 0 {
		return max(m-1, 0), m
	}
	return m + 4*k, m + k
}

// variants makes the windows of all variants, searches them and keeps their rows.
func (r *runner) variants() (err error) {
	defer func() {
		err = cmp.Or(r.wait(), err) // what failed there comes first
		if r.repeated == nil {
			return
		}
		if closed := r.repeated.Close(); err == nil {
			err = closed
		}
	}()
	longest := 0
	for i := range r.patterns {
		longest = max(longest, len(r.patterns[i].Letters))
	}
	m := &maker{ref: r.ref, most: r.o.Haplotypes, threads: r.threads(), compare: r.changes != nil, use: r.window}
	m.flank, r.reach = Flank(longest, r.o.Search.Distance, r.o.Search.Substitutions)
	m.reach = r.reach
	if r.changes != nil {
		m.flank += r.reach // what may stand where a place is lost
	}
	if r.o.VCF == "" {
		m.family = chosen
		err = r.letterSites(m)
	} else {
		err = r.vcfSites(m)
	}
	if err != nil {
		return err
	}
	if err := m.finish(); err != nil {
		return err
	}
	return r.search()
}

// threads is the number of goroutines that read and make windows.
func (r *runner) threads() int {
	return cmp.Or(max(r.o.Search.Threads, 0), runtime.GOMAXPROCS(0))
}

// site hands a site to the maker.
func (r *runner) site(m *maker, s *site) error {
	r.stats.Sites++
	r.stats.Alleles += len(s.alleles)
	if r.stats.Sites%1024 == 0 {
		if err := r.ctx.Err(); err != nil {
			return err
		}
	}
	return m.add(s)
}

// vcfSites reads the sites of the VCF.
func (r *runner) vcfSites(m *maker) error {
	v, err := openVCF(r.ctx, r.o.VCF, r.ref, r.threads())
	if err != nil {
		return err
	}
	defer v.close()
	m.family, m.name = anySet, v.name
	if len(v.samples) > 0 {
		m.family, r.names = called, v.samples
	}
	for {
		s, err := v.site()
		if err != nil {
			// An error of a site before comes first.
			return cmp.Or(m.flush(), err)
		}
		if s == nil {
			r.stats.LeftOut = v.left
			return nil
		}
		if err := r.site(m, s); err != nil {
			return err
		}
	}
}

// letterSites makes sites of the IUPAC letters of the reference.
func (r *runner) letterSites(m *maker) error {
	contig, id := 0, 0
	for _, run := range r.ref.Exceptions {
		bases := iupacBases[run.Letter]
		for at := run.Start; at < run.End && bases != ""; at++ {
			for at >= r.ref.Contigs[contig].End() {
				contig++
			}
			c := &r.ref.Contigs[contig]
			s := &site{contig: contig, position: at - c.Start, last: at - c.Start + 1}
			for i := range len(bases) {
				name := appendName(nil, c.Name)
				name = append(name, ':')
				name = strconv.AppendInt(name, int64(s.last), 10)
				name = append(name, ':', run.Letter, '>', bases[i])
				s.alleles = append(s.alleles, &allele{id: id, site: s, start: s.position, end: s.last,
					letters: []byte(bases[i : i+1]), name: string(name)})
				id++
			}
			if err := r.site(m, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// window adds a window to the batch.
func (r *runner) window(w *window) error {
	if r.batch == nil {
		r.batch = &batch{number: r.batches}
	}
	if r.changes != nil {
		r.addStretch(w)
	}
	r.addToBatch(w)
	r.stats.Windows++
	for _, p := range w.placed {
		if p.batch != r.batches {
			p.batch = r.batches
			r.calls += len(p.carriers) + callsOfLoose*len(p.site.loose)
		}
	}
	if r.batch.text.Bases.Length < r.o.bounds.batch && r.calls < r.o.bounds.calls {
		return nil
	}
	return r.search()
}

// addToBatch makes the text of a window a contig of the batch.
func (r *runner) addToBatch(w *window) {
	b := r.batch
	b.text.AppendUnnamed(w.text, dna.Padding)
	start := b.text.Contigs[len(b.windows)].Start
	for i, c := range w.text {
		if _, base := dna.Code(c); !base {
			b.text.Exceptions = append(b.text.Exceptions, dna.Run{Start: start + i, End: start + i + 1, Letter: c})
		}
	}
	r.stats.Letters += int64(len(w.text))
	w.text = nil
	b.windows = append(b.windows, w)
}

// search has the batch searched, after the one before. Meanwhile another one may be made.
func (r *runner) search() error {
	if r.batch == nil {
		return nil
	}
	if err := r.wait(); err != nil {
		return err
	}
	b, ended := r.batch, make(chan error, 1)
	b.text.Finish()
	r.batch, r.calls, r.searching = nil, 0, ended
	r.batches++
	go func() {
		if r.changes != nil {
			ended <- r.compareBatch(b)
		} else {
			ended <- r.searchBatch(b)
		}
	}()
	return nil
}

// wait waits for the end of the search.
func (r *runner) wait() error {
	if r.searching == nil {
		return nil
	}
	err := <-r.searching
	r.searching = nil
	return err
}

// searchBatch keeps the rows of the windows of a batch.
func (r *runner) searchBatch(b *batch) error {
	text := search.NewDNA(&b.text)
	var line bytes.Buffer
	rows, err := search.NewRows(&line, text, r.patterns, r.o.Rows)
	if err == nil {
		err = rows.Finish(r.ctx) // the header
	}
	if err != nil {
		return err
	}
	return r.find(b.number, text, func(locations []search.Location) error {
		for i := range locations {
			l := &locations[i]
			w := b.windows[l.Contig]
			p := w.place(l)
			r.letters = appendLetters(r.letters[:0], &b.text, l.Contig, l.Start, l.End)
			if !w.reports(r.ref, r.reach, l, &p, r.letters) {
				continue
			}
			line.Reset()
			if err := rows.Add(r.ctx, locations[i:i+1]); err != nil {
				return err
			}
			if err := rows.Finish(r.ctx); err != nil {
				return err
			}
			if err := r.keep(r.row(w, l, &p, line.Bytes())); err != nil {
				return err
			}
		}
		return nil
	})
}

// keep adds a row to the sorter.
func (r *runner) keep(made row) error {
	r.record = made.append(r.record[:0])
	return r.sorter.Add(r.record)
}

// find searches the batch of a number. Nobody knows how many will follow: device auto begins on the
// CPU, and goes on on a GPU when all batches so far would have been worth starting it. It asks for
// the first, the second, the fourth batch and so on.
func (r *runner) find(batch int, text *search.Text, emit func([]search.Location) error) error {
	r.searched += text.TotalLength()
	if first := r.repeated == nil; first || r.auto && batch&(batch-1) == 0 {
		o, onCPU, err := search.Settle(r.ctx, text.Expecting(r.searched), r.patterns, r.o.Search)
		if err != nil {
			return err
		}
		r.auto = onCPU && r.o.Search.Device.Kind == device.Auto
		if first || !onCPU {
			if r.repeated, err = search.NewRepeated(r.patterns, o); err != nil {
				return err
			}
		}
	}
	_, err := r.repeated.Run(r.ctx, text, emit)
	return err
}

// row makes the row of a place from its line as one of the window.
func (r *runner) row(w *window, l *search.Location, p *place, line []byte) row {
	made := row{pattern: l.Pattern, contig: w.contig, start: p.start, end: p.end, reverse: l.Reverse, distance: l.Distance,
		startIn: p.startIn, endIn: p.endIn}
	line = bytes.TrimSuffix(line, []byte{'\n'})
	var b []byte
	if r.o.Rows.Format == search.TSV {
		rest := cutColumns(line, 1)
		b = append(b, line[:len(line)-len(rest)]...)
		line = rest
	}
	b = appendContig(b, r.ref.Contigs[w.contig].Name)
	b = append(b, '\t')
	b = strconv.AppendInt(b, int64(p.start), 10)
	b = append(b, '\t')
	b = strconv.AppendInt(b, int64(p.end), 10)
	b = append(b, '\t')
	b = append(b, cutColumns(line, 3)...)
	b = append(b, '\t')
	at := len(b)
	for i, a := range p.touched {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, a.name...)
	}
	made.alleles = string(b[at:])
	b = append(b, '\t')
	made.line = r.appendSamples(b, w, p)
	return made
}

// appendContig appends the name of a contig, which has no blanks, as package search writes it.
func appendContig(b []byte, name string) []byte { return search.AppendEscaped(b, name, "") }

// appendSamples appends the names of the samples that have a place.
func (r *runner) appendSamples(b []byte, w *window, p *place) []byte {
	if r.names == nil {
		return append(b, '.')
	}
	samples, _ := w.samples(p)
	return r.appendNames(b, samples)
}

// appendNames appends the names of samples, and how many there are more than are named.
func (r *runner) appendNames(b []byte, samples []int) []byte {
	for i, sample := range samples {
		if i > 0 {
			b = append(b, ',')
		}
		if i == r.o.Samples {
			b = append(b, '+')
			return strconv.AppendInt(b, int64(len(samples)-i), 10)
		}
		b = appendName(b, r.names[sample])
	}
	return b
}

// reference searches the reference, and writes its rows and the rows of the windows in order.
func (r *runner) reference(out io.Writer) error {
	variants, err := merge(r.sorter)
	if err != nil {
		return err
	}
	r.out = out
	var line bytes.Buffer
	rows, err := search.NewRows(&line, search.NewDNA(r.ref), r.patterns, r.o.Rows)
	if err == nil {
		err = rows.Finish(r.ctx)
	}
	if err != nil {
		return err
	}
	if header := bytes.TrimSuffix(line.Bytes(), []byte{'\n'}); len(header) > 0 {
		r.buffer = append(append(r.buffer, header...), "\talleles\tsamples\n"...)
	}
	o := r.o.Search
	o.Announce = nil
	stats, err := search.Run(r.ctx, search.NewDNA(r.ref), r.patterns, o, func(locations []search.Location) error {
		for i := range locations {
			l := &locations[i]
			here := row{pattern: l.Pattern, contig: l.Contig, start: l.Start, end: l.End, reverse: l.Reverse, distance: l.Distance}
			r.record = here.append(r.record[:0])
			for variants.valid && compareRows(variants.record, r.record) < 0 {
				if err := r.putVariant(variants); err != nil {
					return err
				}
			}
			line.Reset()
			if err := rows.Add(r.ctx, locations[i:i+1]); err != nil {
				return err
			}
			if err := rows.Finish(r.ctx); err != nil {
				return err
			}
			r.line = append(append(r.line[:0], bytes.TrimSuffix(line.Bytes(), []byte{'\n'})...), "\t.\t."...)
			here.line = r.line
			if err := r.put(here); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for variants.valid {
		if err := r.putVariant(variants); err != nil {
			return err
		}
	}
	if err := r.finish(); err != nil {
		return err
	}
	found, locations := r.stats.FoundPatterns, r.stats.Locations
	r.stats.Stats = *stats
	r.stats.FoundPatterns, r.stats.Locations = found, locations
	return nil
}

// putVariant puts the next row of the windows.
func (r *runner) putVariant(m *merger) error {
	if err := r.put(m.head); err != nil {
		return err
	}
	return m.next()
}

// put takes the next row in order, whose line is valid during the call. With IUPAC letters a place
// has one row, the row with the least distance: a letter matches if one of its bases does.
func (r *runner) put(next row) error {
	if r.o.VCF != "" {
		return r.write(&next)
	}
	switch {
	case r.waits && samePlace(&r.pending, &next):
		if next.distance < r.pending.distance {
			r.pending = next
			r.pending.line = bytes.Clone(next.line)
		}
		return nil
	case r.waits:
		if err := r.write(&r.pending); err != nil {
			return err
		}
	}
	r.pending, r.waits = next, true
	r.pending.line = bytes.Clone(next.line)
	return nil
}

// write writes a row.
func (r *runner) write(w *row) error {
	r.stats.Locations++
	if w.alleles != "" {
		r.stats.Places++
	}
	if !r.found[w.pattern] {
		r.found[w.pattern] = true
		r.stats.FoundPatterns++
	}
	r.buffer = append(append(r.buffer, w.line...), '\n')
	return r.flush(1 << 16)
}

// finish writes the rest.
func (r *runner) finish() error {
	if r.waits {
		r.waits = false
		if err := r.write(&r.pending); err != nil {
			return err
		}
	}
	return r.flush(1)
}

// flush writes the buffer if it has at least that many bytes.
func (r *runner) flush(least int) error {
	if len(r.buffer) < least {
		return nil
	}
	if err := r.ctx.Err(); err != nil {
		return err
	}
	_, err := r.out.Write(r.buffer)
	r.buffer = r.buffer[:0]
	return err
}

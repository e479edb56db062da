package genome

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// A line is one of BED.
type line struct {
	contig, name string
	start, end   int
	edits        int // for each 1000 bases
	strand       string
}

// written is what Write gave.
type written struct {
	names   []string
	contigs map[string]string
	lines   []line
	fasta   []byte
}

// fails is what tests and properties fail by.
type fails interface {
	Fatal(...any)
	Fatalf(string, ...any)
}

// write makes a genome and reads it again.
func write(t fails, o Options, threads int) *written {
	g, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	var fasta, bed bytes.Buffer
	if err := g.Write(&fasta, &bed, threads); err != nil {
		t.Fatal(err)
	}
	w := &written{contigs: map[string]string{}, fasta: fasta.Bytes()}
	for record := range strings.SplitSeq(fasta.String()[1:], "\n>") {
		name, text, _ := strings.Cut(record, "\n")
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		for i, l := range lines {
			if len(l) > lineBases || len(l) == 0 || i < len(lines)-1 && len(l) < lineBases {
				t.Fatalf("line %d of %s has %d bases", i+1, name, len(l))
			}
		}
		w.names = append(w.names, name)
		w.contigs[name] = strings.Join(lines, "")
	}
	for text := range strings.Lines(bed.String()) {
		f := strings.Split(strings.TrimSuffix(text, "\n"), "\t")
		if len(f) != 6 {
			t.Fatalf("%q", text)
		}
		l := line{contig: f[0], name: f[3], strand: f[5]}
		for i, to := range map[int]*int{1: &l.start, 2: &l.end, 4: &l.edits} {
			if *to, err = strconv.Atoi(f[i]); err != nil {
				t.Fatal(err)
			}
		}
		w.lines = append(w.lines, l)
	}
	return w
}

// text returns what a line names, in the direction of its strand.
func (w *written) text(l line) string {
	s := w.contigs[l.contig][l.start:l.end]
	if l.strand == "-" {
		return letters(turned(codes(s)))
	}
	return s
}

func turned(bases []byte) []byte {
	reverseComplement(bases)
	return bases
}

func codes(s string) []byte {
	b := make([]byte, len(s))
	for i := range b {
		b[i] = byte(strings.IndexByte("ACGTN", s[i]))
	}
	return b
}

func letters(bases []byte) string {
	b := make([]byte, len(bases))
	for i, c := range bases {
		b[i] = "ACGTN"[c]
	}
	return string(b)
}

func human(bases int64) Options {
	return Options{Bases: bases, Contigs: 5, Seed: 1, Profile: Human}
}

// Shares and divergences are as in the table of families, measured from BED. A tenth of a share is
// about four standard deviations at this size for the families with the largest elements.
func TestHumanShares(t *testing.T) {
	const size = 30_000_000
	g, err := New(human(size))
	if err != nil {
		t.Fatal(err)
	}
	w := write(t, human(size), 2)
	bases, edits := map[string]float64{}, map[string]float64{}
	for _, l := range w.lines {
		name, _, _ := strings.Cut(l.name, ":")
		bases[name] += float64(l.end - l.start)
		edits[name] += float64(l.edits*(l.end-l.start)) / 1000
	}
	check := func(name string, share float64) {
		if got := bases[name] / size; !(math.Abs(got-share) <= 0.1*share) {
			t.Errorf("%s is %.2f %% of the bases, expected %.2f", name, 100*got, 100*share)
		}
	}
	groups := map[string]float64{}
	for i := range g.families {
		f := &g.families[i]
		check(f.name, f.share)
		groups[f.group] += f.share
		want := (f.least + f.most) / 2
		if f.units == nil {
			in, all := 0, 0
			for _, c := range f.copies {
				all += len(c.bases)
				for _, is := range c.cpg {
					if is {
						in++
					}
				}
			}
			cpg := float64(in) / float64(all)
			want = (1-cpg)*want + cpg*cpgDivergence(want)
		}
		// Copies in duplications have a little more. Elements have tails, which have no CpG.
		if got := edits[f.name] / bases[f.name]; got < 0.9*want || got > 1.1*want+0.002 {
			t.Errorf("%s is %.3f diverged, expected %.3f", f.name, got, want)
		}
	}
	for group, share := range map[string]float64{"Alu": 0.106, "L1": 0.169, "L2": 0.032, "MIR": 0.025, "LTR": 0.083, "DNA": 0.028, "tandem": 0.03} {
		if !(math.Abs(groups[group]-share) <= 1e-9) {
			t.Errorf("the families of %s are %g of the bases, expected %g", group, groups[group], share)
		}
	}
	check(groupAlpha, shareAlpha)
	check(groupSegdup, shareSegdup)

	count := map[rune]int{}
	cpg, total := 0, 0
	for _, text := range w.contigs {
		for _, c := range "ACGTN" {
			count[c] += strings.Count(text, string(c))
		}
		cpg += strings.Count(text, "CG")
		total += len(text)
	}
	if gc := float64(count['C']+count['G']) / float64(total); total != size || !(math.Abs(gc-0.41) <= 0.01) || count['N'] > 0 {
		t.Errorf("%d bases, %.3f of them G or C, %d N", total, gc, count['N'])
	}
	if observed := float64(cpg) * float64(total) / float64(count['C']) / float64(count['G']); observed < 0.2 || observed > 0.45 {
		t.Errorf("CpG is %.2f of what it would be by chance", observed)
	}
}

// The text has the elements of the BED: copies of one element, compared with the element itself.
func TestElement(t *testing.T) {
	for _, e := range []Element{
		{Length: 300, Share: 0.1, Least: 0.10, Most: 0.15},
		{Length: 320, Share: 0.1, Least: 0.12, Most: 0.12},
		{Length: 1000, Share: 0.5, Least: 0.02, Most: 0.02},
		{Length: 50, Share: 0.02, Least: 0, Most: 0},
	} {
		const size = 3_000_000
		o := Options{Bases: size, Contigs: 3, Seed: 5, Profile: Random, Element: e}
		g, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		consensus := letters(g.families[len(g.families)-1].copies[0].bases)
		w := write(t, o, 1)
		bases, edits, distances, compared := 0, 0, 0, 0
		for i, l := range w.lines {
			if l.name != groupElement {
				t.Fatalf("%+v", l)
			}
			bases += l.end - l.start
			whole := l.end-l.start > e.Length*9/10 &&
				(i == 0 || w.lines[i-1].contig != l.contig || w.lines[i-1].end < l.start) &&
				(i+1 == len(w.lines) || w.lines[i+1].contig != l.contig || w.lines[i+1].start > l.end)
			if whole && compared < 100*e.Length {
				d := truth.Distance(w.text(l), consensus)
				// A per mille is rounded.
				if most := float64(l.edits)*float64(e.Length)/1000 + 1; float64(d) > most {
					t.Errorf("%+v differs by %d edits, more than %.1f", l, d, most)
				}
				distances += d
				edits += l.edits * e.Length / 1000
				compared += e.Length
			}
		}
		if share := float64(bases) / size; !(math.Abs(share-e.Share) <= 0.05*e.Share) {
			t.Errorf("%+v is on %.4f of the bases", e, share)
		}
		// Some edits hide others, and their number has a standard deviation of 0.003 at 100 x 50 bases.
		mean := (e.Least + e.Most) / 2
		if got := float64(distances) / float64(compared); compared < 20*e.Length || got < 0.9*mean-0.004 || got > mean+0.01 {
			t.Errorf("%+v: copies are %.4f diverged over %d bases; BED says %d edits", e, got, compared, edits)
		}
	}
}

// Elements that came with a duplication, and elements that another interrupted, are like the
// element too, in the direction that BED gives.
func TestElementsOfParts(t *testing.T) {
	const length, divergence = 300, 0.05
	o := Options{Bases: 2_000_000, Contigs: 2, Seed: 9, Profile: Random, Shares: map[string]float64{groupSegdup: 0.2},
		Element: Element{length, 0.5, divergence, divergence}}
	g, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	consensus := letters(g.families[len(g.families)-1].copies[0].bases)
	w := write(t, o, 2)
	within, interrupted, end := 0, 0, 0
	near := func(what, text string, l line) {
		// The most that an element and a duplication have, and more than ten standard deviations.
		if d := truth.Distance(text, consensus); float64(d) > (divergence+mostDivergence+0.15)*length {
			t.Errorf("%s: %+v differs by %d", what, l, d)
		}
	}
	for i, l := range w.lines {
		if l.name != groupElement {
			end = l.end
			continue
		}
		if l.start < end && l.end < end && l.end-l.start > length*9/10 && within < 100 {
			within++
			near("within a duplication", w.text(l), l)
		}
		if i < 2 || interrupted >= 100 {
			continue
		}
		a, b := w.lines[i-2], w.lines[i-1]
		sum := a.end - a.start + l.end - l.start
		if a.name != l.name || b.name != l.name || a.contig != l.contig || a.end != b.start || b.end != l.start || a.edits != l.edits || a.strand != l.strand || sum < length*9/10 || sum > length*11/10 {
			continue
		}
		interrupted++
		first, second := w.text(a), w.text(l)
		if l.strand == "-" {
			first, second = second, first
		}
		near("interrupted", first+second, l)
	}
	if within < 50 || interrupted < 20 {
		t.Errorf("%d within duplications, %d interrupted", within, interrupted)
	}
}

// However isochores share a family out, it keeps its share of the genome.
func TestDensities(t *testing.T) {
	g, err := New(human(1_000_000))
	if err != nil {
		t.Fatal(err)
	}
	for j, f := range g.families {
		sum := 0.0
		for i, iso := range isochores {
			sum += iso.fraction * g.layers[i].densities[j]
		}
		if got := sum * (1 - shareAlpha); !(math.Abs(got-f.share) <= 1e-9) {
			t.Errorf("%s is %g of the bases, expected %g", f.name, got, f.share)
		}
	}
}

// Units of alpha satellite are 1 to 2 % apart, and monomers of a unit 20 to 40 %.
func TestAlpha(t *testing.T) {
	effort.OnlyAll(t, "genomes are made for measuring")
	o := human(20_000_000)
	g, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	w := write(t, o, 2)
	for i := range g.Contigs {
		name := g.Contigs[i].Name
		unit := g.unit(i)
		var copies []string
		for _, l := range w.lines {
			if l.contig == name && l.name == groupAlpha {
				copies = append(copies, w.text(l))
			}
		}
		near, far := 0, 0
		pairs := 12
		for j := range pairs {
			a, b, c := copies[j], copies[j+1], copies[len(copies)-2-j]
			near += truth.Distance(a, b)
			far += truth.Distance(a, c)
		}
		bases := float64(pairs * len(unit))
		if n, f := float64(near)/bases, float64(far)/bases; n < 0.007 || n > 0.016 || f < 0.013 || f > 0.027 {
			t.Errorf("%s: units are %.4f apart near each other and %.4f far from each other", name, n, f)
		}
		sum, least, most, count := 0.0, 1.0, 0.0, 0
		text := letters(unit)
		for from := 0; from+2*monomerBases <= len(text); from += monomerBases {
			d := float64(truth.Distance(text[from:from+monomerBases], text[from+monomerBases:from+2*monomerBases])) / monomerBases
			sum, least, most, count = sum+d, min(least, d), max(most, d), count+1
		}
		if mean := sum / float64(count); mean < 0.2 || mean > 0.4 || least < 0.12 || most > 0.45 {
			t.Errorf("%s: monomers are %.2f to %.2f apart, %.2f on average", name, least, most, mean)
		}
	}
}

// The beginning of a copy is like the text where its source begins by the BED.
func TestDuplications(t *testing.T) {
	o := human(20_000_000)
	w := write(t, o, 2)
	compared, elsewhere := 0, 0
	for _, l := range w.lines {
		field := strings.Split(l.name, ":")
		if field[0] != groupSegdup {
			continue
		}
		if l.end-l.start < leastDuplication || l.edits > 130 {
			t.Errorf("%+v", l)
		}
		if field[1] != l.contig {
			elsewhere++
		}
		if l.strand == "-" {
			continue // begins at the end of its source
		}
		at, err := strconv.Atoi(field[2])
		if err != nil {
			t.Fatal(err)
		}
		const n = 300
		source := w.contigs[field[1]][at:min(at+n+50, len(w.contigs[field[1]]))]
		if d := truth.DistanceToStart(w.text(l)[:n], source); d > n*l.edits/1000+n/12 {
			t.Errorf("%+v: %d edits among the first %d bases", l, d, n)
		}
		compared++
	}
	if compared < 5 || elsewhere < 5 {
		t.Errorf("%d duplications compared, %d from another contig", compared, elsewhere)
	}
}

// For any options: exactly the bases asked for, contigs as laid out, lines of BED in order and
// inside, N as asked for, and the same bytes for any number of threads.
func TestWriteProperties(t *testing.T) {
	effort.OnlyAll(t, "genomes are made for measuring")
	rapid.Check(t, func(t *rapid.T) {
		contigs := rapid.IntRange(1, 30).Draw(t, "contigs")
		o := Options{
			Contigs: contigs,
			Bases:   int64(leastContig*contigs + rapid.IntRange(0, 400_000).Draw(t, "more")),
			Seed:    rapid.Uint64().Draw(t, "seed"),
			Profile: rapid.SampledFrom([]Profile{Human, Random}).Draw(t, "profile"),
			Shares:  map[string]float64{},
		}
		for _, group := range Groups() {
			if rapid.IntRange(0, 4).Draw(t, group) == 0 {
				o.Shares[group] = rapid.SampledFrom([]float64{0, 0.01, 0.1}).Draw(t, "share")
			}
		}
		if rapid.Bool().Draw(t, "element") {
			o.Element = Element{rapid.IntRange(10, 2000).Draw(t, "length"), 0.05, 0.1, 0.3}
		}
		g, err := New(o)
		if err != nil {
			t.Skip("asked for too much")
		}
		w := write(t, o, 1)
		if again := write(t, o, 4); !bytes.Equal(w.fasta, again.fasta) || !slices.Equal(w.lines, again.lines) {
			t.Fatal("four threads wrote something else than one")
		}
		total, gaps := int64(0), 0
		for i := range g.Contigs {
			c := &g.Contigs[i]
			text := w.contigs[c.Name]
			if w.names[i] != c.Name || int64(len(text)) != c.Length || c.Length == 0 {
				t.Fatalf("%s has %d bases, expected %d", w.names[i], len(text), c.Length)
			}
			total += c.Length
			if strings.Trim(text, "ACGTN") != "" {
				t.Fatal("other letters")
			}
			n := strings.Count(text, "N")
			if want := int(math.Round(o.Shares[groupGap] * float64(c.Length))); n != want {
				t.Fatalf("%s has %d N, expected %d", c.Name, n, want)
			}
			gaps += n
		}
		if total != o.Bases || len(w.names) != contigs {
			t.Fatalf("%d bases in %d contigs", total, len(w.names))
		}
		order := func(a, b line) int {
			if a.contig != b.contig {
				return slices.Index(w.names, a.contig) - slices.Index(w.names, b.contig)
			}
			return a.start - b.start
		}
		if !slices.IsSortedFunc(w.lines, order) {
			t.Fatal("BED is not sorted")
		}
		for _, l := range w.lines {
			if l.start < 0 || l.start >= l.end || l.end > len(w.contigs[l.contig]) || l.strand != "+" && l.strand != "-" {
				t.Fatalf("%+v", l)
			}
			if strings.Contains(w.contigs[l.contig][l.start:l.end], "N") {
				t.Fatalf("%+v has N", l)
			}
		}
	})
}

// The bytes that benchmarks are about. If they change, figures for this reference are of another
// one: say so in CHANGELOG.md and measure again.
func TestSameSeedSameBytes(t *testing.T) {
	sum := func(o Options) string {
		return fmt.Sprintf("%x", sha256.Sum256(write(t, o, 3).fasta))[:16]
	}
	o := human(1_000_000)
	if got, want := sum(o), "0764d37b786eea64"; got != want {
		t.Errorf("%s, expected %s", got, want)
	}
	other := o
	other.Seed = 2
	if sum(other) == sum(o) {
		t.Error("another seed gave the same bytes")
	}
}

// Shares of groups that are not named stay where they are, and bases outside them change little: a
// duplication is as far from its source whatever else there is.
func TestSharesAreReplaced(t *testing.T) {
	o := human(10_000_000)
	o.Shares = map[string]float64{"Alu": 0.2, "L1": 0, "alpha": 0, "gap": 0.05}
	bases := map[string]int{}
	w := write(t, o, 2)
	for _, l := range w.lines {
		bases[l.name[:2]] += l.end - l.start
	}
	if share := float64(bases["Al"]) / 1e7; share < 0.18 || share > 0.22 || bases["L1"] > 0 || bases["al"] > 0 || bases["MI"] == 0 {
		t.Errorf("%v", bases)
	}
}

func TestImpossibleGenomesAreRefused(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"no contig":               func(o *Options) { o.Contigs = 0 },
		"contigs of a few bases":  func(o *Options) { o.Contigs = 100_001 },
		"contig longer than SAM":  func(o *Options) { o.Bases, o.Contigs = 1<<31, 1 },
		"unknown profile":         func(o *Options) { o.Profile = "mouse" },
		"unknown group":           func(o *Options) { o.Shares = map[string]float64{"B1": 0.1} },
		"share above 1":           func(o *Options) { o.Shares = map[string]float64{"Alu": 1.5} },
		"share that is no number": func(o *Options) { o.Shares = map[string]float64{"Alu": math.NaN()} },
		"no background":           func(o *Options) { o.Shares = map[string]float64{"Alu": 0.6} },
		"no ordinary sequence":    func(o *Options) { o.Shares = map[string]float64{"alpha": 0.4, "segdup": 0.2} },
		"element of no size":      func(o *Options) { o.Element = Element{5, 0.1, 0, 0} },
		"element of great size":   func(o *Options) { o.Element = Element{100_000, 0.1, 0, 0} },
		"divergence the wrong way": func(o *Options) {
			o.Element = Element{300, 0.1, 0.2, 0.1}
		},
	} {
		o := human(10_000_000)
		change(&o)
		if _, err := New(o); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}

// failing takes some bytes and then no more.
type failing struct{ left int }

var errFull = errors.New("full")

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteFails(t *testing.T) {
	g, err := New(human(3_000_000))
	if err != nil {
		t.Fatal(err)
	}
	for _, left := range []int{0, 100_000, 2_900_000} {
		for _, threads := range []int{1, 4} {
			if err := g.Write(&failing{left}, nil, threads); !errors.Is(err, errFull) {
				t.Errorf("%v after %d bytes", err, left)
			}
			if err := g.Write(io.Discard, &failing{left / 50}, threads); !errors.Is(err, errFull) {
				t.Errorf("%v after %d bytes of BED", err, left/50)
			}
		}
	}
}

// A copy has no more edits than counted, and as many as its rate says.
func TestMutate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bases := rapid.SliceOfN(rapid.ByteMax(3), 0, 120).Draw(t, "bases")
		d := newDice(rapid.Uint64().Draw(t, "seed"), 1)
		divergence := rapid.SampledFrom([]float64{0, 0.01, 0.1, 0.5}).Draw(t, "divergence")
		var cpg []bool
		r := plainRates(divergence)
		if rapid.Bool().Draw(t, "cpg") {
			cpg, r = inCpG(bases), cpgRates(divergence)
		}
		head := []byte{3, 2, 1}
		out, edits := d.mutate(slices.Clone(head), bases, cpg, r)
		if !bytes.HasPrefix(out, head) {
			t.Fatal("what was there is gone")
		}
		out = out[len(head):]
		if n := truth.Distance(letters(out), letters(bases)); n > edits || divergence == 0 && edits > 0 {
			t.Fatalf("%s became %s by %d edits, counted %d", letters(bases), letters(out), n, edits)
		}
	})
	d := newDice(1, 1)
	bases := bytes.Repeat([]byte{0, 1, 2, 3, 3, 0, 2}, 100_000)
	cpg := inCpG(bases)
	for _, divergence := range []float64{0.01, 0.1, 0.3} {
		_, edits := d.mutate(nil, bases, nil, plainRates(divergence))
		if got := float64(edits) / float64(len(bases)); !(math.Abs(got-divergence) <= 0.02*divergence) {
			t.Errorf("%.4f diverged, expected %.4f", got, divergence)
		}
		_, edits = d.mutate(nil, bases, cpg, cpgRates(divergence))
		want := (5*divergence + 2*cpgDivergence(divergence)) / 7
		if got := float64(edits) / float64(len(bases)); !(math.Abs(got-want) <= 0.02*want) {
			t.Errorf("%.4f diverged with CpG, expected %.4f", got, want)
		}
	}
}

// The background has the GC of its isochore and few CpG.
func TestChain(t *testing.T) {
	for _, iso := range isochores {
		l := &layer{next: chain(iso.gc)}
		bases := make([]byte, 1_000_003)
		l.background(bases, 0, newDice(1, 2))
		gc, c, g, cpg := 0, 0, 0, 0
		for i, b := range bases {
			switch b {
			case codeC:
				c++
			case codeG:
				g++
				if i > 0 && bases[i-1] == codeC {
					cpg++
				}
			}
		}
		gc = c + g
		n := float64(len(bases))
		if got := float64(gc) / n; !(math.Abs(got-iso.gc) <= 0.012) {
			t.Errorf("GC %.3f, expected %.3f", got, iso.gc)
		}
		if got := float64(cpg) * n / float64(c) / float64(g); got < 0.17 || got > 0.33 {
			t.Errorf("CpG %.2f of chance", got)
		}
	}
}

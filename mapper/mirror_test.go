package mapper

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// A mirrorKind says why a location has no mirror image among the locations on the mirrored
// reference.
type mirrorKind int

// The kinds. The first two are ties: which of several that are equally good is taken depends on the
// direction in which the reference is read.
const (
	// Another location, with as many edits and gaps, excludes it.
	tiedLocations mirrorKind = iota
	// Among alignments that end together, another one with as many edits and gaps is taken.
	tiedAlignments
	// Among alignments that end together, one with fewer edits or gaps is taken: each end has one. In
	// the mirror image they start together and end apart, so that both are looked at.
	hidden
	// A better location excludes it, which has no mirror image itself, in the end because of a tie.
	afterTie
	// The same, because of one that is hidden.
	afterHidden
	mirrorKinds
)

// mirrorCounts are the numbers of differences of each kind.
type mirrorCounts [mirrorKinds]int

func (c mirrorCounts) String() string {
	return fmt.Sprintf("%d ties of locations, %d ties of alignments, %d hidden, %d after ties, %d after hidden",
		c[tiedLocations], c[tiedAlignments], c[hidden], c[afterTie], c[afterHidden])
}

// A mirrorSide is the locations of one read on a reference or on its mirror image.
type mirrorSide struct {
	contigs []string
	read    string
	k       int
	kept    []truth.Location // in order of contig, strand and end
	other   *mirrorSide
}

// mirrored returns a location of s as it lies on the other side.
func (s *mirrorSide) mirrored(l truth.Location) truth.Location {
	length := len(s.contigs[l.Contig])
	l.Strand, l.Start, l.End = 1-l.Strand, length-l.End, length-l.Start
	return l
}

// compareLocations orders locations by contig, strand and end.
func compareLocations(a, b truth.Location) int {
	return cmp.Or(cmp.Compare(a.Contig, b.Contig), cmp.Compare(a.Strand, b.Strand), cmp.Compare(a.End, b.End))
}

// sort puts the locations in order.
func (s *mirrorSide) sort() { slices.SortFunc(s.kept, compareLocations) }

// has tells whether a location was kept.
func (s *mirrorSide) has(l truth.Location) bool {
	i, ok := slices.BinarySearchFunc(s.kept, l, compareLocations)
	return ok && s.kept[i] == l
}

// compareQuality orders by (distance, gaps).
func compareQuality(a, b truth.Location) int {
	return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Gaps, b.Gaps))
}

// excluder returns the first location, by the definition, that was kept before l and ends or starts
// within k of l.
func (s *mirrorSide) excluder(l truth.Location) (best truth.Location, ok bool) {
	low := l
	low.End -= 3 * s.k // locations that start within k of l end within 3k
	i, _ := slices.BinarySearchFunc(s.kept, low, compareLocations)
	order := func(a, b truth.Location) int { return cmp.Or(compareQuality(a, b), cmp.Compare(a.End, b.End)) }
	for ; i < len(s.kept); i++ {
		y := s.kept[i]
		if y.Contig != l.Contig || y.Strand != l.Strand || y.End > l.End+3*s.k {
			break
		}
		near := max(y.End-l.End, l.End-y.End) <= s.k || max(y.Start-l.Start, l.Start-y.Start) <= s.k
		if near && order(y, l) < 0 && (!ok || order(y, best) < 0) {
			best, ok = y, true
		}
	}
	return best, ok
}

// occurrence returns the occurrence that ends where l does, by plain dynamic programming.
func (s *mirrorSide) occurrence(l truth.Location) (o truth.Location, ok bool) {
	strand := truth.Strand(s.read, l.Strand)
	from := max(0, l.End-len(strand)-s.k)
	text := s.contigs[l.Contig][from:l.End]
	ends := truth.Ends(text, strand, s.k)
	if len(ends) == 0 || ends[len(ends)-1].End != len(text) {
		return o, false
	}
	o = ends[len(ends)-1]
	o.Start = from + truth.Start(text, strand, o)
	o.Contig, o.Strand, o.End = l.Contig, l.Strand, l.End
	return o, true
}

// why tells why l, whose mirror image the other side has, was not kept on this one. It proves its
// answer. The end of l has the occurrence that it names. This occurrence is kept, or a kept one
// excludes it. A better location that excludes l is missing on the other side, for a reason of its
// own.
func (s *mirrorSide) why(l truth.Location) (mirrorKind, error) {
	o, ok := s.occurrence(l)
	if !ok {
		return 0, fmt.Errorf("no alignment with %d edits ends at %d", s.k, l.End)
	}
	by, excluded := s.excluder(o)
	if !s.has(o) && !excluded {
		return 0, fmt.Errorf("the occurrence %+v is not kept, and nothing that is excludes it", o)
	}
	switch better := compareQuality(o, l); {
	case better > 0:
		return 0, fmt.Errorf("the best alignment that ends there is %+v", o)
	case better < 0:
		return hidden, nil
	case o.Start != l.Start:
		return tiedAlignments, nil
	case !excluded:
		return 0, fmt.Errorf("nothing excludes it")
	case compareQuality(by, l) == 0:
		return tiedLocations, nil
	}
	if image := s.mirrored(by); !s.other.has(image) {
		kind, err := s.other.why(image)
		switch {
		case err != nil:
			return 0, fmt.Errorf("%+v excludes it, whose mirror image is missing: %w", by, err)
		case kind == hidden || kind == afterHidden:
			return afterHidden, nil
		}
		return afterTie, nil
	}
	return 0, fmt.Errorf("%+v excludes it, and on the other side it does not", by)
}

// missing counts the locations of s that have no mirror image on the other side.
func (s *mirrorSide) missing(counts *mirrorCounts) error {
	for _, l := range s.kept {
		image := s.mirrored(l)
		if s.other.has(image) {
			continue
		}
		kind, err := s.other.why(image)
		if err != nil {
			return fmt.Errorf("read %s, k %d: %+v has no mirror image: %w", s.read, s.k, l, err)
		}
		counts[kind]++
	}
	return nil
}

// locationsOfRecords returns the reads of SAM text and all locations of each. Each alignment is
// replayed letter by letter.
func locationsOfRecords(t testing.TB, text string, contigs []string, names map[string]int) (reads []string, found [][]truth.Location) {
	t.Helper()
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "@") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		flag, err := strconv.Atoi(f[1])
		if err != nil {
			t.Fatal(err)
		}
		strand := flag >> 4 & 1
		if flag&0x100 == 0 {
			read := f[9]
			if read == "*" {
				read = ""
			}
			reads, found = append(reads, truth.Strand(read, strand)), append(found, nil)
		}
		if flag&4 != 0 {
			continue
		}
		pos, err := strconv.Atoi(f[3])
		if err != nil {
			t.Fatal(err)
		}
		last := len(reads) - 1
		l := truth.Location{Contig: names[f[2]], Strand: strand, Start: pos - 1}
		l.Distance, l.Gaps, l.End, err = truth.Replay(contigs[l.Contig], truth.Strand(reads[last], strand), l.Start, f[5])
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		found[last] = append(found[last], l)
	}
	return reads, found
}

// mirror maps reads to contigs and to their reverse complements, and counts the locations and those
// without a mirror image on the other side.
func mirror(t *testing.T, contigs, reads []string, d Distance, engine Engine) (locations int, counts mirrorCounts) {
	t.Helper()
	folder := t.TempDir()
	fq := folder + "/reads.fa"
	write := func(name, prefix string, texts []string) {
		var b strings.Builder
		for i, s := range texts {
			fmt.Fprintf(&b, ">%s%d\n%s\n", prefix, i, s)
		}
		if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(fq, "r", reads)
	names := map[string]int{}
	both := [2][]string{contigs, make([]string, len(contigs))}
	for i, s := range contigs {
		names[fmt.Sprintf("c%d", i)] = i
		both[1][i] = truth.ReverseComplement(s)
	}
	var sides [2][][]truth.Location
	for side, texts := range both {
		reference := fmt.Sprintf("%s/ref%d.fa", folder, side)
		write(reference, "c", texts)
		text, _ := runText(t, Options{Reference: reference, Libraries: []Library{{Reads: fq}}, Distance: d, Gaps: GapsUnit, Engine: engine, Threads: 2})
		var got []string
		got, sides[side] = locationsOfRecords(t, text, texts, names)
		if !slices.Equal(got, reads) {
			t.Fatal("the records have other reads")
		}
	}
	for i, read := range reads {
		k := d.For(len(read))
		a := &mirrorSide{contigs: both[0], read: read, k: k, kept: sides[0][i]}
		b := &mirrorSide{contigs: both[1], read: read, k: k, kept: sides[1][i], other: a}
		a.other = b
		for _, s := range []*mirrorSide{a, b} {
			s.sort()
			locations += len(s.kept)
		}
		for _, s := range []*mirrorSide{a, b} {
			if err := s.missing(&counts); err != nil {
				t.Fatal(err)
			}
		}
	}
	return locations, counts
}

// readTexts returns the texts of the records of a file, in upper case.
func readTexts(t testing.TB, name string) (texts []string) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var in io.Reader = file
	if strings.HasSuffix(name, ".gz") {
		if in, err = gzip.NewReader(file); err != nil {
			t.Fatal(err)
		}
	}
	content, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	content = bytes.ToUpper(content)
	if content[0] == '@' {
		for i, line := range strings.Split(string(content), "\n") {
			if i%4 == 1 {
				texts = append(texts, line)
			}
		}
		return texts
	}
	for _, record := range strings.Split(string(content), ">")[1:] {
		_, text, _ := strings.Cut(record, "\n")
		texts = append(texts, strings.ReplaceAll(text, "\n", ""))
	}
	return texts
}

// cutReads returns reads of m bases with up to k edits each, from anywhere in texts, on either
// strand.
func cutReads(r *rand.Rand, texts []string, n, m, k int) (reads []string) {
	for len(reads) < n {
		text := texts[r.IntN(len(texts))]
		from := r.IntN(len(text) - m + 1)
		s := truth.Edited(r, text[from:from+m], r.IntN(k+1))
		reads = append(reads, truth.Strand(s, r.IntN(2)))
	}
	return reads
}

// tandem returns contigs of tandem repeats, whose copies differ, between texts without any.
func tandem(r *rand.Rand) (contigs []string) {
	for _, units := range [][]int{{1, 2, 3, 4}, {5, 7, 9, 11, 13}, {17, 25, 40, 80}} {
		text := truth.Random(r, 300, "ACGT")
		for _, n := range units {
			unit := truth.Random(r, n, "ACGT")
			for range 400/n + 2 {
				text += truth.Edited(r, unit, r.IntN(10)/9)
			}
			text += truth.Random(r, 300, "ACGT")
		}
		contigs = append(contigs, text)
	}
	return contigs
}

// A mirrorSet is what TestMirror maps.
type mirrorSet struct {
	name string
	// needs is a file or folder without which the set is skipped; empty for none.
	needs    string
	input    func(t *testing.T, r *rand.Rand) (contigs, reads []string)
	distance Distance
	engine   Engine
	// most bounds the differences: two to three times what they were when the test was written.
	most mirrorCounts
}

// mirrorSets are real reads, from testdata and larger sets in ../shared, and reads of repeats.
func mirrorSets() []mirrorSet {
	type input = func(t *testing.T, r *rand.Rand) (contigs, reads []string)
	// files takes one of each reads.
	files := func(each int, reference string, reads ...string) input {
		return func(t *testing.T, _ *rand.Rand) (contigs, all []string) {
			for _, name := range reads {
				for i, read := range readTexts(t, name) {
					if i%each == 0 {
						all = append(all, read)
					}
				}
			}
			return readTexts(t, reference), all
		}
	}
	cut := func(reference string, n, m, k int) input {
		return func(t *testing.T, r *rand.Rand) (contigs, reads []string) {
			contigs = readTexts(t, reference)
			return contigs, cutReads(r, contigs, n, m, k)
		}
	}
	repeats := func(_ *testing.T, r *rand.Rand) (contigs, reads []string) {
		contigs = tandem(r)
		return contigs, append(cutReads(r, contigs, 300, 60, 5), cutReads(r, contigs, 100, 150, 8)...)
	}
	const data, shared = "../testdata/", "../../shared/data"
	const mt = shared + "/reads/dev_human_MT_ind1_250bp_R"
	phix := files(1, data+"phix.fa", data+"phix_R1.fastq", data+"phix_R2.fastq")
	ex1 := files(1, data+"ex1.fa", data+"ex1_35bp.fastq.gz")
	portiera := files(1, data+"portiera.fa.gz", data+"portiera_101bp.fastq.gz")
	short := files(1, data+"portiera.fa.gz", data+"portiera_36bp.fastq.gz")
	human := files(effort.Pick(1, 10), shared+"/ref/human_b37_MT.fa", mt+"1.fastq.gz", mt+"2.fastq.gz")
	lpa := cut(shared+"/ref/human_LPA_haplotypes.fa.gz", 300, 150, 6)
	satellite := cut(shared+"/ref/human_chr8_centromere_alphasat.fa.gz", 200, 100, 4)
	percent := func(p float64) Distance { return Distance{Percent: p, Percentage: true} }
	return []mirrorSet{
		{"phix, 4%", "", phix, percent(4), EngineAuto, mirrorCounts{}},
		{"phix, 10%", "", phix, percent(10), EngineAuto, mirrorCounts{}},
		{"ex1, 2", "", ex1, Distance{Edits: 2}, EngineAuto, mirrorCounts{}},
		{"ex1, 5", "", ex1, Distance{Edits: 5}, EngineAuto, mirrorCounts{10, 10, 10, 5, 5}},
		{"portiera, 4%", "", portiera, percent(4), EngineAuto, mirrorCounts{3, 3}},
		{"portiera, 7%", "", portiera, percent(7), EngineAuto, mirrorCounts{3, 3}},
		{"portiera, 36 bases, 2", "", short, Distance{Edits: 2}, EngineAuto, mirrorCounts{3, 3}},
		{"tandem repeats, 4%, skim", "", repeats, percent(4), EngineSkim, mirrorCounts{1200, 150, 30, 20, 5}},
		{"tandem repeats, 8%, scan", "", repeats, percent(8), EngineScan, mirrorCounts{4000, 400, 200, 400, 10}},
		{"mitochondrion, 4%", shared, human, percent(4), EngineAuto, mirrorCounts{10, 10}},
		{"mitochondrion, 7%", shared, human, percent(7), EngineAuto, mirrorCounts{10, 10}},
		{"LPA, 4%", shared, lpa, percent(4), EngineAuto, mirrorCounts{700, 700}},
		{"alpha satellite, 4%", shared, satellite, percent(4), EngineAuto, mirrorCounts{20, 20}},
	}
}

// TestMirror maps reads to references and to their reverse complements. Each location on the one
// has to have its mirror image on the other, and each that has none a reason that is proved.
func TestMirror(t *testing.T) {
	effort.OnlyAll(t, "TestSameBytes compares with the truth, and this with the mirrored genome")
	t.Parallel()
	for _, set := range mirrorSets() {
		t.Run(set.name, func(t *testing.T) {
			if set.needs != "" {
				if _, err := os.Stat(set.needs); err != nil {
					t.Skipf("SKIPPED: %v", err)
				}
			}
			contigs, reads := set.input(t, rand.New(rand.NewPCG(101, 102)))
			locations, counts := mirror(t, contigs, reads, set.distance, set.engine)
			check(t, len(reads), locations, counts, set.most)
		})
	}
	t.Run("drawn", func(t *testing.T) {
		type drawn struct {
			contigs, reads []string
			k              int
		}
		draw := rapid.Custom(func(rt *rapid.T) (d drawn) {
			d.contigs, d.reads, d.k = truth.Draw(rt)
			return d
		})
		reads, locations, counts := 0, 0, mirrorCounts{}
		for seed := range effort.Pick(80, 40) {
			d := draw.Example(seed)
			n, more := mirror(t, d.contigs, d.reads, Distance{Edits: d.k}, EngineAuto)
			reads, locations = reads+len(d.reads), locations+n
			for kind, n := range more {
				counts[kind] += n
			}
		}
		check(t, reads, locations, counts, mirrorCounts{80_000, 500, 2000, 7500, 150})
	})
}

// check reports the counts, and fails where there are fewer locations than reads or more
// differences of a kind than most.
func check(t *testing.T, reads, locations int, counts, most mirrorCounts) {
	t.Helper()
	t.Logf("%d reads, %d locations on both sides: %v", reads, locations, counts)
	if locations < reads {
		t.Error("so few locations show little")
	}
	for kind := range counts {
		if counts[kind] > most[kind] {
			t.Errorf("the most expected: %v", most)
			return
		}
	}
}

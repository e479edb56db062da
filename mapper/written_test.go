package mapper

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// A writtenRecord is one of a text, with its optional fields by their tags.
type writtenRecord struct {
	name, contig, cigar, mateContig, bases string
	flags, pos, mapQ, matePos, length      int
	tags                                   map[string]string
}

func (r *writtenRecord) mapped() bool { return r.flags&4 == 0 }

// mate is the key of the mate's records.
func (r *writtenRecord) mate() string { return fmt.Sprint(r.name, r.flags>>6&3^3) }

// number is the value of a tag, which has to be there.
func (r *writtenRecord) number(t *testing.T, tag string) int {
	t.Helper()
	n, err := strconv.Atoi(r.tags[tag])
	if err != nil {
		t.Fatalf("%s of %s: %v", tag, r.name, err)
	}
	return n
}

func writtenRecords(t *testing.T, text string) (all []writtenRecord) {
	t.Helper()
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "@") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		r := writtenRecord{name: f[0], contig: f[2], cigar: f[5], mateContig: f[6], bases: f[9], tags: map[string]string{}}
		if r.mateContig == "=" {
			r.mateContig = r.contig
		}
		for i, n := range map[int]*int{1: &r.flags, 3: &r.pos, 4: &r.mapQ, 7: &r.matePos, 8: &r.length} {
			var err error
			if *n, err = strconv.Atoi(f[i]); err != nil {
				t.Fatal(line, err)
			}
		}
		for _, tag := range f[11:] {
			r.tags[tag[:2]] = tag[5:]
		}
		all = append(all, r)
	}
	return all
}

// lossOfCIGAR is the affine loss of an alignment with a number of edits.
func lossOfCIGAR(cigar string, edits int) (loss int) {
	n := 0
	for _, c := range cigar {
		switch {
		case c >= '0' && c <= '9':
			n = 10*n + int(c-'0')
			continue
		case c == 'I':
			loss, edits = loss+6+2*n, edits-n
		case c == 'D':
			loss, edits = loss+6+n, edits-n
		}
		n = 0
	}
	return loss + 5*edits
}

// compareWritten maps with affine costs of gaps and with unit costs, and compares: the same
// locations, each with an alignment of its own, whose score is no less. It returns how many records
// there are, and how many reads have other alignments.
func compareWritten(t *testing.T, o Options, contigs []string) (records, changed int) {
	t.Helper()
	o.FullSecondary, o.OmitUnmapped = true, false
	o.Gaps = GapsUnit
	text, _ := runText(t, o)
	unit := writtenRecords(t, text)
	o.Gaps = GapsAffine
	text, _ = runText(t, o)
	affine := writtenRecords(t, text)
	checkMatesOfWritten(t, affine)
	var keys [2][]string
	var scores [2]map[string][]int
	var places [2]map[string][]string
	for side, all := range [][]writtenRecord{unit, affine} {
		scores[side], places[side] = map[string][]int{}, map[string][]string{}
		for i := range all {
			r := &all[i]
			key := fmt.Sprint(r.name, " ", r.flags, " ", r.mapped(), " ", r.mapQ, " NH ", r.tags["NH"], " XR ", r.tags["XR"], " XD ", r.tags["XD"], " XC ", r.tags["XC"])
			if r.mapped() {
				key += " " + r.contig + checkWritten(t, r, contigs, side == 1)
				loss := lossOfCIGAR(r.cigar, r.number(t, "NM"))
				scores[side][key] = append(scores[side][key], -loss)
				place := fmt.Sprint(r.contig, r.flags&16, " ", r.pos, " ", r.cigar)
				of := r.name + fmt.Sprint(r.flags>>6&3)
				if side == 1 && slices.Contains(places[1][of], place) {
					t.Fatalf("%s has two records %s", r.name, place)
				}
				places[side][of] = append(places[side][of], place)
				records++
			}
			keys[side] = append(keys[side], key)
		}
		slices.Sort(keys[side])
	}
	if d := cmp.Diff(keys[0], keys[1]); d != "" {
		t.Fatalf("other locations (-unit +affine)\n%s", d)
	}
	for key, least := range scores[0] {
		best := scores[1][key]
		slices.Sort(least)
		slices.Sort(best)
		for i := range least {
			if best[i] < least[i] {
				t.Fatalf("%s: scores %v, with unit costs %v", key, best, least)
			}
		}
	}
	for of := range places[0] {
		if !slices.Equal(places[0][of], places[1][of]) {
			changed++
		}
	}
	return records / 2, changed
}

// checkWritten replays the alignment of a record, compares its tags, and returns the values that do
// not depend on costs of gaps: its least distance, and the distance of the next best location.
func checkWritten(t *testing.T, r *writtenRecord, contigs []string, affine bool) string {
	t.Helper()
	contig, err := strconv.Atoi(r.contig[1:])
	if err != nil {
		t.Fatal(err)
	}
	edits, _, _, err := truth.Replay(contigs[contig], strings.ToUpper(r.bases), r.pos-1, r.cigar)
	if nm := r.number(t, "NM"); err != nil || edits != nm {
		t.Fatalf("%s at %s:%d: %s has %d edits, NM %d (%v)", r.name, r.contig, r.pos, r.cigar, edits, nm, err)
	}
	_, hasSecond := r.tags["XS"]
	second, score, m := -1, r.number(t, "AS"), len(r.bases)
	if !affine {
		if _, ok := r.tags["XE"]; ok || score != -edits {
			t.Fatalf("%s: NM %d, tags %v", r.name, edits, r.tags)
		}
		if hasSecond {
			second = -r.number(t, "XS")
		}
		return fmt.Sprint(" XE ", edits, " XS ", second)
	}
	least := r.number(t, "XE")
	if want := m - lossOfCIGAR(r.cigar, edits); score != want || edits < least {
		t.Fatalf("%s: %s, NM %d, XE %d, AS %d, expected %d", r.name, r.cigar, edits, least, score, want)
	}
	if hasSecond {
		second = (m - r.number(t, "XS")) / 5
		if m-5*second != r.number(t, "XS") {
			t.Fatalf("%s: XS of %v is not that of mismatches", r.name, r.tags)
		}
	}
	return fmt.Sprint(" XE ", least, " XS ", second)
}

// checkMatesOfWritten compares what records tell of the mate with the mate's primary record.
func checkMatesOfWritten(t *testing.T, all []writtenRecord) {
	t.Helper()
	primary := map[string]*writtenRecord{}
	for i := range all {
		if r := &all[i]; r.flags&0x100 == 0 {
			primary[fmt.Sprint(r.name, r.flags>>6&3)] = r
		}
	}
	end := func(r *writtenRecord) int {
		at, n := r.pos, 0
		for _, c := range r.cigar {
			if c >= '0' && c <= '9' {
				n = 10*n + int(c-'0')
				continue
			}
			if c != 'I' {
				at += n
			}
			n = 0
		}
		return at
	}
	for i := range all {
		r := &all[i]
		if r.flags&1 == 0 {
			continue
		}
		mate := primary[r.mate()]
		if mate == nil {
			t.Fatalf("%s has no mate", r.name)
		}
		if r.mateContig != mate.contig || r.matePos != mate.pos || mate.mapped() && r.tags["MC"] != mate.cigar {
			t.Fatalf("%s %d: the mate is at %s:%d %s, not %s:%d %s", r.name, r.flags, mate.contig, mate.pos, mate.cigar, r.mateContig, r.matePos, r.tags["MC"])
		}
		want := 0
		if r.mapped() && mate.mapped() && r.contig == mate.contig && r.flags&0x100 == 0 {
			want = max(end(r), end(mate)) - min(r.pos, mate.pos)
			if r.pos > mate.pos || r.pos == mate.pos && r.flags&128 != 0 {
				want = -want
			}
		}
		if r.length != want {
			t.Fatalf("%s %d: TLEN %d, expected %d", r.name, r.flags, r.length, want)
		}
	}
}

// gappedReads returns reads of m bases, each with a deletion or an insertion of up to `longest`
// bases and some edits.
func gappedReads(r *rand.Rand, contigs []string, n, m, longest int) (reads []string) {
	for range n {
		text := contigs[r.IntN(len(contigs))]
		from, at, gap := r.IntN(len(text)-m-longest), r.IntN(m), 1+r.IntN(longest)
		s := text[from:from+at] + text[from+at+gap:from+m+gap]
		if r.IntN(2) == 0 {
			s = (text[from:from+at] + truth.Random(r, gap, "ACGT") + text[from+at:])[:m]
		}
		reads = append(reads, truth.Strand(truth.Edited(r, s, r.IntN(4)), r.IntN(2)))
	}
	return reads
}

// TestWrittenLocations compares affine with unit costs of gaps on reads of repeats, in tandem and
// of low complexity, and of texts without any.
func TestWrittenLocations(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(41, 42))
	contigs := tandem(r)
	contigs = append(contigs, truth.Random(r, 3000, "ACGT"), truth.Random(r, 600, "AAAAC")+strings.Repeat("CA", 100)+truth.Random(r, 300, "AT"), truth.Random(r, 50, "ACGT"))
	many := effort.Pick(150, 60)
	reads := slices.Concat(gappedReads(r, contigs[:5], many, 100, 8), gappedReads(r, contigs[:5], many, 60, 4), cutReads(r, contigs[:5], many, 80, 5), cutReads(r, contigs, many, 30, 6))
	reference, file, _ := writePairs(t, contigs, nil)
	putFile(t, file, asFASTQ("r", reads))
	for _, o := range []Options{
		{Distance: Distance{Percent: 12, Percentage: true}},
		{Distance: Distance{Percent: 8, Percentage: true}, Report: Report{Mode: ReportStrata, Strata: 2}, MaxLocations: 5},
		{Distance: Distance{Percent: 8, Percentage: true}, Report: Report{Mode: ReportUnique}, Engine: EngineScan},
		{Distance: Distance{Percent: 8, Percentage: true}, Report: Report{Mode: ReportBest}, MaxLocations: 2, Over: OverDrop},
		{Distance: Distance{Percent: 8, Percentage: true}, Metric: Substitutions},
	} {
		o.Reference, o.Libraries, o.Threads = reference, []Library{{Reads: file}}, 2
		records, changed := compareWritten(t, o, contigs)
		if records < 50 || (changed < 10) != (o.Metric == Substitutions) {
			t.Errorf("%+v: %d records, %d reads with another alignment: the test shows little", o, records, changed)
		}
	}
}

// TestWrittenPairs does the same with pairs, mates that are rescued among them.
func TestWrittenPairs(t *testing.T) {
	t.Parallel()
	contigs, reads := pairedContigs(rand.New(rand.NewPCG(43, 44)), effort.Pick(300, 200))
	reference, first, second := writePairs(t, contigs, reads)
	for _, o := range []Options{
		{Distance: Distance{Edits: 3}, Pairs: PairOptions{Rescue: Distance{Edits: 6}}},
		{Distance: Distance{Edits: 4}, Pairs: PairOptions{MinInsert: 50, MaxInsert: 300}, Report: Report{Mode: ReportOne}},
		{Distance: Distance{Edits: 2}, Pairs: PairOptions{Rescue: Distance{Edits: 4}}, Metric: Substitutions},
	} {
		o.Reference, o.Libraries, o.Threads = reference, []Library{{Reads: first, Mates: second}}, 2
		records, changed := compareWritten(t, o, contigs)
		if records < 50 || (changed < 5) != (o.Metric == Substitutions) {
			t.Errorf("%+v: %d records, %d reads with another alignment: the test shows little", o, records, changed)
		}
	}
}

// TestSameBytesOfWritten maps reads with gaps, in repeats too, by all that must not matter, GPUs
// included.
func TestSameBytesOfWritten(t *testing.T) {
	t.Parallel()
	driver := testDriver(t)
	r := rand.New(rand.NewPCG(45, 46))
	contigs := append(tandem(r), truth.Random(r, 2000, "ACGT"))
	n := effort.Pick(50, 25)
	reads := slices.Concat(gappedReads(r, contigs, n, 100, 8), cutReads(r, contigs, n, 60, 5))
	reference, file, _ := writePairs(t, contigs, nil)
	putFile(t, file, asFASTQ("r", reads))
	o := Options{Reference: reference, Libraries: []Library{{Reads: file}}, Distance: Distance{Percent: 10, Percentage: true}, Threads: 1, Gaps: GapsAffine}
	want, _ := runText(t, o)
	if o.Gaps = ""; want == "" {
		t.Fatal("no records")
	}
	for e, engine := range []Engine{EngineSkim, EngineScan} {
		for b, batch := range []int{0, 1, 7} {
			if (e+b)%2 != 0 && !effort.Full() {
				continue // each size of batches has an engine
			}
			o.Engine, o.Threads, o.BatchReads = engine, 4, batch
			if got, _ := runText(t, o); got != want {
				t.Fatalf("engine %s, batches of %d: other bytes (-first +this)\n%s", engine, batch, firstDifference(want, got))
			}
			onGPU(t, o, driver, want)
		}
	}
}

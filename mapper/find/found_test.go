package find

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"scanmap/fasta"
	"scanmap/kernels"
	"scanmap/locate"
)

// batchOf returns a batch of n reads of m bases each.
func batchOf(n, m, together int) *Batch {
	reads := make([]fasta.Read, n)
	for i := range reads {
		reads[i].Bases = []byte(strings.Repeat("A", m))
	}
	b := &Batch{}
	b.packed = make([]uint64, b.layOut(reads, together, func(int) int { return 0 }, nil))
	b.fill(1)
	return b
}

// TestGroups cuts a Found into groups, by their reads and by how much each has.
func TestGroups(t *testing.T) {
	const half = CutFound / 2
	for _, c := range []struct {
		reads, together int
		found           int // of each read
		want            []int
	}{
		{0, 1, 0, []int{0}},
		{1, 1, 0, []int{0, 1}},
		{CutReads, 1, 0, []int{0, CutReads}},
		{CutReads + 1, 1, 0, []int{0, CutReads, CutReads + 1}},
		{CutReads, 2, 0, []int{0, CutReads}},
		{CutReads + 2, 2, 0, []int{0, CutReads, CutReads + 2}},
		{5, 1, half, []int{0, 2, 4, 5}},
		{6, 1, half + CutFound/cutLocated, []int{0, 1, 2, 3, 4, 5, 6}},
		{6, 2, half, []int{0, 2, 4, 6}},
		{6, 2, half / 2, []int{0, 4, 6}},
	} {
		var candidates []locate.Candidate
		var ends []locate.End
		var located []Located
		for i := range c.reads {
			for range c.found {
				candidates = append(candidates, locate.Candidate{Read: uint32(i)})
				ends = append(ends, locate.End{Read: uint32(i)})
			}
			for range c.found * cutLocated / CutFound {
				located = append(located, Located{Read: uint32(i)})
			}
		}
		var skimmed, scanned, finished Found
		skimmed.Candidates.Group([][]locate.Candidate{candidates}, readOfCandidate, c.reads, 2)
		scanned.Ends.Group([][]locate.End{ends}, readOfEnd, c.reads, 2)
		finished.Located.Group([][]Located{located}, readOfLocated, c.reads, 2)
		held := Found{}
		held.Hold(heldEach(&Kept{All: make([]HeldLocation, len(located))}, c.reads), nil)
		for what, f := range map[string]*Found{"candidates": &skimmed, "ends": &scanned, "locations": &finished, "held ones": &held} {
			if got := f.Cut(batchOf(c.reads, 1, c.together)); !slices.Equal(got, c.want) {
				t.Errorf("%d reads, %d together, %d %s each: %v, want %v", c.reads, c.together, c.found, what, got, c.want)
			}
		}
	}
}

// TestGroup brings items together from lists that are empty, short, or longer than a unit of
// parallel work.
func TestGroup(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	var grouped ByRead[locate.End]
	for turn := range 40 {
		reads := 1 + r.IntN([]int{300, 2 << bucketBits, 1 << 12}[turn%3])
		var lists [][]locate.End
		want := make([][]int32, reads)
		for number := int32(0); len(lists) < turn; {
			var list []locate.End
			for range []int{0, 0, 1, 5, groupGrain, 2*groupGrain + 3}[r.IntN(6)] {
				read := r.IntN(reads)
				list = append(list, locate.End{Read: uint32(read), End: number})
				want[read] = append(want[read], number)
				number++
			}
			lists = append(lists, list)
		}
		grouped.Group(lists, readOfEnd, reads, 1+r.IntN(3))
		for i := range reads {
			var got []int32
			for _, end := range grouped.Of(i) {
				got = append(got, end.End)
			}
			if slices.Sort(got); !slices.Equal(got, want[i]) {
				t.Fatalf("turn %d: read %d of %d has %d items, want %d", turn, i, reads, len(got), len(want[i]))
			}
		}
	}
}

// TestMerge compares Merge of rounds with a stable sort, over several units of parallel work, also
// where the memory was used before.
func TestMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var merged ByRead[locate.End]
	var memory []locate.End
	byRead := func(a, b locate.End) int { return cmp.Compare(a.Read, b.Read) }
	for n := range 200 {
		reads := 1 + r.IntN(4*CutReads)
		list, in := memory[:0], rounds{}
		for range 1 + r.IntN(1+n%4) {
			stretch := make([]locate.End, r.IntN(3*reads))
			for i := range stretch {
				stretch[i] = locate.End{Read: uint32(r.IntN(reads)), End: int32(len(list) + i)}
			}
			slices.SortStableFunc(stretch, byRead)
			in.from, list = append(in.from, len(list)), append(list, stretch...)
			for i := range reads {
				last, _ := slices.BinarySearchFunc(stretch, uint32(i+1), func(e locate.End, read uint32) int { return cmp.Compare(e.Read, read) })
				in.places = append(in.places, uint32(last))
			}
		}
		want := slices.Clone(list)
		slices.SortStableFunc(want, byRead)
		memory = merged.Merge(list, in, 3)
		if !slices.Equal(merged.All(), want) {
			t.Fatalf("%d rounds of %d reads: they differ from a stable sort", len(in.from), reads)
		}
		for i := range reads {
			for _, e := range merged.Of(i) {
				if int(e.Read) != i {
					t.Fatalf("read %d has an item of %d", i, e.Read)
				}
			}
		}
		if got := merged.Count(0, reads); got != len(want) {
			t.Fatalf("%d of %d are counted", got, len(want))
		}
	}
}

// TestReaderTakesAlignments has locations of a finder with and without alignments, as a list of
// those and as a GPU hands them on.
func TestReaderTakesAlignments(t *testing.T) {
	operations := []locate.Operation{{Kind: locate.Diagonal, Length: 4}, {Kind: locate.Insertion, Length: 1}, {Kind: locate.Diagonal, Length: 5}, {Kind: locate.Deletion, Length: 2}}
	b := batchOf(2, 10, 1)
	located := []Located{
		{Read: 1, End: 20, Distance: 1, Gaps: 0, Aligned: true, Start: 10},
		{Read: 1, End: 40, Distance: 1, Gaps: 1, Aligned: true, Start: 31, From: 0, To: 3},
		{Read: 1, End: 60, Distance: 2, Gaps: 2, Aligned: true, Start: 48, From: 2, To: 4},
		{Read: 1, End: 70, Distance: 0, Gaps: 0, Aligned: true, Start: 60},
		{Read: 1, End: 80, Distance: 2, Gaps: 2},
	}
	left := map[int][]uint32{1: {0, 3}}
	listed, held := Found{Operations: operations, left: left}, Found{}
	listed.Located.Group([][]Located{located}, readOfLocated, 2, 1)
	kept := &Kept{Others: located, Operations: operations}
	for i, l := range located {
		kept.All = append(kept.All, HeldLocation{l.Place, l.End, ^int32(i)})
	}
	held.Hold([]HeldRead{{}, {In: kept, To: int32(len(located))}}, left)
	var ofGPU ByRead[gpuOrdered]
	for _, l := range located {
		word := uint32(l.Distance + l.Gaps<<8 + (l.End-l.Start-10+128)<<16 + (l.To-l.From)<<24)
		if !l.Aligned {
			word |= kernels.AlignLater << 24
		}
		ofGPU.list = append(ofGPU.list, gpuOrdered{end: uint32(l.End), word: word, operations: uint32(l.From)})
	}
	ofGPU.from = []int{0, 0, len(located)}
	single := []locate.Operation{{Kind: locate.Diagonal, Length: 10}}
	wanted := []struct {
		start, end, distance, gaps int32
		operations                 []locate.Operation
	}{{10, 20, 1, 0, single}, {31, 40, 1, 1, operations[:3]}, {48, 60, 2, 2, operations[2:]}, {60, 70, 0, 0, single}, {0, 80, 2, 2, nil}}
	for name, f := range map[string]*Found{"list": &listed, "held": &held, "GPU": {ordered: ofGPU, Operations: operations, left: left}} {
		r := Reader{most: len(located)}
		view := b.Read(1)
		got, left := r.Append(t.Context(), nil, b, f, 1, &view)
		if !slices.Equal(left, []uint32{0, 3}) {
			t.Errorf("%s: by distance %v are left, want 3 of distance 1", name, left)
		}
		if len(got) != len(wanted) || f.Locations(1, 2) != len(wanted) || f.Count(0, 2) != len(wanted) {
			t.Fatalf("%s: %+v", name, got)
		}
		for i, want := range wanted {
			l := &got[i]
			if l.Start != want.start || l.End != want.end || l.Distance != want.distance || l.Gaps != want.gaps || l.Aligned != (want.operations != nil) {
				t.Errorf("%s: %+v, want %+v", name, l, want)
			}
			if l.Aligned {
				if diff := gocmp.Diff(want.operations, r.Aligner.Operations(l)); diff != "" {
					t.Errorf("%s: the location that ends at %d: (-want +got)\n%s", name, l.End, diff)
				}
			}
		}
		// Another result, as of reads that are sought again, has other operations.
		other := &Found{ordered: ofGPU, Operations: slices.Repeat([]locate.Operation{{Kind: locate.Diagonal, Length: 3}}, 4)}
		if again, _ := r.Append(t.Context(), nil, b, other, 1, &view); !slices.Equal(r.Aligner.Operations(&again[1]), other.Operations[:3]) {
			t.Errorf("%s: of another result %+v", name, r.Aligner.Operations(&again[1]))
		}
		if diff := gocmp.Diff(operations[:3], r.Aligner.Operations(&got[1])); diff != "" {
			t.Errorf("%s: after another result: (-want +got)\n%s", name, diff)
		}
		if none, left := r.Append(t.Context(), nil, b, f, 0, &view); len(none) > 0 || left != nil {
			t.Errorf("%s: the other read has %+v, and %v are left", name, none, left)
		}
	}
}

// heldEach returns reads that hold an equal part of some locations each.
func heldEach(kept *Kept, reads int) (held []HeldRead) {
	for i := range reads {
		each := len(kept.All) / reads
		held = append(held, HeldRead{In: kept, From: int32(i * each), To: int32((i + 1) * each)})
	}
	return held
}

// TestKept has locations of whole and of local reads come back as they were: plain ones and such
// with gaps, with clipped bases, that are covered, or whose gaps are not known.
func TestKept(t *testing.T) {
	const m = 10
	place := locate.At(3, locate.Reverse)
	whole := []locate.Location{
		{Place: place, End: 50, Distance: 2},
		{Place: place, End: 60, Distance: 2, Gaps: 1},
		{Place: place, End: 70, Distance: 1, Covered: true},
		{Place: place, End: 80, Distance: 3, Gaps: locate.GapsUnknown},
		{Place: place, End: 90},
	}
	runs := [][]locate.Operation{
		{{Kind: locate.Diagonal, Length: m}},
		{{Kind: locate.Diagonal, Length: 5}, {Kind: locate.Insertion, Length: 1}, {Kind: locate.Diagonal, Length: 4}},
		{{Kind: locate.Diagonal, Length: m}},
		{{Kind: locate.Clip, Length: 3}, {Kind: locate.Diagonal, Length: 7}},
	}
	var aligner locate.Aligner
	var local []locate.Location
	for i, operations := range runs {
		l := locate.Location{Place: place, End: int32(50 + i), Distance: int32(i), Loss: int32(i), Covered: i == 2}
		if i == 1 {
			l.Gaps, l.Loss = 1, 7
		}
		aligner.Adopt(&l, int32(40+i), operations)
		local = append(local, l)
	}
	for _, all := range [][]locate.Location{whole, local} {
		kept, f := &Kept{}, Found{}
		r := Reader{most: len(all)}
		if all[0].Aligned {
			r.Local = &locate.Local{}
		}
		for i := range all {
			kept.Add(&all[i], all[0].Aligned, &aligner)
		}
		f.Hold([]HeldRead{{In: kept, To: int32(len(kept.All))}}, nil)
		got := r.appendLocated(nil, &f, 0, m)
		for i, want := range all {
			l := got[i]
			if l.Aligned != want.Aligned || l.Aligned && !slices.Equal(r.Aligner.Operations(&l), runs[i]) {
				t.Errorf("%+v has other operations than %+v", l, want)
			}
			var x locate.Aligner // for both to have the same numbers
			if l.Aligned {
				x.Adopt(&l, l.Start, nil)
				x.Reset()
				x.Adopt(&want, want.Start, nil)
			}
			if l != want {
				t.Errorf("%+v, want %+v", l, want)
			}
		}
		if len(kept.Others) != 3 {
			t.Errorf("%d of %d are not plain", len(kept.Others), len(kept.All))
		}
	}
}

// TestHold has a part hold reads of two other ones: some of each, one without locations, and one
// with further ones that are only counted.
func TestHold(t *testing.T) {
	first, second := &Kept{All: []HeldLocation{{End: 1}, {End: 2}, {End: 3}}}, &Kept{All: []HeldLocation{{End: 4}, {End: 5}}}
	reads := []HeldRead{{In: second, From: 0, To: 2}, {In: first, From: 1, To: 1}, {In: first, From: 1, To: 3}, {In: second, From: 1, To: 2}}
	var f Found
	f.Hold(reads, map[int][]uint32{3: {1}})
	for i, want := range [][]int32{{4, 5}, nil, {2, 3}, {5}} {
		r := Reader{most: 9}
		var ends []int32
		for _, l := range r.appendLocated(nil, &f, i, 1) {
			ends = append(ends, l.End)
		}
		if !slices.Equal(ends, want) || f.Count(i, i+1) != len(want) {
			t.Errorf("read %d has %v, %d of them, want %v", i, ends, f.Count(i, i+1), want)
		}
		again := f.Held(i)
		if i == 3 {
			want = nil // one of its locations is not held
		}
		if again.Count() != len(want) || len(want) > 0 && (again.In != reads[i].In || again.From != reads[i].From) {
			t.Errorf("%+v is held of read %d, want that of %v", again, i, want)
		}
	}
	if n := f.Locations(1, 4); n != 3 {
		t.Errorf("%d locations of reads 1 to 3, want 3", n)
	}
}

package locate

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/dna"
	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// pack returns both strands of a read.
func pack(read string, k int) Read {
	r := Read{K: k, Sought: k}
	for strand := range r.Strands {
		var s dna.Sequence
		s.Append([]byte(truth.Strand(read, strand)))
		planes := make(Planes, PlanesLength(len(read)))
		planes.Pack(&s)
		r.Strands[strand] = Strand{
			Planes: planes, Letters: []byte(read), Reverse: strand == Reverse, Ambiguous: truth.Ambiguous(read) > 0,
		}
	}
	return r
}

// TestShiftLeftExample is the example of the doc comment.
func TestShiftLeftExample(t *testing.T) {
	const read, text = "ACAAAT", "ACAAAAT"
	path := []OperationKind{Diagonal, Diagonal, Diagonal, Diagonal, Diagonal, Deletion, Diagonal}
	ShiftLeft(path, func(kind OperationKind, q, r, gap int) bool {
		if kind == Deletion {
			return text[r-1] == text[r+gap-1]
		}
		return read[q-1] == read[q+gap-1]
	})
	want := []Operation{{Diagonal, 2}, {Deletion, 1}, {Diagonal, 4}}
	if diff := cmp.Diff(want, AppendRuns(nil, path)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestShiftLeft has gaps that meet, and gaps that stop at a difference.
func TestShiftLeft(t *testing.T) {
	for _, c := range []struct{ read, text, path, want string }{
		{"AAAC", "AAAAAC", "MMDMDM", "DDMMMM"}, // they become one, and go on to the start
		{"GAAC", "GAAAAC", "MMDMDM", "MDDMMM"},
		{"AAAAAC", "AAAC", "MMIMIM", "IIMMMM"},
		{"GAAAAC", "GAAC", "MMIMIM", "MIIMMM"},
		{"CACAT", "CACACAT", "MMMMDDM", "DDMMMMM"}, // by whole units
		{"ACGT", "ACGT", "MMMM", "MMMM"},
		{"GTTA", "GTCTA", "MMDMM", "MMDMM"}, // the base before differs from the last one of the gap
	} {
		kinds := map[byte]OperationKind{'M': Diagonal, 'I': Insertion, 'D': Deletion}
		var path []OperationKind
		for i := range len(c.path) {
			path = append(path, kinds[c.path[i]])
		}
		ShiftLeft(path, func(kind OperationKind, q, r, gap int) bool {
			if kind == Deletion {
				return c.text[r-1] == c.text[r+gap-1]
			}
			return c.read[q-1] == c.read[q+gap-1]
		})
		var got strings.Builder
		for _, kind := range path {
			got.WriteByte("MID"[kind])
		}
		if got.String() != c.want {
			t.Errorf("%s in %s, %s: got %s, want %s", c.read, c.text, c.path, got.String(), c.want)
		}
	}
}

// TestExceedsIsLossless compares the bound of Exceeds with measured bands, of whole strands and of
// some of their bases, between other contigs.
func TestExceedsIsLossless(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	refused, allowed := 0, 0
	beside := truth.Random(r, 200, "ACGT")
	for range 6000 {
		m := []int{4, 31, 32, 33, 63, 64, 65, 100, 130}[r.IntN(9)]
		k := r.IntN(8)
		if m > 64 && r.IntN(4) == 0 {
			k = 28 + r.IntN(6) // more than 64 diagonals
		}
		before, after := 0, 0 // bases of the strand that are left out
		if r.IntN(2) == 0 {
			before, after = r.IntN(70), r.IntN(70)
		}
		text := truth.Random(r, m+80, []string{"ACGT", "AC", "ACGTN"}[r.IntN(3)])
		from := 20 + r.IntN(20)
		part := truth.Edited(r, text[from:from+m+8], r.IntN(k+6))
		if len(part) < m {
			continue
		}
		part = part[:m]
		whole := truth.Random(r, before, "ACGT") + part + truth.Random(r, after, "ACGT")
		ref := truth.Reference(t, beside, text, beside)
		read, strand := pack(part, k), pack(whole, k)
		low, width := from-k, 2*k+1+r.IntN(5)
		var b band
		within := b.measure(ref, &ref.Contigs[1], read.Strands[Forward].Planes, m, k, low, width, read.Strands[Forward].Ambiguous)
		if Exceeds(&ref.Bases, ref.Contigs[1].Start+low-before, strand.Strands[Forward].Planes, before, before+m, k, width) {
			refused++
			if within {
				t.Fatalf("read %s in %s, k %d, diagonals %d+%d: refused, but %v", part, text, k, low, width, b.distances)
			}
		} else {
			allowed++
		}
	}
	if refused < 500 || allowed < 500 {
		t.Fatalf("%d refused and %d allowed: the test shows little", refused, allowed)
	}
}

// TestExceedsNearEnds has bases lie at and over either end of all that a reference holds.
func TestExceedsNearEnds(t *testing.T) {
	ref := truth.Reference(t, "GATTACA")
	letters := strings.Repeat("C", 200)
	read := pack(letters, 0)
	held := 64 * len(ref.Bases.Low)
	for _, bases := range [][2]int{{0, 64}, {0, 65}, {0, 200}, {63, 129}, {100, 104}} {
		for _, width := range []int{1, 3, 64, 65} {
			for _, end := range []int{0, held} {
				for at := end - 200 - bases[1] - width; at <= end+200; at++ {
					exceeds := Exceeds(&ref.Bases, at, read.Strands[Forward].Planes, bases[0], bases[1], 0, width)
					if exceeds && (at+bases[0] < 0 || at+bases[1]+width > held) {
						t.Fatalf("bases %v at %d of %d, %d diagonals: exceeds where no text is held", bases, at, held, width)
					}
				}
			}
		}
	}
}

// aligned aligns locations, replays the alignments, and returns them as the truth has them.
func aligned(t interface{ Fatalf(string, ...any) }, contigs []string, read string, r *Read, a *Aligner, found []Location) []truth.Location {
	var out []truth.Location
	for _, l := range found {
		a.Align(r.Strand(l.Place), &l)
		var cigar []byte
		for _, o := range a.Operations(&l) {
			cigar = append(appendInt(cigar, int(o.Length)), "MID"[o.Kind])
		}
		strand := truth.Strand(read, l.Place.Strand())
		edits, gaps, end, err := truth.Replay(contigs[l.Place.Contig()], strand, int(l.Start), string(cigar))
		if err != nil || edits != int(l.Distance) || end != int(l.End) {
			t.Fatalf("read %s: %s at %d has %d edits and ends at %d, %v; the location is %+v", read, cigar, l.Start, edits, end, err, l)
		}
		out = append(out, truth.Location{
			Contig: l.Place.Contig(), Strand: l.Place.Strand(), End: end, Distance: edits, Gaps: gaps, Start: int(l.Start),
		})
	}
	return out
}

func appendInt(b []byte, n int) []byte {
	if n >= 10 {
		b = appendInt(b, n/10)
	}
	return append(b, byte('0'+n%10))
}

// TestLocatorIsTheTruth takes all ends within k, as an exhaustive finder does, and all diagonals,
// as a filter that refuses nothing does, some twice and in any order.
func TestLocatorIsTheTruth(t *testing.T) {
	effort.Cases(t, 50)
	byStart := 0
	rapid.Check(t, func(rt *rapid.T) {
		contigs, reads, k := truth.Draw(rt)
		ref := truth.Reference(rt, contigs...)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "order"), 1))
		for _, read := range reads {
			if truth.Ambiguous(read) > k || k >= len(read) {
				continue
			}
			want := truth.Find(contigs, read, k)
			view := pack(read, k)
			l, a := Locator{Reference: ref}, Aligner{Reference: ref}
			var ends []End
			var candidates []Candidate
			for c, text := range contigs {
				for strand := range 2 {
					p := At(c, strand)
					for _, o := range truth.Ends(text, truth.Strand(read, strand), k) {
						ends = append(ends, End{0, p, int32(o.End), int32(o.Distance)})
					}
					for diagonal := -k; diagonal <= len(text)-len(read)+k; diagonal++ {
						candidate := Candidate{0, p, int32(diagonal), OffContig}
						if diagonal >= 0 && diagonal+len(read) <= len(text) {
							planes := view.Strands[strand].Planes
							candidate.Differences = int32(planes.Hamming(&ref.Bases, len(read), ref.Contigs[c].Start+diagonal))
						}
						candidates = append(candidates, candidate)
					}
				}
			}
			if len(ends) > 0 {
				ends = append(ends, ends[r.IntN(len(ends))])
			}
			r.Shuffle(len(ends), func(i, j int) { ends[i], ends[j] = ends[j], ends[i] })
			if diff := cmp.Diff(want, aligned(rt, contigs, read, &view, &a, l.FromEnds(&view, ends))); diff != "" {
				rt.Fatalf("k %d, read %s, contigs %q: from ends (-truth +got)\n%s", k, read, contigs, diff)
			}
			r.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
			if diff := cmp.Diff(want, aligned(rt, contigs, read, &view, &a, l.FromCandidates(&view, candidates))); diff != "" {
				rt.Fatalf("k %d, read %s, contigs %q: from candidates (-truth +got)\n%s", k, read, contigs, diff)
			}
			byStart += len(ends) - len(want)
		}
	})
	if byStart == 0 {
		t.Error("no occurrence was dropped")
	}
}

// A table is occurrences whose gaps and starts are known beforehand.
type table map[int]struct {
	gaps  int32
	start int
}

func (t table) Gaps(end int, _ int32) int32 { return t[end].gaps }
func (t table) Start(end int, _ int32) int  { return t[end].start }

// TestSeparate has each rule of the definition decide once, with and without the gaps being known.
func TestSeparate(t *testing.T) {
	const length, k = 20, 3
	for _, c := range []struct {
		what        string
		occurrences []Occurrence
		starts      table
		want        []int
	}{
		{"none", nil, nil, nil},
		{"the least distance", []Occurrence{{30, 1, 0}, {33, 0, 0}, {36, 1, 0}}, table{30: {0, 10}, 33: {0, 13}, 36: {0, 16}}, []int{33}},
		{"more than k apart", []Occurrence{{30, 0, 0}, {34, 0, 0}}, table{30: {0, 10}, 34: {0, 14}}, []int{30, 34}},
		{"the fewest gaps", []Occurrence{{30, 2, 2}, {33, 2, 1}}, table{30: {2, 8}, 33: {1, 12}}, []int{33}},
		{"the first end", []Occurrence{{30, 1, 1}, {33, 1, 1}}, table{30: {1, 9}, 33: {1, 14}}, []int{30}},
		{"a start within k", []Occurrence{{30, 3, 3}, {34, 1, 1}}, table{30: {3, 13}, 34: {1, 13}}, []int{34}},
		{"a start k away", []Occurrence{{30, 3, 3}, {34, 1, 1}}, table{30: {3, 10}, 34: {1, 13}}, []int{34}},
		{"a start k + 1 away", []Occurrence{{30, 3, 3}, {34, 1, 1}}, table{30: {3, 9}, 34: {1, 13}}, []int{30, 34}},
		{"a start within k, from the right", []Occurrence{{30, 1, 1}, {37, 3, 3}}, table{30: {1, 11}, 37: {3, 14}}, []int{30}},
		{"one dropped by its start drops none", []Occurrence{{30, 1, 1}, {35, 2, 2}, {38, 3, 0}},
			table{30: {1, 11}, 35: {2, 13}, 38: {0, 18}}, []int{30, 38}},
		{"of one distance, by gaps, with starts together", []Occurrence{{30, 2, 2}, {34, 2, 0}}, table{30: {2, 12}, 34: {0, 14}}, []int{34}},
		{"3k + 1 apart", []Occurrence{{30, 3, 3}, {40, 3, 3}}, table{30: {3, 13}, 40: {3, 17}}, []int{30, 40}},
		{"3k apart", []Occurrence{{30, 3, 3}, {39, 3, 3}}, table{30: {3, 13}, 39: {3, 16}}, []int{30}},
		{"3k - 1 apart, the later one better", []Occurrence{{30, 3, 3}, {38, 2, 2}}, table{30: {3, 13}, 38: {2, 16}}, []int{38}},
	} {
		for _, known := range []bool{true, false} {
			all := slices.Clone(c.occurrences)
			if !known {
				for i := range all {
					all[i].Gaps = GapsUnknown
				}
			}
			var s Separator
			var got []int
			for _, i := range s.Separate(all, length, k, c.starts) {
				got = append(got, all[i].End)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s, gaps known %v: ends %v, want %v", c.what, known, got, c.want)
			}
		}
	}
}

// intactPieces returns what skim finds of a strand: the diagonals on which one of its k + 1 pieces
// lies unchanged in a text.
func intactPieces(ref *dna.Reference, strand *Strand, text, letters string, p Place, k int) (candidates []Candidate) {
	m := len(letters)
	for diagonal := -k; diagonal <= len(text)-m+k; diagonal++ {
		for i := range k + 1 {
			from, to := m*i/(k+1), m*(i+1)/(k+1)
			if diagonal+from < 0 || diagonal+to > len(text) || text[diagonal+from:diagonal+to] != letters[from:to] {
				continue
			}
			c := Candidate{0, p, int32(diagonal), OffContig}
			if diagonal >= 0 && diagonal+m <= len(text) {
				c.Differences = int32(strand.Planes.Hamming(&ref.Bases, m, ref.Contigs[p.Contig()].Start+diagonal))
			}
			candidates = append(candidates, c)
			break
		}
	}
	return candidates
}

// TestFewestCandidates takes only the diagonals on which a piece of a read lies unchanged, in texts
// of a period of up to 3k + 1 bases: occurrences that exclude each other lead to candidates that
// are as far apart as they can be.
func TestFewestCandidates(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for round := range effort.Pick(10000, 5000) {
		k := 1 + r.IntN(4)
		unit := truth.Random(r, 1+r.IntN(3*k+1), "ACGT")
		text := truth.Random(r, r.IntN(10), "ACGT")
		for len(text) < 60 {
			text += truth.Edited(r, unit, r.IntN(3)/2)
		}
		m := 4*(k+1) + r.IntN(20)
		from := r.IntN(len(text) - m + 1)
		letters := truth.Edited(r, text[from:from+m], r.IntN(k+1))
		ref, view := truth.Reference(t, text), pack(letters, k)
		var candidates []Candidate
		for strand := range 2 {
			candidates = append(candidates, intactPieces(ref, &view.Strands[strand], text, truth.Strand(letters, strand), At(0, strand), k)...)
		}
		l, a := Locator{Reference: ref}, Aligner{Reference: ref}
		got := aligned(t, []string{text}, letters, &view, &a, l.FromCandidates(&view, candidates))
		if diff := cmp.Diff(truth.Find([]string{text}, letters, k), got); diff != "" {
			t.Fatalf("round %d, k %d, read %s in %s: (-truth +got)\n%s", round, k, letters, text, diff)
		}
	}
}

// TestRepeatedFindings has all that was found of a read twice, as by a GPU whose queue was full.
// The second time costs nothing: a candidate that is settled stays so, and ends stay as many.
func TestRepeatedFindings(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	text := truth.Random(r, 200, "ACGT")
	const k = 2
	letters := text[50:90]
	ref, view := truth.Reference(t, text), pack(letters, k)
	l := Locator{Reference: ref}
	candidate := Candidate{Place: At(0, Forward), Diagonal: 50}
	if found := l.FromCandidates(&view, []Candidate{candidate, candidate}); len(found) != 1 || l.Verified != 0 {
		t.Errorf("a candidate twice: %d locations, %d windows measured", len(found), l.Verified)
	}
	var ends []End
	for _, o := range truth.Ends(text, letters, k) {
		e := End{Place: At(0, Forward), End: int32(o.End), Distance: int32(o.Distance)}
		ends = append(ends, e, e)
	}
	if found := l.FromEnds(&view, ends); len(found) != 1 || len(l.occurrences) != len(ends)/2 {
		t.Errorf("ends twice: %d locations, %d occurrences of %d", len(found), len(l.occurrences), len(ends)/2)
	}
}

// TestFillRows compares both ways to fill a row of a band, where the whole band lies inside the
// contig.
func TestFillRows(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	ref := truth.Reference(t, truth.Random(r, 300, "AC"))
	c := &ref.Contigs[0]
	for _, width := range []int{1, 3, 5, 31, 63} {
		for range 50 {
			row := make([]int32, width+1)
			for j := range row {
				row[j] = int32(r.IntN(4)*EditCost + r.IntN(3))
			}
			row[width] = unreachable
			at, low, high := r.IntN(200), -uint64(r.IntN(2)), -uint64(r.IntN(2))
			next, other := slices.Clone(row), slices.Clone(row)
			moves, otherMoves := make([]OperationKind, width), make([]OperationKind, width)
			fillRow(row, next, moves, Differences(&ref.Bases, c.Start+at, low, high, 0))
			fillRowAtEnd(row, other, otherMoves, &ref.Bases, c, at, low, high, 0)
			if !slices.Equal(next, other) || !slices.Equal(moves, otherMoves) {
				t.Fatalf("width %d, row %v: costs %v and %v, moves %v and %v", width, row, next, other, moves, otherMoves)
			}
		}
	}
}

// TestWideBand aligns over gaps so long that the band has a word of diagonals, or more.
func TestWideBand(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	text := truth.Random(r, 400, "ACGT")
	for _, n := range []int{30, 31, 32, 33, 40} {
		for _, letters := range []string{
			text[100:150] + strings.Repeat("N", n) + text[150:200],
			text[100:150] + text[150+n:200+n],
		} {
			view := pack(letters, n)
			a := Aligner{Reference: truth.Reference(t, text)}
			for _, want := range truth.Find([]string{text}, letters, n) {
				l := Location{Place: At(0, want.Strand), End: int32(want.End), Distance: int32(want.Distance), Gaps: GapsUnknown}
				got := aligned(t, []string{text}, letters, &view, &a, []Location{l})
				if diff := cmp.Diff([]truth.Location{want}, got); diff != "" {
					t.Errorf("%d gap bases: (-truth +got)\n%s", n, diff)
				}
			}
		}
	}
}

// TestHammingTo compares it with Hamming, for reads of several words.
func TestHammingTo(t *testing.T) {
	r := rand.New(rand.NewPCG(91, 92))
	stopped := 0
	for range 500 {
		text := truth.Random(r, 300, "ACGT")
		ref := truth.Reference(t, text)
		at := r.IntN(40)
		read := truth.Edited(r, text[at:at+1+r.IntN(200)], r.IntN(6))
		view := pack(read, 0)
		planes := view.Strands[Forward].Planes
		offset, most := ref.Contigs[0].Start+at, r.IntN(8)
		all, some := planes.Hamming(&ref.Bases, len(read), offset), planes.HammingTo(&ref.Bases, len(read), offset, most)
		if all <= most && some != all || all > most && some <= most {
			t.Fatalf("%d of %d, %d at most", some, all, most)
		}
		if some < all {
			stopped++
		}
	}
	if stopped == 0 {
		t.Error("it never stopped")
	}
}

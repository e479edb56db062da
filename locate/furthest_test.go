package locate

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// TestFurthestEqualsBand compares the furthest rows with the dynamic program in a band at every end
// of small repetitive texts: the gaps, the start, and the operations before gaps are shifted.
func TestFurthestEqualsBand(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	var solved [mostGaps + 1]int
	refused := 0
	for range effort.Pick(300, 150) {
		letters := []string{"ACGT", "AC", "AAC", "ACGTN"}[r.IntN(4)]
		unit := truth.Random(r, 1+r.IntN(60), letters)
		text := truth.Random(r, r.IntN(30), letters)
		for n := 30 + r.IntN(170); len(text) < n; {
			text += truth.Edited(r, unit, r.IntN(3))
		}
		k := 1 + r.IntN(20)
		from := r.IntN(len(text) - 10)
		s := truth.Edited(r, text[from:from+10+r.IntN(len(text)-from-9)], 1+r.IntN(k))
		if r.IntN(3) == 0 { // as long as whole words
			s = s[:max(min(len(s), 64), len(s)/64*64)]
		}
		if k >= len(s) {
			continue
		}
		ref, read := truth.Reference(t, "ACGTTGCA", text, text), pack(s, k)
		c := &ref.Contigs[1]
		for strand := range 2 {
			for _, end := range truth.Ends(text, truth.Strand(s, strand), k) {
				at := target{&read.Strands[strand], c, end.End, end.Distance}
				a := Aligner{Reference: ref}
				cost := a.fill(at)
				start := a.trace(len(s), end.End)
				want := slices.Clone(a.runs)
				if int(cost) != end.Distance*EditCost+end.Gaps {
					t.Fatalf("read %s in %s: the band's cost is %d, the truth %+v", s, text, cost, end)
				}
				var f furthest
				for _, known := range []int{GapsUnknown, end.Gaps} {
					n, ok := f.gaps(&ref.Bases, at, known)
					inside := end.End-len(s) >= end.Gaps && end.End+end.Gaps <= len(text)
					if ok != (inside && end.Gaps <= mostGaps) {
						t.Fatalf("read %s in %s, %+v, known gaps %d: found %v", s, text, end, known, ok)
					}
					if !ok {
						refused++
						continue
					}
					runs, j := f.trace(nil, n)
					if diff := cmp.Diff(want, runs); diff != "" || n != end.Gaps || end.End-len(s)+j != start {
						t.Fatalf("read %s in %s, %+v, known gaps %d: %d gaps, start %d, want %d, (-band +furthest)\n%s",
							s, text, end, known, n, end.End-len(s)+j, start, diff)
					}
					solved[n]++
				}
			}
		}
	}
	for n, count := range solved {
		if count < 10 {
			t.Errorf("%d gap bases: only %d times", n, count)
		}
	}
	if refused < 100 {
		t.Errorf("refused only %d times", refused)
	}
}

// TestFurthestOfNoDistance has targets that are said to have more edits than they have: the ends at
// the border of a band. The alignment has no more than that many.
func TestFurthestOfNoDistance(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	fewer, refused := 0, 0
	for range effort.Pick(300, 150) {
		text := truth.Random(r, 80+r.IntN(80), []string{"ACGT", "AC"}[r.IntN(2)])
		k := 3 + r.IntN(4)
		s := truth.Edited(r, text[20:60], 1+r.IntN(k))
		ref, read := truth.Reference(t, text), pack(s, k)
		for _, end := range truth.Ends(text, s, k) {
			said := end.Distance + 1 + r.IntN(3)
			at := target{&read.Strands[Forward], &ref.Contigs[0], end.End, said}
			a := Aligner{Reference: ref}
			if _, ok := a.furthest.gaps(&ref.Bases, at, GapsUnknown); !ok {
				refused++
			}
			l := Location{Place: At(0, Forward), End: int32(end.End), Distance: int32(said), Gaps: GapsUnknown}
			a.Align(&read.Strands[Forward], &l)
			edits, _, last, err := truth.Replay(text, s, int(l.Start), string(AppendCIGAR(nil, a.Operations(&l))))
			if err != nil || edits > said || last != end.End {
				t.Fatalf("read %s in %s, %+v, said to have %d edits: %d, ends at %d, %v", s, text, end, said, edits, last, err)
			}
			if edits < said {
				fewer++
			}
		}
	}
	if fewer < 100 || refused < 100 {
		t.Errorf("%d alignments had fewer edits, %d were refused: the test shows little", fewer, refused)
	}
}

// TestFurthestOfManyGaps has as many gap bases as a furthest just finds, or just not.
func TestFurthestOfManyGaps(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 36))
	text := truth.Random(r, 400, "ACGT")
	for _, n := range []int{mostGaps - 1, mostGaps, mostGaps + 1} {
		letters := text[100:160] + text[160+n:220]
		view, ref := pack(letters, n), truth.Reference(t, text)
		var f furthest
		at := target{&view.Strands[Forward], &ref.Contigs[0], 220, n}
		for _, known := range []int{GapsUnknown, n} {
			got, ok := f.gaps(&ref.Bases, at, known)
			if ok != (n <= mostGaps) || ok && got != n {
				t.Errorf("%d gap bases: got %d, %v", n, got, ok)
			}
		}
	}
}

// TestWideIsTheTruth compares bands of any number of words with the distances of plain dynamic
// programming, where the best alignments stay inside, and narrow bands with bands of one word.
func TestWideIsTheTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(37, 38))
	within, without, beyond, narrow := 0, 0, 0, 0
	for range 1500 {
		letters := []string{"ACGT", "AC", "ACGTN"}[r.IntN(3)]
		unit := truth.Random(r, 1+r.IntN(80), letters)
		text := truth.Random(r, r.IntN(70), letters)
		for n := 200 + r.IntN(200); len(text) < n; {
			text += truth.Edited(r, unit, r.IntN(3)) + strings.Repeat("A", r.IntN(3))
		}
		m := []int{5, 32, 63, 64, 65, 127, 128, 129, 150}[r.IntN(9)]
		k := r.IntN(min(m, 20))
		from := r.IntN(len(text) - m)
		s := truth.Edited(r, text[from:from+m], r.IntN(k+3))
		m = len(s)
		if m == 0 || k >= m {
			continue
		}
		ref, view := truth.Reference(t, "ACGT", text, text), pack(s, k)
		low, width := r.IntN(len(text)-m+10)-10, 1+r.IntN(200)
		if r.IntN(4) == 0 {
			width = 64 * (1 + r.IntN(3))
		}
		var b band
		window, at := b.window(ref, &ref.Contigs[1], low, low+width+m)
		b.distances = make([]int32, width)
		found := b.wide(window, at, view.Strands[Forward].Planes, m, k, width)
		if width <= narrowWidth && !view.Strands[Forward].Ambiguous {
			one := band{distances: make([]int32, width)}
			same := one.narrow(window, at, view.Strands[Forward].Planes, m, k, width) == found
			for i := range b.distances {
				same = same && (!found || min(one.distances[i], int32(k+1)) == min(b.distances[i], int32(k+1)))
			}
			if !same {
				t.Fatalf("read %s in %s, k %d, diagonals %d+%d: %v, distances %v, but narrow %v",
					s, text, k, low, width, found, b.distances, one.distances)
			}
			narrow++
		}
		distance := map[int]int{}
		for _, end := range truth.Ends(text, s, k) {
			distance[end.End-m] = end.Distance
		}
		any := false
		for i, d := range b.distances {
			want, near := distance[low+i]
			any = any || found && int(d) <= k
			switch {
			case !near && found && int(d) <= k && low+i+m > 0 && low+i+m <= len(text):
				t.Fatalf("read %s in %s, diagonals %d+%d, diagonal %d: %d edits, want more than %d", s, text, low, width, low+i, d, k)
			case near && i >= k && i+k < width:
				within++
				if !found || int(d) != want {
					t.Fatalf("read %s in %s, k %d, diagonals %d+%d, diagonal %d: %v, %d edits, want %d", s, text, k, low, width, low+i, found, d, want)
				}
			case near:
				beyond++
				if found && int(d) < want {
					t.Fatalf("read %s in %s, diagonals %d+%d, diagonal %d: %d edits, want at least %d", s, text, low, width, low+i, d, want)
				}
			}
		}
		if found != any {
			t.Fatalf("read %s in %s, k %d, diagonals %d+%d: %v, distances %v", s, text, k, low, width, found, b.distances)
		}
		if !found {
			without++
		}
	}
	if within < 1000 || without < 100 || beyond < 100 || narrow < 50 {
		t.Fatalf("%d distances compared, %d at borders, %d bands without any, %d narrow ones: the test shows little",
			within, beyond, without, narrow)
	}
}

// TestBandBorder has an alignment that starts one diagonal above a band, and one below: it is not
// found, whatever else the words of the band hold.
func TestBandBorder(t *testing.T) {
	const k, from = 3, 300
	r := rand.New(rand.NewPCG(39, 40))
	text := truth.Random(r, 800, "ACGT")
	ref := truth.Reference(t, text)
	inserted := text[from:from+40] + "A" + text[from+40:from+80] // starts on diagonal 300, ends on 299
	deleted := text[from:from+40] + text[from+41:from+81]        // starts on diagonal 300, ends on 301
	for width := 1; width <= 130; width++ {
		for _, c := range []struct {
			letters string
			low     int
		}{{inserted, from - width}, {deleted, from + 1}} {
			view := pack(c.letters, k)
			m := len(c.letters)
			b := band{distances: make([]int32, width)}
			find := b.wide
			for range 2 {
				if find(&ref.Bases, c.low, view.Strands[Forward].Planes, m, k, width) && slices.Min(b.distances) <= k {
					t.Errorf("diagonals %d+%d: found %v", c.low, width, b.distances)
				}
				if width <= narrowWidth {
					find = b.narrow
				}
			}
		}
	}
}

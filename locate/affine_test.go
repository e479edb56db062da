package locate

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// writtenCase has the locations of a read on the forward strand, found, aligned and written.
type writtenCase struct {
	text, read string
	k          int
	least      []Location
	written    []Location
	aligner    *Aligner
}

func newWrittenCase(t interface{ Fatal(...any) }, text, read string, k int) *writtenCase {
	ref := truth.Reference(t, "ACGTACGTACGTACGT", text, "ACGTTGCA")
	r := pack(read, k)
	l := Locator{Reference: ref}
	a := &Aligner{Reference: ref}
	var ends []End
	for _, o := range truth.Ends(text, read, k) {
		ends = append(ends, End{Place: At(1, Forward), End: int32(o.End), Distance: int32(o.Distance)})
	}
	c := &writtenCase{text: text, read: read, k: k, aligner: a}
	c.least = append(c.least, l.FromEnds(&r, ends)...)
	for i := range c.least {
		a.Align(r.Strand(c.least[i].Place), &c.least[i])
	}
	c.written = slices.Clone(c.least)
	a.Write(&r, c.written)
	return c
}

// check compares with the definition, and returns how many locations have another alignment than
// their least.
func (c *writtenCase) check(t interface{ Fatalf(string, ...any) }) (changed int) {
	best := make([]truth.Alignment, len(c.least))
	stays := make([]bool, len(c.least))
	for i := range c.least {
		l := &c.least[i]
		low, high := diagonals(c.aligner.Operations(l))
		w := writtenRadius(int(lossOf(c.aligner.Operations(l), l.Distance)))
		best[i] = truth.BestInBand(c.text, c.read, int(l.Start)+low-w, int(l.Start)+high+w, int(l.Start), int(l.End))
		b := &best[i]
		stays[i] = b.Edits < int(l.Distance) || distance(b.Start, int(l.Start)) > c.k && distance(b.End, int(l.End)) > c.k
	}
	way := func(l *Location, b *truth.Alignment) int {
		return distance(int(l.Start), b.Start) + distance(int(l.End), b.End)
	}
	for i := range c.least {
		for j := range c.least {
			x, y := way(&c.least[i], &best[i]), way(&c.least[j], &best[i])
			if a, b := &c.least[i], &c.least[j]; y < x || y == x && (b.Distance < a.Distance || b.Distance == a.Distance && b.End < a.End) {
				stays[i] = true
			}
		}
	}
	seen := map[[2]int32]map[string]bool{}
	for i := range c.written {
		l, w := &c.least[i], &c.written[i]
		operations := c.aligner.Operations(w)
		cigar := string(AppendCIGAR(nil, operations))
		edits, _, end, err := truth.Replay(c.text, c.read, int(w.Start), cigar)
		if err != nil || edits != int(w.Edits) || end != int(w.End) {
			t.Fatalf("%s in %s: %s at %d: %d edits up to %d, not %d up to %d (%v)", c.read, c.text, cigar, w.Start, edits, end, w.Edits, w.End, err)
		}
		want := truth.Alignment{Start: int(l.Start), End: int(l.End), Edits: int(l.Distance), Loss: int(w.Loss)}
		if !stays[i] {
			want = best[i]
		}
		if got := (truth.Alignment{Start: int(w.Start), End: int(w.End), Loss: int(lossOf(operations, w.Edits)), Edits: int(w.Edits)}); got.Loss != want.Loss ||
			got.Start != want.Start || got.End != want.End || got.Edits != want.Edits || got.Loss != int(w.Loss) {
			t.Fatalf("%s in %s, k %d, least %s at %d: got %s %+v, want %+v (stays %v)", c.read, c.text, c.k,
				AppendCIGAR(nil, c.aligner.Operations(l)), l.Start, cigar, got, want, stays[i])
		}
		if w.Distance != l.Distance {
			t.Fatalf("distance %d became %d", l.Distance, w.Distance)
		}
		if cigar != string(AppendCIGAR(nil, c.aligner.Operations(l))) || w.Start != l.Start {
			changed++
		}
		key := [2]int32{w.Start, w.End}
		if seen[key] == nil {
			seen[key] = map[string]bool{}
		}
		if seen[key][cigar] {
			t.Fatalf("%s in %s: two locations have %s at %d", c.read, c.text, cigar, w.Start)
		}
		seen[key][cigar] = true
	}
	return changed
}

// gapped returns a text and a read from it with a gap of up to `longest` bases, and some other
// edits.
func gapped(r *rand.Rand, m, longest int) (text, read string) {
	alphabet := []string{"ACGT", "ACGT", "ACGT", "AC", "AAC", "A"}[r.IntN(6)]
	text = truth.Random(r, 30+r.IntN(20), alphabet)
	if r.IntN(3) == 0 { // a tandem repeat
		unit := truth.Random(r, 1+r.IntN(9), "ACGT")
		for range 2 + r.IntN(8) {
			text += unit
		}
	}
	text += truth.Random(r, m+longest, []string{"ACGT", alphabet}[r.IntN(2)])
	from := r.IntN(len(text) - m - longest + 1)
	cut, gap := r.IntN(m+1), r.IntN(longest+1)
	switch r.IntN(3) {
	case 0:
		read = text[from:from+cut] + text[from+cut+gap:from+m+gap]
	case 1:
		read = (text[from:from+cut] + truth.Random(r, gap, "ACGT") + text[from+cut:])[:m]
	default:
		read = text[from : from+m]
	}
	return text, truth.Edited(r, read, r.IntN(4))
}

// TestWritten compares written alignments with their definition, in repeats, low complexity and at
// the ends of contigs.
func TestWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 4))
	changed, same, several := 0, 0, 0
	cases := effort.Pick(500, 50)
	for range cases {
		text, read := gapped(r, 8+r.IntN(50), 8)
		c := newWrittenCase(t, text, read, 1+r.IntN(8))
		n := c.check(t)
		changed += n
		same += len(c.written) - n
		if len(c.written) > 1 {
			several++
		}
	}
	if changed < cases/4 || same < cases/4 || several < cases/10 {
		t.Errorf("%d changed, %d the same, %d cases with several: the test shows little", changed, same, several)
	}
}

// TestSettles compares what the bound settles, or narrows, with the dynamic program that it saves,
// on reads with mismatches and gaps that are near the ends, crowded or spread, also in repeats.
func TestSettles(t *testing.T) {
	const settled, narrowed, open = 0, 1, 2
	var cases [2][3]int // without and with gaps
	effort.Cases(t, 50)
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		for range effort.Pick(20, 8) {
			text, read, from, to := nearlyAlike(r)
			ref := truth.Reference(rt, text)
			s := pack(read, len(read)/5)
			a := Aligner{Reference: ref}
			for _, o := range truth.Ends(text, read, s.K) {
				if o.End < from || o.End > to {
					continue
				}
				l := Location{Place: At(0, Forward), End: int32(o.End), Distance: int32(o.Distance), Gaps: GapsUnknown}
				a.Reset()
				a.Align(&s.Strands[0], &l)
				least := slices.Clone(a.Operations(&l))
				low, high := diagonals(least)
				loss := int(lossOf(least, l.Distance))
				radius := writtenRadius(loss)
				target := affineTarget{&s.Strands[0], &ref.Contigs[0], int(l.Start), o.End, low - radius, high + radius}
				kind := open
				if loss >= lossOpen+lossDeleted {
					if a.writer.bound.settles(&ref.Bases, &target, least, o.Distance) {
						kind = settled
					} else if target.low > low-radius || target.high < high+radius {
						kind = narrowed
					}
				}
				cases[min(len(least)-1, 1)][kind]++
				got, want := a.affineBy(&s, &l, true), a.affineBy(&s, &l, false)
				letters := string(AppendCIGAR(nil, a.operations[want.from:want.to]))
				if cigar := string(AppendCIGAR(nil, a.operations[got.from:got.to])); cigar != letters {
					rt.Fatalf("%s in %s up to %d, %s (%d): %q, want %q", read, text, o.End, AppendCIGAR(nil, least), kind, cigar, letters)
				}
				if want.from, want.to = got.from, got.to; got != want {
					rt.Fatalf("%s in %s up to %d, %s (%d): %v, want %v", read, text, o.End, AppendCIGAR(nil, least), kind, got, want)
				}
			}
		}
	})
	for _, n := range cases {
		if slices.Min(n[:]) < effort.Pick(20, 4) {
			t.Errorf("%d settled, narrowed and open: the test shows little", cases)
		}
	}
	t.Log(cases)
}

// nearlyAlike returns a text and a read that ends in it somewhere in [from, to].
func nearlyAlike(r *rand.Rand) (text, read string, from, to int) {
	m := 20 + r.IntN(130)
	text = truth.Random(r, m+80, []string{"ACGT", "ACGT", "AC"}[r.IntN(3)])
	// A diverged tandem repeat. The read lies a unit to the side, with a gap.
	if r.IntN(3) == 0 {
		unit := truth.Random(r, 1+r.IntN(9), "ACGT")
		at, n := r.IntN(m), 10+r.IntN(m)
		part := strings.Repeat(unit, n/len(unit)+1)[:min(n, m+80-at)]
		text = text[:at] + truth.Substituted(r, part, min(r.IntN(6), len(part))) + text[at+len(part):]
	}
	b := []byte(text[30 : 30+m])
	if r.IntN(3) == 0 {
		at, left, right := r.IntN(m), 30-r.IntN(4), 30+r.IntN(4)
		copy(b, text[left:left+at])
		copy(b[at:], text[right+at:])
	}
	if r.IntN(3) == 0 { // a part of the read comes from beside
		g, at := r.IntN(11)-5, r.IntN(m)
		n := min(1+r.IntN(20), m-at)
		if 30+at+g >= 0 && 30+at+g+n <= len(text) {
			copy(b[at:at+n], text[30+at+g:])
		}
	}
	crowd := r.IntN(m)
	for range r.IntN(7) { // mismatches, some crowded
		at := r.IntN(m)
		if r.IntN(2) == 0 {
			at = min(crowd+r.IntN(20), m-1)
		}
		b[at] = "ACGT"[r.IntN(4)]
	}
	read = string(b)
	for range max(0, r.IntN(5)-2) { // gaps
		at, n := r.IntN(len(read)), 1+r.IntN(3)
		if r.IntN(2) == 0 {
			read = read[:at] + read[min(at+n, len(read)-1):]
		} else {
			read = read[:at] + truth.Random(r, n, "ACGT") + read[at:]
		}
	}
	return text, read, 30 + m - 8, 30 + m + 8
}

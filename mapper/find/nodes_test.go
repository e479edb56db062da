package find

import (
	"math/rand/v2"
	"testing"

	"scanmap/internal/truth"
	"scanmap/locate"
)

// TestNodes compares nodes with the edit distances of what lies beside a piece: one that the edits
// allow must pass. Pieces are on either strand, sides of any length.
func TestNodes(t *testing.T) {
	r := rand.New(rand.NewPCG(75, 76))
	allowed, refused := 0, 0
	for range 6000 {
		q := minPiece + r.IntN(maxPiece-minPiece+1)
		letters := []string{"ACGT", "ACGT", "AC", "A"}[r.IntN(4)]
		text := truth.Random(r, 220+r.IntN(50), letters)
		at := 80 + r.IntN(len(text)-160-q)
		after, before := text[at+q:], reversed(text[:at])
		side := func(of string) string {
			s := truth.Edited(r, of[:r.IntN(sideBases+1)], r.IntN(7))
			return s[:min(len(s), sideBases)]
		}
		a, b := side(after), side(before)
		read, start := reversed(b)+text[at:at+q]+a, len(b)
		if r.IntN(2) == 0 { // the read is sequenced from the other strand
			read, start = truth.ReverseComplement(read), len(a)
		}
		strand := packedRead(read, 0).strand(0, locate.Forward)
		code, other, _ := windowCode(strand, start, q)
		p, _ := newPiece(strand, []int32{int32(start)}, 0, len(read), q, 7, other < code)
		forward, complement, _ := windowCode(packedRead(text, 0).strand(0, locate.Forward), at, q)
		if forward == complement {
			continue
		}
		near, far := r.Uint64N(4), r.Uint64N(spreadDiagonals/2)
		p[0] = p[0]&^(7<<60) | near<<60 | r.Uint64N(2)<<62
		p[1] = p[1]&^(15<<60) | far<<60
		most := far
		if p[0]>>62&1 == 0 {
			most = min(near, far)
		}
		ref := truth.Reference(t, text)
		var d diagonals
		d.fill(&ref.Bases, ref.Contigs[0].Start+at, q, complement < forward)
		passes := nodes([]piece{p}, 1, &d) != 0
		edits := truth.DistanceToStart(a, after) + truth.DistanceToStart(b, before)
		switch {
		case p.read() != 7:
			t.Fatalf("read %d", p.read())
		case !passes && edits <= int(most):
			t.Fatalf("text %s, window at %d: %s and %s have %d edits, %d are allowed", text, at, a, b, edits, most)
		case !passes:
			refused++
		case edits <= int(most):
			allowed++
		}
	}
	if allowed < 500 || refused < 500 {
		t.Errorf("%d allowed, %d refused", allowed, refused)
	}
}

// TestRecent checks which bases are remembered, and which are told apart.
func TestRecent(t *testing.T) {
	var r recent
	r.clear()
	for _, step := range []struct {
		read, base uint32
		strand     int
		added      bool
	}{
		{0, 0, locate.Forward, true}, {0, 0, locate.Forward, false}, {0, 0, locate.Reverse, true},
		{0, 1, locate.Forward, true}, {1, 0, locate.Forward, true}, {0, 0, locate.Forward, false}, {1, 0, locate.Forward, false},
	} {
		if added := r.add(step.read, step.base, step.strand); added != step.added {
			t.Errorf("%+v: %t", step, added)
		}
	}
	for _, offset := range []int{1 << 29, 1<<30 - 1} {
		if r.begin(offset); r.add(1, 0, locate.Forward) {
			t.Errorf("forgot at %d", offset)
		}
	}
	// The same half of an offset 2^32 bases on is another diagonal.
	if r.begin(1 << 32); !r.add(1, 0, locate.Forward) {
		t.Error("remembers what is far behind")
	}
	if r.begin(0); !r.add(1, 0, locate.Forward) {
		t.Error("remembers what is far ahead")
	}
}

// TestSpreadTwins compares what spread runs on this machine with spreadPlain.
func TestSpreadTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(73, 74))
	for range 100 {
		var words sideWords
		for i := range words {
			words[i] = r.Uint64()
		}
		var got, want diagonals
		spread(&words, &got)
		spreadPlain(&words, &want)
		if got != want {
			t.Fatalf("%x: %x, plain %x", words, got, want)
		}
	}
}

// rare returns a word with an eighth of its bits.
func rare(r *rand.Rand) uint64 {
	x, y, z := r.Uint64(), r.Uint64(), r.Uint64()
	return x & y & z
}

// drawDiagonals draws what lies beside a window.
func drawDiagonals(r *rand.Rand) (d diagonals) {
	for i := range d {
		d[i] = r.Uint64()
	}
	return d
}

// TestNodesTwins compares what nodes runs on this machine with nodesPlain, on pieces that fit, that
// are changed and that have nothing to do with the text.
func TestNodesTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	passed := map[bool]int{}
	for range 3000 {
		d, pieces := drawDiagonals(r), make([]piece, 1+r.IntN(fittingBlock))
		for i := range pieces {
			p := &pieces[i]
			diagonal := 2 * (spreadMiddle - 3 + r.IntN(7))
			changed := ^uint64(0) >> (16 + r.IntN(48))
			for side := range 2 {
				const bases = uint64(1)<<sideBases - 1
				noise := rare(r) & changed
				p[side] = (d[diagonal+side] ^ noise) & bases
				p[2+side] = d[2*spreadDiagonals+diagonal+side]&bases | r.Uint64()<<sideBases
				p[side] |= r.Uint64N(sideBases+1)<<48 | r.Uint64N(sideBases+1)<<54
			}
			p[0] |= r.Uint64N(4)<<60 | r.Uint64N(2)&r.Uint64()<<62 | r.Uint64N(2)<<63
			p[1] |= r.Uint64N(10) << 60
		}
		fitting := r.Uint64() >> (64 - len(pieces))
		got, want := nodes(pieces, fitting, &d), nodesPlain(pieces, fitting, &d)
		if got != want {
			t.Fatalf("%b of %b, plain %b", got, fitting, want)
		}
		passed[want == 0]++
	}
	if passed[true] < 100 || passed[false] < 100 {
		t.Error("too one-sided:", passed)
	}
}

// TestSubstitutedNodes compares nodes for substitutions alone with what differs beside a piece on
// its own diagonal: those pass that the nodes allow, and no others.
func TestSubstitutedNodes(t *testing.T) {
	r := rand.New(rand.NewPCG(77, 78))
	passed, refused := 0, 0
	for range 6000 {
		q := minPiece + r.IntN(maxPiece-minPiece+1)
		text := truth.Random(r, 2*sideBases+q, []string{"ACGT", "ACGT", "AC", "A"}[r.IntN(4)])
		after, before := r.IntN(sideBases+1), r.IntN(sideBases+1)
		at := sideBases
		right := truth.Substituted(r, text[at+q:at+q+after], r.IntN(6))
		left := truth.Substituted(r, text[at-before:at], r.IntN(6))
		read, start := left+text[at:at+q]+right, before
		if r.IntN(2) == 0 { // the read is sequenced from the other strand
			read, start = truth.ReverseComplement(read), after
		}
		strand := packedRead(read, 0).strand(0, locate.Forward)
		code, other, _ := windowCode(strand, start, q)
		p, _ := newPiece(strand, []int32{int32(start)}, 0, len(read), q, 7, other < code)
		forward, complement, _ := windowCode(packedRead(text, 0).strand(0, locate.Forward), at, q)
		if forward == complement {
			continue
		}
		near, far := r.IntN(4), r.IntN(spreadDiagonals/2)
		p[0], p[1] = p[0]&^(3<<60)|uint64(near)<<60, p[1]&^(15<<60)|uint64(far)<<60
		ref := truth.Reference(t, text)
		around := surround(&ref.Bases, ref.Contigs[0].Start+at, q, complement < forward)
		differences := 0
		for i := range right {
			if right[i] != text[at+q+i] {
				differences++
			}
		}
		for i := range left {
			if left[i] != text[at-before+i] {
				differences++
			}
		}
		passes, want := around.nodes([]piece{p}, 1) != 0, differences <= min(near, far)
		if passes != want {
			t.Fatalf("text %s, window of %d at %d, read %s from %d: %d differences, %d and %d are allowed: passes is %t",
				text, q, at, read, at-before, differences, near, far, passes)
		}
		if passes {
			passed++
		} else {
			refused++
		}
	}
	if passed < 500 || refused < 500 {
		t.Errorf("%d pass and %d do not", passed, refused)
	}
}

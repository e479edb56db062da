package find

import (
	"math/rand/v2"
	"strings"
	"testing"

	"scanmap/internal/truth"
	"scanmap/locate"
)

// packedRead is a batch of one read.
func packedRead(s string, k int) *Batch {
	var b Batch
	b.packed = make([]uint64, b.layOut(truth.Reads(s), 1, func(int) int { return k }, nil))
	b.fill(1)
	return &b
}

// TestGroupsOfPieces checks what lemmas 1 and 3 rest on: regions that do not overlap, each with its
// pieces, and budgets that add up to k.
func TestGroupsOfPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	for range 3000 {
		k := r.IntN(45)
		q := minPiece + r.IntN(maxPiece-minPiece+1)
		m := (k+1)*q + r.IntN(120)
		var even pieceChooser
		pieces := even.choose(nil, nil, m, k, q, 0)
		if r.IntN(2) == 0 { // anywhere else
			slack := m - (k+1)*q
			shift := 0
			for i := range pieces {
				shift = min(slack, shift+r.IntN(4))
				pieces[i] = int32(i*q + shift)
			}
		}
		sum, before := 0, 0
		for g := range groupsOf(k) {
			from, to := cut(pieces, g, m, q), cut(pieces, g+1, m, q)
			if from != before {
				t.Fatalf("m %d, k %d, q %d, pieces %v: region %d begins at %d after %d", m, k, q, pieces, g, from, before)
			}
			before = to
			own := pieces[2*g : min(2*g+2, k+1)]
			sum += len(own)
			for j, at := range own {
				i := 2*g + j
				if int(at) < from || int(at)+q > to {
					t.Fatalf("m %d, k %d, q %d: piece at %d outside of [%d,%d)", m, k, q, at, from, to)
				}
				lo, hi, edits := stretch(pieces, i, m, q)
				if edits != len(own)-1 || lo < from || hi > to || lo > int(at) || hi < int(at)+q || hi-lo > q+flankBases || lo < int(at) && hi > int(at)+q {
					t.Fatalf("m %d, k %d, q %d, piece %d: flank makes it [%d,%d) with %d edits, region [%d,%d)", m, k, q, i, lo, hi, edits, from, to)
				}
				nearFirst, nearLast := near(g, k)
				farFirst, farLast := far(g, k)
				if nearFirst > g || nearLast <= g || farFirst > nearFirst || farLast < nearLast || farLast > groupsOf(k) {
					t.Fatalf("k %d, group %d: near [%d,%d), far [%d,%d)", k, g, nearFirst, nearLast, farFirst, farLast)
				}
				for _, n := range [][3]int{{nearFirst, nearLast, nearDiagonals}, {farFirst, farLast, spreadDiagonals}} {
					want := -1
					for other := n[0]; other < n[1]; other++ {
						want += len(pieces[2*other : min(2*other+2, k+1)])
					}
					lo, hi, edits := region(pieces, n[0], n[1], m, q)
					if edits != want || lo != cut(pieces, n[0], m, q) || hi != cut(pieces, n[1], m, q) || edits >= n[2]/2 {
						t.Fatalf("m %d, k %d, q %d: groups %v are [%d,%d) with %d edits, want %d", m, k, q, n, lo, hi, edits, want)
					}
				}
			}
		}
		if before != m || sum != k+1 {
			t.Fatalf("m %d, k %d, q %d: regions end at %d, %d pieces", m, k, q, before, sum)
		}
	}
}

// TestNodesAreOfOneTree checks that any two nodes are nested or apart, as lemma 3 needs it: then
// there is a binary tree that has them.
func TestNodesAreOfOneTree(t *testing.T) {
	for k := range 100 {
		var nodes [][2]int
		for g := range groupsOf(k) {
			for _, node := range []func(g, k int) (int, int){near, far} {
				first, last := node(g, k)
				nodes = append(nodes, [2]int{first, last})
			}
		}
		for _, a := range nodes {
			for _, b := range nodes {
				lo, hi := max(a[0], b[0]), min(a[1], b[1])
				if common := [2]int{lo, hi}; lo < hi && common != a && common != b {
					t.Fatalf("k %d: %v and %v overlap", k, a, b)
				}
			}
		}
	}
}

// flankOf returns the flank of a piece that with it is bases [from, to) of a strand.
func flankOf(strand locate.Planes, at, q, from, to, edits int, flipped bool) flank {
	beside, n := besides(strand, at, q, from, to, flipped)
	return newFlank(&beside, n, at, q, from, to, edits, flipped)
}

// TestFitting compares fitting with the edit distance of each flank to what lies beside the window,
// for pieces on either strand, with flanks on either side and none or one edit.
func TestFitting(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 64))
	fits := map[bool]int{}
	for range 4000 {
		q := minPiece + r.IntN(maxPiece-minPiece+1)
		letters := []string{"ACGT", "AC", "A"}[r.IntN(3)]
		n := r.IntN(flankBases + 1)
		text := truth.Random(r, 70+r.IntN(100), letters)
		at := 26 + r.IntN(len(text)-52-q+1)
		window := text[at : at+q]
		ref := truth.Reference(t, text)
		entries := make([]pieceEntry, 3+1+r.IntN(fittingBlock))
		want := make([]bool, len(entries)-3)
		forward, complement, _ := windowCode(packedRead(text, 0).strand(0, locate.Forward), at, q)
		if forward == complement {
			continue
		}
		around := surround(&ref.Bases, ref.Contigs[0].Start+at, q, complement < forward)
		for i := range want {
			edits, before := r.IntN(2), r.IntN(2) == 1
			beside := text[at+q:]
			if before {
				beside = reversed(text[:at])
			}
			near := truth.Edited(r, beside[:min(n, len(beside))], r.IntN(3))
			near = near[:min(len(near), flankBases)]
			read, start := window+near, 0
			if before {
				read, start = reversed(near)+window, len(near)
			}
			if r.IntN(2) == 0 { // the read is sequenced from the other strand
				read, start = truth.ReverseComplement(read), len(near)-start
			}
			b := packedRead(read, 0)
			code, other, _ := windowCode(b.strand(0, locate.Forward), start, q)
			f := flankOf(b.strand(0, locate.Forward), start, q, 0, len(read), edits, other < code)
			if f.length() != len(near) {
				t.Fatalf("read %s, piece at %d: a flank of %d, want %d", read, start, f.length(), len(near))
			}
			entries[i] = pieceEntry{uint64(min(code, other)) | uint64(i)<<32, uint64(f)}
			want[i] = truth.DistanceToStart(near, beside[:min(len(beside), 26)]) <= edits
			if r.IntN(10) == 0 {
				entries[i][0] ^= 1 // another code
				want[i] = false
			}
		}
		code := min(forward, complement)
		got := fitting(entries, len(want), code, &around)
		if plain := fittingPlain(entries, len(want), code, &around); got != plain {
			t.Fatalf("text %s, window at %d: %b, plain %b", text, at, got, plain)
		}
		for i := range want {
			fits[want[i]]++
			if got>>i&1 == 1 != want[i] {
				t.Fatalf("text %s, window [%d,%d), entry %d, flank %x: fits is %v", text, at, at+q, i, entries[i][1], !want[i])
			}
		}
	}
	if fits[true] < 10_000 || fits[false] < 10_000 {
		t.Errorf("%v: the test shows little", fits)
	}
}

// reversed returns the letters of s from the last to the first.
func reversed(s string) string {
	var b strings.Builder
	for i := len(s) - 1; i >= 0; i-- {
		b.WriteByte(s[i])
	}
	return b.String()
}

// TestFlankEndsBeforeAmbiguous has flanks with an N.
func TestFlankEndsBeforeAmbiguous(t *testing.T) {
	b := packedRead("ACNGTTACGATTACCNA", 2)
	strand := b.strand(0, locate.Forward)
	for _, c := range []struct{ at, q, from, to, want int }{
		{6, 5, 6, 17, 4}, {6, 5, 0, 11, 3}, {3, 5, 0, 8, 0}, {10, 5, 10, 17, 0}, {8, 5, 8, 13, 0},
	} {
		if got := flankOf(strand, c.at, c.q, c.from, c.to, 1, false).length(); got != c.want {
			t.Errorf("%+v: %d bases", c, got)
		}
	}
}

package locate

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// localCandidates returns the diagonals on which pieces of the read lie unchanged, those for a
// least score, with others; ok is false where no number of pieces is enough.
func localCandidates(r *rand.Rand, c truth.LocalCase, least int) (candidates []Candidate, ok bool) {
	cut := CutLocal(len(c.Read), least, c.Rules.Cap)
	n, p := cut.Number, cut.Bases
	if n == 0 {
		return nil, false
	}
	var starts []int
	free := len(c.Read) - n*p - 2*cut.Inset
	for i := range n {
		skip := 0
		if free > 0 && r.IntN(2) == 0 {
			skip = r.IntN(free + 1)
		}
		free -= skip
		at := cut.Inset + skip
		if i > 0 {
			at = starts[i-1] + p + skip
		}
		starts = append(starts, at)
	}
	for i, text := range c.Contigs {
		for strand := range 2 {
			s := truth.Strand(c.Read, strand)
			for _, at := range starts {
				if truth.Ambiguous(s[at:at+p]) > 0 {
					continue
				}
				for j := 0; j+p <= len(text); j++ {
					if text[j:j+p] == s[at:at+p] || r.IntN(5000) == 0 {
						candidates = append(candidates, localCandidate(s, text, At(i, strand), j-at))
					}
				}
			}
		}
	}
	r.Shuffle(len(candidates), func(i, j int) { candidates[i], candidates[j] = candidates[j], candidates[i] })
	return candidates, true
}

// localCandidate returns a candidate on a diagonal.
func localCandidate(s, text string, p Place, diagonal int) Candidate {
	c := Candidate{Place: p, Diagonal: int32(diagonal), Differences: OffContig}
	if diagonal >= 0 && diagonal+len(s) <= len(text) {
		c.Differences = 0
		for i := range len(s) {
			if !truth.Matches(s[i], text[diagonal+i]) {
				c.Differences++
			}
		}
	}
	return c
}

// asTruth returns locations as the truth has them.
func asTruth(a *Aligner, found []Location) (out []truth.LocalLocation) {
	for _, l := range found {
		out = append(out, truth.LocalLocation{
			Contig: l.Place.Contig(), Strand: l.Place.Strand(), Start: int(l.Start), End: int(l.End),
			Lost: int(l.Distance), Gaps: int(l.Gaps), CIGAR: string(AppendCIGAR(nil, a.Operations(&l))),
		})
	}
	return out
}

// inOrder sorts locations of the truth in the order of Locations.
func inOrder(all []truth.LocalLocation) []truth.LocalLocation {
	clipped := func(l *truth.LocalLocation) (n int) {
		if digits, _, ok := strings.Cut(l.CIGAR, "S"); ok {
			n, _ = strconv.Atoi(digits) // 0 if the clip is at the end
		}
		return n
	}
	slices.SortFunc(all, func(a, b truth.LocalLocation) int {
		return slices.Compare([]int{a.Contig, a.Strand, a.Start, a.End, a.Lost, clipped(&a)},
			[]int{b.Contig, b.Strand, b.Start, b.End, b.Lost, clipped(&b)})
	})
	return all
}

// checkLocal compares the locations of a case with the truth, all locations and the locations that
// lose no more than some score, also by candidates that were found for more, and returns the truth.
func checkLocal(t interface{ Fatal(...any) }, l *Local, r *rand.Rand, c truth.LocalCase) ([]truth.LocalLocation, error) {
	l.Reference, l.Cap = truth.Reference(t, c.Contigs...), c.Rules.Cap
	l.Aligner = &Aligner{Reference: l.Reference}
	all := inOrder(truth.FindLocal(c.Contigs, c.Read, c.Rules))
	most := len(c.Read) - c.Rules.Least
	for i, sought := range []int{most + 1, r.IntN(most + 1), r.IntN(most + 2)} {
		candidates, ok := localCandidates(r, c, len(c.Read)-min(sought, most))
		if !ok {
			continue
		}
		read := pack(c.Read, most)
		read.Sought = sought
		if i == 1 && r.IntN(2) == 0 {
			candidates = seekAll(l, r, &read)
		}
		if i == 2 {
			near := r.IntN(most + 1)
			within := min(l.AtMost(&read, candidates, sought-near)+near, sought)
			best := most + 1
			for j := range all {
				best = min(best, all[j].Lost)
			}
			if within < min(best+near, sought) {
				return all, fmt.Errorf("read %s: %d of lost score are sought, but the best loses %d, and %d more count", c.Read, within, best, near)
			}
			if within == sought { // often, as few candidates have an alignment without a gap
				within = r.IntN(sought + 1)
			}
			read.Sought, read.Found = within, sought
			sought = within
		}
		want := all
		if sought <= most {
			want = slices.DeleteFunc(slices.Clone(all), func(x truth.LocalLocation) bool { return x.Lost > sought })
		}
		var found []Location
		for _, part := range l.Cut(&read, candidates, 1+r.IntN(4)) {
			locations := l.Locations(&read, part)
			found = append(found, locations...)
			if l.Cap == DefaultCap {
				for l.Aligner.Count(&read, locations); len(locations) > 0; locations = locations[1:] {
					if x := &locations[0]; x.Loss != x.Distance {
						return all, fmt.Errorf("read %s: %d of lost score are counted, want %d", c.Read, x.Loss, x.Distance)
					}
				}
			}
		}
		l.Sort(found)
		got := asTruth(l.Aligner, found)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			return want, fmt.Errorf("read %s, least %d, sought %d, cap %d, in %q (-want +got)\n%s",
				c.Read, c.Rules.Least, sought, c.Rules.Cap, c.Contigs, diff)
		}
	}
	return all, nil
}

// seekAll returns all candidates of a read, as Seek finds them in stretches of any length.
func seekAll(l *Local, r *rand.Rand, read *Read) (candidates []Candidate) {
	for i := range l.Reference.Contigs {
		for strand := range 2 {
			for low := -len(read.Strands[0].Letters); low < l.Reference.Contigs[i].Length; {
				high := low + 1 + r.IntN(200)
				candidates = l.Seek(candidates, read, At(i, strand), low, high)
				low = high
			}
		}
	}
	return candidates
}

// TestSeek compares letters, on contigs that pieces hang over the ends of, and with letters that
// match nothing.
func TestSeek(t *testing.T) {
	for seed := range uint64(effort.Pick(400, 100)) {
		r := rand.New(rand.NewPCG(seed, 62))
		m := 20 + r.IntN(100)
		unit := truth.Random(r, 12+r.IntN(60), "ACGT")
		text := strings.Repeat(unit, 6)
		letters := []byte(text + truth.Random(r, r.IntN(3), "N") + text)
		for range r.IntN(8) {
			letters[r.IntN(len(letters))] = "ACGTN"[r.IntN(5)]
		}
		contigs := []string{truth.Random(r, 70+r.IntN(70), "ACGT"), string(letters), truth.Random(r, m/2, "ACGT")}
		from := r.IntN(max(len(letters)-m, 1))
		s := slices.Clone(letters[from : from+m])
		for range r.IntN(3) {
			s[r.IntN(m)] = "ACGTN"[r.IntN(5)]
		}
		l := Local{Reference: truth.Reference(t, contigs...), Cap: DefaultCap}
		read := pack(string(s), m/5)
		read.Sought = r.IntN(m/5 + 1)
		strand := r.IntN(2)
		read.Strands[0], read.Strands[strand] = read.Strands[strand], read.Strands[0]
		contig, low := r.IntN(len(contigs)), r.IntN(len(letters)+m)-m
		high := low + r.IntN(80)
		got := map[int]int{}
		for _, c := range l.Seek(nil, &read, At(contig, strand), low, high) {
			if c.Place != At(contig, strand) {
				t.Fatalf("seed %d: place %v", seed, c.Place)
			}
			got[int(c.Diagonal)]++
		}
		b, in := l.budget, contigs[contig]
		for d := low - b.apart(); d < high+b.apart(); d++ {
			least, most := 0, 0
			for i := range b.pieces {
				at := b.inset + i*(m-2*b.inset)/b.pieces
				if d+at < 0 || d+at+b.piece > len(in) {
					continue
				}
				piece, there := string(s[at:at+b.piece]), in[d+at:d+at+b.piece]
				switch {
				case truth.Ambiguous(piece) > 0:
				case piece == there:
					least, most = least+1, most+1
				case truth.Ambiguous(there) > 0:
					most++ // may come
				}
			}
			if got[d] < least || got[d] > most {
				t.Fatalf("seed %d: diagonal %d of %s, %d to %d pieces of %s lie there, not %d", seed, d, in, least, most, s, got[d])
			}
			delete(got, d)
		}
		if len(got) > 0 {
			t.Fatalf("seed %d: diagonals beyond [%d, %d): %v", seed, low, high, got)
		}
	}
}

// localCases returns how many random cases to try: SCANMAP_LOCAL_CASES, or some.
func localCases() int {
	if n, err := strconv.Atoi(os.Getenv("SCANMAP_LOCAL_CASES")); err == nil {
		return n
	}
	return effort.Pick(600, 100)
}

func TestLocalIsTheTruth(t *testing.T) {
	var l Local
	gapped, several, forgiven, none, first := 0, 0, 0, 0, 0
	if n, err := strconv.Atoi(os.Getenv("SCANMAP_LOCAL_FIRST")); err == nil {
		first = n
	}
	for n := range localCases() {
		r := rand.New(rand.NewPCG(uint64(first+n), 17))
		c := truth.DrawLocal(r)
		if n%2 == 0 {
			c = truth.DrawTightLocal(r)
		}
		want, err := checkLocal(t, &l, r, c)
		if err != nil {
			t.Fatalf("case %d: %v", first+n, err)
		}
		if len(want) > 1 {
			several++
		}
		if len(want) == 0 {
			none++
		}
		for _, w := range want {
			if w.Gaps > 0 {
				gapped++
			}
			if w.Lost > len(c.Read)-c.Rules.Least {
				forgiven++
			}
		}
	}
	t.Logf("%d gapped, %d cases with several, %d locations by inserted bases, %d cases with none", gapped, several, forgiven, none)
}

// TestLocalInLongRepeats has candidates side by side on more diagonals than one stretch has.
func TestLocalInLongRepeats(t *testing.T) {
	var l Local
	found := 0
	for n := range 3 {
		r := rand.New(rand.NewPCG(uint64(n), 93))
		unit := truth.Random(r, 3+r.IntN(9), "ACGT")
		text := truth.Edited(r, strings.Repeat(unit, (mostStretch+2000)/len(unit)), 1200)
		at := mostStretch - 30 + r.IntN(60)
		read := text[at:at+20] + truth.Random(r, 5+r.IntN(30), "ACGT") + text[at+20:at+50]
		want, err := checkLocal(t, &l, r, truth.LocalCase{
			Contigs: []string{text}, Read: read, Rules: truth.LocalRules{Least: len(read) * 3 / 5, Cap: 12, Longest: LongestGap},
		})
		if err != nil {
			t.Fatalf("case %d: %v", n, err)
		}
		found += len(want)
	}
	if found == 0 {
		t.Error("no locations: the test shows nothing")
	}
}

// TestLocalInTandemRepeats has more diagonals than are settled together. Near the best alignment of
// some lie others, mostly, which may have a better one.
func TestLocalInTandemRepeats(t *testing.T) {
	var l Local
	found, gapped, forgiven := 0, 0, 0
	for n := range effort.Pick(200, 40) {
		r := rand.New(rand.NewPCG(uint64(n), 24))
		unit := truth.Random(r, 1+r.IntN(12), "ACGT")
		text := truth.Edited(r, strings.Repeat(unit, (firstColumns+r.IntN(300))/len(unit)+1), r.IntN(20))
		m := min(15+r.IntN(40), len(text))
		at := r.IntN(len(text) - m + 1)
		read := truth.Edited(r, text[at:at+m], r.IntN(4))
		if r.IntN(2) == 0 {
			half := len(read) / 2
			read = read[:half] + truth.Random(r, 1+r.IntN(25), "ACGT") + read[half:]
		}
		c := truth.LocalCase{Contigs: []string{text}, Read: read, Rules: truth.LocalRules{
			Least: len(read) * (5 + r.IntN(5)) / 10, Cap: []int{7, 8, 10, 12, DefaultCap}[r.IntN(5)], Longest: LongestGap,
		}}
		want, err := checkLocal(t, &l, r, c)
		if err != nil {
			t.Fatalf("case %d: %v", n, err)
		}
		found += len(want)
		for _, w := range want {
			if w.Gaps > 0 {
				gapped++
			}
			if w.Lost > len(read)-c.Rules.Least {
				forgiven++
			}
		}
	}
	t.Logf("%d locations, %d with gaps, %d by inserted bases", found, gapped, forgiven)
	if gapped == 0 || forgiven == 0 {
		t.Error("the test shows little")
	}
}

// TestInPlaceOf has diagonals ten columns apart, and an alignment on two.
func TestInPlaceOf(t *testing.T) {
	t.Parallel()
	var l Local
	l.Cap = DefaultCap
	b := l.begin(150, 120, 150, 0)
	l.window.start = 40
	l.window.path = []localPair{{10, 10 + 960}, {11, 11 + 980}}
	var diagonals []localDiagonal
	for at := 0; at < 2000; at += 10 {
		diagonals = append(diagonals, localDiagonal{diagonal: at})
	}
	for _, c := range []struct {
		lost  int
		near  bool
		apart int
	}{{7, true, 1}, {7, false, 1}, {19, false, 13}, {20, false, 100}, {20, true, 13}, {30, false, 104}, {30, true, 18}, {40, true, b.near}, {40, false, b.spread}} {
		l.window.cost = localCost(c.lost) * lostUnit
		from, to := l.inPlaceOf(diagonals, c.near)
		low, high := 1000-b.reach-c.apart, 1020+b.reach+c.apart
		if wantFrom, wantTo := (low+9)/10, high/10+1; from != wantFrom || to != wantTo {
			t.Errorf("%+v: diagonals [%d, %d), want [%d, %d)", c, from, to, wantFrom, wantTo)
		}
	}
}

// TestForget has alignments of three bases, one on each diagonal.
func TestForget(t *testing.T) {
	t.Parallel()
	w := localWindow{read: make([]byte, 3), same: 2}
	const all, before = 3000, 1500
	for n := range all {
		w.path = w.path[:0]
		for i := range w.read {
			w.path = append(w.path, localPair{i, n + i})
		}
		w.take()
	}
	if w.forget(before); len(w.spans) != all-before+w.same || len(w.taken) != len(w.spans)*len(w.read) {
		t.Fatalf("%d alignments and %d bases are left", len(w.spans), len(w.taken))
	}
	for n, span := range w.spans {
		on := int32(before - w.same + n)
		if span != [2]int32{on, on} || !slices.Equal(w.taken[3*n:][:3], []int32{on, on + 1, on + 2}) {
			t.Fatalf("%d: %v, %v", on, span, w.taken[3*n:][:3])
		}
	}
}

// TestLocalByInsertedBases has reads that qualify by the bases of one insertion or of two, with the
// highest least score for which they do.
func TestLocalByInsertedBases(t *testing.T) {
	var l Local
	found := 0
	for n := range effort.Pick(120, 24) {
		r := rand.New(rand.NewPCG(uint64(n), 46))
		text := truth.Random(r, 25+r.IntN(50), "ACGT")
		read, inserted, score := text, 0, len(text)
		for range 1 + n%2 {
			g, next := 1+r.IntN(40), truth.Random(r, 25+r.IntN(50), "ACGT")
			text += next
			read += truth.Random(r, g, "ACGT") + next
			inserted, score = inserted+g, score+len(next)-min(6+g, DefaultCap)
		}
		m := len(read)
		c := truth.LocalCase{
			Contigs: []string{truth.Random(r, 30, "ACGT") + text + truth.Random(r, 30, "ACGT")}, Read: read,
			Rules: truth.LocalRules{Least: score * m / (m - inserted), Cap: DefaultCap, Longest: LongestGap},
		}
		want, err := checkLocal(t, &l, r, c)
		if err != nil {
			t.Fatalf("case %d: %v", n, err)
		}
		for _, w := range want {
			if w.Lost > m-c.Rules.Least {
				found++
			}
		}
	}
	if found < effort.Pick(120, 24)/2 {
		t.Errorf("%d locations qualify by inserted bases: the test shows little", found)
	}
}

// TestLocalGapsNextToEachOther has a deletion and another gap, with bases between them that are
// equal before the deletion and after it. The deletion may as well come after these, unless both
// together are longer than a gap may be, or the other one is an insertion.
func TestLocalGapsNextToEachOther(t *testing.T) {
	var l Local
	found := 0
	for n := range effort.Pick(140, 14) {
		r := rand.New(rand.NewPCG(uint64(n), 47))
		g, between, cost := 1+r.IntN(8), truth.Random(r, 1+r.IntN(3), "ACGT"), 0
		before, after := truth.Random(r, 40+r.IntN(30), "ACGT"), truth.Random(r, 40+r.IntN(30), "ACGT")
		deleted := between + truth.Random(r, max(0, g-len(between)), "ACGT")
		text, read := before+deleted+between, before+between
		if cost = 6 + len(deleted); n%2 == 0 { // more than LongestGap in all
			text, cost = text+truth.Random(r, LongestGap-r.IntN(len(deleted)), "ACGT"), cost+DefaultCap
		} else {
			g = 1 + r.IntN(8)
			read, cost = read+truth.Random(r, g, "ACGT"), cost+6+2*g
		}
		text, read = text+after, read+after
		c := truth.LocalCase{
			Contigs: []string{truth.Random(r, 30, "ACGT") + text + truth.Random(r, 30, "ACGT")}, Read: read,
			Rules: truth.LocalRules{Least: len(read) - cost - r.IntN(3), Cap: DefaultCap, Longest: LongestGap},
		}
		want, err := checkLocal(t, &l, r, c)
		if err != nil {
			t.Fatalf("case %d: %v", n, err)
		}
		for _, w := range want {
			if strings.Count(w.CIGAR, "D")+strings.Count(w.CIGAR, "I") == 2 {
				found++
			}
		}
	}
	if found < effort.Pick(140, 14)/4 {
		t.Errorf("%d locations have two gaps: the test shows little", found)
	}
}

func TestLocalThatScoresMoreClipped(t *testing.T) {
	// 21 bases after the mismatch of the alignment 11M2I23M score as much.
	c := truth.LocalCase{
		Contigs: []string{"GAATCCATACCAGTCAACTTACAACAGATCAGAAATGACGATGACAAAGAAACCCCTACAAAGCCAAAGTCAGAGATGTTCCCAATGTTGGCACG"},
		Read:    "CGTGCCAACATTGGGAACATCCCCCTGACTTTGGCT", Rules: truth.LocalRules{Least: 22, Cap: DefaultCap, Longest: LongestGap},
	}
	if _, err := checkLocal(t, new(Local), rand.New(rand.NewPCG(1, 1)), c); err != nil {
		t.Error(err)
	}
}

// TestLocalInRegion searches stretches of contigs for reads that have to fit by half.
func TestLocalInRegion(t *testing.T) {
	var l Local
	found := 0
	for n := range localCases() {
		r := rand.New(rand.NewPCG(uint64(n), 18))
		c := truth.DrawLocal(r)
		c.Rules.Least = max(1, len(c.Read)*(20+r.IntN(70))/100)
		read := pack(c.Read, 0)
		l.Reference, l.Cap = truth.Reference(t, c.Contigs...), c.Rules.Cap
		l.Aligner = &Aligner{Reference: l.Reference}
		p := At(r.IntN(len(c.Contigs)), r.IntN(2))
		text := c.Contigs[p.Contig()]
		from := r.IntN(len(text)+10) - 5
		to := from + r.IntN(len(text)-from+5)
		inside := text[min(max(from, 0), len(text)):]
		inside = inside[:min(max(to-max(from, 0), 0), len(inside))]
		want := truth.LocalInText(inside, truth.Strand(c.Read, p.Strand()), c.Rules)
		for i := range want {
			want[i].Contig, want[i].Strand = p.Contig(), p.Strand()
			want[i].Start, want[i].End = want[i].Start+max(from, 0), want[i].End+max(from, 0)
		}
		got := asTruth(l.Aligner, l.InRegion(read.Strand(p), p, c.Rules.Least, from, to))
		if diff := cmp.Diff(inOrder(want), got); diff != "" {
			t.Fatalf("case %d: read %s, least %d, cap %d, in [%d, %d) of %s (-want +got)\n%s",
				n, c.Read, c.Rules.Least, c.Rules.Cap, from, to, text, diff)
		}
		found += len(want)
	}
	if found < localCases()/8 {
		t.Errorf("%d locations: the test shows little", found)
	}
}

// TestCutLocal has pieces that were worked out by lemma 3.
func TestCutLocal(t *testing.T) {
	for _, c := range []struct{ m, least, number, bases, inset int }{
		{150, 120, 8, 16, 3}, {250, 200, 13, 16, 3}, {100, 80, 6, 15, 3}, {36, 29, 2, 15, 3},
		{20, 20, 1, 16, 0}, // nothing may be lost
		{20, 19, 1, 16, 1}, // a base may be clipped
		{20, 1, 0, 0, 0}, {20, 0, 0, 0, 0}, {20, 21, 0, 0, 0},
	} {
		if got := CutLocal(c.m, c.least, DefaultCap); got.Number != c.number || got.Bases != c.bases || got.Inset != c.inset {
			t.Errorf("%d bases, least %d: %d pieces of %d in %d, want %d of %d in %d",
				c.m, c.least, got.Number, got.Bases, got.Inset, c.number, c.bases, c.inset)
		}
	}
}

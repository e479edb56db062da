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

// TestTwins compares the locations of reads in copies of one text with the locations of one cluster
// after the other. Some copies differ far from the read alone.
func TestTwins(t *testing.T) {
	t.Parallel()
	clusters, twins, wide, found := 0, 0, 0, 0
	for n := range effort.Pick(400, 100) {
		r := rand.New(rand.NewPCG(uint64(n), 67))
		m := 100 + r.IntN(60)
		text, read := twinsInput(r, m)
		m = len(read)
		var l Local
		l.Reference, l.Cap = truth.Reference(t, text...), []int{DefaultCap, DefaultCap, DefaultCap, 12, 30}[r.IntN(5)]
		l.Aligner = &Aligner{Reference: l.Reference}
		view := pack(read, m/(4+r.IntN(2)))
		view.Sought = []int{view.K, view.K, view.K, r.IntN(view.K + 1), view.K + 1}[max(r.IntN(10)-5, 0)]
		view.Found = view.Sought
		var candidates []Candidate
		for i := range text {
			for strand := range 2 {
				candidates = l.Seek(candidates, &view, At(i, strand), -m, len(text[i]))
			}
		}
		if r.IntN(4) > 0 { // as most from a GPU
			l.sorter.sort(candidates)
			candidates = slices.Compact(candidates)
		}
		known := r.IntN(2) == 0
		for i := range candidates {
			c := &candidates[i]
			c.Differences = OffContig
			if known && c.Diagonal >= 0 && int(c.Diagonal)+m <= len(text[c.Place.Contig()]) {
				c.Differences, _ = l.MayLead(m, view.K, view.Sought, view.Strand(c.Place).Planes, c.Place, int(c.Diagonal))
			}
		}
		l.sorter.sort(candidates)
		var want []truth.LocalLocation
		for from := 0; from < len(candidates) && l.budget.pieces > 0; {
			n, _ := l.cluster(candidates[from:])
			cluster := slices.Clone(candidates[from : from+n])
			if n >= leastTwins {
				cluster = slices.Compact(cluster)
			}
			want = append(want, asTruth(l.Aligner, l.Locations(&view, cluster))...)
			from += n
			clusters++
		}
		l.twins = localTwins{}
		got := asTruth(l.Aligner, l.Locations(&view, candidates))
		if diff := cmp.Diff(inOrder(want), inOrder(got)); diff != "" {
			t.Fatalf("case %d: %s", n, diff)
		}
		found += len(got)
		for _, c := range l.twins.clusters {
			if l.inContig(c.candidates, l.budget.spread) {
				twins--
			}
			if c.wide {
				wide++
			}
		}
		for from := 0; from < len(candidates) && len(candidates) >= leastTwins && l.budget.pieces > 0; {
			n, long := l.cluster(candidates[from:])
			if long && n <= mostTwins && l.inContig(candidates[from:from+n], l.budget.spread) {
				twins++ // unless it is remembered
			}
			from += n
		}
	}
	if twins < 100 || wide < 100 || found < 200 {
		t.Errorf("%d clusters with %d twins, %d that depend on the text around, %d locations: the test shows little", clusters, twins, wide, found)
	}
}

// twinsInput draws a read of some m bases, and contigs with copies of what it comes from. The next
// contig may go on with the rest of a copy.
func twinsInput(r *rand.Rand, m int) (contigs []string, read string) {
	random := func(n int) string { return truth.Random(r, n, "ACGT") }
	read = random(m)
	if n := 20 + r.IntN(m/3-20); r.IntN(2) == 0 { // on both strands, as far from their ends
		at := r.IntN(m/2 - n)
		read = read[:m-at-n] + truth.ReverseComplement(read[at:at+n]) + read[m-at:]
	}
	before, after, far := random(130), random(130), random(90)
	units := []string{
		read, truth.Edited(r, read, 1), truth.Edited(r, read, 2), truth.Substituted(r, read, 3),
		read[:m-34] + far + truth.SubstitutedAt(read[m-34:], 17), read[:m-34] + far + random(34),
		read[m/3:], strings.Replace(read, read[20:23], "NNN", 1),
	}
	text := random(r.IntN(150))
	for range 20 + r.IntN(20) {
		unit := units[r.IntN(len(units))]
		if r.IntN(3) == 0 { // a gap, and after it no whole piece
			unit = units[4+r.IntN(2)]
		}
		switch r.IntN(4) {
		case 0:
			text += random(r.IntN(200)) + unit
		case 1:
			text += before[r.IntN(130):] + unit + after[:r.IntN(130)]
		default:
			text += before + unit + after
		}
		if r.IntN(8) == 0 {
			text = truth.ReverseComplement(text)
		}
	}
	for len(text) > 0 && len(contigs) < 3 {
		n := 1 + r.IntN(len(text))
		contigs, text = append(contigs, text[:n]), text[n:]
	}
	return contigs, truth.Edited(r, read, r.IntN(3))
}

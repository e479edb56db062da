package mapper

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
	"scanmap/locate"
)

// TestPartners takes the local locations that count from all locations, where mates have better
// ones apart than in their proper places, and weighs all combinations.
func TestPartners(t *testing.T) {
	t.Parallel()
	const m = 150
	apart, found, outside, rescues, partial := 0, 0, 0, 0, 0
	for seed := range uint64(effort.Pick(80, 40)) {
		r := rand.New(rand.NewPCG(seed, 61))
		text, reads := partnersInput(r, m)
		ref := truth.Reference(t, text)
		o := Options{Local: &Local{Score: DefaultScore}, Pairs: PairOptions{Orientation: OrientationFR, MaxInsert: 1}}
		o.limits.bases = 1 << (22 + 5*(seed%3))
		model := &insertModel{low: 300, high: 500, mean: 400, spread: 30}
		whole := chosenOf(t, ref, model, reads, o)
		o.Report.Mode = ReportOne
		one := chosenOf(t, ref, model, reads, o)
		for i := 0; i < len(reads); i += 2 {
			var all [2][]locate.Location
			for x := range all {
				c := whole.choices[i+x]
				if all[x] = slices.Clone(whole.group.locations[c.from:c.to]); len(all[x]) == 0 || c.rescued {
					t.Fatalf("seed %d, pair %d: no location", seed, i/2)
				}
			}
			w := &weighed{o: &o.Pairs, model: model, apart: 0.01 / (2 * float64(max(o.limits.bases, int64(ref.TotalLength())))), each: localDistance}
			sets, known, places, counted := w.withPartners(&all, m, int(one.pairing.chosen(model)), m/5)
			for x := range sets {
				if len(sets[x]) > 0 {
					found += len(sets[x]) - nearCount(all[x])
				}
				c := one.choices[i+x]
				primary := one.group.locations[c.from]
				at := slices.IndexFunc(sets[x], func(l locate.Location) bool { return compareSites(&l, &primary) == 0 })
				if counted[x] < len(sets[x]) {
					rescues++
				}
				if at >= counted[x] {
					counted[x]++ // a mate that is rescued has one record
				}
				if at < 0 || c.found != counted[x] {
					t.Fatalf("seed %d, pair %d, mate %d: %d locations of %d, the primary one is number %d", seed, i/2, x, c.found, len(sets[x]), at)
				}
				sets[x][0], sets[x][at] = sets[x][at], sets[x][0]
				if known[x] != places[x] {
					apart++
				}
				outside += len(all[x]) - len(sets[x])
			}
			want := weighPlaces(&o.Pairs, model, max(o.limits.bases, int64(ref.TotalLength())), sets[0], sets[1], known, places, localDistance)
			// A lost score of 1 is rounded to hundredths of a decibel, too: 50 may be half a decibel off.
			if got := want.likelihood(0, 0); got < want.largest*(1-20*roundedAway) {
				t.Fatalf("seed %d, pair %d: the primary locations have likelihood %g, others %g", seed, i/2, got, want.largest)
			}
			for x := range sets {
				if q, wanted := one.choices[i+x].mapQ, want.quality(x); q != wanted {
					t.Fatalf("seed %d, pair %d, mate %d: MAPQ %d, want %d", seed, i/2, x, q, wanted)
				}
			}
			if one.pairs[i/2].bounded {
				partial++
			}
		}
	}
	if apart < 200 || found < 50 || outside < 200 || rescues < 20 || partial > 0 {
		t.Errorf("%d mates apart, %d locations found beside others, %d that do not count, %d mates rescued, %d in part: the test shows little", apart, found, outside, rescues, partial)
	}
}

// partnersInput draws a text, and pairs from it whose mates have copies elsewhere.
func partnersInput(r *rand.Rand, m int) (text string, reads []string) {
	random := func(n int) string { return truth.Random(r, n, "ACGT") }
	// Substitutions stay so far from the ends and from each other that nothing is clipped.
	changed := func(s string, n int) string {
		at := r.Perm(m/20 - 1)[:n]
		for i := range at {
			at[i] = 20*at[i] + 15
		}
		return truth.SubstitutedAt(s, at...)
	}
	var all strings.Builder
	for range 8 {
		a, b := random(m), random(m)
		all.WriteString(random(600) + changed(a, r.IntN(5)) + random(r.IntN(260)) + changed(b, r.IntN(5)) + random(600))
		for range r.IntN(4) {
			all.WriteString(changed(a, r.IntN(4)) + random(700))
		}
		for range r.IntN(4) {
			all.WriteString(changed(b, r.IntN(4)) + random(700))
		}
		reads = append(reads, changed(a, r.IntN(2)), truth.ReverseComplement(changed(b, r.IntN(2))))
	}
	return all.String(), reads
}

// nearCount returns how many locations of a mate are near.
func nearCount(all []locate.Location) (n int) {
	best := least(all)
	for _, l := range all {
		if l.Distance <= best+nearOfMates*localDistance {
			n++
		}
	}
	return n
}

// withPartners returns those local locations of two mates of m bases that count for their pair, up
// to which distances they are known, and up to which they are in the proper places. The first
// of each set are counted, as many as the last result says. Others are rescued.
func (w *weighed) withPartners(all *[2][]locate.Location, m, chosen, k int) (sets [2][]locate.Location, known, places, counted [2]int) {
	for x, these := range all {
		slices.SortFunc(these, func(a, b locate.Location) int { return cmp.Compare(a.Distance, b.Distance) })
		sets[x] = slices.Clone(these[:nearCount(these)])
		known[x] = min(int(least(these))+nearOfMates*localDistance, k)
	}
	places = known
	w.a, w.b = sets[0], sets[1]
	for i, a := range w.a {
		for j, b := range w.b {
			if w.proper(i, j) && a.Distance == least(w.a) && b.Distance == least(w.b) {
				return sets, known, places, [2]int{len(sets[0]), len(sets[1])}
			}
		}
	}
	near := [2]int{len(sets[0]), len(sets[1])}
	// Adds proper locations beside near ones, up to `far` beside the best one, and d less beside one
	// with d more.
	add := func(x, far, most int) {
		for j := range near[1-x] {
			most := min(most, far-int(sets[1-x][j].Distance-least(sets[1-x])))
			for _, l := range all[x][near[x]:] {
				mates := [2]locate.Location{l, sets[1-x][j]}
				if x == 1 {
					mates[0], mates[1] = mates[1], mates[0]
				}
				w.a, w.b = mates[:1], mates[1:]
				known := func(s locate.Location) bool { return compareSites(&s, &l) == 0 }
				if int(l.Distance) <= most && w.proper(0, 0) && !slices.ContainsFunc(sets[x], known) {
					sets[x] = append(sets[x], l)
				}
			}
		}
	}
	for x := range sets {
		far := int(least(all[x])) + chosen
		places[x] = min(far, k)
		add(x, far, k)
	}
	w.a, w.b, counted = sets[0], sets[1], [2]int{len(sets[0]), len(sets[1])}
	cost := func(distance int32, likelihood float64) penalty { // rounded
		return penalty(distance)*localOdds.penalty + penaltyOf(likelihood)
	}
	apart := cost(least(w.a)+least(w.b), w.apart)
	for i, a := range w.a {
		for j, b := range w.b {
			if insert, _ := w.o.insert(&w.a[i], &w.b[j]); w.proper(i, j) && cost(a.Distance+b.Distance, w.model.density(insert)) <= apart {
				return sets, known, places, counted
			}
		}
	}
	for x := range sets { // each mate is rescued beside the other
		if near[1-x] <= localWindows {
			places[x] = m - rescueScore
			add(x, math.MaxInt32, places[x])
		}
	}
	return sets, known, places, counted
}

// TestPartnersOfManyPlaces has mates with many locations. All are apart from the locations of the
// other mate, except the last one in order.
func TestPartnersOfManyPlaces(t *testing.T) {
	t.Parallel()
	const m, copies = 150, 40
	r := rand.New(rand.NewPCG(7, 61))
	random := func(n int) string { return truth.Random(r, n, "ACGT") }
	worse := func(s string, n int) string { return truth.SubstitutedAt(s, []int{15, 35, 55, 75}[:n]...) }
	for _, c := range []struct {
		what         string
		near         int // locations of the first mate with an edit more than the best one
		best         int // and how many are as good as that
		proper       bool
		partly, sure bool // whether some places are left out, and whether the first mate is certain
	}{
		{"one location", 0, 1, true, false, true},
		{"near ones beside", 30, 1, false, true, false},
		{"as many", 0, copies, false, true, false},
	} {
		a, b := random(m), random(m)
		var text strings.Builder
		for range c.best {
			text.WriteString(random(700) + a)
		}
		for range c.near {
			text.WriteString(random(700) + worse(a, 1))
		}
		for i := range copies {
			if c.proper && i == copies-1 {
				text.WriteString(random(700) + worse(a, 3) + random(100) + b)
			} else {
				text.WriteString(random(1100) + b)
			}
		}
		text.WriteString(random(700))
		o := Options{Local: &Local{Score: DefaultScore}, Pairs: PairOptions{Orientation: OrientationFR, MaxInsert: 1}, Report: Report{Mode: ReportOne}}
		o.limits.bases = 1 << 32
		model := &insertModel{low: 300, high: 500, mean: 400, spread: 30}
		w := chosenOf(t, truth.Reference(t, text.String()), model, []string{a, truth.ReverseComplement(b)}, o)
		if p := w.pairs[0]; (p.class == properPair) != c.proper || p.bounded != c.partly {
			t.Errorf("%s: class %d, bounded %t", c.what, p.class, p.bounded)
		}
		if q := w.choices[0].mapQ; (q >= 9) != c.sure {
			t.Errorf("%s: MAPQ %d of the first mate", c.what, q)
		}
		n := len(w.group.locations)
		w.group.parts[0] = w.group.locations[:1]
		if all := w.pairing.addPartners(0, 0); !all || len(w.group.locations) != n {
			t.Errorf("%s: looked for partners of a mate that is mapped by parts", c.what)
		}
	}
}

// TestPartnersBesideWorse has pairs whose only proper place has a location of the second mate with
// an edit more than its best one. With all the others,
// nothing is rescued.
func TestPartnersBesideWorse(t *testing.T) {
	t.Parallel()
	const m = 150
	r := rand.New(rand.NewPCG(9, 61))
	random := func(n int) string { return truth.Random(r, n, "ACGT") }
	worse := func(s string, n int) string { return truth.SubstitutedAt(s, []int{15, 35, 55, 75, 95, 115}[:n]...) }
	for _, c := range []struct {
		what         string
		best, proper int // edits of the first mate, at its best location and in its proper place
		firsts       int // locations of the first mate like the best one
		good, bad    int // locations of the second mate elsewhere, with no edit and with one
		twice, found bool
	}{
		{"as far as may be chosen", 0, 3, 1, 1, 20, false, true},
		{"farther than that", 0, 4, 1, 1, 20, false, false},
		{"up to the least score", 4, 6, 1, 1, 20, false, true},
		{"with two mates", 0, 2, 1, 1, 20, true, true},
		{"many places", 0, 3, 70, 10, 5, false, true},
		{"too many", 0, 3, 70, 10, 10, false, false},
	} {
		a, b := random(m), random(m)
		text := random(700)
		for range c.firsts {
			text += worse(a, c.best) + random(1100)
		}
		for range c.good {
			text += b + random(1100)
		}
		for range c.bad {
			text += worse(b, 1) + random(1100)
		}
		if c.twice {
			text += worse(a, c.proper) + random(20) + b + random(10) + worse(b, 1)
		} else {
			text += worse(a, c.proper) + random(100) + worse(b, 1)
		}
		o := Options{Local: &Local{Score: DefaultScore}, Pairs: PairOptions{Orientation: OrientationFR, MaxInsert: 1}, Report: Report{Mode: ReportOne}}
		o.limits.bases = 1 << 32
		model := &insertModel{low: 300, high: 500, mean: 400, spread: 30}
		w := chosenOf(t, truth.Reference(t, text+random(700)), model, []string{a, truth.ReverseComplement(b)}, o)
		count := 0
		for _, l := range w.group.of(w.group.spans[0]) {
			if int(l.Loss) == localDistance*c.proper {
				count++
			}
		}
		want := 0
		if c.found {
			want = 1
		}
		if count != want {
			t.Errorf("%s: %d locations in the proper place", c.what, count)
		}
	}
}

// TestPartnersOfManyInsertSizes has a mate that lies better where it cannot be proper, with as many
// insert sizes as are looked at, and with one more.
func TestPartnersOfManyInsertSizes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 61))
	random := func(n int) string { return truth.Random(r, n, "ACGT") }
	a, b := random(150), random(150)
	text := random(700) + truth.SubstitutedAt(a, 40, 110) + random(100) + b + random(700) + a + random(700)
	for more, want := range []pairClass{properPair, otherOrientation} {
		o := Options{Local: &Local{Score: DefaultScore}, Pairs: PairOptions{Orientation: OrientationFR, MaxInsert: 1}, Report: Report{Mode: ReportOne}}
		o.limits.bases = 1 << 32
		model := &insertModel{low: 300, high: 300 + partnerLongest + more, mean: 400, spread: 30}
		w := chosenOf(t, truth.Reference(t, text), model, []string{a, truth.ReverseComplement(b)}, o)
		if p := w.pairs[0]; p.class != want || p.bounded != (more > 0) {
			t.Errorf("%d more: class %d, bounded %t", more, p.class, p.bounded)
		}
	}
}

// TestPartnersOnce has mates that are likelier apart, with near locations alone, some by inserted
// bases: no location is added again.
func TestPartnersOnce(t *testing.T) {
	t.Parallel()
	const m = 100
	random := func(r *rand.Rand, n int) string { return truth.Random(r, n, "ACGT") }
	sought := 0
	for seed := range uint64(effort.Pick(60, 20)) {
		r := rand.New(rand.NewPCG(seed, 62))
		text := random(r, 500)
		var reads []string
		for range 6 {
			a, b := random(r, m), random(r, m)
			// In its proper place the first mate loses 22 by three inserted bases and two mismatches.
			proper := truth.SubstitutedAt(a[:50]+a[53:], 20, 80)
			text += proper + random(r, 200) + b + random(r, 600)
			if r.IntN(2) == 0 { // somewhere else 15 or 20, by mismatches
				text += truth.SubstitutedAt(a, []int{20, 45, 70, 85}[r.IntN(2):]...) + random(r, 600)
			}
			reads = append(reads, a, truth.ReverseComplement(b))
		}
		ref := truth.Reference(t, text)
		o := Options{Local: &Local{Score: DefaultScore}, Report: Report{Mode: ReportBest}}
		w := chosenOf(t, ref, &insertModel{low: 300, high: 500, mean: 400, spread: 30}, reads, o)
		for i := range reads {
			all := w.group.of(w.group.spans[i])
			for x := range all {
				if all[x].Loss > int32(w.group.k(i)) {
					sought++
				}
				if again := slices.IndexFunc(all[:x], func(l locate.Location) bool { return compareSites(&l, &all[x]) == 0 }); again >= 0 {
					t.Fatalf("seed %d, read %d: location %d is location %d of %d, %+v", seed, i, x, again, len(all), all[x])
				}
			}
		}
	}
	if sought < 10 {
		t.Errorf("%d locations qualify by inserted bases: the test shows little", sought)
	}
}

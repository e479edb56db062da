package main

import "math"

// A bin has the mates whose mapping qualities are in a range.
type bin struct {
	Least, Most  int // mapping quality
	Mates, Wrong int
	Promised     float64 // mean of 10^(-MAPQ/10)
}

// bins counts mates by mapping quality. Qualities above 60 go into the last bin.
func bins(qualities []quality) []bin {
	all := []bin{
		{Least: 0, Most: 0}, {Least: 1, Most: 9}, {Least: 10, Most: 19}, {Least: 20, Most: 29}, {Least: 30, Most: 39},
		{Least: 40, Most: 49}, {Least: 50, Most: 59}, {Least: 60, Most: math.MaxUint8},
	}
	for _, q := range qualities {
		for i := range all {
			if b := &all[i]; b.Least <= q.MapQ && q.MapQ <= b.Most {
				b.Mates, b.Wrong = b.Mates+q.Mates, b.Wrong+q.Wrong
				b.Promised += float64(q.Mates) * math.Pow(10, -float64(q.MapQ)/10)
			}
		}
	}
	for i := range all {
		if all[i].Mates > 0 {
			all[i].Promised /= float64(all[i].Mates)
		}
	}
	return all
}

// A point is what is left when mates below a mapping quality are dropped.
type point struct {
	MapQ          int
	Mapped, Wrong int
}

// curve sums mates up from the best quality down.
func curve(qualities []quality) []point {
	var points []point
	var sum point
	for _, q := range qualities {
		sum = point{q.MapQ, sum.Mapped + q.Mates, sum.Wrong + q.Wrong}
		points = append(points, sum)
	}
	return points
}

// atLeast returns the point of the curve for a mapping quality; no mates may be left.
func atLeast(qualities []quality, least int) point {
	p := point{MapQ: least}
	for _, q := range qualities {
		if q.MapQ >= least {
			p.Mapped, p.Wrong = p.Mapped+q.Mates, p.Wrong+q.Wrong
		}
	}
	return p
}

// area is that below the share of errors among the mates that are left, against their share of all
// mates, by trapezoids; before the first point the curve is level.
func area(qualities []quality, mates int) float64 {
	sum, lastShare, lastError := 0.0, 0.0, 0.0
	for i, p := range curve(qualities) {
		share, wrong := float64(p.Mapped)/float64(mates), float64(p.Wrong)/float64(p.Mapped)
		if i == 0 {
			lastError = wrong
		}
		sum += (share - lastShare) * (wrong + lastError) / 2
		lastShare, lastError = share, wrong
	}
	return sum
}

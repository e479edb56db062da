package mappability

import (
	"context"
	"slices"
	"strings"

	"scanmap/dna"
	"scanmap/gpu/device"
	"scanmap/internal/parallel"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// The frequency of a fragment is the least of three numbers: the frequencies of its two ends, and
// the number of its combinations. A combination is a place of the left end and a place of the right
// end in one genome, on one contig and one strand. Its insert size is from MinInsert to MaxInsert:
// on strand + from the start of the left end to the end of the right one, on strand - from the
// start of the right end to the end of the left one.
//
// Both ends are taken as K-mers of strand +. The read of a right end comes from strand -, and lies
// on the other strand than the K-mer at each place (lemma in grouped.go). So the mates of a
// combination face each other. Mates of other orientations come from the same bases, and have the
// same combinations.
//
// With edits another place may stand for an own end, as it excludes it. Then the places that stand
// for both own ends may be too near or too far apart. A fragment counts as a combination of its own
// in any case: one is added if no combination has two ends that are the own ones or exclude them.
// Each of the three numbers thus has the fragment itself, and ExcludeSelf takes 1 off their least.
//
// Combinations are counted where both ends have two places or more. No memory is needed for the
// places of other K-mers. The two reads of such a fragment belong together: a finder hands on the
// places of both at a time, and one goroutine combines and forgets them.

// runPairs counts fragments.
func runPairs(ctx context.Context, genomes []*dna.Reference, o Options) (*Frequencies, error) {
	ref, second := genomes[0], o.ends()[1]
	kmers, progress := o, o.Progress
	kmers.MinInsert, kmers.MaxInsert, kmers.ExcludeSelf = 0, 0, false
	if o.Regions != nil {
		kmers.Regions = []Region{}
	}
	for _, r := range o.Regions {
		to := min(r.To, ref.Contigs[r.Contig].Length-o.Bases()+1)
		for _, end := range o.ends() {
			if r.From < to {
				kmers.Regions = append(kmers.Regions, Region{r.Contig, r.From + end, to + end})
			}
		}
	}
	if progress != nil {
		kmers.Progress = func(done, total int64) { progress(done, 2*total) }
		o.Progress = func(done, total int64) { progress(total+done, 2*total) }
	}
	f, err := Run(ctx, genomes, kmers)
	if err != nil {
		return nil, err
	}
	f.excludeOwn, f.starts = o.ExcludeSelf, startsOf(ref, o.Bases(), o.Regions)
	var repeated []span // both ends are
	total := 0
	for _, s := range f.starts {
		for x := s.from; x < s.to; x++ {
			left, right := f.counts[x], f.counts[x+second] // which is not replaced yet
			if f.counts[x] = min(left, right); left == None || right == None {
				f.counts[x] = None
			} else if f.counts[x] > 1 {
				total++
				if last := len(repeated) - 1; last >= 0 && repeated[last].to == x {
					repeated[last].to++
				} else {
					repeated = append(repeated, span{x, x + 1})
				}
			}
		}
	}
	f.close()
	if strings.HasPrefix(f.Device, string(device.CPU)) {
		o.Device.Kind = device.CPU // where the ends were counted
	}
	c := &counter{options: &o, ref: ref, frequencies: f, progress: newProgress(o.Progress, int64(len(genomes)))}
	c.progress.last = 0 // the ends are counted
	combinations := make([]uint32, total)
	var fragments []stretch
	for left := combinations; len(repeated) > 0; repeated = repeated[1:] {
		n := repeated[0].to - repeated[0].from
		fragments = append(fragments, stretch{repeated[0], left[:n]})
		left = left[n:]
	}
	for i, genome := range genomes {
		c.own = i == 0
		c.progress.begin(int64(i))
		c.progress.expect(int64(total))
		if err := c.combine(ctx, genome, fragments, total); err != nil {
			return nil, err
		}
	}
	for _, s := range fragments {
		for i, n := range s.counts {
			f.counts[s.from+i] = min(f.counts[s.from+i], n)
		}
	}
	if o.ExcludeSelf {
		for _, s := range f.starts {
			for x := s.from; x < s.to; x++ {
				if n := &f.counts[x]; *n < Most {
					*n--
				}
			}
		}
	}
	return f, nil
}

// combine adds the combinations of fragments in a genome.
func (c *counter) combine(ctx context.Context, genome *dna.Reference, fragments []stretch, total int) error {
	if total == 0 {
		c.progress.add(1)
		return ctx.Err()
	}
	return c.withCrew(genome, 2*total, func(crew []*member, size int) error {
		return mapStretches(ctx, crew, slices.Values(fragments), (size+1)/2)
	})
}

// combinePart counts the combinations of the fragments of a part, which begin at some offsets. When
// the context ends, they are not complete.
func (m *member) combinePart(ctx context.Context, part *find.Batch, offsets []int, combinations []uint32) {
	groups := m.found.Cut(part)
	parallel.Ranges(m.options.Threads, len(groups)-1, 1, func(worker, g, _ int) {
		r, s := &m.readers[worker], &m.sides[worker]
		for i := groups[g]; i < groups[g+1] && ctx.Err() == nil; i += 2 {
			r.Aligner.Reset()
			first, second := part.Read(i), part.Read(i+1)
			all, _ := r.Append(ctx, m.lists[worker][:0], part, &m.found, i, &first)
			n := len(all)
			all, _ = r.Append(ctx, all, part, &m.found, i+1, &second)
			for j := range all {
				view := &first
				if j >= n {
					view = &second
				}
				r.Aligner.Align(view.Strand(all[j].Place), &all[j])
			}
			own := -1
			if m.own {
				own = offsets[i/2]
			}
			combinations[i/2] = addSaturated(0, m.combinations(s, all[:n], all[n:], own))
			m.lists[worker] = all
			if len(all) > keptLocations {
				r.Forget()
				m.lists[worker], m.sides[worker] = nil, sides{}
			}
		}
	})
}

// sides are the outer sides of the left and right ends of a fragment. They are scratch memory.
type sides struct{ left, right []uint64 }

// outer is the outer side of an end of a fragment: the place, and below it the position. At a place
// on strand - the left end is the right one.
func outer(l *locate.Location, left bool) uint64 {
	position := l.End
	if left == (l.Place.Strand() == locate.Forward) {
		position = l.Start
	}
	return uint64(l.Place)<<32 | uint64(position)
}

// combinations counts the combinations of places of the ends of a fragment. If it is one of the
// genome, own is where it begins there, otherwise -1.
func (m *member) combinations(s *sides, left, right []locate.Location, own int) (n uint64) {
	o := m.options
	s.left, s.right = s.left[:0], s.right[:0]
	for i := range left {
		if left[i].Place.Strand() == locate.Forward || !o.ForwardOnly {
			s.left = append(s.left, outer(&left[i], true))
		}
	}
	for i := range right {
		s.right = append(s.right, outer(&right[i], false))
	}
	slices.Sort(s.right)
	least, most := uint64(o.MinInsert), uint64(o.MaxInsert)
	for _, side := range s.left {
		first, last := side+least, side+most
		if locate.Place(side>>32).Strand() == locate.Reverse {
			// Before the start of the contig there are positions that no contig has: both are below 2^31.
			first, last = side-most, side-least
		}
		low, _ := slices.BinarySearch(s.right, first)
		high, _ := slices.BinarySearch(s.right, last+1)
		n += uint64(high - low)
	}
	if own >= 0 && o.Metric == locate.Edits && !m.ownCounts(left, right, own) {
		n++
	}
	return n
}

// ownCounts tells whether there is a combination of places that are, or exclude, the own ones of
// the ends of the fragment that begins at an offset.
func (m *member) ownCounts(left, right []locate.Location, offset int) bool {
	o := m.options
	contig := m.ref.ContigAt(offset)
	from := offset - m.ref.Contigs[contig].Start
	stands := func(l *locate.Location, from int) bool {
		return l.Place == locate.At(contig, locate.Forward) &&
			(apart(int(l.Start), from) <= o.Edits || apart(int(l.End), from+o.Length) <= o.Edits)
	}
	for i := range left {
		if !stands(&left[i], from) {
			continue
		}
		for j := range right {
			insert := int(right[j].End - left[i].Start)
			if o.MinInsert <= insert && insert <= o.MaxInsert && stands(&right[j], from+o.ends()[1]) {
				return true
			}
		}
	}
	return false
}

// apart is how far apart two positions are.
func apart(a, b int) int { return max(a-b, b-a) }

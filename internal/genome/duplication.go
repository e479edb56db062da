package genome

// Segmental duplications are copies of at least 1 kb with at least 90 % identity. Lengths are drawn
// evenly on a logarithmic scale up to 200 kb; most are young (Bailey et al. 2002, Science 297,
// 1003, Figures 1 and 2: within and between chromosomes about alike, and most bases above 95 %).
const (
	leastDuplication, mostDuplication = 1000, 200_000
	meanDivergence, mostDivergence    = 0.03, 0.095
	sameContig                        = 0.5  // share of copies whose source is on their contig
	sameSource                        = 0.25 // share of copies that begin where one before does
)

// A duplication is a copy. Its source is a stretch of the ordinary sequence of a contig.
type duplication struct {
	contig     int
	at         int64
	divergence float64
	reverse    bool
}

// sourceBases returns how many bases a source has, so that deletions leave a copy long enough: the
// mean loss is nothing, and this is over ten standard deviations of the loss for the largest
// divergence.
func sourceBases(length int) int { return length + length/16 + 200 }

// duplicate makes a copy. Its first span is the copy, the others are parts of elements in it, whose
// divergence grows by the copy's.
func (g *Genome) duplicate(s *scratch, b *block) {
	dup := b.source
	g.gather(s, dup, sourceBases(int(b.length)))
	if dup.reverse {
		reverseComplement(s.source)
		n := len(s.source)
		for i, j := 0, len(s.sourceSpans)-1; i <= j; i, j = i+1, j-1 {
			x, y := s.sourceSpans[i], s.sourceSpans[j]
			x.start, x.end, x.reverse = n-x.end, n-x.start, !x.reverse
			y.start, y.end, y.reverse = n-y.end, n-y.start, !y.reverse
			s.sourceSpans[i], s.sourceSpans[j] = y, x
		}
	}
	d := newDice(g.options.Seed, placeDuplication, uint64(b.contig), uint64(b.start))
	length := int(b.length)
	s.bases = s.bases[:0]
	r := plainRates(dup.divergence)
	segdup := &family{name: groupSegdup, group: groupSegdup}
	s.spans = append(s.spans[:0], span{0, length, element{segdup, 0, dup.reverse}})
	total, done := 0, 0
	part := func(end int) int {
		var edits int
		s.bases, edits = d.mutate(s.bases, s.source[done:end], nil, r)
		total += edits
		n := max(end-done, 1)
		done = end
		return (1000*edits + n/2) / n
	}
	for _, e := range s.sourceSpans {
		part(e.start)
		from := len(s.bases)
		if from >= length {
			break
		}
		e.perMille += int32(part(e.end))
		e.start, e.end = from, min(len(s.bases), length)
		if e.start < e.end {
			s.spans = append(s.spans, e)
		}
	}
	for end := len(s.source); done < end && len(s.bases) < length; {
		part(min(done+length-len(s.bases)+1, end))
	}
	s.spans[0].perMille = int32((1000*total + done/2) / max(done, 1))
	s.bases = s.bases[:length]
}

// gather makes the source of a duplication again: bases and spans of the ordinary sequence of a
// contig, from one position on.
func (g *Genome) gather(s *scratch, dup *duplication, length int) {
	s.source, s.sourceSpans = s.source[:0], s.sourceSpans[:0]
	c := &g.Contigs[dup.contig]
	for i := c.ordinaryBlock(dup.at); len(s.source) < length; i++ {
		b := &c.blocks[i]
		if b.kind != kindOrdinary {
			continue
		}
		g.ordinary(s, dup.contig, b.at, int(b.length))
		from := int(max(dup.at-b.at, 0))
		to := min(from+length-len(s.source), int(b.length))
		shift := len(s.source) - from
		s.source = append(s.source, s.bases[from:to]...)
		for _, e := range s.spans {
			if e.start, e.end = max(e.start, from), min(e.end, to); e.start < e.end {
				e.start, e.end = e.start+shift, e.end+shift
				s.sourceSpans = append(s.sourceSpans, e)
			}
		}
	}
}

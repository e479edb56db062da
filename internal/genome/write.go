package genome

import (
	"errors"
	"io"
	"strconv"
	"sync"
)

// lineBases is the number of bases in a line of FASTA.
const lineBases = 60

// Write writes the genome as FASTA, and the places of elements as BED if bed is not nil, by some
// threads. Both are the same for any number of threads. BED has a line for each part of an element
// that others left in one piece, sorted by contig and start, with 0-based half-open positions:
// contig, start, end, name, score, strand. The score is the edits that the whole element was made
// with for each 1,000 bases of its original. A segmental duplication is called
// segdup:contig:position, from where its source begins (0-based), and the elements that came with
// it follow it. A copy of a unit of alpha satellite is called alpha. Gaps and background have no
// lines.
func (g *Genome) Write(fasta, bed io.Writer, threads int) error {
	threads = max(threads, 1)
	var blocks []*block
	for i := range g.Contigs {
		for j := range g.Contigs[i].blocks {
			blocks = append(blocks, &g.Contigs[i].blocks[j])
		}
	}
	type made struct {
		scratch *scratch
		block   *block
		done    chan struct{}
	}
	work, ordered := make(chan *made), make(chan *made, 2*threads)
	free := make(chan *scratch, 4*threads)
	for range cap(free) {
		free <- &scratch{}
	}
	stop := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		defer close(work)
		defer close(ordered)
		for _, b := range blocks {
			var m *made
			select {
			case s := <-free:
				m = &made{s, b, make(chan struct{})}
			case <-stop:
				return
			}
			work <- m
			select {
			case ordered <- m:
			case <-stop:
				return
			}
		}
	})
	for range threads {
		group.Go(func() {
			for m := range work {
				g.render(m.scratch, m.block, bed != nil)
				close(m.done)
			}
		})
	}
	var err error
	for m := range ordered {
		<-m.done
		if _, err = fasta.Write(m.scratch.text); err == nil && bed != nil {
			_, err = bed.Write(m.scratch.bed)
		}
		free <- m.scratch
		if err != nil {
			break
		}
	}
	close(stop)
	group.Wait()
	if err != nil {
		return errors.Join(errors.New("the genome was not written"), err)
	}
	return nil
}

// render makes a block, and its text and lines of BED.
func (g *Genome) render(s *scratch, b *block, bed bool) {
	c := &g.Contigs[b.contig]
	switch b.kind {
	case kindOrdinary:
		g.ordinary(s, int(b.contig), b.at, int(b.length))
	case kindArray:
		g.array(s, int(b.contig), b.start, int(b.length))
	case kindDuplication:
		g.duplicate(s, b)
	case kindGap:
		s.bases, s.spans = s.bases[:0], s.spans[:0]
		for range b.length {
			s.bases = append(s.bases, codeN)
		}
	}
	s.text = s.text[:0]
	if b.start == 0 {
		s.text = append(append(append(s.text, '>'), c.Name...), '\n')
	}
	column := int(b.start % lineBases)
	for bases := s.bases; len(bases) > 0; {
		n := min(lineBases-column, len(bases))
		for _, code := range bases[:n] {
			s.text = append(s.text, "ACGTN"[code])
		}
		bases = bases[n:]
		if column += n; column == lineBases {
			s.text = append(s.text, '\n')
			column = 0
		}
	}
	if column > 0 && b.start+int64(b.length) == c.Length {
		s.text = append(s.text, '\n')
	}
	s.bed = s.bed[:0]
	if bed {
		for i := range s.spans {
			s.bed = g.appendBED(s.bed, &s.spans[i], b)
		}
	}
}

// appendBED appends the line of a span of a block.
func (g *Genome) appendBED(out []byte, e *span, b *block) []byte {
	out = append(append(out, g.Contigs[b.contig].Name...), '\t')
	out = append(strconv.AppendInt(out, b.start+int64(e.start), 10), '\t')
	out = append(strconv.AppendInt(out, b.start+int64(e.end), 10), '\t')
	out = append(out, e.family.name...)
	if e.family.name == groupSegdup {
		source := &g.Contigs[b.source.contig]
		from := &source.blocks[source.ordinaryBlock(b.source.at)]
		out = append(append(append(out, ':'), source.Name...), ':')
		out = strconv.AppendInt(out, from.start+b.source.at-from.at, 10)
	}
	strand := byte('+')
	if e.reverse {
		strand = '-'
	}
	out = strconv.AppendInt(append(out, '\t'), int64(min(e.perMille, 1000)), 10)
	return append(out, '\t', strand, '\n')
}

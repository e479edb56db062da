package track

import (
	"fmt"
	"sync"
	"sync/atomic"
)

const (
	// stretchLevel is the zoom level whose windows are the stretches: windows of this level and of
	// finer ones never lie in two stretches.
	stretchLevel = 7
	// stretchBases is the length of a stretch, 163,840 bases. One that has a value of its own at
	// each base takes 2 MB as items of a bigWig, and twice that as text.
	stretchBases = leastReduction << (2 * stretchLevel)
	// mostStretches is how many stretches are made at a time, at most: contigs may be short.
	mostStretches = 1024
)

// A stretch is bases [from, to) of a contig. Stretches begin at multiples of stretchBases, and are
// that long; only the last one of a contig is shorter. A contig without bases is one stretch.
type stretch struct{ contig, from, to int }

// A part is made of the intervals of a stretch. Its memory is used again.
type part interface {
	// begin empties it, for a stretch of a contig.
	begin(contig int)
	// add takes the next interval, joined with its neighbours inside the stretch.
	add(start, end int, value float32)
	// finish is called after the last one.
	finish()
}

// A portion is stretches that one goroutine makes parts of.
type portion[P part] struct {
	stretches []stretch
	parts     []P
	done      int // parts before err
	err       error
	ready     chan struct{} // holds one element when all are done
}

// overStretches makes parts of all stretches, by threads goroutines, and hands them to take in
// order. The first error in that order ends it. An error of values names the contig; an error of
// take stays unchanged.
func overStretches[P part](contigs []Contig, v Values, threads int, newPart func() P, take func(P) error) error {
	threads = max(threads, 1)
	// One is taken, one is waited for, and each goroutine has one in work.
	most := threads + 2
	work := make(chan *portion[P], most)
	var running sync.WaitGroup
	var abandoned atomic.Bool
	defer func() {
		abandoned.Store(true)
		close(work)
		running.Wait()
	}()
	for range threads {
		running.Go(func() {
			for p := range work {
				if !abandoned.Load() {
					p.make(contigs, v, newPart)
				}
				p.ready <- struct{}{}
			}
		})
	}

	var queue, free []*portion[P]
	at := stretch{}
	for {
		for at.contig < len(contigs) && len(queue) < most {
			var p *portion[P]
			if n := len(free); n > 0 {
				p, free = free[n-1], free[:n-1]
			} else {
				p = &portion[P]{ready: make(chan struct{}, 1)}
			}
			at = p.fill(contigs, at)
			work <- p
			queue = append(queue, p)
		}
		if len(queue) == 0 {
			return nil
		}
		p := queue[0]
		queue = queue[1:]
		<-p.ready
		for _, made := range p.parts[:p.done] {
			if err := take(made); err != nil {
				return err
			}
		}
		if p.err != nil {
			return p.err
		}
		free = append(free, p)
	}
}

// fill takes the next stretches from the beginning of one on, and returns where those after them
// begin.
func (p *portion[P]) fill(contigs []Contig, at stretch) (next stretch) {
	p.stretches = p.stretches[:0]
	for bases := 0; at.contig < len(contigs) && bases < stretchBases && len(p.stretches) < mostStretches; {
		length := contigs[at.contig].Length
		at.to = min(at.from+stretchBases, length)
		p.stretches = append(p.stretches, at)
		bases += at.to - at.from
		if at.from = at.to; at.from == length {
			at = stretch{contig: at.contig + 1}
		}
	}
	return at
}

// make makes the parts.
func (p *portion[P]) make(contigs []Contig, v Values, newPart func() P) {
	p.done, p.err = 0, nil
	for i, s := range p.stretches {
		if i == len(p.parts) {
			p.parts = append(p.parts, newPart())
		}
		if err := makePart(p.parts[i], s, contigs[s.contig].Length, v); err != nil {
			p.err = fmt.Errorf("contig %s: %w", contigs[s.contig].Name, err)
			return
		}
		p.done++
	}
}

// makePart makes a part of a stretch.
func makePart[P part](p P, s stretch, length int, v Values) error {
	p.begin(s.contig)
	j := joiner{emit: func(start, end int, value float32) error {
		p.add(start, end, value)
		return nil
	}}
	j.begin(s.from, s.to, length)
	var wrong error
	err := v(s.contig, s.from, s.to, func(start, end int, value float32) error {
		if wrong == nil {
			wrong = j.add(start, end, value)
		}
		return wrong
	})
	if wrong != nil {
		return wrong // also where v has lost it
	}
	if err != nil {
		return err
	}
	err = j.finish()
	p.finish()
	return err
}

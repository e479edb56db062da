package mapper

import (
	"context"
	"sync"
	"time"

	"scanmap/mapper/find"
	"scanmap/measure"
)

// A part is what was found for reads of a load that were given to a finder at a time. Parts come in
// the order of the reads.
type part struct {
	library *library
	batch   *find.Batch
	found   *find.Found
	err     error
	// used is closed when nobody uses batch and found any more.
	used chan struct{}
}

// A crew is finders at work on the loads of a run, each in a goroutine of its own. Whoever is free
// takes the next load.
type crew struct {
	k    func(length int) int // as in find.Finder.Pack
	pack *measure.Timer
	// taking guards loads, and keeps order in the order of the loads.
	taking sync.Mutex
	loads  *loads
	order  chan chan part
	wait   sync.WaitGroup
}

func newCrew(loads *loads, k func(length int) int, pack *measure.Timer) *crew {
	return &crew{k: k, pack: pack, loads: loads, order: make(chan chan part, loadsInOrder)}
}

// loadsInOrder is how many loads may be at work before the first of them is used. No finder waits
// for another while there are no more finders than that.
const loadsInOrder = 64

// A relief is told after each load how long a finder worked on it, and asked whether other finders
// are to go on in its place. It returns none while they are not ready.
type relief func(worked time.Duration) []find.Finder

// run maps all loads and gives the parts to use, in order. It returns the first error of use, of a
// finder or of the context.
func (c *crew) run(ctx context.Context, finders []find.Finder, relieved relief, use func(part) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer c.wait.Wait()
	defer cancel()
	for _, f := range finders {
		c.add(ctx, f, relieved)
	}
	go func() {
		c.wait.Wait()
		close(c.order)
	}()
	for parts := range c.order {
		for p := range parts {
			err := p.err
			if err == nil {
				err = use(p)
			}
			close(p.used)
			if err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// add has a finder take part.
func (c *crew) add(ctx context.Context, f find.Finder, relieved relief) {
	c.wait.Go(func() {
		m := newMember(f)
		for {
			l, parts, ok := c.take(ctx)
			if !ok {
				return
			}
			start := time.Now()
			m.mapLoad(ctx, c, l, parts)
			close(parts)
			if relieved == nil {
				continue
			}
			if others := relieved(time.Since(start)); len(others) > 0 {
				for _, other := range others {
					c.add(ctx, other, nil)
				}
				return
			}
		}
	})
}

// take returns the next load, and where its parts go.
func (c *crew) take(ctx context.Context) (l load, parts chan part, ok bool) {
	c.taking.Lock()
	defer c.taking.Unlock()
	if l, ok = c.loads.take(ctx); !ok {
		return load{}, nil, false
	}
	parts = make(chan part, 1)
	select {
	case c.order <- parts:
		return l, parts, true
	case <-ctx.Done():
		return load{}, nil, false
	}
}

// A member is a finder with what it found last.
type member struct {
	finder find.Finder
	parts  find.Parts
	// founds are used in turn. used[i] is closed when founds[i] is no longer used; nil before its
	// first use.
	founds []find.Found
	used   []chan struct{}
	turn   int
}

func newMember(f find.Finder) *member {
	n := 1
	if f.Ahead() {
		n = 2
	}
	return &member{finder: f, founds: make([]find.Found, n), used: make([]chan struct{}, n)}
}

// mapLoad finds what a load has on the reference, and sends it as a whole or in parts.
func (m *member) mapLoad(ctx context.Context, c *crew, l load, parts chan<- part) {
	defer func() { // the batch's memory is for the next one
		for i := range m.used {
			m.free(ctx, i)
		}
	}()
	start := c.pack.Start()
	b, err := m.finder.Pack(l.reads, l.library.together(), c.k)
	if err != nil {
		m.send(ctx, parts, part{err: err})
		return
	}
	c.pack.Add(start, int64(len(l.reads)))
	for from := 0; from < len(l.reads); {
		if !m.free(ctx, m.turn) {
			return
		}
		found := &m.founds[m.turn]
		batch, err := m.parts.Next(m.finder, b, from, found)
		if !m.send(ctx, parts, part{library: l.library, batch: batch, found: found, err: err}) {
			return
		}
		from += len(batch.Reads)
	}
}

// free waits until nobody uses founds[i]. It returns false when the run has ended.
func (m *member) free(ctx context.Context, i int) bool {
	if m.used[i] == nil {
		return ctx.Err() == nil
	}
	select {
	case <-m.used[i]:
		return true
	case <-ctx.Done():
		return false
	}
}

// send hands a part over. It returns false when nothing is wanted after it.
func (m *member) send(ctx context.Context, parts chan<- part, p part) bool {
	p.used = make(chan struct{})
	select {
	case parts <- p:
		m.used[m.turn] = p.used
		m.turn = (m.turn + 1) % len(m.founds)
		return p.err == nil
	case <-ctx.Done():
		return false
	}
}

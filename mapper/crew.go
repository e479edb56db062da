package mapper

import (
	"context"
	"errors"
	"sync"
	"time"

	"scanmap/fasta"
	"scanmap/internal/measure"
	"scanmap/mapper/find"
)

// A crew is finders at work on the batches of a run, each in a goroutine of its own. Whoever is
// free takes the next batch.
type crew struct {
	k func(length int) int // as in find.Finder.Pack
	// near, where it is not nil, returns find.Batch.Near for the reads of a library.
	near func(*library) func() int
	pack *measure.Timer
	find *measure.Timer // of all that finders do, nil for none
	// taking guards batches, and keeps order in the order of the batches.
	taking  sync.Mutex
	batches *batches
	order   chan chan part
	wait    sync.WaitGroup
	watch   *Watch // nil for none
}

func newCrew(batches *batches, k func(length int) int, pack *measure.Timer) *crew {
	return &crew{k: k, pack: pack, batches: batches, order: make(chan chan part, batchesInOrder)}
}

// batchesInOrder is how many batches may be at work before the first one is used. It is more than
// there are finders, so that none waits for another.
const batchesInOrder = 64

// A relief returns other finders that are to go on in the place of one. It is asked after each
// batch, with the number of its reads and the time that the batch took, and where a batch was
// halted, with 0 reads. It returns none while they are not ready.
type relief func(reads int, worked time.Duration) []find.Finder

// run maps all batches and gives the parts to use, in order. It returns the first error of use, of
// a finder or of the context.
func (c *crew) run(ctx context.Context, finders []find.Finder, relieved relief, use func(part) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer c.wait.Wait()
	defer cancel()
	for _, f := range finders {
		c.add(ctx, f, nil, relieved)
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

// A task is a batch, and where its parts go.
type task struct {
	of    batch
	parts chan part
}

// add has a finder take part, at first with what another one left, unless that is nil.
func (c *crew) add(ctx context.Context, f find.Finder, left *task, relieved relief) {
	c.wait.Go(func() {
		defer f.Discard() // of a batch that the end of the run cuts off
		m := newMember(f)
		for {
			next := left
			if next == nil {
				if next = c.take(ctx); next == nil {
					return
				}
			}
			start, reads := time.Now(), next.of.count()
			halted, whole := m.mapBatch(ctx, c, next)
			if left = halted; left == nil {
				close(next.parts)
			} else {
				reads = 0
			}
			if !whole {
				return // the run ends, and the finder may be inside the batch
			}
			if relieved == nil {
				continue
			}
			if others := relieved(reads, time.Since(start)); len(others) > 0 {
				for _, other := range others {
					c.add(ctx, other, left, nil)
					left = nil
				}
				return
			}
		}
	})
}

// take returns the next batch, or nil when there are no more.
func (c *crew) take(ctx context.Context) *task {
	c.taking.Lock()
	defer c.taking.Unlock()
	b, ok := c.batches.take(ctx)
	if !ok {
		return nil
	}
	parts := make(chan part, 1)
	select {
	case c.order <- parts:
		return &task{b, parts}
	case <-ctx.Done():
		return nil
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

// mapBatch finds for a batch, and sends the batch as a whole or in parts. If it is halted it
// returns the reads that are left. whole is false after an error, or when nothing is wanted any
// more: the finder can take no other batch then.
func (m *member) mapBatch(ctx context.Context, c *crew, t *task) (left *task, whole bool) {
	defer func() { // the batch's memory is for the next one
		for i := range m.used {
			m.free(ctx, i)
		}
	}()
	if ctx.Err() != nil {
		return nil, false // free has not waited for users of the memory
	}
	start := c.pack.Start()
	all, library := t.of.reads(), t.of.library
	b, err := m.finder.Pack(all, library.together(), c.k)
	if err != nil {
		m.send(ctx, t.parts, part{err: err})
		return nil, false
	}
	c.pack.Add(start, int64(len(all)))
	if c.near != nil {
		b.Near = c.near(library)
	}
	for next := 0; next < len(all); {
		if !m.free(ctx, m.turn) {
			return nil, false
		}
		found := &m.founds[m.turn]
		if !m.finder.Ahead() {
			c.watch.begin(len(all) - next)
		}
		start := time.Now()
		these, err := m.parts.Next(m.finder, b, next, found)
		if c.find != nil {
			c.find.Add(start, 0)
		}
		if errors.Is(err, find.ErrHalted) {
			c.pack.Count(int64(next - len(all))) // others pack these again
			return &task{batch{library, [][]fasta.Read{all[next:]}}, t.parts}, true
		}
		if !m.send(ctx, t.parts, part{library: library, batch: these, found: found, err: err}) {
			return nil, false
		}
		next += len(these.Reads)
	}
	return nil, true
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

package mapper

import (
	"context"
	"sync"
)

// A holder hands parts to a resolver in order. Where GPUs find, it holds a part for the first
// seeker while the resolver is at work on earlier parts, as either has stretches with few threads
// at work. Other parts wait until the resolver has nothing to do.
type holder struct {
	resolver *resolver
	progress func(reads int64)
	library  *library // whose parts came last
	team     *team    // that holds; nil before the first part
	held     chan heldPart
	ended    chan struct{}  // closed by the resolver's goroutine
	taken    sync.WaitGroup // parts that it has not resolved
}

// A heldPart is a held part with the number of reads up to its last one.
type heldPart struct {
	part  part
	reads int64
}

// heldAhead is how many held parts wait for the resolver before the holder waits, too.
const heldAhead = 2

// newHolder returns a holder. progress is called after each part, with the number of reads so far.
func newHolder(r *resolver, progress func(reads int64)) *holder {
	return &holder{resolver: r, progress: progress}
}

// take takes the next part, which nobody needs any more when it returns. It may return the error of
// an earlier part. reads is the number of reads up to the last one of the part.
func (h *holder) take(ctx context.Context, p *part, reads int64) error {
	if !h.holds(p) {
		h.taken.Wait()
		if err := h.resolver.out.failure(); err != nil {
			return err
		}
		h.library = p.library
		err := h.resolver.resolve(ctx, *p)
		h.progress(reads)
		return err
	}
	if h.team == nil {
		h.begin(ctx)
	}
	held, err := h.resolver.hold(ctx, h.team, p, span{0, len(p.batch.Reads)}, h.resolver.seekers[0].step)
	if err != nil {
		return err
	}
	h.taken.Add(1)
	h.held <- heldPart{held, reads}
	return h.resolver.out.failure()
}

// holds tells whether a part is held here: the first seeker takes it, all threads are not needed to
// find others, and a part before has settled its library's insert size.
func (h *holder) holds(p *part) bool {
	seekers := h.resolver.seekers
	return len(seekers) > 0 && seekers[0].finders.worksAhead() && seekers[0].takes(p) && !p.found.Unlisted() &&
		p.library == h.library && (!p.library.paired() || p.library.insert.Load() != nil)
}

// begin starts the resolver's goroutine.
func (h *holder) begin(ctx context.Context) {
	r := h.resolver
	h.team, h.held, h.ended = newTeam(r.ref, r.options, nil), make(chan heldPart, heldAhead), make(chan struct{})
	go func() {
		defer close(h.ended)
		for held := range h.held {
			if r.out.failure() == nil {
				if err := r.resolveHeld(ctx, &held.part); err != nil {
					_ = r.out.fail(err)
				}
				h.progress(held.reads)
			}
			h.taken.Done()
		}
	}()
}

// end waits for the resolver's goroutine.
func (h *holder) end() {
	if h.held != nil {
		close(h.held)
		<-h.ended
	}
}

package mapper

import (
	"context"
	"errors"
	"io"
	"time"

	"scanmap/fasta"
	"scanmap/measure"
)

// A load is reads of one library that become a batch. Of pairs both mates are there, next to each
// other, the first one first.
type load struct {
	library *library
	reads   []fasta.Read
}

// loadBases is the most bases of a load, so that long reads do not take more memory than short ones.
const loadBases = 1 << 27

// A loader reads the libraries one after the other and cuts them into loads.
type loader struct {
	libraries []*library // those that have not come to their end
	open      func(ctx context.Context, l *Library) (readsSource, error)
	source    readsSource    // of libraries[0], opened ahead; nil after its end
	parsed    *measure.Timer // counts the reads
	busy      time.Duration  // of sources that are closed
	finished  chan struct{}  // closed when nothing more is read; nil before start
}

// newLoader opens the first library, so that it is parsed while the reference is loaded.
func newLoader(ctx context.Context, libraries []*library, o fasta.ReadOptions, parsed *measure.Timer) (*loader, error) {
	l := &loader{libraries: libraries, parsed: parsed}
	l.open = func(ctx context.Context, library *Library) (readsSource, error) { return library.open(ctx, o) }
	var err error
	l.source, err = l.open(ctx, &libraries[0].Library)
	return l, err
}

// close ends the reading, whose context has been cancelled or which has come to its end, and returns
// what parsing took.
func (l *loader) close() (time.Duration, error) {
	if l.finished != nil {
		<-l.finished
	}
	err := l.closeSource()
	return l.busy, err
}

func (l *loader) closeSource() error {
	if l.source == nil {
		return nil
	}
	err := l.source.Close()
	l.busy += l.source.Busy()
	l.source = nil
	return err
}

// nextLibrary opens the input after the one that came to its end.
func (l *loader) nextLibrary(ctx context.Context) (more bool, err error) {
	if err := l.closeSource(); err != nil {
		return false, err
	}
	l.libraries = l.libraries[1:]
	if len(l.libraries) == 0 {
		return false, nil
	}
	l.source, err = l.open(ctx, &l.libraries[0].Library)
	return err == nil, err
}

// start reads ahead, up to so many loads more than the one that is asked for next. A load has size
// reads, or fewer at the end of a library and where they are long.
func (l *loader) start(ctx context.Context, size, ahead int) *loads {
	to := &loads{channel: make(chan load, ahead)}
	l.finished = make(chan struct{})
	go func() {
		defer close(l.finished)
		defer close(to.channel)
		for more := true; more && to.failed == nil; {
			if to.failed = l.readLibrary(ctx, size, to.channel); to.failed == nil {
				more, to.failed = l.nextLibrary(ctx)
			}
		}
	}()
	return to
}

// readLibrary sends the reads of the library that is open.
func (l *loader) readLibrary(ctx context.Context, size int, to chan<- load) error {
	library := l.libraries[0]
	together := library.together()
	size = (size + together - 1) / together * together
	var next []fasta.Read
	bases := 0
	send := func(n int) error {
		reads := next[:n:n]
		if n == size { // likely one of many
			next = append(make([]fasta.Read, 0, size+size/8), next[n:]...)
		} else {
			next = append([]fasta.Read(nil), next[n:]...)
		}
		bases = 0
		for i := range next {
			bases += len(next[i].Bases)
		}
		select {
		case to <- load{library, reads}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for {
		chunk, err := l.source.Next()
		l.parsed.Count(int64(len(chunk)))
		for i := range chunk {
			bases += len(chunk[i].Bases)
		}
		next = append(next, chunk...)
		for len(next) >= size || len(next) > 0 && bases >= loadBases {
			if err := send(min(size, len(next))); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	if len(next) > 0 {
		return send(len(next))
	}
	return nil
}

// loads are those that a loader reads. They are taken by one goroutine at a time.
type loads struct {
	channel chan load
	peeked  *load
	failed  error // of the reading; valid once take has returned false
}

// loadsOf returns one load as loads.
func loadsOf(l load) *loads {
	none := make(chan load)
	close(none)
	return &loads{channel: none, peeked: &l}
}

// peek returns the first load without taking it; it has no reads when there are none.
func (l *loads) peek(ctx context.Context) load {
	next, ok := l.take(ctx)
	if ok {
		l.peeked = &next
	}
	return next
}

// take returns the next load; ok is false when there are no more, the reading has failed, or the
// context has ended.
func (l *loads) take(ctx context.Context) (next load, ok bool) {
	if l.peeked != nil {
		next, l.peeked = *l.peeked, nil
		return next, true
	}
	select {
	case next, ok = <-l.channel:
		return next, ok
	case <-ctx.Done():
		return load{}, false
	}
}

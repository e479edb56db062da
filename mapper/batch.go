package mapper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"scanmap/fasta"
	"scanmap/internal/measure"
)

// A batch is reads of one library that share a pass over the reference, before a finder has packed
// them into a find.Batch. Both mates of a pair are there, next to each other, the first one first.
type batch struct {
	library *library
	chunks  [][]fasta.Read // as the source gave them
}

// count is the number of reads.
func (b *batch) count() (n int) {
	for _, chunk := range b.chunks {
		n += len(chunk)
	}
	return n
}

// reads brings the chunks together.
func (b *batch) reads() []fasta.Read {
	if len(b.chunks) == 1 {
		return b.chunks[0]
	}
	return slices.Concat(b.chunks...)
}

// take moves the first n reads to a batch of their own.
func (b *batch) take(n int) batch {
	first := batch{library: b.library}
	for n > 0 {
		chunk := b.chunks[0]
		if len(chunk) > n {
			first.chunks = append(first.chunks, chunk[:n:n])
			b.chunks[0] = chunk[n:]
			break
		}
		first.chunks = append(first.chunks, chunk)
		b.chunks[0] = nil // whose memory is free once its reads are mapped
		b.chunks = b.chunks[1:]
		n -= len(chunk)
	}
	return first
}

// batchBases is how many bases end a batch, with the chunk of reads that brings them, so that long
// reads do not take more memory than short ones.
const batchBases = 1 << 27

// A batcher reads the libraries one after the other and cuts them into batches.
type batcher struct {
	libraries []*library // libraries that have not come to their end
	open      func(ctx context.Context, l *Library) (fasta.Source, error)
	source    fasta.Source   // of libraries[0], opened ahead; nil after its end
	parsed    *measure.Timer // counts the reads
	busy      time.Duration  // of sources that are closed
	finished  chan struct{}  // closed when nothing more is read; nil before start
	// check, when set, is called with the first reads of each library.
	check func(of *library, first []fasta.Read) error
	watch *Watch // nil for none
}

// newBatcher opens the first library, so that it is parsed while the reference is loaded.
func newBatcher(ctx context.Context, libraries []*library, o fasta.ReadOptions, parsed *measure.Timer) (*batcher, error) {
	r := &batcher{libraries: libraries, parsed: parsed}
	r.open = func(ctx context.Context, l *Library) (fasta.Source, error) { return l.open(ctx, o) }
	var err error
	r.source, err = r.open(ctx, &libraries[0].Library)
	return r, err
}

// close ends the reading, whose context has been cancelled or which has come to its end, and
// returns what parsing took.
func (r *batcher) close() (time.Duration, error) {
	if r.finished != nil {
		<-r.finished
	}
	err := r.closeSource()
	return r.busy, err
}

func (r *batcher) closeSource() error {
	if r.source == nil {
		return nil
	}
	err := r.source.Close()
	r.busy += r.source.Busy()
	r.source = nil
	return err
}

// nextLibrary closes an input that came to its end, and opens the next one.
func (r *batcher) nextLibrary(ctx context.Context) (more bool, err error) {
	if err := r.closeSource(); err != nil {
		return false, err
	}
	r.libraries = r.libraries[1:]
	if len(r.libraries) == 0 {
		return false, nil
	}
	r.source, err = r.open(ctx, &r.libraries[0].Library)
	return err == nil, err
}

// batchSizes are how many reads a batch has, at most and where a library ends. Where last is less,
// the reads of keptBatches are kept back until the end is known. The reads left at the end are cut
// into even batches of last reads or some more, so that several finders share them.
type batchSizes struct{ most, last int }

const keptBatches = 2

// start reads ahead: at most `ahead` batches are ready beyond the batch that is asked for next. A
// batch has sizes().most reads, or fewer at the end of a library and where they are long. sizes is
// asked for each batch, in another goroutine.
func (r *batcher) start(ctx context.Context, sizes func() batchSizes, ahead int) *batches {
	to := &batches{channel: make(chan batch, ahead)}
	r.finished = make(chan struct{})
	go func() {
		defer close(r.finished)
		defer close(to.channel)
		for more := true; more && to.failed == nil; {
			if to.failed = r.readLibrary(ctx, sizes, to.channel); to.failed == nil {
				more, to.failed = r.nextLibrary(ctx)
			}
		}
	}()
	return to
}

// readLibrary sends the reads of the library that is open.
func (r *batcher) readLibrary(ctx context.Context, sizes func() batchSizes, to chan<- batch) error {
	library := r.libraries[0]
	together := library.together()
	whole := func(reads int) int { return (reads + together - 1) / together * together }
	size, kept := 0, 0
	ask := func() {
		now := sizes()
		if size, kept = whole(now.most), 0; now.last < now.most {
			kept = keptBatches * size
		}
	}
	ask()
	next := batch{library: library}
	reads, bases, all := 0, 0, 0 // the first two of next
	checked := r.check == nil
	send := func(n int) error {
		first := next.take(n)
		reads -= n
		for _, chunk := range first.chunks {
			bases -= basesOf(chunk)
		}
		select {
		case to <- first:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for {
		chunk, err := r.source.Next()
		r.parsed.Count(int64(len(chunk)))
		r.watch.parse(len(chunk))
		if !checked && len(chunk) > 0 {
			if err := r.check(library, chunk); err != nil {
				return err
			}
			checked = true
		}
		if len(chunk) > 0 {
			next.chunks = append(next.chunks, chunk)
			reads, bases, all = reads+len(chunk), bases+basesOf(chunk), all+len(chunk)
		}
		for reads >= size+kept || reads >= together && bases >= batchBases {
			if err := send(min(size, reads/together*together)); err != nil {
				return err
			}
			ask()
		}
		if errors.Is(err, io.EOF) {
			if all%together != 0 {
				return fmt.Errorf("%s: the last read has no mate", cmp.Or(library.Reads, "the source of reads"))
			}
			library.more = fasta.More(r.source)
			break
		}
		if err != nil {
			return err
		}
	}
	for shares := max(1, reads/sizes().last); reads > 0; shares-- {
		if err := send(min(whole((reads+shares-1)/shares), reads)); err != nil {
			return err
		}
	}
	return nil
}

// basesOf adds up the lengths of reads.
func basesOf(reads []fasta.Read) (n int) {
	for i := range reads {
		n += len(reads[i].Bases)
	}
	return n
}

// batches are made by a batcher, and taken by one goroutine at a time.
type batches struct {
	channel chan batch
	failed  error // of the reading; valid once take has returned false
}

// batchesOf returns one batch as batches.
func batchesOf(b batch) *batches {
	one := make(chan batch, 1)
	one <- b
	close(one)
	return &batches{channel: one}
}

// take returns the next batch; ok is false when there are no more, the reading has failed, or the
// context has ended.
func (b *batches) take(ctx context.Context) (next batch, ok bool) {
	select {
	case next, ok = <-b.channel:
		return next, ok
	case <-ctx.Done():
		return batch{}, false
	}
}

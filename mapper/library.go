package mapper

import (
	"context"
	"errors"
	"io"
	"time"

	"scanmap/fasta"
)

// A Library is one input of a run: reads, with or without mates, of one read group.
type Library struct {
	Reads string // FASTA or FASTQ file, or - for standard input
	// Mates is the file of the second mates, whose records stand in the order of Reads; empty for none.
	Mates string
	// Interleaved tells that first and second mates alternate in Reads.
	Interleaved bool
	// ReadGroup is the ID for RG tags, empty for none, and Sample its SM, for statistics.
	ReadGroup, Sample string
}

func (l *Library) paired() bool { return l.Mates != "" || l.Interleaved }

// whole returns n or, for pairs, the next even number: both mates are in one part of a batch.
func (l *Library) whole(n int) int {
	if l.paired() {
		return n + n&1
	}
	return n
}

// library is a Library at work.
type library struct {
	Library
	index int
	// insert is nil for single-end reads, and for pairs until the insert size is known.
	insert *insertModel
	// What the estimate of the insert size waits for.
	estimate *estimate
}

// A load is reads of one library that share a pass over the reference. Of pairs both mates are there, next
// to each other, the first one first.
type load struct {
	library *library
	reads   []fasta.Read
}

// readsSource is a file of reads, or two of mates.
type readsSource interface {
	Next() ([]fasta.Read, error)
	Busy() time.Duration
	Close() error
}

// open opens the input.
func (l *Library) open(ctx context.Context, o fasta.ReadOptions) (readsSource, error) {
	if l.paired() {
		pairs, err := fasta.OpenPairs(ctx, l.Reads, l.Mates, o)
		if err != nil {
			return nil, err // and not a readsSource that is a nil *fasta.Pairs
		}
		return pairs, nil
	}
	reads, err := fasta.OpenReads(ctx, l.Reads, o)
	if err != nil {
		return nil, err
	}
	return reads, nil
}

// A loader reads the libraries one after the other.
type loader struct {
	options   fasta.ReadOptions
	libraries []*library
	source    readsSource   // of libraries[0], opened ahead; nil behind the end of it
	busy      time.Duration // of sources that are closed
	finished  chan struct{} // closed when nothing more is read; nil before readLoads
}

// newLoader opens the first library, so that it is parsed while the reference is loaded.
func newLoader(ctx context.Context, o *Options) (*loader, error) {
	l := &loader{options: fasta.ReadOptions{Threads: o.Threads, Crop: o.Crop}}
	for i, library := range o.Libraries {
		l.libraries = append(l.libraries, newLibrary(i, library, o))
	}
	var err error
	l.source, err = l.libraries[0].open(ctx, l.options)
	return l, err
}

func newLibrary(index int, l Library, o *Options) *library {
	added := &library{Library: l, index: index}
	if l.paired() {
		if added.insert = o.Pairs.given(); added.insert == nil {
			added.estimate = &estimate{}
		}
	}
	return added
}

// close ends the reading, whose context has been cancelled or which has come to its end, and returns what parsing took.
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

// next opens the input behind the one that came to its end.
func (l *loader) next(ctx context.Context) (more bool, err error) {
	if err := l.closeSource(); err != nil {
		return false, err
	}
	l.libraries = l.libraries[1:]
	if len(l.libraries) == 0 {
		return false, nil
	}
	l.source, err = l.libraries[0].open(ctx, l.options)
	return err == nil, err
}

// readLoads reads ahead. A load has size reads, or fewer at the end of a library and where they are long. *failed is valid when the
// channel has been closed.
func (m *mapper) readLoads(ctx context.Context, l *loader, size, ahead int) (<-chan load, *error) {
	loads := make(chan load, ahead)
	failed := new(error)
	l.finished = make(chan struct{})
	go func() {
		defer close(l.finished)
		defer close(loads)
		for more := true; more && *failed == nil; {
			if *failed = m.readLibrary(ctx, l, size, loads); *failed == nil {
				more, *failed = l.next(ctx)
			}
		}
	}()
	return loads, failed
}

// readLibrary sends the reads of the library that is open.
func (m *mapper) readLibrary(ctx context.Context, l *loader, size int, loads chan<- load) error {
	size = l.libraries[0].whole(size)
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
		case loads <- load{l.libraries[0], reads}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for {
		chunk, err := l.source.Next()
		m.clock[stageParse].items.Add(int64(len(chunk)))
		for i := range chunk {
			bases += len(chunk[i].Bases)
		}
		next = append(next, chunk...)
		for len(next) >= size || len(next) > 0 && bases >= batchBases {
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

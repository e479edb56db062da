package records

import (
	"bufio"
	"context"
	"io"
	"sync"

	"scanmap/fasta"
	"scanmap/search"
)

// Stats says how a run went. A pair of mates is one record of two reads.
type Stats struct {
	Records, Reads int64
	// Letters are those of all reads.
	Letters int64
	// Matched are the records that have a pattern or, in Split, one barcode. Ambiguous have several
	// that are about as good.
	Matched, Ambiguous int64
	// Counts are the reads that have each pattern, if they are counted; in Split the records of each
	// barcode.
	Counts []int64
	// ByDistance are the Matched by the fewest edits of a pattern, in Split of their barcode, from 0
	// to the distance. Distances are the Counts likewise, as many numbers for each pattern.
	ByDistance, Distances []int64

	Paired  bool
	Schemes []string // that searched, none without a read
}

// Filter writes the records of reads that have a pattern, or, if Options.Invert, of reads that have
// none, in the order of the input. A record is written as fasta.AppendFASTQ has it, with the name
// as it was. Mates follow each other, unless mates is not nil: then it gets all second ones.
func Filter(ctx context.Context, o Options, w, mates io.Writer) (*Stats, error) {
	if err := o.orDefault(); err != nil {
		return nil, err
	}
	to := []*bufio.Writer{bufio.NewWriterSize(w, writeAtOnce)}
	if mates != nil {
		if to = append(to, bufio.NewWriterSize(mates, writeAtOnce)); !o.paired() {
			return nil, errNoMates
		}
	}
	stats := &Stats{ByDistance: make([]int64, o.Search.Distance+1)}
	r := &run{options: &o, stats: stats, collect: newCollector(&o, false)}
	cutter := newTrimmer(&o, o.Search.Distance, r.collect.sets)
	r.write = func(b *batch) error {
		cutter.trim(b, func(_, contig int) int { return int(b.nearest[contig].pattern) })
		for i, edits := range b.best {
			matched := edits != none
			if matched {
				stats.Matched++
				stats.ByDistance[edits]++
			}
			if matched == o.Invert {
				continue
			}
			for j := range b.width {
				t := to[j%len(to)]
				if _, err := t.Write(fasta.AppendFASTQ(t.AvailableBuffer(), &b.reads[i*b.width+j], "")); err != nil {
					return err
				}
			}
		}
		for _, t := range to {
			if err := t.Flush(); err != nil {
				return err
			}
		}
		return nil
	}
	if err := r.all(ctx); err != nil {
		return nil, err
	}
	stats.Counts, stats.Distances = r.collect.counts, r.collect.distances
	return stats, nil
}

// writeAtOnce is how many bytes are written together at most; one long read may have more.
const writeAtOnce = 1 << 18

// A run reads batches, searches them and has them written: three goroutines, each a batch ahead of
// the next.
type run struct {
	options *Options
	stats   *Stats
	collect *collector
	// write takes batches in the order of the input, from one goroutine.
	write func(b *batch) error
}

// A reader gives reads or pairs.
type reader interface {
	Next() ([]fasta.Read, error)
	Close() error
}

// open opens the files of reads.
func (o *Options) open(ctx context.Context) (reader, error) {
	how := fasta.ReadOptions{Threads: o.Search.Threads, MaxLength: o.MaxLength, WholeNames: true}
	if o.paired() {
		return fasta.OpenPairs(ctx, o.Reads, o.Mates, how)
	}
	return fasta.OpenReads(ctx, o.Reads, how)
}

// all does the run.
func (r *run) all(ctx context.Context) error {
	o := r.options
	r.stats.Paired = o.paired()
	repeated, err := search.NewRepeated(o.Patterns, r.searchOptions())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	from, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // it was only read
	packed, found, free := make(chan *batch), make(chan *batch), make(chan *batch, batches)
	for range batches {
		free <- &batch{}
	}
	var running sync.WaitGroup
	running.Go(func() { r.read(ctx, from, free, packed) })
	var written error
	running.Go(func() {
		for b := range found {
			if written == nil {
				if written = r.write(b); written != nil {
					cancel()
				}
			}
			free <- b
		}
	})
	err = r.search(ctx, repeated, packed, found)
	close(found)
	cancel()
	running.Wait()
	if written != nil {
		return written
	}
	return err
}

// batches is the number of batches at a time: one is read, one is searched, one is written.
const batches = 3

// expectedLetters is the number of letters assumed where there is more than one batch: then a table
// of neighbours/table that takes 0.2 s to make pays.
const expectedLetters = 1 << 26

// searchOptions are the options for the search of texts.
func (r *run) searchOptions() search.Options {
	s := r.options.Search
	s.ForwardOnly = s.ForwardOnly || r.options.Within != Anywhere
	return s
}

// search searches batches and passes them on. It returns what ended the input, if that is not its
// end.
func (r *run) search(ctx context.Context, repeated *search.Repeated, packed <-chan *batch, found chan<- *batch) error {
	first := true
	for b := range packed {
		if first && b.err == nil {
			repeated.Expect(expectedLetters)
		}
		first = false
		r.collect.begin(b)
		// Without a letter there is nothing to search, but patterns are checked in the first text.
		stats, err := repeated.Run(ctx, search.NewDNA(&b.ref), r.collect.add)
		if err != nil {
			return err
		}
		r.collect.settle()
		r.stats.Schemes = stats.Schemes
		r.stats.Records += int64(b.records())
		r.stats.Reads += int64(len(b.reads))
		for i := range b.reads {
			r.stats.Letters += int64(len(b.reads[i].Bases))
		}
		end := b.err
		found <- b
		if end != nil {
			if end == io.EOF {
				return nil
			}
			return end
		}
	}
	return ctx.Err()
}

// read fills batches until the end of the input or an error, which the last has.
func (r *run) read(ctx context.Context, from reader, free <-chan *batch, packed chan<- *batch) {
	defer close(packed)
	o := r.options
	width := 1
	if o.paired() {
		width = 2
	}
	packer := newPacker(o, o.Search.Distance)
	var waiting []fasta.Read
	var err error
	for {
		var b *batch
		select {
		case b = <-free:
		case <-ctx.Done():
			return
		}
		b.width, b.err, b.reads = width, nil, b.reads[:0]
		for letters := 0; letters < o.bounds.letters && b.records() < o.bounds.records; {
			if len(waiting) == 0 && err == nil {
				waiting, err = from.Next()
			}
			if len(waiting) == 0 {
				break
			}
			for i := range width {
				letters += len(waiting[i].Bases)
			}
			b.reads = append(b.reads, waiting[:width]...)
			waiting = waiting[width:]
		}
		if len(waiting) == 0 {
			b.err = err
		}
		packer.pack(b)
		select {
		case packed <- b:
		case <-ctx.Done():
			return
		}
		if b.err != nil {
			return
		}
	}
}

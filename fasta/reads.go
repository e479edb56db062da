package fasta

import (
	"context"
	"io"
	"runtime"
	"sync/atomic"
	"time"
)

// ReadOptions say how reads are read.
type ReadOptions struct {
	Threads int // goroutines that parse; 0 = all processors
	Crop    int // use the first Crop bases and qualities of each read; 0 = all
	// MaxLength is the most bases of a read in the file, before Crop; 0 is DefaultMaxLength. A
	// longer one is an error. Errors are also a header of more than 1 MiB, and a record whose text
	// has more than 4 bytes for each base of MaxLength and 4 MiB.
	MaxLength int
	// WholeNames keeps a trailing /1 or /2 of names, and what else Pairs cuts off. Names of mates then
	// may differ in that.
	WholeNames bool
	by         readers
}

// Reads reads a FASTA or FASTQ file. One goroutine cuts its text into chunks at the borders
// of records (frame_fastq.go, frame_fasta.go), several parse them (parse_reads.go), and Next
// returns the results in order. One goroutine may call Next.
type Reads struct {
	source *source
	order  chan *parseJob
	budget chan struct{} // a token for every budgetUnit of text between framing and Next
	err    error         // what Next returns from now on
	busy   atomic.Int64  // nanoseconds of parsing
}

// parseJob is a chunk on its way.
type parseJob struct {
	reads  *Reads
	chunk  chunk
	tokens int
	done   chan parsed
}

// parsed is a chunk's reads and the error after them.
type parsed struct {
	reads  []Read
	digits []byte // of each read: '1' or '2' if its name ended in /1 or /2, otherwise 0
	err    error
}

const (
	// chunkText is the text of a chunk in bytes.
	chunkText = 192 << 10
	// budgetUnit and budgetUnits bound the text that is read ahead to 1 MiB of text for each
	// thread, and 2 MiB for two or fewer, or to one record where that is larger. Two files of mates
	// have half of the threads each.
	budgetUnit  = 64 << 10
	budgetUnits = 16
)

// OpenReads opens a FASTA or FASTQ file, "-" being standard input, and starts reading ahead. Next
// returns errors of its content.
func OpenReads(ctx context.Context, path string, o ReadOptions) (*Reads, error) {
	return openReads(ctx, path, o, chunkText)
}

// openReads has the size of chunks as a parameter, for tests.
func openReads(ctx context.Context, path string, o ReadOptions, chunkSize int) (*Reads, error) {
	s, err := openSource(ctx, path)
	if err != nil {
		return nil, err
	}
	return newReads(s, o, chunkSize), nil
}

// newReads starts reading a source.
func newReads(s *source, o ReadOptions, chunkSize int) *Reads {
	return startReads(o, chunkSize, s)[0]
}

// startReads starts reading sources, one or two of mates, whose chunks the same goroutines parse.
// These end with the context of the first source, and its close waits for them: no goroutine ever
// waits for a file.
func startReads(o ReadOptions, chunkSize int, sources ...*source) []*Reads {
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	share := (o.Threads + len(sources) - 1) / len(sources)
	units := budgetUnits * max(share, 2)
	jobs := make(chan *parseJob, units*len(sources))
	var framing atomic.Int32
	framing.Store(int32(len(sources)))
	all := make([]*Reads, len(sources))
	for i, s := range sources {
		r := &Reads{source: s, order: make(chan *parseJob, units), budget: make(chan struct{}, units)}
		all[i] = r
		s.run(func() {
			defer close(r.order)
			r.frame(jobs, share, chunkSize, o.limits())
			if framing.Add(-1) == 0 {
				close(jobs)
			}
		})
	}
	for range o.Threads {
		sources[0].run(func() { parseJobs(sources[0].ctx, jobs, o) })
	}
	return all
}

// parseJobs parses chunks until there are no more or nobody waits for them.
func parseJobs(ctx context.Context, jobs <-chan *parseJob, o ReadOptions) {
	var p *parser
	for {
		var job *parseJob
		var ok bool
		select {
		case job, ok = <-jobs:
		case <-ctx.Done():
		}
		if !ok {
			return
		}
		if p == nil {
			p = newParser(o)
		}
		start := time.Now()
		result := job.reads.parse(p, &job.chunk)
		job.reads.busy.Add(int64(time.Since(start)))
		job.done <- result
		job.chunk.buffer.release()
		job.chunk.text, job.chunk.buffer = nil, nil
	}
}

// parse parses a chunk and completes its errors.
func (r *Reads) parse(p *parser, c *chunk) parsed {
	reads, err := p.parse(c)
	if err != nil {
		err.File = r.source.name
		return parsed{reads, p.digits, err}
	}
	if c.err != nil {
		return parsed{reads, p.digits, c.err.in(r.source.name, c.first+int64(c.records))}
	}
	return parsed{reads: reads, digits: p.digits}
}

// frame cuts the file into chunks and sends them to the parsers and, in order, to Next. The last
// has the error that ends the file, io.EOF when it is well.
func (r *Reads) frame(jobs chan<- *parseJob, threads, chunkSize int, limits recordLimits) {
	text, err := r.source.text(threads)
	in := &feed{ctx: r.source.ctx, r: text, block: chunkSize, limits: limits, spare: make(chan *textBuffer, 4*threads)}
	var kind format
	if err == nil {
		kind, err = in.sniff()
	}
	for next := int64(1); err == nil && kind != formatNone; {
		var c chunk
		if kind == formatFASTQ {
			c = frameFASTQ(in, next)
		} else {
			c = frameFASTA(in, next)
		}
		if c.records == 0 && c.err == nil {
			err = in.err
			break
		}
		next += int64(c.records)
		job := &parseJob{reads: r, chunk: c, done: make(chan parsed, 1)}
		if !r.send(job, jobs) || c.err != nil {
			return
		}
	}
	switch stopped := r.source.ctx.Err(); {
	case err == nil:
		err = io.EOF
	case stopped != nil:
		err = fileError(r.source.name, stopped) // rather than that the file is closed
	default:
		err = fileError(r.source.name, err)
	}
	last := &parseJob{done: make(chan parsed, 1)}
	last.done <- parsed{err: err}
	r.send(last, nil)
}

// send hands a job on once the budget allows; false when the reading was stopped.
func (r *Reads) send(job *parseJob, jobs chan<- *parseJob) bool {
	job.tokens = min(1+len(job.chunk.text)/budgetUnit, cap(r.budget))
	for range job.tokens {
		select {
		case r.budget <- struct{}{}:
		case <-r.source.ctx.Done():
			return false
		}
	}
	// Neither channel can be full before the reading is stopped: both hold as many jobs as there are
	// tokens.
	if jobs != nil {
		select {
		case jobs <- job:
		case <-r.source.ctx.Done():
			return false
		}
	}
	r.order <- job
	return true
}

// Next returns the next chunk of reads, in the order of the file; the caller owns it. At
// the end it returns io.EOF. An error comes after all reads before it.
func (r *Reads) Next() ([]Read, error) {
	p := r.next()
	return p.reads, p.err
}

// next is Next with the digits of the reads; it returns either reads or an error.
func (r *Reads) next() parsed {
	for r.err == nil {
		var job *parseJob
		var ok bool
		select {
		case job, ok = <-r.order:
		case <-r.source.ctx.Done():
		}
		if !ok {
			r.stopped()
			break
		}
		var p parsed
		select {
		case p = <-job.done:
		case <-r.source.ctx.Done():
			r.stopped()
		}
		for range job.tokens {
			<-r.budget
		}
		if p.err != nil {
			r.err = p.err
		}
		if len(p.reads) > 0 {
			return parsed{reads: p.reads, digits: p.digits}
		}
	}
	return parsed{err: r.err}
}

// stopped sets the error of a reading that was stopped by its context or Close.
func (r *Reads) stopped() {
	err := r.source.ctx.Err()
	if err == nil {
		err = io.ErrUnexpectedEOF
	}
	r.err = fileError(r.source.name, err)
}

// Busy returns the time that parsing has taken so far, summed over its goroutines; decompression
// and cutting the file into chunks do not count.
func (r *Reads) Busy() time.Duration { return time.Duration(r.busy.Load()) }

// Close stops reading and closes the file. It may be called at any time and again.
func (r *Reads) Close() error { return r.source.close() }

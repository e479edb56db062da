package mapper

import (
	"io"
	"sync"
	"sync/atomic"

	"scanmap/sam"
)

// Outputs are where a run writes. The run does not close them.
type Outputs struct {
	// Records gets the header and the records, as Form says; nil for nowhere.
	Records io.Writer
	Form    sam.WriterOptions
	// Index, when set, is called for a sorted BAM and returns where its index goes, which has a kind.
	Index func(kind sam.IndexKind) (io.Writer, error)
	// Discordant also gets the primary records of discordant and one-end-anchored pairs, as
	// DiscordantForm says; nil for nowhere.
	Discordant     io.Writer
	DiscordantForm sam.WriterOptions
	// Unmapped gets the reads whose records are unmapped, as FASTQ, or FASTA where they have no
	// qualities, as BGZF if CompressUnmapped; nil for nowhere.
	Unmapped         io.Writer
	CompressUnmapped bool
	// Found, when set, is called with the records of some neighbouring reads as values, in the order
	// of the reads, from one goroutine at a time. They are the caller's. An error ends the run.
	Found func(records []sam.Record) error
	// Counting takes locations, whether records are wanted or not; nil for nobody.
	Counting Counting
}

// A block is the output for a group of reads.
type block struct {
	records, discordant, unmapped []byte
	// lengths are the lengths of the records where the writer takes blocks over.
	lengths []uint32
	values  []sam.Record // the same as records; nil if they are not wanted
}

// size is in bytes.
func (b *block) size() int64 { return int64(len(b.records) + len(b.discordant) + len(b.unmapped)) }

// An orderedWriter writes numbered blocks in the order of their numbers, whoever
// finishes first. Whoever brings the block that is due writes it and the ones waiting behind.
type orderedWriter struct {
	// records, discordant and unmapped get the parts of blocks; the latter may be nil.
	records, discordant, unmapped io.Writer
	// taking is records where these take blocks over, or nil.
	taking *sam.Writer
	// found gets the values; it may be nil.
	found func([]sam.Record) error
	// counting is what workers hand locations to; it may be nil.
	counting Counting
	// encoding is for records, and apartEncoding for discordant ones.
	encoding, apartEncoding sam.Encoding
	mu                      sync.Mutex
	moved                   sync.Cond
	next                    int
	// reached is next and failed whether there is an err, for those who do not have mu; moves is
	// called when one changes, and may be nil.
	reached atomic.Int64
	failed  atomic.Bool
	moves   func()
	writing bool
	waiting map[int]block
	due     []block // of who writes
	// ahead is how far a block's number may lie beyond the block that is due; its writer waits until
	// then, so that a slow output bounds the memory.
	ahead int
	free  []block
	err   error
}

func newOrderedWriter(records io.Writer, ahead int) *orderedWriter {
	o := &orderedWriter{records: records, ahead: ahead, waiting: map[int]block{}}
	o.moved.L = &o.mu
	return o
}

// buffer returns an empty block.
func (o *orderedWriter) buffer() block {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n := len(o.free); n > 0 {
		b := o.free[n-1]
		o.free = o.free[:n-1]
		return b
	}
	return block{}
}

// write takes over block number n. Numbers start at 0 and leave none out, and are given
// to workers in ascending order. It returns the first error of any write.
func (o *orderedWriter) write(n int, b block) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for n >= o.next+o.ahead && o.err == nil {
		o.moved.Wait()
	}
	o.waiting[n] = b
	if o.writing {
		return o.err
	}
	o.writing = true
	for due := o.takeDue(); len(due) > 0; due = o.takeDue() {
		o.mu.Unlock()
		var err error
		for i := 0; i < len(due) && err == nil; i++ {
			err = o.writeBlock(&due[i])
		}
		o.mu.Lock()
		if err != nil && o.err == nil {
			o.err = err
		}
		o.next += len(due)
		for i := range due {
			if o.taking == nil {
				o.giveBack(&due[i])
			}
		}
		o.tell()
	}
	o.writing = false
	o.moved.Broadcast()
	return o.err
}

// tell tells waiting goroutines of a change.
func (o *orderedWriter) tell() {
	o.reached.Store(int64(o.next))
	o.failed.Store(o.err != nil)
	o.moved.Broadcast()
	if o.moves != nil {
		o.moves()
	}
}

// within tells whether block n is at most `blocks` after the block that is due, or there was an
// error. Then write, with ahead - 1, and await, with 0, do not wait for another block.
func (o *orderedWriter) within(n, blocks int) bool {
	return n <= int(o.reached.Load())+blocks || o.failed.Load()
}

// giveBack has the memory of a block used again.
func (o *orderedWriter) giveBack(b *block) {
	if b.fits() {
		o.free = append(o.free, block{records: b.records[:0], discordant: b.discordant[:0], unmapped: b.unmapped[:0], lengths: b.lengths[:0]})
	}
}

// mostDue is how many blocks are written before waiting workers are woken: with many threads, to
// wake all for each block takes longer than to write it.
const mostDue = 16

// takeDue returns the blocks to be written next, none after an error.
func (o *orderedWriter) takeDue() []block {
	o.due = o.due[:0]
	for n := o.next; len(o.due) < mostDue && o.err == nil; n++ {
		b, ok := o.waiting[n]
		if !ok {
			break
		}
		delete(o.waiting, n)
		o.due = append(o.due, b)
	}
	return o.due
}

// await waits until block n is due: all before it are written. It returns the first error of any
// write.
func (o *orderedWriter) await(n int) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for (n > o.next || o.writing) && o.err == nil {
		o.moved.Wait()
	}
	return o.err
}

// writeEarly writes the first records of block n as soon as the block is due, so that a long block
// does not have to be held, and returns their memory, empty. The next write returns its error.
func (o *orderedWriter) writeEarly(n int, records []byte) []byte {
	if o.await(n) == nil {
		// Nobody else writes: that is done by whoever brings the block that is due.
		if _, err := o.records.Write(records); err != nil {
			_ = o.fail(err)
		}
	}
	return records[:0]
}

// writeBlock writes the parts of a block.
func (o *orderedWriter) writeBlock(b *block) error {
	records := b.records
	if o.taking != nil {
		records = nil // which are given away, after the others
	}
	for _, part := range []struct {
		w    io.Writer
		text []byte
	}{{o.records, records}, {o.discordant, b.discordant}, {o.unmapped, b.unmapped}} {
		if len(part.text) == 0 {
			continue
		}
		if _, err := part.w.Write(part.text); err != nil {
			return err
		}
	}
	if len(b.values) > 0 {
		if err := o.found(b.values); err != nil {
			return err
		}
	}
	if o.taking == nil {
		return nil
	}
	taken := *b
	return o.taking.Take(b.records, b.lengths, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.giveBack(&taken)
	})
}

// maxFreeBlock is the largest buffer kept for reuse, in bytes: a read with very many
// locations does not hold its memory for the rest of the run.
const maxFreeBlock = 1 << 20

func (b *block) fits() bool {
	return cap(b.records) <= maxFreeBlock && cap(b.discordant) <= maxFreeBlock && cap(b.unmapped) <= maxFreeBlock
}

// failure returns the first error, or nil.
func (o *orderedWriter) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// fail stops the writer: every write from now on, and every one that waits, returns
// err or an earlier error.
func (o *orderedWriter) fail(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = err
	}
	o.tell()
	return o.err
}

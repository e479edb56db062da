package mapper

import (
	"io"
	"sync"
)

// An orderedWriter writes numbered blocks in the order of their numbers, whoever
// finishes first. Whoever brings the block that is due writes it and those that wait
// behind it.
type orderedWriter struct {
	w       io.Writer
	mu      sync.Mutex
	moved   sync.Cond
	next    int
	writing bool
	waiting map[int][]byte
	// ahead is how far a block's number may lie before the one that is due; its writer
	// waits until then, so that a slow output bounds the memory.
	ahead int
	free  [][]byte
	err   error
}

func newOrderedWriter(w io.Writer, ahead int) *orderedWriter {
	o := &orderedWriter{w: w, ahead: ahead, waiting: map[int][]byte{}}
	o.moved.L = &o.mu
	return o
}

// buffer returns an empty buffer for a block.
func (o *orderedWriter) buffer() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	if n := len(o.free); n > 0 {
		b := o.free[n-1]
		o.free = o.free[:n-1]
		return b
	}
	return nil
}

// write takes over block number n. Numbers start at 0 and leave none out, and are given
// to workers in ascending order. It returns the first error of any write.
func (o *orderedWriter) write(n int, block []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	for n >= o.next+o.ahead && o.err == nil {
		o.moved.Wait()
	}
	o.waiting[n] = block
	if o.writing {
		return o.err
	}
	o.writing = true
	for o.err == nil {
		due, ok := o.waiting[o.next]
		if !ok {
			break
		}
		delete(o.waiting, o.next)
		o.mu.Unlock()
		_, err := o.w.Write(due)
		o.mu.Lock()
		if err != nil {
			o.err = err
		}
		o.next++
		if cap(due) <= maxFreeBlock {
			o.free = append(o.free, due[:0])
		}
		o.moved.Broadcast()
	}
	o.writing = false
	if o.err != nil {
		o.moved.Broadcast()
	}
	return o.err
}

// maxFreeBlock is the largest buffer kept for reuse, in bytes: a read with very many
// locations does not hold its memory for the rest of the run.
const maxFreeBlock = 1 << 20

// fail stops the writer: every write from now on, and every one that waits, returns
// err or an earlier error.
func (o *orderedWriter) fail(err error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = err
	}
	o.moved.Broadcast()
	return o.err
}

package fasta

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"slices"
	"sync/atomic"
)

// A member of gzip is cut into chunks, where nothing tells blocks from each other. A goroutine
// guesses where the first block of a chunk begins, by the form that a block of codes must have, and
// decodes from there on to the first border of blocks in another chunk. The text is known when the
// text of the chunk before is: markers stand for its last 32 KiB. A chunk whose guess is not where
// the chunk before ended is decoded again, from there. Guesses cost time, and decide nothing.

// memberSizes say how members are read by several goroutines.
type memberSizes struct {
	// chunk is how many bytes one goroutine looks at, several blocks of most programs, and text the
	// most text that is guessed of a chunk.
	chunk, text int
	// least is how long a member is at least that is worth it.
	least int
}

var usualSizes = memberSizes{chunk: 256 << 10, text: 3 << 19, least: 1 << 20}

// mostMemberThreads is the most goroutines that guess for a member: one goroutine makes the text of
// their guesses, as fast as some five guess.
const mostMemberThreads = 6

// MemberMemory is the memory that threads take for each file of gzip, in bytes: chunks and their
// guesses, at work and to be used again.
func MemberMemory(threads int) int64 {
	if threads < 2 {
		return 0
	}
	return int64(min(threads, mostMemberThreads)+1) * int64(8*usualSizes.chunk+4*usualSizes.text)
}

// usualRatio is about how many bytes of text a byte of FASTQ has.
const usualRatio = 5

// mostGuesses is how many places of a chunk are tried that have codes, and are no borders after
// all.
const mostGuesses = 64

// A memberJob is a chunk at work.
type memberJob struct {
	data  []byte
	base  int64  // its offset in the member
	ahead []byte // the next chunk
	err   error  // why there is no next chunk, io.EOF at the end
	done  chan struct{}
	// The guess: the first block begins at bit start, the block after the last at bit stop. out is
	// as in a deflater; nil if nothing was guessed.
	start, stop int64
	final       bool // the last block is the member's last
	out         []uint16
}

func (j *memberJob) end() int64 { return 8 * (j.base + int64(len(j.data))) }

// guess decodes the blocks that begin in the chunk, as far as can be seen.
func (j *memberJob) guess(d *deflater[uint16], unknown []uint16, most int) {
	for guesses, from := 0, 8*j.base; guesses < mostGuesses; {
		start, ok := j.border(from)
		if !ok {
			return
		}
		from = start + 1
		d.more = nil
		d.begin(j.data, j.base, start+3)
		if d.codes() != nil {
			continue
		}
		guesses++
		d.out, d.most, d.flush = append(d.out[:0], unknown...), most, nil
		d.begin(j.data, j.base, start)
		ahead := j.ahead
		d.more = func() []byte {
			next := ahead
			ahead = nil
			return next
		}
		final, err := d.blocks(j.end())
		if err == nil {
			j.start, j.stop, j.final, j.out = start, d.position(), final, d.out
			d.out = nil
			return
		}
		if errors.Is(err, errTooLong) || errors.Is(err, errInputEnd) {
			return // which is no accident
		}
	}
}

// blocks decodes blocks until one begins at a bit or after it, or the last one has ended.
func (d *deflater[S]) blocks(end int64) (final bool, err error) {
	for !final && err == nil && d.position() < end {
		final, err = d.block()
	}
	return final, err
}

// border returns the first bit, from one on, where the head of a block of codes may begin that is
// not the last one, by the code of its lengths.
func (j *memberJob) border(from int64) (at int64, ok bool) {
	for ; from < j.end(); from++ {
		i := int(from/8 - j.base)
		if i+18 > len(j.data) {
			return 0, false
		}
		v := binary.LittleEndian.Uint64(j.data[i:]) >> (from % 8)
		if v&7 != 4 || v>>3&31 > 29 || v>>8&31 > 29 {
			continue
		}
		n := int(v>>13&15) + 4
		// Lengths of 3 bits, the first from bit 17 on.
		rest := binary.LittleEndian.Uint64(j.data[i+2:])>>(from%8)>>1 | binary.LittleEndian.Uint64(j.data[i+10:])<<(63-from%8)
		sum := 0
		for range n {
			if length := rest & 7; length > 0 {
				sum += 1 << (7 - length)
			}
			rest >>= 3
		}
		if sum == 1<<7 {
			return from, true
		}
	}
	return 0, false
}

// A memberReader reads the text of a member from its first block on.
type memberReader struct {
	s  *source
	in io.Reader
	// over tells that the member has ended: nothing more is guessed, and soon nothing more read.
	over  atomic.Bool
	order <-chan *memberJob
	used  chan []uint16 // what jobs had, for others
	job   *memberJob    // at hand
	// before are the last bytes before it: a deflater takes up to eight bytes that it does not use.
	before []byte
	// position is the bit from which on nothing is decoded yet, and known the window, before which
	// nothing is to be copied from.
	position int64
	known    []uint16
	d        deflater[uint16] // for blocks that were not guessed
	text     []byte           // to be read
	buffer   []byte
	checksum uint32
	length   uint32
	err      error
}

// newMemberReader reads a member by some goroutines. in is at its first block.
func newMemberReader(s *source, in io.Reader, threads int, sizes memberSizes) *memberReader {
	threads = min(threads, mostMemberThreads)
	order, jobs := make(chan *memberJob, threads), make(chan *memberJob, threads)
	used := make(chan []uint16, threads)
	unknown := make([]uint16, windowSize)
	for i := range unknown {
		unknown[i] = marker + uint16(i)
	}
	known := make([]uint16, windowSize)
	for i := range known {
		known[i] = marker
	}
	m := &memberReader{s: s, in: in, order: order, used: used, known: known, d: deflater[uint16]{window: windowSize}}
	s.run(func() {
		defer close(order)
		defer close(jobs)
		last, err := readChunk(in, 0, sizes.chunk)
		for err == nil && last != nil {
			var next *memberJob
			if !m.over.Load() {
				next, err = readChunk(in, last.base+int64(len(last.data)), sizes.chunk)
			}
			if last.err = err; next != nil {
				last.ahead = next.data
			}
			for _, to := range []chan<- *memberJob{order, jobs} {
				select {
				case to <- last:
				case <-s.ctx.Done():
					return
				}
			}
			last = next
		}
	})
	for range threads {
		s.run(func() {
			d := &deflater[uint16]{window: windowSize}
			for job := range jobs {
				select {
				case d.out = <-used:
				default:
					d.out = make([]uint16, 0, windowSize+usualRatio*sizes.chunk)
				}
				if !m.over.Load() {
					job.guess(d, unknown, sizes.text)
				}
				close(job.done)
			}
		})
	}
	return m
}

// readChunk reads the next chunk. After one that is not whole the error follows.
func readChunk(in io.Reader, base int64, size int) (*memberJob, error) {
	j := &memberJob{data: make([]byte, size), base: base, done: make(chan struct{})}
	n, err := io.ReadFull(in, j.data)
	if j.data = j.data[:n]; n > 0 {
		return j, nil // the error comes again
	}
	return nil, err
}

// next takes the next job, once it is done, and tells whether there is one.
func (m *memberReader) next() bool {
	j, ok := <-m.order
	if !ok {
		return false
	}
	if m.job != nil {
		m.before = append(m.before, m.job.data[max(len(m.job.data)-bytesTaken, 0):]...)
		m.before = append(m.before[:0], m.before[max(len(m.before)-bytesTaken, 0):]...)
	}
	m.job = j
	select {
	case <-j.done:
		return true
	case <-m.s.ctx.Done():
		return false
	}
}

// stopped is why there is no next job: io.EOF at the end of the input.
func (m *memberReader) stopped() error {
	if err := m.s.ctx.Err(); err != nil {
		return err
	}
	if m.job != nil && m.job.err != nil {
		return m.job.err
	}
	return io.EOF
}

// bytesTaken is the most bytes that a deflater has taken and not used.
const bytesTaken = 8

// from returns the bytes at hand, from an offset on if it lies before the job's bytes.
func (m *memberReader) from(at int64) []byte {
	if at >= m.job.base {
		return m.job.data
	}
	return slices.Concat(m.before[len(m.before)-int(m.job.base-at):], m.job.data)
}

// Read returns io.EOF after the last block; rest has what follows then.
func (m *memberReader) Read(p []byte) (int, error) {
	for len(m.text) == 0 && m.err == nil {
		m.err = m.decode()
	}
	if len(m.text) > 0 {
		n := copy(p, m.text)
		m.text = m.text[n:]
		return n, nil
	}
	return 0, m.err
}

// decode has more text, or tells that there is none.
func (m *memberReader) decode() error {
	for m.job == nil || m.position >= m.job.end() {
		if !m.next() {
			return m.ended()
		}
	}
	m.buffer = m.buffer[:0]
	j := m.job
	if j.out != nil && j.start == m.position {
		sound := m.append(j.out[windowSize:])
		m.position = j.stop
		select {
		case m.used <- j.out:
		default:
		}
		j.out = nil
		return m.finish(sound, j.final, nil)
	}
	d := &m.d
	d.out, d.most = append(d.out[:0], m.known...), 0
	d.begin(m.from(m.position/8), min(m.position/8, j.base), m.position)
	d.more = func() []byte {
		if !m.next() {
			return nil
		}
		return m.job.data
	}
	sound := true
	d.flush = func() {
		sound = m.append(d.out[windowSize:]) && sound
		d.out = append(d.out[:0], m.known...)
	}
	final, err := d.blocks(j.end())
	d.flush()
	m.position = d.position()
	return m.finish(sound, final, err)
}

// append appends the text of symbols, and tells whether the whole text is known: no copy is from
// before the member. It moves the window on.
func (m *memberReader) append(symbols []uint16) (sound bool) {
	at := len(m.buffer)
	m.buffer = append(m.buffer, make([]byte, len(symbols))...)
	to := m.buffer[at:]
	strange := uint16(0)
	for i, s := range symbols {
		if s >= marker {
			s = m.known[s-marker]
			strange |= s
		}
		to[i] = byte(s)
	}
	if n := len(to); n >= windowSize {
		for i, b := range to[n-windowSize:] {
			m.known[i] = uint16(b)
		}
	} else {
		copy(m.known, m.known[n:])
		for i, b := range to {
			m.known[windowSize-n+i] = uint16(b)
		}
	}
	return strange < marker
}

// finish hands the decoded text on, or reports its fault.
func (m *memberReader) finish(sound, final bool, err error) error {
	m.text = m.buffer
	m.checksum = crc32.Update(m.checksum, crc32.IEEETable, m.text)
	m.length += uint32(len(m.text))
	switch {
	case errors.Is(err, errInputEnd):
		return m.ended()
	case err != nil || !sound:
		return flate.CorruptInputError(m.position / 8)
	case final:
		m.over.Store(true)
		return m.check()
	}
	return nil
}

// ended is the error where the input ends too soon.
func (m *memberReader) ended() error {
	if err := m.stopped(); err != io.EOF {
		return err
	}
	return io.ErrUnexpectedEOF
}

// check reads what follows the last block, and compares. io.EOF tells that all is well.
func (m *memberReader) check() error {
	var trailer [8]byte
	if _, err := io.ReadFull(m.rest(), trailer[:]); err != nil {
		return m.ended()
	}
	m.position += int64(-m.position&7) + 64
	if binary.LittleEndian.Uint32(trailer[:]) != m.checksum || binary.LittleEndian.Uint32(trailer[4:]) != m.length {
		return gzip.ErrChecksum
	}
	return io.EOF
}

// rest reads what follows the bytes that were decoded.
func (m *memberReader) rest() io.Reader { return &memberRest{m: m, at: (m.position + 7) / 8} }

// A memberRest reads the bytes that were taken from the input already, and then the input. It takes
// no goroutine, so that a file may have any number of members.
type memberRest struct {
	m  *memberReader // nil when all that was read already is through
	at int64
	in io.Reader
}

// A buffered reads its buffer, and then the reader beneath, if that is known.
type buffered struct {
	*bufio.Reader
	beneath io.Reader
}

// through leaves out readers that have nothing more of their own: otherwise the readers of all
// members before would lie in each other.
func through(in io.Reader) io.Reader {
	for {
		switch next := in.(type) {
		case *memberRest:
			if next.m != nil {
				return in
			}
			in = next.in
		case *buffered:
			if next.beneath == nil || next.Buffered() > 0 {
				return in
			}
			in = next.beneath
		default:
			return in
		}
	}
}

func (r *memberRest) Read(p []byte) (int, error) {
	for r.m != nil && r.at >= r.m.job.end()/8 {
		if r.m.next() {
			continue
		}
		if r.m.s.ctx.Err() != nil || r.m.job.err != nil {
			return 0, r.m.stopped()
		}
		r.in, r.m = r.m.in, nil
	}
	if r.m == nil {
		r.in = through(r.in)
		return r.in.Read(p)
	}
	n := copy(p, r.m.from(r.at)[max(r.at-r.m.job.base, 0):])
	r.at += int64(n)
	return n, nil
}

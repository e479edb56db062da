package fasta

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// BGZF is gzip in members of at most 64 KiB of text. An extra field in the header of a member gives
// the member's length. Members can therefore be found without inflating, and inflated in parallel.
// A BGZF file ends with an empty member, bgzfEnd. Files are joined with cat, so it ends nothing
// here, but a file whose last member is BGZF must end with it: nothing else tells such a file from
// a file that was cut between two members. From the first member that is not BGZF on, a gzipReader
// reads the rest.

// bgzfEnd is the member that ends a BGZF file (SAM specification, section 4.1.2).
const bgzfEnd = "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\x06\x00\x42\x43\x02\x00" +
	"\x1b\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// errBGZFEnd is the end of a file whose last member is BGZF and not bgzfEnd.
var errBGZFEnd = errors.New("the end-of-file block of the BGZF data is missing: the file is probably truncated")

const (
	// bgzfText is the most text of a member.
	bgzfText = 64 << 10
	// bgzfGroup is how many members one goroutine inflates at a time, enough to
	// make handing them over cheap.
	bgzfGroup = 8
)

// errBGZFHeader is the error of a member that says it is BGZF, and has a size in which its own
// header has no room. As gzip it may be whole: a longer extra field swallows the member, up to
// another one.
var errBGZFHeader = errors.New("the BGZF data is corrupt: the size of a block is less than that of its header")

// bgzfBlockSize returns the size in bytes of the BGZF member that in is about to give, 0 if it is
// no BGZF member. Nothing is consumed. The error is errBGZFHeader.
func bgzfBlockSize(in *bufio.Reader) (int, error) {
	head, err := in.Peek(12)
	if err != nil || !bytes.HasPrefix(head, []byte{0x1f, 0x8b, 8, 4}) {
		return 0, nil // another flag than FEXTRA is no BGZF either
	}
	length := int(binary.LittleEndian.Uint16(head[10:]))
	head, err = in.Peek(12 + length)
	if err != nil {
		return 0, nil
	}
	for extra := head[12:]; len(extra) >= 4; {
		n := int(binary.LittleEndian.Uint16(extra[2:]))
		if len(extra) < 4+n {
			return 0, nil
		}
		if extra[0] == 'B' && extra[1] == 'C' && n == 2 {
			size := int(binary.LittleEndian.Uint16(extra[4:])) + 1
			if size < 12+length+8 {
				return 0, errBGZFHeader
			}
			return size, nil
		}
		extra = extra[4+n:]
	}
	return 0, nil
}

// bgzfJob is a group of members.
type bgzfJob struct {
	members [][]byte
	err     error         // after the members: what ends the file
	rest    io.Reader     // instead of members: the rest of the file
	result  chan inflated // takes one result without blocking
}

// bgzfReader reads the groups in order.
type bgzfReader struct {
	s     *source
	order <-chan *bgzfJob
	now   inflated
	rest  io.Reader
}

func newBGZF(s *source, in *bufio.Reader, threads int) io.Reader {
	threads = max(threads, 1)
	order := make(chan *bgzfJob, 2*threads)
	jobs := make(chan *bgzfJob, 2*threads)
	s.run(func() {
		defer close(jobs)
		members := bgzfMembers{in: in}
		for {
			job, last := members.group()
			select {
			case order <- job:
			case <-s.ctx.Done():
				return
			}
			if job.rest == nil {
				select {
				case jobs <- job:
				case <-s.ctx.Done():
					return
				}
			}
			if last {
				return
			}
		}
	})
	for range threads {
		s.run(func() {
			var d deflater[byte]
			for job := range jobs {
				job.result <- job.inflate(&d)
			}
		})
	}
	return &bgzfReader{s: s, order: order}
}

// bgzfMembers reads members without inflating them.
type bgzfMembers struct {
	in    *bufio.Reader
	ended bool // the last member so far is bgzfEnd
}

// group reads the next group; last tells that nothing follows it.
func (b *bgzfMembers) group() (job *bgzfJob, last bool) {
	job = &bgzfJob{result: make(chan inflated, 1)}
	for len(job.members) < bgzfGroup {
		size, err := bgzfBlockSize(b.in)
		if err != nil {
			job.err = err
			return job, true
		}
		if size == 0 {
			if len(job.members) > 0 {
				return job, false // the next call comes back here
			}
			switch _, err := b.in.Peek(1); {
			case err == nil:
				job.rest = &gzipReader{in: b.in, any: true}
			case err == io.EOF && !b.ended:
				job.err = errBGZFEnd
			default:
				job.err = err // io.EOF when all is well
			}
			return job, true
		}
		member := make([]byte, size)
		if _, err := io.ReadFull(b.in, member); err != nil {
			job.err = inflateError("BGZF", err)
			return job, true
		}
		job.members = append(job.members, member)
		b.ended = string(member) == bgzfEnd
	}
	return job, false
}

// inflate inflates the members of a group.
func (job *bgzfJob) inflate(d *deflater[byte]) inflated {
	text := make([]byte, 0, len(job.members)*bgzfText+roomOfMany)
	for _, m := range job.members {
		var err error
		if text, err = inflateMember(d, m, text); err != nil {
			return inflated{text, inflateError("BGZF", err)}
		}
	}
	return inflated{text, job.err}
}

var (
	errBGZFLength   = errors.New("the length of a block is wrong")
	errBGZFChecksum = errors.New("the checksum of a block is wrong")
)

// inflateMember appends the text of a whole BGZF member to text, which has room for a member and
// roomOfMany more.
func inflateMember(d *deflater[byte], m, text []byte) ([]byte, error) {
	body := m[12+int(binary.LittleEndian.Uint16(m[10:])):]
	deflated, tail := body[:len(body)-8], body[len(body)-8:]
	length := int(binary.LittleEndian.Uint32(tail[4:]))
	if length > bgzfText {
		return text, errBGZFLength
	}
	d.begin(deflated, 0, 0)
	d.out, d.most = text[len(text):], max(length, 1)
	final, err := d.blocks(int64(8 * len(deflated)))
	// A member of the same text may follow, whose length and checksum these then are.
	short := !final || d.position() <= int64(8*(len(deflated)-1))
	switch {
	case err == nil && short, err == nil && len(d.out) != length, errors.Is(err, errTooLong), errors.Is(err, errInputEnd):
		return text, errBGZFLength
	case err != nil:
		return text, err
	}
	if crc32.ChecksumIEEE(d.out) != binary.LittleEndian.Uint32(tail) {
		return text, errBGZFChecksum
	}
	return text[:len(text)+length], nil
}

func (b *bgzfReader) Read(p []byte) (int, error) {
	for len(b.now.text) == 0 {
		if b.now.err != nil {
			return 0, b.now.err
		}
		if b.rest != nil {
			return b.rest.Read(p)
		}
		var job *bgzfJob
		select {
		case job = <-b.order:
		case <-b.s.ctx.Done():
			return 0, b.s.ctx.Err()
		}
		if job.rest != nil {
			b.rest = job.rest
			continue
		}
		select {
		case b.now = <-job.result:
		case <-b.s.ctx.Done():
			return 0, b.s.ctx.Err()
		}
	}
	n := copy(p, b.now.text)
	b.now.text = b.now.text[n:]
	return n, nil
}

package fasta

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/biogo/biogo/alphabet"
	"github.com/biogo/biogo/io/seqio/fasta"
	"github.com/biogo/biogo/seq"

	"scanmap/dna"
)

// referenceBlock is the text in bytes that is parsed at a time.
const referenceBlock = 1 << 20

// LoadReference reads a FASTA file, "-" being standard input, and packs it. One goroutine cuts the
// text into blocks at the ends of lines, threads goroutines (0 = all processors) parse and pack
// them, and the results are joined in order.
func LoadReference(ctx context.Context, path string, threads int) (*dna.Reference, error) {
	return loadReference(ctx, path, threads, referenceBlock, bulkAndBiogo)
}

// blockJob is a block on its way.
type blockJob struct {
	block block
	err   error // instead of a block: what ends the file, io.EOF when it is well
	done  chan parsedBlock
}

// parsedBlock is what a block holds.
type parsedBlock struct {
	fragments []fragment
	planes    []uint64 // with the planes of fragments, nil if these have their own
	err       error
}

// loadReference has the size of blocks and who reads them as parameters, for tests.
func loadReference(ctx context.Context, path string, threads, blockSize int, by readers) (*dna.Reference, error) {
	s, err := openSource(ctx, path)
	if err != nil {
		return nil, err
	}
	return readReference(s, threads, blockSize, by)
}

// readReference is loadReference for an open source, which it closes.
func readReference(s *source, threads, blockSize int, by readers) (*dna.Reference, error) {
	defer func() { _ = s.close() }() // it was only read
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	// Blocks wait in order for as long as one before them is being parsed.
	order := make(chan *blockJob, 2*threads)
	jobs := make(chan *blockJob, 2*threads)
	spare := make(chan []uint64, 4*threads)
	s.run(func() {
		defer close(jobs)
		frameBlocks(s, threads, blockSize, order, jobs)
	})
	for range threads {
		s.run(func() {
			var p *referenceParser
			for job := range jobs {
				if p == nil {
					p = newReferenceParser(by)
					p.bulk.spare = spare
				}
				job.done <- p.parse(job.block)
				job.block.buffer.release()
			}
		})
	}
	a := assembler{file: s.name, reference: &dna.Reference{}}
	a.reference.Bases.Expect(s.size())
	for {
		var job *blockJob
		select {
		case job = <-order:
		case <-s.ctx.Done():
			return nil, fileError(s.name, s.ctx.Err())
		}
		if job.err == io.EOF {
			return a.finish()
		}
		if record := (*recordError)(nil); errors.As(job.err, &record) {
			return nil, record.in(s.name, a.record+1)
		}
		if job.err != nil {
			return nil, fileError(s.name, job.err)
		}
		select {
		case p := <-job.done:
			for i := range p.fragments {
				if err := a.add(&p.fragments[i]); err != nil {
					return nil, err
				}
			}
			if p.err != nil {
				return nil, fileError(s.name, p.err)
			}
			if p.planes != nil {
				select {
				case spare <- p.planes:
				default: // there are enough
				}
			}
		case <-s.ctx.Done():
			return nil, fileError(s.name, s.ctx.Err())
		}
	}
}

// frameBlocks cuts the file into blocks and sends them to the parsers and, in order, to
// the assembler. The last job has the error that ends the file.
func frameBlocks(s *source, threads, blockSize int, order, jobs chan<- *blockJob) {
	text, err := s.text(threads)
	in := &feed{ctx: s.ctx, r: text, reference: true, block: blockSize, spare: make(chan *textBuffer, 4*threads)}
	kind := formatNone
	if err == nil {
		kind, err = in.sniff()
	}
	midLine := false
	for {
		job := &blockJob{done: make(chan parsedBlock, 1)}
		if err == nil && kind == formatFASTA {
			job.block, midLine = frameReference(in, midLine)
		}
		end := len(job.block.text) == 0
		if end {
			if job.err = err; err == nil {
				job.err = in.err
			}
			if job.err == nil {
				job.err = io.EOF
			}
		}
		select {
		case order <- job:
		case <-s.ctx.Done():
			return
		}
		if end {
			return
		}
		select {
		case jobs <- job:
		case <-s.ctx.Done():
			return
		}
	}
}

// assembler joins fragments to a reference.
type assembler struct {
	file      string
	reference *dna.Reference
	record    int64
}

// add appends the next fragment.
func (a *assembler) add(f *fragment) error {
	if f.start {
		if err := a.endContig(); err != nil {
			return err
		}
		a.record++
		err := checkContigName(f.name)
		if err == nil {
			err = a.reference.AddContig(f.name, f.comment)
		}
		if err != nil {
			return a.fail(f.name, err)
		}
	}
	if len(a.reference.Contigs) == 0 {
		return &Error{File: a.file, Err: errMalformed} // sniff saw a header, so this cannot be
	}
	contig := &a.reference.Contigs[len(a.reference.Contigs)-1]
	if f.wrongAt >= 0 {
		return a.fail(contig.Name, fmt.Errorf("the byte %q at position %d is not a base", []byte{f.wrong}, contig.Length+f.wrongAt+1))
	}
	if contig.Length+f.bases.Length > dna.MaxContigLength {
		return a.fail(contig.Name, fmt.Errorf("the contig is longer than %d bases, the most that SAM allows", dna.MaxContigLength))
	}
	a.reference.Append(&f.bases, f.exceptions)
	return nil
}

// endContig checks the contig that is complete now.
func (a *assembler) endContig() error {
	if n := len(a.reference.Contigs); n > 0 && a.reference.Contigs[n-1].Length == 0 {
		return a.fail(a.reference.Contigs[n-1].Name, errors.New("the contig has no bases; SAM allows no contig of length 0"))
	}
	return nil
}

// finish returns the complete reference.
func (a *assembler) finish() (*dna.Reference, error) {
	if len(a.reference.Contigs) == 0 {
		return nil, &Error{File: a.file, Err: errors.New("no contigs; expected FASTA with at least one record")}
	}
	if err := a.endContig(); err != nil {
		return nil, err
	}
	a.reference.Finish()
	return a.reference, nil
}

func (a *assembler) fail(name string, err error) error {
	return &Error{File: a.file, Record: a.record, Name: name, Err: err}
}

// referenceParser turns blocks into fragments: in bulk, or else through biogo's reader. One
// goroutine uses it.
type referenceParser struct {
	by     readers
	bulk   bulkReference
	in     bytes.Reader
	lines  *bufio.Reader
	joined []byte
	sizes  []int // upper bounds of the lengths of the fragments
}

func newReferenceParser(by readers) *referenceParser {
	return &referenceParser{by: by, lines: bufio.NewReaderSize(nil, lineBuffer)}
}

// parse packs a block.
func (p *referenceParser) parse(b block) parsedBlock {
	if p.by == bulkAndBiogo {
		if result, ok := p.bulk.parse(b); ok {
			return result
		}
	}
	return p.parseBiogo(b)
}

// parseBiogo packs a block through biogo's reader. A block that starts inside a record gets a
// header for it, whose fragment is then no start.
func (p *referenceParser) parseBiogo(b block) parsedBlock {
	j := joiner{text: p.joined[:0], start: -1}
	p.sizes = p.sizes[:0]
	continued := b.midLine || b.text[0] != '>'
	if continued {
		j.header([]byte{'>'})
	}
	for text, first := b.text, true; len(text) > 0; first = false {
		line, n := cutLine(text)
		text = text[n:]
		if len(line) == 0 || line[0] != '>' || first && b.midLine {
			j.bases(line)
			continue
		}
		if continued || !first {
			p.sizes = append(p.sizes, j.letters)
		}
		j.header(line)
	}
	j.endLine()
	p.sizes = append(p.sizes, j.letters)
	p.joined = j.text

	p.in.Reset(j.text)
	p.lines.Reset(&p.in)
	c := contigCollector{sizes: p.sizes, out: make([]fragment, 0, len(p.sizes))}
	reader := fasta.NewReader(p.lines, &c)
	var err error
	for err == nil {
		_, err = reader.Read()
	}
	if err != io.EOF {
		return parsedBlock{err: err}
	}
	if len(c.out) != j.headers {
		return parsedBlock{err: errMalformed}
	}
	if continued {
		c.out[0].start = false
	}
	last := &c.out[len(c.out)-1]
	if j.stopped && last.wrongAt < 0 {
		last.wrong, last.wrongAt = j.wrong, last.bases.Length
	}
	for i := range c.out {
		c.out[i].trim()
	}
	return parsedBlock{fragments: c.out}
}

// contigCollector is the template that biogo's reader fills, in the manner of readCollector.
type contigCollector struct {
	seq.Sequence
	sizes []int
	out   []fragment
}

// Clone returns the template itself.
func (t *contigCollector) Clone() seq.Sequence { return t }

// SetName starts a fragment.
func (t *contigCollector) SetName(name string) error {
	t.out = append(t.out, fragment{start: true, name: name, wrongAt: -1})
	if n := len(t.out); n <= len(t.sizes) {
		t.out[n-1].reserve(t.sizes[n-1])
	}
	return nil
}

// SetDescription sets the comment of the last fragment.
func (t *contigCollector) SetDescription(description string) error {
	t.out[len(t.out)-1].comment = comment(description)
	return nil
}

// AppendLetters packs bases to the last fragment.
func (t *contigCollector) AppendLetters(letters ...alphabet.Letter) error {
	t.out[len(t.out)-1].append(alphabet.LettersToBytes(letters))
	return nil
}

// AppendQLetters is for FASTQ, which a reference is not.
func (t *contigCollector) AppendQLetters(...alphabet.QLetter) error { return errMalformed }

package variants

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/internal/parallel"
)

// maxLine is the most bytes of a line. A record of a million samples has a few dozen MB.
const maxLine = 1 << 28

// LeftOut counts the parts of a VCF that no text is made for.
type LeftOut struct {
	// Symbolic alleles are those in angle brackets and breakends; Long ones have more than
	// MaxAllele letters; Overlapping is the number of copies of samples on which an allele overlaps
	// one before.
	Symbolic, Long, Overlapping int64
	// Uncarried alleles are alleles that no sample has.
	Uncarried int64
	// First names the first symbolic or long allele.
	First string
}

// add adds what another part of the file has, which comes after it.
func (l *LeftOut) add(more *LeftOut) {
	l.Symbolic += more.Symbolic
	l.Long += more.Long
	l.Overlapping += more.Overlapping
	l.Uncarried += more.Uncarried
	l.First = cmp.Or(l.First, more.First)
}

// vcfReader reads the sites of a VCF. Lines are read in chunks, several at a time; their records
// are then taken in their order.
type vcfReader struct {
	ref     *dna.Reference
	name    string // for messages
	in      *bufio.Reader
	file    io.Closer
	threads int
	line    int64
	buffer  []byte
	samples []string
	left    LeftOut
	alleles int // that were read
	// contigs are the contigs of the reference by name; done are the contigs whose records were all
	// read.
	contigs  map[string]int
	done     []bool
	contig   int
	position int
	// open are alleles of samples that later ones may overlap.
	open []*allele
	sets map[string]int // phase sets of the contig by their names
	// text begins with whole bytes of whole lines, which were parsed into records; those before
	// taken have been taken. It has at most a line and chunk bytes; ended is why nothing comes
	// after it.
	chunk   int
	maxLine int // maxLine, but for tests
	text    []byte
	whole   int
	ended   error
	lines   []numbered
	parsed  []parsed
	taken   int
	parsers []recordParser // of each goroutine
}

// numbered is a line with its number.
type numbered struct {
	number int64
	text   []byte
}

// chunkOfThread are the bytes of a chunk for each goroutine, and mostThreads is how many of these
// count: calls may take 30 times as much memory as their text, if they are unphased.
const chunkOfThread, mostThreads = 1 << 18, 16

// The columns of a VCF.
const (
	columnContig = iota
	columnPosition
	columnID
	columnRef
	columnAlt
	columnQuality
	columnFilter
	columnInfo
	columnFormat
	columnSample
)

const columnNames = "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO"

// openVCF opens a VCF and reads its header.
func openVCF(ctx context.Context, path string, ref *dna.Reference, threads int) (*vcfReader, error) {
	file, err := fasta.OpenText(ctx, path, threads)
	if err != nil {
		return nil, err
	}
	v := newVCFReader(path, file, ref)
	v.file, v.threads = file, threads
	v.chunk = chunkOfThread * min(max(threads, 1), mostThreads)
	if err := v.header(); err != nil {
		_ = file.Close() // it was only read
		return nil, err
	}
	return v, nil
}

func newVCFReader(path string, in io.Reader, ref *dna.Reference) *vcfReader {
	if path == "-" {
		path = "standard input"
	}
	v := &vcfReader{ref: ref, name: path, in: bufio.NewReaderSize(in, 1<<16), contig: -1, chunk: chunkOfThread, maxLine: maxLine,
		contigs: map[string]int{}, done: make([]bool, len(ref.Contigs)), sets: map[string]int{}}
	for i := range ref.Contigs {
		v.contigs[ref.Contigs[i].Name] = i
	}
	return v
}

// close closes the file.
func (v *vcfReader) close() {
	if v.file != nil {
		_ = v.file.Close() // it was only read
	}
}

// wrong returns an error of the line that was read.
func (v *vcfReader) wrong(format string, args ...any) error {
	return lineError(v.name, v.line, format, args...)
}

// next reads a line of the header, without what ends it. It is valid until the next call.
func (v *vcfReader) next() ([]byte, error) {
	v.line++
	line, err := v.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		v.buffer = append(v.buffer[:0], line...)
		for err == bufio.ErrBufferFull {
			line, err = v.in.ReadSlice('\n')
			if v.buffer = append(v.buffer, line...); len(v.buffer) > v.maxLine {
				return nil, v.wrong("it has more than %d bytes", v.maxLine)
			}
		}
		line = v.buffer
	}
	switch {
	case err == io.EOF && len(line) > 0: // the last line
	case err == io.EOF:
		return nil, io.EOF
	case err != nil:
		return nil, err
	default:
		line = line[:len(line)-1]
	}
	return bytes.TrimSuffix(line, []byte{'\r'}), nil
}

// header reads the lines that begin with #.
func (v *vcfReader) header() error {
	for {
		line, err := v.next()
		if err == io.EOF {
			if v.line == 1 {
				return &fasta.Error{File: v.name, Err: errors.New("is empty, and a VCF begins with ##fileformat=VCFv4")}
			}
			return v.wrong("the file ends before the line that begins with #CHROM")
		}
		if err != nil {
			return err
		}
		switch {
		case v.line == 1 && bytes.HasPrefix(line, []byte("BCF\x02")):
			return &fasta.Error{File: v.name, Err: errors.New("is BCF; expected VCF, which bcftools view makes of it")}
		case v.line == 1 && !bytes.HasPrefix(line, []byte("##fileformat=VCFv4")):
			return v.wrong("it is %s, and a VCF begins with ##fileformat=VCFv4", shown(line))
		case bytes.HasPrefix(line, []byte("##")):
			continue
		}
		return v.columns(line)
	}
}

// columns reads the line with the names of columns.
func (v *vcfReader) columns(line []byte) error {
	fields := strings.Split(string(line), "\t")
	want := strings.Split(columnNames, "\t")
	if len(fields) < len(want) || !slices.Equal(fields[:len(want)], want) {
		return v.wrong("it is %s, and should have the columns %s", shown(line), strings.ReplaceAll(columnNames, "\t", " "))
	}
	if len(fields) > columnFormat && fields[columnFormat] != "FORMAT" {
		return v.wrong("column %d is %s, not FORMAT", columnFormat+1, shown([]byte(fields[columnFormat])))
	}
	if len(fields) > columnSample {
		v.samples = fields[columnSample:]
		known := map[string]bool{}
		for _, name := range v.samples {
			if known[name] {
				return v.wrong("the sample %s occurs twice", shown([]byte(name)))
			}
			known[name] = true
		}
	}
	return nil
}

// site returns the next record that has alleles to put in, nil after the last.
func (v *vcfReader) site() (*site, error) {
	for {
		for v.taken < len(v.parsed) {
			p := &v.parsed[v.taken]
			v.taken++
			if s, err := v.take(p); s != nil || err != nil {
				*p = parsed{}
				return s, err
			}
		}
		if v.ended != nil {
			if v.ended == io.EOF {
				return nil, nil
			}
			return nil, v.ended
		}
		v.fill()
		v.parse()
	}
}

// fill reads the next lines into text, whole ones, and sets ended after the last. It reads at most
// a chunk at a time, and ends with the chunk that has the end of a line.
func (v *vcfReader) fill() {
	if v.text == nil {
		v.text = make([]byte, 0, v.chunk)
	}
	v.text = v.text[:copy(v.text[:cap(v.text)], v.text[v.whole:])]
	v.whole = 0
	for searched := 0; ; {
		for to := min(len(v.text)+v.chunk, cap(v.text)); len(v.text) < to && v.ended == nil; {
			n, err := v.in.Read(v.text[len(v.text):to])
			v.text = v.text[:len(v.text)+n]
			v.ended = err
		}
		if end := bytes.LastIndexByte(v.text[searched:], '\n') + 1; end > 0 {
			v.whole = searched + end
		}
		switch {
		case v.ended == io.EOF:
			v.whole = len(v.text) // the last line may lack its end
			return
		case v.whole > 0 || v.ended != nil:
			return
		case len(v.text) > v.maxLine:
			v.ended = lineError(v.name, v.line+1, "it has more than %d bytes", v.maxLine)
			return
		}
		if searched = len(v.text); searched < cap(v.text) {
			continue
		}
		// From a quarter on it grows to all at once: twice as much each time would leave as much garbage,
		// and pages that nothing is read into take no memory.
		more := 2 * cap(v.text)
		if more > v.maxLine/4 {
			more = v.maxLine + 1
		}
		v.text = append(make([]byte, 0, more), v.text...)
	}
}

// parse reads the whole lines of text, several at a time.
func (v *vcfReader) parse() {
	v.lines, v.parsed, v.taken = v.lines[:0], v.parsed[:0], 0
	for rest := v.text[:v.whole]; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte{'\n'})
		v.line++
		if line = bytes.TrimSuffix(line, []byte{'\r'}); len(line) > 0 {
			v.lines = append(v.lines, numbered{v.line, line})
		}
	}
	v.parsed = append(v.parsed, make([]parsed, len(v.lines))...)
	threads := max(v.threads, 1)
	for len(v.parsers) < threads {
		v.parsers = append(v.parsers, recordParser{ref: v.ref, file: v.name, contigs: v.contigs, samples: len(v.samples), sets: map[string]int{}})
	}
	parallel.Ranges(threads, len(v.lines), max(1, len(v.lines)/(4*threads)), func(worker, from, to int) {
		for i := from; i < to; i++ {
			v.parsed[i] = v.parsers[worker].record(v.lines[i].text, v.lines[i].number)
		}
	})
}

// take returns the site of a record, nil if it has no alleles to put in. Records have to be in
// order, and of alleles that overlap a copy has the first.
func (v *vcfReader) take(p *parsed) (*site, error) {
	if p.unplaced != nil {
		return nil, p.unplaced
	}
	switch name := v.ref.Contigs[p.contig].Name; {
	case p.contig == v.contig && p.position < v.position:
		return nil, lineError(v.name, p.line, "position %d comes after %d: the file has to be sorted, as by bcftools sort", p.position+1, v.position+1)
	case p.contig != v.contig && v.done[p.contig]:
		return nil, lineError(v.name, p.line, "%s comes again after other contigs: the file has to be sorted, as by bcftools sort", shown([]byte(name)))
	case p.contig != v.contig:
		if v.contig >= 0 {
			v.done[v.contig] = true
		}
		v.open = nil
		clear(v.sets)
	}
	v.contig, v.position = p.contig, p.position
	if p.err != nil {
		return nil, p.err
	}
	v.left.add(&p.left)
	s := p.site
	if s != nil {
		for _, a := range s.alleles {
			a.id += v.alleles
		}
		v.accept(s)
		v.number(s, p.sets)
	}
	v.alleles += p.alleles
	return s, nil
}

// accept takes alleles off the copies that have one that overlaps them, of a record before. Alleles
// that end before this record are forgotten, because no later one starts there.
func (v *vcfReader) accept(s *site) {
	v.open = slices.DeleteFunc(v.open, func(a *allele) bool { return a.end < s.position })
	before := len(v.open)
	for _, a := range s.alleles {
		for _, b := range v.open[:before] {
			if overlap(a.start, a.end, b.start, b.end) {
				had := len(a.carriers)
				a.carriers = without(a.carriers, b.carriers)
				v.left.Overlapping += int64(had - len(a.carriers))
			}
		}
		if len(a.carriers) > 0 {
			v.open = append(v.open, a)
		}
	}
}

// number gives the phase sets of loose calls their numbers: names are a contig's.
func (v *vcfReader) number(s *site, names []string) {
	if len(names) == 0 {
		return
	}
	numbers := make([]int, len(names))
	for i, name := range names {
		set, ok := v.sets[name]
		if !ok {
			set = len(v.sets) + 1
			v.sets[name] = set
		}
		numbers[i] = set
	}
	for sample, call := range s.loose {
		if call.set > 0 {
			call.set = numbers[call.set-1]
			s.loose[sample] = call
		}
	}
}

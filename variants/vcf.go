package variants

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"scanmap/dna"
	"scanmap/fasta"
)

// maxLine is the most bytes of a line. A record of a million samples has a few dozen MB.
const maxLine = 1 << 28

// LeftOut counts what a VCF has and no text is made for.
type LeftOut struct {
	// Symbolic alleles are those in angle brackets and breakends; Long ones have more than
	// MaxAllele letters; Overlapping is the number of copies of samples on which an allele overlaps
	// one before.
	Symbolic, Long, Overlapping int64
	// Uncarried alleles are those that no sample has.
	Uncarried int64
	// First names the first symbolic or long allele.
	First string
}

// vcfReader reads the sites of a VCF.
type vcfReader struct {
	ref     *dna.Reference
	name    string // for messages
	in      *bufio.Reader
	file    io.Closer
	line    int64
	buffer  []byte
	samples []string
	left    LeftOut
	alleles int // that were read
	// contigs are those of the reference by name; done are those of which all records were read.
	contigs  map[string]int
	done     []bool
	contig   int
	position int
	// open are, of each copy, the borders of alleles that later ones may overlap.
	open [][]borders
	sets map[string]int // phase sets by their names
	// Of the record that is read.
	fields [][]byte
	calls  [][]int
}

// borders are those of an allele on its contig.
type borders struct{ start, end int }

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
	v.file = file
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
	v := &vcfReader{ref: ref, name: path, in: bufio.NewReaderSize(in, 1<<20), contig: -1,
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

// wrong says what is wrong with the line that was read.
func (v *vcfReader) wrong(format string, args ...any) error {
	return &fasta.Error{File: v.name, Err: fmt.Errorf("line %d: %w", v.line, fmt.Errorf(format, args...))}
}

// next reads a line, without what ends it. It is valid until the next call.
func (v *vcfReader) next() ([]byte, error) {
	v.line++
	line, err := v.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		v.buffer = append(v.buffer[:0], line...)
		for err == bufio.ErrBufferFull {
			line, err = v.in.ReadSlice('\n')
			if v.buffer = append(v.buffer, line...); len(v.buffer) > maxLine {
				return nil, v.wrong("it has more than %d bytes", maxLine)
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
		v.calls = make([][]int, len(v.samples))
		v.open = make([][]borders, len(v.samples)*copiesOfSample)
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
		line, err := v.next()
		if err == io.EOF {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if len(line) == 0 {
			continue
		}
		s, err := v.record(line)
		if err != nil {
			return nil, err
		}
		if s != nil {
			return s, nil
		}
	}
}

// record reads a record. The site is nil if it has no alleles to put in.
func (v *vcfReader) record(line []byte) (*site, error) {
	v.fields = v.fields[:0]
	for rest, more := line, true; more; {
		var field []byte
		field, rest, more = bytes.Cut(rest, []byte{'\t'})
		v.fields = append(v.fields, field)
	}
	want := columnFormat
	if len(v.samples) > 0 {
		want = columnSample + len(v.samples)
	}
	if n := len(v.fields); n < want || len(v.samples) > 0 && n > want {
		return nil, v.wrong("%d columns, and the header has %d", n, want)
	}
	s, err := v.place()
	if err != nil {
		return nil, err
	}
	ref := bytes.ToUpper(v.fields[columnRef])
	if err := v.checkReference(s, ref); err != nil {
		return nil, err
	}
	numbers, err := v.readAlleles(s, ref)
	if err != nil {
		return nil, err
	}
	if len(v.samples) > 0 {
		if err := v.genotypes(s, numbers); err != nil {
			return nil, err
		}
	}
	for _, a := range s.alleles {
		s.last = max(s.last, a.end)
	}
	if len(s.alleles) == 0 {
		return nil, nil
	}
	return s, nil
}

// place reads contig and position, which have to be in order.
func (v *vcfReader) place() (*site, error) {
	name := string(v.fields[columnContig])
	contig, ok := v.contigs[name]
	if !ok {
		return nil, v.wrong("the reference has no contig %s; its first is %s", shown([]byte(name)), shown([]byte(v.ref.Contigs[0].Name)))
	}
	position, err := strconv.Atoi(string(v.fields[columnPosition]))
	if length := v.ref.Contigs[contig].Length; err != nil || position < 1 || position > length {
		// Telomeres, at 0 and at the length and 1, have symbolic alleles alone.
		if err != nil || position < 0 || position > length+1 {
			return nil, v.wrong("POS is %s, not a number from 1 to %d, the length of %s", shown(v.fields[columnPosition]), length, shown([]byte(name)))
		}
	}
	switch {
	case contig == v.contig && position-1 < v.position:
		return nil, v.wrong("position %d comes after %d: the file has to be sorted, as by bcftools sort", position, v.position+1)
	case contig != v.contig && v.done[contig]:
		return nil, v.wrong("%s comes again after other contigs: the file has to be sorted, as by bcftools sort", shown([]byte(name)))
	case contig != v.contig:
		if v.contig >= 0 {
			v.done[v.contig] = true
		}
		clear(v.open)
	}
	v.contig, v.position = contig, position-1
	return &site{contig: contig, position: position - 1}, nil
}

// checkReference compares REF with the reference.
func (v *vcfReader) checkReference(s *site, ref []byte) error {
	if len(ref) == 0 {
		return v.wrong("REF is empty")
	}
	if i := bytes.IndexFunc(ref, notBase); i >= 0 {
		return v.wrong("REF is %s, and may have A, C, G, T and N alone", shown(ref))
	}
	c := &v.ref.Contigs[s.contig]
	from, to := s.position, s.position+len(ref)
	if from < 0 || from == c.Length { // a telomere
		return nil
	}
	if to > c.Length {
		return v.wrong("REF has %d letters, and reaches over the end of %s of %d", len(ref), shown([]byte(c.Name)), c.Length)
	}
	have := appendLetters(nil, v.ref, s.contig, from, to)
	for i := range ref {
		if !fits(ref[i], have[i]) {
			return v.wrong("REF is %s, but the reference has %s at %s:%d: is it another reference?",
				shown(ref), shown(have), c.Name, s.position+1)
		}
	}
	return nil
}

// notBase tells whether a letter is none of VCF's.
func notBase(c rune) bool { return !strings.ContainsRune("ACGTN", c) }

// leaveOut counts an allele that is left out.
func (v *vcfReader) leaveOut(count *int64) {
	*count++
	if v.left.First == "" {
		v.left.First = fmt.Sprintf("%s:%d", v.fields[columnContig], v.position+1)
	}
}

// readAlleles reads ALT, and returns for each number of a genotype, from 1 on, which of the site's
// alleles it is, -1 if none.
func (v *vcfReader) readAlleles(s *site, ref []byte) (numbers []int, err error) {
	field := v.fields[columnAlt]
	if len(field) == 1 && field[0] == '.' {
		return nil, nil
	}
	for _, alt := range bytes.Split(field, []byte{','}) {
		numbers = append(numbers, -1)
		switch {
		case len(alt) == 0:
			return nil, v.wrong("ALT is %s, which has an empty allele", shown(field))
		case string(alt) == "*", string(alt) == "<*>", string(alt) == "<NON_REF>", string(alt) == ".":
			continue // deleted by another record, or no allele in particular
		case bytes.ContainsAny(alt, "<[]."):
			v.leaveOut(&v.left.Symbolic)
			continue
		}
		upper := bytes.ToUpper(alt)
		if bytes.IndexFunc(upper, notBase) >= 0 {
			return nil, v.wrong("the allele %s of ALT may have A, C, G, T and N alone", shown(alt))
		}
		r, a, before := trim(ref, upper)
		if len(r) == 0 && len(a) == 0 {
			continue
		}
		if len(r) > MaxAllele || len(a) > MaxAllele {
			v.leaveOut(&v.left.Long)
			continue
		}
		start := s.position + before
		if start < 0 || start+len(r) > v.ref.Contigs[s.contig].Length {
			return nil, v.wrong("POS %d is outside %s", s.position+1, shown(v.fields[columnContig]))
		}
		numbers[len(numbers)-1] = len(s.alleles)
		s.alleles = append(s.alleles, &allele{id: v.alleles, site: s, start: start, end: start + len(r), letters: a,
			name: fmt.Sprintf("%s:%d:%s>%s", appendName(nil, v.ref.Contigs[s.contig].Name), s.position+1, ref, upper)})
		v.alleles++
	}
	return numbers, nil
}

// shown is text for a message.
func shown(text []byte) string {
	if len(text) > 60 {
		return fmt.Sprintf("%q...", text[:60])
	}
	return fmt.Sprintf("%q", text)
}

package validate

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// The flags of a record, as the specification of SAM numbers them.
const (
	flagPaired        = 1
	flagProper        = 2
	flagUnmapped      = 4
	flagMateUnmapped  = 8
	flagReverse       = 16
	flagMateReverse   = 32
	flagFirst         = 64
	flagLast          = 128
	flagSecondary     = 256
	flagSupplementary = 2048
)

// Record is one line of SAM. Coordinates are 0-based and half-open, and -1 for none.
type Record struct {
	Line   string // without its line feed
	Name   string
	Flags  int
	Contig string // * for none
	// Start and End are the stretch of the contig: End is Start + 1 for a record without an
	// alignment.
	Start, End       int
	MapQ             int
	Cigar            string
	MateContig       string // with = resolved
	MateStart        int
	TemplateLength   int
	Bases, Qualities string
	Tags             []string
}

// primary tells whether the record speaks for its read.
func (r *Record) primary() bool { return r.Flags&(flagSecondary|flagSupplementary) == 0 }

func (r *Record) mapped() bool { return r.Flags&flagUnmapped == 0 }

func (r *Record) reverse() bool { return r.Flags&flagReverse != 0 }

// mate is 0 for a first or only mate, 1 for the last.
func (r *Record) mate() int {
	if r.Flags&flagLast != 0 {
		return 1
	}
	return 0
}

// tag returns the value of a tag, given with its type as in NM:i:.
func (r *Record) tag(prefix string) (value string, ok bool) {
	for _, t := range r.Tags {
		if value, ok = strings.CutPrefix(t, prefix); ok {
			return value, true
		}
	}
	return "", false
}

// number returns the value of a whole-number tag.
func (r *Record) number(prefix string) (n int, ok bool) {
	value, ok := r.tag(prefix)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(value)
	return n, err == nil
}

// parseRecord reads a line of SAM that is not of the header.
func parseRecord(line string) (Record, error) {
	f := strings.Split(line, "\t")
	if len(f) < 11 {
		return Record{}, fmt.Errorf("%d fields, expected at least 11: %.80q", len(f), line)
	}
	r := Record{Line: line, Name: f[0], Contig: f[2], Cigar: f[5], MateContig: f[6], Bases: f[9], Qualities: f[10], Tags: f[11:]}
	var position, matePosition int
	for _, n := range []struct {
		to   *int
		text string
	}{{&r.Flags, f[1]}, {&position, f[3]}, {&r.MapQ, f[4]}, {&matePosition, f[7]}, {&r.TemplateLength, f[8]}} {
		var err error
		if *n.to, err = strconv.Atoi(n.text); err != nil {
			return Record{}, fmt.Errorf("%q is not a number: %.80q", n.text, line)
		}
	}
	if r.MateContig == "=" {
		r.MateContig = r.Contig
	}
	r.Start, r.MateStart = position-1, matePosition-1
	_, span, err := cigarLengths(r.Cigar)
	if err != nil {
		return Record{}, fmt.Errorf("%w: %.80q", err, line)
	}
	r.End = r.Start + max(span, 1)
	return r, nil
}

// cigarLengths returns how many bases of the read and of the reference a CIGAR covers.
func cigarLengths(cigar string) (read, reference int, err error) {
	if cigar == "*" {
		return 0, 0, nil
	}
	length := -1
	for i := range len(cigar) {
		c := cigar[i]
		if c >= '0' && c <= '9' {
			length = 10*max(length, 0) + int(c-'0')
			continue
		}
		if length <= 0 {
			return 0, 0, fmt.Errorf("CIGAR %q: operation %c without a length", cigar, c)
		}
		switch c {
		case 'M', '=', 'X':
			read, reference = read+length, reference+length
		case 'I', 'S':
			read += length
		case 'D', 'N':
			reference += length
		case 'H', 'P':
		default:
			return 0, 0, fmt.Errorf("CIGAR %q: no operation %c", cigar, c)
		}
		length = -1
	}
	if length >= 0 || cigar == "" {
		return 0, 0, fmt.Errorf("CIGAR %q ends without an operation", cigar)
	}
	return read, reference, nil
}

// Contig is an @SQ line.
type Contig struct {
	Name   string
	Length int
}

// Alignment is a SAM file in memory.
type Alignment struct {
	Header  []string // its lines
	Contigs []Contig
	Records []Record
}

// lengths returns the length of each contig.
func (a *Alignment) lengths() map[string]int {
	lengths := map[string]int{}
	for _, c := range a.Contigs {
		lengths[c.Name] = c.Length
	}
	return lengths
}

// ReadAlignment reads a SAM file.
func ReadAlignment(name string) (*Alignment, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	a, err := parseAlignment(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return a, nil
}

func parseAlignment(r io.Reader) (*Alignment, error) {
	a := &Alignment{}
	lines := newLines(r)
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		if !strings.HasPrefix(line, "@") {
			record, err := parseRecord(line)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n, err)
			}
			a.Records = append(a.Records, record)
			continue
		}
		if len(a.Records) > 0 {
			return nil, fmt.Errorf("line %d: a line of the header after the first record", n)
		}
		a.Header = append(a.Header, line)
		if contig, ok, err := parseContig(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		} else if ok {
			a.Contigs = append(a.Contigs, contig)
		}
	}
	return a, lines.Err()
}

// newLines reads lines, however long SAM makes them.
func newLines(r io.Reader) *bufio.Scanner {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 1<<16), 1<<28)
	return lines
}

func parseContig(line string) (c Contig, ok bool, err error) {
	fields := strings.Split(line, "\t")
	if fields[0] != "@SQ" {
		return Contig{}, false, nil
	}
	for _, field := range fields[1:] {
		if value, is := strings.CutPrefix(field, "SN:"); is {
			c.Name = value
		}
		if value, is := strings.CutPrefix(field, "LN:"); is {
			if c.Length, err = strconv.Atoi(value); err != nil {
				return Contig{}, false, fmt.Errorf("@SQ with the length %q", value)
			}
		}
	}
	if c.Name == "" || c.Length == 0 {
		return Contig{}, false, fmt.Errorf("@SQ without a name or a length: %q", line)
	}
	return c, true, nil
}

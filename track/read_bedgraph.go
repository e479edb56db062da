package track

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// farthest is the last base after which an interval may end, as in a bigWig.
const farthest = min(math.MaxInt, math.MaxUint32)

// readBedGraph reads lines of contig, start, end and value with blanks or tabs between them. Empty
// lines are skipped, and lines that begin with #, or with the words track or browser.
func readBedGraph(in *bufio.Reader, yield func(contig string, start, end int, value float32) error) error {
	r := bedGraphReader{seen: map[string]bool{}}
	var failed error
	r.j.emit = func(start, end int, value float32) error {
		failed = yield(r.contig, start, end, value)
		return failed
	}
	number := 0
	for {
		line, err := in.ReadSlice('\n')
		if err != nil && err != io.EOF {
			if errors.Is(err, bufio.ErrBufferFull) {
				err = fmt.Errorf("is longer than %d bytes, which no line of a bedGraph is", readBuffer)
			}
			return fmt.Errorf("line %d: %w", number+1, err)
		}
		if len(line) == 0 {
			break
		}
		number++
		if wrong := r.line(line); wrong != nil {
			if failed != nil {
				return failed
			}
			return fmt.Errorf("line %d: %w", number, wrong)
		}
	}
	return r.j.finish()
}

// bedGraphReader reads the lines of a bedGraph.
type bedGraphReader struct {
	j      joiner
	contig string // "" before the first
	seen   map[string]bool
}

// line reads a line.
func (r *bedGraphReader) line(line []byte) error {
	var fields [5][]byte
	n := split(line, &fields)
	if n == 0 || fields[0][0] == '#' || string(fields[0]) == "track" || string(fields[0]) == "browser" {
		return nil
	}
	if n != 4 {
		some := strconv.Itoa(n)
		if n > 4 {
			some = "more"
		}
		return fmt.Errorf("expected contig, start, end and value, but found %s fields", some)
	}
	start, err := position(fields[1])
	if err != nil {
		return fmt.Errorf("start %w", err)
	}
	end, err := position(fields[2])
	if err != nil {
		return fmt.Errorf("end %w", err)
	}
	value, err := parseValue(fields[3])
	if err != nil {
		return err
	}
	if string(fields[0]) != r.contig {
		if err := r.next(string(fields[0])); err != nil {
			return err
		}
	}
	return r.j.add(start, end, value)
}

// next starts a contig.
func (r *bedGraphReader) next(contig string) error {
	if err := r.j.finish(); err != nil {
		return err
	}
	if r.seen[contig] {
		return fmt.Errorf("contig %s is there again, after others: a bedGraph has all lines of a contig together", clip(contig))
	}
	r.seen[contig] = true
	r.contig = contig
	r.j.begin(0, farthest, farthest)
	return nil
}

// split finds the fields of a line, and returns how many there are; at most 5 are looked for.
func split(line []byte, fields *[5][]byte) int {
	n, at := 0, 0
	for n < len(fields) {
		for at < len(line) && line[at] <= ' ' {
			at++
		}
		if at == len(line) {
			break
		}
		from := at
		for at < len(line) && line[at] > ' ' {
			at++
		}
		fields[n] = line[from:at]
		n++
	}
	return n
}

// position reads a position: digits alone.
func position(text []byte) (int, error) {
	v := uint64(0)
	for _, c := range text {
		if c < '0' || c > '9' || v > farthest {
			v = farthest + 1
			break
		}
		v = 10*v + uint64(c-'0')
	}
	if v > farthest {
		return 0, fmt.Errorf("%s is not a number from 0 to %d", clip(string(text)), uint64(farthest))
	}
	return int(v), nil
}

// parseValue reads a decimal number, as written or with an exponent.
func parseValue(text []byte) (float32, error) {
	// Other numbers that strconv takes, such as 0x1p-2 and 1_000, are refused: other programs take
	// none.
	if len(bytes.Trim(text, "0123456789+-.eE")) == 0 {
		if v, err := strconv.ParseFloat(string(text), 32); err == nil {
			return float32(v), nil
		}
	}
	return 0, fmt.Errorf("value %s is not a finite decimal number", clip(string(text)))
}

// clip quotes text of a file for an error.
func clip(s string) string {
	const most = 40
	if len(s) > most {
		s = s[:most] + "..."
	}
	return strconv.Quote(s)
}

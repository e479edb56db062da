package primers

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"scanmap/fasta"
	"scanmap/search"
)

// A Pair is two primers. Their letters are upper-case IUPAC letters of DNA, without U, 5' to 3' as
// they are ordered: Reverse lies on the reverse strand of what Forward lies on.
type Pair struct {
	Name             string
	Forward, Reverse []byte
	// Source is where the pair was read, for messages.
	Source search.Source
}

// A Primer is a primer by its number: 2i is the forward primer of pair i, and 2i + 1 the reverse
// one.
type Primer int

// Pair is the number of the primer's pair.
func (p Primer) Pair() int { return int(p) / 2 }

// IsReverse tells whether it is the reverse primer of its pair.
func (p Primer) IsReverse() bool { return p&1 != 0 }

// letters are the letters of a primer of pairs.
func (p Primer) letters(pairs []Pair) []byte {
	if p.IsReverse() {
		return pairs[p.Pair()].Reverse
	}
	return pairs[p.Pair()].Forward
}

// name is the name of the pair with /F or /R.
func (p Primer) name(pairs []Pair) string {
	if p.IsReverse() {
		return pairs[p.Pair()].Name + "/R"
	}
	return pairs[p.Pair()].Name + "/F"
}

// alike tells whether both primers of a pair are the same, so that there is one.
func (p *Pair) alike() bool { return bytes.Equal(p.Forward, p.Reverse) }

// maxText is the most bytes of a file of pairs: it is held whole.
const maxText = 256 << 20

// ReadPairs reads the pairs of a file, "-" being standard input, plain or compressed as package
// fasta has it. A line has a name, the forward primer and the reverse primer, with tabs between or,
// in a line without tabs, commas (CSV) or, with fewer than two commas, blanks. The first line may
// be a header (layoutOf), which names the columns. Lines that are blank or begin with '#' are
// skipped. Names are all different. Errors name file and line.
func ReadPairs(ctx context.Context, path string) ([]Pair, error) {
	text, err := fasta.ReadText(ctx, path, maxText)
	if err != nil {
		return nil, err
	}
	if path == "-" {
		path = "standard input"
	}
	pairs, err := parsePairs(string(text))
	if err != nil {
		return nil, &fasta.Error{File: path, Err: err}
	}
	for i := range pairs {
		pairs[i].Source.File = path
	}
	return pairs, nil
}

// parsePairs is ReadPairs with a text, whose errors do not name the file.
func parsePairs(text string) ([]Pair, error) {
	if strings.IndexByte(text, 0) >= 0 {
		return nil, errors.New("is UTF-16 or binary; expected lines of name, forward and reverse primer")
	}
	var pairs []Pair
	lines := map[string]int{} // by name
	number, first := 0, true
	columnsAt := plainLayout
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if blank := strings.TrimSpace(line); blank == "" || blank[0] == '#' {
			continue
		}
		columns := columnsOf(line)
		if first {
			first = false
			at, header, err := layoutOf(columns)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", number, err)
			}
			if header {
				columnsAt = at
				continue
			}
		}
		pair, err := parsePair(columns, columnsAt)
		if other := lines[pair.Name]; err == nil && other > 0 {
			err = fmt.Errorf("the name %.100q is that of line %d; expected a name of its own", pair.Name, other)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		lines[pair.Name] = number
		pair.Source.Line = int32(number)
		pairs = append(pairs, pair)
	}
	if len(pairs) == 0 {
		return nil, errors.New("holds no primer pairs; expected lines of name, forward and reverse primer")
	}
	return pairs, nil
}

// columnsOf cuts a line at tabs, or at commas, or at blanks where there is neither a tab nor two
// commas.
func columnsOf(line string) []string {
	var columns []string
	switch {
	case strings.Contains(line, "\t"):
		columns = strings.Split(line, "\t")
	case strings.Count(line, ",") >= 2:
		var err error
		if columns, err = csv.NewReader(strings.NewReader(line)).Read(); err != nil {
			columns = strings.Split(line, ",") // quotes are letters then
		}
	default:
		return strings.Fields(line)
	}
	for i := range columns {
		columns[i] = strings.TrimSpace(columns[i])
	}
	return columns
}

// layout says in which columns a name, a forward and a reverse primer are, of how many.
type layout struct{ name, forward, reverse, columns int }

var plainLayout = layout{0, 1, 2, 3}

// Words of headers. Words without meaning are left out before names are compared: the header of a
// forward primer may be "Forward primer (5'-3')", "fwd_seq", "Left Primer", "primer1" or "F".
var (
	emptyWords = []string{"primer", "primers", "sequence", "seq", "oligo", "5", "3", "to", "prime"}
	nameWords  = []string{"", "name", "id", "pair", "pairname", "pairid", "amplicon", "ampliconname", "ampliconid", "target", "targetname",
		"gene", "genename", "assay", "locus", "marker", "region", "set", "label"}
	forwardWords = []string{"forward", "fwd", "fw", "for", "f", "left", "l", "1"}
	reverseWords = []string{"reverse", "rev", "rv", "r", "right", "2"}
	headerWord   = regexp.MustCompile(`[A-Za-z]+|[0-9]+`)
)

// layoutOf reads a header. A line is a header if a column is called forward or its like and another
// one reverse or its like, and neither word is a primer; it is an error if no column has the names.
func layoutOf(columns []string) (at layout, header bool, err error) {
	at = layout{-1, -1, -1, len(columns)}
	for i, column := range columns {
		words := headerWord.FindAllString(strings.ToLower(column), -1)
		words = slices.DeleteFunc(words, func(w string) bool { return slices.Contains(emptyWords, w) })
		for _, kind := range []struct {
			words []string
			at    *int
		}{{forwardWords, &at.forward}, {reverseWords, &at.reverse}, {nameWords, &at.name}} {
			if *kind.at < 0 && slices.Contains(kind.words, strings.Join(words, "")) {
				*kind.at = i
				break
			}
		}
	}
	switch {
	case at.forward < 0 || at.reverse < 0:
		return layout{}, false, nil
	case at.name < 0:
		return layout{}, false, errors.New("the header has no column for names, such as name; expected name, forward and reverse primer")
	}
	return at, true, nil
}

func parsePair(columns []string, at layout) (Pair, error) {
	if len(columns) != at.columns {
		if at == plainLayout {
			return Pair{}, fmt.Errorf("its number of columns is %d; expected 3: name, forward and reverse primer", len(columns))
		}
		return Pair{}, fmt.Errorf("its number of columns is %d; expected %d, as the header has", len(columns), at.columns)
	}
	columns = []string{columns[at.name], columns[at.forward], columns[at.reverse]}
	if columns[0] == "" {
		return Pair{}, errors.New("the name is empty; expected name, forward and reverse primer")
	}
	pair := Pair{Name: columns[0]}
	for i, to := range []*[]byte{&pair.Forward, &pair.Reverse} {
		pattern, err := search.NewPattern(pair.Name, []byte(columns[1+i]), search.DNA)
		if err != nil {
			if cause := errors.Unwrap(err); cause != nil { // less the name, which is no pattern's
				err = cause
			}
			return Pair{}, fmt.Errorf("the %s primer of %.100q: %w", []string{"forward", "reverse"}[i], pair.Name, err)
		}
		*to = bytes.ReplaceAll(pattern.Letters, []byte{'U'}, []byte{'T'})
	}
	return pair, nil
}

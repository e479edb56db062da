package sam

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	hts "github.com/biogo/hts/sam"

	"scanmap/dna"
)

// HeaderOptions are the contents of a header beside the contigs.
type HeaderOptions struct {
	// ReadGroups become the @RG lines, in order.
	ReadGroups []*ReadGroup
	// CommandLine is the program and its arguments, for the CL of @PG; see
	// EscapeCommandLine.
	CommandLine []string
	// Version is the program's, for the VN of @PG.
	Version string
	// NoProgram leaves @PG out.
	NoProgram bool
	// SortOrder is hts.Coordinate for sorted records. Every other value, the zero
	// value included, is the order in which records are made: unsorted, but with
	// all records of a read together (SO:unsorted GO:query).
	SortOrder hts.SortOrder
}

// program is the ID and the PN of @PG.
const program = "scanmap"

// NewHeader returns the header of a run: @HD, an @SQ for each contig in order,
// @RG and @PG.
//
// The text of the read group is kept as it was given. biogo/hts would put its
// tags in another order, drop PI:0, refuse a PI that is not whole and rewrite a
// date without a time zone to midnight in the zone of the machine. Therefore the whole line after
// "ID:" is stored as the name of the hts.ReadGroup: the text of the header is right, but ask the
// ReadGroup of the options, not the header, for the parts. In the same way the PN of @PG and its VN
// are stored as the name of the hts.Program: biogo/hts would put VN behind CL, and pysam takes
// everything after CL for a part of CL.
func NewHeader(ref *dna.Reference, o HeaderOptions) (*hts.Header, error) {
	h, err := hts.NewHeader(nil, nil)
	if err != nil {
		return nil, err
	}
	h.Version = "1.6"
	h.SortOrder, h.GroupOrder = hts.Unsorted, hts.GroupQuery
	if o.SortOrder == hts.Coordinate {
		h.SortOrder, h.GroupOrder = hts.Coordinate, hts.GroupUnspecified
	}
	for i := range ref.Contigs {
		c := &ref.Contigs[i]
		if err := addContig(h, c.Name, c.Length); err != nil {
			return nil, fmt.Errorf("contig %d %q: %w", i+1, c.Name, err)
		}
	}
	for _, group := range o.ReadGroups {
		g, err := hts.NewReadGroup(group.idAndRest(), "", "", "", "", "", "", "", "", "", dateNone, 0)
		if err != nil {
			return nil, err
		}
		if err := h.AddReadGroup(g); err != nil {
			return nil, err
		}
	}
	if !o.NoProgram {
		p := hts.NewProgram(program, nameAndVersion(o.Version), EscapeCommandLine(o.CommandLine), "", "")
		if err := h.AddProgram(p); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// nameAndVersion is PN without its tag, and VN, which an empty version leaves out.
func nameAndVersion(version string) string {
	if version == "" {
		return program
	}
	return program + "\tVN:" + escape(version)
}

func addContig(h *hts.Header, name string, length int) error {
	if err := checkContigName(name); err != nil {
		return err
	}
	if length < 1 || length > dna.MaxContigLength {
		return fmt.Errorf("%d bases, but SAM holds contigs of 1 to %d", length, dna.MaxContigLength)
	}
	r, err := hts.NewReference(name, "", "", length, nil, nil)
	if err != nil {
		return err
	}
	before := len(h.Refs())
	if err := h.AddReference(r); err != nil {
		return err
	}
	// AddReference takes an equal contig for the same one and says nothing.
	if len(h.Refs()) == before {
		return errors.New("the name stands twice")
	}
	return nil
}

// checkContigName accepts what the SAM specification (section 1.2.1) allows as a
// reference sequence name.
func checkContigName(name string) error {
	if name == "" {
		return errors.New("no name")
	}
	if name[0] == '*' || name[0] == '=' {
		return fmt.Errorf("SAM does not allow a name that starts with %q", name[0])
	}
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c > '~' || strings.IndexByte("\\,\"`'()[]{}<>", c) >= 0 {
			return fmt.Errorf("SAM does not allow %q in a name", c)
		}
	}
	return nil
}

// WriteHeader writes the text of a header.
func WriteHeader(w io.Writer, h *hts.Header) error {
	text, err := h.MarshalText()
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// EscapeCommandLine joins arguments with blanks and makes the result fit for one
// field of a header line: a tab becomes the two characters \t, a line feed \n and
// a carriage return \r; another character that does not print becomes \x07 or
// \u2028, and so does each byte that is not UTF-8. Backslashes stay as they are, so
// that -R '@RG\tID:x' reads as it was typed.
func EscapeCommandLine(arguments []string) string {
	return escape(strings.Join(arguments, " "))
}

func escape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRune(r) // '\t', '\x07', '\u2028'
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		i += size
	}
	return b.String()
}

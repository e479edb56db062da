package records

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"strings"

	"scanmap/search"
)

// End is the end of a read near which a pattern has to lie.
type End string

// The ends. At the 3' end it is the reverse complement of the pattern that lies there, as in the
// read of the other strand.
const (
	Five  End = "5"
	Three End = "3"
	Both  End = "both"
)

// Ends has the names of ends with their meaning.
var Ends = [][2]string{
	{string(Both), "either end"}, {string(Five), "the read's start"}, {string(Three), "its end, for reverse complements"},
}

// Anywhere is the Within of patterns that may lie anywhere in a read.
const Anywhere = -1

// MaxWithin is the largest Within. With more, windows are no small part of a read.
const MaxWithin = 1 << 20

// Options say which records are picked.
type Options struct {
	// Reads and Mates are files, "-" for standard input; Mates is "" for single reads and where
	// mates alternate in Reads, which Interleaved tells.
	Reads, Mates string
	Interleaved  bool
	// MaxLength is the most bases of a read; 0 is fasta.DefaultMaxLength.
	MaxLength int
	// Patterns are of DNA. Near an end they have no letters that are fixed.
	Patterns []search.Pattern
	// Search has the distance, the strands and the threads. A pattern near an end is searched for
	// as given, whatever ForwardOnly says.
	Search search.Options
	// Within is the most letters between the end of a read and a pattern, or Anywhere; End is which.
	Within int
	End    End
	// Mate is the mate in which patterns are searched for, 1 or 2; 0 is either.
	Mate int
	// Invert has Filter write the records that have no pattern.
	Invert bool
	// Margin is by how many edits the best barcode of a record is better than all others, at least
	// 1 (and 0 stands for that). Otherwise the record is ambiguous.
	Margin int
	// Counts has Filter count the reads of each pattern.
	Counts bool
	// Trim has reads cut at each end near which a pattern lies (trim.go); Within is not Anywhere.
	Trim bool
	// Apart has Split write first and second mates to two files a barcode.
	Apart  bool
	bounds bounds
}

// bounds limit how much is held at a time. 0 is a good number; others are for tests.
type bounds struct {
	// letters and records are the most of a batch, or one record.
	letters, records int
	// held are the most bytes of text that wait to be written to the files of Split.
	held int
}

const (
	// threadLetters are the letters of a batch for each thread, and for two if there is one: enough
	// for eight segments of a search. A million letters of reads take about 3 MB with their
	// qualities, names and packed letters, and there are up to three batches.
	threadLetters = 1 << 20
	// defaultRecords of few letters have names and take the same.
	defaultRecords = 1 << 18
	// defaultHeld bytes are several kilobytes for each of 10,000 barcodes.
	defaultHeld = 64 << 20
)

// paired tells whether records are two mates.
func (o *Options) paired() bool { return o.Interleaved || o.Mates != "" }

// errNoMates refuses to write mates of single reads apart.
var errNoMates = errors.New("single reads have no mates to write apart")

// orDefault replaces options of 0, and refuses options that contradict each other.
func (o *Options) orDefault() error {
	if o.Search.Threads <= 0 {
		o.Search.Threads = runtime.GOMAXPROCS(0)
	}
	o.bounds = bounds{
		letters: cmp.Or(o.bounds.letters, threadLetters*max(o.Search.Threads, 2)),
		records: cmp.Or(o.bounds.records, defaultRecords),
		held:    cmp.Or(o.bounds.held, defaultHeld),
	}
	o.Margin, o.End = max(o.Margin, 1), cmp.Or(o.End, Both)
	switch {
	case len(o.Patterns) == 0:
		return errors.New("there are no patterns")
	case o.Within < Anywhere || o.Within > MaxWithin:
		return fmt.Errorf("%d letters from an end are not from 0 to %d", o.Within, MaxWithin)
	case o.Mate < 0 || o.Mate > 2:
		return fmt.Errorf("mate %d is neither 1 nor 2", o.Mate)
	case o.Mates != "" && o.Interleaved:
		return errors.New("mates cannot both alternate in one file and be in another")
	case o.Apart && !o.paired():
		return errNoMates
	case o.Trim && o.Within == Anywhere:
		return errors.New("reads are cut near an end alone")
	case o.Trim && o.Invert:
		return errors.New("a read without a pattern has nothing to cut")
	}
	return nil
}

// Names of the files of records without a barcode of their own.
const (
	Ambiguous  = "ambiguous"
	Unassigned = "unassigned"
	// Table is the name of the table of counts.
	Table = "barcodes.tsv"
)

// The parts of names of files after the barcode, where mates are apart.
const (
	First  = "_R1"
	Second = "_R2"
)

// mostName is the most bytes of the name of a barcode: names of files have at most 255.
const mostName = 200

// bothStrands tells whether both strands of a read are searched at the same places.
func (o *Options) bothStrands() bool { return o.Within == Anywhere && !o.Search.ForwardOnly }

// ByChance is how many patterns a read of random letters has at the least, anywhere in a number of
// letters: insertions and deletions, which let more fit, do not count.
func (o *Options) ByChance(letters float64) (expected float64) {
	for i := range o.Patterns {
		p := &o.Patterns[i]
		// fits[d] is the chance that the letters so far have d substitutions.
		fits := make([]float64, o.Search.Distance+1)
		fits[0] = 1
		for j, letter := range p.Letters {
			match := 1.0
			for kinds, all := range []string{"ACGTU", "RYSWKM", "BDHV"} {
				if strings.IndexByte(all, letter) >= 0 {
					match = float64(kinds+1) / 4
				}
			}
			exact := p.Exact != nil && p.Exact[j]
			for d := len(fits) - 1; d >= 0; d-- {
				fits[d] *= match
				if d > 0 && !exact {
					fits[d] += fits[d-1] * (1 - match)
				}
			}
		}
		places := max(letters-float64(len(p.Letters))+1, 0)
		for _, chance := range fits {
			expected += places * chance
		}
	}
	if o.bothStrands() {
		expected *= 2
	}
	return expected
}

// CheckBarcodes returns the fault of Patterns as barcodes. Their names have to be names of files,
// all different, and their letters have to be different. Where both strands of a read are searched,
// no barcode may be the reverse complement of another: each read with one would have both.
func (o *Options) CheckBarcodes() error {
	patterns := o.Patterns
	names, letters := map[string]bool{}, map[string]string{}
	for i := range patterns {
		p := &patterns[i]
		switch {
		case p.Name == "" || len(p.Name) > mostName || strings.HasPrefix(p.Name, ".") || strings.HasPrefix(p.Name, "-") ||
			strings.ContainsFunc(p.Name, func(r rune) bool { return r <= ' ' || r == '/' || r == '\\' || r == 0x7f || r == 0xfffd }):
			return p.Errorf("a barcode's name becomes that of a file: it has 1 to %d bytes, no blanks or slashes, "+
				"and begins with neither a dot nor a hyphen", mostName)
		case slices.Contains([]string{Ambiguous, Unassigned}, p.Name):
			return p.Errorf("no barcode can be called so: that is the file of other reads")
		case names[p.Name]:
			return p.Errorf("a barcode before it has the same name")
		}
		names[p.Name] = true
		sets := string(p.Sets()) // U is T
		if other, ok := letters[sets]; ok {
			return p.Errorf("barcode %.100q has the same letters", other)
		}
		if other, ok := letters[reversed(sets)]; ok && o.bothStrands() && len(p.Exact) == 0 {
			return p.Errorf("barcode %.100q is its reverse complement, and each read would have both; give --within or --forward-only", other)
		}
		letters[sets] = p.Name
	}
	return nil
}

// reversed is the reverse complement of sets of bases, as Pattern.Sets has them.
func reversed(sets string) string {
	b := []byte(sets)
	slices.Reverse(b)
	for i := range b {
		b[i] = bits.Reverse8(b[i]) >> 4
	}
	return string(b)
}

// reach is up to how many edits barcodes have to be known. A record with a best barcode of at most
// k edits has margin M if no other has less than M more: those have at most k + M - 1.
func (o *Options) reach() (int, error) {
	k := o.Search.Distance + o.Margin - 1
	if k > search.MaxDistance {
		return 0, fmt.Errorf("a distance of %d with a margin of %d is more than %d together", o.Search.Distance, o.Margin, search.MaxDistance+1)
	}
	for i := range o.Patterns {
		if p := &o.Patterns[i]; o.Margin > 1 && o.Search.Distance < len(p.Letters) && k >= len(p.Letters) {
			return 0, p.Errorf("it has %d letters, too few for a distance of %d with a margin of %d",
				len(p.Letters), o.Search.Distance, o.Margin)
		}
	}
	return k, nil
}

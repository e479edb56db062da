package mappability

import (
	"errors"
	"fmt"

	"scanmap/dna"
	"scanmap/gpu/device"
	"scanmap/internal/temporary"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// Engine names a way to count.
type Engine string

// The engines. Auto takes Shared for substitutions on the CPU, unless K-mers have equal stretches
// so short that they are everywhere, and otherwise Reads.
const (
	EngineAuto   Engine = "auto"
	EngineReads  Engine = "reads"
	EngineShared Engine = "shared"
)

// Engines are the names of the engines, each with a line of help.
var Engines = [][2]string{
	{string(EngineAuto), ""},
	{string(EngineReads), "each K-mer is mapped, in repeats once for all that are equal"},
	{string(EngineShared), "neighbours share what is equal; substitutions on the CPU alone"},
}

// Metric is the kinds of edits that count.
type Metric = locate.Metric

// Substitutions is the metric without insertions and deletions. The zero value has these too.
const Substitutions = locate.Substitutions

// MaxLength is the most bases of a K-mer.
const MaxLength = 1 << 16

// Bisulfite names the strand that reads of bisulfite-treated DNA come from.
type Bisulfite string

// The strands. The zero value is for DNA that was not treated.
const (
	// BisulfiteForward is strand +, where C is read as T.
	BisulfiteForward Bisulfite = "forward"
	// BisulfiteReverse is strand -, where C is read as T; in letters of strand + G is read as A.
	BisulfiteReverse Bisulfite = "reverse"
	// BisulfiteBoth has of each position the larger frequency, which is 1 where both are unique.
	BisulfiteBoth Bisulfite = "both"
)

// Bisulfites are the names of the strands, each with the K-mers or frequencies that count.
var Bisulfites = [][2]string{
	{string(BisulfiteBoth), "the larger of both frequencies"},
	{string(BisulfiteForward), "K-mers of strand +, with T for C"},
	{string(BisulfiteReverse), "K-mers of strand -, with T for C, at their position on strand +"},
}

// Options say what to count and how.
type Options struct {
	// Length is K, the bases of a K-mer, from 1 to MaxLength. Edits is e, the most edits, below K.
	Length, Edits int
	// Metric says which kinds of edits there are.
	Metric Metric
	// ForwardOnly leaves reverse strands out.
	ForwardOnly bool
	// ExcludeSelf leaves out the place that a K-mer comes from. With edits this is the location
	// there or, if there is none, the location that excludes it.
	ExcludeSelf bool
	// Genomes counts the genomes that have a place, and not the places.
	Genomes bool
	// MinInsert and MaxInsert, from Length to dna.MaxContigLength, are the bounds of the insert size.
	// With them fragments are counted in place of K-mers. A fragment has (MinInsert + MaxInsert) / 2
	// bases, rounded down, and a K-mer at each end. Both are 0 for K-mers. Genomes is refused for
	// fragments.
	MinInsert, MaxInsert int
	// Bisulfite counts in both strands of genomes as bisulfite treatment leaves them. Without it,
	// nothing is converted.
	Bisulfite Bisulfite
	// Regions are where wanted K-mers, or fragments, begin, in any order; nil for everywhere.
	Regions []Region
	Engine  Engine
	// Device is where Reads runs. With device.Auto that is the CPU if Shared can do the work or
	// the work is little.
	Device device.Choice
	// Threads is the number of goroutines that compute; 0 is one. Counts do not depend on it.
	Threads int
	// Temporary makes files for what the finders cannot hold; nil for files in the system's folder.
	Temporary temporary.Files
	// Progress, when set, is called now and then with how much of the work is done, from one
	// goroutine at a time.
	Progress func(done, total int64)
	limits   limits
}

// pairs tells whether fragments are counted, and not K-mers.
func (o *Options) pairs() bool { return o.MaxInsert != 0 }

// Counted is the word for the sequences that are counted: K-mer or fragment.
func (o *Options) Counted() string {
	if o.pairs() {
		return "fragment"
	}
	return "K-mer"
}

// Bases is the length of a K-mer, or of a fragment where fragments are counted.
func (o *Options) Bases() int {
	if o.pairs() {
		return (o.MinInsert + o.MaxInsert) / 2
	}
	return o.Length
}

// ends are the offsets of the K-mers of a fragment from its start, or 0 for a K-mer.
func (o *Options) ends() []int {
	if o.pairs() {
		return []int{0, o.Bases() - o.Length}
	}
	return []int{0}
}

// A Region is the positions [From, To) of a contig, by its number.
type Region struct{ Contig, From, To int }

// limits are for tests; the zero value of each field stands for a good number. Counts do not
// depend on them.
type limits struct {
	// stripe is how many seeds of the reference Shared holds at a time, and block how many of a
	// text. chunk is how many are taken from either by one goroutine at a time.
	stripe, block, chunk int
	// crowded, when set, chooses the blocks of crowded K-mers, by side and number; repeated says
	// that most crowded K-mers are equal to others. crowdedBlock is the least number of K-mers of a
	// block. together is how many strings are compared with each other without further pieces.
	crowded                func(side, block int) bool
	repeated               bool
	crowdedBlock, together int
	// round is how many strings of crowded K-mers are in memory at a time, and bin how many one
	// goroutine works on at a time.
	round, bin int
	// grouped, when set, chooses the blocks whose equal K-mers Reads maps once. A block has
	// groupedBlock K-mers. groupedStrings is about how many strings a table has at a time, or a
	// little more, groupedTable how many it has room for at first, and batch how many K-mers Reads
	// takes at a time.
	grouped                                           func(block int) bool
	groupedBlock, groupedStrings, groupedTable, batch int
	find                                              find.Limits
}

// check returns the first fault of o for a reference.
func (o *Options) check(ref *dna.Reference) error {
	switch {
	case o.Length < 1 || o.Length > MaxLength:
		return fmt.Errorf("a K-mer has from 1 to %d bases, not %d", MaxLength, o.Length)
	case o.Edits < 0 || o.Edits >= o.Length:
		return fmt.Errorf("%d edits in K-mers of %d bases: everything or nothing would fit", o.Edits, o.Length)
	case (o.MinInsert != 0 || o.MaxInsert != 0) && (o.MinInsert < o.Length || o.MaxInsert < o.MinInsert || o.MaxInsert > dna.MaxContigLength):
		return fmt.Errorf("insert sizes from %d to %d do not fit ends of %d bases", o.MinInsert, o.MaxInsert, o.Length)
	case o.pairs() && o.Genomes:
		return errors.New("fragments are counted by their combinations, and not by genomes")
	case o.Engine == EngineShared && o.Metric != locate.Substitutions:
		return errors.New("engine shared counts substitutions alone")
	case o.Engine == EngineShared && o.Device.Kind == device.CUDA:
		return errors.New("engine shared runs on the CPU alone")
	}
	for _, r := range o.Regions {
		if r.Contig < 0 || r.Contig >= len(ref.Contigs) || r.From < 0 || r.To < r.From || r.To > ref.Contigs[r.Contig].Length {
			return fmt.Errorf("there is no stretch from %d to %d of contig %d", r.From, r.To, r.Contig)
		}
	}
	return nil
}

package mappability

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

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

// Engines are the names of the engines, each with what it does.
var Engines = [][2]string{
	{string(EngineAuto), ""},
	{string(EngineReads), "each K-mer is mapped, in repeats once for all that are equal"},
	{string(EngineShared), "neighbours share what is equal; substitutions on the CPU alone"},
}

// Metric says what an edit is.
type Metric = locate.Metric

// Substitutions is the metric without insertions and deletions. The zero value has these too.
const Substitutions = locate.Substitutions

// MaxLength is the most bases of a K-mer.
const MaxLength = 1 << 16

// Options say what to count and how.
type Options struct {
	// Length is K, the bases of a K-mer, from 1 to MaxLength. Edits is e, the most edits, below K.
	Length, Edits int
	// Metric is what an edit is.
	Metric Metric
	// ForwardOnly leaves reverse strands out.
	ForwardOnly bool
	// ExcludeSelf leaves out the place that a K-mer comes from: with edits, the location there or
	// the one because of which there is none.
	ExcludeSelf bool
	// Genomes counts the genomes that have a place, in place of places.
	Genomes bool
	// Regions are where wanted K-mers begin, in any order; nil for everywhere.
	Regions []Region
	Engine  Engine
	// Device is where Reads runs. With device.Auto that is the CPU if Shared can do the work or
	// the work is little.
	Device device.Choice
	// Threads is the number of goroutines that compute; 0 is one. Counts do not depend on it.
	Threads int
	// Temporary makes files for what the finders cannot hold; nil for those of the system's
	// folder.
	Temporary temporary.Files
	// Progress, when set, is called now and then with how much of the work is done, from one
	// goroutine at a time.
	Progress func(done, total int64)
	limits   limits
}

// A Region is the positions [From, To) of a contig, by its number.
type Region struct{ Contig, From, To int }

// limits are for tests; the zero value of each field stands for a good number. Counts do not
// depend on them.
type limits struct {
	// stripe is how many seeds of the reference Shared holds at a time, and block how many of a
	// text. chunk is how many are taken from either by one goroutine at a time.
	stripe, block, chunk int
	// crowded, when set, chooses the blocks of crowded K-mers, by side and number, of so many
	// K-mers each, or more; repeated says that most of them are equal to others. together is how
	// many are compared with each other without further pieces.
	crowded                func(side, block int) bool
	repeated               bool
	crowdedBlock, together int
	// round is how many strings of crowded K-mers are in memory at a time, and bin how many of them
	// one goroutine works on at a time.
	round, bin int
	// grouped, when set, chooses the blocks whose equal K-mers Reads maps once. A block has so many
	// K-mers. groupedStrings is the number of strings of which there is a table at a time, or
	// little more, groupedTable how many there is room for at first, and batch how many K-mers
	// Reads takes at a time.
	grouped                                           func(block int) bool
	groupedBlock, groupedStrings, groupedTable, batch int
	find                                              find.Limits
}

func (o *Options) setDefaults(bases int) {
	o.Threads = max(o.Threads, 1)
	if o.Engine == "" {
		o.Engine = EngineAuto
	}
	if o.Device.Kind == "" {
		o.Device.Kind = device.CPU
	}
	if o.limits.stripe == 0 {
		o.limits.stripe = stripeSeeds(bases)
	}
	if o.limits.block == 0 { // so many that a partition of the table is used often while in a cache
		o.limits.block = o.limits.stripe / 2
	}
	if o.limits.chunk == 0 {
		o.limits.chunk = chunkBases
	}
}

// check returns what is wrong with o for a reference.
func (o *Options) check(ref *dna.Reference) error {
	switch {
	case o.Length < 1 || o.Length > MaxLength:
		return fmt.Errorf("a K-mer has from 1 to %d bases, not %d", MaxLength, o.Length)
	case o.Edits < 0 || o.Edits >= o.Length:
		return fmt.Errorf("%d edits in K-mers of %d bases: everything or nothing would fit", o.Edits, o.Length)
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

// Run counts the places of the K-mers of the first genome in all genomes. Errors of a device are
// *device.Error.
func Run(ctx context.Context, genomes []*dna.Reference, o Options) (*Frequencies, error) {
	for i, genome := range genomes {
		if genome == nil || len(genome.Contigs) == 0 {
			return nil, fmt.Errorf("genome %d has no contigs", i+1)
		}
	}
	if len(genomes) == 0 {
		return nil, errors.New("there is no genome")
	}
	ref := genomes[0]
	o.setDefaults(ref.TotalLength())
	if err := o.check(ref); err != nil {
		return nil, err
	}
	f := newFrequencies(ref, &o)
	engine := o.engine()
	counter := &counter{options: &o, ref: ref, frequencies: f, progress: newProgress(o.Progress, int64(len(genomes)))}
	f.Engine, f.Device = engine, string(device.CPU)
	for i, genome := range genomes {
		counter.counts = f.counts
		if i > 0 && len(counter.other) == 0 {
			counter.other = make([]uint32, len(f.counts))
		}
		if i > 0 {
			clear(counter.other)
			counter.counts = counter.other
		}
		counter.progress.begin(int64(i))
		count := counter.reads
		if engine == EngineShared {
			count = counter.shared
		}
		if err := count(ctx, genome); err != nil {
			return nil, err
		}
		if i == 0 && o.ExcludeSelf && engine == EngineReads {
			f.excludeSelf()
		}
		if o.Genomes {
			f.countGenomes(counter.counts, i == 0)
		}
		if i > 0 {
			for x, n := range counter.other {
				f.counts[x] = addSaturated(f.counts[x], uint64(n))
			}
		}
	}
	f.close()
	return f, nil
}

// engine chooses among the engines.
func (o *Options) engine() Engine {
	if o.Engine != EngineAuto {
		return o.Engine
	}
	if o.Metric == locate.Substitutions && o.Device.Kind != device.CUDA && o.Length/(o.Edits+1) >= leastSharedRun {
		return EngineShared
	}
	return EngineReads
}

// A counter counts in one genome.
type counter struct {
	options     *Options
	ref         *dna.Reference // whose K-mers are counted
	frequencies *Frequencies
	// counts are by offset, 0 where nothing was found yet. other are those of a genome after the
	// first.
	counts, other []uint32
	// apart are the K-mers that Reads maps one by one, and grouped those that are mapped once for
	// all that are equal.
	apart, grouped []span
	progress       *progress
}

// addSaturated adds, up to the most that counts hold.
func addSaturated(a uint32, b uint64) uint32 { return uint32(min(uint64(a)+b, Most)) }

// startsOf returns the offsets at which wanted K-mers begin, as disjoint spans in order.
func startsOf(ref *dna.Reference, length int, regions []Region) (starts []span) {
	if regions == nil {
		for i := range ref.Contigs {
			regions = append(regions, Region{i, 0, ref.Contigs[i].Length})
		}
	}
	for _, r := range regions {
		c := &ref.Contigs[r.Contig]
		if to := min(r.To, c.Length-length+1); r.From < to {
			starts = append(starts, span{c.Start + r.From, c.Start + to})
		}
	}
	return joined(starts)
}

// joined sorts spans, and joins those that touch each other.
func joined(spans []span) (all []span) {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	for _, s := range spans {
		if last := len(all) - 1; last >= 0 && s.from <= all[last].to {
			all[last].to = max(all[last].to, s.to)
		} else {
			all = append(all, s)
		}
	}
	return all
}

// span is offsets [from, to).
type span struct{ from, to int }

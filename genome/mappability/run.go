package mappability

import (
	"context"
	"errors"
	"fmt"

	"scanmap/dna"
	"scanmap/gpu/device"
	"scanmap/locate"
)

// Run counts the places of the K-mers, or fragments, of the first genome in all genomes. Errors of
// a device are *device.Error.
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
	if o.Bisulfite != "" {
		return runBisulfite(ctx, genomes, o)
	}
	if o.pairs() {
		return runPairs(ctx, genomes, o)
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
	if o.limits.block == 0 { // enough seeds to use a partition of the table often while in a cache
		o.limits.block = o.limits.stripe / 2
	}
	if o.limits.chunk == 0 {
		o.limits.chunk = chunkBases
	}
}

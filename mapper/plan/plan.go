// Package plan says what a run of mapper would do and take, from a look at the heads of its files.
package plan

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"scanmap/fasta"
	"scanmap/gpu/device"
	"scanmap/mapper"
	"scanmap/mapper/find"
)

// Plan is what a run would do. Where only a part of a file was read, numbers are estimates.
type Plan struct {
	Reference fasta.Sample
	// Libraries are samples of each input; both mates of a pair are counted.
	Libraries []fasta.Sample
	// Lengths are the lengths of reads, after Options.Crop, with the work for each.
	Lengths []Length
	// BatchReads is the most reads of a batch, and Batches how many there are.
	BatchReads, Batches int64
	// Bound is an upper bound of the memory, whatever the reads are.
	Bound mapper.Memory
	// Likely is the resident memory of a run on the CPU in bytes, if reads do not lie in repeats with
	// thousands of locations; 0 where GPUs were asked for.
	Likely int64
}

// Length is the work for reads of a length.
type Length struct {
	Bases int
	// Edits is k, and Piece the length of the pieces by which they are found; 0 where every base is
	// looked at.
	Edits, Piece int
	Share        float64 // of the reads that were looked at
}

// Output says how records are written, as far as a Plan depends on it.
type Output struct {
	Sorting int64 // memory of sorting in bytes, 0 for none
	// Counting is the memory of counts in bytes, by the reference's bases; nil for no counts.
	Counting func(bases int64) int64
	BAM      bool
}

// Make looks at the files of a run, which have to be regular ones.
func Make(ctx context.Context, o mapper.Options, out Output) (*Plan, error) {
	p := &Plan{}
	var err error
	if p.Reference, err = fasta.LookAtReference(ctx, o.Reference, o.Threads); err != nil {
		return nil, err
	}
	lengths, looked := map[int]int{}, 0
	counting := int64(0)
	if out.Counting != nil {
		counting = out.Counting(p.Reference.Bases)
	}
	shape := shape{
		threads: int64(o.Threads), referenceBases: p.Reference.Bases, sorting: out.Sorting, counting: counting, binary: out.BAM,
		compressedReference: p.Reference.Compressed,
	}
	for i := range o.Libraries {
		l := &o.Libraries[i]
		sample, err := look(ctx, l, fasta.ReadOptions{Threads: o.Threads, Crop: o.Crop, MaxLength: o.MaxReadLength})
		if err != nil {
			return nil, err
		}
		p.Libraries = append(p.Libraries, sample)
		shape.reads += sample.Records
		if sample.Compressed {
			shape.compressed++
			if l.Mates != "" {
				shape.compressed++
			}
		}
		shape.bases += sample.Bases
		for n, reads := range sample.Lengths {
			lengths[n] += reads
			looked += reads
		}
	}
	longest := 0
	for _, n := range slices.Sorted(maps.Keys(lengths)) {
		k := o.Distance.For(n)
		p.Lengths = append(p.Lengths, Length{n, k, find.PieceLength(o.Engine, o.Metric, n, k), float64(lengths[n]) / float64(looked)})
		shape.pieces += float64(k+1) * float64(lengths[n]) / float64(looked)
		longest = n
	}
	work := mapper.Work{Bases: p.Reference.Bases, Length: int64(longest), Sorting: out.Sorting, Counting: counting}
	switch {
	case o.Device.Kind != device.CUDA:
	case len(o.Device.Indices) > 0:
		work.GPUs = len(o.Device.Indices)
	default:
		work.GPUs = 1
	}
	if p.Bound, err = o.Memory(work); err != nil {
		return nil, err
	}
	work.Length = 0
	if shape.reads > 0 {
		work.Length = shape.bases / shape.reads
	}
	if p.BatchReads, err = o.BatchSize(work); err != nil {
		return nil, err
	}
	for i := range p.Libraries {
		p.Batches += (p.Libraries[i].Records + p.BatchReads - 1) / p.BatchReads
	}
	if work.GPUs == 0 {
		shape.batch = p.BatchReads
		for _, l := range p.Lengths {
			if o.InSteps(int(min(shape.batch, shape.reads)), l.Bases) {
				shape.again += l.Share / 2
			}
		}
		p.Likely = shape.memory()
	}
	return p, nil
}

// look looks at the files of a library, and returns a sample of the reads that are mapped.
func look(ctx context.Context, l *mapper.Library, o fasta.ReadOptions) (fasta.Sample, error) {
	sample, err := fasta.LookAtReads(ctx, l.Reads, o)
	if err != nil {
		return fasta.Sample{}, err
	}
	together := int64(1)
	if l.Interleaved {
		together = 2
	}
	if l.Mates != "" {
		mates, err := fasta.LookAtReads(ctx, l.Mates, o)
		if err != nil {
			return fasta.Sample{}, err
		}
		if sample.Whole && mates.Whole && sample.Records != mates.Records {
			return fasta.Sample{}, fmt.Errorf("%s has %d records, but %s %d", l.Reads, sample.Records, l.Mates, mates.Records)
		}
		together = 2
		sample.Records, sample.Bases = sample.Records+mates.Records, sample.Bases+mates.Bases
		sample.Whole = sample.Whole && mates.Whole
		for n, reads := range mates.Lengths {
			sample.Lengths[n] += reads
		}
	}
	all := sample.Records
	sample.Records = max(sample.Records-l.Skip*together, 0)
	if l.Take > 0 {
		sample.Records = min(sample.Records, l.Take*together)
	}
	if all > 0 {
		sample.Bases = int64(float64(sample.Bases) * float64(sample.Records) / float64(all))
	}
	return sample, nil
}

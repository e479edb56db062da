// Package bench measures mapping: one batch of reads again and again, on the CPU by the stages of a
// run, on a GPU by its kernels.
package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/gpu/device"
	"scanmap/internal/measure"
	"scanmap/internal/parallel"
	"scanmap/mapper"
)

// Options say what Map measures.
type Options struct {
	// Options say how to map. Reference may be empty: then it and the reads are made. The reads are of
	// one library, without mates.
	mapper.Options
	// Bases is the length of the reference that is made.
	Bases int
	// Repeats names the repeats among its random bases.
	Repeats Repeats
	// Count and Length are the number of reads that are made and their bases.
	Count, Length int
	// Repetitions is the number of measurements, after one that is not counted; results are their
	// medians.
	Repetitions int
}

// Repeats names the repeats that a made reference has among random bases.
type Repeats string

// The repeats. Planted are 3,000 elements of 1,000 bases in ten copies each, 10 % diverged. Alu is
// one element of 320 bases whose copies, 12 % diverged, take up 10 % of the reference, as Alu does
// in human.
const (
	RepeatsNone    Repeats = "none"
	RepeatsPlanted Repeats = "planted"
	RepeatsAlu     Repeats = "alu"
)

// RepeatsModels are the names of the repeats, each with what it puts into the reference.
var RepeatsModels = [][2]string{
	{string(RepeatsNone), ""},
	{string(RepeatsPlanted), "3,000 elements of 1,000 bases, ten copies each"},
	{string(RepeatsAlu), "one of 320 bases on a tenth of it"},
}

// ParseRepeats reads the name of repeats.
func ParseRepeats(s string) (Repeats, error) {
	names := make([]string, len(RepeatsModels))
	for i, r := range RepeatsModels {
		if names[i] = r[0]; r[0] == s {
			return Repeats(s), nil
		}
	}
	return "", fmt.Errorf("repeats %q are not one of %s", s, strings.Join(names, ", "))
}

// Map maps one batch of reads again and again and measures the parts. On a GPU the parts are
// kernels, timed by events, and core is their sum: all that the device computes, without copies and
// without the host. On the CPU they are the stages. Nothing is written. An error of the GPU is a
// *device.Error.
func Map(ctx context.Context, o Options) (*measure.Result, error) {
	o.Threads, o.Repetitions = max(o.Threads, 1), max(o.Repetitions, 1)
	ref, reads, err := o.input(ctx)
	if err != nil {
		return nil, err
	}
	if len(reads) == 0 {
		return nil, errors.New("there are no reads to measure with")
	}
	r := &measure.Result{Bases: int64(ref.TotalLength()), Reads: int64(len(reads))}
	if o.Device.Kind == device.CUDA {
		err = onGPU(ctx, &o, ref, reads, r)
	} else {
		err = onCPU(ctx, &o, ref, reads, r)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// input loads the reference and the reads, or makes them.
func (o *Options) input(ctx context.Context) (*dna.Reference, []fasta.Read, error) {
	if o.Reference == "" {
		ref, err := makeReference(o.Bases, o.Repeats, o.Threads)
		if err != nil {
			return nil, nil, err
		}
		reads, err := makeReads(ref, o.Count, o.Length, o.Distance, o.Threads)
		return ref, reads, err
	}
	ref, err := fasta.LoadReference(ctx, o.Reference, o.Threads)
	if err != nil {
		return nil, nil, err
	}
	in, err := fasta.OpenReads(ctx, o.Libraries[0].Reads, fasta.ReadOptions{Threads: o.Threads, Crop: o.Crop, MaxLength: o.MaxReadLength})
	if err != nil {
		return nil, nil, err
	}
	var reads []fasta.Read
	for {
		chunk, err := in.Next()
		reads = append(reads, chunk...)
		if errors.Is(err, io.EOF) || o.Count > 0 && len(reads) >= o.Count {
			break
		}
		if err != nil {
			return nil, nil, errors.Join(err, in.Close())
		}
	}
	if o.Count > 0 {
		reads = reads[:min(len(reads), o.Count)]
	}
	return ref, reads, in.Close()
}

// onCPU measures the stages on the CPU.
func onCPU(ctx context.Context, o *Options, ref *dna.Reference, reads []fasta.Read, r *measure.Result) error {
	r.Device = measure.Device{ID: string(device.CPU), Name: string(device.CPU)}
	all, err := mapper.Repeat(ctx, ref, reads, o.Options, o.Repetitions+1)
	if err != nil {
		return err
	}
	var rows [][]measure.Row
	for _, s := range all[1:] { // the first is to warm up
		n := int64(len(reads))
		now := []measure.Row{{Name: "all", Value: measure.PerSecond(float64(n), s.Elapsed.Seconds()), Unit: "reads/s", Operations: n}}
		for _, stage := range s.Stages {
			unit := "s"
			if stage.Summed {
				unit = "s of all threads"
			}
			now = append(now, measure.Row{Name: stage.Name, Value: stage.Time.Seconds(), Unit: unit})
		}
		rows = append(rows, now)
	}
	r.Rows = measure.Medians(rows)
	return nil
}

// makeReference makes a reference of random bases and of repeats.
func makeReference(n int, repeats Repeats, threads int) (*dna.Reference, error) {
	ref, err := dna.Random(n, threads)
	if err != nil {
		return nil, err
	}
	switch repeats {
	case RepeatsPlanted:
		plant(ref, 3000, 1000, 30_000, 10, threads)
	case RepeatsAlu:
		plant(ref, 1, 320, n/10/320, 12, threads)
	case RepeatsNone:
	}
	return ref, nil
}

// makeGrain is the number of copies or reads made with one random generator, so that results do not
// depend on threads.
const makeGrain = 1 << 14

// plant writes copies of random elements, each base changed with a probability in percent, to even
// places of a reference. Each copy has its own words, so that they can be written in parallel.
func plant(ref *dna.Reference, elements, length, copies, percent, threads int) {
	total := ref.Bases.Length
	r := rand.New(rand.NewPCG(uint64(length), 2))
	codes := make([][]byte, elements)
	for i := range codes {
		codes[i] = make([]byte, length)
		for j := range codes[i] {
			codes[i][j] = byte(r.IntN(4))
		}
	}
	room := total / max(copies, 1)
	if room < length+3*dna.WordBases {
		copies = total / (length + 3*dna.WordBases)
		room = length + 3*dna.WordBases
	}
	parallel.Ranges(threads, copies, makeGrain, func(_, from, to int) {
		r := rand.New(rand.NewPCG(uint64(from), 3))
		for i := from; i < to; i++ {
			at := (i*room+dna.WordBases-1)/dna.WordBases*dna.WordBases + r.IntN(max(room-length-2*dna.WordBases, 1))
			at = min(at, (i+1)*room/dna.WordBases*dna.WordBases-length)
			for j, code := range codes[i%elements] {
				if r.IntN(100) < percent {
					code = (code + 1 + byte(r.IntN(3))) & 3
				}
				w, bit := (at+j)/dna.WordBases, uint((at+j)%dna.WordBases)
				if ref.Bases.Ambiguous[w]>>bit&1 != 0 {
					continue // between contigs
				}
				ref.Bases.Low[w] = ref.Bases.Low[w]&^(1<<bit) | uint64(code&1)<<bit
				ref.Bases.High[w] = ref.Bases.High[w]&^(1<<bit) | uint64(code>>1)<<bit
			}
		}
	})
}

// makeReads cuts reads out of a reference at random places of either strand. They have no edits
// with probability 1/3, one with 1/4, two with 1/6, and the others three to k evenly; of ten edits
// eight are substitutions, one is an insertion and one a deletion.
func makeReads(ref *dna.Reference, n, length int, distance mapper.Distance, threads int) ([]fasta.Read, error) {
	k := distance.For(length)
	need := length + k
	if need > ref.Contigs[len(ref.Contigs)-1].Length {
		return nil, fmt.Errorf("a reference of %d bases is too short for reads of %d", ref.TotalLength(), length)
	}
	reads := make([]fasta.Read, n)
	qualities := []byte(strings.Repeat("F", length))
	parallel.Ranges(threads, n, makeGrain, func(_, from, to int) {
		r := rand.New(rand.NewPCG(uint64(from), 4))
		for i := from; i < to; i++ {
			c := &ref.Contigs[r.IntN(len(ref.Contigs))]
			at := r.IntN(c.Length - need + 1)
			s := make([]byte, need, need+k)
			for j := range s {
				s[j] = ref.Letter(c.Start + at + j)
			}
			edits := 0
			switch x := r.IntN(12); {
			case x < 4:
			case x < 7:
				edits = 1
			case x < 9:
				edits = 2
			default:
				edits = 3 + r.IntN(max(k-2, 1))
			}
			for range min(edits, k) {
				j := r.IntN(length)
				letter := dna.Letters[r.IntN(4)]
				switch r.IntN(10) {
				case 0:
					s = slices.Insert(s, j, letter)
				case 1:
					s = slices.Delete(s, j, j+1)
				default:
					s[j] = letter
				}
			}
			s = s[:length]
			if r.IntN(2) == 0 {
				dna.ReverseComplement(s)
			}
			reads[i] = fasta.Read{Name: fmt.Sprintf("made%d", i+1), Bases: s, Qualities: qualities}
		}
	})
	return reads, nil
}

package depth

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/emulator"
	"scanmap/internal/truth"
	"scanmap/mapper"
	"scanmap/sam"
)

// TestOnGPU compares depth, windows and abundance of all weights as a GPU counts them with the
// CPU's, of reads with many places, one, and none.
func TestOnGPU(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(31, 32))
	unit := truth.Random(r, 60, "ACGT")
	var contigs [2]strings.Builder
	for i := range 90 {
		contigs[i%2].WriteString(truth.Strand(truth.Edited(r, unit, i%5), i/2%2) + truth.Random(r, 30, "ACGT"))
	}
	reference, reads := filepath.Join(t.TempDir(), "ref.fa"), filepath.Join(t.TempDir(), "reads.fq")
	var fq strings.Builder
	for i := range 40 {
		text := contigs[i%2].String()
		at := r.IntN(len(text) - 50)
		s := truth.Edited(r, text[at:at+50], i%3)
		switch {
		case i%9 == 0:
			s = truth.Random(r, 50, "ACGT")
		case i%4 == 0:
			s = truth.Edited(r, unit, 2)
		}
		fmt.Fprintf(&fq, "@read%d\n%s\n+\n%s\n", i, s, strings.Repeat("F", len(s)))
	}
	for name, text := range map[string]string{reference: ">a\n" + contigs[0].String() + "\n>b\n" + contigs[1].String() + "\n", reads: fq.String()} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	onGPU := device.Choice{Kind: device.CUDA, Driver: emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})}
	for _, weights := range []Weights{WeighAll, WeighBest, WeighEqual, WeighPrimary} {
		for _, report := range []mapper.Report{{}, {Mode: mapper.ReportBest}} {
			o := mapper.Options{
				Reference: reference, Libraries: []mapper.Library{{Reads: reads}}, Threads: 2, Distance: mapper.Distance{Edits: 4}, Report: report,
			}
			want := counted(t, o, weights)
			o.Device = onGPU
			if d := cmp.Diff(want, counted(t, o, weights)); d != "" {
				t.Errorf("%s, %+v (-CPU +GPU):\n%s", weights, report, d)
			}
		}
	}
}

// counted returns the depths of a run, and its regions and abundances.
func counted(t *testing.T, o mapper.Options, weights Weights) (all []any) {
	t.Helper()
	c := New(Options{Of: Covered, Weights: weights, Threads: 2})
	stats, err := mapper.Run(context.Background(), o, sam.HeaderOptions{}, mapper.Outputs{Counting: c})
	if err != nil {
		t.Fatal(err)
	}
	for i, contig := range c.Contigs() {
		err := c.Depths(i, 0, contig.Length, func(start, end int, depth float32) error {
			all = append(all, [3]float32{float32(start), float32(end), depth})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		err = c.Windows(i, 100, func(w RegionDepth) error {
			all = append(all, w)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return append(all, c.Abundances(stats.Reads, stats.Mapped), stats.PerContig)
}

// TestCarryCell has a GPU hand over numbers past 32 bits.
func TestCarryCell(t *testing.T) {
	t.Parallel()
	for _, times := range []int{-1, 0, 1, 2} {
		c := New(Options{Of: Starts, Weights: WeighEqual})
		_ = c.Begin(reference(4, 3))
		counter := c.Counter()
		counter.Count(read{{Contig: 1, Start: 2, End: 3}})
		c.AddCells(1, 1, []int32{5 << 16, -3 << 16})
		c.CarryCell(1, 2, times)
		c.AddWeight(1, 2<<16)
		var got []float32
		_ = c.Depths(1, 0, 3, func(start, end int, depth float32) error {
			for range end - start {
				got = append(got, depth)
			}
			return nil
		})
		if d := cmp.Diff([]float32{0, 5, float32(65536*times - 3 + 1)}, got); d != "" {
			t.Errorf("%d times (-want +got):\n%s", times, d)
		}
	}
}

package find_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/gpu"
	"scanmap/internal/emulator"
	"scanmap/internal/truth"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// coverage is what locations cover.
type coverage struct {
	depth     [][]int32
	bins      [][]int64
	locations []int64
}

func newCoverage(contigs []string, binLength int) coverage {
	c := coverage{locations: make([]int64, len(contigs))}
	for _, s := range contigs {
		c.depth = append(c.depth, make([]int32, len(s)))
		c.bins = append(c.bins, make([]int64, (len(s)+binLength-1)/binLength))
	}
	return c
}

// TestCoverOnGPU compares what a GPU counts with what its locations are, read by read: bins of a
// length that borders of chunks do not obey, reads with just too many locations, and so many gaps
// that the host has to align some.
func TestCoverOnGPU(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 18))
	unit := truth.Random(r, 90, "ACGT")
	var text strings.Builder
	for i := range 700 {
		text.WriteString(truth.Strand(truth.Edited(r, unit, i%4), i%2) + truth.Random(r, 20, "ACGT"))
	}
	whole := text.String()
	contigs := []string{whole[:len(whole)/3], whole[len(whole)/3:], unit}
	gapped := unit[:12] + unit[13:26] + "A" + unit[26:40] + unit[41:56] + "C" + unit[56:70] + unit[71:]
	reads := []string{unit, truth.ReverseComplement(gapped), truth.Edited(r, unit, 2), whole[700:790], gapped}
	testCover(t, contigs, reads)
}

// TestCoverOfManyGaps has alignments of more operations than a GPU has room for, which the host has
// to make.
func TestCoverOfManyGaps(t *testing.T) {
	t.Parallel()
	text, gapped := ofManyGaps(rand.New(rand.NewPCG(19, 20)))
	testCover(t, []string{text}, []string{gapped})
}

// ofManyGaps returns a text, and a read that has a gap in each of its pieces but one at most of its
// 401 locations. One is better, so that the others need not be handed on.
func ofManyGaps(r *rand.Rand) (text, read string) {
	unit := truth.Random(r, 90, "ACGT")
	var all, gapped strings.Builder
	for i := range 400 {
		all.WriteString(truth.Strand(unit, i%2) + truth.Random(r, 20, "ACGT"))
	}
	for i := range unit {
		if i%9 != 4 || i > 80 {
			gapped.WriteByte(unit[i])
		}
	}
	return all.String() + gapped.String(), gapped.String()
}

// testCover compares what a GPU counts of reads with what the CPU finds.
func testCover(t *testing.T, contigs, reads []string) {
	t.Helper()
	const k, binLength = 9, 7
	ref := truth.Reference(t, contigs...)
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	for _, limits := range []find.Limits{{}, {GPUChunk: 10_000}} {
		for _, starts := range []bool{false, true} {
			want, most := plainCoverage(t, contigs, reads, k, binLength, starts)
			for _, c := range []struct {
				most    int
				covered bool
			}{{most, true}, {most - 1, false}, {10 * most, true}} {
				got, mutex := newCoverage(contigs, binLength), sync.Mutex{}
				cells := make([][]int32, len(contigs))
				for i := range cells {
					cells[i] = make([]int32, len(contigs[i])+1)
				}
				cover := &find.Cover{Starts: starts, BinLength: binLength, Most: c.most, Add: func(contig, base int, numbers []int32) {
					mutex.Lock()
					defer mutex.Unlock()
					for i, n := range numbers {
						cells[contig][base+i] += n
					}
				}}
				o := find.Options{Engine: find.EngineSkim, Threads: 2, Times: &find.Times{}, Cover: cover, Limits: limits}
				gpus, err := find.OnGPUs(ref, cuda(driver, 0), o)
				if err != nil {
					t.Fatal(err)
				}
				b, found := foundBy(t, gpus.Finders()[0], k, reads...)
				// Where chunks meet, candidates are left to the host, which may be more than locations.
				if found.Covered() != c.covered && (limits.GPUChunk == 0 || c.most > most) {
					t.Errorf("at most %d locations: covered %v", c.most, found.Covered())
				}
				totals, err := gpus.Covered()
				if err != nil {
					t.Fatal(err)
				}
				for i := range totals {
					got.locations[i] += totals[i].Locations
					for bin, n := range totals[i].Bins {
						got.bins[i][bin] += n
					}
					sum := int32(0)
					for at := range got.depth[i] {
						if sum += cells[i][at]; starts {
							sum = cells[i][at]
						}
						got.depth[i][at] = sum
					}
				}
				reader := find.NewReader(ref, locate.Edits, math.MaxInt, 1, find.Limits{})
				locationsOf(b, found, &reader, func(_ int, all []locate.Location) {
					for i := range all {
						if !all[i].Covered {
							got.add(&all[i], reader.Aligner.Operations(&all[i]), binLength, starts)
						}
					}
				})
				if d := cmp.Diff(want, got, cmp.AllowUnexported(coverage{})); d != "" {
					t.Errorf("%+v, starts %v, at most %d (-want +got):\n%s", limits, starts, c.most, d)
				}
				if err := gpus.Close(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// add counts a location.
func (c *coverage) add(l *locate.Location, operations []locate.Operation, binLength int, starts bool) {
	contig, at := l.Place.Contig(), int(l.Start)
	c.locations[contig]++
	for i := at; i < int(l.End); i++ {
		c.bins[contig][i/binLength]++
	}
	if starts {
		c.depth[contig][at]++
		return
	}
	for _, o := range operations {
		for range o.Length {
			if o.Kind == locate.Diagonal {
				c.depth[contig][at]++
			}
			if o.Kind != locate.Insertion {
				at++
			}
		}
	}
}

// plainCoverage is what the locations of a CPU's finder cover, and the most locations of a read.
func plainCoverage(t *testing.T, contigs, reads []string, k, binLength int, starts bool) (c coverage, most int) {
	t.Helper()
	ref := truth.Reference(t, contigs...)
	b, found := foundBy(t, find.OnCPU(ref, find.Options{Engine: find.EngineScan, Threads: 2, Times: &find.Times{}}), k, reads...)
	c = newCoverage(contigs, binLength)
	reader := find.NewReader(ref, locate.Edits, math.MaxInt, 1, find.Limits{})
	locationsOf(b, found, &reader, func(_ int, all []locate.Location) {
		most = max(most, len(all))
		for i := range all {
			c.add(&all[i], reader.Aligner.Operations(&all[i]), binLength, starts)
		}
	})
	return c, most
}

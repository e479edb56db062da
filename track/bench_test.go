package track

import (
	"io"
	"math/rand/v2"
	"runtime"
	"testing"
)

// discarded counts written bytes, and keeps nothing.
type discarded struct{ at, size int64 }

func (d *discarded) Write(p []byte) (int, error) {
	d.at += int64(len(p))
	d.size = max(d.size, d.at)
	return len(p), nil
}

func (d *discarded) Seek(offset int64, whence int) (int64, error) {
	d.at = offset
	if whence == io.SeekEnd {
		d.at += d.size
	}
	return d.at, nil
}

// BenchmarkWrite writes per-base fractions, as of weighted depth, and depth as reads of 100 bases
// make it, 30 at a base.
func BenchmarkWrite(b *testing.B) {
	const bases = 12_000_000
	random := rand.New(rand.NewPCG(1, 1))
	fractions, depth := make([]float32, bases), make([]float32, bases)
	changes := make([]int, bases+100)
	for range bases * 30 / 100 {
		at := random.IntN(bases)
		changes[at]++
		changes[at+100]--
	}
	now := 0
	for i := range bases {
		now += changes[i]
		depth[i] = float32(now)
		fractions[i] = random.Float32()
	}
	for _, c := range []struct {
		name   string
		values []float32
	}{{"fractions", fractions}, {"depth", depth}} {
		values := func(_, from, to int, yield func(start, end int, value float32) error) error {
			for i, v := range c.values[from:to] {
				if err := yield(from+i, from+i+1, v); err != nil {
					return err
				}
			}
			return nil
		}
		contigs := []Contig{{"chromosome", bases}}
		threads := runtime.GOMAXPROCS(0)
		for name, write := range map[string]func(d *discarded) error{
			"bedGraph":    func(d *discarded) error { return WriteBedGraph(d, contigs, values, threads) },
			"bedGraph.gz": func(d *discarded) error { return WriteBGZF(d, io.Discard, contigs, values, threads) },
			"bigWig":      func(d *discarded) error { return WriteBigWig(d, contigs, values, threads) },
		} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				var d discarded
				for b.Loop() {
					d = discarded{}
					if err := write(&d); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(d.size)/bases, "B/base")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/bases, "ns/base")
			})
		}
	}
}

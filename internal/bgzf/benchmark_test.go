//go:build unix

package bgzf

import (
	"fmt"
	"io"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/biogo/hts/bgzf"
)

// counter counts bytes.
type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

// BenchmarkBGZF compresses the BAM file that SCANMAP_BAM names, by this package's writer
// and by biogo's, with two goroutines.
func BenchmarkBGZF(b *testing.B) {
	name := os.Getenv("SCANMAP_BAM")
	if name == "" {
		b.Skip("SKIPPED: SCANMAP_BAM names no file")
	}
	f, err := os.Open(name)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	r, err := bgzf.NewReader(f, 2)
	if err != nil {
		b.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		b.Fatal(err)
	}
	for level := SharedLevel; level < 10; level++ {
		b.Run(fmt.Sprint("level", level), func(b *testing.B) {
			measure(b, data, func(w io.Writer) (io.Writer, func() error) {
				z, err := NewWriter(w, level, 2)
				if err != nil {
					b.Fatal(err)
				}
				return z, z.Close
			})
		})
	}
	for _, level := range []int{1, 6} {
		b.Run(fmt.Sprint("biogo/level", level), func(b *testing.B) {
			measure(b, data, func(w io.Writer) (io.Writer, func() error) {
				z, err := bgzf.NewWriterLevel(w, level, 2)
				if err != nil {
					b.Fatal(err)
				}
				return z, z.Close
			})
		})
	}
}

func measure(b *testing.B, data []byte, open func(io.Writer) (io.Writer, func() error)) {
	b.SetBytes(int64(len(data)))
	var c counter
	before := cpuTime(b)
	for b.Loop() {
		c.n = 0
		w, end := open(&c)
		if _, err := w.Write(data); err != nil {
			b.Fatal(err)
		}
		if err := end(); err != nil {
			b.Fatal(err)
		}
	}
	used := (cpuTime(b) - before).Seconds()
	b.ReportMetric(float64(len(data))*float64(b.N)/1e6/used, "CPU-MB/s")
	b.ReportMetric(float64(c.n)/float64(len(data)), "size")
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

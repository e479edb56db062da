package track

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// valuesOf gives the values of a contig from a list with a value for each base, negative for none.
func valuesOf(bases [][]float32) Values {
	return func(contig, from, to int, yield func(start, end int, value float32) error) error {
		all := bases[contig]
		for i := from; i < to; {
			j := i + 1
			for j < to && all[j] == all[i] {
				j++
			}
			if all[i] >= 0 {
				if err := yield(i, j, all[i]); err != nil {
					return err
				}
			}
			i = j
		}
		return nil
	}
}

// TestWig has windows with a border inside an interval, without a value, a last one that is
// shorter, and a contig that is shorter than a window.
func TestWig(t *testing.T) {
	contigs := []Contig{{"a", 10}, {"none", 0}, {"short", 3}}
	var out bytes.Buffer
	err := WriteWig(&out, contigs, valuesOf([][]float32{{1, 1, 1, 0.5, 0.5, -1, -1, -1, 0.25, 0}, {}, {1, 0, 1}}), 4)
	want := "fixedStep chrom=a start=1 step=4 span=4\n0.875\n0.125\n0.125\nfixedStep chrom=short start=1 step=3 span=3\n0.666667\n"
	if err != nil || out.String() != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out.String(), want)
	}
	if err := WriteWig(&out, []Contig{{"x y", 3}}, nil, 4); err == nil {
		t.Error("a name with a blank")
	}
	failed := errors.New("full")
	if err := WriteWig(&bytes.Buffer{}, contigs, func(int, int, int, func(int, int, float32) error) error { return failed }, 4); !errors.Is(err, failed) {
		t.Errorf("an error of the values: %v", err)
	}
}

// TestWigProperty compares with sums of one base after another, past three buffers where there are
// many windows.
func TestWigProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		contigs := make([]Contig, rapid.IntRange(1, 3).Draw(t, "contigs"))
		bases := make([][]float32, len(contigs))
		window := rapid.IntRange(1, 40).Draw(t, "window")
		var want strings.Builder
		for i := range contigs {
			bases[i] = rapid.SliceOfN(rapid.SampledFrom([]float32{-1, 0, 1, 0.5, 0.25, 3}), 1, 90).Draw(t, "bases")
			contigs[i] = Contig{fmt.Sprint("c", i), len(bases[i])}
			step := min(window, len(bases[i]))
			fmt.Fprintf(&want, "fixedStep chrom=c%d start=1 step=%d span=%d\n", i, step, step)
			sum, n := 0.0, 0
			for j, v := range bases[i] {
				sum, n = sum+float64(max(v, 0)), n+1
				if n == window || j == len(bases[i])-1 {
					fmt.Fprintf(&want, "%.6g\n", sum/float64(n))
					sum, n = 0, 0
				}
			}
		}
		var out bytes.Buffer
		if err := WriteWig(&out, contigs, valuesOf(bases), window); err != nil || out.String() != want.String() {
			t.Fatalf("%v\n%s\nwant\n%s", err, out.String(), want.String())
		}
	})
	long := make([]float32, 4*textBuffer)
	var out bytes.Buffer
	if err := WriteWig(&out, []Contig{{"long", len(long)}}, valuesOf([][]float32{long}), 2); err != nil || strings.Count(out.String(), "\n") != len(long)/2+1 {
		t.Errorf("%v, %d lines", err, strings.Count(out.String(), "\n"))
	}
}

package copies

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"scanmap/dna"
	"scanmap/internal/effort"
)

// randomLetters draws bases.
func randomLetters(r *rand.Rand, n int) string {
	letters := make([]byte, n)
	for i := range letters {
		letters[i] = "ACGT"[r.IntN(4)]
	}
	return string(letters)
}

// TestSizedExactly has a start in each hundred bases: 2 copies with an error of 0.25 need 64
// starts, and 0.1 needs 400. A contig with many copies, and one with none, change nothing.
func TestSizedExactly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	ref := reference(t, randomLetters(r, 200_000), randomLetters(r, 20_000), randomLetters(r, 20_000))
	for _, c := range []struct {
		copies, target float64
		every, want    int
	}{{2, 0.25, 100, 6400}, {2, 0.1, 100, 40_000}, {1, 0.25, 100, 1600}, {2, 0.3, 100, 4500}, {2, 0.25, 1, LeastSized}} {
		o := plain(1)
		o.Copies, o.Error = c.copies, c.target
		passes := 0
		got, window, err := Sized(ref, o, func(to *Counter) error {
			passes++
			for _, contig := range []struct{ index, value int }{{0, 1}, {1, 500}} {
				for i := 0; i < ref.Contigs[contig.index].Length; i += c.every {
					if err := to.Add(contig.index, i, i+1, float64(contig.value)); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if noise := got.Controls.Noise; window != c.want || passes != 2 || noise > c.target || got.Windows[0].Unmasked != window {
			t.Errorf("%+v: windows of %d after %d passes, noise %v", c, window, passes, noise)
		}
	}
	// Windows as large as needed do not fit.
	o := plain(1)
	o.Error = 0.01
	_, _, err := Sized(ref, o, func(to *Counter) error { return to.Add(0, 0, 200_000, 0.01) })
	if err == nil || !strings.HasPrefix(err.Error(), "windows of 4000000 bases, for a standard error of 0.01 copies: no window can be a control") {
		t.Errorf("error %v", err)
	}
	if _, _, err := Sized(ref, o, func(*Counter) error { return nil }); err != errNoDepth {
		t.Errorf("error %v", err)
	}
}

// TestSizedPromise draws starts at random, some with many duplicates: the windows of 2 copies then
// have the standard deviation that was asked for, by their own copies.
func TestSizedPromise(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	length := effort.Pick(8_000_000, 800_000)
	ref := reference(t, randomLetters(r, length))
	for _, c := range []struct {
		name                 string
		depth, target        float64
		duplicates           float64 // share of further copies: 1/(1 - share) reads of each fragment
		leastWant, mostWants float64 // bases
	}{
		// Variance of counts / mean: 1, and (1 + d)/(1 - d) for geometric numbers of duplicates.
		{"counting alone", 0.05, 0.25, 0, 1280, 1500},
		{"half are duplicates", 0.05, 0.25, 0.5, 3 * 1100, 3 * 1500},
		{"finer", 0.1, 0.15, 0, 1778, 2100},
	} {
		values := map[int]int{}
		for range int(c.depth * (1 - c.duplicates) * float64(length)) {
			at := r.IntN(length)
			for values[at]++; r.Float64() < c.duplicates; {
				values[at]++
			}
		}
		o := plain(1)
		o.Error = c.target
		got, window, err := Sized(ref, o, readSorted(ref, values))
		if err != nil {
			t.Fatal(err)
		}
		sum, squares, n := 0.0, 0.0, 0.0
		for i := range got.Windows {
			if w := &got.Windows[i]; w.Unmasked == window {
				sum, squares, n = sum+w.Copies, squares+w.Copies*w.Copies, n+1
			}
		}
		deviation := math.Sqrt(squares/n - sum/n*sum/n)
		t.Logf("%s: windows of %d bases, %v of them, standard deviation %.4f, noise %.4f, promised %v", c.name, window, n, deviation, got.Controls.Noise, c.target)
		if float64(window) < c.leastWant || float64(window) > c.mostWants || !(math.Abs(deviation/c.target-1) <= 0.15) || got.Controls.Noise > c.target {
			t.Errorf("%s: windows of %d bases, standard deviation %v, noise %v", c.name, window, deviation, got.Controls.Noise)
		}
	}
}

// TestSizedStops has a noise that larger windows do not average out: each 16,000 bases have a depth
// of their own.
func TestSizedStops(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	ref := reference(t, randomLetters(r, 800_000))
	o := plain(1)
	o.Error = 0.05
	passes := 0
	got, window, err := Sized(ref, o, func(to *Counter) error {
		passes++
		random := rand.New(rand.NewPCG(3, 3))
		depth := 0.0
		for i := 0; i < 800_000; i += 16_000 {
			depth = 0.4 + 0.2*random.Float64()
			if err := to.Add(0, i, i+16_000, depth); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || got.Controls.Noise <= o.Error || passes != 3 || window != 9000 || got.Windows[0].Unmasked != window {
		t.Errorf("%d passes, windows of %d bases, noise %v, %v", passes, window, got.Controls.Noise, err)
	}
}

// TestSizedWithoutRoom has 20 stretches of depths of their own, and needs windows that are larger
// than the contig: the last windows that fit remain.
func TestSizedWithoutRoom(t *testing.T) {
	ref := reference(t, randomLetters(rand.New(rand.NewPCG(5, 5)), 20_000))
	o := plain(1)
	o.Error = 0.1
	got, window, err := Sized(ref, o, func(to *Counter) error {
		random := rand.New(rand.NewPCG(3, 3))
		for i := 0; i < 20_000; i += 1000 {
			if err := to.Add(0, i, i+1000, 0.3+random.Float64()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || got.Controls.Noise <= o.Error || window < 500 || window > 20_000 || got.Windows[0].Unmasked != window {
		t.Errorf("windows of %d bases, %v", window, err)
	}
}

// readSorted gives values of the only contig.
func readSorted(ref *dna.Reference, values map[int]int) func(*Counter) error {
	return func(to *Counter) error {
		for i := range ref.Contigs[0].Length {
			if v := values[i]; v > 0 {
				if err := to.Add(0, i, i+1, float64(v)); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

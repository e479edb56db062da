package find

import (
	"slices"
	"testing"

	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/emulator"
	"scanmap/kernels"
)

// TestSumAcross has as many parts as the threads of a block take in several turns, one less and one
// more, while the sanitizers look on.
func TestSumAcross(t *testing.T) {
	t.Parallel()
	for _, variant := range []emulator.Variant{emulator.Address, emulator.Thread} {
		t.Run(string(variant), func(t *testing.T) {
			g, err := device.OpenGPU(emulator.Driver(t, variant, gpu.EmulatorOptions{}), 0, true)
			if err != nil {
				t.Fatal(err)
			}
			q, err := g.NewQueue()
			if err != nil {
				t.Fatal(err)
			}
			var parts, total device.Buffer
			for _, n := range []int{1, 31, 32, 33, 255, 256, 257, 511, 512, 513, 800} {
				values, want := make([]uint32, n), make([]uint32, n+1)
				for i := range values {
					values[i] = uint32(7*i%13 + 1)
					want[i+1] = want[i] + values[i]
				}
				device.Upload(q, &parts, values)
				q.Reserve(&total, 4)
				device.LaunchBlocks(q, "sum_across", 1, &kernels.SumParams{Parts: parts.At(0), N: uint64(n-1)*kernels.SumPart + 1, Total: total.At(0)})
				got := make([]uint32, n+1)
				device.Download(q, got[:n], &parts, 0)
				device.Download(q, got[n:], &total, 0)
				if err := q.Wait(); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%d parts: %v, want %v", n, got, want)
				}
			}
			if err := g.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

package find

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// TestProbeTwins compares what probeWindows runs on this machine with probePlain.
func TestProbeTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for q := uint64(minPiece); q <= maxPiece; q++ {
		for range 200 {
			filterBits := 11 + r.Uint64N(12)
			filter := make([]uint64, 1<<(filterBits-6))
			for i := range filter {
				filter[i] = r.Uint64()
				filter[i] |= r.Uint64() // three quarters of the bits
			}
			low, high := r.Uint64(), r.Uint64()
			lowC, highC := bits.Reverse64(^low), bits.Reverse64(^high)
			var codes, want [probeStep]uint32
			passed := probeWindows(filter, 32-filterBits, q, hashMultiplier, low, high, lowC, highC, &codes)
			plain := probePlain(filter, 32-filterBits, q, hashMultiplier, low, high, lowC, highC, &want)
			if codes != want || passed != plain {
				t.Fatalf("q %d: codes %x, plain %x; passed %b, plain %b", q, codes, want, passed, plain)
			}
			for i, code := range want {
				forward := uint32(low>>i&(1<<q-1) | high>>i&(1<<q-1)<<q)
				if code != min(forward, complementCode(forward, int(q))) {
					t.Fatalf("q %d, window %d: code %x of %x", q, i, code, forward)
				}
			}
		}
	}
}

func BenchmarkProbe(b *testing.B) {
	filter := make([]uint64, 1<<14) // 128 KB: fits the L2 of any processor
	low, high, sink := rand.Uint64(), rand.Uint64(), uint64(0)
	var codes [probeStep]uint32
	for name, probe := range map[string]func([]uint64, uint64, uint64, uint32, uint64, uint64, uint64, uint64, *[probeStep]uint32) uint64{
		"plain": probePlain, "chosen": probeWindows,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				sink ^= probe(filter, 12, 16, hashMultiplier, low, high, low*3, high*5, &codes)
				low, high = bits.RotateLeft64(low, 5)+1, bits.RotateLeft64(high, 7)
			}
			_ = sink
			b.ReportMetric(float64(b.N)*probeStep/b.Elapsed().Seconds()/1e6, "Mbases/s")
		})
	}
}

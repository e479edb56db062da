package dna

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
)

// randomWords is the number of words made with one random generator, so that the words do not
// depend on threads.
const randomWords = 1 << 14

// Random makes a reference of n random bases, the same ones for the same n, in contigs of at most
// 2^30 bases about as long as each other.
func Random(n, threads int) (*Reference, error) {
	const most = 1 << 30
	count := (n + most - 1) / most
	contigBases := (n + count - 1) / count
	ref := &Reference{}
	ref.Bases.Reserve(n + (count+1)*(Padding+WordBases))
	for from := 0; from < n; from += contigBases {
		if err := ref.AddContig(fmt.Sprintf("made%d", from/contigBases+1), ""); err != nil {
			return nil, err
		}
		c := &ref.Contigs[len(ref.Contigs)-1]
		c.Length = min(contigBases, n-from)
		words := Words(c.Length)
		first := c.Start / WordBases
		ref.Bases.fillRandom(first, words, threads)
		if rest := c.Length % WordBases; rest != 0 {
			after := past(rest)
			w := first + words - 1
			ref.Bases.Low[w] &^= after
			ref.Bases.High[w] &^= after
			ref.Bases.Ambiguous[w] = after
		}
		ref.Bases.Length = c.End()
	}
	ref.Finish()
	return ref, nil
}

// fillRandom sets words from first on to random bases.
func (s *Sequence) fillRandom(first, words, threads int) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(max(threads, 1), (words+randomWords-1)/randomWords) {
		group.Go(func() {
			for {
				from := int(next.Add(randomWords)) - randomWords
				if from >= words {
					return
				}
				r := rand.New(rand.NewPCG(uint64(first+from), 1))
				for w := first + from; w < first+min(from+randomWords, words); w++ {
					s.Low[w], s.High[w], s.Ambiguous[w] = r.Uint64(), r.Uint64(), 0
				}
			}
		})
	}
	group.Wait()
}

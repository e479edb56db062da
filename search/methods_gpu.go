package search

import (
	"bytes"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/kernels"
)

// A gpuFinder puts the search for a needle in the text of a gpuSearch into its queue. It either
// sets the lowest bit of g.flags for each letter that is the last of an occurrence, and clears it
// for others, or adds hits itself.
type gpuFinder struct {
	find func(g *gpuSearch, n *needle)
	hits bool // it adds hits
	// table tells that it looks all needles up in a table (findTable). Then there is no find.
	table bool
}

// gpuSearch is a search on a GPU: the text, and where kernels leave what they find.
type gpuSearch struct {
	turn  sync.Mutex // is held by who uses it
	queue *device.Queue
	text  gpuText
	// flags has a byte for each letter.
	flags device.Buffer
	// hitQueue and hitCounter are a kernels.Hits of hitRoom words.
	hitQueue, hitCounter device.Buffer
	hitRoom              int
	// needle is what finders compare with, as uploadOnce has brought it to the GPU: uploaded.
	needle   device.Buffer
	uploaded []byte
	// scratch is for finders, which reserve what they need.
	scratch [4]device.Buffer
	table   gpuTable
}

// firstHitRoom is the number of hits for which there is room at first: more than most searches
// have.
const firstHitRoom = 1 << 20

// mostHits bounds the room for hits, with an eighth more, so that 32 bits count them.
const mostHits = 3 << 30

// flagged makes room for flags and returns their address.
func (g *gpuSearch) flagged() uint64 {
	g.queue.Reserve(&g.flags, 32*g.text.paddedWords())
	return g.flags.At(0)
}

// uploadNeedle brings what finders compare with to the GPU: the code of each place or, with sets,
// the set of codes.
func (g *gpuSearch) uploadNeedle(n *needle) uint64 {
	if n.single {
		return g.uploadOnce(n.letters)
	}
	return g.uploadOnce(n.sets)
}

// uploadOnce brings bytes to g.needle, unless they are there already, and returns their address.
func (g *gpuSearch) uploadOnce(b []byte) uint64 {
	g.reserveNeedle(len(b))
	if g.uploaded == nil || !bytes.Equal(b, g.uploaded) {
		device.Upload(g.queue, &g.needle, b)
		g.uploaded = append(g.uploaded[:0], b...)
	}
	return g.needle.At(0)
}

// reserveNeedle makes room in g.needle, so that its address is known before its bytes.
func (g *gpuSearch) reserveNeedle(bytes int) {
	if g.needle.Memory == nil || g.needle.Memory.Bytes() < bytes {
		g.uploaded = nil
		g.queue.Reserve(&g.needle, bytes)
	}
}

// hits returns the queue of hits, which has to be cleared before.
func (g *gpuSearch) hits() kernels.Hits {
	return kernels.Hits{Queue: g.hitQueue.At(0), Counter: g.hitCounter.At(0), Capacity: uint32(g.hitRoom)}
}

// collect makes hits of flags.
func (g *gpuSearch) collect() {
	n := g.text.letters()
	device.Launch(g.queue, "collect", (n+31)/32, &kernels.CollectParams{Flags: g.flags.At(0), Hits: g.hits(), Count: uint64(n)})
}

// find returns the hits of a needle in ascending order of their words; a word may occur several
// times.
func (g *gpuSearch) find(f gpuFinder, n *needle) ([]hit, error) {
	if f.table {
		return g.findInTable(n)
	}
	hits, few, err := g.allHits(f.hits, func() { f.find(g, n) }, mostHits)
	if err != nil {
		return nil, err
	}
	if !few {
		return nil, tooManyPlaces(mostHits)
	}
	slices.SortFunc(hits, func(a, b hit) int { return int(a.Word) - int(b.Word) })
	return hits, nil
}

func tooManyPlaces(most int) error {
	return fmt.Errorf("more places were found than the %d that there can be room for", most)
}

// allHits searches, which adds hits or sets flags, and returns the hits in any order; few is false
// if there are more than most.
func (g *gpuSearch) allHits(adds bool, search func(), most int) (hits []hit, few bool, err error) {
	q := g.queue
	if g.text.letters() == 0 {
		return nil, true, nil
	}
	if g.hitRoom == 0 {
		g.hitRoom = firstHitRoom
	}
	count := make([]uint64, 1)
	for again := false; ; again = true {
		q.Reserve(&g.hitQueue, 8*g.hitRoom)
		q.Reserve(&g.hitCounter, 8)
		q.Clear(&g.hitCounter, 8)
		if adds || !again {
			search()
		}
		if !adds {
			g.collect()
		}
		device.Download(q, count, &g.hitCounter, 0)
		if q.Wait() != nil {
			return nil, false, q.Err
		}
		if count[0] > uint64(most) {
			return nil, false, nil
		}
		if count[0] <= uint64(g.hitRoom) {
			break
		}
		g.hitRoom = int(count[0]) + int(count[0])/8
	}
	hits = make([]hit, count[0])
	device.Download(q, hits, &g.hitQueue, 0)
	if q.Wait() != nil {
		return nil, false, q.Err
	}
	return hits, true, nil
}

// A hit is a word of 32 letters with a bit for each that is the last of an occurrence.
type hit struct{ Word, Mask uint32 }

// appendEnds appends the ends that sorted hits in a text from an offset on stand for, as offsets in
// the text, in ascending order.
func appendEnds(hits []hit, from int, ends []int) []int {
	for i := 0; i < len(hits); {
		word, mask := hits[i].Word, uint32(0)
		for ; i < len(hits) && hits[i].Word == word; i++ {
			mask |= hits[i].Mask
		}
		for ; mask != 0; mask &= mask - 1 {
			ends = append(ends, from+int(word)*32+bits.TrailingZeros32(mask)+1)
		}
	}
	return ends
}

// openGPU opens a GPU for searches.
func openGPU(driver *gpu.Driver, index int, sync bool) (*gpuSearch, error) {
	d, err := device.OpenGPU(driver, index, sync)
	if err != nil {
		return nil, err
	}
	q, err := d.NewQueue()
	if err != nil {
		_ = d.Close() // what failed first counts
		return nil, err
	}
	return &gpuSearch{queue: q}, nil
}

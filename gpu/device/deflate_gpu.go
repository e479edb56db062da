package device

import "scanmap/kernels"

// A Deflater compresses blocks of BGZF on a GPU (kernels/deflate.cu), some at a time, as package
// internal/bgzf asks for it. It belongs to one goroutine.
type Deflater struct {
	queue                      *Queue
	text, packed               []byte   // pinned, DeflateStride bytes for each block
	lengths, sizes             []uint32 // pinned
	onText, onPacked, onTokens Buffer
	onLengths, onSizes         Buffer
}

const (
	// DeflateBlocks is a good number of blocks to be compressed at a time. A warp takes milliseconds
	// for one, however many others there are.
	DeflateBlocks = 256
	// Deflaters is how many a GPU has use for: some compress while others copy.
	Deflaters = 3
	// DeflatedBytes is the memory of a GPU, and a bit more, that a Deflater takes for each block.
	DeflatedBytes = 2*kernels.DeflateStride + 4*(kernels.DeflateTokens+64)
)

// NewDeflater makes a Deflater of a number of blocks, which is closed with the GPU.
func (g *GPU) NewDeflater(blocks int) (*Deflater, error) {
	q, err := g.NewQueue()
	if err != nil {
		return nil, err
	}
	var text, packed Pinned[byte]
	var lengths, sizes Pinned[uint32]
	d := &Deflater{
		queue: q,
		text:  text.Resize(q, blocks*kernels.DeflateStride), packed: packed.Resize(q, blocks*kernels.DeflateStride),
		lengths: lengths.Resize(q, blocks), sizes: sizes.Resize(q, blocks),
	}
	q.Reserve(&d.onText, len(d.text))
	q.Reserve(&d.onPacked, len(d.packed))
	q.Reserve(&d.onTokens, 4*kernels.DeflateTokens*blocks)
	q.Reserve(&d.onLengths, 4*blocks)
	q.Reserve(&d.onSizes, 4*blocks)
	if q.Err == nil {
		_, q.Err = g.Kernel("deflate")
	}
	return d, q.Err
}

// Most is how many blocks are compressed at a time.
func (d *Deflater) Most() int { return len(d.lengths) }

// Text returns where the data of block i are to be written, until Deflate.
func (d *Deflater) Text(i int) []byte {
	return d.text[i*kernels.DeflateStride : (i+1)*kernels.DeflateStride]
}

// Deflate compresses the first blocks, which have these lengths in bytes, 0xff00 at most.
func (d *Deflater) Deflate(lengths []uint32) error {
	q, bytes := d.queue, len(lengths)*kernels.DeflateStride
	Upload(q, &d.onText, d.text[:bytes])
	Upload(q, &d.onLengths, d.lengths[:copy(d.lengths, lengths)])
	LaunchBlocks(q, "deflate", len(lengths), &kernels.DeflateParams{
		Text: d.onText.At(0), Lengths: d.onLengths.At(0), Tokens: d.onTokens.At(0), Packed: d.onPacked.At(0), Sizes: d.onSizes.At(0),
	})
	Download(q, d.packed[:bytes], &d.onPacked, 0)
	Download(q, d.sizes[:len(lengths)], &d.onSizes, 0)
	return q.Wait()
}

// Packed returns the DEFLATE of block i, until Deflate is called again. It is empty where a stored
// block is shorter.
func (d *Deflater) Packed(i int) []byte {
	from := i * kernels.DeflateStride
	return d.packed[from : from+int(d.sizes[i])]
}

package sam

import "io"

// Compressor compresses text as BGZF, which gzip reads.
type Compressor struct{ z *bgzfWriter }

// NewCompressor returns a compressor that writes to w from a goroutine of its own, at the level
// that Compression -1 of WriterOptions stands for. Either Close or Discard has to be called.
func NewCompressor(w io.Writer, threads int) (*Compressor, error) {
	z, err := newBGZF(w, defaultCompression, max(threads, 1), false)
	if err != nil {
		return nil, err
	}
	return &Compressor{z}, nil
}

// Write compresses text. It may return the error of an earlier call.
func (c *Compressor) Write(text []byte) (int, error) { return c.z.Write(text) }

// Close writes what is kept back and the block that ends BGZF. It does not close the writer.
func (c *Compressor) Close() error { return c.z.close() }

// Discard gives up what has not been written. It may be called at any time, also after Close.
func (c *Compressor) Discard() { c.z.discard() }

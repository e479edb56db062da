package sam

// Blocks compresses text as blocks of BGZF, which may be written to a file one after another, at
// the level of a Compressor. One goroutine may use it.
type Blocks struct{ d *deflater }

// EndOfBlocks is the empty block that ends a file of BGZF.
const EndOfBlocks = bgzfEnd

// NewBlocks returns what compresses blocks.
func NewBlocks() (*Blocks, error) {
	d, err := newDeflater(defaultCompression)
	if err != nil {
		return nil, err
	}
	return &Blocks{d}, nil
}

// Append appends whole blocks of a text to b, none of an empty one.
func (z *Blocks) Append(b, text []byte) ([]byte, error) {
	for len(text) > 0 {
		n := min(len(text), bgzfMost)
		var err error
		if b, err = z.d.block(b, text[:n]); err != nil {
			return nil, err
		}
		text = text[n:]
	}
	return b, nil
}

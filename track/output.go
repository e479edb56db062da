package track

import (
	"io"

	"scanmap/internal/bgzf"
)

// An output counts written bytes, and makes an error of a short write.
type output struct {
	w    io.Writer
	size int64
}

func (o *output) write(b []byte) error {
	n, err := bgzf.Whole{Writer: o.w}.Write(b)
	o.size += int64(n)
	return err
}

// A note describes a block of a bigWig: the stretch of the reference that it holds, and its bytes
// before compression.
type note struct {
	extent extent
	plain  int
}

type (
	block  = bgzf.Block[note]
	packer = bgzf.Packer[note]
	press  = bgzf.Press[note]
)

// newPress starts a press that writes to out, and tells of each block that was written, in order,
// where it lies.
func newPress(out *output, threads int, newPacker func() packer, wrote func(b *block, offset int64)) *press {
	return bgzf.NewPress(threads, newPacker, func(b *block) error {
		offset := out.size
		if err := out.write(b.Packed); err != nil {
			return err
		}
		wrote(b, offset)
		return nil
	})
}

package track

import (
	"io"

	"scanmap/internal/bgzf"
)

// An output counts what is written, and makes an error of a short write.
type output struct {
	w    io.Writer
	size int64
}

func (o *output) write(b []byte) error {
	n, err := bgzf.Whole{Writer: o.w}.Write(b)
	o.size += int64(n)
	return err
}

// A note is what is known of a block of a bigWig: what of the reference it holds, and how many
// bytes were compressed.
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

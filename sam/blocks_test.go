package sam

import (
	"bytes"
	"testing"
)

// TestBlocks writes texts around the size of a block one after another, and reads them back.
func TestBlocks(t *testing.T) {
	z, err := NewBlocks()
	if err != nil {
		t.Fatal(err)
	}
	var file, want []byte
	for _, n := range []int{0, 1, bgzfMost - 1, bgzfMost, bgzfMost + 1, 3 * bgzfMost} {
		text := letters(n)
		want = append(want, text...)
		if file, err = z.Append(file, text); err != nil {
			t.Fatal(err)
		}
	}
	file = append(file, EndOfBlocks...)
	if got := decompress(t, file); !bytes.Equal(got, want) {
		t.Errorf("%d bytes came back as %d others", len(want), len(got))
	}
}

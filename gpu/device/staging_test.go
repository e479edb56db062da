package device

import (
	"bytes"
	"testing"
)

// TestStageBorder has staging memory with room for exactly the copied bytes, and for a byte less.
func TestStageBorder(t *testing.T) {
	q, _ := newQueue(t)
	q.Stage()
	q.staging = q.staging[:64]
	var buffer Buffer
	for _, left := range []int{7, 8, 9} {
		q.staged = len(q.staging) - left
		want := []byte("8 bytes.")
		Upload(q, &buffer, want)
		got := make([]byte, len(want))
		Download(q, got, &buffer, 0)
		if err := q.Wait(); err != nil || !bytes.Equal(got, want) {
			t.Errorf("room for %d bytes: %q came back, %v", left, got, err)
		}
	}
}

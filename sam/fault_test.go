package sam

import (
	"errors"
	"testing"
)

// A stumblingWriter fails once, at one of its calls.
type stumblingWriter struct{ calls, at int }

var errOnce = errors.New("this once")

func (w *stumblingWriter) Write(b []byte) (int, error) {
	if w.calls++; w.calls == w.at {
		return 0, errOnce
	}
	return len(b), nil
}

// TestErrorOfOneWrite has every write of an output fail, and those after it succeed.
func TestErrorOfOneWrite(t *testing.T) {
	sorted := testHeader(t, HeaderOptions{SortOrder: coordinate, NoProgram: true}, testContigs...)
	records := manyRecords(2000)
	for _, o := range []WriterOptions{
		{Format: FormatSAM}, {Format: FormatSAM, Sort: true}, {Format: FormatSAMGZ, Threads: 2}, {Format: FormatBAM, Threads: 2},
		{Format: FormatBAM, Sort: true, Compression: 1, Threads: 2}, {Format: FormatSAM, Sort: true, MarkDuplicates: true},
	} {
		blocks := blocksOf(records, encodingOf(t, sorted, o), 50)
		whole := &stumblingWriter{}
		if err := writeBlocks(whole, o, sorted, blocks); err != nil {
			t.Fatal(err)
		}
		for at := 1; at <= whole.calls; at++ {
			if err := writeBlocks(&stumblingWriter{at: at}, o, sorted, blocks); !errors.Is(err, errOnce) {
				t.Errorf("%+v, write %d of %d fails: error %v", o, at, whole.calls, err)
			}
		}
	}
}

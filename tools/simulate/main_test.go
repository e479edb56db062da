package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"testing"
)

// TestWriteBlocks writes more than three rounds of blocks, and the reads of each come in order.
func TestWriteBlocks(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for _, n := range []int{0, 1, blockReads, 19*blockReads + 1} {
		var got [2]bytes.Buffer
		files := []*bufio.Writer{bufio.NewWriter(&got[0]), bufio.NewWriter(&got[1])}
		err := writeBlocks(n, files, func(block int) drawer {
			return func(w []*bytes.Buffer, i int) error {
				for mate := range w {
					fmt.Fprintln(w[mate], mate, i, block)
				}
				return nil
			}
		})
		for mate, w := range files {
			var want bytes.Buffer
			for i := range n {
				fmt.Fprintln(&want, mate, i, i/blockReads)
			}
			if w.Flush() != nil || err != nil || !bytes.Equal(got[mate].Bytes(), want.Bytes()) {
				t.Errorf("%d reads, mate %d: %d bytes, %v, expected %d", n, mate, got[mate].Len(), err, want.Len())
			}
		}
	}
	last := 5*blockReads + 7
	err := writeBlocks(6*blockReads, nil, func(int) drawer {
		return func(_ []*bytes.Buffer, i int) error {
			if i >= last {
				return errors.New("no place")
			}
			return nil
		}
	})
	if err == nil {
		t.Error("an error of a block is lost")
	}
}

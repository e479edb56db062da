package main

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"scanmap/mapper"
)

// lockedBuffer is a buffer that goroutines share.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestProgressOnTerminal(t *testing.T) {
	var b lockedBuffer
	p := startProgress(&b, true)
	p.update(mapper.Progress{Reads: 4000, Mapped: 1000})
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(b.String(), "4,000 reads, 25.00 % mapped"); {
		if time.Now().After(deadline) {
			t.Fatalf("it shows %q", b.String())
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.stop()
	if after, clear := b.String(), "\x1b[J"; !strings.HasSuffix(after, clear) {
		t.Errorf("the line stays: %q", after)
	}
	p.update(mapper.Progress{Reads: 5000}) // of a run that was given up
}

func TestProgressInLines(t *testing.T) {
	var b lockedBuffer
	p := startProgress(&b, false)
	for reads := range int64(1000) { // far less than lineInterval
		p.update(mapper.Progress{Reads: reads + 1, Mapped: reads + 1})
	}
	p.stop()
	if got := b.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "scanmap: 1 reads, 100.00 % mapped, ") {
		t.Errorf("got %q", got)
	}
}

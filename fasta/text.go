package fasta

import (
	"bytes"
	"context"
	"fmt"
	"io"
)

// MaxText is the most bytes of ReadText: about eight million guides with names.
const MaxText = 1 << 28

// ReadText returns the whole text of a file, "-" being standard input, decompressed. More than
// MaxText bytes are an error, as soon as so many have been read.
func ReadText(ctx context.Context, path string) ([]byte, error) {
	return readText(ctx, path, MaxText)
}

func readText(ctx context.Context, path string, most int) ([]byte, error) {
	s, err := openSource(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.close() }() // it was only read
	in, err := s.text(1)
	if err != nil {
		return nil, fileError(s.name, err)
	}
	text, err := io.ReadAll(io.LimitReader(in, int64(most)+1))
	if err != nil {
		return nil, fileError(s.name, err)
	}
	if len(text) > most {
		return nil, fileError(s.name, fmt.Errorf("holds more than %d bytes of text", most))
	}
	return text, nil
}

// TextReads is OpenReads for text that has been read already; errors call it by name.
func TextReads(ctx context.Context, name string, text []byte, o ReadOptions) *Reads {
	return newReads(textSource(ctx, name, text), o, chunkText)
}

// textSource is openSource for text that has been read already.
func textSource(ctx context.Context, name string, text []byte) *source {
	s := &source{name: name, memory: bytes.NewReader(text)}
	s.ctx, s.cancel = context.WithCancel(ctx)
	return s
}

package fasta

import (
	"bytes"
	"context"
	"fmt"
	"io"
)

// ReadText returns the whole text of a file, "-" being standard input, decompressed. Text of more
// than most bytes is an error.
func ReadText(ctx context.Context, path string, most int64) ([]byte, error) {
	s, err := openSource(ctx, path)
	if err != nil {
		return nil, err
	}
	return readText(s, most)
}

// readText is ReadText for an open source, which it closes.
func readText(s *source, most int64) ([]byte, error) {
	defer func() { _ = s.close() }() // it was only read
	in, err := s.text(1)
	if err != nil {
		return nil, fileError(s.name, err)
	}
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("has more than %d bytes of text", most)
	}
	if err != nil {
		return nil, fileError(s.name, err)
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

// OpenText opens the text of a file, "-" being standard input, decompressed by up to threads
// goroutines. It is for formats that are read line by line. Read returns faults of the file as an
// Error that names the file.
func OpenText(ctx context.Context, path string, threads int) (io.ReadCloser, error) {
	s, err := openSource(ctx, path)
	if err != nil {
		return nil, err
	}
	in, err := s.text(max(threads, 1))
	if err != nil {
		_ = s.close() // it was only read
		return nil, fileError(s.name, err)
	}
	return &textFile{s, in}, nil
}

// textFile is what OpenText returns.
type textFile struct {
	source *source
	in     io.Reader
}

func (t *textFile) Read(p []byte) (int, error) {
	n, err := t.in.Read(p)
	if err != nil && err != io.EOF {
		err = fileError(t.source.name, err)
	}
	return n, err
}

func (t *textFile) Close() error { return t.source.close() }

package fasta

import (
	"context"
	"errors"
	"io"
)

// errShorter is a file that ends before the size that it had when it was opened: another program
// cut it, and the part that was read may be half of the file. (A file that another takes the place
// of, under the same name, is read to its own end.)
var errShorter = errors.New("became shorter while it was read")

// WholeFile returns a reader of the rest of a file. If the file is regular and ends before the size
// that it has now, the reader ends with an error instead of io.EOF. After an error it returns the
// same one again: a disk that fails once is not asked a second time.
func WholeFile(file File) io.Reader {
	w := &wholeFile{file: file}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return w
	}
	// Standard input may have been read from by others.
	if w.at, err = file.Seek(0, io.SeekCurrent); err == nil {
		w.size = info.Size()
	}
	return w
}

// wholeFile is a file that was read to position at, and should reach to size.
type wholeFile struct {
	file     File
	at, size int64
	err      error // that ended reading, not io.EOF: a terminal may go on after that
	// Once more than aheadFrom bytes were read, goroutines of a source read ahead; nil for none.
	source *source
	began  int64
	ahead  *fileAhead
}

func (w *wholeFile) Read(p []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	if n, err := w.fromAhead(p); n > 0 || err != nil {
		w.at, w.err = w.at+int64(n), err
		return n, err
	}
	n, err := w.file.Read(p)
	w.at += int64(n)
	if err == io.EOF && w.at < w.size {
		err = errShorter
	}
	if err != io.EOF {
		w.err = err
	}
	return n, err
}

// One goroutine copies some 2 GB a second out of the system's cache, which is less than GPUs map.
// Several goroutines therefore read the blocks of a large file.
const (
	aheadFrom = 4 << 20
	fileBlock = 512 << 10
	// blocksOfFile is the number of blocks that wait or are being read, beside the block that is due.
	blocksOfFile = 8
)

// A fileAhead is the blocks of a file that goroutines read, in order.
type fileAhead struct {
	order chan *fileBlockAhead // closed after the last one
	spare chan []byte
	block []byte // the memory of the one at hand
	left  []byte // of its text
	short bool   // no block comes after it
}

// A fileBlockAhead is complete once ready is closed. It is short where reading failed, or the file
// ends before the size that it had.
type fileBlockAhead struct {
	text  []byte
	short bool
	ready chan struct{}
}

// readAhead has goroutines of the source read its file ahead, if that is large.
func (s *source) readAhead() {
	if w, ok := s.content.(*wholeFile); ok {
		w.source, w.began = s, w.at
	}
}

// fromAhead returns bytes that were read ahead, none where nothing is: the file is read on at w.at
// then.
func (w *wholeFile) fromAhead(p []byte) (int, error) {
	if w.source == nil || w.at-w.began < aheadFrom {
		return 0, nil
	}
	if w.ahead == nil {
		if w.at >= w.size { // also of a pipe, which has no size
			return 0, nil
		}
		w.ahead = w.source.startAhead(w.file, w.at, w.size)
	}
	n, err := w.ahead.read(w.source.ctx, p)
	if n == 0 && err == nil {
		w.source = nil
		_, err = w.file.Seek(w.at, io.SeekStart)
	}
	return n, err
}

// startAhead reads bytes [from, to) of a file ahead, until the context of the source ends.
func (s *source) startAhead(file File, from, to int64) *fileAhead {
	a := &fileAhead{order: make(chan *fileBlockAhead, blocksOfFile), spare: make(chan []byte, blocksOfFile+2)}
	s.run(func() {
		defer close(a.order)
		for at := from; at < to; at += fileBlock {
			b := &fileBlockAhead{ready: make(chan struct{})}
			select {
			case a.order <- b:
			case <-s.ctx.Done():
				return
			}
			s.run(func() {
				defer close(b.ready)
				select {
				case b.text = <-a.spare:
				default:
					b.text = make([]byte, fileBlock)
				}
				b.text = b.text[:min(fileBlock, to-at)]
				n, _ := file.ReadAt(b.text, at) // its error comes again where the file is read on
				b.text, b.short = b.text[:n], n < len(b.text)
			})
		}
	})
	return a
}

// read returns the next bytes, none at the end of what can be read ahead, or the error of the
// context.
func (a *fileAhead) read(ctx context.Context, p []byte) (int, error) {
	for len(a.left) == 0 {
		if a.short {
			return 0, nil
		}
		if a.block != nil {
			select {
			case a.spare <- a.block:
			default:
			}
			a.block = nil
		}
		var b *fileBlockAhead
		select {
		case b = <-a.order:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		if b == nil {
			return 0, ctx.Err() // the order also ends with the context
		}
		select {
		case <-b.ready:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		a.block, a.left, a.short = b.text[:cap(b.text)], b.text, b.short
	}
	n := copy(p, a.left)
	a.left = a.left[n:]
	return n, nil
}

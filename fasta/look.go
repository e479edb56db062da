package fasta

import (
	"context"
	"errors"
	"io"
)

// A Sample is an estimate of a file from its head.
type Sample struct {
	// Records and Bases of the whole file; estimated from the head unless Whole is set.
	Records, Bases int64
	// Lengths has the lengths of the reads of the head, in bases, each with how many have it; nil for
	// a reference.
	Lengths map[int]int
	// Compressed tells that the file is.
	Compressed bool
	// Whole tells that all of the file was looked at.
	Whole bool
}

// sampleBytes is how much of a file is looked at, as it lies on the disk.
const sampleBytes = 4 << 20

// errStream is the error of looking at what can be read once only.
var errStream = errors.New("can be read only once")

// LookAtReads looks at the head of a file of reads, 4 MiB as they lie on the disk, and estimates
// the rest by the size of the file. Anything but a regular file is an error.
func LookAtReads(ctx context.Context, path string, o ReadOptions) (Sample, error) {
	return look(ctx, path, sampleBytes, func(s *source, sample *Sample) error {
		r := newReads(s, o, chunkText)
		sample.Lengths = map[int]int{}
		for {
			reads, err := r.Next()
			for i := range reads {
				n := len(reads[i].Bases)
				sample.Lengths[n]++
				sample.Records++
				sample.Bases += int64(n)
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
}

// LookAtReference is LookAtReads for a reference: records are contigs, and the last one of the head
// may go on behind the head.
func LookAtReference(ctx context.Context, path string, threads int) (Sample, error) {
	return look(ctx, path, sampleBytes, lookAtReference(threads))
}

func lookAtReference(threads int) func(*source, *Sample) error {
	return func(s *source, sample *Sample) error {
		ref, err := readReference(s, threads, referenceBlock, bulkAndBiogo)
		if err == nil {
			sample.Records, sample.Bases = int64(len(ref.Contigs)), int64(ref.TotalLength())
		}
		return err
	}
}

// look has the most bytes to be looked at as a parameter, for tests.
func look(ctx context.Context, path string, most int64, count func(*source, *Sample) error) (Sample, error) {
	s, err := openSource(ctx, path)
	if err != nil {
		return Sample{}, err
	}
	defer func() { _ = s.close() }() // it was only read
	info, err := s.file.Stat()
	if err != nil || s.stdin || !info.Mode().IsRegular() {
		return Sample{}, &Error{File: s.name, Err: errStream}
	}
	h := &head{of: s.content, left: most}
	s.content, s.head = h, h
	var sample Sample
	err = count(s, &sample)
	sample.Compressed = s.compressed
	if sample.Whole = !h.cut; sample.Whole {
		return sample, err
	}
	if sample.Records == 0 {
		return Sample{}, err
	}
	// An error at the end of the head comes from the cut. An earlier error comes again, with the
	// record, when the file is read.
	share := float64(info.Size()) / float64(most)
	sample.Records, sample.Bases = int64(float64(sample.Records)*share), int64(float64(sample.Bases)*share)
	return sample, nil
}

// head is the first bytes of a file.
type head struct {
	of   io.Reader
	left int64
	cut  bool // there is more
}

// headText is the text of a head, which ends where it cannot be decompressed any further.
type headText struct {
	io.Reader
	head *head
}

func (t *headText) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	if err != nil && t.head.cut {
		err = io.EOF
	}
	return n, err
}

func (h *head) Read(p []byte) (int, error) {
	if h.left == 0 {
		n, err := h.of.Read(p[:min(1, len(p))])
		if n > 0 {
			h.cut, err = true, io.EOF
		}
		return 0, err
	}
	n, err := h.of.Read(p[:min(h.left, int64(len(p)))])
	h.left -= int64(n)
	return n, err
}

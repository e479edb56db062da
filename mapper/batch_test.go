package mapper

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/gpu/device"
	"scanmap/internal/measure"
	"scanmap/mapper/find"
)

// chunksSource is a source of reads in chunks, after which it ends or fails.
type chunksSource struct {
	chunks [][]fasta.Read
	end    error
}

func (s *chunksSource) Next() ([]fasta.Read, error) {
	if len(s.chunks) == 0 {
		return nil, s.end
	}
	chunk := s.chunks[0]
	s.chunks = s.chunks[1:]
	return chunk, nil
}

func (s *chunksSource) Busy() time.Duration { return 0 }

func (s *chunksSource) Close() error { return nil }

// TestBatches cuts libraries into batches.
func TestBatches(t *testing.T) {
	errSource := errors.New("a bad record")
	short, long := bytes.Repeat([]byte("A"), 10), bytes.Repeat([]byte("A"), batchBases/4)
	for _, c := range []struct {
		what   string
		chunks [][]int // of each library, the reads in each chunk
		bases  []byte
		paired bool
		size   int
		last   int // 0 for size
		end    error
		want   [][2]int // library and reads of each batch
	}{
		{"chunks larger than batches", [][]int{{10, 3}}, short, false, 4, 0, io.EOF, [][2]int{{0, 4}, {0, 4}, {0, 4}, {0, 1}}},
		{"chunks smaller than batches", [][]int{{1, 1, 1, 1, 1}}, short, false, 4, 0, io.EOF, [][2]int{{0, 4}, {0, 1}}},
		{"no library shares a batch", [][]int{{3}, {2}, {5}}, short, false, 4, 0, io.EOF, [][2]int{{0, 3}, {1, 2}, {2, 4}, {2, 1}}},
		{"a library without reads", [][]int{{}, {2}}, short, false, 4, 0, io.EOF, [][2]int{{1, 2}}},
		{"pairs, with an odd size", [][]int{{6, 4}}, short, true, 3, 0, io.EOF, [][2]int{{0, 4}, {0, 4}, {0, 2}}},
		{"pairs, with a size of 1", [][]int{{6}}, short, true, 1, 0, io.EOF, [][2]int{{0, 2}, {0, 2}, {0, 2}}},
		{"long reads", [][]int{{2, 2, 2, 2, 1}}, long, false, 100, 0, io.EOF, [][2]int{{0, 4}, {0, 4}, {0, 1}}},
		{"a rest that is shared", [][]int{{9, 8}, {5}, {3}}, short, false, 10, 2, io.EOF,
			[][2]int{{0, 3}, {0, 2}, {0, 2}, {0, 2}, {0, 2}, {0, 2}, {0, 2}, {0, 2}, {1, 3}, {1, 2}, {2, 3}}},
		{"the last batch is shared as well", [][]int{{40}}, short, false, 10, 4, io.EOF,
			[][2]int{{0, 10}, {0, 10}, {0, 4}, {0, 4}, {0, 4}, {0, 4}, {0, 4}}},
		{"what is left when it comes in small chunks", [][]int{{7, 7, 7, 7, 7, 4}}, short, false, 10, 5, io.EOF,
			[][2]int{{0, 10}, {0, 6}, {0, 6}, {0, 6}, {0, 6}, {0, 5}}},
		{"pairs that are shared", [][]int{{10}}, short, true, 100, 3, io.EOF, [][2]int{{0, 4}, {0, 4}, {0, 2}}},
		{"an error", [][]int{{5}, {5}}, short, false, 2, 0, errSource, [][2]int{{0, 2}, {0, 2}}},
	} {
		var libraries []*library
		var sources []*chunksSource
		for i, sizes := range c.chunks {
			libraries = append(libraries, &library{Library: Library{Interleaved: c.paired}, index: i})
			s := &chunksSource{end: c.end}
			for _, n := range sizes {
				chunk := make([]fasta.Read, n)
				for j := range chunk {
					chunk[j].Bases = c.bases
				}
				s.chunks = append(s.chunks, chunk)
			}
			sources = append(sources, s)
		}
		next := 0
		r := &batcher{libraries: libraries, parsed: &measure.Timer{}}
		r.open = func(context.Context, *Library) (fasta.Source, error) {
			next++
			return sources[next], nil
		}
		r.source = sources[0]
		if c.last == 0 {
			c.last = c.size
		}
		from := r.start(context.Background(), func() batchSizes { return batchSizes{c.size, c.last} }, 1)
		var got [][2]int
		for {
			b, ok := from.take(context.Background())
			if !ok {
				break
			}
			got = append(got, [2]int{b.library.index, len(b.reads())})
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.what, diff)
		}
		if want := c.end == io.EOF; (from.failed == nil) != want {
			t.Errorf("%s: %v", c.what, from.failed)
		}
		if _, err := r.close(); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// TestBatchSizesChange has a device that wants other sizes after the first batch.
func TestBatchSizesChange(t *testing.T) {
	source := &chunksSource{end: io.EOF}
	for range 10 {
		source.chunks = append(source.chunks, make([]fasta.Read, 10))
	}
	asked := 0
	r := &batcher{libraries: []*library{{}}, source: source, parsed: &measure.Timer{}}
	from := r.start(context.Background(), func() batchSizes {
		if asked++; asked == 1 {
			return batchSizes{35, 35}
		}
		return batchSizes{20, 10}
	}, 0)
	var got []int
	for b, ok := from.take(context.Background()); ok; b, ok = from.take(context.Background()) {
		got = append(got, b.count())
	}
	if want := []int{35, 20, 12, 11, 11, 11}; !slices.Equal(got, want) {
		t.Errorf("batches of %d reads, want %d", got, want)
	}
	if _, err := r.close(); err != nil {
		t.Error(err)
	}
}

// TestBatchSizes asks for the sizes of batches before and after GPUs are at work.
func TestBatchSizes(t *testing.T) {
	ref := dna.Reference{Contigs: []dna.Contig{{Length: 3_200_000_000}}}
	cpu, onGPU := find.BatchReads(3_200_000_000), find.GPUBatchReads(3_200_000_000)
	alone, shared := batchSizes{onGPU, onGPU}, batchSizes{onGPU, onGPU / 4}
	for _, c := range []struct {
		kind    device.Kind
		indices []int
		auto    bool
		reads   int // --batch-reads
		working int32
		want    batchSizes
	}{
		{device.CPU, nil, false, 0, 0, batchSizes{cpu, cpu}},
		{device.Auto, nil, false, 0, 0, batchSizes{cpu, cpu}},
		{device.Auto, nil, true, 0, 0, batchSizes{cpu, cpu}},
		{device.Auto, nil, true, 0, 1, alone},
		{device.Auto, nil, true, 0, 2, shared},
		{device.CUDA, nil, false, 0, 0, shared},
		{device.CUDA, []int{1}, false, 0, 0, alone},
		{device.CUDA, []int{1, 3}, false, 0, 0, shared},
		{device.CUDA, nil, false, 0, 1, alone},
		{device.CUDA, nil, false, 0, 2, shared},
		{device.CUDA, nil, false, 7, 2, batchSizes{7, 7}},
	} {
		d := devices{ref: &ref, options: &Options{BatchReads: c.reads, Device: device.Choice{Kind: c.kind, Indices: c.indices}}, auto: c.auto}
		d.working.Store(c.working)
		if got := d.batchSizes(); got != c.want {
			t.Errorf("%+v: %+v", c, got)
		}
	}
	d := devices{ref: &ref, options: &Options{Device: device.Choice{Kind: device.Auto}}, auto: true}
	if d.soon.Store(true); d.batchSizes() != alone || d.batchesAhead() != find.FindersOfGPU {
		t.Errorf("GPUs that are ready soon: %+v, %d ahead", d.batchSizes(), d.batchesAhead())
	}
	d = devices{ref: &ref, options: &Options{Report: Report{Mode: ReportOne}, Device: device.Choice{Kind: device.CPU}}}
	if first, second := d.batchSizes(), d.batchSizes(); first != (batchSizes{firstReads, firstReads}) || second != (batchSizes{cpu, cpu}) {
		t.Errorf("reads that are sought in steps: %+v, then %+v", first, second)
	}
}

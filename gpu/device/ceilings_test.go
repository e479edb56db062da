package device

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/gpu"
	"scanmap/internal/emulator"
	"scanmap/kernels"
)

// folded downloads what the blocks of a kernel wrote and folds it.
func folded(t *testing.T, q *Queue, b *Buffer, blocks int) uint32 {
	t.Helper()
	words := make([]uint32, blocks)
	Download(q, words, b, 0)
	if err := q.Wait(); err != nil {
		t.Fatal(err)
	}
	return fold(words)
}

func fold(words []uint32) uint32 {
	var sum uint32
	for _, w := range words {
		sum ^= w
	}
	return sum
}

// TestCeilingKernels compares what the kernels compute with the same in Go.
func TestCeilingKernels(t *testing.T) {
	q, _ := newQueue(t)
	var from, to, out Buffer
	const blocks = 3
	q.Reserve(&out, 4*blocks)
	r := rand.New(rand.NewPCG(1, 1))
	for _, count := range []int{0, 1, kernels.CeilingThreads, blocks*kernels.CeilingThreads*4 - 1, blocks*kernels.CeilingThreads*4 + 1, 20_000} {
		words := make([]uint32, 4*count)
		for i := range words {
			words[i] = r.Uint32()
		}
		Upload(q, &from, words)
		Upload(q, &to, make([]uint32, len(words)+1))
		LaunchBlocks(q, "read_ceiling", blocks, &kernels.ReadCeilingParams{From: from.At(0), Count: uint64(count), Folded: out.At(0)})
		if got, want := folded(t, q, &out, blocks), fold(words); got != want {
			t.Errorf("read_ceiling of %d: got %#x, want %#x", count, got, want)
		}
		LaunchBlocks(q, "copy_ceiling", blocks, &kernels.CopyCeilingParams{From: from.At(0), To: to.At(0), Count: uint64(count)})
		got := make([]uint32, len(words)+1)
		Download(q, got, &to, 0)
		if err := q.Wait(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, append(words, 0)) {
			t.Errorf("copy_ceiling of %d: not a copy", count)
		}
	}
	const rounds = 3
	LaunchBlocks(q, "logic_ceiling", blocks, &kernels.LogicCeilingParams{Folded: out.At(0), Rounds: rounds})
	if got, want := folded(t, q, &out, blocks), logicCeiling(blocks*kernels.CeilingThreads, rounds); got != want {
		t.Errorf("logic_ceiling: got %#x, want %#x", got, want)
	}
	table := make([]uint32, 2<<9)
	for i := range table {
		table[i] = r.Uint32()
	}
	Upload(q, &from, table)
	LaunchBlocks(q, "probe_ceiling", blocks, &kernels.ProbeCeilingParams{Table: from.At(0), Folded: out.At(0), Shift: 32 - 9, Rounds: rounds})
	var want uint32
	for counter := range uint32(rounds * kernels.ProbeRound * blocks * kernels.CeilingThreads) {
		h := (counter ^ counter>>16) * 0x85EBCA6B
		slot := (h ^ h>>13) * 0xC2B2AE35 >> (32 - 9)
		want ^= table[2*slot] ^ table[2*slot+1]
	}
	if got := folded(t, q, &out, blocks); got != want {
		t.Errorf("probe_ceiling: got %#x, want %#x", got, want)
	}
}

// logicCeiling is the kernel of that name, in Go.
func logicCeiling(threads, rounds int) uint32 {
	var sum uint32
	for thread := range uint32(threads) {
		var x [8]uint32
		for i := range x {
			x[i] = (thread*8 + uint32(i) + 1) * 0x9E3779B1
		}
		for i := range rounds * kernels.LogicRound {
			x[i%8] ^= ^x[(i+1)%8] & x[(i+3)%8]
		}
		sum ^= fold(x[:])
	}
	return sum
}

func TestCeilings(t *testing.T) {
	o := CeilingOptions{Device: Choice{Kind: CUDA, Driver: emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})}, Bytes: 100_000, Repetitions: 2}
	r, err := Ceilings(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Device.ID != "cuda:0" || r.Device.Name == "" || r.Device.Driver == "" || r.Bytes != o.Bytes || len(r.Rows) != 8 {
		t.Errorf("got %+v", r)
	}
	for _, row := range r.Rows {
		if row.Runs != 2 || row.Value <= 0 || row.Min > row.Value || row.Value > row.Max || (row.Bytes == 0) == (row.Operations == 0) {
			t.Errorf("got %+v", row)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Ceilings(ctx, o); !errors.Is(err, context.Canceled) || errors.As(err, new(*Error)) {
		t.Errorf("cancelled: got %v", err)
	}
	o.Device.Indices = []int{99}
	if _, err := Ceilings(t.Context(), o); !errors.As(err, new(*Error)) {
		t.Errorf("no such GPU: got %v", err)
	}
}

func TestTablesWithin(t *testing.T) {
	for bytes, want := range map[int64][]int64{
		MinCeilingBytes: {4 << 10}, 100_000: {64 << 10}, 4<<20 - 1: {2 << 20}, 4 << 20: {4 << 20}, 33 << 20: {4 << 20, 16 << 20, 32 << 20}, 4 << 30: probeTables,
	} {
		if diff := cmp.Diff(want, tablesWithin(bytes)); diff != "" {
			t.Errorf("%d (-want +got)\n%s", bytes, diff)
		}
	}
}

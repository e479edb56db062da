package device

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"scanmap/gpu"
	"scanmap/internal/measure"
	"scanmap/kernels"
)

// Ceilings measures the best that a GPU can do, so that other figures can be given as shares of the
// best: reading and copying its memory, logic on 32-bit words, random probes of tables of several
// sizes, and copies from and to the host. Times are taken between events around one launch or copy.
// An error of the GPU is a Error.
func Ceilings(ctx context.Context, o CeilingOptions) (*measure.Result, error) {
	if err := o.Device.LoadDriver(); err != nil {
		return nil, &Error{Err: err}
	}
	driver := o.Device.Driver
	g, err := OpenGPU(driver, o.Device.First(), false)
	if err != nil {
		return nil, &Error{Err: err}
	}
	c := &ceilings{ctx: ctx, queue: Queue{GPU: g}, repetitions: max(o.Repetitions, 1)}
	r := &measure.Result{}
	c.queue.Try(c.open(driver, o.Bytes, r))
	if c.queue.Err == nil {
		c.memory()
		c.logic()
		c.probes()
		c.host()
	}
	c.queue.Try(g.Close())
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.queue.Err != nil {
		return nil, &Error{Err: c.queue.Err}
	}
	r.Rows, r.Bytes = c.rows, c.bytes
	return r, nil
}

// ceilings is a measurement of a GPU. The first error stays in the queue, and then nothing more is
// measured.
type ceilings struct {
	ctx         context.Context
	queue       Queue
	timer       *Timer
	repetitions int
	bytes       int64  // of each of the buffers
	from, to    Buffer // from is also the table that is probed
	folded      Buffer // a word for each block
	rows        []measure.Row
}

// open makes what the measurements share. The buffers are filled, so that no memory is read that
// was never written.
func (c *ceilings) open(driver *gpu.Driver, bytes int64, r *measure.Result) (err error) {
	q, g := &c.queue, c.queue.GPU
	if r.Device, err = Describe(driver, g.Device); err != nil {
		return err
	}
	free, _, err := g.FreeMemory()
	if err != nil {
		return err
	}
	c.bytes = bytes
	if c.bytes == 0 {
		c.bytes = min(ceilingBytes, free/4/MinCeilingBytes*MinCeilingBytes)
	}
	if c.bytes < MinCeilingBytes {
		return fmt.Errorf("%s: buffers of %d bytes are too small to measure with (%d bytes are free)", g.Name(), c.bytes, free)
	}
	if q.Stream, err = g.NewStream(); err != nil {
		return err
	}
	c.timer = NewTimer(q)
	q.Reserve(&c.from, int(c.bytes))
	q.Reserve(&c.to, int(c.bytes))
	q.Reserve(&c.folded, 4*g.CeilingBlocks(math.MaxInt64))
	for _, b := range []*Buffer{&c.from, &c.to} {
		if q.Err == nil {
			q.Try(q.Stream.Fill(b.Memory, 0, int(c.bytes), 0x5A))
		}
	}
	return q.Wait()
}

// measure times what work puts into the stream, and adds a row with the rate of its bytes or
// operations.
func (c *ceilings) measure(row measure.Row, work func()) {
	q := &c.queue
	var runs [][]measure.Row
	for range c.repetitions + 1 {
		if q.Err == nil {
			q.Try(c.ctx.Err())
		}
		if q.Err != nil {
			return
		}
		elapsed := c.timer.Time(work)
		row.Value = measure.PerSecond(float64(row.Bytes+row.Operations), elapsed.Seconds())
		runs = append(runs, []measure.Row{row})
	}
	c.rows = append(c.rows, measure.Medians(runs[1:])...)
}

// memory measures reading and copying.
func (c *ceilings) memory() {
	q, n := &c.queue, uint64(c.bytes/16)
	blocks := q.GPU.CeilingBlocks(int64(n))
	c.measure(measure.Row{Name: "read", Unit: "B/s", Bytes: int64(n) * 16}, func() {
		LaunchBlocks(q, "read_ceiling", blocks, &kernels.ReadCeilingParams{From: c.from.At(0), Count: n, Folded: c.folded.At(0)})
	})
	c.measure(measure.Row{Name: "copy, read and written", Unit: "B/s", Bytes: 2 * int64(n) * 16}, func() {
		LaunchBlocks(q, "copy_ceiling", blocks, &kernels.CopyCeilingParams{From: c.from.At(0), To: c.to.At(0), Count: n})
	})
}

// logic measures three-input logic.
func (c *ceilings) logic() {
	q, perRound := &c.queue, int64(kernels.CeilingThreads*kernels.LogicRound)
	n := logicPerByte * c.bytes
	blocks := q.GPU.CeilingBlocks(n / kernels.LogicRound)
	rounds := max(n/perRound/int64(blocks), 1)
	c.measure(measure.Row{Name: "three-input logic of 32 bits", Unit: "operations/s", Operations: rounds * int64(blocks) * perRound}, func() {
		LaunchBlocks(q, "logic_ceiling", blocks, &kernels.LogicCeilingParams{Folded: c.folded.At(0), Rounds: uint32(rounds)})
	})
}

// probes measures random probes.
func (c *ceilings) probes() {
	q, perRound := &c.queue, int64(kernels.CeilingThreads*kernels.ProbeRound)
	n := c.bytes / probeBytes
	blocks := q.GPU.CeilingBlocks(n / kernels.ProbeRound)
	rounds := max(n/perRound/int64(blocks), 1)
	for _, table := range tablesWithin(c.bytes) {
		row := measure.Row{
			Name:       fmt.Sprintf("random probes, table of %s", binarySize(table)),
			Unit:       "probes/s",
			Operations: rounds * int64(blocks) * perRound,
		}
		c.measure(row, func() {
			LaunchBlocks(q, "probe_ceiling", blocks, &kernels.ProbeCeilingParams{
				Table: c.from.At(0), Folded: c.folded.At(0), Shift: uint32(33 - bits.Len64(uint64(table/probeBytes))), Rounds: uint32(rounds),
			})
		})
	}
}

// binarySize writes a power of two of bytes.
func binarySize(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}

// host measures copies from and to pinned memory and such as the runtime gives.
func (c *ceilings) host() {
	q := &c.queue
	if q.Err != nil {
		return
	}
	n := min(c.bytes, maxCeilingHostBytes)
	memory, err := q.GPU.AllocHost(int(n))
	if err != nil {
		q.Try(err)
		return
	}
	pageable := make([]byte, n)
	copy(pageable, memory.Bytes()) // before that all its pages are one
	for _, host := range []struct {
		name  string
		bytes []byte
	}{{"pinned", memory.Bytes()}, {"pageable", pageable}} {
		c.measure(measure.Row{Name: "host to device, " + host.name, Unit: "B/s", Bytes: n}, func() {
			if q.Err == nil {
				q.Try(q.Stream.Upload(c.from.Memory, 0, host.bytes))
			}
		})
		c.measure(measure.Row{Name: "device to host, " + host.name, Unit: "B/s", Bytes: n}, func() {
			if q.Err == nil {
				q.Try(q.Stream.Download(host.bytes, c.from.Memory, 0))
			}
		})
	}
	if q.Wait() == nil {
		q.Try(memory.Free())
	}
}

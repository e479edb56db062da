package track

import (
	"encoding/binary"
	"errors"
	"math"
)

// A zoom level has records that sum up what lies in windows of as many bases as its reduction says,
// from base 0 of each contig. A record begins with the first base of the window that has a value and
// ends with the last one; windows without values have none. Reductions are 10 times powers of 4, so
// that a window of one is four windows of the one before, and its sum theirs.

const (
	leastReduction = 10
	reductionStep  = 4 // the factor between levels: bedGraphToBigWig's, as is the 10
	// scaleCount is how many reductions there are: a window of the last one has 2,684,354,560 bases.
	scaleCount = 15
	// mostLevels is how many levels a file has at most, as of other writers.
	mostLevels = 10

	recordBytes = 32
	// zoomMemory is how many bytes the records of coarse levels may take while a finer one is
	// written. With it a reference of 3.1 Gb with values at all bases takes 5 passes, and one of
	// 100 Mb takes 2.
	zoomMemory = 64 << 20
)

// A summary sums up bases that have values.
type summary struct {
	start, end   uint32 // the first base, and the one after the last
	covered      uint64 // bases with values
	min, max     float32
	sum, squares float64
}

// add adds the bases from start to end, which follow those that there are.
func (s *summary) add(start, end uint32, value float32) {
	n := end - start
	sum := float64(n) * float64(value)
	s.merge(&summary{start, end, uint64(n), value, value, sum, sum * float64(value)})
}

// merge adds what follows.
func (s *summary) merge(t *summary) {
	if s.covered == 0 {
		*s = *t
		return
	}
	s.end = t.end
	s.covered += t.covered
	s.min, s.max = min(s.min, t.min), max(s.max, t.max)
	s.sum += t.sum
	s.squares += t.squares
}

// appendRecord appends a zoom record.
func (s *summary) appendRecord(b []byte, contig uint32) []byte {
	put := binary.LittleEndian.AppendUint32
	b = put(put(b, contig), s.start)
	b = put(put(b, s.end), uint32(s.covered))
	for _, f := range [4]float64{float64(s.min), float64(s.max), s.sum, s.squares} {
		f = max(-math.MaxFloat32, min(f, math.MaxFloat32))
		b = put(b, math.Float32bits(float32(f)))
	}
	return b
}

// level is a zoom level of a file.
type level struct {
	reduction               int64
	records                 int64
	dataOffset, indexOffset int64
}

// scales counts how many records there would be at each reduction.
type scales struct {
	contig  int // of the last interval, counted from 1
	records [scaleCount]int64
	last    [scaleCount]int64 // the last window with a record
}

// add counts the windows of an interval.
func (s *scales) add(contig, start, end int) {
	if s.contig != contig+1 {
		s.contig = contig + 1
		for i := range s.last {
			s.last[i] = -1
		}
	}
	reduction := int64(leastReduction)
	for i := range s.records {
		first, last := int64(start)/reduction, int64(end-1)/reduction
		if last == s.last[i] {
			return // nor does it reach another window of coarser levels
		}
		s.records[i] += last - max(first, s.last[i]+1) + 1
		s.last[i] = last
		reduction *= reductionStep
	}
}

// choose chooses the levels for data of a number of bytes. The first one is the finest that takes
// no more than half of that or that is as small as the coarsest, so that there is one wherever there
// are values: some browsers show nothing without. Others follow as long as each has fewer records
// than the one before.
func (s *scales) choose(bytes int64) []level {
	var levels []level
	reduction := int64(leastReduction)
	for _, n := range s.records {
		switch {
		case n == 0 || len(levels) == mostLevels:
			return levels
		case len(levels) > 0:
			if n == levels[len(levels)-1].records {
				return levels
			}
			levels = append(levels, level{reduction: reduction, records: n})
		case n*recordBytes*2 <= bytes || n == s.records[scaleCount-1]:
			levels = append(levels, level{reduction: reduction, records: n})
		}
		reduction *= reductionStep
	}
	return levels
}

// writeZooms writes all levels.
func (b *bigWig) writeZooms() error {
	for from := 0; from < len(b.levels); {
		to, bytes := from+1, int64(0)
		for _, l := range b.levels[to:] {
			bytes += l.records * recordBytes
		}
		if bytes <= zoomMemory {
			to = len(b.levels)
		}
		if err := b.writeLevels(b.levels[from:to]); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// errDiffer is the error of values that are not the same again.
var errDiffer = errors.New("the values are not the same when they are asked for again")

// writeLevels writes levels in one pass over the values: the first as it is made, others from
// memory.
func (b *bigWig) writeLevels(levels []level) error {
	w := b.newZoomWriter(&levels[0])
	defer w.press.discard()
	chain := make([]zoomer, len(levels))
	held := make([][]byte, len(levels))
	for i := range chain {
		z := &chain[i]
		z.reduction = uint64(levels[i].reduction)
		if i+1 < len(chain) {
			z.coarser = &chain[i+1]
		}
		z.put = w.add
		if i > 0 {
			held[i] = make([]byte, 0, levels[i].records*recordBytes)
			z.put = func(record []byte) error {
				if len(held[i]) == cap(held[i]) {
					return errDiffer
				}
				held[i] = append(held[i], record...)
				return nil
			}
		}
	}
	var total summary
	err := each(b.contigs, b.values, func(contig, start, end int, value float32) error {
		total.add(uint32(start), uint32(end), value)
		if uint32(contig) != chain[0].contig {
			if err := chain[0].finish(); err != nil {
				return err
			}
			for i := range chain {
				chain[i].contig = uint32(contig)
			}
		}
		return chain[0].add(uint32(start), uint32(end), value)
	})
	if err != nil {
		return err
	}
	if err := chain[0].finish(); err != nil {
		return err
	}
	if total != b.total {
		return errDiffer
	}
	if err := w.close(); err != nil {
		return err
	}
	for i := 1; i < len(levels); i++ {
		if err := b.writeHeld(&levels[i], held[i]); err != nil {
			return err
		}
	}
	return nil
}

// writeHeld writes a level from its records.
func (b *bigWig) writeHeld(l *level, records []byte) error {
	w := b.newZoomWriter(l)
	defer w.press.discard()
	for ; len(records) > 0; records = records[recordBytes:] {
		if err := w.add(records[:recordBytes]); err != nil {
			return err
		}
	}
	return w.close()
}

// A zoomer makes the records of one level, and through them those of coarser ones.
type zoomer struct {
	reduction uint64
	coarser   *zoomer // nil for none
	put       func(record []byte) error

	contig uint32
	// now is of the current window, which ends before end; empty if none has begun.
	now    summary
	end    uint64
	record []byte
}

// add takes the next interval of the contig, and cuts it at the borders of windows.
func (z *zoomer) add(start, end uint32, value float32) error {
	for start < end {
		if err := z.reach(start); err != nil {
			return err
		}
		to := uint32(min(uint64(end), z.end))
		z.now.add(start, to, value)
		start = to
	}
	return nil
}

// reach sees to it that the current window is that of a base.
func (z *zoomer) reach(base uint32) error {
	if z.now.covered > 0 && uint64(base) < z.end {
		return nil
	}
	err := z.flush()
	z.end = (uint64(base)/z.reduction + 1) * z.reduction
	return err
}

// flush ends the current window.
func (z *zoomer) flush() error {
	if z.now.covered == 0 {
		return nil
	}
	if z.coarser != nil {
		if err := z.coarser.reach(z.now.start); err != nil {
			return err
		}
		z.coarser.now.merge(&z.now)
	}
	z.record = z.now.appendRecord(z.record[:0], z.contig)
	z.now = summary{}
	return z.put(z.record)
}

// finish ends the contig, at all levels from this one on.
func (z *zoomer) finish() error {
	for ; z != nil; z = z.coarser {
		if err := z.flush(); err != nil {
			return err
		}
	}
	return nil
}

// zoomWriter writes a level. A block may be of several contigs.
type zoomWriter struct {
	b       *bigWig
	level   *level
	press   *press
	records int64
	leaves  []leaf
}

func (b *bigWig) newZoomWriter(l *level) *zoomWriter {
	w := &zoomWriter{b: b, level: l}
	w.press = newPress(b.out, b.threads, func() packer { return &zlibPacker{} }, func(k *block, offset int64) {
		w.leaves = append(w.leaves, leaf{k.extent, offset, len(k.packed)})
	})
	return w
}

func (w *zoomWriter) add(record []byte) error {
	if w.records == 0 {
		// No block is under way yet.
		w.level.dataOffset = w.b.out.size
		if err := w.b.out.write(binary.LittleEndian.AppendUint32(nil, uint32(w.level.records))); err != nil {
			return err
		}
	}
	w.records++
	if len(w.press.block.data) == mostBlock {
		if err := w.press.next(); err != nil {
			return err
		}
	}
	k := w.press.block
	contig := binary.LittleEndian.Uint32(record)
	if len(k.data) == 0 {
		k.extent.contig, k.extent.start = contig, binary.LittleEndian.Uint32(record[4:])
	}
	k.extent.lastContig, k.extent.end = contig, binary.LittleEndian.Uint32(record[8:])
	k.data = append(k.data, record...)
	return nil
}

// close writes what is left, and the index of the level.
func (w *zoomWriter) close() error {
	if err := w.press.close(); err != nil {
		return err
	}
	if w.records != w.level.records {
		return errDiffer
	}
	w.level.indexOffset = w.b.out.size
	return writeIndex(w.b.out, w.leaves)
}

package track

import (
	"encoding/binary"
	"errors"
	"math"
)

// A zoom level has records that sum up what lies in windows of as many bases as its reduction says,
// from base 0 of each contig. A record begins with the first base of the window that has a value
// and ends with the last one; windows without values have none. Reductions are 10 times powers of
// 4, so that a window of a level is four windows of the level before, with their sums added.

const (
	leastReduction = 10
	reductionStep  = 4 // the factor between levels: bedGraphToBigWig's, as is the 10
	// scaleCount is how many reductions there are: a window of the last one has 2,684,354,560 bases.
	scaleCount = 15
	// mostLevels is how many levels a file has at most, as of other writers.
	mostLevels = 10

	recordBytes = 32
	// zoomMemory is how many bytes the records of coarse levels may take while a finer one is
	// written. With it values at all bases are asked for at most 5 times for a reference of 3.1 Gb,
	// and at most 3 times for one of 100 Mb.
	zoomMemory = 64 << 20
)

// A summary sums up bases that have values.
type summary struct {
	start, end   uint32 // the first base, and the one after the last
	covered      uint64 // bases with values
	min, max     float32
	sum, squares float64
}

// add adds the bases from start to end, which follow the bases so far.
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
	last    [scaleCount]int64 // the last window with a record, of those longer than stretches
}

// stretchScales has the counts of a stretch, for windows that are no longer than that.
type stretchScales struct {
	records, last [stretchLevel + 1]int64 // as in scales
}

func (s *stretchScales) begin() {
	*s = stretchScales{}
	for i := range s.last {
		s.last[i] = -1
	}
}

// add counts the windows of an interval.
func (s *stretchScales) add(start, end int) {
	first, last := int64(start)/leastReduction, int64(end-1)/leastReduction
	for i := range s.records {
		if last == s.last[i] {
			return // nor does it reach another window of coarser levels
		}
		s.records[i] += last - max(first, s.last[i]+1) + 1
		s.last[i] = last
		// Windows are windows of the finer level, put together.
		first, last = first/reductionStep, last/reductionStep
	}
}

// take adds a stretch that has values, whose sum is total.
func (s *scales) take(contig int, total *summary, of *stretchScales) {
	if s.contig != contig+1 {
		s.contig = contig + 1
		for i := range s.last {
			s.last[i] = -1
		}
	}
	for i, n := range of.records {
		s.records[i] += n
	}
	window := int64(total.start) / stretchBases
	for i := len(of.records); i < scaleCount; i++ {
		if window /= reductionStep; window != s.last[i] {
			s.records[i]++
			s.last[i] = window
		}
	}
}

// choose chooses the levels for data of a number of bytes. The first one is the finest that takes
// no more than half of that or that is as small as the coarsest, so that there is one wherever
// there are values: some browsers show nothing without. Others follow as long as each has fewer
// records than the one before.
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
		if bytes <= b.memory {
			to = len(b.levels)
		}
		if err := b.writeLevels(from, to); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// errDiffer is the error of values that are not the same again.
var errDiffer = errors.New("the values are not the same when they are asked for again")

// writeLevels writes levels [from, to) in one pass over the values: the first while it is made,
// others from memory. All finer ones are made too, so that sums do not depend on the number of
// passes.
func (b *bigWig) writeLevels(from, to int) error {
	levels := b.levels[:to]
	w := b.newZoomWriter(&levels[from])
	defer w.press.Discard()
	held := make([][]byte, to)
	for i := from + 1; i < to; i++ {
		held[i] = make([]byte, 0, levels[i].records*recordBytes)
	}
	put := func(level int, records []byte) error {
		if level == from {
			return w.add(records)
		}
		if len(held[level])+len(records) > cap(held[level]) {
			return errDiffer
		}
		held[level] = append(held[level], records...)
		return nil
	}
	// Levels up to here are made by stretch, and others of the sums of stretches.
	fine := 0
	for fine < to && levels[fine].reduction <= stretchBases {
		fine++
	}
	coarse := newZoomers(levels[fine:], from-fine)
	var contig uint32
	var total summary
	takeCoarse := func() error {
		for i := max(0, from-fine); i < len(coarse); i++ {
			if err := put(fine+i, coarse[i].records); err != nil {
				return err
			}
			coarse[i].records = coarse[i].records[:0]
		}
		return nil
	}
	err := overStretches(b.contigs, b.values, b.threads, func() *zoomPart { return &zoomPart{chain: newZoomers(levels[:fine], from)} }, func(p *zoomPart) error {
		if p.total.covered == 0 {
			return nil
		}
		total.merge(&p.total)
		for i := from; i < fine; i++ {
			if err := put(i, p.chain[i].records); err != nil {
				return err
			}
		}
		if len(coarse) == 0 {
			return nil
		}
		if p.contig != contig {
			coarse[0].finish(contig)
			contig = p.contig
		}
		coarse[0].merge(&p.total, contig)
		return takeCoarse()
	})
	if err != nil {
		return err
	}
	if len(coarse) > 0 {
		coarse[0].finish(contig)
		if err := takeCoarse(); err != nil {
			return err
		}
	}
	if total != b.total {
		return errDiffer
	}
	if err := w.close(); err != nil {
		return err
	}
	for i := from + 1; i < to; i++ {
		if err := b.writeHeld(&levels[i], held[i]); err != nil {
			return err
		}
	}
	return nil
}

// writeHeld writes a level from its records.
func (b *bigWig) writeHeld(l *level, records []byte) error {
	w := b.newZoomWriter(l)
	defer w.press.Discard()
	if err := w.add(records); err != nil {
		return err
	}
	return w.close()
}

// zoomPart has the records of a stretch, of levels whose windows are no longer.
type zoomPart struct {
	contig uint32
	chain  []zoomer
	total  summary
}

func (p *zoomPart) begin(contig int) {
	p.contig, p.total = uint32(contig), summary{}
	for i := range p.chain {
		p.chain[i].records = p.chain[i].records[:0]
	}
}

func (p *zoomPart) add(start, end int, value float32) {
	p.total.add(uint32(start), uint32(end), value)
	if len(p.chain) > 0 {
		p.chain[0].add(uint32(start), uint32(end), value, p.contig)
	}
}

func (p *zoomPart) finish() {
	if len(p.chain) > 0 {
		p.chain[0].finish(p.contig)
	}
}

// A zoomer makes the records of one level, and from these the records of coarser ones.
type zoomer struct {
	reduction uint64
	coarser   *zoomer // nil for none
	unseen    bool    // records are not wanted
	records   []byte  // that are made
	// now is of the current window, which ends before end; empty if none has begun.
	now summary
	end uint64
}

// newZoomers returns the zoomers of levels, each linked to the next coarser one. Records of levels
// before from are not wanted.
func newZoomers(levels []level, from int) []zoomer {
	chain := make([]zoomer, len(levels))
	for i := range chain {
		chain[i].reduction, chain[i].unseen = uint64(levels[i].reduction), i < from
		if i+1 < len(chain) {
			chain[i].coarser = &chain[i+1]
		}
	}
	return chain
}

// add takes the next interval of a contig, and cuts it at the borders of windows.
func (z *zoomer) add(start, end uint32, value float32, contig uint32) {
	for start < end {
		z.reach(start, contig)
		to := uint32(min(uint64(end), z.end))
		z.now.add(start, to, value)
		start = to
	}
}

// merge takes the sum of the next bases of a contig, which lie in one window.
func (z *zoomer) merge(s *summary, contig uint32) {
	z.reach(s.start, contig)
	z.now.merge(s)
}

// reach makes the window of a base the current one.
func (z *zoomer) reach(base, contig uint32) {
	if z.now.covered > 0 && uint64(base) < z.end {
		return
	}
	z.flush(contig)
	z.end = (uint64(base)/z.reduction + 1) * z.reduction
}

// flush ends the current window.
func (z *zoomer) flush(contig uint32) {
	if z.now.covered == 0 {
		return
	}
	if z.coarser != nil {
		z.coarser.merge(&z.now, contig)
	}
	if !z.unseen {
		z.records = z.now.appendRecord(z.records, contig)
	}
	z.now = summary{}
}

// finish ends the records of a contig, at all levels from this one on.
func (z *zoomer) finish(contig uint32) {
	for ; z != nil; z = z.coarser {
		z.flush(contig)
	}
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
	w.press = newPress(b.out, b.threads, newZlibPacker, func(k *block, offset int64) {
		w.leaves = append(w.leaves, leaf{k.Note.extent, offset, len(k.Packed)})
	})
	return w
}

// add takes the next records.
func (w *zoomWriter) add(records []byte) error {
	if w.records == 0 && len(records) > 0 {
		// No block is under way yet.
		w.level.dataOffset = w.b.out.size
		if err := w.b.out.write(binary.LittleEndian.AppendUint32(nil, uint32(w.level.records))); err != nil {
			return err
		}
	}
	get := binary.LittleEndian.Uint32
	w.records += int64(len(records) / recordBytes)
	for len(records) > 0 {
		k := w.press.Block
		n := min(len(records), mostBlock-len(k.Data))
		if n == 0 {
			if err := w.press.Next(); err != nil {
				return err
			}
			continue
		}
		if len(k.Data) == 0 {
			k.Note.extent.contig, k.Note.extent.start = get(records), get(records[4:])
		}
		k.Data = append(k.Data, records[:n]...)
		last := records[n-recordBytes:]
		k.Note.extent.lastContig, k.Note.extent.end = get(last), get(last[8:])
		records = records[n:]
	}
	return nil
}

// close writes the rest, and the index of the level.
func (w *zoomWriter) close() error {
	if err := w.press.Close(); err != nil {
		return err
	}
	if w.records != w.level.records {
		return errDiffer
	}
	w.level.indexOffset = w.b.out.size
	return writeIndex(w.b.out, w.leaves)
}

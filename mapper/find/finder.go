package find

import (
	"errors"
	"math"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/internal/measure"
	"scanmap/internal/temporary"
	"scanmap/locate"
)

// A Finder finds where reads of a batch may lie on a reference. It is used by one goroutine at a
// time. All finders lead to the same locations.
type Finder interface {
	// Pack makes a batch of reads, in memory that the next call takes again. together is the number
	// of neighbouring reads that are never separated; k gives the largest edit distance for a read of
	// a length.
	Pack(reads []fasta.Read, together int, k func(length int) int) (*Batch, error)
	// Fits returns how many reads of a batch, the last that Pack made, should be given to Find at a
	// time, at least 1.
	Fits(b *Batch) int
	// Find finds where the reads of a batch, or of a part of one, may lie. It leaves the results of
	// the first n reads in f, whose memory it takes again. ErrTooMuch means that fewer reads have to
	// be tried; a batch of reads that belong together is never too much: it may be left unlisted
	// (Found.Unlisted). ErrHalted asks to leave the batch to others. Other errors come from a device
	// or a temporary file.
	Find(b *Batch, f *Found) (n int, err error)
	// More leaves in f the results of the next n reads that Find found for and did not hand on.
	More(f *Found) (n int, err error)
	// Ahead tells whether Find should go on while what it found before is used. A finder that takes
	// all processors should not.
	Ahead() bool
	// Discard gives up the rest of a batch, such as a temporary file. It may be called at any time,
	// and Find may follow it.
	Discard()
}

// ErrTooMuch tells that more was found than can be held.
var ErrTooMuch = errors.New("more was found than can be held at a time")

// Options say how to find.
type Options struct {
	// Engine is the engine to take; EngineAuto chooses for each class of reads.
	Engine Engine
	// Metric defines locations.
	Metric locate.Metric
	// Threads is the number of goroutines that compute, at least 1.
	Threads int
	// Local, when set, has local locations found, not locations of whole reads (package locate).
	// Finders then leave candidates alone.
	Local *Local
	// Want says which locations are wanted.
	Want Want
	// Sought, when set, gives the distance up to which locations of a read are sought, from its number
	// among the reads of Pack, their number (0 on a GPU), its length and its k. A GPU that counts what
	// locations cover seeks all up to k.
	Sought func(read, of, length, k int) int
	// Again is how many finders GPUs.Again makes on each GPU, which get a share of its memory.
	Again int
	// Deflated is how many blocks each of GPUs.Deflaters takes at a time, 0 where there are to be
	// none. The first GPU keeps memory for them.
	Deflated int
	// Cover, when set, has GPUs count what locations cover.
	Cover *Cover
	// Halt, when set, can have a finder of the CPU give up its work on a batch.
	Halt *Halt
	// Words, when set, is what the CPU's finders of one reference share.
	Words *Words
	// BatchReads is the most reads to be found at a time; 0 leaves it to the finder.
	BatchReads int
	// Times adds up what the stages take. It must not be nil.
	Times *Times
	// Temporary makes the files for candidates and ends that do not fit into memory; nil for files in
	// the system's folder.
	Temporary temporary.Files
	// Limits are for tests; the zero value of each field stands for a good number.
	Limits Limits
}

// soughtOf returns Sought for reads of a number, or nil.
func (o *Options) soughtOf(number int) func(read, length, k int) int {
	if o.Sought == nil {
		return nil
	}
	return func(read, length, k int) int { return o.Sought(read, number, length, k) }
}

// Local says which local locations are sought.
type Local struct {
	// Cap is the most that a gap costs. The least score of a read is its length less k.
	Cap int
	// Parts has the candidates of parts found (locate.Parts), and those alone.
	Parts bool
}

// A Want says which locations of a read are wanted. A finder that finds locations itself can then
// keep others to itself, which would be left out later. The zero value asks for all.
type Want struct {
	// Best asks for locations with at most Strata edits more than the best one of the read. Others may
	// be handed on or only be counted (Found.Counted). A read that is not sought to the end
	// (Batch.Partly) is asked for at most Near edits more, as numbers of other locations do not last
	// until it is sought again. Mates are chosen by more than their distance: they are asked for at
	// most Mates edits more, or for all locations if Mates is 0.
	Best                bool
	Strata, Near, Mates int
	// One, Unique, Reported and Drop say which of the locations that are asked for are reported.
	// Options.Cover counts these. With One only the primary one is reported; with Unique the best one,
	// if there is no other. At most Reported are reported, 0 for all: the primary one, and then the
	// others in order. With Drop none is reported for a read that has more, or more than are held.
	One, Unique bool
	Reported    int
	Drop        bool
	// Numbers asks for the numbers of locations by distance alone: all may only be counted. It does
	// not go with Best, nor with Options.Cover.
	Numbers bool
}

// some tells whether not all locations are wanted.
func (w Want) some() bool { return w.Best || w.Numbers }

// of returns the Want for reads of a batch, with Strata alone.
func (w Want) of(b *Batch) Want {
	switch partly := b.Partly(); {
	case b.Together == 1 && !partly:
		return w
	case b.Together == 1 && w.Best:
		return Want{Best: true, Strata: w.Near}
	case w.Best && w.Mates > 0:
		return Want{Best: true, Strata: w.Mates}
	}
	return Want{}
}

// Limits bound the memory in use at a time. They change no result, except local locations of the
// reads that Listed leaves out.
type Limits struct {
	// Found is the most candidates and ends that the CPU's finder holds in memory; more go to a
	// temporary file. Handed is the most that it hands on at a time, unless reads that belong
	// together have more. GPUFound is the most candidates, ends and locations that a GPU hands on at
	// a time, with the same exception.
	Found, Handed, GPUFound int
	// Listed is the most candidates and ends of a read, or of reads that belong together, that are
	// handed on; a GPU hands on as many as GPUFound. Reads with more are left unlisted, and a search
	// for each decides Stretch positions at a time.
	Listed, Stretch int
	// GPUQueue is the most room in the queues of a GPU's finder, in candidates and in ends, unless
	// the least that it looks at of the text at a time has more for reads that belong together. Hits
	// have eight times the room.
	GPUQueue int
	// GPUDirect is the number of pieces from which on the codes of short ones number the buckets of
	// a GPU's table; 0 stands for a quarter of the number of codes.
	GPUDirect int
	// GPUChunk is the most bases of the reference that a GPU has in one piece.
	GPUChunk int
	// GPUCovered is the most room for locations of a part where a GPU counts what they cover. Parts
	// that have more are cut.
	GPUCovered int
	// CountedBases is the length of reference from which on its words are counted.
	CountedBases int
}

// withDefaults replaces zero values.
func (l Limits) withDefaults() Limits {
	def := func(n *int, good int) {
		if *n == 0 {
			*n = good
		}
	}
	def(&l.Found, 1<<23) // of 16 bytes each
	def(&l.Handed, 1<<20)
	// Each finder holds two parts, whose locations take some 100 bytes each.
	def(&l.GPUFound, 1<<22)
	def(&l.Listed, 1<<22)
	def(&l.Stretch, 1<<16)
	def(&l.GPUQueue, 1<<26)
	def(&l.GPUChunk, math.MaxInt)
	def(&l.GPUCovered, math.MaxInt)
	def(&l.CountedBases, countedBases)
	return l
}

// Times are what the stages of finding take.
type Times struct {
	Pieces measure.Timer // items are reads
	Skim   measure.Timer // bases of reference
	Scan   measure.Timer // bases of reference, for each read
	Verify measure.Timer // candidates, ends and locations of finders
}

// Parts cuts batches into parts that fit a finder.
type Parts struct {
	size int // reads that are likely to fit at a time; 0 for as many as Fits says
	left int // reads that the finder has found for and not handed on
}

// Next finds for the next part of a batch, from read `from` on, and returns it: its length says
// where the next one begins. It gives the finder as many reads as Fits says or, after ErrTooMuch,
// half as many, and so on. The size that fitted is kept for the next reads, which are likely to be
// alike, and doubles when little was found.
func (p *Parts) Next(finder Finder, b *Batch, from int, f *Found) (*Batch, error) {
	for {
		if p.left > 0 {
			n, err := finder.More(f)
			p.left -= n
			return b.Slice(from, from+n), err
		}
		n := finder.Fits(b)
		if p.size > 0 {
			n = min(n, p.size)
		}
		part := b.Part(from, n)
		n = len(part.Reads)
		first, err := finder.Find(part, f)
		switch {
		case errors.Is(err, ErrTooMuch):
			p.size = (n + 1) / 2
			continue
		case err != nil:
			return nil, err
		}
		if p.size > 0 && n >= p.size && f.fullness < 1.0/4 {
			p.size *= 2
		}
		p.left = n - first
		return part.Slice(0, first), nil
	}
}

// shared is what the finders of one reference share.
type shared struct {
	ref      *dna.Reference
	segments []segment // of the reference
	bases    int       // the bases of all contigs
	options  Options
}

func newShared(ref *dna.Reference, o Options) shared {
	o.Limits = o.Limits.withDefaults()
	if o.Temporary == nil {
		o.Temporary = temporary.In("")
	}
	return shared{ref: ref, segments: cutReference(ref), bases: ref.TotalLength(), options: o}
}

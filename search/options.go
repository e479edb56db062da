package search

import (
	"cmp"
	"errors"

	"scanmap/gpu/device"
	"scanmap/internal/measure"
)

// Options say how patterns are searched for.
type Options struct {
	// Method and Scheme are names, or Auto for the fastest.
	Method, Scheme string
	// Distance is k; Substitutions tells that only substitutions count towards it.
	Distance      int
	Substitutions bool
	// Limits are the most edits of each class, k being the most of all classes; nil for none.
	Limits *Limits
	// ForwardOnly leaves out the reverse complements; text of bytes has none.
	ForwardOnly bool
	// ReferenceIUPAC has R and the other letters of two or three bases match, in a text of DNA too,
	// what they share a base with. N of the text matches nothing.
	ReferenceIUPAC bool
	// Threads is the number of goroutines; 0 is one for each processor.
	Threads int
	Device  device.Choice
	// Announce, if it is not nil, has the locations of a pattern emitted by distance, contig, start,
	// strand and end. It is called with their number before the first location.
	Announce func(pattern, locations int) error
	// Share, if it is not nil, is told how much of the search is done: letters times patterns.
	Share  *measure.Share
	bounds bounds
}

// Stats says how a search went.
type Stats struct {
	Device        string // such as cpu, cuda:0 or cuda:0,cuda:1
	Schemes       []string
	Patterns      int
	FoundPatterns int // that have a location
	Locations     int64
	TextLetters   int64
	Kernels       []KernelTime // with Options.Device.Sync, the longest first
}

// KernelTime is what one kernel took in all its launches.
type KernelTime = measure.KernelTime

// bounds limit how much is held at a time. 0 is a good number; others are for tests.
type bounds struct {
	// stretch is the most letters of contigs that are searched together.
	stretch int
	// patterns is the most patterns that are searched for at a time.
	patterns int
	// ends is the most ends of several patterns: with more they are searched for in smaller groups.
	ends int
	// window is the most letters that are searched for one pattern at a time. It ends before, at the
	// segment with which it has more than windowEnds ends.
	window, windowEnds int
	// perGPU is the text for which a search takes one more GPU, in letters.
	perGPU int
	// batch is the most ends of a strand that are located at a time.
	batch int
	// held is the most bytes of locations that wait for better ones, where these come first.
	held int
}

const (
	// segment is the text that a goroutine searches at a time: its codes stay in a cache.
	segment = 1 << 17
	// stretches of defaultStretch letters take few calls of a GPU.
	defaultStretch = 1 << 28
	// defaultPatterns take 0.7 GB while they are searched for.
	defaultPatterns = 1 << 18
	// defaultEnds take 0.1 GB. In a long text there are more, one for each lettersPerEnd: that is less
	// than the text takes, and a search that has just too many is not made three times.
	defaultEnds   = 1 << 22
	lettersPerEnd = 1 << 8
	// defaultWindow is large enough for many threads.
	defaultWindow = 256 * segment
	// defaultWindowEnds take 16 MB.
	defaultWindowEnds = 1 << 20
	// defaultBatch ends have locations of 5 MB a strand.
	defaultBatch = 1 << 16
	defaultHeld  = 32 << 20
)

// lettersPerGPU is the text for which a search takes one more GPU, if there is one: what an H200
// searches in the time that opening another takes, or less.
const lettersPerGPU = 1 << 26

// orDefault replaces bounds of 0, for a text of `letters` letters.
func (b bounds) orDefault(letters int) bounds {
	return bounds{
		stretch: cmp.Or(b.stretch, defaultStretch), patterns: cmp.Or(b.patterns, defaultPatterns), ends: cmp.Or(b.ends, max(defaultEnds, letters/lettersPerEnd)),
		window: cmp.Or(b.window, defaultWindow), windowEnds: cmp.Or(b.windowEnds, defaultWindowEnds), batch: cmp.Or(b.batch, defaultBatch), perGPU: cmp.Or(b.perGPU, lettersPerGPU), held: cmp.Or(b.held, defaultHeld),
	}
}

// Limits are the most edits of each class. A location has an alignment within every limit, and with
// at most k edits in all.
type Limits struct {
	Mismatches int // substitutions
	DNABulges  int // letters that the pattern lacks: deletions
	RNABulges  int // letters that the text lacks: insertions
}

// limit puts the limits of classes into the form that the search is fastest in: none if they say no
// more than k, and substitutions alone where no gap is allowed.
func (o *Options) limit() error {
	l := o.Limits
	if l == nil {
		return nil
	}
	if o.Substitutions {
		return errors.New("limits of classes are for edits, not for substitutions alone")
	}
	if l.Mismatches < 0 || l.DNABulges < 0 || l.RNABulges < 0 {
		return errors.New("the limit of a class of edits is not negative")
	}
	// Each is at most k first, so that the sum does not overflow.
	k := o.Distance
	capped := Limits{min(l.Mismatches, k), min(l.DNABulges, k), min(l.RNABulges, k)}
	k = min(k, capped.Mismatches+capped.DNABulges+capped.RNABulges)
	o.Distance, o.Limits = k, &capped
	switch {
	case capped.DNABulges == 0 && capped.RNABulges == 0:
		o.Substitutions, o.Limits = true, nil
	case min(capped.Mismatches, capped.DNABulges, capped.RNABulges) >= k:
		o.Limits = nil
	}
	return nil
}

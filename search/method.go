package search

import (
	"cmp"
	"fmt"
)

// A Method is an algorithm of the papers, or one of ours.
type Method struct {
	Name string
	// Source is the paper and section that it comes from.
	Source  string
	Summary string
	Schemes []*Scheme
}

// A Scheme is a way to lay out a method. refusal refuses needles that it cannot take.
type Scheme struct {
	Method  string
	Name    string
	Summary string
	// Alphabets that it searches.
	Alphabets []Alphabet
	// Longest is the most letters of a pattern, and Distance the largest k.
	Longest, Distance int
	// longestOnGPU and distanceOnGPU are the same limits there, where they are lower, and otherwise
	// 0.
	longestOnGPU, distanceOnGPU int
	// refuseOnGPU says what else it cannot search for there; nil for nothing.
	refuseOnGPU func(n *needle) error
	// LongestOf, if set, is the most letters of a pattern of an alphabet; Longest is then the most of
	// any.
	LongestOf func(Alphabet) int
	// Edits and Substitutions tell what k may count; a scheme with neither is exact.
	Edits, Substitutions bool
	// Sets tells that letters of a pattern may stand for several bases.
	Sets bool
	// Many tells that all patterns share one pass over the text on the CPU.
	Many bool

	// ByCodes and ByFlags are how schemes of other packages search: ByCodes makes a finder for the
	// CPU, and ByFlags sets the flags of a needle's ends on a GPU. Either is nil where a scheme does
	// not run there.
	ByCodes func(n Needle) ByteFinder
	ByFlags func(g GPU, n Needle)

	// cpu makes what finds needles on the CPU, or a tooManyError; nil where the scheme is only for
	// GPUs.
	cpu func(t *Text, needles []*needle, threads int) (finder, error)
	// gpu finds a needle on a GPU; nil where the scheme is only for the CPU.
	gpu *gpuFinder
}

// CPU tells whether the scheme runs on the CPU.
func (s *Scheme) CPU() bool { return s.cpu != nil }

// GPU tells whether the scheme runs on a GPU.
func (s *Scheme) GPU() bool { return s.gpu != nil }

// A finder finds ends on the CPU. Several goroutines use it at a time, each with a scratch of its
// own, which has the text.
type finder interface {
	// find calls found with the number of a needle and each of its ends in (from, to], of one
	// needle in ascending order. Text outside [first, last) is another stretch's: it matches
	// nothing.
	find(s *scratch, r textRange, found func(needle, end int))
}

// A tooManyError tells that needles are too many to be searched for at a time: fewer needles can
// be.
type tooManyError struct{ err error }

func (e *tooManyError) Error() string { return e.err.Error() }

// scratch is the text that a goroutine searches, and what it keeps between calls of find.
type scratch struct {
	text  *Text
	codes []byte
	words []uint64
	// masks and folded belong to planes, and are memory for neighbours; tiles belong to planes/tiles.
	masks, folded []uint64
	tiles         tilesScratch
	seen          []uint64 // of neighbours: a needle and a place each, where it was looked for
}

// A ByteFinder finds the ends of one needle in codes, as methods of the papers do: found gets
// the number of codes up to and including the last of an occurrence, in ascending order. Nothing
// before the codes matches.
type ByteFinder func(codes []byte, found func(end int))

// byCodes makes a finder of one that takes the codes of the text, one a byte.
func byCodes(newFinder func(n *needle) ByteFinder) func(*Text, []*needle, int) (finder, error) {
	return func(_ *Text, needles []*needle, _ int) (finder, error) {
		var f codeFinder
		for _, n := range needles {
			f.needles = append(f.needles, n)
			f.finders = append(f.finders, newFinder(n))
		}
		return &f, nil
	}
}

type codeFinder struct {
	needles []*needle
	finders []ByteFinder
}

func (f *codeFinder) find(s *scratch, r textRange, found func(needle, end int)) {
	for i, n := range f.needles {
		// An alignment with k edits spans at most m + k letters.
		from := r.before(n.length() + n.k)
		s.codes = s.text.codes(s.codes, from, r.to)
		f.finders[i](s.codes, func(end int) {
			if end += from; end > r.from {
				found(i, end)
			}
		})
	}
}

// FullName is such as shift-or/scan.
func (s *Scheme) FullName() string { return s.Method + "/" + s.Name }

// refusal says why a scheme cannot search for a needle, nil if it can.
func (s *Scheme) refusal(n *needle, onGPU bool) error {
	longest, distance, where := s.longestOf(n.alphabet), s.Distance, ""
	if onGPU && (s.longestOnGPU > 0 || s.distanceOnGPU > 0) {
		longest, distance, where = cmp.Or(s.longestOnGPU, longest), cmp.Or(s.distanceOnGPU, distance), " on a GPU"
	}
	switch m := n.length(); {
	case onGPU && !s.GPU():
		return fmt.Errorf("%s runs on the CPU alone", s.FullName())
	case !onGPU && !s.CPU():
		return fmt.Errorf("%s runs on a GPU alone", s.FullName())
	case !s.takes(n.alphabet):
		return fmt.Errorf("%s does not search alphabet %s", s.FullName(), n.alphabet)
	case m > longest:
		return fmt.Errorf("%s takes patterns of at most %d letters%s", s.FullName(), longest, where)
	case n.k > 0 && n.substitutions && !s.Substitutions:
		return fmt.Errorf("%s does not allow substitutions alone", s.FullName())
	case n.k > 0 && !n.substitutions && !s.Edits:
		return fmt.Errorf("%s is exact, and does not allow edits", s.FullName())
	case n.k > distance && n.k > 0:
		return fmt.Errorf("%s takes at most %d edits%s", s.FullName(), distance, where)
	case !n.single && !s.Sets:
		return fmt.Errorf("%s does not take letters that stand for several bases", s.FullName())
	}
	if onGPU && s.refuseOnGPU != nil {
		if err := s.refuseOnGPU(n); err != nil {
			return fmt.Errorf("%s on a GPU: %w", s.FullName(), err)
		}
	}
	return nil
}

func (s *Scheme) longestOf(a Alphabet) int {
	if s.LongestOf != nil {
		return s.LongestOf(a)
	}
	return s.Longest
}

func (s *Scheme) takes(a Alphabet) bool {
	for _, b := range s.Alphabets {
		if a == b {
			return true
		}
	}
	return false
}

var bothAlphabets = []Alphabet{DNA, Bytes}

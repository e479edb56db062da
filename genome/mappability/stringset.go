package mappability

import (
	"context"
	"math/bits"
	"slices"

	"scanmap/internal/parallel"
)

// A binCounter counts the neighbours among the strings of a bin. It is the scratch memory of one
// goroutine.
type binCounter struct {
	*comparison
	match   matcher
	strings stringSet // of places with one piece
}

// A stringSet is the strings of some places, by number: wanted strings first.
type stringSet struct {
	wanted int
	// numbers are the numbers of the strings of the places.
	numbers []uint32
	// of are strings in the order in which they come, and slots their numbers in that, + 1, in a
	// hash table.
	of    []distinct
	slots []uint32
	// keys are the strings of a bin in order of a piece.
	keys    []keyed
	sorting keySorter
}

// A distinct is a string of places: its first place by its number in the bin, its weight, whether a
// place asks for it, and its number.
type distinct struct {
	at, weight, number uint32
	wanted             bool
	// leader is the offset of the first place that asks, + 1, and places how many do (lead).
	leader, places uint64
}

// count counts neighbours among the strings of a bin of a piece, which a round has gathered.
func (b *binCounter) count(ctx context.Context, entries []uint64, piece int) {
	if *b.match.path.known > mostPaths {
		b.match.path = newPath(b.all, b.options.Edits)
	}
	entry := b.entryWords()
	s := &b.strings
	s.keys = s.sorting.sorted(s.keys, len(entries)/entry, func(i int) uint64 { return keyOfWords(entries[i*entry+1:(i+1)*entry], b.match.path.piece(piece)) })
	by := b.match.path.step(piece)
	for keys := s.keys; len(keys) > 0 && ctx.Err() == nil; {
		same := equalKeys(keys)
		if same > 1 && b.take(entries, keys[:same], piece == 0) {
			b.match.group(ctx, 1, by)
			if piece == 0 {
				b.equal()
			}
			if piece == 0 && b.leaders != nil {
				b.lead(entries, keys[:same])
			}
			b.give(entries, keys[:same])
		}
		keys = keys[same:]
	}
}

// keyOfWords hashes the bases of low and high words that a mask has.
func keyOfWords(of, mask []uint64) (h uint64) {
	for w, m := range mask {
		if m != 0 {
			h = letters{of[2*w] & m, of[2*w+1] & m, 0}.hashed(h)
		}
	}
	return h
}

// fewPlaces is up to how many are taken for as many strings, without asking which are equal.
const fewPlaces = 24

// take makes a group of the strings of some places, and tells whether any string is wanted.
func (b *binCounter) take(entries []uint64, keys []keyed, first bool) bool {
	s, words, entry := &b.strings, b.words, b.entryWords()
	all := place(0)
	for _, k := range keys {
		all |= place(entries[int(k.at)*entry])
	}
	if all&(asking|genomePlace) != asking|genomePlace {
		return false
	}
	s.of, s.numbers = s.of[:0], parallel.Resize(s.numbers, len(keys))
	size := 0
	if len(keys) > fewPlaces {
		size = 2 << bits.Len(uint(len(keys)))
		s.slots = parallel.Resize(s.slots, size)
		clear(s.slots)
	}
	for i, k := range keys {
		at := place(entries[int(k.at)*entry])
		number := uint32(len(s.of))
		if size > 0 && at&unmatched == 0 {
			number = s.number(entries, entry, int(k.at))
		}
		if int(number) == len(s.of) {
			s.of = append(s.of, distinct{at: k.at})
		}
		s.numbers[i] = number
		f := &s.of[number]
		switch {
		case !first && b.leaders != nil && b.leaders[at.offset()]&1 == 1:
			f.weight += uint32(b.leaders[at.offset()] >> 1)
		case at&genomePlace != 0:
			f.weight++
		}
		f.wanted = f.wanted || at&asking != 0
	}
	next := b.match.level(1)
	next.refs, next.letters = next.refs[:0], next.letters[:0]
	b.match.weights = b.match.weights[:0]
	for _, wanted := range []bool{true, false} {
		for i := range s.of {
			f := &s.of[i]
			if f.wanted != wanted || f.weight == 0 && !wanted {
				continue
			}
			f.number = uint32(len(next.refs))
			next.refs = append(next.refs, f.number)
			b.match.weights = append(b.match.weights, f.weight)
			of := entries[int(f.at)*entry:][:entry]
			for w := range words {
				l := letters{of[1+2*w], of[2+2*w], 0}
				if place(of[0])&unmatched != 0 {
					l = b.lettersOf(place(of[0]), w)
				}
				next.letters = append(next.letters, l)
			}
		}
		if wanted {
			s.wanted = len(next.refs)
		}
	}
	next.wanted = s.wanted
	b.match.found = parallel.Resize(b.match.found, len(next.refs))
	clear(b.match.found)
	return s.wanted > 0
}

// number returns the number of the string of an entry among the strings before, or the next number.
func (s *stringSet) number(entries []uint64, entry, at int) uint32 {
	a, mask := entries[at*entry+1:(at+1)*entry], uint64(len(s.slots)-1)
	for slot := slotOf(a, len(s.slots)); ; slot = (slot + 1) & mask {
		number := s.slots[slot]
		if number == 0 {
			s.slots[slot] = uint32(len(s.of)) + 1
			return uint32(len(s.of))
		}
		b := int(s.of[number-1].at) * entry
		if slices.Equal(a, entries[b+1:b+entry]) {
			return number - 1
		}
	}
}

// slotOf is where the words of a string go in a table. The number of slots is a power of two. The
// slot is the highest bits of the last product, on which all bits of all words tell.
func slotOf(words []uint64, slots int) uint64 {
	h := uint64(0)
	for _, word := range words {
		h = (h ^ word) * 0xBF58476D1CE4E5B9
		h ^= h >> 31
	}
	return h * 0x9E3779B97F4A7C15 >> (65 - bits.Len(uint(slots)))
}

// equal counts strings for the places that they have themselves. If K-mers are the same on both
// sides, the place that asks is one of these places.
func (b *binCounter) equal() {
	s, self := &b.strings, uint32(0)
	if b.split.same {
		self = 1
	}
	for i, weight := range b.match.weights[:s.wanted] {
		if weight > self {
			b.match.found[i] += weight - self
		}
	}
}

// give gives the counts to the places that ask.
func (b *binCounter) give(entries []uint64, keys []keyed) {
	s, entry := &b.strings, b.entryWords()
	for i, k := range keys {
		if at := place(entries[int(k.at)*entry]); at&asking != 0 {
			if n := b.match.found[s.of[s.numbers[i]].number]; n != 0 {
				b.counts[at.offset()] += n
			}
		}
	}
}

// lead makes the first place of each string that asks the leader of the others that do.
func (b *binCounter) lead(entries []uint64, keys []keyed) {
	s, entry := &b.strings, b.entryWords()
	for i, k := range keys {
		at := place(entries[int(k.at)*entry])
		if at&asking == 0 {
			continue
		}
		f := &s.of[s.numbers[i]]
		if f.leader == 0 {
			f.leader = uint64(at.offset()) + 1
		} else {
			b.leaders[at.offset()] = f.leader << 1
		}
		f.places++
		if f.places > 1 {
			b.leaders[f.leader-1] = f.places<<1 | 1
		}
	}
}

package main

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// A place is what a program reports of a pattern: letters [start, end) of a contig within so many
// edits.
type place struct{ start, end, distance int }

// A strandOf says of what pattern, contig and strand a place is.
type strandOf struct{ pattern, contig, strand string }

// beside says how the matches of Sassy are related to the locations of scanmap. Sassy reports each
// local minimum of the distance along the ends, scanmap what docs/algorithm.md calls a location:
// occurrences in order of distance, but none that ends or starts within k of one before.
type beside struct {
	// Same have the same start, end and distance; Shifted the same distance, and the same start or
	// the same end: another of several best alignments, or of several ends with one distance.
	Same, Shifted int
	// Excluded are matches that end or start within k of a location that is no worse.
	Excluded int
	// Realigned are matches to whose end another alignment comes that is no worse, and ends or starts
	// within k of a location that is no worse. Along the reverse strand the ends of Sassy are starts
	// of ours.
	Realigned int
	// Slopes are locations that are no local minima: Sassy has a match within k that is no worse.
	Slopes int
	// Plateaus are others that are none: at all ends from theirs to that of a match the distance is
	// no more than theirs. Sassy reports one end of those with the same distance, however many.
	Plateaus int
	// Alone are matches, and Missed locations, that none of this explains.
	Alone, Missed int
	Differences   []string // some of them
}

func (b beside) String() string {
	return fmt.Sprintf("%d the same, %d shifted, %d excluded, %d realigned, %d slopes, %d plateaus, %d alone, %d missed",
		b.Same, b.Shifted, b.Excluded, b.Realigned, b.Slopes, b.Plateaus, b.Alone, b.Missed)
}

// compare reads what scanmap and a form of Sassy found, relates them, and returns the number of
// locations.
func (x *sassyResult) compare(t *sassyTask, contigs []contig, ours, theirs string, k int, names map[string]string, letters string) (found int, err error) {
	locations, err := readPlaces(ours, []string{"pattern", "contig", "strand", "start", "end", "distance"}, nil)
	if err != nil {
		return 0, err
	}
	pattern := "pat_id"
	if t.ngg {
		pattern = "guide"
	} else if letters != "" {
		names = map[string]string{"pattern": letters}
	}
	matches, err := readPlaces(theirs, []string{pattern, "text_id", "strand", "start", "end", "cost"}, names)
	if err != nil {
		return 0, err
	}
	texts := map[string][]byte{}
	for _, c := range contigs {
		texts[c.name] = c.letters
	}
	needles := map[string]string{letters: letters}
	for guide, name := range names {
		needles[name] = guide
	}
	if letters == "" && !t.ngg {
		for record := range strings.SplitSeq(guides, ">") {
			if name, guide, ok := strings.Cut(strings.TrimSpace(record), "\n"); ok {
				needles[name] = guide
			}
		}
	}
	x.Found = 0
	for key, all := range matches {
		x.Found += len(all)
		for _, m := range all {
			x.relate(key, m, locations[key], k, func() (place, bool) {
				return best(texts[key.contig], needles[key.pattern], key.strand == "-", t.ngg, m.end, k)
			})
		}
	}
	for key, all := range locations {
		found += len(all)
		for _, l := range all {
			same := func(m place) bool {
				return m.distance == l.distance && (m.start == l.start || m.end == l.end)
			}
			switch {
			case slices.ContainsFunc(matches[key], same):
			case slices.ContainsFunc(matches[key], func(m place) bool { return m.excludes(l, k) }):
				x.Slopes++
			case plateau(texts[key.contig], needles[key.pattern], key.strand == "-", t.ngg, l, matches[key], k):
				x.Plateaus++
			default:
				x.Missed++
				x.differ("scanmap alone", key, l)
			}
		}
	}
	return found, nil
}

// plateau tells whether a match can be reached from a location over ends at which the distance is
// no more than the location's. On the reverse strand starts count as ends too: there Sassy looks
// for the pattern in the other strand of the text, but with --v2 for its reverse complement.
func plateau(text []byte, pattern string, reverse, ngg bool, l place, matches []place, k int) bool {
	ends := func(p int) (place, bool) { return best(text, pattern, reverse, ngg, p, k) }
	if flat(l, matches, len(text), func(p place) int { return p.end }, ends) {
		return true
	}
	if !reverse {
		return false
	}
	const around = 4096
	from, to := max(0, l.start-around), min(len(text), l.start+around)
	other := []byte(reverseComplement(string(text[from:to])))
	starts := func(p int) (place, bool) {
		if p < from || p >= to {
			return place{}, false
		}
		return best(other, pattern, false, ngg, to-p, k)
	}
	return flat(l, matches, len(text), func(p place) int { return p.start }, starts)
}

// flat is plateau along the ends or the starts.
func flat(l place, matches []place, last int, at func(place) int, best func(at int) (place, bool)) bool {
	for _, step := range []int{-1, 1} {
		for p := at(l); p >= 0 && p <= last; p += step {
			if b, ok := best(p); !ok || b.distance > l.distance {
				break
			}
			if slices.ContainsFunc(matches, func(m place) bool { return at(m) == p && m.distance <= l.distance }) {
				return true
			}
		}
	}
	return false
}

// relate counts a match.
func (x *sassyResult) relate(key strandOf, m place, locations []place, k int, best func() (place, bool)) {
	shifted := func(l place) bool {
		return l.distance == m.distance && (l.start == m.start || l.end == m.end)
	}
	excludes := func(l place) bool { return l.excludes(m, k) }
	switch {
	case slices.Contains(locations, m):
		x.Same++
	case slices.ContainsFunc(locations, shifted):
		x.Shifted++
	case slices.ContainsFunc(locations, excludes):
		x.Excluded++
	default:
		b, ok := best()
		if ok && b.distance <= m.distance && slices.ContainsFunc(locations, func(l place) bool { return l.excludes(b, k) }) {
			x.Realigned++
			return
		}
		x.Alone++
		x.differ("Sassy alone", key, m)
	}
}

// excludes tells whether a place is no worse than another, and ends or starts within k of it.
func (p place) excludes(o place, k int) bool {
	near := func(a, b int) bool { return a-b <= k && b-a <= k }
	return p.distance <= o.distance && (near(p.start, o.start) || near(p.end, o.end))
}

func (x *sassyResult) differ(what string, key strandOf, p place) {
	if len(x.Differences) < 6 {
		x.Differences = append(x.Differences, fmt.Sprintf("%s: %.20s %s %d %d %s %d", what, key.pattern, key.contig, p.start, p.end, key.strand, p.distance))
	}
}

// readPlaces reads the named columns of a file with a line of names; names has what else patterns
// are called.
func readPlaces(file string, columns []string, names map[string]string) (map[strandOf][]place, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	places := map[strandOf][]place{}
	at := make([]int, len(columns))
	for number := 1; lines.Scan(); number++ {
		fields := strings.Split(lines.Text(), "\t")
		if number == 1 {
			for i, c := range columns {
				if at[i] = slices.Index(fields, c); at[i] < 0 {
					return nil, fmt.Errorf("%s has no column %s", file, c)
				}
			}
			continue
		}
		cell := func(i int) string {
			if at[i] < len(fields) {
				return fields[at[i]]
			}
			return ""
		}
		var numbers [3]int
		for i := range numbers {
			if numbers[i], err = strconv.Atoi(cell(3 + i)); err != nil {
				return nil, fmt.Errorf("%s: line %d: %w", file, number, err)
			}
		}
		contig, _, _ := strings.Cut(cell(1), " ")
		key := strandOf{cell(0), contig, cell(2)}
		if name, ok := names[key.pattern]; ok {
			key.pattern = name
		}
		places[key] = append(places[key], place{numbers[0], numbers[1], numbers[2]})
	}
	return places, lines.Err()
}

// best returns the best alignment of a pattern that ends at a place of the text, if it has at most
// k edits: of several the one with the fewest gaps, of these that with the latest start. In the
// first or the last three letters, as the strand is, no edit is allowed if ngg is set.
func best(text []byte, pattern string, reverse, ngg bool, end, k int) (place, bool) {
	const never = 1 << 12
	needle, first, last := pattern, 0, len(pattern)
	if ngg {
		last -= 3
	}
	if reverse {
		needle, first, last = reverseComplement(pattern), len(pattern)-last, len(pattern)
	}
	// A cell has the edits, the gaps and the start of the best alignment, all in one number.
	cost := func(edits, gaps, start int) int { return (edits<<12|gaps)<<32 - start }
	m := len(needle)
	from := max(0, end-m-k)
	column := make([]int, m+1)
	start := func(at int) int { return cost(0, 0, at) }
	gap := cost(1, 1, 0)
	column[0] = start(from)
	for i := range m {
		column[i+1] = column[i] + gap
		if i < first || i >= last {
			column[i+1] = cost(never, 0, 0)
		}
	}
	for at := from; at < end; at++ {
		diagonal := column[0]
		column[0] = start(at + 1)
		for i := range m {
			fixed := i < first || i >= last
			value := diagonal
			if needle[i] != 'N' && needle[i] != text[at] {
				value += cost(1, 0, 0)
				if fixed {
					value = cost(never, 0, 0)
				}
			}
			if !fixed {
				value = min(value, column[i]+gap)
			}
			// Letters of the text may stand after any letter but within those that have to match.
			if next := i + 1; next < m && (next >= first && next < last || i >= first && i < last) {
				value = min(value, column[next]+gap)
			} else if next == m && !fixed {
				value = min(value, column[next]+gap)
			}
			diagonal, column[i+1] = column[i+1], min(value, cost(never, 0, 0))
		}
	}
	total := column[m] + 1<<31
	edits := total >> 44
	return place{int((1<<31 - total&(1<<32-1))), end, edits}, edits <= k
}

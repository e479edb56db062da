package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"scanmap/mapper"
)

// counter is a row of the statistics: a number of a run and its description. The table on standard
// error and the page show the same rows. An indented counter is a part of the nearest counter above
// that is indented less.
type counter struct {
	name        string
	indent      int
	value, note string
}

// readCounters say what became of the reads.
func readCounters(s *mapper.Stats) []counter {
	row := func(indent int, name string, n int64) counter {
		return counter{name, indent, grouped(n), percent(n, s.Reads)}
	}
	rows := []counter{
		{"reads", 0, grouped(s.Reads), ""},
		row(1, "mapped", s.Mapped),
		row(2, "unique", s.Unique),
		row(2, "multiple", s.Multiple),
		row(1, "unmapped", s.Unmapped),
		row(2, "ambiguous", s.Ambiguous),
	}
	if s.Capped > 0 {
		rows = append(rows, row(1, "with more locations than are allowed", s.Capped))
	}
	if s.Dropped > 0 {
		rows = append(rows, row(2, "left out for that", s.Dropped))
	}
	if s.Unsought > 0 {
		rows = append(rows, row(2, "not sought", s.Unsought))
	}
	return rows
}

// askedCounters are the options that choose records, and the lengths of reads.
func askedCounters(s *mapper.Stats) (rows []counter) {
	if allowed := s.Allowed(); allowed != "" {
		rows = append(rows, counter{"allowed", 0, allowed, ""}, counter{"report", 0, s.Report(), ""})
	}
	if s.Longest > 0 {
		rows = append(rows, counter{"mean read length", 0, fmt.Sprintf("%.1f", ratio(s.Bases, s.Reads)), "bases"},
			counter{"shortest", 1, grouped(s.Shortest), "bases"}, counter{"longest", 1, grouped(s.Longest), "bases"},
			counter{"bases of mapped reads", 0, grouped(s.MappedBases), ""})
	}
	if s.ClippedReads > 0 {
		rows = append(rows, counter{"clipped", 1, grouped(s.ClippedBases), percent(s.ClippedBases, s.MappedBases)},
			counter{"reads that are clipped", 0, grouped(s.ClippedReads), percent(s.ClippedReads, s.Mapped)})
	}
	return rows
}

// leastHint is the share of the sample, one in leastHint, from which a way is worth trying.
const leastHint = 20

// Hint advises in a line what to try where many reads are unmapped, by a sample of these. It is
// empty where there is no sample.
func Hint(s *mapper.Stats) string {
	u := s.Sample
	if u == nil {
		return ""
	}
	var found, options []string
	best := u.Reads / leastHint
	option := ""
	if u.WithAdapters > 0 {
		found = append(found, fmt.Sprintf("%s have an adapter (mostly %s)", grouped(u.WithAdapters), u.Adapter))
	}
	for _, t := range u.Tried {
		found = append(found, fmt.Sprintf("%s map with %s", grouped(t.Mapped), t.Option))
		if t.Mapped > best {
			best, option = t.Mapped, t.Option
		}
	}
	if u.WithAdapters > u.Reads/leastHint {
		options = append(options, "cut adapters off")
	}
	if option != "" {
		options = append(options, "try "+option)
	}
	switch {
	case len(options) > 0:
	case len(u.Tried) == 0:
		options = []string{"other options were not tried"}
	default:
		options = []string{"they may be of something else than the reference"}
	}
	return fmt.Sprintf("%s of the reads are unmapped; of a sample of %s of these %s: %s", percent(s.Unmapped, s.Reads), grouped(u.Reads),
		cmp.Or(strings.Join(found, ", "), "none was explained"), strings.Join(options, ", or "))
}

// mappingCounters say how many locations there are.
func mappingCounters(s *mapper.Stats) []counter {
	return []counter{
		{"locations", 0, grouped(s.Mappings), fmt.Sprintf("%.2f a mapped read", ratio(s.Mappings, s.Mapped))},
		{"reported", 1, grouped(s.Reported), ""},
	}
}

// duplicateCounters say how many duplicates are among the records that were looked at, and nothing
// where none were sought.
func duplicateCounters(d *mapper.DuplicateStats) []counter {
	if d == nil {
		return nil
	}
	row := func(name string, n int64) counter { return counter{name, 1, grouped(n), percent(n, d.Examined)} }
	all := d.Pairs + d.Singles
	return []counter{
		{"duplicates", 0, grouped(all), percent(all, d.Examined)},
		row("of mapped pairs", d.Pairs),
		row("of single reads", d.Singles),
	}
}

// workCounters say what the run did for them.
func workCounters(s *mapper.Stats) []counter {
	row := func(indent int, name string, n int64) counter {
		return counter{name, indent, grouped(n), fmt.Sprintf("%.2f a read", ratio(n, s.Reads))}
	}
	rows := []counter{
		{"reference", 0, grouped(s.ReferenceBases), "bases"},
		{"batches", 0, grouped(s.Batches), "parts of the reads, one after the other"},
	}
	for _, engine := range slices.Sorted(maps.Keys(s.Engines)) {
		if n := s.Engines[engine]; n > 0 {
			rows = append(rows, counter{"engine " + string(engine), 0, grouped(n), "reads"})
		}
	}
	return append(rows,
		row(0, "candidates", s.Candidates),
		row(1, "refused", s.Refused),
		row(0, "verified windows", s.Verified),
		counter{"bases of reads", 0, grouped(s.Bases), ""},
		counter{"elapsed", 0, seconds(s.Elapsed), fmt.Sprintf("s, %s reads/s", scaled(perSecond(s.Reads, s.Elapsed)))},
		counter{"search throughput", 0, fmt.Sprintf("%.3f", s.SearchThroughput()),
			"Tbit/s = 8 x bases of reference x reads / seconds / 10^12"})
}

// pairCounters say what became of pairs.
func pairCounters(p *mapper.PairStats) []counter {
	row := func(indent int, name string, n int64) counter {
		return counter{name, indent, grouped(n), percent(n, p.Pairs)}
	}
	rows := []counter{
		{"pairs", 0, grouped(p.Pairs), ""},
		row(1, "proper", p.Proper),
		row(1, "discordant", p.Discordant),
		row(2, "on other contigs", p.OtherContig),
		row(2, "in another orientation", p.OtherOrientation),
		row(2, "too near", p.TooNear),
		row(2, "too far", p.TooFar),
		row(1, "one-end anchored", p.OneEndAnchored),
		row(1, "unmapped", p.Unmapped),
	}
	if p.Bounded > 0 {
		rows = append(rows, row(1, "not all combinations weighed", p.Bounded))
	}
	return append(rows, counter{"rescued mates", 0, grouped(p.Rescued), ""})
}

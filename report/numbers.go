package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"scanmap/mapper"
)

// bucket is a range of numbers of locations, both ends included.
type bucket struct {
	From  int64 `json:"from"`
	To    int64 `json:"to"`
	Reads int64 `json:"reads"`
}

// buckets gives the ranges of mapper.Stats.PerRead: 0, 1, 2, 3 to 4, 5 to 8, ...
func buckets(perRead []int64) []bucket {
	out := make([]bucket, 0, len(perRead))
	for i, reads := range perRead {
		from, to := int64(i), int64(i)
		if i > 1 {
			from, to = 1<<(i-2)+1, 1<<(i-1)
		}
		out = append(out, bucket{from, to, reads})
	}
	return out
}

// maxRanges is the number of distances from which these are put together in ranges.
const maxRanges = 16

// distanceRanges puts mapper.Stats.ByDistance together in at most maxRanges ranges: of one width
// after 0, which stays alone.
func distanceRanges(counts []int64) (all []bucket) {
	for len(counts) > 0 && counts[len(counts)-1] == 0 {
		counts = counts[:len(counts)-1]
	}
	width := max(1, (len(counts)+maxRanges-3)/(maxRanges-1))
	for from, to := 0, min(1, len(counts)); from < len(counts); from, to = to, min(to+width, len(counts)) {
		all = append(all, bucket{int64(from), int64(to - 1), sum(counts[from:to])})
	}
	return all
}

// ofScores tells whether distances are lost scores, as with mapper.Options.Local, and not edits.
func ofScores(s *mapper.Stats) bool { return s.Options["min-score"] != "" }

func (b bucket) String() string {
	if b.From == b.To {
		return grouped(b.From)
	}
	return grouped(b.From) + " to " + grouped(b.To)
}

// ratio returns part / whole, 0 for none of nothing.
func ratio(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// perSecond returns a rate, 0 when no time passed.
func perSecond(items int64, t time.Duration) float64 {
	if t <= 0 {
		return 0
	}
	return float64(items) / t.Seconds()
}

// sizeOf says how large a reference is.
func sizeOf(bases, contigs int64) string {
	return plural(bases, "base") + ", " + plural(contigs, "contig")
}

// plural writes a number and a noun, which is given for one.
func plural(n int64, one string) string { return grouped(n) + " " + ofNumber(n, one) }

// ofNumber is the name of one of something, or of several.
func ofNumber(n int64, one string) string {
	if n == 1 {
		return one
	}
	if stem, ok := strings.CutSuffix(one, "y"); ok {
		return stem + "ies"
	}
	return one + "s"
}

// grouped writes a number with commas: 1,234,567.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// percent writes a share of the whole.
func percent(part, whole int64) string {
	return fmt.Sprintf("%.2f %%", 100*ratio(part, whole))
}

// scaled writes a rate with three digits and a decimal prefix: 12.3 M.
func scaled(x float64) string {
	prefix := ""
	for _, p := range []string{"k", "M", "G", "T", "P"} {
		if x < 999.5 {
			break
		}
		x /= 1000
		prefix = p
	}
	text := strconv.FormatFloat(x, 'g', 3, 64)
	if x >= 99.95 || x == 0 {
		text = strconv.FormatFloat(x, 'f', 0, 64)
	}
	if prefix == "" {
		return text
	}
	return text + " " + prefix
}

// seconds writes a time with three decimals.
func seconds(t time.Duration) string {
	return fmt.Sprintf("%.3f", t.Seconds())
}

// Progress describes how far a run has come after some time, in one line without an end. reading is
// the text about the reference while it is loaded.
func Progress(p mapper.Progress, elapsed time.Duration, reading string) string {
	if !p.Loaded && p.Reads == 0 {
		return reading
	}
	if p.Mapping > 0 {
		elapsed = p.Mapping
	}
	expected, atWork, left := "", "", ""
	if p.Expected > p.Reads {
		expected = fmt.Sprintf(" of about %s", grouped(p.Expected))
		done := float64(p.Reads) + float64(p.Batch)*p.Pass
		left = Left(elapsed, done/float64(p.Expected))
	}
	if p.Batch > 0 {
		atWork = fmt.Sprintf(", %.0f %% of the reference for the next %s", 100*p.Pass, grouped(p.Batch))
	}
	return fmt.Sprintf("%s%s reads, %s mapped, %s reads/s%s%s", grouped(p.Reads), expected, percent(p.Mapped, p.Reads),
		scaled(perSecond(p.Reads, elapsed)), atWork, left)
}

// Left says how long the rest will take, after a comma, by the time that a share took. It says
// nothing where the work has hardly begun, or is done.
func Left(taken time.Duration, share float64) string {
	if share < 0.001 || share >= 1 || taken < time.Second/2 {
		return ""
	}
	left := time.Duration(float64(taken) * (1 - share) / share)
	switch {
	case left >= 100*time.Minute:
		return fmt.Sprintf(", about %d h left", int(left.Hours()+0.5))
	case left >= 100*time.Second:
		return fmt.Sprintf(", about %d min left", int(left.Minutes()+0.5))
	}
	return fmt.Sprintf(", about %d s left", max(1, int(left.Seconds()+0.5)))
}

// Share writes the share that is done of something, with the time that is left.
func Share(what string, share float64, taken time.Duration) string {
	return fmt.Sprintf("%s, %.1f %%%s", what, 100*share, Left(taken, share))
}

package mapper

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/internal/fuzzing"
	"scanmap/internal/truth"
	"scanmap/mapper/find"
)

// asFASTA writes texts named by a prefix and their number, in lines of any width, in either case,
// and with either line ending.
func asFASTA(c *fuzzing.Choices, prefix string, texts []string) string {
	end := []string{"\n", "\n", "\n", "\r\n"}[c.Below(4)]
	width, lower := 1+c.Below(200), c.Below(8) == 1
	var b strings.Builder
	for i, s := range texts {
		if lower && i%2 == 0 {
			s = strings.ToLower(s)
		}
		b.WriteString(fmt.Sprintf(">%s%d words", prefix, i) + end)
		for ; len(s) > width; s = s[width:] {
			b.WriteString(s[:width] + end)
		}
		b.WriteString(s + end)
	}
	return b.String()
}

// asFASTQ writes reads as FASTQ.
func asFASTQ(prefix string, reads []string) string {
	var b strings.Builder
	for i, s := range reads {
		fmt.Fprintf(&b, "@%s%d\n%s\n+\n%s\n", prefix, i, s, strings.Repeat("F", len(s)))
	}
	return b.String()
}

// drawOptions chooses a distance, a metric and a report.
func drawOptions(c *fuzzing.Choices) Options {
	first := c.Below(6 * 42)
	o := Options{Distance: Distance{Edits: first % 6}, Seed: uint64(c.Below(256))}
	if first/6%4 == 3 {
		o.Metric = Substitutions
	}
	if c.Below(4) == 1 {
		o.Distance = Distance{Percent: float64(c.Below(120)) / 4, Percentage: true}
	} else if c.Below(6) == 1 {
		o.Distance = Distance{Steps: []DistanceStep{{c.Below(20), c.Below(3)}, {20 + c.Below(60), 2 + c.Below(4)}}}
	}
	o.Report.Mode = []ReportMode{ReportAll, ReportAll, ReportBest, ReportOne, ReportUnique, ReportStrata}[c.Below(6)]
	if o.Report.Mode == ReportStrata {
		o.Report.Strata = c.Below(4)
	}
	return o
}

// drawWay chooses what must not change a byte: engine, threads, batches, parts.
func drawWay(c *fuzzing.Choices, o Options) Options {
	o.Engine = []Engine{EngineSkim, EngineSkim, EngineAuto, EngineScan}[c.Below(4)]
	o.Threads, o.BatchReads = 1+c.Below(3), c.Below(5)
	o.limits.find = find.Limits{Found: c.Below(4), Handed: c.Below(4)}
	return o
}

// putFile writes a file of a test's input.
func putFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// expectedOf returns the locations of a read that a report has; one tells that a single location
// among these is reported.
func expectedOf(all []truth.Location, r Report) (reported []truth.Location, one bool) {
	least := 1 << 20
	for _, l := range all {
		least = min(least, l.Distance)
	}
	if r.Mode == ReportAll {
		return all, false
	}
	best := slices.DeleteFunc(slices.Clone(all), func(l truth.Location) bool { return l.Distance > least+r.Strata })
	if r.Mode == ReportUnique && len(best) > 1 {
		return nil, false
	}
	return best, r.Mode == ReportOne
}

// FuzzMap takes bytes for a reference, reads and options, writes them to files and maps. Locations
// of the records are compared, as the report wants them, with dynamic programming, or with brute
// force for substitutions alone. Neither engine, threads, batches nor parts change a byte. With
// affine costs of gaps the locations are the same.
func FuzzMap(f *testing.F) {
	fuzzing.AddBytes(f)
	dir := f.TempDir()
	reference, file := filepath.Join(dir, "ref.fa"), filepath.Join(dir, "reads")
	f.Fuzz(func(t *testing.T, data []byte) {
		c := fuzzing.New(data)
		o := drawOptions(c)
		o.Reference, o.Libraries = reference, []Library{{Reads: file}}
		o.Gaps = GapsUnit // the truth has the alignments of the fewest edits
		first := o
		first.Engine, first.Threads = EngineScan, 1
		others := []Options{drawWay(c, o), drawWay(c, o)}
		contigs := truth.ChosenContigs(c)
		reads := truth.ChosenReads(c, contigs, 5, o.Metric == Substitutions)
		putFile(t, reference, asFASTA(c, "c", contigs))
		if c.Yes() {
			putFile(t, file, asFASTA(c, "r", reads))
		} else {
			putFile(t, file, asFASTQ("r", reads))
		}
		want, _ := runText(t, first)
		for _, other := range others {
			if got, _ := runText(t, other); got != want {
				t.Fatalf("engine %s, %d threads, batches of %d, limits %+v: other bytes (-scan +this)\n%s",
					other.Engine, other.Threads, other.BatchReads, other.limits.find, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
			}
		}
		compareWritten(t, others[0], contigs)
		names := map[string]int{}
		for i := range contigs {
			names[fmt.Sprintf("c%d", i)] = i
		}
		written, found := locationsOfRecords(t, want, contigs, names)
		if !slices.Equal(written, reads) {
			t.Fatalf("the records have the reads %q, not %q", written, reads)
		}
		text := truth.NewText(contigs)
		for i, read := range reads {
			k := o.Distance.For(len(read))
			all, err := text.Find(read, k)
			if err != nil {
				t.Fatal(err)
			}
			if o.Metric == Substitutions {
				all = truth.FindSubstituted(contigs, read, k)
			}
			slices.SortFunc(found[i], compareLocations)
			reported, one := expectedOf(all, o.Report)
			slices.SortFunc(reported, compareLocations)
			if one && len(reported) > 0 && len(found[i]) == 1 && slices.Contains(reported, found[i][0]) {
				continue
			}
			if !slices.Equal(reported, found[i]) {
				t.Fatalf("%+v, %d edits, read %s, contigs %q: locations (-truth +got)\n%s",
					o.Report, k, read, contigs, cmp.Diff(reported, found[i]))
			}
		}
	})
}

// FuzzMapPairs takes bytes for a reference, pairs and options, writes them to files and maps.
// Neither engine, threads, batches nor parts change a byte of any output, and both mates of each
// pair are there once, in order.
func FuzzMapPairs(f *testing.F) {
	fuzzing.AddBytes(f)
	dir := f.TempDir()
	reference, files := filepath.Join(dir, "ref.fa"), [2]string{filepath.Join(dir, "r1"), filepath.Join(dir, "r2")}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := fuzzing.New(data)
		o := drawOptions(c)
		o.Pairs.Orientation = []Orientation{OrientationFR, OrientationFR, OrientationRF, OrientationFF}[c.Below(4)]
		o.Pairs.Rescue = o.Distance.Twice()
		if c.Yes() {
			o.Pairs.MinInsert = c.Below(100)
			o.Pairs.MaxInsert = o.Pairs.MinInsert + 1 + c.Below(600)
		}
		o.MaxLocations, o.Crop = c.Below(4), c.Below(8)*20
		o.SequenceMatch, o.FullSecondary = c.Yes(), c.Yes()
		o.Libraries = []Library{{Reads: files[0], Mates: files[1]}}
		interleaved := c.Yes()
		if interleaved {
			o.Libraries = []Library{{Reads: files[0], Interleaved: true, ReadGroup: "g"}}
		}
		o.limits.estimatePairs = c.Below(4)
		o.Reference = reference
		first := o
		first.Engine, first.Threads = EngineScan, 1
		others := []Options{drawWay(c, o), drawWay(c, o)}
		contigs := truth.ChosenContigs(c)
		pairs := drawPairs(c, contigs, o.Distance.Edits, o.Metric == Substitutions)
		putFile(t, reference, asFASTA(c, "c", contigs))
		var mates [2][]string
		for i, s := range pairs {
			mates[i%2] = append(mates[i%2], s)
		}
		if interleaved {
			var b strings.Builder
			for i, s := range pairs {
				fmt.Fprintf(&b, "@p%d/%d\n%s\n+\n%s\n", i/2, i%2+1, s, strings.Repeat("F", len(s)))
			}
			putFile(t, files[0], b.String())
		} else {
			putFile(t, files[0], asFASTQ("p", mates[0]))
			putFile(t, files[1], asFASTQ("p", mates[1]))
		}
		want, stats := runPairs(t, first)
		if stats.Reads != int64(len(pairs)) {
			t.Fatalf("%d reads, not %d", stats.Reads, len(pairs))
		}
		for _, other := range others {
			if got, _ := runPairs(t, other); got != want {
				t.Fatalf("engine %s, %d threads, batches of %d, limits %+v: other bytes (-scan +this)\n%s",
					other.Engine, other.Threads, other.BatchReads, other.limits.find, cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")))
			}
		}
		checkMates(t, &o, want, pairs)
	})
}

// drawPairs chooses mates that alternate: two ends of a fragment, or any two reads.
func drawPairs(c *fuzzing.Choices, contigs []string, k int, substitutions bool) (mates []string) {
	for range 1 + c.Below(5) {
		two := truth.ChosenReads(c, contigs, k, substitutions)
		if len(two) == 1 {
			two = append(two, two[0])
		}
		if c.Below(4) > 0 {
			text := contigs[c.Below(len(contigs))]
			from := c.Below(len(text))
			fragment := text[from:min(from+1+c.Below(400), len(text))]
			m := 1 + c.Below(80)
			two = []string{
				c.Edited(fragment[:min(m, len(fragment))], c.Below(k+3), "ACGT", substitutions),
				c.Edited(truth.ReverseComplement(fragment)[:min(m, len(fragment))], c.Below(k+3), "ACGT", substitutions),
			}
		}
		for _, s := range two[:2] {
			if s == "" {
				s = "A"
			}
			mates = append(mates, s)
		}
	}
	return mates
}

// checkMates checks that the records have one primary or unmapped record of each mate, in order.
func checkMates(t *testing.T, o *Options, text string, mates []string) {
	t.Helper()
	primary := 0
	for line := range strings.Lines(text) {
		f := strings.Split(line, "\t")
		if strings.HasPrefix(line, "@") || len(f) < 11 {
			continue
		}
		flag := 0
		if _, err := fmt.Sscan(f[1], &flag); err != nil {
			t.Fatal(err)
		}
		if flag&0x100 != 0 {
			continue
		}
		if primary == len(mates) {
			break // discordant pairs come again
		}
		s := mates[primary]
		if o.Crop > 0 {
			s = s[:min(o.Crop, len(s))]
		}
		if name := fmt.Sprintf("p%d", primary/2); f[0] != name || flag>>6&3 != 1+primary%2 || truth.Strand(f[9], flag>>4&1) != s {
			t.Fatalf("record %q is not of mate %d of %s, %s", line, primary%2+1, name, s)
		}
		primary++
	}
	if primary != len(mates) {
		t.Fatalf("%d primary records of %d mates:\n%s", primary, len(mates), text)
	}
}

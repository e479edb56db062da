package mapper

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/mapper/find"
)

// heldLimits are limits under which reads are left unlisted, and records leave their block early.
// Output is the same with all.
var heldLimits = []limits{
	{find: find.Limits{Listed: 1, Stretch: 1, GPUFound: 1}},
	{find: find.Limits{Listed: 20, Handed: 3, GPUFound: 20}, block: 1},
	{find: find.Limits{Listed: 200, GPUFound: 100}, block: 3000, estimatePairs: 5},
}

// heldOptions are runs with single reads and pairs in repeats, of all report modes.
func heldOptions(t *testing.T) (all []Options) {
	t.Helper()
	reference, reads := writeRepeats(t, 40)
	contigs, pairs := pairedContigs(rand.New(rand.NewPCG(11, 12)), 40)
	pairReference, first, second := writePairs(t, contigs, pairs)
	for i, report := range []Report{
		{Mode: ReportAll}, {Mode: ReportOne}, {Mode: ReportBest}, {Mode: ReportStrata, Strata: 1}, {Mode: ReportUnique},
	} {
		o := Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Distance: Distance{Edits: 6}, Report: report, Threads: 2}
		all = append(all, o)
		o.MaxLocations, o.Distance = i%2*2, Distance{Edits: 3}
		o.Reference, o.Libraries = pairReference, []Library{{Reads: first, Mates: second}}
		o.limits.estimatePairs = 5
		all = append(all, o)
		o.Metric = Substitutions
		all = append(all, o)
	}
	return all
}

// compareHeld runs with limits, and compares bytes and statistics with a run on the CPU without.
func compareHeld(t *testing.T, o Options, all []limits, helds ...int) {
	t.Helper()
	onCPU := o
	onCPU.Device, onCPU.Engine = device.Choice{}, EngineAuto
	for _, held := range helds {
		onCPU.limits.held = held
		want, wantStats := runPairs(t, onCPU)
		for _, l := range all {
			l.held, l.estimatePairs = held, o.limits.estimatePairs
			limited := o
			limited.limits = l
			got, stats := runPairs(t, limited)
			if got != want {
				t.Fatalf("%+v, %d held, limits %+v: other bytes (-without +with)\n%s", o.Report, held, l, firstDifference(want, got))
			}
			if diff := differentStats(ofReads(wantStats), ofReads(stats)); diff != "" {
				t.Fatalf("%+v, %d held, limits %+v: other statistics (-without +with)\n%s", o.Report, held, l, diff)
			}
		}
	}
}

// TestUnlisted has unlisted reads, because they have more than can be listed, and searches for
// each.
func TestUnlisted(t *testing.T) {
	t.Parallel()
	for i, o := range heldOptions(t) {
		o.Engine = []Engine{EngineSkim, EngineScan, EngineScan, EngineSkim}[i%4]
		compareHeld(t, o, heldLimits, effort.Pick([]int{1, 7, 0}, []int{3})...)
	}
}

// TestUnlistedOnGPU has a GPU find more than is listed.
func TestUnlistedOnGPU(t *testing.T) {
	driver := testDriver(t)
	contigs, pairs := pairedContigs(rand.New(rand.NewPCG(11, 12)), 6)
	reference, first, second := writePairs(t, contigs, pairs)
	o := Options{
		Reference: reference, Libraries: []Library{{Reads: first, Mates: second}}, Distance: Distance{Edits: 2}, Threads: 2,
		Engine: EngineScan, Device: device.Choice{Kind: device.CUDA, Driver: driver},
	}
	compareHeld(t, o, heldLimits[:1], 3)
	o.Libraries, o.Engine, o.Report.Mode = []Library{{Reads: first}}, EngineSkim, ReportOne
	compareHeld(t, o, heldLimits[:2], 3)
	o.Metric, o.Report.Mode = Substitutions, ReportAll
	compareHeld(t, o, heldLimits[:2], 3)
}

// heldRecord is what a record tells of a location.
type heldRecord struct {
	distance, contig, strand, end int
	cigar                         string
}

// heldRecords returns the locations of each read in records, in the order in which they are held.
func heldRecords(t *testing.T, text string) map[string][]heldRecord {
	t.Helper()
	all := map[string][]heldRecord{}
	var contigs []string
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		switch {
		case f[0] == "@SQ":
			contigs = append(contigs, strings.TrimPrefix(f[1], "SN:"))
			continue
		case strings.HasPrefix(line, "@") || f[2] == "*":
			continue
		}
		numbers := map[string]int{"flags": 0, "pos": 0, "NM": 0}
		for name, s := range map[string]string{"flags": f[1], "pos": f[3], "NM": strings.TrimPrefix(f[11], "NM:i:")} {
			n, err := strconv.Atoi(s)
			if err != nil {
				t.Fatal(line, err)
			}
			numbers[name] = n
		}
		r := heldRecord{numbers["NM"], slices.Index(contigs, f[2]), numbers["flags"] >> 4 & 1, numbers["pos"] - 1, f[5]}
		for cigar := f[5]; cigar != ""; {
			i := strings.IndexAny(cigar, "MID")
			if n, _ := strconv.Atoi(cigar[:i]); cigar[i] != 'I' {
				r.end += n
			}
			cigar = cigar[i+1:]
		}
		all[f[0]] = append(all[f[0]], r)
	}
	for _, records := range all {
		slices.SortFunc(records, func(a, b heldRecord) int {
			return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.contig, b.contig), cmp.Compare(a.strand, b.strand), cmp.Compare(a.end, b.end))
		})
	}
	return all
}

// TestHeldAreTheFirst has the locations that are reported be the first ones, and all be counted.
func TestHeldAreTheFirst(t *testing.T) {
	reference, reads := writeRepeats(t, 60)
	o := Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Distance: Distance{Edits: 6}, Gaps: GapsUnit, Threads: 2}
	t.Run("edits", func(t *testing.T) { compareFirst(t, o, 1, 4, 50) })
	o.Metric = Substitutions
	t.Run("substitutions", func(t *testing.T) { compareFirst(t, o, 1, 4, 12) })
}

func compareFirst(t *testing.T, o Options, helds ...int) {
	t.Helper()
	text, stats := runText(t, o)
	all := heldRecords(t, text)
	for _, held := range helds {
		o.limits.held = held
		got, limited := runText(t, o)
		capped := 0
		for name, records := range all {
			if len(records) > held {
				capped++
			}
			want := records[:min(held, len(records))]
			if diff := gocmp.Diff(fmt.Sprint(want), fmt.Sprint(heldRecords(t, got)[name])); diff != "" {
				t.Errorf("read %s, %d held: (-the first of all +reported)\n%s", name, held, diff)
			}
		}
		if capped == 0 || limited.Capped != int64(capped) || limited.Mappings != stats.Mappings || limited.Unique != stats.Unique {
			t.Errorf("%d held: %d reads capped, want %d; %d locations, want %d; %d unique, want %d",
				held, limited.Capped, capped, limited.Mappings, stats.Mappings, limited.Unique, stats.Unique)
		}
	}
}

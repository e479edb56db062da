package mapper

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/internal/truth"
	"scanmap/locate"
)

func TestBucketOf(t *testing.T) {
	for n, want := range []int{0, 1, 2, 3, 3, 4, 4, 4, 4, 5} {
		if got := bucketOf(n); got != want {
			t.Errorf("%d locations: bucket %d, want %d", n, got, want)
		}
	}
}

// TestCounters compares all counts of reads without mates with the numbers of reads made.
func TestCounters(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	once, often := truth.Random(r, 60, "ACGT"), truth.Random(r, 60, "ACGT")
	spacer := func() string { return truth.Random(r, 70, "ACGT") }
	contigs := []string{spacer() + once + spacer(), spacer()}
	for range 5 {
		contigs[1] += often + spacer()
	}
	nowhere := truth.Random(r, 60, "ACGT")
	libraries := [][]string{
		{once, truth.SubstitutedAt(once, 30), often, nowhere, "", nowhere[:57] + "NNN", nowhere[:58] + "NN"},
		{truth.ReverseComplement(often), "NNN" + once[3:]},
	}
	o := Options{Distance: Distance{Edits: 2}, Threads: 2, MaxLocations: 4, Report: Report{Mode: ReportAll}}
	folder := t.TempDir()
	write := func(name, prefix string, texts []string) string {
		var b strings.Builder
		for i, s := range texts {
			fmt.Fprintf(&b, ">%s%d\n%s\n", prefix, i, s)
		}
		if err := os.WriteFile(folder+"/"+name, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return folder + "/" + name
	}
	o.Reference = write("ref.fa", "c", contigs)
	want := Stats{Options: map[string]string{
		"max-distance": "2", "max-mismatches": "", "min-score": "", "gaps": "affine", "report": "all", "max-locations": "4",
		"over": "cut", "crop": "0", "seed": "0",
	}}
	for i, reads := range libraries {
		o.Libraries = append(o.Libraries, Library{Reads: write(fmt.Sprintf("reads%d.fa", i), "r", reads)})
		want.Libraries = append(want.Libraries, LibraryStats{ReadsFile: o.Libraries[i].Reads})
		for _, s := range reads {
			want.Bases += int64(len(s))
		}
	}
	add := func(l *LibraryStats, reads, mapped, unique, ambiguous, mappings, reported int64) {
		l.Reads, l.Mapped, l.Unique, l.Ambiguous, l.Mappings, l.Reported = reads, mapped, unique, ambiguous, mappings, reported
	}
	add(&want.Libraries[0], 7, 3, 2, 1, 1+1+5, 1+1+4)
	add(&want.Libraries[1], 2, 1, 0, 1, 5, 4)
	want.Reads, want.Mapped, want.Unmapped, want.Ambiguous = 9, 4, 5, 2
	want.MappedBases, want.Longest = 4*60, 60
	want.Unique, want.Multiple, want.Capped, want.Mappings, want.Reported = 2, 2, 2, 12, 10
	want.ByDistance, want.PerRead = []int64{3, 1}, []int64{5, 2, 0, 0, 2}
	want.ReferenceBases = int64(len(contigs[0]) + len(contigs[1]))
	text, got := runText(t, o)
	// The records tell what lies on each contig.
	for i, contig := range contigs {
		n := len(contig)
		want.PerContig = append(want.PerContig, ContigStats{
			Name: fmt.Sprintf("c%d", i), Length: n, BinLength: 1, PrimaryBases: make([]int64, n), AllBases: make([]int64, n),
		})
	}
	for line := range strings.Lines(text) {
		f := strings.Split(line, "\t")
		if line[0] == '@' || f[5] == "*" {
			continue
		}
		if f[5] != "60M" {
			t.Fatalf("%s: not as it was made", line)
		}
		pos, err := strconv.Atoi(f[3])
		if err != nil {
			t.Fatal(err)
		}
		flag, err := strconv.Atoi(f[1])
		if err != nil {
			t.Fatal(err)
		}
		c := &want.PerContig[f[2][1]-'0']
		c.Mappings++
		for at := pos - 1; at < pos-1+60; at++ {
			c.AllBases[at]++
		}
		if flag&0x100 == 0 {
			c.Primary++
			for at := pos - 1; at < pos-1+60; at++ {
				c.PrimaryBases[at]++
			}
		}
	}
	got.Stages, got.Engines, got.Elapsed, got.Device = nil, nil, 0, ""
	got.Candidates, got.Refused, got.Verified, got.Batches = 0, 0, 0, 0
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestPairCounters compares all counts of pairs with the numbers of pairs made. One mate has a
// better location than the primary one that its pair has chosen.
func TestPairCounters(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 36))
	reverse := truth.ReverseComplement
	a, b := truth.Random(r, 2000, "ACGT"), truth.Random(r, 2000, "ACGT")
	mate := truth.SubstitutedAt(a[900:960], 30)
	b += mate // a[900:960] has one edit, and this none
	edited := truth.SubstitutedAt(truth.SubstitutedAt(truth.SubstitutedAt(a[400:460], 10), 30), 50)
	nowhere := truth.Random(r, 60, "ACGT")
	pairs := [][2]string{
		{a[100:160], reverse(a[240:300])},                    // proper, 200
		{reverse(a[240:300]), a[100:160]},                    // the same
		{a[300:360], reverse(a[390:450])},                    // proper, 150
		{a[300:360], reverse(edited)},                        // proper, 160, the second rescued
		{reverse(edited), a[300:360]},                        // the first rescued
		{a[700:760], reverse(mate)},                          // proper, 260, the second with an edit
		{a[100:160], reverse(b[240:300])},                    // other contig
		{a[100:160], a[240:300]},                             // other orientation
		{a[100:160], reverse(a[110:170])},                    // too near, 70
		{a[100:160], reverse(a[1240:1300])},                  // too far
		{a[1600:1660], nowhere}, {nowhere, reverse(nowhere)}, // anchored, unmapped
	}
	var reads []string
	for _, p := range pairs {
		reads = append(reads, p[0], p[1])
	}
	o := Options{Distance: Distance{Edits: 2}, Engine: EngineScan, Pairs: PairOptions{MinInsert: 100, MaxInsert: 400, Rescue: Distance{Edits: 4}}}
	w := chosen(t, truth.Reference(t, a, b), pairedLibrary(nil, &o), reads, &o)
	want := PairStats{
		Pairs: 12, Proper: 6, Discordant: 4, OtherContig: 1, OtherOrientation: 1, TooNear: 1, TooFar: 1,
		OneEndAnchored: 1, Unmapped: 1, Rescued: 2,
	}
	want.Insert.Counts = make([]int64, 261)
	for _, insert := range []int{200, 200, 150, 160, 160, 260} {
		want.Insert.Counts[insert]++
	}
	if diff := cmp.Diff(&want, w.tally.stats.Libraries[0].Pairs); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	c := &w.choices[11]
	primary := w.group.locations[c.from]
	if primary.Place != locate.At(0, locate.Reverse) || primary.Distance != 1 || c.best != 0 || c.second != 0 || c.found != 2 {
		t.Errorf("the mate that has a better location elsewhere: %+v, %+v", c, primary)
	}
}

// TestSharedContigCounts has enough workers that several share their counts, which are then added
// up once.
func TestSharedContigCounts(t *testing.T) {
	ref := truth.Reference(t, "ACGTACGT", "ACGT")
	most := sharedContigs / (len(ref.Contigs) + contigBins) // sets of counts
	for _, workers := range []int{1, 2, most, most + 1, 3*most + 1} {
		all := newContigCounts(ref, workers)
		s := Stats{PerContig: newContigStats(ref)}
		for i, c := range all {
			c.add([]placed{{0, 1, 5, i%2 == 0, false}, {1, 0, 2, true, false}})
		}
		s.gatherContigs(all)
		n, even := int64(workers), int64(workers+1)/2
		want := []ContigStats{
			{
				Name: "c0", Length: 8, BinLength: 1, Mappings: n, Primary: even,
				AllBases: []int64{0, n, n, n, n, 0, 0, 0}, PrimaryBases: []int64{0, even, even, even, even, 0, 0, 0},
			},
			{
				Name: "c1", Length: 4, BinLength: 1, Mappings: n, Primary: n,
				AllBases: []int64{n, n, 0, 0}, PrimaryBases: []int64{n, n, 0, 0},
			},
		}
		if diff := cmp.Diff(want, s.PerContig); diff != "" {
			t.Errorf("%d workers: (-want +got)\n%s", workers, diff)
		}
	}
}

// TestBins compares the bases in each bin with those counted one by one, where the last bin is
// shorter.
func TestBins(t *testing.T) {
	const length = 25
	for _, binLength := range []int{1, 7, 25} {
		bins := (length + binLength - 1) / binLength
		newCounts := func() ContigStats {
			return ContigStats{BinLength: binLength, PrimaryBases: make([]int64, bins), AllBases: make([]int64, bins)}
		}
		got, want := newCounts(), newCounts()
		for start := range length {
			for end := start; end <= length; end++ {
				primary := (start+end)%3 == 0
				got.count(&placed{start: int32(start), end: int32(end), primary: primary})
				want.Mappings++
				if primary {
					want.Primary++
				}
				for at := start; at < end; at++ {
					want.AllBases[at/binLength]++
					if primary {
						want.PrimaryBases[at/binLength]++
					}
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("bins of %d bases: (-want +got)\n%s", binLength, diff)
		}
	}
}

package mapper

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
	"scanmap/locate"
)

// TestLocalOnRealReads judges the local locations of reads of phiX174 by the plain program of
// package truth, which looks at every cell.
func TestLocalOnRealReads(t *testing.T) {
	effort.OnlyAll(t, "TestLocalSameBytes has drawn reads, and this takes the reads of a machine")
	t.Parallel()
	reference, err := os.ReadFile("../testdata/phix.fa")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(reference), "\n")
	text := strings.Join(lines[1:], "")
	const length = 60
	o := Options{
		Reference: "../testdata/phix.fa", Libraries: []Library{{Reads: "../testdata/phix_R1.fastq", Take: int64(effort.Pick(16, 3))}},
		Threads: 2, Crop: length, Local: &Local{Score: DefaultScore},
	}
	records, _ := runText(t, o)
	got := map[string][]string{}
	bases := map[string]string{}
	var names []string
	for line := range strings.Lines(records) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "@") {
			continue
		}
		var flags int
		if _, err := fmt.Sscan(f[1], &flags); err != nil {
			t.Fatal(err)
		}
		if flags&0x100 == 0 {
			names = append(names, f[0])
			bases[f[0]] = truth.Strand(f[9], flags>>4&1)
		}
		if flags&4 == 0 {
			got[f[0]] = append(got[f[0]], fmt.Sprintf("%d %s %s", flags>>4&1, f[3], f[5]))
		}
	}
	found := 0
	for _, name := range names {
		read := bases[name]
		var want []string
		for _, l := range truth.FindLocal([]string{text}, read, truth.LocalRules{
			Least: DefaultScore.For(len(read)), Cap: locate.DefaultCap, Longest: locate.LongestGap,
		}) {
			want = append(want, fmt.Sprintf("%d %d %s", l.Strand, l.Start+1, l.CIGAR))
		}
		slices.Sort(want)
		slices.Sort(got[name])
		if !slices.Equal(got[name], want) {
			t.Errorf("%s %s: got %v, want %v", name, read, got[name], want)
		}
		found += len(want)
	}
	if found == 0 {
		t.Error("nothing is found: the test shows nothing")
	}
}

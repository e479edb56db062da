package mapper

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// writeLocal writes a reference of two contigs and pairs from it, 2 x m bases, with gaps of up to
// 60 bases, clips, and short remains of mates.
func writeLocal(t *testing.T, pairs, m int) (reference string, mates [2]string) {
	r := rand.New(rand.NewPCG(26, uint64(m)))
	element := truth.Random(r, 300, "ACGT")
	text := truth.Random(r, 1500, "ACGT") + element + truth.Random(r, 700, "ACGT") + truth.Edited(r, element, 20) + truth.Random(r, 900, "ACGT")
	other := truth.Random(r, 400, "ACGT") + strings.Repeat(truth.Random(r, 7, "ACGT"), 30) + element + truth.Random(r, 300, "ACGT")
	var files [2]strings.Builder
	for i := range pairs {
		source := text
		if i%3 == 0 {
			source = other
		}
		at := r.IntN(len(source) - 400)
		for x := range 2 {
			s := source[at+150*x : at+150*x+m+80]
			cut, gap := 20+r.IntN(m-40), r.IntN(60)
			switch r.IntN(5) {
			case 0:
				s = s[:cut] + s[cut+gap:]
			case 1:
				s = s[:cut] + truth.Random(r, gap, "ACGT") + s[cut:]
			case 2:
				s = truth.Random(r, r.IntN(m/5), "ACGT") + s
			case 3:
				s = s[:m-r.IntN(2*m/3)] + truth.Random(r, m, "ACGTN")
			default:
			}
			s = truth.Edited(r, s[:m], r.IntN(4))
			fmt.Fprintf(&files[x], "@p%d\n%s\n+\n%s\n", i, truth.Strand(s, x), strings.Repeat("F", len(s)))
		}
	}
	folder := t.TempDir()
	reference = folder + "/ref.fa"
	mates = [2]string{folder + "/1.fq", folder + "/2.fq"}
	for name, content := range map[string]string{
		reference: ">a\n" + text + "\n>b\n" + other + "\n", mates[0]: files[0].String(), mates[1]: files[1].String(),
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return reference, mates
}

// localLibraries are the mates as single reads, and as pairs.
func localLibraries(mates [2]string) [][]Library {
	return [][]Library{{{Reads: mates[0]}}, {{Reads: mates[0], Mates: mates[1]}}}
}

// TestLocalSameBytes has local locations with other numbers of threads and reads at a time.
func TestLocalSameBytes(t *testing.T) {
	t.Parallel()
	reference, mates := writeLocal(t, effort.Pick(100, 60), 90)
	for _, libraries := range localLibraries(mates) {
		for _, mode := range []ReportMode{ReportAll, ReportOne} {
			o := Options{Reference: reference, Libraries: libraries, Threads: 1, Local: &Local{Score: DefaultScore}, Report: Report{Mode: mode}}
			want, stats := runText(t, o)
			if stats.Mapped < stats.Reads/3 || strings.Count(want, "S\t") < 2 {
				t.Fatalf("%d of %d reads are mapped, %d are clipped: the test shows little", stats.Mapped, stats.Reads, strings.Count(want, "S\t"))
			}
			for _, batch := range []int{0, 2, 14} {
				o.Threads, o.BatchReads = 4, batch
				if got, _ := runText(t, o); got != want {
					t.Errorf("%d reads at a time: another output", batch)
				}
			}
		}
	}
}

// TestLocalShared has reads with many candidates, which threads share: each waits for others now
// and then, and helps meanwhile.
func TestLocalShared(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(27, 28))
	unit := truth.Random(r, 120, "ACGT")
	var text, reads strings.Builder
	for range 700 {
		text.WriteString(truth.Edited(r, unit, r.IntN(5)))
		text.WriteString(truth.Random(r, 200, "ACGT"))
	}
	for i := range effort.Pick(100, 30) {
		read := truth.Edited(r, unit[:100], r.IntN(3))
		fmt.Fprintf(&reads, "@r%d\n%s\n+\n%s\n", i, read, strings.Repeat("F", len(read)))
	}
	folder := t.TempDir()
	for name, content := range map[string]string{"/ref.fa": ">a\n" + text.String() + "\n", "/1.fq": reads.String()} {
		if err := os.WriteFile(folder+name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{Reference: folder + "/ref.fa", Libraries: []Library{{Reads: folder + "/1.fq"}}, Threads: 1, Local: &Local{Score: DefaultScore}}
	want, stats := runText(t, o)
	if stats.Mappings < 256*stats.Reads {
		t.Fatalf("%d locations of %d reads: nothing is shared", stats.Mappings, stats.Reads)
	}
	o.Threads = 4
	for range 2 {
		if got, _ := runText(t, o); got != want {
			t.Error("another output with four threads")
		}
	}
}

// TestLocalOnGPU has local locations from candidates of a GPU.
func TestLocalOnGPU(t *testing.T) {
	t.Parallel()
	driver := testDriver(t)
	reference, mates := writeLocal(t, effort.Pick(100, 30), 80)
	for _, libraries := range localLibraries(mates) {
		for _, mode := range []ReportMode{ReportAll, ReportBest} {
			o := Options{Reference: reference, Libraries: libraries, Threads: 2, Local: &Local{Score: DefaultScore}, Report: Report{Mode: mode}}
			want, _ := runText(t, o)
			for _, batch := range []int{0, 8} {
				o.BatchReads = batch
				onGPU(t, o, driver, want)
			}
		}
	}
}

// TestLocalShortFragments has reads that go on into the adapter, of fragments below the estimate's
// bounds. Their pairs are proper where ends may be clipped, and the bounds go down to twice the
// length of the reads.
func TestLocalShortFragments(t *testing.T) {
	t.Parallel()
	const m = 100
	for _, c := range []struct {
		mean   int
		local  *Local
		proper bool
	}{
		{160, &Local{Score: DefaultScore, Split: true}, true},
		{260, &Local{Score: DefaultScore, Split: true}, true},
		{400, &Local{Score: DefaultScore, Split: true}, false},
		{160, nil, false},
	} {
		r := rand.New(rand.NewPCG(26, 11))
		text := truth.Random(r, 20_000, "ACGT")
		var reads []string
		add := func(n int) {
			at := r.IntN(len(text) - n)
			s := text[at : at+n]
			for x := range 2 {
				reads = append(reads, (truth.Strand(s, x) + truth.Random(r, m, "ACGT"))[:m])
			}
		}
		for range 200 {
			add(max(m, c.mean+int(20*r.NormFloat64())))
		}
		add(60)
		reference, first, second := writePairs(t, []string{text}, reads)
		o := Options{Reference: reference, Libraries: []Library{{Reads: first, Mates: second}}, Local: c.local, Report: Report{Mode: ReportOne}}
		records, stats := runText(t, o)
		insert := &stats.Libraries[0].Pairs.Insert
		if c.local != nil && (insert.Low == 1) != c.proper || c.local == nil && insert.Low < 2 {
			t.Errorf("fragments of %d bases, local %v: bounds from %d on", c.mean, c.local != nil, insert.Low)
		}
		lines := strings.Split(strings.TrimSpace(records), "\n")
		flag, err := strconv.Atoi(strings.Split(lines[len(lines)-1], "\t")[1])
		if proper := flag&2 != 0; err != nil || proper != c.proper {
			t.Errorf("fragments of %d bases, local %v: the flag of a mate of 60 bases is %d", c.mean, c.local != nil, flag)
		}
	}
}

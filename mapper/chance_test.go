package mapper

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"scanmap/fasta"
	"scanmap/internal/effort"
	"scanmap/internal/truth"
	"scanmap/sam"
)

// TestByChance compares the expected numbers with counts in random text, of even shares of bases
// and of three quarters A and T.
func TestByChance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const even, rich = "ACGT", "AAATTTCG"
	for _, c := range []struct {
		metric      Metric
		length, k   int
		reads, text string // letters that they are drawn from
		bases       int
		count       int // of reads
	}{
		{Edits, 12, 2, even, even, 20_000, 200},
		{Edits, 16, 5, even, even, 20_000, 50},
		{Edits, 20, 5, even, even, 20_000, 300},
		{Edits, 20, 5, rich, rich, 20_000, 200},
		{Edits, 20, 6, even, even, 20_000, 200},
		{Edits, 20, 20, even, even, 20_000, 5},
		{Edits, 20, 30, even, even, 20_000, 5},
		{Edits, 30, 10, even, rich, 20_000, 100},
		{Edits, 36, 14, even, even, 20_000, 50},
		{Edits, 50, 20, even, even, 20_000, 50},
		{Edits, 101, 40, rich, rich, 10_000, 150},
		{Edits, 101, 45, even, even, 20_000, 20},
		{Edits, 100, 50, even, even, 20_000, 10},
		{Edits, 301, 150, even, even, 20_000, 5},
		{Substitutions, 12, 3, even, even, 20_000, 20},
		{Substitutions, 30, 18, even, even, 20_000, 20},
		{Substitutions, 30, 16, rich, rich, 20_000, 50},
		{Substitutions, 20, 20, even, even, 20_000, 2},
	} {
		counted := 0
		c.bases = effort.Pick(c.bases, c.bases/2)
		c.count = effort.Pick(c.count, max(c.count/2, min(c.count, 20)))
		for range c.count {
			counted += placesOf(truth.Random(r, c.bases, c.text), truth.Random(r, c.length, c.reads), c.metric, c.k)
		}
		chance := modelOf(t, c.reads, c.text, c.bases)
		got, want := chance.locations(c.metric, c.length, c.k, 1), float64(2*counted)/float64(c.count)
		if !(got > want/1.3 && got < want*1.3) {
			t.Errorf("%+v: %g places, counted %g", c, got, want)
		}
	}
	// Few places are bounded from above, and of long reads the share of edits counts.
	for _, c := range []struct {
		length, k   int
		least, most float64
	}{
		{150, 6, 0, 1e-50}, {20_000, 800, 0, 1e-50}, {20_000, 11_000, 200_000, 1e6}, {50, 7, 0, 1e-4}, {100, 15, 0, 1e-15}, {300, 45, 0, 1e-60},
	} {
		chance := randomText{[]shares{evenShares}, evenShares, 3_100_000_000}
		if n := chance.locations(Edits, c.length, c.k, 1); n < c.least || n > c.most {
			t.Errorf("%d bases with %d edits: %g", c.length, c.k, n)
		}
	}
}

// modelOf is the model of reads and of a text of these letters.
func modelOf(t *testing.T, reads, text string, bases int) randomText {
	t.Helper()
	ref := truth.Reference(t, text)
	return randomText{readShares([]fasta.Read{{Bases: []byte(reads)}}), textShares(&ref.Bases), int64(bases)}
}

// TestShares counts bases of reads and of both strands of a text, and leaves other letters out.
// TestShareByChance has what can be counted: 13 of 256 words of four letters have a substitution or
// none beside another. Edits are drawn from random texts.
func TestShareByChance(t *testing.T) {
	if got := ShareByChance(Substitutions, 4, 1); !(math.Abs(got-13.0/256) <= 1e-9) {
		t.Errorf("a substitution of four: %g", got)
	}
	for _, k := range []int{0, 5, 8, 10, 15, 21} {
		got := ShareByChance(Edits, 21, k)
		random := rand.New(rand.NewPCG(7, uint64(k)))
		read, column, next, since, found := make([]byte, 21), make([]int, 22), make([]int, 22), 0, 0
		const letters = 400_000
		for at := range letters {
			if at%2000 == 0 { // another read and text
				for i := range read {
					read[i] = "ACGT"[random.IntN(4)]
				}
				for i := range column {
					column[i] = i
				}
			}
			letter := "ACGT"[random.IntN(4)]
			next[0] = 0
			for i, r := range read {
				next[i+1] = column[i] + 1
				if r == letter {
					next[i+1] = column[i]
				}
				next[i+1] = min(next[i+1], next[i]+1, column[i+1]+1)
			}
			column, next = next, column
			if since++; column[21] <= k && since > k {
				found++
				since = 0
			}
		}
		want := float64(found) / letters * float64(k+1)
		if !(math.Abs(got-want) <= 0.1*want+1e-3) {
			t.Errorf("%d edits: %g, counted %g", k, got, want)
		}
	}
}

func TestShares(t *testing.T) {
	got := readShares([]fasta.Read{{Bases: []byte("AAAC")}, {Bases: []byte("GNRTTTTT")}, {}})
	if want := []shares{{0.75, 0.25, 0, 0}, {0, 0, 1.0 / 6, 5.0 / 6}, evenShares}; !slices.Equal(got, want) {
		t.Errorf("reads: %v, want %v", got, want)
	}
	if got := readShares(make([]fasta.Read, 1000)); len(got) != 32 {
		t.Errorf("%d reads of 1000", len(got))
	}
	ref := truth.Reference(t, "AAANNACC", "TTTTG"+strings.Repeat("G", 5))
	if got, want := textShares(&ref.Bases), (shares{0.25, 0.25, 0.25, 0.25}); got != want {
		t.Errorf("text: %v, want %v", got, want)
	}
}

// placesOf counts the places of a read, on one strand: with edits ends that are more than k apart.
func placesOf(text, read string, metric Metric, k int) (n int) {
	if metric == Substitutions {
		for start := range len(text) - len(read) + 1 {
			differ := 0
			for i := range read {
				if read[i] != text[start+i] {
					differ++
				}
			}
			if differ <= k {
				n++
			}
		}
		return n
	}
	last := -k - 1
	for _, found := range truth.Ends(text, read, k) {
		if int(found.End)-last > k {
			last = int(found.End)
			n++
		}
	}
	return n
}

// TestSensible refuses reads that are longer than all contigs, and numbers of edits with which
// reads lie everywhere, and nothing else.
func TestSensible(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	letters := truth.Random(r, 3000, "ACGT")
	short, long := letters[100:140], letters[:2000]
	for _, c := range []struct {
		name    string
		contig  string
		reads   []string
		options Options
		want    string // empty for a run that is not refused
	}{
		{"whole", letters, []string{short}, Options{Distance: Distance{Edits: 2}}, ""},
		{"swapped", short, []string{long}, Options{Distance: Distance{Edits: 2}}, "reads of 2000 bases (the median of the first ones) cannot lie on"},
		{"swapped, local", short, []string{letters}, Options{Local: &Local{Score: DefaultScore}}, "cannot lie on"},
		{"one is longer", short, []string{short, long, short}, Options{Distance: Distance{Edits: 2}}, ""},
		{"as long with edits", short, []string{letters[98:142]}, Options{Distance: Distance{Edits: 4}}, ""},
		{"longer with edits", short, []string{letters[98:143]}, Options{Distance: Distance{Edits: 4}}, "cannot lie on"},
		{"parts", short, []string{letters[98:160]}, Options{Local: &Local{Score: DefaultScore, Split: true}}, ""},
		{"everywhere", letters, []string{short}, Options{Distance: Distance{Edits: 40}}, "with 40 edits a read of 40 bases (the median of the first ones) lies at some 146 locations"},
		{"limited", letters, []string{short}, Options{Distance: Distance{Edits: 30}, MaxLocations: 2}, ""},
		{"few", letters, []string{short}, Options{Distance: Distance{Percent: 38, Percentage: true}}, ""},
		{"few, but half of all places", letters[:1000], []string{short}, Options{Distance: Distance{Percent: 50, Percentage: true}}, "at some 64 locations"},
		{"a third, of few bases", letters, []string{strings.Repeat("ACA", 13)}, Options{Distance: Distance{Edits: 15}}, ""},
		{"few, but all places", letters[:300], []string{short}, Options{Distance: Distance{Edits: 40}}, "at some 15 locations"},
		{"half", letters, []string{short}, Options{Distance: Distance{Percent: 50, Percentage: true}}, "with 20 edits"},
		{"best, half", letters, []string{short}, Options{Distance: Distance{Percent: 50, Percentage: true}, Report: Report{Mode: ReportOne}}, "with 20 edits"},
		{"substitutions", letters, []string{short}, Options{Distance: Distance{Edits: 30}, Metric: Substitutions}, "with 30 edits"},
		{"a third of substitutions", letters, []string{short}, Options{Distance: Distance{Edits: 13}, Metric: Substitutions}, ""},
		{"empty", letters, []string{""}, Options{Distance: Distance{Edits: 4}}, ""},
	} {
		for _, sensible := range []bool{true, false} {
			o := c.options
			o.Packed, o.Sensible, o.Threads, o.Reference = truth.Reference(t, c.contig), sensible, 2, "ref.fa"
			var reads []fasta.Read
			for _, s := range c.reads {
				reads = append(reads, fasta.Read{Name: "r", Bases: []byte(s)})
			}
			source, err := fasta.FromMemory(reads)
			if err != nil {
				t.Fatal(err)
			}
			o.Libraries = []Library{{Reads: "reads.fq", Source: source}}
			var out strings.Builder
			_, err = Run(context.Background(), o, sam.HeaderOptions{}, Outputs{Records: &out})
			switch {
			case err == nil && (c.want == "" || !sensible):
			case err == nil || !sensible || c.want == "" || !strings.HasPrefix(err.Error(), "reads.fq: ") || !strings.Contains(err.Error(), c.want):
				t.Errorf("%s, %v: %v, want %q", c.name, sensible, err, c.want)
			}
		}
	}
}

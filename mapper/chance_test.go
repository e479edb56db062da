package mapper

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"scanmap/fasta"
	"scanmap/internal/truth"
	"scanmap/sam"
)

// TestByChance compares the expected numbers with counts in random text.
func TestByChance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const bases, reads = 20_000, 20
	for _, c := range []struct {
		metric    Metric
		length, k int
	}{
		{Edits, 12, 2}, {Edits, 16, 5}, {Edits, 20, 6}, {Edits, 30, 10}, {Edits, 50, 20}, {Edits, 100, 50}, {Edits, 20, 20}, {Edits, 20, 30},
		{Substitutions, 12, 3}, {Substitutions, 30, 18}, {Substitutions, 20, 20},
	} {
		text := truth.Random(r, bases, "ACGT")
		counted := 0
		for range reads {
			counted += placesOf(text, truth.Random(r, c.length, "ACGT"), c.metric, c.k)
		}
		got, want := byChance(c.metric, c.length, c.k, bases, 1), float64(2*counted)/reads
		if !(got > want/1.6 && got < want*1.6) {
			t.Errorf("%+v: %g places, counted %g", c, got, want)
		}
	}
	// Few places are bounded from above, and of long reads the share of edits counts.
	if n := byChance(Edits, 150, 6, 3_100_000_000, 1); n > 1e-50 {
		t.Errorf("150 bases with 6 edits: %g", n)
	}
	if n := byChance(Edits, 20_000, 800, 4_000_000, 1); n > 1e-50 {
		t.Errorf("20,000 bases with 800 edits: %g", n)
	}
	if n := byChance(Edits, 20_000, 11_000, 4_000_000, 1); n < 100 {
		t.Errorf("20,000 bases with 11,000 edits: %g", n)
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
	column := make([]int, len(read)+1)
	for i := range column {
		column[i] = i
	}
	last := -k - 1
	for j := range text {
		before := column[0]
		for i := range read {
			differ := 1
			if read[i] == text[j] {
				differ = 0
			}
			before, column[i+1] = column[i+1], min(before+differ, column[i+1]+1, column[i]+1)
		}
		if column[len(read)] <= k && j-last > k {
			last = j
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
		{"everywhere", letters, []string{short}, Options{Distance: Distance{Edits: 40}}, "with 40 edits a read of 40 bases (the median of the first ones) lies at some 146 places"},
		{"limited", letters, []string{short}, Options{Distance: Distance{Edits: 30}, MaxLocations: 2}, ""},
		{"few", letters[:1000], []string{short}, Options{Distance: Distance{Percent: 50, Percentage: true}}, ""},
		{"few, but all places", letters[:300], []string{short}, Options{Distance: Distance{Edits: 40}}, "at some 15 places"},
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

package main

import (
	"bufio"
	"bytes"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"scanmap/dna"
)

// packed is a reference of given letters.
func packed(t interface{ Fatal(...any) }, contigs ...string) *dna.Reference {
	ref := &dna.Reference{}
	for i, letters := range contigs {
		if err := ref.AddContig("contig_"+strconv.Itoa(i+1), ""); err != nil {
			t.Fatal(err)
		}
		var bases dna.Sequence
		bases.Append([]byte(letters))
		ref.Append(&bases, nil)
	}
	ref.Finish()
	return ref
}

// applied changes the letters of a contig as a VCF file says.
func applied(t interface{ Fatalf(string, ...any) }, letters, contig, vcf string) string {
	var changed strings.Builder
	done := 0
	for line := range strings.Lines(vcf) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if fields[0] != contig {
			continue
		}
		position, err := strconv.Atoi(fields[1])
		if at := position - 1; err != nil || at < done || !strings.HasPrefix(letters[at:], fields[3]) {
			t.Fatalf("%q does not fit after position %d", line, done)
		}
		changed.WriteString(letters[done:position-1] + fields[4])
		done = position - 1 + len(fields[3])
	}
	return changed.String() + letters[done:]
}

// The variants of the VCF file make the sample of the reference, and each letter of the sample is
// from where it says.
func TestSampleIsWhatItsVariantsSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringOfN(rapid.SampledFrom([]rune("ACGTACGTACGTN")), 1, 200, -1)
		contigs := []string{letters.Draw(t, "first"), letters.Draw(t, "second")}
		ref := packed(t, contigs...)
		rates := variantRates{rapid.SampledFrom([]float64{0, 0.01, 0.3}).Draw(t, "substitutions"), rapid.SampledFrom([]float64{0, 0.01, 0.3}).Draw(t, "indels")}
		sample, err := makeSample(ref, rates, "", rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
		if err != nil || len(sample) != len(contigs) {
			t.Fatalf("%d contigs, %v", len(sample), err)
		}
		var vcf bytes.Buffer
		w := bufio.NewWriter(&vcf)
		if err := writeVCF(w, ref, sample); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		for i, c := range sample {
			letters, origin := all(&c)
			if got := applied(t, contigs[i], c.name, vcf.String()); got != letters {
				t.Fatalf("%s\nis changed to %s\nthe sample is %s\n%s", contigs[i], got, letters, vcf.String())
			}
			if !slices.IsSorted(origin) {
				t.Fatalf("%s is from %d", letters, origin)
			}
			from := rapid.IntRange(0, len(letters)).Draw(t, "from")
			to := rapid.IntRange(from, len(letters)).Draw(t, "to")
			if part, _ := c.cut(from, to-from); string(part) != letters[from:to] {
				t.Fatalf("%s from %d to %d is %s", letters, from, to, part)
			}
			different := 0
			for j, from := range origin {
				if letters[j] != contigs[i][from] {
					different++
				}
			}
			most := 0
			for _, v := range c.variants {
				most += len(v.inserted)
				if len(v.inserted) > mostInserted || v.deleted > mostInserted || !plain(v.inserted) || contigs[i][v.at-1] == 'N' {
					t.Fatalf("%+v", v)
				}
			}
			if different > most {
				t.Fatalf("%d letters of %s are not those of %s where they are from; its variants are %+v", different, letters, contigs[i], c.variants)
			}
		}
	})
}

// all returns the letters of a contig of the sample, and where each is from.
func all(c *sampleContig) (string, []int) {
	letters, _ := c.cut(0, c.length)
	var origin []int
	for i := range letters {
		_, from := c.cut(i, 1)
		origin = append(origin, from)
	}
	return string(letters), origin
}

// A variant of each kind, by hand.
func TestVary(t *testing.T) {
	reference := func(at int) byte { return "ACGTACGT"[at] }
	c := vary("c", reference, 8, []variant{{1, 1, []byte("T")}, {3, 0, []byte("GG")}, {5, 2, nil}})
	letters, origin := all(&c)
	if want := "ATGGGTAT"; letters != want {
		t.Errorf("%s, expected %s", letters, want)
	}
	if want := []int{0, 1, 2, 3, 3, 3, 4, 7}; !slices.Equal(origin, want) {
		t.Errorf("from %d, expected %d", origin, want)
	}
	var vcf bytes.Buffer
	w := bufio.NewWriter(&vcf)
	c.name = "contig_1"
	if err := writeVCF(w, packed(t, "ACGTACGT"), []sampleContig{c}); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	want := "contig_1\t2\t.\tC\tT\t.\t.\t.\ncontig_1\t3\t.\tG\tGGG\t.\t.\t.\ncontig_1\t5\t.\tACG\tA\t.\t.\t.\n"
	if !strings.HasSuffix(vcf.String(), "INFO\n"+want) {
		t.Errorf("%s\nexpected at the end\n%s", vcf.String(), want)
	}
}

func TestVariantsAreAsFrequentAsTold(t *testing.T) {
	letters := bytes.Repeat([]byte("ACGTTGCA"), 100000)
	substitutions, indels := 0, 0
	for _, v := range drawVariants(letters, variantRates{0.001, 0.0001}, rand.New(rand.NewPCG(1, 0))) {
		if len(v.inserted) == v.deleted {
			substitutions++
		} else {
			indels++
		}
	}
	// 800 and 80 are expected; five standard deviations around that.
	if substitutions < 660 || substitutions > 940 || indels < 36 || indels > 124 {
		t.Errorf("%d substitutions and %d indels", substitutions, indels)
	}
}

func TestUnknownContigIsRefused(t *testing.T) {
	if _, err := makeSample(packed(t, "ACGT"), variantRates{}, "contig_2", rand.New(rand.NewPCG(1, 0))); err == nil {
		t.Error("a contig that is not there was found")
	}
}

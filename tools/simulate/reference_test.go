package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scanmap/internal/genome"
	"scanmap/internal/truth"
)

// Benchmarks of other days have these references and reads: the same options have to give the same
// bytes.
func TestOldOptionsGiveOldBytes(t *testing.T) {
	folder := t.TempDir()
	file := func(name string) string { return filepath.Join(folder, name) }
	if err := makeReference(file("ref.fa"), 20000, 7); err != nil {
		t.Fatal(err)
	}
	if err := run(file("ref.fa"), 50, 100, 5, 7, file("reads.fq")); err != nil {
		t.Fatal(err)
	}
	p := pairFlags{mates: file("2.fq"), vcf: file("variants.vcf"), variants: variantRates{0.001, 0.0001}}
	p.sequencing = sequencing{length: 101, insertMean: 350, insertSD: 50, chimeras: 0.01, errorFirst: 0.003, errorLast: 0.015}
	if err := p.run(file("ref.fa"), 50, 7, file("1.fq")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"ref.fa":       "227aa27754000df0",
		"reads.fq":     "843dd266677f2b94",
		"1.fq":         "ff8323b57f790a6a",
		"2.fq":         "1fbb7e159bad692c",
		"variants.vcf": "232c876e060574ef",
	} {
		text, err := os.ReadFile(file(name))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(text))[:16]; got != want {
			t.Errorf("%s: %s, expected %s", name, got, want)
		}
	}
}

func TestReference(t *testing.T) {
	folder := t.TempDir()
	fasta, bed := filepath.Join(folder, "ref.fa"), filepath.Join(folder, "ref.bed")
	if err := reference([]string{"-bases", "0.2M", "-contigs", "2", "-profile", "random", "-element", "300:10%:10-15%", "-shares", "gap=0.01", "-o", fasta, "-bed", bed}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(fasta)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), ">chr1\n") || bytes.Count(text, []byte(">")) != 2 || bytes.Count(text, []byte("N")) != 2000 {
		t.Errorf("%.100s", text)
	}
	lines, err := os.ReadFile(bed)
	if err != nil || bytes.Count(lines, []byte("\telement\t")) < 30 {
		t.Errorf("%v, %.200s", err, lines)
	}
	for _, wrong := range [][]string{{"-bases", "none"}, {"-bases", "-3"}, {"-profile", "mouse"}, {"more"}, {"-bases", "1G", "-contigs", "0"}} {
		if err := reference(append(wrong, "-o", filepath.Join(folder, "none.fa"))); err == nil {
			t.Errorf("%q: not refused", wrong)
		}
	}
}

func TestParseElement(t *testing.T) {
	for _, c := range []struct {
		text string
		want genome.Element
	}{
		{"300:10%:10-15%", genome.Element{Length: 300, Share: 0.1, Least: 0.1, Most: 0.15}},
		{"320:0.1:0.12", genome.Element{Length: 320, Share: 0.1, Least: 0.12, Most: 0.12}},
		{"", genome.Element{}},
		{"300:0.1", genome.Element{}},
		{"0:0.1:0", genome.Element{}},
		{"300:x:0", genome.Element{}},
		{"300:0.1:0.1-", genome.Element{}},
	} {
		got, err := parseElement(c.text)
		if (err != nil) != (c.want.Length == 0) || err == nil && got != c.want {
			t.Errorf("%q: %+v, %v", c.text, got, err)
		}
	}
	for text, want := range map[string]int64{"12": 12, "3.1G": 3_100_000_000, "100k": 100_000, "0.5M": 500_000} {
		if got, err := parseSize(text); got != want || err != nil {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"Alu", "Alu=", "Alu=0.1,Alu=0.2", ""} {
		if _, err := parseShares(text); err == nil {
			t.Errorf("shares %q: not refused", text)
		}
	}
}

// Words are counted with their reverse complements, and not across N or contigs.
func TestCompose(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		k := 1 + r.IntN(6)
		var contigs []string
		for range 1 + r.IntN(3) {
			text := make([]byte, 1+r.IntN(300))
			for i := range text {
				text[i] = "ACGTACGTACGTACGTACGTACGTN"[r.IntN(25)]
			}
			contigs = append(contigs, string(text))
		}
		count, positions := map[string]int{}, 0
		each := func(do func(word string)) {
			for _, c := range contigs {
				for i := 0; i+k <= len(c); i++ {
					if word := c[i : i+k]; !strings.Contains(word, "N") {
						do(min(word, truth.ReverseComplement(word)))
					}
				}
			}
		}
		each(func(word string) { count[word]++; positions++ })
		var want [len(repeated)]int
		each(func(word string) {
			for i, n := range repeated {
				if count[word] >= n {
					want[i]++
				}
			}
		})
		got := compose(truth.Reference(t, contigs...), k, 2)
		if got.positions != positions || got.repeats != want {
			t.Errorf("k %d, %q: %+v, expected %d and %v", k, contigs, got, positions, want)
		}
		cg := 0
		for _, c := range contigs {
			cg += strings.Count(c, "CG")
		}
		if got.cpg != cg {
			t.Errorf("%d CpG, expected %d", got.cpg, cg)
		}
	}
}

package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"scanmap/fasta"
)

// made runs the command on a random reference, and returns its output and the letters of the
// reference's contigs.
func made(t *testing.T, name string, arguments ...string) (vcf string, contigs map[string]string) {
	t.Helper()
	folder := t.TempDir()
	ref, output := filepath.Join(folder, "ref.fa"), filepath.Join(folder, name)
	if err := makeReference(ref, 30000, 7); err != nil {
		t.Fatal(err)
	}
	if err := variants(append(arguments, "-ref", ref, "-o", output)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(ref)
	if err != nil {
		t.Fatal(err)
	}
	contigs = map[string]string{}
	for record := range strings.SplitSeq(strings.TrimPrefix(string(text), ">"), "\n>") {
		contig, letters, _ := strings.Cut(record, "\n")
		contigs[contig] = strings.ReplaceAll(letters, "\n", "")
	}
	b, err := fasta.ReadText(t.Context(), output, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), contigs
}

// TestVariants has records in order with the reference's letters, and counts that agree with the
// genotypes; shares and distances are about as asked for.
func TestVariants(t *testing.T) {
	const samples, every = 50, 20
	vcf, contigs := made(t, "v.vcf", "-samples", strconv.Itoa(samples), "-every", strconv.Itoa(every))
	records, rare, single := 0, 0, 0
	last := map[string]int{}
	for line := range strings.Lines(vcf) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if line[0] == '#' {
			continue
		}
		if len(f) != 9+samples || f[8] != "GT" {
			t.Fatalf("%d columns, with %s", len(f), f[8])
		}
		at, err := strconv.Atoi(f[1])
		if err != nil || at <= last[f[0]] || !strings.HasPrefix(contigs[f[0]][at-1:], f[3]) {
			t.Fatalf("%s after %d", line, last[f[0]])
		}
		last[f[0]] = at
		records++
		alts := strings.Split(f[4], ",")
		counts := make([]int, len(alts)+1)
		for _, call := range f[9:] {
			for n := range strings.SplitSeq(call, "|") {
				i, err := strconv.Atoi(n)
				if err != nil || i > len(alts) {
					t.Fatalf("a call %s with %s", call, f[4])
				}
				counts[i]++
			}
		}
		want := "AC=" + strings.Trim(strings.ReplaceAll(fmt.Sprint(counts[1:]), " ", ","), "[]") + ";AN=" + strconv.Itoa(2*samples)
		if f[7] != want {
			t.Errorf("%s, want %s", f[7], want)
		}
		for i, alt := range alts {
			if alt == f[3] || max(len(alt), len(f[3])) > 1+2*mostIndel {
				t.Errorf("%s to %s", f[3], alt)
			}
			if counts[i+1] <= samples/10 {
				rare++
			}
		}
		if len(f[3]) == 1 && len(f[4]) == 1 {
			single++
		}
	}
	// 30,000 bases have 1,500 records, within five standard deviations.
	if records < 1300 || records > 1700 || single < records*3/4 || single > records*9/10 || rare < records/4 || rare > records*2/3 {
		t.Errorf("%d records, %d of SNVs, %d of rare alleles", records, single, rare)
	}
}

// TestCarriers has alleles on all copies of some founders, or on some copies of one.
func TestCarriers(t *testing.T) {
	const copies = 1000
	p := population{rand: rand.New(rand.NewPCG(1, 1))}
	sizes := map[int]int{}
	for i := range copies {
		p.founder = append(p.founder, i*i%founders)
		sizes[i*i%founders]++
	}
	one, several := 0, 0
	for range 1000 {
		of := map[int]int{}
		for _, c := range p.carriers(copies) {
			of[p.founder[c]]++
		}
		if len(of) == 1 {
			one++
			continue
		}
		several++
		for f, n := range of {
			if n != sizes[f] {
				t.Errorf("%d of the %d copies of a founder", n, sizes[f])
			}
		}
	}
	if one < 300 || several < 300 {
		t.Errorf("%d alleles are of one founder, %d of several", one, several)
	}
}

// TestVariantsCompressed has the same text as BGZF for any number of threads, of unphased samples
// and without any.
func TestVariantsCompressed(t *testing.T) {
	plain, _ := made(t, "v.vcf", "-samples", "3", "-unphased")
	packed, _ := made(t, "v.vcf.gz", "-samples", "3", "-unphased", "-threads", "3")
	if plain != packed || !strings.Contains(plain, "0/1") || strings.Contains(plain, "|") || strings.Contains(plain, "1/0") {
		t.Errorf("%.2000s", plain)
	}
	if none, _ := made(t, "v.vcf", "-samples", "0"); strings.Contains(none, "FORMAT") || strings.Count(none, "\n") < 500 {
		t.Errorf("%.2000s", none)
	}
	// Pages of docs/benchmarks have these bytes.
	if got := fmt.Sprintf("%x", sha256.Sum256(bytes.TrimSpace([]byte(plain))))[:16]; got != "9f8a5185145875fe" {
		t.Errorf("%s", got)
	}
	for _, wrong := range [][]string{{"-samples", "-1"}, {"-every", "0"}, {"-ref", "none.fa"}, {"more"}} {
		if err := variants(append(wrong, "-o", filepath.Join(t.TempDir(), "none.vcf"))); err == nil {
			t.Errorf("%q: not refused", wrong)
		}
	}
}

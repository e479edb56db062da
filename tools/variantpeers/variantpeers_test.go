package main

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scanmap/tools/origin"
	"scanmap/tools/sidebyside"
)

// TestLift compares haplotypes with the letters and reference positions that they should have.
func TestLift(t *testing.T) {
	const letters = "ACGTACGTAC"
	for _, c := range []struct {
		name, old, changed string // at position 4, 1-based
		want               string
		from               []int // of each letter, 0-based
	}{
		{"none", "T", "T", letters, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{"substitution", "T", "G", "ACGGACGTAC", []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{"two substitutions", "TA", "GG", "ACGGGCGTAC", []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{"insertion", "T", "TGG", "ACGTGGACGTAC", []int{0, 1, 2, 3, 4, 4, 4, 5, 6, 7, 8, 9}},
		{"deletion", "TAC", "T", "ACGTGTAC", []int{0, 1, 2, 3, 6, 7, 8, 9}},
		{"bases at both ends stay", "TAC", "TGGAC", "ACGTGGACGTAC", []int{0, 1, 2, 3, 4, 4, 4, 5, 6, 7, 8, 9}},
		{"substitution, then insertion", "TA", "GATT", "ACGGATTCGTAC", []int{0, 1, 2, 3, 4, 5, 5, 5, 6, 7, 8, 9}},
		{"deletion to the end", "TACGTAC", "T", "ACGT", []int{0, 1, 2, 3}},
		{"insertion at the end", "TACGTAC", "TACGTACGG", "ACGTACGTACGG", []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10}},
	} {
		d := &donor{region: span{"c", 0, len(letters)}, variants: []record{{contig: "c", position: 4, old: c.old, changed: []string{c.changed}, genotype: "0|1"}}}
		h := makeHaplotype(d, []byte(letters), 1)
		var from []int
		for at := range h.letters {
			from = append(from, h.lift(at))
		}
		if string(h.letters) != c.want || !slices.Equal(from, c.from) {
			t.Errorf("%s: %s from %v, expected %s from %v", c.name, h.letters, from, c.want, c.from)
		}
		if other := makeHaplotype(d, []byte(letters), 0); string(other.letters) != letters {
			t.Errorf("%s: the other haplotype is %s", c.name, other.letters)
		}
	}
}

func TestChoose(t *testing.T) {
	letters := []byte(strings.Repeat("ACGTACGTAC", 3))
	d := &donor{region: span{"c", 1, 30}}
	line := func(position int, old, changed, genotype string) record {
		return record{"c", position, old, strings.Split(changed, ","), genotype}
	}
	var kept []string
	err := d.choose([]record{
		line(6, "C", "T", "1|0"),
		line(1, "A", "C", "1/1"),     // outside
		line(3, "GTA", "G", "1/1"),   // kept
		line(5, "A", "C", "1/1"),     // overlaps
		line(7, "G", "<DEL>", "1/1"), // not known
		line(8, "T", "A", "0/0"),     // on none
		line(9, "A", "C,G", "1/2"),   // kept, on one each
		line(30, "C", "G", "./."),    // not known
	}, letters, rand.New(rand.NewPCG(1, 1)))
	for _, v := range d.variants {
		kept = append(kept, fmt.Sprint(v.position, " ", v.genotype))
	}
	ok := len(kept) == 3 && kept[0] == "3 1|1" && kept[1] == "6 1|0" && (kept[2] == "9 1|2" || kept[2] == "9 2|1")
	if err != nil || !ok {
		t.Errorf("kept %q, %v", kept, err)
	}
	if err := d.choose([]record{line(3, "T", "A", "1/1")}, letters, rand.New(rand.NewPCG(1, 1))); err == nil {
		t.Error("a base that the reference has not was accepted")
	}
}

// TestSimulate maps pairs without errors back by their names.
func TestSimulate(t *testing.T) {
	folder := t.TempDir()
	r := rand.New(rand.NewPCG(1, 2))
	letters := make([]byte, 20000)
	for i := range letters {
		letters[i] = "ACGT"[r.IntN(4)]
	}
	reference, vcf := filepath.Join(folder, "ref.fa"), filepath.Join(folder, "none.vcf")
	for name, text := range map[string]string{reference: ">c\n" + string(letters) + "\n", vcf: "##fileformat=VCFv4.2\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d, err := makeDonor(&donorOptions{reference: reference, vcf: vcf, region: "c:1001-19000", spacing: 1000, seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.variants) < 10 {
		t.Errorf("%d variants were planted, expected one in 1,000 bases", len(d.variants))
	}
	s := sequencing{length: 100, coverage: 20, adapters: 0.2}
	if err := s.complete(); err != nil {
		t.Fatal(err)
	}
	var files [2]bytes.Buffer
	one, two := bufio.NewWriter(&files[0]), bufio.NewWriter(&files[1])
	if err := newSequencer(s, d, 1).write(one, two); err != nil {
		t.Fatal(err)
	}
	if one.Flush() != nil || two.Flush() != nil {
		t.Fatal("not written")
	}
	reads, exact, adapted := 0, 0, 0
	for j := range files {
		lines := strings.Split(strings.TrimSpace(files[j].String()), "\n")
		for i := 0; i < len(lines); i += 4 {
			pair, err := origin.Parse(lines[i][1:])
			if err != nil || len(lines[i+1]) != 100 || len(lines[i+3]) != 100 {
				t.Fatalf("%q, %v", lines[i:i+4], err)
			}
			reads++
			if strings.Contains(lines[i+1], "AGATCGGAAGAGC") {
				adapted++
			}
			at := pair.Mates[j].Position - 1
			if pair.Mates[j].Strand == '+' && at+100 < len(letters) && string(letters[at:at+100]) == lines[i+1] {
				exact++
			}
		}
	}
	// Half of the reads are forward, most of them without an adapter and far from variants.
	if reads < 3500 || reads > 3700 || exact < reads/4 || adapted < reads/20 || adapted > reads/4 {
		t.Errorf("%d reads, %d exact, %d with an adapter", reads, exact, adapted)
	}
}

// TestErrors counts the errors of reads, and what their qualities promise.
func TestErrors(t *testing.T) {
	s := sequencer{sequencing: sequencing{length: 100, errors: 0.01}, rand: rand.New(rand.NewPCG(1, 2))}
	from := strings.Repeat("A", 200)
	wrong, n := 0, 0
	for range 3000 {
		letters, _ := s.read(from)
		wrong += len(letters) - bytes.Count(letters, []byte("A"))
		n += len(letters)
	}
	// Of 40 errors 38 are substitutions, and one an insertion, of another letter in 3 of 4.
	if share := float64(wrong) / float64(n); share < 0.0088 || share > 0.0106 {
		t.Errorf("%g of the letters are wrong, expected some 0.0097", share)
	}
}

func TestCompare(t *testing.T) {
	v := func(position int, old, changed string) variant { return variant{"c", position, old, changed} }
	eight, ten := "ACGTACGTC", "ACGTACGTCAG"
	for _, c := range []struct {
		name         string
		truth, calls []variant
		class        int
		want         score
	}{
		{"same", []variant{v(10, "A", "C")}, []variant{v(10, "A", "C")}, 0, score{1, 1, 0}},
		{"other base", []variant{v(10, "A", "C")}, []variant{v(10, "A", "G")}, 0, score{1, 0, 1}},
		{"other place", []variant{v(10, "A", "AC")}, []variant{v(11, "A", "AC")}, 1, score{1, 0, 1}},
		{"long and near", []variant{v(10, "A", eight)}, []variant{v(20, "A", eight)}, 3, score{1, 1, 0}},
		{"long and far", []variant{v(10, "A", eight)}, []variant{v(21, "A", eight)}, 3, score{1, 0, 1}},
		{"other length", []variant{v(10, "A", eight)}, []variant{v(10, "A", ten)}, 3, score{1, 0, 1}},
		{"other kind", []variant{v(10, "A", eight)}, []variant{v(10, eight, "A")}, 3, score{1, 0, 1}},
		{"one call for two", []variant{v(10, "A", eight), v(15, "A", eight)}, []variant{v(12, "A", eight)}, 3, score{2, 1, 0}},
		{"the exact one first", []variant{v(10, "A", eight), v(15, "A", eight)}, []variant{v(15, "A", eight), v(18, "A", eight)}, 3, score{2, 2, 0}},
		{"truth that is not counted", []variant{v(200, "A", "C")}, []variant{v(200, "A", "C")}, 0, score{0, 0, 0}},
		{"call that is not judged", nil, []variant{v(60, "A", "C")}, 0, score{0, 0, 0}},
		{"short", []variant{v(10, "AGGG", "A")}, nil, 1, score{1, 0, 0}},
		{"middle", []variant{v(10, "AGGGG", "A")}, nil, 2, score{1, 0, 0}},
		{"another way", []variant{v(2, "C", "CGC")}, []variant{v(3, "G", "GCG")}, 1, score{1, 1, 0}},
		{"two for one", []variant{v(3, "G", "T"), v(4, "T", "TG")}, []variant{v(3, "G", "TT"), v(4, "T", "G")}, 1, score{1, 1, 0}},
		{"not all of it", []variant{v(3, "G", "T"), v(4, "T", "TG")}, []variant{v(3, "G", "TT")}, 1, score{1, 0, 1}},
		{"longest", []variant{v(10, "A", "A"+strings.Repeat("C", 61))}, nil, 5, score{1, 0, 0}},
	} {
		letters := func(_ string, from, to int) string { return strings.Repeat("ACGT", 100)[from:to] }
		scores, missed, made := compare(c.truth, c.calls, []span{{"c", 0, 100}}, []span{{"c", 0, 50}}, letters)
		if got := scores[c.class]; got != c.want {
			t.Errorf("%s: %+v, expected %+v; missed %v, made up %v", c.name, got, c.want, missed, made)
		}
	}
}

// TestNormalized compares what callers write in different ways.
func TestNormalized(t *testing.T) {
	if err := sidebyside.Missing("bcftools"); err != nil {
		t.Skip("SKIPPED:", err)
	}
	folder := t.TempDir()
	reference, vcf := filepath.Join(folder, "ref.fa"), filepath.Join(folder, "calls.vcf")
	records := []string{
		"c\t7\t.\tGG\tG\t50\tPASS\t.\tGT\t0/1",    // a deletion that is not left-aligned
		"c\t12\t.\tAC\tTG\t50\tPASS\t.\tGT\t1/1",  // two substitutions
		"c\t15\t.\tT\tA,TC\t50\t.\t.\tGT\t0/2",    // the first is on no haplotype
		"c\t17\t.\tC\tA\t19\tPASS\t.\tGT\t1/1",    // not sure
		"c\t18\t.\tA\tC\t50\tLowQual\t.\tGT\t1/1", // did not pass
	}
	header := "##fileformat=VCFv4.2\n##FILTER=<ID=LowQual,Description=\"\">\n##contig=<ID=c,length=20>\n" +
		"##FORMAT=<ID=GT,Number=1,Type=String,Description=\"\">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tx\n"
	for name, text := range map[string]string{reference: ">c\nACTAGGGGATCACTTACATA\n", vcf: header + strings.Join(records, "\n") + "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := normalized(reference, vcf)
	want := []variant{{"c", 4, "AG", "A"}, {"c", 12, "A", "T"}, {"c", 13, "C", "G"}, {"c", 15, "T", "TC"}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v; expected %v", got, err, want)
	}
}

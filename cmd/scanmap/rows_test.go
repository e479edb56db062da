package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"scanmap/internal/truth"
)

// rowsGenome is what the calls of TestRows read: a contig that is long, and many that are short.
type rowsGenome struct {
	folder, long string
	reads        int // at every tenth base of the long contig
}

const rowsLength, rowsContigs = 120_000, 7500

func newRowsGenome(t *testing.T) *rowsGenome {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	letters := make([]byte, rowsLength)
	for i := range letters {
		letters[i] = "ACGT"[r.IntN(4)]
	}
	g := &rowsGenome{folder: t.TempDir(), long: string(letters)}
	var reads, mates, nowhere, many, regions, genomes strings.Builder
	for at := 0; at+40 <= rowsLength; at += 10 {
		fmt.Fprintf(&reads, "@r%d\n%s\n+\n%s\n", g.reads, g.long[at:at+40], strings.Repeat("I", 40))
		// As far away as no proper mate is.
		far := (at + rowsLength/2) % (rowsLength - 50)
		fmt.Fprintf(&mates, "@r%d\n%s\n+\n%s\n", g.reads, g.long[far:far+40], strings.Repeat("I", 40))
		fmt.Fprintf(&nowhere, "@r%d\n%s\n+\n%s\n", g.reads, strings.Repeat("ACGTG", 4), strings.Repeat("I", 20))
		fmt.Fprintf(&regions, "long\t%d\t%d\tregion %d\n", at, at+40, g.reads)
		g.reads++
	}
	for i := range rowsContigs {
		fmt.Fprintf(&many, ">contig.%d\n%s\n", i, g.long[10*i:10*i+20])
		fmt.Fprintf(&genomes, "the genome %d\tcontig.%d\n", i, i)
	}
	// The reference twice, cut into regions of ten bases, and the pairs of regions that share reads.
	var twice, shared strings.Builder
	for _, contig := range []string{"one", "two"} {
		for i := range g.reads {
			fmt.Fprintf(&twice, "%s\t%d\t%d\n", contig, 10*i, 10*i+10)
		}
	}
	for i := range g.reads {
		fmt.Fprintf(&shared, "one\t%d\t%d\ttwo\t%d\t%d\t.\t1\t.\t.\t1\t1\n", 10*i, 10*i+10, 10*i, 10*i+10)
	}
	for name, text := range map[string]string{
		"twice.fa": ">one\n" + g.long + "\n>two\n" + g.long + "\n", "twice.bed": twice.String(), "shared.bedpe": sharedLeft + "0\n" + shared.String(),
		"twice.bedgraph": fmt.Sprintf("one\t0\t%d\t0.05\ntwo\t0\t%d\t0.05\n", rowsLength, rowsLength),
		"ref.fa":         ">long\n" + g.long + "\n", "many.fa": many.String(), "reads.fq": reads.String(), "mates.fq": mates.String(),
		"nowhere.fq": nowhere.String(), "regions.bed": regions.String(), "genomes": genomes.String(), "depth.bedgraph": fmt.Sprintf("long\t0\t%d\t2\n", rowsLength),
		"primers": "p ACG TTG\n", "part.bed": "long\t100\t20100\n",
		"v.vcf": "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n" + fmt.Sprintf("long\t60001\t.\t%s\tN\t.\t.\t.\n", g.long[60_000:60_001]),
	} {
		copiesFile(t, g.folder, name, text)
	}
	return g
}

// count is how often letters lie on either strand.
func (g *rowsGenome) count(letters string) int {
	return strings.Count(g.long, letters) + strings.Count(g.long, truth.ReverseComplement(letters))
}

// products is how many amplicons the primers ACG and TTG have, by a look at each pair of places.
func (g *rowsGenome) products(least, most int) (n int) {
	// ends are, of each place, how many primers begin there on the left strand, and on the right one.
	ends := make([][2]int, len(g.long)-2)
	for i := range ends {
		for _, primer := range []string{"ACG", "TTG"} {
			if here := g.long[i : i+3]; here == primer {
				ends[i][0]++
			} else if here == truth.ReverseComplement(primer) {
				ends[i][1]++
			}
		}
	}
	for i, end := range ends {
		for size := least; end[0] > 0 && size <= most && i+size <= len(g.long); size++ {
			n += end[0] * ends[i+size-3][1]
		}
	}
	return n
}

// frequencies are the frequencies of K-mers by position, on both strands.
func (g *rowsGenome) frequencies(k int) []int {
	times := map[string]int{}
	for i := range len(g.long) - k + 1 {
		times[g.long[i:i+k]]++
	}
	all := make([]int, len(g.long)-k+1)
	for i := range all {
		here := g.long[i : i+k]
		all[i] = times[here]
		if other := truth.ReverseComplement(here); other != here {
			all[i] += times[other]
		} else {
			all[i] *= 2 // a place on each strand
		}
	}
	return all
}

// runs is how many stretches of equal wanted values there are.
func runs(values []int, wanted func(int) bool) (n int) {
	for i, v := range values {
		if wanted(v) && (i == 0 || values[i-1] != v) {
			n++
		}
	}
	return n
}

// guidesIn is how many guides of 20 letters stand beside NGG in bases [from, to).
func (g *rowsGenome) guidesIn(from, to int) (n int) {
	for i := from; i+23 <= to; i++ {
		if g.long[i+21:i+23] == "GG" {
			n++
		}
		if g.long[i:i+2] == "CC" {
			n++
		}
	}
	return n
}

// withoutRows are options of outputs that TestRows leaves out, with the reason.
var withoutRows = map[string]string{
	"stats": "one object", "multiqc": "one object", "report-html": "one page", "json": "one object", "raw": "numbers without lines",
	"genome-definition": "an input", "pattern-counts": "one write", "split-to": "TestSameWhateverBatches of package sift",
	"wig": "TestWigProperty of package track, as lines may be equal",
}

// TestRows has every output of rows get more than three buffers of 64 KiB: each row is one line,
// and no two lines are equal.
func TestRows(t *testing.T) {
	g := newRowsGenome(t)
	any := func(int) bool { return true }
	kmers, windows := g.frequencies(9), rowsLength/5
	products := g.products(40, 300)
	guides := g.guidesIn(100, 20_100)
	calls := []struct {
		args string
		// lines of each named output, with header lines, and with all lines of FASTQ.
		lines map[string]int
	}{
		{"map -e 0 --no-pg -o F/x.sam --depth F/d.bedgraph --depth-of starts --regions 10 --region-depth F/r.bed I/ref.fa I/reads.fq", map[string]int{
			"x.sam": 2 + g.reads, "r.bed": 1 + rowsLength/10, "d.bedgraph": 2 * g.reads}},
		{"map -e 0 -o none --regions I/regions.bed --region-depth F/r.bed I/ref.fa I/reads.fq", map[string]int{"r.bed": 1 + g.reads}},
		{"map -e 0 -o none --regions 1000000 --region-depth F/r.bed I/ref.fa I/reads.fq", map[string]int{"r.bed": 2}},
		{"map -e 0 -o none --regions I/twice.bed --region-shared F/s.bedpe --weights equal I/twice.fa I/reads.fq", map[string]int{"s.bedpe": 2 + g.reads}},
		{"map -e 0 -o none --unmapped F/u.fq I/ref.fa I/nowhere.fq", map[string]int{"u.fq": 4 * g.reads}},
		{"map -e 0 -o none --discordant F/d.sam --no-pg --max-insert 500 I/ref.fa I/reads.fq I/mates.fq", map[string]int{"d.sam": 2 + 2*g.reads}},
		{"map -e 0 -o none --abundance F/a.tsv I/many.fa I/nowhere.fq", map[string]int{"a.tsv": 1 + rowsContigs}},
		{"map -e 0 -o none --genome-abundance F/g.tsv --genome-definition I/genomes I/many.fa I/nowhere.fq", map[string]int{"g.tsv": 1 + rowsContigs}},
		{"search -o F/x.tsv AC I/ref.fa", map[string]int{"x.tsv": 1 + g.count("AC")}},
		{"search -o F/x.bed AC I/ref.fa", map[string]int{"x.bed": g.count("AC")}},
		{"search -o F/x.sam --no-pg AC I/ref.fa", map[string]int{"x.sam": 2 + g.count("AC")}},
		{"search -o F/x.tsv --vcf I/v.vcf AC I/ref.fa", map[string]int{"x.tsv": 1 + g.count("AC")}},
		{"primers -o F/x.tsv -f I/primers --product 40-300 I/ref.fa", map[string]int{"x.tsv": 1 + products}},
		{"primers -o F/x.bed -f I/primers --product 40-300 --pair-counts F/c.tsv I/ref.fa", map[string]int{"x.bed": products, "c.tsv": 2}},
		{"filter -o F/x.fq --output-mates F/m.fq A I/reads.fq I/mates.fq", map[string]int{"x.fq": 4 * g.reads, "m.fq": 4 * g.reads}},
		{"mappability -K 9 --value frequency -o F/x.bedgraph --unique F/u.bed I/ref.fa", map[string]int{
			"x.bedgraph": runs(kmers, any), "u.bed": runs(kmers, func(n int) bool { return n == 1 })}},
		{"copies --window 5 --gc none -o F/x.bed --regions I/regions.bed --region-copies F/r.bed --vcf F/c.vcf I/ref.fa I/depth.bedgraph", map[string]int{
			"x.bed": 2 + windows, "r.bed": 2 + g.reads, "c.vcf": 18 + g.reads}},
		{"copies --window 5 --gc none -o F/x.bw --regions I/twice.bed --shared I/shared.bedpe --family-copies F/f.tsv I/twice.fa I/twice.bedgraph", map[string]int{
			"f.tsv": 2 + g.reads}},
		{"guides -k 0 --in I/part.bed -o F/x.tsv --locations F/p.tsv I/ref.fa", map[string]int{"x.tsv": 1 + guides, "p.tsv": 1 + guides}},
	}
	var typed []string
	for _, c := range calls {
		typed = append(typed, strings.Fields(c.args)...)
		t.Run(c.args, func(t *testing.T) {
			folder := t.TempDir()
			quietly(t, faultCall{args: c.args}.arguments(g.folder, folder)...)
			for name, want := range c.lines {
				text := readFile(t, filepath.Join(folder, name))
				lines := strings.SplitAfter(text, "\n")
				if last := len(lines) - 1; lines[last] != "" || last != want {
					t.Errorf("%s has %d lines, want %d, and ends with %q", name, last, want, lines[last])
				}
				if len(text) < 3<<16 && want > 2 {
					t.Errorf("%s has %d bytes, too few", name, len(text))
				}
				if filepath.Ext(name) == ".fq" {
					continue
				}
				slices.Sort(lines)
				if n := len(slices.Compact(lines)); n != want+1 {
					t.Errorf("%s has %d lines that differ, want %d", name, n-1, want)
				}
			}
		})
	}
	for _, command := range eachCommand() {
		for _, o := range command.options {
			name := "--" + o.name()
			if o.name() == "output" {
				name = "-o"
			}
			writes := slices.Contains([]string{categoryOutput, categoryCounts, categoryReports}, o.category) ||
				o.name() == "discordant"
			if writes && (o.placeholder == "FILE" || o.placeholder == "DIR") && withoutRows[o.name()] == "" &&
				!slices.Contains(typed, name) {
				t.Errorf("scanmap %s: no call writes many lines to --%s", command.name, o.name())
			}
		}
	}
}

// TestRawRows has a number for each base, past three blocks of each thread.
func TestRawRows(t *testing.T) {
	g := newRowsGenome(t)
	kmers := g.frequencies(9)
	for _, threads := range []int{1, 3} {
		file := filepath.Join(t.TempDir(), "x.freq8")
		quietly(t, "mappability", "-K", "9", "-t", strconv.Itoa(threads), "--raw", file, filepath.Join(g.folder, "ref.fa"))
		want := make([]byte, rowsLength)
		for i, n := range kmers {
			want[i] = byte(n)
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d threads: %d bytes, %v", threads, len(got), err)
		}
	}
}

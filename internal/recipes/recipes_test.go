package recipes

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"scanmap/internal/effort"
	"scanmap/internal/programs"
	"scanmap/internal/truth"
)

// bin is a folder with the built program.
var bin string

func TestMain(m *testing.M) {
	os.Exit(programs.WithScanmap("../../cmd/scanmap", func(folder string) int {
		bin = folder
		return m.Run()
	}))
}

// page returns a recipe. Tests take their options from it, so that users read the tested options.
func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../docs/recipes", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// shown fails where a recipe does not have some options.
func shown(t *testing.T, name, options string) string {
	t.Helper()
	if !strings.Contains(page(t, name), options) {
		t.Fatalf("%s does not have %q", name, options)
	}
	return options
}

// A bench is a folder in which programs run.
type bench struct {
	*testing.T
	folder string
}

func newBench(t *testing.T, reference []string, reads []string) *bench {
	t.Helper()
	b := &bench{t, t.TempDir()}
	var fa, fq strings.Builder
	for i, s := range reference {
		fmt.Fprintf(&fa, ">c%d\n%s\n", i, s)
	}
	for i, s := range reads {
		fmt.Fprintf(&fq, "@r%d\n%s\n+\n%s\n", i, s, strings.Repeat("I", len(s)))
	}
	b.write("ref.fa", fa.String())
	b.write("reads.fq", fq.String())
	return b
}

func (b *bench) write(name, text string) {
	b.Helper()
	if err := os.WriteFile(filepath.Join(b.folder, name), []byte(text), 0o666); err != nil {
		b.Fatal(err)
	}
}

// run runs a command with words between blanks, and returns what it prints on both outputs.
func (b *bench) run(command string) (out, messages string) {
	b.Helper()
	words := strings.Fields(command)
	program := words[0]
	if program == "scanmap" {
		program = filepath.Join(bin, program)
	}
	cmd := exec.Command(program, words[1:]...)
	cmd.Dir = b.folder
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		b.Fatalf("%s: %v\n%s", command, err, stderr.String())
	}
	return stdout.String(), stderr.String()
}

// scanmap maps the reads with options. The alignments have the fewest edits: other programs count
// edits, too.
func (b *bench) scanmap(options string) hits {
	b.Helper()
	out, _ := b.run("scanmap map --quiet --no-pg --threads 2 --gaps unit " + options + " ref.fa reads.fq")
	return parse(b.T, out)
}

// file parses SAM that a program wrote.
func (b *bench) file(name string) hits {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(b.folder, name))
	if err != nil {
		b.Fatal(err)
	}
	return parse(b.T, string(text))
}

// A hit is a record that has a place: bases start to end of a contig, both counted, from 1.
type hit struct {
	contig     string
	reverse    bool
	start, end int
	edits      int
	cigar, md  string
}

// hits are the records of each read that has a place.
type hits map[string][]hit

var operation = regexp.MustCompile(`(\d+)([MIDNSHP=X])`)

// parse reads SAM, and the other places of bwa that are in the tag XA.
func parse(t *testing.T, sam string) hits {
	t.Helper()
	found := hits{}
	for line := range strings.Lines(sam) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "@") || number(t, f[1])&4 != 0 {
			continue
		}
		h := hit{contig: f[2], reverse: number(t, f[1])&16 != 0, edits: -1}
		others := ""
		for _, tag := range f[11:] {
			switch {
			case strings.HasPrefix(tag, "NM:i:"):
				h.edits = number(t, tag[5:])
			case strings.HasPrefix(tag, "MD:Z:"):
				h.md = tag[5:]
			case strings.HasPrefix(tag, "XA:Z:"):
				others = tag[5:]
			}
		}
		h.place(t, f[3], f[5])
		found[f[0]] = append(found[f[0]], h)
		for other := range strings.SplitSeq(strings.TrimSuffix(others, ";"), ";") {
			if o := strings.Split(other, ","); len(o) == 4 {
				h := hit{contig: o[0], reverse: o[1][0] == '-', edits: number(t, o[3])}
				h.place(t, o[1][1:], o[2])
				found[f[0]] = append(found[f[0]], h)
			}
		}
	}
	return found
}

func (h *hit) place(t *testing.T, start, cigar string) {
	t.Helper()
	h.start, h.cigar = number(t, start), cigar
	h.end = h.start - 1
	for _, m := range operation.FindAllStringSubmatch(cigar, -1) {
		if strings.Contains("MDN=X", m[2]) {
			h.end += number(t, m[1])
		}
	}
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// best returns the fewest edits of a read's places.
func best(places []hit) int {
	least := places[0].edits
	for _, h := range places {
		least = min(least, h.edits)
	}
	return least
}

func (h hit) gaps() int { return strings.Count(h.cigar, "I") + strings.Count(h.cigar, "D") }

// set returns what f makes of each place, with the read before it.
func (all hits) set(f func(h hit) string) map[string]bool {
	found := map[string]bool{}
	for read, places := range all {
		for _, h := range places {
			found[read+" "+f(h)] = true
		}
	}
	return found
}

// drop leaves out places, and returns how many.
func (all hits) drop(f func(h hit) bool) (dropped int) {
	for read, places := range all {
		left := slices.DeleteFunc(slices.Clone(places), f)
		dropped += len(places) - len(left)
		all[read] = left
	}
	return dropped
}

func onAllele(h hit) string { return fmt.Sprint(h.contig, h.reverse, h.edits) }
func atPlace(h hit) string  { return fmt.Sprint(h.contig, h.reverse, h.start, h.edits) }

// equal fails where two sets differ, or have fewer than least elements.
func equal(t *testing.T, what string, got, want map[string]bool, least int) {
	t.Helper()
	only := func(a, b map[string]bool) (rest []string) {
		for _, s := range slices.Sorted(maps.Keys(a)) {
			if !b[s] {
				rest = append(rest, s)
			}
		}
		return rest[:min(len(rest), 5)]
	}
	if a, b := only(got, want), only(want, got); len(a)+len(b) > 0 {
		t.Errorf("%s: scanmap alone has %q, the other program alone %q", what, a, b)
	}
	if len(want) < least {
		t.Errorf("%s: %d places compared, fewer than %d", what, len(want), least)
	}
}

// dice makes sequences.
type dice struct{ *rand.Rand }

func newDice(seed uint64) dice { return dice{rand.New(rand.NewPCG(seed, 1))} }

func (d dice) bases(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "ACGT"[d.IntN(4)]
	}
	return string(b)
}

// edit makes n edits; a share are gaps of a base.
func (d dice) edit(s string, n int, gaps float64) string {
	b := []byte(s)
	for range n {
		i := d.IntN(len(b))
		switch {
		case d.Float64() >= gaps:
			b[i] = "ACGT"[d.IntN(4)]
		case d.IntN(2) == 0:
			b = slices.Insert(b, i, "ACGT"[d.IntN(4)])
		default:
			b = slices.Delete(b, i, i+1)
		}
	}
	return string(b)
}

var complement = strings.NewReplacer("A", "T", "C", "G", "G", "C", "T", "A")

// turn returns a sequence or its reverse complement.
func (d dice) turn(s string) string {
	if d.IntN(2) == 0 {
		return s
	}
	b := []byte(complement.Replace(s))
	slices.Reverse(b)
	return string(b)
}

// read is a read of n bases of s, at a random place, with edits.
func (d dice) read(s string, n, edits int, gaps float64) string {
	at := d.IntN(len(s) - n - edits)
	return d.turn(d.edit(s[at:at+n+edits], edits, gaps)[:n])
}

// panel are near-identical alleles, and their reads with up to 4 edits.
func panel() (alleles, reads []string) {
	d := newDice(13)
	root := d.bases(1000)
	for range 8 {
		family := d.edit(root, 3+d.IntN(8), 0.2)
		for range 5 {
			alleles = append(alleles, d.edit(family, 1+d.IntN(10), 0.2))
		}
	}
	lengths := []int{33, 34, 50, 66, 67, 99, 100, 100, 100, 100, 101, 150}
	for range 300 {
		reads = append(reads, d.read(alleles[d.IntN(len(alleles))], lengths[d.IntN(len(lengths))], d.IntN(5), 0.4))
	}
	return alleles, reads
}

// TestHLARazerS3 compares the alleles of each read with the alleles of the call in OptiType, also
// where the limit leaves reads out.
func TestHLARazerS3(t *testing.T) {
	t.Parallel()
	programs.Find(t, "razers3")
	const theirs, ours = "razers3 -i 97 -m 99999 --distance-range 0 -pa", "-e 3% --report best --max-locations 99999 --over drop --omit-unmapped"
	b := newBench(t, first(panel()), second(panel()))
	for _, limit := range []string{"99999", "20"} {
		call := strings.Replace(shown(t, "hla-typing.md", theirs), "99999", limit, 1)
		b.run(call + " -tc 2 -o theirs.sam ref.fa reads.fq")
		got := b.scanmap(strings.Replace(shown(t, "hla-typing.md", ours), "99999", limit, 1))
		equal(t, "limit "+limit, got.set(onAllele), b.file("theirs.sam").set(onAllele), 300)
	}
}

func first[A, B any](a A, _ B) A  { return a }
func second[A, B any](_ A, b B) B { return b }

// TestHLAYara compares with yara: reads whose best places have no gaps have the same alleles, and
// all that yara finds is found.
func TestHLAYara(t *testing.T) {
	t.Parallel()
	programs.Find(t, "yara_mapper")
	programs.Find(t, "yara_indexer")
	alleles, reads := panel()
	b := newBench(t, alleles, reads)
	b.run("yara_indexer -o index ref.fa")
	b.run("yara_mapper -e 3 --sensitivity full -sa record -t 2 -o theirs.sam index reads.fq")
	got, all, theirs := b.scanmap("-e 3% --report best"), b.scanmap("-e 3%").set(onAllele), b.file("theirs.sam")
	for place := range theirs.set(onAllele) {
		if !all[place] {
			t.Errorf("yara alone has %s", place)
		}
	}
	for read, places := range got {
		if slices.ContainsFunc(places, func(h hit) bool { return h.gaps() > 0 }) {
			delete(got, read)
			delete(theirs, read)
		}
	}
	equal(t, "reads without gaps", got.set(onAllele), theirs.set(onAllele), 300)
}

// repeats are contigs of copies of one repeat, one contig with Ns, and short reads from the
// contigs.
func repeats() (contigs, reads []string) {
	d := newDice(50)
	repeat := d.bases(120)
	for range 3 {
		var s strings.Builder
		for range 24 {
			s.WriteString(d.bases(20+d.IntN(150)) + d.turn(d.edit(repeat, []int{0, 0, 1, 3, 9}[d.IntN(5)], 0)))
		}
		contigs = append(contigs, s.String())
	}
	contigs = append(contigs, strings.Repeat("ACG", 40)+d.bases(50)+strings.Repeat("A", 40))
	whole := contigs[0]
	contigs[0] = whole[:2000] + "NNNNN" + whole[2005:3000] + "N" + whole[3001:]
	for i := range 500 {
		n := 18 + d.IntN(13)
		switch s := contigs[d.IntN(len(contigs))]; {
		case i%4 == 0:
			reads = append(reads, d.read(repeat, n, d.IntN(2), 0))
		case i%10 == 1: // over the edge of the Ns, and over the one
			at := []int{2001 - n, 2990}[d.IntN(2)]
			reads = append(reads, d.turn(whole[at:at+n]))
		case i%25 == 2:
			r := d.read(whole[2100:2900], n, 0, 0)
			reads = append(reads, r[:7]+"N"+r[8:])
		default:
			reads = append(reads, d.read(s, n, d.IntN(3), 0))
		}
	}
	return contigs, reads
}

// overN tells whether a place covers an N of the reference, by its tag MD.
func overN(h hit) bool { return strings.Contains(h.md, "N") }

// TestBowtie compares small RNA with bowtie 1: all places of the best stratum, for reads with at
// most 50; reads with more are left out.
func TestBowtie(t *testing.T) {
	effort.OnlyAll(t, "another program runs beside")
	t.Parallel()
	programs.Find(t, "bowtie")
	programs.Find(t, "bowtie-build")
	contigs, reads := repeats()
	b := newBench(t, contigs, reads)
	b.run("bowtie-build -q ref.fa index")
	theirs := func(options string) hits {
		b.run("bowtie -v 1 --best --strata --quiet -S -x index " + options + " reads.fq theirs.sam")
		return b.file("theirs.sam")
	}
	ours := shown(t, "small-rna.md", "--max-mismatches 1 --report best")
	shown(t, "small-rna.md", "--max-mismatches 1 --report best --max-locations 50 --over drop")
	all, want := b.scanmap(ours), theirs("-a")
	withN := maps.Clone(all)
	if all.drop(overN) == 0 {
		t.Error("no place lies over an N")
	}
	equal(t, "-a", all.set(atPlace), want.set(atPlace), 1000)

	dropped, kept := b.scanmap(ours+" --max-locations 50 --over drop"), theirs("-m 50 -a")
	dropped.drop(overN)
	maps.DeleteFunc(kept, func(read string, _ []hit) bool { return len(withN[read]) > 50 && len(want[read]) <= 50 })
	equal(t, "-m 50 -a", dropped.set(atPlace), kept.set(atPlace), 500)

	cut, many := b.scanmap(ours+" --max-locations 50"), 0
	cut.drop(overN)
	for read, places := range theirs("-k 50") {
		one, other := hits{read: cut[read]}.set(atPlace), hits{read: places}.set(atPlace)
		if len(withN[read]) <= 50 {
			equal(t, "-k 50", one, other, 1)
			continue
		}
		many++
		known := hits{read: want[read]}.set(atPlace)
		for _, set := range []map[string]bool{one, other} {
			maps.DeleteFunc(set, func(place string, _ bool) bool { return known[place] })
		}
		// One of ours may be over an N.
		if len(cut[read]) < 49 || len(places) != 50 || len(one)+len(other) > 0 {
			t.Errorf("%s: %d and %d places, of them %d and %d unknown", read, len(cut[read]), len(places), len(one), len(other))
		}
	}
	if many == 0 {
		t.Error("no read has more than 50 places")
	}
}

// TestCopyNumber compares all places with up to 2 substitutions with the places of bowtie. It has
// none over Ns; the recipe tells these by the tag MD.
func TestCopyNumber(t *testing.T) {
	t.Parallel()
	programs.Find(t, "bowtie")
	programs.Find(t, "bowtie-build")
	contigs, _ := repeats()
	var reads []string
	for i := 1500; i < 2500; i += 4 {
		reads = append(reads, contigs[0][i:i+36])
	}
	b := newBench(t, contigs, reads)
	b.run("bowtie-build -q ref.fa index")
	b.run("bowtie -v 2 -a --quiet -S -x index reads.fq theirs.sam")
	all := b.scanmap(shown(t, "copy-number.md", "--max-mismatches 2"))
	if all.drop(overN) == 0 {
		t.Error("no place lies over an N")
	}
	equal(t, "2 substitutions", all.set(atPlace), b.file("theirs.sam").set(atPlace), 1000)
}

// ancient are contigs with a repeat, and their reads with damaged ends, substitutions and gaps.
func ancient() (contigs, reads []string) {
	d := newDice(14)
	repeat := d.bases(300)
	for range 2 {
		s := ""
		for range 6 {
			s += d.bases(1500) + d.turn(d.edit(repeat, d.IntN(8), 0))
		}
		contigs = append(contigs, s)
	}
	for range 500 {
		n := 17 + d.IntN(104)
		r := []byte(d.read(contigs[d.IntN(2)], n, d.IntN(4+n/25), []float64{0, 0, 0.3, 0.6}[d.IntN(4)]))
		// Cytosine becomes uracil at one end, which at the other end is seen from the other strand.
		for i := range 3 {
			if r[i] == 'C' && d.IntN(4) == 0 {
				r[i] = 'T'
			}
			if j := n - 1 - i; r[j] == 'G' && d.IntN(4) == 0 {
				r[j] = 'A'
			}
		}
		reads = append(reads, string(r))
	}
	return contigs, reads
}

var boundary = regexp.MustCompile(`(\d+)bp reads: max_diff = (\d+)`)

// TestBwaTable compares the tables of edits by length with the tables that bwa prints.
func TestBwaTable(t *testing.T) {
	t.Parallel()
	programs.Find(t, "bwa")
	b := newBench(t, []string{newDice(1).bases(500)}, nil)
	b.run("bwa index ref.fa")
	for _, n := range []string{"0.01", "0.04"} {
		_, messages := b.run("bwa aln -n " + n + " -o 2 -l 1024 ref.fa reads.fq")
		var table []string
		for _, m := range boundary.FindAllStringSubmatch(messages, -1) {
			table = append(table, m[1]+":"+m[2])
		}
		if len(table) < 8 {
			t.Fatalf("bwa printed %s", messages)
		}
		shown(t, "ancient-dna.md", "-e "+strings.Join(table, ",")+" ")
	}
}

// nearEnd tells whether a gap of an alignment is within seven bases of an end.
func nearEnd(h hit) bool {
	ops := operation.FindAllStringSubmatch(h.cigar, -1)
	bases := func(m []string) int { n, _ := strconv.Atoi(m[1]); return n }
	return h.gaps() > 0 && (bases(ops[0]) <= 7 || bases(ops[len(ops)-1]) <= 7)
}

// TestBwaAln checks that every read of bwa aln is mapped, without more edits, beside each of its
// places, and that what bwa leaves out has three gaps or more, or one near an end.
func TestBwaAln(t *testing.T) {
	t.Parallel()
	programs.Find(t, "bwa")
	contigs, reads := ancient()
	b := newBench(t, contigs, reads)
	table := regexp.MustCompile(`-e (17:2,22:3\S*)`).FindStringSubmatch(page(t, "ancient-dna.md"))
	if table == nil {
		t.Fatal("no table of edits in ancient-dna.md")
	}
	b.run("bwa index ref.fa")
	b.run("bwa aln -n 0.01 -o 2 -l 1024 -f reads.sai ref.fa reads.fq")
	out, _ := b.run("bwa samse -n 100000 ref.fa reads.sai reads.fq")
	theirs, got := parse(t, out), b.scanmap("-e "+table[1])
	for read, places := range theirs {
		if len(got[read]) == 0 || best(got[read]) > best(places) {
			t.Errorf("%s: bwa has %+v, scanmap %+v", read, places, got[read])
			continue
		}
		for _, h := range places {
			const most = 7 // edits of these reads
			if !slices.ContainsFunc(got[read], func(o hit) bool {
				return o.contig == h.contig && o.reverse == h.reverse && (abs(o.start-h.start) <= most || abs(o.end-h.end) <= most)
			}) {
				t.Errorf("%s: scanmap has no place near %+v", read, h)
			}
		}
	}
	more := 0
	for read, places := range got {
		if len(theirs[read]) > 0 {
			continue
		}
		more++
		for _, h := range places {
			if h.edits == best(places) && h.gaps() < 3 && !nearEnd(h) {
				t.Errorf("%s: bwa has no place, scanmap %+v", read, h)
			}
		}
	}
	t.Logf("%d reads by bwa, %d more by scanmap", len(theirs), more)
	if len(theirs) < 300 || more == 0 {
		t.Errorf("%d reads by bwa, and %d more by scanmap: too few to compare", len(theirs), more)
	}
}

func abs(n int) int { return max(n, -n) }

// TestAbundance checks that weights of 1/n add up to the mapped reads.
func TestAbundance(t *testing.T) {
	t.Parallel()
	contigs, reads := repeats()
	b := newBench(t, contigs, reads)
	scripts := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(page(t, "abundance.md"), -1)
	if len(scripts) != 2 {
		t.Fatalf("%d commands in abundance.md", len(scripts))
	}
	for _, script := range scripts {
		cmd := exec.Command("bash", "-c", "set -euo pipefail\n"+script[1])
		cmd.Dir = b.folder
		cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	// In the recipe a genome is a contig, and has its numbers.
	ofGenomes := b.rows("genome-abundance.tsv", 11)
	for i, row := range b.rows("abundance.tsv", 9)[1:] {
		name, numbers, _ := strings.Cut(row, " ")
		if want := "genome_" + name + " 1 " + numbers + " "; !strings.HasPrefix(ofGenomes[i+1], want) {
			t.Errorf("the genome has %q, its contig %q", ofGenomes[i+1], row)
		}
	}
	unique, shares, lines := 0.0, 0.0, 0
	for name, sum := range map[string]*float64{"abundance.tsv": &shares, "unique.tsv": &unique} {
		lines = 0
		for _, row := range b.rows(name, 4)[1:] {
			var contig string
			var length, reads int
			var weighted float64
			if _, err := fmt.Sscan(row, &contig, &length, &reads, &weighted); err != nil {
				t.Fatal(name, row, err)
			}
			*sum += weighted
			lines++
		}
	}
	mapped, single := b.scanmap("-e 5% --report best"), 0
	for _, places := range mapped {
		if len(places) == 1 {
			single++
		}
	}
	if lines != len(contigs) || abs(int(unique+0.5)-single) > 0 || abs(int(shares+0.5)-len(mapped)) > 0 || single == 0 || single == len(mapped) {
		t.Errorf("%d contigs, %f unique reads and shares of %f, of %d contigs, %d unique reads and %d mapped ones", lines, unique, shares, len(contigs), single, len(mapped))
	}
}

// TestDemultiplexing sorts simulated reads by the options of the recipe: long ones of both strands
// with edits, and pairs.
func TestDemultiplexing(t *testing.T) {
	t.Parallel()
	const barcodes, letters, apart = 24, 24, 9
	r := rand.New(rand.NewPCG(7, 7))
	random := func(n int) string { return truth.Random(r, n, "ACGT") }
	var codes []string
	for len(codes) < barcodes {
		if s := random(letters); !slices.ContainsFunc(codes, func(c string) bool { return truth.Distance(c, s) < apart }) {
			codes = append(codes, s)
		}
	}
	b := newBench(t, []string{random(1000)}, nil)
	var fa, fq, first, second strings.Builder
	for i, c := range codes {
		fmt.Fprintf(&fa, ">b%d\n%s\n", i, c)
	}
	const reads = 2000
	for i := range reads {
		code, name := random(letters), "none"
		if i%10 > 0 {
			code, name = codes[i%barcodes], fmt.Sprint("b", i%barcodes)
		}
		s := random(r.IntN(30)) + code + random(300+r.IntN(300))
		var noisy []byte
		for j := range len(s) {
			switch x := r.IntN(100); {
			case x < 2:
				noisy = append(noisy, "ACGT"[r.IntN(4)])
			case x == 2:
			case x == 3:
				noisy = append(noisy, s[j], "ACGT"[r.IntN(4)])
			default:
				noisy = append(noisy, s[j])
			}
		}
		if r.IntN(2) == 0 {
			noisy = []byte(truth.ReverseComplement(string(noisy)))
		}
		fmt.Fprintf(&fq, "@%s r%d\n%s\n+\n%s\n", name, i, noisy, strings.Repeat("I", len(noisy)))
		inline := []byte(code + random(80))
		if i%3 == 0 && name != "none" {
			inline[r.IntN(letters)] = 'N'
		}
		fmt.Fprintf(&first, "@%s r%d\n%s\n+\n%s\n", name, i, inline, strings.Repeat("I", len(inline)))
		mate := random(60) + codes[(i+1)%barcodes]
		fmt.Fprintf(&second, "@%s r%d\n%s\n+\n%s\n", name, i, mate, strings.Repeat("I", len(mate)))
	}
	for name, text := range map[string]string{"barcodes.fa": fa.String(), "reads.fq": fq.String(), "R1.fq": first.String(), "R2.fq": second.String()} {
		b.write(name, text)
	}
	b.run("scanmap demultiplex --quiet " + shown(t, "demultiplexing.md", "-k 5 --margin 3 --within 60 -f barcodes.fa -o long --report-html long.html reads.fq"))
	right, wrong := b.sorted("long", 1)
	if right < reads*9/10*985/1000 || wrong > reads/100 {
		t.Errorf("%d of %d reads are right, %d wrong", right, reads*9/10, wrong)
	}
	b.run("scanmap demultiplex --quiet " + shown(t, "demultiplexing.md", "--max-mismatches 1 --within 0 --end 5 --mate 1") +
		" -f barcodes.fa -o inline R1.fq R2.fq")
	if right, wrong := b.sorted("inline", 2); right != reads*9/10 || wrong != 0 {
		t.Errorf("%d of %d pairs are right, %d wrong", right, reads*9/10, wrong)
	}
}

// sorted counts the records, each of a number of reads, in the file that their name says, and in
// the file of another barcode.
func (b *bench) sorted(folder string, width int) (right, wrong int) {
	b.Helper()
	files, err := filepath.Glob(filepath.Join(b.folder, folder, "b*.fq"))
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		for i := 0; i+1 < len(lines); i += 4 * width {
			if barcode, _, _ := strings.Cut(lines[i][1:], " "); barcode+".fq" == filepath.Base(name) {
				right++
			} else {
				wrong++
			}
		}
	}
	return right, wrong
}

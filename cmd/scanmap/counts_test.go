package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/internal/effort"
	"scanmap/internal/programs"
	"scanmap/track"
)

// TestCountsMessages has calls that ask for what cannot be.
func TestCountsMessages(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"far.bed": "c1\t0\t1000000\n", "other.bed": "none\t0\t10\n", "short.bed": "c1\t0\n", "both.bed": "c1\t8\t20\nc1\t0\t9\tx\n", "empty.bed": "c1\t5\t5\n", "swapped.tsv": "c1\tgenome\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(folder, "x.bw"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := names(t, folder)
	for _, c := range []struct {
		options string // F stands for the folder
		code    int
		want    string
	}{
		{"--depth F/x.wig", 2, "option --depth: F/x.wig: the name does not end with .bedgraph"},
		{"--depth -", 2, "option --depth: -: the name does not end with .bedgraph"},
		{"--depth= -o none", 2, "option --depth: the name is empty"},
		{"--depth F/d.bw --depth-of ends", 2, `option --depth-of: "ends" is not one of covered, starts`},
		{"--depth F/d.bw --weights some", 2, `option --weights: "some" is not one of all, best, equal, primary`},
		{"--depth-of starts", 2, "option --depth-of needs --depth, --regions, --abundance or --genome-abundance"},
		{"--weights all", 2, "option --weights needs --depth, --regions, --abundance or --genome-abundance"},
		{"--regions 100", 2, "options --regions and --region-depth need each other"},
		{"--region-shared F/s.bedpe", 2, "option --region-shared needs --regions FILE"},
		{"--region-shared F/s.bedpe --regions 100 --weights best", 2, "option --region-shared needs a BED file for --regions, not the size of windows"},
		{"--region-shared F/s.bedpe --regions F/short.bed", 2, "option --region-shared needs --weights equal or best, which share a read among its locations"},
		{"--region-shared F/s.bedpe --regions F/short.bed --weights primary", 2, "option --region-shared needs --weights equal or best, which share a read among its locations"},
		{"--region-shared F/s.bedpe --weights equal --regions F/both.bed", 1, "F/both.bed: regions that share reads must not overlap, but x (c1:1-9) and c1:9-20 do"},
		{"--region-depth F/r.bed", 2, "options --regions and --region-depth need each other"},
		{"--regions 0 --region-depth F/r.bed", 2, `option --regions: "0" is not a whole number from 1`},
		{"--regions -5 --region-depth F/r.bed", 2, `option --regions: "-5" is not a whole number from 1`},
		{"--regions 99999999999 --region-depth F/r.bed", 2, `is not a whole number from 1`},
		{"--abundance F/a.tsv --depth-of starts", 2, "option --abundance tells of covered bases, and not of --depth-of starts"},
		{"--genome-abundance F/g.tsv --genome-separator _ --depth-of starts", 2, "option --genome-abundance tells of covered bases"},
		{"--genome-abundance F/g.tsv", 2, "option --genome-abundance needs --genome-definition or --genome-separator"},
		{"--genome-separator _", 2, "option --genome-separator is for --genome-abundance, which is not given"},
		{"--genome-definition F/g.tsv", 2, "option --genome-definition is for --genome-abundance, which is not given"},
		{"--genome-abundance F/g.tsv --genome-separator=", 2, "option --genome-separator: the text is empty"},
		{"--genome-abundance F/g.tsv --genome-separator _ --genome-definition F/far.bed", 2, "options --genome-definition and --genome-separator exclude each other"},
		{"--genome-abundance F/far.bed --genome-definition F/far.bed", 2, "F/far.bed is an input and would be overwritten"},
		{"--genome-abundance F/g.tsv --genome-separator ~", 1, `option --genome-separator: the contig "c1" has no genome before "~" in its name`},
		{"--genome-abundance F/g.tsv --genome-definition F/none.tsv", 1, "F/none.tsv: no such file or directory"},
		{"--genome-abundance F/g.tsv --genome-definition F/swapped.tsv", 1, `F/swapped.tsv: line 1: the reference has no contig "genome"; a line is a genome, a tab and a contig`},
		{"--depth F/d.bw --abundance F/d.bw", 2, "options --depth and --abundance name the same file"},
		{"--depth F/d.bg.gz --abundance F/d.bg.gz.tbi", 2, "name the same file"},
		{"--depth F/d.bg.gz --stats F/d.bg.gz.csi", 2, "name the same file"},
		{"--regions F/far.bed --region-depth F/far.bed", 2, "F/far.bed is an input and would be overwritten"},
		{"--abundance - --stats -", 2, "standard output is taken by --abundance"},
		{"-o none --sort --abundance F/a.tsv", 2, "sort"},
		{"--depth F/x.bw", 1, "F/x.bw: bigWig goes to a regular file only, because its beginning is written last"},
		{"-o /dev/full --depth F/x.bw", 1, "F/x.bw: bigWig goes to a regular file only"},
		{"--depth F/no/d.bg", 1, "F/no/d.bg: no such file or directory"},
		{"--abundance /dev/full", 1, "abundance: /dev/full: no space left on device"},
		{"--regions F/none.bed --region-depth F/r.bed", 1, "F/none.bed: no such file or directory"},
		{"--regions F/far.bed --region-depth F/r.bed", 1, "F/far.bed: line 1: ends at 1000000, but c1 has"},
		{"--regions F/other.bed --region-depth F/r.bed", 1, `F/other.bed: line 1: the reference has no contig "none"; its first is "c1"`},
		{"--regions F/short.bed --region-depth F/r.bed", 1, "F/short.bed: line 1: has 2 columns"},
		{"--regions F/empty.bed --region-depth F/r.bed", 1, "F/empty.bed: line 1: from 5 to 5 there are no bases"},
	} {
		t.Run(c.options, func(t *testing.T) {
			in := func(text string) string { return strings.ReplaceAll(text, "F/", folder+"/") }
			if strings.Contains(c.options, "x.bw") { // a FIFO waits for a reader
				reader, err := os.OpenFile(filepath.Join(folder, "x.bw"), os.O_RDONLY|syscall.O_NONBLOCK, 0)
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = reader.Close() }()
			}
			args := append([]string{"map", "--quiet"}, strings.Fields(in(c.options))...)
			if !strings.Contains(c.options, "-o ") {
				args = append(args, "-o", in("F/x.sam"))
			}
			code, stdout, stderr := call(append(args, refFile, readsFile)...)
			if code != c.code || stdout != "" || !strings.Contains(stderr, in(c.want)) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit code %d, standard output %.100q, standard error %q, want %d and %q", code, stdout, stderr, c.code, in(c.want))
			}
			if left := names(t, folder); left != before {
				t.Errorf("the folder holds %s", left)
			}
		})
	}
}

// A samLocation is what a record says of a location.
type samLocation struct {
	contig   string
	primary  bool
	distance int
	start    int    // 0-based
	covered  []bool // each base from there on
}

// samLocations reads the locations of each read of a SAM, in the order of records, and contigs with
// their lengths.
func samLocations(t *testing.T, text string) (contigs []track.Contig, reads [][]samLocation) {
	t.Helper()
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	index := map[string]int{}
	for line := range strings.Lines(text) {
		columns := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if columns[0] == "@SQ" {
			contigs = append(contigs, track.Contig{Name: strings.TrimPrefix(columns[1], "SN:"), Length: number(strings.TrimPrefix(columns[2], "LN:"))})
		}
		if line[0] == '@' || number(columns[1])&4 != 0 {
			continue
		}
		flag := number(columns[1])
		l := samLocation{contig: columns[2], primary: flag&0x100 == 0, start: number(columns[3]) - 1}
		n := 0
		for _, c := range columns[5] {
			switch {
			case c >= '0' && c <= '9':
				n = 10*n + int(c-'0')
				continue
			case c == 'M' || c == '=' || c == 'X':
				l.covered = append(l.covered, slices.Repeat([]bool{true}, n)...)
			case c == 'D':
				l.covered = append(l.covered, make([]bool, n)...)
			}
			n = 0
		}
		for _, tag := range columns[11:] {
			if distance, ok := strings.CutPrefix(tag, "NM:i:"); ok {
				l.distance = number(distance)
			}
		}
		read := columns[0] + fmt.Sprint(flag&0xc0)
		i, ok := index[read]
		if !ok {
			i = len(reads)
			index[read] = i
			reads = append(reads, nil)
		}
		reads[i] = append(reads[i], l)
	}
	return contigs, reads
}

// plainWeights are the weights of a read's locations in units, and how many units a read has.
func plainWeights(weights string, read []samLocation) (of []int, unit int) {
	of, unit = make([]int, len(read)), 65536
	least := math.MaxInt
	for _, l := range read {
		least = min(least, l.distance)
	}
	var shared []int
	for i, l := range read {
		switch {
		case weights == "all":
			of[i], unit = 1, 1
		case weights == "primary":
			unit = 1
			if l.primary {
				of[i] = 1
			}
		case weights == "equal" || l.distance == least:
			shared = append(shared, i)
		}
	}
	for k, i := range shared {
		of[i] = unit*(k+1)/len(shared) - unit*k/len(shared)
	}
	return of, unit
}

// plainCounts are counts of records, base by base.
type plainCounts struct {
	contigs         []track.Contig
	unit            int
	depth           map[string][]int
	reads, weighted map[string]int
	mapped          int
}

func countPlainly(t *testing.T, text, of, weights string) *plainCounts {
	t.Helper()
	contigs, reads := samLocations(t, text)
	p := &plainCounts{contigs, 1, map[string][]int{}, map[string]int{}, map[string]int{}, len(reads)}
	for _, c := range contigs {
		p.depth[c.Name] = make([]int, c.Length)
	}
	for _, read := range reads {
		var each []int
		each, p.unit = plainWeights(weights, read)
		for i, l := range read {
			if l.primary {
				p.reads[l.contig]++
			}
			p.weighted[l.contig] += each[i]
			for at, covered := range l.covered {
				if of == "starts" && at == 0 || of == "covered" && covered {
					p.depth[l.contig][l.start+at] += each[i]
				}
			}
		}
	}
	return p
}

// bedGraph has the depth as a file has it.
func (p *plainCounts) bedGraph() string {
	var b strings.Builder
	for _, c := range p.contigs {
		depth := p.depth[c.Name]
		for start := 0; start < len(depth); {
			end := start + 1
			for end < len(depth) && depth[end] == depth[start] {
				end++
			}
			value := strconv.FormatFloat(float64(float32(float64(depth[start])/float64(p.unit))), 'f', -1, 32)
			fmt.Fprintf(&b, "%s\t%d\t%d\t%s\n", c.Name, start, end, value)
			start = end
		}
	}
	return b.String()
}

// breadth is the number of bases with depth from start to end of a contig, and depth the mean.
func (p *plainCounts) region(contig string, start, end int) (breadth int, depth float64) {
	sum := 0
	for _, d := range p.depth[contig][start:end] {
		if sum += d; d > 0 {
			breadth++
		}
	}
	return breadth, float64(sum) / float64(p.unit) / float64(end-start)
}

// rounded writes a number as tables have it.
func rounded(x float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(x, 'f', 6, 64), "0"), ".")
}

// abundance is the table.
func (p *plainCounts) abundance() string {
	var b strings.Builder
	b.WriteString("contig\tlength\treads\tweighted_reads\tcovered_bases\tcovered_share\tmean_depth\trpkm\ttpm\n")
	rates := 0.0
	for _, c := range p.contigs {
		rates += float64(p.weighted[c.Name]) / float64(p.unit) / float64(c.Length)
	}
	for _, c := range p.contigs {
		breadth, depth := p.region(c.Name, 0, c.Length)
		weighted := float64(p.weighted[c.Name]) / float64(p.unit)
		rpkm := weighted / (float64(c.Length) / 1e3) / (float64(p.mapped) / 1e6)
		fmt.Fprintf(&b, "%s\t%d\t%d\t%s\t%d\t%s\t%s\t%s\t%s\n", c.Name, c.Length, p.reads[c.Name], rounded(weighted), breadth,
			rounded(float64(breadth)/float64(c.Length)), rounded(depth), rounded(rpkm), rounded(weighted/float64(c.Length)/rates*1e6))
	}
	return b.String()
}

// TestGenomeAbundance has numbers that were computed by hand. The read a fits both genomes, e none;
// the genome ecoli has 20 + 10 covered bases of 34, and 5 + 10 + 10 of depth.
func TestGenomeAbundance(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	var reads strings.Builder
	for i, s := range []string{"CTTTATCAAG", "ATACTGCACT", "GGACCTTGAG", "TGTGTCCACC", "AAAAAAAAAA"} {
		fmt.Fprintf(&reads, "@%c\n%s\n+\nIIIIIIIIII\n", 'a'+i, s)
	}
	for name, text := range map[string]string{
		"ref.fa":    ">ecoli~1\nCTTTATCAAGATACTGCACT\n>ecoli~2\nGGACCTTGAGTTCA\n>phage~1 of <b>\nCTTTATCAAGTGTGTCCACC\n",
		"genomes":   "# genome, contig\n<b>phage</b>\tphage~1\necoli\tecoli~2\necoli\tecoli~1\n",
		"some":      "ecoli\tecoli~1\necoli\tecoli~2\n",
		"reads.fq":  reads.String(),
		"header":    "genome\tcontigs\tlength\treads\tweighted_reads\tcovered_bases\tcovered_share\tmean_depth\trpkm\ttpm\trelative_abundance_percent\n",
		"ecoli.row": "ecoli\t2\t34\t3\t2.5\t30\t0.882353\t0.735294\t18382352.941176\t495049.50495\t39.60396\n",
		"phage.row": "phage\t1\t20\t1\t1.5\t20\t1\t0.75\t18750000\t504950.49505\t40.39604\n",
		"alone.row": "ecoli\t2\t34\t3\t2.5\t30\t0.882353\t0.735294\t18382352.941176\t1000000\t60\n",
	} {
		if err := os.WriteFile(in(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ options, want string }{
		{"--genome-separator ~", readFile(t, in("ecoli.row")) + readFile(t, in("phage.row"))},
		{"--genome-definition " + in("genomes"), "<b>phage</b>" + strings.TrimPrefix(readFile(t, in("phage.row")), "phage") + readFile(t, in("ecoli.row"))},
		{"--genome-definition " + in("some"), readFile(t, in("alone.row"))},
	} {
		args := append(strings.Fields("map -e 0 --report best --weights best -o none --quiet --device cpu "+c.options),
			"--genome-abundance", "-", "--report-html", in("x.html"), in("ref.fa"), in("reads.fq"))
		code, stdout, stderr := call(args...)
		if want := readFile(t, in("header")) + c.want; code != 0 || stderr != "" || stdout != want {
			t.Errorf("%s: exit code %d, standard error %q\n%s", c.options, code, stderr, cmp.Diff(want, stdout))
		}
		page := readFile(t, in("x.html"))
		if !strings.Contains(page, `<h2 id="abundance">`) || strings.Contains(page, "<b>phage") {
			t.Errorf("%s: the page lacks abundance, or obeys a name", c.options)
		}
	}
}

// untied is a page with blanks where no line may break.
func untied(page string) string { return strings.ReplaceAll(page, "\u00a0", " ") }

// readTrack reads a file of values as bedGraph.
func readTrack(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := track.Read(bytes.NewReader(data), func(contig string, start, end int, value float32) error {
		fmt.Fprintf(&b, "%s\t%d\t%d\t%s\n", contig, start, end, strconv.FormatFloat(float64(value), 'f', -1, 32))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCountsOfRecords compares counts with plain ones of the records of the same run, and with the
// counts of a run without records.
func TestCountsOfRecords(t *testing.T) {
	pairs := "testdata/pairs_1.fq testdata/pairs_2.fq"
	deletions := 0
	for i, c := range []struct{ options, reads string }{
		{"-e 4", readsFile},
		{"-e 4 --report best", readsFile},
		{"-e 4 --report one", readsFile},
		{"-e 5% --max-locations 2", readsFile},
		{"--max-mismatches 3", readsFile},
		{"-e 3", pairs},
		{"-e 3 --report best --min-insert 1 --max-insert 500", pairs},
	} {
		for j, of := range []string{"covered", "starts"} {
			for k, weights := range []string{"all", "best", "equal", "primary"} {
				if !effort.Full() && (i+j+k)%2 != 0 { // by turns
					continue
				}
				t.Run(c.options+" "+of+" "+weights, func(t *testing.T) {
					folder := t.TempDir()
					in := func(name string) string { return filepath.Join(folder, name) }
					args := strings.Fields("map --quiet --device cpu --depth-of " + of + " --weights " + weights + " " + c.options)
					if of == "covered" {
						args = append(args, "--abundance", in("a.tsv"))
					}
					bed := in("regions.bed")
					if err := os.WriteFile(bed, []byte(someRegions(t)), 0o600); err != nil {
						t.Fatal(err)
					}
					run := func(more ...string) {
						t.Helper()
						if code, stdout, stderr := call(slices.Concat(args, more, []string{refFile}, strings.Fields(c.reads))...); code != 0 || stdout+stderr != "" {
							t.Fatalf("%q: exit code %d, standard output %.100q, standard error %q", more, code, stdout, stderr)
						}
					}
					run("-o", in("x.sam"), "--gaps", "unit", "--depth", in("d.bedgraph"), "--regions", "100", "--region-depth", in("windows.bed"))
					sam := readFile(t, in("x.sam"))
					p := countPlainly(t, sam, of, weights)
					deletions += strings.Count(sam, "D")
					want := p.bedGraph()
					if d := cmp.Diff(want, readFile(t, in("d.bedgraph"))); d != "" {
						t.Fatalf("bedGraph (-records +counts):\n%s", d)
					}
					if of == "covered" {
						if d := cmp.Diff(p.abundance(), readFile(t, in("a.tsv"))); d != "" {
							t.Errorf("abundance (-records +counts):\n%s", d)
						}
					}
					p.compareRegions(t, readFile(t, in("windows.bed")), 100)

					run("-o", "none", "--depth", in("d.bw"), "--threads", "1")
					run("-o", "none", "--depth", in("d.bg.gz"), "--regions", bed, "--region-depth", in("r.bed"), "--threads", "3")
					for _, name := range []string{"d.bw", "d.bg.gz"} {
						if d := cmp.Diff(want, readTrack(t, in(name))); d != "" {
							t.Errorf("%s (-records +counts):\n%s", name, d)
						}
					}
					p.compareRegions(t, readFile(t, in("r.bed")), 0)
					if got := names(t, folder); !strings.Contains(got, "d.bg.gz.tbi") || strings.Contains(got, ".tmp") {
						t.Errorf("the folder holds %s", got)
					}
				})
			}
		}
	}
	if deletions == 0 {
		t.Error("no read has a deletion")
	}
}

// TestCountsWindowOne has regions of one base each.
func TestCountsWindowOne(t *testing.T) {
	folder := t.TempDir()
	windows, depth := filepath.Join(folder, "w.bed"), filepath.Join(folder, "d.bedgraph")
	args := []string{"map", "--quiet", "-o", "none", "--regions", "1", "--region-depth", windows, "--depth", depth, refFile, readsFile}
	if code, _, stderr := call(args...); code != 0 {
		t.Fatal(stderr)
	}
	var want, got strings.Builder
	for line := range strings.Lines(readFile(t, depth)) {
		columns := strings.Fields(line)
		start, _ := strconv.Atoi(columns[1])
		end, _ := strconv.Atoi(columns[2])
		for ; start < end; start++ {
			fmt.Fprintln(&want, columns[0], start, start+1, columns[3])
		}
	}
	for line := range strings.Lines(readFile(t, windows)) {
		if columns := strings.Fields(line); line[0] != '#' {
			fmt.Fprintln(&got, columns[0], columns[1], columns[2], columns[5])
		}
	}
	if d := cmp.Diff(want.String(), got.String()); d != "" {
		t.Errorf("windows (-depth +windows):\n%.2000s", d)
	}
}

// someRegions is a BED with regions of the first contig that overlap, one of each contig, and
// names.
func someRegions(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("track name=x\n")
	name, bases := "", map[string]int{}
	var contigs []string
	for line := range strings.Lines(readFile(t, refFile)) {
		if line[0] == '>' {
			name = strings.Fields(line[1:])[0]
			contigs = append(contigs, name)
		} else {
			bases[name] += len(strings.TrimSpace(line))
		}
	}
	for i := len(contigs) - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "%s\t0\t%d\twhole%d\n", contigs[i], bases[contigs[i]], i)
	}
	fmt.Fprintf(&b, "%[1]s\t3\t50\n%[1]s\t10\t11\t\n%[1]s\t0\t3\tbegin\n%[1]s\t3\t50\tagain\n", contigs[0])
	return b.String()
}

// compareRegions compares each line; with windows one line stands for all windows of a contig.
func (p *plainCounts) compareRegions(t *testing.T, text string, window int) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != "#contig\tstart\tend\tname\tcovered_bases\tmean_depth" {
		t.Fatalf("the first line is %q", lines[0])
	}
	var want []string
	for _, line := range lines[1:] {
		columns := strings.Split(line, "\t")
		start, _ := strconv.Atoi(columns[1])
		end, _ := strconv.Atoi(columns[2])
		breadth, depth := p.region(columns[0], start, end)
		want = append(want, fmt.Sprintf("%s\t%d\t%d\t%s\t%d\t%s", columns[0], start, end, columns[3], breadth, rounded(depth)))
	}
	if d := cmp.Diff(want, lines[1:]); d != "" {
		t.Errorf("regions (-records +counts):\n%s", d)
	}
	n := len(p.contigs) + 4 // more in someRegions
	if window > 0 {
		n = 0
		for _, c := range p.contigs {
			n += (c.Length + window - 1) / window
		}
	}
	if len(want) != n {
		t.Errorf("%d regions, want %d", len(want), n)
	}
}

// TestSamtoolsDepth compares with samtools depth of all records, secondary ones too, which the
// program is told not to leave out.
func TestSamtoolsDepth(t *testing.T) {
	samtools := programs.Find(t, "samtools")
	folder := t.TempDir()
	bam, depth := filepath.Join(folder, "x.bam"), filepath.Join(folder, "d.bedgraph")
	for _, c := range []struct{ options, filter string }{
		{"--weights all -e 4 --cigar eqx", "-g SECONDARY"},
		{"--weights primary -e 4", ""},
		{"--weights all --report best -e 6", "-g SECONDARY"},
	} {
		code, _, stderr := call(append(strings.Fields("map --quiet --gaps unit --sort "+c.options), "-o", bam, "--depth", depth, refFile, readsFile)...)
		if code != 0 {
			t.Fatal(stderr)
		}
		args := append(strings.Fields("depth -aa "+c.filter), bam)
		out, err := exec.Command(samtools, args...).Output()
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for line := range strings.Lines(readFile(t, depth)) {
			columns := strings.Fields(line)
			start, _ := strconv.Atoi(columns[1])
			end, _ := strconv.Atoi(columns[2])
			for at := start; at < end; at++ {
				fmt.Fprintf(&got, "%s\t%d\t%s\n", columns[0], at+1, columns[3])
			}
		}
		if d := cmp.Diff(string(out), got.String()); d != "" {
			t.Errorf("%s (-samtools +scanmap):\n%.2000s", c.options, d)
		}
	}
}

// TestCountsMemory sees that --dry-run adds the 4 bytes of each base of the reference, and as much
// again as the heap may grow by.
func TestCountsMemory(t *testing.T) {
	folder := t.TempDir()
	ref := filepath.Join(folder, "ref.fa")
	const mebi = 16
	if err := os.WriteFile(ref, []byte(">c\n"+strings.Repeat(strings.Repeat("ACGTTGCA", 1<<10)+"\n", mebi<<7)), 0o600); err != nil {
		t.Fatal(err)
	}
	bound := func(options ...string) int {
		code, stdout, stderr := call(slices.Concat([]string{"map", "--dry-run", "--device", "cpu"}, options, []string{ref, readsFile})...)
		_, text, ok := strings.Cut(stdout, "at most ")
		var n int
		for !strings.HasPrefix(text, "at most") && ok && !strings.Contains(strings.SplitN(text, "\n", 2)[0], "MiB") {
			_, text, ok = strings.Cut(text, "at most ")
		}
		if _, err := fmt.Sscanf(text, "%d MiB", &n); code != 0 || err != nil {
			t.Fatalf("exit code %d, %v, standard output\n%s\nstandard error %q", code, err, stdout, stderr)
		}
		return n
	}
	without := bound("-o", filepath.Join(folder, "x.sam"))
	for _, options := range []string{"--depth F/d.bw", "--abundance F/a.tsv", "--regions 10 --region-depth F/r.bed"} {
		with := bound(append(strings.Fields(strings.ReplaceAll(options, "F/", folder+"/")), "-o", filepath.Join(folder, "x.sam"))...)
		if more := with - without; more < 4*mebi || more > 4*4*mebi {
			t.Errorf("%s: %d MiB more, want %d or some times as many", options, more, 4*mebi)
		}
	}
	// Pairs of regions take 160 MiB.
	bed := copiesFile(t, folder, "r.bed", "c\t0\t10\n")
	likely := func(option string) (n int) {
		_, stdout, _ := call("map", "--dry-run", "--device", "cpu", "--weights", "equal", "--regions", bed, option, filepath.Join(folder, "r"),
			"-o", filepath.Join(folder, "x.sam"), ref, readsFile)
		_, text, _ := strings.Cut(stdout, "\nmemory ")
		if _, err := fmt.Sscanf(strings.TrimSpace(text), "about %d MiB", &n); err != nil {
			t.Fatalf("%v, standard output\n%s", err, stdout)
		}
		return n
	}
	if more := likely("--region-shared") - likely("--region-depth"); more != 160 {
		t.Errorf("--region-shared: %d MiB more than --region-depth, want 160", more)
	}
}

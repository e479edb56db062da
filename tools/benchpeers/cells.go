package main

import (
	"fmt"
	"strconv"
	"strings"

	"scanmap/tools/sidebyside"
)

// A genome is a reference of the cells.
type genome struct {
	slug string // of files
	name string // in tables
	file string // of the data
}

// A cell is reads that all programs map to one genome, with at most so many edits.
type cell struct {
	genome *genome
	reads  string // a file of the data; empty for simulated ones
	n      int    // how many are taken of the file, or are simulated; 0 for all as they are
	length int    // bases of a read; 0 for reads of mixed lengths
	edits  string // as scanmap takes them: 8, or 8%
}

const (
	wildReads = "big/celegans_wild_150bp_R1.fastq.gz"
	simulated = 50_000 // reads of a cell
)

// simulatedEdits are the lengths of simulated reads, and 4 and 8 % of them.
var simulatedEdits = []struct{ length, few, many int }{{100, 4, 8}, {150, 6, 12}, {250, 10, 20}}

// allCells are the cells for the larger data.
func allCells() []*cell {
	yeast := &genome{"yeast", "yeast", sidebyside.Yeast}
	mosaic := &genome{"mosaic", "human mosaic", sidebyside.Mosaic}
	loci := &genome{"loci", "human loci", "big/human_loci_46Mb.fa.gz"}
	celegans := &genome{"celegans", "*C. elegans*", "big/celegans_WS220.fa.gz"}
	var all []*cell
	for _, g := range []*genome{yeast, mosaic, loci, celegans} {
		for _, s := range simulatedEdits {
			for _, k := range []int{s.few, s.many} {
				all = append(all, &cell{genome: g, n: simulated, length: s.length, edits: strconv.Itoa(k)})
			}
		}
	}
	for _, edits := range []string{"3", "4", "7"} {
		all = append(all, &cell{celegans, wildReads, 20_000, 98, edits})
	}
	for _, edits := range []string{"4%", "8%"} {
		all = append(all, &cell{celegans, wildReads, 30_000, 98, edits})
	}
	for _, edits := range []string{"4%", "8%", "6"} {
		all = append(all, &cell{celegans, wildReads, 0, 0, edits})
	}
	return all
}

// smallCells are those of testdata.
func smallCells() []*cell {
	portiera := &genome{"portiera", "Portiera", "portiera.fa.gz"}
	return []*cell{
		{portiera, "", 2000, 100, "4"},
		{portiera, "", 2000, 100, "8"},
		{portiera, "portiera_101bp.fastq.gz", 1000, 98, "4%"},
		{portiera, "portiera_36bp.fastq.gz", 0, 0, "4%"},
	}
}

// slug names a cell: genome, whether reads are real, their bases, and edits, as in
// celegans-real-98-4%.
func (c *cell) slug() string {
	parts := []string{c.genome.slug}
	if c.reads != "" {
		parts = append(parts, "real")
	}
	if c.length > 0 {
		parts = append(parts, strconv.Itoa(c.length))
	}
	return strings.Join(append(parts, c.edits), "-")
}

// readsSlug names the reads of a cell. Simulated ones have at most as many edits as they are mapped
// with, so that each cell has its own.
func (c *cell) readsSlug() string {
	if c.reads == "" {
		return c.slug()
	}
	return fmt.Sprintf("%s-real-%d-%d", c.genome.slug, c.length, c.n)
}

// name is that of a cell in tables.
func (c *cell) name() string {
	var parts []string
	if c.n > 0 {
		parts = append(parts, strconv.Itoa(c.n))
	}
	if c.reads == "" {
		parts = append(parts, "simulated")
	} else {
		parts = append(parts, "real")
	}
	if c.length > 0 {
		parts = append(parts, fmt.Sprintf("x %d b", c.length))
	} else {
		parts = append(parts, "reads of mixed lengths")
	}
	edits := ", k = " + c.edits
	if strings.HasSuffix(c.edits, "%") {
		edits = ", " + strings.TrimSuffix(c.edits, "%") + " %"
	}
	return c.genome.name + ", " + strings.Join(parts, " ") + edits
}

// k is the edits of a read, and whether all reads have the same.
func (c *cell) k() (int, bool) {
	percent, isRate := strings.CutSuffix(c.edits, "%")
	k, err := strconv.Atoi(percent)
	if err != nil || isRate && c.length == 0 {
		return 0, false
	}
	if isRate {
		return k * c.length / 100, true
	}
	return k, true
}

// rate is the share of edits in whole percent, and whether it allows the same edits to all reads as
// the cell does.
func (c *cell) rate() (int, bool) {
	if percent, isRate := strings.CutSuffix(c.edits, "%"); isRate {
		rate, err := strconv.Atoi(percent)
		return rate, err == nil
	}
	k, _ := c.k()
	if c.length == 0 {
		return 0, false
	}
	rate := (100*k + c.length - 1) / c.length
	return rate, rate*c.length/100 == k
}

// A rival is a program of the cells.
type rival struct {
	sidebyside.Program
	goal float64 // times the CPU of scanmap that it should take at least; 0 for no aim
	// not says why it cannot do what a cell asks for; empty if it can. May be nil.
	not func(c *cell) string
}

// mostOfColumba is the most edits that Columba 2.0 takes.
const mostOfColumba = 13

// oursInCells is the program that others are beside.
const oursInCells = "scanmap"

// rivals run alone, on files; those that can report all locations are asked to.
var rivals = []rival{
	{Program: sidebyside.Program{
		Name: oursInCells, Line: "{SCANMAP} map --quiet --device cpu -t {T} --report all -e {EDITS} --stats {OUT}.json -o {OUT} {REF} {READS}",
	}},
	{goal: 5, not: needsRate, Program: sidebyside.Program{
		Name: "RazerS 3", Line: "razers3 -i {IDENTITY} -rr 100 -m 1000000 -tc {T} -o {OUT} {REF} {READS}",
	}},
	{goal: 5, not: needsRate, Program: sidebyside.Program{
		Name: "yara", Index: "yara_indexer -o {IDX} {REF}", Line: "yara_mapper -t {T} -y full -e {RATE} -s {RATE} -sa record -o {OUT} {IDX} {READS}",
	}},
	{goal: 1, Program: sidebyside.Program{
		Name: "minimap2", Line: "minimap2 -t {T} -ax sr -o {OUT} {REF} {READS}",
	}},
	{goal: 1, Program: sidebyside.Program{
		Name: "bwa mem", Index: "bwa index -p {IDX} {REF}", Line: "bwa mem -t {T} -o {OUT} {IDX} {READS}",
	}},
	{Program: sidebyside.Program{
		Name: "bowtie2", Index: "bowtie2-build-s --wrapper basic-0 --threads {T} -q {REF} {IDX}",
		Line: "bowtie2-align-s --wrapper basic-0 -p {T} -x {IDX} -U {READS} -S {OUT}",
	}},
	{goal: 1, not: columbaCannot, Program: sidebyside.Program{
		Name: "Columba", Index: "columba_build -r {IDX} -f {REF}", Line: "columba -a all -e {K} -t {T} -r {IDX} -f {READS} -o {OUT}",
	}},
}

func needsRate(c *cell) string {
	if _, ok := c.rate(); !ok {
		return "takes a share of edits alone"
	}
	return ""
}

func columbaCannot(c *cell) string {
	k, ok := c.k()
	switch {
	case !ok:
		return "takes the same edits for all reads alone"
	case k > mostOfColumba:
		return fmt.Sprintf("takes at most %d edits", mostOfColumba)
	}
	return ""
}

// words are what stands in lines for the edits of a cell.
func (c *cell) words() sidebyside.Words {
	w := sidebyside.Words{"EDITS": c.edits}
	if k, ok := c.k(); ok {
		w["K"] = strconv.Itoa(k)
	}
	if rate, ok := c.rate(); ok {
		w["RATE"], w["IDENTITY"] = strconv.Itoa(rate), strconv.Itoa(100-rate)
	}
	return w
}

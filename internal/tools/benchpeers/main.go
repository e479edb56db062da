// Command benchpeers times scanmap and other mappers side by side: reads from FASTA and FASTQ files
// to a SAM file, and pairs to a BAM file; whole processes, all in one run.
//
//	go run ./internal/tools/benchpeers -threads 2 -repeat 5 -out docs/benchmarks
//
// Programs take turns, so that a noisy moment hits all of them; the medians are compared. Building
// an index is timed apart. Programs that are not installed are listed as not there.
package main

import (
	"flag"
	"os"
	"regexp"

	"scanmap/internal/tools/sidebyside"
)

const (
	folder = "build/bench"
	name   = "peers"
)

// A result is what was measured of one program on one set.
type result struct {
	Set, Output, Program string
	sidebyside.Timing
	BamMB  float64 `tsv:",omitempty"` // size of the output, of pairs
	Mapped int     // reads, or mates of pairs
}

// A report is one run of this program.
type report struct {
	*sidebyside.Run
	Results []*result
}

func main() {
	options := sidebyside.Flags(name, 5)
	pairsOnly := flag.Bool("pairs", false, "only pairs")
	only := flag.String("sets", "", "only sets with names that this regular expression matches")
	flag.Parse()
	sidebyside.Exit("benchpeers", run(options, *pairsOnly, *only))
}

func run(o *sidebyside.Options, pairsOnly bool, only string) error {
	if o.Table != "" {
		r, err := read(o.Table)
		if err != nil {
			return err
		}
		return r.save(o.Out)
	}
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	data := sidebyside.FindData()
	r := &report{Run: sidebyside.Begin("make bench-peers", o, "seqan-apps", "yara", "minimap2", "bwa", "bowtie2", "samtools")}
	for _, s := range sidebyside.Choose(data, larger, small) {
		if pairsOnly && !s.pairs || !pattern.MatchString(s.Name) {
			continue
		}
		if err := r.measure(data, s); err != nil {
			return err
		}
	}
	return r.save(o.Out)
}

func (r *report) save(out string) error {
	return r.Save(out, name, r.markdown(), sidebyside.TableOf("result", r.Results))
}

// read reads the figures of an earlier run.
func read(file string) (*report, error) {
	r := &report{Run: &sidebyside.Run{}}
	return r, sidebyside.ReadTSV(file, map[string]func() any{
		"run": func() any { return r.Run }, "result": sidebyside.Into(&r.Results),
	})
}

// Command benchpeers times scanmap and other mappers side by side: from FASTA and FASTQ
// files to a SAM file, and with pairs to a BAM file too; whole processes, all in one run.
//
//	go run ./internal/tools/benchpeers -threads 2 -repeat 5 -out docs/benchmarks
//
// Programs take turns, so that a noisy moment hits all of them; the medians are compared.
// Building an index is timed apart. Programs that are not installed are left out
// aloud.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"scanmap/internal/tools/command"
)

const (
	folder = "build/bench"
	shared = "../shared/data"
)

// A result is what was measured of one program on one set.
type result struct {
	Set, Program string
	Output       string `json:",omitempty"` // of pairs
	Command      string
	Seconds      []float64
	Median       float64
	PeakMB       float64
	IndexSeconds float64 `json:",omitempty"`
	BamMB        float64 `json:",omitempty"` // size of the output
	Mapped       int     // reads, or mates of pairs
}

// A report is one run of this program.
type report struct {
	Date, Commit, Processor string
	Threads, Repeat         int
	Command                 string
	Versions                map[string]string
	LeftOut                 []string `json:",omitempty"`
	Results                 []*result
	Pairs                   []*result
}

func main() {
	threads := flag.Int("threads", 2, "threads of each program")
	repeat := flag.Int("repeat", 5, "runs of each program")
	pairsOnly := flag.Bool("pairs", false, "only pairs")
	out := flag.String("out", "", "folder for peers-DATE.json and .md")
	flag.Parse()
	if err := run(*threads, *repeat, *pairsOnly, *out); err != nil {
		fmt.Fprintln(os.Stderr, "benchpeers:", err)
		os.Exit(1)
	}
}

func run(threads, repeat int, pairsOnly bool, out string) error {
	if _, err := os.Stat(shared); err != nil {
		fmt.Println("SKIPPED:", shared, "is not there")
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	r := &report{
		Date: time.Now().UTC().Format("2006-01-02"), Commit: command.Output("git", "describe", "--always", "--dirty"), Processor: command.Processor(),
		Threads: threads, Repeat: repeat, Command: "make bench-peers",
		Versions: command.Versions("seqan-apps", "yara", "minimap2", "bwa", "bowtie2", "samtools"),
	}
	for _, s := range sets {
		if pairsOnly {
			break
		}
		if err := measure(r, s); err != nil {
			return err
		}
	}
	for _, s := range pairSets {
		if err := measurePairs(r, s); err != nil {
			return err
		}
	}
	text := r.markdown()
	fmt.Println(text)
	if out == "" {
		return nil
	}
	base := filepath.Join(out, "peers-"+r.Date)
	return errors.Join(command.SaveJSON(base+".json", r), os.WriteFile(base+".md", []byte(text), 0o644))
}

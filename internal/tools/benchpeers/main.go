// Command benchpeers times scanmap and other mappers side by side: from FASTA and FASTQ
// files to a SAM file, whole processes, all in one run.
//
//	go run ./internal/tools/benchpeers -threads 2 -repeat 5 -out docs/benchmarks
//
// Programs take turns, so that a noisy moment hits all of them; the medians are compared.
// Building an index is timed apart. Programs that are not installed are left out
// aloud.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"scanmap/internal/tools/command"
)

const (
	folder = "build/bench"
	shared = "../shared/data"
)

// A set is a reference with reads and the largest distance to map them with.
type set struct {
	Name      string
	reference string // file of shared/ref
	reads     string // file of shared/reads; empty for simulated ones
	length, k int
}

var sets = []set{
	{"yeast, 100,000 reads of 50 bases, k = 2", "yeast_R64-1-1_toplevel.fa.gz", "dev_yeast_SRR5204809_50bp_R1.fastq.gz", 50, 2},
	{"human mosaic, 25,839 reads of 101 bases, k = 4", "human_mosaic_15.6Mb.fa.gz", "dev_human_NA12878_chr20_10.0-10.1M_101bp_R1.fastq.gz", 101, 4},
	{"E. coli, 200,000 simulated reads of 100 bases, k = 5", "ecoli_K12_MG1655_NC_000913.3.fa.gz", "", 100, 5},
}

// A program is one way of mapping. In its arguments REF, READS, OUT, IDX, K, T, IDENTITY
// (percent) and RATE (percent) stand for what they say.
type program struct {
	Name    string
	index   []string // command that makes the index; nil for none
	command []string
}

var programs = []program{
	{"scanmap", nil, []string{"bin/scanmap", "map", "--quiet", "-t", "T", "-e", "K", "-o", "OUT", "REF", "READS"}},
	{"RazerS 3", nil, []string{"razers3", "-i", "IDENTITY", "-rr", "100", "-m", "1000000", "-tc", "T", "-o", "OUT", "REF", "READS"}},
	{"minimap2 from FASTA", nil, []string{"minimap2", "-t", "T", "-ax", "sr", "-o", "OUT", "REF", "READS"}},
	{"minimap2, index at hand", []string{"minimap2", "-t", "T", "-x", "sr", "-d", "IDX.mmi", "REF"}, []string{"minimap2", "-t", "T", "-ax", "sr", "-o", "OUT", "IDX.mmi", "READS"}},
	{"yara, index at hand", []string{"yara_indexer", "-o", "IDX.yara", "REF"}, []string{"yara_mapper", "-t", "T", "-e", "RATE", "-o", "OUT", "IDX.yara", "READS"}},
	{"bwa mem, index at hand", []string{"bwa", "index", "-p", "IDX.bwa", "REF"}, []string{"bwa", "mem", "-t", "T", "-o", "OUT", "IDX.bwa", "READS"}},
	{"bowtie2, index at hand", []string{"bowtie2-build", "--threads", "T", "-q", "REF", "IDX.bt2"}, []string{"bowtie2", "-p", "T", "-x", "IDX.bt2", "-U", "READS", "-S", "OUT"}},
}

// A result is what was measured of one program on one set.
type result struct {
	Set, Program string
	Command      string
	Seconds      []float64
	Median       float64
	PeakMB       float64
	IndexSeconds float64 `json:",omitempty"`
	Mapped       int
}

// A report is one run of this program.
type report struct {
	Date, Commit, Processor string
	Threads, Repeat         int
	Command                 string
	Versions                map[string]string
	Results                 []*result
}

func main() {
	threads := flag.Int("threads", 2, "threads of each program")
	repeat := flag.Int("repeat", 5, "runs of each program")
	out := flag.String("out", "", "folder for peers-DATE.json and .md")
	flag.Parse()
	if err := run(*threads, *repeat, *out); err != nil {
		fmt.Fprintln(os.Stderr, "benchpeers:", err)
		os.Exit(1)
	}
}

func run(threads, repeat int, out string) error {
	if _, err := os.Stat(shared); err != nil {
		fmt.Println("SKIPPED:", shared, "is not there")
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	r := &report{
		Date: time.Now().UTC().Format("2006-01-02"), Commit: command.Output("git", "describe", "--always", "--dirty"), Processor: command.Processor(),
		Threads: threads, Repeat: repeat, Command: "make bench-peers", Versions: versions(),
	}
	for _, s := range sets {
		if err := measure(r, s); err != nil {
			return err
		}
	}
	text := r.markdown()
	fmt.Println(text)
	if out == "" {
		return nil
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	base := filepath.Join(out, "peers-"+r.Date)
	return errors.Join(os.WriteFile(base+".json", append(data, '\n'), 0o644), os.WriteFile(base+".md", []byte(text), 0o644))
}

// measure times all programs on a set.
func measure(r *report, s set) error {
	reference := filepath.Join(folder, strings.TrimSuffix(s.reference, ".gz"))
	if err := command.Shell("zcat " + filepath.Join(shared, "ref", s.reference) + " > " + reference); err != nil {
		return err
	}
	reads := filepath.Join(folder, "simulated.fq")
	if s.reads != "" {
		reads = filepath.Join(folder, strings.TrimSuffix(s.reads, ".gz"))
		if err := command.Shell("zcat " + filepath.Join(shared, "reads", s.reads) + " > " + reads); err != nil {
			return err
		}
	} else if err := command.Shell(fmt.Sprintf("go run ./internal/tools/simulate -ref %s -n 200000 -length %d -max-edits %d -seed 1 -o %s", reference, s.length, s.k, reads)); err != nil {
		return err
	}
	sam := filepath.Join(folder, "out.sam")
	fill := func(args []string) []string {
		index := strings.TrimSuffix(reference, ".fa")
		// the least identity that allows k errors, rounded down to be on the safe side
		identity := strconv.Itoa(100 - 100*s.k/s.length - btoi(100*s.k%s.length > 0))
		if s.length == 101 {
			identity = "96" // as in ../shared/peers: 4 of 101 are allowed
		}
		rate := strconv.Itoa((100*s.k + s.length - 1) / s.length)
		filled := slices.Clone(args)
		for i, a := range filled {
			switch {
			case strings.HasPrefix(a, "IDX"):
				filled[i] = index + a[3:]
			default:
				filled[i] = map[string]string{"REF": reference, "READS": reads, "OUT": sam, "K": strconv.Itoa(s.k), "T": strconv.Itoa(r.Threads), "IDENTITY": identity, "RATE": rate}[a]
				if filled[i] == "" {
					filled[i] = a
				}
			}
		}
		return filled
	}
	var results []*result
	var present []program
	for _, p := range programs {
		if _, err := exec.LookPath(p.command[0]); err != nil {
			fmt.Fprintf(os.Stderr, "%s is not installed: left out\n", p.command[0])
			continue
		}
		x := &result{Set: s.Name, Program: p.Name, Command: strings.Join(fill(p.command), " ")}
		if p.index != nil {
			if p.command[0] == "yara_mapper" {
				if err := removeAll(strings.TrimSuffix(reference, ".fa") + ".yara.*"); err != nil {
					return err
				}
			}
			seconds, _, err := timed(fill(p.index))
			if err != nil {
				return err
			}
			x.IndexSeconds = seconds
		}
		results, present = append(results, x), append(present, p)
	}
	for range r.Repeat {
		for i, p := range present {
			if err := os.RemoveAll(sam); err != nil {
				return err
			}
			seconds, peak, err := timed(fill(p.command))
			if err != nil {
				return err
			}
			results[i].Seconds = append(results[i].Seconds, seconds)
			results[i].PeakMB = max(results[i].PeakMB, peak)
			if results[i].Mapped == 0 {
				if results[i].Mapped, err = countMapped(sam); err != nil {
					return err
				}
			}
		}
	}
	for _, x := range results {
		sorted := slices.Sorted(slices.Values(x.Seconds))
		x.Median = (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
	}
	r.Results = append(r.Results, results...)
	return nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func removeAll(pattern string) error {
	names, err := filepath.Glob(pattern)
	for _, name := range names {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// timed runs a command and returns its wall-clock seconds and its peak resident memory in MB.
func timed(args []string) (seconds, peakMB float64, err error) {
	cmd := exec.CommandContext(context.Background(), args[0], args[1:]...)
	start := time.Now()
	text, err := cmd.CombinedOutput()
	seconds = time.Since(start).Seconds()
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, text)
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peakMB = float64(usage.Maxrss) / 1024
	}
	return seconds, peakMB, nil
}

// countMapped counts the reads with a primary record. Some mappers mark no secondary
// records, so names are counted. It is left to other processes: the peak memory of a child
// is at least that of the process that starts it, so this one has to stay small.
func countMapped(sam string) (int, error) {
	text := command.Output("sh", "-c", `awk -F '\t' '!/^@/ && int($2 / 4) % 2 == 0 && int($2 / 256) % 2 == 0 && int($2 / 2048) % 2 == 0 {print $1}' "$0" | LC_ALL=C sort -u | wc -l`, sam)
	return strconv.Atoi(text)
}

func (r *report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Side by side with other mappers\n\n%s, commit %s, %s, %d threads, %d runs each in turn, medians. `%s`\n\n", r.Date, r.Commit, r.Processor, r.Threads, r.Repeat, r.Command)
	b.WriteString("From FASTA and FASTQ (plain files) to SAM in a file. Only scanmap, RazerS 3 and yara look for all locations.\n")
	last := ""
	base := 0.0
	for _, x := range r.Results {
		if x.Set != last {
			fmt.Fprintf(&b, "\n## %s\n\n| program | seconds | least to most | times scanmap | peak MB | index, s | reads mapped |\n|---|---:|---:|---:|---:|---:|---:|\n", x.Set)
			last, base = x.Set, x.Median
		}
		index := ""
		if x.IndexSeconds > 0 {
			index = fmt.Sprintf("%.2f", x.IndexSeconds)
		}
		fmt.Fprintf(&b, "| %s | %.3f | %.3f to %.3f | %.1f | %.0f | %s | %d |\n", x.Program, x.Median, slices.Min(x.Seconds), slices.Max(x.Seconds), x.Median/base, x.PeakMB, index, x.Mapped)
	}
	b.WriteString("\nCommands:\n\n")
	for _, x := range r.Results {
		fmt.Fprintf(&b, "    %s\n", x.Command)
	}
	b.WriteString("\nVersions: ")
	for i, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range r.Versions {
			if !yield(name) {
				return
			}
		}
	}) {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(name + " " + r.Versions[name])
	}
	b.WriteString(".\n")
	return b.String()
}

// versions asks Debian's packages, which is where the peers are from.
func versions() map[string]string {
	v := map[string]string{"go": runtime.Version()}
	for _, name := range []string{"seqan-apps", "yara", "minimap2", "bwa", "bowtie2"} {
		if text := command.Output("dpkg-query", "-W", "-f", "${Version}", name); text != "" {
			v[name] = text
		}
	}
	return v
}

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"scanmap/internal/tools/command"
)

// A pairSet is a reference with pairs.
type pairSet struct {
	Name      string
	reference string // file of shared/ref
	reads     string // files of shared/reads; % is the number of the mate
}

var pairSets = []pairSet{
	{"yeast, 100,000 pairs of 50 bases", "yeast_R64-1-1_toplevel.fa.gz", "dev_yeast_SRR5204809_50bp_R%.fastq.gz"},
	{"human mosaic, 25,839 pairs of 101 bases", "human_mosaic_15.6Mb.fa.gz", "dev_human_NA12878_chr20_10.0-10.1M_101bp_R%.fastq.gz"},
	{"E. coli, 28,160 pairs of 30 to 100 bases", "ecoli_K12_MG1655_NC_000913.3.fa.gz", "dev_ecoli_MG1655_EAS20_8_30-100bp_R%.fastq.gz"},
}

// A pairProgram is one way from pairs to a BAM file. In its line of shell REF, R1, R2, OUT, IDX and T stand for what they say.
type pairProgram struct {
	Name  string
	index string // line that makes the index; empty for none
	line  string
}

// What is measured of pairs.
const (
	unsorted = "BAM"
	sorted   = "sorted BAM with its index"
)

const (
	one       = "scanmap --report one"
	all       = "scanmap --report all"
	fromFASTA = "minimap2 from FASTA, samtools"
	atHand    = "minimap2, index at hand, samtools"
)

// Compression is what takes the time of samtools; it gets as many threads as there are cores, and the pipeline shares the cores.
const (
	viewBAM = "samtools view -b -@ T -o OUT -"
	sortBAM = "samtools sort -@ T --write-index -o OUT##idx##OUT.bai -"
	makeMMI = "minimap2 -t T -x sr -d IDX.mmi REF"
)

var pairPrograms = []struct {
	output   string
	programs []pairProgram
}{
	{unsorted, []pairProgram{
		{one, "", "bin/scanmap map --quiet -t T --report one -o OUT REF R1 R2"},
		{all, "", "bin/scanmap map --quiet -t T --report all -o OUT REF R1 R2"},
		{fromFASTA, "", "minimap2 -t T -ax sr REF R1 R2 | " + viewBAM},
		{atHand, makeMMI, "minimap2 -t T -ax sr IDX.mmi R1 R2 | " + viewBAM},
	}},
	{sorted, []pairProgram{
		{one, "", "bin/scanmap map --quiet -t T --sort --report one -o OUT REF R1 R2"},
		{all, "", "bin/scanmap map --quiet -t T --sort --report all -o OUT REF R1 R2"},
		{fromFASTA, "", "minimap2 -t T -ax sr REF R1 R2 | " + sortBAM},
		{atHand, makeMMI, "minimap2 -t T -ax sr IDX.mmi R1 R2 | " + sortBAM},
	}},
}

// cores returns the first cores that this process may use, as taskset takes them.
func cores(n int) (string, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return "", fmt.Errorf("sched_getaffinity: %w", err)
	}
	var list []string
	for i := 0; i < 64*len(set) && len(list) < n; i++ {
		if set.IsSet(i) {
			list = append(list, strconv.Itoa(i))
		}
	}
	if len(list) < n {
		return "", fmt.Errorf("%d cores may be used, and %d threads are asked for", len(list), n)
	}
	return strings.Join(list, ","), nil
}

// measurePairs times all programs on a set of pairs. Each, or each pipeline, runs on as many cores as threads are asked for.
func measurePairs(r *report, s pairSet) error {
	for _, name := range []string{"taskset", "bash", "samtools", "minimap2"} {
		if _, err := exec.LookPath(name); err != nil {
			r.leaveOut("pairs", fmt.Errorf("%s is not installed", name))
			return nil
		}
	}
	on, err := cores(r.Threads)
	if err != nil {
		return err
	}
	reference := filepath.Join(folder, strings.TrimSuffix(s.reference, ".gz"))
	if err := command.Shell("zcat " + filepath.Join(shared, "ref", s.reference) + " > " + reference); err != nil {
		return err
	}
	var reads [2]string
	for i := range reads {
		name := strings.ReplaceAll(s.reads, "%", strconv.Itoa(i+1))
		reads[i] = filepath.Join(folder, strings.TrimSuffix(name, ".gz"))
		if err := command.Shell("zcat " + filepath.Join(shared, "reads", name) + " > " + reads[i]); err != nil {
			return err
		}
	}
	bam := filepath.Join(folder, "out.bam")
	words := strings.NewReplacer("REF", reference, "R1", reads[0], "R2", reads[1], "OUT", bam, "IDX", strings.TrimSuffix(reference, ".fa"), "-t T", "-t "+strconv.Itoa(r.Threads),
		"-@ T", "-@ "+strconv.Itoa(r.Threads))
	for _, group := range pairPrograms {
		var results []*result
		var lines [][]string
		for _, p := range group.programs {
			x := &result{Set: s.Name, Output: group.output, Program: p.Name, Command: words.Replace(p.line)}
			line := []string{"taskset", "-c", on, "bash", "-c", "set -o pipefail; " + x.Command}
			if p.index != "" {
				if x.IndexSeconds, _, err = command.Timed(strings.Fields(words.Replace(p.index))...); err != nil {
					return err
				}
			}
			if err := x.timePair(line, bam); err != nil {
				r.leaveOut(p.Name+" to "+group.output, err)
				continue
			}
			results, lines = append(results, x), append(lines, line)
		}
		for range r.Repeat - 1 {
			for i, x := range results {
				if err := x.timePair(lines[i], bam); err != nil {
					return err
				}
			}
		}
		for _, x := range results {
			x.Median = command.Median(x.Seconds)
		}
		r.Pairs = append(r.Pairs, results...)
	}
	return nil
}

// timePair runs a program once.
func (x *result) timePair(line []string, bam string) error {
	if err := removeAll(bam + "*"); err != nil {
		return err
	}
	seconds, peak, err := command.Timed(line...)
	if err != nil {
		return err
	}
	x.Seconds, x.PeakMB = append(x.Seconds, seconds), max(x.PeakMB, peak)
	if x.Mapped > 0 {
		return nil
	}
	info, err := os.Stat(bam)
	if err != nil {
		return err
	}
	x.BamMB = float64(info.Size()) / 1e6
	if x.Output == sorted {
		if indexes, err := filepath.Glob(bam + ".*i"); err != nil || len(indexes) != 1 {
			return fmt.Errorf("%s has the indexes %q, expected one", bam, indexes)
		}
	}
	// primary records with a place
	x.Mapped, err = strconv.Atoi(command.Output("samtools", "view", "-c", "-F", "0x904", bam))
	return err
}

// leaveOut says aloud that something cannot be measured.
func (r *report) leaveOut(what string, why error) {
	fmt.Fprintf(os.Stderr, "%s: left out: %v\n", what, why)
	lines := strings.Split(strings.TrimSpace(why.Error()), "\n")
	if text := what + ": " + lines[len(lines)-1]; !slices.Contains(r.LeftOut, text) {
		r.LeftOut = append(r.LeftOut, text)
	}
}

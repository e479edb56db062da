package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"scanmap/internal/tools/command"
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
			seconds, _, err := command.Timed(fill(p.index)...)
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
			seconds, peak, err := command.Timed(fill(p.command)...)
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
		x.Median = command.Median(x.Seconds)
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

// countMapped counts the reads with a primary record. Some mappers mark no secondary
// records, so names are counted. It is left to other processes: the peak memory of a child
// is at least that of the process that starts it, so this one has to stay small.
func countMapped(sam string) (int, error) {
	text := command.Output("sh", "-c", `awk -F '\t' '!/^@/ && int($2 / 4) % 2 == 0 && int($2 / 256) % 2 == 0 && int($2 / 2048) % 2 == 0 {print $1}' "$0" | LC_ALL=C sort -u | wc -l`, sam)
	return strconv.Atoi(text)
}

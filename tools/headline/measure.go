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
	"time"

	"scanmap/tools/command"
)

// folder has what measuring makes: references and reads as plain text, indexes, and output.
const folder = "build/headline"

// A set is reads that all programs map to a reference.
type set struct {
	name      string // in the table
	slug      string // of its files
	reference string // in the folder of data
	reads     string // there too; empty for simulated ones
	n         int    // the first so many reads of at least length bases; 0 for all as they are
	length, k int    // longer reads are cut to length bases
}

var sets = []set{
	{"yeast, 100,000 x 50 b, k = 2", "yeast-50", yeast, "reads/dev_yeast_SRR5204809_50bp_R1.fastq.gz", 0, 50, 2},
	{"human mosaic, 25,839 x 101 b, k = 4", "mosaic", "ref/human_mosaic_15.6Mb.fa.gz",
		"reads/dev_human_NA12878_chr20_10.0-10.1M_101bp_R1.fastq.gz", 0, 101, 4},
	{"*E. coli*, 200,000 simulated x 100 b, k = 5", "ecoli", "ref/ecoli_K12_MG1655_NC_000913.3.fa.gz", "", 200_000, 100, 5},
	{"human loci (46 Mb), 50,000 simulated x 150 b, k = 6", "loci", "big/human_loci_46Mb.fa.gz", "", 50_000, 150, 6},
	{"human loci (46 Mb), 50,000 simulated x 100 b, k = 8", "loci-100", "big/human_loci_46Mb.fa.gz", "", 50_000, 100, 8},
	{"*C. elegans*, 30,000 x 98 b, k = 3", "celegans-3", celegans, wild, 30_000, 98, 3},
	{"*C. elegans*, 30,000 x 98 b, k = 7", "celegans-7", celegans, wild, 30_000, 98, 7},
	{"yeast, 50,000 simulated x 100 b, k = 8", "yeast-100", yeast, "", 50_000, 100, 8},
	{"yeast, 50,000 simulated x 150 b, k = 12", "yeast-150", yeast, "", 50_000, 150, 12},
	{"yeast, 50,000 simulated x 250 b, k = 20", "yeast-250", yeast, "", 50_000, 250, 20},
}

const (
	yeast    = "ref/yeast_R64-1-1_toplevel.fa.gz"
	celegans = "big/celegans_WS220.fa.gz"
	wild     = "big/celegans_wild_150bp_R1.fastq.gz"
)

// A program is one way of mapping. In its lines words in braces stand for files and numbers.
type program struct{ name, index, line string }

// Those that can report all locations are asked to; the others run with their defaults.
var programs = []program{
	{ours, "", "bin/scanmap map --quiet -t {T} -e {K} -o {OUT} {REF} {READS}"},
	{"RazerS 3", "", "razers3 -i {IDENTITY} -rr 100 -m 1000000 -tc {T} -o {OUT} {REF} {READS}"},
	{"yara", "yara_indexer -o {IDX}.yara {REF}",
		"yara_mapper -t {T} -y full -e {RATE} -s {RATE} -sa record -o {OUT} {IDX}.yara {READS}"},
	{"mrFAST", "mrfast --index {REF}", "mrfast --search {REF} --seq {READS} -e {K} -o {OUT} -u {OUT}.fq"},
	{"minimap2", "", "minimap2 -t {T} -ax sr -o {OUT} {REF} {READS}"},
	{"bwa mem", "bwa index -p {IDX}.bwa {REF}", "bwa mem -t {T} -o {OUT} {IDX}.bwa {READS}"},
	{"bowtie2", "bowtie2-build --threads {T} -q {REF} {IDX}.bt2", "bowtie2 -p {T} -x {IDX}.bt2 -U {READS} -S {OUT}"},
}

// plan says what to measure.
type plan struct {
	data, sets, machine, commit, note string
	threads, repeat                   int
}

// measure times all programs on all sets, in turn, and counts what they find. It returns the rows
// of the table. What is not installed, or fails, is left out and said on standard error.
func (p *plan) measure() ([]row, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	if p.commit == "" {
		p.commit = command.Output("git", "describe", "--always", "--dirty")
	}
	if p.commit == "" {
		return nil, errors.New("git does not know the commit; say -commit")
	}
	var rows []row
	for _, s := range sets {
		if !strings.Contains(s.name, p.sets) && !strings.Contains(s.slug, p.sets) {
			continue
		}
		if _, err := os.Stat(filepath.Join(p.data, s.reference)); err != nil {
			fmt.Fprintln(os.Stderr, "SKIPPED:", err)
			continue
		}
		more, err := p.compete(&s)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

// compete measures one set.
func (p *plan) compete(s *set) ([]row, error) {
	words, err := p.prepare(s)
	if err != nil {
		return nil, err
	}
	note := fmt.Sprintf("medians of %d runs", p.repeat)
	if p.note != "" {
		note += ", " + p.note
	}
	var rows []row
	var lines [][]string
	var outputs []string
	for _, x := range programs {
		name, _, _ := strings.Cut(x.line, " ")
		if _, err := exec.LookPath(name); err != nil {
			fmt.Fprintf(os.Stderr, "%s: left out: %v\n", x.name, err)
			continue
		}
		words["OUT"] = filepath.Join(folder, s.slug+"."+name[strings.LastIndex(name, "/")+1:]+".sam")
		if x.index != "" {
			if err := index(fill(words, x.index)); err != nil {
				fmt.Fprintf(os.Stderr, "%s: left out: %v\n", x.name, err)
				continue
			}
		}
		line := fill(words, x.line)
		rows = append(rows, row{set: s.name, program: x.name, found: -1, date: time.Now().UTC().Format("2006-01-02"),
			machine: p.machine, commit: p.commit, note: note, command: line})
		lines, outputs = append(lines, strings.Fields(line)), append(outputs, words["OUT"])
	}
	seconds := make([][]float64, len(rows))
	for range p.repeat {
		for i := range rows {
			if seconds[i] == nil || len(seconds[i]) > 0 {
				took, _, err := command.Timed(lines[i]...)
				if err != nil {
					fmt.Fprintf(os.Stderr, "%s: left out: %v\n", rows[i].program, err)
					seconds[i] = []float64{}
					continue
				}
				fmt.Fprintf(os.Stderr, "%s: %s: %.2f s\n", s.name, rows[i].program, took)
				seconds[i] = append(seconds[i], took)
			}
		}
	}
	if len(rows) == 0 || rows[0].program != ours || len(seconds[0]) == 0 {
		return nil, errors.New("bin/scanmap, whose locations stand for all, did not run")
	}
	for i := range rows {
		if len(seconds[i]) == 0 {
			continue
		}
		rows[i].seconds = median(seconds[i])
		rows[i].text = strconv.FormatFloat(rows[i].seconds, 'g', 4, 64)
		found, total, err := found(outputs[0], outputs[i], s.k)
		if err != nil {
			return nil, err
		}
		rows[i].found = 100 * float64(found) / float64(max(total, 1))
	}
	return rows, nil
}

// median returns the middle of some seconds, or the mean of the two in the middle.
func median(seconds []float64) float64 {
	sorted := slices.Sorted(slices.Values(seconds))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// index builds an index unless it was built by an earlier run: a file beside it says so.
func index(line string) error {
	done := filepath.Join(folder, strings.NewReplacer("/", "_", " ", "_").Replace(line)+".done")
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	if _, _, err := command.Timed(strings.Fields(line)...); err != nil {
		return err
	}
	return os.WriteFile(done, nil, 0o644)
}

// prepare writes the files of a set, and returns what stands for them in lines.
func (p *plan) prepare(s *set) (map[string]string, error) {
	reference := filepath.Join(folder, strings.TrimSuffix(filepath.Base(s.reference), ".gz"))
	reads := filepath.Join(folder, s.slug+".fq")
	lines := []string{"zcat " + filepath.Join(p.data, s.reference) + " > " + reference}
	switch source := filepath.Join(p.data, s.reads); {
	case s.reads == "":
		lines = append(lines, fmt.Sprintf("build/tools/simulate -ref %s -n %d -length %d -max-edits %d -seed 1 -o %s",
			reference, s.n, s.length, s.k, reads))
	case s.n == 0:
		lines = append(lines, "zcat "+source+" > "+reads)
	default:
		lines = append(lines, fmt.Sprintf(`zcat %s | awk -v n=%d -v m=%d 'NR %% 4 == 1 {name = $0} NR %% 4 == 2 {bases = $0}
			NR %% 4 == 0 && length(bases) >= m && i++ < n {print name "\n" substr(bases, 1, m) "\n+\n" substr($0, 1, m)}' > %s`,
			source, s.n, s.length, reads))
	}
	for _, line := range lines {
		if err := command.Shell(line); err != nil {
			return nil, err
		}
	}
	return map[string]string{
		"REF": reference, "READS": reads, "IDX": strings.TrimSuffix(reference, ".fa"),
		"T": strconv.Itoa(p.threads), "K": strconv.Itoa(s.k),
		// The least identity, and the rate of errors, that allow k edits, in whole percent.
		"IDENTITY": strconv.Itoa(100 * (s.length - s.k) / s.length), "RATE": strconv.Itoa((100*s.k + s.length - 1) / s.length),
	}, nil
}

// fill puts words into a line.
func fill(words map[string]string, line string) string {
	for name, text := range words {
		line = strings.ReplaceAll(line, "{"+name+"}", text)
	}
	return line
}

package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"scanmap/tools/command"
	"scanmap/tools/sidebyside"
)

// A mapper is one way of mapping pairs, with {REF}, {R1}, {R2} and the number of threads, {T}, in
// its line, which writes SAM to {OUT}. Indexes lie beside the reference.
type mapper struct {
	name, line  string
	index, made string // how its index is made, and a file that is then there
	changes     bool   // it is worked on, so that it runs again
}

var peers = []mapper{
	{"bwa", "bwa mem -t {T} -o {OUT} {REF} {R1} {R2}", "bwa index {REF}", "{REF}.sa", false},
	{"minimap2", "minimap2 -t {T} -ax sr -o {OUT} {REF} {R1} {R2}", "", "", false},
	{"bowtie2", "bowtie2 -p {T} -X 1000 -x {REF} -1 {R1} -2 {R2} -S {OUT}", "bowtie2-build -q {REF} {REF}", "{REF}.rev.2.bt2", false},
	{"strobealign", "strobealign -t {T} -o {OUT} {REF} {R1} {R2}", "", "", false},
}

// callers are the programs that call variants, each with a line from {BAM} to {VCF}.
var callers = []struct{ name, line string }{
	{"bcftools", "bcftools mpileup -q 20 -d 1000 -L 1000 -f {REF} {BAM} | bcftools call -mv -o {VCF}"},
	{"freebayes", "freebayes -f {REF} --min-mapping-quality 20 {BAM} > {VCF}"},
}

// A mapping is what was measured of a mapper.
type mapping struct {
	Line           string
	Mapped, Proper float64 // % of the reads
	Seconds, User  float64
}

// run measures mappers on sets.
func run(arguments []string) error {
	flags := flag.NewFlagSet("run", flag.ExitOnError)
	sets := flags.String("sets", "", "beginnings of the sets' files, with commas between them")
	scanmap := flags.String("scanmap", "bin/scanmap", "the program")
	others := flags.String("peers", "bwa,minimap2,bowtie2,strobealign", "other mappers; those that are not installed are left out")
	threads := flags.Int("t", 2, "threads of a mapper")
	rows := flags.String("rows", "", "file for what the tables have, a line for each mapper, caller and class, with tabs")
	again := flags.Bool("again", false, "only score again what scanmap's last run found")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	var mappers []mapper
	for _, p := range peers {
		if !strings.Contains(","+*others+",", ","+p.name+",") {
			continue
		}
		if err := sidebyside.Missing(p.name); err != nil {
			fmt.Fprintln(os.Stderr, "SKIPPED:", err)
			continue
		}
		mappers = append(mappers, p)
	}
	for _, argument := range flags.Args() {
		name, options, ok := strings.Cut(argument, "=")
		if !ok || name == "" || strings.ContainsAny(name, "/ ") {
			return fmt.Errorf("%q: expected name=options, such as \"whole8=map -e 8%%\"", argument)
		}
		mappers = append(mappers, mapper{name: name, changes: !*again, line: *scanmap + " " + options + " --quiet -t {T} -o {OUT} {REF} {R1} {R2}"})
	}
	for i := range mappers {
		mappers[i].line = sidebyside.Words{"T": strconv.Itoa(*threads)}.Fill(mappers[i].line)
	}
	lines := "set\tmapper\tcaller\tclass\ttruth\tfound\tfalse\tmapped %\tproper %\ts\tCPU s\n"
	for set := range strings.SplitSeq(*sets, ",") {
		more, err := runSet(set, mappers)
		if err != nil {
			return err
		}
		lines += more
	}
	if *rows == "" {
		return nil
	}
	return os.WriteFile(*rows, []byte(lines), 0o644)
}

// runSet prints the table of a set, and returns its rows.
func runSet(set string, mappers []mapper) (rows string, err error) {
	reference, err := filepath.EvalSymlinks(set + ".fa")
	if err != nil {
		return "", err
	}
	falseBed := set + ".false.bed"
	if _, err := os.Stat(falseBed); err != nil {
		falseBed = ""
	}
	fmt.Printf("\n%s\n\n| mapper | caller |", filepath.Base(set))
	for _, c := range classes {
		fmt.Printf(" %s |", c.name)
	}
	fmt.Printf(" mapped %% | proper %% | s | CPU s |\n|---|---|%s--:|--:|--:|--:|\n", strings.Repeat("--:|", len(classes)))
	for _, m := range mappers {
		folder := filepath.Join(set+".runs", m.name)
		made, err := m.measure(set, reference, folder)
		if err != nil {
			return "", err
		}
		for _, c := range callers {
			scores, _, _, err := scoreCalls(reference, set+".vcf", filepath.Join(folder, c.name+".vcf"), set+".bed", falseBed)
			if err != nil {
				return "", err
			}
			fmt.Printf("| %s | %s |", m.name, c.name)
			for i, s := range scores {
				fmt.Printf(" %s |", s)
				rows += fmt.Sprintf("%s\t%s\t%s\t%s\t%d\t%d\t%d\t%.2f\t%.2f\t%.1f\t%.1f\n", filepath.Base(set), m.name, c.name, classes[i].name,
					s.Truth, s.Found, s.False, made.Mapped, made.Proper, made.Seconds, made.User)
			}
			fmt.Printf(" %.2f | %.2f | %.1f | %.1f |\n", made.Mapped, made.Proper, made.Seconds, made.User)
		}
	}
	return rows, nil
}

// measure maps a set and calls its variants, unless that of another mapper is there.
func (m *mapper) measure(set, reference, folder string) (*mapping, error) {
	words := sidebyside.Words{"REF": reference, "R1": set + "_R1.fastq.gz", "R2": set + "_R2.fastq.gz", "OUT": folder + "/mapped.sam", "BAM": folder + "/mapped.bam"}
	made := &mapping{Line: words.Fill(m.line)}
	kept := filepath.Join(folder, "mapping.json")
	if text, err := os.ReadFile(kept); err == nil && !m.changes {
		var before mapping
		if json.Unmarshal(text, &before) == nil && before.Line == made.Line {
			return &before, nil
		}
	}
	if err := errors.Join(os.MkdirAll(folder, 0o755), sidebyside.Remove(kept), shell(words.Fill("[ -s {REF}.fai ] || samtools faidx {REF}"))); err != nil {
		return nil, err
	}
	if _, err := os.Stat(words.Fill(m.made)); m.index != "" && err != nil {
		if err := shell(words.Fill(m.index)); err != nil {
			return nil, err
		}
	}
	usage, err := sidebyside.RunWithin(sidebyside.Limits{}, sidebyside.Args(made.Line)...)
	if err != nil {
		return nil, err
	}
	made.Seconds, made.User = usage.Seconds, usage.User
	// No caller looks at secondary records, of which there may be many.
	sorting := "samtools view -u -F 0x100 {OUT} | samtools sort -@ 1 -o {BAM} - && samtools index {BAM} && rm {OUT}"
	if err := shell(words.Fill(sorting)); err != nil {
		return nil, err
	}
	if err := made.count(words.Fill("{BAM}")); err != nil {
		return nil, err
	}
	failed := make(chan error)
	for _, c := range callers {
		line := words.Fill(strings.ReplaceAll(c.line, "{VCF}", filepath.Join(folder, c.name+".vcf")))
		go func() { failed <- shell(line) }()
	}
	for range callers {
		err = errors.Join(err, <-failed)
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(made)
	return made, errors.Join(err, os.WriteFile(kept, text, 0o644))
}

// shell runs a pipeline.
func shell(line string) error {
	_, err := sidebyside.RunWithin(sidebyside.Limits{}, sidebyside.Args(line)...)
	return err
}

// count asks samtools how many reads are mapped, and properly paired.
func (m *mapping) count(bam string) error {
	rows := map[string]float64{}
	for line := range strings.Lines(command.Output("samtools", "flagstat", "-O", "tsv", bam)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		var n float64
		if _, err := fmt.Sscan(fields[0], &n); err == nil && len(fields) == 3 {
			rows[fields[2]] = n
		}
	}
	reads := rows["primary"]
	if reads == 0 {
		return fmt.Errorf("samtools flagstat %s: no reads", bam)
	}
	m.Mapped, m.Proper = 100*rows["primary mapped"]/reads, 100*rows["properly paired"]/reads
	return nil
}

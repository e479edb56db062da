// Command sortpeers measures what sorting costs: it maps 10 M reads of 36 bases to a bacterial
// genome with and without --sort, and has samtools sort what is not sorted. The reads are those of
// a FASTQ file again and again, with other names.
//
//	build/tools/sortpeers -records 10000000 -memory 512 -out docs/benchmarks
//
// -memory is --sort-memory in MiB; each thread of samtools sort gets a share of it, so that it has
// as much in all.
package main

import (
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

const (
	folder = "build/sort"
	name   = "sort"
)

// A result is what was measured of one way to a BAM file.
type result struct {
	What    string
	Records int
	sidebyside.Timing
	// peak of the second process of a pipeline; PeakMB is that of the first
	SecondMB float64 `tsv:",omitempty"`
}

// megabytes is the sum of what the processes took.
func (x *result) megabytes() float64 { return x.PeakMB + x.SecondMB }

type report struct {
	*sidebyside.Run
	Results []*result
}

func main() {
	options := sidebyside.Flags(name, 1)
	records := flag.Int("records", 10_000_000, "how many reads are mapped")
	memory := flag.Int("memory", 512, "MiB for sorting")
	flag.Parse()
	sidebyside.Exit("sortpeers", run(options, *records, *memory))
}

func run(o *sidebyside.Options, records, memory int) error {
	r := &report{Run: &sidebyside.Run{}}
	if o.Table != "" {
		if err := sidebyside.ReadTSV(o.Table, map[string]func() any{"run": func() any { return r.Run }, "result": sidebyside.Into(&r.Results)}); err != nil {
			return err
		}
		return r.save(o.Out)
	}
	if err := sidebyside.Missing("samtools"); err != nil {
		fmt.Println("LEFT OUT:", err)
		return nil
	}
	r.Run = sidebyside.Begin("make bench-sort", o, "samtools")
	if err := os.MkdirAll(filepath.Join(folder, "tmp"), 0o755); err != nil {
		return err
	}
	b := &bench{report: r, records: records}
	err := b.prepare(memory)
	if err == nil {
		err = b.measure()
	}
	// The files of the runs are large; the reads are kept for the next time.
	err = errors.Join(err, sidebyside.Remove(folder+"/*.bam*"), os.RemoveAll(filepath.Join(folder, "tmp")))
	if err != nil {
		return err
	}
	return r.save(o.Out)
}

// A bench measures for a report.
type bench struct {
	*report
	records int
	words   sidebyside.Words
}

// prepare makes the reads, unless they are there.
func (b *bench) prepare(memory int) error {
	data := sidebyside.FindData()
	source := data.Path(sidebyside.Choose(data, []string{"reads/dev_portiera_SRR2838702_36bp_R2.fastq.gz"}, []string{"portiera_36bp.fastq.gz"})[0])
	reads := filepath.Join(folder, fmt.Sprintf("%d-%s.fq", b.records, strings.TrimSuffix(filepath.Base(source), ".fastq.gz")))
	b.words = sidebyside.Words{
		"REF": "testdata/portiera.fa.gz", "READS": reads, "T": strconv.Itoa(b.Threads),
		"MEMORY": strconv.Itoa(memory), "SHARE": strconv.Itoa(memory / b.Threads),
		"PLAIN": folder + "/plain.bam", "SORTED": folder + "/sort.bam", "OTHER": folder + "/other.bam", "PIPE": folder + "/pipe.bam", "TMP": folder + "/tmp",
	}
	if info, err := os.Stat(reads); err == nil && info.Size() > 0 {
		return nil
	}
	return command.Shell(fmt.Sprintf(`zcat -f '%s' | awk -v n=%d '{line[NR] = $0} END {
		for (i = 0; i < n; i++) {from = 4 * (i %% (NR / 4)); printf "@%%d\n%%s\n+\n%%s\n", i, line[from + 2], line[from + 4]}
	}' >'%s.part' && mv '%s.part' '%s'`, source, b.records, reads, reads, reads))
}

const (
	scanmapLine  = "bin/scanmap map --quiet -t {T} --report one "
	samtoolsLine = "samtools sort -@ {T} -m {SHARE}M --write-index "
)

// The ways, as the report calls them.
const (
	plain   = "scanmap map -o x.bam"
	sorting = "scanmap map --sort --sort-memory {MEMORY}M -o x.bam, with its index"
	other   = "samtools sort -@ {T} -m {SHARE}M --write-index of that BAM file, alone"
	piped   = "scanmap map --format bam --compression 0, piped into the same"
)

// measure runs the ways in turn, and the pipeline after them.
func (b *bench) measure() error {
	var entrants []*sidebyside.Entrant
	for _, way := range []struct{ what, line, out string }{
		{plain, scanmapLine + "-o {PLAIN} {REF} {READS}", "{PLAIN}"},
		{sorting, scanmapLine + "--sort --sort-memory {MEMORY}M --tmpdir {TMP} -o {SORTED} {REF} {READS}", "{SORTED}"},
		{other, samtoolsLine + "-T {TMP}/s -o {OTHER}##idx##{OTHER}.bai {PLAIN}", "{OTHER}"},
	} {
		x := &result{What: b.words.Fill(way.what), Records: b.records}
		x.Command = b.words.Fill(way.line)
		b.Results = append(b.Results, x)
		out := b.words.Fill(way.out)
		entrants = append(entrants, &sidebyside.Entrant{
			Name: "scanmap and samtools", Timing: &x.Timing, Args: strings.Fields(x.Command),
			After: func() error { return b.judge(out) },
		})
	}
	if _, err := b.Turns(entrants, b.Repeat, 0); err != nil {
		return err
	}
	x := &result{What: b.words.Fill(piped), Records: b.records}
	first := b.words.Fill(scanmapLine + "--format bam --compression 0 {REF} {READS}")
	second := b.words.Fill(samtoolsLine + "-T {TMP}/p -o {PIPE}##idx##{PIPE}.bai -")
	x.Command = first + " | " + second
	for range b.Repeat {
		seconds, peaks, err := command.TimedPipe(strings.Fields(first), strings.Fields(second))
		if err == nil {
			err = b.judge(b.words.Fill("{PIPE}"))
		}
		if err != nil {
			return err
		}
		x.Seconds, x.PeakMB, x.SecondMB = append(x.Seconds, seconds), max(x.PeakMB, peaks[0]), max(x.SecondMB, peaks[1])
	}
	b.Results = append(b.Results, x)
	return nil
}

// judge says whether a BAM file has as many records as there are reads, and an index if it is
// sorted. samtools index refuses what is not in order.
func (b *bench) judge(file string) error {
	if n := command.Output("samtools", "view", "-c", file); n != strconv.Itoa(b.records) {
		return fmt.Errorf("%s has %s records, expected %d", file, n, b.records)
	}
	if file == b.words["PLAIN"] {
		return nil
	}
	indexes, err := filepath.Glob(file + ".*i")
	if err == nil && len(indexes) != 1 {
		err = fmt.Errorf("%s has the indexes %q, expected one", file, indexes)
	}
	if err == nil {
		err = command.Shell("samtools index -o " + folder + "/again.bam.bai " + file)
	}
	return err
}

func (r *report) save(out string) error {
	return r.Save(out, name, r.markdown(), sidebyside.TableOf("result", r.Results))
}

const preface = `
Each BAM file has %d records, and samtools index takes each sorted one. The memory is the largest resident one of a whole process, with
the reference and the reads in work.
`

func (r *report) markdown() string {
	var b strings.Builder
	b.WriteString(r.Head("What sorting costs", fmt.Sprintf("%d threads", r.Threads), 0))
	b.WriteString(sidebyside.Wrap(fmt.Sprintf(preface, r.Results[0].Records)))
	b.WriteString("\n| what | seconds | MiB at most | MiB more than without --sort |\n|---|---:|---:|---:|\n")
	for i, x := range r.Results {
		peak, more := fmt.Sprintf("%.0f", x.PeakMB), ""
		if x.SecondMB > 0 {
			peak += fmt.Sprintf(" + %.0f", x.SecondMB)
		}
		if i > 0 && !strings.HasPrefix(x.What, "samtools") {
			more = fmt.Sprintf("%.0f", x.megabytes()-r.Results[0].PeakMB)
		}
		fmt.Fprintf(&b, "| %s | %.2f | %s | %s |\n", x.What, x.Median(), peak, more)
	}
	b.WriteString(r.Foot(name + "-" + r.Date + ".tsv"))
	return b.String()
}

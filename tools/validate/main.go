// Command validate has samtools and Picard judge the output of scanmap map for every real set,
// single-end and in pairs, in every mode of report, as SAM, BAM, sam.gz and sorted with an index;
// scanmap/internal/validate says how. The sets are in ../shared/data, or in testdata where that is
// missing.
//
//	validate -scanmap bin/scanmap -out build/validate -only 'phix.*pairs'
//
// It prints one line for each set and mode, and writes build/validate/summary.md. Its exit code is
// 1 when there is any fault. The files of a case with faults stay in build/validate/work.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"scanmap/internal/validate"
	"scanmap/tools/command"
)

func main() {
	scanmap := flag.String("scanmap", "bin/scanmap", "the program to judge")
	out := flag.String("out", "build/validate", "folder of references, outputs and the summary")
	only := flag.String("only", "", "judge cases alone whose line matches this regular expression")
	jobs := flag.Int("jobs", runtime.GOMAXPROCS(0), "how many cases to judge at a time")
	flag.Parse()
	samtools, err := exec.LookPath("samtools")
	if err != nil {
		fmt.Println("SKIPPED: samtools is not installed")
		return
	}
	picard, err := exec.LookPath("PicardCommandLine")
	if err != nil {
		fmt.Println("SKIPPED: PicardCommandLine is not installed; the rest is done without it")
	}
	j := &judge{
		tools: validate.Tools{Scanmap: *scanmap, Samtools: samtools, Picard: picard}, data: command.FindData(), out: *out, began: time.Now(),
	}
	ok, err := j.run(*only, *jobs)
	if err == nil && !ok {
		err = errFaults
	}
	command.Exit("validate", err)
}

var errFaults = errors.New("there are faults")

// judge runs cases and keeps their verdicts.
type judge struct {
	tools validate.Tools
	data  command.Data
	out   string
	began time.Time

	mu       sync.Mutex
	verdicts []verdict
}

// verdict is what came of one case, at its place in the list.
type verdict struct {
	c       validate.Case
	result  *validate.Result // nil where a program failed
	err     error
	elapsed time.Duration
}

func (v *verdict) ok() bool { return v.err == nil && !v.result.Faults.Any() }

// run judges the cases that match, some at a time.
func (j *judge) run(only string, jobs int) (ok bool, err error) {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return false, err
	}
	var cases []validate.Case
	for _, c := range allCases(j.data, filepath.Join(j.out, "reference")) {
		if pattern.MatchString(c.String()) {
			cases = append(cases, c)
		}
	}
	if len(cases) == 0 {
		return false, fmt.Errorf("no case matches %q", only)
	}
	if err := j.references(cases); err != nil {
		return false, err
	}
	j.verdicts = make([]verdict, len(cases))
	next := make(chan int)
	var workers sync.WaitGroup
	for range max(jobs, 1) {
		workers.Go(func() {
			for i := range next {
				j.verdicts[i] = j.judge(i, cases[i])
			}
		})
	}
	for i := range cases {
		next <- i
	}
	close(next)
	workers.Wait()
	ok = true
	for i := range j.verdicts {
		ok = ok && j.verdicts[i].ok()
	}
	return ok, j.summary()
}

// references decompresses the references, with an index for samtools, once each.
func (j *judge) references(cases []validate.Case) error {
	if err := os.MkdirAll(filepath.Join(j.out, "reference"), 0o755); err != nil {
		return err
	}
	for _, c := range cases {
		if _, err := os.Stat(c.Reference + ".fai"); err == nil {
			continue
		}
		source := j.data.Path(folderOf(j.data, "ref", filepath.Base(c.Reference)))
		command := exec.Command("sh", "-c", `if [ -e "$1" ]; then cat "$1"; else gzip -dc "$1.gz"; fi >"$2" && "$3" faidx "$2" &&
			"$3" dict -o "${2%.fa}.dict" "$2"`, "sh", source, c.Reference, j.tools.Samtools)
		command.Stderr = os.Stderr
		if err := command.Run(); err != nil {
			return fmt.Errorf("%s: %w", c.Reference, err)
		}
	}
	return nil
}

// judge runs a case in a folder of its own, which stays if there are faults, and prints its lines.
func (j *judge) judge(number int, c validate.Case) verdict {
	began := time.Now()
	c.Picard = c.Picard && j.tools.Picard != ""
	v := verdict{c: c}
	folder := filepath.Join(j.out, "work", fmt.Sprintf("%03d", number))
	v.err = os.RemoveAll(folder)
	if v.err == nil {
		v.err = os.MkdirAll(folder, 0o755)
	}
	if v.err == nil {
		v.result, v.err = j.tools.Run(context.Background(), &c, folder)
	}
	v.elapsed = time.Since(began)
	if v.ok() {
		v.err = os.RemoveAll(folder)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	fmt.Println(v.line())
	for _, fault := range v.faults() {
		fmt.Println("   ", fault)
	}
	if !v.ok() {
		fmt.Println("    its files are in", folder)
	}
	return v
}

// faults describes each kind of fault in a line.
func (v *verdict) faults() []string {
	if v.err != nil {
		return []string{strings.TrimSpace(v.err.Error())}
	}
	return v.result.Faults.Lines()
}

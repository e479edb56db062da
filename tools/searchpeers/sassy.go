package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"scanmap/fasta"
	"scanmap/tools/command"
	"scanmap/tools/sidebyside"
)

// sassyName begins the names of the files of the report beside Sassy.
const sassyName = "search-sassy"

// guides are those that Sassy is measured with, guides with what follows them in their targets:
// evals/src/sassy2/data/static/guides.fasta of RagnarGrootKoerkamp/sassy (MIT), whole.
//
//go:embed guides.fa
var guides string

// guidesWithPAM is how many of the guides before an NGG are searched for with one.
const guidesWithPAM = 61

var (
	sassyLarger = []reference{
		{"yeast, 12.2 M bases", "yeast", sidebyside.Yeast},
		{"human loci, 46 M bases", "loci", "big/human_loci_46Mb.fa.gz"},
		{"C. elegans, 100 M bases", "celegans", "big/celegans_WS220.fa.gz"},
	}
	sassySmall = []reference{{"Portiera, 0.36 M bases", "portiera", "portiera.fa.gz"}}
)

// A sassyTask is patterns that both programs search for, with each k.
type sassyTask struct {
	Name      string
	distances []int
	scanmap   string // options, {K} for k
	others    []sidebyside.Program
	// ngg tells that the PAM has to match.
	ngg bool
}

const (
	sassySearch = "sassy search -j {THREADS} --max-n-frac 0 -k {K} "
	oneLine     = sassySearch + "-p {LETTERS} {REF} >{OUT}"
)

func onePattern(letters int, distances ...int) sassyTask {
	return sassyTask{
		fmt.Sprintf("one pattern of %d bases", letters), distances, "-k {K} {LETTERS} {REF}",
		[]sidebyside.Program{{Name: "Sassy", Line: oneLine}}, false,
	}
}

var sassyTasks = []sassyTask{
	{
		"61 guides of 20 bases with NGG", []int{0, 1, 2, 3, 4, 5}, "-k {K} --pam NGG -f {SET}.fa {REF}",
		[]sidebyside.Program{{Name: "Sassy crispr", Line: "sassy crispr -j {THREADS} --max-n-frac 0 -k {K} -g {SET}.ngg -o {OUT} {REF} >{OUT}.log"}}, true,
	},
	{
		"312 guides of 23 bases", []int{0, 1, 2, 3, 4, 5}, "-k {K} -f {ALL} {REF}",
		[]sidebyside.Program{
			{Name: "Sassy", Line: sassySearch + "-f {ALL} {REF} >{OUT}"},
			{Name: "Sassy --v2", Line: sassySearch + "--v2 -f {ALL} {REF} >{OUT}"},
		}, false,
	},
	onePattern(23, 0, 1, 2, 3, 4, 5),
	onePattern(100, 0, 3, 5, 10, 20),
	onePattern(500, 0, 3, 5, 10, 20),
}

// A sassyResult is what was measured of one program.
type sassyResult struct {
	Reference, Task, Program string
	K                        int
	Command                  string
	Seconds                  []float64 // by the clock
	CPU                      []float64 // seconds of all cores, user and system
	PeakMB                   float64
	Found                    int
	beside
}

type sassyReport struct {
	*sidebyside.Run
	Results []*sassyResult
}

// compareWithSassy measures all cells.
func compareWithSassy(o *sidebyside.Options) error {
	if o.Table != "" {
		r := &sassyReport{Run: &sidebyside.Run{}}
		if err := sidebyside.ReadTSV(o.Table, map[string]func() any{
			"run": func() any { return r.Run }, "result": sidebyside.Into(&r.Results),
		}); err != nil {
			return err
		}
		return r.save(o.Out)
	}
	if err := sidebyside.Missing("sassy"); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	data := sidebyside.FindData()
	r := &sassyReport{Run: sidebyside.Begin("make bench-search-sassy", o)}
	if name, version, ok := strings.Cut(command.Output("sassy", "--version"), " "); ok {
		r.Versions[name] = version
	}
	for _, ref := range sidebyside.Choose(data, sassyLarger, sassySmall) {
		if err := r.measure(data, ref); err != nil {
			return err
		}
	}
	return r.save(o.Out)
}

// measure times all tasks on a reference.
func (r *sassyReport) measure(data sidebyside.Data, ref reference) error {
	text, err := data.Unpack(ref.source, folder)
	if err != nil {
		return err
	}
	contigs, err := readContigs(text)
	if err != nil {
		return err
	}
	base := filepath.Join(folder, ref.file)
	set := base + ".sassy"
	names, err := writeGuides(set)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(20261122, 1))
	for i := range sassyTasks {
		t := &sassyTasks[i]
		letters := ""
		var length int
		if _, err := fmt.Sscanf(t.Name, "one pattern of %d bases", &length); err == nil {
			letters = draw(random, contigs, length)
		}
		for _, k := range t.distances {
			words := sidebyside.Words{"REF": text, "SET": set, "ALL": set + ".all.fa", "LETTERS": letters,
				"K": fmt.Sprint(k), "THREADS": fmt.Sprint(r.Threads)}
			results, err := r.cell(t, words, base, k)
			if err != nil {
				return err
			}
			ours := results[0]
			for _, x := range results {
				x.Reference = ref.Name
				if x != ours {
					if ours.Found, err = x.compare(t, contigs, ours.out(base, 0), x.out(base, 1), k, names, letters); err != nil {
						return err
					}
				}
				fmt.Fprintf(os.Stderr, "%s; %s; k %d; %s: %.3f s, CPU %.3f s, %d found; %s\n", x.Reference, x.Task, k,
					x.Program, sidebyside.Median(x.Seconds), sidebyside.Median(x.CPU), x.Found, x.String())
				r.Results = append(r.Results, x)
			}
		}
	}
	return nil
}

// out is the file of what a program found.
func (x *sassyResult) out(base string, number int) string {
	slug := (&sidebyside.Program{Name: strings.ToLower(x.Program)}).Slug()
	return fmt.Sprintf("%s.%d.%s.out", base, number, slug)
}

// cell runs the programs of a task in turn.
func (r *sassyReport) cell(t *sassyTask, words sidebyside.Words, base string, k int) ([]*sassyResult, error) {
	programs := append([]sidebyside.Program{{
		Name: "scanmap",
		Line: "bin/scanmap search --quiet --device cpu -t {THREADS} -o {OUT} --format tsv " + t.scanmap,
	}}, t.others...)
	var results []*sassyResult
	var runs [][]string
	for i, p := range programs {
		x := &sassyResult{Task: t.Name, Program: p.Name, K: k}
		words["OUT"] = x.out(base, min(i, 1))
		x.Command = words.Fill(p.Line)
		args, err := sidebyside.OnCores(r.Threads, sidebyside.Args(x.Command))
		if err != nil {
			return nil, err
		}
		results, runs = append(results, x), append(runs, args)
	}
	for round := range r.Repeat {
		for i, x := range results {
			if round > 0 && x.Seconds[0] > repeatBelow {
				continue
			}
			if err := x.run(runs[i]); err != nil {
				return nil, err
			}
		}
	}
	return results, nil
}

// run runs a command once more.
func (x *sassyResult) run(args []string) error {
	cmd := exec.CommandContext(context.Background(), args[0], args[1:]...)
	start := time.Now()
	text, err := cmd.CombinedOutput()
	seconds := time.Since(start).Seconds()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, text)
	}
	x.Seconds = append(x.Seconds, seconds)
	x.CPU = append(x.CPU, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		x.PeakMB = max(x.PeakMB, float64(usage.Maxrss)/1024)
	}
	return nil
}

// readContigs reads a reference, in upper case.
func readContigs(file string) ([]contig, error) {
	text, err := fasta.ReadText(context.Background(), file, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	var contigs []contig
	for record := range bytes.SplitSeq(text, []byte{'>'}) {
		if head, letters, ok := bytes.Cut(record, []byte{'\n'}); ok {
			contigs = append(contigs, contig{string(bytes.Fields(head)[0]), bytes.ToUpper(bytes.ReplaceAll(letters, []byte{'\n'}, nil))})
		}
	}
	return contigs, nil
}

// writeGuides writes all guides, and those before an NGG without and with it in place of what
// follows them. It returns the names by the letters that Sassy shows.
func writeGuides(set string) (names map[string]string, err error) {
	names = map[string]string{}
	var plain, ngg strings.Builder
	for record := range strings.SplitSeq(guides, ">") {
		name, letters, ok := strings.Cut(strings.TrimSpace(record), "\n")
		if !ok || !strings.HasSuffix(letters, "GG") || len(names) == guidesWithPAM {
			continue
		}
		guide := letters[:len(letters)-3]
		if names[guide+"NGG"] == "" {
			names[guide+"NGG"] = name
			fmt.Fprintf(&plain, ">%s\n%s\n", name, guide)
			fmt.Fprintf(&ngg, "%sNGG\n", guide)
		}
	}
	return names, errors.Join(os.WriteFile(set+".fa", []byte(plain.String()), 0o644),
		os.WriteFile(set+".ngg", []byte(ngg.String()), 0o644), os.WriteFile(set+".all.fa", []byte(guides), 0o644))
}

func (r *sassyReport) save(out string) error {
	return r.Save(out, sassyName, r.markdown(), sidebyside.TableOf("result", r.Results))
}

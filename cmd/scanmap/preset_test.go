package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scanmap/mapper"
)

// presetRun is what a preset decides.
type presetRun struct {
	local, split bool
	report       mapper.Report
	sort         bool
}

// TestPresets reads each preset alone, and with options that win over it.
func TestPresets(t *testing.T) {
	one, all := mapper.Report{Mode: mapper.ReportOne}, mapper.Report{Mode: mapper.ReportAll}
	best := mapper.Report{Mode: mapper.ReportBest}
	for _, c := range []struct {
		options string
		want    presetRun
	}{
		{"", presetRun{report: all}},
		{"-x variants", presetRun{true, true, one, true}},
		{"-x sv", presetRun{true, true, one, true}},
		{"-x all", presetRun{report: all}},
		{"--preset variants", presetRun{true, true, one, true}},

		{"-x variants --report best", presetRun{true, true, best, true}},
		{"--report best -x variants", presetRun{true, true, best, true}},
		{"-x variants --report all --sort=false", presetRun{true, true, all, false}},
		{"-x variants --sort", presetRun{true, true, one, true}},
		{"-x variants --sort=true --local=true", presetRun{true, true, one, true}},
		{"-x variants --split=false", presetRun{true, false, one, true}},
		{"-x variants --local=false", presetRun{false, false, one, true}},
		{"-x variants --min-score 70%", presetRun{true, true, one, true}},
		{"-x sv --split=false", presetRun{true, false, one, true}},
		{"-x sv --local=false", presetRun{false, false, one, true}},
		{"-x sv --sort-memory 1M --tmpdir .", presetRun{true, true, one, true}},
		{"-x all --report one", presetRun{report: one}},
		{"-x all --local", presetRun{true, false, all, false}},
		{"-x all --local --split --sort", presetRun{true, true, all, true}},
		{"-x all -e 2 --gaps unit --engine skim", presetRun{report: all}},

		// A number of edits takes the place of --local.
		{"-x variants -e 4%", presetRun{false, false, one, true}},
		{"-x variants --max-mismatches 2", presetRun{false, false, one, true}},
		{"-x sv -e 4%", presetRun{false, false, one, true}},
		{"-x variants -e 4% --gaps unit --engine skim", presetRun{false, false, one, true}},

		{"-x variants -o none --abundance x.tsv", presetRun{true, true, one, false}},
	} {
		j, err := optionsOf(append(strings.Fields(c.options), "ref.fa", "reads.fq")...)
		if err != nil {
			t.Errorf("%s: %v", c.options, err)
			continue
		}
		got := presetRun{j.options.Local != nil, j.options.Local != nil && j.options.Local.Split, j.options.Report, j.form.Sort}
		if got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.options, got, c.want)
		}
	}
}

func TestPresetErrors(t *testing.T) {
	for _, c := range []struct{ options, want string }{
		{"-x asm5", `option --preset: preset "asm5" is not one of variants, sv, all (did you mean scanmap map REF.fa READS.fq, without -x?)`},
		{"-x variant", `option --preset: preset "variant" is not one of variants, sv, all (did you mean variants?)`},
		{"-x sr", `option --preset: preset "sr" is not one of variants, sv, all (did you mean variants?)`},
		{"-x=", `option --preset: preset "" is not one of variants, sv, all`},
		{"-x", "option --preset needs a value"},
		{"-x sv -x variants", `option --preset is given twice, as "sv" and as "variants"`},
		{"-x variants --gaps unit", "options --local, of --preset variants, and --gaps contradict each other"},
		{"-x sv --engine skim", "options --local, of --preset sv, and --engine contradict each other"},
		{"-x variants --rescue-distance 3", "options --local, of --preset variants, and --rescue-distance contradict each other"},
		{"-x variants --local -e 4%", "options --local and --max-distance contradict each other"},
		{"-x all --local -e 4%", "options --local and --max-distance contradict each other"},
		{"-x variants -e 4% --min-score 50", "option --min-score needs --local, which --max-distance replaces"},
		{"-x sv --max-mismatches 4 --split", "option --split needs --local, which --max-mismatches replaces"},
		{"-x all --min-score 50 -e 3", "option --min-score needs --local"},
		{"-x variants --local=false --min-score 50", "option --min-score needs --local"},
		{"--split", "option --split needs --local"},
		{"-x variants -o none --sort", "option --sort is for records, of which --output none writes none"},
		{"-x variants -o none --mark-duplicates", "option --mark-duplicates is for records, of which --output none writes none"},
		{"-x variants --sort=false --mark-duplicates", "option --mark-duplicates needs --sort"},
		{"-x variants --sort=false --sort-memory 1M", "option --sort-memory needs --sort"},
		{"-x variants --sort=no", "option --sort takes no value"},
	} {
		// The input comes first, so that nothing follows -x.
		code, stdout, stderr := call(append([]string{"map", refFile, readsFile}, strings.Fields(c.options)...)...)
		if want := "scanmap: " + c.want + "\n"; code != 2 || stdout != "" || stderr != want {
			t.Errorf("%s: exit code %d, standard output %q, standard error\n%swant\n%s", c.options, code, stdout, stderr, want)
		}
	}
}

// TestPresetRuns compares presets with the options that they stand for.
func TestPresetRuns(t *testing.T) {
	for _, p := range presets {
		want := mapQuietly(t, append(strings.Fields(p.String()), "--no-pg")...)
		if got := mapQuietly(t, "-x", p.name, "--no-pg"); got != want {
			t.Errorf("%s: got\n%swant\n%s", p.name, got, want)
		}
	}
	got := mapQuietly(t, "-x", "variants", "--report", "best")
	if !strings.Contains(got, "\tSO:coordinate") ||
		!strings.Contains(got, "CL:scanmap map testdata/ref.fa testdata/reads.fq -x variants --report best --quiet\n") {
		t.Errorf("got\n%s", got)
	}
	code, _, stderr := call("map", "-x", "variants", "-e", "4%", "--quiet", refFile, readsFile)
	const warning = "scanmap: warning: --max-distance turns off the local alignments of the preset: whole reads are mapped\n"
	if code != 0 || stderr != warning {
		t.Errorf("exit code %d, %q, want %q", code, stderr, warning)
	}
	folder := t.TempDir()
	mapQuietly(t, "-x", "variants", "-o", filepath.Join(folder, "out.bam"))
	mapQuietly(t, "-x", "variants", "--sort=false", "-o", filepath.Join(folder, "unsorted.bam"))
	if got := names(t, folder); got != "out.bam out.bam.bai unsorted.bam" {
		t.Errorf("the folder holds %s", got)
	}
}

// TestLeftUnmapped has a read too short for --local, and one too long.
func TestLeftUnmapped(t *testing.T) {
	reads := filepath.Join(t.TempDir(), "reads.fa")
	text := ">short\nACGTA\n>long\n" + strings.Repeat("ACGTTGCAGC", 301) + "\n"
	if err := os.WriteFile(reads, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := call("map", "--local", "--quiet", refFile, reads)
	const warning = "scanmap: warning: reads that --local leaves unmapped: 2; " +
		"each is too short for its --min-score, longer than 3000 bases, or in too many places\n"
	if code != 0 || stderr != warning {
		t.Errorf("exit code %d, %q, want %q", code, stderr, warning)
	}
}

// TestPresetOptions fails where a preset names an option that map has not, or puts --split before
// --local, on which it depends.
func TestPresetOptions(t *testing.T) {
	command := newApp(process{}).Command("map")
	for _, p := range presets {
		var names []string
		for _, o := range p.options {
			names = append(names, o.name)
			if flag, _, _ := findFlag("--"+o.name, command.Flags); flag == nil || takesValue(flag) == (o.value == "true") {
				t.Errorf("%s: --%s %s", p.name, o.name, o.value)
			}
		}
		if slices.Contains(names, "split") && slices.Index(names, "split") < slices.Index(names, "local") {
			t.Errorf("%s: %q", p.name, names)
		}
	}
}

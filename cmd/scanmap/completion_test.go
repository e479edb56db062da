package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"scanmap/internal/programs"
)

// completionFolder makes files to choose from, with the script of a shell among them.
func completionFolder(t *testing.T, shell string) (folder, script string) {
	t.Helper()
	code, text, stderr := call("completion", shell)
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d, standard error %q", code, stderr)
	}
	scripts := t.TempDir()
	script = filepath.Join(scripts, "_scanmap")
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	folder = t.TempDir()
	for _, name := range []string{"ref.fa", "reads.fq.gz", "two words.fasta", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "runs"), 0o700); err != nil {
		t.Fatal(err)
	}
	return folder, script
}

// completionCase is a line, whose word after the last space is being typed, and the offers for that
// word.
type completionCase struct {
	line string
	want []string
}

// completions are what all shells offer.
var completions = []completionCase{
	{"scanmap ma", []string{"man", "map", "mappability"}},
	{"scanmap b", []string{"bench"}},
	{"scanmap help se", []string{"search"}},
	{"scanmap bench ", []string{"device", "map", "search"}},
	{"scanmap bench se", []string{"search"}},
	{"scanmap completion ", []string{"bash", "fish", "zsh"}},
	{"scanmap --vers", []string{"--version"}},
	{"scanmap map --max-d", []string{"--max-distance"}},
	{"scanmap map ref.fa --max-l", []string{"--max-locations"}},
	{"scanmap map -x ", []string{"all", "sv", "variants"}},
	{"scanmap map --preset s", []string{"sv"}},
	{"scanmap map --engine ", []string{"auto", "scan", "skim"}},
	{"scanmap map --engine s", []string{"scan", "skim"}},
	{"scanmap map --report str", []string{"strata:1"}},
	{"scanmap map -t 4 ref.fa --cigar ", []string{"eqx", "m"}},
	{"scanmap map --gaps ", []string{"affine", "unit"}},
	{"scanmap bench search --method wu", []string{"wu-manber"}},
	{"scanmap bench map --repeats-model ", []string{"alu", "none", "planted"}},
	{"scanmap search --format ", []string{"bed", "sam", "tsv"}},
	{"scanmap primers --format ", []string{"bed", "fasta", "tsv"}},
	{"scanmap fil", []string{"filter"}},
	{"scanmap map --threads ", nil},
	{"scanmap devices ", nil},
	{"scanmap map -- --ma", nil},
	{"scanmap map re", []string{"reads.fq.gz", "ref.fa"}},
	{"scanmap map ref.fa rea", []string{"reads.fq.gz"}},
	{"scanmap map -e 2 -o n", []string{"notes.txt"}},
	{"scanmap map --stats n", []string{"notes.txt"}},
	{"scanmap map -- ref", []string{"ref.fa"}},
}

// typed cuts a line as Bash does: at spaces and at its COMP_WORDBREAKS.
func typed(line, breaks string) []string {
	var words []string
	for i, word := range strings.Split(line, " ") {
		if word == "" || i == 0 {
			words = append(words, word)
			continue
		}
		for word != "" {
			j := strings.IndexAny(word, breaks)
			switch {
			case j < 0:
				words, word = append(words, word), ""
			case j == 0:
				words, word = append(words, word[:1]), word[1:]
			default:
				words, word = append(words, word[:j]), word[j:]
			}
		}
	}
	return words
}

// bashCompletes is what Bash offers for a line.
func bashCompletes(t *testing.T, folder, script, line, breaks string) []string {
	t.Helper()
	words := typed(line, breaks)
	program := `source "$1"; COMP_WORDBREAKS=$2; shift 2; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _scanmap; printf '%s\n' "${COMPREPLY[@]}"`
	command := exec.Command("bash", append([]string{"--norc", "-c", program, "bash", script, breaks}, words...)...)
	command.Dir = folder
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%s: %v, %s", line, err, stderr.String())
	}
	return offered(string(out))
}

// offered are lines in order.
func offered(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

const bashBreaks = " \t\n\"'><=;|&(:"

func TestCompletionInBash(t *testing.T) {
	programs.Find(t, "bash")
	folder, script := completionFolder(t, "bash")
	for _, c := range completions {
		if got := bashCompletes(t, folder, script, c.line, bashBreaks); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.line, got, c.want)
		}
	}
	// Names that look like patterns stay as they are.
	patterns := t.TempDir()
	for _, name := range []string{"x[1].fa", "x1.fa", "*.fa"} {
		if err := os.WriteFile(filepath.Join(patterns, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := bashCompletes(t, patterns, script, "scanmap map ", bashBreaks)
	slices.Sort(got)
	if !slices.Equal(got, []string{"*.fa", "x1.fa", "x[1].fa"}) {
		t.Errorf("names that look like patterns: got %q", got)
	}
	// The part that Bash cuts off a word is not in the offers.
	for _, c := range []struct {
		line, breaks string
		want         []string
	}{
		{"scanmap map --engine=", bashBreaks, []string{"auto", "scan", "skim"}},
		{"scanmap map --engine=s", bashBreaks, []string{"scan", "skim"}},
		{"scanmap map --engine=s", " ", []string{"--engine=scan", "--engine=skim"}},
		{"scanmap map --report=strata:", bashBreaks, []string{"1"}},
		{"scanmap map --report strata:", bashBreaks, []string{"1"}},
		{"scanmap map --report strata:", " ", []string{"strata:1"}},
		{"scanmap map --report=strata:", " ", []string{"--report=strata:1"}},
		{"scanmap map --device=cuda:", " =", []string{"cuda:0"}},
		{"scanmap map --stats=n", bashBreaks, []string{"notes.txt"}},
		{"scanmap map --engine=scan --max-d", bashBreaks, []string{"--max-distance"}},
		{"scanmap map --engine=scan --device ", bashBreaks, []string{"auto", "cpu", "cuda", "cuda:0"}},
		{"scanmap map -o -", bashBreaks, nil},
		{"scanmap map tw", bashBreaks, []string{"two words.fasta"}},
		{"scanmap map no", bashBreaks, []string{"notes.txt"}}, // because there are no sequences
		{"scanmap map r", bashBreaks, []string{"reads.fq.gz", "ref.fa", "runs"}},
		{"scanmap bench device -", bashBreaks, []string{"--bytes", "--device", "--help", "--json", "--repeats", "-h"}},
		{"scanmap bench device --help --", bashBreaks, []string{"--bytes", "--device", "--help", "--json", "--repeats"}},
	} {
		if got := bashCompletes(t, folder, script, c.line, c.breaks); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.line, got, c.want)
		}
	}
}

func TestCompletionInFish(t *testing.T) {
	fish := programs.Find(t, "fish")
	folder, script := completionFolder(t, "fish")
	lines := slices.Clone(completions)
	lines = append(lines, []completionCase{
		{"scanmap map --engine=s", []string{"--engine=scan", "--engine=skim"}},
		{"scanmap map --stats=n", []string{"--stats=notes.txt"}},
		{"scanmap map --report=str", []string{"--report=strata:1"}},
	}...)
	for _, c := range lines {
		command := exec.Command(fish, "--no-config", "-c", `source $argv[1]; complete -C $argv[2]`, script, c.line)
		command.Dir = folder
		command.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CONFIG_HOME=")
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v, %s", c.line, err, out)
		}
		var got []string
		for _, line := range offered(string(out)) {
			name, _, _ := strings.Cut(line, "\t")
			got = append(got, name)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.line, got, c.want)
		}
	}
	// Texts stand beside the names.
	command := exec.Command(fish, "--no-config", "-c", `source $argv[1]; complete -C 'scanmap map --gpu-s'`, script)
	if out, err := command.Output(); err != nil || string(out) != "--gpu-sync\twait for the end of every kernel and show their times\n" {
		t.Errorf("%v, got %q", err, out)
	}
}

// zshDriver starts a shell with completion in a terminal of its own, where compadd writes what it
// would offer, and types lines, each with a tab after it. Marks of its output are written so that
// an echo of the input has no marks.
const zshDriver = `
zmodload zsh/zpty || exit 9
script=$1 folder=$2
shift 2
zpty shell zsh -f -i
zpty -w shell "PS1=; stty -echo; fpath=(${(q)script:h} \$fpath); cd ${(q)folder}; autoload -Uz compinit; compinit -u -D"
zpty -w shell '
compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
    typeset -a found; builtin compadd -A found "$@"
    for word in $found; do print -r -- "OFF""ER:$word:OFFERED"; done
}
complete-and-clear() { zle complete-word; BUFFER=; print -r -- "DO""NE"; }
zle -N complete-and-clear
bindkey "^I" complete-and-clear
print -r -- "BE""GIN"'
zpty -r shell text '*BEGIN*'
for line; do
    zpty -n -w shell "$line"$'\t'
    zpty -r shell text '*DONE*'
    print -r -- "$text"
    print -r -- "NEXT"
done
zpty -d shell
`

func TestCompletionInZsh(t *testing.T) {
	zsh := programs.Find(t, "zsh")
	folder, script := completionFolder(t, "zsh")
	if out, err := exec.Command(zsh, "-n", script).CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v, %s", err, out)
	}
	lines := slices.Clone(completions)
	lines = append(lines, []completionCase{
		{"scanmap map --engine=s", []string{"scan", "skim"}},
		{"scanmap map --device=cuda:", []string{"cuda:0"}},
		{"scanmap map -Rx --max-d", []string{"--max-distance"}},
		{"scanmap map -t 4 --threads --thr", nil}, // given already
	}...)
	args := []string{"-f", "-c", zshDriver, "zsh", script, folder}
	for _, c := range lines {
		args = append(args, c.line)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	command := exec.CommandContext(ctx, zsh, args...)
	command.Env = append(os.Environ(), "HOME="+t.TempDir(), "TERM=xterm")
	command.WaitDelay = time.Second
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	parts := strings.Split(string(out), "NEXT\n")
	if len(parts) != len(lines)+1 {
		t.Fatalf("%d lines are answered of %d:\n%q", len(parts)-1, len(lines), out)
	}
	for i, c := range lines {
		if c.line == "scanmap devices " {
			c.want = []string{"--help", "-h"} // where nothing else is possible, zsh offers options
		}
		var got []string
		for _, part := range strings.Split(parts[i], "OFFER:")[1:] {
			word, _, _ := strings.Cut(part, ":OFFERED")
			got = append(got, strings.TrimSuffix(word, "="))
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q\n%q", c.line, got, c.want, parts[i])
		}
	}
}

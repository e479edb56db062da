package main

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"scanmap/search"
)

// refusedRun are arguments with which a command gets as far as to look for a file that is not
// there, if nothing about its options is wrong.
var refusedRun = map[string]string{
	"map":          "none.fa none.fq",
	"search":       "ACGT none.fa",
	"filter":       "ACGT none.fq",
	"demultiplex":  "-f none.fa -o none none.fq",
	"primers":      "-f none.tsv none.fa",
	"guides":       "-f none.txt none.fa",
	"insert-size":  "none.fa none.fq mates.fq",
	"copies":       "none.fa none.bedgraph",
	"mappability":  "-K 4 none.fa",
	"bench map":    "--json none/x.json",
	"bench search": "--json none/x.json",
	"bench device": "--json none/x.json",
}

// Every value that is offered is accepted, and another one is not.
func TestValuesAreAccepted(t *testing.T) {
	t.Chdir(t.TempDir())
	seen := 0
	for _, c := range describe(newApp(process{})).all() {
		for _, o := range c.options {
			if o.values == nil {
				continue
			}
			if refusedRun[c.name] == "" {
				t.Fatalf("%s is not in refusedRun", c.name)
			}
			for _, value := range o.values {
				seen++
				option := "--" + o.name() + "=" + value
				args := append(strings.Fields(c.name+" "+refusedRun[c.name]), option)
				// Some values need another option, or a mate: a scheme of a search is one of its
				// method.
				variants := [][]string{args}
				if c.name == "map" {
					variants = append(variants, append(slices.Clone(args), "-o", "none.bam"), append(slices.Clone(args), "mates.fq"),
						append([]string{c.name, "--depth=none.bw"}, args[1:]...))
				}
				if c.name == "search" {
					variants = append(variants, append(slices.Clone(args), "--pam=NGG"))
				}
				if c.name == "filter" || c.name == "demultiplex" {
					variants = append(variants, append(slices.Clone(args), "--pam=NGG"), append(slices.Clone(args), "--within=1"),
						append(slices.Clone(args), "mates.fq"))
				}
				if c.name == "search" && o.name() == "scheme" {
					variants = nil
					for _, method := range methodNames(search.Auto) {
						variants = append(variants, append(slices.Clone(args), "--method="+method))
					}
				}
				accepted := slices.ContainsFunc(variants, func(args []string) bool {
					code, _, stderr := call(args...)
					if code != 1 && code != 2 {
						t.Errorf("%q: exit code %d, %s", args, code, stderr)
					}
					return code == 1
				})
				if !accepted {
					t.Errorf("%s %s is refused", c.called(), option)
				}
			}
			args := append(strings.Fields(c.name+" "+refusedRun[c.name]), "--"+o.name()+"=no-such-value")
			if code, _, stderr := call(args...); code != 2 {
				t.Errorf("%q: exit code %d, %s", args, code, stderr)
			}
		}
	}
	if seen < 40 {
		t.Errorf("%d values are too few", seen)
	}
}

// Calls that are wrong in ways that users' fingers know: one line that says what, and exit code 2.
func TestSlipsOfTheKeyboard(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"ref.fa", "reads.fq"} {
		if err := os.WriteFile(name, []byte(">a\nACGT\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"map ref.fa reads.fq --report al",
			`option --report: report "al" is not one of all, best, one, unique, strata:S (did you mean all?)`},
		{"map ref.fa reads.fq --report=Best",
			`option --report: report "Best" is not one of all, best, one, unique, strata:S (did you mean best?)`},
		{"map ref.fa reads.fq --report strta:1",
			`option --report: report "strta:1" is not one of all, best, one, unique, strata:S (did you mean strata:1?)`},
		{"map ref.fa reads.fq --engine skimm", `option --engine: engine "skimm" is not one of auto, skim, scan (did you mean skim?)`},
		{"map ref.fa reads.fq --cigar eqq", `option --cigar: form "eqq" is not one of m, eqx (did you mean eqx?)`},
		{"map ref.fa reads.fq --cigar=", `option --cigar: form "" is not one of m, eqx`},
		{"map ref.fa reads.fq --device cdua", `option --device: device "cdua" is not one of auto, cpu, cuda, cuda:N, cuda:N,M (did you mean cuda?)`},
		{"map ref.fa reads.fq --device GPU",
			`option --device: device "GPU" is not one of auto, cpu, cuda, cuda:N, cuda:N,M (did you mean cuda?)`},
		{"search A ref.fa --format ts", `option --format: format "ts" is not one of tsv, bed, sam (did you mean tsv?)`},
		{"search A ref.fa --method kmp --scheme serail",
			`option --method or --scheme: scheme "serail" of method kmp is not one of auto, serial (did you mean serial?)`},
		{"bench map --repeats-model al", `option --repeats-model: repeats "al" are not one of none, planted, alu (did you mean alu?)`},
		{"completion fishs", `shell "fishs" is not one of bash, zsh, fish (did you mean fish?)`},
		{"completion", "scanmap completion takes the name of a shell, bash, zsh or fish, but 0 are given"},
		{"completion bash zsh", "scanmap completion takes the name of a shell, bash, zsh or fish, but 2 are given"},
		{"man map", `scanmap man takes no arguments, but "map" is given`},
		{"version map", `scanmap version takes no arguments, but "map" is given`},
		{"completon", `unknown command "completon" (did you mean completion?); see scanmap --help`},
		{"bench serch", `unknown command "serch" (did you mean search?); see scanmap bench --help`},
		{"help serch", `unknown command "serch" (did you mean search?); see scanmap --help`},

		{"map -t 4 ref.fa reads.fq --threads 5", `option --threads is given twice, as "4" and as "5"`},
		{"map -o a.sam ref.fa reads.fq -o=", `option --output is given twice, as "a.sam" and as ""`},
		{"map -oout.sam ref.fa reads.fq", "unknown option -oout.sam (did you mean -o out.sam?); see scanmap map --help"},
		{"map -te ref.fa reads.fq", "unknown option -te (did you mean -t e?); see scanmap map --help"},
		{"map -yxz ref.fa reads.fq", "unknown option -yxz; see scanmap map --help"},
		{"align ref.fa reads.fq", `unknown command "align" (did you mean scanmap map REF.fa READS.fq > out.sam?); see scanmap --help`},
		{"ref.fa.gz reads.fq", `unknown command "ref.fa.gz" (did you mean scanmap map REF.fa READS.fq > out.sam?); see scanmap --help`},
		{"map --very-sensitive ref.fa reads.fq", "unknown option --very-sensitive (did you mean scanmap map -e K REF.fa READS.fq, which misses no location?); see scanmap map --help"},
		{"map --secondary=no ref.fa reads.fq", "unknown option --secondary (did you mean scanmap map --report one REF.fa READS.fq?); see scanmap map --help"},
		{"mem ref.fa reads.fq", `unknown command "mem" (did you mean scanmap map REF.fa READS.fq > out.sam?); see scanmap --help`},
		{"index ref.fa", `unknown command "index" (did you mean scanmap map REF.fa READS.fq > out.sam, without an index?); see scanmap --help`},
		{"-ax sr ref.fa reads.fq", "unknown option -ax (did you mean scanmap map -x variants REF.fa READS.fq > out.sam?); see scanmap --help"},
		{"-V", "unknown option -V (did you mean scanmap --version?); see scanmap --help"},
		{"map -V", "unknown option -V (did you mean scanmap --version?); see scanmap map --help"},
		{"map -a ref.fa reads.fq", "unknown option -a (did you mean scanmap map REF.fa READS.fq, which writes SAM and all locations?); " +
			"see scanmap map --help"},
		{"map -x ref -1 R1.fq -2 R2.fq", "unknown option -1 (did you mean scanmap map REF.fa R1.fq R2.fq?); see scanmap map --help"},
		{"map -x map-ont ref.fa reads.fq", `option --preset: preset "map-ont" is not one of variants, sv, all (did you mean ` +
			"scanmap map REF.fa READS.fq, without -x?)"},
		{"search --primers p.tsv ref.fa", "unknown option --primers (did you mean scanmap primers -f PRIMERS.tsv REF.fa?); see scanmap search --help"},
		{"search --pairs=p.tsv ref.fa", "unknown option --pairs (did you mean scanmap primers -f PRIMERS.tsv REF.fa?); see scanmap search --help"},
		{"search -k 2 --records ACGT reads.fq",
			"unknown option --records (did you mean scanmap filter PATTERN READS.fq?); see scanmap search --help"},
		{"search --split-to d -f bars reads.fq",
			"unknown option --split-to (did you mean scanmap demultiplex -f BARCODES -o DIR READS.fq?); see scanmap search --help"},
		{"filter --split-to d -f bars reads.fq",
			"unknown option --split-to (did you mean scanmap demultiplex -f BARCODES -o DIR READS.fq?); see scanmap filter --help"},
		{"filter -v ACGT reads.fq", "unknown option -v (did you mean scanmap filter --invert PATTERN READS.fq?); see scanmap filter --help"},
		{"demux -f bars reads.fq", `unknown command "demux" (did you mean scanmap demultiplex -f BARCODES -o DIR READS.fq?); see scanmap --help`},
		{"primer -f p.tsv ref.fa", `unknown command "primer" (did you mean primers?); see scanmap --help`},
		{"guides --region chr1:1-100 ref.fa", "unknown option --region (did you mean --in REGION for the guides of a region, or " +
			"--regions FILE to say which locations lie in some?); see scanmap guides --help"},
		{"map --region chr1:1-100 ref.fa reads.fq", "unknown option --region (did you mean --regions REGIONS?); see scanmap map --help"},
		{"copies --locus=chr1 ref.fa d.bw", "unknown option --locus (did you mean --regions FILE?); see scanmap copies --help"},
		{"mappability --errors 2 ref.fa", "unknown option --errors (did you mean --max-distance E?); see scanmap mappability --help"},
		{"search --region chr1 A ref.fa", "unknown option --region; see scanmap search --help"},
		{"primers --min-size 50 -f p.tsv ref.fa", "unknown option --min-size (did you mean --product MIN-MAX?); see scanmap primers --help"},
		{"demultiplex --samples s.tsv reads.fq", "unknown option --samples (did you mean --barcodes FILE?); see scanmap demultiplex --help"},
		{"mappability --genome ref.fa", "unknown option --genome (did you mean scanmap mappability -K LENGTH REF.fa?); see scanmap mappability --help"},
		{"filter --gpu ACGT reads.fq", "unknown option --gpu; see scanmap filter --help"},
		{"guides -n 5 ref.fa", "unknown option -n; see scanmap guides --help"},
		{"map -quiat ref.fa reads.fq", "unknown option -quiat (did you mean --quiet?); see scanmap map --help"},
		{"map ref.fa reads.fq --threads=", `option --threads: "" is not a whole number from 1 to 4096`},
		{"map ref.fa reads.fq --threads", "option --threads needs a value"},
		{"map ref.fa reads.fq --output --quiet",
			"option --output needs a value, but the option --quiet follows; --output=--quiet makes that the value"},
		{"map ref.fa reads.fq -o -t4", "option --output needs a value, but the option -t4 follows; --output=-t4 makes that the value"},
		{"map ref.fa reads.fq --seed -1", `option --seed: "-1" is not a whole number from 0 to 18446744073709551615`},
		{"map ref.fa reads.fq --seed=-1", `option --seed: "-1" is not a whole number from 0 to 18446744073709551615`},
		{"map ref.fa --seed x reads.fq", `option --seed: "x" is not a whole number from 0 to 18446744073709551615`},
		{"map -- ref.fa r1.fq r2.fq --quiet",
			"scanmap map takes two files, REF.fa and READS.fq, or three with MATES.fq, but 4 are given; see scanmap map --help"},
		{"bench --json x", "unknown option --json; see scanmap bench --help"},
	} {
		code, stdout, stderr := call(strings.Fields(c.args)...)
		if want := "scanmap: " + c.want + "\n"; code != 2 || stdout != "" || stderr != want {
			t.Errorf("%s: exit code %d, standard output %q, standard error\n%swant\n%s", c.args, code, stdout, stderr, want)
		}
	}
}

// An option that is repeatable takes several values, and others one.
func TestRepeatedOptions(t *testing.T) {
	flags := []cli.Flag{&cli.StringSliceFlag{Name: "contig", Aliases: []string{"c"}}, &cli.StringFlag{Name: "name"}}
	got, err := optionsFirst([]string{"-c", "a", "x", "--contig=b"}, flags, "scanmap")
	if want := []string{"--contig=a", "--contig=b", "--", "x"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if got, err := optionsFirst([]string{"--name=a", "--name=b"}, flags, "scanmap"); err == nil {
		t.Errorf("got %q", got)
	}
	if o := describeOption(flags[0]); !o.repeated {
		t.Errorf("got %+v", o)
	}
}

// TestDefaultThreads has the variables of batch systems. They can only lower the runtime's number.
func TestDefaultThreads(t *testing.T) {
	all := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(all)
	for _, c := range []struct {
		variables map[string]string
		want      int
	}{
		{nil, 4},
		{map[string]string{"SLURM_CPUS_PER_TASK": "2", "SLURM_CPUS_ON_NODE": "3"}, 2},
		{map[string]string{"SLURM_CPUS_ON_NODE": "3"}, 3},
		{map[string]string{"NSLOTS": "1"}, 1},
		{map[string]string{"NSLOTS": "64"}, 4},
		{map[string]string{"NSLOTS": "0"}, 4},
		{map[string]string{"NSLOTS": "many", "PBS_NUM_PPN": "2"}, 2},
	} {
		if got := defaultThreads(func(name string) string { return c.variables[name] }); got != c.want {
			t.Errorf("%v: %d threads, want %d", c.variables, got, c.want)
		}
	}
}

// TestHabitWords has options that a command has, and none of a command's own among those typed.
func TestHabitWords(t *testing.T) {
	app := newApp(process{})
	for _, w := range habitWords {
		for _, meant := range w.meant {
			name, _, _ := strings.Cut(meant, " ")
			if !slices.ContainsFunc(app.Commands, func(c *cli.Command) bool { f, _, _ := findFlag(name, c.Flags); return f != nil }) {
				t.Errorf("%v: no command has %s", w.typed, name)
			}
		}
	}
	// A value may belong to the meaning: to an option of another name.
	guides := commandNamed(app.Commands, "guides").Flags
	for typed, want := range map[string]string{"--bulge": "--dna-bulges N --rna-bulges N", "--gpu": "--device cuda", "--json": "", "--top": "--best N"} {
		if got := optionFor(guides, typed); got != want {
			t.Errorf("%s: %q, want %q", typed, got, want)
		}
	}
	for command, habits := range habitOptions {
		c := commandNamed(app.Commands, strings.TrimPrefix(command, "scanmap "))
		for _, h := range habits {
			for _, typed := range h.typed {
				if c == nil {
					continue
				}
				if f, _, _ := findFlag(typed, c.Flags); f != nil {
					t.Errorf("%s has %s", command, typed)
				}
			}
		}
	}
}

// TestExplained lists values, with what they mean where that is known.
func TestExplained(t *testing.T) {
	const want = "a, b (this) or c (that)"
	if got := explained([][2]string{{"a", ""}, {"b", "this"}, {"c", "that"}}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

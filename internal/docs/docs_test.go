package docs

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"scanmap/internal/effort"
	"scanmap/internal/programs"
)

const root = "../.."

// bin is a folder with the built program.
var bin string

func TestMain(m *testing.M) {
	os.Exit(programs.WithScanmap(root+"/cmd/scanmap", func(folder string) int {
		bin = folder
		return m.Run()
	}))
}

// pages returns the names of the pages whose examples run.
func pages(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	recipes, recipesErr := filepath.Glob(filepath.Join(root, "docs", "recipes", "*.md"))
	if err := errors.Join(err, recipesErr); err != nil || len(names) == 0 || len(recipes) == 0 {
		t.Fatal("no pages", err)
	}
	names = append(names, recipes...)
	return append(names, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md"))
}

// A block is code of a page. A block of commands is a script. In one that shows output too,
// commands begin with "$ ".
type block struct {
	line  int    // of its first line of code, from 1
	skip  string // why it is not run
	lines []string
}

// notRun marks the next block, and says why.
var notRun = regexp.MustCompile(`^<!-- not run: (.*) -->$`)

// blocks returns the fenced and the indented code of a page.
func blocks(text string) (found []block) {
	var now *block
	fenced, empty := false, true
	skip := ""
	for i, line := range strings.Split(text, "\n") {
		blank := strings.TrimSpace(line) == ""
		switch {
		case strings.HasPrefix(line, "```"):
			if fenced = !fenced; fenced {
				found = append(found, block{line: i + 2, skip: skip})
				now, skip = &found[len(found)-1], ""
			} else {
				now = nil
			}
		case fenced:
			now.lines = append(now.lines, line)
		case strings.HasPrefix(line, "    ") && (empty || now != nil):
			if now == nil {
				found = append(found, block{line: i + 1, skip: skip})
				now, skip = &found[len(found)-1], ""
			}
			now.lines = append(now.lines, line[4:])
		case blank && now != nil:
			now.lines = append(now.lines, "")
		default:
			now = nil
			if m := notRun.FindStringSubmatch(line); m != nil {
				skip = m[1]
			}
		}
		empty = blank
	}
	return found
}

// ours finds a command of scanmap: at the start of a line, after blanks too, or after a pipe.
var ours = regexp.MustCompile(`(^(\$ | *)|\| )scanmap( |$)`)

// commands tells whether a block has a command of scanmap, and whether it shows output too.
func (b block) commands() (any, output bool) {
	for _, line := range b.lines {
		any = any || ours.MatchString(line)
		output = output || strings.HasPrefix(line, "$ ")
	}
	return any, output
}

// A step is a command and the lines that it is shown to print, nil where none are shown.
type step struct {
	command string
	want    []string
}

// steps cuts a block with output into its commands.
func (b block) steps() (steps []step) {
	for _, line := range b.lines {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			steps = append(steps, step{command: command})
		} else if len(steps) > 0 {
			s := &steps[len(steps)-1]
			s.want = append(s.want, line)
		}
	}
	return steps
}

// TestExamples runs each command of scanmap that the pages show, and compares what they print where
// the page shows that.
func TestExamples(t *testing.T) {
	effort.OnlyAll(t, "the pages' calls take ten seconds")
	for _, name := range pages(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks(string(text)) {
			any, output := b.commands()
			if !any {
				if b.skip != "" {
					t.Errorf("%s:%d: has no command of scanmap, so nothing says that it is not run", name, b.line)
				}
				continue
			}
			t.Run(fmt.Sprintf("%s:%d", filepath.Base(name), b.line), func(t *testing.T) {
				if b.skip != "" {
					t.Skip(b.skip)
				}
				folder := t.TempDir()
				provide(t, folder)
				if !output {
					script := strings.Join(b.lines, "\n")
					needs(t, script)
					if text, err := shell(folder, script); err != nil {
						t.Errorf("%s\n%v\n%s", script, err, text)
					}
					return
				}
				for _, s := range b.steps() {
					needs(t, s.command)
					text, err := shell(folder, s.command)
					if fails := strings.HasPrefix(strings.Join(s.want, "\n"), "scanmap: "); fails != (err != nil) {
						t.Errorf("%s\n%v\n%s", s.command, err, text)
					}
					if complaint := differs(strings.Split(text, "\n"), s.want); complaint != "" {
						t.Errorf("%s\n%s\nprinted\n%s", s.command, complaint, text)
					}
				}
			})
		}
	}
}

// needs skips a test whose script uses a program that is not there.
func needs(t *testing.T, script string) {
	for _, name := range []string{"samtools", "man"} {
		if regexp.MustCompile(`(^|\| |\n)` + name + ` `).MatchString(script) {
			programs.Find(t, name)
		}
	}
}

// shell runs a script in a folder, and returns what it prints on both outputs.
func shell(folder, script string) (string, error) {
	// A script that takes so long hangs.
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", "set -euo pipefail\n"+script)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+folder)
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// differs compares lines with those shown. Blanks and tabs are all the same, "..." at the end of a
// line stands for its rest, and a line "..." for any lines. Empty lines do not count.
func differs(got, want []string) string {
	squeeze := func(lines []string) (short []string) {
		for _, line := range lines {
			if words := strings.Fields(line); len(words) > 0 {
				short = append(short, strings.Join(words, " "))
			}
		}
		return short
	}
	got, want = squeeze(got), squeeze(want)
	for n := 0; n < len(want); n++ {
		if want[n] == "..." {
			if n == len(want)-1 {
				return ""
			}
			for len(got) > 0 && !same(got[0], want[n+1]) {
				got = got[1:]
			}
			continue
		}
		if len(got) == 0 {
			return fmt.Sprintf("did not print %q", want[n])
		}
		if !same(got[0], want[n]) {
			return fmt.Sprintf("printed %q in place of %q", got[0], want[n])
		}
		got = got[1:]
	}
	if len(got) > 0 && len(want) > 0 {
		return fmt.Sprintf("printed %q too", got[0])
	}
	return ""
}

func same(got, want string) bool {
	if start, ok := strings.CutSuffix(want, "..."); ok {
		return strings.HasPrefix(got, strings.TrimSpace(start))
	}
	return got == want
}

// provide puts the files that examples name into a folder: testdata itself, and provided.
func provide(t *testing.T, folder string) {
	t.Helper()
	data, err := filepath.Abs(filepath.Join(root, "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(data, filepath.Join(folder, "testdata")); err != nil {
		t.Fatal(err)
	}
	for name, text := range provided(t) {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

var providedOnce struct {
	sync.Once
	files map[string][]byte
}

// provided are ref.fa, which is phiX174 and Portiera, reads.fq of Portiera, small.fq and merged.fq
// of 100 short ones, R1.fq and R2.fq of phiX174, and phiX174 by other names; each compressed too.
func provided(t *testing.T) map[string][]byte {
	t.Helper()
	providedOnce.Do(func() { providedOnce.files = makeProvided(t) })
	return providedOnce.files
}

func makeProvided(t *testing.T) map[string][]byte {
	t.Helper()
	data := filepath.Join(root, "testdata")
	reference := append(content(t, data+"/phix.fa"), content(t, data+"/portiera.fa.gz")...)
	first, second := content(t, data+"/phix_R1.fastq"), content(t, data+"/phix_R2.fastq")
	short := bytes.Join(bytes.SplitAfterN(content(t, data+"/portiera_36bp.fastq.gz"), []byte("\n"), 401)[:400], nil)
	files := map[string][]byte{
		"ref.fa": reference, "reads.fq": content(t, data+"/portiera_101bp.fastq.gz"),
		"R1.fq": first, "R2.fq": second, "reads_1.fq": first, "reads_2.fq": second, "interleaved.fq": alternate(first, second),
		"primers.fa":  []byte(">forward\nGAGTTTTATCGCTTCCATGAC\n>reverse\nCCATCAACTTCACGTAGGTC\n"),
		"barcodes.fa": []byte(">BC01\nGAGTTTTATCGCTTCCATGAC\n>BC02\nCCATCAACTTCACGTAGGTC\n"),
		"primers.tsv": []byte("name\tforward\treverse\np1\tCGAATTAAATCGAAGTGGAC\tCAGAAAATCGAAATCATCTT\np2\tATGTCTAATATTCAAACTGG\tTGTTATAGATATTCAAATAA\n"),
		"genes.bed":   []byte("NC_018507.1\t10000\t14000\tgeneA\nNC_018507.1\t100000\t108000\tgeneB\n"),
		"guides.txt":  []byte("g1 TCTTAGACGAATCACCAGAA\ng2 GAGTTTTATCGCTTCCATGA\n"),
		"samples.tsv": []byte("R1.fq\tR2.fq\t@RG\\tID:phix\\tSM:virus\nreads.fq\t\t@RG\\tID:portiera\\tSM:bacterium\n"),
		"masked.fa":   content(t, data+"/phix.fa"), "alleles.fa": content(t, data+"/phix.fa"), "panel.fa": content(t, data+"/phix.fa"),
		"small.fq": short, "merged.fq": short,
		"server.log": []byte("12:00 started\n12:01 disk full\n"),
		"bad.fq":     []byte("@first\nACGT\n+\nIIII\n@second\nACGT\n+\nIII\n"),
	}
	for name, text := range maps.Clone(files) {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, err := w.Write(text)
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		files[name+".gz"] = b.Bytes()
	}
	return files
}

// content returns the text of a file, decompressed if its name says so.
func content(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// alternate joins two files of four-line FASTQ record by record.
func alternate(first, second []byte) []byte {
	a, b := bytes.SplitAfter(first, []byte("\n")), bytes.SplitAfter(second, []byte("\n"))
	var out []byte
	for i := 0; i+3 < len(a) && i+3 < len(b); i += 4 {
		out = append(out, bytes.Join(a[i:i+4], nil)...)
		out = append(out, bytes.Join(b[i:i+4], nil)...)
	}
	return out
}

func TestBlocks(t *testing.T) {
	const text = "# Page\n\n    scanmap a\n\n    scanmap b\n\nText\n    scanmap no code\n\n```\n$ scanmap c\nout\n\nmore\n$ true\n```\n" +
		"<!-- not run: no card -->\n\n    scanmap d\n"
	got := blocks(text)
	if len(got) != 3 {
		t.Fatalf("%d blocks: %+v", len(got), got)
	}
	for i, want := range []struct {
		first       string
		line        int
		any, output bool
		skip        string
	}{{"scanmap a", 3, true, false, ""}, {"$ scanmap c", 11, true, true, ""}, {"scanmap d", 19, true, false, "no card"}} {
		b := got[i]
		any, output := b.commands()
		if b.lines[0] != want.first || b.line != want.line || any != want.any || output != want.output || b.skip != want.skip {
			t.Errorf("block %d: %+v, want %+v", i, b, want)
		}
	}
	if s := got[1].steps(); len(s) != 2 || s[0].command != "scanmap c" || fmt.Sprintf("%q", s[0].want) != `["out" "" "more"]` || s[1].want != nil {
		t.Errorf("steps: %+v", s)
	}
}

func TestDiffers(t *testing.T) {
	for _, c := range []struct {
		got, want string
		ok        bool
	}{
		{"a\tb\n", "a    b", true}, {"a b\n", "", true}, {"a\n", "b", false}, {"a\nb\n", "a", false}, {"a\n", "a\nb", false},
		{"a bc\n", "a b...", true}, {"b\n", "a...", false}, {"a\nx\ny\nb\n", "a\n...\nb", true}, {"a\nx\n", "a\n...\nb", false}, {"a\nb\n", "a\n...", true},
	} {
		if complaint := differs(strings.Split(c.got, "\n"), strings.Split(c.want, "\n")); (complaint == "") != c.ok {
			t.Errorf("%q and %q: %q", c.got, c.want, complaint)
		}
	}
}

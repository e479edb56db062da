package recipes

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"scanmap/dna"
	"scanmap/internal/effort"
	"scanmap/internal/programs"
)

// turned is the reverse complement.
func turned(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	for i := range b {
		b[i] = dna.Complement(b[i])
	}
	return string(b)
}

// primerPanel is a genome, and 200 pairs whose products lie in it one after the other. Beside these
// there are: a second place of p3, on the other strand, with 2 substitutions in each primer; one of
// p4, with 2 substitutions at a 3' end; a product of the forward primers of p5 and p9; one of the
// reverse primer of p7 on both sides; and no place of p8.
func primerPanel() (contigs []string, primers string) {
	d := newDice(15)
	var genome strings.Builder
	var lines []string
	var forward, reverse []string
	for i := range 200 {
		f, r := d.bases(20), d.bases(20)
		forward, reverse = append(forward, f), append(reverse, r)
		lines = append(lines, fmt.Sprintf("p%d\t%s\t%s", i, f, r))
		if i != 8 {
			genome.WriteString(d.bases(2500) + f + d.bases(60+2*i) + turned(r))
		}
	}
	change := func(s string, places ...int) string {
		b := []byte(s)
		for _, i := range places {
			b[i] = map[byte]byte{'A': 'C', 'C': 'G', 'G': 'T', 'T': 'A'}[b[i]]
		}
		return string(b)
	}
	product := func(left, right string) string { return d.bases(2500) + left + d.bases(200) + turned(right) }
	second := turned(product(change(forward[3], 1, 9), change(reverse[3], 0, 7))) +
		product(forward[4], change(reverse[4], 16, 18)) + product(forward[5], forward[9]) + product(reverse[7], reverse[7])
	return []string{genome.String(), second}, "# a panel\n" + strings.Join(lines, "\n") + "\n"
}

// script runs the first block of a recipe.
func (b *bench) script(name string) { b.scriptAfter(name, "") }

// scriptAfter is script of the first commands after a text.
func (b *bench) scriptAfter(name, after string) {
	b.Helper()
	_, text, _ := strings.Cut(page(b.T, name), after)
	_, text, _ = strings.Cut(text, "```sh\n")
	text, _, _ = strings.Cut(text, "```")
	cmd := exec.Command("bash", "-c", "set -euo pipefail\n"+text)
	cmd.Dir, cmd.Env = b.folder, append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
}

// rows returns the first columns of a table, joined.
func (b *bench) rows(name string, columns int) (rows []string) {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(b.folder, name))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		rows = append(rows, strings.Join(strings.Split(strings.TrimSpace(line), "\t")[:columns], " "))
	}
	return rows
}

func TestPrimerPanel(t *testing.T) {
	t.Parallel()
	contigs, primers := primerPanel()
	b := newBench(t, contigs, nil)
	b.write("primers.tsv", primers)
	b.script("primers.md")
	unwanted := b.rows("unwanted.tsv", 9)
	if own := len(b.rows("products.tsv", 2)) - len(unwanted); own != 200 {
		t.Errorf("%d products of pairs", own)
	}
	// Products of two primers by chance, with edits, are there too.
	exact := slices.DeleteFunc(unwanted[1:], func(row string) bool { return !strings.HasSuffix(row, " 0 0") })
	if want := []string{"p5/F p9/F c1 7980 8220 + 240 0 0", "p7/R p7/R c1 10720 10960 + 240 0 0"}; !slices.Equal(exact, want) {
		t.Errorf("unwanted: %q", exact)
	}
	if got, want := b.rows("wrong.tsv", 2), []string{"p3 2", "p8 0"}; !slices.Equal(got, want) {
		t.Errorf("wrong: %q", got)
	}
}

// TestPrimersearch compares the products of each pair's two primers with the products of EMBOSS.
func TestPrimersearch(t *testing.T) {
	effort.OnlyAll(t, "another program runs beside")
	t.Parallel()
	programs.Find(t, "primersearch")
	contigs, primers := primerPanel()
	b := newBench(t, contigs, nil)
	primers = strings.Join(strings.SplitAfter(primers, "\n")[1:41], "") // 40 are enough for its speed
	b.write("primers.tsv", primers)
	b.run("primersearch -seqall ref.fa -infile primers.tsv " + shown(t, "primers.md", "-mismatchpercent 15") + " -outfile theirs.txt")
	text, err := os.ReadFile(filepath.Join(b.folder, "theirs.txt"))
	if err != nil {
		t.Fatal(err)
	}
	theirs, ours := map[string]bool{}, map[string]bool{}
	pair := ""
	parts := regexp.MustCompile(`Primer name (\S+)|Sequence: (\S+)[^>]*?forward strand at (\d+) with (\d+)[^>]*?with (\d+)[^>]*?length: (\d+) bp`)
	for _, m := range parts.FindAllStringSubmatch(string(text), -1) {
		if m[1] != "" {
			pair = m[1]
			continue
		}
		start, size := number(t, m[3])-1, number(t, m[6])
		theirs[fmt.Sprint(pair, m[2], start, start+size, number(t, m[4])+number(t, m[5]))] = true
	}
	out, _ := b.run("scanmap primers --quiet -f primers.tsv --product 1-1000000 --max-mismatches 3 ref.fa")
	for line := range strings.Lines(out) {
		c := strings.Split(line, "\t")
		f, _, _ := strings.Cut(c[0], "/")
		if c[0] == "forward" || c[0][len(c[0])-1] == c[1][len(c[1])-1] { // one primer on both sides
			continue
		}
		ours[fmt.Sprint(f, c[2], number(t, c[3]), number(t, c[4]), number(t, c[7])+number(t, c[8]))] = true
	}
	if len(ours) < 41 || !maps.Equal(ours, theirs) {
		t.Errorf("%d products, and %d of primersearch", len(ours), len(theirs))
	}
}

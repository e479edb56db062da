package recipes

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scanmap/internal/programs"
)

// confident are the intervals of testdata/na12878.fa.gz in which a call that GIAB lacks is wrong:
// the intervals of test_nist.b37_chr20_100kbp_at_10mb.bed of google/nucleus, less 10,000,000.
// Positions count from 0, and the ends are left out.
var confident = [][2]int{{846, 2407}, {2520, 4171}, {4273, 4964}, {4994, 6386}, {6409, 7800}, {7824, 8018},
	{8043, 8079}, {8100, 8707}, {8808, 8897}, {9002, 9791}, {9933, 10531}}

// called is a variant that bcftools has normalised.
type called struct {
	position  int // from 1
	old, made string
}

// class is 0 for a single base, 1 for an insertion or deletion of 1 to 3 bases, and 2 for a longer
// one.
func (v called) class() int {
	switch n := abs(len(v.old) - len(v.made)); {
	case n == 0:
		return 0
	case n < 4:
		return 1
	}
	return 2
}

// normalized returns the variants of a VCF file with a genotype and, where they have one, a QUAL of
// 20 or more: one allele each, taken apart, and as far to the left as they go.
func (b *bench) normalized(name string) (all []called) {
	b.Helper()
	const norm = "bcftools norm -f na12878.fa "
	line := "bcftools view -e 'QUAL<20' " + name + " | " + norm + "-m -any | bcftools view -i 'GT=\"alt\"' | " +
		"bcftools norm -a | " + norm + "| bcftools query -f '%POS %REF %ALT\\n'"
	cmd := exec.Command("bash", "-c", "set -euo pipefail\n"+line)
	cmd.Dir = b.folder
	text, err := cmd.Output()
	if err != nil {
		b.Fatalf("%s: %v", line, err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(strings.ToUpper(line))
		if v := (called{number(b.T, f[0]), f[1], f[2]}); !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return all
}

// TestVariants runs the commands of the recipe, and compares the calls with GIAB's variants.
func TestVariants(t *testing.T) {
	t.Parallel()
	programs.Find(t, "bcftools")
	b := newBench(t, nil, nil)
	data, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(data, filepath.Join(b.folder, "testdata")); err != nil {
		t.Fatal(err)
	}
	b.script("variants.md")
	if _, err := os.Stat(filepath.Join(b.folder, "na12878.bam.bai")); err != nil {
		t.Error(err)
	}
	b.scriptAfter("variants.md", "## Compare with a truth set")
	both, err := os.ReadFile(filepath.Join(b.folder, "compared", "0002.vcf"))
	if n := strings.Count(string(both), "\nchr20_10M\t"); err != nil || n < 65 {
		t.Errorf("bcftools isec has %d variants in both, %v", n, err)
	}

	truth, calls := b.normalized("testdata/na12878.vcf"), b.normalized("calls.vcf")
	var known, found [3]int
	for _, v := range truth {
		known[v.class()]++
		if slices.Contains(calls, v) {
			found[v.class()]++
		} else {
			t.Logf("not found: %+v", v)
		}
	}
	for _, v := range calls {
		if !slices.Contains(truth, v) && slices.ContainsFunc(confident, func(s [2]int) bool { return s[0] < v.position && v.position <= s[1] }) {
			t.Errorf("false: %+v", v)
		}
	}
	for i, row := range []string{"single bases", "insertions and deletions of 1 to 3 bases", "of 4 bases or more"} {
		least := [3]int{65, 5, 3}[i]
		if found[i] < least {
			t.Errorf("%s: %d of %d found, fewer than %d", row, found[i], known[i], least)
		}
		shown(t, "variants.md", fmt.Sprintf("| %s | %d | %d |", row, known[i], least))
	}
}

package primers

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"scanmap/search"
)

// anywhere leaves out where pairs were read.
var anywhere = cmpopts.IgnoreTypes(search.Source{})

func TestReadPairs(t *testing.T) {
	one := []Pair{{Name: "a b", Forward: []byte("ACGTN"), Reverse: []byte("GATTACA")}}
	for _, c := range []struct {
		text string
		want []Pair
		err  string
	}{
		{text: "a b\tacgtn\tGAUUACA\n", want: one},
		{text: "\ufeffname\tForward\tREVERSE\r\n# a comment\r\n\r\n a b \t acgtn\tGATTACA\r\n", want: one},
		{text: "  # a comment\nname forward reverse\nq AC GT", want: []Pair{{Name: "q", Forward: []byte("AC"), Reverse: []byte("GT")}}},
		{text: "name,forward,reverse\na b,acgtn,GATTACA\n", want: one},
		{text: "a b,acgtn,GATTACA\n", want: one},
		{text: "\"a b\", acgtn ,\"GATTACA\"\n", want: one},
		{text: "Amplicon ID\tLeft Primer\tRight Primer\na b\tacgtn\tGATTACA\n", want: one},
		{text: "Reverse primer (5'-3'),Tm,Forward primer (5'->3'),Primer name\nGATTACA,60,ACGTN,a b\n", want: one},
		{text: "target\tprimer1\tprimer2\nq\tAC\tGT", want: []Pair{{Name: "q", Forward: []byte("AC"), Reverse: []byte("GT")}}},
		{text: "pair_name F_seq R_seq\nq AC GT", want: []Pair{{Name: "q", Forward: []byte("AC"), Reverse: []byte("GT")}}},
		{text: "gene\tfwd\trev\tlength\nq\tAC\tGT\t100", want: []Pair{{Name: "q", Forward: []byte("AC"), Reverse: []byte("GT")}}},
		{text: "R\tR\tN\n", want: []Pair{{Name: "R", Forward: []byte("R"), Reverse: []byte("N")}}},
		{text: "gene\tfwd\trev\tlength\nq\tAC\tGT\n", err: "line 2: its number of columns is 3; expected 4, as the header has"},
		{text: "chrom\tfwd\trev\nq\tAC\tGT\n", err: "line 1: the header has no column for names, such as name; expected name, forward and reverse primer"},
		{text: "q,AC,GT,x\n", err: "line 1: its number of columns is 4; expected 3: name, forward and reverse primer"},
		{text: "", err: "holds no primer pairs; expected lines of name, forward and reverse primer"},
		{text: "name\tforward\treverse\n# nothing\n", err: "holds no primer pairs; expected lines of name, forward and reverse primer"},
		{text: "p\tAC\tGT\nq\tAC\n", err: "line 2: its number of columns is 2; expected 3: name, forward and reverse primer"},
		{text: "p AC GT 100\n", err: "line 1: its number of columns is 4; expected 3: name, forward and reverse primer"},
		{text: "\tAC\tGT\n", err: "line 1: the name is empty; expected name, forward and reverse primer"},
		{text: "p\tAC\tGJ\n", err: `line 1: the reverse primer of "p": letter 2 is "J", which is not an IUPAC letter of DNA`},
		{text: "p\t\tGT\n", err: `line 1: the forward primer of "p": it has no letters`},
		{text: "p AC GT\n\nq AC GT\np AG GT\n", err: `line 4: the name "p" is that of line 1; expected a name of its own`},
		{text: "p AC GT\nname forward reverse\n", err: `line 2: the forward primer of "name": letter 1 is "F", which is not an IUPAC letter of DNA`},
		{text: "p\x00", err: "is UTF-16 or binary; expected lines of name, forward and reverse primer"},
	} {
		file := filepath.Join(t.TempDir(), "primers.tsv")
		if err := os.WriteFile(file, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := ReadPairs(context.Background(), file)
		if c.err != "" {
			if want := file + ": " + c.err; err == nil || err.Error() != want {
				t.Errorf("%q: %v, not %s", c.text, err, want)
			}
			continue
		}
		if diff := gocmp.Diff(c.want, got, anywhere); err != nil || diff != "" {
			t.Errorf("%q: %v %s", c.text, err, diff)
		}
	}
	if _, err := ReadPairs(context.Background(), filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there was read")
	}
}

// FuzzPairs compares the pairs that are read with their lines, writes them and reads them again.
func FuzzPairs(f *testing.F) {
	f.Add("a\tACGT\tGATTACA\n")
	f.Add("name forward reverse\np RY nn\n# x\n")
	f.Add("\ufeffp\tA\tC\r\nq\tA\tC")
	f.Fuzz(func(t *testing.T, text string) {
		pairs, err := parsePairs(text)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\x00") {
				t.Errorf("%q: more than a line: %v", text, err)
			}
			return
		}
		var b strings.Builder
		for _, p := range pairs {
			if strings.Trim(string(p.Forward)+string(p.Reverse), "ACGTRYSWKMBDHVN") != "" {
				t.Errorf("%q: %q", text, p)
			}
			b.WriteString(p.Name + "\t" + string(p.Forward) + "\t" + string(p.Reverse) + "\n")
		}
		again, err := parsePairs(b.String())
		if strings.HasPrefix(pairs[0].Name, "\ufeff") {
			return // at the start of a text it is a mark
		}
		if diff := gocmp.Diff(pairs, again, anywhere); err != nil || diff != "" {
			t.Errorf("%q: %v %s", text, err, diff)
		}
	})
}

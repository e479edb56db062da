package search

import (
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestPatterns(t *testing.T) {
	tooLong := strings.Repeat("A", MaxLength)
	for _, c := range []struct {
		name, text string
		alphabet   Alphabet
		want       string // name=letters of each, or what the error says
	}{
		{"lines", "ACGT\nacgu\n", DNA, "ACGT=ACGT acgu=ACGU"},
		{"names", "a ACGT\nb\tACGN\n c  \t ACG \n", DNA, "a=ACGT b=ACGN c=ACG"},
		{"no last line feed", "ACGT\nACG", DNA, "ACGT=ACGT ACG=ACG"},
		{"CRLF, blank lines, byte-order mark", "\xef\xbb\xbf\r\n  \nACGT\r\n\r\nb ACG\r\n", DNA, "ACGT=ACGT b=ACG"},
		{"same name twice", "a ACGT\na ACG\n", DNA, "a=ACGT a=ACG"},
		{"FASTA", ">a first\nACGT\nACRY\n>b/1\nacgu\n>b/2\r\nAC GT\r\n", DNA, "a=ACGTACRY b/1=ACGU b/2=ACGT"},
		{"FASTA, no name", "\n>\nACGT\n> \nACG\n", DNA, "1=ACGT 2=ACG"},
		{"bytes", "a b\n >x\r\n\n\x00\xff\n\r", Bytes, "a b=a b| >x= >x|\x00\xff=\x00\xff"},
		{"bytes that look like FASTA", ">a\n", Bytes, ">a=>a"},
		{"longest", "a " + tooLong + "\n", DNA, "a=" + tooLong},

		{"letter", "ACGT\n\nACXT\n", DNA, `file: line 3: pattern "ACXT": letter 3 is "X", which is not an IUPAC letter of DNA`},
		{"letter of FASTA", ">a\nACGT\n>b\nACXT\n", DNA, `file: record 2 "b": letter 3 is "X", which is not an IUPAC letter of DNA`},
		{"no letter of FASTA", ">a\nACG!\n", DNA, `file: record 1 "a": the byte "!" at position 4 is not a base`},
		{"empty record", ">a\nACGT\n>b\n>c\nACG\n", DNA, `file: record 2 "b": it has no letters`},
		{"words", "a b ACGT\n", DNA, `file: line 1: it has 3 words, but a line is a pattern, or a name and a pattern`},
		{"too long", "a " + tooLong + "A\n", DNA, `file: line 1: pattern "a": it has 2049 letters, more than 2048; scanmap map takes longer ones as reads`},
		{"nothing", "\n \n", DNA, "file: holds no patterns"},
		{"nothing at all", "", DNA, "file: holds no patterns"},
		{"no bytes", "\r\n\n", Bytes, "file: holds no patterns"},
		{"name that begins as FASTQ does", "@a ACGT\n", DNA, "@a=ACGT"},
		{"FASTQ", "@a\nACGT\n+\nIIII\n", DNA, "file: is FASTQ; patterns are FASTA, or lines of a pattern or of a name and a pattern"},
	} {
		f := patternsFile{name: "file", alphabet: c.alphabet}
		patterns, err := f.parse(context.Background(), []byte(c.text))
		var all []string
		for _, p := range patterns {
			all = append(all, p.Name+"="+string(p.Letters))
		}
		separator := " "
		if c.alphabet == Bytes {
			separator = "|"
		}
		got := strings.Join(all, separator)
		if err != nil {
			got += err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got\n%q, want\n%q", c.name, got, c.want)
		}
	}
}

// TestSources has errors about patterns name where these were read.
func TestSources(t *testing.T) {
	long := strings.Repeat("A", MaxLength)
	for _, c := range []struct{ text, want string }{
		{"\n\ng ACG\n", `file: line 3: pattern "g": it has 3 letters, but those up to 4 have to match`},
		{"ACGT\r\n\r\nACG", `file: line 3: pattern "ACG": it has 3 letters, but those up to 4 have to match`},
		{">a\nACGT\n\n>g/1 x\nACG\n", `file: record 2 "g/1": it has 3 letters, but those up to 4 have to match`},
		{">a\nACGT\n>\nAC\nG\n", `file: record 2 "2": it has 3 letters, but those up to 4 have to match`},
		{"ACGT\ng " + long, `file: line 2: pattern "g": it has 2049 letters with its PAM, more than 2048`},
	} {
		f := patternsFile{name: "file", alphabet: DNA}
		patterns, err := f.parse(t.Context(), []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		target := Target{PAMs: []string{"A"}, Exact: []Span{{1, 4}}}
		if _, err := target.Patterns(patterns); err == nil || err.Error() != c.want {
			t.Errorf("%.40q: %v, want %s", c.text, err, c.want)
		}
		// And the patterns of a target.
		target.Exact = nil
		if patterns, err = target.Patterns(patterns[:1]); err != nil {
			t.Fatal(err)
		}
		if err := patterns[0].Errorf("%d", 7); !strings.HasPrefix(err.Error(), "file: ") || !strings.HasSuffix(err.Error(), ": 7") {
			t.Error(err)
		}
	}
	p := Pattern{Name: strings.Repeat("x", 101)}
	if got, want := p.Errorf("no").Error(), `pattern "`+p.Name[:100]+`": no`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestLetters has each letter of a pattern match the bases that it stands for (NC-IUB 1984), and
// never an ambiguous base of the text; and so its complement on the other strand.
func TestLetters(t *testing.T) {
	const bases = "ACGTN"
	for _, c := range []struct{ letter, matches, complements string }{
		{"A", "A", "T"},
		{"C", "C", "G"},
		{"G", "G", "C"},
		{"T", "T", "A"},
		{"U", "T", "A"},
		{"M", "AC", "GT"},
		{"R", "AG", "CT"},
		{"W", "AT", "AT"},
		{"S", "CG", "CG"},
		{"Y", "CT", "AG"},
		{"K", "GT", "AC"},
		{"V", "ACG", "CGT"},
		{"H", "ACT", "AGT"},
		{"D", "AGT", "ACT"},
		{"B", "CGT", "ACG"},
		{"N", "ACGT", "ACGT"},
	} {
		for _, letter := range []string{c.letter, strings.ToLower(c.letter)} {
			p := pattern(t, letter, "", DNA)
			text := dnaText(t, bases)
			var got [2]string
			_, found := locationsOf(t, text, []Pattern{p}, Options{})
			for i := range found {
				strand := boolean(found[i].Reverse)
				got[strand] += bases[found[i].End-1 : found[i].End]
			}
			if want := [2]string{c.matches, c.complements}; got != want {
				t.Errorf("%s matches %v, want %v", letter, got, want)
			}
		}
	}
}

func TestReadPatterns(t *testing.T) {
	folder := t.TempDir()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(">a\nACGT\n")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	whole, broken := filepath.Join(folder, "whole.gz"), filepath.Join(folder, "broken.gz")
	for name, text := range map[string][]byte{whole: b.Bytes(), broken: b.Bytes()[:b.Len()-10]} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	if patterns, err := ReadPatterns(ctx, whole, DNA); err != nil || len(patterns) != 1 || string(patterns[0].Letters) != "ACGT" {
		t.Errorf("got %v, %v", patterns, err)
	}
	for name, want := range map[string]string{
		broken:                        broken + ": the gzip data is truncated",
		folder:                        folder + ": is a directory",
		filepath.Join(folder, "none"): filepath.Join(folder, "none") + ": no such file or directory",
	} {
		if _, err := ReadPatterns(ctx, name, DNA); err == nil || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
}

// FuzzPatterns: no file makes a panic, and patterns that are accepted read the same when they are
// written and read again.
func FuzzPatterns(f *testing.F) {
	for _, s := range []string{
		"ACGT\n", "a ACGT\nb\tNRY\r\n", ">a b\nAC\nGT\n>\nU\n", "\xef\xbb\xbf>a/1\nAC", "\n\r\n x", "a b c\n", ">\n", "@a\nACGT\n+\nIIII\n", "\x00\xff\n\r\n",
	} {
		f.Add([]byte(s), false)
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, ofBytes bool) {
		alphabet := DNA
		if ofBytes {
			alphabet = Bytes
		}
		read := func(text []byte) ([]Pattern, error) {
			f := patternsFile{name: "file", alphabet: alphabet}
			return f.parse(context.Background(), text)
		}
		patterns, err := read(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "file: ") {
				t.Fatalf("the error is %q", err)
			}
			return
		}
		var again bytes.Buffer
		for _, p := range patterns {
			if len(p.Letters) == 0 || len(p.Letters) > MaxLength {
				t.Fatalf("%d letters", len(p.Letters))
			}
			if alphabet == DNA {
				again.WriteString(p.Name + "\t")
			}
			again.Write(p.Letters)
			again.WriteString("\r\n")
		}
		// A first name that begins with '>', or with a byte-order mark that was not the file's,
		// would read as something else.
		if alphabet == DNA && (strings.HasPrefix(patterns[0].Name, ">") || strings.HasPrefix(patterns[0].Name, byteOrderMark)) {
			return
		}
		reread, err := read(again.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(patterns, reread, cmpopts.IgnoreTypes(Source{})); d != "" {
			t.Fatalf("written and read again:\n%s", d)
		}
	})
}

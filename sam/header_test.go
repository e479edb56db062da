package sam

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	hts "github.com/biogo/hts/sam"
	"pgregory.net/rapid"

	"scanmap/dna"
	"scanmap/internal/programs"
)

// reference returns a reference whose contigs have names and lengths but no bases.
func reference(contigs ...dna.Contig) *dna.Reference {
	return &dna.Reference{Contigs: contigs}
}

func headerText(t testing.TB, ref *dna.Reference, o HeaderOptions) string {
	t.Helper()
	h, err := NewHeader(ref, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteHeader(&b, h); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHeader(t *testing.T) {
	group, err := ParseReadGroup(`@RG\tSM:y\tID:x\tPI:0\tDT:2020-02-29\tDS:two words\tzz:a:b\tLB:l`)
	if err != nil {
		t.Fatal(err)
	}
	two := reference(dna.Contig{Name: "chr1", Length: 5}, dna.Contig{Name: "HLA:A*01:01", Length: dna.MaxContigLength})
	const sq = "@SQ\tSN:chr1\tLN:5\n@SQ\tSN:HLA:A*01:01\tLN:2147483647\n"
	for _, c := range []struct {
		name    string
		options HeaderOptions
		want    string
	}{
		{"program", HeaderOptions{CommandLine: []string{"scanmap", "map", "a b", "x"}, Version: "1.2.3"},
			"@HD\tVN:1.6\tSO:unsorted\tGO:query\n" + sq + "@PG\tID:scanmap\tPN:scanmap\tVN:1.2.3\tCL:scanmap map a b x\n"},
		{"program without a version", HeaderOptions{CommandLine: []string{"scanmap", "map"}},
			"@HD\tVN:1.6\tSO:unsorted\tGO:query\n" + sq + "@PG\tID:scanmap\tPN:scanmap\tCL:scanmap map\n"},
		{"program without a command line", HeaderOptions{Version: "1.2.3"},
			"@HD\tVN:1.6\tSO:unsorted\tGO:query\n" + sq + "@PG\tID:scanmap\tPN:scanmap\tVN:1.2.3\n"},
		{"no program", HeaderOptions{CommandLine: []string{"scanmap"}, NoProgram: true},
			"@HD\tVN:1.6\tSO:unsorted\tGO:query\n" + sq},
		{"sorted", HeaderOptions{NoProgram: true, SortOrder: hts.Coordinate}, "@HD\tVN:1.6\tSO:coordinate\n" + sq},
		{"read group as given", HeaderOptions{NoProgram: true, ReadGroups: []*ReadGroup{group}},
			"@HD\tVN:1.6\tSO:unsorted\tGO:query\n" + sq +
				"@RG\tID:x\tSM:y\tPI:0\tDT:2020-02-29\tDS:two words\tzz:a:b\tLB:l\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := headerText(t, two, c.options); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestHeaderRefusesContigs(t *testing.T) {
	for _, c := range []struct {
		contigs []dna.Contig
		want    string
	}{
		{[]dna.Contig{{Name: "", Length: 1}}, `contig 1 "": no name`},
		{[]dna.Contig{{Name: "ok", Length: 1}, {Name: "a b", Length: 1}}, `contig 2 "a b": SAM does not allow ' ' in a name`},
		{[]dna.Contig{{Name: "a\tb", Length: 1}}, `contig 1 "a\tb": SAM does not allow '\t' in a name`},
		{[]dna.Contig{{Name: "*", Length: 1}}, `contig 1 "*": SAM does not allow a name that starts with '*'`},
		{[]dna.Contig{{Name: "=x", Length: 1}}, `contig 1 "=x": SAM does not allow a name that starts with '='`},
		{[]dna.Contig{{Name: "a,b", Length: 1}}, `contig 1 "a,b": SAM does not allow ',' in a name`},
		{[]dna.Contig{{Name: "é", Length: 1}}, `contig 1 "é": SAM does not allow 'Ã' in a name`},
		{[]dna.Contig{{Name: "a", Length: 0}}, `contig 1 "a": 0 bases, but SAM holds contigs of 1 to 2147483647`},
		{[]dna.Contig{{Name: "a", Length: dna.MaxContigLength + 1}},
			`contig 1 "a": 2147483648 bases, but SAM holds contigs of 1 to 2147483647`},
		{[]dna.Contig{{Name: "a", Length: 1}, {Name: "a", Length: 1}}, `contig 2 "a": the name stands twice`},
		{[]dna.Contig{{Name: "a", Length: 1}, {Name: "a", Length: 2}}, `contig 2 "a": sam: duplicate reference name`},
	} {
		if _, err := NewHeader(reference(c.contigs...), HeaderOptions{}); err == nil || err.Error() != c.want {
			t.Errorf("%v: got error %v, want %s", c.contigs, err, c.want)
		}
	}
	group, err := ParseReadGroup(`@RG\tID:g`)
	if err != nil {
		t.Fatal(err)
	}
	if h, err := NewHeader(reference(dna.Contig{Name: "a", Length: 1}), HeaderOptions{ReadGroups: []*ReadGroup{group, group}}); err == nil {
		t.Errorf("a read group twice: %v", h)
	}
}

func TestEscapeCommandLine(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"plain -e 4%", "plain -e 4%"},
		{"@RG\tID:x", `@RG\tID:x`},
		{`@RG\tID:x`, `@RG\tID:x`},
		{"a\nb\rc", `a\nb\rc`},
		{"\x00\x07\x1b[1m\x7f", `\x00\a\x1b[1m\x7f`},
		{"é 日本", "é 日本"},
		{"bad\xff\xc3", `bad\xff\xc3`},
		{"line\u2028sep\u0085", `line\u2028sep\u0085`},
	} {
		if got := EscapeCommandLine([]string{c.in}); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}

// Whatever stands on the command line, a header keeps its lines, and a parser
// finds the escaped text again.
func TestHeaderKeepsItsLines(t *testing.T) {
	ref := reference(dna.Contig{Name: "c", Length: 9})
	rapid.Check(t, func(t *rapid.T) {
		var arguments []string
		for _, b := range rapid.SliceOf(rapid.SliceOf(rapid.Byte())).Draw(t, "arguments") {
			arguments = append(arguments, string(b))
		}
		version := rapid.String().Draw(t, "version")
		h, err := NewHeader(ref, HeaderOptions{CommandLine: arguments, Version: version})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := WriteHeader(&b, h); err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(b.Bytes(), []byte("\n")); n != 3 {
			t.Fatalf("%d lines in %q", n, b.Bytes())
		}
		r, err := hts.NewReader(&b)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := r.Header().Progs()[0].Command(), EscapeCommandLine(arguments); got != want {
			t.Fatalf("command line %q, want %q", got, want)
		}
		if p := r.Header().Progs()[0]; p.Name() != program || p.Version() != escape(version) {
			t.Fatalf("program %q, version %q, want %q", p.Name(), p.Version(), escape(version))
		}
	})
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteHeaderReportsErrors(t *testing.T) {
	h, err := NewHeader(reference(dna.Contig{Name: "c", Length: 1}), HeaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteHeader(failingWriter{}, h); err != io.ErrShortWrite {
		t.Errorf("got error %v", err)
	}
}

// samtools, where it is installed, is a second reader of the header.
func TestSamtoolsReadsHeader(t *testing.T) {
	samtools := programs.Find(t, "samtools")
	group, err := NewReadGroup("x", "y", "z")
	if err != nil {
		t.Fatal(err)
	}
	text := headerText(t, reference(dna.Contig{Name: "c", Length: 9}),
		HeaderOptions{ReadGroups: []*ReadGroup{group}, CommandLine: []string{"scanmap", "-R", "@RG\tID:x"}, Version: "1"})
	command := exec.Command(samtools, "view", "-H", "--no-PG", "-")
	command.Stdin, command.Stderr = strings.NewReader(text), os.Stderr
	got, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != text {
		t.Errorf("samtools gives\n%swant\n%s", got, text)
	}
}

func BenchmarkHeaderMillionContigs(b *testing.B) {
	ref := &dna.Reference{}
	for i := range 1_000_000 {
		ref.Contigs = append(ref.Contigs, dna.Contig{Name: fmt.Sprintf("scaffold_%d", i), Length: i + 1})
	}
	for b.Loop() {
		h, err := NewHeader(ref, HeaderOptions{})
		if err != nil {
			b.Fatal(err)
		}
		if err := WriteHeader(io.Discard, h); err != nil {
			b.Fatal(err)
		}
	}
}

package main

import (
	"os"
	"strings"
	"testing"
)

// TestBEDOfAllCommands gives the same BED to each option that takes one: all read it alike, plain
// and compressed, and refuse the same with the same words.
func TestBEDOfAllCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	const contig = ">one of two\nACGTTTNAACGTTGGCAAGGTTACCAGGCATTAGGCATCAGG\n"
	for name, text := range map[string]string{
		"ref.fa": contig, "reads.fq": "@r\nACGTTTNAAC\n+\nIIIIIIIIII\n", "x.bedgraph": "one\t0\t42\t1\n", "guides.txt": "AAGGTTACCAGGCATT\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	commands := []string{
		"map -o none --regions x.bed --region-depth r.tsv ref.fa reads.fq",
		"mappability -K 4 --regions x.bed -o x.bg ref.fa",
		"copies --window 10 --gc none --mask x.bed -o c.bed ref.fa x.bedgraph",
		"copies --window 10 --gc none --controls x.bed -o c.bed ref.fa x.bedgraph",
		"copies --window 10 --gc none --regions x.bed --region-copies r.txt -o c.bed ref.fa x.bedgraph",
		"guides --in x.bed --length 16 --max-mismatches 1 -o g.tsv ref.fa",
		"guides --regions x.bed --max-mismatches 1 -f guides.txt -o g.tsv ref.fa",
	}
	const good = "browser position one\ntrack\tname=x\n# none\r\n\none 2 5\none\t10\t35\ta gene\t0\t+\r\none 0 1"
	for _, c := range []struct{ text, want string }{
		{good, ""},
		{"one\t0\t1\none 5\t6\n", "x.bed: line 2: has 2 columns; BED has contig, start and end"},
		{"one\t5\t5\n", "x.bed: line 1: from 5 to 5 there are no bases"},
		{"one\t6\t5\n", "x.bed: line 1: from 6 to 5 there are no bases"},
		{"one\t6\t43\n", "x.bed: line 1: ends at 43, but one has 42 bases"},
		{"one\t0\t4294967296\n", `x.bed: line 1: the end "4294967296" is not a number of bases`},
		{"two\t6\t7\n", `x.bed: line 1: the reference has no contig "two"; its first is "one"`},
		{"o\x00n\x00e\x00\t\x00", "x.bed: is UTF-16 or binary; expected text"},
	} {
		if err := os.WriteFile("x.bed", []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, command := range commands {
			code, _, stderr := call(append(strings.Fields(command), "--quiet")...)
			if c.want == "" && code != 0 || c.want != "" && (code != 1 || stderr != "scanmap: "+c.want+"\n") {
				t.Errorf("%q, %s: exit code %d, %s", c.text, command, code, stderr)
			}
		}
	}
}

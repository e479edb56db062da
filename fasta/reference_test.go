package fasta

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/dna"
)

// contigText is a contig as text.
type contigText struct{ Name, Comment, Letters string }

// contigsOf unpacks a reference.
func contigsOf(r *dna.Reference) []contigText {
	var all []contigText
	for _, c := range r.Contigs {
		letters := make([]byte, c.Length)
		for i := range letters {
			letters[i] = r.Letter(c.Start + i)
		}
		all = append(all, contigText{c.Name, c.Comment, string(letters)})
	}
	return all
}

func TestReference(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []contigText
		refused    string
	}{
		{name: "two", text: ">a x  y\nACG\nT\n>b\nTT\n", want: []contigText{{"a", "x  y", "ACGT"}, {"b", "", "TT"}}},
		{name: "no last newline", text: ">a\nACG", want: []contigText{{"a", "", "ACG"}}},
		{name: "CRLF and blank lines", text: "\r\n>a\r\nAC\r\n\r\nGT\r\n\r\n>b\r\nA\r\n", want: []contigText{{"a", "", "ACGT"}, {"b", "", "A"}}},
		{name: "letters", text: ">a\nacgtuACGTUnNryK.-*x\n", want: []contigText{{"a", "", "ACGTTACGTTNNRYKNNNX"}}},
		{name: "inner blanks", text: ">a\nA C\tG\n  T\n", want: []contigText{{"a", "", "ACGT"}}},
		{name: "byte-order mark and comments", text: "\xef\xbb\xbf;x\n#y\n>a\nA\n", want: []contigText{{"a", "", "A"}}},
		{name: "names as they are", text: ">chr1/1 x\nA\n>HLA-A*01:01\nC\n>a=b\nC\n", want: []contigText{{"chr1/1", "x", "A"}, {"HLA-A*01:01", "", "C"}, {"a=b", "", "C"}}},
		{name: "no bytes", refused: "no contigs; expected FASTA with at least one record"},
		{name: "BAM", text: "BAM\x01rest", refused: "is BAM; a reference must be FASTA"},
		{name: "SAM", text: "@HD\tVN:1.6\n", refused: "is SAM; a reference must be FASTA"},
		{name: "FASTQ", text: "@r\nA\n+\nI\n", refused: "is FASTQ; a reference must be FASTA"},
		{name: "no record", text: "A\n", refused: "expected FASTA ('>'), found \"A\""},
		{name: "blank before the first record", text: " >a\n", refused: "expected FASTA ('>'), found \" \""},
		{name: "comments alone", text: "#x\n", refused: "no contigs; expected FASTA with at least one record"},
		{name: "FASTQ", text: "@a\nA\n+\nI\n", refused: isFASTQ},
		{name: "no name", text: ">a\nA\n>\nA\n", refused: "record 2: the contig has no name"},
		{name: "blank before the name", text: "> a\nA\n", refused: "record 1: the contig has no name"},
		{name: "wrong name", text: ">a,b\nA\n", refused: `record 1 "a,b": the byte "," at position 2 of the name is not allowed in SAM`},
		{name: "name with *", text: ">*a\nA\n", refused: `record 1 "*a": the byte "*" at position 1 of the name is not allowed in SAM`},
		{name: "name with =", text: ">=\nA\n", refused: `record 1 "=": the byte "=" at position 1 of the name is not allowed in SAM`},
		{name: "same name", text: ">a\nA\n>b\nA\n>a x\nC\n", refused: `record 3 "a": it has the name of record 1`},
		{name: "no bases", text: ">a\n>b\nA\n", refused: `record 1 "a": the contig has no bases; SAM allows no contig of length 0`},
		{name: "no bases at the end", text: ">a\nA\n>b\n\n", refused: `record 2 "b": the contig has no bases; SAM allows no contig of length 0`},
		{name: "wrong byte", text: ">a\nACGT\nAC1T\n", refused: `record 1 "a": the byte "1" at position 7 is not a base`},
		{name: "comment between", text: ">a\nACGT\n#x\n", refused: `record 1 "a": the byte "#" at position 5 is not a base`},
		{name: "> in a line", text: ">a\nAC>T\n", refused: `record 1 "a": the byte ">" at position 3 is not a base`},
		{name: "> behind a blank", text: ">b\nC\n>a\nAC\n >c\nA\n>d\nA\n", refused: `record 2 "a": the byte ">" at position 3 is not a base`},
		{name: "first wrong record counts", text: ">a\nA\n>a\nA\n>b\n1\n", refused: `record 2 "a": it has the name of record 1`},
		{name: "not ASCII", text: ">a\nA\u00a0C\n>b\nA\n", refused: `record 1 "a": the byte "\xc2" at position 2 is not a base`},
		{name: "NUL", text: ">a\nAC\x00\n", refused: `record 1 "a": the byte "\x00" at position 3 is not a base`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := writeFile(t, "ref", []byte(c.text))
			for _, blockSize := range []int{1, 2, 3, 5, 8, 16, 64, referenceBlock} {
				ref, err := loadReference(context.Background(), path, 2, blockSize, bulkAndBiogo)
				if d := cmp.Diff(c.refused, said(t, path, err)); d != "" {
					t.Errorf("blocks of %d (-want +got):\n%s", blockSize, d)
				}
				if (ref == nil) != (err != nil) {
					t.Fatalf("reference %v with error %v", ref, err)
				}
				if ref == nil {
					continue
				}
				if d := cmp.Diff(c.want, contigsOf(ref)); d != "" {
					t.Errorf("blocks of %d (-want +got):\n%s", blockSize, d)
				}
			}
		})
	}
}

// plainPack packs the slow way, for comparison.
func plainPack(letters []byte) (s dna.Sequence, runs []dna.Run) {
	s.Append(letters)
	for i, c := range letters {
		if _, ok := dna.Code(c); ok {
			continue
		}
		letter := referenceLetters[c]
		if n := len(runs); n > 0 && runs[n-1].End == i && runs[n-1].Letter == letter {
			runs[n-1].End++
		} else {
			runs = append(runs, dna.Run{Start: i, End: i + 1, Letter: letter})
		}
	}
	return s, runs
}

// TestPack compares fragment.append with dna.Sequence.Append, in pieces of all sizes around words.
func TestPack(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, alphabet := range []string{"ACGT", "ACGTUacgtu", "ACGTN", "N", "NR", "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz.-*"} {
		for _, n := range []int{0, 1, 7, 8, 9, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200, 1000} {
			letters := make([]byte, n)
			for i := range letters {
				letters[i] = alphabet[r.IntN(len(alphabet))]
			}
			want, runs := plainPack(letters)
			for _, piece := range []int{1, 3, 63, 64, 65, 128, 1000} {
				f := fragment{wrongAt: -1}
				f.reserve(n)
				for rest := letters; len(rest) > 0; {
					k := min(piece, len(rest))
					f.append(rest[:k])
					rest = rest[k:]
				}
				f.trim()
				if d := cmp.Diff(want, f.bases, cmp.Transformer("words", func(p []uint64) []uint64 { return append([]uint64{}, p...) })); d != "" {
					t.Fatalf("%s in pieces of %d (-want +got):\n%s", letters, piece, d)
				}
				if d := cmp.Diff(runs, f.exceptions); d != "" || f.wrongAt >= 0 {
					t.Fatalf("%s in pieces of %d (-want +got):\n%s", letters, piece, d)
				}
			}
		}
	}
}

// TestHugeLine has a contig of one line that spans blocks and joined lines, and a header longer
// than a block.
func TestHugeLine(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	letters := string(randomBases(r, 3*joinedLine+5)) + strings.Repeat("N", joinedLine) + "RYACGT"
	want := []contigText{{"a", strings.Repeat("x", 70_000), letters}, {"b", "", "ACGT"}}
	path := writeFile(t, "ref", []byte(">a "+want[0].Comment+"\n"+letters+"\n>b\nACGT\n"))
	for _, blockSize := range []int{1000, 1 << 16, referenceBlock} {
		ref, err := loadReference(context.Background(), path, 2, blockSize, bulkAndBiogo)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, contigsOf(ref)); d != "" {
			t.Error("the contigs differ")
		}
	}
	reads, err := readAll(path, ReadOptions{}, 1000)
	if err != nil || len(reads) != 2 || string(reads[0].Bases) != letters {
		t.Error(len(reads), err)
	}
}

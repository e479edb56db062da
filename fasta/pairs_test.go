package fasta

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/internal/effort"
)

// allPairs reads pairs to their end or to an error.
func allPairs(reads, mates string, o ReadOptions, chunkSize int) ([]Read, error) {
	p, err := openPairs(context.Background(), reads, mates, o, chunkSize)
	if err != nil {
		return nil, err
	}
	var all []Read
	for {
		pairs, err := p.Next()
		if len(pairs)%2 != 0 || len(pairs) > 0 == (err != nil) {
			return nil, fmt.Errorf("%d reads and the error %v at once", len(pairs), err)
		}
		all = append(all, pairs...)
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return all, errors.Join(err, p.Close())
		}
	}
}

// The marks by which naivePairs tells mates.
var (
	digitSuffix  = regexp.MustCompile(`/[12]$`)
	firstOfTwo   = regexp.MustCompile(`^(.*)[._/]1$`)
	casavaMarked = regexp.MustCompile(`^([12]):[YN]:[0-9]+:`)
)

// naiveFile is a file read whole, with whole names.
type naiveFile struct {
	path  string
	reads []Read
	err   error
}

func readNaively(path string) naiveFile {
	reads, err := readAll(path, ReadOptions{Threads: 1, WholeNames: true}, chunkText)
	return naiveFile{path, reads, err}
}

// naivePairs is what Pairs must give: the pairs, and the text of the error behind them.
func naivePairs(reads, mates string) (pairs []Read, refused string) {
	first := readNaively(reads)
	if mates != "" {
		return naiveTwo(first, readNaively(mates), func(i int) (string, int) { return reads, i + 1 }, func(i int) int { return i + 1 })
	}
	even, odd := first, first
	even.reads, odd.reads = nil, nil
	for i, r := range first.reads {
		if i%2 == 0 {
			even.reads = append(even.reads, r)
		} else {
			odd.reads = append(odd.reads, r)
		}
	}
	return naiveTwo(even, odd, func(int) (string, int) { return "", 0 }, func(i int) int { return 2*i + 2 })
}

// naiveTwo has what messages call the first mate, "" as the file for the record before, and the
// number of the second.
func naiveTwo(a, b naiveFile, firstMate func(i int) (string, int), number func(i int) int) (pairs []Read, refused string) {
	for i := 0; ; i++ {
		file, record := firstMate(i)
		switch {
		case i == len(a.reads) && a.err != nil:
			return pairs, a.err.Error()
		case i == len(b.reads) && b.err != nil:
			return pairs, b.err.Error()
		case i == len(a.reads) && i == len(b.reads):
			return pairs, ""
		case i == len(b.reads) && file == "":
			return pairs, fmt.Sprintf("%s: record %d %s: the file ends without its mate", a.path, 2*i+1, quote(shortened(a.reads[i].Name)+digitSuffix.FindString(a.reads[i].Name)))
		case i == len(a.reads):
			return pairs, fmt.Sprintf("%s: ends after %d records, but %s has more", a.path, i, b.path)
		case i == len(b.reads):
			return pairs, fmt.Sprintf("%s: ends after %d records, but %s has more", b.path, i, a.path)
		}
		x, y := a.reads[i], b.reads[i]
		word1, word2 := shortened(x.Name)+digitSuffix.FindString(x.Name), shortened(y.Name)+digitSuffix.FindString(y.Name)
		x.Name, y.Name = shortened(x.Name), shortened(y.Name)
		here := fmt.Sprintf("%s: record %d %s: ", b.path, number(i), quote(word2))
		if x.Name != y.Name {
			m := firstOfTwo.FindStringSubmatch(x.Name)
			if m == nil || y.Name != x.Name[:len(x.Name)-1]+"2" {
				if file == "" {
					return pairs, here + fmt.Sprintf("the record before it, %s, is not its mate", quote(word1))
				}
				return pairs, here + fmt.Sprintf("its mate in %s, record %d, is %s", file, record, quote(word1))
			}
			if m[1] == "" {
				m[1] = "*"
			}
			x.Name, y.Name = m[1], m[1]
		}
		where, same := "", false
		if strings.HasSuffix(word1, "/2") || strings.HasSuffix(word2, "/1") {
			where, same = "names", digitSuffix.FindString(word1) == digitSuffix.FindString(word2)
		} else if c, d := casavaMarked.FindStringSubmatch(x.Comment), casavaMarked.FindStringSubmatch(y.Comment); c != nil && d != nil && c[1]+d[1] != "12" {
			where, same = "comments", c[1] == d[1]
		}
		if where != "" {
			text := map[bool]string{true: "both are the same mate", false: "the second mate comes first"}[same]
			if file == "" {
				return pairs, here + fmt.Sprintf("the record before it is %q; by their %s %s", word1, where, text)
			}
			question := map[bool]string{true: "is the same file given twice?", false: "are the files swapped?"}[same]
			return pairs, here + fmt.Sprintf("its mate in %s, record %d, is %q; by their %s %s; %s", file, record, word1, where, text, question)
		}
		pairs = append(pairs, x, y)
	}
}

// shortened is the name of a read whose header starts with this word.
func shortened(word string) string {
	if name := digitSuffix.ReplaceAllString(word, ""); name != "" {
		return name
	}
	return "*"
}

// brief has a read as name:bases.
func brief(reads []Read) string {
	var words []string
	for _, r := range reads {
		words = append(words, r.Name+":"+string(r.Bases))
	}
	return strings.Join(words, " ")
}

func TestPairs(t *testing.T) {
	const a, b = "@a\nA\n+\nI\n", "@b\nC\n+\nI\n"
	header := func(lines ...string) string { return "@" + strings.Join(lines, "\nA\n+\nI\n@") + "\nA\n+\nI\n" }
	for _, c := range []struct {
		name         string
		reads, mates string
		alternating  bool
		whole        bool
		want         string
		refused      string
	}{
		{name: "nothing"},
		{name: "two files", reads: a + b, mates: a + b, want: "a:A a:A b:C b:C"},
		{name: "no names", reads: header(""), mates: header("/2"), want: "*:A *:A"},
		{name: "/1 and /2", reads: header("a/1 x", "b/1"), mates: header("a/2", "b/2 y"), want: "a:A a:A b:A b:A"},
		{name: "/2 alone", reads: header("a"), mates: header("a/2"), want: "a:A a:A"},
		{name: "/1 alone", reads: header("a/1"), mates: header("a"), want: "a:A a:A"},
		{name: "read.1 and read.2", reads: header("S.7.1 x"), mates: header("S.7.2 x"), want: "S.7:A S.7:A"},
		{name: "read_1 and read_2", reads: header("r_1"), mates: header("r_2"), want: "r:A r:A"},
		{name: "one more / behind", reads: header("r/1/1"), mates: header("r/2/2"), want: "r:A r:A"},
		{name: "nothing but the ends", reads: header(".1"), mates: header(".2"), want: "*:A *:A"},
		{name: "equal names stay", reads: header("S.1", "S.2", "S_1/1"), mates: header("S.1", "S.2", "S_1/2"), want: "S.1:A S.1:A S.2:A S.2:A S_1:A S_1:A"},
		{name: "whole names", whole: true, reads: header("a/1", "b", "c.1", "/1"), mates: header("a/2", "b/2", "c.2", "/2"), want: "a/1:A a/2:A b:A b/2:A c.1:A c.2:A /1:A /2:A"},
		{name: "FASTA and FASTQ, no bases", reads: ">a\n>b\nAC\nG\n", mates: header("a") + "@b\n\n+\n\n", want: "a: a:A b:ACG b:"},
		{name: "Casava", reads: header("a 1:N:0:ACGT", "b 1:Y:18:1"), mates: header("a 2:N:0:ACGT", "b 2:N:0:"), want: "a:A a:A b:A b:A"},
		{name: "not Casava", reads: header("a 1:A:0:X", "b 1:N::X", "c 1:N:0", "d 1:N:0:", "e 3:N:0:"), mates: header("a 1:A:0:X", "b 1:N::X", "c 1:N:0", "d x", "e 3:N:0:"), want: "a:A a:A b:A b:A c:A c:A d:A d:A e:A e:A"},

		{name: "alternating", alternating: true, reads: header("a", "a", "b/1", "b/2", "c.1", "c.2", "d 1:N:0:A", "d 2:N:0:A"), want: "a:A a:A b:A b:A c:A c:A d:A d:A"},
		{name: "alternating, no bases", alternating: true, reads: ">a\n>a\nC\n>b\nT\n>b", want: "a: a:C b:T b:"},
		{name: "alternating, nothing", alternating: true},
		{name: "alternating, whole names", alternating: true, whole: true, reads: header("a/1", "a/2"), want: "a/1:A a/2:A"},

		{name: "other names", reads: a + a, mates: a + b, want: "a:A a:A", refused: `r2: record 2 "b": its mate in r1, record 2, is "a"`},
		{name: "other names with digits", reads: header("a/1"), mates: header("b/2"), refused: `r2: record 1 "b/2": its mate in r1, record 1, is "a/1"`},
		{name: "digits in names", reads: header("r.11"), mates: header("r.12"), refused: `r2: record 1 "r.12": its mate in r1, record 1, is "r.11"`},
		{name: "another separator", reads: header("r-1"), mates: header("r-2"), refused: `r2: record 1 "r-2": its mate in r1, record 1, is "r-1"`},
		{name: "no separator", reads: header("1"), mates: header("2"), refused: `r2: record 1 "2": its mate in r1, record 1, is "1"`},
		{name: "more than the digit", reads: header("q.1"), mates: header("r.2"), refused: `r2: record 1 "r.2": its mate in r1, record 1, is "q.1"`},
		{name: "separators differ", reads: header("r.1"), mates: header("r_2"), refused: `r2: record 1 "r_2": its mate in r1, record 1, is "r.1"`},
		{name: "read.2 first", reads: header("r.2"), mates: header("r.1"), refused: `r2: record 1 "r.1": its mate in r1, record 1, is "r.2"`},
		{name: "whole names, other", whole: true, reads: header("a/1"), mates: header("b/2"), refused: `r2: record 1 "b/2": its mate in r1, record 1, is "a/1"`},
		{name: "blank lines and lines of bases", reads: "\n\n@a\nA\nA\n\n+\nII\n\n\n" + b, mates: "@a\r\nA\r\n+\r\nI\r\n \n\n@c\nAC\nGT\n+\nII\nII\n", want: "a:AA a:A", refused: `r2: record 2 "c": its mate in r1, record 2, is "b"`},
		{name: "both /1", reads: header("a/1"), mates: header("a/1"), refused: `r2: record 1 "a/1": its mate in r1, record 1, is "a/1"; by their names both are the same mate; is the same file given twice?`},
		{name: "/2 first", reads: header("a", "a/2"), mates: header("a", "a/1"), want: "a:A a:A", refused: `r2: record 2 "a/1": its mate in r1, record 2, is "a/2"; by their names the second mate comes first; are the files swapped?`},
		{name: "/2 first, then none", reads: header("a/2"), mates: header("a"), refused: `r2: record 1 "a": its mate in r1, record 1, is "a/2"; by their names the second mate comes first; are the files swapped?`},
		{name: "none, then /1", reads: header("a"), mates: header("a/1"), refused: `r2: record 1 "a/1": its mate in r1, record 1, is "a"; by their names the second mate comes first; are the files swapped?`},
		{name: "whole names, both /2", whole: true, reads: header("a/2"), mates: header("a/2"), refused: `r2: record 1 "a/2": its mate in r1, record 1, is "a/2"; by their names both are the same mate; is the same file given twice?`},
		{name: "Casava, both 1", reads: header("a 1:N:0:1"), mates: header("a 1:N:0:1"), refused: `r2: record 1 "a": its mate in r1, record 1, is "a"; by their comments both are the same mate; is the same file given twice?`},
		{name: "Casava, 2 first", reads: header("a 2:N:0:1"), mates: header("a 1:Y:0:1"), refused: `r2: record 1 "a": its mate in r1, record 1, is "a"; by their comments the second mate comes first; are the files swapped?`},
		{name: "second file shorter", reads: header("a", "b"), mates: header("a"), want: "a:A a:A", refused: `r2: ends after 1 records, but r1 has more`},
		{name: "first file shorter", reads: header("a"), mates: header("a", "b"), want: "a:A a:A", refused: `r1: ends after 1 records, but r2 has more`},
		{name: "second file empty", reads: a, mates: "\n", refused: `r2: ends after 0 records, but r1 has more`},
		{name: "error in the first file", reads: a + "@b\nA\n+\nII\n", mates: a + b + b, want: "a:A a:A", refused: `r1: record 2 "b": 1 bases but 2 qualities`},
		{name: "error in the second file", reads: a + b, mates: a + "@b\n-\n+\nI\n", want: "a:A a:A", refused: `r2: record 2 "b": the byte "-" at position 1 is not a base`},
		{name: "errors in the same record", reads: a + "@b\n*\n+\nI\n", mates: a + "@b\n-\n+\nI\n", want: "a:A a:A", refused: `r1: record 2 "b": the byte "*" at position 1 is not a base`},
		{name: "the earlier error is the second file's", reads: a + a + "@b\n*\n+\nI\n", mates: a + "@a\n-\n+\nI\n", want: "a:A a:A", refused: `r2: record 2 "a": the byte "-" at position 1 is not a base`},
		{name: "other names before an error", reads: header("a", "b") + "x", mates: header("a", "c") + "x", want: "a:A a:A", refused: `r2: record 2 "c": its mate in r1, record 2, is "b"`},
		{name: "an error where the first file has ended", reads: a, mates: a + "x", want: "a:A a:A", refused: `r2: record 2: expected '@' at the start of a record, found "x"`},
		{name: "no sequences", reads: a, mates: "hello", refused: `r2: expected FASTA ('>') or FASTQ ('@'), found "h"`},
		{name: "neither has any", reads: "hello", mates: "BAM\x01", refused: `r1: expected FASTA ('>') or FASTQ ('@'), found "h"`},

		{name: "alternating, other names", alternating: true, reads: header("a", "a", "b/1", "c/2"), want: "a:A a:A", refused: `r1: record 4 "c/2": the record before it, "b/1", is not its mate`},
		{name: "alternating, blank lines", alternating: true, reads: "\n@a\n\n+\n\n\n\n\n" + b, refused: `r1: record 2 "b": the record before it, "a", is not its mate`},
		{name: "alternating, odd", alternating: true, reads: header("a/1", "a/2", "b/1"), want: "a:A a:A", refused: `r1: record 3 "b/1": the file ends without its mate`},
		{name: "alternating, both /1", alternating: true, reads: header("a/1", "a/1"), refused: `r1: record 2 "a/1": the record before it is "a/1"; by their names both are the same mate`},
		{name: "alternating, 2 first", alternating: true, reads: header("a 2:N:0:1", "a 1:N:0:1"), refused: `r1: record 2 "a": the record before it is "a"; by their comments the second mate comes first`},
		{name: "alternating, error in a second mate", alternating: true, reads: header("a", "a", "b") + "@b\nA\n+\nII\n", want: "a:A a:A", refused: `r1: record 4 "b": 1 bases but 2 qualities`},
		{name: "alternating, error in a first mate", alternating: true, reads: header("a", "a") + "@b\nA\n+\nII\n" + b, want: "a:A a:A", refused: `r1: record 3 "b": 1 bases but 2 qualities`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			reads, mates := filepath.Join(dir, "r1"), filepath.Join(dir, "r2")
			for path, text := range map[string]string{reads: c.reads, mates: c.mates} {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if c.alternating {
				mates = ""
			}
			for _, chunkSize := range []int{1, 7, 16, 40, chunkText} {
				for threads := range 3 {
					got, err := allPairs(reads, mates, ReadOptions{Threads: threads + 1, WholeNames: c.whole}, chunkSize)
					refused := ""
					if err != nil {
						refused = strings.ReplaceAll(err.Error(), dir+"/", "")
					}
					if d := cmp.Diff(c.refused, refused); d != "" {
						t.Errorf("chunks of %d, %d threads: (-want +got):\n%s", chunkSize, threads+1, d)
					}
					if d := cmp.Diff(c.want, brief(got)); d != "" {
						t.Errorf("chunks of %d, %d threads: (-want +got):\n%s", chunkSize, threads+1, d)
					}
				}
			}
		})
	}
}

// TestPairsErrorFields checks the fields that callers get beside the text.
func TestPairsErrorFields(t *testing.T) {
	reads, mates := writeFile(t, "r1", []byte(">a\n>b\n")), writeFile(t, "r2", []byte(">a\n>c/2\n"))
	_, err := allPairs(reads, mates, ReadOptions{}, chunkText)
	var e *Error
	if !errors.As(err, &e) || e.File != mates || e.Record != 2 || e.Name != "c/2" {
		t.Errorf("got %#v", err)
	}
}

func TestOpenPairsErrors(t *testing.T) {
	dir := t.TempDir()
	file, none, other := writeFile(t, "r.fq", nil), filepath.Join(dir, "none"), filepath.Join(dir, "other")
	link, fifo := filepath.Join(dir, "link"), filepath.Join(dir, "fifo")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ reads, mates, want string }{
		{none, "", none + ": no such file or directory"},
		{none, file, none + ": no such file or directory"},
		{file, none, none + ": no such file or directory"},
		{none, other, none + ": no such file or directory"},
		{fifo, none, none + ": no such file or directory"},
		{file, dir, dir + ": is a directory"},
		{fifo, dir, dir + ": is a directory"},
		{dir, fifo, dir + ": is a directory"},
		{file, file, file + ": is the same file as " + file + "; expected the mates of its reads"},
		{file, link, link + ": is the same file as " + file + "; expected the mates of its reads"},
	} {
		if p, err := OpenPairs(context.Background(), c.reads, c.mates, ReadOptions{}); err == nil || err.Error() != c.want {
			t.Errorf("%q, %q: got %v, want %s", c.reads, c.mates, err, c.want)
			if p != nil {
				_ = p.Close()
			}
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := OpenPairs(ctx, file, fifo, ReadOptions{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a FIFO without writer: %v", err)
	}
}

// TestPairsOfMembers: numbers of records count through members of compressed files, and through
// chunks.
func TestPairsOfMembers(t *testing.T) {
	text := randomFASTQ(10_000)
	other := bytes.Replace(text, []byte("@SRR000001.7000 "), []byte("@another "), 1)
	half := len(text)/2 + 17
	reads := writeFile(t, "r1.gz", slices.Concat(gzipped(t, text[:half]), gzipped(t, text[half:])))
	mates := writeFile(t, "r2.gz", slices.Concat(bgzipped(t, other[:half]), gzipped(t, other[half:])))
	got, err := allPairs(reads, mates, ReadOptions{Threads: 2}, chunkText)
	want := mates + `: record 7001 "another": its mate in ` + reads + `, record 7001, is "SRR000001.7000"`
	if len(got) != 14_000 || err == nil || err.Error() != want {
		t.Errorf("%d reads, %v", len(got), err)
	}
}

func TestPairsOfPhiX(t *testing.T) {
	const reads, mates = "../testdata/phix_R1.fastq", "../testdata/phix_R2.fastq"
	want, refused := naivePairs(reads, mates)
	if len(want) != 90 || refused != "" {
		t.Fatal(len(want), refused)
	}
	empty := 0
	for _, r := range want {
		if len(r.Bases) == 0 {
			empty++
		}
	}
	if empty == 0 {
		t.Error("no read without bases in the test data")
	}
	for _, chunkSize := range []int{1, 3000, chunkText} {
		got, err := allPairs(reads, mates, ReadOptions{Threads: 2}, chunkSize)
		if err != nil {
			t.Error(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
}

// awkwardPairs are files of pairs in ../shared/data/awkward, and their expected outcomes. In
// refused, R1 and R2 stand for the files.
var awkwardPairs = []struct {
	reads, mates string
	pairs        int
	refused      string
}{
	{reads: "cutadapt__interleaved.fastq", pairs: 5},
	{reads: "htslib__interleaved.fq", pairs: 5},
	{reads: "htslib__interleaved_casava.fq", pairs: 5},
	{reads: "khmer__casava_18-pe.fq", pairs: 2},
	{reads: "khmer__old-style-format-w-comments.fq", pairs: 3},
	{reads: "khmer__paired-mixed.fq", pairs: 1, refused: `R1: record 4 "850:2:1:1123:19958/1": the record before it, "850:2:1:1118:7944/1", is not its mate`},
	{reads: "khmer__test-abund-read-2.paired.fq", refused: `R1: record 2 "895:1:37:17593:9954/1": the record before it is "895:1:37:17593:9954/1"; by their names both are the same mate`},
	{reads: "fastp__R1.fq", mates: "fastp__R2.fq", pairs: 9},
	{reads: "fastp__R2.fq", mates: "fastp__R1.fq", pairs: 9},
	{reads: "seqfu2__interleaved.fq.gz", pairs: 7},
	{reads: "seqfu2__illumina_1.fq.gz", mates: "seqfu2__illumina_2.fq.gz", pairs: 7},
	{reads: "seqfu2__illumina_2.fq.gz", mates: "seqfu2__illumina_1.fq.gz", refused: `R2: record 1 "A00709:43:HYG25DSXX:1:1101:3640:1000": its mate in R1, record 1, is "A00709:43:HYG25DSXX:1:1101:3640:1000"; by their comments the second mate comes first; are the files swapped?`},
	{reads: "seqfu2__longerone_R1.fq.gz", mates: "seqfu2__longerone_R2.fq.gz", pairs: 2, refused: `R2: ends after 2 records, but R1 has more`},
	{reads: "seqfu2__longerone_R2.fq.gz", mates: "seqfu2__longerone_R1.fq.gz", refused: `R2: record 1 "A00709:43:HYG25DSXX:1:1101:3640:1000": its mate in R1, record 1, is "A00709:43:HYG25DSXX:1:1101:3640:1000"; by their comments the second mate comes first; are the files swapped?`},
	{reads: "mrsfast_sample__mates1.fq", mates: "mrsfast_sample__mates2.fq", pairs: 200},
	{reads: "mrsfast_sample__reads.fq", refused: `R1: record 2 "chr1_5460_5914_0:0:0_2:0:0_11": the record before it, "chr1_4184_4675_1:0:0_2:0:0_01", is not its mate`},
	{reads: "TrimGalore__empty_file.fastq", mates: "cutadapt__empty.fasta"},
	{reads: "htslib__fastqs.fq", refused: `R1: record 2 "FAKE0006_1": the record before it, "FAKE0005_1", is not its mate`},
	{reads: "khmer__truncated.fq", refused: `R1: record 2: the file ends inside the record`},
	{reads: "khmer__test-fastq-n-reads.fq", mates: "khmer__100-reads.fq.bz2", refused: `R2: record 1 "895:1:1:1246:14654": its mate in R1, record 1, is "895:1:1:1246:14654"; by their comments both are the same mate; is the same file given twice?`},
	{reads: "cutadapt__dos.fastq", mates: "cutadapt__multiblock.fastq.gz", refused: `R2: record 1 "prefix:1_13_573/1": its mate in R1, record 1, is "prefix:1_13_573/1"; by their names both are the same mate; is the same file given twice?`},
	{reads: "derived_truncated.fastq.gz", refused: `R1: record 2 "SRR2838702.110": the record before it, "SRR2838702.4", is not its mate`},
	{reads: "derived_trailing_garbage.fastq.gz", refused: `R1: bytes that are not gzip follow the end of the gzip data`},
}

func TestAwkwardPairs(t *testing.T) {
	if _, err := os.Stat(awkwardDir); err != nil {
		t.Skipf("the awkward files are not here: %v", err)
	}
	for _, c := range awkwardPairs {
		t.Run(strings.TrimSuffix(c.reads+" "+c.mates, " "), func(t *testing.T) {
			reads, mates := filepath.Join(awkwardDir, c.reads), ""
			if c.mates != "" {
				mates = filepath.Join(awkwardDir, c.mates)
			}
			for _, chunkSize := range []int{chunkText, 1} {
				got, err := allPairs(reads, mates, ReadOptions{Threads: 2}, chunkSize)
				refused := ""
				if err != nil {
					refused = strings.ReplaceAll(err.Error(), reads, "R1")
					if mates != "" {
						refused = strings.ReplaceAll(refused, mates, "R2")
					}
				}
				if len(got) != 2*c.pairs || refused != c.refused {
					t.Errorf("chunks of %d: %d pairs, %s; want %d, %s", chunkSize, len(got)/2, refused, c.pairs, c.refused)
				}
			}
		})
	}
}

// compareWithNaive reads files in one way and compares with the naive reader.
func compareWithNaive(t rapid.TB, reads, mates string, threads, chunkSize int) {
	want, wantError := naivePairs(reads, mates)
	if strings.Contains(wantError, "but SAM allows") {
		return // a name may be too long only with its /1, which the naive reader keeps
	}
	got, err := allPairs(reads, mates, ReadOptions{Threads: threads}, chunkSize)
	gotError := ""
	if err != nil {
		gotError = err.Error()
	}
	if d := cmp.Diff(wantError, gotError); d != "" {
		t.Fatalf("error (-want +got):\n%s", d)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("pairs (-want +got):\n%s", d)
	}
}

// drawMates draws first and second mates, and most match.
func drawMates(t *rapid.T, qualities [2]bool) (mates [2][]Read) {
	endings := rapid.SampledFrom([][2]string{{"", ""}, {"", ""}, {"/1", "/2"}, {".1", ".2"}, {"_1", "_2"}, {"/1/1", "/2/2"}, {"", "/2"}})
	comments := rapid.SampledFrom([][2]string{{"", ""}, {"x y", "z"}, {"1:N:0:AC", "2:Y:1:AC"}, {"1:N:0:AC", ""}})
	for range rapid.IntRange(0, 25).Draw(t, "pairs") {
		name := rapid.SampledFrom([]string{"a", "b.1", "longer_2", "*", "."}).Draw(t, "name")
		ending, comment := endings.Draw(t, "ending"), comments.Draw(t, "comment")
		for i := range mates {
			r := Read{Name: name + ending[i], Comment: comment[i], Bases: []byte(rapid.StringMatching(`[ACGTN]{0,40}`).Draw(t, "bases"))}
			if qualities[i] {
				r.Qualities = bytes.Repeat([]byte("I"), len(r.Bases))
			}
			mates[i] = append(mates[i], r)
		}
	}
	for range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "faults") {
		drawFault(t, mates[:], rapid.IntRange(0, 1).Draw(t, "file"))
	}
	return mates
}

// drawFault spoils one read, or leaves it out.
func drawFault(t *rapid.T, mates [][]Read, file int) {
	reads := mates[file]
	if len(reads) == 0 {
		return
	}
	i := rapid.IntRange(0, len(reads)-1).Draw(t, "record")
	r := &reads[i]
	switch rapid.SampledFrom([]string{"name", "comment", "letter", "missing", "twice", "swapped"}).Draw(t, "fault") {
	case "name":
		r.Name = rapid.SampledFrom([]string{"other", "a/1", "a/2", "b.2", "@"}).Draw(t, "other name")
	case "comment":
		r.Comment = rapid.SampledFrom([]string{"1:N:0:AC", "2:N:0:AC"}).Draw(t, "other comment")
	case "letter":
		r.Bases = append(bytes.Clone(r.Bases), '*')
		if r.Qualities != nil {
			r.Qualities = append(bytes.Clone(r.Qualities), 'I')
		}
	case "missing":
		mates[file] = slices.Delete(reads, i, i+1)
	case "twice":
		mates[file] = slices.Insert(reads, i, *r)
	case "swapped":
		if i < len(mates[1-file]) && (r.Qualities == nil) == (mates[1-file][i].Qualities == nil) {
			*r, mates[1-file][i] = mates[1-file][i], *r
		}
	}
}

// TestAnyPairs: pairs and errors are the naive reader's, in two files or in one, however these are
// written, compressed and cut into chunks.
func TestAnyPairs(t *testing.T) {
	effort.Cases(t, 40)
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		alternate := rapid.Bool().Draw(rt, "alternate")
		qualities := [2]bool{rapid.Bool().Draw(rt, "FASTQ"), rapid.Bool().Draw(rt, "FASTQ of mates")}
		if alternate {
			qualities[1] = qualities[0]
		}
		mates := drawMates(rt, qualities)
		if alternate {
			var all []Read
			for i := range max(len(mates[0]), len(mates[1])) {
				for _, reads := range mates {
					if i < len(reads) {
						all = append(all, reads[i])
					}
				}
			}
			mates = [2][]Read{all, nil}
		}
		paths := [2]string{filepath.Join(dir, "r1"), filepath.Join(dir, "r2")}
		for i, path := range paths {
			text := drawCompressed(rt, t, drawText(rt, mates[i], qualities[i], ""))
			if err := os.WriteFile(path, text, 0o600); err != nil {
				rt.Fatal(err)
			}
		}
		if alternate {
			paths[1] = ""
		}
		chunkSize := rapid.SampledFrom([]int{1, 10, 50, 200, chunkText}).Draw(rt, "chunk")
		compareWithNaive(rt, paths[0], paths[1], rapid.IntRange(1, 3).Draw(rt, "threads"), chunkSize)
	})
}

// FuzzPairs: no input makes a panic, and pairs and errors are the naive reader's.
func FuzzPairs(f *testing.F) {
	for _, s := range [][2]string{
		{"@a/1\nA\n+\nI\n", "@a/2\nC\n+\nI\n"}, {">a\nA\n>a\nC\n>b\n>b", ""}, {"@a 1:N:0:1\nA\n+\nI\n", ">a 1:N:0:1"},
		{"@a.1\nA\n+\nI\n@b\n\n+\n\n", ">a.2\n>b\n>c\n"}, {"@a\nA\n+\nI\n@x", "@b\n-\n+\nI\n"}, {"@/1\n+\n", ">_2\n"}, {">.1\n>.2\n>a/2\n>a/1\n", "#"},
	} {
		for _, size := range []uint8{1, 20, 255} {
			f.Add([]byte(s[0]), []byte(s[1]), size)
		}
		f.Add(gzipped(f, []byte(s[0])), bgzipped(f, []byte(s[1])), uint8(9))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, reads, mates []byte, size uint8) {
		paths := [2]string{filepath.Join(dir, "r1"), filepath.Join(dir, "r2")}
		for i, text := range [][]byte{reads, mates} {
			if err := os.WriteFile(paths[i], text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		compareWithNaive(t, paths[0], paths[1], 2, int(size)+1)
		compareWithNaive(t, paths[0], "", 2, int(size)+1)
	})
}

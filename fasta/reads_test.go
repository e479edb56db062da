package fasta

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"scanmap/internal/effort"
)

// fq and fa make reads for tables; a read of FASTA has no qualities.
func fq(name, comment, bases, qualities string) Read {
	return Read{name, comment, []byte(bases), []byte(qualities)}
}

func fa(name, comment, bases string) Read { return Read{name, comment, []byte(bases), nil} }

func TestReads(t *testing.T) {
	allQualities := ""
	for c := '!'; c <= '~'; c++ {
		allQualities += string(c)
	}
	manyA := strings.Repeat("A", len(allQualities))
	longName := strings.Repeat("n", maxNameLength)
	for _, c := range []struct {
		name, text string
		crop       int
		want       []Read
		refused    string
	}{
		{name: "no bytes"},
		{name: "blank lines alone", text: "\n \t\r\n\n"},
		{name: "comments alone", text: "# nothing\n; here"},
		{name: "one", text: "@r1 a  comment\nACGT\n+\nIIII\n", want: []Read{fq("r1", "a  comment", "ACGT", "IIII")}},
		{name: "no last newline", text: "@r\nAC\n+\nII", want: []Read{fq("r", "", "AC", "II")}},
		{name: "all qualities", text: "@r\n" + manyA + "\n+\n" + allQualities + "\n", want: []Read{fq("r", "", manyA, allQualities)}},
		{name: "letters", text: "@r\nacgtunRY.X\n+\nIIIIIIIIII\n", want: []Read{fq("r", "", "ACGTUNRYNX", "IIIIIIIIII")}},
		{name: "byte-order mark", text: "\xef\xbb\xbf@r\nA\n+\nI\n", want: []Read{fq("r", "", "A", "I")}},
		{name: "CRLF", text: "@r x\r\nAC\r\n+\r\nII\r\n@s\nA\n+\nI\n", want: []Read{fq("r", "x", "AC", "II"), fq("s", "", "A", "I")}},
		{name: "blanks at line ends", text: "@r \t\nAC \n+ \nII\t\n", want: []Read{fq("r", "", "AC", "II")}},
		{name: "blank lines between records", text: "\n@r\nA\n+\nI\n\n \r\n@s\nC\n+\nI\n\n", want: []Read{fq("r", "", "A", "I"), fq("s", "", "C", "I")}},
		{name: "mates", text: "@r/1\nA\n+\nI\n@r/2 x\nA\n+\nI\n@r/3\nA\n+\nI\n", want: []Read{fq("r", "", "A", "I"), fq("r", "x", "A", "I"), fq("r/3", "", "A", "I")}},
		{name: "Casava", text: "@M:1:2 1:N:0:ACG\nA\n+\nI\n", want: []Read{fq("M:1:2", "1:N:0:ACG", "A", "I")}},
		{name: "tab before the comment", text: "@r\t \tXX:Z:a\tb\nA\n+\nI\n", want: []Read{fq("r", "XX:Z:a\tb", "A", "I")}},
		{name: "no names", text: "@\nA\n+\nI\n@/1\nA\n+\nI\n@ x\nA\n+\nI\n", want: []Read{fq("*", "", "A", "I"), fq("*", "", "A", "I"), fq("*", "x", "A", "I")}},
		{name: "longest name", text: "@" + longName + "/1\nA\n+\nI\n", want: []Read{fq(longName, "", "A", "I")}},
		{name: "name repeated", text: "@r/1 x\nA\n+r/1 x\nI\n@r/1 x\nA\n+r/1\nI\n", want: []Read{fq("r", "x", "A", "I"), fq("r", "x", "A", "I")}},
		{name: "name repeated, CRLF", text: "@r x\r\nACGT\r\n+r x\r\nIIII\r\n@s\r\nAC\r\n+s\r\nII\r\n", want: []Read{fq("r", "x", "ACGT", "IIII"), fq("s", "", "AC", "II")}},
		{name: "wrapped", text: "@r\nACG\nT\n+\n+@\n@I\n@s\nA\n+\n@\n", want: []Read{fq("r", "", "ACGT", "+@@I"), fq("s", "", "A", "@")}},
		{name: "quality +", text: "@x\nA\n+\n+\n", want: []Read{fq("x", "", "A", "+")}},
		{name: "zero length", text: "@a\n\n+\n\n@b\n+\n\n@c\n+\n@d\n\n+\n@e\nA\n+\nI\n@f\n+", want: []Read{
			fq("a", "", "", ""), fq("b", "", "", ""), fq("c", "", "", ""), fq("d", "", "", ""), fq("e", "", "A", "I"), fq("f", "", "", ""),
		}},
		{name: "cropped", crop: 2, text: "@a\nACGT\n+\nIJKL\n@b\nA\n+\nI\n", want: []Read{fq("a", "", "AC", "IJ"), fq("b", "", "A", "I")}},
		{name: "wrong behind the crop", crop: 2, text: "@a\nACG*\n+\nIJKL\n", refused: `record 1 "a": the byte "*" at position 4 is not a base`},

		{name: "FASTA", text: ">r1/1 a comment\nACG\nt\n\n>r2\n>\nN\n>r4\n", want: []Read{fa("r1", "a comment", "ACGT"), fa("r2", "", ""), fa("*", "", "N"), fa("r4", "", "")}},
		{name: "FASTA, CRLF, no last newline", text: "\r\n>r\r\nAC\r\nGT", want: []Read{fa("r", "", "ACGT")}},
		{name: "FASTA, inner blanks", text: ">r\nA C\n G\tT \n", want: []Read{fa("r", "", "ACGT")}},
		{name: "FASTA, comments before", text: "\xef\xbb\xbf# a\n;b\n\n>r\nA\n", want: []Read{fa("r", "", "A")}},
		{name: "FASTA, cropped", crop: 3, text: ">r\nAC\nGT\n>s\nA\n", want: []Read{fa("r", "", "ACG"), fa("s", "", "A")}},
		{name: "FASTA, wrong behind the crop", crop: 1, text: ">r\nAC\nG-\n", refused: `record 1 "r": the byte "-" at position 4 is not a base`},
		{name: "FASTA, > in a line", text: ">r\nA>C\n", refused: `record 1 "r": the byte ">" at position 2 is not a base`},
		{name: "FASTA, > behind a blank", text: ">q\nA\n>r\nAC\n >s\nA\n", want: []Read{fa("q", "", "A")}, refused: `record 2 "r": the byte ">" at position 3 is not a base`},
		{name: "FASTA, > first behind a blank", text: ">r\n >s\nA\n", refused: `record 1 "r": the byte ">" at position 1 is not a base`},
		{name: "FASTA, colour space", text: ">r\nT0123\n", refused: `record 1 "r": the byte "0" at position 2 is not a base: this looks like colour space, which is not supported`},
		{name: "FASTA, not ASCII", text: ">r\nA\u00a0C\n", refused: `record 1 "r": the byte "\xc2" at position 2 is not a base`},
		{name: "FASTA, white space over two lines", text: ">r\n\xc2\n\xa0>x\n", refused: `record 1 "r": the byte "\xc2" at position 1 is not a base`},
		{name: "FASTA, digit", text: ">r\nAC1\n", refused: `record 1 "r": the byte "1" at position 3 is not a base`},
		{name: "FASTA, first wrong record counts", text: ">r\nA\n>a@b\nA\n>s\n-\n", want: []Read{fa("r", "", "A")}, refused: `record 2 "a@b": the byte "@" at position 2 of the name is not allowed in SAM`},

		{name: "other bytes", text: "hello\n", refused: `expected FASTA ('>') or FASTQ ('@'), found "h"`},
		{name: "blank before the first record", text: " @r\n", refused: `expected FASTA ('>') or FASTQ ('@'), found " "`},
		{name: "UTF-16", text: "\xff\xfe@\x00r\x00", refused: "is UTF-16 or binary; expected plain text (FASTA or FASTQ)"},
		{name: "UTF-16 without mark", text: ">\x00r\x00\n\x00", refused: "is UTF-16 or binary; expected plain text (FASTA or FASTQ)"},
		{name: "SAM", text: "@HD\tVN:1.6\n@SQ\tSN:a\tLN:1\n", refused: "is SAM; expected FASTA or FASTQ"},
		{name: "SAM without @HD", text: "@SQ\tSN:a\tLN:1\n", refused: "is SAM; expected FASTA or FASTQ"},
		{name: "BAM", text: "BAM\x01rest", refused: "is BAM; expected FASTA or FASTQ"},
		{name: "CRAM", text: "CRAM\x03rest", refused: "is CRAM; expected FASTA or FASTQ"},
		{name: "BCF", text: "BCF\x02\x02rest", refused: "is BCF; expected FASTA or FASTQ"},
		{name: "bigWig", text: "\x26\xfc\x8f\x88\x04\x00", refused: "is bigWig; expected FASTA or FASTQ"},
		{name: "bigBed, big-endian", text: "\x87\x89\xf2\xeb\x00\x04", refused: "is bigBed; expected FASTA or FASTQ"},
		{name: "2bit", text: "\x43\x27\x41\x1a\x00\x00", refused: "is 2bit; expected FASTA or FASTQ"},
		{name: "xz", text: "\xfd7zXZ\x00\x00", refused: "is compressed with xz, which is not supported; use gzip, BGZF, bzip2 or zstd"},
		{name: "comments before FASTQ", text: "#x\n@r\nA\n+\nI\n", refused: "comment lines before FASTQ; they are allowed before FASTA ('>') only"},
		{name: "long comment", text: "#" + strings.Repeat("x", 9999) + "\n>r\n", want: []Read{fa("r", "", "")}},

		{name: "name too long", text: "@" + longName + "n\nA\n+\nI\n", refused: `record 1 "` + longName[:100] + `"...: the name has 255 bytes, but SAM allows 254`},
		{name: "@ in a name", text: "@a@b\nA\n+\nI\n", refused: `record 1 "a@b": the byte "@" at position 2 of the name is not allowed in SAM`},
		{name: "control byte in a name", text: "@a\x01b\nA\n+\nI\n", refused: `record 1 "a\x01b": the byte "\x01" at position 2 of the name is not allowed in SAM`},
		{name: "name that is not ASCII", text: "@\xc3\xa9\nA\n+\nI\n", refused: `record 1 "é": the byte "\xc3" at position 1 of the name is not allowed in SAM`},
		{name: "inner blank", text: "@a\nA C\n+\nI I\n", refused: `record 1 "a": the byte " " at position 2 is not a base`},
		{name: "blank before the bases", text: "@a\n AC\n+\nIII\n", refused: `record 1 "a": the byte " " at position 1 is not a base`},
		{name: "vertical tab at the end", text: "@a\nAC\v\n+\nII\v\n", refused: `record 1 "a": the byte "\v" at position 3 is not a base`},
		{name: "wide space in the qualities", text: "@a\nAAAA\n+\nI\u00a0I\n", refused: `record 1 "a": the byte "\xc2" at position 2 of the qualities is not in '!' to '~'`},
		{name: "gap", text: "@a\nA-C\n+\nIII\n", refused: `record 1 "a": the byte "-" at position 2 is not a base`},
		{name: "wrong in a wrapped read", text: "@a\nAA\nA*\n+\nII\nII\n", refused: `record 1 "a": the byte "*" at position 4 is not a base`},
		{name: "fewer qualities", text: "@a\nACGT\n+\nIII\n@b\nA\n+\nI\n", refused: `record 1 "a": 4 bases but 3 qualities`},
		{name: "more qualities", text: "@a\nA\n+\nI\n@b\nAC\n+\nIII\n", want: []Read{fq("a", "", "A", "I")}, refused: `record 2 "b": 2 bases but 3 qualities`},
		{name: "qualities without bases", text: "@a\n\n+\nIII\n", refused: `record 1 "a": 0 bases but 3 qualities`},
		{name: "other name on the plus line", text: "@a\nA\n+b\nI\n", refused: `record 1 "a": the '+' line names another read, "b"`},
		{name: "no @", text: "@a\nA\n+\nI\nr\nA\n+\nI\n", want: []Read{fq("a", "", "A", "I")}, refused: `record 2: expected '@' at the start of a record, found "r"`},
		{name: "no plus line", text: "@a\nA\n@b\nA\n+\nI\n", refused: `record 1 "a": expected bases or '+', found a line that starts with "@"`},
		{name: "ends in the header", text: "@a", refused: `record 1 "a": the file ends inside the record`},
		{name: "ends before the qualities", text: "@a\nA\n+\n", refused: `record 1 "a": the file ends inside the record`},
		{name: "ends in the qualities", text: "@a\nAC\n+\nI", refused: `record 1 "a": 2 bases but 1 qualities, and the file ends inside the record`},
		{name: "CR alone", text: "@a\rA\r+\rI\r", refused: `record 1 "a\rA\r+\rI": the file ends inside the record`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := writeFile(t, "reads", []byte(c.text))
			for _, chunkSize := range []int{1, 2, 3, 7, 16, 17, 40, chunkText} {
				got, err := readAll(path, ReadOptions{Threads: 2, Crop: c.crop}, chunkSize)
				if d := cmp.Diff(c.refused, said(t, path, err)); d != "" {
					t.Errorf("chunks of %d: (-want +got):\n%s", chunkSize, d)
				}
				if d := cmp.Diff(c.want, got); d != "" {
					t.Errorf("chunks of %d: (-want +got):\n%s", chunkSize, d)
				}
			}
		})
	}
}

// TestErrorFields checks the fields that callers get beside the text.
func TestErrorFields(t *testing.T) {
	path := writeFile(t, "reads.fq", []byte("@a\nA\n+\nI\n@b\nA\n+\nII\n"))
	_, err := readAll(path, ReadOptions{}, chunkText)
	var e *Error
	if !errors.As(err, &e) || e.File != path || e.Record != 2 || e.Name != "b" {
		t.Errorf("got %#v", err)
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		path, want string
		is         error
	}{
		{filepath.Join(dir, "none"), "no such file or directory", os.ErrNotExist},
		{dir, "is a directory", nil},
		{"", "no such file or directory", os.ErrNotExist},
	} {
		_, err := OpenReads(context.Background(), c.path, ReadOptions{})
		_, err2 := LoadReference(context.Background(), c.path, 1)
		for _, err := range []error{err, err2} {
			if err == nil || said(t, c.path, err) != c.want || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("%q: got %v, want %q", c.path, err, c.want)
			}
		}
	}
}

// TestStandardInput reads "-" from a pipe as standard input.
func TestStandardInput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin := os.Stdin
	os.Stdin = r
	defer func() { os.Stdin = stdin }()
	text := randomFASTQ(5000)
	go func() {
		_, _ = w.Write(text)
		_ = w.Close()
	}()
	got, err := readAll("-", ReadOptions{Threads: 2}, chunkText)
	if err != nil || len(got) != 5000 {
		t.Errorf("%d reads, %v", len(got), err)
	}
	if _, err := r.Stat(); err != nil {
		t.Errorf("standard input was closed: %v", err)
	}
	_ = r.Close()
}

// TestFIFO reads a FIFO, which gives its bytes once and cannot seek, and stops while another
// waits for its writer.
func TestFIFO(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	text := gzipped(t, randomFASTQ(5000))
	go func() { _ = os.WriteFile(path, text, 0o600) }()
	got, err := readAll(path, ReadOptions{}, chunkText)
	if err != nil || len(got) != 5000 {
		t.Errorf("%d reads, %v", len(got), err)
	}

	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := OpenReads(ctx, path, ReadOptions{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a FIFO without writer: %v", err)
	}

	// Written to, but never to the end.
	open := make(chan *os.File, 1)
	go func() {
		w, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Error(err)
		}
		_, _ = w.WriteString("@a\nA\n+\nI\n")
		open <- w
	}()
	r, err := OpenReads(context.Background(), path, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w := <-open
	defer func() { _ = w.Close() }()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := r.Next(); !errors.Is(err, context.Canceled) {
		t.Errorf("Next after Close: %v", err)
	}
}

func TestCloseAndCancel(t *testing.T) {
	fastq := bytes.Repeat(randomFASTQ(2_000), 12) // twice as much as is read ahead and more
	path := writeFile(t, "reads.fq", fastq)
	for name, text := range map[string]string{
		"plain": path,
		"gzip":  writeFile(t, "reads.gz", gzipped(t, fastq)),
		"bgzf":  writeFile(t, "reads.bgz", bgzipped(t, fastq)),
	} {
		t.Run(name, func(t *testing.T) {
			r, err := OpenReads(context.Background(), text, ReadOptions{Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Next(); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}
			moments := effort.Pick(50, 10)
			for i := range moments {
				if r, err = OpenReads(context.Background(), text, ReadOptions{Threads: 2}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Duration(i) * time.Millisecond / time.Duration(moments))
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}
			ctx, cancel := context.WithCancel(context.Background())
			if r, err = OpenReads(ctx, text, ReadOptions{Threads: 2}); err != nil {
				t.Fatal(err)
			}
			cancel()
			for err == nil {
				_, err = r.Next()
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("after cancel: %v", err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := LoadReference(ctx, path, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("LoadReference after cancel: %v", err)
	}
}

// TestReadAhead checks that reading ahead is bounded: nobody calls Next.
func TestReadAhead(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // each processor has a chunk of its own
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin := os.Stdin
	os.Stdin = r
	defer func() { os.Stdin = stdin }()
	text := randomFASTQ(120_000) // 30 MB
	written := make(chan int, 1)
	go func() {
		n, _ := w.Write(text)
		written <- n
	}()
	reads, err := OpenReads(context.Background(), "-", ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	_ = w.SetWriteDeadline(time.Now())
	if n := <-written; n < 1<<16 || n > 6<<20 {
		t.Errorf("%d bytes were read ahead", n)
	}
	_ = reads.Close()
	_ = w.Close()
	_ = r.Close()
}

// TestNextAfterEnd checks that the end and an error are given again.
func TestNextAfterEnd(t *testing.T) {
	r, err := OpenReads(context.Background(), writeFile(t, "r.fa", []byte(">a\nA\n")), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if reads, err := r.Next(); len(reads) != 1 || err != nil {
		t.Error(reads, err)
	}
	for range 3 {
		if reads, err := r.Next(); reads != nil || err != io.EOF {
			t.Error(reads, err)
		}
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

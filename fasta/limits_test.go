package fasta

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/internal/effort"
)

// endless is a start and then a text without end; read counts the bytes taken.
type endless struct {
	start, repeated string
	read            int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.start)
	e.start = e.start[n:]
	for n < len(p) {
		k := copy(p[n:], e.repeated)
		e.repeated = e.repeated[k:] + e.repeated[:k]
		n += k
	}
	e.read += n
	return n, nil
}

// memorySource is a source of what r gives.
func memorySource(r io.Reader) *source {
	s := textSource(context.Background(), "in", nil)
	s.memory = r
	return s
}

// TestEndlessRecords: whatever has no end is refused with one line, by the time that it is longer
// than a record may be.
func TestEndlessRecords(t *testing.T) {
	lines := strings.Repeat("ACGT\n", 1000)
	letters := strings.Repeat("ACGT", 1000)
	blanks, newlines := strings.Repeat(" ", 4000), strings.Repeat("\n", 4000)
	const most = 100_000
	const tooMany = "the read has more than 100000 bases; --max-read-length allows more"
	const header = "the header or '+' line has more than 1048576 bytes"
	const text = "the record has more than 4594304 bytes of text; --max-read-length allows more"
	for _, c := range []struct{ name, start, repeated, want string }{
		{"FASTQ, lines", "@r x\n", lines, `record 1 "r": ` + tooMany},
		{"FASTQ, one line", "@r\n", letters, `record 1 "r": ` + tooMany},
		{"FASTQ, second record", "@q\nA\n+\nI\n@r\n", lines, `record 2 "r": ` + tooMany},
		{"FASTQ, header", "@r ", letters, `record 1 "r": ` + header},
		{"FASTQ, name", "@", strings.Repeat("n", 4000), `record 1 "` + strings.Repeat("n", 100) + `"...: ` + header},
		{"FASTQ, second header", "@q\nA\n+\nI\n@r ", letters, `record 2 "r": ` + header},
		{"FASTQ, + line", "@r\nA\n+", letters, `record 1 "r": ` + header},
		{"FASTQ, qualities", "@r\nA\n+\n", letters, `record 1 "r": the read has more than 100000 qualities; --max-read-length allows more`},
		{"FASTQ, qualities of none", "@r\n+\n", letters, `record 1 "r": the read has more than 100000 qualities; --max-read-length allows more`},
		{"FASTQ, blank lines", "@r\nA\n", newlines, `record 1 "r": ` + text},
		{"FASTQ, blanks", "@r\nA", blanks, `record 1 "r": ` + text},
		{"FASTQ, blanks behind a header", "@r", blanks, `record 1 "r": ` + text},
		{"FASTQ, blanks behind qualities", "@r\nA\n+\nI", blanks, `record 1 "r": ` + text},
		{"FASTQ, blanks behind a record", "@r\nA\n+\nI\n ", blanks, `record 2: ` + text},
		{"FASTQ, header among bases", "@r\nA\n@s", letters, `record 1 "r": expected bases or '+', found a line that starts with "@"`},
		{"FASTQ, header among qualities", "@r\nAC\n+\nI\n@s", letters, `record 1 "r": 2 bases but 1 qualities`},
		{"FASTA, lines", ">r x\n", lines, `record 1 "r": ` + tooMany},
		{"FASTA, one line", ">r\n", letters, `record 1 "r": ` + tooMany},
		{"FASTA, second record", ">q\nA\n>r\n", lines, `record 2 "r": ` + tooMany},
		{"FASTA, header", ">r ", letters, `record 1 "r": ` + header},
		{"FASTA, blank lines", ">r\nA\n", newlines, `record 1 "r": ` + text},
		{"FASTA, blanks", ">r\nA", blanks, `record 1 "r": ` + text},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, chunkSize := range []int{100, chunkText} {
				in := &endless{start: c.start, repeated: c.repeated}
				reads := newReads(memorySource(in), ReadOptions{Threads: 1, MaxLength: most}, chunkSize)
				var err error
				for err == nil {
					_, err = reads.Next()
				}
				if got := said(t, "in", err); got != c.want {
					t.Errorf("chunks of %d bytes: got the error %q, want %q", chunkSize, got, c.want)
				}
				if closed := reads.Close(); closed != nil {
					t.Error(closed)
				}
				if bound := 4*most + 5*maxHeader + 2*chunkText; in.read > bound {
					t.Errorf("chunks of %d bytes: %d bytes were read, more than %d", chunkSize, in.read, bound)
				}
			}
		})
	}
	for _, start := range []string{">r ", ">q\nA\n>r "} {
		want := map[bool]string{true: `record 1 "r": ` + header, false: `record 2 "r": ` + header}[start[1] == 'r']
		for _, repeated := range []string{letters, blanks} {
			for _, blockSize := range []int{100, referenceBlock} {
				in := &endless{start: start, repeated: repeated}
				_, err := readReference(memorySource(in), 1, blockSize, bulkAndBiogo)
				if got := said(t, "in", err); got != want {
					t.Errorf("reference, blocks of %d bytes: got the error %q, want %q", blockSize, got, want)
				}
				if bound := 4 * maxHeader; in.read > bound {
					t.Errorf("reference, blocks of %d bytes: %d bytes were read, more than %d", blockSize, in.read, bound)
				}
			}
		}
	}
}

// TestLongestHeader: a header of as many bytes as are allowed is read, one more is refused.
func TestLongestHeader(t *testing.T) {
	for _, more := range []int{0, 1} {
		comment := strings.Repeat("c", maxHeader+more-len("@r "))
		want := ""
		if more > 0 {
			want = `record 1 "r": the header or '+' line has more than 1048576 bytes`
		}
		for _, text := range []string{">r " + comment + "\nACGT\n", "@r " + comment + "\nACGT\n+\nIIII\n", "@r " + comment + "\nAC\nGT\n+\nIIII\n"} {
			for _, size := range []int{1000, chunkText, 4 << 20} {
				path := writeFile(t, "reads", []byte(text))
				got, err := readAll(path, ReadOptions{}, size)
				if err == nil && (len(got) != 1 || got[0].Comment != comment) {
					t.Errorf("%d reads", len(got))
				}
				if text := said(t, path, err); text != want {
					t.Errorf("got the error %q, want %q", text, want)
				}
			}
		}
		for _, size := range []int{1000, referenceBlock} {
			in := strings.NewReader(">r " + comment + "\nACGT\n")
			_, err := readReference(memorySource(in), 1, size, bulkAndBiogo)
			if got := said(t, "in", err); got != want {
				t.Errorf("reference: got the error %q, want %q", got, want)
			}
		}
	}
}

// TestMaxLength: a read may have MaxLength bases, in any form and whatever Crop; the first that has
// more is refused, after all reads before it.
func TestMaxLength(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		qualities := rapid.Bool().Draw(rt, "FASTQ")
		want := drawReads(rt, qualities)
		text := drawText(rt, want, qualities, "/1")
		most := rapid.IntRange(1, 110).Draw(rt, "most")
		refused := ""
		for i := range want {
			if len(want[i].Bases) > most {
				e := recordErrorf(want[i].Name+"/1", "the read has more than %d bases; --max-read-length allows more", most)
				refused = e.in("in", int64(i+1)).Error()
				want = want[:i]
				break
			}
		}
		o := ReadOptions{Threads: 2, MaxLength: most, Crop: rapid.SampledFrom([]int{0, 200}).Draw(rt, "crop")}
		chunkSize := rapid.SampledFrom([]int{1, 10, 50, 200, chunkText}).Draw(rt, "chunk")
		reads := newReads(memorySource(strings.NewReader(string(text))), o, chunkSize)
		var got []Read
		var err error
		for err == nil {
			var some []Read
			some, err = reads.Next()
			got = append(got, some...)
		}
		said := ""
		if err != io.EOF {
			said = err.Error()
		}
		if said != refused {
			rt.Fatalf("got the error %q, want %q", said, refused)
		}
		if len(want)+len(got) > 0 {
			if d := cmp.Diff(want, got); d != "" {
				rt.Fatalf("(-want +got):\n%s", d)
			}
		}
	})
}

// TestMostText: a record whose text is too long is refused even if it is complete and has few
// bases, and one that just fits is read, whatever the size of chunks.
func TestMostText(t *testing.T) {
	o := ReadOptions{Threads: 1, MaxLength: 1}
	most := o.limits().text
	for turn, c := range []struct{ name, start, filler, end string }{
		{"wrapped", "@r\nA", "\n", "\n+\nI\n"},
		{"four lines", "@r\nA", " ", "\n+\nI\n"},
		{"FASTA", ">r\nA", "\n", "\n"},
	} {
		for _, more := range []int{0, 1} {
			text := c.start + strings.Repeat(c.filler, most+more-len(c.start)-len(c.end)) + c.end
			want := ""
			if more > 0 {
				want = `record 1 "r": the record has more than 4194308 bytes of text; --max-read-length allows more`
			}
			for _, chunkSize := range effort.Pick([]int{1000, 8 << 20}, []int{1000, 8 << 20}[(turn+more)%2:][:1]) {
				path := writeFile(t, "reads", []byte(text))
				got, err := readAll(path, o, chunkSize)
				if said := said(t, path, err); said != want || len(got) != 1-more {
					t.Errorf("%s, chunks of %d bytes: %d reads and the error %q, want %q", c.name, chunkSize, len(got), said, want)
				}
			}
		}
	}
}

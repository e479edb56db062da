package fasta

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/internal/effort"
)

// outcome is the outcome of a text: reads or contigs, and the error.
type outcome struct {
	Reads   []Read
	Digits  string // of the mates
	Contigs []contigText
	Error   string
}

// outcomeOfReads reads a text as reads.
func outcomeOfReads(text []byte, by readers, crop, chunkSize int) (o outcome) {
	options := ReadOptions{Threads: 2, Crop: crop, by: by}
	r := newReads(textSource(context.Background(), "text", text), options, chunkSize)
	for {
		p := r.next()
		o.Reads = append(o.Reads, p.reads...)
		o.Digits += string(p.digits[:len(p.reads)])
		if p.err != nil {
			if p.err != io.EOF {
				o.Error = p.err.Error()
			}
			_ = r.Close() // it was only read
			return o
		}
	}
}

// outcomeOfReference reads a text as a reference.
func outcomeOfReference(text []byte, by readers, blockSize int) (o outcome) {
	ref, err := readReference(textSource(context.Background(), "text", text), 2, blockSize, by)
	if err != nil {
		o.Error = err.Error()
		return o
	}
	o.Contigs = contigsOf(ref)
	return o
}

// checkReaders compares records read in bulk with records read by biogo alone, in chunks of one
// size.
func checkReaders(t interface {
	Helper()
	Fatalf(string, ...any)
}, text []byte, crop, chunkSize int) {
	t.Helper()
	if d := cmp.Diff(outcomeOfReads(text, biogoAlone, crop, chunkSize), outcomeOfReads(text, bulkAndBiogo, crop, chunkSize)); d != "" {
		t.Fatalf("%q as reads in chunks of %d (-biogo +bulk):\n%s", text, chunkSize, d)
	}
	if d := cmp.Diff(outcomeOfReference(text, biogoAlone, chunkSize), outcomeOfReference(text, bulkAndBiogo, chunkSize)); d != "" {
		t.Fatalf("%q as a reference in blocks of %d (-biogo +bulk):\n%s", text, chunkSize, d)
	}
}

// bulkTexts are texts in which something is regular, and more than one record is.
var bulkTexts = []string{
	"@a/1 x\nACGTN\n+\nIJK!~\n@b/2\nac\n+b/2\n@+\n@c\n\n+\n\n",
	"@a\r\nAC\r\n+\r\nII\r\n\n@b \r\nG.\r\n+\r\nII\r\n",
	"@a\nACG\n+\nIII\n@b\nAC\nG\n+\nII\nI\n@c\nA\n+\nI\n",
	"@a\nA C\n+\nIII\n@b@\nA\n+\nI\n",
	">a x\nACGT\nAcgn\nRU\n>b\nTT\n",
	">a\r\nAC-*\r\nG\r\n\r\n>b\tx \r\nACGTT\r\nT",
	">a\nAC\nA C\n>b\n >c\nA\n>d\nA1\n",
	">\nA>C\n>a\v\nA\n>b\nNNN\nN\n",
}

// TestBulkCut reads texts cut off at every byte, in chunks of every size; by default, of every size
// up to 8 bytes.
func TestBulkCut(t *testing.T) {
	for i, text := range bulkTexts {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			for end := range len(text) + 1 {
				for chunkSize := 1; chunkSize <= end+1; chunkSize += effort.Pick(1, 1+chunkSize/3) {
					checkReaders(t, []byte(text[:end]), 0, chunkSize)
				}
			}
		})
	}
}

// TestBulkBytes puts every byte at every place of a regular text, instead of the byte there and
// before that byte.
func TestBulkBytes(t *testing.T) {
	references := map[readers]*referenceParser{}
	reads := map[int]map[readers]*parser{0: {}, 3: {}} // by crop
	for _, by := range []readers{bulkAndBiogo, biogoAlone} {
		references[by] = newReferenceParser(by)
		for crop := range reads {
			reads[crop][by] = newParser(ReadOptions{by: by, Crop: crop})
		}
	}
	check := func(text []byte) {
		in := &feed{ctx: context.Background(), r: bytes.NewReader(text), block: len(text) + 1, limits: ReadOptions{}.limits()}
		frame := frameFASTA
		if text[0] == '@' {
			frame = frameFASTQ
		} else {
			want, got := references[biogoAlone].parse(block{text: text}), references[bulkAndBiogo].parse(block{text: text})
			if want, got := fmt.Sprint(want.fragments, want.err), fmt.Sprint(got.fragments, got.err); want != got {
				t.Fatalf("%q as a reference: biogo %s, bulk %s", text, want, got)
			}
		}
		c := frame(in, 1)
		for crop, parsers := range reads {
			want, wantErr := parsers[biogoAlone].parse(&c)
			got, err := parsers[bulkAndBiogo].parse(&c)
			if !reflect.DeepEqual(want, got) || fmt.Sprint(wantErr) != fmt.Sprint(err) {
				t.Fatalf("%q as reads cut to %d: biogo %v, %v, bulk %v, %v", text, crop, want, wantErr, got, err)
			}
			if n := len(want); string(parsers[biogoAlone].digits[:n]) != string(parsers[bulkAndBiogo].digits[:n]) {
				t.Fatalf("%q: the digits of mates differ", text)
			}
		}
	}
	for _, text := range []string{
		"@ab/1 cd\nACGTACGTACG\n+\n!IIIIIIIII~\n", ">ab cd\nACGTACGTACG\nACGT\n>e\n",
	} {
		for at := 1; at < len(text); at++ {
			for c := range 256 {
				put := string([]byte{byte(c)})
				if effort.Full() || (at+c)%2 == 0 {
					check([]byte(text[:at] + put + text[at+1:]))
				}
				if effort.Full() || (at+c)%2 == 1 {
					check([]byte(text[:at] + put + text[at:]))
				}
			}
		}
	}
}

// drawRegular draws a regular text with some changes: bytes put in, taken out or replaced.
func drawRegular(t *rapid.T) []byte {
	var b bytes.Buffer
	fastq := rapid.Bool().Draw(t, "FASTQ")
	end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
	width := rapid.IntRange(1, 70).Draw(t, "width")
	for range rapid.IntRange(1, 6).Draw(t, "records") {
		name := rapid.StringMatching(`[!-?A-~]{0,12}(/[12])?( [ -~]{0,9})?`).Draw(t, "header")
		bases := rapid.StringMatching(`[ACGT]{0,140}|[ACGTNacgtnRYU]{0,140}|N{60,140}`).Draw(t, "bases")
		if !fastq {
			b.WriteString(">" + name + end)
			for ; len(bases) > width; bases = bases[width:] {
				b.WriteString(bases[:width] + end)
			}
			b.WriteString(bases + end)
			continue
		}
		qualities := rapid.StringOfN(rapid.RuneFrom([]rune("!5I@+>~")), len(bases), len(bases), -1).Draw(t, "qualities")
		plus := rapid.SampledFrom([]string{"", name}).Draw(t, "plus")
		b.WriteString("@" + name + end + bases + end + "+" + plus + end + qualities + end)
	}
	text := b.Bytes()
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		at := rapid.IntRange(0, len(text)).Draw(t, "at")
		put := rapid.SampledFrom([]string{
			"", "\n", "\r", " ", "\t", "\v", ">", "@", "+", ".", "-", "1", "\x00", "\x7f", "\u0085", "\u00a0", "\xa0", "A", "\n\n", "\n>x\n",
		}).Draw(t, "put")
		taken := min(rapid.IntRange(0, 2).Draw(t, "taken"), len(text)-at)
		text = append(append(append([]byte{}, text[:at]...), put...), text[at+taken:]...)
	}
	return text[:rapid.IntRange(0, len(text)).Draw(t, "cut")]
}

// TestBulkAndBiogo: reading in bulk gives the records that biogo reads alone.
func TestBulkAndBiogo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawRegular(t)
		crop := rapid.SampledFrom([]int{0, 0, 1, 30}).Draw(t, "crop")
		for _, chunkSize := range []int{rapid.IntRange(1, len(text)+1).Draw(t, "chunk"), chunkText} {
			checkReaders(t, text, crop, chunkSize)
		}
	})
}

// FuzzBulk: the same for any text, whole and cut off, in chunks of any size.
func FuzzBulk(f *testing.F) {
	for i, text := range bulkTexts {
		f.Add([]byte(text), uint16(len(text)-i), uint16(5+7*i), uint8(i))
	}
	f.Fuzz(func(t *testing.T, text []byte, cut, chunkSize uint16, crop uint8) {
		checkReaders(t, text, int(crop), chunkText)
		checkReaders(t, text[:min(int(cut), len(text))], int(crop), int(chunkSize)+1)
	})
}

// TestBulkTakes: regular text is read in bulk, and no other text.
func TestBulkTakes(t *testing.T) {
	long := strings.Repeat("ACGT", 3*bulkLetters/4)
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"FASTQ", "@a\nACGT\n+\nIIII\n", true},
		{"CRLF", "@a x\r\nACGT\r\n+\r\nIIII\r\n", true},
		{"blank line between", "@a\nA\n+\nI\n\n@b\nA\n+\nI\n", true},
		{"name repeated", "@a x\nA\n+a x\nI\n", true},
		{"lower case, unknown and IUPAC letters", "@a\nacgtu.RYKM\n+\nIIIIIIIIII\n", true},
		{"tab in the comment", "@a\tx\nA\n+\nI\n", true},
		{"no bases", "@a\n\n+\n\n", true},
		{"wrapped", "@a\nA\nA\n+\nI\nI\n", false},
		{"comment of UTF-8", "@a \u00b5\nA\n+\nI\n", false},
		{"@ in a name", "@a@b\nA\n+\nI\n", false},
		{"wrong base", "@a\nA*\n+\nII\n", false},
		{"wrong quality", "@a\nAA\n+\nI\x7f\n", false},
		{"FASTA", ">a\nACGT\nAC\n>b\n\n", true},
		{"FASTA, CRLF", ">a x\r\nACGT\r\nAC\r\n", true},
		{"FASTA, blank lines", ">a\nACGT\n\nACGTACGT\nA\n\n>b\nA", true},
		{"FASTA, lower case, U and IUPAC letters", ">a\nacgtuRYKM.\n", true},
		{"FASTA, long line", ">a\n" + long + "\n", true},
		{"FASTA, inner blank", ">a\nA C\n", false},
		{"FASTA, > in a line", ">a\nA>C\n", false},
		{"FASTA, digit", ">a\nAC1\n", false},
		{"FASTA, vertical tab in the header", ">a\v\nAC\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := &feed{ctx: context.Background(), r: strings.NewReader(c.text), block: len(c.text) + 1, limits: ReadOptions{}.limits()}
			var chunk chunk
			if c.text[0] == '@' {
				chunk = frameFASTQ(in, 1)
			} else {
				chunk = frameFASTA(in, 1)
				p := bulkReference{}
				if _, ok := p.parse(block{text: []byte(c.text)}); ok != c.want {
					t.Errorf("as a reference: %v", ok)
				}
			}
			p := newBulkReads(ReadOptions{})
			if _, ok := p.parse(&chunk); ok != c.want {
				t.Errorf("as reads: %v", ok)
			}
		})
	}
}

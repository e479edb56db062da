package fasta

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"scanmap/internal/effort"
)

// drawReads draws reads, with qualities or without.
func drawReads(t *rapid.T, qualities bool) []Read {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Read {
		r := Read{
			Name:    rapid.StringMatching(`[!-.0-?A-~]{1,20}`).Draw(t, "name"),
			Comment: rapid.StringMatching(`([!-~]([!-~ ]{0,20}[!-~])?)?`).Draw(t, "comment"),
			Bases:   []byte(rapid.StringMatching(`[A-Z]{0,100}`).Draw(t, "bases")),
		}
		if qualities {
			n := len(r.Bases)
			r.Qualities = rapid.SliceOfN(rapid.ByteRange('!', '~'), n, n).Draw(t, "qualities")
		}
		return r
	}), 0, 20).Draw(t, "reads")
}

// drawLines breaks text into lines of drawn lengths and ends, and adds blank ones if that is
// allowed.
func drawLines(t *rapid.T, text []byte, blank bool) []byte {
	var b bytes.Buffer
	end := rapid.SampledFrom([]string{"\n", "\r\n", " \n", "\t \r\n"})
	for {
		n := min(rapid.IntRange(1, 60).Draw(t, "width"), len(text))
		b.Write(text[:n])
		b.WriteString(end.Draw(t, "end"))
		if blank && rapid.IntRange(0, 9).Draw(t, "blank") == 0 {
			b.WriteString(end.Draw(t, "end"))
		}
		if text = text[n:]; len(text) == 0 {
			return b.Bytes()
		}
	}
}

// drawText writes reads in one of the many ways that mean the same, with one of the suffixes behind
// each name.
func drawText(t *rapid.T, reads []Read, qualities bool, suffixes ...string) []byte {
	var b bytes.Buffer
	b.WriteString(rapid.SampledFrom([]string{"", "\xef\xbb\xbf", "\n", "\r\n \n"}).Draw(t, "start"))
	for _, r := range reads {
		header := r.Name + rapid.SampledFrom(suffixes).Draw(t, "mate")
		name := header
		if r.Comment != "" {
			header += rapid.SampledFrom([]string{" ", "\t", " \t "}).Draw(t, "blank") + r.Comment
		}
		end := rapid.SampledFrom([]string{"\n", "\r\n", "  \n"}).Draw(t, "end")
		if !qualities {
			b.WriteString(">" + header + end)
			b.Write(drawLines(t, r.Bases, true))
			continue
		}
		b.WriteString("@" + header + end)
		b.Write(drawLines(t, r.Bases, true))
		b.WriteString("+" + rapid.SampledFrom([]string{"", header, name}).Draw(t, "plus") + end)
		b.Write(drawLines(t, r.Qualities, false))
		b.WriteString(strings.Repeat(end, rapid.IntRange(0, 2).Draw(t, "blank lines")))
	}
	text := b.Bytes()
	if len(reads) > 0 && rapid.Bool().Draw(t, "cut the last newline") {
		text = bytes.TrimRight(text, "\r\n\t ")
	}
	return text
}

// drawCompressed compresses text in some way, in random members.
func drawCompressed(t *rapid.T, tb testing.TB, text []byte) []byte {
	if rapid.IntRange(0, 3).Draw(t, "plain") == 0 {
		return text
	}
	var b bytes.Buffer
	last := false
	for len(text) > 0 || b.Len() == 0 {
		n := rapid.IntRange(0, len(text)).Draw(t, "member")
		if last = rapid.Bool().Draw(t, "bgzf"); last {
			b.Write(bgzfMember(tb, text[:n]))
		} else {
			b.Write(gzipped(tb, text[:n]))
		}
		text = text[n:]
	}
	if last || rapid.Bool().Draw(t, "end block") {
		b.WriteString(bgzfEnd)
	}
	return b.Bytes()
}

// TestAnyForm: reads are the same however they are wrapped, compressed and cut into chunks.
func TestAnyForm(t *testing.T) {
	effort.Cases(t, 40)
	path := filepath.Join(t.TempDir(), "reads")
	rapid.Check(t, func(rt *rapid.T) {
		qualities := rapid.Bool().Draw(rt, "FASTQ")
		want := drawReads(rt, qualities)
		text := drawCompressed(rt, t, drawText(rt, want, qualities, "", "/1", "/2"))
		if err := os.WriteFile(path, text, 0o600); err != nil {
			rt.Fatal(err)
		}
		crop := rapid.SampledFrom([]int{0, 0, 1, 30}).Draw(rt, "crop")
		threads := rapid.IntRange(1, 3).Draw(rt, "threads")
		chunkSize := rapid.SampledFrom([]int{1, 2, 10, 50, 200, chunkText}).Draw(rt, "chunk")
		got, err := readAll(path, ReadOptions{Threads: threads, Crop: crop}, chunkSize)
		if err != nil {
			rt.Fatal(err)
		}
		if len(want) == 0 {
			want = nil
		}
		for i := range want {
			if crop > 0 {
				want[i].Bases = want[i].Bases[:min(crop, len(want[i].Bases))]
				want[i].Qualities = want[i].Qualities[:min(crop, len(want[i].Qualities))]
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			rt.Fatalf("(-want +got):\n%s", d)
		}
	})
}

// TestAnyReference: the same for references.
func TestAnyReference(t *testing.T) {
	effort.Cases(t, 40)
	path := filepath.Join(t.TempDir(), "ref")
	rapid.Check(t, func(rt *rapid.T) {
		drawn := rapid.SliceOfNDistinct(rapid.StringMatching(`[0-9A-Za-z!#$%&+./:;?@^_|~-]{1,9}`), 1, 5, rapid.ID[string]).Draw(rt, "names")
		seed := rapid.Uint64().Draw(rt, "seed")
		r := rand.New(rand.NewPCG(seed, 0))
		var b bytes.Buffer
		var want []contigText
		for _, name := range drawn {
			letters := randomBases(r, 1+r.IntN(500))
			for range r.IntN(4) { // runs of other letters
				at, letter := r.IntN(len(letters)), "NRYK"[r.IntN(4)]
				for i := at; i < min(at+r.IntN(150), len(letters)); i++ {
					letters[i] = letter
				}
			}
			b.WriteString(">" + name + "\r\n")
			b.Write(drawLines(rt, letters, true))
			want = append(want, contigText{name, "", string(letters)})
		}
		if err := os.WriteFile(path, drawCompressed(rt, t, b.Bytes()), 0o600); err != nil {
			rt.Fatal(err)
		}
		blockSize := rapid.SampledFrom([]int{1, 10, 64, 100, 1000, referenceBlock}).Draw(rt, "block")
		ref, err := loadReference(context.Background(), path, rapid.IntRange(1, 3).Draw(rt, "threads"), blockSize, bulkAndBiogo)
		if err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff(want, contigsOf(ref)); d != "" {
			rt.Fatalf("(-want +got):\n%s", d)
		}
	})
}

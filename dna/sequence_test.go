package dna

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// letters returns the packed sequence as text, N for every ambiguous letter.
func letters(s *Sequence) string {
	var b strings.Builder
	for i := range s.Length {
		b.WriteByte(s.Letter(i))
	}
	return b.String()
}

// plain is the sequence that packing should give back.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case 'A', 'C', 'G', 'T':
			return r
		case 'U':
			return 'T'
		}
		return 'N'
	}, strings.ToUpper(text))
}

func reverseComplement(text string) string {
	out := make([]byte, len(text))
	for i := range len(text) {
		out[len(text)-1-i] = map[byte]byte{'A': 'T', 'C': 'G', 'G': 'C', 'T': 'A', 'N': 'N'}[text[i]]
	}
	return string(out)
}

// checkTail reports bits past the end that are not as the package comment says.
func checkTail(t interface{ Fatalf(string, ...any) }, s *Sequence) {
	for i := s.Length; i < len(s.Low)*WordBases; i++ {
		word, bit := i/WordBases, i%WordBases
		if s.Low[word]>>bit&1 != 0 || s.High[word]>>bit&1 != 0 || s.Ambiguous[word]>>bit&1 != 1 {
			t.Fatalf("length %d: bit %d past the end is not ambiguous", s.Length, i)
		}
	}
}

func TestEveryLetterPacks(t *testing.T) {
	for c := range 256 {
		for at := range 8 { // every place of a word packed eight at a time
			text := []byte("acgtTGCA")
			text[at] = byte(c)
			var s Sequence
			s.Append(text)
			// bytes that are not letters would be changed by ToUpper's UTF-8 view
			want := []byte(plain("acgtTGCA"))
			want[at] = 'N'
			if code, ok := Code(byte(c)); ok {
				want[at] = Letters[code]
			}
			if got := letters(&s); got != string(want) {
				t.Fatalf("byte %#x at %d: got %s, want %s", c, at, got, want)
			}
		}
	}
}

func TestReverseComplementExample(t *testing.T) {
	var s, r Sequence
	s.Append([]byte("ACGTN"))
	s.ReverseComplement(&r)
	if got := letters(&r); got != "NACGT" {
		t.Fatalf("got %s", got)
	}
}

func TestPackingAtWordBorders(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[ACGTUNRacgtun]{0,200}`).Draw(t, "text")
		cut := rapid.IntRange(0, len(text)).Draw(t, "cut")
		var whole, head, tail, joined, reverse Sequence
		whole.Append([]byte(text))
		head.Append([]byte(text[:cut]))
		tail.Append([]byte(text[cut:]))
		joined.AppendSequence(&head)
		joined.AppendSequence(&tail)
		head.Append([]byte(text[cut:]))
		want := plain(text)
		for name, s := range map[string]*Sequence{"whole": &whole, "in two": &head, "joined": &joined} {
			if got := letters(s); got != want {
				t.Fatalf("%s: got %s, want %s", name, got, want)
			}
			checkTail(t, s)
		}
		reverse.Append([]byte(text)) // planes to be reused
		whole.ReverseComplement(&reverse)
		if got := letters(&reverse); got != reverseComplement(want) {
			t.Fatalf("reverse complement: got %s, want %s", got, reverseComplement(want))
		}
		checkTail(t, &reverse)
		if got, want := whole.CountAmbiguous(), strings.Count(want, "N"); got != want {
			t.Fatalf("%d ambiguous, want %d", got, want)
		}
	})
}

func TestReferenceLettersAndBorders(t *testing.T) {
	var r Reference
	add := func(name, text string, exceptions ...Run) {
		if err := r.AddContig(name, ""); err != nil {
			t.Fatal(err)
		}
		var s Sequence
		s.Append([]byte(text))
		r.Append(&s, exceptions)
	}
	add("one", "ACGTRRN", Run{4, 6, 'R'}, Run{6, 7, 'N'})
	add("two", strings.Repeat("G", 64))
	add("three", "T")
	r.Finish()
	want := []Contig{{Name: "one", Length: 7}, {Name: "two", Start: 128, Length: 64}, {Name: "three", Start: 256, Length: 1}}
	if d := cmp.Diff(want, r.Contigs); d != "" {
		t.Fatal(d)
	}
	var got strings.Builder
	for _, c := range r.Contigs {
		for i := c.Start; i < c.End(); i++ {
			got.WriteByte(r.Letter(i))
		}
	}
	if want := "ACGTRRN" + strings.Repeat("G", 64) + "T"; got.String() != want {
		t.Fatalf("got %s, want %s", got.String(), want)
	}
	for offset, contig := range map[int]int{0: 0, 6: 0, 100: 0, 128: 1, 191: 1, 192: 1, 256: 2, 300: 2} {
		if got := r.ContigAt(offset); got != contig {
			t.Errorf("offset %d: contig %d, want %d", offset, got, contig)
		}
	}
	if r.TotalLength() != 72 {
		t.Errorf("total length %d", r.TotalLength())
	}
	if err := r.AddContig("two", ""); err == nil || !strings.Contains(err.Error(), "record 2") {
		t.Errorf("a duplicate name gave %v", err)
	}
}

// TestAppendSequenceAtWordBorders appends sequences of all lengths around words to each other, onto
// planes that were used before.
func TestAppendSequenceAtWordBorders(t *testing.T) {
	text := strings.Repeat("ACGTTNGCAACTG", 20)
	lengths := []int{0, 1, 10, 31, 32, 33, 60, 63, 64, 65, 100, 127, 128, 129}
	for _, first := range lengths {
		for _, second := range lengths {
			var joined, head, tail Sequence
			joined.Append([]byte(strings.Repeat("T", 300)))
			joined.Reset()
			head.Append([]byte(text[:first]))
			tail.Append([]byte(text[first:][:second]))
			joined.AppendSequence(&head)
			joined.AppendSequence(&tail)
			if got, want := letters(&joined), text[:first+second]; got != want {
				t.Fatalf("%d and %d: got %s, want %s", first, second, got, want)
			}
			checkTail(t, &joined)
		}
	}
}

package records

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scanmap/fasta"
	"scanmap/search"
)

// named makes patterns of words such as name=letters.
func named(t *testing.T, words string) []search.Pattern {
	t.Helper()
	var patterns []search.Pattern
	for _, word := range strings.Fields(words) {
		name, letters, _ := strings.Cut(word, "=")
		p, err := search.NewPattern(name, []byte(letters), search.DNA)
		if err != nil {
			t.Fatal(err)
		}
		patterns = append(patterns, p)
	}
	return patterns
}

// TestTrim has the letters cut off a read, one barcode after the other.
func TestTrim(t *testing.T) {
	const a, b = "ACGTTGCATTAG", "ACCTTGGATTAG"
	const other = "CTAATGCAACGT" // the reverse complement of a
	for _, c := range []struct {
		name, read string
		options    Options
		// left is what Filter and Split leave, split is what Split leaves if that is another.
		left, split string
	}{
		{name: "start", read: "TT" + a + "TTT", left: "TTT"},
		{name: "end", read: "TTT" + other + "TT", left: "TTT"},
		{name: "both ends", read: "T" + a + "TTT" + other, left: "TTT"},
		{name: "the other end is not asked for", read: "T" + a + "TTT" + other, options: Options{End: Five}, left: "TTT" + other},
		{name: "the start is not asked for", read: "T" + a + "TTT" + other, options: Options{End: Three}, left: "T" + a + "TTT"},
		{name: "too far in", read: "TTT" + a + "TTT", left: "TTT" + a + "TTT"},
		{name: "nothing left", read: "TT" + a, left: ""},
		{name: "ends overlap", read: a[:6] + other, options: Options{Search: search.Options{Distance: 6}}, left: ""},
		{name: "the last letter differs", read: a[:11] + "C" + "TTT", options: Options{Search: search.Options{Distance: 1}}, left: "TTT"},
		{name: "a letter is lacking", read: a[:5] + a[6:] + "TTT", options: Options{Search: search.Options{Distance: 1}}, left: "TTT"},
		{name: "a letter more", read: a[:5] + "C" + a[5:] + "TTT", options: Options{Search: search.Options{Distance: 1}}, left: "TTT"},
		{name: "no gaps", read: "T" + a[:5] + "C" + a[6:] + "TTT", options: Options{Search: search.Options{Distance: 1, Substitutions: true}}, left: "TTT"},
		// The barcode of the record is a. At the other end b has one edit, and a has three.
		{name: "another at the other end", read: a + "TTTT" + "CTTATCCAAGGT",
			options: Options{Search: search.Options{Distance: 2}}, left: "TTTT", split: "TTTT" + "CTTATCCAAGGT"},
	} {
		o := c.options
		o.Patterns, o.Within, o.Trim = named(t, "a="+a+" b="+b), 2, true
		for _, qualities := range []bool{false, true} {
			read := fasta.Read{Name: "r", Bases: []byte(c.read)}
			if qualities {
				for i := range c.read {
					read.Qualities = append(read.Qualities, byte('!'+i))
				}
			}
			left := func(letters string) string {
				r := read
				if at := strings.Index(c.read, letters); letters != "" && at >= 0 {
					r.Bases, r.Qualities = []byte(letters), nil
					if qualities {
						r.Qualities = read.Qualities[at : at+len(letters)]
					}
					return string(fasta.AppendFASTQ(nil, &r, ""))
				}
				if r.Bases = nil; qualities {
					r.Qualities = []byte{}
				}
				return string(fasta.AppendFASTQ(nil, &r, ""))
			}
			o.Reads = filepath.Join(t.TempDir(), "reads")
			if err := os.WriteFile(o.Reads, fasta.AppendFASTQ(nil, &read, ""), 0o600); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			stats, err := Filter(context.Background(), o, &out, nil)
			if err != nil {
				t.Fatal(err)
			}
			if want := left(c.left); stats.Matched == 1 && out.String() != want || stats.Matched == 0 && c.left != c.read {
				t.Errorf("%s: Filter leaves\n%s, want\n%s", c.name, out.String(), want)
			}
			var folder memoryFolder
			if _, err := Split(context.Background(), o, &folder, false); err != nil {
				t.Fatal(err)
			}
			want := left(c.left)
			if c.split != "" {
				want = left(c.split)
			}
			name := "a"
			if stats.Matched == 0 {
				name = Unassigned
			}
			ending := ".fa"
			if qualities {
				ending = ".fq"
			}
			if got := string(folder.files[name+ending]); got != want {
				t.Errorf("%s: Split leaves in %s\n%s, want\n%s", c.name, name, got, want)
			}
		}
	}
}

// TestAmbiguousStaysWhole has two barcodes that are as good.
func TestAmbiguousStaysWhole(t *testing.T) {
	const text = "@r\nACGTTGCATTAGCCCGTCTGGAAATCC\n+\nIIIIIIIIIIIIIIIIIIIIIIIIIII\n"
	o := Options{Patterns: named(t, "a=ACGTTGCATTAG b=GGATTTCCAGAC"), Within: 0, Trim: true, Reads: filepath.Join(t.TempDir(), "reads")}
	if err := os.WriteFile(o.Reads, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var folder memoryFolder
	if _, err := Split(context.Background(), o, &folder, false); err != nil {
		t.Fatal(err)
	}
	if got := string(folder.files["ambiguous.fq"]); got != text {
		t.Errorf("wrote %s", got)
	}
	var out bytes.Buffer
	if _, err := Filter(context.Background(), o, &out, nil); err != nil || out.String() != "@r\nCCC\n+\nIII\n" {
		t.Errorf("both primers are cut off: %v\n%s", err, out.String())
	}
}

// A turnFolder keeps how much is appended at a time.
type turnFolder struct{ most int }

func (f *turnFolder) Append(name string, text []byte) error {
	if name != Table {
		f.most = max(f.most, len(text))
	}
	return nil
}

// TestTurns has text wait for as many bytes as there may be, and no longer.
func TestTurns(t *testing.T) {
	for _, apart := range []bool{false, true} {
		var text strings.Builder
		for i := range 200 {
			fmt.Fprintf(&text, "@%03d\nACGTTGCATTAG\n+\nIIIIIIIIIIII\n@%03d\nCCC\n+\nIII\n", i, i)
		}
		o := Options{Patterns: named(t, "a=ACGTTGCATTAG"), Within: Anywhere, Interleaved: true, Apart: apart, Reads: filepath.Join(t.TempDir(), "reads"),
			Search: search.Options{Threads: 1}, bounds: bounds{held: 1000}}
		if err := os.WriteFile(o.Reads, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		var folder turnFolder
		if _, err := Split(context.Background(), o, &folder, false); err != nil {
			t.Fatal(err)
		}
		// A pair has 48 bytes, the first mate 33 of these. The first 21 pairs have 1,000.
		want := 21 * 48
		if apart {
			want = 21 * 33
		}
		if folder.most != want {
			t.Errorf("apart %t: up to %d bytes are written together, want %d", apart, folder.most, want)
		}
	}
}

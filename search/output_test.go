package search

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"scanmap/sam"
)

// pattern is one that is called by its letters.
func pattern(t testing.TB, letters, fixed string, a Alphabet) Pattern {
	t.Helper()
	p, err := fixedPattern(letters+fixed, letters, fixed, a)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// fixedPattern makes a pattern of letters, and of others after them that have to match.
func fixedPattern(name, letters, fixed string, a Alphabet) (Pattern, error) {
	p, err := NewPattern(name, []byte(letters+fixed), a)
	if err == nil && fixed != "" {
		p.Exact = slices.Concat(make([]bool, len(letters)), slices.Repeat([]bool{true}, len(fixed)))
	}
	return p, err
}

// written searches and returns the output in a format, without the header of SAM.
func written(t testing.TB, text *Text, patterns []Pattern, o Options, format Format) string {
	t.Helper()
	var b bytes.Buffer
	rows, err := NewRows(&b, text, patterns, RowOptions{Format: format, Distance: o.Distance, Header: sam.HeaderOptions{NoProgram: true}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if _, err := Run(ctx, text, patterns, rows.Options(o), func(l []Location) error { return rows.Add(ctx, l) }); err != nil {
		t.Fatal(err)
	}
	if err := rows.Finish(ctx); err != nil {
		t.Fatal(err)
	}
	s := b.String()
	for strings.HasPrefix(s, "@") {
		_, s, _ = strings.Cut(s, "\n")
	}
	return s
}

func TestRows(t *testing.T) {
	edits := func(k int) Options { return Options{Distance: k} }
	mismatches := func(k int) Options { return Options{Distance: k, Substitutions: true} }
	forward := Options{ForwardOnly: true}
	for _, c := range []struct {
		name, text     string
		alphabet       Alphabet
		letters, fixed string
		options        Options
		format         Format
		want           string
	}{
		{"both strands", "TTACGGAATTCCGTAA", DNA, "ACGGA", "", Options{}, TSV, "ACGGA|contig1|2|7|+|0|5M|ACGGA ACGGA|contig1|9|14|-|0|5M|ACGGA"},
		{"forward", "TTACGGAATTCCGTAA", DNA, "ACGGA", "", forward, TSV, "ACGGA|contig1|2|7|+|0|5M|ACGGA"},
		{"mismatch", "TTACGGAATT", DNA, "ACCGA", "", mismatches(1), TSV, "ACCGA|contig1|2|7|+|1|5M|ACgGA"},
		{"mismatch, reverse", "AATTCCGTAA", DNA, "ACCGA", "", mismatches(1), TSV, "ACCGA|contig1|3|8|-|1|5M|ACgGA"},
		{"pattern lacks a letter", "TTTTACGTTCAGGTTTT", DNA, "ACGTCAGG", "", edits(1), TSV, "ACGTCAGG|contig1|4|13|+|1|3M1D5M|ACGtTCAGG"},
		{"text lacks a letter", "TTTTACGTCAGGTTTT", DNA, "ACGTTCAGG", "", edits(1), TSV, "ACGTTCAGG|contig1|4|12|+|1|3M1I5M|ACG-TCAGG"},
		{"text lacks a letter, reverse", "AAAACCTGACGTAAAA", DNA, "ACGTTCAGG", "", edits(1), TSV, "ACGTTCAGG|contig1|4|12|-|1|4M1I4M|ACGT-CAGG"},
		{"sets", "TTACGGAATT", DNA, "ARSGN", "", forward, TSV, ""},
		{"sets that match", "TTACGGAATT", DNA, "AYSGN", "", forward, TSV, "AYSGN|contig1|2|7|+|0|5M|ACGGA"},
		{"N matches nothing", "TTACNGAATT", DNA, "ACNGA", "", mismatches(1), TSV, "ACNGA|contig1|2|7|+|1|5M|ACnGA"},
		{"fixed", "TTACGGAACTTACGTAAGT", DNA, "ACGGA", "AC", mismatches(2), TSV, "ACGGAAC|contig1|2|9|+|0|7M|ACGGAAC"},
		{"U", "TTACGGAATT", DNA, "ggaauu", "", forward, TSV, "ggaauu|contig1|4|10|+|0|6M|GGAATT"},
		{"bytes", "a\tB\\a\tb\xff", Bytes, "a\tb", "", mismatches(1), TSV, `a\x09b|bytes|0|3|+|1|3M|a\x09B a\x09b|bytes|4|7|+|0|3M|a\x09b`},
		{"bytes with gaps", "xxabcXdefxx", Bytes, "abcdef", "", edits(1), TSV, "abcdef|bytes|2|9|+|1|3M1D3M|abcXdef"},
		{"BED", "TTACGGAATTCCGTAA", DNA, "ACCGA", "", mismatches(2), BED,
			"contig1|2|7|ACCGA|666|+ contig1|2|7|ACCGA|333|- contig1|9|14|ACCGA|333|+ contig1|9|14|ACCGA|666|-"},
		{"BED, bytes", "a b", Bytes, "a b", "", Options{}, BED, `bytes|0|3|a\x20b|1000|+`},
		{"SAM", "TTACGGAATTCCGTAA", DNA, "ACCGA", "", mismatches(1), SAM,
			"ACCGA|0|contig1|3|255|5M|*|0|0|ACCGA|*|NM:i:1|MD:Z:2G2|AS:i:-1|NH:i:2|HI:i:1 ACCGA|272|contig1|10|255|5M|*|0|0|TCGGT|*|NM:i:1|MD:Z:2C2|AS:i:-1|NH:i:2|HI:i:2"},
		{"SAM, gaps", "TTTTACGTTCAGGTTTT", DNA, "ACGTCAGG", "", edits(1), SAM,
			"ACGTCAGG|0|contig1|5|255|3M1D5M|*|0|0|ACGTCAGG|*|NM:i:1|MD:Z:3^T5|AS:i:-1|NH:i:1|HI:i:1"},
		{"SAM, insertion", "TTTTACGTCAGGTTTT", DNA, "ACGTTCAGG", "", edits(1), SAM,
			"ACGTTCAGG|0|contig1|5|255|3M1I5M|*|0|0|ACGTTCAGG|*|NM:i:1|MD:Z:8|AS:i:-1|NH:i:1|HI:i:1"},
		// N differs from every letter, and so does R from A: NM counts as samtools calmd does.
		{"SAM, sets", "TTACGGAATT", DNA, "ACGRAA", "UN", forward, SAM,
			"ACGRAAUN|0|contig1|3|255|8M|*|0|0|ACGRAATN|*|NM:i:2|MD:Z:3G3T0|AS:i:0|NH:i:1|HI:i:1"},
		{"SAM, not found", "TTACGGAATT", DNA, "UCC", "C", forward, SAM, "UCCC|4|*|0|0|*|*|0|0|TCCC|*"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := dnaText(t, c.text)
			if c.alphabet == Bytes {
				text = bytesText(t, []byte(c.text))
			}
			got := written(t, text, []Pattern{pattern(t, c.letters, c.fixed, c.alphabet)}, c.options, c.format)
			want := ""
			if c.format == TSV {
				want = tsvHeader + "\n"
			}
			if c.want != "" {
				want += strings.NewReplacer("|", "\t", " ", "\n").Replace(c.want) + "\n"
			}
			if got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// The best location of a pattern comes first in SAM, and each pattern has a primary record.
func TestSAMOrder(t *testing.T) {
	text := dnaText(t, "TTACGCATTTTTACCCATT", "TTACCCATTTTATGGGTAA")
	patterns := []Pattern{
		pattern(t, "GGGGGG", "", DNA), pattern(t, "ACCCAT", "", DNA), pattern(t, "CCCCCC", "", DNA), pattern(t, "TTACGC", "", DNA),
	}
	got := written(t, text, patterns, Options{Distance: 1, Substitutions: true, bounds: bounds{stretch: 1}}, SAM)
	var rows []string
	for line := range strings.Lines(got) {
		f := strings.Split(line, "\t")
		rows = append(rows, strings.Join(f[:4], " "))
	}
	want := "GGGGGG 4 * 0,ACCCAT 0 contig1 13,ACCCAT 256 contig2 3,ACCCAT 272 contig2 12,ACCCAT 256 contig1 3,CCCCCC 4 * 0,TTACGC 0 contig1 1," +
		"TTACGC 256 contig1 11,TTACGC 256 contig2 1,TTACGC 272 contig2 14"
	if strings.Join(rows, ",") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(rows, ","), want)
	}
}

// The text column is the text with as many marks as there are edits, and says what CIGAR says.
func TestTextColumn(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	letters := func(n int, of string) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = of[random.IntN(len(of))]
		}
		return string(b)
	}
	lines := 0
	for range 300 {
		contigs := []string{letters(150, "ACGTACGTACGTACGTN"), letters(60, "ACGT")}
		text := dnaText(t, contigs...)
		at := random.IntN(50)
		p := pattern(t, contigs[0][at:at+12]+letters(2, "ACGTRYN"), letters(random.IntN(3), "ACGTN"), DNA)
		for line := range strings.Lines(written(t, text, []Pattern{p}, Options{Distance: 3}, TSV)) {
			f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if f[0] == "pattern" {
				continue
			}
			lines++
			contig, start, end := contigs[f[1][len(f[1])-1]-'1'], number(t, f[2]), number(t, f[3])
			spanned := []byte(contig[start:end])
			if f[4] == "-" {
				reverseComplement(spanned)
			}
			if got := strings.ToUpper(strings.ReplaceAll(f[7], "-", "")); got != string(spanned) {
				t.Fatalf("%s: the text is %s", line, spanned)
			}
			marks := strings.Count(f[7], "-")
			for _, c := range f[7] {
				if c >= 'a' {
					marks++
				}
			}
			if distance := number(t, f[5]); marks != distance {
				t.Fatalf("%s: %d marks", line, marks)
			}
			fixed := len(p.Letters) - p.free()
			if tail := f[7][len(f[7])-fixed:]; tail != strings.ToUpper(tail) || strings.Contains(tail, "-") {
				t.Fatalf("%s: the last %d letters have to match", line, fixed)
			}
		}
	}
	if lines < 200 {
		t.Errorf("%d locations are too few", lines)
	}
}

func number(t testing.TB, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestRowsRefuse(t *testing.T) {
	dnaPattern := pattern(t, "ACGT", "", DNA)
	named := func(name string) Pattern { p := dnaPattern; p.Name = name; return p }
	bytesOf := bytesText(t, []byte("text"))
	for _, c := range []struct {
		text    *Text
		pattern Pattern
		format  Format
		want    string
	}{
		{bytesOf, dnaPattern, SAM, "SAM holds DNA alone, not text of bytes"},
		{bytesOf, dnaPattern, "gff", `format "gff" is not one of tsv, bed, sam`},
		{dnaText(t, "ACGT"), named("a b"), SAM, `pattern 1 "a b": the byte " " at position 2 of the name is not allowed in SAM`},
		{dnaText(t, "ACGT"), named("@a"), SAM, `pattern 1 "@a": the byte "@" at position 1 of the name is not allowed in SAM`},
		{dnaText(t, "ACGT"), named(""), SAM, `pattern 1 "": the name has 0 bytes, but SAM takes 1 to 254`},
		{dnaText(t, "ACGT"), named(strings.Repeat("x", 255)), SAM, `pattern 1 "` + strings.Repeat("x", 100) + `": the name has 255 bytes, but SAM takes 1 to 254`},
	} {
		_, err := NewRows(&bytes.Buffer{}, c.text, []Pattern{c.pattern}, RowOptions{Format: c.format})
		if err == nil || err.Error() != c.want {
			t.Errorf("got error %v, want %s", err, c.want)
		}
	}
	if f, err := ParseFormat("bed"); f != BED || err != nil {
		t.Errorf("got %q, %v", f, err)
	}
}

type failing struct{ after int }

func (f *failing) Write(b []byte) (int, error) {
	if f.after -= len(b); f.after < 0 {
		return 0, syscall.ENOSPC
	}
	return len(b), nil
}

// A failed write and a cancelled context end the output.
func TestRowsStop(t *testing.T) {
	text := dnaText(t, strings.Repeat("A", 20000))
	patterns := []Pattern{pattern(t, "AAAA", "", DNA), pattern(t, "AAAAA", "", DNA)}
	for _, format := range []Format{TSV, BED, SAM} {
		for _, room := range []int{0, 100 << 10} {
			rows, err := NewRows(&failing{room}, text, patterns, RowOptions{Format: format})
			if err != nil {
				t.Fatal(err)
			}
			ctx := context.Background()
			_, err = Run(ctx, text, patterns, rows.Options(Options{ForwardOnly: true}), func(l []Location) error { return rows.Add(ctx, l) })
			if err == nil {
				err = rows.Finish(ctx)
			}
			if !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("%s: got error %v", format, err)
			}
		}
		rows, err := NewRows(&failing{1 << 30}, text, patterns, RowOptions{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		err = errors.Join(rows.Add(ctx, slices.Repeat([]Location{{End: 4}}, 3000)), rows.Finish(ctx))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got error %v", format, err)
		}
	}
}

func BenchmarkTSV(b *testing.B) {
	text := dnaText(b, strings.Repeat("ACGTTGCA", 100))
	patterns := []Pattern{pattern(b, "ACGTTGCAACGTTGCAACGT", "", DNA)}
	rows, err := NewRows(&failing{1 << 60}, text, patterns, RowOptions{Format: TSV})
	if err != nil {
		b.Fatal(err)
	}
	locations := make([]Location, 1000)
	for i := range locations {
		locations[i] = Location{Start: i % 700, End: i%700 + 20, Reverse: i%2 == 1}
	}
	for b.Loop() {
		if err := rows.Add(context.Background(), locations); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(locations)), "ns/location")
}

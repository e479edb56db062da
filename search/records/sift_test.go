package records

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"scanmap/fasta"
	"scanmap/internal/effort"
	"scanmap/search"
)

// memoryFolder keeps the files of Split.
type memoryFolder struct {
	mu    sync.Mutex
	files map[string][]byte
	// fail is the number of the call that fails, from 1; 0 for none.
	fail, calls int
}

func (m *memoryFolder) Append(name string, text []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.calls++; m.calls == m.fail {
		return io.ErrClosedPipe
	}
	if m.files == nil {
		m.files = map[string][]byte{}
	}
	m.files[name] = append(m.files[name], text...)
	return nil
}

// aCase is a run on small data.
type aCase struct {
	options Options
	records [][]fasta.Read
}

func lettersOf(alphabet string, least, most int) *rapid.Generator[string] {
	return rapid.StringOfN(rapid.RuneFrom([]rune(alphabet)), least, most, -1)
}

// drawCase draws options, patterns, and reads; many reads have a pattern with edits.
func drawCase(t *rapid.T) aCase {
	var c aCase
	o := &c.options
	o.Search.Distance = rapid.IntRange(0, 4).Draw(t, "k")
	o.Search.Substitutions = rapid.Bool().Draw(t, "substitutions")
	o.Search.ForwardOnly = rapid.Bool().Draw(t, "forward")
	o.Search.Threads = rapid.IntRange(1, 3).Draw(t, "threads")
	o.Within = rapid.SampledFrom([]int{Anywhere, 0, 1, 3, 8, 70}).Draw(t, "within")
	o.End = rapid.SampledFrom([]End{Five, Three, Both}).Draw(t, "end")
	o.Invert = rapid.Bool().Draw(t, "invert")
	o.Margin = rapid.IntRange(1, 3).Draw(t, "margin")
	width := rapid.IntRange(1, 2).Draw(t, "width")
	o.Interleaved = width == 2
	if width == 2 {
		o.Mate = rapid.IntRange(0, 2).Draw(t, "mate")
		o.Apart = rapid.Bool().Draw(t, "apart")
	}
	o.Trim = o.Within != Anywhere && !o.Invert && rapid.Bool().Draw(t, "trim")
	o.bounds = bounds{
		letters: rapid.SampledFrom([]int{1, 50, 0}).Draw(t, "letters"), records: rapid.SampledFrom([]int{1, 3, 0}).Draw(t, "records"),
		held: rapid.SampledFrom([]int{1, 300, 0}).Draw(t, "held"),
	}
	alphabet := rapid.SampledFrom([]string{"ACGT", "AC", "ACGTRYN"}).Draw(t, "alphabet")
	least := o.Search.Distance + o.Margin
	seen := map[string]bool{}
	for i := range rapid.IntRange(1, 5).Draw(t, "patterns") {
		letters := lettersOf(alphabet, least, least+14).Draw(t, "pattern")
		if seen[letters] {
			continue
		}
		seen[letters] = true
		p, err := search.NewPattern(fmt.Sprint("p", i), []byte(letters), search.DNA)
		if err != nil {
			t.Fatal(err)
		}
		o.Patterns = append(o.Patterns, p)
	}
	for i := range rapid.IntRange(0, 12).Draw(t, "reads") {
		var record []fasta.Read
		for range width {
			letters := lettersOf("ACGTACGTACGTNU", 0, 40).Draw(t, "read")
			if rapid.IntRange(0, 3).Draw(t, "planted") > 0 {
				p := string(rapid.SampledFrom(o.Patterns).Draw(t, "which").Letters)
				at := rapid.IntRange(0, len(p)-1).Draw(t, "cut")
				middle := lettersOf("ACGT", 0, 2).Draw(t, "inserted")
				p = strings.Map(func(r rune) rune { return rune(basesOf[byte(r)][0]) }, p[:at]+p[min(at+rapid.IntRange(0, 2).Draw(t, "deleted"), len(p)):])
				p = p[:min(at, len(p))] + middle + p[min(at, len(p)):]
				if rapid.Bool().Draw(t, "reverse") {
					p = reverse(p)
				}
				cut := rapid.IntRange(0, len(letters)).Draw(t, "before")
				letters = letters[:cut] + p + letters[cut:]
			}
			record = append(record, fasta.Read{
				Name: fmt.Sprint("r", i), Comment: "x  y", Bases: []byte(letters), Qualities: bytes.Repeat([]byte{'I'}, len(letters)),
			})
		}
		c.records = append(c.records, record)
	}
	return c
}

// write writes the reads of a case to a file.
func (c *aCase) write(t interface {
	Helper()
	Fatal(...any)
}, folder string) {
	t.Helper()
	var text []byte
	for _, r := range c.records {
		for i := range r {
			text = fasta.AppendFASTQ(text, &r[i], "")
		}
	}
	c.options.Reads = filepath.Join(folder, "reads.fq")
	if err := os.WriteFile(c.options.Reads, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestFilterAgainstBruteForce compares with plain dynamic programming.
func TestFilterAgainstBruteForce(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		c.write(t, folder)
		c.options.Counts = true
		var out, mates bytes.Buffer
		files, second := 1, io.Writer(nil)
		if c.options.Apart {
			files, second = 2, &mates
		}
		stats, err := Filter(context.Background(), c.options, &out, second)
		if err != nil {
			t.Fatal(err)
		}
		want, matched := expectFilter(&c.options, c.records, files)
		if got := [2]string{out.String(), mates.String()}; got != want || stats.Matched != matched || stats.Records != int64(len(c.records)) {
			t.Fatalf("%+v: wrote\n%s, want\n%s\nstats %+v", c.options, got, want, stats)
		}
		k := c.options.Search.Distance
		byDistance := make([]int64, k+1)
		for _, r := range c.records {
			if d := slices.Min(distances(&c.options, r)); d <= k {
				byDistance[d]++
			}
		}
		if !slices.Equal(stats.ByDistance, byDistance) {
			t.Fatalf("%+v: records by edits %v, want %v", c.options, stats.ByDistance, byDistance)
		}
		for i, p := range c.options.Patterns {
			counts := make([]int64, k+1)
			for _, r := range c.records {
				for j := range r {
					if len(r) == 2 && c.options.Mate > 0 && c.options.Mate != j+1 {
						continue
					}
					if d := distance(&c.options, string(p.Letters), string(r[j].Bases)); d <= k {
						counts[d]++
					}
				}
			}
			sum := int64(0)
			for _, n := range counts {
				sum += n
			}
			if got := stats.Distances[i*(k+1) : (i+1)*(k+1)]; stats.Counts[i] != sum || !slices.Equal(got, counts) {
				t.Fatalf("%+v: %s is in %d reads, by edits %v, want %v", c.options, p.Name, stats.Counts[i], got, counts)
			}
		}
	})
}

// TestSplitAgainstBruteForce compares with plain dynamic programming, and the table with the files.
func TestSplitAgainstBruteForce(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t)
		c.write(t, folder)
		compressed := rapid.Bool().Draw(t, "compressed")
		var got memoryFolder
		stats, err := Split(context.Background(), c.options, &got, compressed)
		// Patterns may be reverse complements of each other, and barcodes may not.
		if refused := c.options.CheckBarcodes(); refused != nil {
			if err == nil || err.Error() != refused.Error() {
				t.Fatalf("%v, want %v", err, refused)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		ending := ".fq"
		if compressed {
			ending = ".fq.gz"
		}
		want := expectSplit(&c.options, c.records, ending)
		table := string(got.files[Table])
		delete(got.files, Table)
		if len(got.files) != len(want) {
			t.Fatalf("%+v: %d files, want %d", c.options, len(got.files), len(want))
		}
		for name, text := range want {
			found := got.files[name]
			if compressed {
				found = decompressed(t, folder, found)
			}
			if string(found) != string(text) {
				t.Fatalf("%+v: %s has\n%s, want\n%s", c.options, name, found, text)
			}
			stem, width := strings.TrimSuffix(name, ending), len(c.records[0])
			ends := "\n"
			if c.options.Apart {
				stem, width = strings.TrimSuffix(strings.TrimSuffix(stem, "_R1"), "_R2"), 1
				name, ends = stem+"_R1"+ending, "\t"+stem+"_R2"+ending+"\n"
			}
			start := fmt.Sprintf("\n%s\t%s\t%d\t", stem, name, bytes.Count(text, []byte("\n+\n"))/width)
			_, rest, inTable := strings.Cut(table, start)
			if row, _, _ := strings.Cut(rest, "\n"); !inTable || !strings.HasSuffix(row+"\n", ends) {
				t.Fatalf("no row %q%q in\n%s", start, ends, table)
			}
		}
		if stats.Records != int64(len(c.records)) {
			t.Fatalf("%d records, want %d", stats.Records, len(c.records))
		}
		byDistance, k := expectDistances(&c.options, c.records), c.options.Search.Distance
		sums := make([]int64, k+1)
		for i := range byDistance {
			sums[i%(k+1)] += byDistance[i]
		}
		if !slices.Equal(stats.Distances, byDistance) || !slices.Equal(stats.ByDistance, sums) {
			t.Fatalf("%+v: by edits %v and %v, want %v", c.options, stats.Distances, stats.ByDistance, byDistance)
		}
	})
}

// decompressed is the text of a compressed file, as Reads has it.
func decompressed(t *rapid.T, folder string, data []byte) []byte {
	name := filepath.Join(folder, "compressed.gz")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := fasta.ReadText(context.Background(), name, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestFitter compares where a pattern fits near the start of letters with all starts and ends.
func TestFitter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := lettersOf("ACGTN", 1, 12).Draw(t, "pattern")
		text := lettersOf("ACGTN", 0, 20).Draw(t, "text")
		within := rapid.IntRange(0, 22).Draw(t, "within")
		p, err := search.NewPattern("p", []byte(pattern), search.DNA)
		if err != nil {
			t.Fatal(err)
		}
		var f fitter
		for i := range len(text) {
			f.codes = append(f.codes, byte(strings.IndexByte("ACGTN", text[i])))
		}
		for _, substitutions := range []bool{false, true} {
			o := Options{Within: within, Search: search.Options{Substitutions: substitutions}}
			fit := f.edits
			if substitutions {
				fit = f.substitutions
			}
			want := bestStretch(&o, pattern, text)
			if d, end := fit(p.Sets(), within); d != want.edits || end != want.end {
				t.Fatalf("%s in %s within %d, %t: %d edits up to %d, want %+v", pattern, text, within, substitutions, d, end, want)
			}
		}
	})
}

// TestChoice adds barcodes in any order, several times.
func TestChoice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, least := unknown, map[int32]int32{}
		for range rapid.IntRange(0, 12).Draw(t, "times") {
			barcode, d := rapid.Int32Range(0, 3).Draw(t, "barcode"), rapid.Int32Range(0, 6).Draw(t, "distance")
			c.add(barcode, d)
			if old, ok := least[barcode]; !ok || d < old {
				least[barcode] = d
			}
		}
		best, second := int32(none), int32(none)
		for _, d := range least {
			switch {
			case d < best:
				best, second = d, best
			case d < second:
				second = d
			}
		}
		if c.distance != best || c.second != second || best != none && least[c.barcode] != best {
			t.Fatalf("%+v, want %d and %d of %v", c, best, second, least)
		}
	})
}

// longCase has reads that are longer than a batch and than the bytes written at a time.
func longCase(t *testing.T) aCase {
	t.Helper()
	var c aCase
	c.options = Options{Within: Anywhere, Search: search.Options{Distance: 2, Threads: 2}}
	for i, letters := range []string{"ACGTTGCATTAGACCA", "GGATTTCCAGACGTAC"} {
		p, err := search.NewPattern(fmt.Sprint("b", i), []byte(letters), search.DNA)
		if err != nil {
			t.Fatal(err)
		}
		c.options.Patterns = append(c.options.Patterns, p)
	}
	state := uint32(1)
	for i := range effort.Pick(400, 100) {
		bases := make([]byte, 1+i*i/4)
		for j := range bases {
			state = state*1664525 + 1013904223
			bases[j] = "ACGT"[state>>30]
		}
		if i%3 > 0 {
			copy(bases[len(bases)/2:], c.options.Patterns[i%2].Letters)
		}
		c.records = append(c.records, []fasta.Read{{Name: fmt.Sprint(i), Bases: bases, Qualities: bytes.Repeat([]byte{'#'}, len(bases))}})
	}
	return c
}

// TestSameWhateverBatches runs with batches and turns of any size, and many threads.
func TestSameWhateverBatches(t *testing.T) {
	c := longCase(t)
	c.write(t, t.TempDir())
	var first []byte
	var files map[string][]byte
	for _, b := range []bounds{{}, {letters: 1, records: 1}, {letters: 7000, records: 5}, {letters: 100_000}} {
		for _, threads := range []int{1, 4} {
			o := c.options
			o.bounds, o.Search.Threads = b, threads
			o.bounds.held = 5000
			var out bytes.Buffer
			stats, err := Filter(context.Background(), o, &out, nil)
			if err != nil {
				t.Fatal(err)
			}
			if stats.Matched < int64(len(c.records)/2) || stats.Matched == stats.Records {
				t.Fatalf("%+v", stats)
			}
			if first == nil {
				first = out.Bytes()
			}
			if !bytes.Equal(out.Bytes(), first) {
				t.Errorf("%+v, %d threads: other records", b, threads)
			}
			var folder memoryFolder
			if _, err := Split(context.Background(), o, &folder, true); err != nil {
				t.Fatal(err)
			}
			if files == nil {
				files = folder.files
			}
			for name := range files {
				if !bytes.Equal(files[name], folder.files[name]) || len(files) != len(folder.files) {
					t.Errorf("%+v, %d threads: another %s", b, threads, name)
				}
			}
		}
	}
}

// failingWriter fails after some bytes.
type failingWriter struct{ left int }

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

// TestErrors has each stage fail, with batches before and after.
func TestErrors(t *testing.T) {
	c := longCase(t)
	c.write(t, t.TempDir())
	c.options.bounds = bounds{letters: 100, held: 1000}
	if _, err := Filter(context.Background(), c.options, &failingWriter{left: 5000}, nil); err != io.ErrClosedPipe {
		t.Errorf("a failing writer: %v", err)
	}
	long := c.options
	long.Reads = filepath.Join(t.TempDir(), "long.fq")
	letters := strings.Repeat("A", writeAtOnce+1) // more than what is written together
	if err := os.WriteFile(long.Reads, []byte("@long\n"+letters+"\n+\n"+letters+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	long.Invert, long.bounds = true, bounds{}
	if _, err := Filter(context.Background(), long, &failingWriter{left: 5000}, nil); err != io.ErrClosedPipe {
		t.Errorf("a failing writer of a long read: %v", err)
	}
	for _, call := range []int{1, 3, 20} {
		if _, err := Split(context.Background(), c.options, &memoryFolder{fail: call}, false); err != io.ErrClosedPipe {
			t.Errorf("call %d of a folder fails: %v", call, err)
		}
	}
	text, err := os.ReadFile(c.options.Reads)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.options.Reads, text[:len(text)-3], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Filter(context.Background(), c.options, io.Discard, nil); err == nil || !strings.Contains(err.Error(), "record") {
		t.Errorf("a broken record: %v", err)
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Filter(stopped, c.options, io.Discard, nil); err == nil {
		t.Error("stopped: no error")
	}
	short, err := search.NewPattern("short", []byte("ACG"), search.DNA)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(o *Options){
		"match everywhere": func(o *Options) { o.Search.Distance = 3; o.Patterns = []search.Pattern{short} },
		"too few":          func(o *Options) { o.Margin = 2; o.Patterns = []search.Pattern{short} },
		"no patterns":      func(o *Options) { o.Patterns = nil },
		"together":         func(o *Options) { o.Margin = 63 },
		"letters from":     func(o *Options) { o.Within = -2 },
		"mate 3":           func(o *Options) { o.Mate = 3 },
		"alternate":        func(o *Options) { o.Mates, o.Interleaved = "x", true },
		"no mates":         func(o *Options) { o.Apart = true },
		"near an end":      func(o *Options) { o.Trim = true },
		"nothing to cut":   func(o *Options) { o.Trim, o.Within, o.Invert = true, 0, true },
		"no such file":     func(o *Options) { o.Reads += ".missing" },
	} {
		o := c.options
		change(&o)
		if _, err := Split(context.Background(), o, &memoryFolder{}, false); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestCheckBarcodes refuses names that no file may have, and barcodes that no read can have alone.
func TestCheckBarcodes(t *testing.T) {
	for _, c := range []struct{ names, letters, want string }{
		{"a b", "ACG ACT", ""},
		{"a a", "ACG ACT", `pattern "a": a barcode before it has the same name`},
		{"a b", "ACG ACG", `pattern "b": barcode "a" has the same letters`},
		{"a b", "ACU ACT", `pattern "b": barcode "a" has the same letters`},
		{"ambiguous", "ACG", `pattern "ambiguous": no barcode can be called so`},
		{"unassigned", "ACG", `pattern "unassigned": no barcode can be called so`},
		{"../../x", "ACG", "becomes that of a file"},
		{"-x", "ACG", "becomes that of a file"},
		{strings.Repeat("x", 201), "ACG", "becomes that of a file"},
		{strings.Repeat("x", 200), "ACG", ""},
		{"\xff", "ACG", "becomes that of a file"},
		{"a b", "AACG CGTT", `pattern "b": barcode "a" is its reverse complement, and each read would have both`},
		{"a b", "RACG CGTY", `pattern "b": barcode "a" is its reverse complement`},
		{"a b", "AACG CGTA", ""},
		{"a", "ACGT", ""}, // its own
	} {
		var patterns []search.Pattern
		letters := strings.Fields(c.letters)
		for i, name := range strings.Fields(c.names) {
			patterns = append(patterns, search.Pattern{Name: name, Letters: []byte(letters[i])})
		}
		o := Options{Patterns: patterns, Within: Anywhere}
		err := o.CheckBarcodes()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.names, err, c.want)
		}
		if !strings.Contains(c.want, "complement") {
			continue
		}
		for _, o := range []Options{{Within: 5}, {Within: Anywhere, Search: search.Options{ForwardOnly: true}}} {
			o.Patterns = patterns
			if err := o.CheckBarcodes(); err != nil {
				t.Errorf("%s, %+v: %v", c.letters, o, err)
			}
		}
	}
}

// FuzzRecords sends text through Filter, which has to write what it reads: read again, it gives the
// same records.
func FuzzRecords(f *testing.F) {
	for _, s := range []string{"@a b c\nACGT\n+\nIIII\n", "@a/1\n\n+\n\n@a/2\tx\nNN\n+\n!~\n", ">x y\nAC\nGT\n>z\n", "@a\r\nAC\r\n+a\r\nII\r\n", ""} {
		f.Add([]byte(s))
	}
	never, err := search.NewPattern("p", bytes.Repeat([]byte("A"), 2000), search.DNA)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		pass := func(text []byte) ([]byte, int64, error) {
			name := filepath.Join(t.TempDir(), "x")
			if err := os.WriteFile(name, text, 0o600); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			stats, err := Filter(context.Background(), Options{
				Reads: name, Patterns: []search.Pattern{never}, Within: Anywhere, Invert: true, Search: search.Options{Threads: 1},
			}, &out, nil)
			if err != nil {
				return nil, 0, err
			}
			return out.Bytes(), stats.Records, nil
		}
		first, n, err := pass(text)
		if err != nil {
			return
		}
		second, m, err := pass(first)
		if err != nil || n != m || !bytes.Equal(first, second) {
			t.Fatalf("%d records, then %d, %v:\n%q\n%q", n, m, err, first, second)
		}
	})
}

// TestExcludedNearEnd has a location with two edits at the start of a read, and one without edits
// that starts a letter too far in: the barcode fits with one edit, a letter before that, though
// this is no location.
func TestExcludedNearEnd(t *testing.T) {
	const barcode = "ACGTTGCATTAG"
	p, err := search.NewPattern("b", []byte(barcode), search.DNA)
	if err != nil {
		t.Fatal(err)
	}
	text := "ACGATGCAATAG" + "C" + barcode + "CCC"
	c := aCase{
		options: Options{Patterns: []search.Pattern{p}, Within: len(barcode), End: Five, Search: search.Options{Distance: 2, Threads: 1}},
		records: [][]fasta.Read{{{Name: "r", Bases: []byte(text), Qualities: bytes.Repeat([]byte{'I'}, len(text))}}},
	}
	c.write(t, t.TempDir())
	var folder memoryFolder
	if _, err := Split(context.Background(), c.options, &folder, false); err != nil {
		t.Fatal(err)
	}
	if table := string(folder.files[Table]); !strings.Contains(table, "b\tb.fq\t1\t0\t1\t0\n") {
		t.Errorf("not within one edit:\n%s", table)
	}
}

// TestReadsDoNotTouch has a pattern lie over the border of two reads, whose letters fill words or
// nearly so.
func TestReadsDoNotTouch(t *testing.T) {
	const pattern = "ACGTTGCATTAGACCAGGTACCAT"
	p, err := search.NewPattern("p", []byte(pattern), search.DNA)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for length := 58; length <= 64; length++ {
		for k := range 5 {
			half := len(pattern) / 2
			filler := strings.Repeat("C", length-half)
			c := aCase{options: Options{Patterns: []search.Pattern{p}, Within: Anywhere, Search: search.Options{Distance: k, Threads: 1}}}
			for _, letters := range []string{filler + pattern[:half], pattern[half:] + filler} {
				c.records = append(c.records, []fasta.Read{{Name: "r", Bases: []byte(letters), Qualities: bytes.Repeat([]byte{'I'}, length)}})
			}
			c.write(t, folder)
			stats, err := Filter(context.Background(), c.options, io.Discard, nil)
			if err != nil {
				t.Fatal(err)
			}
			if stats.Matched > 0 {
				t.Errorf("reads of %d letters, k = %d: %d records", length, k, stats.Matched)
			}
		}
	}
}

// TestPartsOfTurns has text written by turns of a quarter of all bytes: to each file as often as
// there are turns, at most.
func TestPartsOfTurns(t *testing.T) {
	c := longCase(t)
	c.write(t, t.TempDir())
	o := c.options
	total := 0
	for _, turns := range []int{1, 4} {
		var folder memoryFolder
		if turns > 1 {
			o.bounds.held = total / turns
		}
		if _, err := Split(context.Background(), o, &folder, false); err != nil {
			t.Fatal(err)
		}
		total = 0
		for name, text := range folder.files {
			if name != Table {
				total += len(text)
			}
		}
		if most := len(folder.files) * (turns + 1); folder.calls > most || len(c.records) < 2*most {
			t.Errorf("%d records of %d bytes are written in %d parts, want at most %d", len(c.records), total, folder.calls, most)
		}
	}
}

// TestByChance compares with counts of random reads.
func TestByChance(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const texts, length = 400, 1000
	for _, letters := range []string{"ACGTTG", "ANRTTGB"} {
		var sets []string
		for _, letter := range []byte(letters) {
			sets = append(sets, cmp.Or(map[byte]string{'N': "ACGT", 'R': "AG", 'B': "CGT"}[letter], string(letter)))
		}
		for k := range 3 {
			o := Options{Patterns: []search.Pattern{{Letters: []byte(letters)}}, Within: Anywhere}
			o.Search.Distance, o.Search.ForwardOnly = k, true
			found := 0
			for range texts * length {
				different := 0
				for _, set := range sets {
					if strings.IndexByte(set, "ACGT"[r.IntN(4)]) < 0 {
						different++
					}
				}
				if different <= k {
					found++
				}
			}
			want := float64(found) / texts * float64(length-len(letters)+1) / length
			if got := o.ByChance(length); got < 0.85*want || got > 1.15*want {
				t.Errorf("%s with %d: %g, want about %g", letters, k, got, want)
			}
		}
	}
}

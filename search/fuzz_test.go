package search

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	hts "github.com/biogo/hts/sam"

	"scanmap/internal/fuzzing"
	"scanmap/internal/truth"
	"scanmap/sam"
)

// lettersOf has the bases that each letter of a pattern stands for (NC-IUB 1984, Nomenclature for
// incompletely specified bases, table 1).
var lettersOf = map[byte]string{
	'A': "A", 'C': "C", 'G': "G", 'T': "T", 'U': "T", 'R': "AG", 'Y': "CT", 'S': "CG", 'W': "AT", 'K': "GT", 'M': "AC",
	'B': "CGT", 'D': "AGT", 'H': "ACT", 'V': "ACG", 'N': "ACGT",
}

// A fuzzCase is what FuzzSearch makes of bytes.
type fuzzCase struct {
	text     *Text
	contigs  []string
	patterns []Pattern
	options  Options
}

// strandFits tells for each place of a pattern's strand which letters of the text match.
func (f *fuzzCase) strandFits(p *Pattern, reverse bool) []string {
	var fits []string
	for _, letter := range p.Letters {
		s := string([]byte{letter})
		if f.text.alphabet == DNA {
			s = lettersOf[letter]
			if reverse {
				s = truth.ReverseComplement(s)
			}
		}
		fits = append(fits, s)
	}
	if reverse {
		slices.Reverse(fits)
	}
	return fits
}

// ends are where a strand of a pattern ends with at most k edits or substitutions, by dynamic
// programming over letters, or by comparing each place.
func (f *fuzzCase) ends(contig string, fits []string) (ends []int) {
	m, k := len(fits), f.options.Distance
	differs := func(i, j int) int {
		if strings.IndexByte(fits[i], contig[j]) >= 0 {
			return 0
		}
		return 1
	}
	if k == 0 || f.options.Substitutions {
		for end := m; end <= len(contig); end++ {
			n := 0
			for i := range m {
				n += differs(i, end-m+i)
			}
			if n <= k {
				ends = append(ends, end)
			}
		}
		return ends
	}
	column := make([]int, m+1)
	for i := range column {
		column[i] = i
	}
	for j := range len(contig) {
		diagonal := 0
		for i := range m {
			left := column[i+1]
			column[i+1] = min(diagonal+differs(i, j), left+1, column[i]+1)
			diagonal = left
		}
		if column[m] <= k {
			ends = append(ends, j+1)
		}
	}
	return ends
}

// draw makes a case of choices.
func drawCase(t *testing.T, c *fuzzing.Choices) (f fuzzCase) {
	t.Helper()
	alphabet, letters := DNA, "ACGT"
	if c.Below(4) == 1 {
		alphabet, letters = Bytes, "ab\x00\xff"
		f.contigs = []string{strings.Repeat(c.Letters(1+c.Below(40), letters), 1+c.Below(5)) + c.Letters(c.Below(200), letters)}
		f.text = bytesText(t, []byte(f.contigs[0]))
	} else {
		f.contigs = truth.ChosenContigs(c)
		f.text = dnaText(t, f.contigs...)
	}
	f.options.Distance = c.Below(6)
	f.options.Substitutions = c.Below(3) == 1
	f.options.ForwardOnly = c.Below(3) == 1
	for i := range 1 + c.Below(3) {
		contig := f.contigs[c.Below(len(f.contigs))]
		from := c.Below(len(contig))
		s := contig[from:min(from+1+c.Below(90), len(contig))]
		s = c.Edited(s, c.Below(f.options.Distance+2), letters, f.options.Substitutions)
		if alphabet == DNA && c.Yes() {
			s = truth.ReverseComplement(s)
		}
		if alphabet == DNA && c.Below(4) == 1 {
			s = c.Edited(s, 1+c.Below(4), "NRYSWKMBDHVU", true)
		}
		s += c.Letters(max(0, f.options.Distance+1-len(s)), letters)
		fixed := ""
		if c.Below(6) == 1 {
			fixed = c.Letters(1+c.Below(4), letters)
		}
		p, err := fixedPattern(fmt.Sprintf("p%d", i), s, fixed, alphabet)
		if err != nil {
			t.Fatal(err)
		}
		f.patterns = append(f.patterns, p)
	}
	return f
}

// checkEnds compares the ends that every scheme finds on the CPU with ends, in segments of any
// length.
func (f *fuzzCase) checkEnds(t *testing.T, segment int) {
	t.Helper()
	for i := range f.patterns {
		p := &f.patterns[i]
		forward := newNeedle(&Pattern{Name: p.Name, Letters: p.Letters}, f.text.alphabet, f.options.Distance, f.options.Substitutions)
		strands := []*needle{forward}
		if f.text.alphabet == DNA {
			strands = append(strands, forward.reverseComplement())
		}
		for strand, n := range strands {
			var want []int
			for c, contig := range f.contigs {
				for _, end := range f.ends(contig, f.strandFits(p, strand == 1)) {
					want = append(want, f.text.contigs[c].Start+end)
				}
			}
			tried := methodCase{fmt.Sprintf("%q on strand %d of %q, %+v", p.Letters, strand, f.contigs, f.options), f.text, n, nil}
			schemes(func(s *Scheme) {
				if s.CPU() && s.refusal(n, false) == nil {
					compare(t, fmt.Sprintf("%s in segments of %d", s.FullName(), segment), tried.name, tried.onCPU(t, s, segment), want)
				}
			})
		}
	}
}

// run returns the locations that Run emits.
func (f *fuzzCase) run(t *testing.T, o Options) (all []Location) {
	t.Helper()
	_, err := Run(t.Context(), f.text, f.patterns, o, func(some []Location) error {
		all = append(all, some...)
		return nil
	})
	if err != nil {
		t.Fatalf("%+v in %q, %+v: %v", f.patterns, f.contigs, o, err)
	}
	return all
}

// check compares locations with answers of other programs.
func (f *fuzzCase) check(t *testing.T, got []Location) {
	t.Helper()
	for i := range f.patterns {
		p := &f.patterns[i]
		single := f.text.alphabet == DNA && p.Exact == nil && !bytes.ContainsAny(p.Letters, "NRYSWKMBDHV")
		var found, want []Location
		for _, l := range got {
			if l.Pattern == i {
				l.Pattern, l.Operations = 0, nil
				found = append(found, l)
			}
		}
		switch {
		case f.options.Distance == 0 || f.options.Substitutions:
			want = f.ungapped(p)
		case single:
			for _, l := range truth.Find(f.contigs, string(p.Letters), f.options.Distance) {
				if l.Strand == 0 || !f.options.ForwardOnly {
					want = append(want, Location{Contig: l.Contig, Start: l.Start, End: l.End, Reverse: l.Strand == 1, Distance: l.Distance})
				}
			}
		default:
			continue
		}
		slices.SortFunc(want, func(a, b Location) int {
			return cmp.Or(a.Contig-b.Contig, a.Start-b.Start, a.End-b.End, boolean(a.Reverse)-boolean(b.Reverse))
		})
		if !slices.EqualFunc(want, found, func(a, b Location) bool { return reflect.DeepEqual(a, b) }) {
			t.Fatalf("%q in %q, %+v: (-truth +got)\n%s", p.Letters, f.contigs, f.options, gocmp.Diff(want, found))
		}
	}
}

// ungapped are the locations of a pattern with substitutions alone.
func (f *fuzzCase) ungapped(p *Pattern) (all []Location) {
	m := len(p.Letters)
	for strand := range 2 {
		if strand == 1 && (f.options.ForwardOnly || f.text.alphabet == Bytes) {
			continue
		}
		fits := f.strandFits(p, strand == 1)
		for c, contig := range f.contigs {
			for _, end := range f.ends(contig, fits) {
				n, fixed := 0, true
				for i := range m {
					if strings.IndexByte(fits[i], contig[end-m+i]) < 0 {
						n++
						at := i
						if strand == 1 {
							at = m - 1 - i
						}
						if p.Exact != nil && p.Exact[at] {
							fixed = false
						}
					}
				}
				if fixed {
					all = append(all, Location{Contig: c, Start: end - m, End: end, Reverse: strand == 1, Distance: n})
				}
			}
		}
	}
	return all
}

// FuzzSearch takes bytes for text, patterns and options. Every method finds the ends that brute
// force and dynamic programming over letters do, and, in stretches, groups and segments of any
// size, the locations of dynamic programming.
func FuzzSearch(f *testing.F) {
	fuzzing.AddBytes(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		c := fuzzing.New(data)
		segment := 1 + c.Below(300)
		o := Options{Threads: 1 + c.Below(2), bounds: bounds{
			stretch: c.Below(300), patterns: c.Below(20), ends: c.Below(20), window: c.Below(300), windowEnds: c.Below(20),
			batch: c.Below(30), held: c.Below(1000),
		}}
		fc := drawCase(t, c)
		fc.checkEnds(t, segment)
		o.Distance, o.Substitutions, o.ForwardOnly = fc.options.Distance, fc.options.Substitutions, fc.options.ForwardOnly
		want := fc.run(t, fc.options)
		fc.check(t, want)
		schemes(func(s *Scheme) {
			for i := range fc.patterns {
				if s.refusal(newNeedle(&fc.patterns[i], fc.text.alphabet, o.Distance, o.Substitutions), false) != nil {
					return
				}
			}
			o := o
			o.Method, o.Scheme = s.Method, s.Name
			if got := fc.run(t, o); !reflect.DeepEqual(want, got) {
				t.Fatalf("%+v in %q, %+v: (-auto +this)\n%s", fc.patterns, fc.contigs, o, gocmp.Diff(want, got))
			}
		})
	})
}

// unescape undoes AppendEscaped.
func unescape(t *testing.T, s string) string {
	t.Helper()
	var b strings.Builder
	for {
		at := strings.IndexByte(s, '\\')
		if at < 0 {
			b.WriteString(s)
			return b.String()
		}
		if at+4 > len(s) || s[at+1] != 'x' {
			t.Fatalf("%q is not escaped", s)
		}
		v, err := strconv.ParseUint(s[at+2:at+4], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(s[:at])
		b.WriteByte(byte(v))
		s = s[at+4:]
	}
}

// FuzzRows writes the locations of FuzzSearch's cases, of patterns with any names, as TSV, BED and
// SAM, and reads them again: SAM by biogo/hts.
func FuzzRows(f *testing.F) {
	fuzzing.AddBytes(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		c := fuzzing.New(data)
		names := make([]string, 3)
		for i := range names {
			for range c.Below(6) {
				names[i] += string([]byte{byte(c.Below(256))})
			}
		}
		fc := drawCase(t, c)
		for i := range fc.patterns {
			fc.patterns[i].Name = names[i]
		}
		want := fc.run(t, fc.options)
		checkTSV(t, &fc, want, written(t, fc.text, fc.patterns, fc.options, TSV))
		checkBED(t, &fc, want, written(t, fc.text, fc.patterns, fc.options, BED))
		if fc.text.alphabet == DNA {
			for i := range fc.patterns {
				if checkQueryName(fc.patterns[i].Name) != nil {
					fc.patterns[i].Name = fmt.Sprintf("name%d", i)
				}
			}
			checkSAM(t, &fc, want)
		}
	})
}

// columns cuts rows into columns, and checks how many there are.
func columns(t *testing.T, text string, rows, n int) (all [][]string) {
	t.Helper()
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != n {
			t.Fatalf("%q has %d columns, not %d", line, len(f), n)
		}
		all = append(all, f)
	}
	if len(all) != rows {
		t.Fatalf("%d rows, not %d", len(all), rows)
	}
	return all
}

func checkTSV(t *testing.T, fc *fuzzCase, want []Location, text string) {
	t.Helper()
	for i, f := range columns(t, text, len(want)+1, 8)[1:] {
		l := &want[i]
		contig := fc.contigs[l.Contig]
		if unescape(t, f[0]) != fc.patterns[l.Pattern].Name || f[2] != fmt.Sprint(l.Start) || f[3] != fmt.Sprint(l.End) ||
			f[4] != string(strandOf(l)) || f[5] != fmt.Sprint(l.Distance) || unescape(t, f[1]) != fc.text.contigs[l.Contig].Name {
			t.Fatalf("row %q of %+v", f, *l)
		}
		shown, there := unescape(t, f[7]), contig[l.Start:l.End]
		if fc.text.alphabet == DNA {
			shown = strings.ToUpper(strings.ReplaceAll(shown, "-", ""))
			if l.Reverse {
				there = truth.ReverseComplement(there)
			}
		}
		if shown != there {
			t.Fatalf("row %q shows %q, not %q", f, shown, there)
		}
	}
}

func checkBED(t *testing.T, fc *fuzzCase, want []Location, text string) {
	t.Helper()
	for i, f := range columns(t, text, len(want), 6) {
		l := &want[i]
		score, err := strconv.Atoi(f[4])
		if err != nil || score < 1 || score > 1000 || (score == 1000) != (l.Distance == 0) {
			t.Fatalf("row %q of %+v: %v", f, *l, err)
		}
		if strings.ContainsAny(f[0]+f[3], " ") || unescape(t, f[0]) != fc.text.contigs[l.Contig].Name || f[1] != fmt.Sprint(l.Start) ||
			f[2] != fmt.Sprint(l.End) || unescape(t, f[3]) != fc.patterns[l.Pattern].Name || f[5] != string(strandOf(l)) {
			t.Fatalf("row %q of %+v", f, *l)
		}
	}
}

func checkSAM(t *testing.T, fc *fuzzCase, want []Location) {
	t.Helper()
	var b bytes.Buffer
	rows, err := NewRows(&b, fc.text, fc.patterns, RowOptions{Format: SAM, Distance: fc.options.Distance, Header: sam.HeaderOptions{NoProgram: true}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if err := rows.Add(ctx, want); err != nil {
		t.Fatal(err)
	}
	if err := rows.Finish(ctx); err != nil {
		t.Fatal(err)
	}
	r, err := hts.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]int{} // the names of patterns may be the same
	for i := range fc.patterns {
		of[fc.patterns[i].Name]++
	}
	seen := map[string]int{}
	for {
		record, err := r.Read()
		if err != nil {
			break
		}
		if record.Flags&hts.Unmapped != 0 {
			continue
		}
		seen[fmt.Sprintf("%s %s %d %d %t %v", record.Name, record.Ref.Name(), record.Pos, record.End(), record.Flags&hts.Reverse != 0,
			record.AuxFields.Get(hts.NewTag("AS")).Value())]++
		if _, bases := record.Cigar.Lengths(); bases != record.Seq.Length {
			t.Fatalf("%v: the CIGAR has %d bases", record, bases)
		}
	}
	for i := range want {
		l := &want[i]
		seen[fmt.Sprintf("%s %s %d %d %t %d", fc.patterns[l.Pattern].Name, fc.text.contigs[l.Contig].Name, l.Start, l.End, l.Reverse, -l.Distance)]--
	}
	for record, n := range seen {
		if n != 0 {
			t.Fatalf("%s is there %d times more than it should", record, n)
		}
	}
}

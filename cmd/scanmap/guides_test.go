package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scanmap/internal/truth"
	"scanmap/search"
)

// guidesRef is a reference with a guide twice on contig a, and on b with two mismatches, with a DNA
// bulge and before another PAM.
func guidesRef(t *testing.T, folder string) (name string) {
	t.Helper()
	const guide = "ATGGTCGGACTCCCTGCCAG"
	spacer := strings.Repeat("T", 30)
	a := spacer + guide + "AGG" + spacer + truth.ReverseComplement(guide+"CGG") + spacer
	b := spacer + "ATGATCCGACTCCCTGCCAGTGG" + spacer + "ATGGTCGGACTACCCTGCCAGAGG" + spacer + guide + "TAG" + spacer
	return copiesFile(t, folder, "ref.fa", ">a\n"+a+"\n>b\n"+b+"\n")
}

// TestGuides checks the lines of a guide with places of each kind.
func TestGuides(t *testing.T) {
	folder := t.TempDir()
	ref := guidesRef(t, folder)
	list := copiesFile(t, folder, "guides.txt", "g1 atggucggactccctgccag\ng2 ATGGTCGGACTCCCTGCC\ng3 ACGTGGCTAACGCATAGGAC\n")
	regions := copiesFile(t, folder, "genes.bed", "a\t0\t40\tgene 1\nb\t52\t90\tgene,2\na\t0\t31\t.\n")
	places := filepath.Join(folder, "locations.tsv")
	const header = "guide letters pam contig start end strand on_target off_targets mit cfd scored no_bulge dna_bulge rna_bulge " +
		"classes target_regions in_regions rule_set_1 edits_0 edits_1 edits_2"
	// Scores are from calcHitScore and calcCfdScore of CRISPOR: 3.9087 and 0.61875 for the two
	// mismatches, 100 and 1 for the second exact place, and 100 and 0.259259259 for the place
	// before TAG.
	for _, c := range []struct{ options, want string }{
		{"--max-mismatches 2", "g1 ATGGTCGGACTCCCTGCCAG NGG a 30 53 + 2 2 49.04 38.19 2 3 0 0 0/0/0:2,2/0/0:1 . . 0.2226 2 0 1\n" +
			"g2 ATGGTCGGACTCCCTGCC NGG . . . . 0 0 NA NA NA 0 0 0 . . . NA 0 0 0\n" +
			"g3 ACGTGGCTAACGCATAGGAC NGG . . . . 0 0 NA NA NA 0 0 0 . . . NA 0 0 0\n"},
		{"-k 2", "g1 ATGGTCGGACTCCCTGCCAG NGG a 30 53 + 2 3 49.04 38.19 2 3 1 0 0/0/0:2,0/1/0:1,2/0/0:1 . . 0.2226 2 1 1\n"},
		{"-k 2 --dna-bulges 0", "g1 ATGGTCGGACTCCCTGCCAG NGG a 30 53 + 2 2 49.04 38.19 2 3 0 0 0/0/0:2,2/0/0:1 . . 0.2226 2 0 1\n"},
		{"-k 2 --mismatches 1", "g1 ATGGTCGGACTCCCTGCCAG NGG a 30 53 + 2 2 50.00 50.00 1 2 1 0 0/0/0:2,0/1/0:1 . . 0.2226 2 1 0\n"},
		{"--max-mismatches 2 --seed-exact 4", "g1 ATGGTCGGACTCCCTGCCAG NGG a 30 53 + 2 1 50.00 50.00 1 2 0 0 0/0/0:2 . . 0.2226 2 0 0\n"},
		{"--max-mismatches 2 --pam NRG", "g1 ATGGTCGGACTCCCTGCCAG NRG a 30 53 + 3 3 32.90 34.75 3 4 0 0 0/0/0:3,2/0/0:1 . . 0.2226 3 0 1\n"},
		{"-k 2 --regions " + regions, "g1 ATGGTCGGACTCCCTGCCAG NGG a 30 53 + 2 3 49.04 38.19 2 3 1 0 0/0/0:2,0/1/0:1,2/0/0:1 gene 1,a:1-31 2 0.2226 2 1 1\n"},
	} {
		args := append([]string{"guides", "-f", list, ref, "--locations", places}, strings.Fields(c.options)...)
		got := strings.ReplaceAll(quietly(t, args...), "\t", " ")
		if !strings.HasPrefix(got, header+"\n"+c.want) {
			t.Errorf("%s:\n%s, want\n%s", c.options, got, header+"\n"+c.want)
		}
		for _, other := range []string{"--threads=1", "--threads=3", "--device=cpu"} {
			if again := strings.ReplaceAll(quietly(t, append(slices.Clone(args), other)...), "\t", " "); again != got {
				t.Errorf("%s %s:\n%s, want\n%s", c.options, other, again, got)
			}
		}
	}
	const want = "pattern contig start end strand distance cigar text guide mismatches dna_bulges rna_bulges mit cfd target regions\n" +
		"g1 a 30 53 + 0 23M ATGGTCGGACTCCCTGCCAGAGG ATGGTCGGACTCCCTGCCAGNGG 0 0 0 100.0000 1.000000 1 gene 1,a:1-31\n" +
		"g1 a 83 106 - 0 23M ATGGTCGGACTCCCTGCCAGCGG ATGGTCGGACTCCCTGCCAGNGG 0 0 0 100.0000 1.000000 0 .\n" +
		"g1 b 30 53 + 2 23M ATGaTCcGACTCCCTGCCAGTGG ATGGTCGGACTCCCTGCCAGNGG 2 0 0 3.9087 0.618750 0 gene\\x2c2\n" +
		"g1 b 83 107 + 1 11M1D12M ATGGTCGGACTaCCCTGCCAGAGG ATGGTCGGACT-CCCTGCCAGNGG 0 1 0 NA NA 0 gene\\x2c2\n" +
		"g2 a 30 53 + 2 18M2D3M ATGGTCGGACTCCCTGCCagAGG ATGGTCGGACTCCCTGCC--NGG 0 2 0 NA NA 0 gene 1,a:1-31\n" +
		"g2 a 83 106 - 2 3M2D18M ATGGTCGGACTCCCTGCCagCGG ATGGTCGGACTCCCTGCC--NGG 0 2 0 NA NA 0 .\n"
	if got := strings.ReplaceAll(readFile(t, places), "\t", " "); got != want {
		t.Errorf("places\n%s, want\n%s", got, want)
	}
}

// TestGuidesPAMs has several PAMs, all for targets or some for off-targets alone.
func TestGuidesPAMs(t *testing.T) {
	folder := t.TempDir()
	ref := guidesRef(t, folder)
	list := copiesFile(t, folder, "guides.txt", "g1 ATGGTCGGACTCCCTGCCAG\n")
	places := filepath.Join(folder, "locations.tsv")
	const ggAndAG = "3 3 32.90 34.75 3 4 0 0 0/0/0:3,2/0/0:1 . . 0.2226 "
	for _, c := range []struct{ options, want string }{
		{"--pam NGG,NAG", "NGG,NAG a 30 53 + " + ggAndAG + "NGG:3,NAG:1 3 0 1"},
		{"--pam NAG,NGG", "NAG,NGG b 137 160 + 3 3 32.90 27.63 3 4 0 0 0/0/0:3,2/0/0:1 . . NA NAG:1,NGG:3 3 0 1"},
		{"--off-target-pam NAG", "NGG,NAG a 30 53 + 2 3 32.90 34.75 3 4 0 0 0/0/0:3,2/0/0:1 . . 0.2226 NGG:3,NAG:1 3 0 1"},
		{"--off-target-pam NGN,NNN", "NGG,NGN,NNN a 30 53 + 2 3 32.90 34.75 3 4 0 0 0/0/0:3,2/0/0:1 . . 0.2226 NGG:3,NGN:0,NNN:1 3 0 1"},
		{"--pam TGN,TAN --off-target-pam NGG", "TGN,TAN,NGG b 137 160 + 1 3 32.90 27.63 3 4 0 0 0/0/0:3,2/0/0:1 . . NA TGN:1,TAN:1,NGG:2 3 0 1"},
		{"--pam NG", "NG a 30 53 + 2 2 49.04 38.19 2 3 0 0 0/0/0:2,2/0/0:1 . . 0.2226 2 0 1"},
	} {
		args := append([]string{"guides", "--max-mismatches", "2", "-f", list, ref, "--locations", places}, strings.Fields(c.options)...)
		got := strings.ReplaceAll(rowsOf(quietly(t, args...), "")[1], "\t", " ")
		end := "53"
		if c.options == "--pam NG" {
			end = "52"
		}
		if want := "g1 ATGGTCGGACTCCCTGCCAG " + strings.Replace(c.want, " 53 ", " "+end+" ", 1); got != want {
			t.Errorf("%s:\n%s, want\n%s", c.options, got, want)
		}
		// Each place has its PAM, the first that fits.
		for i, row := range rowsOf(readFile(t, places), "") {
			columns := strings.Split(row, "\t")
			if c.options == "--pam NG" {
				if len(columns) != 16 {
					t.Errorf("%q", row)
				}
				continue
			}
			want := "one_pam"
			if pams := strings.Split(strings.Fields(c.want)[0], ","); i > 0 {
				letters := strings.ToUpper(columns[7])
				want = pams[slices.IndexFunc(pams, func(pam string) bool {
					return search.Matches(pam[0], letters[20]) && search.Matches(pam[1], letters[21]) && search.Matches(pam[2], letters[22])
				})]
			}
			if columns[16] != want {
				t.Errorf("%s: %q, want %s", c.options, row, want)
			}
		}
	}
	for options, want := range map[string]string{
		"--pam NGG,NG":             "option --pam: NGG has 3 letters and NG has 2 letters, and PAMs of guides have one length; N stands for any letter",
		"--off-target-pam NNGRRT":  "option --off-target-pam: NGG has 3 letters and NNGRRT has 6 letters, and PAMs of guides have one length; N stands for any letter",
		"--off-target-pam NAG,ngg": "option --off-target-pam: ngg is there twice",
		"--off-target-pam ,":       `option --off-target-pam: pattern "": it has no letters`,
		"--off-target-pam NXG":     "option --off-target-pam: ",
		"--pam NGG,NAG,nag":        "option --pam: nag is there twice",
		"--pam TTTV,TTTA --pam-side 5 -k 1 --off-target-pam TTTV": "option --off-target-pam: TTTV is there twice",
	} {
		if code, _, stderr := call(append([]string{"guides", "-f", list, ref}, strings.Fields(options)...)...); code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, %s", options, code, stderr)
		}
	}
}

// TestGuidesPAMEdits has places with a mismatch in their PAM, and with letters between it and the
// guide, by their limits and costs.
func TestGuidesPAMEdits(t *testing.T) {
	folder := t.TempDir()
	const guide, spacer = "ATGGTCGGACTCCCTGCCAG", "TTTTTTTT"
	ref := copiesFile(t, folder, "ref.fa", ">a\n"+strings.Join([]string{"", guide + "AGG", guide + "AAG", truth.ReverseComplement(guide + "TTAGG"), ""}, spacer)+"\n")
	list := copiesFile(t, folder, "guides.txt", "g "+guide+"\n")
	places, page := filepath.Join(folder, "locations.tsv"), filepath.Join(folder, "page.html")
	const (
		target = "0 ATGGTCGGACTCCCTGCCAGAGG ATGGTCGGACTCCCTGCCAGNGG 1.000000 1 0 0 0"
		other  = "ATGGTCGGACTCCCTGCCAGAaG ATGGTCGGACTCCCTGCCAGNGG 0.259259 0 1 0"
		gapped = "0 ATGGTCGGACTCCCTGCCAGttAGG ATGGTCGGACTCCCTGCCAG--NGG NA 0 0 2"
		both   = "0 ATGGTCGGACTCCCTGCCAGtTaG ATGGTCGGACTCCCTGCCAG-NGG NA 0 1 1"
		bulge  = "2 ATGGTCGGACTCCCTGCCAGttAGG ATGGTCGGACTCCCTGCCAG--NGG NA 0 0 0"
	)
	for _, c := range []struct {
		options, row string
		want         []string // distance, site, guide, CFD, target, and the PAM of each place
	}{
		{"--max-mismatches 2 --pam-mismatches 1", "1 1 79.41 1 1 0", []string{target, "0 " + other + " 0"}},
		{"--max-mismatches 2 --pam-gap 2", "1 1 100.00 0 0 1", []string{target, gapped + " 0"}},
		{"--max-mismatches 2 --pam-gap 1", "1 0 100.00 0 0 0", []string{target}},
		{"--max-mismatches 2 --pam-gap 2 --pam-mismatches 1", "1 2 79.41 1 1 1", []string{target, gapped + " 0", "0 " + other + " 0"}},
		{"--max-mismatches 2 --pam-gap 2 --pam-mismatches 1 --pam-gap-cost 1", "1 2 79.41 1 2 1", []string{target, "0 " + other + " 0", both + " 1"}},
		{"--max-mismatches 2 --pam-gap 2 --pam-mismatches 1 --pam-gap-cost 1 --pam-mismatch-cost 2", "1 2 79.41 1 1 1",
			[]string{target, gapped + " 2", "0 " + other + " 2"}},
		{"--max-mismatches 2 --pam-gap 2 --pam-mismatches 1 --pam-gap-cost 2 --pam-mismatch-cost 3", "1 0 100.00 0 0 0", []string{target}},
		{"-k 2 --pam-gap 2", "1 1 100.00 0 0 1", []string{target, gapped + " 0"}},
		{"-k 2 --pam-gap 2 --pam-gap-cost 2", "1 1 100.00 0 0 0", []string{target, bulge + " 2"}},
		{"-k 2 --pam-gap 2 --pam-gap-cost 1", "1 1 100.00 0 0 1", []string{target, gapped + " 2"}},
	} {
		args := append([]string{"guides", "-f", list, ref, "--locations", places, "--html", page}, strings.Fields(c.options)...)
		rows := rowsOf(quietly(t, args...), "")
		heads, row := strings.Split(rows[0], "\t"), strings.Split(rows[1], "\t")
		column := func(name string) string { return row[slices.Index(heads, name)] }
		if got := strings.Join([]string{column("on_target"), column("off_targets"), column("cfd"), column("scored"), column("pam_mismatched"), column("pam_gapped")}, " "); got != c.row {
			t.Errorf("%s: %s, want %s", c.options, got, c.row)
		}
		var got []string
		for _, row := range rowsOf(readFile(t, places), "")[1:] {
			x := strings.Split(row, "\t")
			got = append(got, strings.Join(append([]string{x[5], x[7], x[8], x[13], x[14]}, x[16:]...), " "))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s, want\n%s", c.options, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
		for _, other := range []string{"--threads=1", "--best=1"} {
			if again := rowsOf(quietly(t, append(slices.Clone(args), other)...), ""); !slices.Equal(again, rows) {
				t.Errorf("%s %s: %q, want %q", c.options, other, again, rows)
			}
		}
	}
	if text := readFile(t, page); !strings.Contains(text, "up to 2 letters beside it") {
		t.Error("the page does not say what a gap may be")
	}
	for options, want := range map[string]string{
		"--pam-mismatch-cost 1":                        "option --pam-mismatch-cost needs --pam-mismatches",
		"--pam-gap-cost 1":                             "option --pam-gap-cost needs --pam-gap",
		"--pam-mismatches 4":                           "option --pam-mismatches: ",
		"--pam-gap 11":                                 "option --pam-gap: ",
		"--pam-gap 1 --vcf v.vcf":                      "option --pam-gap: locations of --vcf have PAMs that match, without a gap; --off-target-pam takes others",
		"--pam NNAGAAW --pam-mismatches 3 --pam-gap 9": "option --pam: with mismatches and gaps the PAMs have more than 200 forms",
	} {
		if code, _, stderr := call(append([]string{"guides", "-f", list, ref}, strings.Fields(options)...)...); code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, %s", options, code, stderr)
		}
	}
}

// TestGuidesPlaces has the places of a search of the same options, in its order.
func TestGuidesPlaces(t *testing.T) {
	folder := t.TempDir()
	places := filepath.Join(folder, "locations.tsv")
	for _, options := range []string{"-k 4", "--max-mismatches 5", "-e 6 --pam NRG"} {
		args := append(strings.Fields(options), "-f", patternsFile, phixFile)
		if !strings.Contains(options, "pam") {
			args = append(args, "--pam", "NGG")
		}
		want := searchQuietly(t, args...)
		quietly(t, append([]string{"guides", "--locations", places}, args...)...)
		var got strings.Builder
		for line := range strings.Lines(readFile(t, places)) {
			got.WriteString(strings.Join(strings.Split(line, "\t")[:8], "\t") + "\n")
		}
		if got.String() != want || strings.Count(want, "\n") < 3 {
			t.Errorf("%s:\n%s, want\n%s", options, got.String(), want)
		}
	}
}

// TestGuidesMaxPlaces has the best places of guides alone, in the order of all; counts stay.
func TestGuidesMaxPlaces(t *testing.T) {
	folder := t.TempDir()
	ref := guidesRef(t, folder)
	list := copiesFile(t, folder, "guides.txt", "g1 ATGGTCGGACTCCCTGCCAG\ng2 ATGGTCGGACTCCCTGCC\n")
	places := filepath.Join(folder, "locations.tsv")
	guides := func(options ...string) (table string, rows []string, stderr string) {
		code, table, stderr := call(append([]string{"guides", "-k", "2", "-f", list, "--locations", places, ref}, options...)...)
		if code != 0 {
			t.Fatalf("%q: exit code %d, %s", options, code, stderr)
		}
		return table, rowsOf(readFile(t, places), ""), stderr
	}
	all, rows, _ := guides()
	if len(rows) != 7 {
		t.Fatalf("%q", rows)
	}
	for most, want := range map[string][]int{"1": {0, 1, 5}, "3": {0, 1, 2, 4, 5, 6}, "4": {0, 1, 2, 3, 4, 5, 6}} {
		for _, page := range []string{"", "--report-html " + filepath.Join(folder, "page.html")} {
			table, some, stderr := guides(append([]string{"--max-locations", most}, strings.Fields(page)...)...)
			var expected []string
			for _, n := range want {
				expected = append(expected, rows[n])
			}
			if table != all || !slices.Equal(some, expected) {
				t.Errorf("--max-locations %s %s: %q, want %q", most, page, some, expected)
			}
			said := "\nscanmap: guides with more than 3 locations: 1; 1 location of theirs counted and not written\n"
			if most == "1" {
				said = "\nscanmap: guides with more than 1 location: 2; 4 locations of theirs counted and not written\n"
			}
			if strings.Contains(stderr, said) != (most != "4") || strings.Contains(stderr, "not written") != (most != "4") {
				t.Errorf("--max-locations %s: %s", most, stderr)
			}
		}
	}
}

// TestGuidesBest has all guides of a region, and the best ones with their places alone.
func TestGuidesBest(t *testing.T) {
	folder := t.TempDir()
	r := rand.New(rand.NewPCG(15, 3))
	family := truth.Random(r, 300, "ACGT")
	text := truth.Random(r, 400, "ACGT") + family + truth.Random(r, 300, "ACGT") + truth.Substituted(r, family, 20)
	ref := copiesFile(t, folder, "ref.fa", ">a\n"+text+"\n>b\n"+truth.ReverseComplement(truth.Substituted(r, family, 30))+"\n")
	bed := copiesFile(t, folder, "in.bed", "a\t200\t800\nb\t10\t20\na\t500\t810\n")
	table := func(args ...string) (rows [][]string) {
		for line := range strings.Lines(quietly(t, append([]string{"guides", "--max-mismatches", "4", ref}, args...)...)) {
			rows = append(rows, strings.Split(strings.TrimSpace(line), "\t"))
		}
		return rows[1:]
	}
	all := table("--in", "a:201-810")
	if again := table("--in", bed); len(all) < 30 || fmt.Sprint(again) != fmt.Sprint(all) {
		t.Fatalf("%d guides, in BED %d", len(all), len(again))
	}
	for i, row := range all {
		start, end := 0, 0
		_, _ = fmt.Sscan(row[4], &start)
		_, _ = fmt.Sscan(row[5], &end)
		if want := fmt.Sprintf("a:%d-%d:%s", start+1, end, row[6]); row[0] != want || start < 200 || end > 810 || end-start != 23 {
			t.Errorf("guide %d: %q", i, row)
		}
		site := text[start:end]
		if row[6] == "-" {
			site = truth.ReverseComplement(site)
		}
		if site[:20] != row[1] || site[21:] != "GG" {
			t.Errorf("%q is of %s", row, site)
		}
	}
	places, page := filepath.Join(folder, "locations.tsv"), filepath.Join(folder, "page.html")
	best := table("--in", "a:201-810", "--best", "5", "--locations", places, "--html", page)
	sorted := slices.Clone(all)
	number := func(row []string) (x float64) {
		_, _ = fmt.Sscan(row[10], &x)
		return x
	}
	slices.SortStableFunc(sorted, func(a, b []string) int {
		switch x, y := number(a), number(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	if len(best) != 5 || number(best[0]) == number(sorted[len(sorted)-1]) {
		t.Fatalf("%q", best)
	}
	for i, row := range best {
		if number(row) != number(sorted[i]) || !slices.ContainsFunc(all, func(other []string) bool { return slices.Equal(row, other) }) {
			t.Errorf("best guide %d is %q, by CFD %q", i+1, row, sorted[i])
		}
	}
	got := map[string]int{}
	for line := range strings.Lines(readFile(t, places)) {
		name, _, _ := strings.Cut(line, "\t")
		got[name]++
	}
	for _, row := range best {
		var exact, other int
		_, _ = fmt.Sscan(row[7], &exact)
		_, _ = fmt.Sscan(row[8], &other)
		if got[row[0]] != 1+other || exact < 1 {
			t.Errorf("%q has %d places", row, got[row[0]])
		}
	}
	if len(got) != 6 { // and the header
		t.Errorf("places of %d guides", len(got)-1)
	}
	if text := readFile(t, page); !strings.Contains(text, best[4][1]) || strings.Count(text, "<details") != 5 {
		t.Error("the page lacks a guide")
	}
	// Shorter guides have no scores, and a region may have none.
	if rows := table("--in", "a:201-810", "--length", "18", "--best", "1"); len(rows) != 1 || rows[0][9] != "NA" || len(rows[0][1]) != 18 {
		t.Errorf("%q", rows)
	}
	if rows := table("--in", "a:1-22", "--best", "2", "--html", page); len(rows) != 0 {
		t.Errorf("%q", rows)
	}
	if code, _, stderr := call("guides", "--in", "a:1-22", ref); code != 0 || stderr != "scanmap: 0 guides\n" {
		t.Errorf("exit code %d, %q", code, stderr)
	}
	if code, _, stderr := call("guides", "--in", "a:201-810", "--best", "1", ref); code != 0 ||
		!strings.HasPrefix(stderr, fmt.Sprintf("scanmap: %d guides, 1 chosen, 1 with a target, ", len(all))) {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

// TestGuidesWithoutExactPlace has guides without an exact location. They have no scores, are the
// last of the best, and a line names them.
func TestGuidesWithoutExactPlace(t *testing.T) {
	folder := t.TempDir()
	ref := guidesRef(t, folder)
	list := copiesFile(t, folder, "guides.txt", "none ACGTGGCTAACGCATAGGAC\nshort ATGGTCGGACTCCCTGCC\nthree ATGGTCGGACTGGGTGCCAG\n"+
		"exact ATGGTCGGACTCCCTGCCAG\n")
	page := filepath.Join(folder, "page.html")
	const warning = "scanmap: warning: guides without an exact location in %s: 3 of 4 (none, short, three); they have no scores, and rank last\n"
	for _, options := range []string{"--best 3", "-f " + list} {
		args := append([]string{"guides", "-f", list, "--mismatches", "3", "--dna-bulges", "2", "--html", page, ref}, strings.Fields(options)...)
		code, stdout, stderr := call(args...)
		if code != 0 || !strings.HasSuffix(stderr, fmt.Sprintf(warning, ref)) || strings.Count(stderr, "warning") != 1 {
			t.Errorf("%s: exit code %d, %q", options, code, stderr)
		}
		var got []string
		for line := range strings.Lines(stdout) {
			columns := strings.Split(line, "\t")
			got = append(got, strings.Join([]string{columns[0], columns[9], columns[10], columns[11]}, " "))
		}
		want := []string{"guide mit cfd scored", "exact 49.04 38.19 2", "none NA NA NA", "three NA NA NA"}
		if options == "-f "+list {
			want = []string{want[0], want[2], "short NA NA NA", want[3], want[1]}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", options, got, want)
		}
	}
	// Scores are made of mismatches alone, 3 at most.
	text := readFile(t, page)
	for _, want := range []string{"off-targets with up to 3 substitutions and no bulge", "Guides without an exact location: 3. They have no scores"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	alone := copiesFile(t, folder, "one.txt", "exact ATGGTCGGACTCCCTGCCAG\n")
	if _, _, stderr := call("guides", "-f", alone, "--html", page, ref); strings.Contains(stderr, "warning") ||
		strings.Contains(readFile(t, page), "without an exact location") {
		t.Errorf("%q, or the page, warns of nothing", stderr)
	}
}

// TestGuidesWithoutNames names five guides, and says how many more there are.
func TestGuidesWithoutNames(t *testing.T) {
	names := strings.Fields("a b c d e f g")
	for n, want := range map[int]string{1: "1 of 9 (a)", 5: "5 of 9 (a, b, c, d, e)", 6: "6 of 9 (a, b, c, d, e and 1 more)",
		7: "7 of 9 (a, b, c, d, e and 2 more)"} {
		var out strings.Builder
		g := judgedGuides{without: names[:n], judged: 9}
		if err := g.warn(&out, "ref.fa"); err != nil || !strings.Contains(out.String(), "guides without an exact location in ref.fa: "+want+"; ") {
			t.Errorf("%v: %s, want %s", err, out.String(), want)
		}
	}
}

// TestGuidesWithPAM has guides that were given with their PAM, which the warning and the page say.
// Guides that end otherwise, or are too short or too long without it, are not counted.
func TestGuidesWithPAM(t *testing.T) {
	folder := t.TempDir()
	ref := guidesRef(t, folder)
	page := filepath.Join(folder, "page.html")
	const first, second = "ATGGTCGGACTCCCTGCCAGAGG", "ATGGTCGGACTACCCTGCCAGAGG"
	for _, c := range []struct{ guides, options, want string }{
		{"a " + first + "\nb " + second + "\nc ATGGTCGGACTCCCTGCCAG\n", "", "2 guides end with letters that fit the PAM NGG: give guides without their PAM"},
		{"a " + strings.ToLower(first) + "\nb TTGGTCGGACTCCCTGCCAGAGC\n", "", "1 guide ends with letters that fit the PAM NGG: give guides without their PAM"},
		{"a " + first + "\n", "--best 1", "1 guide ends with letters that fit the PAM NGG: give guides without their PAM"},
		{"a " + first + "\nb ATGGTCGGACTCCCTGCCAGTAA\n", "--pam NGG,NAA", "2 guides end with letters that fit the PAMs NGG, NAA: give guides without their PAM"},
		{"a TTTG" + first + "\n", "--nuclease AsCas12a --seed-exact 1-3", "1 guide begins with letters that fit the PAM TTTV: give guides without their PAM"},
		{"a " + first + "\n", "--pam NNN", ""},
		{"a CTGGTCGGACTCCCTGCAGG\nb CTGGTCGGACTCCCTGCCAGACGGAGG\n", "", ""},
	} {
		list := copiesFile(t, folder, "guides.txt", c.guides)
		args := append([]string{"guides", "-f", list, "--max-mismatches", "2", "--html", page, ref}, strings.Fields(c.options)...)
		code, _, stderr := call(args...)
		_, got, _ := strings.Cut(strings.TrimSpace(stderr), "rank last")
		if got = strings.TrimPrefix(got, "; "); code != 0 || got != c.want || !strings.Contains(readFile(t, page), c.want) {
			t.Errorf("%s, %s: exit code %d, %s, want %s", c.guides, c.options, code, stderr, c.want)
		}
		if c.want == "" && strings.Contains(readFile(t, page), "that fit the PAM") {
			t.Errorf("%s, %s: the page warns", c.guides, c.options)
		}
	}
}

// TestGuidesPAMFirst has the guides of Cas12a: the PAM comes first, and there are no scores.
func TestGuidesPAMFirst(t *testing.T) {
	folder := t.TempDir()
	const guide = "GGACTCCCTGCCAGATGGTCACG"
	spacer := strings.Repeat("C", 30)
	ref := copiesFile(t, folder, "ref.fa", ">a\n"+spacer+"TTTA"+guide+spacer+truth.ReverseComplement("TTTGGGACTCCCTGCgAGATGGTCACG")+spacer+"TTCT"+guide+"\n")
	list := copiesFile(t, folder, "guides.txt", "cpf1 "+guide+"\n")
	places, page := filepath.Join(folder, "locations.tsv"), filepath.Join(folder, "page.html")
	got := strings.ReplaceAll(quietly(t, "guides", "-k", "1", "--pam", "TTTV", "--pam-side", "5", "-f", list, ref, "--locations", places,
		"--html", page), "\t", " ")
	if want := "cpf1 " + guide + " TTTV a 30 57 + 1 1 NA NA NA 2 0 0 0/0/0:1,1/0/0:1 . . NA 1 1\n"; !strings.HasSuffix(got, "\n"+want) {
		t.Errorf("%s, want %s", got, want)
	}
	const want = "cpf1 a 30 57 + 0 27M TTTAGGACTCCCTGCCAGATGGTCACG TTTVGGACTCCCTGCCAGATGGTCACG 0 0 0 NA NA 1 .\n" +
		"cpf1 a 87 114 - 1 27M TTTGGGACTCCCTGCgAGATGGTCACG TTTVGGACTCCCTGCCAGATGGTCACG 1 0 0 NA NA 0 .\n"
	if got := strings.ReplaceAll(readFile(t, places), "\t", " "); !strings.HasSuffix(got, "regions\n"+want) {
		t.Errorf("places\n%s, want\n%s", got, want)
	}
	if text := readFile(t, page); !strings.Contains(text, `mismatch at letter 12"`) ||
		!strings.Contains(text, `<span class="pam">TTTV</span> GGACTCCCTGC<b class="mismatch">C</b>AG`) {
		t.Error("the page lacks an alignment with the PAM before the guide")
	}
	// Guides of --in have 23 letters for Cas12a, unless another length is given.
	for options, want := range map[string]int{"": 23, "--length 20": 20} {
		for _, row := range rowsOf(quietly(t, append([]string{"guides", "-k", "1", "--nuclease", "AsCas12a", "--in", "a", ref}, strings.Fields(options)...)...), "")[1:] {
			if letters := strings.Split(row, "\t")[1]; len(letters) != want {
				t.Errorf("%s: %s has not %d letters", options, letters, want)
			}
		}
	}
	// The authors' files have these scores, rC:dC at 12.
	for nuclease, scores := range map[string][2]string{"AsCas12a": {"92.75", "0.078125"}, "enAsCas12a": {"75.29", "0.328125"}} {
		got := quietly(t, "guides", "-k", "1", "--nuclease", nuclease, "-f", list, ref, "--locations", places, "--html", page)
		row := strings.Split(rowsOf(got, "")[1], "\t")
		if want := []string{"NA", scores[0], "1"}; !slices.Equal(row[9:12], want) || row[2] != "TTTV" {
			t.Errorf("%s: %q, want %q", nuclease, row, want)
		}
		if row := strings.Split(rowsOf(readFile(t, places), "")[2], "\t"); row[12] != "NA" || row[13] != scores[1] {
			t.Errorf("%s: %q, want %s", nuclease, row, scores[1])
		}
		if text := readFile(t, page); !strings.Contains(text, "Specificities are of "+nuclease+",") {
			t.Errorf("the page does not name %s", nuclease)
		}
	}
	for options, want := range map[string]string{
		"--nuclease cas12a":                `option --nuclease: "cas12a" is none of SpCas9, AsCas12a and enAsCas12a`,
		"--nuclease AsCas12a --pam-side 3": "option --pam-side: the PAM of AsCas12a is at end 5 of the guide",
	} {
		if code, _, stderr := call(append([]string{"guides", "-f", list, ref}, strings.Fields(options)...)...); code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, %s", options, code, stderr)
		}
	}
	if in := quietly(t, "guides", "--max-mismatches", "1", "--nuclease", "AsCas12a", "--in", "a:1-60", ref); !strings.Contains(in, "\na:31-57:+\t"+guide+"\tTTTV\t") {
		t.Errorf("%s", in)
	}
	rows := strings.Split(quietly(t, "guides", "--max-mismatches", "1", "--pam", "TTTV", "--pam-side", "5", "--length", "23", "--in", "a:1-60", ref), "\n")
	if len(rows) != 3 || !strings.HasPrefix(rows[1], "a:31-57:+\t"+guide+"\tTTTV\ta\t30\t57\t+\t") {
		t.Errorf("%q", rows)
	}
}

// TestGuidesFailures has one line for each, and no file.
func TestGuidesFailures(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	guidesRef(t, folder)
	copiesFile(t, folder, "g.txt", "ACGTACGTACGTACGTACGT\n")
	copiesFile(t, folder, "bad.txt", "ACGTXACGTACGT\n")
	copiesFile(t, folder, "empty.bed", "# nothing\n")
	copiesFile(t, folder, "bad.bed", "z\t0\t1\n")
	copiesFile(t, folder, "bad.vcf", "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\na\t2\t.\tG\tT\t.\t.\t.\n")
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"ref.fa", 2, "scanmap guides takes guides from --patterns or from --in, one of them"},
		{"ref.fa -f g.txt --in a:1-9", 2, "scanmap guides takes guides from --patterns or from --in, one of them"},
		{"-f g.txt", 2, "scanmap guides takes one file, REF.fa, but 0 are given; see scanmap guides --help"},
		{"-f g.txt ref.fa --length 19", 2, "option --length is for --in"},
		{"--in a:1-9 ref.fa --length 0", 2, `option --length: "0" is not a whole number from 1 to 100`},
		{"--in a:9-1 ref.fa", 2, `option --in: "a:9-1" is not a contig, a colon, and bases from 1 on, such as chr1:1001-2000`},
		{"--in a:0-5 ref.fa", 2, `option --in: "a:0-5" is not a contig, a colon, and bases from 1 on, such as chr1:1001-2000`},
		{"--in= ref.fa", 2, "option --in: the name is empty"},
		{"--in z:1-5 ref.fa", 1, `option --in: ref.fa has no contig "z"; its first is "a"`},
		{"--in a:1-137 ref.fa", 1, `option --in: contig "a" of ref.fa has 136 bases, fewer than 137`},
		{"--in a:1-1,000 ref.fa", 1, `option --in: contig "a" of ref.fa has 136 bases, fewer than 1000`},
		{"--in a:1-100 --seed-exact 9-21 ref.fa", 2, "option --seed-exact: guides of --in have 20 letters (--length), but those up to 21 have to match"},
		{"-f g.txt --seed-exact 9-21 ref.fa", 1,
			`g.txt: line 1: pattern "ACGTACGTACGTACGTACGT": it has 20 letters, but those up to 21 have to match`},
		{"--in none.bed ref.fa", 1, `option --in: "none.bed" is no region, such as chr1:1001-2000, no file that is there, and ref.fa has no contig "none.bed"; ` +
			`its first is "a"`},
		{"--in empty.bed ref.fa", 1, "empty.bed: has no intervals"},
		{"-f g.txt --regions bad.bed ref.fa", 1, `bad.bed: line 1: the reference has no contig "z"; its first is "a"`},
		{"-f g.txt --pam NXG ref.fa", 2, `option --pam: pattern "NXG": letter 2 is "X", which is not an IUPAC letter of DNA`},
		{"-f g.txt -k 4% ref.fa", 2, `option --max-distance: "4%" is a percentage, and guides take a number of edits from 0 to 63`},
		{"-f g.txt -k 2 --max-mismatches 2 ref.fa", 2, "option --max-mismatches replaces --max-distance"},
		{"-f g.txt --best 0 ref.fa", 2, `option --best: "0" is not a whole number from 1 to 1000000000`},
		{"-f g.txt --changes x.tsv ref.fa", 2, "option --changes needs --vcf"},
		{"-f g.txt --max-samples 3 ref.fa", 2, "option --max-samples needs --vcf"},
		{"-f g.txt --vcf v.vcf --max-haplotypes 0 ref.fa", 2, `option --max-haplotypes: "0" is not a whole number from 1 to 16777216`},
		{"-f - --vcf - ref.fa", 2, "two inputs cannot both come from standard input"},
		{"-f g.txt --vcf v.vcf --changes v.vcf ref.fa", 2, "v.vcf is an input and would be overwritten"},
		{"-f g.txt --vcf v.vcf -o x.tsv --changes x2.tsv ref.fa", 1, "v.vcf: no such file or directory"},
		{"-f g.txt --vcf bad.vcf -o x.tsv --changes x2.tsv ref.fa", 1,
			`bad.vcf: line 3: REF is "G", but the reference has "T" at a:2: is it another reference?`},
		{"-f g.txt --max-locations 2 ref.fa", 2, "option --max-locations needs --locations"},
		{"-f g.txt --locations x.tsv --max-locations 0 ref.fa", 2, `option --max-locations: "0" is not a whole number from 1 to 1000000`},
		{"-f g.txt -o x.tsv.gz ref.fa", 2, "option --output: x.tsv.gz: scanmap guides writes plain text; pipe standard output to gzip"},
		{"-f g.txt -o x.tsv --locations x.tsv ref.fa", 2, "options --output and --locations name the same file"},
		{"-f g.txt --locations ref.fa ref.fa", 2, "ref.fa is an input and would be overwritten"},
		{"-f - -", 2, "two inputs cannot both come from standard input"},
		{"-f bad.txt -o x.tsv ref.fa", 1, `bad.txt: line 1: pattern "ACGTXACGTACGT": letter 5 is "X", which is not an IUPAC letter of DNA`},
		{"-f g.txt -k 12 -o x.tsv --html x.html ref.fa", 1,
			`g.txt: line 1: pattern "ACGTACGTACGTACGTACGT": with 12 edits its 20 letters lie at 100 % of all positions by chance: allow fewer`},
		{"-f g.txt -k 20 -o x.tsv --html x.html ref.fa", 1, `g.txt: line 1: pattern "ACGTACGTACGTACGTACGT": it has 20 letters and would match everywhere with 20 edits`},
	} {
		code, stdout, stderr := call(append([]string{"guides"}, strings.Fields(c.args)...)...)
		if code != c.code || stdout != "" || stderr != "scanmap: "+c.want+"\n" {
			t.Errorf("%s: exit code %d, %q, want %d, %q", c.args, code, stderr, c.code, c.want)
		}
	}
	if files, err := filepath.Glob("x*"); err != nil || len(files) > 0 {
		t.Errorf("files are left: %v, %v", files, err)
	}
}

// TestGuidesBestOrigins has the best guide of a region, which lies elsewhere too: its target is in
// the region, in the table and among the places.
func TestGuidesBestOrigins(t *testing.T) {
	folder := t.TempDir()
	ref := guidesRef(t, folder)
	places := filepath.Join(folder, "locations.tsv")
	for _, best := range []string{"1", "5", ""} {
		args := []string{"guides", "--in", "a:84-106", "--max-mismatches", "1", "--locations", places, ref}
		if best != "" {
			args = append(args, "--best", best)
		}
		rows := rowsOf(quietly(t, args...), "")
		if len(rows) != 2 || !strings.Contains(rows[1], "\ta\t83\t106\t-\t2\t1\t") {
			t.Errorf("--best %s: %q", best, rows)
		}
		var targets []string
		for _, row := range rowsOf(readFile(t, places), "")[1:] {
			if columns := strings.Split(row, "\t"); columns[14] == "1" {
				targets = append(targets, strings.Join(columns[:5], " "))
			}
		}
		if want := []string{"a:84-106:- a 83 106 -"}; !slices.Equal(targets, want) {
			t.Errorf("--best %s: targets %q, want %q", best, targets, want)
		}
	}
}

// TestGuidesAtEnds has a guide that begins with a contig, and one that ends with it.
func TestGuidesAtEnds(t *testing.T) {
	folder := t.TempDir()
	const one, two = "ATGGTCGGACTCCCTGCCAG", "TACCAGCCTGAGGGACGGTC"
	ref := copiesFile(t, folder, "ref.fa", ">a\n"+one+"AGG"+strings.Repeat("T", 20)+two+"TGG\n>b\n"+strings.Repeat("A", 40)+"\n")
	list := copiesFile(t, folder, "guides.txt", one+"\n"+two+"\n")
	page := filepath.Join(folder, "page.html")
	for _, options := range []string{"", "--best 2", "--best 2 --report-html " + page, "--report-html " + page} {
		rows := rowsOf(quietly(t, append([]string{"guides", "-f", list, "--max-mismatches", "1", ref}, strings.Fields(options)...)...), "")
		if len(rows) != 3 || !strings.Contains(rows[1], "\ta\t0\t23\t+\t1\t0\t") || !strings.Contains(rows[2], "\ta\t43\t66\t+\t1\t0\t") {
			t.Errorf("%s: %q", options, rows)
		}
		if strings.Contains(options, "html") {
			if text := readFile(t, page); strings.Count(text, "a:1-23") < 2 || strings.Count(text, "a:44-66") < 2 || !strings.Contains(text, one) {
				t.Errorf("%s: the page lacks a location", options)
			}
		}
	}
}

// TestGuidesInContig takes all guides of a contig, whose name may look like a region. A file comes
// before a contig of its name.
func TestGuidesInContig(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	text := readFile(t, guidesRef(t, folder))
	copiesFile(t, folder, "ref.fa", strings.Replace(text, ">b\n", ">b:11-90\n", 1))
	run := func(in string) string {
		return quietly(t, "guides", "--quiet", "--max-mismatches", "1", "--report-html", "page.html", "--in", in, "ref.fa")
	}
	want := run("a:1-136")
	if got := run("a"); got != want || strings.Count(got, "\n") < 3 {
		t.Errorf("of a:\n%s, want\n%s", got, want)
	}
	if !strings.Contains(readFile(t, "page.html"), "those in a:1-136") {
		t.Error("the page does not say where guides are from")
	}
	// All letters of a guide may have to match, and none beyond.
	if got := quietly(t, "guides", "--quiet", "--max-mismatches", "1", "--seed-exact", "18-20", "--in", "a", "ref.fa"); strings.Count(got, "\n") != strings.Count(want, "\n") {
		t.Errorf("--seed-exact 18-20:\n%s", got)
	}
	want = run("b:11-90:1-179")
	if got := run("b:11-90"); got != want || strings.Count(got, "\n") < 3 {
		t.Errorf("of b:11-90:\n%s, want\n%s", got, want)
	}
	want = run("a:30-60")
	copiesFile(t, folder, "a", "a\t29\t60\n")
	if got := run("a"); got != want {
		t.Errorf("of the file a:\n%s, want\n%s", got, want)
	}
}

package mappability

import (
	"fmt"
	"strings"
	"testing"

	"scanmap/locate"
)

// genmapCases are cases of GenMap's own tests (tests/test_cases of github.com/cpockrandt/genmap,
// commit f42d176, BSD 3-clause, copyright 2019-2020 Christopher Pockrandt), with the frequencies of
// the first genome that its authors wrote down. A slash parts genomes. -nc leaves reverse strands
// out, and -ep counts genomes instead of places.
var genmapCases = []struct {
	name    string
	k, e    int
	options string
	genomes string
	want    string
}{
	{"1a", 3, 0, "-nc",
		"TGGTAAAAGGACAAAAAGCTGGT",
		"2 2 1 1 5 5 2 1 1 1 1 1 5 5 5 2 1 1 1 2 2 0 0"},
	{"1b", 3, 0, "",
		"TGGTCCAAAAGGACCAAAAGGT",
		"3 3 2 2 3 2 4 4 2 2 2 2 3 3 2 4 4 2 2 3 0 0"},
	{"1c", 3, 0, "-nc",
		"TGGTCGAAANNAAANGGNNN",
		"1 1 1 1 1 1 2 0 0 0 0 2 0 0 0 0 0 0 0 0"},
	{"1d", 3, 0, "",
		"TGGTCGAAANNAAANGGNNN",
		"1 1 1 2 2 1 2 0 0 0 0 2 0 0 0 0 0 0 0 0"},
	{"1e", 3, 1, "-nc",
		"TGGTCGAAANNAAANGGNNN",
		"3 2 1 2 1 4 6 4 0 0 4 6 4 1 2 2 0 0 0 0"},
	{"1f", 3, 1, "",
		"TGGTCGAAANNAAANGGNNN",
		"4 2 3 3 3 5 6 4 0 0 4 6 4 1 2 2 0 0 0 0"},
	{"2a", 4, 0, "-nc",
		"TGGTCCAAAAGGACCAAAAGGT CCAACCT TAAGGTACCA",
		"1 1 1 1 3 2 2 2 3 1 1 1 2 3 2 2 2 3 2 0 0 0 3 1 1 1 0 0 0 1 3 2 1 1 1 2 0 0 0"},
	{"2b", 4, 0, "",
		"TGGTCCAAAAGGACCAAAAGGT CCAACCT TAAGGTACCA",
		"3 2 2 1 3 2 2 2 3 1 2 2 3 3 2 2 2 3 3 0 0 0 3 1 1 3 0 0 0 1 3 3 2 2 2 3 0 0 0"},
	{"2c", 4, 0, "-nc",
		"TGGTCCAAAAGGACCAAAAGGT CCAA CCA AAGGTACCATTGG CCA",
		"1 1 1 1 3 2 2 2 3 1 1 1 2 3 2 2 2 3 2 0 0 0 3 0 0 0 0 0 0 3 2 1 1 1 2 1 1 1 1 0 0 0 0 0 0"},
	{"2d", 4, 0, "",
		"TGGTCCAAAAGGACCAAAAGGT CCAA CCA AAGGTACCATTGG CCA",
		"3 2 2 1 4 2 2 2 3 1 2 2 3 4 2 2 2 3 2 0 0 0 4 0 0 0 0 0 0 3 2 2 2 2 3 1 1 1 4 0 0 0 0 0 0"},
	{"3a", 4, 0, "-nc",
		"TGGTCCAAAAGGACCAAAAGGT CCA AAGGTACCATTGG CCA / TGGTCCAAAAGGA / TGGTCCAAAAGGACCAAAAGGTCGTA TTTTACGTACGT",
		"3 4 3 3 5 5 5 5 6 3 2 2 3 5 5 5 5 6 3 0 0 0 0 0 0 6 3 1 2 1 3 1 1 1 1 0 0 0 0 0 0"},
	{"3a", 4, 0, "-nc",
		"TGGTCCAAAAGGA / TGGTCCAAAAGGACCAAAAGGT CCA AAGGTACCATTGG CCA / TGGTCCAAAAGGACCAAAAGGTCGTA TTTTACGTACGT",
		"3 4 3 3 5 5 5 5 6 3 0 0 0"},
	{"3a", 4, 0, "-nc",
		"TGGTCCAAAAGGACCAAAAGGTCGTA TTTTACGTACGT / TGGTCCAAAAGGACCAAAAGGT CCA AAGGTACCATTGG CCA / TGGTCCAAAAGGA",
		"3 4 3 3 5 5 5 5 6 3 2 2 3 5 5 5 5 6 3 4 1 1 2 0 0 0 1 1 1 2 2 2 2 2 2 0 0 0"},
	{"3b", 4, 0, "",
		"TGGTCCAAAAGGACCAAAAGGT CCA AAGGTACCATTGG CCA / TGGTCCAAAAGGA / TGGTCCAAAAGGACCAAAAGGTCGTA TTTTACGTACGT",
		"6 6 5 3 6 5 6 5 6 3 5 6 6 6 5 6 5 6 3 0 0 0 0 0 0 6 3 2 4 2 6 1 1 1 6 0 0 0 0 0 0"},
	{"3b", 4, 0, "",
		"TGGTCCAAAAGGA / TGGTCCAAAAGGACCAAAAGGT CCA AAGGTACCATTGG CCA / TGGTCCAAAAGGACCAAAAGGTCGTA TTTTACGTACGT",
		"6 6 5 3 6 5 6 5 6 3 0 0 0"},
	{"3b", 4, 0, "",
		"TGGTCCAAAAGGACCAAAAGGTCGTA TTTTACGTACGT / TGGTCCAAAAGGACCAAAAGGT CCA AAGGTACCATTGG CCA / TGGTCCAAAAGGA",
		"6 6 5 3 6 5 6 5 6 3 5 6 6 6 5 6 5 6 3 6 1 1 4 0 0 0 6 1 1 4 4 4 4 4 4 0 0 0"},
	{"3c", 4, 0, "-ep -nc",
		"TGGTCCAAAAGGACCAAAAGGT CCA AAGGTACCATTGG CCA / TGGTCCAAAAGGA / TGGTCCAAAAGGACCAAAAGGTCGTA TTTTACGTACGT",
		"3 3 3 3 3 3 3 3 3 3 2 2 2 3 3 3 3 3 2 0 0 0 0 0 0 3 2 1 2 1 2 1 1 1 1 0 0 0 0 0 0"},
	{"3c", 4, 0, "-ep -nc",
		"TGGTCCAAAAGGA / TGGTCCAAAAGGACCAAAAGGT CCA AAGGTACCATTGG CCA / TGGTCCAAAAGGACCAAAAGGTCGTA TTTTACGTACGT",
		"3 3 3 3 3 3 3 3 3 3 0 0 0"},
	{"3c", 4, 0, "-ep -nc",
		"TGGTCCAAAAGGACCAAAAGGTCGTA TTTTACGTACGT / TGGTCCAAAAGGACCAAAAGGT CCA AAGGTACCATTGG CCA / TGGTCCAAAAGGA",
		"3 3 3 3 3 3 3 3 3 3 2 2 2 3 3 3 3 3 2 3 1 1 1 0 0 0 1 1 1 1 1 1 2 1 1 0 0 0"},
	{"3d", 4, 0, "-ep",
		"TGGTCCAAAAGGACCAAAAGGT CCA AAGGTACCATTGG CCA / TGGTCCAAAAGGA / TGGTCCAAAAGGACCAAAAGGTCGTA TTTTACGTACGT",
		"3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 2 0 0 0 0 0 0 3 2 1 2 1 3 1 1 1 3 0 0 0 0 0 0"},
	{"3d", 4, 0, "-ep",
		"TGGTCCAAAAGGA / TGGTCCAAAAGGACCAAAAGGT CCA AAGGTACCATTGG CCA / TGGTCCAAAAGGACCAAAAGGTCGTA TTTTACGTACGT",
		"3 3 3 3 3 3 3 3 3 3 0 0 0"},
	{"3d", 4, 0, "-ep",
		"TGGTCCAAAAGGACCAAAAGGTCGTA TTTTACGTACGT / TGGTCCAAAAGGACCAAAAGGT CCA AAGGTACCATTGG CCA / TGGTCCAAAAGGA",
		"3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 2 3 1 1 1 0 0 0 3 1 1 1 1 1 2 1 1 0 0 0"},
}

// TestGenMap compares both engines with what GenMap publishes, where 0 stands for no frequency
// too.
func TestGenMap(t *testing.T) {
	for _, c := range genmapCases {
		var in input
		for genome := range strings.SplitSeq(c.genomes, " / ") {
			in.genomes = append(in.genomes, strings.Fields(genome))
		}
		o := Options{Metric: locate.Substitutions, Length: c.k, Edits: c.e}
		o.ForwardOnly, o.Genomes = strings.Contains(c.options, "-nc"), strings.Contains(c.options, "-ep")
		for _, o.Engine = range []Engine{EngineReads, EngineShared} {
			var got []string
			for _, counts := range counted(t, in.references(t), o) {
				for _, n := range counts {
					if n == None {
						n = 0
					}
					got = append(got, fmt.Sprint(n))
				}
			}
			if got := strings.Join(got, " "); got != c.want {
				t.Errorf("case %s, %s, %s\n got %s\nwant %s", c.name, o.Engine, c.genomes, got, c.want)
			}
		}
	}
}

package guides

import (
	"math"
	"strings"
	"testing"

	"scanmap/internal/truth"
)

// TestRuleSet1 has the two examples of the authors' script as CRISPOR's doenchScore.py quotes them,
// the example of crisprScore (0.144 in its test), and contexts drawn at random with what the
// coefficients of crisprScore (commit a6dba86) give by a program of their own in Python.
func TestRuleSet1(t *testing.T) {
	for _, c := range []struct {
		context string
		want    float64
	}{
		{"TATAGCTGCGATCTGAGGTAGGGAGGGACC", 0.713089368437},
		{"TCCGCACCTGTCACGGTCGGGGCTTGGCGC", 0.0189838463593},
		{"ACCTATCGATGCTGATGCTAGATAAGGTTG", 0.14426758828421266},
		{"TGGAGATAACATAAAAACCATAATTGGATT", 0.224947240982758},
		{"GTATAGTAAAAATTTATCATACAGAGGTAT", 0.41960476149551124},
		{"TCCTAGACACATACGCGTACCGGTTGGCCA", 0.788061650443597},
		{"CGTAGTACTTCGAAAACTGACTGGAGGCCA", 0.5724217051360442},
		{"TGCCTGGCCCCCCCACCCCCGCAGCGGCCG", 0.36947150732638845},
		{"GCCCGGCCCGGGGGCTTCGCAGCGGGGGTG", 0.03939781106158962},
		{"TATAGATGTAATTTAAAAGTTTCATGGTTA", 0.08471494522512063},
		{"TTTAGTTTTTCATTACTATTACTACGGCAT", 0.35404221475158454},
		{"AGGGGTCCATTCGGTAGGGCCCCCGGGAGG", 0.10558624889095872},
		{"GCCCCCCCGGACCCCGGTCTGCGTCGGGGG", 0.06394293263652438},
		{"TTAAATATATATATTTAATAATATAGGTCT", 0.18481315965456618},
		{"CGCATGTCTACTTTAGGCAGGCTATGGTGT", 0.17219284857235184},
	} {
		if got := RuleSet1([]byte(c.context)); !(math.Abs(got-c.want) <= 1e-12) { // also of NaN
			t.Errorf("%s: %v, want %v", c.context, got, c.want)
		}
	}
	const context = "TATAGCTGCGATCTGAGGTAGGGAGGGACC"
	for _, other := range []string{"", context[1:], context + "A", "N" + context[1:], context[:29] + "N", context[:25] + "AG" + context[27:],
		context[:26] + "A" + context[27:], strings.ToLower(context)} {
		if got := RuleSet1([]byte(other)); !math.IsNaN(got) {
			t.Errorf("%q: %v", other, got)
		}
	}
}

// TestRuleSet1Table has the number of weights and a sum over their places that crisprScore's table
// has as well: a number in a wrong place would move it. All are in order, and once.
func TestRuleSet1Table(t *testing.T) {
	sum := 0.0
	for i, w := range ruleSet1 {
		sum += float64(w.at) * w.weight
		if w.at < 1 || w.at-1+len(w.letters) > contextLength {
			t.Errorf("%+v", w)
		}
		if i > 0 {
			if before := ruleSet1[i-1]; before.at > w.at || before.at == w.at && before.letters >= w.letters {
				t.Errorf("%+v after %+v", w, before)
			}
		}
	}
	if len(ruleSet1) != 70 || !near(sum, -179.274733422) {
		t.Errorf("%d weights, sum %v", len(ruleSet1), sum)
	}
}

// TestRuleSet1AtEnds has the authors' example at both ends of a contig, on both strands, with a
// letter missing, and beside PAMs that the score is not defined for.
func TestRuleSet1AtEnds(t *testing.T) {
	const context, score = "TATAGCTGCGATCTGAGGTAGGGAGGGACC", 0.713089368437
	guide := context[4:24]
	for _, c := range []struct {
		contig, pam string
		want        float64
	}{
		{context, "NGG", score}, {context, "NG", score}, {context, "NNN", score}, {context, "NAG,NGG", score},
		{context[1:], "NGG", math.NaN()}, {context[:29], "NGG", math.NaN()},
		{context[:26] + "A" + context[27:], "NGN", math.NaN()}, {context[:28] + "N" + context[29:], "NGG", math.NaN()},
		{context[:27] + "G" + context[28:], "NGGG", math.NaN()},
	} {
		for strand := range 2 {
			ref := truth.Reference(t, truth.Strand(c.contig, strand))
			got, _ := counted(t, ref, patternsOf(t, c.pam, guide), Options{Distance: 1, PAMs: 1 + strings.Count(c.pam, ",")}, true)
			if x := got[0].RuleSet1; got[0].Target == nil || math.IsNaN(x) != math.IsNaN(c.want) || math.Abs(x-c.want) > 1e-12 {
				t.Errorf("%s beside %s, strand %d: %v, want %v", c.contig, c.pam, strand, x, c.want)
			}
		}
	}
}

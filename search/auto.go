package search

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
)

// What is fastest depends on the device, on what is counted, on k, m and n, and on how many patterns there are. It is
// looked up in what `scanmap bench search` measured: scripts/search-rates.sh measures, and writes rates.tsv.
//
//go:embed rates.tsv
var ratesTable string

// A measuredRate is a line of rates.tsv: letters a second, each letter of the text counted once for each pattern. On the CPU
// it is that of one thread.
type measuredRate struct {
	onGPU                    bool
	scheme                   string // such as shift-or/scan
	alphabet                 Alphabet
	substitutions            bool
	letters, length, k, many float64 // n, m, k, and the number of patterns
	rate                     float64
}

// rateKey is what has to be the same for a measured rate to say anything.
type rateKey struct {
	onGPU         bool
	scheme        string
	alphabet      Alphabet
	substitutions bool
}

// measuredRates are the lines of rates.tsv by their keys. A line that cannot be read is an error of its author, which a test finds.
var measuredRates = sync.OnceValues(func() (map[rateKey][]measuredRate, error) {
	rates := map[rateKey][]measuredRate{}
	for i, line := range strings.Split(strings.TrimSpace(ratesTable), "\n") {
		if i == 0 || line == "" { // a header
			continue
		}
		r, err := parseRate(line)
		if err != nil {
			return nil, fmt.Errorf("rates.tsv: line %d: %w", i+1, err)
		}
		key := rateKey{r.onGPU, r.scheme, r.alphabet, r.substitutions}
		rates[key] = append(rates[key], r)
	}
	return rates, nil
})

// rateColumns are the columns of rates.tsv.
const rateColumns = "device\tmethod\tscheme\talphabet\tcounted\tletters\tlength\tk\tpatterns\trate"

func parseRate(line string) (measuredRate, error) {
	fields := strings.Split(line, "\t")
	if want := strings.Count(rateColumns, "\t") + 1; len(fields) != want {
		return measuredRate{}, fmt.Errorf("%d columns, not %d", len(fields), want)
	}
	r := measuredRate{onGPU: fields[0] == "gpu", scheme: fields[1] + "/" + fields[2], alphabet: Alphabet(fields[3]), substitutions: fields[4] == "substitutions"}
	for i, to := range []*float64{&r.letters, &r.length, &r.k, &r.many, &r.rate} {
		v, err := strconv.ParseFloat(fields[5+i], 64)
		if err != nil {
			return measuredRate{}, err
		}
		*to = v
	}
	return r, nil
}

// rate is the number of letters that a scheme searches in a second for one needle, when as many are sought at a time as there
// are patterns: what was measured for the nearest k, and of that for the nearest m, n and number of patterns. It is 0 for a
// scheme that was not measured.
func (s *Scheme) rate(n *needle, letters int64, patterns int, onGPU bool) float64 {
	rates, err := measuredRates()
	if err != nil {
		return 0
	}
	best, least := 0.0, math.Inf(1)
	for _, r := range rates[rateKey{onGPU, s.FullName(), n.alphabet, n.substitutions && n.k > 0}] {
		far := 100*math.Abs(r.k-float64(n.k)) + apart(r.length, n.length()) + apart(r.letters, int(letters)) + apart(r.many, patterns)
		if far < least {
			// Where k is larger than any that was measured, work is taken to grow as the levels do.
			best, least = r.rate*min(1, (r.k+1)/float64(n.k+1)), far
		}
	}
	return s.onGenomes(best, n, onGPU)
}

// shortFilter is the number of letters of a filter below which genomes are not like the random text that rates are measured on: their
// repeats let many more places pass. On the human mosaic 1,000 guides with 3 edits, in pieces of five letters, took planes/pieces on a GPU 13
// times as long as the table says, and wu-manber/packed as long as it says.
const shortFilter = 7

// shortFilterCost is what a rate is divided by then.
const shortFilterCost = 10

// onGenomes corrects a rate that was measured on random text.
func (s *Scheme) onGenomes(rate float64, n *needle, onGPU bool) float64 {
	if !onGPU || s.Method != planesMethod.Name || n.k == 0 || n.substitutions {
		return rate
	}
	if n.length()/(n.k+1) < shortFilter {
		return rate / shortFilterCost
	}
	return rate
}

// apart is by how many times two numbers differ, as a logarithm.
func apart(a float64, b int) float64 { return math.Abs(math.Log2(a / float64(max(b, 1)))) }

// fastest returns the scheme that auto takes for a needle of so many patterns.
func fastest(n *needle, letters int64, patterns int, onGPU bool) (*Scheme, error) {
	var best *Scheme
	bestRate := 0.0
	for _, m := range methods {
		for _, s := range m.Schemes {
			if s.refusal(n, onGPU) != nil {
				continue
			}
			if rate := s.rate(n, letters, patterns, onGPU); best == nil || rate > bestRate {
				best, bestRate = s, rate
			}
		}
	}
	if best == nil {
		where := "the CPU"
		if onGPU {
			where = "a GPU"
		}
		return nil, fmt.Errorf("no method searches for %d letters with a distance of %d on %s", n.length(), n.k, where)
	}
	return best, nil
}

package search

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// The fastest scheme depends on the device, on the counted edits, on k, m and n, and on how many
// patterns there are. It is looked up in rates that `scanmap bench search` measured:
// tools/scripts/search-rates.sh measures, and tools/searchrates writes rates.tsv.
//
//go:embed rates.tsv
var ratesTable string

// A Rate is a line of rates.tsv: how many letters a scheme searches in a second. Each letter of the
// text counts once for each pattern. On the CPU it is the rate of one thread.
type Rate struct {
	OnGPU         bool
	Scheme        string // such as shift-or/scan
	Alphabet      Alphabet
	Substitutions bool // alone
	Letters       int  // of the text
	Length        int  // of a pattern
	K             int
	Patterns      int
	Value         float64 // letters a second
}

// RateColumns is the first line of rates.tsv.
const RateColumns = "device\tmethod\tscheme\talphabet\tcounted\tletters\tlength\tk\tpatterns\trate"

// ParseRates reads a table as rates.tsv has it.
func ParseRates(table string) ([]Rate, error) {
	header, rest, _ := strings.Cut(table, "\n")
	if header != RateColumns {
		return nil, fmt.Errorf("line 1: the columns are %q, not %q", header, RateColumns)
	}
	var rates []Rate
	for i, line := range strings.Split(strings.TrimSuffix(rest, "\n"), "\n") {
		r, err := parseRate(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
		rates = append(rates, r)
	}
	return rates, nil
}

func parseRate(line string) (r Rate, err error) {
	fields := strings.Split(line, "\t")
	if want := strings.Count(RateColumns, "\t") + 1; len(fields) != want {
		return Rate{}, fmt.Errorf("%d columns, not %d", len(fields), want)
	}
	r = Rate{OnGPU: fields[0] == "gpu", Scheme: fields[1] + "/" + fields[2], Alphabet: Alphabet(fields[3]),
		Substitutions: fields[4] == "substitutions"}
	for i, to := range []*int{&r.Letters, &r.Length, &r.K, &r.Patterns} {
		if *to, err = strconv.Atoi(fields[5+i]); err != nil {
			return Rate{}, err
		}
	}
	r.Value, err = strconv.ParseFloat(fields[9], 64)
	return r, err
}

// String returns the line of the table.
func (r Rate) String() string {
	where, counted := "cpu", "edits"
	if r.OnGPU {
		where = "gpu"
	}
	if r.Substitutions {
		counted = "substitutions"
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%g", where, strings.Replace(r.Scheme, "/", "\t", 1), r.Alphabet, counted,
		r.Letters, r.Length, r.K, r.Patterns, r.Value)
}

// rateKey is what a measured rate and a task have to have in common for the rate to say anything.
type rateKey struct {
	onGPU         bool
	scheme        string
	alphabet      Alphabet
	substitutions bool
}

// measuredRates are the lines of rates.tsv by their keys. A line that cannot be read is an error of
// its author, which a test finds.
var measuredRates = sync.OnceValues(func() (map[rateKey][]Rate, error) {
	list, err := ParseRates(ratesTable)
	if err != nil {
		return nil, fmt.Errorf("rates.tsv: %w", err)
	}
	rates := map[rateKey][]Rate{}
	for _, r := range list {
		key := rateKey{r.OnGPU, r.Scheme, r.Alphabet, r.Substitutions}
		rates[key] = append(rates[key], r)
	}
	return rates, nil
})

// A Task is a search as far as the choice of a scheme depends on it.
type Task struct {
	needle   *needle
	letters  int64 // of the text
	patterns int
	onGPU    bool
}

// NewTask returns the search for one pattern of several, in a text of letters of an alphabet, with
// at most k edits or substitutions.
func NewTask(p *Pattern, alphabet Alphabet, k int, substitutions bool, letters int64, patterns int, onGPU bool) Task {
	return Task{newNeedle(p, alphabet, k, substitutions), letters, patterns, onGPU}
}

// Refusal says why a scheme cannot do it, nil if it can.
func (t Task) Refusal(s *Scheme) error { return s.refusal(t.needle, t.onGPU) }

// Eligible tells whether auto weighs a scheme for the task: the scheme can do the task and, if it
// looks needles up in a table on a GPU, there is a measured rate. A table has several patterns,
// since other schemes need none for one. And it has the needle: with k of more than tableDistance a
// needle has lettersForWords letters or more for each of k + 1 edits. Other schemes search for
// needles that a table leaves out, and their rates count.
func (t Task) Eligible(s *Scheme) bool {
	if t.Refusal(s) != nil {
		return false
	}
	if !t.onGPU || !s.gpu.table {
		return true
	}
	n := t.needle
	return t.patterns > 1 && (n.k <= tableDistance || n.length() >= lettersForWords*(n.k+1) || n.exactRun() >= exactWord)
}

// tableDistance is the largest k for which tables on a GPU were measured in genomes, too.
const tableDistance = 4

// Rate is the number of letters that a scheme searches in a second for one needle, when all
// patterns are sought at a time: the rate that was measured for the nearest k, and among these for
// the nearest m, n and number of patterns. The rates are the scheme's, on the task's device, for
// its alphabet and its kind of edits; nearest is the rate that was taken. Without rates it is 0.
func (t Task) Rate(s *Scheme, rates []Rate) (rate float64, nearest Rate) {
	n := t.needle
	k := n.k
	if s.Method == neighboursMethod.Name && n.exactRun() >= exactWord {
		k = 0 // one word that has to match is looked up, as if there were no edits
	}
	least := math.Inf(1)
	for _, r := range rates {
		far := 100 * math.Abs(float64(r.K-k))
		if far >= least {
			continue // no logarithm makes it nearer
		}
		far += apart(r.Length, n.length()) + apart(r.Letters, int(t.letters)) + apart(r.Patterns, t.patterns)
		if far < least {
			// Where k is larger than any that was measured, work is taken to grow as the levels do.
			rate, nearest, least = r.Value*min(1, float64(r.K+1)/float64(k+1)), r, far
		}
	}
	return s.onGenomes(rate, n, t.onGPU), nearest
}

// exactWord is a number of letters in a row that have to match. With as many, verification does not
// count: 1 of 4^10 places has them.
const exactWord = 10

// exactRun is the most letters in a row that have to match.
func (n *needle) exactRun() int {
	longest, run := 0, 0
	for _, exact := range n.exact {
		if run++; !exact {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

// apart is by how many times two numbers differ, as a logarithm.
func apart(a, b int) float64 { return math.Abs(math.Log2(float64(a) / float64(max(b, 1)))) }

// rate is what Task.Rate says by rates.tsv.
func (s *Scheme) rate(n *needle, letters int64, patterns int, onGPU bool) float64 {
	rates, err := measuredRates()
	if err != nil {
		return 0
	}
	key := rateKey{onGPU, s.FullName(), n.alphabet, n.substitutions && n.k > 0}
	rate, _ := Task{n, letters, patterns, onGPU}.Rate(s, rates[key])
	return rate
}

// shortFilter is the number of letters of a filter below which genomes are not like the random text
// that rates are measured on: their repeats let many more places pass. On the human mosaic 1,000
// guides with 3 edits, in pieces of five letters, took planes/pieces on a GPU 13 times as long as
// the table says, and wu-manber/packed as long as it says.
const shortFilter = 7

// shortFilterCost then divides a rate.
const shortFilterCost = 10

// lettersForWords is the number of letters for each of k + 1 edits below which the pieces of
// neighbours/table have tolerances of 2 and more. Then it has many words, and words of repeats are
// among them. For 312 guides of 23 bases with 4 edits random text says that it is 1.1 times as fast
// as planes/tiles. In yeast it took 1.4 times as long.
const lettersForWords = 5

// repeatedWordsCost then divides its rate.
const repeatedWordsCost = 1.4

// tableMakingCost divides the rate of neighbours/table on a GPU. The rates leave out that the CPU
// makes the table while the GPU waits, so auto takes it where it is twice as fast. For 1,000 guides
// of 20 bases with NGG and 4 edits in 3.1 Gb like the human genome random text says it is 6.8 times
// as fast as wu-manber/packed. Whole runs were 2.45 times as fast, as the corrected rate says,
// after repeatedWordsCost. With 4 substitutions the rates say 20 times, the corrected rate 10
// times, and whole runs were 6.0 times as fast, loading included.
const tableMakingCost = 2

// onGenomes corrects a rate that was measured on random text.
func (s *Scheme) onGenomes(rate float64, n *needle, onGPU bool) float64 {
	if s.Method == neighboursMethod.Name {
		if onGPU {
			rate /= tableMakingCost
		}
		if n.k > 0 && !n.substitutions && n.length() < lettersForWords*(n.k+1) && n.exactRun() < exactWord {
			rate /= repeatedWordsCost
		}
		return rate
	}
	if !onGPU || s.Method != planesMethod.Name || n.k == 0 || n.substitutions {
		return rate
	}
	if n.length()/(n.k+1) < shortFilter {
		return rate / shortFilterCost
	}
	return rate
}

// fastestOf returns the scheme that auto takes of a named method: the fastest scheme that can do
// the task, with a table or without. If none can, the error has each reason, with one scheme.
func (t Task) fastestOf(method string) (*Scheme, error) {
	if _, err := FindScheme(method, Auto); err != nil {
		return nil, err
	}
	var best *Scheme
	bestRate := 0.0
	var reasons, refusals []string
	for _, m := range methods {
		if m.Name != method {
			continue
		}
		for _, s := range m.Schemes {
			if err := t.Refusal(s); err != nil {
				reason := strings.TrimPrefix(err.Error(), s.FullName())
				if !slices.Contains(reasons, reason) {
					reasons, refusals = append(reasons, reason), append(refusals, err.Error())
				}
			} else if rate := s.rate(t.needle, t.letters, t.patterns, t.onGPU); best == nil || rate > bestRate {
				best, bestRate = s, rate
			}
		}
	}
	if best == nil {
		return nil, errors.New(strings.Join(refusals, "; "))
	}
	return best, nil
}

// anyScheme wants all schemes.
func anyScheme(*Scheme) bool { return true }

// fastest returns the scheme that auto takes for a needle, one of `patterns`, among the wanted
// schemes.
func fastest(n *needle, letters int64, patterns int, onGPU bool, wanted func(*Scheme) bool) (*Scheme, error) {
	var best *Scheme
	bestRate := 0.0
	task := Task{n, letters, patterns, onGPU}
	for _, m := range methods {
		for _, s := range m.Schemes {
			if !wanted(s) || !task.Eligible(s) {
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

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"scanmap/search"
)

// The bounds of what the table may lose. A table is as good as another if auto chooses by both, for
// every task here, the same scheme or another that is nearly as fast, and if the rates by which a
// GPU is weighed against the CPU are near enough.
const (
	// choiceLoss is by how much of its rate a scheme may be slower than the fastest.
	choiceLoss = 0.03
	// chosenFactor bounds the error of the rate of the scheme that auto chooses, namedFactor the
	// error of schemes that only a user chooses, by name.
	chosenFactor = 1.5
	namedFactor  = 4.0
)

// The grid of tasks, beside the measured ones.
var (
	gridLengths = []int{2, 3, 4, 6, 8, 10, 11, 12, 14, 16, 18, 20, 22, 24, 28, 31, 32, 33, 40, 48, 63, 64, 65,
		96, 128, 200, 512, 1024, search.MaxLength}
	gridDistances = []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 16, 31, 32, search.MaxDistance}
	gridLetters   = []int{1e4, 1e6, 3e6, 1e7, 3e7, 1e8, 3e8, 3e9}
	gridPatterns  = []int{1, 2, 4, 7, 10, 16, 30, 60, 100, 300, 1000, 10000}
	// On a GPU only a table, which is of DNA, has several patterns: these numbers of patterns and
	// letters.
	tablePatterns = []int{4, 60, 25000}
	tableLetters  = []int{1e6, 3e7, 3e9}
)

// A group is what the rates of one scheme on one kind of device are for.
type group struct {
	onGPU         bool
	scheme        string
	alphabet      search.Alphabet
	substitutions bool
}

func groupOf(r search.Rate) group { return group{r.OnGPU, r.Scheme, r.Alphabet, r.Substitutions} }

// A kind is a task without its pattern.
type kind struct {
	onGPU         bool
	alphabet      search.Alphabet
	substitutions bool
	letters       int // of the text
	length, k     int
	patterns      int
	sets          bool // a letter of the pattern stands for every base, which some schemes refuse
}

func kindOf(r search.Rate) kind {
	return kind{r.OnGPU, r.Alphabet, r.Substitutions, r.Letters, r.Length, r.K, r.Patterns, false}
}

// kinds are the tasks that were measured, and the grid for each device that was.
func kinds(rates []search.Rate) []kind {
	var all []kind
	seen := map[kind]bool{}
	add := func(k kind) {
		if k.k >= k.length || seen[k] || k.k == 0 && k.substitutions {
			return
		}
		seen[k] = true
		all = append(all, k)
		if k.alphabet == search.DNA && k.k+1 < k.length {
			k.sets = true
			all = append(all, k)
		}
	}
	measured := map[bool]bool{}
	for _, r := range rates {
		add(kindOf(r))
		measured[r.OnGPU] = true
	}
	for _, onGPU := range []bool{false, true} {
		if !measured[onGPU] {
			continue
		}
		for _, alphabet := range []search.Alphabet{search.DNA, search.Bytes} {
			for _, substitutions := range []bool{false, true} {
				for _, k := range gridDistances {
					for _, length := range gridLengths {
						// The rates of a GPU were measured for several lengths of the text, the
						// rates of the CPU for one.
						if onGPU {
							for _, letters := range gridLetters {
								add(kind{onGPU, alphabet, substitutions, letters, length, k, 1, false})
							}
							if alphabet != search.DNA {
								continue
							}
							for _, letters := range tableLetters {
								for _, patterns := range tablePatterns {
									add(kind{onGPU, alphabet, substitutions, letters, length, k, patterns, false})
								}
							}
							continue
						}
						for _, patterns := range gridPatterns {
							add(kind{onGPU, alphabet, substitutions, 1e8, length, k, patterns, false})
						}
					}
				}
			}
		}
	}
	return all
}

// task has a pattern without a period.
func (k kind) task() (search.Task, error) {
	random := rand.New(rand.NewPCG(1, uint64(k.length)))
	letters := make([]byte, k.length)
	for i := range letters {
		letters[i] = "ACGT"[random.IntN(4)]
	}
	if k.sets {
		letters[k.length/2] = 'N'
	}
	p, err := search.NewPattern("", letters, k.alphabet)
	if err != nil {
		return search.Task{}, err
	}
	return search.NewTask(&p, k.alphabet, k.k, k.substitutions, int64(k.letters), k.patterns, k.onGPU), nil
}

// A choice is a task with the schemes that can do it.
type choice struct {
	kind  kind
	task  search.Task
	takes []*taker
	best  float64 // the largest rate of all by the whole table
}

// A taker is a scheme that can do a task.
type taker struct {
	choice *choice
	scheme *search.Scheme
	full   float64     // its rate by the whole table
	rate   float64     // its rate by the lines that are left
	line   search.Rate // the line that gives this rate
}

// weigh works out the rate of a taker by lines of its scheme.
func (t *taker) weigh(rates []search.Rate) { t.rate, t.line = t.choice.task.Rate(t.scheme, rates) }

// lines are the lines that are left of a group, and the takers whose rates they tell.
type lines struct {
	rates  []search.Rate
	takers []*taker
}

// A table is the groups in the order of their first lines, and what auto chooses by them.
type table struct {
	groups  []*lines
	choices []*choice
}

// newTable finds the schemes that can do each task, and their rates.
func newTable(rates []search.Rate) (*table, error) {
	t := &table{}
	groups := map[group]*lines{}
	for _, r := range rates {
		g := groupOf(r)
		if groups[g] == nil {
			groups[g] = &lines{}
			t.groups = append(t.groups, groups[g])
		}
		groups[g].rates = append(groups[g].rates, r)
	}
	for _, k := range kinds(rates) {
		task, err := k.task()
		if err != nil {
			return nil, err
		}
		c := &choice{kind: k, task: task}
		for _, m := range search.Methods() {
			for _, s := range m.Schemes {
				if !task.Eligible(s) {
					continue
				}
				g := groups[group{k.onGPU, s.FullName(), k.alphabet, k.substitutions}]
				if g == nil {
					return nil, fmt.Errorf("%s has no rates (GPU %t, %s, substitutions %t)", s.FullName(), k.onGPU, k.alphabet, k.substitutions)
				}
				one := &taker{choice: c, scheme: s}
				one.weigh(g.rates)
				one.full = one.rate
				c.best = max(c.best, one.full)
				c.takes = append(c.takes, one)
				g.takers = append(g.takers, one)
			}
		}
		if len(c.takes) > 0 {
			t.choices = append(t.choices, c)
		}
	}
	return t, nil
}

// chosen returns the scheme that auto chooses: the first of the fastest.
func (c *choice) chosen() *taker {
	best := c.takes[0]
	for _, t := range c.takes[1:] {
		if t.rate > best.rate {
			best = t
		}
	}
	return best
}

// good tells whether the rest of the table is good enough for a task.
func (c *choice) good() bool {
	chosen := c.chosen()
	return chosen.full >= (1-choiceLoss)*c.best && near(chosen.rate, chosen.full, chosenFactor)
}

// near tells whether two rates differ by no more than a factor.
func near(a, b, factor float64) bool { return a <= factor*b && b <= factor*a }

// replace puts other lines, with one line changed or gone, in a group's place, unless the table
// would become worse than it may be.
func (g *lines) replace(gone search.Rate, rates []search.Rate) bool {
	var touched, before []*taker
	good := true
	for _, t := range g.takers {
		if t.line != gone {
			continue
		}
		old := *t
		touched, before = append(touched, t), append(before, &old)
		t.weigh(rates)
		if good = near(t.rate, t.full, namedFactor) && t.choice.good(); !good {
			break
		}
	}
	if !good {
		for i, t := range touched {
			*t = *before[i]
		}
		return false
	}
	g.rates = rates
	return true
}

// dropOne removes one line, if any can be spared: the line that the fewest tasks need.
func (g *lines) dropOne() bool {
	tasks := map[search.Rate]int{}
	for _, t := range g.takers {
		tasks[t.line]++
	}
	order := slices.Clone(g.rates)
	slices.SortStableFunc(order, func(a, b search.Rate) int { return tasks[a] - tasks[b] })
	return slices.ContainsFunc(order, func(r search.Rate) bool {
		i := slices.Index(g.rates, r)
		return g.replace(r, slices.Delete(slices.Clone(g.rates), i, i+1))
	})
}

// round leaves two digits of the rates that can do without the third.
func (g *lines) round() {
	for i, r := range g.rates {
		rates := slices.Clone(g.rates)
		if v, err := strconv.ParseFloat(fmt.Sprintf("%.1e", r.Value), 64); err == nil {
			rates[i].Value = v
		}
		g.replace(r, rates)
	}
}

// reduce returns the lines that decide.
func reduce(rates []search.Rate) ([]search.Rate, error) {
	t, err := newTable(rates)
	if err != nil {
		return nil, err
	}
	for _, g := range t.groups {
		for g.dropOne() {
		}
	}
	var left []search.Rate
	for _, g := range t.groups {
		g.round()
		left = append(left, g.rates...)
	}
	return left, nil
}

package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"scanmap/search"
)

// expectedColumns are the columns of choices.tsv: schemes are the schemes that auto may choose, all
// within choiceLoss of the fastest; lengths are the lengths of patterns with these schemes.
const expectedColumns = "device\talphabet\tcounted\tletters\tk\tpatterns\tschemes\tlengths"

// shownLengths, shownLetters and shownPatterns are the part of the grid that choices.tsv shows,
// beside all that was measured. TestReduce goes through all of the grid.
var (
	shownLengths  = []int{4, 10, 14, 40, 96, 200, 1024}
	shownLetters  = []int{1e8}
	shownPatterns = []int{1, 30}
)

// expectedChoices says what auto may choose by the whole table.
func expectedChoices(rates []search.Rate) (string, error) {
	t, err := newTable(rates)
	if err != nil {
		return "", err
	}
	measured := map[kind]bool{}
	for _, r := range rates {
		measured[kindOf(r)] = true
	}
	var order []string
	lengths := map[string][]string{}
	for _, c := range t.choices {
		k := c.kind
		if !measured[k] && (k.sets || !slices.Contains(shownLengths, k.length) || !slices.Contains(shownLetters, k.letters) ||
			!slices.Contains(shownPatterns, k.patterns)) {
			continue
		}
		var schemes []string
		for _, one := range c.takes {
			if one.full >= (1-choiceLoss)*c.best {
				schemes = append(schemes, one.scheme.FullName())
			}
		}
		where, counted := "cpu", "edits"
		if k.onGPU {
			where = "gpu"
		}
		if k.substitutions {
			counted = "substitutions"
		}
		line := fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%d\t%s", where, k.alphabet, counted, k.letters, k.k, k.patterns, strings.Join(schemes, ","))
		if lengths[line] == nil {
			order = append(order, line)
		}
		lengths[line] = append(lengths[line], strconv.Itoa(k.length))
	}
	slices.Sort(order)
	var b strings.Builder
	b.WriteString(expectedColumns + "\n")
	for _, line := range order {
		fmt.Fprintf(&b, "%s\t%s\n", line, strings.Join(lengths[line], ","))
	}
	return b.String(), nil
}

package report

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"scanmap/mapper/depth"
)

// Abundances are the abundances of contigs or genomes.
type Abundances struct {
	Genomes bool
	All     []depth.Abundance
}

// abundanceSection is the abundance on the page: a chart of the most abundant ones, and a table.
type abundanceSection struct {
	Summary string
	Bars    barChart
	Table   *table
}

// maxBarLabel is the number of letters of a name beside a bar, and longer ones lose their middle:
// accessions differ at the end.
const maxBarLabel = 16

func barLabel(name string) string {
	name = shown(name)
	letters := []rune(name)
	if utf8.RuneCountInString(name) <= maxBarLabel {
		return name
	}
	const front = maxBarLabel / 2
	return string(letters[:front]) + "…" + string(letters[len(letters)-(maxBarLabel-front-1):])
}

// newAbundanceSection has the most abundant first, and equally abundant ones in their order.
func newAbundanceSection(a *Abundances) *abundanceSection {
	if a == nil || len(a.All) == 0 {
		return nil
	}
	one := "contig"
	if a.Genomes {
		one = "genome"
	}
	order, found, counted, on := make([]int, len(a.All)), 0, int64(0), 0.0
	for i := range order {
		order[i] = i
		if x := &a.All[i]; x.Covered > 0 {
			found++
		}
		counted += a.All[i].Reads
		on += a.All[i].Relative
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(a.All[j].Relative, a.All[i].Relative) })
	s := &abundanceSection{}
	s.Summary = fmt.Sprintf("%s of %s with depth. Relative abundance is the share in the sum of all mean depths, "+
		"of the %s of all reads (%s) that have their primary location on a %s.",
		grouped(int64(found)), plural(int64(len(order)), one), share(on), plural(counted, "read"), one)

	var bars []bar
	rest, restReads := 0.0, int64(0)
	for n, i := range order {
		x := &a.All[i]
		if n < maxPlots || len(order) == maxPlots+1 {
			bars = append(bars, bar{Label: barLabel(x.Name), Name: shown(x.Name), Share: share(x.Relative), Value: grouped(x.Reads), size: x.Relative})
			continue
		}
		rest += x.Relative
		restReads += x.Reads
	}
	if left := len(order) - len(bars); left > 0 {
		bars = append(bars, bar{Label: grouped(int64(left)) + " others", Share: share(rest), Value: grouped(restReads), size: rest})
	}
	s.Bars = newBarChart("relative", "Relative abundance", one+", reads, relative abundance", bars)

	s.Table = &table{Title: "Abundance", Header: columns(one, "contigs#", "bases#", "reads#", "weighted reads#", "covered#", "mean depth#", "RPKM#", "TPM#", "relative abundance#"),
		Left: left(len(order)-maxRows, one, "not more abundant than these")}
	if !a.Genomes {
		s.Table.Header = slices.Delete(s.Table.Header, 1, 2)
	}
	for _, i := range order[:min(maxRows, len(order))] {
		x := &a.All[i]
		texts := []string{x.Name, grouped(int64(x.Contigs)), grouped(int64(x.Length)), grouped(x.Reads), decimals(x.Weighted), percent(x.Covered, int64(x.Length)),
			depthText(x.Mean), decimals(x.RPKM), decimals(x.TPM), share(x.Relative)}
		if !a.Genomes {
			texts = slices.Delete(texts, 1, 2)
		}
		s.Table.row(0, texts...)
	}
	return s
}

// share writes a part of 1 as percent does.
func share(part float64) string { return fmt.Sprintf("%.2f %%", 100*part) }

// decimals writes a number with one decimal, and commas.
func decimals(x float64) string {
	tenths := int64(x*10 + 0.5)
	return fmt.Sprintf("%s.%d", grouped(tenths/10), tenths%10)
}

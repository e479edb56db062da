package report

import (
	"cmp"
	"fmt"
	"slices"

	"scanmap/mapper"
)

// table is a table of the page. Left tells of rows that were left out.
type table struct {
	Title  string
	Header []cell
	Rows   [][]cell
	Left   string
}

// cell is a cell of a table; Head is the name of its row, with an Indent of 0 to 2.
type cell struct {
	Text         string
	Head, Number bool
	Indent       int
}

// columns makes the header of a table: names with numbers below them end in #, which is cut.
func columns(names ...string) []cell {
	out := make([]cell, len(names))
	for i, name := range names {
		out[i].Text = name
		if n := len(name) - 1; n >= 0 && name[n] == '#' {
			out[i] = cell{Text: name[:n], Number: true}
		}
	}
	return out
}

// Long tells that the table scrolls in a box of its own.
func (t *table) Long() bool { return len(t.Rows) > longTable }

// longTable is the most rows of a table without a box of its own.
const longTable = 30

// row adds a row that is aligned as the header is.
func (t *table) row(indent int, texts ...string) {
	row := make([]cell, len(texts))
	for i, text := range texts {
		row[i] = cell{Text: shown(text), Number: t.Header[i].Number}
	}
	row[0].Head, row[0].Indent = true, indent
	t.Rows = append(t.Rows, row)
}

// counters adds a row for each counter.
func (t *table) counters(all []counter) {
	for _, c := range all {
		t.row(c.indent, c.name, c.value, c.note)
	}
}

// left says how many there are more than were shown, "" for none. note, if there is one, tells more
// about the rows that were not shown.
func left(more int, one, note string) string {
	if more <= 0 {
		return ""
	}
	verb := "are"
	if more == 1 {
		verb = "is"
	}
	if note != "" {
		note = ", " + note + ","
	}
	return fmt.Sprintf("%s more %s%s %s left out.", grouped(int64(more)), ofNumber(int64(more), one), note, verb)
}

func pairTable(s *mapper.Stats) *table {
	all := allPairs(s)
	if all == nil {
		return nil
	}
	t := &table{Title: "Pairs", Header: columns("class", "pairs#", "of all#")}
	t.counters(pairCounters(all))
	return t
}

// libraryTable returns nil if there is one library: the other numbers are its own.
func libraryTable(s *mapper.Stats, names []string) *table {
	if len(s.Libraries) < 2 {
		return nil
	}
	t := &table{
		Title: "Libraries",
		Header: columns("library", "reads#", "mapped#", "unique#", "pairs#", "proper#", "median insert#", "spread#",
			"proper insert", "read group", "reads file", "mates file"),
		Left: left(len(s.Libraries)-maxRows, "library", ""),
	}
	for i := range s.Libraries[:min(maxRows, len(s.Libraries))] {
		l := &s.Libraries[i]
		texts := []string{names[i], grouped(l.Reads), percent(l.Mapped, l.Reads), percent(l.Unique, l.Reads), "", "", "", "", ""}
		if p := l.Pairs; p != nil {
			texts[4], texts[5] = grouped(p.Pairs), percent(p.Proper, p.Pairs)
			if m, known := median(&p.Insert); known {
				texts[6], texts[7] = grouped(int64(m)), fmt.Sprintf("%.1f", spread(&p.Insert))
			}
			texts[8] = insertRange(&p.Insert)
		}
		t.row(0, append(texts, l.ReadGroup, l.ReadsFile, l.MatesFile)...)
	}
	return t
}

func allTable(s *mapper.Stats) *table {
	t := &table{Title: "All statistics", Header: columns("what", "number#", "")}
	t.counters(slices.Concat(readCounters(s), mappingCounters(s), duplicateCounters(s.Duplicates), askedCounters(s), workCounters(s)))
	return t
}

func stageTable(s *mapper.Stats) *table {
	if len(s.Stages) == 0 {
		return nil
	}
	t := &table{Title: "Times of the stages", Header: columns("stage", "seconds#", "", "items#", "", "items/s#")}
	for _, x := range s.Stages {
		of, rate := "", ""
		if x.Summed {
			of = "of all threads"
		}
		if x.Time > 0 {
			rate = scaled(perSecond(x.Items, x.Time))
		}
		t.row(0, x.Name, seconds(x.Time), of, grouped(x.Items), x.Unit, rate)
	}
	return t
}

func kernelTable(s *mapper.Stats) *table {
	if len(s.Kernels) == 0 {
		return nil
	}
	kernels := slices.Clone(s.Kernels)
	slices.SortStableFunc(kernels, func(a, b mapper.KernelTime) int { return cmp.Compare(b.Time, a.Time) })
	t := &table{Title: "Kernels", Header: columns("kernel", "seconds#", "launches#")}
	for _, k := range kernels {
		t.row(0, k.Name, fmt.Sprintf("%.6f", k.Time.Seconds()), grouped(k.Launches))
	}
	return t
}

package report

import (
	"bytes"
	"fmt"

	"scanmap/mapper"
)

// pairRow is a class of pairs, indented below the class that it is part of.
type pairRow struct {
	name   string
	indent int
	pairs  int64
}

// pairRows lists the classes of pairs; Bounded is left out when there are none.
func pairRows(p *mapper.PairStats) []pairRow {
	rows := []pairRow{
		{"pairs", 0, p.Pairs},
		{"proper", 1, p.Proper},
		{"discordant", 1, p.Discordant},
		{"on other contigs", 2, p.OtherContig},
		{"in another orientation", 2, p.OtherOrientation},
		{"too near", 2, p.TooNear},
		{"too far", 2, p.TooFar},
		{"one-end anchored", 1, p.OneEndAnchored},
		{"unmapped", 1, p.Unmapped},
	}
	if p.Bounded > 0 {
		rows = append(rows, pairRow{"not all combinations weighed", 1, p.Bounded})
	}
	return rows
}

func pairPart(b *bytes.Buffer, s *mapper.Stats) {
	all := allPairs(s)
	if all == nil {
		return
	}
	var rows [][]string
	for _, r := range pairRows(all) {
		row := []string{fmt.Sprintf("%*s%s", 2*r.indent, "", r.name), grouped(r.pairs), percent(r.pairs, all.Pairs)}
		if r.indent == 0 {
			row = row[:2]
		}
		rows = append(rows, row)
	}
	section(b, "lrr", append(rows, []string{"rescued mates", grouped(all.Rescued)}))
	if len(s.Libraries) == 1 {
		insertPart(b, &s.Libraries[0].Pairs.Insert)
	}
}

func insertPart(b *bytes.Buffer, i *mapper.InsertStats) {
	row := []string{"insert size"}
	if m, known := median(i); known {
		row = append(row, "median "+grouped(int64(m)), fmt.Sprintf("spread %.1f", spread(i)))
	}
	row = append(row, fmt.Sprintf("proper %s (%s)", insertRange(i), insertSource(i)))
	section(b, "llll"[:len(row)], [][]string{row})
}

// libraryPart has a line for each library, if there are several.
func libraryPart(b *bytes.Buffer, s *mapper.Stats) {
	if len(s.Libraries) < 2 {
		return
	}
	header, columns := []string{"library", "reads", "mapped", "unique"}, "lrrr"
	paired := allPairs(s) != nil
	if paired {
		header, columns = append(header, "pairs", "proper", "insert", "spread", "proper insert"), columns+"rrrrl"
	}
	rows := [][]string{header}
	names := libraryNames(s, "reads")
	for i := range s.Libraries {
		l := &s.Libraries[i]
		row := []string{"  " + printable(names[i]), grouped(l.Reads), percent(l.Mapped, l.Reads), percent(l.Unique, l.Reads)}
		if p := l.Pairs; p != nil {
			row = append(row, grouped(p.Pairs), percent(p.Proper, p.Pairs))
			if m, known := median(&p.Insert); known {
				row = append(row, grouped(int64(m)), fmt.Sprintf("%.1f", spread(&p.Insert)))
			} else {
				row = append(row, "", "")
			}
			row = append(row, insertRange(&p.Insert))
		}
		rows = append(rows, row)
	}
	section(b, columns, rows)
}

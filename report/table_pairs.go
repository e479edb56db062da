package report

import (
	"bytes"
	"fmt"

	"scanmap/mapper"
)

func pairPart(b *bytes.Buffer, s *mapper.Stats) {
	all := allPairs(s)
	if all == nil {
		return
	}
	counters(b, "lrr", pairCounters(all))
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
		row := []string{"  " + shown(names[i]), grouped(l.Reads), percent(l.Mapped, l.Reads), percent(l.Unique, l.Reads)}
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

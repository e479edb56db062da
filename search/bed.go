package search

import (
	"context"
	"strconv"
)

// bedFormat writes BED of six columns or more.
type bedFormat struct{ distance int }

func (f *bedFormat) add(_ context.Context, r *Rows, l *Location) error {
	b := appendBED(r.buffer, r.text.contigs[l.Contig].Name)
	b = append(b, '\t')
	b = strconv.AppendInt(b, int64(l.Start), 10)
	b = append(b, '\t')
	b = strconv.AppendInt(b, int64(l.End), 10)
	b = append(b, '\t')
	b = appendBED(b, r.patterns[l.Pattern].Name)
	b = append(b, '\t')
	b = strconv.AppendInt(b, int64(f.score(l.Distance)), 10)
	b = append(b, '\t', strandOf(l))
	r.buffer = append(r.appendMore(b, l), '\n')
	return nil
}

func (f *bedFormat) finish(context.Context, *Rows) error { return nil }

// score falls from 1000 in equal steps, such that one for k + 1 would be 0.
func (f *bedFormat) score(distance int) int {
	return max(0, 1000*(f.distance+1-distance)/(f.distance+1))
}

// appendBED is AppendEscaped for readers that take a blank for the end of a column.
func appendBED(b []byte, text string) []byte { return AppendEscaped(b, text, " ") }

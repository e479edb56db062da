package locate

import (
	"testing"

	"scanmap/internal/truth"
)

// TestUnclip has mismatches at and near the ends of reads, beside an end of a contig too.
func TestUnclip(t *testing.T) {
	const text = "ACGTTGCATTAGCCATGACGTACGGATTACAGATTACCATGCCATTGACCA"
	ref := truth.Reference(t, text)
	for _, c := range []struct {
		name, read  string
		start       int32
		operations  []Operation
		loss        int32
		penalty     int32
		want        string
		lost, edits int32
	}{
		{"last base", text[5:34] + "C", 5, []Operation{{Diagonal, 29}, {Clip, 1}}, 1, 5, "30M", 5, 1},
		{"first base", "A" + text[6:35], 6, []Operation{{Clip, 1}, {Diagonal, 29}}, 1, 5, "30M", 5, 1},
		{"two of two", text[5:33] + "GG", 5, []Operation{{Diagonal, 28}, {Clip, 2}}, 2, 5, "28M2S", 2, 0},
		{"two of six, 10 for 6", text[5:30] + "T" + text[31:34] + "C" + text[35:36], 5, []Operation{{Diagonal, 25}, {Clip, 6}}, 6, 5, "31M", 10, 2},
		{"two of six, but less than 4", text[5:30] + "T" + text[31:34] + "C" + text[35:36], 5, []Operation{{Diagonal, 25}, {Clip, 6}}, 6, 4, "25M6S", 6, 0},
		{"beyond the start", "G" + text[:29], 0, []Operation{{Clip, 1}, {Diagonal, 29}}, 1, 5, "1S29M", 1, 0},
		{"beyond the end", text[len(text)-29:] + "G", int32(len(text) - 29), []Operation{{Diagonal, 29}, {Clip, 1}}, 1, 5, "29M1S", 1, 0},
		{"a gap beside the clip", text[5:28] + text[30:37], 5, []Operation{{Diagonal, 23}, {Clip, 7}}, 7, 5, "23M2D7M", 8, 2},
		{"a gap for all of the penalty", text[5:28] + text[30:37], 5, []Operation{{Diagonal, 23}, {Clip, 7}}, 7, 1, "23M2D7M", 8, 2},
		{"both", "A" + text[6:34] + "C", 6, []Operation{{Clip, 1}, {Diagonal, 28}, {Clip, 1}}, 2, 5, "30M", 10, 2},
	} {
		a := Aligner{Reference: ref}
		r := pack(c.read, 0)
		l := Location{Place: At(0, Forward), Loss: c.loss, End: c.start}
		for _, o := range c.operations {
			if o.Kind == Diagonal {
				l.End += o.Length
			}
		}
		a.Adopt(&l, c.start, c.operations)
		a.Unclip(&r, &l, c.penalty)
		locations := []Location{l}
		a.Count(&r, locations)
		l = locations[0]
		if got := string(AppendCIGAR(nil, a.Operations(&l))); got != c.want || l.Loss != c.lost || l.Edits != c.edits {
			t.Errorf("%s: %s, loss %d, %d edits; want %s, %d, %d", c.name, got, l.Loss, l.Edits, c.want, c.lost, c.edits)
		}
	}
}

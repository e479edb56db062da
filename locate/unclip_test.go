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
		{"a gap for all of the penalty", text[5:28] + text[30:37], 5, []Operation{{Diagonal, 23}, {Clip, 7}}, 7, 1, "23M7S", 7, 0},
		{"in a repeat", text[5:26] + text[27:34], 5, []Operation{{Diagonal, 22}, {Clip, 6}}, 6, 1, "21M1D7M", 7, 1},
		{"an insertion for all of it", text[5:30] + "G" + text[30:32], 5, []Operation{{Diagonal, 25}, {Clip, 3}}, 3, 5, "25M3S", 3, 0},
		{"in a repeat", text[5:28] + "T" + text[28:30], 5, []Operation{{Diagonal, 23}, {Clip, 3}}, 3, 5, "21M1I4M", 8, 1},
		{"in half of a repeat", text[5:28] + text[30:35], 5, []Operation{{Diagonal, 24}, {Clip, 4}}, 4, 4, "24M4S", 4, 0},
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

// TestUnclipAll has locations whose alignments would be the same without their clips: all but one
// keep them, also where one's clipped alignment is another's with fewer clips.
func TestUnclipAll(t *testing.T) {
	const text = "ACGTTGCATTAGCCATGACGTACGGATTACAGATTACCATGCCATTGACCA"
	ref := truth.Reference(t, text)
	for _, c := range []struct {
		penalty  int32
		clips    [][2]int32 // of the first and last bases
		want     []string
		readFrom int32
	}{
		{9, [][2]int32{{0, 2}, {1, 0}}, []string{"30M", "1S29M"}, 5},
		{9, [][2]int32{{0, 2}, {0, 0}, {1, 0}}, []string{"28M2S", "30M", "1S29M"}, 5},
		{9, [][2]int32{{1, 0}, {1, 1}, {0, 0}}, []string{"1S29M", "1S28M1S", "30M"}, 5},
		{9, [][2]int32{{6, 0}, {6, 2}, {0, 2}}, []string{"30M", "6S22M2S", "28M2S"}, 5},
		// The last base lies beyond the contig.
		{2, [][2]int32{{0, 1}, {3, 1}, {5, 1}}, []string{"29M1S", "3S26M1S", "5S24M1S"}, int32(len(text) - 29)},
	} {
		bases := append([]byte(text[c.readFrom:min(int(c.readFrom)+30, len(text))]), "G"...)[:30]
		a, r := Aligner{Reference: ref}, pack(string(bases), 0)
		var locations []Location
		for _, clip := range c.clips {
			l := Location{Place: At(0, Forward), End: c.readFrom + 30 - clip[1], Loss: clip[0] + clip[1]}
			var operations []Operation
			for _, o := range []Operation{{Clip, clip[0]}, {Diagonal, 30 - clip[0] - clip[1]}, {Clip, clip[1]}} {
				if o.Length > 0 {
					operations = append(operations, o)
				}
			}
			a.Adopt(&l, c.readFrom+clip[0], operations)
			locations = append(locations, l)
		}
		a.UnclipAll(&r, locations, c.penalty)
		for i, want := range c.want {
			if got := string(AppendCIGAR(nil, a.Operations(&locations[i]))); got != want {
				t.Errorf("%v: location %d is %s, want %s", c.clips, i, got, want)
			}
		}
	}
}

package locate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"scanmap/internal/effort"
	"scanmap/internal/truth"
)

// TestUnclip has mismatches at and near the ends of reads, beside an end of a contig too.
func TestUnclip(t *testing.T) {
	const text = "ACGTTGCATTAGCCATGACGTACGGATTACAGATTACCATGCCATTGACCAGTCCCCCCCAGTGTA"
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
		{"in a repeat of two bases", text[5:26] + text[27:34], 5, []Operation{{Diagonal, 22}, {Clip, 6}}, 6, 1, "22M6S", 6, 0},
		{"in a repeat", text[25:59] + text[60:62], 25, []Operation{{Diagonal, 34}, {Clip, 2}}, 2, 5, "28M1D8M", 7, 1},
		{"an insertion for all of it", text[5:30] + "G" + text[30:32], 5, []Operation{{Diagonal, 25}, {Clip, 3}}, 3, 5, "25M3S", 3, 0},
		{"in a repeat of two bases", text[5:28] + "T" + text[28:30], 5, []Operation{{Diagonal, 23}, {Clip, 3}}, 3, 5, "23M3S", 3, 0},
		{"an insertion in a repeat", text[25:60] + "C" + text[60:62], 25, []Operation{{Diagonal, 35}, {Clip, 3}}, 3, 5, "28M1I9M", 8, 1},
		{"in a repeat in place of mismatches", text[25:60] + "CC" + text[60:65], 25, []Operation{{Diagonal, 40}, {Clip, 2}}, 12, 2, "28M2I12M", 10, 2},
		{"in half of a repeat", text[5:28] + text[30:35], 5, []Operation{{Diagonal, 24}, {Clip, 4}}, 4, 4, "24M4S", 4, 0},
		{"an insertion at the end", text[5:35] + "GGG", 5, []Operation{{Diagonal, 30}, {Clip, 3}}, 3, 10, "30M3S", 3, 0},
		{"an insertion at the start", "CCC" + text[5:35], 5, []Operation{{Clip, 3}, {Diagonal, 30}}, 3, 10, "3S30M", 3, 0},
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
		lost, locations := l.Loss, []Location{l}
		a.Count(&r, locations)
		l = locations[0]
		if lost != l.Loss {
			t.Errorf("%s: loss %d, counted %d", c.name, lost, l.Loss)
		}
		if got := string(AppendCIGAR(nil, a.Operations(&l))); got != c.want || l.Loss != c.lost || l.Edits != c.edits {
			t.Errorf("%s: %s, loss %d, %d edits; want %s, %d, %d", c.name, got, l.Loss, l.Edits, c.want, c.lost, c.edits)
		}
	}
}

// TestCount has gaps whose cost is no more than DefaultCap, and gaps beside each other.
func TestCount(t *testing.T) {
	text := truth.Random(rand.New(rand.NewPCG(7, 8)), 200, "ACGT")
	ref := truth.Reference(t, text)
	for _, c := range []struct {
		read        string
		operations  []Operation
		lost, edits int32
	}{
		{text[10:40] + text[53:83], []Operation{{Diagonal, 30}, {Deletion, 13}, {Diagonal, 30}}, 19, 13},
		{text[10:40] + text[54:84], []Operation{{Diagonal, 30}, {Deletion, 14}, {Diagonal, 30}}, 20, 14},
		{text[10:40] + text[140:170], []Operation{{Diagonal, 30}, {Deletion, 100}, {Diagonal, 30}}, 20, 100},
		{text[10:40] + text[90:107] + text[40:70], []Operation{{Diagonal, 30}, {Insertion, 17}, {Diagonal, 30}}, 37, 17},
		{text[10:40] + text[90:92] + text[43:70], []Operation{{Diagonal, 30}, {Insertion, 2}, {Deletion, 3}, {Diagonal, 27}}, 8 + 2 + 9, 5},
		{text[90:93] + text[10:40] + text[90:91], []Operation{{Clip, 3}, {Diagonal, 30}, {Clip, 1}}, 4, 0},
		{text[10:40] + complement(text[40]) + text[41:70], []Operation{{Diagonal, 60}}, lossMismatch, 1},
	} {
		a, r := Aligner{Reference: ref}, pack(c.read, 0)
		locations := []Location{{Place: At(0, Forward), Loss: 99, Edits: 99}}
		a.Adopt(&locations[0], 10, c.operations)
		if a.Count(&r, locations); locations[0].Loss != c.lost || locations[0].Edits != c.edits {
			t.Errorf("%v: loss %d, %d edits; want %d, %d", c.operations, locations[0].Loss, locations[0].Edits, c.lost, c.edits)
		}
	}
}

// complement returns the letter that pairs with one.
func complement(letter byte) string { return "TGCA"[strings.IndexByte("ACGT", letter):][:1] }

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

// TestBestGap has reads with mismatches beside repeats, on their own diagonals: each gets the gap
// that a plain program finds, or none. Some score more with it.
func TestBestGap(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	changed, better := map[string]int{}, 0
	for range effort.Pick(20_000, 4_000) {
		bases := func(n int) string {
			b := make([]byte, n)
			for i := range b {
				b[i] = "ACGT"[rng.IntN(4)]
			}
			return string(b)
		}
		unit := bases(1 + rng.IntN(9))
		text := bases(rng.IntN(12)) + strings.Repeat(unit, 2+rng.IntN(30/len(unit))) + bases(1+rng.IntN(8)) + strings.Repeat(unit[:1+rng.IntN(len(unit))], rng.IntN(9)) + bases(rng.IntN(12))
		from := rng.IntN(max(len(text)-12, 1))
		read := []byte(text[from:min(from+8+rng.IntN(80), len(text))])
		start := from
		// A deletion of four bases, or the unit twice, with either end in its place.
		switch i, n := rng.IntN(len(read)), 4+5*rng.IntN(2); rng.IntN(5) {
		case 0:
			read = append(read[:i:i], read[min(i+n, len(read)):]...)
		case 1:
			read = append(read[:i:i], read[min(i+n, len(read)):]...)
			start += n
		case 2:
			read = append(append(read[:i:i], unit...), read[i:]...)
		case 3:
			read = append(append(read[:i:i], unit...), read[i:]...)
			start -= len(unit)
		default:
			read[i] = 'A'
		}
		if rng.IntN(2) == 0 && len(read) > 0 {
			read[rng.IntN(len(read))] = 'C'
		}
		if first := rng.IntN(4); rng.IntN(3) == 0 && first < len(read) {
			read, start = read[first:], start+first
		}
		clips := [2]int{max(-start, rng.IntN(3), 0), rng.IntN(3)}
		n := min(len(read)-clips[0]-clips[1], len(text)-start-clips[0])
		if n < 3 {
			continue
		}
		clips[1] = len(read) - clips[0] - n
		start += clips[0]
		aligned := string(read[clips[0] : clips[0]+n])
		cigar, at, loss := plainBestGap(text, aligned, start)
		loss += clips[0] + clips[1]
		own := clips[0] + clips[1]
		for i := range aligned {
			if aligned[i] != text[start+i] {
				own += lossMismatch
			}
		}
		if loss < own {
			better++
		}

		a, r := Aligner{Reference: truth.Reference(t, text)}, pack(string(read), 0)
		l := Location{Place: At(0, Forward), End: int32(start + n), Loss: int32(own)}
		var operations []Operation
		for _, o := range []Operation{{Clip, int32(clips[0])}, {Diagonal, int32(n)}, {Clip, int32(clips[1])}} {
			if o.Length > 0 {
				operations = append(operations, o)
			}
		}
		a.Adopt(&l, int32(start), operations)
		a.bestGap(r.Strand(l.Place), &a.Reference.Contigs[0], &l)
		for i, clip := range clips {
			if clip > 0 {
				cigar = []string{fmt.Sprintf("%dS%s", clip, cigar), fmt.Sprintf("%s%dS", cigar, clip)}[i]
			}
		}
		got := string(AppendCIGAR(nil, a.Operations(&l)))
		if got != cigar || int(l.Start) != at || int(l.Loss) != loss {
			t.Fatalf("%s at %d of %s, %d clipped: %s at %d, loss %d; want %s at %d, %d", read, start, text, clips, got, l.Start, l.Loss, cigar, at, loss)
		}
		span := 0
		for _, o := range a.Operations(&l) {
			if o.Kind == Diagonal || o.Kind == Deletion {
				span += int(o.Length)
			}
			changed[fmt.Sprint(o.Kind, at == start)]++
		}
		if int(l.End) != at+span {
			t.Fatalf("%s at %d of %s: %s ends at %d", read, at, text, got, l.End)
		}
	}
	if better < 100 {
		t.Errorf("%d alignments with a gap score more", better)
	}
	for _, want := range []OperationKind{Insertion, Deletion} {
		for _, same := range []bool{true, false} {
			if n := changed[fmt.Sprint(want, same)]; n < 10 {
				t.Errorf("%v, the start the same %v: %d times", want, same, n)
			}
		}
	}
}

// plainBestGap returns the alignment of a read that begins at a position of a text, with what it
// loses: with a gap, if that loses less than mismatches, or as much and lies in a repeat.
func plainBestGap(text, read string, start int) (cigar string, at, loss int) {
	lost := func(read string, at int) (n int) {
		for i := range read {
			if read[i] != text[at+i] {
				n += lossMismatch
			}
		}
		return n
	}
	n, own := len(read), lost(read, start)
	cigar, at, loss = fmt.Sprintf("%dM", n), start, own
	if own < 10 {
		return cigar, at, loss
	}
	found := false
	for g := 1; g <= WrittenRadius; g++ {
		for _, inserted := range []int{g, 0} {
			for _, from := range []int{start + 2*inserted - g, start} {
				for p := 1; p+inserted < n; p++ {
					after := from + p + g - inserted
					if from < 0 || after+n-p-inserted > len(text) {
						break
					}
					with := lossOpen + 2*g + lost(read[:p], from) + lost(read[p+inserted:], after)
					again, kind := read[p:p+inserted], 'I'
					if inserted == 0 {
						with, again, kind = with-g, text[from+p:from+p+g], 'D'
					}
					repeat := strings.HasPrefix(text[after:], (again + again + again + again)[:max(g, 4)])
					if with < loss || with == own && !found && repeat {
						cigar, at, loss, found = fmt.Sprintf("%dM%d%c%dM", p, g, kind, n-p-inserted), from, with, true
					}
				}
			}
		}
	}
	return cigar, at, loss
}

// TestBeyondGap has reads with a gap near an end, at which the bases beyond are clipped: each gets
// the alignment beyond the gap that a plain program finds, or none.
func TestBeyondGap(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	seen := map[string]int{}
	for range effort.Pick(20_000, 4_000) {
		letters := "ACGT"[:2+rng.IntN(3)]
		text := truth.Random(rng, 40+rng.IntN(220), letters)
		before, beyond, g := 8+rng.IntN(30), 1+rng.IntN(30), 1+rng.IntN(LongestGap+5)
		inserted, deleted := 0, g
		if rng.IntN(2) == 0 {
			inserted, deleted = min(g, 40), 0
		}
		from := rng.IntN(12)
		if from+before+deleted+beyond > len(text) {
			continue
		}
		read := []byte(text[from:from+before] + truth.Random(rng, inserted, letters) + text[from+before+deleted:][:beyond])
		if rng.IntN(2) == 0 {
			read[rng.IntN(len(read))] = letters[0]
		}
		first, penalty := rng.IntN(3), rng.IntN(8)
		pairs := before - rng.IntN(4)
		start, own := rng.IntN(2) == 0, 0
		if start { // the same from the other end
			slices.Reverse(read)
			b := []byte(text)
			slices.Reverse(b)
			text = string(b)
		}
		// The pairs are n bases of the read, and the clip the others, but `first` at the other end.
		at := from // of base 0, on the diagonal of the pairs
		operations := []Operation{{Clip, int32(first)}, {Diagonal, int32(pairs - first)}, {Clip, int32(len(read) - pairs)}}
		if start {
			slices.Reverse(operations)
			at = len(text) - from - len(read)
		}
		l := Location{Place: At(0, Forward)}
		q := int(operations[0].Length)
		for i := q; i < q+pairs-first; i++ {
			if read[i] != text[at+i] {
				own += lossMismatch
			}
		}
		l.Start, l.End, l.Loss = int32(at+q), int32(at+q+pairs-first), int32(own+len(read)-pairs+first)
		operations = slices.DeleteFunc(operations, func(o Operation) bool { return o.Length == 0 })
		cigar, wantAt, loss := plainBeyondGap(text, string(read), at, first, pairs, own, penalty, start)
		if loss < 0 {
			continue
		}
		if cigar == "" {
			cigar, wantAt, loss = string(AppendCIGAR(nil, operations)), int(l.Start), int(l.Loss)-first
		}
		if strings.ContainsAny(cigar, "ID") {
			seen[fmt.Sprintf("%v %v %v", start, strings.Contains(cigar, "I"), g > DefaultCap-lossOpen)]++
		}

		a, r := Aligner{Reference: truth.Reference(t, text)}, pack(string(read), 0)
		a.Adopt(&l, l.Start, operations)
		a.beyondGap(r.Strand(l.Place), &a.Reference.Contigs[0], &l, int32(penalty), start)
		got, span := string(AppendCIGAR(nil, a.Operations(&l))), 0
		for _, o := range a.Operations(&l) {
			if o.Kind == Diagonal || o.Kind == Deletion {
				span += int(o.Length)
			}
		}
		if got != cigar || int(l.Start) != wantAt || int(l.Loss) != loss+first || int(l.End) != wantAt+span {
			t.Fatalf("%s on %s, %v, penalty %d: %s from %d to %d, loss %d; want %s at %d, %d", read, text, operations, penalty, got, l.Start, l.End, l.Loss, cigar, wantAt, loss+first)
		}
	}
	for _, want := range []string{"true true true", "true true false", "true false true", "true false false",
		"false true true", "false true false", "false false true", "false false false"} {
		if seen[want] < 10 {
			t.Errorf("start, insertion, long %s: %d times", want, seen[want])
		}
	}
}

// plainBeyondGap returns the alignment of a read across a gap, where that loses less than its pairs
// and clips do, and a penalty; otherwise no CIGAR. Base 0 is at a position on the diagonal of the
// pairs. The loss leaves out the first bases, or the last ones with start, which stay clipped.
func plainBeyondGap(text, read string, at, first, pairs, own, penalty int, start bool) (cigar string, from, loss int) {
	clip, n := len(read)-pairs, len(read)-first
	if at < 0 && start || at+len(read) > len(text) && !start {
		return "", 0, 0
	}
	lost := func(i, j, at int) (n int) { // of bases [i, j), base 0 at a position
		for ; i < j; i++ {
			if read[i] != text[at+i] {
				n += lossMismatch
			}
		}
		return n
	}
	q, end := first, len(read)
	if start {
		q, end = 0, n
	}
	if loss = own + clip + penalty; lost(q, end, at) < loss {
		return "", 0, -1 // which Unclip does not leave clipped
	}
	for g := 1; g <= LongestGap; g++ {
		for _, inserted := range []int{g, 0} {
			for p := 1; p+inserted < n; p++ {
				before, after := at, at+g-2*inserted // base 0 of the bases on either side
				if start {
					before, after = at-g+2*inserted, at
				}
				if before+q < 0 || after+end > len(text) {
					continue
				}
				with := min(lossOpen+g, DefaultCap) + inserted + lost(q, q+p, before) + lost(q+p+inserted, end, after)
				if with >= loss {
					continue
				}
				kind := 'D'
				if inserted > 0 {
					kind = 'I'
				}
				cigar, from, loss = fmt.Sprintf("%dM%d%c%dM", p, g, kind, n-p-inserted), before+q, with
			}
		}
	}
	if cigar != "" && first > 0 && start {
		cigar += fmt.Sprintf("%dS", first)
	} else if cigar != "" && first > 0 {
		cigar = fmt.Sprintf("%dS", first) + cigar
	}
	return cigar, from, loss
}

// TestUnclipBetterGap has eight clipped bases: six match beside the others, and eight beyond a
// deletion in a repeat.
func TestUnclipBetterGap(t *testing.T) {
	end := strings.Repeat("AT", 8) + "CGCTGCAGTTGCATGACAGGATTACC"
	a, r := Aligner{Reference: truth.Reference(t, "TTCGCGCGCGAT"+end)}, pack("CGCGCGCG"+end, 0)
	l := Location{Place: At(0, Forward), End: int32(12 + len(end)), Loss: 8}
	a.Adopt(&l, 12, []Operation{{Clip, 8}, {Diagonal, int32(len(end))}})
	a.Unclip(&r, &l, 5)
	if got := string(AppendCIGAR(nil, a.Operations(&l))); got != "8M2D42M" || l.Start != 2 || l.Loss != 8 {
		t.Errorf("%s at %d, loss %d; want 8M2D42M at 2, 8", got, l.Start, l.Loss)
	}
}

// TestUnclipBeyondGap has 20 clipped bases beyond a long deletion, which costs 20.
func TestUnclipBeyondGap(t *testing.T) {
	const end = "CATTAGCCATGACGTACGGA"
	text := strings.Repeat("GATTACCTGTCA", 4)
	for _, c := range []struct {
		penalty, loss int32
		deleted       int
		want          string
	}{{1, 20, 60, "48M60D20M"}, {0, 20, 60, "48M20S"}, {1, 20, LongestGap, "48M100D20M"}, {5, 20, LongestGap + 1, "48M20S"}} {
		a, r := Aligner{Reference: truth.Reference(t, text+strings.Repeat("T", c.deleted)+end)}, pack(text+end, 0)
		l := Location{Place: At(0, Forward), End: 48, Loss: 20}
		a.Adopt(&l, 0, []Operation{{Diagonal, 48}, {Clip, 20}})
		locations := []Location{l}
		a.UnclipAll(&r, locations, c.penalty)
		l = locations[0]
		if got := string(AppendCIGAR(nil, a.Operations(&l))); got != c.want || l.Loss != c.loss {
			t.Errorf("penalty %d, a deletion of %d: %s, loss %d; want %s, %d", c.penalty, c.deleted, got, l.Loss, c.want, c.loss)
		}
	}
}

// TestUnclipAllWithGap has a location whose clips give way to a gap that another one has: it begins
// and ends where it did, and keeps its clips.
func TestUnclipAllWithGap(t *testing.T) {
	const tail = "CATTAGCCATGACGTACGGATTACC"
	a, r := Aligner{Reference: truth.Reference(t, "TTGCACAGAGTGTGTGTGT"+tail)}, pack("GAGTGTGTGTGTGT"+tail, 0)
	var locations []Location
	for _, c := range []struct {
		operations []Operation
		loss       int32
	}{
		{[]Operation{{Clip, 2}, {Diagonal, 37}}, 7},
		{[]Operation{{Diagonal, 2}, {Insertion, 2}, {Diagonal, 35}}, 10},
	} {
		l := Location{Place: At(0, Forward), End: 44, Loss: c.loss}
		a.Adopt(&l, 7, c.operations)
		locations = append(locations, l)
	}
	alone := append([]Location(nil), locations[:1]...)
	a.UnclipAll(&r, alone, 5)
	a.UnclipAll(&r, locations, 5)
	for _, c := range []struct {
		of         *Location
		want       string
		start, end int32
	}{{&alone[0], "2M2I35M", 7, 44}, {&locations[0], "2S37M", 7, 44}, {&locations[1], "2M2I35M", 7, 44}} {
		if got := string(AppendCIGAR(nil, a.Operations(c.of))); got != c.want || c.of.Start != c.start || c.of.End != c.end {
			t.Errorf("%s from %d to %d, want %s from %d to %d", got, c.of.Start, c.of.End, c.want, c.start, c.end)
		}
	}
}

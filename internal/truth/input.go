package truth

import (
	"math/rand/v2"
	"strings"

	"pgregory.net/rapid"

	"scanmap/dna"
)

// Random returns n random letters of a set.
func Random(r *rand.Rand, n int, letters string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return string(b)
}

// Edited returns s with n random edits.
func Edited(r *rand.Rand, s string, n int) string {
	b := []byte(s)
	for range n {
		if len(b) == 0 {
			break
		}
		i := r.IntN(len(b))
		letter := "ACGT"[r.IntN(4)]
		switch r.IntN(3) {
		case 0:
			b[i] = letter
		case 1:
			b = append(b[:i], b[i+1:]...)
		case 2:
			b = append(b[:i], append([]byte{letter}, b[i:]...)...)
		}
	}
	return string(b)
}

// Substituted returns s with n of its letters, or all, replaced by others.
func Substituted(r *rand.Rand, s string, n int) string {
	b := []byte(s)
	for _, i := range r.Perm(len(b))[:min(n, len(b))] {
		b[i] = "ACGT"[(strings.IndexByte("ACGT", b[i])+1+r.IntN(3))%4]
	}
	return string(b)
}

// SubstitutedAt returns s with the letters at some positions replaced by the next ones of ACGT.
func SubstitutedAt(s string, at ...int) string {
	b := []byte(s)
	for _, i := range at {
		b[i] = "CGTA"[strings.IndexByte("ACGT", b[i])]
	}
	return string(b)
}

// ContigEnds returns contigs of 1 to 200 bases, and reads planted at the first base and the last,
// across each border, and overhanging by 1 to k, each once. A read is followed by its reverse
// complement.
func ContigEnds(r *rand.Rand, k int) (contigs, reads []string) {
	for _, n := range []int{1, 2, 3, 5, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 199, 200} {
		contigs = append(contigs, Random(r, n, "ACGT"))
	}
	known := map[string]bool{"": true}
	add := func(s string) {
		if !known[s] {
			reverse := ReverseComplement(s)
			known[s], known[reverse] = true, true
			reads = append(reads, s, reverse)
		}
	}
	for i, c := range contigs {
		for _, m := range []int{1, 2, 10, 31, 32, 33, 50, 64, 65, 100, 150, 200} {
			if m > len(c) {
				continue
			}
			add(c[:m])
			add(c[len(c)-m:])
			add(Edited(r, c[:m], k))
			add(Edited(r, c[len(c)-m:], k))
			for over := 1; over <= k; over++ {
				add(Random(r, over, "ACGT") + c[:m])
				add(c[len(c)-m:] + Random(r, over, "ACGT"))
			}
			if i+1 < len(contigs) && len(contigs[i+1]) >= m/2 && m > 1 {
				add(c[len(c)-m/2:] + contigs[i+1][:m/2])
			}
		}
	}
	return contigs, reads
}

// Draw draws random texts, mostly repetitive ones, and their reads.
func Draw(rt *rapid.T) (contigs, reads []string, k int) {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 0))
	letters := rapid.SampledFrom([]string{"ACGT", "AC", "A", "ACGTN", "AAAAAAAT"}).Draw(rt, "letters")
	for range rapid.IntRange(1, 3).Draw(rt, "contigs") {
		unit := Random(r, rapid.IntRange(1, 60).Draw(rt, "unit"), letters)
		text := ""
		for range rapid.IntRange(1, 12).Draw(rt, "copies") {
			text += Edited(r, unit, r.IntN(3)) + Random(r, r.IntN(10), letters)
		}
		contigs = append(contigs, text+"A")
	}
	k = rapid.SampledFrom([]int{0, 1, 2, 3, 5, 9, 17, 31}).Draw(rt, "k")
	for range 6 {
		c := contigs[r.IntN(len(contigs))]
		from := r.IntN(len(c))
		to := from + r.IntN(len(c)-from) + 1
		s := Edited(r, c[from:to], r.IntN(k+2))
		if r.IntN(2) == 0 {
			s = ReverseComplement(s)
		}
		if r.IntN(4) == 0 {
			s = strings.Replace(s, "A", "N", 1+r.IntN(2))
		}
		reads = append(reads, s)
	}
	return contigs, reads, k
}

// Families returns texts that are made of diverged copies of a few units, with low complexity, N
// and random bases between them, and reads of 20 to 300 bases from them with up to k edits, or one
// more, that lie anywhere. It is where pieces occur often and filters have most to decide.
func Families(r *rand.Rand) (contigs, reads []string, k int) {
	k = r.IntN(25)
	m := 20 + r.IntN(281)
	units := make([]string, 1+r.IntN(3))
	for i := range units {
		units[i] = Random(r, m/2+r.IntN(m), []string{"ACGT", "ACGT", "ACGT", "AT", "ACGTN"}[r.IntN(5)])
	}
	for range 1 + r.IntN(3) {
		var text strings.Builder
		for n := 0; n < 2+r.IntN(4); n++ {
			unit := units[r.IntN(len(units))]
			unit = Edited(r, unit, r.IntN(len(unit)/5+1))
			if r.IntN(2) == 0 {
				unit = ReverseComplement(unit)
			}
			text.WriteString(unit)
			switch r.IntN(6) {
			case 0:
				text.WriteString(strings.Repeat(Random(r, 1+r.IntN(4), "ACGT"), r.IntN(12)))
			case 1:
				text.WriteString(strings.Repeat("N", r.IntN(40)))
			case 2:
				text.WriteString(Random(r, r.IntN(60), "ACGT"))
			}
		}
		contigs = append(contigs, text.String()+"A")
	}
	for range 12 {
		c := contigs[r.IntN(len(contigs))]
		from := r.IntN(len(c)) - m/4 // some hang over an end
		s := c[max(from, 0):min(max(from, 0)+m, len(c))]
		s = Edited(r, Random(r, max(0, -from)%4, "ACGT")+s+Random(r, r.IntN(3), "ACGT"), r.IntN(k+2))
		if r.IntN(2) == 0 {
			s = ReverseComplement(s)
		}
		if r.IntN(8) == 0 {
			s = strings.Replace(s, "A", "N", 1+r.IntN(k+1))
		}
		if len(s) > 0 {
			reads = append(reads, s)
		}
	}
	return contigs, reads, k
}

// OneWay returns a read of k + 1 pieces of q bases, and a text that has it with k edits, on either
// strand. Pieces are taken two by two, and these groups are halved again and again. One of two
// halves has as many edits as pieces, anywhere, and the other the rest, until a group with one edit
// less than it has pieces is left.
func OneWay(r *rand.Rand, k, q int) (read, text string) {
	read = Random(r, (k+1)*q, "ACGT")
	edited := make([]bool, len(read))
	// edit marks n bases of the stretch of pieces [from, to).
	edit := func(from, to, n int) {
		from, to = from*q, to*q
		length := n + r.IntN(to-from-n+1)
		from += r.IntN(to - from - length + 1)
		for _, i := range r.Perm(length)[:n] {
			edited[from+i] = true
		}
	}
	size := 2 // pieces of the node at hand, if the read has as many
	for size <= k {
		size *= 2
	}
	from, to := 0, k+1
	for ; size > 2; size /= 2 {
		middle := from + size/2
		switch {
		case middle >= to:
		case r.IntN(2) == 0:
			edit(from, middle, middle-from)
			from = middle
		default:
			edit(middle, to, to-middle)
			to = middle
		}
	}
	edit(from, to, to-from-1)
	gaps := r.IntN(4) // of ten edits
	var out strings.Builder
	for i := range len(read) {
		switch {
		case !edited[i]:
			out.WriteByte(read[i])
		case r.IntN(10) >= gaps:
			out.WriteByte(dna.Letters[(strings.IndexByte(dna.Letters, read[i])+1+r.IntN(3))%4])
		case r.IntN(2) == 0:
			out.WriteString(Random(r, 1, "ACGT"))
			out.WriteByte(read[i])
		}
	}
	text = Random(r, r.IntN(20), "ACGT") + out.String() + Random(r, r.IntN(20), "ACGT")
	if r.IntN(2) == 0 {
		text = ReverseComplement(text)
	}
	return read, text
}

// Long returns reads whose bands and strands have several words.
func Long() (contigs, reads []string) {
	r := rand.New(rand.NewPCG(3, 4))
	text := Random(r, 3000, "ACGT")
	text += Edited(r, text[500:2500], 40) + Random(r, 300, "ACGT") + strings.Repeat("ACAG", 200)
	for _, m := range []int{257, 600, 1023, 1024, 1025, 2000} {
		for _, edits := range []int{0, 5, m / 30} {
			from := r.IntN(3000 - m + 1)
			reads = append(reads, Edited(r, text[from:from+m], edits))
		}
	}
	return []string{text, ReverseComplement(text[100:1200])}, reads
}

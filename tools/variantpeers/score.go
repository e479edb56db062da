package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"scanmap/fasta"
)

// A class is a kind of variants.
type class struct {
	name string
	most int // bases that one inserts or deletes
}

var classes = []class{{"SNV", 0}, {"1-3", 3}, {"4-6", 6}, {"7-20", 20}, {"21-60", 60}, {"> 60", 1 << 30}}

// A variant is one alternative of a record, after bcftools has taken it apart.
type variant struct {
	contig       string
	position     int // 1-based
	old, changed string
}

// longer is the number of bases that it inserts, or, below 0, deletes.
func (v *variant) longer() int { return len(v.changed) - len(v.old) }

// class is its place in classes.
func (v *variant) class() int {
	return slices.IndexFunc(classes, func(c class) bool { return max(v.longer(), -v.longer()) <= c.most })
}

// A score counts variants of a class.
type score struct {
	Truth, Found, False int
}

// String is found/truth (false).
func (s score) String() string { return fmt.Sprintf("%d/%d (%d)", s.Found, s.Truth, s.False) }

// scoreCalls compares two VCF files.
func scoreCalls(reference, truth, calls, bed, falseBed string) (scores []score, missed, made []variant, err error) {
	if falseBed == "" {
		falseBed = bed
	}
	var both [2][]variant
	for i, name := range []string{truth, calls} {
		if both[i], err = normalized(reference, name); err != nil {
			return nil, nil, nil, err
		}
	}
	counted, err := readBED(bed)
	if err != nil {
		return nil, nil, nil, err
	}
	judged, err := readBED(falseBed)
	if err != nil {
		return nil, nil, nil, err
	}
	ref, err := fasta.LoadReference(context.Background(), reference, 2)
	if err != nil {
		return nil, nil, nil, err
	}
	letters := func(contig string, from, to int) string {
		text := make([]byte, 0, to-from)
		for i := range ref.Contigs {
			for at := from; ref.Contigs[i].Name == contig && at < to; at++ {
				text = append(text, ref.Letter(ref.Contigs[i].Start+at))
			}
		}
		return string(text)
	}
	scores, missed, made = compare(both[0], both[1], counted, judged, letters)
	return scores, missed, made, nil
}

// normalized returns the variants of a VCF file that passed and have a genotype.
func normalized(reference, name string) ([]variant, error) {
	out, err := os.CreateTemp("", "variantpeers-*.vcf")
	if err != nil {
		return nil, err
	}
	defer os.Remove(out.Name())
	if err := out.Close(); err != nil {
		return nil, err
	}
	line := "bcftools view -f .,PASS -e 'QUAL<20' '" + name + "' | bcftools norm -f '" + reference + "' -m -any - | bcftools view -i 'GT=\"alt\"' - | " +
		"bcftools norm -a - | bcftools norm -f '" + reference + "' -o " + out.Name() + " -"
	if err := shell(line); err != nil {
		return nil, err
	}
	records, err := readVCF(out.Name())
	if err != nil {
		return nil, err
	}
	seen := map[variant]bool{}
	var all []variant
	for _, r := range records {
		v := variant{r.contig, r.position, r.old, r.changed[0]}
		if strings.Trim(v.changed, "ACGTN") == "" && !seen[v] {
			seen[v] = true
			all = append(all, v)
		}
	}
	return all, nil
}

// readBED reads intervals; no name is everywhere, which is nil.
func readBED(name string) ([]span, error) {
	if name == "" {
		return nil, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	all := []span{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 3 {
			continue
		}
		from, errFrom := strconv.Atoi(fields[1])
		to, errTo := strconv.Atoi(fields[2])
		if err := cmp.Or(errFrom, errTo); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, span{fields[0], from, to})
	}
	return all, lines.Err()
}

// inside says whether the first base of a variant is in one of some spans.
func (v *variant) inside(spans []span) bool {
	return spans == nil || slices.ContainsFunc(spans, func(s span) bool {
		return s.contig == v.contig && s.from < v.position && v.position <= s.to
	})
}

const (
	// nearLength is the least length of an insertion or deletion that may be found near its place.
	nearLength = 7
	// nearBases is how far from it.
	nearBases = 10
	// groupBases is the most bases between variants that may be another way to write others.
	groupBases = 30
)

// compare returns the score of each class, and what was missed and made up. The truth is counted in
// some spans, and calls are judged in others. The letters of a stretch of the reference, from a
// 0-based position to another, are asked for.
func compare(truth, calls []variant, counted, judged []span, letters func(contig string, from, to int) string) (scores []score, missed, made []variant) {
	// Truth that was not found, and calls that are no truth.
	known, free := map[variant]bool{}, map[variant]bool{}
	for _, v := range truth {
		known[v] = true
	}
	for _, c := range calls {
		free[c] = !known[c]
		delete(known, c)
	}
	for _, v := range truth {
		near := slices.IndexFunc(calls, func(c variant) bool {
			return free[c] && c.contig == v.contig && c.longer() == v.longer() && max(v.longer(), -v.longer()) >= nearLength &&
				max(c.position-v.position, v.position-c.position) <= nearBases
		})
		if known[v] && near >= 0 {
			delete(known, v)
			free[calls[near]] = false
		}
	}
	for _, both := range groups(truth, calls, known, free) {
		if sameText(both, letters) {
			for _, v := range both[0] {
				delete(known, v)
			}
			for _, c := range both[1] {
				free[c] = false
			}
		}
	}
	scores = make([]score, len(classes))
	for _, v := range truth {
		s := &scores[v.class()]
		switch {
		case !v.inside(counted):
		case known[v]:
			s.Truth++
			missed = append(missed, v)
		default:
			s.Truth++
			s.Found++
		}
	}
	for _, c := range calls {
		if free[c] && c.inside(judged) {
			scores[c.class()].False++
			made = append(made, c)
		}
	}
	return scores, missed, made
}

// A group is variants that lie together: of the truth, and calls.
type group [2][]variant

// groups collects what is left of the truth and of the calls.
func groups(truth, calls []variant, known, free map[variant]bool) (all []group) {
	type side struct {
		variant
		of int
	}
	var left []side
	for of, variants := range [][]variant{truth, calls} {
		for _, v := range variants {
			if []map[variant]bool{known, free}[of][v] {
				left = append(left, side{v, of})
			}
		}
	}
	slices.SortStableFunc(left, func(a, b side) int {
		return cmp.Or(strings.Compare(a.contig, b.contig), cmp.Compare(a.position, b.position))
	})
	end := 0
	for i, v := range left {
		if i == 0 || v.contig != left[i-1].contig || v.position > end+groupBases {
			all, end = append(all, group{}), 0
		}
		last := &all[len(all)-1][v.of]
		*last = append(*last, v.variant)
		end = max(end, v.position+len(v.old))
	}
	return all
}

// sameText says whether the truth of a group makes the same of the reference as its calls do.
func sameText(g group, letters func(contig string, from, to int) string) bool {
	if len(g[0]) == 0 || len(g[1]) == 0 {
		return false
	}
	first, end := min(g[0][0].position, g[1][0].position)-1, 0
	for _, v := range slices.Concat(g[0], g[1]) {
		end = max(end, v.position-1+len(v.old))
	}
	reference := letters(g[0][0].contig, first, end)
	var texts [2]string
	for i, variants := range g {
		at := 0
		for _, v := range variants {
			next := v.position - 1 - first
			if next < at {
				return false // they overlap, so that they are on two haplotypes
			}
			texts[i] += reference[at:next] + v.changed
			at = next + len(v.old)
		}
		texts[i] += reference[at:]
	}
	return texts[0] == texts[1]
}

package main

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
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
	scores, missed, made = compare(both[0], both[1], counted, judged)
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
)

// compare returns the score of each class, and what was missed and made up. The truth is counted in
// some spans, and calls are judged in others.
func compare(truth, calls []variant, counted, judged []span) (scores []score, missed, made []variant) {
	free := map[variant]bool{} // calls that are no truth yet
	for _, c := range calls {
		free[c] = true
	}
	left := []variant{}
	scores = make([]score, len(classes))
	found := func(v *variant, by variant) {
		delete(free, by)
		if v.inside(counted) {
			scores[v.class()].Found++
		}
	}
	for _, v := range truth {
		if v.inside(counted) {
			scores[v.class()].Truth++
		}
		if free[v] {
			found(&v, v)
		} else {
			left = append(left, v)
		}
	}
	for _, v := range left {
		near := slices.IndexFunc(calls, func(c variant) bool {
			return free[c] && c.contig == v.contig && c.longer() == v.longer() && max(v.longer(), -v.longer()) >= nearLength &&
				max(c.position-v.position, v.position-c.position) <= nearBases
		})
		if near >= 0 {
			found(&v, calls[near])
		} else if v.inside(counted) {
			missed = append(missed, v)
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

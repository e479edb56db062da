package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNames(t *testing.T) {
	for name, want := range map[string]Pair{
		"7_chr1_20_+_chr1_300_-":                    {7, [2]Place{{"chr1", 20, '+'}, {"chr1", 300, '-'}}},
		"0_chr20_b37_1-9_5_-_chm13#0#tig_1_+":       {0, [2]Place{{"chr20_b37_1-9", 5, '-'}, {"chm13#0#tig", 1, '+'}}},
		"3_HLA-A*01_+_x_9_+_HLA-A*01_+_x_1000000_-": {3, [2]Place{{"HLA-A*01_+_x", 9, '+'}, {"HLA-A*01_+_x", 1000000, '-'}}},
		"3_-_a-_b_9_-_c-_-_4_-":                     {3, [2]Place{{"-_a-_b", 9, '-'}, {"c-_-", 4, '-'}}},
	} {
		if got, err := Parse(name); err != nil || got != want {
			t.Errorf("%q: %+v, %v; expected %+v", name, got, err, want)
		}
		if got := want.Name(); got != name {
			t.Errorf("%+v is called %q, expected %q", want, got, name)
		}
	}
}

func TestOtherNamesAreRefused(t *testing.T) {
	for _, name := range []string{"", "7", "read_1", "x_chr1_20_+_chr1_300_-", "7_chr1_20_+", "7_chr1_20_+_chr1_300", "7_chr1_0_+_chr1_300_-",
		"7_chr1_20_*_chr1_300_-", "7__20_+_chr1_300_-", "7_chr1_20_+_chr1_300_-_"} {
		if got, err := Parse(name); err == nil {
			t.Errorf("%q was taken for %+v", name, got)
		}
	}
}

func TestNamesAreReadBack(t *testing.T) {
	contig := rapid.StringMatching(`[A-Za-z0-9#.*|-]{1,8}(_[A-Za-z0-9]{1,5}){0,3}`)
	place := rapid.Custom(func(t *rapid.T) Place {
		return Place{contig.Draw(t, "contig"), rapid.IntRange(1, 1<<31-1).Draw(t, "position"), rapid.SampledFrom([]byte("+-")).Draw(t, "strand")}
	})
	rapid.Check(t, func(t *rapid.T) {
		want := Pair{rapid.IntRange(0, 1<<40).Draw(t, "number"), [2]Place{place.Draw(t, "first"), place.Draw(t, "second")}}
		if got, err := Parse(want.Name()); err != nil || got != want {
			t.Fatalf("%q: %+v, %v; expected %+v", want.Name(), got, err, want)
		}
	})
}

func TestTogether(t *testing.T) {
	for name, want := range map[string]bool{
		"0_a_100_+_a_350_-": true, "0_a_350_-_a_100_+": true, "0_a_100_+_a_100_-": true, "0_a_100_+_a_1100_-": true,
		"0_a_100_+_a_1101_-": false, "0_a_100_+_b_350_-": false, "0_a_100_-_a_350_+": false, "0_a_100_+_a_350_+": false, "0_a_100_-_a_350_-": false,
	} {
		p, err := Parse(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Together(1000); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// Parse is the inverse of Name. Contigs may have underscores in their names; if one is called like
// the end of another place ("x_7_+_y"), the name has two readings, and the first place is taken to
// end as soon as it can.
func Parse(name string) (Pair, error) {
	var p Pair
	number, rest, ok := strings.Cut(name, "_")
	if !ok {
		return p, malformed(name)
	}
	var err error
	if p.Number, err = strconv.Atoi(number); err != nil {
		return p, malformed(name)
	}
	for i, c := range rest {
		if (c == '+' || c == '-') && i+1 < len(rest) && rest[i+1] == '_' {
			if p.Mates[0], ok = place(rest[:i+1]); ok {
				if p.Mates[1], ok = place(rest[i+2:]); ok {
					return p, nil
				}
			}
		}
	}
	return p, malformed(name)
}

// place parses contig_position_strand.
func place(text string) (Place, bool) {
	n := len(text)
	if n < 2 || text[n-2] != '_' || text[n-1] != '+' && text[n-1] != '-' {
		return Place{}, false
	}
	at := strings.LastIndexByte(text[:n-2], '_')
	if at < 1 {
		return Place{}, false
	}
	position, err := strconv.Atoi(text[at+1 : n-2])
	return Place{text[:at], position, text[n-1]}, err == nil && position > 0
}

func malformed(name string) error {
	return fmt.Errorf("%q does not say where a pair is from: expected number_contig_position_strand_contig_position_strand", name)
}

// Together says whether the mates face each other on one contig (fr), with at most a number of
// bases between the leftmost ones.
func (p *Pair) Together(most int) bool {
	left, right := p.Mates[0], p.Mates[1]
	if left.Strand == '-' {
		left, right = right, left
	}
	distance := right.Position - left.Position
	return left.Contig == right.Contig && left.Strand == '+' && right.Strand == '-' && distance >= 0 && distance <= most
}

package guides

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"scanmap/dna"
	"scanmap/search"
)

// Candidates returns all guides of a length that lie in regions, on both strands, beside one
// of the first own PAMs of a target, if it has any: guide and PAM lie in the same region whole.
// They are patterns of that target, as many of each guide as it has PAMs, called by the place of
// guide and PAM counted from 1 and by the strand, as in chr1:1001-1023:+, and the sites that they
// are taken from. They come by contig, start and strand, + first, and once each, also where regions
// overlap or several PAMs fit. Sites with letters other than A, C, G and T have none.
func Candidates(ref *dna.Reference, regions []Region, length int, target *search.Target, own int) ([]search.Pattern, []Site, error) {
	whole, err := search.NewPattern("", bytes.Repeat([]byte("N"), length), search.DNA)
	if err != nil {
		return nil, nil, err
	}
	forms, err := target.Patterns([]search.Pattern{whole})
	if err != nil {
		return nil, nil, err
	}
	var letters [][]byte
	for i := range forms[:max(own, 1)] {
		letters = append(letters, forms[i].Letters)
	}
	sites := sitesOf(ref, regions, letters)
	patterns, err := taken(ref, sites, target, len(forms[0].PAM))
	if err != nil {
		return nil, nil, err
	}
	return patterns, sites, nil
}

// sitesOf returns the sites of regions that have letters A, C, G and T alone and fit one of some
// forms of one length.
func sitesOf(ref *dna.Reference, regions []Region, forms [][]byte) []Site {
	m := len(forms[0])
	isOne := func(site []byte) bool {
		return slices.ContainsFunc(forms, func(form []byte) bool { return fits(site, form, search.Matches) })
	}
	var sites []Site
	for _, region := range regions {
		start := ref.Contigs[region.Contig].Start
		letters := lettersOf(ref, start+region.Start, start+region.End)
		other := slices.Clone(letters)
		dna.ReverseComplement(other)
		for i := 0; i+m <= len(letters); i++ {
			at := region.Start + i
			if isOne(letters[i : i+m]) {
				sites = append(sites, Site{region.Contig, at, at + m, false})
			}
			if j := len(letters) - m - i; isOne(other[j : j+m]) {
				sites = append(sites, Site{region.Contig, at, at + m, true})
			}
		}
	}
	slices.SortFunc(sites, func(a, b Site) int {
		return cmp.Or(cmp.Compare(a.Contig, b.Contig), cmp.Compare(a.Start, b.Start), strand(a)-strand(b))
	})
	return slices.Compact(sites)
}

// taken returns the guides of sites, as patterns of a target with a PAM of `pam` letters.
func taken(ref *dna.Reference, sites []Site, target *search.Target, pam int) ([]search.Pattern, error) {
	patterns := make([]search.Pattern, len(sites))
	for i, s := range sites {
		contig := &ref.Contigs[s.Contig]
		letters := lettersOf(ref, contig.Start+s.Start, contig.Start+s.End)
		if s.Reverse {
			dna.ReverseComplement(letters)
		}
		if target.PAMFirst {
			letters = letters[pam:]
		} else {
			letters = letters[:len(letters)-pam]
		}
		var err error
		name := fmt.Sprintf("%s:%d-%d:%c", contig.Name, s.Start+1, s.End, "+-"[strand(s)])
		if patterns[i], err = search.NewPattern(name, letters, search.DNA); err != nil {
			return nil, err
		}
	}
	return target.Patterns(patterns)
}

// fits tells whether the letters of a site match the letters of a form.
func fits(site, form []byte, matches func(letter, base byte) bool) bool {
	for i, letter := range form {
		if !matches(letter, site[i]) {
			return false
		}
	}
	return true
}

// strand is 1 for the reverse one.
func strand(s Site) int {
	if s.Reverse {
		return 1
	}
	return 0
}

// lettersOf returns the letters [from, to) of a reference.
func lettersOf(ref *dna.Reference, from, to int) []byte {
	letters := ref.Bases.AppendCodes(nil, from, to)
	for i, code := range letters {
		letters[i] = "ACGTN"[code]
	}
	return letters
}

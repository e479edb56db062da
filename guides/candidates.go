package guides

import (
	"cmp"
	"fmt"
	"slices"

	"scanmap/dna"
	"scanmap/search"
)

// Candidates returns all guides of so many letters that lie in regions, on both strands, with the
// PAM that follows them: guide and PAM lie in the same region whole. They are patterns with that
// PAM, called by the place of guide and PAM counted from 1 and by the strand, as in
// chr1:1001-1023:+, and the sites that they are taken from. They come by contig, start and strand,
// + first, and once each, also where regions overlap. Sites with letters other than A, C, G and T
// have none.
func Candidates(ref *dna.Reference, regions []Region, length int, pam []byte) ([]search.Pattern, []Site, error) {
	if _, err := search.NewPattern(string(pam), pam, nil, search.DNA); err != nil {
		return nil, nil, err
	}
	m := length + len(pam)
	var sites []Site
	for _, region := range regions {
		start := ref.Contigs[region.Contig].Start
		letters := lettersOf(ref, start+region.Start, start+region.End)
		other := slices.Clone(letters)
		reverseComplement(other)
		for i := 0; i+m <= len(letters); i++ {
			at := region.Start + i
			if fits(letters[i:i+m], pam) {
				sites = append(sites, Site{region.Contig, at, at + m, false})
			}
			if j := len(letters) - m - i; fits(other[j:j+m], pam) {
				sites = append(sites, Site{region.Contig, at, at + m, true})
			}
		}
	}
	slices.SortFunc(sites, func(a, b Site) int {
		return cmp.Or(cmp.Compare(a.Contig, b.Contig), cmp.Compare(a.Start, b.Start), strand(a)-strand(b))
	})
	sites = slices.Compact(sites)
	patterns := make([]search.Pattern, len(sites))
	for i, s := range sites {
		contig := &ref.Contigs[s.Contig]
		letters := lettersOf(ref, contig.Start+s.Start, contig.Start+s.End)
		if s.Reverse {
			reverseComplement(letters)
		}
		var err error
		name := fmt.Sprintf("%s:%d-%d:%c", contig.Name, s.Start+1, s.End, "+-"[strand(s)])
		if patterns[i], err = search.NewPattern(name, letters[:length], pam, search.DNA); err != nil {
			return nil, nil, err
		}
	}
	return patterns, sites, nil
}

// fits tells whether a site has letters A, C, G, T alone and ends in a PAM.
func fits(site, pam []byte) bool {
	for i, letter := range pam {
		if letter >= 'a' {
			letter -= 'a' - 'A'
		}
		if !search.Matches(letter, site[len(site)-len(pam)+i]) {
			return false
		}
	}
	return plain(site)
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

func reverseComplement(letters []byte) {
	slices.Reverse(letters)
	for i, c := range letters {
		letters[i] = dna.Complement(c)
	}
}

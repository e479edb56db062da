package variants

import (
	"bytes"
	"slices"
)

// genotypes reads the calls of all samples. numbers say which of the site's alleles a number of a
// genotype from 1 on is. Alleles that no sample has are taken off the site.
func (v *vcfReader) genotypes(s *site, numbers []int) error {
	gt, ps := -1, -1
	for i, key := range bytes.Split(v.fields[columnFormat], []byte{':'}) {
		switch string(key) {
		case "GT":
			gt = i
		case "PS":
			ps = i
		}
	}
	if gt < 0 {
		return v.wrong("FORMAT is %s, without GT: what haplotypes there are is not known; without any genotypes, "+
			"as after bcftools view -G, all combinations of alleles are", shown(v.fields[columnFormat]))
	}
	have := make([]bool, len(s.alleles))
	for i, field := range v.fields[columnSample:] {
		call := subfield(field, gt)
		alleles, phased, err := v.genotype(call, numbers, v.calls[i][:0])
		if err != nil {
			return err
		}
		v.calls[i] = alleles
		most := -1
		for _, a := range alleles {
			if a >= 0 {
				have[a] = true
				most = max(most, a)
			}
		}
		if most < 0 {
			continue
		}
		least, set := slices.Min(alleles), 0
		if phased && ps >= 0 {
			set = v.phaseSet(subfield(field, ps))
		}
		if least < most && (!phased || set > 0) {
			if !phased {
				set = 0
			}
			if s.loose == nil {
				s.loose = map[int]looseCall{}
			}
			s.loose[i] = looseCall{slices.Clone(alleles), set}
			continue
		}
		for c, a := range alleles {
			if a >= 0 && v.accept(copyOf(i, c), s.alleles[a]) {
				s.alleles[a].carriers = append(s.alleles[a].carriers, copyOf(i, c))
			}
		}
	}
	kept := s.alleles[:0]
	renumbered := make([]int, len(have))
	for i, a := range s.alleles {
		if !have[i] {
			v.left.Uncarried++
			continue
		}
		renumbered[i] = len(kept)
		kept = append(kept, a)
	}
	s.alleles = kept
	for _, call := range s.loose {
		for c, a := range call.alleles {
			if a >= 0 {
				call.alleles[c] = renumbered[a]
			}
		}
	}
	return nil
}

// accept tells whether a copy can have an allele: not if it overlaps one before. Alleles that end
// before this record are forgotten, because no later one starts there.
func (v *vcfReader) accept(c uint32, a *allele) bool {
	open := slices.DeleteFunc(v.open[c], func(b borders) bool { return b.end < v.position })
	v.open[c] = open
	if slices.ContainsFunc(open, func(b borders) bool { return overlap(b.start, b.end, a.start, a.end) }) {
		v.left.Overlapping++
		return false
	}
	v.open[c] = append(open, borders{a.start, a.end})
	return true
}

// phaseSet returns the number of a phase set, 0 for none.
func (v *vcfReader) phaseSet(name []byte) int {
	if len(name) == 0 || len(name) == 1 && name[0] == '.' {
		return 0
	}
	set, ok := v.sets[string(name)]
	if !ok {
		set = len(v.sets) + 1
		v.sets[string(name)] = set
	}
	return set
}

// subfield returns a part of a sample's column, nil if it was left out.
func subfield(field []byte, i int) []byte {
	for ; i > 0; i-- {
		at := bytes.IndexByte(field, ':')
		if at < 0 {
			return nil
		}
		field = field[at+1:]
	}
	part, _, _ := bytes.Cut(field, []byte{':'})
	return part
}

// genotype appends the alleles of a call such as 0|1, 1/1, 1 or ./., of the site's or -1 for the
// reference's. It is phased if all signs between are |, or if nothing is between.
func (v *vcfReader) genotype(call []byte, numbers, alleles []int) (_ []int, phased bool, err error) {
	phased = true
	if len(call) == 0 {
		return alleles, true, nil
	}
	rest := call
	if rest[0] == '|' || rest[0] == '/' { // VCF 4.4 has a sign for the first allele too
		rest = rest[1:]
	}
	for {
		number, digits := 0, 0
		for digits < len(rest) && '0' <= rest[digits] && rest[digits] <= '9' && number <= len(numbers) {
			number = 10*number + int(rest[digits]-'0')
			digits++
		}
		switch {
		case digits == 0 && len(rest) > 0 && rest[0] == '.':
			digits = 1
		case digits == 0:
			return nil, false, v.wrong("the genotype %s is not of the form 0|1, 0/1, 1 or ./.", shown(call))
		case number > len(numbers):
			return nil, false, v.wrong("the genotype %s has an allele that ALT, with %d, has not", shown(call), len(numbers))
		}
		a := -1
		if number > 0 {
			a = numbers[number-1]
		}
		if alleles = append(alleles, a); len(alleles) > copiesOfSample {
			return nil, false, v.wrong("the genotype %s has more than %d alleles", shown(call), copiesOfSample)
		}
		rest = rest[digits:]
		if len(rest) == 0 {
			return alleles, phased, nil
		}
		if rest[0] != '|' && rest[0] != '/' {
			return nil, false, v.wrong("the genotype %s is not of the form 0|1, 0/1, 1 or ./.", shown(call))
		}
		phased = phased && rest[0] == '|'
		rest = rest[1:]
	}
}

package variants

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Most calls are two of the reference's alleles, as the 8 bytes of a word.
var (
	phasedReference   = binary.LittleEndian.Uint64([]byte("0|0\t0|0\t"))
	unphasedReference = binary.LittleEndian.Uint64([]byte("0/0\t0/0\t"))
)

// genotypes reads the calls of all samples. numbers say which of the site's alleles a number of a
// genotype from 1 on is. Alleles that no sample has are taken off the site.
func (r *recordParser) genotypes(s *site, numbers []int) error {
	gt, ps := -1, -1
	for i, key := range bytes.Split(r.fields[columnFormat], []byte{':'}) {
		switch string(key) {
		case "GT":
			gt = i
		case "PS":
			ps = i
		}
	}
	if gt < 0 {
		return r.wrong("FORMAT is %s, without GT: what haplotypes there are is not known; without any genotypes, "+
			"as after bcftools view -G, all combinations of alleles are", shown(r.fields[columnFormat]))
	}
	for len(r.carriers) < len(s.alleles) {
		r.carriers = append(r.carriers, nil)
	}
	carriers := r.carriers[:len(s.alleles)]
	for i := range carriers {
		carriers[i] = carriers[i][:0]
	}
	have := make([]bool, len(s.alleles))
	clear(r.sets)
	r.loose, r.numbers = r.loose[:0], r.numbers[:0]
	rest := r.calls
	for i := 0; i < r.samples; i++ {
		if gt == 0 {
			for len(rest) >= 8 {
				if two := binary.LittleEndian.Uint64(rest); two != phasedReference && two != unphasedReference {
					break
				}
				rest = rest[8:]
				i += 2
				s.copies += 4
			}
			if first, second, ok := plain(rest, ps < 0); ok && first <= len(numbers) && second <= len(numbers) {
				for c, n := range [2]int{first, second} {
					if n == 0 || numbers[n-1] < 0 {
						continue
					}
					a := numbers[n-1]
					have[a] = true
					carriers[a] = append(carriers[a], copyOf(i, c))
				}
				s.copies += 2
				rest = rest[3:]
				if len(rest) > 0 && rest[0] == ':' {
					_, rest, _ = bytes.Cut(rest, []byte{'\t'})
				} else if len(rest) > 0 {
					rest = rest[1:]
				}
				continue
			}
		}
		var field []byte
		field, rest, _ = bytes.Cut(rest, []byte{'\t'})
		alleles, phased, err := r.genotype(subfield(field, gt), numbers, r.called[:0])
		if err != nil {
			return err
		}
		r.called = alleles
		s.copies += len(alleles)
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
		if least < most && phased && ps >= 0 {
			set = r.phaseSet(subfield(field, ps))
		}
		if least < most && (!phased || set > 0) {
			r.loose = append(r.loose, sampleCall{i, set, len(alleles)})
			r.numbers = append(r.numbers, alleles...)
			continue
		}
		for c, a := range alleles {
			if a >= 0 {
				carriers[a] = append(carriers[a], copyOf(i, c))
			}
		}
	}
	for i, a := range s.alleles {
		a.carriers = slices.Clone(carriers[i])
	}
	r.keepLoose(s)
	r.keep(s, have)
	return nil
}

// A sampleCall is a loose call of a number of alleles.
type sampleCall struct{ sample, set, alleles int }

// keepLoose gives a site its loose calls, in memory of the size that they need.
func (r *recordParser) keepLoose(s *site) {
	if len(r.loose) == 0 {
		return
	}
	s.samples = make([]int, 0, len(r.loose))
	s.loose = make(map[int]looseCall, len(r.loose))
	numbers := slices.Clone(r.numbers)
	for _, l := range r.loose {
		s.samples = append(s.samples, l.sample)
		s.loose[l.sample] = looseCall{numbers[:l.alleles:l.alleles], l.set}
		numbers = numbers[l.alleles:]
	}
}

// plain reads a call at the start of the columns of samples that has two alleles of one digit each,
// and whose alleles are on the copies that it says: it is phased, and phase sets are not looked at,
// or its alleles are the same.
func plain(calls []byte, noSets bool) (first, second int, ok bool) {
	if len(calls) < 3 || len(calls) > 3 && calls[3] != '\t' && calls[3] != ':' {
		return 0, 0, false
	}
	one, two := calls[0]-'0', calls[2]-'0'
	if one > 9 || two > 9 || calls[1] != '|' && calls[1] != '/' || one != two && (!noSets || calls[1] == '/') {
		return 0, 0, false
	}
	return int(one), int(two), true
}

// keep takes the alleles off a site that no sample has.
func (r *recordParser) keep(s *site, have []bool) {
	kept := s.alleles[:0]
	renumbered := make([]int, len(have))
	for i, a := range s.alleles {
		if !have[i] {
			r.p.left.Uncarried++
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
}

// phaseSet returns the number of a phase set in the record, from 1 on, 0 for none.
func (r *recordParser) phaseSet(name []byte) int {
	if len(name) == 0 || len(name) == 1 && name[0] == '.' {
		return 0
	}
	set, ok := r.sets[string(name)]
	if !ok {
		r.p.sets = append(r.p.sets, string(name))
		set = len(r.p.sets)
		r.sets[string(name)] = set
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
func (r *recordParser) genotype(call []byte, numbers, alleles []int) (_ []int, phased bool, err error) {
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
			return nil, false, r.wrong("the genotype %s is not of the form 0|1, 0/1, 1 or ./.", shown(call))
		case number > len(numbers):
			return nil, false, r.wrong("the genotype %s has an allele that ALT, with %d, has not", shown(call), len(numbers))
		}
		a := -1
		if number > 0 {
			a = numbers[number-1]
		}
		if alleles = append(alleles, a); len(alleles) > copiesOfSample {
			return nil, false, r.wrong("the genotype %s has more than %d alleles", shown(call), copiesOfSample)
		}
		rest = rest[digits:]
		if len(rest) == 0 {
			return alleles, phased, nil
		}
		if rest[0] != '|' && rest[0] != '/' {
			return nil, false, r.wrong("the genotype %s is not of the form 0|1, 0/1, 1 or ./.", shown(call))
		}
		phased = phased && rest[0] == '|'
		rest = rest[1:]
	}
}

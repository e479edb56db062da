package variants

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"scanmap/dna"
	"scanmap/fasta"
)

// A parsed is a record of a VCF with all that it says alone. vcfReader.take adds all that depends
// on the records before.
type parsed struct {
	line     int64
	contig   int
	position int   // 0-based
	unplaced error // a fault of the columns, or of contig and position
	err      error // a fault after contig and position
	// site has the alleles that a sample has; their ids count from the first of the record's. It is
	// nil if there are none. Carriers are all copies that have an allele.
	site    *site
	alleles int // of the record, also alleles that no sample has
	left    LeftOut
	// sets are the phase sets of the site's loose calls, which have their numbers in it and 1 more.
	sets []string
}

// A recordParser reads records. Each goroutine has one.
type recordParser struct {
	ref     *dna.Reference
	file    string // for messages
	contigs map[string]int
	samples int
	// State of the record that is read.
	p      *parsed
	fields [columnSample][]byte
	calls  []byte // the columns of samples
	// Scratch memory.
	called   []int
	carriers [][]uint32 // of each allele
	loose    []sampleCall
	numbers  []int // of the alleles of all loose calls
	sets     map[string]int
}

// wrong returns an error of the record.
func (r *recordParser) wrong(format string, args ...any) error {
	return lineError(r.file, r.p.line, format, args...)
}

// lineError is an error of a line.
func lineError(file string, line int64, format string, args ...any) error {
	return &fasta.Error{File: file, Err: fmt.Errorf("line %d: %w", line, fmt.Errorf(format, args...))}
}

// record reads a line, which has to be valid during the call alone.
func (r *recordParser) record(line []byte, number int64) (p parsed) {
	p.line = number
	r.p = &p
	columns := bytes.Count(line, []byte{'\t'}) + 1
	want := columnFormat
	if r.samples > 0 {
		want = columnSample + r.samples
	}
	if columns < want || r.samples > 0 && columns > want {
		p.unplaced = r.wrong("%d columns, and the header has %d", columns, want)
		return p
	}
	r.fields[columnFormat] = nil
	for i := range min(columns, columnSample) {
		r.fields[i], line, _ = bytes.Cut(line, []byte{'\t'})
	}
	r.calls = line
	if p.unplaced = r.place(); p.unplaced == nil {
		p.err = r.content()
	}
	return p
}

// content reads what comes after contig and position.
func (r *recordParser) content() error {
	s := &site{contig: r.p.contig, position: r.p.position}
	ref := bytes.ToUpper(r.fields[columnRef])
	if err := r.checkReference(s, ref); err != nil {
		return err
	}
	numbers, err := r.readAlleles(s, ref)
	if err != nil {
		return err
	}
	r.p.alleles = len(s.alleles)
	if r.samples > 0 {
		if err := r.genotypes(s, numbers); err != nil {
			return err
		}
	} else {
		r.frequencies(s, numbers)
	}
	for _, a := range s.alleles {
		s.last = max(s.last, a.end)
	}
	if len(s.alleles) > 0 {
		r.p.site = s
	}
	return nil
}

// place reads contig and position.
func (r *recordParser) place() error {
	name := r.fields[columnContig]
	contig, ok := r.contigs[string(name)]
	if !ok {
		return r.wrong("the reference has no contig %s; its first is %s", shown(name), shown([]byte(r.ref.Contigs[0].Name)))
	}
	position, err := strconv.Atoi(string(r.fields[columnPosition]))
	if length := r.ref.Contigs[contig].Length; err != nil || position < 1 || position > length {
		// Telomeres, at 0 and at the length and 1, have symbolic alleles alone.
		if err != nil || position < 0 || position > length+1 {
			return r.wrong("POS is %s, not a number from 1 to %d, the length of %s", shown(r.fields[columnPosition]), length, shown(name))
		}
	}
	r.p.contig, r.p.position = contig, position-1
	return nil
}

// checkReference compares REF with the reference.
func (r *recordParser) checkReference(s *site, ref []byte) error {
	if len(ref) == 0 {
		return r.wrong("REF is empty")
	}
	if i := bytes.IndexFunc(ref, notBase); i >= 0 {
		return r.wrong("REF is %s, and may have A, C, G, T and N alone", shown(ref))
	}
	c := &r.ref.Contigs[s.contig]
	from, to := s.position, s.position+len(ref)
	if from < 0 || from == c.Length { // a telomere
		return nil
	}
	if to > c.Length {
		return r.wrong("REF has %d letters, and reaches over the end of %s of %d", len(ref), shown([]byte(c.Name)), c.Length)
	}
	have := appendLetters(nil, r.ref, s.contig, from, to)
	for i := range ref {
		if !fits(ref[i], have[i]) {
			return r.wrong("REF is %s, but the reference has %s at %s:%d: is it another reference?",
				shown(ref), shown(have), c.Name, s.position+1)
		}
	}
	return nil
}

// notBase tells whether a letter is none of VCF's.
func notBase(c rune) bool { return !strings.ContainsRune("ACGTN", c) }

// leaveOut counts an allele that is left out.
func (r *recordParser) leaveOut(count *int64) {
	*count++
	if r.p.left.First == "" {
		r.p.left.First = fmt.Sprintf("%s:%d", r.fields[columnContig], r.p.position+1)
	}
}

// readAlleles reads ALT, and returns for each number of a genotype, from 1 on, which of the site's
// alleles it is, -1 if none.
func (r *recordParser) readAlleles(s *site, ref []byte) (numbers []int, err error) {
	field := r.fields[columnAlt]
	if len(field) == 1 && field[0] == '.' {
		return nil, nil
	}
	for _, alt := range bytes.Split(field, []byte{','}) {
		numbers = append(numbers, -1)
		switch {
		case len(alt) == 0:
			return nil, r.wrong("ALT is %s, which has an empty allele", shown(field))
		case string(alt) == "*", string(alt) == "<*>", string(alt) == "<NON_REF>", string(alt) == ".":
			continue // deleted by another record, or no allele in particular
		case bytes.ContainsAny(alt, "<[]."):
			r.leaveOut(&r.p.left.Symbolic)
			continue
		}
		upper := bytes.ToUpper(alt)
		if bytes.IndexFunc(upper, notBase) >= 0 {
			return nil, r.wrong("the allele %s of ALT may have A, C, G, T and N alone", shown(alt))
		}
		replaced, a, before := trim(ref, upper)
		if len(replaced) == 0 && len(a) == 0 {
			continue
		}
		if len(replaced) > MaxAllele || len(a) > MaxAllele {
			r.leaveOut(&r.p.left.Long)
			continue
		}
		start := s.position + before
		if start < 0 || start+len(replaced) > r.ref.Contigs[s.contig].Length {
			return nil, r.wrong("POS %d is outside %s", s.position+1, shown(r.fields[columnContig]))
		}
		numbers[len(numbers)-1] = len(s.alleles)
		s.alleles = append(s.alleles, &allele{id: len(s.alleles), site: s, start: start, end: start + len(replaced), letters: a,
			name: fmt.Sprintf("%s:%d:%s>%s", appendName(nil, r.ref.Contigs[s.contig].Name), s.position+1, ref, upper)})
	}
	return numbers, nil
}

// frequencies reads AF, the frequency of each allele of ALT, from INFO.
func (r *recordParser) frequencies(s *site, numbers []int) {
	var values [][]byte
	for entry := range bytes.SplitSeq(r.fields[columnInfo], []byte{';'}) {
		if text, ok := bytes.CutPrefix(entry, []byte("AF=")); ok {
			values = bytes.Split(text, []byte{','})
		}
	}
	for i, n := range numbers {
		if n < 0 {
			continue
		}
		s.alleles[n].frequency = -1
		if i < len(values) && len(values) == len(numbers) {
			if f, err := strconv.ParseFloat(string(values[i]), 64); err == nil && f >= 0 && f <= 1 {
				s.alleles[n].frequency = f
			}
		}
	}
}

// shown is text for a message.
func shown(text []byte) string {
	if len(text) > 60 {
		return fmt.Sprintf("%q...", text[:60])
	}
	return fmt.Sprintf("%q", text)
}

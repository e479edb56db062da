package validate

import (
	"fmt"
	"slices"
	"strings"

	"scanmap/sam"
)

// tags are the tags that a record may have.
var tags = sam.Tags()

// prefix is what a tag begins with in a line, such as NM:i:.
func prefix(t sam.Tag) string { return t.Name + ":" + string(t.Type) + ":" }

// structure judges the records of a SAM text in the order of the input.
type structure struct {
	c       *Case
	lengths map[string]int
	faults  *Faults
}

// Structure judges SAM in the order of the input, by the templates it was made of.
func Structure(c *Case, a *Alignment, templates []Template, faults *Faults) {
	s := structure{c, a.lengths(), faults}
	rest := walk(a.Records, templates, func(t *Template, records []Record) {
		if len(records) > 0 {
			s.template(t, records)
		} else if !c.OmitUnmapped {
			faults.add("every read has a record", "%s has none at its place", t.Name)
		}
	})
	if len(rest) > 0 {
		faults.add("records in the order of the input", "%s and %d more are not at the place of their reads", rest[0].Name, len(rest)-1)
	}
	s.readGroups(a)
}

// walk gives each template in order its records, none where the next record is of another, and
// returns the records that are left. Templates can share a name; a record without bases is the next
// one's.
func walk(records []Record, templates []Template, each func(*Template, []Record)) (rest []Record) {
	for i := range templates {
		t := &templates[i]
		n := groupLength(records, t.Name)
		if n > 0 && i+1 < len(templates) && templates[i+1].Name == t.Name && !hasBasesOf(&records[0], t) {
			n = 0
		}
		each(t, records[:n])
		records = records[n:]
	}
	return records
}

// hasBasesOf tells whether a record shows the bases of a mate.
func hasBasesOf(r *Record, t *Template) bool {
	bases, _ := t.Mates[min(r.mate(), len(t.Mates)-1)].oriented(r.reverse())
	return sameBases(r.Bases, bases)
}

// groupLength counts the records at the start that belong to the next template: they have its name,
// and at most one primary record of each mate.
func groupLength(records []Record, name string) int {
	var primaries [2]int
	for n := range records {
		r := &records[n]
		if r.Name != name {
			return n
		}
		if r.primary() {
			if primaries[r.mate()]++; primaries[r.mate()] > 1 {
				return n
			}
		}
	}
	return len(records)
}

// readGroups checks that the header has the one read group asked for, or none.
func (s *structure) readGroups(a *Alignment) {
	want := 0
	if s.c.ReadGroup != "" {
		want = 1
	}
	found := 0
	for _, line := range a.Header {
		if strings.HasPrefix(line, "@RG\t") {
			found++
			if !slices.Contains(strings.Split(line, "\t"), "ID:"+s.c.readGroupID()) {
				s.faults.add("read group of the header", "%q", line)
			}
		}
	}
	if found != want {
		s.faults.add("read groups of the header", "%d, expected %d", found, want)
	}
}

// template judges all records of one template.
func (s *structure) template(t *Template, records []Record) {
	var of [2][]*Record
	for i := range records {
		of[records[i].mate()] = append(of[records[i].mate()], &records[i])
		s.layout(&records[i])
	}
	for mate := range t.Mates {
		s.mate(&t.Mates[mate], of[mate])
	}
	if len(t.Mates) == 1 {
		if len(of[1]) > 0 {
			s.faults.add("flag 128 on a read without mates", "%s", t.Name)
		}
		return
	}
	first, last := primaryOf(of[0]), primaryOf(of[1])
	if first == nil || last == nil {
		return // mate has said so
	}
	s.pair(first, last)
	for _, r := range records {
		partner := last
		if r.mate() == 1 {
			partner = first
		}
		s.partner(&r, partner)
	}
}

// primaryOf returns the primary record, nil if there is none.
func primaryOf(records []*Record) *Record {
	for _, r := range records {
		if r.primary() {
			return r
		}
	}
	return nil
}

// layout checks the flags of single-end and of paired records, and the read group.
func (s *structure) layout(r *Record) {
	const ofPairs = flagPaired | flagProper | flagMateUnmapped | flagMateReverse | flagFirst | flagLast
	switch {
	case !s.c.paired():
		if r.Flags&ofPairs != 0 || r.MateContig != "*" || r.MateStart != -1 || r.TemplateLength != 0 {
			s.faults.add("a single-end record has fields of a mate", "%.60q", r.Line)
		}
		for _, tag := range tags {
			if _, ok := r.tag(prefix(tag)); ok && tag.Mate {
				s.faults.add("a single-end record has a tag of pairs", "%s %s", r.Name, tag.Name)
			}
		}
	case r.Flags&flagPaired == 0 || (r.Flags&flagFirst == 0) == (r.Flags&flagLast == 0):
		s.faults.add("flags 1, 64 and 128 of a mate", "%s has %d", r.Name, r.Flags)
	}
	if r.Flags&flagSupplementary != 0 {
		s.faults.add("a supplementary record", "%s", r.Name)
	}
	if id, ok := r.tag("RG:Z:"); ok != (s.c.ReadGroup != "") || id != s.c.readGroupID() {
		s.faults.add("RG", "%s has %q, expected %q", r.Name, id, s.c.readGroupID())
	}
	seen := map[string]bool{}
	for _, tag := range r.Tags {
		if len(tag) < 5 || tag[2] != ':' || tag[4] != ':' || seen[tag[:2]] {
			s.faults.add("a tag that is malformed or there twice", "%s %.40q", r.Name, tag)
			continue
		}
		seen[tag[:2]] = true
		if !slices.ContainsFunc(tags, func(t sam.Tag) bool { return strings.HasPrefix(tag, prefix(t)) }) {
			s.faults.add("a tag that scanmap does not write", "%s %.40q", r.Name, tag)
		}
	}
}

// mate judges the records of one read.
func (s *structure) mate(read *Read, records []*Record) {
	primaries := 0
	for i, r := range records {
		if r.primary() {
			primaries++
			if i > 0 {
				s.faults.add("the primary record comes first", "%s", r.Name)
			}
		}
	}
	if primaries != 1 {
		s.faults.add("exactly one primary record of each mate", "%s has %d", read.Name, primaries)
		return
	}
	if !records[0].mapped() {
		if len(records) > 1 {
			s.faults.add("a read is unmapped and has secondary records", "%s", read.Name)
		}
		s.unmapped(read, records[0])
		return
	}
	seen := make([]bool, len(records)+1)
	for _, r := range records {
		s.location(read, r)
		nh, hasNH := r.number("NH:i:")
		hi, hasHI := r.number("HI:i:")
		if !hasNH || nh != len(records) {
			s.faults.add("NH is the number of the read's records", "%s has %d, expected %d", r.Name, nh, len(records))
		}
		if !hasHI || hi < 1 || hi > len(records) || seen[hi] {
			s.faults.add("HI counts from 1 to NH", "%s has %d of %d", r.Name, hi, len(records))
			continue
		}
		seen[hi] = true
	}
	s.report(records)
}

// unmapped judges the record of a read without a location. Where it is placed, its mate decides:
// see partner.
func (s *structure) unmapped(read *Read, r *Record) {
	if s.c.OmitUnmapped && !s.c.paired() {
		s.faults.add("an unmapped read in spite of --omit-unmapped", "%s", r.Name)
	}
	if r.Cigar != "*" || r.MapQ != 0 || r.Flags&(flagProper|flagReverse|flagSecondary) != 0 {
		s.faults.add("an unmapped record has a CIGAR, a MAPQ or flags 2, 16 or 256", "%.80q", r.Line)
	}
	if !s.c.paired() && (r.Contig != "*" || r.Start != -1) {
		s.faults.add("an unmapped read without a mate is placed", "%s", r.Name)
	}
	for _, tag := range tags {
		if _, ok := r.tag(prefix(tag)); ok && tag.Aligned {
			s.faults.add("an unmapped record has a tag of an alignment", "%s %s", r.Name, tag.Name)
		}
	}
	if n, ok := r.number("XC:i:"); ok && (!s.c.Drop || n <= s.c.MaxLocations) {
		s.faults.add("XC goes with --over drop and more locations than --max-locations", "%s: %d", r.Name, n)
	}
	s.sequence(read, r)
}

// location judges a record with an alignment, alone.
func (s *structure) location(read *Read, r *Record) {
	length, known := s.lengths[r.Contig]
	if !known || r.Start < 0 || r.End > length {
		s.faults.add("a record beyond its contig", "%s at %s:%d to %d of %d", r.Name, r.Contig, r.Start+1, r.End, length)
	}
	if !r.primary() && r.MapQ != 0 {
		s.faults.add("MAPQ of a secondary record is 0", "%s has %d", r.Name, r.MapQ)
	}
	covered, _, err := cigarLengths(r.Cigar)
	if err != nil || covered != len(read.Bases) {
		s.faults.add("the CIGAR covers the whole read", "%s: %s, %d bases", r.Name, r.Cigar, len(read.Bases))
	}
	if other := "=X"; strings.ContainsAny(r.Cigar, "SHPN") || s.c.SequenceMatch && strings.Contains(r.Cigar, "M") ||
		!s.c.SequenceMatch && strings.ContainsAny(r.Cigar, other) || s.c.Substitutions && strings.ContainsAny(r.Cigar, "ID") {
		s.faults.add("letters of the CIGAR", "%s: %s", r.Name, r.Cigar)
	}
	for _, tag := range tags {
		if _, ok := r.tag(prefix(tag)); ok && tag.Unaligned {
			s.faults.add("an alignment has a tag of unmapped records", "%s %s", r.Name, tag.Name)
		}
	}
	s.sequence(read, r)
	s.distance(read, r)
}

// sequence checks SEQ and QUAL.
func (s *structure) sequence(read *Read, r *Record) {
	bases, qualities := read.oriented(r.reverse())
	if bases == "" || !r.primary() && !s.c.FullSecondary {
		bases, qualities = "*", "*"
	}
	if !sameBases(r.Bases, bases) || r.Qualities != qualities {
		s.faults.add("SEQ and QUAL are those of the read, in the orientation of the record",
			"%s %d: %.20q, expected %.20q", r.Name, r.Flags, r.Bases, bases)
	}
}

// sameBases compares without regard to lower case and U, which BAM does not keep.
func sameBases(a, b string) bool {
	return strings.EqualFold(thymine.Replace(a), thymine.Replace(b))
}

// thymine writes RNA as DNA.
var thymine = strings.NewReplacer("U", "T", "u", "t")

// least returns the least edit distance at the place of a record.
func (s *structure) least(r *Record) (edits int, ok bool) {
	if s.c.UnitGaps {
		return r.number("NM:i:")
	}
	return r.number("XE:i:")
}

// distance checks the least distance against k, the tag of rescued mates, which alone may have more
// edits, and the tags of the alignment.
func (s *structure) distance(read *Read, r *Record) {
	k, err := s.c.edits(len(read.Bases))
	if err != nil {
		s.faults.add("the distance of the case", "%v", err)
		return
	}
	edits, ok := r.number("NM:i:")
	if !ok {
		s.faults.add("NM", "%s has none", r.Name)
		return
	}
	least, ok := s.least(r)
	if !ok {
		s.faults.add("XE", "%s has none", r.Name)
		return
	}
	_, rescued := r.tag("XR:i:1")
	_, marked := r.tag("XR:i:")
	if rescued != marked || rescued != (least > k) {
		s.faults.add("XR:i:1 goes with more than k edits", "%s: %d edits, k %d, XR %t", r.Name, least, k, marked)
	}
	md, ok := r.tag("MD:Z:")
	if !ok {
		s.faults.add("MD", "%s has none", r.Name)
		return
	}
	if s.c.UnitGaps {
		s.unitScores(r, edits)
	} else {
		s.affineScores(r, md, edits, least)
	}
}

// unitScores checks the scores that are numbers of edits.
func (s *structure) unitScores(r *Record, edits int) {
	if score, ok := r.number("AS:i:"); ok && score != -edits {
		s.faults.add("AS is the number of edits, negative", "%s: AS %d, NM %d", r.Name, score, edits)
	}
	if _, ok := r.tag("XE:i:"); ok {
		s.faults.add("XE in spite of --gaps unit", "%s", r.Name)
	}
}

// The affine score: a match, a mismatch, and a gap of g bases with gapScore + g gapBaseScore.
const (
	matchScore    = 1
	mismatchScore = -4
	gapScore      = -6
	gapBaseScore  = -1
)

// affineScores counts the edits of an alignment and its affine score once more, from CIGAR and MD.
func (s *structure) affineScores(r *Record, md string, edits, least int) {
	aligned, inserted, deleted, gaps := 0, 0, 0, 0
	length := 0
	for i := range len(r.Cigar) {
		switch c := r.Cigar[i]; c {
		case 'M', '=', 'X':
			aligned += length
		case 'I':
			inserted, gaps = inserted+length, gaps+1
		case 'D':
			deleted, gaps = deleted+length, gaps+1
		default:
			length = 10*length + int(c-'0')
			continue
		}
		length = 0
	}
	matches, mismatches, cut := lettersOfMD(md)
	if matches+mismatches != aligned || cut != deleted {
		s.faults.add("MD fits the CIGAR", "%s: %s, %s", r.Name, md, r.Cigar)
		return
	}
	if counted := mismatches + inserted + deleted; counted != edits || edits < least {
		s.faults.add("NM is the number of edits, at least XE", "%s: NM %d, XE %d, %s with %s", r.Name, edits, least, r.Cigar, md)
	}
	want := matchScore*matches + mismatchScore*mismatches + gapScore*gaps + gapBaseScore*(inserted+deleted)
	if score, ok := r.number("AS:i:"); !ok || score != want {
		s.faults.add("AS is the affine score", "%s: AS %d, expected %d of %s with %s", r.Name, score, want, r.Cigar, md)
	}
	whole := matchScore * (aligned + inserted)
	if score, ok := r.number("XS:i:"); ok && (score > whole || (whole-score)%(matchScore-mismatchScore) != 0) {
		s.faults.add("XS is a score without gaps", "%s: XS %d, %d bases", r.Name, score, aligned+inserted)
	}
}

// lettersOfMD counts the bases of the reference that match, differ and are deleted.
func lettersOfMD(md string) (matches, mismatches, deleted int) {
	number, within := 0, false // a number, and letters after ^
	for i := range len(md) {
		c := md[i]
		switch {
		case c >= '0' && c <= '9':
			number, within = 10*number+int(c-'0'), false
			continue
		case c == '^':
			within = true
		case within:
			deleted++
		default:
			mismatches++
		}
		matches, number = matches+number, 0
	}
	return matches + number, mismatches, deleted
}

// report checks that a mapped read has the records that --report and --max-locations ask for.
func (s *structure) report(records []*Record) {
	name := records[0].Name
	if s.c.MaxLocations > 0 && len(records) > s.c.MaxLocations {
		s.faults.add("more records than --max-locations", "%s has %d", name, len(records))
	}
	if (s.c.Report == "one" || s.c.Report == "unique") && len(records) != 1 {
		s.faults.add("one record a read", "%s has %d", name, len(records))
	}
	seen := map[string]bool{}
	for _, r := range records {
		place := fmt.Sprintf("%s:%d %s %s", r.Contig, r.Start+1, strand(r), r.Cigar)
		if seen[place] {
			s.faults.add("a location is reported twice", "%s %s", name, place)
		}
		seen[place] = true
	}
	if s.c.paired() {
		return // the best location depends on the mate too
	}
	least, _ := s.least(records[0])
	before := least
	for _, r := range records[1:] {
		edits, _ := s.least(r)
		switch {
		case edits < before:
			s.faults.add("records of a read in the order of their edits", "%s: %d after %d", name, edits, before)
		case s.c.Report == "best" && edits != least, s.c.Report == "strata:1" && edits > least+1:
			s.faults.add("records beyond what --report asks for", "%s: %d edits, the best %d", name, edits, least)
		}
		before = edits
	}
}

func strand(r *Record) string {
	if r.reverse() {
		return "-"
	}
	return "+"
}

package validate

// pair judges the primary records of two mates together.
func (s *structure) pair(a, b *Record) {
	if a.Flags&flagProper != b.Flags&flagProper {
		s.faults.add("flag 2 of both mates", "%s: %d and %d", a.Name, a.Flags, b.Flags)
	}
	together := a.mapped() && b.mapped() && a.Contig == b.Contig
	if a.Flags&flagProper != 0 && !(together && inward(a, b)) {
		s.faults.add("flag 2 only for mates that face each other on one contig", "%s: %s:%d %d and %s:%d %d", a.Name,
			a.Contig, a.Start+1, a.Flags, b.Contig, b.Start+1, b.Flags)
	}
	s.templateLength(a, b, together)
	s.unmappedMates(a, b)
	s.discordance(a, b)
}

// templateLength checks TLEN: from the leftmost to the rightmost base, positive for the mate that
// starts first.
func (s *structure) templateLength(a, b *Record, together bool) {
	want := 0
	if together {
		want = max(a.End, b.End) - min(a.Start, b.Start)
	}
	ok := a.TemplateLength == -b.TemplateLength && max(a.TemplateLength, b.TemplateLength) == want
	if ok && a.Start != b.Start && want != 0 {
		ok = (a.TemplateLength > 0) == (a.Start < b.Start)
	}
	if !ok {
		s.faults.add("TLEN", "%s: %d and %d, expected %d and its opposite", a.Name, a.TemplateLength, b.TemplateLength, want)
	}
}

// unmappedMates checks that an unmapped mate lies where its partner does, and two unmapped mates
// nowhere.
func (s *structure) unmappedMates(a, b *Record) {
	if a.mapped() && b.mapped() {
		return
	}
	if !a.mapped() && !b.mapped() {
		if a.Contig != "*" || b.Contig != "*" || a.Start != -1 || b.Start != -1 {
			s.faults.add("two unmapped mates are placed", "%s", a.Name)
		}
		if s.c.OmitUnmapped {
			s.faults.add("an unmapped pair in spite of --omit-unmapped", "%s", a.Name)
		}
		return
	}
	if a.Contig != b.Contig || a.Start != b.Start {
		s.faults.add("an unmapped mate is placed at its partner", "%s: %s:%d and %s:%d", a.Name, a.Contig, a.Start+1, b.Contig, b.Start+1)
	}
}

// discordance checks XD where locations of both mates decide, and not the rest that --report
// leaves.
func (s *structure) discordance(a, b *Record) {
	if s.c.Report == "unique" {
		return
	}
	x, okA := a.tag("XD:Z:")
	y, okB := b.tag("XD:Z:")
	if okA && okB && x != y {
		s.faults.add("XD of both mates", "%s: %s and %s", a.Name, x, y)
	}
	if !okA {
		x = y
	}
	fits := false
	switch x {
	case "":
		fits = a.Flags&flagProper != 0 || !a.mapped() && !b.mapped()
	case "anchored":
		fits = a.mapped() != b.mapped()
	case "contig":
		fits = a.mapped() && b.mapped() && a.Contig != b.Contig
	case "orientation":
		fits = a.mapped() && b.mapped() && a.Contig == b.Contig && !leftmostForward(a, b)
	case "near", "far":
		fits = a.mapped() && b.mapped() && a.Contig == b.Contig
	}
	if !fits || x != "" && a.Flags&flagProper != 0 {
		s.faults.add("XD tells why a pair is not proper", "%s: %q, flags %d and %d, contigs %s and %s", a.Name, x,
			a.Flags, b.Flags, a.Contig, b.Contig)
	}
}

// partner judges what a record says of its mate. m is the primary record of the mate.
func (s *structure) partner(r, m *Record) {
	if (r.Flags&flagMateUnmapped != 0) == m.mapped() || (r.Flags&flagMateReverse != 0) != m.reverse() {
		s.faults.add("flags 8 and 32 are those of the mate", "%s: %d, mate %d", r.Name, r.Flags, m.Flags)
	}
	if r.MateContig != m.Contig || r.MateStart != m.Start {
		s.faults.add("RNEXT and PNEXT are the place of the mate", "%s: %s:%d, expected %s:%d", r.Name, r.MateContig,
			r.MateStart+1, m.Contig, m.Start+1)
	}
	if !r.primary() && r.Flags&flagProper != 0 && !m.mapped() {
		s.faults.add("flag 2 with an unmapped mate", "%s", r.Name)
	}
	cigar, hasCigar := r.tag("MC:Z:")
	quality, hasQuality := r.number("MQ:i:")
	if !m.mapped() {
		if hasCigar || hasQuality {
			s.faults.add("MC or MQ of an unmapped mate", "%s", r.Name)
		}
		return
	}
	if (r.primary() || hasCigar) && cigar != m.Cigar {
		s.faults.add("MC is the mate's CIGAR", "%s: %q, expected %s", r.Name, cigar, m.Cigar)
	}
	if (r.primary() || hasQuality) && (!hasQuality || quality != m.MapQ) {
		s.faults.add("MQ is the mate's MAPQ", "%s: %d, expected %d", r.Name, quality, m.MapQ)
	}
}

// inward tells whether mates on one contig lie on different strands, and the 5' end of the forward
// one is not right of the other's: they may reach past each other, as both do in inserts shorter
// than a read.
func inward(a, b *Record) bool {
	if a.reverse() == b.reverse() {
		return false
	}
	forward, reverse := a, b
	if a.reverse() {
		forward, reverse = b, a
	}
	return forward.Start < reverse.End
}

// leftmostForward tells whether mates on one contig lie on different strands and the forward one
// does not start after the other.
func leftmostForward(a, b *Record) bool {
	if a.reverse() == b.reverse() {
		return false
	}
	if a.reverse() {
		return b.Start <= a.Start
	}
	return a.Start <= b.Start
}

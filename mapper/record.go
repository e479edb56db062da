package mapper

import (
	"encoding/binary"
	"math/bits"
	"strconv"

	hts "github.com/biogo/hts/sam"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/internal/parallel"
	"scanmap/locate"
	"scanmap/sam"
)

// A recorder turns the locations of reads into SAM text. It is the scratch memory of
// one worker.
type recorder struct {
	ref *dna.Reference
	// encoding is for records, and apartEncoding for records written to apart.
	encoding, apartEncoding sam.Encoding
	// unwritten tells that records are not wanted in that encoding, and asValues that they are as
	// values.
	unwritten, asValues          bool
	affine, local                bool // which scores alignments have
	sequenceMatch, fullSecondary bool

	// spill takes the first records of a block that is longer than this, and returns their memory.
	spill   func(records []byte) []byte
	longest int

	mates      [2]mateRecord // of the pair at hand
	values     []sam.Record  // of the group at hand
	isApart    bool          // its primary records are also written to apart
	apart      []byte
	record     sam.Record
	cigar      []hts.CigarOp
	mismatches []byte
	bases      []byte
	qualities  []byte
}

// mateRecord is what the records of one mate tell of the other: its primary record.
type mateRecord struct {
	mapped     bool
	location   locate.Location
	cigar      []hts.CigarOp
	mismatches []byte
	mapQ       byte
	proper     bool   // the pair is, and both mates are reported
	discordant string // the class of the pair, as XD has it
	qualities  int    // sam.QualitySum, where duplicates are marked
}

// alone is the index of a mate for reads without mates.
const alone = -1

// unmapped appends the record of a read that has no location to report. x is which mate of its pair
// it is, or alone.
func (r *recorder) unmapped(text []byte, l *library, rec *fasta.Read, c *choice, x int) []byte {
	r.record = sam.Record{
		Name: rec.Name, Flags: hts.Unmapped, ContigIndex: -1, Pos: -1, MateContigIndex: -1, MatePos: -1,
		Bases: rec.Bases, Qualities: rec.Qualities, ReadGroup: l.ReadGroup,
	}
	if c.dropped {
		r.record.Dropped = c.found
	}
	r.setMate(x, nil, true)
	return r.append(text, true)
}

// mapped appends the records of a read's reported locations, the primary one first. x is which mate
// of its pair it is, or alone.
func (r *recorder) mapped(text []byte, l *library, g *group, read int, c *choice, x int) []byte {
	rec, locations := &g.batch.Reads[read], g.locations[c.from:c.to]
	for i := range locations {
		loc := &locations[i]
		contig, strand := loc.Place.Contig(), loc.Place.Strand()
		r.record = sam.Record{
			Name: rec.Name, Contig: r.ref.Contigs[contig].Name, ContigIndex: contig, Pos: int(loc.Start), MateContigIndex: -1, MatePos: -1,
			EditDistance: int(loc.Distance), Score: -int(loc.Distance),
			Hits: len(locations), HitIndex: i + 1, Rescued: c.rescued && i == 0, ReadGroup: l.ReadGroup, ReadGroupIndex: l.group,
		}
		if c.second >= 0 {
			r.record.SecondScore, r.record.HasSecondScore = -int(c.second), true
		}
		if r.affine || r.local {
			r.setScores(loc, len(rec.Bases))
		}
		if i == 0 {
			r.record.MapQ = c.mapQ
		} else {
			r.record.Flags |= hts.Secondary
		}
		if strand == locate.Reverse {
			r.record.Flags |= hts.Reverse
		}
		if c.supplement != nil && i == 0 {
			r.record.OtherAlignments = r.otherAlignment(g, read, &c.supplement.location, c.supplement.mapQ)
		}
		if i == 0 && x != alone { // as formatter.pair has described it
			r.record.Cigar, r.record.Mismatches = r.mates[x].cigar, r.mates[x].mismatches
		} else {
			r.describeLocation(g, read, loc)
		}
		r.setMate(x, loc, i == 0)
		if i == 0 || r.fullSecondary {
			r.orient(rec.Bases, rec.Qualities, strand)
		}
		text = r.append(text, i == 0)
		if c.supplement != nil && i == 0 {
			text = r.supplementary(text, l, g, read, c, x)
		}
		if len(text) > r.longest {
			text = r.spill(text)
		}
	}
	return text
}

// setMate sets the fields of the pair in the record of mate 0 or 1. location is the record's own,
// nil for a read without one; primary tells whether the record is primary.
func (r *recorder) setMate(x int, location *locate.Location, primary bool) {
	if x == alone {
		return
	}
	rec, own, mate := &r.record, &r.mates[x], &r.mates[1-x]
	rec.Flags |= hts.Paired | [2]hts.Flags{hts.Read1, hts.Read2}[x]
	if primary {
		rec.Discordant = own.discordant
	}
	place := &mate.location
	if !mate.mapped {
		rec.Flags |= hts.MateUnmapped
		if location == nil {
			return
		}
		place = &own.location // the mate stands where the primary record of this read is
	}
	contig := place.Place.Contig()
	rec.MateContig, rec.MateContigIndex, rec.MatePos = r.ref.Contigs[contig].Name, contig, int(place.Start)
	if location == nil { // likewise
		rec.Contig, rec.ContigIndex, rec.Pos = rec.MateContig, contig, rec.MatePos
	}
	if !mate.mapped {
		return
	}
	rec.MateCigar, rec.MateMapQ, rec.HasMateMapQ, rec.MateQualities = mate.cigar, mate.mapQ, true, mate.qualities
	if place.Place.Strand() == locate.Reverse {
		rec.Flags |= hts.MateReverse
	}
	if location == nil {
		return
	}
	if primary && own.proper || !primary && location.Paired {
		rec.Flags |= hts.ProperPair
	}
	if primary && location.Place.Contig() == contig {
		rec.TemplateLength = templateLength(location, place, x == 0)
	}
}

// templateLength is TLEN of the record at own: the bases from the leftmost to the rightmost one of
// both, negative for the right one; the first mate is the left one where both start together.
func templateLength(own, mate *locate.Location, first bool) int {
	n := int(max(own.End, mate.End) - min(own.Start, mate.Start))
	if own.Start > mate.Start || own.Start == mate.Start && !first {
		return -n
	}
	return n
}

// setScores sets the edits and scores of a written alignment of a read of m bases. The record has
// the least distance too, as this alignment may have more edits. The next best location is not
// aligned: it gets the score of mismatches alone, one for each edit.
func (r *recorder) setScores(loc *locate.Location, m int) {
	rec := &r.record
	rec.EditDistance, rec.Score = int(loc.Edits), loc.Score(m)
	if r.local {
		rec.SecondScore += m
		return
	}
	rec.LeastDistance, rec.HasLeastDistance = int(loc.Distance), true
	rec.SecondScore = locate.MismatchScore(m, -rec.SecondScore)
}

// longBlock is how many bytes of records a block holds, not counting the last record.
const longBlock = 1 << 25

// append appends the record as the output has it, and a primary one of a pair that is also written
// apart there too. It keeps it as a value, if that is wanted.
func (r *recorder) append(text []byte, primary bool) []byte {
	if primary && r.isApart {
		r.apart = r.record.Append(r.apart, r.apartEncoding)
	}
	if r.asValues {
		r.values = append(r.values, r.record.Clone())
	}
	if r.unwritten {
		return text
	}
	return r.record.Append(text, r.encoding)
}

// takeValues returns the records of the group as values, and forgets them.
func (r *recorder) takeValues() []sam.Record {
	values := r.values
	r.values = nil
	return values
}

// describeLocation sets CIGAR and MD of the record from an aligned location.
func (r *recorder) describeLocation(g *group, read int, loc *locate.Location) {
	contig := &r.ref.Contigs[loc.Place.Contig()]
	strand := g.read(read).Strand(loc.Place)
	r.describe(contig.Start+int(loc.Start), g.reader.Aligner.Operations(loc), strand.Planes)
}

// orient sets SEQ and QUAL of the record.
func (r *recorder) orient(bases, qualities []byte, strand int) {
	if strand == locate.Forward {
		r.record.Bases, r.record.Qualities = bases, qualities
		return
	}
	r.bases = dna.AppendReverseComplement(r.bases[:0], bases)
	r.qualities = parallel.Resize(r.qualities, len(qualities))
	to := r.qualities
	for ; len(qualities) >= 8; qualities = qualities[8:] {
		n := len(to) - 8
		binary.BigEndian.PutUint64(to[n:], binary.LittleEndian.Uint64(qualities))
		to = to[:n]
	}
	for i, c := range qualities {
		to[len(to)-1-i] = c
	}
	r.record.Bases, r.record.Qualities = r.bases, r.qualities
}

// describe sets CIGAR and MD from the operations of an alignment that starts at an
// offset of the reference's bases.
func (r *recorder) describe(offset int, operations []locate.Operation, bases locate.Planes) {
	r.cigar, r.mismatches = r.cigar[:0], r.mismatches[:0]
	q, same := 0, 0
	for _, op := range operations {
		n := int(op.Length)
		switch op.Kind {
		case locate.Insertion:
			r.addCigar(hts.CigarInsertion, n)
			q += n
		case locate.Clip:
			r.addCigar(hts.CigarSoftClipped, n)
			q += n
		case locate.Deletion:
			r.addCigar(hts.CigarDeletion, n)
			r.mismatches = strconv.AppendInt(r.mismatches, int64(same), 10)
			r.mismatches = append(r.mismatches, '^')
			for i := range n {
				r.mismatches = append(r.mismatches, r.letter(offset+i))
			}
			same = 0
			offset += n
		case locate.Diagonal:
			same = r.diagonal(bases, q, offset, n, same)
			q, offset = q+n, offset+n
		}
	}
	r.mismatches = strconv.AppendInt(r.mismatches, int64(same), 10)
	r.record.Cigar, r.record.Mismatches = r.cigar, r.mismatches
}

// diagonal describes n bases that are aligned without a gap, after a run of same
// matches, and returns the run of matches at their end.
func (r *recorder) diagonal(bases locate.Planes, q, offset, n, same int) int {
	if !r.sequenceMatch {
		r.addCigar(hts.CigarMatch, n)
	}
	for i := 0; i < n; {
		low, high, amb := bases.Window(q + i)
		x := locate.Differences(&r.ref.Bases, offset+i, low, high, amb)
		step := min(64, n-i)
		run := min(bits.TrailingZeros64(x), step)
		if run > 0 {
			if r.sequenceMatch {
				r.addCigar(hts.CigarEqual, run)
			}
			same += run
			i += run
		}
		if run < step {
			if r.sequenceMatch {
				r.addCigar(hts.CigarMismatch, 1)
			}
			r.mismatches = strconv.AppendInt(r.mismatches, int64(same), 10)
			r.mismatches = append(r.mismatches, r.letter(offset+i))
			same = 0
			i++
		}
	}
	return same
}

// addCigar appends an operation, or lengthens the last one if it is of the same kind.
func (r *recorder) addCigar(kind hts.CigarOpType, n int) {
	if last := len(r.cigar) - 1; last >= 0 && r.cigar[last].Type() == kind {
		r.cigar[last] = hts.NewCigarOp(kind, r.cigar[last].Len()+n)
		return
	}
	r.cigar = append(r.cigar, hts.NewCigarOp(kind, n))
}

// letter returns the reference's letter for MD, which allows letters alone.
func (r *recorder) letter(offset int) byte {
	c := r.ref.Letter(offset)
	if c < 'A' || c > 'Z' {
		return 'N'
	}
	return c
}

// otherAlignment returns the value of the tag SA for a read's other alignment, at a location with a
// quality. The CIGAR is as in bwa mem: with soft clips.
func (r *recorder) otherAlignment(g *group, read int, l *locate.Location, mapQ byte) []byte {
	r.describeLocation(g, read, l)
	strand := byte('+')
	if l.Place.Strand() == locate.Reverse {
		strand = '-'
	}
	sa := append([]byte(r.ref.Contigs[l.Place.Contig()].Name), ',')
	sa = append(strconv.AppendInt(sa, int64(l.Start)+1, 10), ',', strand, ',')
	for _, op := range r.cigar {
		sa = append(sa, op.String()...)
	}
	sa = append(strconv.AppendInt(append(sa, ','), int64(mapQ), 10), ',')
	return append(strconv.AppendInt(sa, int64(l.Edits), 10), ';')
}

// supplementary appends the record of a supplement. Its clipped bases are left out, as bwa mem
// does.
func (r *recorder) supplementary(text []byte, l *library, g *group, read int, c *choice, x int) []byte {
	rec, loc := &g.batch.Reads[read], &c.supplement.location
	other := r.otherAlignment(g, read, &g.locations[c.from], c.mapQ)
	contig, strand := loc.Place.Contig(), loc.Place.Strand()
	r.record = sam.Record{
		Name: rec.Name, Flags: hts.Supplementary, Contig: r.ref.Contigs[contig].Name, ContigIndex: contig, Pos: int(loc.Start),
		MateContigIndex: -1, MatePos: -1, MapQ: c.supplement.mapQ, OtherAlignments: other, ReadGroup: l.ReadGroup,
	}
	r.setScores(loc, len(rec.Bases))
	if strand == locate.Reverse {
		r.record.Flags |= hts.Reverse
	}
	r.describeLocation(g, read, loc)
	r.setMate(x, loc, false)
	r.orient(rec.Bases, rec.Qualities, strand)
	last := len(r.cigar) - 1
	for _, i := range []int{0, last} {
		if op := r.cigar[i]; op.Type() == hts.CigarSoftClipped {
			n := op.Len()
			r.cigar[i] = hts.NewCigarOp(hts.CigarHardClipped, n)
			b, q := r.record.Bases, r.record.Qualities
			if i == 0 {
				r.record.Bases, r.record.Qualities = b[n:], q[min(n, len(q)):]
			} else {
				r.record.Bases, r.record.Qualities = b[:len(b)-n], q[:max(len(q)-n, 0)]
			}
		}
	}
	return r.append(text, false)
}

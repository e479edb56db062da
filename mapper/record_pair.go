package mapper

import (
	hts "github.com/biogo/hts/sam"

	"scanmap/fasta"
	"scanmap/locate"
	"scanmap/sam"
)

// mateRecord is what the records of one mate tell of the other: its primary record.
type mateRecord struct {
	mapped     bool
	location   locate.Location
	cigar      []hts.CigarOp
	mapQ       byte
	proper     bool   // the pair is, and both mates are reported
	discordant string // the class of the pair, as XD has it
	qualities  int    // sam.QualitySum, where duplicates are marked
}

// pair appends the records of a pair: those of the first mate, then those of the second.
func (f *formatter) pair(out block, l *library, g *group, read int, chosen []choice) block {
	r := &f.recorder
	none := true
	for x := range chosen {
		m := &r.mates[x]
		*m = mateRecord{mapped: chosen[x].from < chosen[x].to, cigar: m.cigar[:0], mapQ: chosen[x].mapQ}
		if !m.mapped {
			if f.unmapped {
				out.unmapped = fasta.AppendFASTQ(out.unmapped, &g.batch.Reads[read+x], mateSuffix[x])
			}
			continue
		}
		none = false
		m.location = g.locations[chosen[x].from]
		r.describeLocation(g, read+x, &m.location)
		m.cigar = append(m.cigar, r.cigar...)
		if rec := &g.batch.Reads[read+x]; r.encoding.Marked() {
			m.qualities = sam.QualitySum(rec.Bases, rec.Qualities)
		}
	}
	both := r.mates[0].mapped && r.mates[1].mapped
	proper := chosen[0].pair == properPair && both
	r.mates[0].proper, r.mates[1].proper = proper, proper
	if none && f.omitUnmapped {
		return out
	}
	// Where not all that is mapped is reported, the records may not show what the pair is.
	class := chosen[0].pair
	shown := class.discordant() && (class != oneEndAnchored) == both && !none
	if shown {
		r.mates[0].discordant, r.mates[1].discordant = discordantNames[class], discordantNames[class]
	}
	for x := range chosen {
		c := &chosen[x]
		r.apart = nil
		if f.discordant && shown {
			r.apart = &out.discordant
		}
		if c.from == c.to {
			out.records = r.unmapped(out.records, l, &g.batch.Reads[read+x], c, x)
			continue
		}
		out.records = r.mapped(out.records, l, g, read+x, c, x)
	}
	return out
}

// mateSuffix ends the names of mates in FASTQ.
var mateSuffix = [2]string{"/1", "/2"}

// alone stands in place of the index of a mate for reads that have none.
const alone = -1

// setMate sets what the record of a mate, 0 or 1, tells of the pair. location is that of the
// record, nil for a read without one; primary tells whether the record is.
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

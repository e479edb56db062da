package mapper

import (
	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/sam"
)

// A formatter appends the records of reads to blocks.
type formatter struct {
	recorder     recorder
	omitUnmapped bool
	// unmapped and discordant tell whether those parts of a block are wanted.
	unmapped, discordant bool
}

func newFormatter(ref *dna.Reference, o *Options) formatter {
	return formatter{
		recorder:     recorder{ref: ref, affine: o.Gaps == GapsAffine, local: o.Local != nil, sequenceMatch: o.SequenceMatch, fullSecondary: o.FullSecondary, longest: o.limits.block},
		omitUnmapped: o.OmitUnmapped,
	}
}

// writeTo prepares for a writer that is open.
func (f *formatter) writeTo(o *orderedWriter) {
	f.recorder.encoding, f.recorder.apartEncoding = o.encoding, o.apartEncoding
	f.recorder.unwritten, f.recorder.asValues = o.records == nil, o.found != nil
	f.unmapped, f.discordant = o.unmapped != nil, o.discordant != nil
}

// idle tells that nothing is written.
func (f *formatter) idle() bool {
	return f.recorder.unwritten && !f.recorder.asValues && !f.unmapped && !f.discordant
}

// single appends the records of a read without a mate.
func (f *formatter) single(out block, l *library, g *group, read int, c *choice) block {
	if c.from < c.to {
		out.records = f.recorder.mapped(out.records, l, g, read, c, alone)
		return out
	}
	if f.unmapped {
		out.unmapped = fasta.AppendFASTQ(out.unmapped, &g.batch.Reads[read], "")
	}
	if !f.omitUnmapped {
		out.records = f.recorder.unmapped(out.records, l, &g.batch.Reads[read], c, alone)
	}
	return out
}

// pair appends the records of a pair: the first mate's, then the second's.
func (f *formatter) pair(out block, l *library, g *group, read int, chosen []choice) block {
	r := &f.recorder
	none := true
	for x := range chosen {
		m := &r.mates[x]
		*m = mateRecord{
			mapped: chosen[x].from < chosen[x].to, cigar: m.cigar[:0], mismatches: m.mismatches[:0], mapQ: chosen[x].mapQ,
		}
		if !m.mapped {
			if f.unmapped {
				out.unmapped = fasta.AppendFASTQ(out.unmapped, &g.batch.Reads[read+x], mateSuffix[x])
			}
			continue
		}
		none = false
		m.location = g.locations[chosen[x].from]
		r.describeLocation(g, read+x, &m.location)
		m.cigar, m.mismatches = append(m.cigar, r.cigar...), append(m.mismatches, r.mismatches...)
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
	// Where not all mapped mates are reported, the records may not show the class of the pair.
	class := chosen[0].pair
	shown := class.discordant() && (class != oneEndAnchored) == both && !none
	if shown {
		r.mates[0].discordant, r.mates[1].discordant = discordantNames[class], discordantNames[class]
	}
	r.isApart, r.apart = f.discordant && shown, out.discordant
	for x := range chosen {
		c := &chosen[x]
		if c.from == c.to {
			out.records = r.unmapped(out.records, l, &g.batch.Reads[read+x], c, x)
			continue
		}
		out.records = r.mapped(out.records, l, g, read+x, c, x)
	}
	r.isApart, out.discordant = false, r.apart
	return out
}

// mateSuffix ends the names of mates in FASTQ.
var mateSuffix = [2]string{"/1", "/2"}

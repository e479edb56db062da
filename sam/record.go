package sam

import (
	"slices"
	"strconv"

	hts "github.com/biogo/hts/sam"
)

// Record is one alignment line. Positions are 0-based here; AppendText writes the
// 1-based fields of SAM.
//
// The record of a read without an alignment has the flag hts.Unmapped. It gets a
// contig and a position only where its mate has one, and no tag but MC, MQ, XC, XD and RG.
type Record struct {
	Name   string // empty for '*'; at most MaxNameLength bytes
	Flags  hts.Flags
	Contig string // empty for none
	// ContigIndex is the place of Contig in the header, from 0, which BAM has instead of the name.
	// Ignored without Contig.
	ContigIndex int
	Pos         int // of the leftmost base; -1 for none, as without Contig
	MapQ        byte
	Cigar       []hts.CigarOp // empty for '*'
	// MateContig, MatePos and TemplateLength are RNEXT, PNEXT and TLEN: empty, -1 and 0 for a read
	// without a mate. MateContigIndex is the place of MateContig in the header, as ContigIndex of
	// Contig.
	MateContig      string
	MateContigIndex int
	MatePos         int
	TemplateLength  int
	// Bases and Qualities (the characters '!' to '~') are in the orientation of the
	// record. Empty for '*'; without bases there are no qualities.
	Bases, Qualities []byte

	EditDistance int    // NM
	Mismatches   []byte // MD
	Score        int    // AS
	// LeastDistance is the least edit distance of the read at this place (XE), when HasLeastDistance:
	// EditDistance is for the alignment of the record, which may have more edits.
	LeastDistance    int
	HasLeastDistance bool
	// SecondScore is the score of the read's next best location (XS), when
	// HasSecondScore.
	SecondScore    int
	HasSecondScore bool
	// Hits is the number of the read's reported records (NH), and HitIndex the place
	// of this one among them from 1 (HI); both are left out when Hits is 0.
	Hits, HitIndex int
	// OtherAlignments are the alignments of the other records of a read that is aligned by parts (SA);
	// left out when empty.
	OtherAlignments []byte
	MateCigar       []hts.CigarOp // MC; left out when empty
	// MateMapQ is the mate's mapping quality (MQ), when HasMateMapQ.
	MateMapQ    byte
	HasMateMapQ bool
	Rescued     bool   // XR:i:1: found only near its mate
	Dropped     int    // XC: locations of a read that was left out for them; 0 for none
	Discordant  string // XD: in which way the pair is not proper; left out when empty
	ReadGroup   string // RG; empty for none
	// MateQualities is QualitySum of the mate's primary record, and ReadGroupIndex a number of the
	// read group, below 2^32, that no other one has. Ignored unless duplicates are marked.
	MateQualities, ReadGroupIndex int
}

// Clone returns a record that shares no memory with r but strings.
func (r *Record) Clone() Record {
	c := *r
	c.Cigar, c.MateCigar = slices.Clone(r.Cigar), slices.Clone(r.MateCigar)
	c.Bases, c.Qualities, c.Mismatches = slices.Clone(r.Bases), slices.Clone(r.Qualities), slices.Clone(r.Mismatches)
	c.OtherAlignments = slices.Clone(r.OtherAlignments)
	return c
}

// End is the position behind the last base of the reference that the record is aligned to, and Pos
// for a record without an alignment. Operations that SAM has not count for nothing.
func (r *Record) End() int {
	end := r.Pos
	for _, op := range r.Cigar {
		if op.Type() <= hts.CigarBack {
			end += op.Len() * op.Type().Consumes().Reference
		}
	}
	return end
}

// MaxNameLength is the longest name of a record, in bytes (SAMv1, section 1.4: QNAME).
const MaxNameLength = 254

// fixedText is room for every part of a line whose length does not depend on the
// record: tabs, tag names and up to fourteen numbers.
const fixedText = 256

// cigarLetters are the operations in the order of hts.CigarOpType.
const cigarLetters = "MIDNSHP=XB??????"

// AppendText appends the line, with its line feed, to b:
//
//	QNAME FLAG RNAME POS MAPQ CIGAR RNEXT PNEXT TLEN SEQ QUAL, and the tags in the order of Tags
func (r *Record) AppendText(b []byte) []byte {
	// One check of the capacity, so that no append below has to move the line.
	b = slices.Grow(b, fixedText+len(r.Name)+len(r.Contig)+len(r.MateContig)+12*len(r.Cigar)+
		len(r.Bases)+len(r.Qualities)+r.tagRoom())

	b = appendOrStar(b, r.Name)
	b = append(b, '\t')
	b = strconv.AppendUint(b, uint64(r.Flags), 10)
	b = append(b, '\t')
	b = appendPlace(b, r.Contig, r.Contig, r.Pos)
	b = append(b, '\t')
	b = strconv.AppendUint(b, uint64(r.MapQ), 10)
	b = append(b, '\t')
	b = appendCigar(b, r.Cigar)
	b = append(b, '\t')
	mate := r.MateContig
	if mate != "" && mate == r.Contig {
		mate = "="
	}
	b = appendPlace(b, r.MateContig, mate, r.MatePos)
	b = append(b, '\t')
	b = strconv.AppendInt(b, int64(r.TemplateLength), 10)
	b = append(b, '\t')
	b = r.appendSequence(b)
	b = r.appendTags(b, Text)
	return append(b, '\n')
}

func appendOrStar(b []byte, s string) []byte {
	if s == "" {
		return append(b, '*')
	}
	return append(b, s...)
}

// appendPlace appends a contig, written as text, and a position.
func appendPlace(b []byte, contig, text string, pos int) []byte {
	if contig == "" {
		return append(b, "*\t0"...)
	}
	b = append(b, text...)
	b = append(b, '\t')
	return strconv.AppendInt(b, int64(pos)+1, 10)
}

func appendCigar(b []byte, cigar []hts.CigarOp) []byte {
	if len(cigar) == 0 {
		return append(b, '*')
	}
	for _, op := range cigar {
		b = strconv.AppendUint(b, uint64(op.Len()), 10)
		b = append(b, cigarLetters[op&15])
	}
	return b
}

func (r *Record) appendSequence(b []byte) []byte {
	if len(r.Bases) == 0 {
		return append(b, "*\t*"...)
	}
	b = append(b, r.Bases...)
	b = append(b, '\t')
	if len(r.Qualities) == 0 {
		return append(b, '*')
	}
	return append(b, r.Qualities...)
}

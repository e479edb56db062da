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
// contig and a position only where its mate has one, and no tag but RG.
type Record struct {
	Name   string // empty for '*'
	Flags  hts.Flags
	Contig string // empty for none
	Pos    int    // of the leftmost base; -1 for none, as without Contig
	MapQ   byte
	Cigar  []hts.CigarOp // empty for '*'
	// MateContig, MatePos and TemplateLength are RNEXT, PNEXT and TLEN: empty, -1
	// and 0 for a read without a mate.
	MateContig     string
	MatePos        int
	TemplateLength int
	// Bases and Qualities (the characters '!' to '~') are in the orientation of the
	// record. Empty for '*'; without bases there are no qualities.
	Bases, Qualities []byte

	EditDistance int    // NM
	Mismatches   []byte // MD
	Score        int    // AS
	// SecondScore is the score of the read's next best location (XS), when
	// HasSecondScore.
	SecondScore    int
	HasSecondScore bool
	// Hits is the number of the read's reported records (NH), and HitIndex the place
	// of this one among them from 1 (HI); both are left out when Hits is 0.
	Hits, HitIndex int
	ReadGroup      string // RG; empty for none
}

// fixedText is room for every part of a line whose length does not depend on the
// record: tabs, tag names and up to twelve numbers.
const fixedText = 256

// cigarLetters are the operations in the order of hts.CigarOpType.
const cigarLetters = "MIDNSHP=XB??????"

// AppendText appends the line, with its line feed, to b:
//
//	QNAME FLAG RNAME POS MAPQ CIGAR RNEXT PNEXT TLEN SEQ QUAL NM MD AS XS NH HI RG
func (r *Record) AppendText(b []byte) []byte {
	// One check of the capacity, so that no append below has to move the line.
	b = slices.Grow(b, fixedText+len(r.Name)+len(r.Contig)+len(r.MateContig)+12*len(r.Cigar)+
		len(r.Bases)+len(r.Qualities)+len(r.Mismatches)+len(r.ReadGroup))

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
	if r.Flags&hts.Unmapped == 0 {
		b = r.appendTags(b)
	}
	if r.ReadGroup != "" {
		b = append(b, "\tRG:Z:"...)
		b = append(b, r.ReadGroup...)
	}
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

func (r *Record) appendTags(b []byte) []byte {
	b = append(b, "\tNM:i:"...)
	b = strconv.AppendInt(b, int64(r.EditDistance), 10)
	if len(r.Mismatches) > 0 {
		b = append(b, "\tMD:Z:"...)
		b = append(b, r.Mismatches...)
	}
	b = append(b, "\tAS:i:"...)
	b = strconv.AppendInt(b, int64(r.Score), 10)
	if r.HasSecondScore {
		b = append(b, "\tXS:i:"...)
		b = strconv.AppendInt(b, int64(r.SecondScore), 10)
	}
	if r.Hits > 0 {
		b = append(b, "\tNH:i:"...)
		b = strconv.AppendInt(b, int64(r.Hits), 10)
		b = append(b, "\tHI:i:"...)
		b = strconv.AppendInt(b, int64(r.HitIndex), 10)
	}
	return b
}

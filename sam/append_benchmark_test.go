package sam

import (
	"testing"

	hts "github.com/biogo/hts/sam"
)

// BenchmarkAppend writes the kinds of records that a run has: of a single read, of a mate with
// every tag, of a secondary location without bases, and of a read without a location.
func BenchmarkAppend(b *testing.B) {
	single := sample(b)
	mate := sample(b)
	mate.Flags |= hts.Paired | hts.Read1
	mate.MateContig, mate.MateContigIndex, mate.MatePos, mate.TemplateLength = "chr12", 0, 123457000, 312
	mate.MateCigar, mate.MateMapQ, mate.HasMateMapQ = cigar(b, "100M"), 60, true
	mate.Rescued, mate.Discordant = true, "far"
	secondary := single
	secondary.Flags |= hts.Secondary
	secondary.Bases, secondary.Qualities = nil, nil
	unmapped := Record{
		Name: single.Name, Flags: hts.Unmapped, Pos: -1, MatePos: -1,
		Bases: single.Bases, Qualities: single.Qualities, ReadGroup: single.ReadGroup,
	}
	for _, e := range []struct {
		name     string
		encoding Encoding
	}{{"text", Text}, {"binary", Binary}} {
		for _, r := range []struct {
			name   string
			record Record
		}{{"single", single}, {"mate", mate}, {"secondary", secondary}, {"unmapped", unmapped}} {
			b.Run(e.name+"/"+r.name, func(b *testing.B) {
				buffer := make([]byte, 0, 4096)
				b.SetBytes(int64(len(r.record.Append(buffer, e.encoding))))
				b.ReportAllocs()
				for b.Loop() {
					buffer = r.record.Append(buffer[:0], e.encoding)
				}
			})
		}
	}
}

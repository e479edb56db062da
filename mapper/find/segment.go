package find

import "scanmap/dna"

// A segment is the unit of parallel work on the reference: the positions
// [from, to) of one contig.
type segment struct {
	contig   uint32
	from, to int32
}

// segmentBases is the length of a segment. It is large against what starting on
// one costs and small against the reference divided by the threads.
const segmentBases = 1 << 16

// cutReference covers all contigs with segments, in order.
func cutReference(ref *dna.Reference) []segment {
	segments := make([]segment, 0, len(ref.Contigs)+ref.Bases.Length/segmentBases)
	for c := range ref.Contigs {
		n := ref.Contigs[c].Length
		for from := 0; from < n; from += segmentBases {
			segments = append(segments, segment{uint32(c), int32(from), int32(min(from+segmentBases, n))})
		}
	}
	return segments
}

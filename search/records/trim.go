package records

import "scanmap/internal/parallel"

// Trimming cuts a read at each end near which a pattern lies with at most k edits: the stretch that
// the pattern fits, and the letters between the stretch and the end. At the 3' end it is the
// stretch of the reverse complement of the read, counted from its start. Among several stretches
// the one with the fewest edits counts, then the one with the fewest gaps, then the one nearest to
// the end (fit.go). In Split the pattern is the barcode of the record, in Filter the pattern with
// the fewest edits at this end, and of several the first. Only reads of records that have a pattern
// or a barcode are cut, and not the reads that Options.Mate leaves out.

// nearest is the pattern with the fewest edits near one end of a read, of several the first. The
// distance is none where there is no pattern.
type nearest struct{ pattern, distance int32 }

// add adds a pattern. They come in their order.
func (n *nearest) add(pattern, distance int32) {
	if distance < n.distance {
		*n = nearest{pattern, distance}
	}
}

// A cut is how many letters are cut off the start and off the end of a read.
type cut struct{ five, three int32 }

// of returns the letters, or qualities, that are left. Where both ends overlap there are none.
func (c cut) of(letters []byte) []byte {
	if letters == nil {
		return nil
	}
	from := min(int(c.five), len(letters))
	return letters[from:max(from, len(letters)-int(c.three))]
}

// A trimmer cuts the reads of batches.
type trimmer struct {
	options *Options
	most    int // edits
	sets    [][]uint8
	fits    []fitter // of each thread
}

// newTrimmer makes a trimmer for patterns with at most k edits, given as sets of bases.
func newTrimmer(o *Options, k int, sets [][]uint8) *trimmer {
	return &trimmer{options: o, most: k, sets: sets, fits: make([]fitter, o.Search.Threads)}
}

// trim cuts the reads of a batch, if that is wanted, by the pattern that pattern gives for a contig
// of a record, -1 for none.
func (t *trimmer) trim(b *batch, pattern func(record, contig int) int) {
	if !t.options.Trim {
		return
	}
	b.cuts = append(b.cuts[:0], make([]cut, len(b.reads))...)
	parallel.Ranges(t.options.Search.Threads, len(b.owner), 256, func(worker, from, to int) {
		for contig := from; contig < to; contig++ {
			if int(b.nearest[contig].distance) > t.most {
				continue // no pattern is there
			}
			read := int(b.owner[contig])
			p := pattern(read/b.width, contig)
			if p < 0 {
				continue
			}
			n := t.covered(&t.fits[worker], b, contig, p)
			if b.atThree(t.options, contig) {
				b.cuts[read].three = n
			} else {
				b.cuts[read].five = n
			}
		}
	})
	for i, c := range b.cuts {
		if c != (cut{}) {
			r := &b.reads[i]
			r.Bases, r.Qualities = c.of(r.Bases), c.of(r.Qualities)
		}
	}
}

// covered is how many letters of a contig a pattern covers, with those before it; 0 if it is not
// there.
func (t *trimmer) covered(f *fitter, b *batch, contig, pattern int) int32 {
	place := &b.ref.Contigs[contig]
	f.codes = b.ref.Bases.AppendCodes(f.codes[:0], place.Start, place.End())
	fit := f.edits
	if t.options.Search.Substitutions {
		fit = f.substitutions
	}
	d, end := fit(t.sets[pattern], t.options.Within)
	if d > t.most {
		return 0
	}
	return int32(end)
}

// atThree tells that a contig is of the 3' end of its read.
func (b *batch) atThree(o *Options, contig int) bool {
	return o.End == Three || o.End == Both && contig > 0 && b.owner[contig-1] == b.owner[contig]
}

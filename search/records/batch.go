package records

import (
	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/search"
)

// A batch is the reads of some neighbouring records, and their findings.
type batch struct {
	reads []fasta.Read // the mates of a record are neighbours
	width int          // reads of a record
	ref   dna.Reference
	owner []int32 // the read of each contig
	// nearest is the best pattern of each contig, cuts the letters cut off each read; both for
	// Options.Trim alone.
	nearest []nearest
	cuts    []cut
	// best has the fewest edits of a pattern in each record, none without one; choices its barcode.
	best    []int32
	choices []choice
	// err is what ended the input after these records.
	err error
}

func (b *batch) records() int { return len(b.reads) / b.width }

// A packer makes a text of reads.
type packer struct {
	options *Options
	// gap is the least number of positions between contigs, one more than the most edits: then no end
	// is found that the locator would have to refuse because its alignment begins in another read.
	gap int
	// window is the most letters of a read that are searched near an end.
	window  int
	reverse []byte
}

// newPacker makes a packer for patterns that have at most k edits.
//
// A stretch that starts at most Within letters from the start of a read, and is within k edits of a
// pattern of m letters, has at most m + k letters. It therefore lies in the first Within + m + k
// letters: no others have to be searched.
func newPacker(o *Options, k int) *packer {
	p := &packer{options: o, gap: k + 1}
	for i := range o.Patterns {
		p.window = max(p.window, o.Within+len(o.Patterns[i].Letters)+k)
	}
	return p
}

// pack makes the text of a batch.
func (p *packer) pack(b *batch) *search.Text {
	b.ref.Reset()
	b.owner = b.owner[:0]
	o := p.options
	for i := range b.reads {
		if b.width == 2 && o.Mate > 0 && i%2 != o.Mate-1 {
			continue
		}
		bases := b.reads[i].Bases
		if o.Within == Anywhere {
			p.add(b, i, bases)
			continue
		}
		n := min(p.window, len(bases))
		if o.End != Three {
			p.add(b, i, bases[:n])
		}
		if o.End != Five {
			p.reverse = dna.AppendReverseComplement(p.reverse[:0], bases[len(bases)-n:])
			p.add(b, i, p.reverse)
		}
	}
	b.ref.Finish()
	return search.NewDNA(&b.ref)
}

// add adds letters of a read as a contig.
func (p *packer) add(b *batch, read int, letters []byte) {
	if len(letters) > 0 {
		b.ref.AppendUnnamed(letters, p.gap)
		b.owner = append(b.owner, int32(read))
	}
}

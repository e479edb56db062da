package fasta

import (
	"slices"

	"scanmap/dna"
)

// bulkLetters is the number of letters that are packed at a time, whole words of a sequence: they
// stay in the first cache.
const bulkLetters = 256 * dna.WordBases

// bulkReference packs blocks that are strictly regular (bulk.go). One goroutine uses it.
type bulkReference struct {
	letters []byte   // of the last fragment without the ends of lines, not packed yet
	packed  fragment // the letters before; its planes are used again
	out     []fragment
	planes  []uint64 // for the fragments of out, as long as they last
	// spare has planes of whole blocks to be used again; nil if none are.
	spare <-chan []uint64
}

// parse packs a block. ok is false if the block is not regular.
func (p *bulkReference) parse(b block) (result parsedBlock, ok bool) {
	if p.letters == nil {
		p.letters = make([]byte, 0, bulkLetters)
	}
	select {
	case p.planes = <-p.spare:
	default:
		p.planes = nil
	}
	// A block of one contig has room in them.
	if words := 3 * (dna.Words(len(b.text)) + 1); len(p.planes) < words {
		p.planes = make([]uint64, words)
	}
	result.planes = p.planes
	p.letters = p.letters[:0]
	p.out = nil
	midLine := b.midLine
	if midLine || b.text[0] != '>' {
		p.start(fragment{})
	}
	for text := b.text; len(text) > 0; midLine = false {
		line, n := cutLine(text)
		text = text[n:]
		line = trimLine(line)
		switch {
		case len(line) == 0:
			continue
		case line[0] != '>' || midLine: // then '>' is refused as a base
			ok = p.bases(line)
		default:
			ok = p.header(line)
		}
		if !ok {
			return parsedBlock{}, false
		}
	}
	ok = p.end()
	result.fragments = p.out
	return result, ok
}

// header ends a fragment, if there is one, and starts the first fragment of a contig.
func (p *bulkReference) header(line []byte) bool {
	word, rest, ok := splitHeader(line)
	if !ok || len(p.out) > 0 && !p.end() {
		return false
	}
	p.start(fragment{start: true, name: string(word), comment: string(rest)})
	return true
}

// start starts a fragment: all is known except the bases.
func (p *bulkReference) start(f fragment) {
	f.wrongAt = -1
	p.out = append(p.out, f)
	p.packed.bases.Reset()
	p.packed.exceptions, p.packed.wrongAt = nil, -1
}

// bases adds a line of bases to the last fragment.
func (p *bulkReference) bases(line []byte) bool {
	for len(line) > 0 {
		n := copy(p.letters[len(p.letters):cap(p.letters)], line)
		p.letters = p.letters[:len(p.letters)+n]
		line = line[n:]
		if len(p.letters) == cap(p.letters) && !p.pack() {
			return false
		}
	}
	return true
}

// pack packs the letters, and returns false if one byte is no letter.
func (p *bulkReference) pack() bool {
	p.packed.append(p.letters)
	p.letters = p.letters[:0]
	return p.packed.wrongAt < 0
}

// end completes the last fragment with the packed bases.
func (p *bulkReference) end() bool {
	if !p.pack() {
		return false
	}
	f := &p.out[len(p.out)-1]
	if words := 3 * dna.Words(p.packed.bases.Length); words <= len(p.planes) {
		f.use(p.planes[:words:words])
		p.planes = p.planes[words:]
	} else {
		f.reserve(p.packed.bases.Length)
	}
	f.bases.AppendSequence(&p.packed.bases)
	f.exceptions = slices.Clip(p.packed.exceptions)
	return true
}

// Package kernels holds what runs on a GPU: CUDA sources, their PTX, which is compiled in advance
// and embedded, and in Go the constants and parameters that launches need.
//
// Each kernel takes one struct by value, p, which holds what it reads, what it writes and how much
// of each there is; addresses on the device are words of 64 bits. The sources declare these
// structs, and tools/makekernels writes the same layouts, the constants whose lines say
// "exported" and the list of the kernels to parameters.go. `make kernels` does that and compiles.
// The first line of each PTX has a hash of its source, of the headers that this includes, and of
// the compiler's flags. The driver compiles PTX for the device that it finds.
//
// The headers:
//
//   - language.cuh: types, and the operations that CUDA's headers would declare
//   - map.cuh: the text and the reads of scanmap map
//   - local.cuh: bounds of what local locations lose beside a piece
//   - pieces.cuh: codes of pieces, their groups and entries, and the filter in front of the table
//   - diagonals.cuh: comparisons of a read with the text on a diagonal
//   - sort.cuh: sorting of what belongs to one read
//   - locations.cuh: locations and their alignments, as the host reads them
//   - search.cuh: the text of scanmap search, and its hits
//   - automata.cuh: vectors and masks of bit-parallel automata
//
// The files of kernels. A comment in each says how it works:
//
//   - pack.cu: the text as the kernels of scanmap map read it
//   - sum.cu: running sums
//   - table.cu: the pieces of a batch by their codes, with the bases beside them, and the filter
//   - skim.cu: one pass over the text finds hits, which are judged and become candidates
//   - verify.cu: candidates become locations or windows
//   - lead.cu: candidates of local locations that lead to nothing are dropped
//   - align.cu: windows become locations with their alignments
//   - keep.cu: locations that will not be written are counted and left out
//   - order.cu: the other locations are brought together by read, in order
//   - share.cu: depth, where it is counted instead of writing records
//   - deflate.cu: blocks of BGZF are compressed
//   - scan.cu: the exhaustive engine, every position for every read
//   - letters.cu: the text of scanmap search, and the hits of kernels that mark letters
//   - shiftor.cu, wumanber.cu: bit-parallel automata, by scans and by segments
//   - packed.cu: the same automata on bit planes
//   - planes.cu: 32 places at a time on bit planes
//   - neighbours.cu: all needles at once, by a table of words near their pieces
//   - rabinkarp.cu: fingerprints of windows
//   - witness.cu: duels between places of the text
//   - levenshtein.cu: the matrix of edit distances, by diagonals and by rows
//   - bruteforce.cu: the pattern at every place
//   - ceilings.cu: what a GPU can do at best, for `scanmap bench device`
package kernels

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed ptx/*.ptx
var ptx embed.FS

// An Entry is a kernel.
type Entry struct {
	Name           string // in the PTX
	File           string // the module that has it, as PTX takes it
	ParameterBytes int    // size of its struct
	Threads        int    // of a block
}

// PTX returns a module: the kernels of one file, named as the source is without .cu.
func PTX(name string) ([]byte, error) {
	b, err := ptx.ReadFile("ptx/" + name + ".ptx")
	if err != nil {
		return nil, fmt.Errorf("kernels: %w", err)
	}
	return b, nil
}

// Names returns the names of the modules, sorted.
func Names() []string {
	files, err := ptx.ReadDir("ptx")
	if err != nil {
		return nil // go:embed would not have built without the folder
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".ptx"))
	}
	return names
}

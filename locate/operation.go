package locate

import "strconv"

// An Operation is a run of one kind in an alignment.
type Operation struct {
	Kind   OperationKind
	Length int32
}

// OperationKind is the kind of an Operation. Insertion and deletion are as in SAM: an insertion is
// a base of the read that the reference lacks.
type OperationKind uint8

// The kinds of operations, and the bases that each consumes:
//
//	            read  reference
//	Diagonal     yes     yes      match or mismatch
//	Insertion    yes     no
//	Deletion     no      yes
//	Clip         yes     no       bases before or after a local alignment
const (
	Diagonal OperationKind = iota
	Insertion
	Deletion
	Clip
)

// letters are the letters of the kinds in CIGAR, where M is a match or a mismatch.
const letters = "MIDS"

// AppendCIGAR appends operations as SAM writes them, such as 3M1D5M.
func AppendCIGAR(dst []byte, operations []Operation) []byte {
	for _, o := range operations {
		dst = append(strconv.AppendInt(dst, int64(o.Length), 10), letters[o.Kind])
	}
	return dst
}

// EditCost is the cost of an edit where an inserted or deleted base costs 1 more, so that the least
// cost has the fewest edits first and the fewest gaps second. It exceeds any number of gap bases
// that is compared.
const EditCost = 1 << 15

// AppendRuns appends the operations of a path, which has one element for each base, to runs.
func AppendRuns(runs []Operation, path []OperationKind) []Operation {
	for i := 0; i < len(path); {
		n := i + 1
		for n < len(path) && path[n] == path[i] {
			n++
		}
		runs = append(runs, Operation{path[i], int32(n - i)})
		i = n
	}
	return runs
}

// ShiftLeft moves each gap of a path left as far as it goes without changing what any other base is
// aligned with. Gaps of one kind that meet become one, and go on.
//
//	read  ACAAAT      path  DDDDDxD (x: deletion)
//	text  ACAAAAT     becomes DDxDDDD
//
// alike tells whether a gap of gap bases may move left by one base. q bases of the read and r of
// the text, counted from the start of the alignment, come before it. It may if the base before the
// gap equals the last base of the gap: of the text for a deletion, of the read for an insertion.
func ShiftLeft(path []OperationKind, alike func(kind OperationKind, q, r, gap int) bool) {
	q, r := 0, 0 // bases of the read and of the text before path[i]
	for i := 0; i < len(path); {
		kind := path[i]
		if kind == Diagonal {
			q, r, i = q+1, r+1, i+1
			continue
		}
		n := i + 1
		for n < len(path) && path[n] == kind {
			n++
		}
		// The gap is path[from:from+gap]; fq and fr are the bases before it.
		gap, from, fq, fr := n-i, i, q, r
		for from > 0 && (path[from-1] == kind || path[from-1] == Diagonal) {
			if path[from-1] == kind { // it met a gap of its kind: they are one now
				from, gap = from-1, gap+1
				if kind == Insertion {
					fq--
				} else {
					fr--
				}
				continue
			}
			if !alike(kind, fq, fr, gap) {
				break
			}
			path[from-1], path[from+gap-1] = kind, Diagonal
			from, fq, fr = from-1, fq-1, fr-1
		}
		if kind == Insertion {
			q += n - i
		} else {
			r += n - i
		}
		i = n
	}
}

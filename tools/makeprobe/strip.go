package main

import (
	. "github.com/mmcloughlin/avo/build" //nolint:revive // avo's programs read as assembly
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// stripRows is the number of rows of a strip, cells of 16 bits in a vector.
const stripRows = 16

// strip writes stripAVX2. In each step the cell of each row is one column before the cell of the
// row above. A cell therefore takes from above the result of the step before, in the next lane of
// the vector. The first lane takes the cells of the last strip.
func strip() {
	begun := GLOBL("stripBegun", RODATA|NOPTR)
	for i := range 2 * stripRows {
		mask := uint16(0)
		if i < stripRows {
			mask = 1<<16 - 1
		}
		DATA(2*i, U16(mask))
	}
	TEXT("stripAVX2", NOSPLIT, "func(first *uint16, part, columns uint64, rows *[3][16]uint16, costs *[7][16]uint16, scores *uint16)")
	Pragma("noescape")
	Doc("stripAVX2 is stripPlain for processors with AVX2, but that it changes cells beside the columns and",
		"scores of other columns. first is the first column in the first part, and part the number of",
		"bytes from there to the next part.")
	bases := Load(Param("first"), GP64())
	part := Load(Param("part"), GP64())
	columns := Load(Param("columns"), GP64())
	rows, costs := Load(Param("rows"), GP64()), Load(Param("costs"), GP64())
	scores := Load(Param("scores"), GP64())
	var parts [4]GPVirtual // scores, gaps, leaps, highest
	before := bases.(GPVirtual)
	for i := range parts {
		parts[i] = GP64()
		LEAQ(Mem{Base: before, Index: part, Scale: 1}, parts[i])
		before = parts[i]
	}
	cost := func(i int) Mem { return Mem{Base: costs, Disp: 2 * stripRows * i} }
	codes, within, open, capped := YMM(), YMM(), YMM(), YMM()
	VMOVDQU(Mem{Base: rows}, codes)
	VMOVDQU(Mem{Base: rows, Disp: 2 * stripRows}, within)
	VMOVDQU(cost(2), open)
	VMOVDQU(cost(5), capped)

	// corner is the score of the cell above on the left. gap and best are of the column before, and
	// above has the score, gap, leap and highest score of the row above.
	corner, gap, best := YMM(), YMM(), YMM()
	above := [4]VecVirtual{YMM(), YMM(), YMM(), YMM()}
	x := YMM()
	for _, v := range append(above[:], gap, best, x) {
		VPXOR(v, v, v)
	}
	word := GP32()
	MOVWLZX(Mem{Base: parts[0], Disp: 2}, word)
	VMOVD(word, corner.AsX())

	step := func(started Mem, stores bool) {
		for i, v := range above {
			VMOVDQU(Mem{Base: parts[i], Disp: -14}, x.AsX())
			VINSERTI128(Imm(1), v.AsX(), x, x)
			VPALIGNR(Imm(14), x, v, v)
		}
		score := YMM()
		VPCMPEQW(Mem{Base: bases}, codes, score)
		VPAND(cost(0), score, score)
		VPADDUSW(corner, score, score)
		VPSUBUSW(cost(1), score, score)
		VMOVDQA(above[0], corner)
		VPSUBUSW(open, corner, x)
		VPMAXUW(x, above[1], above[1])
		VPSUBUSW(cost(3), above[1], above[1])
		VPMAXUW(corner, above[2], above[2])
		VPADDUSW(cost(4), above[2], above[2])
		VPMAXUW(above[1], score, score)
		VPMAXUW(gap, score, score)
		VPMAXUW(above[2], best, x)
		VPSUBUSW(capped, x, x)
		VPMAXUW(x, score, score)
		VPAND(within, score, score)
		if !stores {
			VPAND(started, score, score)
		}
		VPSUBUSW(open, score, x)
		VPMAXUW(x, gap, gap)
		VPSUBUSW(cost(6), gap, gap)
		VPMAXUW(score, best, best)
		VPMAXUW(score, above[3], above[3])
		VMOVDQA(score, above[0])
		VMOVDQU(score, Mem{Base: scores})
		ADDQ(Imm(2*stripRows), scores)
		if stores {
			// The last row has its column at the end. The others' columns are stored over again.
			for i, v := range above {
				VMOVDQU(v, Mem{Base: parts[i]})
			}
		}
		for _, p := range append(parts[:], bases.(GPVirtual)) {
			SUBQ(Imm(2), p)
		}
	}
	Comment("Rows begin one after the other.")
	from, mask := GP64(), GP64()
	LEAQ(begun, mask)
	MOVQ(U32(2*(stripRows-1)), from)
	Label("stripBegins")
	step(Mem{Base: mask, Index: from, Scale: 1}, false)
	SUBQ(Imm(2), from)
	JG(LabelRef("stripBegins"))
	Label("stripGoesOn")
	step(Mem{}, true)
	DECQ(columns)
	JNZ(LabelRef("stripGoesOn"))

	VMOVDQU(best, Mem{Base: rows, Disp: 4 * stripRows})
	Comment("The columns after the last one have no scores.")
	zero := XMM()
	VPXOR(zero, zero, zero)
	for _, p := range parts {
		VMOVDQU(zero, Mem{Base: p, Disp: 2})
		VMOVDQU(zero, Mem{Base: p, Disp: 16})
	}
	VZEROUPPER()
	RET()
}

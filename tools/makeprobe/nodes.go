package main

import (
	. "github.com/mmcloughlin/avo/build" //nolint:revive // avo's programs read as assembly
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Where a piece and diagonals have their parts, in bytes (mapper/find/nodes.go).
const (
	pieceHigh       = 16
	nearShift       = 48
	farShift        = 54
	editsShift      = 4 // in the bytes nearEdits and farEdits
	nearEdits       = 7
	noNear          = 1 << 6 // there
	farEdits        = 15
	diagonalBytes   = 16
	spreadDiagonals = 20
	someDiagonals   = 10
	nearDiagonals   = 8
)

// nodes writes nodesAVX2, which compares both sides of a piece on two diagonals at a time.
func nodes(allBits, sixBits Mem) {
	TEXT("nodesAVX2", NOSPLIT, "func(pieces *[4]uint64, fitting uint64, around *[80]uint64) uint64")
	Pragma("noescape")
	Doc("nodesAVX2 is nodesPlain for processors with AVX2.")
	pieces := Load(Param("pieces"), GP64())
	fitting := Load(Param("fitting"), GP64())
	around := Load(Param("around"), GP64())
	left := GP64()
	MOVQ(fitting, left)
	ones, six := YMM(), YMM()
	VMOVDQU(allBits, ones)
	VMOVDQU(sixBits, six)

	Label("next")
	which, at := nextPiece(pieces, fitting, "done")
	low, high := YMM(), YMM()
	VBROADCASTI128(Mem{Base: at}, low)
	VBROADCASTI128(Mem{Base: at, Disp: pieceHigh}, high)
	// node jumps to refuse, or goes on, with a number of diagonals, and steps one more than edits.
	node := func(shift uint64, most Register, wide, steps int) {
		outside := outsideNode(low, shift, six, ones)
		differ := make([]VecVirtual, wide/2)
		other := YMM()
		for i := range differ {
			x, disp := YMM(), diagonalBytes*((spreadDiagonals-wide)/2+2*i)
			VPXOR(Mem{Base: around, Disp: disp}, low, x)
			VPXOR(Mem{Base: around, Disp: diagonalBytes*spreadDiagonals + disp}, high, other)
			VPOR(other, x, x)
			VPANDN(x, outside, x)
			differ[i] = x
		}
		through, ended := YMM(), YMM() // ended counts the steps in which a side had come to its end
		VPXOR(ended, ended, ended)
		for step := range steps {
			for i, x := range differ {
				to := other
				if i == 0 {
					to = through
				}
				VPADDQ(ones, x, to)
				VPXOR(x, to, to)
				if i > 0 {
					VPOR(other, through, through)
				}
			}
			VPERMQ(Imm(0x4e), through, other)
			VPOR(other, through, through)
			VPCMPEQQ(ones, through, other)
			VPSUBQ(other, ended, ended)
			if step < steps-1 {
				for _, x := range differ {
					VPANDN(x, through, x)
				}
			}
			if step != steps/2 && step != steps-1 {
				continue
			}
			a, b := GP64(), GP64()
			VMOVQ(ended.AsX(), a)
			VPEXTRQ(Imm(1), ended.AsX(), b)
			ADDQ(b, a)
			NEGQ(a)
			ADDQ(Imm(uint64(2*(step+1))), a) // the bases left out
			CMPQ(a, most)
			JA(LabelRef("refuse"))
		}
	}
	edits := func(disp int, mask uint64) GPVirtual {
		most := GP64()
		MOVBQZX(Mem{Base: at, Disp: disp}, most)
		SHRQ(Imm(editsShift), most)
		if mask != 0 {
			ANDQ(Imm(mask), most)
		}
		return most
	}
	TESTB(Imm(noNear), Mem{Base: at, Disp: nearEdits})
	JNZ(LabelRef("far"))
	node(nearShift, edits(nearEdits, 3), nearDiagonals, nearDiagonals/2)
	Label("far")
	most := edits(farEdits, 0)
	CMPQ(most, Imm(someDiagonals/2))
	JAE(LabelRef("wide"))
	node(farShift, most, someDiagonals, someDiagonals/2)
	JMP(LabelRef("next"))
	Label("wide")
	node(farShift, most, spreadDiagonals, spreadDiagonals/2)
	JMP(LabelRef("next"))
	Label("refuse")
	BTRQ(which, left)
	JMP(LabelRef("next"))

	Label("done")
	VZEROUPPER()
	Store(left, ReturnIndex(0))
	RET()
}

// winning writes winningAVX2, which looks at both sides of a piece on two diagonals at a time.
func winning(allBits, sixBits Mem) {
	TEXT("winningAVX2", NOSPLIT, "func(pieces *[4]uint64, fitting uint64, around *[80]uint64, wins *[64]uint64)")
	Pragma("noescape")
	Doc("winningAVX2 is winningPlain for processors with AVX2.")
	pieces := Load(Param("pieces"), GP64())
	fitting := Load(Param("fitting"), GP64())
	around := Load(Param("around"), GP64())
	wins := Load(Param("wins"), GP64())
	ones, six, none := YMM(), YMM(), YMM()
	VMOVDQU(allBits, ones)
	VMOVDQU(sixBits, six)
	VPXOR(none, none, none)

	Label("next")
	which, at := nextPiece(pieces, fitting, "done")
	low, high := YMM(), YMM()
	VBROADCASTI128(Mem{Base: at}, low)
	VBROADCASTI128(Mem{Base: at, Disp: pieceHigh}, high)
	outside := outsideNode(low, nearShift, six, ones)
	lost := GP64() // a bit for each side of a diagonal where nothing wins, from the last one down
	XORQ(lost, lost)
	for i := spreadDiagonals/2 - 1; i >= 0; i-- {
		equal, x, four, five := YMM(), YMM(), YMM(), YMM()
		VPXOR(Mem{Base: around, Disp: 2 * diagonalBytes * i}, low, equal)
		VPXOR(Mem{Base: around, Disp: diagonalBytes * (spreadDiagonals + 2*i)}, high, x)
		VPOR(x, equal, equal)
		VPOR(outside, equal, equal)
		VPXOR(ones, equal, equal)
		VPSRLQ(Imm(1), equal, x)
		VPAND(equal, x, four) // from each base on two are equal
		VPSRLQ(Imm(2), four, x)
		VPAND(four, x, four)
		VPSRLQ(Imm(4), equal, x)
		VPAND(four, x, five)
		VPSRLQ(Imm(3), four, x)
		VPAND(four, x, x)        // seven
		VPADDQ(five, five, four) // which begin one base earlier
		VPANDN(five, four, five) // where runs of five begin
		VPADDQ(ones, five, four) // five - 1
		VPAND(five, four, four)  // all but the first
		VPOR(four, x, x)
		VPCMPEQQ(none, x, x)
		bits := GP32()
		VMOVMSKPD(x, bits)
		SHLQ(Imm(4), lost)
		ORQ(bits.As64(), lost)
	}
	NOTQ(lost)
	SHLQ(Imm(64-2*spreadDiagonals), lost)
	SHRQ(Imm(64-2*spreadDiagonals), lost)
	MOVQ(lost, Mem{Base: wins, Index: which, Scale: 8})
	JMP(LabelRef("next"))

	Label("done")
	VZEROUPPER()
	RET()
}

// outsideNode returns a bit for each base on both sides of a piece that is not in a node. The low
// words of the piece have the bases of the node from bit shift on.
func outsideNode(low Register, shift uint64, six, ones Register) Register {
	outside := YMM()
	VPSRLQ(Imm(shift), low, outside)
	VPAND(six, outside, outside)
	VPSLLVQ(outside, ones, outside)
	return outside
}

// spreadSides writes spreadAVX2, which moves both sides by two bases at a time.
func spreadSides() {
	all := constant("allShifts", func(int) uint64 { return 64 })
	two := constant("twoShifts", func(int) uint64 { return 2 })
	start := constant("firstShifts", func(i int) uint64 { return uint64(i / 2) })
	TEXT("spreadAVX2", NOSPLIT, "func(words *[8]uint64, d *[80]uint64)")
	Pragma("noescape")
	Doc("spreadAVX2 is spreadPlain for processors with AVX2.")
	words, d := Load(Param("words"), GP64()), Load(Param("d"), GP64())
	var word, next [2]VecVirtual
	for plane := range 2 {
		word[plane], next[plane] = YMM(), YMM()
		VBROADCASTI128(Mem{Base: words, Disp: 32 * plane}, word[plane])
		VBROADCASTI128(Mem{Base: words, Disp: 32*plane + 16}, next[plane])
	}
	right, left, step := YMM(), YMM(), YMM()
	VMOVDQU(start, right)
	VMOVDQU(all, left)
	VMOVDQU(two, step)
	VPSUBQ(right, left, left)
	for i := range spreadDiagonals / 2 {
		for plane := range 2 {
			x, y := YMM(), YMM()
			VPSRLVQ(right, word[plane], x)
			VPSLLVQ(left, next[plane], y)
			VPOR(y, x, x)
			VMOVDQU(x, Mem{Base: d, Disp: diagonalBytes * (plane*spreadDiagonals + 2*i)})
		}
		VPADDQ(step, right, right)
		VPSUBQ(step, left, left)
	}
	VZEROUPPER()
	RET()
}

// nextPiece takes the lowest bit out of the bits of some pieces, and returns its index and where
// its piece is. Without a bit it jumps to the label.
func nextPiece(pieces, from Register, done string) (which, at Register) {
	i, address := GP64(), GP64()
	TESTQ(from, from)
	JZ(LabelRef(done))
	TZCNTQ(from, i)
	BLSRQ(from, from)
	MOVQ(i, address)
	SHLQ(Imm(5), address) // pieceBytes each
	ADDQ(pieces, address)
	return i, address
}

// fetch writes fetchBMI, which has the processor fetch pieces into its cache.
func fetch() {
	TEXT("fetchBMI", NOSPLIT, "func(pieces *[4]uint64, fitting uint64)")
	Pragma("noescape")
	Doc("fetchBMI has the processor fetch the pieces of the bits of fitting, without waiting for them.")
	pieces := Load(Param("pieces"), GP64())
	fitting := Load(Param("fitting"), GP64())
	Label("next")
	_, at := nextPiece(pieces, fitting, "done")
	PREFETCHT0(Mem{Base: at})
	JMP(LabelRef("next"))
	Label("done")
	RET()
}

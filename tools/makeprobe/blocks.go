package main

import (
	. "github.com/mmcloughlin/avo/build" //nolint:revive // avo's programs read as assembly
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// changedBlocks writes changedBlocksAVX2 and the others of its kind.
func changedBlocks() {
	first := constant("firstDiagonals", func(i int) uint64 { return uint64(i) })
	four := constant("nextDiagonals", func(int) uint64 { return 4 })
	all := constant("wordBits", func(int) uint64 { return 64 })
	changed("changedBlocks", 2, first, four, all)
	changed("changedEights", 3, first, four, all)
	diagonalRuns(first, four, all)
	unchanged()
	restRow()
	lowered()
	strip()
}

// changed writes what compares blocks of 1 << size bases on four diagonals at a time.
func changed(name string, size uint64, first, four, all Mem) {
	TEXT(name+"AVX2", NOSPLIT,
		"func(low0, low1, high0, high1, low, high, amb, inside, width uint64) uint64")
	Doc(name + "AVX2 is " + name + "Plain for processors with AVX2.")
	low0, low1 := broadcast("low0"), broadcast("low1")
	high0, high1 := broadcast("high0"), broadcast("high1")
	low, high, amb, inside := broadcast("low"), broadcast("high"), broadcast("amb"), broadcast("inside")
	width := Load(Param("width"), GP64())
	last := GP64() // the greatest shift; lanes past the width repeat it
	LEAQ(Mem{Base: width, Disp: -1}, last)
	next := YMM()
	VMOVDQU(first, next)
	changed := YMM()
	VPCMPEQD(changed, changed, changed)

	label := name + "Diagonals"
	Label(label)
	right, left := YMM(), YMM()
	toAll(last, right)
	VPMINUD(right, next, right) // shifts are below 2^32
	VMOVDQU(all, left)
	VPSUBQ(right, left, left)
	window := func(word, after, of VecVirtual) VecVirtual {
		x, y := YMM(), YMM()
		VPSRLVQ(right, word, x)
		VPSLLVQ(left, after, y)
		VPOR(x, y, x)
		VPXOR(of, x, x)
		return x
	}
	x := window(low0, low1, low)
	VPOR(window(high0, high1, high), x, x)
	VPOR(amb, x, x)
	VPAND(inside, x, x)
	shifted := YMM()
	for i := range size {
		VPSRLQ(Imm(1<<i), x, shifted)
		VPOR(shifted, x, x)
	}
	VPAND(x, changed, changed)
	VPADDQ(four, next, next)
	SUBQ(Imm(4), width)
	JG(LabelRef(label))

	half := XMM()
	VEXTRACTI128(Imm(1), changed, half)
	VPAND(changed.AsX(), half, half)
	result, other := GP64(), GP64()
	VMOVQ(half, result)
	VPEXTRQ(Imm(1), half, other)
	ANDQ(other, result)
	VZEROUPPER()
	Store(result, ReturnIndex(0))
	RET()
}

// diagonalRuns writes diagonalRunsAVX2, which looks at four diagonals at a time.
func diagonalRuns(first, four, all Mem) {
	TEXT("diagonalRunsAVX2", NOSPLIT,
		"func(low0, low1, high0, high1, low, high, amb, inside, width uint64) (may, begin uint64)")
	Doc("diagonalRunsAVX2 is diagonalRunsPlain for processors with AVX2.")
	low0, low1 := broadcast("low0"), broadcast("low1")
	high0, high1 := broadcast("high0"), broadcast("high1")
	low, high, amb, inside := broadcast("low"), broadcast("high"), broadcast("amb"), broadcast("inside")
	width, shift := Load(Param("width"), GP64()), RCX
	may, begin := GP64(), GP64()
	XORQ(may, may)
	XORQ(begin, begin)
	XORQ(shift, shift)
	next, zero, ones := YMM(), YMM(), YMM()
	VMOVDQU(first, next)
	VPXOR(zero, zero, zero)
	VPCMPEQD(ones, ones, ones)

	Label("runs")
	left := YMM()
	VMOVDQU(all, left)
	VPSUBQ(next, left, left)
	window := func(word, after, of VecVirtual) VecVirtual {
		x, y := YMM(), YMM()
		VPSRLVQ(next, word, x)
		VPSLLVQ(left, after, y)
		VPOR(x, y, x)
		VPXOR(of, x, x)
		return x
	}
	x := window(low0, low1, low)
	VPOR(window(high0, high1, high), x, x)
	VPOR(amb, x, x)
	VPANDN(inside, x, x) // equal bases
	shifted, four4, five := YMM(), YMM(), YMM()
	VPSRLQ(Imm(1), x, shifted)
	VPAND(x, shifted, shifted)
	VPSRLQ(Imm(2), shifted, four4)
	VPAND(shifted, four4, four4)
	VPSRLQ(Imm(4), x, five)
	VPAND(four4, five, five)
	VPSRLQ(Imm(3), four4, shifted)
	VPAND(four4, shifted, shifted) // runs of seven
	starts, fewer := YMM(), YMM()
	VPADDQ(five, five, starts)
	VPANDN(five, starts, starts)
	VPADDQ(ones, starts, fewer)
	VPAND(starts, fewer, fewer) // all but the first run of five
	VPOR(shifted, fewer, fewer)
	mask := GP32()
	add := func(v VecVirtual, to GPVirtual) {
		VPCMPEQQ(zero, v, v)
		VMOVMSKPD(v, mask)
		XORL(Imm(15), mask)
		SHLQ(CL, mask.As64())
		ORQ(mask.As64(), to)
	}
	add(fewer, may)
	add(five, begin)
	VPADDQ(four, next, next)
	ADDQ(Imm(4), shift)
	CMPQ(shift, width)
	JLT(LabelRef("runs"))

	// Lanes past the width count for nothing.
	NEGQ(width)
	ADDQ(Imm(64), width)
	MOVQ(width, shift)
	for _, to := range []GPVirtual{may, begin} {
		SHLQ(CL, to)
		SHRQ(CL, to)
	}
	VZEROUPPER()
	Store(may, ReturnIndex(0))
	Store(begin, ReturnIndex(1))
	RET()
}

// unchanged writes unchangedAVX2, which looks at one base of the piece on all diagonals at a time.
func unchanged() {
	TEXT("unchangedAVX2", NOSPLIT, "func(lowPlane, highPlane *uint64, shift, low, high, n uint64, equal *[4]uint64)")
	Pragma("noescape")
	Doc("unchangedAVX2 is unchangedPlain for processors with AVX2. The planes begin with the word of the",
		"first position, whose bit shift is, and have six words.")
	lowPlane, highPlane := Load(Param("lowPlane"), GP64()), Load(Param("highPlane"), GP64())
	shift, n := Load(Param("shift"), GP64()), Load(Param("n"), GP64())
	low, high := Load(Param("low"), GP64()), Load(Param("high"), GP64())
	differs, ones := YMM(), YMM()
	VPXOR(differs, differs, differs)
	VPCMPEQD(ones, ones, ones)

	Label("bases")
	right, left, rest := XMM(), XMM(), GP64()
	VMOVQ(shift, right)
	MOVQ(U32(64), rest)
	SUBQ(shift, rest)
	VMOVQ(rest, left)
	for _, of := range []struct{ plane, piece GPVirtual }{{lowPlane.(GPVirtual), low.(GPVirtual)}, {highPlane.(GPVirtual), high.(GPVirtual)}} {
		x, y, bit := YMM(), YMM(), GP64()
		VMOVDQU(Mem{Base: of.plane}, x)
		VMOVDQU(Mem{Base: of.plane, Disp: 8}, y)
		VPSRLQ(right, x, x)
		VPSLLQ(left, y, y) // a shift by 64 gives 0
		VPOR(x, y, x)
		MOVQ(of.piece, bit)
		ANDQ(Imm(1), bit)
		NEGQ(bit)
		base := YMM()
		toAll(bit, base)
		VPXOR(base, x, x)
		VPOR(x, differs, differs)
		SHRQ(Imm(1), of.piece)
	}
	DECQ(n)
	JZ(LabelRef("compared"))
	VPTEST(ones, differs)
	JCS(LabelRef("compared")) // all differ
	INCQ(shift)
	CMPQ(shift, Imm(64))
	JNE(LabelRef("bases"))
	XORQ(shift, shift)
	ADDQ(Imm(8), lowPlane)
	ADDQ(Imm(8), highPlane)
	JMP(LabelRef("bases"))

	Label("compared")
	VPXOR(ones, differs, differs)
	VMOVDQU(differs, Mem{Base: Load(Param("equal"), GP64())})
	VZEROUPPER()
	RET()
}

// restRow writes restRowAVX2, which takes eight diagonals at a time.
func restRow() {
	TEXT("restRowAVX2", NOSPLIT, "func(rows *[10]*int32, from, blocks uint64, most int32) (less, clipped, below uint64)")
	Pragma("noescape")
	Doc("restRowAVX2 is restRow for processors with AVX2.")
	rows, blocks := Load(Param("rows"), GP64()), Load(Param("blocks"), GP64())
	clip, one, zero := YMM(), YMM(), YMM()
	most := Load(Param("most"), GP32())
	VMOVD(most, clip.AsX())
	VPBROADCASTD(clip.AsX(), clip)
	VPCMPEQD(one, one, one) // -1
	VPXOR(zero, zero, zero)
	less, clipped, below := GP64(), GP64(), GP64()
	XORQ(less, less)
	XORQ(clipped, clipped)
	XORQ(below, below)
	offset, shift := Load(Param("from"), GP64()), RCX
	XORQ(shift, shift)

	Label("diagonals")
	row := func(i, beside int) Mem {
		at := GP64()
		MOVQ(Mem{Base: rows, Disp: 8 * i}, at)
		return Mem{Base: at, Index: offset, Scale: 4, Disp: 4 * beside}
	}
	d, i, b, known := YMM(), YMM(), YMM(), YMM()
	VMOVDQU(row(5, 1), d)
	VPMINSD(row(6, 1), d, d)
	VMOVDQU(d, row(1, 0))
	VMOVDQU(row(7, -1), i)
	VPMINSD(row(8, -1), i, i)
	VPADDD(one, i, i)
	VPMAXSD(zero, i, i)
	VMOVDQU(i, row(2, 0))
	VPMINSD(i, d, b)
	VPMINSD(row(9, 0), b, b)
	VPMINSD(clip, b, b)
	x := YMM()
	VMOVDQU(row(4, 0), x)
	VPADDD(one, x, x)
	VPMINUD(x, b, b) // -1 is the most
	VMOVDQU(row(3, 0), known)
	mask := GP32()
	add := func(v VecVirtual, to GPVirtual) {
		VMOVMSKPS(v, mask)
		SHLQ(CL, mask.As64())
		ORQ(mask.As64(), to)
	}
	VPCMPGTD(b, known, x)
	add(x, less)
	VPCMPEQD(clip, b, x)
	add(x, clipped)
	VPMINSD(known, b, b)
	VMOVDQU(b, row(0, 0))
	VPCMPGTD(b, clip, x)
	add(x, below)
	ADDQ(Imm(8), offset)
	ADDQ(Imm(8), shift)
	DECQ(blocks)
	JNZ(LabelRef("diagonals"))

	VZEROUPPER()
	Store(less, ReturnIndex(0))
	Store(clipped, ReturnIndex(1))
	Store(below, ReturnIndex(2))
	RET()
}

// lowered writes loweredAVX2, which takes eight numbers at a time.
func lowered() {
	TEXT("loweredAVX2", NOSPLIT, "func(row, from *int32, blocks uint64, less int32)")
	Pragma("noescape")
	Doc("loweredAVX2 is lowered for processors with AVX2.")
	row, from, blocks := Load(Param("row"), GP64()), Load(Param("from"), GP64()), Load(Param("blocks"), GP64())
	less, zero, x := YMM(), YMM(), YMM()
	VMOVD(Load(Param("less"), GP32()), less.AsX())
	VPBROADCASTD(less.AsX(), less)
	VPXOR(zero, zero, zero)
	offset := GP64()
	XORQ(offset, offset)

	Label("numbers")
	VMOVDQU(Mem{Base: from, Index: offset, Scale: 4}, x)
	VPSUBD(less, x, x)
	VPMAXSD(zero, x, x)
	VPMINSD(Mem{Base: row, Index: offset, Scale: 4}, x, x)
	VMOVDQU(x, Mem{Base: row, Index: offset, Scale: 4})
	ADDQ(Imm(8), offset)
	DECQ(blocks)
	JNZ(LabelRef("numbers"))

	VZEROUPPER()
	RET()
}

// broadcast loads a parameter into all lanes.
func broadcast(name string) VecVirtual {
	y := YMM()
	toAll(Load(Param(name), GP64()), y)
	return y
}

// toAll copies a word to all lanes.
func toAll(word Register, y VecVirtual) {
	x := XMM()
	VMOVQ(word, x)
	VPBROADCASTQ(x, y)
}

// constant makes a vector of four words.
func constant(name string, lane func(i int) uint64) Mem {
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 4 {
		DATA(8*i, U64(lane(i)))
	}
	return m
}

package main

import (
	. "github.com/mmcloughlin/avo/build" //nolint:revive // avo's programs read as assembly
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// changedBlocks writes changedBlocksAVX2, which compares on four diagonals at a time.
func changedBlocks() {
	first := constant("firstDiagonals", func(i int) uint64 { return uint64(i) })
	four := constant("nextDiagonals", func(int) uint64 { return 4 })
	all := constant("wordBits", func(int) uint64 { return 64 })
	TEXT("changedBlocksAVX2", NOSPLIT,
		"func(low0, low1, high0, high1, low, high, amb, inside, width uint64) uint64")
	Doc("changedBlocksAVX2 is changedBlocksPlain for processors with AVX2.")
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

	Label("diagonals")
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
	VPSRLQ(Imm(1), x, shifted)
	VPOR(shifted, x, x)
	VPSRLQ(Imm(2), x, shifted)
	VPOR(shifted, x, x)
	VPAND(x, changed, changed)
	VPADDQ(four, next, next)
	SUBQ(Imm(4), width)
	JG(LabelRef("diagonals"))

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

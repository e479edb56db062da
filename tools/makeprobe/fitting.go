package main

import (
	. "github.com/mmcloughlin/avo/build" //nolint:revive // avo's programs read as assembly
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Where a flank has its fields (mapper/find/groups.go).
const (
	flankBases  = 24
	flankLength = 48
	flankSide   = 53
	flankEdits  = 54
)

// fitting writes fittingAVX2, which judges four entries at a time. An entry is 16 bytes: its code,
// a number and its flank.
func fitting() {
	thirtyOne := constant("thirtyOne", func(int) uint64 { return 31 })
	minusOne := constant("minusOne", func(int) uint64 { return 1<<64 - 1 })
	none := constant("none", func(int) uint64 { return 0 })
	TEXT("fittingAVX2", NOSPLIT,
		"func(entries *[2]uint64, n, code, low, lowBefore, high, highBefore uint64) uint64")
	Pragma("noescape")
	Doc("fittingAVX2 is fittingPlain for processors with AVX2. It reads up to three entries past the last.")
	entries := Load(Param("entries"), GP64())
	n := Load(Param("n"), GP64())
	code := broadcast("code")
	low, lowBefore := broadcast("low"), broadcast("lowBefore")
	high, highBefore := broadcast("high"), broadcast("highBefore")
	result, done := GP64(), GP64()
	XORQ(result, result)
	XORQ(done, done)

	Label("entries")
	a, b := YMM(), YMM()
	VMOVDQU(Mem{Base: entries}, a)
	VMOVDQU(Mem{Base: entries, Disp: 32}, b)
	// Lanes are entries 0, 2, 1, 3 until the end.
	flank := YMM()
	VPUNPCKHQDQ(b, a, flank)
	side, l, h := YMM(), YMM(), YMM()
	VPSLLQ(Imm(63-flankSide), flank, side)
	VBLENDVPD(side, lowBefore, low, l)
	VBLENDVPD(side, highBefore, high, h)
	upper, outside := YMM(), YMM()
	VPSRLQ(Imm(flankBases), flank, upper)
	VPSRLQ(Imm(flankLength), flank, outside)
	VPAND(thirtyOne, outside, outside)
	all := YMM()
	VPCMPEQD(all, all, all)
	VPSLLVQ(outside, all, outside)
	other := YMM()
	// differing compares with the text's bases as shift moves them.
	differing := func(shift func(bases, to VecVirtual)) VecVirtual {
		x := YMM()
		shift(l, x)
		shift(h, other)
		VPXOR(flank, x, x)
		VPXOR(upper, other, other)
		VPOR(other, x, x)
		VPANDN(x, outside, x)
		return x
	}
	differ := differing(func(bases, to VecVirtual) { VMOVDQA(bases, to) })
	inserted := differing(func(bases, to VecVirtual) { VPSLLQ(Imm(1), bases, to) })
	deleted := differing(func(bases, to VecVirtual) { VPSRLQ(Imm(1), bases, to) })
	// through has all bits up to the first that differs, all if none does.
	through := YMM()
	VPADDQ(minusOne, differ, through)
	VPXOR(differ, through, through)
	exact := YMM()
	VPCMPEQQ(none, differ, exact)
	VPANDN(differ, through, differ)
	VPANDN(inserted, through, inserted)
	VPSRLQ(Imm(1), through, through)
	VPANDN(deleted, through, deleted)
	VPCMPEQQ(none, differ, differ)
	VPCMPEQQ(none, inserted, inserted)
	VPCMPEQQ(none, deleted, deleted)
	VPOR(inserted, differ, differ)
	VPOR(deleted, differ, differ)
	VPSLLQ(Imm(63-flankEdits), flank, other)
	VPAND(other, differ, differ)
	VPOR(exact, differ, differ)
	equal := YMM()
	VMOVDQU(Mem{Base: entries}, a)
	VMOVDQU(Mem{Base: entries, Disp: 32}, b)
	VPUNPCKLQDQ(b, a, equal)
	VPCMPEQD(code, equal, equal)
	VPSLLQ(Imm(32), equal, equal) // the sign tells whether codes are equal
	VPAND(equal, differ, differ)
	VPERMQ(Imm(0xd8), differ, differ)
	passed := GP32()
	VMOVMSKPD(differ, passed)
	wide := passed.As64()
	SHLXQ(done, wide, wide)
	ORQ(wide, result)
	ADDQ(Imm(64), entries)
	ADDQ(Imm(4), done)
	CMPQ(done, n)
	JL(LabelRef("entries"))
	VZEROUPPER()
	Store(result, ReturnIndex(0))
	RET()
}

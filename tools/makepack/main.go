// Command makepack writes the AVX2 version of packWords, which packs letters to planes, as Go
// assembly. Its plain twin is in dna/pack.go, where `go generate` calls it.
package main

import (
	. "github.com/mmcloughlin/avo/build" //nolint:revive // avo's programs read as assembly
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// vector is the number of letters in one vector, and word in one word of a plane.
const (
	vector = 32
	word   = 64
)

func main() {
	ConstraintExpr("amd64")
	// expected has the base whose lower four bits are the index, and a byte that is no letter
	// where there is none.
	expected := GLOBL("expected", RODATA|NOPTR)
	for i := range vector {
		letter := byte(0xff)
		for _, base := range []byte("ACGTU") {
			if int(base)&15 == i%16 {
				letter = base
			}
		}
		DATA(i, U8(letter))
	}
	TEXT("packWordsAVX2", NOSPLIT, "func(letters *byte, words uint64, low, high, ambiguous *uint64)")
	Doc("packWordsAVX2 is packWordsPlain for processors with AVX2: words words of each plane.")
	Pragma("noescape")
	letters, words := Load(Param("letters"), GP64()), Load(Param("words"), GP64())
	planes := [3]Register{
		Load(Param("low"), GP64()), Load(Param("high"), GP64()), Load(Param("ambiguous"), GP64()),
	}
	table, upper := YMM(), YMM()
	VMOVDQU(expected, table)
	// Every byte 0xdf, which drops the bit of lower case.
	x, n := XMM(), GP32()
	MOVL(U32(0xdfdfdfdf), n)
	VMOVD(n, x)
	VPBROADCASTD(x, upper)
	TESTQ(words, words)
	JZ(LabelRef("done"))

	Label("next")
	var bit1, bit2, known [2]GPVirtual
	for i := range word / vector {
		v, shifted, want := YMM(), YMM(), YMM()
		VMOVDQU(Mem{Base: letters, Disp: vector * i}, v)
		bit1[i], bit2[i], known[i] = GP32(), GP32(), GP32()
		VPSLLW(Imm(6), v, shifted)
		VPMOVMSKB(shifted, bit1[i])
		VPSLLW(Imm(5), v, shifted)
		VPMOVMSKB(shifted, bit2[i])
		VPSHUFB(v, table, want)
		VPAND(upper, v, v)
		VPCMPEQB(want, v, v)
		VPMOVMSKB(v, known[i])
	}
	low, high, good := join(bit1), join(bit2), join(known)
	XORQ(high, low)
	ANDQ(good, low)
	ANDQ(good, high)
	NOTQ(good)
	for i, plane := range []Register{low, high, good} {
		MOVQ(plane, Mem{Base: planes[i]})
		ADDQ(Imm(8), planes[i])
	}
	ADDQ(Imm(word), letters)
	DECQ(words)
	JNZ(LabelRef("next"))

	Label("done")
	VZEROUPPER()
	RET()
	Generate()
}

// join makes one word of two halves, the lower one first.
func join(halves [2]GPVirtual) GPVirtual {
	low, high := halves[0].As64().(GPVirtual), halves[1].As64().(GPVirtual)
	SHLQ(Imm(32), high)
	ORQ(high, low)
	return low
}

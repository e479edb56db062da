// Command makeprobe writes the AVX2 versions of inner loops as Go assembly. For mapper/find these
// are the loops of probeWindows, fitting, nodes, winning and spread, and for locate the loops of
// changedBlocks and strip. `go generate` calls it where their plain twins are.
package main

import (
	"flag"

	. "github.com/mmcloughlin/avo/build" //nolint:revive // avo's programs read as assembly
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// lanes is the number of windows in one vector of 32-bit codes, groups the number of
// vectors in a call.
const (
	lanes  = 8
	groups = 6
)

func main() {
	blocks := flag.Bool("blocks", false, "write those for locate in place of the others")
	flag.Parse()
	ConstraintExpr("amd64")
	if *blocks {
		changedBlocks()
	} else {
		probe()
		fitting()
		allBits := constant("allBits", func(int) uint64 { return 1<<64 - 1 })
		sixBits := constant("sixBits", func(int) uint64 { return 63 })
		nodes(allBits, sixBits)
		winning(allBits, sixBits)
		fetch()
		spreadSides()
	}
	Generate()
}

func probe() {
	lane := GLOBL("lane", RODATA|NOPTR)
	for i := range lanes {
		DATA(4*i, U32(uint32(i)))
	}
	TEXT("probeAVX2", NOSPLIT, "func(filter *uint64, shift, q uint64, multiplier uint32, low, high, lowC, highC uint64, codes *[48]uint32) uint64")
	Pragma("noescape")
	Doc("probeAVX2 is probePlain for processors with AVX2.")
	filter := Load(Param("filter"), GP64())
	codes := Load(Param("codes"), GP64())
	low, high := Load(Param("low"), GP64()), Load(Param("high"), GP64())
	lowC, highC := Load(Param("lowC"), GP64()), Load(Param("highC"), GP64())

	// Shift counts sit in vector registers; mask has the lowest q bits of each lane set.
	shift, q, rest := XMM(), XMM(), XMM()
	n := Load(Param("shift"), GP64())
	VMOVQ(n, shift)
	n = Load(Param("q"), GP64())
	VMOVQ(n, q)
	NEGQ(n)
	ADDQ(Imm(32), n)
	VMOVQ(n, rest) // 32 - q
	mask, ones, low5 := YMM(), YMM(), YMM()
	VPCMPEQD(ones, ones, ones)
	VPSRLD(rest, ones, mask)
	VPSRLD(Imm(27), ones, low5)
	multiplier := YMM()
	m := Load(Param("multiplier"), GP32())
	x := XMM()
	VMOVD(m, x)
	VPBROADCASTD(x, multiplier)
	iota := YMM()
	VMOVDQU(lane, iota)

	result := GP64()
	XORQ(result, result)
	for g := range groups {
		code := join(spread(low, g), spread(high, g), q, func(v VecVirtual) {
			VPSRLVD(iota, v, v)
			VPAND(mask, v, v)
		})
		complement := join(spreadTop(lowC, g), spreadTop(highC, g), q, func(v VecVirtual) {
			VPSLLVD(iota, v, v)
			VPSRLD(rest, v, v)
		})
		VPMINUD(code, complement, code)
		VMOVDQU(code, Mem{Base: codes, Disp: 4 * lanes * g})
		// The filter's bits: 32-bit word bit>>5 is fetched, and each bit moved to the sign.
		bit, word, take := YMM(), YMM(), YMM()
		hash, second, third := YMM(), YMM(), YMM()
		VPMULLD(multiplier, code, hash)
		VPSRLD(shift, hash, bit)
		index := YMM()
		VPSRLD(Imm(5), bit, index)
		VPCMPEQD(take, take, take)
		VPXOR(word, word, word)
		VPGATHERDD(take, Mem{Base: filter, Index: index, Scale: 4}, word)
		VPANDN(low5, bit, bit)
		VPANDN(low5, hash, second)
		VPSRLD(Imm(5), hash, third)
		VPANDN(low5, third, third)
		VPSLLVD(bit, word, bit)
		VPSLLVD(second, word, second)
		VPSLLVD(third, word, third)
		VPAND(bit, second, word)
		VPAND(third, word, word)
		passed := GP32()
		VMOVMSKPS(word, passed)
		wide := passed.As64()
		if g > 0 {
			SHLQ(Imm(uint64(lanes*g)), wide)
		}
		ORQ(wide, result)
	}
	VZEROUPPER()
	Store(result, ReturnIndex(0))
	RET()
}

// spread copies the 32 bits of a word from bit lanes*g on to all lanes.
func spread(word Register, g int) VecVirtual {
	part := GP64()
	MOVQ(word, part)
	if g > 0 {
		SHRQ(Imm(uint64(lanes*g)), part)
	}
	return toLanes(part)
}

// spreadTop copies the 32 bits of a word that end lanes*g bits below its top to all
// lanes.
func spreadTop(word Register, g int) VecVirtual {
	part := GP64()
	MOVQ(word, part)
	SHRQ(Imm(uint64(32-min(lanes*g, 32))), part)
	if lanes*g > 32 {
		SHLQ(Imm(uint64(lanes*g-32)), part)
	}
	return toLanes(part)
}

func toLanes(part GPVirtual) VecVirtual {
	x, y := XMM(), YMM()
	VMOVQ(part, x)
	VPBROADCASTD(x, y)
	return y
}

// join takes the windows out of the spread planes and puts the high bits above the q
// low ones.
func join(low, high VecVirtual, q VecVirtual, window func(VecVirtual)) VecVirtual {
	window(low)
	window(high)
	VPSLLD(q, high, high)
	VPOR(low, high, high)
	return high
}

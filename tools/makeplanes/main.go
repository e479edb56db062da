// Command makeplanes writes the AVX2 and AVX-512 versions of the inner loops of the method planes
// as Go assembly. Their plain twins, sweepPlain and foldPlain, are in search/sweep.go and
// search/fold.go, with their definitions. `go generate` calls it there.
package main

import (
	. "github.com/mmcloughlin/avo/build" //nolint:revive // avo's programs read as assembly
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// lanes is the number of texts that are searched side by side, each in a word of 64 columns, and
// line the number of bytes that these words take.
const (
	lanes = 16
	line  = 8 * lanes
)

// A machine is a set of instructions for vectors of a number of bytes.
type machine struct {
	name, needs string
	bytes       int
	vector      func() VecVirtual
	move        func(from, to Op) // between memory and a vector
	and, or     func(a, b, to Op)
	// row computes a row of a vector: steps up and down along the row before are replaced by those
	// along this one. letters are the columns that match; up and down are the carries of the row.
	row func(m *machine, v *steps, letters, up, down Mem)
	// exceeds jumps to a label if a signed byte of limit is greater than the byte of v.
	exceeds func(limit, v VecVirtual, label string)
	ones    VecVirtual
}

// steps tell for each column of a row whether the distance is one more, or one less, than in the
// column before.
type steps struct{ up, down VecVirtual }

func main() {
	ConstraintExpr("amd64")
	sum, least, low, high, floor, spread := constants()
	for _, m := range []*machine{avx2(), avx512()} {
		m.sweep(sum, least, low, high, floor, spread)
		m.fold()
	}
	Generate()
}

// constants are each as long as the longest vector. Bits 0 and 1 of an index tell which of two
// columns step up, and bits 2 and 3 which step down. sum has the sum of the steps, and least the
// lesser of the first step and the sum. The others are the bits of an index that come from the
// steps up and down; the least limit that is told from others; and a shuffle that spreads the
// lowest byte of a lane.
func constants() (sum, least, low, high, floor, spread Mem) {
	table := func(name string, value func(i int) int) Mem {
		t := GLOBL(name, RODATA|NOPTR)
		for i := range 64 {
			DATA(i, U8(uint8(value(i))))
		}
		return t
	}
	first := func(i int) int { return i&1 - i>>2&1 }
	both := func(i int) int { return first(i) + i>>1&1 - i>>3&1 }
	sum = table("sum", func(i int) int { return both(i % 16) })
	least = table("least", func(i int) int { return min(first(i%16), both(i%16)) })
	low = table("low", func(int) int { return 3 })
	high = table("high", func(int) int { return 12 })
	floor = table("floor", func(i int) int { return []int{-100, -1, -1, -1}[i%4] })
	spread = table("spread", func(i int) int { return i & 8 })
	return sum, least, low, high, floor, spread
}

func avx2() *machine {
	return &machine{
		name: "AVX2", needs: "AVX2", bytes: 32,
		vector: func() VecVirtual { return YMM() }, row: rowAVX2,
		move: func(from, to Op) { VMOVDQU(from, to) },
		and:  func(a, b, to Op) { VPAND(a, b, to) },
		or:   func(a, b, to Op) { VPOR(a, b, to) },
		exceeds: func(limit, v VecVirtual, label string) {
			VPCMPGTB(v, limit, limit)
			VPTEST(limit, limit)
			JNZ(LabelRef(label))
		},
	}
}

// rowAVX2 has carries in the lowest bit of each lane.
func rowAVX2(m *machine, v *steps, letters, up, down Mem) {
	match, vertical, horizontal, before := YMM(), YMM(), YMM(), YMM()
	VMOVDQU(letters, match)
	VMOVDQU(down, before)
	VPOR(match, v.down, vertical)
	VPOR(before, match, match)
	VPAND(match, v.up, horizontal)
	VPADDQ(v.up, horizontal, horizontal)
	VPXOR(v.up, horizontal, horizontal)
	VPOR(match, horizontal, horizontal)
	more, less, carry := YMM(), YMM(), YMM()
	VPOR(v.up, horizontal, more)
	VPXOR(m.ones, more, more)
	VPOR(v.down, more, more)
	VPAND(v.up, horizontal, less)
	VPSRLQ(Imm(63), less, carry)
	VMOVDQU(carry, down)
	carry = YMM()
	VPSRLQ(Imm(63), more, carry)
	VPADDQ(more, more, more)
	VPOR(up, more, more)
	VMOVDQU(carry, up)
	VPADDQ(less, less, less)
	VPOR(before, less, less)
	VPAND(vertical, more, v.down)
	VPOR(vertical, more, more)
	VPXOR(m.ones, more, more)
	VPOR(less, more, v.up)
}

func avx512() *machine {
	return &machine{
		name: "AVX512", needs: "AVX-512 F, BW and VBMI2", bytes: 64,
		vector: func() VecVirtual { return ZMM() }, row: rowAVX512,
		move: func(from, to Op) { VMOVDQU64(from, to) },
		and:  func(a, b, to Op) { VPANDQ(a, b, to) },
		or:   func(a, b, to Op) { VPORQ(a, b, to) },
		exceeds: func(limit, v VecVirtual, label string) {
			some := K()
			VPCMPGTB(v, limit, some)
			KORTESTQ(some, some)
			JNZ(LabelRef(label))
		},
	}
}

// Truth tables of three operands a, b, c. The first is replaced: the bit of the table is 4a + 2b +
// c.
const (
	differOrC = 0b10111110 // a ^ b | c
	orNotOr   = 0b11110001 // a | ^(b | c)
)

// rowAVX512 has carries in the highest bit of each lane.
func rowAVX512(m *machine, v *steps, letters, up, down Mem) {
	match, vertical, horizontal, before := ZMM(), ZMM(), ZMM(), ZMM()
	VMOVDQU64(letters, match)
	VMOVDQU64(down, before)
	VPORQ(match, v.down, vertical)
	carry := ZMM()
	VPSRLQ(Imm(63), before, carry)
	VPORQ(carry, match, match)
	VPANDQ(match, v.up, horizontal)
	VPADDQ(v.up, horizontal, horizontal)
	VPTERNLOGQ(Imm(differOrC), match, v.up, horizontal)
	less := ZMM()
	VPANDQ(v.up, horizontal, less)
	VPTERNLOGQ(Imm(orNotOr), v.up, horizontal, v.down) // steps up from row to row
	more := ZMM()
	VPSHLDQ(Imm(1), up, v.down, more)
	VMOVDQU64(v.down, up)
	VPSHLDQ(Imm(1), before, less, v.up)
	VMOVDQU64(less, down)
	VPANDQ(vertical, more, v.down)
	VPTERNLOGQ(Imm(orNotOr), more, vertical, v.up)
}

// sweep writes the loop over blocks.
func (m *machine) sweep(sum, least, low, high, floor, spread Mem) {
	parts := line / m.bytes
	TEXT("sweep"+m.name, NOSPLIT, "func(masks *uint64, rows *uint32, carries *uint64, state *uint64, from, to, first, depth, k int) int")
	Doc("sweep" + m.name + " is sweepPlain for processors with " + m.needs + ".")
	masks, rows := Load(Param("masks"), GP64()), Load(Param("rows"), GP64())
	carries, state := Load(Param("carries"), GP64()), Load(Param("state"), GP64())
	block, to := Load(Param("from"), GP64()), Load(Param("to"), GP64())
	first, depth := Load(Param("first"), GP64()), Load(Param("depth"), GP64())
	k := GP64()
	Load(Param("k"), k)
	at := func(base Register, part int) Mem { return Mem{Base: base, Disp: part * m.bytes} }

	INCQ(k)
	limits := m.vector()
	x := XMM()
	VMOVD(k.As32(), x)
	VPBROADCASTD(x, limits)
	if m.bytes == 32 {
		m.ones = m.vector()
		VPCMPEQD(m.ones, m.ones, m.ones)
	}
	end := GP64()
	LEAQ(Mem{Base: rows, Index: depth, Scale: 4}, end)
	LEAQ(Mem{Base: rows, Index: first, Scale: 4}, rows)
	start := GP64()
	MOVQ(first, start)
	SHLQ(Imm(8), start)
	ADDQ(carries, start)
	v := make([]steps, parts)
	for i := range v {
		v[i] = steps{m.vector(), m.vector()}
	}

	Label("block")
	CMPQ(block, to)
	JGE(LabelRef("done"))
	texts := GP64()
	MOVQ(block, texts)
	SHLQ(Imm(7), texts)
	ADDQ(masks, texts)
	row, carry := GP64(), GP64()
	MOVQ(rows, row)
	MOVQ(start, carry)
	for i := range v {
		// With row 0 before, which is 0 everywhere, there are no steps.
		m.move(at(state, i), v[i].up)
		m.move(at(state, parts+i), v[i].down)
	}

	Label("row")
	letters := GP64()
	MOVL(Mem{Base: row}, letters.As32())
	SHLQ(Imm(7), letters)
	ADDQ(texts, letters)
	for i := range v {
		m.row(m, &v[i], at(letters, i), at(carry, i), at(carry, parts+i))
	}
	ADDQ(Imm(4), row)
	ADDQ(U32(2*line), carry)
	CMPQ(row, end)
	JLT(LabelRef("row"))

	totals := AllocLocal(line)
	for i := range v {
		bytes, total := m.prefixes(&v[i], sum, least, low, high)
		m.move(total, totals.Offset(i*m.bytes))
		limit, shuffle := m.vector(), m.vector()
		VPSUBD(at(state, 2*parts+i), limits, limit)
		VPMAXSD(floor, limit, limit)
		m.move(spread, shuffle)
		VPSHUFB(shuffle, limit, limit)
		m.exceeds(limit, bytes, "alive")
	}
	for i := range v {
		score := m.vector()
		m.move(totals.Offset(i*m.bytes), score)
		VPSRAD(Imm(24), score, score)
		VPSRLQ(Imm(32), score, score)
		VPADDD(at(state, 2*parts+i), score, score)
		m.move(score, at(state, 2*parts+i))
	}
	INCQ(block)
	JMP(LabelRef("block"))

	Label("alive")
	for i := range v {
		m.move(v[i].up, at(state, i))
		m.move(v[i].down, at(state, parts+i))
	}
	Label("done")
	VZEROUPPER()
	Store(block, ReturnIndex(0))
	RET()
}

// prefixes returns, for eight columns a byte, the least sum of the steps of a lane up to one
// column; and in the highest byte of each lane the sum of all its steps.
func (m *machine) prefixes(v *steps, sum, least, low, high Mem) (bytes, total VecVirtual) {
	sums, leasts := m.vector(), m.vector()
	m.move(sum, sums)
	m.move(least, leasts)
	bytes, run := m.vector(), m.vector()
	for pair := range 4 {
		index, part := m.vector(), m.vector()
		if pair == 0 {
			m.and(low, v.up, index)
		} else {
			VPSRLQ(Imm(uint64(2*pair)), v.up, index)
			m.and(low, index, index)
		}
		switch pair {
		case 0:
			VPSLLQ(Imm(2), v.down, part)
			m.and(high, part, part)
		case 1:
			m.and(high, v.down, part)
		default:
			VPSRLQ(Imm(uint64(2*pair-2)), v.down, part)
			m.and(high, part, part)
		}
		m.or(part, index, index)
		if pair == 0 {
			VPSHUFB(index, leasts, bytes)
			VPSHUFB(index, sums, run)
			continue
		}
		here := m.vector()
		VPSHUFB(index, leasts, here)
		VPADDB(run, here, here)
		VPMINSB(here, bytes, bytes)
		VPSHUFB(index, sums, here)
		VPADDB(here, run, run)
	}
	before, shifted := m.vector(), m.vector()
	VPSLLQ(Imm(8), run, before)
	for _, bits := range []uint64{8, 16, 32} {
		VPSLLQ(Imm(bits), before, shifted)
		VPADDB(shifted, before, before)
	}
	VPADDB(before, bytes, bytes)
	VPADDB(before, run, run)
	return bytes, run
}

// fold writes the loop that finds where all letters of a run match.
func (m *machine) fold() {
	const together = line / 8 // words
	parts := line / m.bytes
	TEXT("fold"+m.name, NOSPLIT, "func(masks *uint64, rows *uint32, letters int, words int, out *uint64)")
	Doc("fold" + m.name + " is foldPlain for processors with " + m.needs + ".")
	masks, rows := Load(Param("masks"), GP64()), Load(Param("rows"), GP64())
	letters, words := Load(Param("letters"), GP64()), Load(Param("words"), GP64())
	out := Load(Param("out"), GP64())
	// Masks begin with the word before the first.
	ADDQ(Imm(8), masks)
	// The last letter is not moved.
	DECQ(letters)
	one := XMM()
	n := GP64()
	MOVQ(U32(1), n)
	VMOVQ(n, one)
	full := XMM()
	MOVQ(U32(64), n)
	VMOVQ(n, full)
	ones := m.vector()
	VPBROADCASTQ(one, ones)

	Label("words")
	row, mask := GP64(), GP64()
	MOVQ(letters, row)
	MOVL(Mem{Base: rows, Index: row, Scale: 4}, mask.As32())
	LEAQ(Mem{Base: masks, Index: mask, Scale: 8}, mask)
	match := make([]VecVirtual, parts)
	for i := range match {
		match[i] = m.vector()
		m.move(Mem{Base: mask, Disp: i * m.bytes}, match[i])
	}
	up, down, ups := XMM(), XMM(), m.vector()
	if m.bytes == 64 {
		VMOVDQU64(ones, ups)
	} else {
		VMOVDQU(one, up)
		VPSUBQ(one, full, down)
	}
	TESTQ(row, row)
	JZ(LabelRef("done"))

	Label("letter")
	DECQ(row)
	MOVL(Mem{Base: rows, Index: row, Scale: 4}, mask.As32())
	LEAQ(Mem{Base: masks, Index: mask, Scale: 8}, mask)
	for i := range match {
		here, before := m.vector(), m.vector()
		m.move(Mem{Base: mask, Disp: i * m.bytes}, here)
		m.move(Mem{Base: mask, Disp: i*m.bytes - 8}, before)
		if m.bytes == 64 {
			VPSHLDVQ(ups, before, here)
		} else {
			VPSLLQ(up, here, here)
			VPSRLQ(down, before, before)
			VPOR(before, here, here)
		}
		m.and(here, match[i], match[i])
	}
	if m.bytes == 64 {
		VPADDQ(ones, ups, ups)
	} else {
		VPADDQ(one, up, up)
		VPSUBQ(one, down, down)
	}
	TESTQ(row, row)
	JNZ(LabelRef("letter"))

	Label("done")
	for i := range match {
		m.move(match[i], Mem{Base: out, Disp: i * m.bytes})
	}
	ADDQ(U32(line), masks)
	ADDQ(U32(line), out)
	SUBQ(Imm(together), words)
	JG(LabelRef("words"))
	VZEROUPPER()
	RET()
}

package search

import "golang.org/x/sys/cpu"

// vbmi2 tells whether the processor has the needed parts of AVX-512.
func vbmi2() bool {
	return cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI2
}

// sweepers are the sweepers that run on this processor, the fastest last.
func sweepers() []sweeper {
	all := []sweeper{plainSweeper()}
	if cpu.X86.HasAVX2 {
		all = append(all, sweeper{"AVX2", 0, sweepInAssembly(sweepAVX2)})
	}
	if vbmi2() {
		all = append(all, sweeper{"AVX-512", 63, sweepInAssembly(sweepAVX512)})
	}
	return all
}

type sweepAssembly = func(masks *uint64, rows *uint32, carries, state *uint64, from, to, first, depth, k int) int

// sweepInAssembly checks bounds, as the assembly does not.
func sweepInAssembly(sweep sweepAssembly) func([]lanesWord, []uint32, []rowCarry, *sweepState, int, int, int, int, int) int {
	return func(masks []lanesWord, rows []uint32, carries []rowCarry, state *sweepState, from, to, first, depth, k int) int {
		if from >= to || first >= depth {
			return sweepPlain(masks, rows, carries, state, from, to, first, depth, k)
		}
		_, _ = rows[:depth], carries[:depth]
		return sweep(&masks[0][0], &rows[0], &carries[0].up[0], &state.up[0], from, to, first, depth, k)
	}
}

// folders are the folders that run on this processor, the fastest last.
func folders() []namedFolder {
	all := []namedFolder{{"plain", foldPlain}}
	if cpu.X86.HasAVX2 {
		all = append(all, namedFolder{"AVX2", foldInAssembly(foldAVX2)})
	}
	if vbmi2() {
		all = append(all, namedFolder{"AVX-512", foldInAssembly(foldAVX512)})
	}
	return all
}

// foldInAssembly checks bounds, as the assembly does not.
func foldInAssembly(fold func(masks *uint64, rows *uint32, letters, words int, out *uint64)) folder {
	return func(masks []uint64, rows []uint32, words int, out []uint64) {
		if words <= 0 || len(rows) == 0 {
			return
		}
		whole := (words + foldAtOnce - 1) / foldAtOnce * foldAtOnce
		for _, at := range rows {
			_ = masks[at:][:whole+1]
		}
		_ = out[:whole]
		fold(&masks[0], &rows[0], len(rows), words, &out[0])
	}
}

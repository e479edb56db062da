package search

import "golang.org/x/sys/cpu"

// sweepers are those that run on this processor, the fastest last.
func sweepers() []sweeper {
	all := []sweeper{plainSweeper()}
	if cpu.X86.HasAVX2 {
		all = append(all, sweeper{"AVX2", 0, inAssembly(sweepAVX2)})
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI2 {
		all = append(all, sweeper{"AVX-512", 63, inAssembly(sweepAVX512)})
	}
	return all
}

type assembly = func(masks *uint64, rows *uint32, carries, state *uint64, from, to, first, depth, k int) int

// inAssembly checks what assembly does not.
func inAssembly(sweep assembly) func([]lanesWord, []uint32, []rowCarry, *sweepState, int, int, int, int, int) int {
	return func(masks []lanesWord, rows []uint32, carries []rowCarry, state *sweepState, from, to, first, depth, k int) int {
		if from >= to || first >= depth {
			return sweepPlain(masks, rows, carries, state, from, to, first, depth, k)
		}
		_, _ = rows[:depth], carries[:depth]
		return sweep(&masks[0][0], &rows[0], &carries[0].up[0], &state.up[0], from, to, first, depth, k)
	}
}

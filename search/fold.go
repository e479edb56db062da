package search

// A folder finds where all letters of a run match. masks has the words of the text at which a
// letter matches, for each set of bases, the word before the first one first; rows has where the
// words of each letter of the run begin. Bit j of out[i] tells that the run ends at letter j of
// word i: a letter n before the last one is looked for n before j, where word i - 1 goes on before
// word i. Runs have 1 to 64 letters. There has to be memory for up to foldAtOnce - 1 more words, in
// out and after the masks.
type folder func(masks []uint64, rows []uint32, words int, out []uint64)

// foldAtOnce is the number of words that are folded at a time in assembly.
const foldAtOnce = 16

func foldPlain(masks []uint64, rows []uint32, words int, out []uint64) {
	for i := range out[:words] {
		out[i] = ^uint64(0)
	}
	for n := range rows {
		part := masks[rows[len(rows)-1-n]:][:words+1]
		if n == 0 {
			copy(out, part[1:])
			continue
		}
		up, down := uint(n)&63, uint(64-n)&63
		for i := range out[:words] {
			out[i] &= part[i+1]<<up | part[i]>>down
		}
	}
}

// fastestFolder is the fastest folder of the processor.
func fastestFolder() folder {
	all := folders()
	return all[len(all)-1].fold
}

// A namedFolder is for tests.
type namedFolder struct {
	name string
	fold folder
}

package mappability

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/internal/emulator"
	"scanmap/internal/truth"
	"scanmap/locate"
)

// bisulfited is a strand of contigs with T for C, letter by letter.
func bisulfited(contigs []string, reverse bool) (out []string) {
	for _, c := range contigs {
		if reverse {
			c = truth.ReverseComplement(c)
		}
		out = append(out, strings.ReplaceAll(c, "C", "T"))
	}
	return out
}

// expectedBisulfite counts by the definition, letter by letter: each K-mer of a strand with T for C
// at each place of both strands with T for C.
func (in *input) expectedBisulfite() [][]uint32 {
	o := in.options
	count := func(kmer string, contig, position int, reverse bool) (n uint32) {
		for g, contigs := range in.genomes {
			for _, strand := range []bool{false, true} {
				if o.Metric == locate.Edits {
					found := truth.Find(bisulfited(contigs, strand), kmer, o.Edits)
					for _, l := range found {
						if l.Strand == locate.Forward {
							n++
						}
					}
					if g == 0 && strand == reverse && o.ExcludeSelf {
						n -= covering(found, contig, position+o.Length, o)
					}
					continue
				}
				for c, text := range bisulfited(contigs, strand) {
					for p := 0; p+o.Length <= len(text); p++ {
						differ := 0
						for i := range kmer {
							if kmer[i] != text[p+i] || kmer[i] == 'N' {
								differ++
							}
						}
						self := g == 0 && c == contig && p == position && strand == reverse
						if differ <= o.Edits && !(self && o.ExcludeSelf) {
							n++
						}
					}
				}
			}
		}
		return n
	}
	forward, reverse := bisulfited(in.genomes[0], false), bisulfited(in.genomes[0], true)
	var want [][]uint32
	for c := range forward {
		counts := slices.Repeat([]uint32{None}, len(forward[c]))
		for p := 0; p+o.Length <= len(counts); p++ {
			if !in.wanted(c, p) || truth.Ambiguous(forward[c][p:p+o.Length]) > o.Edits {
				continue
			}
			q := len(counts) - o.Length - p
			counts[p] = 0
			if o.Bisulfite != BisulfiteReverse {
				counts[p] = count(forward[c][p:p+o.Length], c, p, false)
			}
			if o.Bisulfite != BisulfiteForward {
				counts[p] = max(counts[p], count(reverse[c][q:q+o.Length], c, q, true))
			}
		}
		want = append(want, counts)
	}
	return want
}

// TestBisulfiteOnGPU counts on the emulator, where K-mers are reads.
func TestBisulfiteOnGPU(t *testing.T) {
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	in := &input{genomes: [][]string{{"ACGTTTNAACGTTCCGATTACAGGCTCTAGGACCATTAGC", "TTACGTTAAGGCTCTAGG"}}}
	for _, of := range Bisulfites {
		in.options = Options{Length: 9, Edits: 1, Metric: locate.Substitutions, Bisulfite: Bisulfite(of[0]), Threads: 1}
		o := in.options
		o.Device = device.Choice{Kind: device.CUDA, Driver: driver}
		if diff := cmp.Diff(in.expectedBisulfite(), counted(t, in.references(t), o)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", of[0], diff)
		}
	}
}

// TestBisulfite compares both engines with the definition on small genomes.
func TestBisulfite(t *testing.T) {
	for n := range effort.Pick(300, 150) {
		r := rand.New(rand.NewPCG(uint64(n), 5))
		in := &input{options: Options{Length: 1 + r.IntN(9), Metric: locate.Substitutions, ExcludeSelf: r.IntN(3) == 0,
			Bisulfite: Bisulfite(Bisulfites[n%3][0]), Threads: 1 + r.IntN(3)}}
		in.options.Edits = r.IntN(min(3, in.options.Length))
		if r.IntN(3) == 0 {
			in.options.Metric = locate.Edits
		}
		for range 1 + r.IntN(2) {
			var contigs []string
			for range 1 + r.IntN(3) {
				b := make([]byte, 1+r.IntN(90))
				for i := range b {
					b[i] = "ACGTACGTACGTACGTN"[r.IntN(17)]
				}
				contigs = append(contigs, string(b))
			}
			in.genomes = append(in.genomes, contigs)
		}
		if r.IntN(3) == 0 {
			in.options.Regions = []Region{}
			for range r.IntN(3) {
				c := r.IntN(len(in.genomes[0]))
				from := r.IntN(len(in.genomes[0][c]) + 1)
				in.options.Regions = append(in.options.Regions, Region{c, from, from + r.IntN(len(in.genomes[0][c])-from+1)})
			}
		}
		want := in.expectedBisulfite()
		for _, engine := range []Engine{EngineReads, EngineShared} {
			o := in.options
			if engine == EngineShared && o.Metric == locate.Edits {
				continue
			}
			o.Engine, o.Device = engine, device.Choice{Kind: device.CPU}
			if diff := cmp.Diff(want, counted(t, in.references(t), o)); diff != "" {
				t.Fatalf("case %d, %s, %s, %v: (-want +got)\n%s", n, engine, o.Bisulfite, in, diff)
			}
		}
	}
}

// TestBisulfiteExact has Bismap's own example: AATTCCGG is read as AATTTTGG from strand + and, from
// strand -, whose letters are CCGGAATT, as TTGGAATT. TTGG is at 4 of the one and at 0 of the other;
// CCAA, the complement of what strand + has become, is nowhere.
func TestBisulfiteExact(t *testing.T) {
	refs := []*input{{genomes: [][]string{{"AATTCCGG"}}}}
	none := uint32(None)
	for _, c := range []struct {
		of   Bisulfite
		want []uint32
	}{
		{BisulfiteForward, []uint32{2, 1, 1, 1, 2, none, none, none}}, // AATT ATTT TTTT TTTG TTGG
		{BisulfiteReverse, []uint32{2, 1, 1, 1, 2, none, none, none}}, // AATT GAAT GGAA TGGA TTGG
		{BisulfiteBoth, []uint32{2, 1, 1, 1, 2, none, none, none}},
	} {
		got := counted(t, refs[0].references(t), Options{Length: 4, Metric: locate.Substitutions, Bisulfite: c.of})
		if diff := cmp.Diff([][]uint32{c.want}, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.of, diff)
		}
	}
}

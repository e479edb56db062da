package finders

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/internal/fuzzing"
	"scanmap/internal/truth"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// Fuzz takes bytes for a small text, reads and options (fuzzing.Choices), and compares locations
// that a finder has, by both engines, with the locations of dynamic programming, or for
// substitutions alone of brute force: with all, or with the wanted ones. Batches, parts and queues
// may be tiny. The locations must not depend on any of these.
func Fuzz(f *testing.F, make Factory) {
	fuzzing.AddBytes(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		c := fuzzing.New(data)
		first := c.Below(6 * 42)
		distance := first % 6
		k := fixed(distance)
		if percent := c.Below(40); percent > 0 {
			k = func(length int) int { return min(distance, length*percent/100) }
		}
		o := find.Options{Threads: 1 + c.Below(2), Times: &find.Times{}}
		if first/6%4 == 3 {
			o.Metric = locate.Substitutions
		}
		o.BatchReads = c.Below(4)
		if c.Below(32) == 1 { // takes long
			o.Limits.CountedBases = 1
		}
		o.Limits.Found, o.Limits.Handed = c.Below(4), c.Below(4)
		o.Limits.GPUFound, o.Limits.GPUQueue = c.Below(4), c.Below(8)
		together := 1 + c.Below(2)
		strata := c.Below(4) - 1
		if strata >= 0 {
			o.Want = find.Want{Best: true, Strata: strata}
		}
		contigs := truth.ChosenContigs(c)
		reads := truth.ChosenReads(c, contigs, distance, o.Metric == locate.Substitutions)
		if together == 2 && len(reads)%2 == 1 {
			reads = append(reads, "ACGT")
		}
		want := truths(t, o.Metric, contigs, reads, k)
		ref := truth.Reference(t, contigs...)
		for _, o.Engine = range engines {
			finders, done := make(t, ref, o)
			got, counted := handed(t, finders[0], o.Metric, ref, contigs, truth.Reads(reads...), together, k)
			done()
			for i, read := range reads {
				if strata >= 0 {
					if err := wanted(want[i], got[i], counted[i], strata, k(len(read)), together); err != nil {
						t.Fatalf("%s, strata %d, %d edits, read %s, contigs %q: %v", o.Engine, strata, k(len(read)), read, contigs, err)
					}
				} else if counted[i] != nil || !slices.Equal(want[i], got[i]) {
					t.Fatalf("%s, %d edits, read %s, contigs %q: locations (-truth +got)\n%s",
						o.Engine, k(len(read)), read, contigs, cmp.Diff(want[i], got[i]))
				}
			}
		}
	})
}

// truths returns the locations of reads, by the quicker program of dynamic programming, and where
// they are short also by the plainer one.
func truths(t *testing.T, metric locate.Metric, contigs, reads []string, k func(int) int) [][]truth.Location {
	t.Helper()
	var all [][]truth.Location
	text := truth.NewText(contigs)
	for _, read := range reads {
		if metric == locate.Substitutions {
			all = append(all, truth.FindSubstituted(contigs, read, k(len(read))))
			continue
		}
		locations, err := text.Find(read, k(len(read)))
		if err != nil {
			t.Fatal(err)
		}
		if len(read) < 40 {
			if plain := truth.Find(contigs, read, k(len(read))); !slices.Equal(plain, locations) {
				t.Fatalf("%d edits, read %s, contigs %q: (-plain +quick)\n%s", k(len(read)), read, contigs, cmp.Diff(plain, locations))
			}
		}
		all = append(all, locations)
	}
	return all
}

package finders

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"scanmap/fasta"
	"scanmap/internal/truth"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// TestLocal compares what finders find of local locations with the exhaustive judge: cases of a
// read and diverged copies, with other cases' reads beside it.
func TestLocal(t *testing.T, factory Factory, first, cases int) {
	found, gapped := 0, 0
	for n := range cases {
		r := rand.New(rand.NewPCG(uint64(first+n), 29))
		c := truth.DrawLocal(r)
		if n%2 == 0 {
			c = truth.DrawTightLocal(r)
		}
		c.Rules.Cap = locate.DefaultCap
		want := truth.FindLocal(c.Contigs, c.Read, c.Rules)
		if locate.CutLocal(len(c.Read), c.Rules.Least, c.Rules.Cap).Number == 0 {
			continue
		}
		got := localOf(t, factory, c)
		byPlace := func(a, b truth.LocalLocation) int {
			return cmp.Or(cmp.Compare(a.Contig, b.Contig), cmp.Compare(a.Strand, b.Strand), cmp.Compare(a.Start, b.Start),
				cmp.Compare(a.End, b.End), cmp.Compare(a.Lost, b.Lost), cmp.Compare(a.CIGAR, b.CIGAR))
		}
		slices.SortFunc(want, byPlace)
		slices.SortFunc(got, byPlace)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("case %d: read %s, least %d, in %q (-want +got)\n%s", first+n, c.Read, c.Rules.Least, c.Contigs, diff)
		}
		found += len(want)
		for _, l := range want {
			if l.Gaps > 0 {
				gapped++
			}
		}
	}
	if found < cases/4 || gapped < cases/20 {
		t.Errorf("%d locations, %d with gaps, in %d cases: the test shows little", found, gapped, cases)
	}
}

// localOf returns the local locations of the read of a case that a finder finds.
func localOf(t *testing.T, factory Factory, c truth.LocalCase) (out []truth.LocalLocation) {
	t.Helper()
	ref := truth.Reference(t, c.Contigs...)
	o := options(find.EngineAuto, locate.Edits)
	o.Local = &find.Local{Cap: c.Rules.Cap}
	made, done := factory(t, ref, o)
	defer done()
	k := len(c.Read) - c.Rules.Least
	b, err := made[0].Pack([]fasta.Read{{Bases: []byte(c.Read)}}, 1, fixed(k))
	if err != nil {
		t.Fatal(err)
	}
	var parts find.Parts
	var result find.Found
	part, err := parts.Next(made[0], b, 0, &result)
	if err != nil {
		t.Fatal(err)
	}
	r := find.NewReader(ref, locate.Edits, math.MaxInt, 1, find.Limits{})
	r.SeekLocal(o.Local)
	view := part.Read(0)
	locations, _ := r.Append(context.Background(), nil, part, &result, 0, &view)
	for _, l := range locations {
		out = append(out, truth.LocalLocation{
			Contig: l.Place.Contig(), Strand: l.Place.Strand(), Start: int(l.Start), End: int(l.End), Lost: int(l.Loss),
			Gaps: int(l.Gaps), CIGAR: string(locate.AppendCIGAR(nil, r.Aligner.Operations(&l))),
		})
	}
	return out
}

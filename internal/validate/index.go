package validate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// regions asks the index of a sorted BAM for random regions; the answers have to be the records
// that a look at each record finds. sorted has the records of the BAM, in its order.
func (t *Tools) regions(ctx context.Context, bam string, sorted *Alignment, n int, faults *Faults) error {
	if len(sorted.Contigs) == 0 {
		return nil
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range n {
		contig, start, end := randomRegion(random, sorted)
		region := fmt.Sprintf("{%s}:%d-%d", contig, start+1, end)
		text, err := output(ctx, t.Samtools, "view", bam, region)
		if err != nil {
			return err
		}
		var expected strings.Builder
		for i := range sorted.Records {
			r := &sorted.Records[i]
			if r.Contig == contig && r.Start < end && r.End > start {
				expected.WriteString(r.Line)
				expected.WriteByte('\n')
			}
		}
		if text != expected.String() {
			faults.add("a region of the index", "%s: %d records, expected %d", region, strings.Count(text, "\n"),
				strings.Count(expected.String(), "\n"))
		}
	}
	return nil
}

// randomRegion draws a stretch of a contig: about some record, or anywhere.
func randomRegion(random *rand.Rand, a *Alignment) (contig string, start, end int) {
	c := a.Contigs[random.IntN(len(a.Contigs))]
	at := random.IntN(c.Length)
	if len(a.Records) > 0 && random.IntN(4) > 0 {
		r := &a.Records[random.IntN(len(a.Records))]
		if length, ok := a.lengths()[r.Contig]; ok {
			c = Contig{r.Contig, length}
			at = min(max(r.Start-20+random.IntN(40), 0), length-1)
		}
	}
	// Widths of all magnitudes: the levels of the index's bins.
	width := 1 + random.IntN(1<<(random.IntN(22)))
	return c.Name, at, min(at+width, c.Length)
}

// idxstats compares the counts of the index with ours.
func (t *Tools) idxstats(ctx context.Context, bam string, a *Alignment, n *Counts, faults *Faults) error {
	text, err := output(ctx, t.Samtools, "idxstats", bam)
	if err != nil {
		return err
	}
	rows := strings.Split(strings.TrimSpace(text), "\n")
	want(faults, "samtools idxstats", "contigs", int64(len(rows)-1), int64(len(a.Contigs)))
	for _, row := range rows {
		f := strings.Split(row, "\t")
		if len(f) != 4 {
			return fmt.Errorf("samtools idxstats: %q", row)
		}
		of := n.byContig[f[0]]
		for i, expected := range []int64{of.mapped, of.unmapped} {
			got, err := strconv.ParseInt(f[2+i], 10, 64)
			if err != nil {
				return fmt.Errorf("samtools idxstats: %w", err)
			}
			want(faults, "samtools idxstats", f[0], got, expected)
		}
	}
	return nil
}

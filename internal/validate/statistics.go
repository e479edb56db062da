package validate

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// statistics has the used members of the JSON of --stats.
type statistics struct {
	Reads        int64 `json:"reads"`
	MappedReads  int64 `json:"mapped_reads"`
	DroppedReads int64 `json:"dropped_reads"`
	CappedReads  int64 `json:"capped_reads"`
	Reported     int64 `json:"reported"`
	ReadsByEdits []int `json:"reads_by_distance"`
	Contigs      []struct {
		Name     string `json:"name"`
		Length   int    `json:"length"`
		Primary  int64  `json:"primary"`
		Mappings int64  `json:"mappings"`
	} `json:"contigs"`
	Pairs *struct {
		Pairs          int64 `json:"pairs"`
		Proper         int64 `json:"proper"`
		Discordant     int64 `json:"discordant"`
		OtherContig    int64 `json:"discordant_other_contig"`
		Orientation    int64 `json:"discordant_orientation"`
		Near           int64 `json:"discordant_near"`
		Far            int64 `json:"discordant_far"`
		OneEndAnchored int64 `json:"one_end_anchored"`
		Unmapped       int64 `json:"unmapped"`
		RescuedMates   int64 `json:"rescued_mates"`
	} `json:"pairs"`
	Libraries []struct {
		Pairs *struct {
			Insert struct {
				Low  int `json:"low"`
				High int `json:"high"`
			} `json:"insert"`
		} `json:"pairs"`
	} `json:"libraries"`
}

func readStatistics(name string) (*statistics, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	s := &statistics{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// Counts are the counts of a SAM text, as samtools flagstat defines them.
type Counts struct {
	Records, Primary, Mapped, PrimaryMapped int64
	Proper, Singletons, OtherContig         int64
	// The members below are of pairs whose mates are mapped to one contig, and count pairs.
	Inward, Outward, SameStrand int64
	// Empty is the number of primary records without bases, which samtools stats leaves out; they
	// are unmapped.
	Empty int64
	// Abreast is the number of pairs whose mates start at the same base: samtools stats counts them
	// as it likes.
	Abreast  int64
	tags     map[string]int64 // XD by its value, and XR
	byContig map[string]contigCounts
}

// contigCounts are the counts of one contig; unmapped records are counted where they are placed.
type contigCounts struct{ primary, mapped, unmapped int64 }

// count counts the records of a SAM text.
func count(a *Alignment) *Counts {
	n := &Counts{tags: map[string]int64{}, byContig: map[string]contigCounts{}}
	for i := range a.Records {
		n.record(&a.Records[i])
	}
	return n
}

func (n *Counts) record(r *Record) {
	n.Records++
	contig := n.byContig[r.Contig]
	if r.mapped() {
		n.Mapped++
		contig.mapped++
	} else {
		contig.unmapped++
	}
	if r.primary() && r.mapped() {
		contig.primary++
	}
	n.byContig[r.Contig] = contig
	if !r.primary() {
		return
	}
	n.Primary++
	if r.Bases == "*" {
		n.Empty++
	}
	if !r.mapped() {
		return
	}
	n.PrimaryMapped++
	if _, ok := r.tag("XR:i:"); ok {
		n.tags["XR"]++
	}
	if r.Flags&flagPaired == 0 {
		return
	}
	if r.Flags&flagProper != 0 {
		n.Proper++
	}
	switch {
	case r.Flags&flagMateUnmapped != 0:
		n.Singletons++
	case r.MateContig != r.Contig:
		n.OtherContig++
	case r.mate() == 0:
		n.orientation(r)
	}
}

// orientation counts a pair by its first mate.
func (n *Counts) orientation(r *Record) {
	mateReverse := r.Flags&flagMateReverse != 0
	switch {
	case r.reverse() == mateReverse:
		n.SameStrand++
	case r.Start == r.MateStart:
		n.Abreast++
	case (r.Start < r.MateStart) != r.reverse():
		n.Inward++
	default:
		n.Outward++
	}
}

// want adds a fault if a number is not what it should be.
func want(faults *Faults, kind, what string, got, expected int64) {
	if got != expected {
		faults.add(kind, "%s: %d, expected %d", what, got, expected)
	}
}

// compareStatistics checks the JSON of --stats against the records.
func compareStatistics(c *Case, s *statistics, n *Counts, a *Alignment, templates []Template, faults *Faults) {
	const kind = "--stats against the records"
	mates := int64(0)
	for _, t := range templates {
		mates += int64(len(t.Mates))
	}
	want(faults, kind, "reads", s.Reads, mates)
	want(faults, kind, "reported", s.Reported, n.Mapped)
	// With unique, reads with several best locations are mapped and have no record.
	if c.Report == "unique" {
		if n.PrimaryMapped > s.MappedReads {
			faults.add(kind, "mapped reads: %d, but %d have a record", s.MappedReads, n.PrimaryMapped)
		}
	} else {
		want(faults, kind, "mapped reads", s.MappedReads, n.PrimaryMapped+s.DroppedReads)
	}
	if !c.OmitUnmapped {
		want(faults, kind, "primary records", n.Primary, mates)
	}
	want(faults, kind, "contigs", int64(len(s.Contigs)), int64(len(a.Contigs)))
	for _, contig := range s.Contigs {
		of := n.byContig[contig.Name]
		want(faults, kind, "primary records on "+contig.Name, contig.Primary, of.primary)
		want(faults, kind, "records on "+contig.Name, contig.Mappings, of.mapped)
	}
	if c.paired() {
		comparePairs(c, s, n, a, int64(len(templates)), faults)
	} else if s.Pairs != nil {
		faults.add(kind, "pairs of single-end reads")
	}
}

// comparePairs checks the counts of pairs.
func comparePairs(c *Case, s *statistics, n *Counts, a *Alignment, templates int64, faults *Faults) {
	const kind = "--stats against the pairs"
	if s.Pairs == nil {
		faults.add(kind, "there are no pairs")
		return
	}
	p := s.Pairs
	want(faults, kind, "pairs", p.Pairs, templates)
	want(faults, kind, "sum of the kinds of pairs", p.Proper+p.Discordant+p.OneEndAnchored+p.Unmapped, p.Pairs)
	want(faults, kind, "sum of the kinds of discordant pairs", p.OtherContig+p.Orientation+p.Near+p.Far, p.Discordant)
	if c.Report == "unique" || s.DroppedReads > 0 {
		if n.Proper > 2*p.Proper {
			faults.add(kind, "%d records of proper pairs, but %d pairs", n.Proper, p.Proper)
		}
	} else {
		want(faults, kind, "proper", 2*p.Proper, n.Proper)
		want(faults, kind, "one-end-anchored", p.OneEndAnchored, n.Singletons)
		want(faults, kind, "on other contigs", 2*p.OtherContig, n.OtherContig)
		want(faults, kind, "rescued mates", p.RescuedMates, n.tags["XR"])
	}
	if len(s.Libraries) != 1 || s.Libraries[0].Pairs == nil {
		faults.add(kind, "there is no library with pairs")
		return
	}
	insert := s.Libraries[0].Pairs.Insert
	for i := range a.Records {
		r := &a.Records[i]
		if !r.primary() || r.Flags&flagProper == 0 || r.reverse() || r.TemplateLength == 0 {
			continue
		}
		// TLEN of mates that reach past each other is longer than the insert.
		if size := max(r.TemplateLength, -r.TemplateLength); r.TemplateLength > 0 && (size < insert.Low || size > insert.High) {
			faults.add(kind, "%s is proper with an insert of %d, not %d to %d", r.Name, size, insert.Low, insert.High)
		}
	}
}

// flagstat compares the counts of samtools with ours.
func (t *Tools) flagstat(ctx context.Context, file string, n *Counts, faults *Faults) error {
	text, err := output(ctx, t.Samtools, "flagstat", "-O", "json", file)
	if err != nil {
		return err
	}
	var all map[string]map[string]float64
	if err := json.Unmarshal([]byte(strings.ReplaceAll(text, "null", "0")), &all); err != nil {
		return fmt.Errorf("samtools flagstat: %w", err)
	}
	passed := all["QC-passed reads"]
	for name, expected := range map[string]int64{
		"total": n.Records, "primary": n.Primary, "secondary": n.Records - n.Primary, "supplementary": 0, "duplicates": 0,
		"mapped": n.Mapped, "primary mapped": n.PrimaryMapped, "properly paired": n.Proper, "singletons": n.Singletons,
		"with mate mapped to a different chr": n.OtherContig,
	} {
		want(faults, "samtools flagstat", name, int64(passed[name]), expected)
	}
	want(faults, "samtools flagstat", "total that did not pass", int64(all["QC-failed reads"]["total"]), 0)
	return nil
}

// stats compares the summary numbers of samtools stats with ours.
func (t *Tools) stats(ctx context.Context, file string, n *Counts, faults *Faults) error {
	text, err := output(ctx, t.Samtools, "stats", file)
	if err != nil {
		return err
	}
	numbers := map[string]int64{}
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if f[0] != "SN" || len(f) < 3 {
			continue
		}
		if v, err := strconv.ParseInt(f[2], 10, 64); err == nil {
			numbers[strings.TrimSuffix(f[1], ":")] = v
		}
	}
	const kind = "samtools stats"
	for name, expected := range map[string]int64{
		"raw total sequences": n.Primary - n.Empty, "reads mapped": n.PrimaryMapped, "reads properly paired": n.Proper,
		"reads unmapped": n.Primary - n.PrimaryMapped - n.Empty, "non-primary alignments": n.Records - n.Primary,
		"pairs on different chromosomes": n.OtherContig / 2,
	} {
		want(faults, kind, name, numbers[name], expected)
	}
	for _, c := range []struct {
		name     string
		expected int64
	}{
		{"inward oriented pairs", n.Inward}, {"outward oriented pairs", n.Outward}, {"pairs with other orientation", n.SameStrand},
	} {
		// It counts either mate and halves the sum for each insert size; pairs that start together
		// fall to any side.
		if got := numbers[c.name]; got < c.expected || got > c.expected+n.Abreast {
			faults.add(kind, "%s: %d, expected %d to %d", c.name, got, c.expected, c.expected+n.Abreast)
		}
	}
	return nil
}

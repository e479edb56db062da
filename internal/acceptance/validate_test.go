package acceptance

import (
	"context"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"scanmap/internal/effort"
	"scanmap/internal/programs"
	"scanmap/internal/validate"
)

// readGroup is complete to Picard.
const readGroup = `@RG\tID:one\tSM:s\tPL:ILLUMINA`

// fullPicard has Picard judge a run in full only, as others have the set and the options.
var fullPicard = effort.Full()

// judged are runs whose output other tools judge, as SAM, BAM and sorted BAM. Starting Picard takes
// the most time, so it sees each set and each option, and not each combination; in a fast test one
// run.
var judged = []judgedRun{
	{"phix", validate.Case{Report: "all", Picard: fullPicard, Pipes: true}},
	{"phix", validate.Case{Report: "all", FullSecondary: true, SequenceMatch: true, Picard: true}},
	{"phix", validate.Case{Report: "best", MaxLocations: 3}},
	{"phix", validate.Case{Report: "one", OmitUnmapped: true, Picard: fullPicard}},
	{"phix", validate.Case{Report: "strata:1", SequenceMatch: true}},
	{"ex1", validate.Case{Report: "all", MaxLocations: 1, Drop: true}},
	{"ex1", validate.Case{Report: "best", SequenceMatch: true}},
	{"ex1", validate.Case{Report: "all", UnitGaps: true}},
	{"ex1", validate.Case{Report: "all", Substitutions: true, Picard: fullPicard}},
	{"portiera 101", validate.Case{Report: "all", SequenceMatch: true, Picard: fullPicard}},
	{"portiera 101", validate.Case{Report: "unique", Picard: effort.All()}},
}

// judgedInFull are others, whose sets and options judged has in other combinations.
var judgedInFull = []judgedRun{
	{"phix", validate.Case{Report: "unique"}},
	{"phix", validate.Case{Report: "all", UnitGaps: true}},
	{"ex1", validate.Case{Report: "all", FullSecondary: true, Picard: true, Pipes: true}},
	{"phix", validate.Case{Report: "all", Substitutions: true, SequenceMatch: true, Picard: true}},
	{"portiera 101", validate.Case{Report: "one", SequenceMatch: true, OmitUnmapped: true}},
	{"portiera 101", validate.Case{Report: "strata:1", FullSecondary: true}},
	{"ex1", validate.Case{Report: "all", MaxLocations: 3}},
	{"phix", validate.Case{Report: "all", MaxLocations: 1, Drop: true}},
	{"ex1", validate.Case{Report: "one"}},
	{"ex1", validate.Case{Report: "strata:1", OmitUnmapped: true}},
	{"ex1", validate.Case{Report: "unique"}},
	{"portiera 101", validate.Case{Report: "best"}},
}

type judgedRun struct {
	set  string
	mode validate.Case
}

// TestOtherTools has samtools, Picard and the rules of internal/validate judge whole runs.
func TestOtherTools(t *testing.T) {
	effort.OnlyAll(t, "samtools and Picard judge whole sets")
	tools := validate.Tools{Scanmap: scanmap, Samtools: programs.Find(t, "samtools")}
	t.Run("Picard", func(t *testing.T) { tools.Picard = programs.Find(t, "PicardCommandLine") })
	portiera := data(t, "portiera.fa.gz")
	sets := map[string]validate.Case{
		"phix": {Distance: "10%", Reference: data(t, "phix.fa"),
			Reads: []string{data(t, "phix_R1.fastq"), data(t, "phix_R2.fastq")}},
		"ex1":          {Distance: "3", Reference: data(t, "ex1.fa"), Reads: []string{head(t, data(t, "ex1_35bp.fastq.gz"), 4*effort.Pick(math.MaxInt/4, 1300))}},
		"portiera 101": {Distance: "4%", Reference: portiera, Reads: []string{head(t, data(t, "portiera_101bp.fastq.gz"), 4*effort.Pick(500, 150))}},
	}
	for _, j := range slices.Concat(judged, effort.Pick(judgedInFull, nil)) {
		c := j.mode
		set := sets[j.set]
		c.Name, c.Distance, c.Reference, c.Reads = j.set, set.Distance, set.Reference, set.Reads
		c.ReadGroup, c.Regions = readGroup, 5
		t.Run(strings.ReplaceAll(c.String(), " ", "_"), func(t *testing.T) {
			t.Parallel()
			r, err := tools.Run(context.Background(), &c, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for _, fault := range r.Faults.Lines() {
				t.Error(fault)
			}
			if r.Counts.PrimaryMapped == 0 || len(c.Reads) == 2 && r.Counts.Proper == 0 {
				t.Errorf("nothing is mapped: %+v", r.Counts)
			}
		})
	}
}

// TestWithoutReadGroup leaves the read group out, to which only Picard objects.
func TestWithoutReadGroup(t *testing.T) {
	tools := validate.Tools{Scanmap: scanmap, Samtools: programs.Find(t, "samtools")}
	c := validate.Case{
		Name: "phix", Distance: "4%", Report: "all", Reference: data(t, "phix.fa"), Regions: 5,
		Reads: []string{data(t, "phix_R1.fastq"), data(t, "phix_R2.fastq")},
	}
	r, err := tools.Run(context.Background(), &c, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range r.Faults.Lines() {
		t.Error(fault)
	}
}

// TestOtherToolsSee breaks output on its way, which has to be noticed.
func TestOtherToolsSee(t *testing.T) {
	effort.OnlyAll(t, "samtools and Picard are given faults")
	samtools := programs.Find(t, "samtools")
	reference, reads := data(t, "ex1.fa"), head(t, data(t, "ex1_35bp.fastq.gz"), 4*1300)
	for _, c := range []struct{ file, change, kinds string }{
		{"x.sam", `sed -i 's/\tNM:i:1\t/\tNM:i:0\t/' "$1"`, "samtools calmd changes NM or MD"},
		{"x.sam", `sed -i 's/\tNH:i:1\t/\tNH:i:2\t/' "$1"`, "NH is the number of the read's records"},
		{"x.sam", `sed -i '$d' "$1"`,
			"every read has a record; BAM and SAM have the same lines; samtools sort and --sort have the same records"},
		{"x.sam", `sed -i 's/^\([^\t]*\t0\t[^\t]*\t\)1\([0-9]*\t\)/\12\2/' "$1"`, "a record beyond its contig"},
		{"x.bam", `truncate -s -28 "$1"`, "samtools quickcheck"}, // the block that ends BGZF
		{"x.sorted.bam", `samtools view -b -H "$1" >"$1.none" && samtools index "$1.none" && mv "$1.none.bai" "$1.bai" && rm "$1.none"`, "a region of the index"},
		{"x.json", `sed -i 's/"reported": /&1/' "$1"`, "--stats against the records"},
	} {
		broken := t.TempDir() + "/scanmap"
		script := "#!/bin/sh\n'" + scanmap + "' \"$@\" || exit\nwhile [ $# -gt 0 ]; do case $1 in */" + c.file +
			") break;; esac; shift; done\n[ $# = 0 ] || { " + c.change + "; }\n"
		if err := os.WriteFile(broken, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		tools := validate.Tools{Scanmap: broken, Samtools: samtools}
		r, err := tools.Run(context.Background(), &validate.Case{
			Distance: "3", Report: "one", ReadGroup: readGroup, Regions: 5, Reference: reference, Reads: []string{reads},
		}, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for kind := range strings.SplitSeq(c.kinds, "; ") {
			if lines := strings.Join(r.Faults.Lines(), "\n"); !strings.Contains(lines, kind) {
				t.Errorf("%s is not noticed by %q: %s", c.change, kind, lines)
			}
		}
	}
}

// TestPicardSees gives it a read group that it does not like.
func TestPicardSees(t *testing.T) {
	effort.OnlyAll(t, "Picard is given faults")
	tools := validate.Tools{Scanmap: scanmap, Samtools: programs.Find(t, "samtools"), Picard: programs.Find(t, "PicardCommandLine")}
	r, err := tools.Run(context.Background(), &validate.Case{
		Distance: "3", Report: "one", ReadGroup: `@RG\tID:one\tSM:s`, Picard: true, Reference: data(t, "ex1.fa"),
		Reads: []string{data(t, "ex1_35bp.fastq.gz")},
	}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Join(r.Faults.Lines(), "\n"); !strings.Contains(lines, "MISSING_PLATFORM_VALUE") {
		t.Errorf("a read group without a platform is not noticed: %s", lines)
	}
}

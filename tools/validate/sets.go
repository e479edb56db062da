package main

import (
	"path/filepath"
	"strings"

	"scanmap/internal/validate"
	"scanmap/tools/command"
)

// set is a reference with reads of one file, or of two with mates.
type set struct {
	name      string
	reference string
	reads     string // with %s for R1 and R2 where there are mates
	mates     bool
	distance  string
	modes     []mode
}

// mode is a way to report.
type mode struct {
	report    string
	also      func(*validate.Case)
	ungrouped bool // no read group; Picard takes that for an error
	pipes     bool
}

// The modes. Every set has the few ones; a quick set has every one.
var (
	few = []mode{
		{report: "all", pipes: true},
		{report: "one", also: func(c *validate.Case) { c.OmitUnmapped = true }},
		{report: "all", also: func(c *validate.Case) { c.Substitutions = true }},
	}
	every = []mode{
		{report: "all", pipes: true},
		{report: "all", also: func(c *validate.Case) { c.FullSecondary = true }},
		{report: "all", also: func(c *validate.Case) { c.MaxLocations, c.SequenceMatch = 3, true }},
		{report: "all", also: func(c *validate.Case) { c.OmitUnmapped, c.FullSecondary, c.SequenceMatch = true, true, true }},
		{report: "best"},
		{report: "best", also: func(c *validate.Case) { c.OmitUnmapped, c.SequenceMatch = true, true }, pipes: true},
		{report: "one"},
		{report: "one", ungrouped: true},
		{report: "strata:1"},
		{report: "strata:1", also: func(c *validate.Case) { c.MaxLocations, c.FullSecondary = 3, true }},
		{report: "unique"},
		{report: "unique", also: func(c *validate.Case) { c.OmitUnmapped = true }},
		{report: "all", also: func(c *validate.Case) { c.Substitutions, c.SequenceMatch = true, true }},
		{report: "all", also: func(c *validate.Case) { c.UnitGaps = true }},
	}
)

// The references, by the names of their files.
const (
	phix       = "phix174_NC_001422.1.fa"
	portiera   = "portiera_GCF_000292685.fa"
	atcc       = "ecoli_ATCC11775_GCF_003697165.2.fa"
	k12        = "ecoli_K12_MG1655_NC_000913.3.fa"
	mtb        = "mtb_H37Rv_NC_000962.3.fa"
	yeast      = "yeast_R64-1-1_toplevel.fa"
	sarscov2   = "sarscov2_MN908947.3.fa"
	mt         = "human_b37_MT.fa"
	mosaic     = "human_mosaic_15.6Mb.fa"
	masked     = "human_hg19_chr20_full-coords_N-masked.fa"
	chr20start = "human_b37_chr20_start_9kb.fa"
	ex1        = "human_b36_ex1_3kb.fa"
)

var larger = []set{
	{"phix", phix, "tiny_phix_SRR1377138_%s.fastq", true, "4%", every},
	{"phix-10%", phix, "tiny_phix_SRR1377138_%s.fastq", true, "10%", few},
	{"chr20start", chr20start, "tiny_human_NA12878_chr20start_101bp_%s.fastq.gz", true, "4%", every},
	{"chr20start-unmatched", chr20start, "tiny_human_NA12878_chr20start_101bp_single.fastq.gz", false, "4%", every},
	{"ecoli1K", k12, "tiny_ecoli_1K_30-100bp_%s.fastq.gz", true, "4%", every},
	{"ex1", ex1, "tiny_human_NA18507_ex1_35bp.fastq.gz", false, "3", every},
	{"portiera101", portiera, "tiny_portiera_SRR2838702_101bp_SE.fastq.gz", false, "4%", every},
	{"portiera36", portiera, "dev_portiera_SRR2838702_36bp_R2.fastq.gz", false, "2", few},
	{"mt", mt, "dev_human_MT_ind1_250bp_%s.fastq.gz", true, "4%", few},
	{"sarscov2", sarscov2, "dev_sarscov2_sub1_220bp_%s.fastq.gz", true, "4%", few},
	{"ecoli76", atcc, "dev_ecoli_ATCC11775_SRR3927310_76bp_%s.fastq.gz", true, "4%", few},
	{"ecoli30-100", k12, "dev_ecoli_MG1655_EAS20_8_30-100bp_%s.fastq.gz", true, "4%", few},
	{"mtb300", mtb, "dev_mtb_MiSeq_300bp.fastq.gz", false, "4%", few},
	{"yeast", yeast, "dev_yeast_SRR5204809_50bp_%s.fastq.gz", true, "4%", every},
	{"mosaic54", mosaic, "dev_human_ERR005448_1000Gpilot_54bp.fastq.gz", false, "4%", few},
	{"mosaic101", mosaic, "dev_human_NA12878_chr20_10.0-10.1M_101bp_%s.fastq.gz", true, "4%", every},
	{"mosaic101-unmatched", mosaic, "dev_human_NA12878_chr20_10.0-10.1M_101bp_single.fastq.gz", false, "4%", few},
	{"chr20masked", masked, "dev_human_NA12878_chr20_10.0-10.1M_101bp_%s.fastq.gz", true, "4%", few},
}

// small are the sets of testdata.
var small = []set{
	{"phix", "phix.fa", "phix_%s.fastq", true, "4%", every},
	{"phix-10%", "phix.fa", "phix_%s.fastq", true, "10%", few},
	{"ex1", "ex1.fa", "ex1_35bp.fastq.gz", false, "3", every},
	{"portiera101", "portiera.fa", "portiera_101bp.fastq.gz", false, "4%", every},
	{"portiera36", "portiera.fa", "portiera_36bp.fastq.gz", false, "2", few},
}

// folderOf returns the path of a reference (kind "ref") or of reads within the data; testdata has
// no folders.
func folderOf(data command.Data, kind, name string) string {
	if data.Larger {
		return filepath.Join(kind, name)
	}
	return name
}

// large are sets whose mates alone have the few modes: pairs have every one.
var large = map[string]bool{"yeast": true, "mosaic101": true}

// readGroup is complete to Picard.
const readGroup = `@RG\tID:lane1\tSM:sample\tLB:library\tPL:ILLUMINA`

// regionsOfCase is how many regions each case asks the index for.
const regionsOfCase = 50

// allCases lists every case: pairs, and each of their files alone.
func allCases(data command.Data, references string) []validate.Case {
	var cases []validate.Case
	for _, s := range command.Choose(data, larger, small) {
		single := s.modes
		if large[s.name] {
			single = few
		}
		if !s.mates {
			cases = append(cases, s.cases(data, references, single, s.reads)...)
			continue
		}
		first, last := strings.Replace(s.reads, "%s", "R1", 1), strings.Replace(s.reads, "%s", "R2", 1)
		cases = append(cases, s.cases(data, references, s.modes, first, last)...)
		s.name += "-R1"
		cases = append(cases, s.cases(data, references, single, first)...)
		s.name = s.name[:len(s.name)-1] + "2"
		cases = append(cases, s.cases(data, references, few, last)...)
	}
	return cases
}

// cases are the cases of one layout.
func (s *set) cases(data command.Data, references string, modes []mode, reads ...string) []validate.Case {
	var cases []validate.Case
	for _, m := range modes {
		c := validate.Case{
			Name: s.name, Reference: filepath.Join(references, s.reference),
			Distance: s.distance, Report: m.report, Regions: regionsOfCase,
			ReadGroup: readGroup, Picard: true, Pipes: m.pipes,
		}
		for _, file := range reads {
			c.Reads = append(c.Reads, data.Path(folderOf(data, "reads", file)))
		}
		if m.ungrouped {
			c.ReadGroup, c.Picard = "", false
		}
		if m.also != nil {
			m.also(&c)
		}
		cases = append(cases, c)
	}
	return cases
}

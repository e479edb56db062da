package report

import "scanmap/mapper"

// pairs is the JSON of pairs of mates, of all libraries together.
type pairs struct {
	Pairs                 int64   `json:"pairs"`
	Proper                int64   `json:"proper"`
	Discordant            int64   `json:"discordant"`
	DiscordantOtherContig int64   `json:"discordant_other_contig"`
	DiscordantOrientation int64   `json:"discordant_orientation"`
	DiscordantNear        int64   `json:"discordant_near"`
	DiscordantFar         int64   `json:"discordant_far"`
	OneEndAnchored        int64   `json:"one_end_anchored"`
	Unmapped              int64   `json:"unmapped"`
	RescuedMates          int64   `json:"rescued_mates"`
	Bounded               int64   `json:"bounded"`
	ProperRatio           float64 `json:"proper_ratio"`
}

// library is the JSON of one input.
type library struct {
	ReadsFile      string        `json:"reads_file"`
	MatesFile      string        `json:"mates_file"`
	ReadGroup      string        `json:"read_group"`
	Sample         string        `json:"sample"`
	Reads          int64         `json:"reads"`
	MappedReads    int64         `json:"mapped_reads"`
	UniqueReads    int64         `json:"unique_reads"`
	AmbiguousReads int64         `json:"ambiguous_reads"`
	Mappings       int64         `json:"mappings"`
	Reported       int64         `json:"reported"`
	MappingRatio   float64       `json:"mapping_ratio"`
	Skip           int64         `json:"skip"`
	Take           int64         `json:"take"`
	More           bool          `json:"more"`
	Pairs          *libraryPairs `json:"pairs"`
}

type libraryPairs struct {
	pairs
	Insert insert `json:"insert"`
}

type insert struct {
	Estimated bool        `json:"estimated"`
	Given     bool        `json:"given"`
	From      int64       `json:"from"`
	Median    int         `json:"median"`
	Spread    float64     `json:"spread"`
	Low       int         `json:"low"`
	High      int         `json:"high"`
	Mean      float64     `json:"mean"`
	Histogram []insertBin `json:"histogram"`
	Counts    []int64     `json:"counts"`
	Longer    int64       `json:"longer"`
}

func newPairs(p *mapper.PairStats) *pairs {
	if p == nil {
		return nil
	}
	return &pairs{
		Pairs: p.Pairs, Proper: p.Proper, Discordant: p.Discordant, DiscordantOtherContig: p.OtherContig,
		DiscordantOrientation: p.OtherOrientation, DiscordantNear: p.TooNear, DiscordantFar: p.TooFar,
		OneEndAnchored: p.OneEndAnchored, Unmapped: p.Unmapped, RescuedMates: p.Rescued, Bounded: p.Bounded,
		ProperRatio: ratio(p.Proper, p.Pairs),
	}
}

func newLibraries(all []mapper.LibraryStats) []library {
	out := make([]library, 0, len(all))
	for i := range all {
		l := &all[i]
		row := library{
			ReadsFile: l.ReadsFile, MatesFile: l.MatesFile, ReadGroup: l.ReadGroup, Sample: l.Sample,
			Reads: l.Reads, MappedReads: l.Mapped, UniqueReads: l.Unique, AmbiguousReads: l.Ambiguous,
			Mappings: l.Mappings, Reported: l.Reported, MappingRatio: ratio(l.Mapped, l.Reads),
			Skip: l.Skip, Take: l.Take, More: l.More,
		}
		if l.Pairs != nil {
			row.Pairs = &libraryPairs{*newPairs(l.Pairs), newInsert(&l.Pairs.Insert)}
		}
		out = append(out, row)
	}
	return out
}

func newInsert(i *mapper.InsertStats) insert {
	m, _ := median(i)
	return insert{
		Estimated: i.Estimated, Given: i.Given, From: i.From, Median: m, Spread: spread(i), Low: i.Low, High: i.High,
		Mean: mean(i), Histogram: insertBins(i.Counts, maxInsertBins), Counts: list(i.Counts), Longer: i.Longer,
	}
}

package report

import (
	"encoding/json"
	"io"

	"scanmap/mapper"
	"scanmap/mapper/depth"
)

// multiQC is custom content of MultiQC (https://docs.seqera.io/multiqc/custom_content): columns of
// its table of general statistics. Files of several runs have one ID, by which MultiQC puts their
// samples into one table.
type multiQC struct {
	ID          string                     `json:"id"`
	PlotType    string                     `json:"plot_type"`
	Namespace   string                     `json:"namespace"`
	Description string                     `json:"description"`
	Headers     []map[string]multiQCColumn `json:"headers"`
	Data        map[string]multiQCSample   `json:"data"`
}

// multiQCColumn says how MultiQC shows a column; Scale is a colour scheme of ColorBrewer.
type multiQCColumn struct {
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Min         *float64 `json:"min,omitempty"`
	Max         *float64 `json:"max,omitempty"`
	Suffix      string   `json:"suffix,omitempty"`
	Scale       string   `json:"scale"`
	Format      string   `json:"format"`
	Hidden      bool     `json:"hidden,omitempty"`
}

// multiQCSample is a row. A value that a library lacks, because it has no mates or no reads, is
// left out: MultiQC leaves the cell empty.
type multiQCSample struct {
	Mapped   *float64 `json:"percent_mapped,omitempty"`
	Unique   *float64 `json:"percent_unique,omitempty"`
	Proper   *float64 `json:"percent_proper_pairs,omitempty"`
	Insert   *int     `json:"median_insert,omitempty"`
	Mappings *float64 `json:"mappings_per_mapped_read,omitempty"`
	Reads    float64  `json:"reads_millions"`
	Covered  *float64 `json:"percent_covered,omitempty"`
	Depth    *float64 `json:"mean_depth,omitempty"`
}

// multiQCColumns are the columns, in the order in which they are shown, with columns of depth if it
// was counted.
func multiQCColumns(counted bool) []map[string]multiQCColumn {
	zero, hundred := 0.0, 100.0
	share := func(title, description, scale string) multiQCColumn {
		return multiQCColumn{Title: title, Description: description, Min: &zero, Max: &hundred, Suffix: "%",
			Scale: scale, Format: "{:,.2f}"}
	}
	columns := []map[string]multiQCColumn{
		{"percent_mapped": share("% mapped", "Reads with at least one location within the edits allowed", "YlGn")},
		{"percent_unique": share("% unique", "Reads with exactly one location", "Blues")},
		{"percent_proper_pairs": share("% proper pairs",
			"Pairs on one contig, in the orientation and with an insert size of the library", "PuBu")},
		{"median_insert": {Title: "Median insert",
			Description: "Median insert size in bases, from the first unique pairs", Min: &zero, Suffix: " bp",
			Scale: "BuPu", Format: "{:,.0f}"}},
		{"mappings_per_mapped_read": {Title: "Locations", Description: "Locations found per mapped read", Min: &zero,
			Scale: "OrRd", Format: "{:,.2f}"}},
		{"reads_millions": {Title: "M reads", Description: "Reads of the input, in millions; mates count singly",
			Min: &zero, Scale: "Greys", Format: "{:,.3f}"}},
	}
	if !counted {
		return columns
	}
	return append(columns,
		map[string]multiQCColumn{"percent_covered": share("% covered", "Bases of the reference with depth, of all samples of the run together", "PuRd")},
		map[string]multiQCColumn{"mean_depth": {Title: "Depth",
			Description: "Mean depth of the reference, of all samples of the run together", Min: &zero, Suffix: "X",
			Scale: "Oranges", Format: "{:,.2f}"}})
}

// MultiQC writes columns for MultiQC's general statistics as JSON, with a sample for each library:
// put it in a file *_mqc.json. name is the sample of a library that has neither read group nor file
// name. d has the counted depth, nil for none; version is scanmap's.
func MultiQC(w io.Writer, s *mapper.Stats, d *depth.Summary, version, name string) error {
	libraries := s.Libraries
	names := libraryNames(s, name)
	if len(libraries) == 0 {
		libraries = []mapper.LibraryStats{{Reads: s.Reads, Mapped: s.Mapped, Unique: s.Unique, Mappings: s.Mappings}}
		names = []string{name}
	}
	out := multiQC{
		ID: "scanmap", PlotType: "generalstats", Namespace: "scanmap", Description: "Mapping by scanmap " + version,
		Headers: multiQCColumns(d != nil), Data: make(map[string]multiQCSample, len(libraries)),
	}
	for i := range libraries {
		row := newMultiQCSample(&libraries[i])
		if d != nil {
			covered := 100 * ratio(d.Covered, d.Bases)
			row.Covered, row.Depth = &covered, &d.Mean
		}
		out.Data[names[i]] = row
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func newMultiQCSample(l *mapper.LibraryStats) multiQCSample {
	row := multiQCSample{Reads: float64(l.Reads) / 1e6}
	share := func(part, whole int64) *float64 {
		x := 100 * ratio(part, whole)
		return &x
	}
	if l.Reads > 0 {
		row.Mapped, row.Unique = share(l.Mapped, l.Reads), share(l.Unique, l.Reads)
	}
	if l.Mapped > 0 {
		x := ratio(l.Mappings, l.Mapped)
		row.Mappings = &x
	}
	if p := l.Pairs; p != nil {
		if p.Pairs > 0 {
			row.Proper = share(p.Proper, p.Pairs)
		}
		if m, known := median(&p.Insert); known {
			row.Insert = &m
		}
	}
	return row
}

package validate

import (
	"slices"
	"strings"
	"testing"
)

// The templates of the good texts: 10 bases each, and a distance of 1.
var (
	mates = []Template{
		{"a", []Read{{"a", "ACGTACGTAC", "ABCDEFGHIJ"}, {"a", "TTTTTGGGGG", "KLMNOPQRST"}}},
		{"b", []Read{{"b", "AAAAACCCCC", "ABCDEFGHIJ"}, {"b", "GGGGGTTTTT", "KLMNOPQRST"}}},
		{"c", []Read{{"c", "CCCCCCCCCC", "ABCDEFGHIJ"}, {"c", "", ""}}},
	}
	single = []Template{{"a", mates[0].Mates[:1]}, {"b", mates[1].Mates[:1]}}
)

const header = "@HD\tVN:1.6\tSO:unsorted\n@SQ\tSN:x\tLN:100\n@SQ\tSN:y\tLN:50\n@RG\tID:g\n"

// goodPairs has a proper pair whose first mate has a second location, a pair with one mapped mate,
// and one without any.
const goodPairs = header +
	"a\t99\tx\t11\t60\t10M\t=\t31\t31\tACGTACGTAC\tABCDEFGHIJ\tNM:i:0\tMD:Z:10\tAS:i:0\tNH:i:2\tHI:i:1\tMC:Z:5M1D5M\tMQ:i:50\tRG:Z:g\n" +
	"a\t353\ty\t41\t0\t10M\tx\t31\t0\t*\t*\tNM:i:1\tMD:Z:0A9\tAS:i:-1\tNH:i:2\tHI:i:2\tMC:Z:5M1D5M\tMQ:i:50\tRG:Z:g\n" +
	"a\t147\tx\t31\t50\t5M1D5M\t=\t11\t-31\tCCCCCAAAAA\tTSRQPONMLK\tNM:i:1\tMD:Z:5^A5\tAS:i:-1\tNH:i:1\tHI:i:1\tMC:Z:10M\tMQ:i:60\tRG:Z:g\n" +
	"b\t73\ty\t1\t37\t10M\t=\t1\t0\tAAAAACCCCC\tABCDEFGHIJ\tNM:i:0\tMD:Z:10\tAS:i:0\tNH:i:1\tHI:i:1\tXD:Z:anchored\tRG:Z:g\n" +
	"b\t133\ty\t1\t0\t*\t=\t1\t0\tGGGGGTTTTT\tKLMNOPQRST\tMC:Z:10M\tMQ:i:37\tRG:Z:g\n" +
	"c\t77\t*\t0\t0\t*\t*\t0\t0\tCCCCCCCCCC\tABCDEFGHIJ\tRG:Z:g\n" +
	"c\t141\t*\t0\t0\t*\t*\t0\t0\t*\t*\tRG:Z:g\n"

const goodSingle = header +
	"a\t16\tx\t91\t60\t10M\t*\t0\t0\tGTACGTACGT\tJIHGFEDCBA\tNM:i:0\tMD:Z:10\tAS:i:0\tNH:i:1\tHI:i:1\tRG:Z:g\n" +
	"b\t4\t*\t0\t0\t*\t*\t0\t0\tAAAAACCCCC\tABCDEFGHIJ\tRG:Z:g\n"

// judge returns the kinds of faults of a text.
func judge(t *testing.T, text string, templates []Template, change func(*Case)) []string {
	t.Helper()
	c := &Case{Distance: "1", Report: "all", ReadGroup: `@RG\tID:g\tSM:s`, UnitGaps: true, Reads: make([]string, len(templates[0].Mates))}
	if change != nil {
		change(c)
	}
	a, err := parseAlignment(strings.NewReader(text))
	if err != nil {
		return []string{err.Error()}
	}
	var faults Faults
	Structure(c, a, templates, &faults)
	return faults.Kinds()
}

func TestStructureAccepts(t *testing.T) {
	for name, kinds := range map[string][]string{
		"pairs":            judge(t, goodPairs, mates, nil),
		"single":           judge(t, goodSingle, single, nil),
		"lower case and U": judge(t, strings.Replace(goodSingle, "\tGTACGTACGT\t", "\tguacGTACGT\t", 1), single, nil),
		"an unmapped read is left out": judge(t, goodSingle[:strings.Index(goodSingle, "b\t4")], single,
			func(c *Case) { c.OmitUnmapped = true }),
		"a rescued mate": judge(t, edit(goodPairs, "NM:i:0\tMD:Z:10\tAS:i:0\tNH:i:1\tHI:i:1\tXD",
			"NM:i:2\tMD:Z:10\tAS:i:-2\tXR:i:1\tNH:i:1\tHI:i:1\tXD"), mates, nil),
	} {
		if len(kinds) > 0 {
			t.Errorf("%s: %q", name, kinds)
		}
	}
}

// edit replaces text that has to be there.
func edit(text, old, changed string) string {
	if !strings.Contains(text, old) {
		return "no such text: " + old
	}
	return strings.Replace(text, old, changed, 1)
}

// TestStructureRefuses breaks good text in one place each.
func TestStructureRefuses(t *testing.T) {
	for _, c := range []struct{ old, changed, kind string }{
		{"a\t147\tx", "a\t403\tx", "exactly one primary record of each mate"},
		{"a\t353\ty", "a\t97\ty", "records in the order of the input"},
		{"a\t99\tx", "a\t67\tx", "flags 8 and 32 are those of the mate"},
		{"a\t99\tx", "a\t97\tx", "flag 2 of both mates"},
		{"a\t99\tx", "a\t35\tx", "flags 1, 64 and 128 of a mate"},
		{"a\t99\tx", "a\t98\tx", "flags 1, 64 and 128 of a mate"},
		{"b\t73\ty", "b\t65\ty", "flags 8 and 32 are those of the mate"},
		{"c\t77\t", "c\t79\t", "an unmapped record has a CIGAR, a MAPQ or flags 2, 16 or 256"},
		{"10M\tx\t31\t0", "10M\tx\t30\t0", "RNEXT and PNEXT are the place of the mate"},
		{"=\t31\t31", "y\t31\t31", "RNEXT and PNEXT are the place of the mate"},
		{"=\t31\t31", "=\t31\t30", "TLEN"},
		{"=\t31\t31", "=\t31\t-31", "TLEN"},
		{"\t10M\t=\t1\t0\tAAAAA", "\t10M\t=\t1\t10\tAAAAA", "TLEN"},
		{"MC:Z:5M1D5M\tMQ:i:50\tRG:Z:g\na\t353", "MC:Z:10M\tMQ:i:50\tRG:Z:g\na\t353", "MC is the mate's CIGAR"},
		{"MC:Z:10M\tMQ:i:60", "MQ:i:60", "MC is the mate's CIGAR"},
		{"MQ:i:60", "MQ:i:59", "MQ is the mate's MAPQ"},
		{"XD:Z:anchored", "XD:Z:anchored\tMC:Z:10M", "MC or MQ of an unmapped mate"},
		{"XD:Z:anchored", "XD:Z:contig", "XD tells why a pair is not proper"},
		{"\tXD:Z:anchored", "", "XD tells why a pair is not proper"},
		{"b\t133\ty\t1\t0", "b\t133\ty\t2\t0", "an unmapped mate is placed at its partner"},
		{"b\t133\ty\t1\t0\t*", "b\t133\ty\t1\t9\t*", "an unmapped record has a CIGAR, a MAPQ or flags 2, 16 or 256"},
		{"c\t77\t*\t0", "c\t77\tx\t5", "two unmapped mates are placed"},
		{"y\t41\t0\t10M", "y\t41\t3\t10M", "MAPQ of a secondary record is 0"},
		{"y\t41\t0\t10M", "y\t42\t0\t10M", "a record beyond its contig"},
		{"y\t41\t0\t10M", "z\t41\t0\t10M", "a record beyond its contig"},
		{"NH:i:2\tHI:i:2", "NH:i:1\tHI:i:2", "NH is the number of the read's records"},
		{"NH:i:2\tHI:i:2", "NH:i:2\tHI:i:1", "HI counts from 1 to NH"},
		{"NH:i:2\tHI:i:2", "NH:i:2\tHI:i:3", "HI counts from 1 to NH"},
		{"x\t11\t60\t10M", "x\t11\t60\t11M", "the CIGAR covers the whole read"},
		{"x\t11\t60\t10M", "x\t11\t60\t10=", "letters of the CIGAR"},
		{"ACGTACGTAC\tABC", "ACGTACGTAA\tABC", "SEQ and QUAL are those of the read, in the orientation of the record"},
		{"CCCCCAAAAA\t", "TTTTTGGGGG\t", "SEQ and QUAL are those of the read, in the orientation of the record"},
		{"TSRQPONMLK", "KLMNOPQRST", "SEQ and QUAL are those of the read, in the orientation of the record"},
		{"NM:i:0\tMD:Z:10\tAS:i:0\tNH:i:2", "NM:i:2\tMD:Z:10\tAS:i:-2\tNH:i:2", "XR:i:1 goes with more than k edits"},
		{"MQ:i:60\tRG:Z:g", "MQ:i:60\tRG:Z:g\tXR:i:1", "XR:i:1 goes with more than k edits"},
		{"MQ:i:60\tRG:Z:g", "MQ:i:60", "RG"},
		{"MQ:i:60\tRG:Z:g", "MQ:i:60\tRG:Z:h", "RG"},
		{"@RG\tID:g\n", "", "read groups of the header"},
		{"b\t73", "bb\t73", "every read has a record"},
		{"\tMD:Z:5^A5", "", "MD"},
		{"\tMD:Z:5^A5", "\tMD:Z:5^A5\tMD:Z:10", "a tag that is malformed or there twice"},
		{"\tMD:Z:5^A5", "\tMD:Z:5^A5\tZZ:Z:x", "a tag that scanmap does not write"},
		{"\tMD:Z:5^A5", "\tMD:i:5", "a tag that scanmap does not write"},
		{"c\t77\t*\t0\t0\t*\t*\t0\t0\tCCCCCCCCCC\tABCDEFGHIJ", "c\t77\t*\t0\t0\t*\t*\t0\t0\tCCCCCCCCCC\tABCDEFGHIJ\tXS:i:-1",
			"an unmapped record has a tag of an alignment"},
		{"a\t353\ty\t41\t0\t10M\tx", "a\t353\tx\t11\t0\t10M\tx", "a location is reported twice"},
		{"60\t10M", "60\tM10", `line 5: CIGAR "M10": operation M without a length`},
	} {
		got := judge(t, edit(goodPairs, c.old, c.changed), mates, nil)
		if !slices.ContainsFunc(got, func(kind string) bool { return strings.HasPrefix(kind, c.kind) }) {
			t.Errorf("%q as %q: %q, expected %q", c.old, c.changed, got, c.kind)
		}
	}
	for _, c := range []struct {
		text, kind string
		change     func(*Case)
	}{
		{goodSingle, "RG", func(c *Case) { c.ReadGroup = "" }},
		{goodSingle, "an unmapped read in spite of --omit-unmapped", func(c *Case) { c.OmitUnmapped = true }},
		{goodSingle, "letters of the CIGAR", func(c *Case) { c.SequenceMatch = true }},
		{edit(goodSingle, "a\t16\t", "a\t17\t"), "a single-end record has fields of a mate", nil},
		{edit(goodSingle, "a\t16\t", "a\t18\t"), "a single-end record has fields of a mate", nil},
		{edit(goodSingle, "a\t16\t", "a\t24\t"), "a single-end record has fields of a mate", nil},
		{edit(goodSingle, "a\t16\t", "a\t48\t"), "a single-end record has fields of a mate", nil},
		{edit(goodSingle, "a\t16\t", "a\t80\t"), "a single-end record has fields of a mate", nil},
		{edit(goodSingle, "a\t16\t", "a\t144\t"), "a single-end record has fields of a mate", nil},
		{edit(goodSingle, "HI:i:1", "HI:i:1\tMQ:i:3"), "a single-end record has a tag of pairs", nil},
		{edit(goodSingle, "b\t4\t*\t0", "b\t4\tx\t5"), "an unmapped read without a mate is placed", nil},
		{edit(goodSingle, "ABCDEFGHIJ\tRG", "ABCDEFGHIJ\tXC:i:1\tRG"), "XC goes with --over drop and more locations than --max-locations",
			func(c *Case) { c.Drop, c.MaxLocations = true, 1 }},
		{edit(goodSingle, "HI:i:1", "HI:i:1\tXC:i:3"), "an alignment has a tag of unmapped records", nil},
		{goodSingle[:strings.Index(goodSingle, "b\t4")], "every read has a record", nil},
	} {
		if got := judge(t, c.text, single, c.change); !slices.Contains(got, c.kind) {
			t.Errorf("%q, expected %q", got, c.kind)
		}
	}
	for kind, change := range map[string]func(*Case){
		"one record a read":                                                    func(c *Case) { c.Report = "one" },
		"more records than --max-locations":                                    func(c *Case) { c.MaxLocations = 1 },
		"an unmapped pair in spite of --omit-unmapped":                         func(c *Case) { c.OmitUnmapped = true },
		"SEQ and QUAL are those of the read, in the orientation of the record": func(c *Case) { c.FullSecondary = true },
		"letters of the CIGAR":                                                 func(c *Case) { c.Substitutions = true },
	} {
		if got := judge(t, goodPairs, mates, change); !slices.Contains(got, kind) {
			t.Errorf("%q, expected %q", got, kind)
		}
	}
}

// TestAffineScores has records with affine costs of gaps, good ones and some that are broken in one
// place each.
func TestAffineScores(t *testing.T) {
	affine := func(c *Case) { c.UnitGaps = false }
	good := edit(goodSingle, "NM:i:0\tMD:Z:10\tAS:i:0", "NM:i:0\tMD:Z:10\tAS:i:10\tXS:i:5\tXE:i:0")
	for _, c := range []struct{ cigar, tags string }{
		{"10M", "NM:i:1\tMD:Z:9A0\tAS:i:5\tXE:i:1"},
		{"5M3D5M", "NM:i:3\tMD:Z:5^ACG5\tAS:i:1\tXE:i:1"},
		{"5M3D5M", "NM:i:4\tMD:Z:5^ACG0T4\tAS:i:-4\tXE:i:1"},
		{"4M2I4M", "NM:i:2\tMD:Z:8\tAS:i:0\tXE:i:1"},
	} {
		text := edit(edit(good, "10M", c.cigar), "NM:i:0\tMD:Z:10\tAS:i:10\tXS:i:5\tXE:i:0", c.tags)
		text = edit(text, "x\t91", "x\t81")
		if got := judge(t, text, single, affine); len(got) > 0 {
			t.Errorf("%+v: %q", c, got)
		}
	}
	if got := judge(t, good, single, affine); len(got) > 0 {
		t.Errorf("%q", got)
	}
	for _, c := range []struct{ old, changed, kind string }{
		{"\tXE:i:0", "", "XE"},
		{"AS:i:10", "AS:i:0", "AS is the affine score"},
		{"AS:i:10\t", "", "AS is the affine score"},
		{"NM:i:0", "NM:i:1", "NM is the number of edits, at least XE"},
		{"XE:i:0", "XE:i:1", "NM is the number of edits, at least XE"},
		{"XE:i:0", "XE:i:2", "XR:i:1 goes with more than k edits"},
		{"MD:Z:10", "MD:Z:9", "MD fits the CIGAR"},
		{"MD:Z:10", "MD:Z:5^A5", "MD fits the CIGAR"},
		{"XS:i:5", "XS:i:6", "XS is a score without gaps"},
		{"XS:i:5", "XS:i:15", "XS is a score without gaps"},
	} {
		if got := judge(t, edit(good, c.old, c.changed), single, affine); !slices.Contains(got, c.kind) {
			t.Errorf("%q as %q: %q, expected %q", c.old, c.changed, got, c.kind)
		}
	}
	if got := judge(t, good, single, nil); !slices.Contains(got, "XE in spite of --gaps unit") {
		t.Errorf("%q", got)
	}
}

// TestProperNeedsFacingMates puts mates of a pair with flag 2 where they do not face each other.
func TestProperNeedsFacingMates(t *testing.T) {
	outward := strings.NewReplacer("a\t99\tx\t11", "a\t99\tx\t61", "=\t31\t31\tACGT", "=\t31\t-40\tACGT",
		"=\t11\t-31", "=\t61\t40").Replace(goodPairs)
	if got := judge(t, outward, mates, nil); !slices.Equal(got, []string{"flag 2 only for mates that face each other on one contig"}) {
		t.Errorf("%q", got)
	}
}

// TestComparesStatistics changes one count each.
func TestComparesStatistics(t *testing.T) {
	a, err := parseAlignment(strings.NewReader(goodPairs))
	if err != nil {
		t.Fatal(err)
	}
	c := &Case{Report: "all", Reads: make([]string, 2)}
	for _, kind := range []string{"", "reads", "mapped", "reported", "proper", "anchored", "contig", "insert", "no pairs"} {
		s := goodStatistics()
		switch kind {
		case "reads":
			s.Reads++
		case "mapped":
			s.MappedReads--
		case "reported":
			s.Reported++
		case "proper":
			s.Pairs.Proper, s.Pairs.Unmapped = 2, 0
		case "anchored":
			s.Pairs.OneEndAnchored, s.Pairs.Unmapped = 0, 2
		case "contig":
			s.Contigs[0].Primary++
		case "insert":
			s.Libraries[0].Pairs.Insert.High = 30
		case "no pairs":
			s.Pairs = nil
		}
		var faults Faults
		compareStatistics(c, s, count(a), a, mates, &faults)
		if faults.Any() != (kind != "") {
			t.Errorf("%q: %q", kind, faults.Lines())
		}
	}
}

package sam

import (
	"bytes"
	"encoding/hex"
	"flag"
	"os"
	"testing"

	hts "github.com/biogo/hts/sam"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// goldenRecords are the short ones of edgeRecords, and one record for each set of tags that a run
// writes.
func goldenRecords(t testing.TB) []Record {
	var records []Record
	for _, r := range edgeRecords(t) {
		if len(r.Cigar) < 1000 {
			records = append(records, r)
		}
	}
	mate := sample(t)
	mate.Name, mate.Contig, mate.Flags = "mate", "c", hts.Paired|hts.Read1
	mate.MateContig, mate.MatePos, mate.TemplateLength = "c", 123457000, 312
	mate.MateCigar, mate.MateMapQ, mate.HasMateMapQ = cigar(t, "98M2D2M"), 255, true
	mate.Rescued, mate.Discordant = true, "orientation"
	for _, flags := range []hts.Flags{0, hts.Unmapped} {
		for without := range 8 {
			r := mate
			r.Flags |= flags
			switch without {
			case 1:
				r.Mismatches = nil
			case 2:
				r.HasSecondScore = false
			case 3:
				r.Hits, r.HitIndex = 0, 0
			case 4:
				r.MateCigar = nil
			case 5:
				r.HasMateMapQ = false
			case 6:
				r.Rescued, r.Discordant = false, ""
			case 7:
				r.ReadGroup = ""
			}
			records = append(records, r)
		}
	}
	for i := range records {
		setIndices(&records[i])
	}
	return records
}

// TestGolden compares records of every form with the bytes of earlier versions: text, and BAM as
// hexadecimal lines.
func TestGolden(t *testing.T) {
	var text, binary []byte
	for _, r := range goldenRecords(t) {
		text = r.Append(text, Text)
		binary = hex.AppendEncode(binary, r.Append(nil, Binary))
		binary = append(binary, '\n')
	}
	for file, got := range map[string][]byte{"testdata/records.sam": text, "testdata/records.bam.hex": binary} {
		if *update {
			if err := os.WriteFile(file, got, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("differs from %s (-update accepts it):\n%s", file, got)
		}
	}
}

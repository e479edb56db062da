package report

import (
	"bytes"
	"regexp"
	"runtime"
	"slices"
	"testing"

	"scanmap/genome/copies"
	"scanmap/genome/mappability"
	"scanmap/search/primers"
)

// notOfData is what all pages have alike.
var notOfData = regexp.MustCompile(`(?s)<style>.*?</style>|<script>.*?</script>`)

// TestPagesAreTheSame compares a page of each kind, all its numbers and charts, with a page that
// somebody looked at.
func TestPagesAreTheSame(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("SKIPPED: other processors may round products in charts differently")
	}
	sifted, o := sorted(2, 1, false)
	for name, page := range map[string][]byte{
		"map":         html(t, example()),
		"copies":      copiesHTML(t, "gene", copies.Loess, 3),
		"demultiplex": recordsHTML(t, sifted, o, false),
		"filter":      recordsHTML(t, sifted, o, true),
		"guides":      guidesHTML(t, 4, 12, "g"),
		"mappability": mappabilityPageOf(t, "m", mappability.Options{Length: 20, Edits: 1, Threads: 1}),
		"primers":     primersPageOf(t, "once", primers.Options{}),
	} {
		page = notOfData.ReplaceAll(page, nil)
		golden(t, name+".html", bytes.ReplaceAll(page, []byte("><"), []byte(">\n<")))
	}
}

// TestTiles has the range of what libraries have.
func TestTiles(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {1, 0, 2}} {
		s := lanes()
		libraries := s.Libraries
		s.Libraries = nil
		for _, i := range order {
			s.Libraries = append(s.Libraries, libraries[i])
		}
		if all := tiles(s); !slices.Contains(all, tile{"median insert size", "298 to 312", "bases, 2 libraries"}) {
			t.Errorf("libraries %v: %+v", order, all)
		}
	}
}

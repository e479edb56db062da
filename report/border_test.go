package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"scanmap/mapper"
)

// TestMostContigs has just as many contigs as the table shows, and one more.
func TestMostContigs(t *testing.T) {
	for n, left := range map[int]bool{maxContigs: false, maxContigs + 1: true} {
		s := &mapper.Stats{}
		for i := range n {
			s.PerContig = append(s.PerContig, mapper.ContigStats{Name: fmt.Sprintf("contig%d", i), Length: 10})
		}
		var b bytes.Buffer
		if err := Table(&b, s); err != nil {
			t.Fatal(err)
		}
		if shown := strings.Count(b.String(), "\n  contig"); shown != maxContigs {
			t.Errorf("%d of %d contigs are shown", shown, n)
		}
		if strings.Contains(b.String(), "(1 more contig,") != left {
			t.Errorf("%d contigs:\n%s", n, &b)
		}
	}
}

// TestBinDepths has a last bin that is not whole.
func TestBinDepths(t *testing.T) {
	contig := &mapper.ContigStats{Length: 35, BinLength: 10}
	if got := binDepths([]int64{10, 20, 10, 5}, 1, contig); !slices.Equal(got, []float64{1, 2, 1, 1}) {
		t.Errorf("depths %v", got)
	}
	if got := binDepths([]int64{10, 20, 10, 5}, 3, contig); !slices.Equal(got, []float64{40. / 30, 1}) {
		t.Errorf("depths of three bins %v", got)
	}
}

// TestNamesOfManyLibraries numbers libraries of one name.
func TestNamesOfManyLibraries(t *testing.T) {
	s := &mapper.Stats{Libraries: make([]mapper.LibraryStats, 4)}
	for i := range s.Libraries {
		s.Libraries[i].ReadsFile = "a.fq"
	}
	if got := libraryNames(s, "reads"); !slices.Equal(got, []string{"a", "a_2", "a_3", "a_4"}) {
		t.Errorf("got %q", got)
	}
}

package find

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"scanmap/fasta"
	"scanmap/internal/temporary"
	"scanmap/locate"
)

// TestStore puts items into stores of every size, in memory and in the file, and takes them out,
// except items of reads with more than can be listed.
func TestStore(t *testing.T) {
	folder := t.TempDir()
	s := store{files: temporary.In(folder)}
	rapid.Check(t, func(rt *rapid.T) {
		together := rapid.IntRange(1, 2).Draw(rt, "together")
		b := &Batch{Together: together}
		groups := rapid.IntRange(1, 200)
		reads := together * rapid.OneOf(groups, groups, groups, rapid.Just(5000)).Draw(rt, "groups")
		b.Reads = make([]fasta.Read, reads)
		s.limit = rapid.SampledFrom([]int{0, 1, 1000, 1 << 20}).Draw(rt, "limit")
		s.listed = rapid.SampledFrom([]int{1 << 20, 1 << 20, 0, 100, 5000}).Draw(rt, "listed")
		if err := s.begin(b, 2); err != nil {
			rt.Fatal(err)
		}
		want := make([][storedKinds][]locate.Candidate, reads)
		dense := rapid.IntRange(0, reads-1).Draw(rt, "dense") // a read that has much
		few, many := rapid.IntRange(0, 3000), rapid.IntRange(20_000, 30_000)
		for i := range rapid.OneOf(few, few, few, many).Draw(rt, "items") {
			kind, read := i%7/6, (i*i)%reads
			switch i % 3 {
			case 0:
				read = dense
			case 1:
				read = (dense + i%8) % reads
			}
			c := locate.Candidate{Read: uint32(read), Place: locate.Place(i), Diagonal: int32(-i), Differences: int32(2 * i)}
			s.writers[i%2].add(kind, c)
			want[read][kind] = append(want[read][kind], c)
		}
		if err := s.finish(); err != nil {
			rt.Fatal(err)
		}
		most := rapid.SampledFrom([]int{0, 1, 50, 700, 7000, 1 << 20}).Draw(rt, "most")
		from := 0
		for {
			n, lists, listed, err := s.take(most)
			if err != nil {
				rt.Fatal(err)
			}
			if n == 0 {
				break
			}
			items := 0 // of the first reads that belong together
			for i := range together {
				items += len(want[from+i][storedCandidate]) + len(want[from+i][storedEnd])
			}
			if listed != (items <= s.listed) {
				rt.Fatalf("%d items of a read, %d are listed: %v", items, s.listed, listed)
			}
			if !listed {
				if n != together || len(lists[storedCandidate])+len(lists[storedEnd]) > 0 {
					rt.Fatalf("%d reads that are not listed have %d and %d lists", n, len(lists[storedCandidate]), len(lists[storedEnd]))
				}
				from += n
				continue
			}
			got := make([][storedKinds][]locate.Candidate, n)
			sum := 0
			for kind, pages := range lists {
				for _, page := range pages {
					sum += len(page)
					for _, c := range page {
						c.Read += uint32(from)
						got[int(c.Read)-from][kind] = append(got[int(c.Read)-from][kind], c)
					}
				}
			}
			if n%together != 0 || sum > most && n > together {
				rt.Fatalf("%d items of %d reads at a time, want %d", sum, n, most)
			}
			for i := range got {
				for kind := range storedKinds {
					compare := func(a, b locate.Candidate) int { return int(a.Place) - int(b.Place) }
					slices.SortFunc(got[i][kind], compare)
					if !slices.Equal(got[i][kind], want[from+i][kind]) {
						rt.Fatalf("read %d of %d, kind %d: %v, want %v", from+i, reads, kind, got[i][kind], want[from+i][kind])
					}
				}
			}
			from += n
		}
		if from != reads {
			rt.Fatalf("%d of %d reads", from, reads)
		}
		if s.file != nil || s.held != 0 {
			rt.Fatalf("the file %v is open, or %d items are held, when all reads were handed on", s.file, s.held)
		}
	})
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
}

// TestStoreWithoutFolder has no place for the file.
func TestStoreWithoutFolder(t *testing.T) {
	s := store{files: temporary.In(filepath.Join(t.TempDir(), "missing"))}
	b := &Batch{Together: 1, Reads: make([]fasta.Read, 1)}
	if err := s.begin(b, 1); err != nil {
		t.Fatal(err)
	}
	for range 3 * pageItems {
		s.writers[0].add(storedEnd, locate.Candidate{})
	}
	if err := s.finish(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// TestStoreFileFails has a file that can be read no more.
func TestStoreFileFails(t *testing.T) {
	s := store{files: temporary.In(t.TempDir()), listed: 1 << 20}
	b := &Batch{Together: 1, Reads: make([]fasta.Read, 200)}
	for _, most := range []int{1, 1 << 20} {
		if err := s.begin(b, 1); err != nil {
			t.Fatal(err)
		}
		for i := range 3 * pageItems {
			s.writers[0].add(storedCandidate, locate.Candidate{Read: uint32(i % 2)})
		}
		if err := s.finish(); err != nil {
			t.Fatal(err)
		}
		if file, ok := s.file.(*os.File); !ok || file.Truncate(s.end-1) != nil {
			t.Fatal("nothing was written")
		}
		if n, _, _, err := s.take(most); err == nil || n != 0 || s.file != nil {
			t.Errorf("%d at most: %d reads, error %v", most, n, err)
		}
	}
}

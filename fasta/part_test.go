package fasta

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestPartsAreTheWhole cuts files at any places: their parts are the file, in order.
func TestPartsAreTheWhole(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "records")
		paired := rapid.Bool().Draw(t, "paired")
		chunk := rapid.IntRange(20, 200).Draw(t, "chunk")
		var text strings.Builder
		for i := range n {
			text.WriteString("@r" + strconv.Itoa(i) + "\nACGT\n+\nIIII\n")
			if paired {
				text.WriteString("@r" + strconv.Itoa(i) + "\nTTTT\n+\nIIII\n")
			}
		}
		file := filepath.Join(folder, "reads.fq")
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		together := int64(1)
		open := func() Source {
			if paired {
				s, err := openPairs(context.Background(), file, "", ReadOptions{Threads: 2}, chunk)
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			s, err := openReads(context.Background(), file, ReadOptions{Threads: 2}, chunk)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		if paired {
			together = 2
		}
		at, next := int64(0), 0
		for last := false; !last; {
			take := rapid.Int64Range(0, 40).Draw(t, "take") // 0 is the rest
			s := Part(open(), at*together, take*together)
			reads, err := rest(s)
			if err != nil {
				t.Fatal(err)
			}
			if want := take > 0 && at+take < int64(n); More(s) != want {
				t.Fatalf("part of %d from %d on of %d has more behind it: %t", take, at, n, More(s))
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if want := min(take, max(int64(n)-at, 0)); take > 0 && int64(len(reads)) != want*together {
				t.Fatalf("part of %d from %d on has %d reads, want %d", take, at, len(reads), want*together)
			}
			for i := range reads {
				if want := "r" + strconv.Itoa(next/int(together)); reads[i].Name != want {
					t.Fatalf("read %d of all parts is %s, want %s", next, reads[i].Name, want)
				}
				next++
			}
			at += take
			last = take == 0
		}
		if next != n*int(together) {
			t.Fatalf("the parts have %d reads, want %d", next, n*int(together))
		}
	})
}

// TestPartOfNegativeNumbers has them count as 0.
func TestPartOfNegativeNumbers(t *testing.T) {
	all := []Read{{Name: "a", Bases: []byte("A")}, {Name: "b", Bases: []byte("C")}, {Name: "c", Bases: []byte("G")}}
	for _, c := range []struct{ skip, take, want int64 }{{-1, -1, 3}, {-1, 1, 1}, {1, -1, 2}, {math.MinInt64, 0, 3}} {
		source, err := FromMemory(all)
		if err != nil {
			t.Fatal(err)
		}
		if reads, err := rest(Part(source, c.skip, c.take)); err != nil || int64(len(reads)) != c.want {
			t.Errorf("%d after %d: %d reads, %v", c.take, c.skip, len(reads), err)
		}
	}
}

// FuzzMemory gives reads and contigs with any names, letters and qualities: they are refused, or
// come back with letters in upper case.
func FuzzMemory(f *testing.F) {
	f.Add("r", "", []byte("ACGTN"), []byte("IIIII"))
	f.Add("", "x y", []byte("acgu"), []byte{})
	f.Add("a\tb", "", []byte{}, []byte{0})
	f.Add("c", "\n", []byte("AC\x80"), []byte("!~ "))
	f.Fuzz(func(t *testing.T, name, comment string, bases, qualities []byte) {
		for _, q := range [][]byte{nil, qualities} {
			source, err := FromMemory([]Read{{Name: name, Comment: comment, Bases: bases, Qualities: q}})
			if err != nil {
				continue
			}
			if reads, err := rest(source); err != nil || len(reads) != 1 || len(reads[0].Bases) != len(bases) || reads[0].Name != name {
				t.Fatalf("%+v, %v", reads, err)
			}
		}
		if ref, err := PackReference([]Contig{{name, bases}}); err == nil && ref.TotalLength() != len(bases) {
			t.Fatalf("%d bases of %q", ref.TotalLength(), bases)
		}
		if _, err := PackReference([]Contig{{name, bases}, {name, bases}}); err == nil {
			t.Fatalf("two contigs %q", name)
		}
	})
}

// TestPartErrors has a bad record before, in and behind a part.
func TestPartErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "reads.fq")
	const bad = 5
	var text strings.Builder
	for i := range 10 {
		qualities := "IIII"
		if i == bad {
			qualities = "II"
		}
		text.WriteString("@r" + strconv.Itoa(i) + "\nACGT\n+\n" + qualities + "\n")
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what       string
		skip, take int64
		fails      bool
		reads      int
	}{
		{"before the part", bad + 2, 1, true, 0},
		{"the first of the part", bad, 1, true, 0},
		{"the last of the part", bad - 2, 3, true, 2},
		{"behind the part", bad - 2, 2, false, 2},
	} {
		s, err := openReads(context.Background(), file, ReadOptions{Threads: 2}, 20)
		if err != nil {
			t.Fatal(err)
		}
		part := Part(s, c.skip, c.take)
		reads, err := rest(part)
		if !c.fails && !More(part) {
			t.Errorf("%s: nothing follows", c.what)
		}
		var wrong *Error
		if errors.As(err, &wrong) != c.fails || c.fails && wrong.Record != bad+1 || len(reads) != c.reads {
			t.Errorf("%s: %d reads, %v", c.what, len(reads), err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

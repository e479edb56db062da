package mapper

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"scanmap/fasta"
	"scanmap/gpu/device"
	"scanmap/sam"
)

const testdata = "../testdata"

// wholeSource reads a source to its end.
func wholeSource(t *testing.T, s fasta.Source) (all []fasta.Read) {
	t.Helper()
	for {
		reads, err := s.Next()
		all = append(all, reads...)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestFound maps reads and a reference that are in memory, several runs at the same time, and
// compares the values that come with the text of files.
func TestFound(t *testing.T) {
	phix := filepath.Join(testdata, "phix.fa")
	ref, err := fasta.LoadReference(context.Background(), phix, 2)
	if err != nil {
		t.Fatal(err)
	}
	first, second := filepath.Join(testdata, "phix_R1.fastq"), filepath.Join(testdata, "phix_R2.fastq")
	var running sync.WaitGroup
	for _, c := range []struct {
		library Library
		report  ReportMode
		text    bool // wanted as well
	}{
		{Library{Reads: first}, ReportAll, false},
		{Library{Reads: first, Mates: second, ReadGroup: "g"}, ReportAll, true},
		{Library{Reads: first, Mates: second}, ReportUnique, false},
	} {
		if c.library.Mates == "" {
			c.library.Reads = ofManyLengths(t, first)
		}
		source, err := c.library.open(context.Background(), fasta.ReadOptions{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		reads := wholeSource(t, source)
		if err := source.Close(); err != nil {
			t.Fatal(err)
		}
		o := Options{
			Reference: phix, Libraries: []Library{c.library}, Distance: DefaultDistance, Report: Report{Mode: c.report},
			Device: device.Choice{Kind: device.CPU}, Threads: 3, BatchReads: 16,
		}
		want, _ := runText(t, o)
		o.Reference, o.Packed = "", ref
		running.Go(func() {
			given, err := fasta.FromMemory(reads)
			if err != nil {
				t.Error(err)
				return
			}
			o.Libraries = []Library{{Reads: "memory", Source: given, Interleaved: c.library.paired(), ReadGroup: c.library.ReadGroup}}
			var got, text bytes.Buffer
			out := Outputs{Found: func(records []sam.Record) error {
				for i := range records {
					got.Write(records[i].AppendText(nil))
				}
				return nil
			}}
			if c.text {
				out.Records = &text
			}
			if _, err := Run(context.Background(), o, sam.HeaderOptions{NoProgram: true}, out); err != nil {
				t.Error(err)
				return
			}
			if want := withoutHeader(want); got.String() != want {
				t.Errorf("%+v: values are not the text:\n%.1000s\nwant\n%.1000s", c, got.String(), want)
			}
			if c.text && withoutHeader(text.String()) != got.String() {
				t.Errorf("%+v: the text beside values is another one", c)
			}
		})
	}
	running.Wait()
}

// ofManyLengths writes the reads of a file to another one, the second a base shorter, and so on.
func ofManyLengths(t *testing.T, name string) string {
	t.Helper()
	source, err := (&Library{Reads: name}).open(context.Background(), fasta.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = source.Close() }()
	var text []byte
	for i, r := range wholeSource(t, source) {
		n := max(len(r.Bases)-i, 0)
		r.Bases, r.Qualities = r.Bases[:n], r.Qualities[:n]
		text = fasta.AppendFASTQ(text, &r, "")
	}
	file := filepath.Join(t.TempDir(), "reads.fq")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// withoutHeader returns the records of SAM.
func withoutHeader(text string) string {
	for strings.HasPrefix(text, "@") {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}

// TestFoundFails has a receiver that fails in the middle: the run ends with its error.
func TestFoundFails(t *testing.T) {
	errEnough := errors.New("enough")
	calls := 0
	o := Options{
		Reference: filepath.Join(testdata, "phix.fa"), Libraries: []Library{{Reads: filepath.Join(testdata, "phix_R1.fastq")}},
		Distance: DefaultDistance, Device: device.Choice{Kind: device.CPU}, BatchReads: 4,
	}
	_, err := Run(context.Background(), o, sam.HeaderOptions{}, Outputs{Found: func([]sam.Record) error {
		if calls++; calls == 3 {
			return errEnough
		}
		return nil
	}})
	if !errors.Is(err, errEnough) || calls != 3 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

package fasta

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"scanmap/internal/effort"
)

// awkwardDir holds files that users really have.
const awkwardDir = "../../shared/data/awkward"

// readAll reads a file to its end or to an error.
func readAll(path string, o ReadOptions, chunkSize int) ([]Read, error) {
	r, err := openReads(context.Background(), path, o, chunkSize)
	if err != nil {
		return nil, err
	}
	all, err := rest(r)
	return all, errors.Join(err, r.Close())
}

// rest reads a source to its end or to an error.
func rest(s Source) (all []Read, err error) {
	for {
		reads, err := s.Next()
		all = append(all, reads...)
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
	}
}

// said is the text of an error less the file, which it must start with.
func said(t *testing.T, path string, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	text := err.Error()
	if strings.ContainsAny(text, "\n\r\t") {
		t.Errorf("not one line: %q", text)
	}
	short, ok := strings.CutPrefix(text, path+": ")
	if !ok {
		t.Errorf("%q does not start with the file", text)
	}
	return short
}

func TestAwkwardFiles(t *testing.T) {
	if _, err := os.Stat(awkwardDir); err != nil {
		t.Skipf("the awkward files are not here: %v", err)
	}
	listed := map[string]bool{}
	for _, want := range awkwardFiles {
		listed[want.file] = true
		t.Run(want.file, func(t *testing.T) {
			path := filepath.Join(awkwardDir, want.file)
			sizes := []int{chunkText, 1}
			if info, err := os.Stat(path); err == nil && info.Size() > 100_000 { // many times the same
				sizes = sizes[:effort.Pick(2, 1)]
			}
			for _, chunkSize := range sizes {
				got := awkwardFile{file: want.file}
				reads, err := readAll(path, ReadOptions{Threads: 2}, chunkSize)
				got.refused = said(t, path, err)
				got.reads = len(reads)
				for _, r := range reads {
					got.bases += len(r.Bases)
				}
				ref, err := loadReference(context.Background(), path, 2, chunkSize+99, bulkAndBiogo)
				got.refusedReference = said(t, path, err)
				if ref != nil {
					got.contigs, got.length = len(ref.Contigs), ref.TotalLength()
				}
				if d := cmp.Diff(want, got, cmp.AllowUnexported(awkwardFile{})); d != "" {
					t.Errorf("chunks of %d bytes (-want +got):\n%s", chunkSize, d)
				}
			}
		})
	}
	err := filepath.WalkDir(awkwardDir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(awkwardDir, path)
		if !listed[name] {
			t.Errorf("%s has no row in the table", name)
		}
		if base := filepath.Base(name); strings.HasPrefix(base, "error_") {
			if _, err := readAll(path, ReadOptions{}, chunkText); err == nil {
				t.Errorf("%s was accepted", name)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestSameReads compares files that Biopython has both as found and rewritten.
func TestSameReads(t *testing.T) {
	if _, err := os.Stat(awkwardDir); err != nil {
		t.Skipf("the awkward files are not here: %v", err)
	}
	for _, pair := range [][2]string{
		{"wrapping_original_sanger.fastq", "wrapping_as_sanger.fastq"},
		{"longreads_original_sanger.fastq", "longreads_as_sanger.fastq"},
		{"example.fastq", "example_dos.fastq"},
		{"example.fastq", "example.fastq.gz"},
		{"example.fastq", "example.fastq.bgz"},
		{"example.fastq", "example_dos.fastq.bgz"},
	} {
		var got [2][]Read
		for i, name := range pair {
			var err error
			if got[i], err = readAll(filepath.Join(awkwardDir, "biopython_quality", name), ReadOptions{}, chunkText); err != nil {
				t.Error(err)
			}
			for j := range got[i] {
				got[i][j].Comment = "" // rewritten files lack some
			}
		}
		if d := cmp.Diff(got[0], got[1]); d != "" {
			t.Errorf("%v (-first +second):\n%s", pair, d)
		}
	}
}

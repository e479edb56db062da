package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scanmap/mapper"
)

// TestPartsOfPairs maps parts of pairs with what insert-size prints: they are the records of one
// run that estimates the insert sizes.
func TestPartsOfPairs(t *testing.T) {
	const ref, first, second = "../../testdata/phix.fa", "../../testdata/phix_R1.fastq", "../../testdata/phix_R2.fastq"
	for _, options := range []string{"", "-e 8% --report best", "--min-insert 100 --crop 60", "-x all", "--local --clip-penalty 5 --split --report one"} {
		more := strings.Fields(options)
		whole := mapFiles(t, slices.Concat([]string{ref, first, second, "--no-pg"}, more)...)
		insert := strings.TrimSpace(quietly(t, slices.Concat([]string{"insert-size", ref, first, second, "-t", "2"}, more)...))
		if !strings.Contains(insert, "--insert-spread") {
			t.Fatalf("%s: no estimate: %s", options, insert)
		}
		if i := slices.Index(more, "--min-insert"); i >= 0 {
			more = slices.Delete(more, i, i+2) // which insert-size prints
		}
		parts := ""
		for _, part := range []string{"--take 20", "--skip 20 --take 1", "--skip 21", "--skip 1000"} {
			args := slices.Concat([]string{ref, first, second, "--no-pg"}, more, strings.Fields(insert), strings.Fields(part))
			records := mapFiles(t, args...)
			if header := strings.LastIndex(records, "\n@") + 1; parts != "" {
				records = records[header+strings.Index(records[header:], "\n")+1:]
			}
			parts += records
		}
		if parts != whole {
			t.Errorf("%s: the parts are not the whole:\n%.2000s\nwant\n%.2000s", options, parts, whole)
		}
	}
	local := quietly(t, "insert-size", ref, first, second, "--local", "--clip-penalty", "5", "--split", "--report", "one")
	if preset := quietly(t, "insert-size", ref, first, second, "-x", "variants"); preset != local {
		t.Errorf("-x variants: %s, but its options: %s", preset, local)
	}
	if whole := quietly(t, "insert-size", ref, first, second); whole == local {
		t.Errorf("the same estimate from whole reads and local locations: %s", local)
	}
}

// TestInsertSizeOfSamples has a line for each library of pairs, and the bounds of map where there
// are too few.
func TestInsertSizeOfSamples(t *testing.T) {
	table := filepath.Join(t.TempDir(), "samples.tsv")
	text := strings.Join([]string{
		"../../testdata/phix_R1.fastq\t../../testdata/phix_R2.fastq\t@RG\\tID:many\\tSM:s",
		"testdata/reads.fq\t\t@RG\\tID:single\\tSM:s",
		firstFile + "\t" + secondFile + "\t@RG\\tID:few\\tSM:s",
	}, "\n") + "\n"
	if err := os.WriteFile(table, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := call("insert-size", "--samples", table, "../../testdata/phix.fa")
	lines := strings.Split(stdout, "\n")
	if code != 0 || len(lines) != 3 || !strings.HasPrefix(lines[0], "many\t--min-insert ") ||
		lines[1] != "few\t--min-insert 0 --max-insert 1000" {
		t.Errorf("exit %d, %q", code, lines)
	}
	want := fmt.Sprintf("scanmap: warning: %s has too few pairs for an estimate; these are the bounds that map takes then\n", firstFile)
	if stderr != want {
		t.Errorf("standard error %q, want %q", stderr, want)
	}
	quietly(t, "insert-size", "--samples", table, "../../testdata/phix.fa")
}

// TestInsertOptionsAreExact has an estimate with all its digits: parts with fewer make other
// records than the whole.
func TestInsertOptionsAreExact(t *testing.T) {
	i := mapper.InsertStats{Estimated: true, Low: 91, High: 612, Mean: 300.1234567890123, Spread: 1.0 / 3}
	if got, want := insertOptions(&i), "--min-insert 91 --max-insert 612 --insert-mean 300.1234567890123 --insert-spread 0.3333333333333333"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"scanmap/internal/effort"
	"scanmap/internal/programs"
)

// copiedFragments writes a reference, pairs, and single reads, with many copies. Mates lie in every
// orientation, on two contigs, and in a repeat. Some are unmapped, and some have ends that --local
// clips. samples.tsv has three libraries of two read groups.
func copiedFragments(t *testing.T, folder string) (ref, samples string, pairs []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 11))
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "ACGT"[r.IntN(4)]
		}
		return string(b)
	}
	contigs := []string{letters(2000), letters(1000)}
	contigs[1] += contigs[0][500:700]
	files := map[string]string{
		"ref.fa":      ">c1\n" + contigs[0] + "\n>c2\n" + contigs[1] + "\n",
		"samples.tsv": "F/a1.fq\tF/a2.fq\t@RG\\tID:x\nF/b1.fq\tF/b2.fq\t@RG\\tID:y\nF/c1.fq\t\t@RG\\tID:x\n",
	}
	complement := strings.NewReplacer("A", "T", "C", "G", "G", "C", "T", "A")
	read := func(name, bases string) string {
		quality := []byte(strings.Repeat(string("+0I"[r.IntN(3)]), len(bases)))
		for range r.IntN(3) {
			quality[r.IntN(len(quality))] = byte('!' + r.IntN(40))
		}
		return fmt.Sprintf("@%s\n%s\n+\n%s\n", name, bases, quality)
	}
	// end is a read of a few places and strands, with some bases that clips take away.
	end := func(contig, at int, reverse bool) string {
		length := 45 + r.IntN(10)
		from := max(min(at, len(contigs[contig])-length), 0)
		if reverse {
			from = max(from-length, 0)
		}
		bases := contigs[contig][from : from+length]
		if reverse {
			reversed := []byte(complement.Replace(bases))
			slices.Reverse(reversed)
			bases = string(reversed)
		}
		switch r.IntN(12) {
		case 0:
			return letters(length)
		case 1:
			return letters(3) + bases[3:]
		case 2:
			return bases[:length-4] + letters(4)
		}
		return bases
	}
	for i, file := range []string{"a", "b", "c"} {
		for n := range []int{500, 300, 300}[i] {
			name, place := fmt.Sprintf("%s%04d", file, n), r.IntN(30)
			contig, at, way, span := place%2, 100+place/3*70, r.IntN(8), 120+40*r.IntN(2)
			mate := contig
			if way == 0 {
				mate = 1 - contig
			}
			turned := r.IntN(2) == 0
			first := end(contig, at, way == 1 || way == 2)
			second := end(mate, at+span, way != 1 && way != 3)
			if turned {
				first, second = second, first
			}
			files[file+"1.fq"] += read(name, first)
			files[file+"2.fq"] += read(name, second)
		}
	}
	for name, text := range files {
		text = strings.ReplaceAll(text, "F/", folder+"/")
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(folder, name) }
	return in("ref.fa"), in("samples.tsv"), []string{in("a1.fq"), in("a2.fq")}
}

// pipe runs a pipeline of samtools.
func pipe(t *testing.T, folder, line string) (stdout, stderr string) {
	t.Helper()
	c := exec.Command("bash", "-c", "set -o pipefail; "+line)
	c.Dir = folder
	var out, text bytes.Buffer
	c.Stdout, c.Stderr = &out, &text
	if err := c.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, text.String())
	}
	return out.String(), text.String()
}

// duplicateFlag is the flag of SAM.
const duplicateFlag = 1024

// recordsOf returns the lines of records, without the header: names, flags, contigs, positions and
// CIGARs, in an order of their own.
func recordsOf(text string) (records []string, duplicates int) {
	for line := range strings.Lines(text) {
		if line[0] == '@' {
			continue
		}
		fields := strings.Split(line, "\t")
		flags, _ := strconv.Atoi(fields[1])
		duplicates += flags / duplicateFlag
		flags &^= 2 // samtools fixmate has another idea of a proper pair
		records = append(records, fmt.Sprintln(fields[0], flags, fields[2], fields[3], fields[5]))
	}
	slices.Sort(records)
	return records, duplicates
}

// TestSamtoolsMarksTheSame compares each record with what samtools marks.
func TestSamtoolsMarksTheSame(t *testing.T) {
	effort.OnlyAll(t, "another program runs beside")
	programs.Find(t, "samtools")
	folder := t.TempDir()
	ref, samples, pairs := copiedFragments(t, folder)
	for _, c := range []struct {
		options string
		inputs  []string
		least   int // duplicates
	}{
		{"-e 4 --report all --sort", append([]string{ref}, pairs...), 300},
		{"--local --report all --sort", append([]string{ref}, pairs...), 300},
		{"-x variants --omit-unmapped", append([]string{ref}, pairs...), 300},
		{"-e 4 --report unique --sort --omit-unmapped", append([]string{ref}, pairs...), 300},
		{"-e 4 --report one --sort --full-secondary", []string{ref, pairs[0]}, 300},
		{"-x variants", []string{"--samples", samples, ref}, 600},
	} {
		args := append(append(strings.Fields("--no-pg "+c.options), c.inputs...), "-o", filepath.Join(folder, "plain.bam"))
		mapFiles(t, args...)
		args[len(args)-1] = filepath.Join(folder, "marked.bam")
		mapFiles(t, append([]string{"--mark-duplicates", "--stats", filepath.Join(folder, "s.json")}, args...)...)
		// Before 1.17 there is no --use-read-groups.
		theirs, stats := pipe(t, folder, "samtools sort -n plain.bam | samtools fixmate -m - - | samtools sort - | "+
			"samtools markdup -s --barcode-tag RG - - | samtools view -")
		ours, _ := pipe(t, folder, "samtools view marked.bam")
		want, n := recordsOf(theirs)
		got, _ := recordsOf(ours)
		if n < c.least {
			t.Errorf("%s: samtools marks %d records", c.options, n)
		}
		if !slices.Equal(got, want) {
			for i := range got {
				if got[i] != want[i] {
					t.Errorf("%s: %s, samtools has %s", c.options, got[i], want[i])
				}
			}
		}
		var s struct{ Duplicates map[string]float64 }
		if err := json.Unmarshal([]byte(readFile(t, filepath.Join(folder, "s.json"))), &s); err != nil {
			t.Fatal(err)
		}
		for theirs, ours := range map[string]string{
			"EXAMINED": "examined_records", "DUPLICATE PAIR": "paired_duplicates", "DUPLICATE SINGLE": "single_duplicates",
		} {
			if n := s.Duplicates[ours]; !strings.Contains(stats, fmt.Sprintf("\n%s: %d\n", theirs, int(n))) {
				t.Errorf("%s: %s are %v, samtools says\n%s", c.options, ours, n, stats)
			}
		}
	}
}

// TestMarkedFormats compares all forms, threads, batches and sizes of memory with the SAM. Its
// records are, except for the flag, the records without marks; other outputs are the same.
func TestMarkedFormats(t *testing.T) {
	folder := t.TempDir()
	ref, samples, _ := copiedFragments(t, folder)
	in := func(name string) string { return filepath.Join(folder, name) }
	mapped := func(options string) string {
		return mapFiles(t, append(strings.Fields("-e 4 --sort --no-pg --discordant "+in("d.sam")+" "+options), "--samples", samples, ref)...)
	}
	plain := mapped("")
	discordant := readFile(t, in("d.sam"))
	want := mapped("--mark-duplicates")
	if got := readFile(t, in("d.sam")); got != discordant || len(got) < 1000 {
		t.Errorf("%d bytes of discordant pairs are others with marks", len(got))
	}
	var unmarked strings.Builder
	n := 0
	for line := range strings.Lines(want) {
		name, rest, _ := strings.Cut(line, "\t")
		flags, rest, _ := strings.Cut(rest, "\t")
		if f, _ := strconv.Atoi(flags); line[0] != '@' && f&duplicateFlag != 0 {
			line = name + "\t" + strconv.Itoa(f-duplicateFlag) + "\t" + rest
			n++
		}
		unmarked.WriteString(line)
	}
	if unmarked.String() != plain {
		t.Error("other records with marks")
	}
	if n < 600 {
		t.Errorf("%d duplicates", n)
	}
	for i, name := range []string{"x.sam", "x.sam.gz", "x.bam"} {
		written, others := "", []string{"-t 1", "-t 3 --sort-memory 1", "--batch-reads 1 -t 2"}
		if !effort.Full() { // by turns
			others = others[i:][:1]
		}
		for _, more := range append([]string{""}, others...) {
			mapped("--mark-duplicates -o " + in(name) + " " + more)
			if written == "" {
				written = readFile(t, in(name))
			}
			if readFile(t, in(name)) != written {
				t.Errorf("%s: %s changes the output", name, more)
			}
		}
		if asSAM(t, name, written) != want {
			t.Errorf("%s: others are marked than in SAM", name)
		}
	}
}

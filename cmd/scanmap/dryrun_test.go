package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDryRun prints what would be done, and does nothing.
func TestDryRun(t *testing.T) {
	const data = "../../testdata/"
	folder := t.TempDir()
	for _, c := range []struct {
		name, args, want string
	}{
		{"single reads", data + "portiera.fa.gz " + data + "portiera_101bp.fastq.gz -t 2 --device cpu -o " + folder + "/x.bam --sort --mark-duplicates --stats " + folder + "/s.json",
			`reference        ../../testdata/portiera.fa.gz: 358242 bases
reads            ../../testdata/portiera_101bp.fastq.gz: 3465 reads, 349965 bases
                 101 bases (100.0 %): k = 4, 5 pieces of 16 bases
batches          1 of at most 16384 reads
threads          2
device           cpu
memory           about N MiB, unless reads lie in large repeats; at most N MiB
output           FOLDER/x.bam, bam, sorted by coordinate, duplicates marked; --stats FOLDER/s.json
`},
		{"a part of pairs, edits by length, on GPUs", data + "phix.fa " + data + "phix_R1.fastq " + data +
			"phix_R2.fastq --skip 4 --take 30 -e 0:1,200:60 --crop 250 -t 3 --device cuda:0,2 -u " + folder + "/u.fq",
			`reference        ../../testdata/phix.fa: 5386 bases
reads            ../../testdata/phix_R1.fastq, ../../testdata/phix_R2.fastq: 60 reads, N bases
                 LENGTHS
batches          1 of at most 65536 reads
threads          3
device           cuda:0,2
memory           at most N MiB
memory of a GPU  at most N MiB, and no more than is free
output           standard output, sam; --unmapped FOLDER/u.fq
`},
	} {
		code, stdout, stderr := call(append([]string{"map", "--dry-run"}, strings.Fields(c.args)...)...)
		if code != 0 || stderr != "" {
			t.Errorf("%s: exit %d, %s", c.name, code, stderr)
		}
		if diff := cmp.Diff(c.want, withoutNumbers(stdout, folder, strings.Contains(c.want, "LENGTHS"))); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, diff)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("--dry-run wrote %v, %v", left, err)
	}
	bad := filepath.Join(folder, "bad.fq")
	if err := os.WriteFile(bad, []byte("@r\nACGT\n+\nII\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{data + "phix.fa nowhere.fq", 1, "nowhere.fq: no such file"},
		{data + "phix.fa -", 1, "standard input: can be read only once"},
		{data + "phix.fa " + bad, 1, "record 1"},
		{data + "phix.fa " + bad + " -t many", 2, "--threads"},
	} {
		code, stdout, stderr := call(append([]string{"map", "--dry-run"}, strings.Fields(c.args)...)...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %q, %q", c.args, code, stdout, stderr)
		}
	}
}

// withoutNumbers leaves out the numbers that other tests check: memory, and if lengths is set the
// bases and lengths of reads.
func withoutNumbers(text, folder string, lengths bool) string {
	var b strings.Builder
	shown := false
	for line := range strings.Lines(strings.ReplaceAll(text, folder, "FOLDER")) {
		switch {
		case strings.HasPrefix(line, "memory"):
			fields := strings.SplitAfter(line, " ")
			for i := range fields[:len(fields)-1] {
				if strings.HasPrefix(fields[i+1], "MiB") {
					fields[i] = "N "
				}
			}
			line = strings.Join(fields, "")
		case lengths && strings.HasPrefix(line, "reads"):
			line = line[:strings.LastIndex(line, ", ")] + ", N bases\n"
		case lengths && strings.HasPrefix(line, " "):
			if shown {
				continue
			}
			shown = true
			line = "                 LENGTHS\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"scanmap/internal/effort"
	"scanmap/internal/programs"
)

// TestScripts runs commands of a shell, in which scanmap is the program, and says what must be in
// their output, standard error included, and what must not. The files that they start with stay as
// they are.
func TestScripts(t *testing.T) {
	fastqOf := func(names ...string) (s string) {
		for _, name := range names {
			s += "@" + name + "\nACGTACGTAC\n+\nIIIIIIIIII\n"
		}
		return s
	}
	const emptyBGZF = "\x1f\x8b\x08\x04\x00\x00\x00\x00\x00\xff\x06\x00\x42\x43\x02\x00" +
		"\x1b\x00\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	long := strings.Repeat("n", effort.Pick(1_000_000, 200_000)) // more than any message or page has
	sequence := strings.Repeat("ACGTTGCA", 10)
	files := map[string]string{
		"ref.fa": ">c\n" + sequence + "\n", "r.fq": fastqOf("a"), "empty": "", "empty2": "", "empty.gz": emptyBGZF, "blank.fq": "\n \n",
		"long.fa": ">first_" + long + "_last\n" + sequence + "\n>b\n" + sequence + "\n", "twice.fa": strings.Repeat(">"+long+"\nACGT\n", 2),
		"mates.fq": fastqOf("a/1", "a/2", "b/1", "b/2"), "one.fq": fastqOf("a/1", "a/2"), "same.fq": fastqOf("a", "a", "a", "a"),
		"apart.fq": fastqOf("a", "a", "b", "c"),
		"s.tsv":    "r.fq\n", "twelve.tsv": strings.Repeat("empty\n", 12) + "r.fq\n", "blank.tsv": "r.fq\t\t@RG\\tID:x\\tSM: \n",
		"two.tsv": "r.fq\nmates.fq\nother.fq\n", "three.tsv": "mates.fq\nr.fq\nother.fq\nmates.fq\n", "other.fq": fastqOf("c", "c", "d", "d"),
		"long.tsv": "r.fq\t\t@RG\\tID:x\\tSM:s" + long + "\nr.fq\t\t@RG\\tID:x\\tSM:t" + long + "\n",
	}
	const warning = "scanmap: warning: "
	for _, c := range []struct {
		command string
		code    int
		must    []string
		not     []string
	}{
		// Files of no bytes.
		{"scanmap map ref.fa r.fq", 0, []string{"reads "}, []string{"warning"}},
		{"scanmap map ref.fa empty", 0, []string{"@SQ", warning + "empty has no reads\n"}, nil},
		{"scanmap map ref.fa empty.gz", 0, []string{warning + "empty.gz has no reads\n"}, nil},
		{"scanmap map ref.fa blank.fq", 0, []string{warning + "blank.fq has no reads\n"}, nil},
		{"scanmap map ref.fa - <empty", 0, []string{warning + "standard input has no reads\n"}, nil},
		{"scanmap map --interleaved ref.fa empty", 0, []string{warning + "empty has no reads\n"}, nil},
		{"scanmap map ref.fa empty empty2", 0, []string{warning + "empty and empty2 have no reads\n"}, nil},
		{"scanmap map --quiet ref.fa empty", 0, []string{"@SQ"}, []string{"warning"}},
		{"scanmap map --samples s.tsv ref.fa", 0, []string{"@SQ"}, []string{"warning"}},
		{"scanmap map --samples twelve.tsv ref.fa", 0, []string{strings.Repeat(warning+"empty has no reads\n", 10) +
			warning + "2 more libraries have no reads\n"}, []string{"r.fq has no reads"}},
		// Mates in one file that are mapped as single reads.
		{"scanmap map ref.fa mates.fq", 0, []string{warning + "mates.fq begins with two reads of each name, ", "--interleaved"}, nil},
		{"scanmap map --samples two.tsv ref.fa", 0, []string{warning + "mates.fq and another file begin with two reads of each name, "}, []string{"begins"}},
		{"scanmap map --samples three.tsv ref.fa", 0, []string{warning + "mates.fq and 2 more files begin with two reads of each name, "}, []string{"begins"}},
		{"scanmap map --quiet ref.fa mates.fq", 0, []string{"@SQ"}, []string{"warning"}},
		{"scanmap map --interleaved ref.fa mates.fq", 0, []string{"@SQ"}, []string{"two reads"}},
		{"scanmap map ref.fa one.fq", 0, []string{"@SQ"}, []string{"two reads"}},
		{"scanmap map ref.fa same.fq", 0, []string{"@SQ"}, []string{"two reads"}},
		{"scanmap map ref.fa apart.fq", 0, []string{"@SQ"}, []string{"two reads"}},
		{"scanmap map ref.fa r.fq empty >out", 1, []string{"scanmap: empty: ends after 0 records, but r.fq has more\n"}, nil},
		{"scanmap map empty r.fq", 1, []string{"scanmap: empty: no contigs; expected FASTA with at least one record\n"}, []string{"@"}},
		{"scanmap map empty.gz r.fq", 1, []string{"scanmap: empty.gz: no contigs; expected FASTA with at least one record\n"}, []string{"@"}},
		{"scanmap map --samples empty ref.fa", 1, []string{"scanmap: empty: there are no libraries; "}, []string{"@SQ"}},
		{"scanmap search -f empty ref.fa", 1, []string{"scanmap: empty: holds no patterns\n"}, []string{"start"}},
		{"scanmap search ACGT empty", 1, []string{"scanmap: empty: no contigs; expected FASTA with at least one record\n"}, nil},
		{"scanmap search --alphabet bytes ACGT empty", 0, []string{warning + "empty is empty\n", "0 found"}, nil},
		{"scanmap search --alphabet bytes ACGT - <empty", 0, []string{warning + "standard input is empty\n"}, nil},
		{"scanmap search --alphabet bytes ACGT ref.fa", 0, []string{"1 found"}, []string{"warning"}},
		// Long names.
		{"scanmap map long.fa r.fq --report-html page -o x.sam && cat page", 0,
			[]string{"  first_nnn", "nnn_last", "first_nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn…nnnn"}, nil},
		{"scanmap map twice.fa r.fq", 1, []string{"scanmap: twice.fa: record 2 \"nnn", "nnn\"...: it has the name of record 1\n"}, nil},
		{"scanmap map --samples long.tsv ref.fa", 1, []string{"scanmap: long.tsv: line 2: read group", "nnn ... nnn"}, nil},
		// Inputs are no outputs.
		{"scanmap map ref.fa r.fq --cpuprofile ref.fa", 2, []string{"ref.fa is an input and would be overwritten\n"}, nil},
		{"scanmap map ref.fa - <r.fq --memprofile r.fq", 2, []string{"r.fq is standard input and would be overwritten\n"}, nil},
		{"scanmap map --samples s.tsv ref.fa --memprofile s.tsv", 2, []string{"s.tsv is an input and would be overwritten\n"}, nil},
		{"scanmap map --samples s.tsv ref.fa --cpuprofile r.fq", 2, []string{"r.fq is an input and would be overwritten\n"}, nil},
		{"scanmap map --quiet ref.fa r.fq --cpuprofile p --memprofile q && test -s p && test -s q", 0, []string{"@SQ"}, nil},
		// Blank samples, and a table without end.
		{`scanmap map ref.fa r.fq -R '@RG\tID:x\tSM: '`, 2, []string{"SM: its value is blank\n"}, []string{"@SQ"}},
		{`scanmap map ref.fa --samples blank.tsv`, 1, []string{"blank.tsv: line 1: read group", "SM: its value is blank\n"}, []string{"@SQ"}},
		{"yes '# comment' | scanmap map --samples - ref.fa", 1, []string{"scanmap: standard input: has more than 67108864 bytes of text\n"}, nil},
	} {
		t.Run(c.command, func(t *testing.T) {
			folder := t.TempDir()
			files := maps.Clone(files)
			maps.DeleteFunc(files, func(name, text string) bool { // a large one that is not asked for
				return len(text) > 10_000 && !strings.Contains(c.command, name)
			})
			for name, text := range files {
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			command := exec.Command("sh", "-c", `scanmap() { "$0" "$@"; }; `+c.command, binary)
			var output bytes.Buffer
			command.Dir, command.Stdout, command.Stderr = folder, &output, &output
			if code := programs.ExitCode(t, command.Run()); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			for _, want := range c.must {
				if !strings.Contains(output.String(), want) {
					t.Errorf("no %q in the output", want)
				}
			}
			for _, not := range c.not {
				if strings.Contains(output.String(), not) {
					t.Errorf("%q is in the output", not)
				}
			}
			if n := output.Len(); n > 80_000 || c.code != 0 && n > 2*maxMessage {
				t.Errorf("%d bytes of output", n)
			}
			if t.Failed() {
				t.Logf("the output is\n%.3000s", output.String())
			}
			for name, text := range files {
				if readFile(t, filepath.Join(folder, name)) != text {
					t.Errorf("%s is not what it was", name)
				}
			}
		})
	}
}

// TestReadsThatGetShorter cuts a file of reads between two records while the run waits for its
// reference: the run fails, and no output appears.
func TestReadsThatGetShorter(t *testing.T) {
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	record := strings.Repeat("@a\nACGTACGTAC\n+\nIIIIIIIIII\n", 1000)
	records := effort.Pick(1000, 500)
	if err := os.WriteFile(in("r.fq"), []byte(strings.Repeat(record, records)), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(in("ref"), 0o600); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	command := exec.Command(binary, "map", "--threads", "1", "-o", in("x.sam"), in("ref"), in("r.fq"))
	command.Stderr = &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	// Reading runs some MiB ahead, and then waits.
	for deadline := time.Now().Add(20 * time.Second); !readsFrom(t, command.Process.Pid, in("r.fq")); {
		if time.Now().After(deadline) {
			_ = command.Process.Kill()
			t.Fatal("the run did not begin")
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err := os.Truncate(in("r.fq"), int64(records/2*len(record))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in("ref"), []byte(">c\nACGTACGTACGT\n"), 0); err != nil {
		t.Fatal(err)
	}
	code := programs.ExitCode(t, command.Wait())
	if want := "scanmap: " + in("r.fq") + ": became shorter while it was read\n"; code != 1 || stderr.String() != want {
		t.Errorf("exit code %d, standard error %q", code, stderr.String())
	}
	if got := names(t, folder); got != "r.fq ref" {
		t.Errorf("the folder holds %s", got)
	}
}

// readsFrom tells whether a process has read from a file that it holds open.
func readsFrom(t *testing.T, process int, name string) bool {
	t.Helper()
	descriptors := fmt.Sprintf("/proc/%d/fd", process)
	entries, err := os.ReadDir(descriptors)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if target, err := os.Readlink(filepath.Join(descriptors, e.Name())); err != nil || target != name {
			continue
		}
		info, err := os.ReadFile(fmt.Sprintf("/proc/%d/fdinfo/%s", process, e.Name()))
		return err == nil && !strings.HasPrefix(string(info), "pos:\t0\n")
	}
	return false
}

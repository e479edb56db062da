package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"scanmap/mapper"
	"scanmap/report"
)

// lockedBuffer is a buffer that goroutines share.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestProgressOnTerminal(t *testing.T) {
	var b lockedBuffer
	p := startProgress(&b, true)
	show := func(now mapper.Progress) {
		p.show(func(elapsed time.Duration) string { return report.Progress(now, elapsed, "") })
	}
	show(mapper.Progress{Reads: 4000, Mapped: 1000})
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(b.String(), "4,000 reads, 25.00 % mapped"); {
		if time.Now().After(deadline) {
			t.Fatalf("it shows %q", b.String())
		}
		time.Sleep(10 * time.Millisecond)
	}
	p.stop()
	p.stop()
	if after, clear := b.String(), "\x1b[J"; !strings.HasSuffix(after, clear) {
		t.Errorf("the line stays: %q", after)
	}
	show(mapper.Progress{Reads: 5000}) // of a run that was given up
}

// TestProgressInLines has a line at the end of a short run, if none was written.
func TestProgressInLines(t *testing.T) {
	var b lockedBuffer
	p := startProgress(&b, false)
	for n := range 1000 { // far less than firstLine
		p.show(func(time.Duration) string { return fmt.Sprint(n) })
	}
	p.stop()
	p.stop()
	if got := b.String(); got != "scanmap: 999\n" {
		t.Errorf("got %q", got)
	}
	var none *progress
	none.show(nil)
	none.stop()
	if none.searching() != nil {
		t.Error("nobody shows a search")
	}
}

// TestProgressOfFiles shows the file that is read, with its share, until all are read.
func TestProgressOfFiles(t *testing.T) {
	var b lockedBuffer
	p := startProgress(&b, false)
	defer p.stop()
	text := p.text
	if got := text(); got != "at work for 0 s" {
		t.Errorf("before the first file: %q", got)
	}
	ref := p.meter("ref.fa", 1000)
	ref(250)
	if got := text(); got != "reading ref.fa, 25.0 %" {
		t.Errorf("got %q", got)
	}
	ref(750)
	p.meter("-", 0)(10)
	if got := text(); got != "at work for 0 s" {
		t.Errorf("all is read: %q", got)
	}
	p.files[0].opened = time.Now().Add(-30 * time.Second)
	p.files[0].read.Store(750)
	if got := text(); got != "reading ref.fa, 75.0 %, about 10 s left" {
		t.Errorf("got %q", got)
	}
	share := p.searching()
	if got := text(); !strings.HasPrefix(got, "reading ref.fa") {
		t.Errorf("the search did not begin: %q", got)
	}
	share.Begin(200)
	share.Add(50)
	if got := text(); got != "searching, 25.0 %" {
		t.Errorf("got %q", got)
	}

	// The expected number of reads follows from the sizes of files. A pipe has no expected number.
	reads := filepath.Join(t.TempDir(), "reads.fq")
	if err := os.WriteFile(reads, make([]byte, 4000), 0o600); err != nil {
		t.Fatal(err)
	}
	libraries := []mapper.Library{{Reads: "R1.fq", Mates: "R2.fq"}, {Reads: reads}}
	p.meter("R1.fq", 1000)(500)
	p.meter("R2.fq", 1000)(500)
	if got := p.expected(30, libraries); got != 180 {
		t.Errorf("%d reads are expected", got)
	}
	if got := p.expected(30, libraries[:1]); got != 60 {
		t.Errorf("%d reads are expected", got)
	}
	for _, l := range []mapper.Library{{Reads: "-"}, {Reads: "R1.fq", Take: 5}, {Reads: "nowhere.fq"}} {
		if got := p.expected(30, []mapper.Library{l}); got != 0 {
			t.Errorf("%+v: %d reads are expected", l, got)
		}
	}
}

// TestProgressOfCommands has each command show a line if it is asked to, and none otherwise.
func TestProgressOfCommands(t *testing.T) {
	folder := t.TempDir()
	depth := copiesFile(t, folder, "depth.bedgraph", "NC_001422.1\t0\t5386\t4\n")
	primers := copiesFile(t, folder, "primers.tsv", "p\tGAGTTTTATCGCTTCCATGAC\tATTATCTTGTTTCAACTCTAA\n")
	for _, args := range [][]string{
		{"map", refFile, readsFile}, {"search", "GATTACA", phixFile}, {"primers", "-f", primers, phixFile},
		{"filter", "-k", "0", "GATT", readsFile}, {"guides", "-f", patternsFile, phixFile}, {"copies", phixFile, depth},
		{"mappability", "-K", "20", phixFile}, {"search", "--vcf", phixVariants, "GATTACA", phixFile},
		{"insert-size", phixFile, "../../testdata/phix_R1.fastq", "../../testdata/phix_R2.fastq"},
	} {
		code, want, stderr := call(append(slices.Clone(args), "--quiet")...)
		if code != 0 || stderr != "" {
			t.Errorf("%q: exit code %d, %q", args, code, stderr)
		}
		code, got, stderr := call(append(slices.Clone(args), "--progress")...)
		first, _, _ := strings.Cut(stderr, "\n")
		ok := strings.Contains(first, " %") || strings.HasPrefix(first, "scanmap: at work for ")
		if code != 0 || !ok || args[0] != "map" && got != want {
			t.Errorf("%q: exit code %d, %q", args, code, stderr)
		}
	}
}

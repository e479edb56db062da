package main

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"scanmap/dna"
	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/mapper"
)

// A memoryShape is a kind of work for TestMemory.
type memoryShape struct {
	name string
	full bool // it takes more than some seconds
	// bases of a random contig, after as many of a satellite: a unit of 171 bases, as in human
	// centromeres, copied with one base in a hundred changed.
	bases, satellite int
	// reads of `length` bases with an edit in each hundred, of both contigs; of mates if paired.
	reads, length int
	paired        bool
	options       mapper.Options
	args          []string
	sorting       int64
	// most is what candidates a read has at most, 0 if there may be any number.
	most int64
	// ordinary shapes have few locations of each read, so that --dry-run says what they take.
	ordinary bool
	// tight shapes show that the promise means something: they take an eighth of the promised
	// memory at least.
	tight bool
}

// memoryShapes are eight kinds of work, each with something large.
var memoryShapes = []memoryShape{
	{name: "small reference", bases: 200_000, reads: 20_000, length: 100, most: 20, ordinary: true, args: []string{"-t", "2"},
		options: mapper.Options{Threads: 2, Distance: mapper.DefaultDistance}},
	{name: "satellite, all locations", satellite: 300_000, bases: 1000, reads: effort.Pick(2000, 500), length: 100, args: []string{"-t", "2", "-e", "5"},
		options: mapper.Options{Threads: 2, Distance: mapper.Distance{Edits: 5}}},
	{name: "large reference", full: true, bases: 80_000_000, reads: 500_000, length: 150, most: 4, tight: true, ordinary: true, args: []string{"-t", "2"},
		options: mapper.Options{Threads: 2, Distance: mapper.DefaultDistance}},
	{name: "many threads", full: true, bases: 10_000_000, reads: 300_000, length: 150, most: 4, ordinary: true, args: []string{"-t", "32"},
		options: mapper.Options{Threads: 32, Distance: mapper.DefaultDistance}},
	{name: "eight threads, one location", full: true, satellite: 1_000_000, bases: 10_000_000, reads: 5_000, length: 100,
		args:    []string{"-t", "8", "--report", "one", "-e", "3"},
		options: mapper.Options{Threads: 8, Distance: mapper.Distance{Edits: 3}, Report: mapper.Report{Mode: mapper.ReportOne}}},
	{name: "sorted pairs", full: true, bases: 5_000_000, reads: 400_000, length: 150, paired: true, most: 4, sorting: 64 << 20, tight: true, ordinary: true,
		args: []string{"-t", "2", "--sort", "--mark-duplicates", "--sort-memory", "64M", "--format", "bam"},
		options: mapper.Options{Threads: 2, Distance: mapper.DefaultDistance,
			Pairs: mapper.PairOptions{Rescue: mapper.DefaultDistance.Twice()}}},
	{name: "long reads, large k", full: true, bases: 4_000_000, reads: 4000, length: 20_000, most: 4000, args: []string{"-t", "2", "-e", "800"},
		options: mapper.Options{Threads: 2, Distance: mapper.Distance{Edits: 800}}},
	{name: "reads of one base, all locations", full: true, bases: 12_000_000, reads: 4, length: 1,
		args: []string{"-t", "2", "-e", "0", "--max-locations", "1048576"}, options: mapper.Options{Threads: 2, MaxLocations: 1 << 20}},
}

// TestMemory maps eight shapes of work, each in a process of its own, and compares the largest
// resident memory to the bound that mapper.Options.Memory gives.
func TestMemory(t *testing.T) {
	effort.OnlyAll(t, "memory of processes is measured")
	for _, s := range memoryShapes {
		t.Run(s.name, func(t *testing.T) {
			if s.full {
				effort.OnlyFull(t, "maps much")
			}
			folder := t.TempDir()
			args := slices.Concat([]string{"map", "--device", "cpu", "--quiet", "-o", os.DevNull}, s.args, s.write(t, folder))
			command := exec.Command(binary, args...)
			command.Env = append(os.Environ(), "TMPDIR="+folder, "GOGC=", "GOMEMLIMIT=")
			var stderr bytes.Buffer
			command.Stderr = &stderr
			resident, err := runForPeak(command)
			if err != nil {
				t.Fatalf("%v: %s", err, stderr.String())
			}
			if resident == 0 {
				t.Skip("the system does not tell what is resident")
			}
			s.options.Reference = "ref.fa"
			s.options.Device = device.Choice{Kind: device.CPU}
			s.options.Libraries = []mapper.Library{{Interleaved: s.paired}}
			bound, err := s.options.Memory(mapper.Work{
				Bases: int64(s.bases + s.satellite), Length: int64(s.length), Locations: s.most, Sorting: s.sorting,
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d MiB of %d MiB: %+v", resident>>20, bound.Total>>20, bound)
			if resident > bound.Total {
				t.Errorf("%d bytes are resident, more than the bound of %d: %+v", resident, bound.Total, bound)
			}
			if s.ordinary {
				likely := likelyMemory(t, args)
				t.Logf("%d MiB by --dry-run", likely>>20)
				// When garbage is collected depends on how threads take turns. With the large reference the
				// estimate is twice the memory of a run on two quiet cores (docs/limits.md).
				if resident > likely*3/2 || resident < likely*2/5 {
					t.Errorf("%d bytes are resident, and --dry-run says %d", resident, likely)
				}
			}
			if s.tight && resident < bound.Total/8 {
				t.Errorf("%d bytes are resident, less than an eighth of the bound of %d: %+v", resident, bound.Total, bound)
			}
		})
	}
}

// likelyMemory is what --dry-run says of a call, in bytes.
func likelyMemory(t *testing.T, args []string) int64 {
	t.Helper()
	code, stdout, stderr := call(append(args, "--dry-run")...)
	_, memory, ok := strings.Cut(stdout, "memory           about ")
	number, _, _ := strings.Cut(memory, " ")
	n, err := strconv.ParseInt(number, 10, 64)
	if code != 0 || stderr != "" || !ok || err != nil {
		t.Fatalf("--dry-run: exit %d, %s%s, %v", code, stdout, stderr, err)
	}
	return n << 20
}

// write writes a reference and reads to a folder, and returns the arguments that name them.
func (s *memoryShape) write(t *testing.T, folder string) (args []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(12, uint64(s.bases)))
	letter := func() byte { return dna.Letters[r.IntN(4)] }
	contigs := [2][]byte{make([]byte, s.bases), make([]byte, s.satellite)}
	for i := range contigs[0] {
		contigs[0][i] = letter()
	}
	for i := range contigs[1] {
		if i < 171 || r.IntN(100) == 0 {
			contigs[1][i] = letter()
		} else {
			contigs[1][i] = contigs[1][i%171]
		}
	}
	reference, reads := filepath.Join(folder, "ref.fa"), filepath.Join(folder, "reads.fq")
	var text []byte
	for i, contig := range contigs {
		if len(contig) > 0 {
			text = append(fmt.Appendf(text, ">c%d\n", i), contig...)
			text = append(text, '\n')
		}
	}
	if err := os.WriteFile(reference, text, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(reads)
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewWriter(file)
	bases, qualities := make([]byte, s.length), strings.Repeat("I", s.length)
	at, contig := 0, contigs[0]
	for i := range s.reads {
		second := s.paired && i%2 == 1
		if second {
			at += 300 - s.length
		} else {
			contig = contigs[r.IntN(2)]
			if len(contig) < 2*s.length {
				contig = contigs[1]
			}
			if len(contig) < 2*s.length {
				contig = contigs[0]
			}
			at = r.IntN(max(len(contig)-s.length-300, 1))
		}
		copy(bases, contig[at:])
		for range s.length / 100 {
			bases[r.IntN(s.length)] = letter()
		}
		if second {
			for x, y := 0, s.length-1; x <= y; x, y = x+1, y-1 {
				bases[x], bases[y] = dna.Complement(bases[y]), dna.Complement(bases[x])
			}
		}
		name := i
		if s.paired {
			name /= 2
		}
		if _, err := fmt.Fprintf(out, "@r%d\n%s\n+\n%s\n", name, bases, qualities); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	args = []string{reference, reads}
	if s.paired {
		args = append([]string{"--interleaved"}, args...)
	}
	return args
}

package mapper

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"scanmap/dna"
	"scanmap/fasta"
	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/internal/measure"
	"scanmap/mapper/find"
)

// A pacedFinder finds nothing, in a time by the clock.
type pacedFinder struct {
	find.Finder // packs
	time        func(reads int) time.Duration
	halt        *find.Halt
	ahead       bool
}

// pacedUnits are the units of a batch, and a read stands for pacedReads.
const pacedUnits, pacedReads = 64, 1000

func (f *pacedFinder) Fits(b *find.Batch) int { return len(b.Reads) }
func (f *pacedFinder) Find(b *find.Batch, _ *find.Found) (int, error) {
	f.halt.Begin(pacedUnits)
	for range pacedUnits {
		if f.halt.Over() {
			return 0, find.ErrHalted
		}
		time.Sleep(f.time(pacedReads*len(b.Reads)) / pacedUnits)
		f.halt.Unit()
	}
	return len(b.Reads), nil
}
func (f *pacedFinder) More(*find.Found) (int, error) { return 0, nil }
func (f *pacedFinder) Ahead() bool                   { return f.ahead }
func (f *pacedFinder) Discard()                      {}

// pacedGPUs have one finder, and take a time to close.
type pacedGPUs struct {
	finder find.Finder
	closes time.Duration
	closed atomic.Bool
}

func (g *pacedGPUs) Finders() []find.Finder { return []find.Finder{g.finder} }
func (g *pacedGPUs) Again(*dna.Reference, find.Options, int) (find.Finder, error) {
	return g.finder, nil
}
func (g *pacedGPUs) Names() string                          { return "cuda:0 paced" }
func (g *pacedGPUs) Count() int                             { return 1 }
func (g *pacedGPUs) Deflaters() ([]*device.Deflater, error) { return nil, nil }
func (g *pacedGPUs) Covered() ([]find.CoveredContig, error) { return nil, nil }
func (g *pacedGPUs) Kernels() []measure.KernelTime          { return nil }
func (g *pacedGPUs) Close() error {
	time.Sleep(g.closes)
	g.closed.Store(true)
	return nil
}

// A pacedRun is a run by the clock of a synctest bubble. The times were measured on an H100 and its
// host (docs/benchmarks/auto-2026-11-25.md).
type pacedRun struct {
	bases          int64
	reads, threads int
	harder         float64 // how many times as long the CPU takes as CPUTime says
	opens          time.Duration
	fails          error
	o              *Options
}

// on returns how long a run takes with a device, and how the statistics describe the device.
func (r *pacedRun) on(t *testing.T, kind device.Kind) (taken time.Duration, description string) {
	o := *r.o
	o.Device.Kind = kind
	start := time.Now()
	began, ahead := time.Now(), (*find.Opening)(nil)
	if kind == device.CUDA || kind == device.Auto && o.worthGPU() {
		ahead = &find.Opening{}
	}
	bases := float64(r.bases)
	// To load the reference.
	time.Sleep(time.Duration(bases / loadRate / float64(min(r.threads, loadThreads)) * float64(time.Second)))
	ref := &dna.Reference{Contigs: []dna.Contig{{Length: int(r.bases)}}}
	packing := find.OnCPU(&dna.Reference{}, find.Options{Threads: 1, Times: &find.Times{}})
	opened := &pacedGPUs{finder: &pacedFinder{Finder: packing, ahead: true, time: func(reads int) time.Duration {
		return time.Duration(bases*0.03 + float64(reads)*100)
	}}, closes: 170 * time.Millisecond}
	var hasOpened atomic.Bool
	d := &devices{ref: ref, options: &o, ahead: ahead, began: began, auto: kind == device.Auto, description: "cpu"}
	d.openAll = func() (gpuSet, error) {
		if hasOpened.Store(true); ahead != nil {
			time.Sleep(max(r.opens-time.Since(began), 0))
		} else {
			time.Sleep(r.opens)
		}
		time.Sleep(time.Duration(bases / uploadRate * float64(time.Second)))
		if r.fails != nil {
			return nil, r.fails
		}
		return opened, nil
	}
	d.cpu = func(int) find.Finder {
		return &pacedFinder{Finder: packing, halt: d.find.Halt, time: func(reads int) time.Duration {
			return time.Duration(float64(o.cpuTime(reads, r.bases)) * r.harder)
		}}
	}
	d.plan()
	defer d.giveUp()
	finders, err := d.begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	batches := &batches{channel: make(chan batch)}
	go func() {
		defer close(batches.channel)
		for left := r.reads; left > 0; {
			n := min(left, d.batchSizes().most/pacedReads*pacedReads)
			batches.channel <- batch{&library{}, [][]fasta.Read{make([]fasta.Read, n/pacedReads)}}
			left -= n
		}
	}()
	relieved := d.reliefs()
	if relieved != nil {
		relieved = func(reads int, worked time.Duration) []find.Finder { return d.relief(pacedReads*reads, worked) }
	}
	reads := 0
	err = newCrew(batches, func(int) int { return 0 }, &measure.Timer{}).run(t.Context(), finders, relieved, func(p part) error {
		reads += pacedReads * len(p.batch.Reads)
		return p.err
	})
	if err != nil || reads != r.reads {
		t.Fatalf("%d reads of %d, %v", reads, r.reads, err)
	}
	if _, err := d.end(); err != nil {
		t.Fatal(err)
	}
	if hasOpened.Load() && !opened.closed.Load() {
		time.Sleep(130 * time.Millisecond) // the process ends while a GPU is opened
	}
	return time.Since(start), d.description
}

// pacedFiles writes files of the sizes that some reads and bases have, with nothing in them.
func pacedFiles(t *testing.T, reads int, bases int64) (reference, fastq string) {
	t.Helper()
	folder := t.TempDir()
	reference, fastq = folder+"/ref.fa", folder+"/reads.fq"
	for name, size := range map[string]int64{reference: bases, fastq: int64(reads) * 350} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(name, size); err != nil {
			t.Fatal(err)
		}
	}
	return reference, fastq
}

// TestAutoIsTheBetter has auto take no more than 1.15 times as long as the better of the CPU and a
// GPU, and a tenth of a second; and another one where reads take half or twice as long as expected.
func TestAutoIsTheBetter(t *testing.T) {
	t.Parallel()
	for _, bases := range []int64{1e6, 46e6, 200e6, 1e9, 31e8} {
		for r, reads := range []int{1000, 50_000, 1_000_000, 4_000_000} {
			reference, fastq := pacedFiles(t, reads, bases)
			for _, percent := range []float64{2, 4, 8} {
				for n, threads := range []int{2, 4, 16} {
					for h, harder := range []float64{0.5, 1, 2} {
						if (n+h+r)%3 != 0 && !effort.Full() {
							continue // every pair of these has a third of the cells
						}
						synctest.Test(t, func(t *testing.T) {
							o := &Options{Reference: reference, Libraries: []Library{{Reads: fastq}}, Threads: threads, Distance: Distance{Percent: percent, Percentage: true}}
							o.setDefaults()
							run := &pacedRun{bases: bases, reads: reads, threads: threads, harder: harder, opens: 250 * time.Millisecond, o: o}
							cpu, _ := run.on(t, device.CPU)
							cuda, _ := run.on(t, device.CUDA)
							auto, how := run.on(t, device.Auto)
							time.Sleep(time.Minute) // so that GPUs opened in vain are closed
							most := min(cpu, cuda)*115/100 + 100*time.Millisecond
							if harder != 1 {
								most += 100 * time.Millisecond // harder reads are noticed late
							}
							if auto > most {
								t.Errorf("%d bases, %d reads, %v %%, %d threads, %.1f times as hard: cpu %v, cuda %v, auto %v (%s)", bases, reads, percent, threads, harder, cpu, cuda, auto, how)
							}
						})
					}
				}
			}
		}
	}
}

// TestAutoFindsOut has reads that take 20 times as long as expected, in one batch and in many. They
// are not worth opening a GPU by the sizes of the files.
func TestAutoFindsOut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bases int64
		reads int
	}{{46e6, 8_000}, {1e6, 40_000}} {
		reference, fastq := pacedFiles(t, c.reads, c.bases)
		synctest.Test(t, func(t *testing.T) {
			o := &Options{Reference: reference, Libraries: []Library{{Reads: fastq}}, Threads: 2, Distance: DefaultDistance}
			o.setDefaults()
			r := &pacedRun{bases: c.bases, reads: c.reads, threads: 2, harder: 20, opens: 250 * time.Millisecond, o: o}
			cuda, _ := r.on(t, device.CUDA)
			auto, how := r.on(t, device.Auto)
			if o.worthGPU() || how != "cpu, then cuda:0 paced" || auto > cuda+700*time.Millisecond {
				t.Errorf("%+v: %v on a GPU, %v by auto (%s)", c, cuda, auto, how)
			}
		})
	}
}

// TestAutoWithoutGPU has GPUs that cannot be opened, or not for a long time, or not before the end.
func TestAutoWithoutGPU(t *testing.T) {
	t.Parallel()
	const bases, reads = 1_000_000_000, 200_000
	reference, fastq := pacedFiles(t, reads, bases)
	for _, c := range []struct {
		opens time.Duration
		fails error
		want  string
	}{
		{250 * time.Millisecond, nil, "cuda:0 paced"},
		{3 * time.Second, nil, "cpu, then cuda:0 paced"},
		{250 * time.Millisecond, errFinder, "cpu, because of the finder fails"},
		{3 * time.Second, errFinder, "cpu, because of the finder fails"},
		{time.Hour, nil, "cpu, as GPUs take longer to start"},
	} {
		synctest.Test(t, func(t *testing.T) {
			o := &Options{Reference: reference, Libraries: []Library{{Reads: fastq}}, Threads: 16, Distance: DefaultDistance}
			o.setDefaults()
			r := &pacedRun{bases: bases, reads: reads, threads: 16, harder: 2, opens: c.opens, fails: c.fails, o: o}
			if _, got := r.on(t, device.Auto); got != c.want {
				t.Errorf("opened in %v, %v: %q, want %q", c.opens, c.fails, got, c.want)
			}
			time.Sleep(2 * time.Hour) // so that GPUs opened in vain are closed
		})
	}
}

// TestGuess guesses how many reads there are by the sizes of files.
func TestGuess(t *testing.T) {
	t.Parallel()
	reference, reads := pacedFiles(t, 1000, 5000)
	compressed := reads + ".gz"
	if err := os.WriteFile(compressed, bytes.Repeat([]byte{1}, 2500), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		library Library
		want    int
	}{
		{Library{Reads: reads}, 1060},
		{Library{Reads: reads, Mates: reads}, 2120},
		{Library{Reads: compressed}, 30},
		{Library{Reads: reads, Take: 30}, 30},
		{Library{Reads: reads, Interleaved: true, Take: 30}, 60},
		{Library{Reads: "-"}, unknownReads},
		{Library{Reads: reads, Source: &chunksSource{}}, unknownReads},
	} {
		o := &Options{Reference: reference, Libraries: []Library{c.library, c.library}}
		if reads, bases := o.guess(); reads != 2*c.want || bases != 5000 {
			t.Errorf("%+v: %d reads, %d bases", c.library, reads, bases)
		}
	}
	o := &Options{Reference: reference, Packed: &dna.Reference{Contigs: []dna.Contig{{Length: 7}}}}
	if _, bases := o.guess(); bases != 7 {
		t.Errorf("%d bases in memory", bases)
	}
}

// switchAfter has a run begin on the CPU, and a GPU be ready when `after` parts and one more are
// done. Then it calls wait.
func switchAfter(o *Options, driver *gpu.Driver, after int, wait func()) {
	o.Device = device.Choice{Kind: device.Auto, Driver: driver}
	ready, parts := make(chan struct{}), 0
	o.limits.gpuStart, o.limits.takeOver, o.limits.ready = 1, 1, ready
	o.Progress = func(Progress) {
		if parts++; parts == after+1 {
			close(ready)
			wait()
		}
	}
}

// TestSwitch has a GPU take over after each number of parts, and in the middle of batches: bytes
// and statistics are the same as on the CPU.
func TestSwitch(t *testing.T) {
	t.Parallel()
	driver := testDriver(t)
	r := rand.New(rand.NewPCG(27, 1))
	reference, reads := writeInput(t, effort.Pick(60, 20))
	localReference, mates := writeLocal(t, 10, 80)
	for _, o := range []Options{
		{Reference: reference, Libraries: []Library{{Reads: reads}}, Distance: DefaultDistance},
		{Reference: localReference, Libraries: localLibraries(mates)[0], Distance: Distance{Edits: 6}, Report: Report{Mode: ReportOne}},
		{Reference: reference, Libraries: []Library{{Reads: reads}}, Distance: Distance{Edits: 9}, Report: Report{Mode: ReportBest}},
		{Reference: localReference, Libraries: localLibraries(mates)[0], Local: &Local{Score: DefaultScore}, Report: Report{Mode: ReportOne}},
	} {
		o.Threads = 2
		want, wantStats := runText(t, o)
		for after := range effort.Pick(12, 5) {
			o.BatchReads = 1 + r.IntN(20)
			switchAfter(&o, driver, after, func() {})
			got, stats := runText(t, o)
			if got != want {
				t.Fatalf("%+v, a GPU after %d parts of %d reads (%s):\n%s", o.Distance, after, o.BatchReads, stats.Device, firstDifference(want, got))
			}
			if diff := differentStats(ofReads(wantStats), ofReads(stats)); diff != "" {
				t.Errorf("%+v, a GPU after %d parts of %d reads: (-CPU +auto)\n%s", o.Distance, after, o.BatchReads, diff)
			}
		}
	}
}

// TestCrewHalted has finders halted after each part: the others go on with the read after it.
func TestCrewHalted(t *testing.T) {
	for after := range 14 {
		first, crew := numberedFinders(t, 1, &numberedFinder{size: 2})
		first[0].halts = after + 1
		_, relieving := numberedFinders(t, 2, &numberedFinder{size: 1, ahead: true})
		asked := 0
		relieved := func(int, time.Duration) []find.Finder {
			if asked++; first[0].calls.Load() <= int32(after) {
				return nil
			}
			return relieving
		}
		next := 1
		err := newTestCrew(numberedBatches(4, 6, &library{})).run(context.Background(), crew, relieved, inOrder(&next))
		if err != nil || next != 25 {
			t.Errorf("halted after %d parts: %v, %d reads", after, err, next-1)
		}
	}
}

// TestHaltedInVain has nobody go on where a finder was halted: it does so itself.
func TestHaltedInVain(t *testing.T) {
	first, crew := numberedFinders(t, 1, &numberedFinder{size: 2})
	first[0].halts = 2
	next := 1
	err := newTestCrew(numberedBatches(2, 6, &library{})).run(context.Background(), crew, func(int, time.Duration) []find.Finder { return nil }, func(p part) error {
		next += len(p.batch.Reads)
		return nil
	})
	if err != nil || next != 13 {
		t.Errorf("%v, %d reads", err, next-1)
	}
}

// TestGPUAskedForFails ends a run whose GPU was asked for and cannot be opened.
func TestGPUAskedForFails(t *testing.T) {
	d := &devices{options: &Options{Device: device.Choice{Kind: device.CUDA}}, openAll: func() (gpuSet, error) { return nil, errFinder }}
	if _, err := d.begin(context.Background()); !errors.Is(err, errFinder) || strings.Contains(d.description, "because") {
		t.Errorf("%v, %q", err, d.description)
	}
}

// TestSwitchWhileReadsWait has a GPU that counts take over while reads of the CPU wait to be sought
// again: these are counted once.
func TestSwitchWhileReadsWait(t *testing.T) {
	t.Parallel()
	driver := testDriver(t)
	reference, reads := writeInput(t, 25)
	o := Options{
		Reference: reference, Libraries: []Library{{Reads: reads}, {Reads: reads}}, Distance: Distance{Edits: 9},
		Report: Report{Mode: ReportOne}, Threads: 2, BatchReads: 20,
	}
	want, _ := count(t, o, each(false))
	for after := range 4 {
		// The CPU finds the GPU ready after this batch.
		switchAfter(&o, driver, after, func() { time.Sleep(100 * time.Millisecond) })
		got, stats := count(t, o, each(false))
		if fmt.Sprint(want.depths()) != fmt.Sprint(got.depths()) {
			t.Errorf("a GPU after %d parts (%s): other depths", after, stats.Device)
		}
	}
}

// TestReliefByTheRest asks for GPUs after batches. A small rest is not worth GPUs, and a large one
// is worth opening them.
func TestReliefByTheRest(t *testing.T) {
	t.Parallel()
	reference, fastq := pacedFiles(t, 1000, 5000) // some 1,060 reads, by the size
	o := &Options{Reference: reference, Libraries: []Library{{Reads: fastq}}}
	o.setDefaults()
	guessed, _ := o.guess()
	ready := &devices{options: o, auto: true, reads: guessed, beside: beside{ready: make(chan struct{}), gpus: &pacedGPUs{finder: &pacedFinder{}}}}
	for _, c := range []struct {
		reads  int
		worked time.Duration
		want   int // finders
	}{
		{1000, time.Second, 0}, // 60 ms are left
		{0, 0, 1},              // halted
	} {
		if got := ready.relief(c.reads, c.worked); len(got) != c.want {
			t.Errorf("%d reads in %v: %d finders", c.reads, c.worked, len(got))
		}
	}
	// After 9 % of the reads.
	for worked, want := range map[time.Duration]bool{10 * time.Millisecond: false, time.Second: true} {
		opened := make(chan bool, 1)
		d := &devices{options: o, auto: true, reads: guessed, openAll: func() (gpuSet, error) {
			opened <- true
			return nil, errFinder
		}}
		d.relief(100, worked)
		if begun := d.beside.ready != nil; begun != want {
			t.Errorf("GPUs are opened after a batch of %v: %v", worked, begun)
		} else if begun {
			<-opened
		}
	}
}

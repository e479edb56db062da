package mapper

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"scanmap/gpu"
	"scanmap/gpu/device"
	"scanmap/internal/effort"
	"scanmap/internal/emulator"
	"scanmap/internal/measure"
	"scanmap/internal/truth"
	"scanmap/mapper/find"
	"scanmap/sam"
)

// onGPU compares the output of a run with the CPU's, and returns its statistics.
func onGPU(t *testing.T, o Options, driver *gpu.Driver, want string) *Stats {
	t.Helper()
	o.Device.Kind, o.Device.Driver = device.CUDA, driver
	got, stats := runText(t, o)
	if got != want {
		t.Fatalf("engine %s, -e %v, batches of %d, device %+v: other bytes (-CPU +GPU)\n%s", o.Engine, o.Distance, o.BatchReads, o.Device, firstDifference(want, got))
	}
	return stats
}

// TestSameBytesOnGPU maps on a GPU with all that may vary, and compares with the CPU.
func TestSameBytesOnGPU(t *testing.T) {
	t.Parallel()
	driver := testDriver(t)
	reference, reads := writeInput(t, effort.Pick(100, 60))
	for i, o := range []Options{
		{Distance: DefaultDistance},
		{Distance: Distance{Edits: 0}},
		{Distance: Distance{Edits: 2}, Report: Report{Mode: ReportStrata, Strata: 1}, MaxLocations: 3, SequenceMatch: true, FullSecondary: true},
		{Distance: Distance{Edits: 7}},
		{Distance: Distance{Edits: 2}, Metric: Substitutions},
		{Distance: Distance{Percent: 10, Percentage: true}, Metric: Substitutions, Report: Report{Mode: ReportBest}, SequenceMatch: true},
	} {
		o.Reference, o.Libraries, o.Threads = reference, withReads(o.Libraries, reads), 2
		want, _ := runText(t, o)
		for e, engine := range []Engine{EngineSkim, EngineScan, EngineAuto} {
			for b, batch := range []int{0, 7} {
				if (i+e+b)%3 != 0 && !effort.Full() {
					continue // each option has both batches and two engines
				}
				o.Engine, o.BatchReads = engine, batch
				onGPU(t, o, driver, want)
			}
		}
	}
}

// TestCompressedOnGPU has a GPU compress BAM and SAM, sorted and not, and compares with the CPU,
// also where a GPU cannot.
func TestCompressedOnGPU(t *testing.T) {
	t.Parallel()
	reference, reads := writeInput(t, effort.Pick(700, 350))
	o := Options{
		Reference: reference, Libraries: []Library{{Reads: reads}}, Threads: 2,
		limits: limits{deflated: 2, expected: math.MaxInt32},
	}
	write := func(o Options, form sam.WriterOptions) (records, index []byte, stats *Stats, err error) {
		var to, indexTo bytes.Buffer
		out := Outputs{Records: &to, Form: form}
		if form.Sort && form.Format == sam.FormatBAM {
			out.Index = func(sam.IndexKind) (io.Writer, error) { return &indexTo, nil }
		}
		stats, err = Run(t.Context(), o, sam.HeaderOptions{NoProgram: true}, out)
		return to.Bytes(), indexTo.Bytes(), stats, err
	}
	for _, form := range []sam.WriterOptions{
		{Format: sam.FormatBAM, Compression: -1}, {Format: sam.FormatBAM, Compression: -1, Sort: true, Threads: 2},
		{Format: sam.FormatSAMGZ, Compression: -1}, {Format: sam.FormatBAM, Compression: -1, Sort: true, MarkDuplicates: true},
		{Format: sam.FormatBAM, Compression: 6},
	} {
		want, wantIndex, _, err := write(o, form)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(want); n < 1<<15 {
			t.Fatalf("%d bytes are few blocks", n)
		}
		for _, fails := range []int{0, 1, device.Deflaters} {
			if fails > 0 && form.Threads != 2 {
				continue
			}
			driver := testDriver(t)
			o := o
			o.Device = device.Choice{Kind: device.CUDA, Driver: driver, Sync: true}
			if fails > 0 { // one deflater cannot be made
				driver.Inject("cuStreamCreate", 1+find.FindersOfGPU+fails, gpu.OutOfMemory)
			}
			ran := false
			for range 5 { // the CPU may be faster
				got, index, stats, err := write(o, form)
				if err != nil || !bytes.Equal(got, want) || !bytes.Equal(index, wantIndex) {
					t.Fatalf("%+v: other bytes (error %v)", form, err)
				}
				ran = slices.ContainsFunc(stats.Kernels, func(k measure.KernelTime) bool { return k.Name == "deflate" })
				if ran || fails > 0 || form.Compression == 6 {
					break
				}
			}
			if ran != (form.Compression == -1 && fails == 0) {
				t.Errorf("%+v: the GPU compressed: %v", form, ran)
			}
		}
	}
}

// TestCompressedOnLittleGPU writes BAM where a GPU has memory for the mapping alone.
func TestCompressedOnLittleGPU(t *testing.T) {
	t.Parallel()
	reference, reads := writeInput(t, 30)
	o := Options{
		Reference: reference, Libraries: []Library{{Reads: reads}}, Threads: 2,
		Device: device.Choice{Kind: device.CUDA, Driver: testDriver(t), Memory: 64 << 20},
		limits: limits{expected: math.MaxInt32},
	}
	out := Outputs{Records: io.Discard, Form: sam.WriterOptions{Format: sam.FormatBAM, Compression: -1}}
	stats, err := Run(t.Context(), o, sam.HeaderOptions{NoProgram: true}, out)
	if err != nil || stats.Mapped == 0 {
		t.Errorf("%v, %+v", err, stats)
	}
}

// TestContigEndsOnGPU maps reads that hang over either end of a contig by up to k bases, whose
// alignments begin or end with insertions.
func TestContigEndsOnGPU(t *testing.T) {
	t.Parallel()
	driver := testDriver(t)
	r := rand.New(rand.NewPCG(93, 94))
	const m, k = 60, 4
	var fa, fq strings.Builder
	for i := range 3 {
		contig := truth.Random(r, 200, "ACGT")
		fmt.Fprintf(&fa, ">c%d\n%s\n", i, contig)
		for over := range k + 2 {
			beyond := truth.Random(r, over, "ACGT")
			for j, s := range []string{beyond + contig[:m-over], contig[len(contig)-m+over:] + beyond} {
				fmt.Fprintf(&fq, "@r%d.%d.%d\n%s\n+\n%s\n", i, over, j, truth.Strand(s, i%2), strings.Repeat("F", m))
			}
		}
	}
	folder := t.TempDir()
	reference, reads := folder+"/ref.fa", folder+"/reads.fq"
	for name, text := range map[string]string{reference: fa.String(), reads: fq.String()} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Threads: 2, Distance: Distance{Edits: k}}
	want, _ := runText(t, o)
	if n := strings.Count(want, "\t4I56M\t") + strings.Count(want, "\t56M4I\t"); n < 3 {
		t.Fatalf("%d alignments begin or end with %d insertions\n%s", n, k, want)
	}
	for _, engine := range []Engine{EngineSkim, EngineScan} {
		o.Engine = engine
		onGPU(t, o, driver, want)
	}
}

// TestEveryKernel runs every kernel of the mapper, while sanitizers look on if emulator.Variants
// says so.
func TestEveryKernel(t *testing.T) {
	t.Parallel()
	all := emulator.KernelsOf("mapper")
	var expected []string // of each run, the same for each variant
	for _, variant := range emulator.Variants() {
		t.Run(string(variant), func(t *testing.T) {
			driver := emulator.Driver(t, variant, gpu.EmulatorOptions{})
			ran, runs := map[string]bool{}, 0
			run := func(o Options, engine Engine) {
				if runs == len(expected) {
					want, _ := runText(t, o)
					expected = append(expected, want)
				}
				want := expected[runs]
				runs++
				o.Engine, o.Device.Sync, o.limits.find.CountedBases, o.limits.find.GPUDirect = engine, true, 1, 1
				for _, k := range onGPU(t, o, driver, want).Kernels {
					ran[k.Name] = true
				}
			}
			reference, reads := writeInput(t, 24)
			longReference, long := writeLong(t)
			for _, k := range []int{0, 1, 2, 5, 9} {
				run(Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Threads: 2, Distance: Distance{Edits: k}}, EngineScan)
			}
			run(Options{Reference: longReference, Libraries: []Library{{Reads: long}}, Threads: 2, Distance: DefaultDistance}, EngineScan)
			run(Options{Reference: longReference, Libraries: []Library{{Reads: long}}, Threads: 2, Distance: Distance{Edits: 20}}, EngineSkim)
			// All pieces are of one length, the longest, which is what weigh asks for.
			run(Options{Reference: longReference, Libraries: []Library{{Reads: long}}, Threads: 2}, EngineSkim)
			for _, k := range []int{0, 4} {
				run(Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Threads: 2, Distance: Distance{Edits: k}}, EngineSkim)
			}
			substitutions := Options{Reference: longReference, Libraries: []Library{{Reads: long}}, Threads: 2, Distance: Distance{Edits: 3}, Metric: Substitutions}
			run(substitutions, EngineSkim)
			run(substitutions, EngineScan)
			repeats, ofRepeats := writeRepeats(t, 10) // reads with many candidates
			substitutions.Reference, substitutions.Libraries = repeats, []Library{{Reads: ofRepeats}}
			substitutions.Distance.Edits = 9
			run(substitutions, EngineSkim)
			localReference, mates := writeLocal(t, 10, 80)
			best := Report{Mode: ReportBest}
			for _, report := range []Report{{}, best} {
				run(Options{Reference: localReference, Libraries: localLibraries(mates)[0], Threads: 2, Local: &Local{Score: DefaultScore}, Report: report}, EngineSkim)
			}
			run(Options{Reference: repeats, Libraries: []Library{{Reads: ofRepeats}}, Threads: 2, Local: &Local{Score: DefaultScore}}, EngineSkim)
			run(Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Threads: 2, Distance: Distance{Edits: 4}, Report: best}, EngineSkim)
			counts := Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Threads: 2, Distance: Distance{Edits: 4}}
			counts.Device = device.Choice{Kind: device.CUDA, Driver: driver, Sync: true}
			shares := counts
			shares.Reference, shares.Libraries, shares.Distance.Edits = repeats, []Library{{Reads: ofRepeats}}, 9
			for _, s := range []*Stats{countStats(t, counts, each(false)), countStats(t, shares, Cells{Weights: WeighEqual, Unit: 1 << 30})} {
				for _, k := range s.Kernels {
					ran[k.Name] = true
				}
			}
			for _, name := range all {
				if !ran[name] {
					t.Errorf("kernel %s did not run", name)
				}
			}
		})
	}
}

// TestReportsOnGPU has locations that are not reported stay on the GPU. Bytes and statistics are
// the same as on the CPU, which has all locations, also where they come in parts.
func TestReportsOnGPU(t *testing.T) {
	t.Parallel()
	driver := testDriver(t)
	reference, reads := writeRepeats(t, effort.Pick(15, 12))
	tiny := []limits{{}, {find: find.Limits{GPUQueue: 40}}, {find: find.Limits{GPUFound: 20}}, {find: find.Limits{GPUQueue: 300, GPUFound: 3}}}
	for r, c := range []struct {
		report Report
		metric Metric
	}{
		{Report{Mode: ReportOne}, Edits}, {Report{Mode: ReportBest}, Edits}, {Report{Mode: ReportStrata, Strata: 1}, Edits},
		{Report{Mode: ReportStrata, Strata: 4}, Edits}, {Report{Mode: ReportUnique}, Edits}, {Report{Mode: ReportAll}, Edits},
		{Report{Mode: ReportBest}, Substitutions}, {Report{Mode: ReportStrata, Strata: 2}, Substitutions},
		{Report{Mode: ReportAll}, Substitutions},
	} {
		report := c.report
		o := Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Distance: Distance{Edits: 6}, Metric: c.metric, Report: report, Threads: 2}
		for i, l := range tiny {
			if (i+r)%effort.Pick(2, 4) != 0 {
				continue // each limit has two reports or more
			}
			o.MaxLocations = i % 2 * 3
			want, wantStats := runText(t, o)
			onGPUs := o
			onGPUs.limits, onGPUs.Device.Memory = l, int64(i%2*28_000)
			stats := onGPU(t, onGPUs, driver, want)
			if diff := differentStats(ofReads(wantStats), ofReads(stats)); diff != "" {
				t.Errorf("%+v, limits %+v: (-CPU +GPU)\n%s", report, l, diff)
			}
		}
	}
}

// ofReads returns statistics without what tells how the reads were mapped.
func ofReads(s *Stats) Stats {
	only := *s
	only.Candidates, only.Refused, only.Verified, only.Batches = 0, 0, 0, 0
	only.Device, only.Kernels, only.Engines, only.Stages, only.Elapsed = "", nil, nil, nil, 0
	return only
}

// writeRepeats writes a reference of 40,000 bases, mostly copies of two units, and reads, mostly of
// the units.
func writeRepeats(t *testing.T, n int) (reference, reads string) {
	t.Helper()
	r := rand.New(rand.NewPCG(91, 92))
	units := [2]string{truth.Random(r, 150, "ACGT"), truth.Random(r, 70, "ACGT")}
	var text, fa, fq strings.Builder
	for text.Len() < 40_000 {
		unit := units[r.IntN(2)]
		text.WriteString(truth.Strand(truth.Edited(r, unit, r.IntN(9)), r.IntN(2)) + truth.Random(r, r.IntN(400), "ACGT"))
	}
	whole := text.String()
	fmt.Fprintf(&fa, ">c0\n%s\n>c1\n%s\n", whole[:30_000], whole[30_000:])
	for i := range n {
		from := units[r.IntN(2)]
		if i%5 == 0 {
			from = whole[r.IntN(30_000):]
		}
		m := 60 + r.IntN(10)
		at := r.IntN(min(len(from), 160) - m)
		s := truth.Edited(r, from[at:at+m], r.IntN(4))
		fmt.Fprintf(&fq, "@r%d\n%s\n+\n%s\n", i, s, strings.Repeat("F", len(s)))
	}
	folder := t.TempDir()
	reference, reads = folder+"/ref.fa", folder+"/reads.fq"
	for name, text := range map[string]string{reference: fa.String(), reads: fq.String()} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return reference, reads
}

// writeLong writes contigs and reads of up to 1000 bases, some in tandem repeats.
func writeLong(t *testing.T) (reference, reads string) {
	t.Helper()
	r := rand.New(rand.NewPCG(71, 72))
	text := truth.Random(r, 2500, "ACGT")
	for range 30 {
		text += truth.Edited(r, text[100:140], 2)
	}
	folder := t.TempDir()
	reference, reads = folder+"/ref.fa", folder+"/reads.fa"
	var b strings.Builder
	for i, m := range []int{30, 64, 100, 128, 200, 300, 320, 500, 700, 1000, 60, 120, 250} {
		from := r.IntN(len(text) - m)
		if i >= 10 {
			from = len(text) - m - 100
		}
		fmt.Fprintf(&b, ">r%d\n%s\n", i, truth.Edited(r, text[from:from+m], i%5))
	}
	for name, text := range map[string]string{reference: ">c\n" + text + "\n", reads: b.String()} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return reference, reads
}

// enginesAndMetrics are the engines with each metric.
var enginesAndMetrics = []struct {
	engine Engine
	metric Metric
}{{EngineSkim, Edits}, {EngineScan, Edits}, {EngineSkim, Substitutions}, {EngineScan, Substitutions}}

// TestSmallQueues has queues overflow until single reads and single stretches do.
func TestSmallQueues(t *testing.T) {
	t.Parallel()
	driver := testDriver(t)
	reference, reads := writeInput(t, effort.Pick(25, 6))
	for _, c := range enginesAndMetrics {
		o := Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Distance: Distance{Edits: 3}, Metric: c.metric, Threads: 2, Engine: c.engine}
		want, _ := runText(t, o)
		for _, c := range []struct{ candidates, found int }{{2, 1 << 20}, {50, 1 << 20}, {1 << 16, 3}, {1, 1}} {
			o.limits.find.GPUQueue, o.limits.find.GPUFound = c.candidates, c.found
			onGPU(t, o, driver, want)
		}
	}
}

// TestCutReferenceOnGPU has so little memory on the GPU that the reference and the batches are cut.
func TestCutReferenceOnGPU(t *testing.T) {
	t.Parallel()
	driver := testDriver(t)
	r := rand.New(rand.NewPCG(81, 82))
	folder := t.TempDir()
	reference, reads := folder+"/ref.fa", folder+"/reads.fa"
	// A cut lies in a repeat of many copies, another in one of a single base.
	unit := truth.Random(r, 90, "ACGT")
	unique := effort.Pick(20_000, 5000)
	text := truth.Random(r, unique, "ACGT")
	for range effort.Pick(200, 80) {
		text += truth.Edited(r, unit, 4)
	}
	text += strings.Repeat("A", 5000) + truth.Random(r, unique, "ACGT")
	texts := []string{text, truth.Random(r, 3000, "ACGT") + "NNN" + unit}
	var fa, fq strings.Builder
	for i, text := range texts {
		fmt.Fprintf(&fa, ">c%d\n%s\n", i, text)
	}
	n := 0
	add := func(s string) {
		n++
		fmt.Fprintf(&fq, ">r%d\n%s\n", n, s)
	}
	for at := 0; at+100 < len(text); at += 3000 {
		add(truth.Edited(r, text[at:at+100], 3))
	}
	add(unit)
	add(strings.Repeat("A", 60))
	for name, text := range map[string]string{reference: fa.String(), reads: fq.String()} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range enginesAndMetrics {
		o := Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Distance: Distance{Edits: 3}, Metric: c.metric, Threads: 2, Engine: c.engine}
		want, _ := runText(t, o)
		for _, memory := range effort.Pick([]int64{20_000, 1 << 20}, []int64{20_000}) {
			o.Device.Memory = memory
			onGPU(t, o, driver, want)
		}
	}
}

// TestSmallGPU maps on a GPU that has little memory, which is not exceeded.
func TestSmallGPU(t *testing.T) {
	t.Parallel()
	reference, reads := writeInput(t, effort.Pick(120, 40))
	for _, megabytes := range []int64{16, 64} {
		driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{Memory: megabytes << 20})
		for _, engine := range []Engine{EngineSkim, EngineScan} {
			o := Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Threads: 2, Distance: Distance{Edits: 4}, Engine: engine}
			want, _ := runText(t, o)
			onGPU(t, o, driver, want)
		}
	}
}

// TestAllGPUs gives batches to GPUs in turn.
func TestAllGPUs(t *testing.T) {
	t.Parallel()
	driver := emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{Devices: 3})
	infos, err := driver.Devices()
	if err != nil {
		t.Fatal(err)
	}
	if len(infos) < 2 {
		t.Skip("SKIPPED: one GPU is here")
	}
	reference, reads := writeInput(t, 100)
	o := Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Threads: 2, Distance: DefaultDistance, BatchReads: 9}
	want, _ := runText(t, o)
	last := len(infos) - 1
	for _, indices := range [][]int{nil, {last, 0}, {last}} {
		o.Device.Indices = indices
		stats := onGPU(t, o, driver, want)
		named := len(indices)
		if indices == nil {
			named = len(infos)
		}
		if got := strings.Count(stats.Device, "cuda:"); got != named {
			t.Errorf("GPUs %v: the statistics name %q", indices, stats.Device)
		}
	}
	o.Device.Indices = []int{len(infos)}
	o.Device.Kind, o.Device.Driver = device.CUDA, driver
	var failure *device.Error
	if _, err := Run(context.Background(), o, sam.HeaderOptions{}, Outputs{Records: &bytes.Buffer{}}); !errors.As(err, &failure) || !strings.Contains(err.Error(), "there is no GPU") {
		t.Errorf("a GPU that is not there: %v", err)
	}
}

// TestAuto starts on the CPU and goes on on a GPU.
func TestAuto(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: needs /dev/fd")
	}
	driver := testDriver(t)
	reference, reads := writeInput(t, 20)
	text, err := os.ReadFile(reads)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Threads: 2, Distance: DefaultDistance, Report: Report{Mode: ReportAll}, BatchReads: 100}
	o.limits.gpuStart, o.limits.takeOver = time.Millisecond, time.Nanosecond
	once, _ := runText(t, o)
	body := strings.Index(once, "\nread0\t") + 1
	// feed makes the reads a pipe, which ends some time after the driver's next call of a function,
	// and returns where their number of copies comes.
	feed := func(call string) <-chan int {
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { in.Close() })
		o.Libraries = []Library{{Reads: fmt.Sprintf("/dev/fd/%d", in.Fd())}}
		copies, before := make(chan int, 1), driver.Calls()[call]
		go func() {
			n := 0
			for more := 64; more > 0 && n < 1<<16; n++ {
				if _, err := out.Write(text); err != nil {
					break
				}
				if driver.Calls()[call] > before {
					more--
				}
			}
			out.Close()
			copies <- n
		}()
		return copies
	}
	copies := feed("cuLaunchKernel")
	o.Device = device.Choice{Kind: device.Auto, Driver: driver}
	got, stats := runText(t, o)
	if want := once[:body] + strings.Repeat(once[body:], <-copies); got != want {
		t.Errorf("other bytes\n%s", firstDifference(want, got))
	}
	if !strings.HasPrefix(stats.Device, "cpu, then cuda:0 ") {
		t.Errorf("mapped on %s", stats.Device)
	}
	// Where the GPU cannot be opened, the CPU goes on, and the statistics say why.
	driver.Inject("cuDevicePrimaryCtxRetain", 1, gpu.OutOfMemory)
	o.limits.gpuStart = 0
	o.Libraries = []Library{{Reads: reads}}
	o.Device.Kind = device.CUDA
	var failure *device.Error
	if _, err := Run(context.Background(), o, sam.HeaderOptions{}, Outputs{Records: &bytes.Buffer{}}); !errors.As(err, &failure) {
		t.Errorf("a GPU that was asked for and cannot be opened: %v", err)
	}
	o.limits.gpuStart, o.limits.takeOver = -1, -1 // so that the first batch is worth a GPU
	o.Device.Kind = device.Auto
	for tries := 0; ; tries++ { // on a busy machine the CPU may be done before the GPU has failed
		driver.Inject("cuDevicePrimaryCtxRetain", 1, gpu.OutOfMemory)
		copies = feed("cuDevicePrimaryCtxRetain")
		got, stats = runText(t, o)
		if want := once[:body] + strings.Repeat(once[body:], <-copies); got != want {
			t.Fatalf("other bytes\n%s", firstDifference(want, got))
		}
		if strings.HasPrefix(stats.Device, "cpu, because of cuda:0: cuDevicePrimaryCtxRetain: ") {
			break
		}
		if tries == 20 {
			t.Fatalf("mapped on %s", stats.Device)
		}
	}
}

// TestEarlyEndOnGPU ends runs early: each returns its error, and the driver can be used again.
func TestEarlyEndOnGPU(t *testing.T) {
	driver := testDriver(t)
	reference, reads := writeInput(t, 200)
	o := Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Distance: Distance{Edits: 1}, Threads: 2, BatchReads: 10, Device: device.Choice{Kind: device.CUDA, Driver: driver}}
	for _, left := range []int{0, 200, 5000} {
		if _, err := Run(context.Background(), o, sam.HeaderOptions{}, Outputs{Records: &failingWriter{left}}); !errors.Is(err, errFull) {
			t.Errorf("room for %d bytes: %v", left, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cancelled := o
	cancelled.Progress = func(p Progress) {
		if p.Reads >= 50 {
			cancel()
		}
	}
	if _, err := Run(ctx, cancelled, sam.HeaderOptions{}, Outputs{Records: io.Discard}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run gave %v", err)
	}
	missing := o
	missing.Reference += ".no"
	if _, err := Run(context.Background(), missing, sam.HeaderOptions{}, Outputs{Records: io.Discard}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing reference gave %v", err)
	}
	missing = o
	missing.Libraries = []Library{{Reads: reads + ".no"}}
	if _, err := Run(context.Background(), missing, sam.HeaderOptions{}, Outputs{Records: io.Discard}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing reads gave %v", err)
	}
	o.Device = device.Choice{}
	want, _ := runText(t, o)
	onGPU(t, o, driver, want)
}

// firstDifference shows the first line that differs.
func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("line %d:\n-%s\n+%s", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines and %d", len(a), len(b))
}

// TestOneOfSeveralGPUsFails has calls of one of three GPUs fail, also where reads are sought again.
// The run ends with the error of the device, or goes on where it can do with less memory.
func TestOneOfSeveralGPUsFails(t *testing.T) {
	t.Parallel()
	reference, reads := writeInput(t, 20)
	o := Options{Reference: reference, Libraries: []Library{{Reads: reads}}, Threads: 2, BatchReads: 9,
		Distance: Distance{Percent: 8, Percentage: true}, Report: Report{Mode: ReportOne}}
	want, _ := runText(t, o)
	open := func() *gpu.Driver {
		return emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{Devices: 3})
	}
	driver := open()
	onGPU(t, o, driver, want)
	calls := driver.Calls()
	shares := effort.Pick([]int{1, 2, 4, 6, 8, 9}, []int{5})
	for call, code := range map[string]gpu.Result{
		"cuMemAlloc_v2": gpu.OutOfMemory, "cuStreamSynchronize": gpu.IllegalAddress, "cuLaunchKernel": gpu.LaunchFailed,
		"cuDevicePrimaryCtxRetain": gpu.OutOfMemory,
	} {
		for _, share := range shares {
			n := max(calls[call]*share/10, 1)
			driver := open()
			driver.Inject(call, n, code)
			failing := o
			failing.Device = device.Choice{Kind: device.CUDA, Driver: driver}
			var out bytes.Buffer
			_, err := Run(t.Context(), failing, sam.HeaderOptions{NoProgram: true}, Outputs{Records: &out})
			var failure *device.Error
			switch {
			case driver.Calls()[call] < n:
				t.Errorf("call %d of %s is not made", n, call)
			case err == nil && (code != gpu.OutOfMemory || out.String() != want):
				t.Errorf("call %d of %s: no error, or other bytes", n, call)
			case err != nil && !errors.As(err, &failure):
				t.Errorf("call %d of %s: %v", n, call, err)
			}
		}
	}
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"scanmap/internal/effort"
	"scanmap/internal/programs"
)

// manyReads writes a file of reads that make more SAM than pipes hold.
func manyReads(t *testing.T, folder string) string {
	t.Helper()
	text, err := os.ReadFile(readsFile)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "many.fq")
	if err := os.WriteFile(file, bytes.Repeat(text, 5000), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestFullDevice(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = full.Close() }()
	for _, c := range []struct {
		args []string
		name string
	}{
		{[]string{"map", refFile, readsFile}, "standard output"},
		{[]string{"map", refFile, readsFile, "-o", "/dev/full"}, "/dev/full"},
		{[]string{"--help"}, "standard output"},
		{[]string{"--version"}, "standard output"},
	} {
		var stderr bytes.Buffer
		command := exec.Command(binary, c.args...)
		command.Stdout, command.Stderr = full, &stderr
		code := programs.ExitCode(t, command.Run())
		if want := "scanmap: " + c.name + ": no space left on device\n"; code != 1 || stderr.String() != want {
			t.Errorf("%q: exit code %d, standard error %q", c.args, code, stderr.String())
		}
	}
}

// TestClosedStreams closes a stream that is read or written: the run fails, and says why in one
// line. The null device is no closed stream, nor is a stream closed that a run has no use for.
func TestClosedStreams(t *testing.T) {
	const closed = ": is closed, or /dev/null opened for reading and writing\n"
	for _, c := range []struct {
		command string // of a shell, in which $0 is the program
		code    int
		stderr  string
	}{
		{`map "$1" "$2" >&-`, 1, "standard output" + closed},
		{`map "$1" "$2" -o /dev/stdout >&-`, 1, "standard output" + closed},
		{`map "$1" - <"$2" >&-`, 1, "standard output" + closed},
		{`map "$1" "$2" --stats x --report-html - -o y >&-`, 1, "standard output" + closed},
		{`search ACGT "$1" >&-`, 1, "standard output" + closed},
		{`insert-size "$1" "$2" "$2" >&-`, 1, "standard output" + closed},
		{`--version >&-`, 0, ""}, // as a caller that only wants the exit code may do
		{`map "$1" - <&-`, 1, "standard input" + closed},
		{`map "$1" /dev/stdin <&-`, 1, "standard input" + closed},
		{`map - "$2" <&-`, 1, "standard input" + closed},
		{`map --samples - "$1" <&-`, 1, "standard input" + closed},
		{`search -f - "$1" <&-`, 1, "standard input" + closed},
		{`search ACGT - <&-`, 1, "standard input" + closed},
		{`search --alphabet bytes ACGT - <&- >&-`, 1, "standard input" + closed},
		{`map --quiet "$1" "$2" --stats /dev/stderr 2>&-`, 1, ""},
		{`map --quiet "$1" "$2" <&- 2>&-`, 0, ""},
		{`map --quiet "$1" "$2" -o out.sam <&- >&-`, 0, ""},
		{`map --quiet "$1" "$2" >/dev/null`, 0, ""},
		{`map --quiet "$1" "$2" -o /dev/null >&-`, 0, ""},
		{`map --quiet "$1" - </dev/null`, 0, ""},
	} {
		folder := t.TempDir()
		var stdout, stderr bytes.Buffer
		command := exec.Command("sh", "-c", `exec "$0" `+c.command, binary, absolute(t, refFile), absolute(t, readsFile))
		command.Dir, command.Stdout, command.Stderr = folder, &stdout, &stderr
		code := programs.ExitCode(t, command.Run())
		want := c.stderr
		if want != "" {
			want = "scanmap: " + want
		}
		if code != c.code || stderr.String() != want || code != 0 && stdout.Len() > 0 {
			t.Errorf("%s: exit code %d, standard output %.40q, standard error %q", c.command, code, stdout.String(), stderr.String())
		}
		files := ""
		if strings.Contains(c.command, "-o out.sam") {
			files = "out.sam"
		}
		if got := names(t, folder); got != files {
			t.Errorf("%s: the folder holds %s", c.command, got)
		}
	}
}

// TestRedirectedFiles has the shell open a file that is both read and written: the call is refused,
// and the file stays as it was.
func TestRedirectedFiles(t *testing.T) {
	const reads, ref = "@a\nACGTACGTAC\n+\nIIIIIIIIII\n", ">c\nACGTACGTACGTACGTACGT\n"
	const itself = "standard input and standard output are the same file, which would be overwritten"
	for _, c := range []struct{ command, want string }{
		{"map -o r.fq ref.fa - <r.fq", "r.fq is standard input and would be overwritten"},
		{"map -o link ref.fa - <r.fq", "link is standard input and would be overwritten"},
		{"map -o hard.fa - r.fq <ref.fa", "hard.fa is standard input and would be overwritten"},
		{"map -o new --stats r.fq ref.fa - <r.fq", "r.fq is standard input and would be overwritten"},
		{"map -o new --stats r.fq ref.fa /dev/stdin <r.fq", "r.fq is an input and would be overwritten"},
		{"map -o x.bam ref.fa - <x.bam.bai", "x.bam.bai is an input, but has the name of an index of x.bam and would be removed"},
		{"map ref.fa r.fq >>r.fq", "standard output is r.fq, which is an input and would be overwritten"},
		{"map ref.fa r.fq >>hard", "standard output is r.fq, which is an input and would be overwritten"},
		{"map ref.fa link -o /dev/stdout >>ref.fa", "standard output is ref.fa, which is an input and would be overwritten"},
		{"map ref.fa - <r.fq >>r.fq", itself},
		{"map ref.fa - <r.fq 1<>hard", itself},
		{"map ref.fa r.fq --stats s >>s", "options --output and --stats name the same file"},
		{"map ref.fa r.fq -o s --stats - >>s", "options --output and --stats name the same file"},
		{"search ACGT ref.fa >>ref.fa", "standard output is ref.fa, which is an input and would be overwritten"},
		{"search -o ref.fa ACGT - <ref.fa", "ref.fa is standard input and would be overwritten"},
		{"search -f - ref.fa <r.fq >>hard", itself},
		{"map --quiet ref.fa - <r.fq >>s", ""},
		{"map --quiet ref.fa r.fq <r.fq >>s", ""},
		{"map --quiet -o r.fq ref.fa s <r.fq >>ref.fa", ""},
	} {
		folder := t.TempDir()
		for name, text := range map[string]string{"r.fq": reads, "ref.fa": ref, "x.bam.bai": reads, "s": ""} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(os.Symlink("r.fq", filepath.Join(folder, "link")),
			os.Link(filepath.Join(folder, "r.fq"), filepath.Join(folder, "hard")),
			os.Link(filepath.Join(folder, "ref.fa"), filepath.Join(folder, "hard.fa"))); err != nil {
			t.Fatal(err)
		}
		before := names(t, folder)
		var stderr bytes.Buffer
		command := exec.Command("sh", "-c", `exec "$0" `+c.command, binary)
		command.Dir, command.Stderr = folder, &stderr
		code := programs.ExitCode(t, command.Run())
		if c.want == "" {
			if code != 0 || stderr.Len() > 0 {
				t.Errorf("%s: exit code %d, standard error %q", c.command, code, stderr.String())
			}
			continue
		}
		if want := "scanmap: " + c.want + "\n"; code != 2 || stderr.String() != want {
			t.Errorf("%s: exit code %d, standard error %q, want %q", c.command, code, stderr.String(), want)
		}
		if got := names(t, folder); got != before {
			t.Errorf("%s: the folder holds %s", c.command, got)
		}
		for name, text := range map[string]string{"r.fq": reads, "ref.fa": ref, "x.bam.bai": reads} {
			if got := readFile(t, filepath.Join(folder, name)); got != text {
				t.Errorf("%s: %s is %.40q", c.command, name, got)
			}
		}
	}
}

func absolute(t *testing.T, name string) string {
	t.Helper()
	name, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// A reader that goes away after one line, as head -1, ends the run quietly.
func TestClosedPipe(t *testing.T) {
	reads := manyReads(t, t.TempDir())
	for _, output := range []string{"-", "/dev/stdout"} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		command := exec.Command(binary, "map", refFile, reads, "-o", output)
		command.Stdout, command.Stderr = w, &stderr
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Read(make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if code := programs.ExitCode(t, command.Wait()); code != 0 || stderr.Len() > 0 {
			t.Errorf("exit code %d, standard error %q", code, stderr.String())
		}
	}
}

func TestStandardInput(t *testing.T) {
	want := mapQuietly(t, "--no-pg")
	for _, c := range []struct{ ref, reads, stdin string }{{refFile, "-", readsFile}, {"-", readsFile, refFile},
		{refFile, "/dev/stdin", readsFile}} {
		text, err := os.ReadFile(c.stdin)
		if err != nil {
			t.Fatal(err)
		}
		command := exec.Command(binary, "map", "--no-pg", "--quiet", c.ref, c.reads)
		command.Stdin, command.Stderr = bytes.NewReader(text), os.Stderr
		if got, err := command.Output(); err != nil || string(got) != want {
			t.Errorf("%s: %v, got\n%s", c.stdin, err, got)
		}
	}
}

func TestMapToFIFO(t *testing.T) {
	want := mapQuietly(t, "--no-pg")
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(binary, "map", "--no-pg", "--quiet", refFile, readsFile, "-o", fifo)
	command.Stderr = os.Stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(fifo)
	if err != nil || string(got) != want {
		t.Errorf("%v, got\n%s", err, got)
	}
	if code := programs.ExitCode(t, command.Wait()); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// deadline is after when a run that was told to stop hangs. TestUntilStopped, which depends on no
// clock, checks that a stop takes less than a second.
const deadline = 20 * time.Second

// TestUntilStopped has work that looks at nothing: it is not waited for, nor twice as long as that
// for a second. Work that ends counts.
func TestUntilStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		stopped := signalError{syscall.SIGTERM}
		forever := make(chan struct{})
		start := time.Now()
		time.AfterFunc(time.Minute, func() { cancel(stopped) })
		for range 2 {
			_, err := untilStopped(ctx, func() (int, error) { <-forever; return 1, nil })
			if !errors.Is(err, stopped) {
				t.Errorf("work that does not end: %v", err)
			}
		}
		if took := time.Since(start) - time.Minute; took < 2*patience || took > 600*time.Millisecond {
			t.Errorf("two waits took %v", took)
		}
		close(forever)
		if n, err := untilStopped(ctx, func() (int, error) { time.Sleep(patience / 2); return 2, nil }); n != 2 || err != nil {
			t.Errorf("work that ends in time: %d, %v", n, err)
		}
	})
}

// TestSignalsAtAnyMoment stops runs that are at work, with and without a limit on memory, which
// takes a second process. A run that is over before is as good.
func TestSignalsAtAnyMoment(t *testing.T) {
	folder := t.TempDir()
	ref, reads := filepath.Join(folder, "ref.fa"), filepath.Join(folder, "reads.fq")
	for name, text := range map[string]string{
		ref:   ">c\n" + strings.Repeat("ACGTTGCAAGTCCTGA", 1<<14) + "\n",
		reads: strings.Repeat("@r\nAC\n+\nII\n", 2000), // each with 100,000 locations
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range []struct{ limit, args string }{
		{"", "map --quiet -e 1 --max-locations 1048576 -o F/x.sam --stats F/s.json REF READS"},
		{"", "map --quiet -e 1 --max-locations 1048576 --report one -o F/x.sam REF READS"},
		{"", "map --quiet -e 1 --max-locations 1048576 --sort --sort-memory 1 --tmpdir F -o F/x.bam REF READS"},
		{"", "map --quiet -e 1 --max-locations 1048576 --engine scan -u F/u.fq -o F/x.sam.gz REF READS"},
		{"", "map --quiet -e 1 --max-locations 1048576 -o none --depth F/x.bg.gz --regions 10 --region-depth F/x.bed REF READS"},
		{"", "search --quiet -o F/x.tsv N REF"},
		{"ulimit -v 2500000 && ", "map --quiet -e 1 --max-locations 1048576 -o F/x.sam --stats F/s.json REF READS"},
		{"ulimit -v 2500000 && ", "search --quiet -o F/x.tsv N REF"},
	} {
		for n, after := range []time.Duration{0, 20 * time.Millisecond, 100 * time.Millisecond, 300 * time.Millisecond} {
			if !effort.Full() && n != i%4 { // by turns
				continue
			}
			t.Run(fmt.Sprint(i, after), func(t *testing.T) {
				t.Parallel()
				to := t.TempDir()
				args := strings.NewReplacer("F/", to+"/", " F ", " "+to+" ", "REF", ref, "READS", reads).Replace(c.args)
				var stderr bytes.Buffer
				command := exec.Command("sh", append([]string{"-c", c.limit + `exec "$0" "$@"`, binary},
					strings.Fields(args)...)...)
				command.Stderr = &stderr
				if err := command.Start(); err != nil {
					t.Fatal(err)
				}
				defer time.AfterFunc(deadline+after, func() { _ = command.Process.Kill() }).Stop()
				time.Sleep(after) // a moment; which one does not matter
				_ = command.Process.Signal(syscall.SIGTERM)
				err := command.Wait()
				status, ok := command.ProcessState.Sys().(syscall.WaitStatus)
				switch {
				case ok && status.Signaled() && status.Signal() == syscall.SIGTERM: // nothing listened yet
				case programs.ExitCode(t, err) == 0:
					return
				case programs.ExitCode(t, err) != 143 || stderr.String() != "scanmap: stopped by a signal: terminated\n":
					t.Errorf("%v, standard error %.300q", err, stderr.String())
				}
				if left := names(t, to); left != "" {
					t.Errorf("the folder holds %s", left)
				}
			})
		}
	}
}

// A signal stops a run that waits for its reads; no file is left.
func TestSignals(t *testing.T) {
	for _, c := range []struct {
		name   string
		signal syscall.Signal
		code   int
		stdin  bool
	}{
		{"SIGINT", syscall.SIGINT, 130, true},
		{"SIGTERM", syscall.SIGTERM, 143, true},
		{"SIGHUP", syscall.SIGHUP, 129, true},
		{"SIGTERM, FIFO", syscall.SIGTERM, 143, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if signal.Ignored(c.signal) {
				t.Skipf("SKIPPED: %s is switched off here, as by nohup, and stays so in the program", c.name)
			}
			folder := t.TempDir()
			reads := "-"
			if !c.stdin { // that nobody writes to
				reads = filepath.Join(folder, "fifo")
				if err := syscall.Mkfifo(reads, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var stderr bytes.Buffer
			command := exec.Command(binary, "map", refFile, reads, "-o", filepath.Join(folder, "out.sam"), "--stats",
				filepath.Join(folder, "stats.json"))
			command.Stderr = &stderr
			stdin, err := command.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = stdin.Close() }()
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(stdin, "@a\nACGT\n"); err != nil {
				t.Fatal(err)
			}
			for begun := time.Now(); !strings.Contains(names(t, folder), "stats.json"); {
				if time.Since(begun) > deadline {
					_ = command.Process.Kill()
					t.Fatal("the run did not begin")
				}
				time.Sleep(5 * time.Millisecond)
			}
			if err := command.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			defer time.AfterFunc(deadline, func() { _ = command.Process.Kill() }).Stop()
			code := programs.ExitCode(t, command.Wait())
			if want := "scanmap: stopped by a signal: " + c.signal.String() + "\n"; code != c.code || stderr.String() != want {
				t.Errorf("exit code %d, standard error %q", code, stderr.String())
			}
			if got := names(t, folder); got != "" && got != "fifo" {
				t.Errorf("the folder holds %s", got)
			}
		})
	}
}

// TestTwoSignals sends two signals within milliseconds, as timeout does, and then others until the
// process ends: they take nothing from what the first one asks for, in a run of one process and of
// two.
func TestTwoSignals(t *testing.T) {
	for _, limit := range []string{"", "ulimit -v 8000000; "} {
		for i := 0; i < 20; i += effort.Pick(1, 4) {
			folder := t.TempDir()
			var stderr bytes.Buffer
			command := exec.Command("sh", "-c", limit+`exec "$0" "$@"`, binary, "map", refFile, "-",
				"-o", filepath.Join(folder, "out.bam"), "--sort", "--stats", filepath.Join(folder, "stats.json"))
			command.Stderr = &stderr
			stdin, err := command.StdinPipe() // which nobody writes to
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			for begun := time.Now(); !strings.Contains(names(t, folder), "stats.json"); time.Sleep(time.Millisecond) {
				if time.Since(begun) > deadline {
					_ = command.Process.Kill()
					t.Fatal("the run did not begin")
				}
			}
			for range 2 {
				_ = command.Process.Signal(syscall.SIGTERM) // the first one may be enough
				time.Sleep(time.Duration(i) * 200 * time.Microsecond)
			}
			var others sync.WaitGroup
			others.Go(func() {
				for begun := time.Now(); time.Since(begun) < signalsTogether/2; time.Sleep(50 * time.Microsecond) {
					if command.Process.Signal(syscall.SIGTERM) != nil {
						return // it has ended
					}
				}
			})
			code := programs.ExitCode(t, command.Wait())
			others.Wait()
			_ = stdin.Close()
			if code != 143 || stderr.String() != "scanmap: stopped by a signal: terminated\n" {
				t.Errorf("%srun %d: exit code %d, standard error %q", limit, i, code, stderr.String())
			}
			if got := names(t, folder); got != "" {
				t.Errorf("%srun %d: the folder holds %s", limit, i, got)
			}
		}
	}
}

// TestPassSignals passes the first signal on, drops those soon after it, and kills for a later one.
func TestPassSignals(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		killed := 0
		s := &supervisor{signals: w}
		signals, ended := make(chan os.Signal), make(chan struct{})
		go s.passSignals(signals, ended, func() { killed++ })
		for range 2 {
			signals <- syscall.SIGTERM
		}
		time.Sleep(signalsTogether - 1)
		signals <- syscall.SIGINT
		synctest.Wait()
		if killed != 0 {
			t.Error("soon after the first signal the worker was killed")
		}
		time.Sleep(time.Nanosecond)
		signals <- syscall.SIGTERM
		synctest.Wait()
		if killed != 1 {
			t.Errorf("a later signal killed %d times", killed)
		}
		close(ended)
	})
	_ = w.Close()
	if passed, err := io.ReadAll(r); err != nil || string(passed) != "\x0f" {
		t.Errorf("passed on are %q, %v", passed, err)
	}
}

// nohup and shells switch signals off for jobs in the background; they stay off.
func TestIgnoredSignalsStayIgnored(t *testing.T) {
	command := exec.Command("sh", "-c", `trap "" HUP INT; exec "$0" map --no-pg --quiet "$1" -`, binary, refFile)
	var stdout bytes.Buffer
	command.Stdout, command.Stderr = &stdout, os.Stderr
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond)
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if err := command.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(readsFile)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stdin.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if code := programs.ExitCode(t, command.Wait()); code != 0 || stdout.String() != mapQuietly(t, "--no-pg") {
		t.Errorf("exit code %d, standard output\n%s", code, stdout.String())
	}
}

// A signal also stops a run whose output nobody takes.
func TestSignalWhileWriting(t *testing.T) {
	t.Parallel()
	reads := manyReads(t, t.TempDir())
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	var stderr bytes.Buffer
	command := exec.Command(binary, "map", refFile, reads)
	command.Stdout, command.Stderr = w, &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Read(make([]byte, 1)); err != nil { // so the run writes
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond)
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := programs.ExitCode(t, command.Wait()); code != 143 {
		t.Errorf("exit code %d, standard error %q", code, stderr.String())
	}
}

// A reader that goes away is no success where other outputs were to appear.
func TestClosedPipeOfSeveralOutputs(t *testing.T) {
	folder := t.TempDir()
	reads := manyReads(t, folder)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	command := exec.Command(binary, "map", refFile, reads, "--stats", filepath.Join(folder, "s.json"))
	command.Stdout, command.Stderr = w, &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
	code := programs.ExitCode(t, command.Wait())
	if want := "scanmap: standard output: broken pipe\n"; code != 1 || stderr.String() != want {
		t.Errorf("exit code %d, standard error %q", code, stderr.String())
	}
	if got := names(t, folder); got != "many.fq" {
		t.Errorf("the folder holds %s", got)
	}
}

// TestClosedPipeBesideFolder has a page that nobody reads: the folder does not appear, which is not
// for exit code 0.
func TestClosedPipeBesideFolder(t *testing.T) {
	folder := recordsFolder(t)
	before := names(t, folder)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	command := exec.Command(binary, "demultiplex", "-o", "d", "-f", "bars", "--report-html", "-", "r.fq")
	command.Dir, command.Stdout, command.Stderr = folder, w, &stderr
	code := programs.ExitCode(t, command.Run())
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if want := "scanmap: standard output: broken pipe\n"; code != 1 || stderr.String() != want || names(t, folder) != before {
		t.Errorf("exit code %d, standard error %q, the folder holds %s", code, stderr.String(), names(t, folder))
	}
}

// Standard error in a log file gets the new text, and keeps the rest.
func TestStandardErrorAsOutput(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(log, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(log, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(binary, "map", "--quiet", refFile, readsFile, "--stats", "/dev/stderr")
	command.Stderr = file
	if err := command.Run(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(log); err != nil || !strings.HasPrefix(string(text), "before\n{\n") {
		t.Errorf("%v, the log is %.40q", err, text)
	}
}

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"scanmap/internal/programs"
)

// stuckCommands are calls of each command that wait for what never comes: input that nobody
// writes (-, or F/fifo), or room in a pipe to which they write.
var stuckCommands = []string{
	"--help", "--version", "map --help", "man", "completion bash", "version", "devices",
	"map REF -", "map - READS", "map REF F/fifo", "map REF READS", "map --samples - REF", "map --samples F/fifo REF",
	"map --dry-run REF F/fifo", "map --dry-run REF READS", "map -o F/out --stats F/stats --regions - --region-depth F/r REF READS",
	"search ACGT -", "search ACGT REF", "search -f - REF", "search --vcf - ACGT REF", "primers -f - REF",
	"filter ACGT -", "demultiplex -o F/split -f - READS",
	"insert-size REF - --interleaved", "insert-size REF PAIRS_1 PAIRS_2",
	"merge-stats -", "merge-stats F/fifo",
	"mappability -K 5 -", "mappability -K 5 --regions - REF", "mappability -K 5 -o F/out.bg --unique F/u F/fifo", "mappability -K 5 REF",
	"copies - F/depth.bg", "copies --controls - REF F/depth.bg", "copies -o F/out.bed REF F/fifo", "copies --window 10 --gc none --controls F/c.bed REF F/depth.bg",
	"guides -f - REF", "guides --in - REF", "guides -f F/guides REF",
	"bench map --device cpu -t 1 --bases 1000000000 --reads 100", "bench search --device cpu -t 1",
}

// TestStuckCommands stops each command while it waits: it says so, and leaves nothing.
func TestStuckCommands(t *testing.T) {
	for _, c := range newApp(process{}).Commands {
		if !slices.ContainsFunc(stuckCommands, func(s string) bool { return strings.HasPrefix(s+" ", c.Name+" ") }) {
			t.Errorf("no call of %s is stopped", c.Name)
		}
	}
	ref, reads := absolute(t, refFile), absolute(t, readsFile)
	for _, args := range stuckCommands {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			contigs := readFile(t, ref)
			name, _, _ := strings.Cut(strings.TrimPrefix(contigs, ">"), "\n")
			name, _, _ = strings.Cut(name, " ")
			for file, text := range map[string]string{"depth.bg": name + " 0 100 5\n", "c.bed": name + "\t0\t100\n", "guides": "ACGTACGTACGTACGTACGT\n"} {
				if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := syscall.Mkfifo(filepath.Join(folder, "fifo"), 0o600); err != nil {
				t.Fatal(err)
			}
			before := names(t, folder)
			var stderr bytes.Buffer
			call := strings.NewReplacer("F/", folder+"/", "REF", ref, "READS", reads,
				"PAIRS", absolute(t, "testdata/pairs"), "_1", "_1.fq", "_2", "_2.fq").Replace(args)
			command := exec.Command(binary, strings.Fields(call)...)
			command.Stderr = &stderr
			stdin, err := command.StdinPipe() // which nobody writes to
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = stdin.Close() }()
			full, out := fullPipe(t)
			defer func() { _ = full.Close() }()
			command.Stdout = out
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			_ = out.Close()
			defer time.AfterFunc(deadline, func() { _ = command.Process.Kill() }).Stop()
			time.Sleep(150 * time.Millisecond) // a moment; if it does not listen yet, that is as good
			_ = command.Process.Signal(syscall.SIGTERM)
			err = command.Wait()
			status, ok := command.ProcessState.Sys().(syscall.WaitStatus)
			if early := ok && status.Signaled() && status.Signal() == syscall.SIGTERM; !early &&
				(programs.ExitCode(t, err) != 143 || stderr.String() != "scanmap: stopped by a signal: terminated\n") {
				t.Errorf("%v, standard error %q", err, stderr.String())
			}
			if left := names(t, folder); left != before {
				t.Errorf("the folder holds %s, and before %s", left, before)
			}
		})
	}
}

// fullPipe is a pipe that has no room.
func fullPipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if err := w.SetWriteDeadline(time.Now().Add(10 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, 1<<12)); err != nil {
			return r, w
		}
	}
}

// TestWaitForLeftovers waits past its patience for work that has something to remove.
func TestWaitForLeftovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := errors.New("stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(stop)
		work := func() (int, error) {
			time.Sleep(10 * patience)
			return 1, nil
		}
		if n, err := waitFor(ctx, patience, work, func() bool { return false }); n != 1 || err != nil {
			t.Errorf("%d, %v while something was left", n, err)
		}
		if n, err := waitFor(ctx, patience, work, func() bool { return true }); n != 0 || !errors.Is(err, stop) {
			t.Errorf("%d, %v with nothing left", n, err)
		}
		time.Sleep(20 * patience)
	})
}

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"scanmap/dna"
	"scanmap/internal/effort"
	"scanmap/internal/programs"
)

// denseFile is a FASTA file of random bases.
func denseFile(t *testing.T, bases int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(12, 20))
	text := []byte(">a\n")
	for range bases {
		text = append(text, dna.Letters[r.IntN(4)])
	}
	name := filepath.Join(t.TempDir(), "ref.fa")
	if err := os.WriteFile(name, append(text, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestSearchMemory searches for a letter that is nearly everywhere. Held at a time, its ten million
// locations take 1.5 GB, and two million 300 MB.
func TestSearchMemory(t *testing.T) {
	effort.OnlyAll(t, "memory of processes is measured")
	mostMiB, bases := effort.Pick[int64](300, 200), effort.Pick(10_000_000, 2_000_000)
	command := exec.Command(binary, "search", "--threads", "2", "--device", "cpu", "--quiet", "--format", "bed", "R", denseFile(t, bases))
	var stderr bytes.Buffer
	var lines lineCounter
	command.Stdout, command.Stderr = &lines, &stderr
	peak, err := runForPeak(command)
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	if mib := peak >> 20; mib > mostMiB || int(lines) != bases {
		t.Errorf("%d MiB, and %d lines", mib, lines)
	} else {
		t.Logf("%d MiB", mib)
	}
}

// runForPeak runs a command, and returns the most bytes that it had resident.
func runForPeak(command *exec.Cmd) (bytes int64, err error) {
	if err := command.Start(); err != nil {
		return 0, err
	}
	ended, peak := make(chan struct{}), make(chan int64)
	go func() { peak <- peakOf(command.Process.Pid, ended) }()
	err = command.Wait()
	close(ended)
	return <-peak, err
}

// peakOf returns the most bytes that a process had resident until it ended, as far as Linux tells
// while it runs. The figure of wait4 would count the memory of the process that started this one,
// too.
func peakOf(pid int, ended <-chan struct{}) (most int64) {
	for {
		select {
		case <-ended:
			return most
		case <-time.After(10 * time.Millisecond):
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			continue
		}
		if _, text, ok := strings.Cut(string(status), "VmHWM:"); ok {
			if kib, err := strconv.ParseInt(strings.Fields(text)[0], 10, 64); err == nil {
				most = max(most, kib<<10)
			}
		}
	}
}

// A lineCounter counts the lines that are written to it.
type lineCounter int

func (c *lineCounter) Write(p []byte) (int, error) {
	*c += lineCounter(bytes.Count(p, []byte{'\n'}))
	return len(p), nil
}

// TestSearchStopsWhileWriting stops a search of very many locations in the middle: soon, and no
// file is left.
func TestSearchStopsWhileWriting(t *testing.T) {
	ref := denseFile(t, effort.Pick(4_000_000, 1_000_000))
	for _, format := range []string{"tsv", "sam"} {
		t.Run(format, func(t *testing.T) {
			folder := t.TempDir()
			var stderr bytes.Buffer
			command := exec.Command(binary, "search", "--device", "cpu", "-k", "1", "-o", filepath.Join(folder, "out."+format), "NNN", ref)
			command.Stderr = &stderr
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			hung := time.AfterFunc(time.Minute, func() { _ = command.Process.Kill() })
			defer hung.Stop()
			deadline := time.Now().Add(30 * time.Second)
			for size := int64(0); size == 0 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
				if all, err := filepath.Glob(filepath.Join(folder, "*.tmp")); err == nil && len(all) == 1 {
					if info, err := os.Stat(all[0]); err == nil {
						size = info.Size()
					}
				}
			}
			if err := command.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			code := programs.ExitCode(t, command.Wait())
			if want := "scanmap: stopped by a signal: terminated\n"; code != 143 || stderr.String() != want {
				t.Errorf("exit code %d, standard error %q", code, stderr.String())
			}
			if got := names(t, folder); got != "" {
				t.Errorf("the folder holds %s", got)
			}
		})
	}
}

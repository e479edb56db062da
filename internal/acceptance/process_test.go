package acceptance

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"scanmap/internal/programs"
)

// contents lists a folder.
func contents(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// repeated writes a file n times over, so that it is more than pipes, buffers and small disks hold.
func repeated(t *testing.T, file string, n int) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(t.TempDir(), "repeated.fq")
	if err := os.WriteFile(long, bytes.Repeat(text, n), 0o600); err != nil {
		t.Fatal(err)
	}
	return long
}

// endless hands text out again and again.
type endless struct {
	text []byte
	at   int
}

func (e *endless) Read(b []byte) (int, error) {
	n := copy(b, e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	return n, nil
}

// TestSignalsLeaveNothing stops runs that have written output, or spilled records while they sort.
// Their reads do not end.
func TestSignalsLeaveNothing(t *testing.T) {
	reference := data(t, "portiera.fa.gz")
	text, err := os.ReadFile(data(t, "portiera_101bp.fastq.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, stop := range []struct {
		signal syscall.Signal
		code   int
	}{{syscall.SIGINT, 130}, {syscall.SIGTERM, 143}} {
		if signal.Ignored(stop.signal) { // as by the shell of a job in the background: scanmap does, too
			continue
		}
		for _, options := range []string{"-o x.bam --sort", "-o x.sam --sort", "-o x.sam.gz --sort", "-o x.bam",
			"-o x.sam.gz", "-o x.sam"} {
			t.Run(fmt.Sprintf("%v %s", stop.signal, options), func(t *testing.T) {
				folder, temporary := t.TempDir(), t.TempDir()
				args := append([]string{"map", "--batch-reads", "500"}, strings.Fields(options)...)
				sorts := strings.Contains(options, "--sort")
				if sorts {
					args = append(args, "--sort-memory", "1", "--tmpdir", temporary)
				}
				var stderr bytes.Buffer
				command := exec.Command(scanmap, append(args, reference, "-")...)
				command.Dir, command.Stdin, command.Stderr = folder, &endless{text: text}, &stderr
				command.WaitDelay = time.Minute
				if err := command.Start(); err != nil {
					t.Fatal(err)
				}
				started := func() bool { return hasOutput(folder) }
				if sorts {
					started = func() bool { return hasOpenFile(command.Process.Pid, temporary) }
				}
				for deadline := time.Now().Add(time.Minute); !started(); time.Sleep(time.Millisecond) {
					if time.Now().After(deadline) {
						_ = command.Process.Kill()
						_ = command.Wait()
						t.Fatalf("nothing is written after a minute: %q %q", contents(t, folder), contents(t, temporary))
					}
				}
				if err := command.Process.Signal(stop.signal); err != nil {
					t.Fatal(err)
				}
				overdue := time.AfterFunc(time.Minute, func() { _ = command.Process.Kill() })
				code := programs.ExitCode(t, command.Wait())
				overdue.Stop()
				if want := "scanmap: stopped by a signal: " + stop.signal.String() + "\n"; code != stop.code ||
					stderr.String() != want {
					t.Errorf("exit code %d, standard error %q", code, stderr.String())
				}
				if left := contents(t, folder) + contents(t, temporary); left != "" {
					t.Errorf("left %s", left)
				}
			})
		}
	}
}

// hasOutput tells whether a file in a folder has got bytes.
func hasOutput(folder string) bool {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Size() > 0 {
			return true
		}
	}
	return false
}

// hasOpenFile tells whether a process has a file of a folder open with bytes in it, be its name
// removed or not.
func hasOpenFile(process int, folder string) bool {
	open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", process))
	if err != nil {
		return false
	}
	for _, fd := range open {
		target, err := os.Readlink(fd)
		if err != nil || !strings.HasPrefix(target, folder+"/") {
			continue
		}
		if info, err := os.Stat(fd); err == nil && info.Size() > 0 {
			return true
		}
	}
	return false
}

// TestClosedPipes takes 100 bytes of each format and goes, as head -c does: that ends the run
// quietly.
func TestClosedPipes(t *testing.T) {
	reference, reads := data(t, "portiera.fa.gz"), repeated(t, data(t, "portiera_101bp.fastq.gz"), 3)
	for _, options := range []string{"--format sam", "--format bam", "--format bam --compression 0",
		"--format sam.gz", "--format bam --sort", "--format sam --sort --sort-memory 1"} {
		t.Run(options, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			temporary := t.TempDir()
			var stderr bytes.Buffer
			command := exec.Command(scanmap, append(append([]string{"map"}, strings.Fields(options)...), reference, reads)...)
			command.Env = append(os.Environ(), "TMPDIR="+temporary)
			command.Stdout, command.Stderr = w, &stderr
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(r, make([]byte, 100)); err != nil {
				t.Errorf("standard output: %v", err)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			if code := programs.ExitCode(t, command.Wait()); code != 0 || stderr.Len() > 0 {
				t.Errorf("exit code %d, standard error %q", code, stderr.String())
			}
			if left := contents(t, temporary); left != "" {
				t.Errorf("left %s", left)
			}
		})
	}
}

// smallDisk runs a program where a folder is a disk of 128 KiB, and then lists the folder into a
// file. The disk is seen by that program alone, and goes with it.
const smallDisk = `full=$1 listing=$2; shift 2; mount -t tmpfs -o size=128k none "$full" || exit 99; "$@"; code=$?; ls -A "$full" >"$listing"; exit $code`

// TestFullDisk fills the folder of the output, or of the temporary files.
func TestFullDisk(t *testing.T) {
	probe := exec.Command("unshare", "-rm", "sh", "-c", smallDisk, "sh", t.TempDir(), filepath.Join(t.TempDir(), "listing"), "true")
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no small disk can be mounted here: %v %s", err, out)
	}
	reference, reads := data(t, "portiera.fa.gz"), repeated(t, data(t, "portiera_101bp.fastq.gz"), 4)
	full, other := t.TempDir(), t.TempDir()
	for _, c := range []struct {
		options, names string // the file that the message has to name
	}{
		{"-o " + full + "/x.sam", full + "/x.sam"},
		{"-o " + full + "/x.bam", full + "/x.bam"},
		{"-o " + full + "/x.sam.gz", full + "/x.sam.gz"},
		{"-o " + full + "/x.bam --compression 0", full + "/x.bam"},
		{"-o " + full + "/x.bam --sort", full + "/x.bam"},
		{"-o " + full + "/x.sam --sort", full + "/x.sam"},
		{"-o " + full + "/x.bam --sort --sort-memory 1 --tmpdir " + other, full + "/x.bam"},
		{"-o " + other + "/x.bam --sort --sort-memory 1 --tmpdir " + full, full},
		{"-o " + other + "/x.sam --sort --sort-memory 1 --tmpdir " + full, full},
		{"-o " + other + "/x.sam --unmapped " + full + "/x.fq -e 0", full + "/x.fq"},
	} {
		name := strings.NewReplacer(full, "full", other, "other").Replace(c.options)
		t.Run(name, func(t *testing.T) {
			listing := filepath.Join(t.TempDir(), "listing")
			args := append([]string{"-rm", "sh", "-c", smallDisk, "sh", full, listing, scanmap, "map", "--quiet"},
				strings.Fields(c.options)...)
			var stdout, stderr bytes.Buffer
			command := exec.Command("unshare", append(args, reference, reads)...)
			command.Stdout, command.Stderr = &stdout, &stderr
			code := programs.ExitCode(t, command.Run())
			message := stderr.String()
			if code != 1 || stdout.Len() > 0 || strings.Count(message, "\n") != 1 ||
				!strings.HasPrefix(message, "scanmap: ") || !strings.Contains(message, c.names) ||
				!strings.Contains(message, "no space left on device") {
				t.Errorf("exit code %d, standard error %q, expected one line on %s", code, message, c.names)
			}
			left, err := os.ReadFile(listing)
			if err != nil {
				t.Fatal(err)
			}
			if string(left) != "" || contents(t, other) != "" {
				t.Errorf("left %q on the full disk and %q elsewhere", left, contents(t, other))
			}
		})
	}
}

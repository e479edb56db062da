package validate

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// Tools are the programs that take part, by their paths.
type Tools struct {
	Scanmap, Samtools string
	Picard            string // PicardCommandLine; empty to do without
}

// shownOutput is how much of a program's messages an error quotes.
const shownOutput = 400

// output runs a program that has to succeed without a word on standard error, and returns its
// standard output.
func output(ctx context.Context, name string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, name, args...)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil || stderr.Len() > 0 {
		return "", failure(args, err, stderr.String())
	}
	return stdout.String(), nil
}

// failure describes a call that failed, or that said what it should not have.
func failure(args []string, err error, messages string) error {
	words := strings.Join(args, " ")
	if err == nil {
		err = errors.New("it has messages")
	}
	return fmt.Errorf("%s: %w: %.*q", words, err, shownOutput, messages)
}

// shell runs a line of shell with the arguments $1, $2, ..., and returns both outputs. Every part
// of a pipe has to succeed.
func shell(ctx context.Context, line string, args ...string) (stdout, stderr string, err error) {
	command := exec.CommandContext(ctx, "bash", append([]string{"-c", "set -euo pipefail; " + line, "bash"}, args...)...)
	var out, messages bytes.Buffer
	command.Stdout, command.Stderr = &out, &messages
	err = command.Run()
	return out.String(), messages.String(), err
}

// stream is text that is read once: the output of a program.
type stream struct {
	*bufio.Reader
	args    []string
	command *exec.Cmd
	stderr  bytes.Buffer
	pipe    io.ReadCloser
}

// open starts a program, whose standard output is read.
func open(ctx context.Context, name string, args ...string) (*stream, error) {
	s := &stream{args: args, command: exec.CommandContext(ctx, name, args...)}
	s.command.Stderr = &s.stderr
	var err error
	if s.pipe, err = s.command.StdoutPipe(); err != nil {
		return nil, err
	}
	s.Reader = bufio.NewReaderSize(s.pipe, 1<<16)
	return s, s.command.Start()
}

// finish reads the rest, and waits for the end.
func (s *stream) finish() error {
	if _, err := io.Copy(io.Discard, s.Reader); err != nil {
		return err
	}
	if err := s.command.Wait(); err != nil || s.stderr.Len() > 0 {
		return failure(s.args, err, s.stderr.String())
	}
	return nil
}

// line returns the next line without its line feed, or ok false at the end.
func (s *stream) line() (line string, ok bool, err error) {
	line, err = s.ReadString('\n')
	if errors.Is(err, io.EOF) {
		return line, line != "", nil
	}
	return strings.TrimSuffix(line, "\n"), err == nil, err
}

// lockstep walks the lines of two programs' outputs side by side.
func lockstep(a, b *stream, each func(x, y string)) (lines int, err error) {
	for {
		x, okX, errX := a.line()
		y, okY, errY := b.line()
		if err := errors.Join(errX, errY); err != nil {
			return lines, err
		}
		if okX || okY {
			each(x, y)
			lines++
			continue
		}
		return lines, errors.Join(a.finish(), b.finish())
	}
}

// sameLines adds a fault for each line that differs between what two programs print.
func sameLines(ctx context.Context, faults *Faults, kind string, first, second []string) error {
	a, err := open(ctx, first[0], first[1:]...)
	if err != nil {
		return err
	}
	b, err := open(ctx, second[0], second[1:]...)
	if err != nil {
		return err
	}
	n := 0
	_, err = lockstep(a, b, func(x, y string) {
		n++
		if x != y {
			faults.add(kind, "line %d: %.120q and %.120q", n, x, y)
		}
	})
	return err
}

// writeLines writes lines to a file.
func writeLines(name string, each func(write func(string))) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	each(func(line string) {
		_, _ = w.WriteString(line)
		_ = w.WriteByte('\n') // a failure stays, and Flush returns it
	})
	return errors.Join(w.Flush(), f.Close())
}

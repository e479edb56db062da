package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// kill ends the first process that maps a part, once it is seen: by SIGKILL, or on a cluster by
// cancelling its job. The function that it returns waits until the process is ended or there was
// none.
func (t *trial) kill(ctx context.Context, place *cluster) (wait func() error) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() {
		for ctx.Err() == nil {
			if pid := t.mapping(); pid != 0 {
				done <- end(ctx, pid, place)
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		done <- errors.New("no process that maps a part was seen")
	}()
	return func() error { cancel(); return <-done }
}

// mapping is a process of our program that maps a part, or 0.
func (t *trial) mapping() int {
	programs, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		return 0
	}
	for _, link := range programs {
		if program, err := os.Readlink(link); err != nil || program != t.scanmap {
			continue
		}
		folder := filepath.Dir(link)
		line, err := os.ReadFile(filepath.Join(folder, "cmdline"))
		if err != nil || !strings.Contains(string(line), "\x00--skip\x00") {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(folder)); err == nil {
			return pid
		}
	}
	return 0
}

// end kills a process, or cancels the job that it belongs to.
func end(ctx context.Context, pid int, place *cluster) error {
	if place == nil {
		return syscall.Kill(pid, syscall.SIGKILL)
	}
	environment, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return err
	}
	for variable := range strings.SplitSeq(string(environment), "\x00") {
		if job, ok := strings.CutPrefix(variable, "SLURM_JOB_ID="); ok {
			cmd := exec.CommandContext(ctx, "scancel", job)
			cmd.Env = append(os.Environ(), place.env...)
			return cmd.Run()
		}
	}
	return errors.New("the process is not of a job")
}

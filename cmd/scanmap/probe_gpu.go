package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"scanmap/gpu"
)

// A driver of a card that has failed may never return from its first call, in a state in which not
// even a signal ends the process. Where nobody has asked for a GPU, a process of its own, the
// probe, therefore makes that call first. The run waits for the probe within a limit.

// probeVariable is the environment's variable that makes a process a probe.
const probeVariable = "SCANMAP_PROBE"

// probeLimit is how long the driver may take to say which GPUs there are. It takes some tenths of a
// second or, where it has to wake many cards, several seconds.
const probeLimit = 30 * time.Second

func isProbe() bool { return os.Getenv(probeVariable) != "" }

// probe makes the first calls of the driver, and returns the exit code. The driver's answer does
// not matter: the next process that asks gets the same.
func probe() int {
	if driver, err := gpu.LoadDriver(); err == nil {
		_, _ = driver.Devices()
	}
	return 0
}

// driverAnswers returns an error if the driver of this machine does not say which GPUs there are,
// or that there are none.
func driverAnswers() error {
	program, err := os.Executable()
	if err != nil {
		return nil // it is asked without a probe
	}
	return askProbe(exec.Command(program), probeLimit)
}

// askProbe runs a probe.
func askProbe(command *exec.Cmd, limit time.Duration) error {
	command.Env = append(command.Environ(), probeVariable+"=1")
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := command.Start(); err != nil {
		return fmt.Errorf("a process to ask the CUDA driver cannot be started: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("the CUDA driver ended the process that asked it for GPUs: %w", err)
		}
		return nil
	case <-ctx.Done():
		_ = command.Process.Kill() // which a driver may keep from ending; so it is not waited for
		return fmt.Errorf("the CUDA driver does not answer within %v", limit)
	}
}

package main

import (
	"os"
	"runtime"
	"runtime/pprof"
)

// profiles are the files of --cpuprofile and --memprofile, empty for none.
type profiles struct{ cpu, memory string }

// start begins the CPU profile. The function that it returns ends it and writes the
// profile of memory.
func (p profiles) start() (stop func() error, err error) {
	var cpu *os.File
	if p.cpu != "" {
		if cpu, err = os.Create(p.cpu); err != nil {
			return nil, err
		}
		if err := pprof.StartCPUProfile(cpu); err != nil {
			return nil, firstError(err, cpu.Close())
		}
	}
	return func() error {
		if cpu != nil {
			pprof.StopCPUProfile()
			if err := cpu.Close(); err != nil {
				return err
			}
		}
		return p.writeMemory()
	}, nil
}

func (p profiles) writeMemory() error {
	if p.memory == "" {
		return nil
	}
	f, err := os.Create(p.memory)
	if err != nil {
		return err
	}
	runtime.GC() // so that the profile shows memory in use, and no garbage
	return firstError(pprof.WriteHeapProfile(f), f.Close())
}

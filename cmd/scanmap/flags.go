package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"scanmap/gpu/device"
	"scanmap/mapper"
	"scanmap/sam"
	"scanmap/search"
)

// The categories of options, in the order of help.
const (
	categoryMapping = "Mapping"
	categoryPairs   = "Pairs"
	categoryOutput  = "Output"
	categorySorting = "Sorting"
	categoryReports = "Reports"
	categoryRun     = "Running"
)

// categorySearch is the first category of scanmap search.
const categorySearch = "Matching"

// maxThreads is more than machines have, and less than most slips of the keyboard.
const maxThreads = 4096

// threadsFlag is --threads, by default all processors.
func threadsFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "threads", Aliases: []string{"t"}, Value: strconv.Itoa(defaultThreads(os.Getenv)), Category: categoryRun,
		DefaultText: "all processors that the system, container or batch job has for it", Usage: usage}
}

// quietFlag is --quiet.
func quietFlag(usage string) cli.Flag {
	return &cli.BoolFlag{Name: "quiet", Category: categoryRun, DisableDefaultText: true, Usage: usage}
}

// progressFlag is --progress.
func progressFlag() cli.Flag {
	return &cli.BoolFlag{Name: "progress", Category: categoryRun, DisableDefaultText: true,
		Usage: "show progress even if standard error is not a terminal"}
}

// schedulers are the variables by which batch systems say how many processors a job has on this
// machine: Slurm, Grid Engine, LSF, PBS.
var schedulers = []string{"SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE", "NSLOTS", "LSB_DJOB_NUMPROC", "PBS_NUM_PPN", "NCPUS"}

// defaultThreads is the number of processors that the process may use: what the system and its
// control group allow, as the runtime knows, or less if a batch system that does not enforce its
// limit says so. The first of several variables counts.
func defaultThreads(variable func(string) string) int {
	n := runtime.GOMAXPROCS(0)
	for _, name := range schedulers {
		if jobs, err := strconv.Atoi(variable(name)); err == nil && jobs > 0 {
			return min(n, jobs)
		}
	}
	return n
}

// mismatchesFlag is the option of map and of its like that replaces --max-distance.
func mismatchesFlag() cli.Flag {
	return &cli.StringFlag{Name: "max-mismatches", Category: categoryMapping,
		Usage: "allow at most `N` substitutions, or a percentage as in 4%, and nothing else; in place of --max-distance"}
}

// readDistance reads --max-distance, or --max-mismatches in its place.
func readDistance(c *cli.Context) (d mapper.Distance, metric mapper.Metric, err error) {
	name, substitutions, err := distanceOption(c)
	if err != nil {
		return d, metric, err
	}
	if substitutions {
		metric = mapper.Substitutions
	}
	if d, err = mapper.ParseDistance(c.String(name)); err != nil {
		return d, metric, fmt.Errorf("option --%s: %w", name, err)
	}
	return d, metric, nil
}

// distanceOption is the name of the option that says how many differences there may be, and whether
// these are substitutions alone.
func distanceOption(c *cli.Context) (name string, substitutions bool, err error) {
	if !c.IsSet("max-mismatches") {
		return "max-distance", false, nil
	}
	if c.IsSet("max-distance") {
		return "", false, errors.New("option --max-mismatches replaces --max-distance")
	}
	return "max-mismatches", true, nil
}

// distanceLetters are the short forms of --max-distance, the same in every command that has it.
var distanceLetters = []string{"e", "k"}

// engineFlag is --engine.
func engineFlag() cli.Flag {
	return choice(&cli.StringFlag{Name: "engine", Value: string(mapper.EngineAuto), Category: categoryMapping,
		Usage: "`NAME` of the search: " + explained(mapper.Engines) + "; all find the same"}, namesOf(mapper.Engines))
}

// alphabetFlag is --alphabet.
func alphabetFlag(category, usage string) cli.Flag {
	return choice(&cli.StringFlag{Name: "alphabet", Value: string(search.DNA), Category: category,
		Usage: usage + ": " + either(search.Alphabets)}, search.Alphabets)
}

// deviceFlag is --device. forms are the forms of device.Forms that the command takes.
func deviceFlag(value, usage string, forms []string) cli.Flag {
	return choice(&cli.StringFlag{Name: "device", Value: value, Category: categoryRun, Usage: usage}, forms)
}

// gpuMemoryFlag is --gpu-memory.
func gpuMemoryFlag() cli.Flag {
	return &cli.StringFlag{Name: "gpu-memory", Category: categoryRun, DefaultText: "what is free",
		Usage: "take at most `SIZE` bytes of the memory of each GPU, such as 20G, and leave the rest to others; changes speed only"}
}

func gpuSyncFlag() cli.Flag {
	return &cli.BoolFlag{Name: "gpu-sync", Category: categoryRun, DisableDefaultText: true,
		Usage: "wait for the end of every kernel and show their times; slower"}
}

// deviceChoice reads --device and, where a command has it, --gpu-sync.
func deviceChoice(c *cli.Context) (device.Choice, error) {
	choice, err := device.Parse(c.String("device"))
	if err != nil {
		return device.Choice{}, fmt.Errorf("option --device: %w", err)
	}
	if c.IsSet("gpu-memory") {
		if choice.Memory, err = byteSize(c.String("gpu-memory")); err != nil {
			return device.Choice{}, fmt.Errorf("option --gpu-memory: %w", err)
		}
	}
	choice.Sync, choice.Driver = c.Bool("gpu-sync"), driver
	if driver == nil {
		choice.Answers = driverAnswers
	}
	return choice, nil
}

// outputName reads --output: - where it is not given.
func outputName(c *cli.Context) (string, error) {
	name := c.String("output")
	if name == "" && c.IsSet("output") {
		return "", errors.New("option --output: the name is empty")
	}
	return cmp.Or(name, "-"), nil
}

// wholeNumber is an option that is a whole number, and where it goes.
type wholeNumber struct {
	name        string
	to          *int
	least, most int
}

// has tells whether the command has an option.
func has(c *cli.Context, option string) bool {
	return slices.ContainsFunc(c.Command.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), option) })
}

// only picks options by their names.
func only(flags []cli.Flag, names ...string) []cli.Flag {
	return slices.DeleteFunc(flags, func(f cli.Flag) bool { return !slices.Contains(names, f.Names()[0]) })
}

// wholeNumbers parses the numbers of a command itself: to urfave/cli 010 is 8. Numbers that the
// command lacks are passed over.
func wholeNumbers(c *cli.Context, numbers ...wholeNumber) error {
	for _, n := range numbers {
		if !has(c, n.name) {
			continue
		}
		v, err := strconv.Atoi(c.String(n.name))
		if err != nil || v < n.least || v > n.most {
			return fmt.Errorf("option --%s: %q is not a whole number from %d to %d", n.name, c.String(n.name), n.least, n.most)
		}
		*n.to = v
	}
	return nil
}

// driver stands in for the machine's CUDA driver in tests.
var driver *device.Driver

// byteSize reads a number of bytes such as 4096, 768M or 2G, at most sam.MostSortMemory. K, M, G
// and T are powers of 1024.
func byteSize(s string) (int64, error) {
	number, shift := s, 0
	if n := len(s); n > 0 {
		if i := strings.IndexByte("KMGT", s[n-1]&^0x20); i >= 0 {
			number, shift = s[:n-1], 10*(i+1)
		}
	}
	v, err := strconv.ParseInt(number, 10, 64)
	if err != nil || v < 1 || v > sam.MostSortMemory>>shift {
		return 0, fmt.Errorf("%q is not a number of bytes such as 768M or 2G, at most 16T", s)
	}
	return v << shift, nil
}

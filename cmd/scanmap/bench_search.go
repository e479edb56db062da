package main

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"scanmap/gpu/device"
	"scanmap/internal/measure"
	"scanmap/search"
)

func benchSearchCommand(p process) *cli.Command {
	return &cli.Command{
		Name:      "search",
		Usage:     "measure the methods of pattern search side by side",
		UsageText: "scanmap bench search [options]",
		Description: "Every scheme that takes such patterns searches a random text for patterns that occur in it.\n" +
			"Letters/s count the text once for each pattern. On a GPU a run is the kernels of a scheme with its text\n" +
			"in place, and the share is the part of what the same GPU does at best with memory of the same size.\n" +
			"Tbps are Tbit/s with 8 bits a letter, as papers give them.",
		HideHelpCommand: true,
		Flags: append(benchFlags(benchDeviceFlag(), 3),
			choice(&cli.StringFlag{Name: "method", Value: search.All, Category: categoryMethod,
				Usage: "`NAME` of the method, or all"}, methodNames(search.All)),
			choice(&cli.StringFlag{Name: "scheme", Value: search.All, Category: categoryMethod,
				Usage: "`NAME` of the scheme, or all"}, schemeNames(search.All)),
			&cli.StringFlag{Name: "max-distance", Aliases: distanceLetters, Value: "0", Category: categoryMethod,
				Usage: "most edits of an occurrence: `LIST` of numbers such as 0,1,2"},
			&cli.BoolFlag{Name: "substitutions", Category: categoryMethod, Usage: "allow substitutions alone, no gaps"},
			alphabetFlag(categoryInput, "make a text of `WHAT`"),
			&cli.StringFlag{Name: "alphabet-size", Value: "64", Category: categoryInput,
				Usage: "make text of bytes of `N` values"},
			&cli.StringFlag{Name: "letters", Category: categoryInput, DefaultText: "256M on a GPU, 16M on the CPU",
				Usage: "make a text of `N` letters, such as 65536, 64K or 2G"},
			&cli.StringFlag{Name: "pattern-length", Value: "32", Category: categoryInput,
				Usage: "letters of a pattern: `LIST` of numbers such as 4,8,16"},
			&cli.StringFlag{Name: "pattern-count", Value: "1", Category: categoryInput, Usage: "seek `N` patterns in a run"},
			&cli.StringFlag{Name: "threads", Aliases: []string{"t"}, Value: "1", Category: categoryRun,
				Usage: "search with `N` threads on the CPU"}),
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usagef("scanmap bench search takes no files, but %q is given", c.Args().First())
			}
			j, err := newBenchJob(c, p.args)
			if err != nil {
				return err
			}
			o, err := benchSearchOptions(c, j)
			if err != nil {
				return usageError{err}
			}
			runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), o.Threads))
			return j.do(c.Context, p.stdout, func() (*measure.Result, error) { return search.Bench(c.Context, *o) })
		},
	}
}

// categoryMethod is a category of options, for help.
const categoryMethod = "Method"

// The letters of the text by default: enough that a run takes longer than starting it.
const (
	benchLettersCPU = 1 << 24
	benchLettersGPU = 1 << 28
)

// maxBenchPatterns is more than a measurement needs.
const maxBenchPatterns = 1 << 16

// benchSearchOptions makes options from flags.
func benchSearchOptions(c *cli.Context, j *benchJob) (*search.BenchOptions, error) {
	o := &search.BenchOptions{
		Method: c.String("method"), Scheme: c.String("scheme"), Device: j.device,
		Substitutions: c.Bool("substitutions"), Repetitions: j.repeats,
	}
	if o.Device.Kind != device.CPU {
		if err := oneGPU(o.Device); err != nil {
			return nil, fmt.Errorf("option --device: %w; or cpu", err)
		}
	}
	if _, err := search.FindSchemes(o.Method, search.All); err != nil {
		return nil, fmt.Errorf("option --method: %w", err)
	}
	if _, err := search.FindSchemes(o.Method, o.Scheme); err != nil {
		return nil, fmt.Errorf("option --scheme: %w", err)
	}
	err := wholeNumbers(c,
		wholeNumber{"alphabet-size", &o.AlphabetSize, 1, 256},
		wholeNumber{"pattern-count", &o.Patterns, 1, maxBenchPatterns},
		wholeNumber{"threads", &o.Threads, 1, maxThreads})
	if err != nil {
		return nil, err
	}
	if o.PatternLengths, err = wholeNumberList(c, "pattern-length", 1, search.MaxLength); err != nil {
		return nil, err
	}
	if o.Distances, err = wholeNumberList(c, "max-distance", 0, search.MaxDistance); err != nil {
		return nil, err
	}
	return o, benchSearchText(c, o)
}

// benchSearchText sets the text.
func benchSearchText(c *cli.Context, o *search.BenchOptions) (err error) {
	if o.Alphabet, err = search.ParseAlphabet(c.String("alphabet")); err != nil {
		return fmt.Errorf("option --alphabet: %w", err)
	}
	if o.Alphabet != search.Bytes && c.IsSet("alphabet-size") {
		return fmt.Errorf("option --alphabet-size is for --alphabet bytes")
	}
	o.Letters = benchLettersGPU
	if o.Device.Kind == device.CPU {
		o.Letters = benchLettersCPU
	}
	if !c.IsSet("letters") {
		return nil
	}
	n, err := parseSize(c.String("letters"))
	if err != nil {
		return fmt.Errorf("option --letters: %w", err)
	}
	if n < search.MinBenchLetters || n > search.MaxBenchLetters {
		return fmt.Errorf("option --letters: %s is not from %d to %d", c.String("letters"), search.MinBenchLetters,
			int64(search.MaxBenchLetters))
	}
	o.Letters = int(n)
	return nil
}

// wholeNumberList reads an option that is whole numbers with commas between them.
func wholeNumberList(c *cli.Context, name string, least, most int) ([]int, error) {
	var list []int
	for text := range strings.SplitSeq(c.String(name), ",") {
		v, err := strconv.Atoi(text)
		if err != nil || v < least || v > most {
			return nil, fmt.Errorf("option --%s: %q is not a whole number from %d to %d", name, text, least, most)
		}
		list = append(list, v)
	}
	return list, nil
}

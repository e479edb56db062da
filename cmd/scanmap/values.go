package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"scanmap/mapper"
	"scanmap/mapper/bench"
	"scanmap/search"
)

// valuesOf are the values that completion and messages offer for an option of a command, nil where there is no list to
// choose from. The program may accept more: of those with a number, such as cuda:0, one stands for all.
func valuesOf(command, option string) []string {
	switch option {
	case "report":
		return []string{string(mapper.ReportAll), string(mapper.ReportBest), string(mapper.ReportOne), string(mapper.ReportUnique), string(mapper.ReportStrata) + ":1"}
	case "engine":
		return []string{string(mapper.EngineAuto), string(mapper.EngineSkim), string(mapper.EngineScan)}
	case "device":
		return deviceValues(command)
	case "cigar":
		return []string{"m", "eqx"}
	case "orientation":
		return []string{"fr", "rf", "ff"}
	case "compression":
		return strings.Split("0123456789", "")
	case "format":
		if command == "map" {
			return []string{"sam", "sam.gz", "bam"}
		}
		return []string{string(search.TSV), string(search.BED), string(search.SAM)}
	case "alphabet":
		return []string{string(search.DNA), string(search.Bytes)}
	case "method", "scheme":
		return searchValues(command, option)
	case "repeats-model":
		return []string{string(bench.RepeatsNone), string(bench.RepeatsPlanted), string(bench.RepeatsAlu)}
	}
	return nil
}

func deviceValues(command string) []string {
	switch command {
	case "map", "search":
		return []string{"auto", "cpu", "cuda", "cuda:0"}
	case "bench device":
		return []string{"cuda:0"}
	}
	return []string{"cpu", "cuda:0"}
}

// searchValues are the methods or, of all methods, the schemes; the first stands for a choice of the program.
func searchValues(command, option string) []string {
	values := []string{search.Auto}
	if command == "bench search" {
		values[0] = search.All
	}
	for _, m := range search.Methods() {
		if option == "method" {
			values = append(values, m.Name)
			continue
		}
		for _, s := range m.Schemes {
			if !slices.Contains(values, s.Name) {
				values = append(values, s.Name)
			}
		}
	}
	return values
}

// otherWords are words that users of other programs write for a value.
var otherWords = map[string]string{"gpu": "cuda"}

// suggestValue adds to a usage error about the value of an option the one that was probably meant. args are normalized.
func suggestValue(err error, args []string) error {
	if !errors.As(err, new(usageError)) {
		return err
	}
	options := args[1:]
	if i := slices.Index(options, "--"); i >= 0 {
		options = options[:i]
	}
	called := slices.IndexFunc(options, isOption)
	if called < 0 {
		return err
	}
	command := strings.Join(options[:called], " ")
	for _, o := range options[called:] {
		name, value, _ := strings.Cut(strings.TrimPrefix(o, "--"), "=")
		values := valuesOf(command, name)
		message := err.Error()
		if slices.Contains(values, value) || !strings.Contains(message, "--"+name) || !strings.Contains(message, strconv.Quote(value)) {
			continue
		}
		if _, number := strconv.Atoi(value); number == nil {
			return err // a number is no slip of the keyboard
		}
		meant := nearest(strings.ToLower(value), values)
		if other := otherWords[strings.ToLower(value)]; slices.Contains(values, other) {
			meant = other
		}
		return usageError{fmt.Errorf("%w%s", err, didYouMean(meant))}
	}
	return err
}

// What the names of files end with, to which compressions may be added.
var (
	sequenceSuffixes   = []string{".fa", ".fasta", ".fna", ".ffn", ".fas", ".fq", ".fastq"}
	compressedSuffixes = []string{".gz", ".bgz", ".bz2", ".zst"}
)

// kind is what completion offers for a value or an argument.
type kind int

const (
	kindNone      kind = iota
	kindWords          // words of a list
	kindFile           // any file
	kindSequences      // files of sequences first, and any file where there are none
	kindFolder
)

// kindOf says what completion offers for the value of an option, with the words if it is a list.
func kindOf(c command, o option) (kind, []string) {
	if values := valuesOf(c.name, o.name()); len(values) > 0 {
		return kindWords, values
	}
	switch o.placeholder {
	case "FILE":
		if o.name() == "patterns" {
			return kindSequences, nil
		}
		return kindFile, nil
	case "DIR", "DIRECTORY", "FOLDER":
		return kindFolder, nil
	}
	return kindNone, nil
}

// argumentsOf says what completion offers for what is no option.
func argumentsOf(c command) (kind, []string) {
	switch c.name {
	case "map", "search", "bench map":
		return kindSequences, nil
	case "completion":
		return kindWords, shells
	}
	var words []string
	for _, s := range c.subcommands {
		words = append(words, s.lastName())
	}
	if c.name == "" {
		words = append(words, "help")
	}
	if len(words) > 0 {
		return kindWords, words
	}
	return kindNone, nil
}

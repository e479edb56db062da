package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math"
	"runtime"
	"strconv"
	"strings"

	"scanmap/internal/genome"
)

// reference is the command "simulate reference".
func reference(arguments []string) error {
	flags := flag.NewFlagSet("simulate reference", flag.ExitOnError)
	o := genome.Options{}
	size := flags.String("bases", "100M", "number of bases; k, M and G stand for 10^3, 10^6 and 10^9")
	flags.IntVar(&o.Contigs, "contigs", 24, "number of contigs, as long next to each other as human's chromosomes")
	flags.Uint64Var(&o.Seed, "seed", 1, "another seed gives another reference")
	profile := flags.String("profile", string(genome.Human), "what it is like: human or random")
	flags.Func("shares", "shares of the bases instead of the profile's, as in Alu=0.2,gap=1%; of "+strings.Join(genome.Groups(), ", "), func(s string) (err error) {
		o.Shares, err = parseShares(s)
		return err
	})
	flags.Func("element", "one more family, as in 300:10%:10-15%: bases, share of the bases, divergence of the copies", func(s string) (err error) {
		o.Element, err = parseElement(s)
		return err
	})
	bed := flags.String("bed", "", "BED file of what lies where")
	threads := flags.Int("threads", runtime.NumCPU(), "threads; they do not change the output")
	output := flags.String("o", "-", "FASTA file")
	if err := parse(flags, arguments); err != nil {
		return err
	}
	var err error
	if o.Bases, err = parseSize(*size); err != nil {
		return err
	}
	o.Profile = genome.Profile(*profile)
	g, err := genome.New(o)
	if err != nil {
		return err
	}
	return writeFile(*output, func(fasta *bufio.Writer) error {
		if *bed == "" {
			return g.Write(fasta, nil, *threads)
		}
		return writeFile(*bed, func(lines *bufio.Writer) error {
			return g.Write(fasta, io.Writer(lines), *threads)
		})
	})
}

// parseSize reads a number of bases, such as 3.1G.
func parseSize(s string) (int64, error) {
	number, unit := s, 1.0
	for suffix, factor := range map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9} {
		if before, ok := strings.CutSuffix(s, suffix); ok {
			number, unit = before, factor
		}
	}
	x, err := strconv.ParseFloat(number, 64)
	if err != nil || !(x > 0 && x*unit < 1e15) {
		return 0, fmt.Errorf("%q is no number of bases", s)
	}
	return int64(math.Round(x * unit)), nil
}

// parseShare reads 0.1 or 10%.
func parseShare(s string) (float64, error) {
	number, percent := strings.CutSuffix(s, "%")
	x, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is no share", s)
	}
	if percent {
		x /= 100
	}
	return x, nil
}

// parseShares reads group=share, separated by commas.
func parseShares(s string) (map[string]float64, error) {
	shares := map[string]float64{}
	for field := range strings.SplitSeq(s, ",") {
		name, value, ok := strings.Cut(field, "=")
		if !ok {
			return nil, fmt.Errorf("%q: expected group=share", field)
		}
		if _, twice := shares[name]; twice {
			return nil, fmt.Errorf("%q is given twice", name)
		}
		var err error
		if shares[name], err = parseShare(value); err != nil {
			return nil, err
		}
	}
	return shares, nil
}

// parseElement reads bases:share:divergence, where the divergence is one number or two with a
// hyphen.
func parseElement(s string) (genome.Element, error) {
	var e genome.Element
	fields := strings.Split(s, ":")
	if len(fields) != 3 {
		return e, fmt.Errorf("%q: expected bases:share:divergence", s)
	}
	var err error
	if e.Length, err = strconv.Atoi(fields[0]); err != nil || e.Length == 0 {
		return e, fmt.Errorf("%q is no number of bases", fields[0])
	}
	if e.Share, err = parseShare(fields[1]); err != nil {
		return e, err
	}
	least, most, two := strings.Cut(fields[2], "-")
	if !two {
		most = least
	} else if strings.HasSuffix(most, "%") && !strings.HasSuffix(least, "%") {
		least += "%" // 10-15%
	}
	if e.Least, err = parseShare(least); err != nil {
		return e, err
	}
	e.Most, err = parseShare(most)
	return e, err
}

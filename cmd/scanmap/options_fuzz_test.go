package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"scanmap/mapper"
)

// optionsOf reads the arguments of scanmap map, and does nothing with them.
func optionsOf(args ...string) (*mapJob, error) {
	var j *mapJob
	all := append([]string{"scanmap", "map"}, args...)
	app := newApp(process{args: all, stdout: &sink{w: &bytes.Buffer{}}, stderr: &bytes.Buffer{}})
	app.Command("map").Action = func(c *cli.Context) (err error) {
		j, err = newMapJob(c, all)
		return err
	}
	normal, err := normalize(app, all)
	if err == nil {
		err = app.RunContext(context.Background(), normal)
	}
	return j, err
}

var (
	wholePattern   = regexp.MustCompile(`^[+-]?[0-9]+$`)
	naturalPattern = regexp.MustCompile(`^[0-9]+$`)
	stepPattern    = regexp.MustCompile(`^([^:]*):([^:]*)$`)
	percentPattern = regexp.MustCompile(`^(.+)%$`)
	sizePattern    = regexp.MustCompile(`^(\+?[0-9]+)([kKmMgGtT]?)$`)
	reportPattern  = regexp.MustCompile(`^(all|best|one|unique|strata:([+-]?[0-9]+))$`)
	devicePattern  = regexp.MustCompile(`^(auto|cpu|cuda|cuda:([0-9]+(,[0-9]+)*))$`)
)

// between returns a number in decimal, if it is one of a pattern and in bounds.
func between(s string, pattern *regexp.Regexp, least, most uint64) (*big.Int, bool) {
	n := new(big.Int)
	if !pattern.MatchString(s) {
		return n, false
	}
	if _, ok := n.SetString(s, 10); !ok {
		return n, false
	}
	return n, n.Cmp(new(big.Int).SetUint64(least)) >= 0 && n.Cmp(new(big.Int).SetUint64(most)) <= 0
}

// distanceText is the expected reading of a distance, in the form of mapper.Distance.
func distanceText(s string) (string, bool) {
	if m := percentPattern.FindStringSubmatch(s); m != nil {
		v, err := strconv.ParseFloat(m[1], 64)
		return fmt.Sprint(mapper.Distance{Percent: v, Percentage: true}), err == nil && v >= 0 && v <= 100
	}
	if strings.Contains(s, ":") {
		return stepsText(s)
	}
	n, ok := between(s, wholePattern, 0, 1<<14)
	return n.String(), ok
}

// stepsText is distanceText of numbers by length.
func stepsText(s string) (string, bool) {
	var steps []mapper.DistanceStep
	length, edits := int64(-1), int64(0)
	for step := range strings.SplitSeq(s, ",") {
		m := stepPattern.FindStringSubmatch(step)
		if m == nil {
			return "", false
		}
		from, rises := between(m[1], wholePattern, uint64(length+1), math.MaxInt64-1)
		most, holds := between(m[2], wholePattern, uint64(edits), 1<<14)
		if !rises || !holds {
			return "", false
		}
		length, edits = from.Int64(), most.Int64()
		steps = append(steps, mapper.DistanceStep{Length: int(length), Edits: int(edits)})
	}
	return fmt.Sprint(mapper.Distance{Steps: steps}), true
}

// fuzzedOptions are options of scanmap map with a value: the other arguments that they need, the
// value as it was read, and by another program whether a text is a value, and its meaning.
var fuzzedOptions = []struct {
	name  string
	more  []string
	read  func(j *mapJob) any
	means func(s string) (string, bool)
}{
	{"max-distance", nil, func(j *mapJob) any { return j.options.Distance }, distanceText},
	{"rescue-distance", []string{"mates.fq"}, func(j *mapJob) any { return j.options.Pairs.Rescue }, distanceText},
	{"threads", nil, func(j *mapJob) any { return j.options.Threads }, wholeBetween(1, maxThreads)},
	{"max-locations", nil, func(j *mapJob) any { return j.options.MaxLocations }, wholeBetween(0, math.MaxInt32)},
	{"crop", nil, func(j *mapJob) any { return j.options.Crop }, wholeBetween(0, math.MaxInt32)},
	{"max-read-length", nil, func(j *mapJob) any { return j.options.MaxReadLength }, wholeBetween(1, math.MaxInt32)},
	{"batch-reads", nil, func(j *mapJob) any { return j.options.BatchReads }, wholeBetween(0, math.MaxInt32)},
	{"min-insert", []string{"mates.fq"}, func(j *mapJob) any { return j.options.Pairs.MinInsert }, wholeBetween(0, math.MaxInt32)},
	{"max-insert", []string{"mates.fq"}, func(j *mapJob) any { return j.options.Pairs.MaxInsert }, wholeBetween(1, math.MaxInt32)},
	{
		"max-insert",
		[]string{"mates.fq", "--min-insert=300"},
		func(j *mapJob) any { return j.options.Pairs.MaxInsert },
		wholeBetween(300, math.MaxInt32),
	},
	{"seed", nil, func(j *mapJob) any { return j.options.Seed }, func(s string) (string, bool) {
		n, ok := between(s, naturalPattern, 0, math.MaxUint64)
		return n.String(), ok
	}},
	{"compression", []string{"--format=bam"}, func(j *mapJob) any { return j.form.Compression }, wholeBetween(0, 9)},
	{"sort-memory", []string{"--sort"}, func(j *mapJob) any { return j.form.SortMemory }, func(s string) (string, bool) {
		m := sizePattern.FindStringSubmatch(s)
		if m == nil {
			return "", false
		}
		n, _ := between(m[1], wholePattern, 0, 0)
		n.Lsh(n, uint(10*(strings.Index(" KMGT", strings.ToUpper(m[2] + " ")[:1]))))
		return n.String(), n.Sign() > 0 && n.BitLen() <= 45 && n.Cmp(big.NewInt(1<<44)) <= 0
	}},
	{"report", nil, func(j *mapJob) any {
		if j.options.Report.Mode == mapper.ReportStrata {
			return fmt.Sprintf("strata:%d", j.options.Report.Strata)
		}
		return j.options.Report.Mode
	}, func(s string) (string, bool) {
		m := reportPattern.FindStringSubmatch(s)
		if m == nil || m[2] == "" {
			return s, m != nil
		}
		n, ok := between(m[2], wholePattern, 0, 1<<14)
		return "strata:" + n.String(), ok
	}},
	{"device", nil, func(j *mapJob) any { return fmt.Sprint(j.options.Device.Kind, j.options.Device.Indices) }, func(s string) (string, bool) {
		m := devicePattern.FindStringSubmatch(s)
		if m == nil {
			return "", false
		}
		kind, numbers, _ := strings.Cut(s, ":")
		var indices []string
		if numbers != "" {
			for _, number := range strings.Split(numbers, ",") {
				n, ok := between(number, naturalPattern, 0, 1<<16-1)
				if !ok || slices.Contains(indices, n.String()) {
					return "", false
				}
				indices = append(indices, n.String())
			}
		}
		return kind + fmt.Sprint(indices), true
	}},
	{"sample", []string{"--rg=x"}, func(j *mapJob) any { return j.options.Libraries[0].Sample }, nil},
	{"library", []string{"--rg=x"}, func(j *mapJob) any {
		_, name, _ := strings.Cut(j.header.ReadGroups[0].String(), "\tLB:")
		return name
	}, nil},
	{"rg", nil, func(j *mapJob) any { return j.options.Libraries[0].ReadGroup }, nil},
}

func wholeBetween(least, most uint64) func(string) (string, bool) {
	return func(s string) (string, bool) {
		n, ok := between(s, wholePattern, least, most)
		return n.String(), ok
	}
}

// FuzzOptions gives an option a value. It is taken if and only if another program takes it, and for
// the same; otherwise the call is wrong, which one line says.
func FuzzOptions(f *testing.F) {
	values := []string{
		"5", "4%", "0", "-1", "+7", "010", "2G", "1k", "16T", "17T", "strata:2", "cuda:0,2", "cuda:1,1", "1e1%", "NaN%", "0x10", "1_0",
		"99999999999999999999", " 1", "", "٣", "a b", "a\tb", "9223372036854775808",
	}
	for i := range max(len(values), len(fuzzedOptions)) {
		f.Add(uint8(i), values[i%len(values)])
	}
	for i, value := range []string{"92:3", "17:2,38:3", "38:3,17:2", "17:3,38:2", "-1:0", "0:+7", "5:16385", "5:", "5:1,"} {
		f.Add(uint8(i%2), value)
	}
	f.Fuzz(func(t *testing.T, option uint8, value string) {
		o := fuzzedOptions[int(option)%len(fuzzedOptions)]
		j, err := optionsOf(slices.Concat([]string{"--" + o.name + "=" + value, "ref.fa", "reads.fq"}, o.more)...)
		if err != nil {
			if !errors.As(err, new(usageError)) || strings.ContainsAny(oneLine(err.Error()), "\n\r") {
				t.Fatalf("--%s=%q: %v", o.name, value, err)
			}
		}
		if o.means == nil { // a name
			if err == nil && (fmt.Sprint(o.read(j)) != value || strings.ContainsAny(value, "\n\r\t")) {
				t.Fatalf("--%s=%q is read as %q", o.name, value, o.read(j))
			}
			return
		}
		meant, ok := o.means(value)
		if ok != (err == nil) || ok && fmt.Sprint(o.read(j)) != meant {
			t.Fatalf("--%s=%q: %v, %v; meant is %s, %v", o.name, value, j, err, meant, ok)
		}
	})
}

// FuzzArguments takes lines for arguments of the program, which no command carries out. Arguments
// in the one form that urfave/cli parses stay as they are. A refused call is a wrong call, and one
// line says so.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{
		"map\nref.fa\nreads.fq\n-e5\n-o\nx.bam", "search\nACGT\nref.fa\n-k=2", "help\nmap", "bench\nsearch\n--json=x", "map\n--\n-e\n-1",
		"--version", "map\n-h", "map\n-e", "mpa\nx", "map\n--maxdistance=3\n-te", "map\n-e\n-o\nx", "completion\nbash", "devices\n-",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		args := append([]string{"scanmap"}, strings.Split(text, "\n")...)
		app := newApp(process{args: args, stdout: &sink{w: &bytes.Buffer{}}, stderr: &bytes.Buffer{}})
		var idle func(commands []*cli.Command)
		idle = func(commands []*cli.Command) {
			for _, c := range commands {
				c.Action = func(*cli.Context) error { return nil }
				idle(c.Subcommands)
			}
		}
		idle(app.Commands)
		normal, err := normalize(app, args)
		if err == nil {
			again, errAgain := normalize(app, normal)
			if errAgain != nil || !slices.Equal(normal, again) {
				t.Fatalf("%q becomes %q, and that %q, %v", args, normal, again, errAgain)
			}
			err = suggestValue(app, app.RunContext(context.Background(), normal), normal)
		}
		if err != nil && (!errors.As(err, new(usageError)) || strings.ContainsAny(oneLine(err.Error()), "\n\r")) {
			t.Fatalf("%q: %v", args, err)
		}
	})
}

// FuzzSizes compares the two readers of sizes with big numbers.
func FuzzSizes(f *testing.F) {
	for _, s := range []string{"1", "768M", "2g", "16T", "17592186044417", "8388608T", "0", "-1", "1.5G", "+2K", "9223372036854775807", "M"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		size := func(s string) *big.Int {
			m := sizePattern.FindStringSubmatch(s)
			if m == nil {
				return big.NewInt(-1)
			}
			n, _ := new(big.Int).SetString(m[1], 10)
			return n.Lsh(n, uint(10*strings.Index(" KMGT", strings.ToUpper(m[2] + " ")[:1])))
		}
		n := size(s)
		v, err := byteSize(s)
		if ok := n.Sign() > 0 && n.Cmp(big.NewInt(1<<44)) <= 0; ok != (err == nil) || ok && n.Cmp(big.NewInt(v)) != 0 {
			t.Errorf("%q is read as %d, %v, not %s", s, v, err, n)
		}
		v, err = parseSize(s)
		strict := !strings.ContainsAny(s, "+kmgt")
		if ok := strict && n.Sign() >= 0 && n.IsInt64(); ok != (err == nil) || ok && n.Cmp(big.NewInt(v)) != 0 {
			t.Errorf("of a benchmark %q is read as %d, %v, not %s", s, v, err, n)
		}
	})
}

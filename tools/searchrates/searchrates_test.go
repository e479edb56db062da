package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"scanmap/search"
)

// madeUp is a whole table: rates of every scheme for what it takes, which fall with k and with the
// length by powers of its own, and have some noise.
func madeUp(t *testing.T) []search.Rate {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	var rates []search.Rate
	for _, m := range search.Methods() {
		for _, s := range m.Schemes {
			speed, byK, byLength := math.Exp(2*random.Float64()), random.Float64(), random.Float64()-0.5
			for _, onGPU := range []bool{false, true} {
				for _, alphabet := range []search.Alphabet{search.DNA, search.Bytes} {
					for _, substitutions := range []bool{false, true} {
						for _, length := range []int{8, 16, 32, 64, 128} {
							for k := range 4 {
								for _, letters := range []int{1e6, 1e8} {
									kind := kind{onGPU, alphabet, substitutions, letters, length, k, 1, false}
									task, err := kind.task()
									if err != nil {
										t.Fatal(err)
									}
									if task.Refusal(s) != nil || substitutions && k == 0 {
										continue
									}
									rates = append(rates, search.Rate{
										OnGPU: onGPU, Scheme: s.FullName(), Alphabet: alphabet, Substitutions: substitutions,
										Letters: letters, Length: length, K: k, Patterns: 1,
										Value: 1e9 * speed * math.Pow(float64(k+1), -byK) * math.Pow(float64(length), -byLength) * (1 + 0.1*random.Float64()),
									})
								}
							}
						}
					}
				}
			}
		}
	}
	return rates
}

// TestReduce compares what auto chooses by the lines that are left with the whole table, for every
// task: all that was measured and the whole grid. The rates are worked out from nothing.
func TestReduce(t *testing.T) {
	whole := madeUp(t)
	before, err := newTable(whole)
	if err != nil {
		t.Fatal(err)
	}
	left, err := reduce(whole)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) > len(whole)/3 {
		t.Errorf("%d of %d lines are left", len(left), len(whole))
	}
	rest := map[group][]search.Rate{}
	for _, r := range left {
		rest[groupOf(r)] = append(rest[groupOf(r)], r)
	}
	schemes := map[string]int{}
	for _, c := range before.choices {
		best, most, full, fullBest := "", 0.0, 0.0, 0.0
		for _, one := range c.takes {
			g := group{c.kind.onGPU, one.scheme.FullName(), c.kind.alphabet, c.kind.substitutions}
			rate, _ := c.task.Rate(one.scheme, rest[g])
			if rate > 4*one.full || one.full > 4*rate {
				t.Fatalf("%+v: %s has rate %g, by the whole table %g", c.kind, one.scheme.FullName(), rate, one.full)
			}
			if fullBest = max(fullBest, one.full); rate > most {
				best, most, full = one.scheme.FullName(), rate, one.full
			}
		}
		schemes[best]++
		if full < 0.97*fullBest {
			t.Fatalf("%+v: auto chooses %s with rate %g by the whole table, where the best is %g", c.kind, best, full, fullBest)
		}
		if most > 1.5*full || full > 1.5*most {
			t.Fatalf("%+v: %s is chosen with rate %g, by the whole table %g", c.kind, best, most, full)
		}
	}
	if len(before.choices) < 10000 || len(schemes) < 5 {
		t.Errorf("%d tasks, chosen are %v: too few for a test", len(before.choices), schemes)
	}
}

// TestReduceKeepsWhatDecides has tables of a few lines.
func TestReduceKeepsWhatDecides(t *testing.T) {
	for _, c := range []struct {
		name        string
		whole, want string
	}{
		{"all the same", "8 1e9\n16 1e9\n32 1e9", "16 1e9"},
		{"one is far off", "8 1e9\n16 1e9\n32 1e10", "16 1e9\n32 1e10"},
		{"two digits", "16 1.234e9", "16 1.2e9"},
	} {
		parse := func(text string) []search.Rate {
			var b strings.Builder
			b.WriteString(search.RateColumns)
			for line := range strings.SplitSeq(text, "\n") {
				length, rate, _ := strings.Cut(line, " ")
				b.WriteString("\ncpu\tx\ty\tdna\tedits\t1000\t" + length + "\t0\t1\t" + rate)
			}
			rates, err := search.ParseRates(b.String())
			if err != nil {
				t.Fatal(err)
			}
			return rates
		}
		// One scheme, which alone takes its tasks.
		g := &lines{rates: parse(c.whole)}
		scheme := search.Methods()[0].Schemes[0]
		for _, r := range g.rates {
			k := kindOf(r)
			task, err := k.task()
			if err != nil {
				t.Fatal(err)
			}
			one := &taker{choice: &choice{kind: k, task: task}, scheme: scheme}
			one.weigh(g.rates)
			one.full = one.rate
			one.choice.best, one.choice.takes = one.full, []*taker{one}
			g.takers = append(g.takers, one)
		}
		for g.dropOne() {
		}
		g.round()
		if want := parse(c.want); !slices.Equal(g.rates, want) {
			t.Errorf("%s: left are\n%swant\n%s", c.name, tableOf(g.rates), tableOf(want))
		}
	}
}

func TestRead(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("json/a.json", `{"device": {"id": "cpu"}, "results": [
		{"value": 123456, "method": "shift-or", "scheme": "scan", "alphabet": "dna", "letters": 1000, "pattern_length": 8, "distance": 0},
		{"value": 1, "method": "shift-or", "scheme": "scan", "alphabet": "dna", "letters": 1000, "pattern_length": 8, "distance": 0, "threads": 2},
		{"value": 1, "method": "shift-or", "scheme": "scan", "alphabet": "dna", "letters": 1000}]}`)
	write("json/b.json", `{"device": {"id": "cuda:0"}, "results": [
		{"value": 5, "method": "wu-manber", "scheme": "scan", "alphabet": "bytes", "letters": 9, "pattern_length": 7, "distance": 2,
		"substitutions": true, "patterns": 4, "threads": 1}]}`)
	table := write("more.tsv", search.RateColumns+"\ngpu\twu-manber\tscan\tbytes\tsubstitutions\t9\t7\t2\t4\t6\n")
	const cpu = "cpu\tshift-or\tscan\tdna\tedits\t1000\t8\t0\t1\t123000\n"
	for _, c := range []struct {
		inputs []string
		want   string
	}{
		{[]string{"json"}, cpu + "gpu\twu-manber\tscan\tbytes\tsubstitutions\t9\t7\t2\t4\t5\n"},
		{[]string{"json", "more.tsv"}, cpu + "gpu\twu-manber\tscan\tbytes\tsubstitutions\t9\t7\t2\t4\t6\n"},
		{[]string{"more.tsv", "json"}, cpu + "gpu\twu-manber\tscan\tbytes\tsubstitutions\t9\t7\t2\t4\t5\n"},
	} {
		var inputs []string
		for _, name := range c.inputs {
			inputs = append(inputs, filepath.Join(folder, name))
		}
		rates, err := read(inputs)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := tableOf(rates), search.RateColumns+"\n"+c.want; got != want {
			t.Errorf("%v: rates are\n%swant\n%s", c.inputs, got, want)
		}
	}
	for name, input := range map[string]string{
		"missing":   filepath.Join(folder, "none"),
		"empty":     t.TempDir(),
		"no header": write("header.tsv", "cpu\n"),
		"columns":   write("columns.tsv", search.RateColumns+"\ncpu\tx\n"),
		"number":    write("number.tsv", search.RateColumns+"\ncpu\tx\ty\tdna\tedits\tmany\t8\t0\t1\t1\n"),
		"rate":      write("rate.tsv", search.RateColumns+"\ncpu\tx\ty\tdna\tedits\t1\t8\t0\t1\tfast\n"),
		"json":      filepath.Dir(write("broken/a.json", "{")),
	} {
		if rates, err := read([]string{input}); err == nil {
			t.Errorf("%s: %d rates, want an error", name, len(rates))
		}
	}
	// A scheme without rates: what auto would choose in its place is not known.
	if _, err := newTable([]search.Rate{{Scheme: "shift-or/scan", Alphabet: search.DNA, Letters: 1, Length: 8, Patterns: 1, Value: 1}}); err == nil {
		t.Error("a table with one scheme is taken")
	}
	if err := run([]string{table}, folder, "", "", &bytes.Buffer{}); err == nil {
		t.Error("a table with one scheme is written")
	}
	if _, err := os.Stat(filepath.Join(folder, "rates.tsv")); err == nil {
		t.Error("it was written")
	}
}

// TestRun writes all files of a made-up table.
func TestRun(t *testing.T) {
	folder := t.TempDir()
	whole := madeUp(t)
	input, again := filepath.Join(folder, "in.tsv"), filepath.Join(folder, "again.tsv")
	if err := os.WriteFile(input, []byte(tableOf(whole)), 0o644); err != nil {
		t.Fatal(err)
	}
	var messages bytes.Buffer
	if err := run([]string{input}, folder, again, "", &messages); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(again)
	if err != nil {
		t.Fatal(err)
	}
	lines := func(s string) []string { return slices.Sorted(strings.SplitSeq(s, "\n")) }
	if !slices.Equal(lines(string(text)), lines(tableOf(whole))) {
		t.Error("the whole table is another")
	}
	text, err = os.ReadFile(filepath.Join(folder, "rates.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	if rates, err := search.ParseRates(string(text)); err != nil || len(rates) == 0 || len(rates) > len(whole)/3 {
		t.Errorf("rates.tsv has %d of %d rates, error %v", len(rates), len(whole), err)
	}
	text, err = os.ReadFile(filepath.Join(folder, "testdata", "choices.tsv"))
	if err != nil || !strings.HasPrefix(string(text), expectedColumns+"\ncpu\t") {
		t.Errorf("choices.tsv is %.100q, error %v", text, err)
	}
	// Lines of one device are made again from a table that has no others; lines of the other stay.
	var files [2]string
	for i, name := range []string{"rates.tsv", "testdata/choices.tsv"} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		files[i] = string(text)
	}
	for _, device := range []string{"cpu", "gpu"} {
		part := slices.DeleteFunc(slices.Clone(whole), func(r search.Rate) bool { return r.OnGPU != (device == "gpu") })
		if err := os.WriteFile(input, []byte(tableOf(part)), 0o644); err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"rates.tsv", "testdata/choices.tsv"} {
			changed := strings.ReplaceAll(files[i], "\n"+device+"\t", "\n"+device+"\tgone")
			if err := os.WriteFile(filepath.Join(folder, name), []byte(changed), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := run([]string{input}, folder, "", device, &messages); err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"rates.tsv", "testdata/choices.tsv"} {
			if text, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(text) != files[i] {
				t.Errorf("%s, made again for %s, differs from what both devices gave; error %v", name, device, err)
			}
		}
	}
}

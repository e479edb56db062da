package main

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"scanmap/gpu"
	"scanmap/internal/effort"
)

// searchRow is what the tests look at in a row of a search.
type searchRow struct {
	Name          string  `json:"name"`
	Unit          string  `json:"unit"`
	Value         float64 `json:"value"`
	Tbps          float64 `json:"tbps"`
	Method        string  `json:"method"`
	Scheme        string  `json:"scheme"`
	Alphabet      string  `json:"alphabet"`
	AlphabetSize  int     `json:"alphabet_size"`
	Letters       int64   `json:"letters"`
	PatternLength int     `json:"pattern_length"`
	Distance      *int    `json:"distance"`
	Patterns      int     `json:"patterns"`
	Threads       int     `json:"threads"`
	Operations    int64   `json:"operations"`
	Share         float64 `json:"share"`
	Ceiling       string  `json:"ceiling"`
}

// benchSearch runs a measurement and returns its rows.
func benchSearch(t *testing.T, args, device string) []searchRow {
	t.Helper()
	code, stdout, stderr := callBench("search --repeats 2 --json - " + args)
	if code != 0 || stderr != "" {
		t.Fatalf("%s: exit code %d, standard error %q", args, code, stderr)
	}
	if m := readMeasured(t, stdout, 2); m.Device.ID != device {
		t.Errorf("%s: device %s", args, m.Device.ID)
	}
	var r struct{ Results []searchRow }
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	return r.Results
}

func TestBenchSearchOnCPU(t *testing.T) {
	long := strconv.Itoa(effort.Pick(1000, 200)) // letters, of several words
	rows := benchSearch(t, "--device cpu --alphabet bytes --letters 4K --pattern-length 4,"+long+
		" -k 0,1 --pattern-count 2 -t 2 --alphabet-size 3", "cpu")
	seen := map[string]bool{}
	for _, r := range rows {
		seen[r.Name] = true
		if r.Unit != "letters/s" || r.Value <= 0 || r.Tbps <= 0 ||
			r.Method+"/"+r.Scheme != strings.Split(r.Name, ",")[0] || r.Alphabet != "bytes" ||
			r.AlphabetSize != 3 || r.Letters != 4<<10 || r.Distance == nil || r.Patterns != 2 || r.Threads != 2 ||
			r.Operations != 2*4<<10 || r.Ceiling != "" {
			t.Errorf("got %+v", r)
		}
	}
	for _, name := range []string{
		"brute-force/plain, m = 4, k = 0", "brute-force/plain, m = " + long + ", k = 0", "levenshtein/serial, m = 4, k = 0",
		"levenshtein/serial, m = 4, k = 1",
		"levenshtein/serial, m = " + long + ", k = 1",
	} {
		if !seen[name] {
			t.Errorf("there is no row %q", name)
		}
	}
	if seen["brute-force/plain, m = 4, k = 1"] {
		t.Error("brute force is measured with edits, which it refuses")
	}
}

func TestBenchSearchOnGPU(t *testing.T) {
	benchDriver(t)
	for _, c := range []struct {
		args    string
		letters int64
		bytes   float64 // per letter, of the ceiling
		ceiling string
	}{
		{"--alphabet dna --letters 8K", 8 << 10, 2, "copy of the text, one byte a letter, read and written"},
		{"--alphabet bytes --letters 5000", 5000, 2, "copy of the text, one byte a letter, read and written"},
	} {
		rows := benchSearch(t, "--method brute-force --pattern-length 20,8 "+c.args, "cuda:0")
		if len(rows) != 4 || rows[0].Name != c.ceiling || rows[0].Unit != "B/s" || rows[1].Name != c.ceiling ||
			rows[1].Unit != "letters/s" ||
			rows[2].Name != "brute-force/plain, m = 20, k = 0" || rows[3].Name != "brute-force/plain, m = 8, k = 0" {
			t.Fatalf("%s: got %+v", c.args, rows)
		}
		if got := rows[0].Value / rows[1].Value; got < 0.999*c.bytes || got > 1.001*c.bytes {
			t.Errorf("%s: %g bytes a letter", c.args, got)
		}
		for _, r := range rows[2:] {
			if r.Letters != c.letters || r.Ceiling != c.ceiling || r.Share <= 0 || r.Threads != 0 {
				t.Errorf("%s: got %+v", c.args, r)
			}
		}
	}
}

// Cases that a method refuses are left out; if no case is left, the reason is given.
func TestBenchSearchRefused(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--method brute-force -k 1", "brute-force/plain is exact, and does not allow edits"},
		{"--pattern-length 2 -k 2",
			"no scheme searches such a text for such a pattern: a pattern of 2 letters would match everywhere with a distance of 2"},
	} {
		code, stdout, stderr := callBench("search --device cpu --letters 4K " + c.args)
		if want := "scanmap: " + c.want + "\n"; code != 1 || stdout != "" || stderr != want {
			t.Errorf("%s: exit code %d, standard output %q, standard error\n%swant\n%s", c.args, code, stdout, stderr, want)
		}
	}
	code, stdout, stderr := callBench("search --device cpu --letters 4K --substitutions -k 2")
	if code != 0 || stderr != "" || !strings.Contains(stdout, "text of 4,096 letters") ||
		!strings.Contains(stdout, "brute-force/plain, m = 32, k = 2") || !strings.Contains(stdout, "Tbps") {
		t.Errorf("exit code %d, standard error %q, standard output\n%s", code, stderr, stdout)
	}
}

// Each call of the driver that fails gives exit code 3, one line that names it, and no table.
func TestBenchSearchFaults(t *testing.T) {
	const args = "search --letters 4K --repeats 1 --method brute-force"
	benchDriver(t)
	if code, _, stderr := callBench(args); code != 0 {
		t.Fatalf("exit code %d, standard error %q", code, stderr)
	}
	for name := range driver.Calls() {
		benchDriver(t) // new, so that even a function called only once can fail
		driver.Inject(name, 1, gpu.OutOfMemory)
		code, stdout, stderr := callBench(args)
		if code != 3 || stdout != "" || !strings.Contains(stderr, name) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, standard output %q, standard error %q", name, code, stdout, stderr)
		}
	}
}

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"scanmap/gpu"
	"scanmap/internal/emulator"
)

// benchDriver has the program use a driver with a GPU for the time of a test: the machine's driver
// where SCANMAP_TEST_GPU=require asks for it, and the emulator elsewhere.
func benchDriver(t *testing.T) {
	t.Helper()
	driver = emulator.Driver(t, emulator.Plain, gpu.EmulatorOptions{})
	t.Cleanup(func() { driver = nil })
}

func callBench(args string) (code int, stdout, stderr string) {
	return call(append([]string{"bench"}, strings.Fields(args)...)...)
}

// measured is what the tests look at in the JSON.
type measured struct {
	Schema      string   `json:"schema"`
	Version     string   `json:"version"`
	Time        string   `json:"time"`
	CommandLine []string `json:"command_line"`
	Device      struct {
		ID              string `json:"id"`
		Driver          string `json:"driver_version"`
		Memory          int64  `json:"memory_bytes"`
		Multiprocessors int    `json:"multiprocessors"`
	} `json:"device"`
	Sizes   map[string]int64 `json:"sizes"`
	Results []struct {
		Name  string  `json:"name"`
		Unit  string  `json:"unit"`
		Value float64 `json:"value"`
		Min   float64 `json:"min"`
		Max   float64 `json:"max"`
		Runs  int     `json:"runs"`
	} `json:"results"`
}

// readMeasured parses the JSON of a measurement and checks the fields that all have.
func readMeasured(t *testing.T, text string, runs int) measured {
	t.Helper()
	var m measured
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if m.Schema != "scanmap-bench/1" || m.Version != version || m.Time == "" || m.CommandLine[0] != "scanmap" || len(m.Results) == 0 {
		t.Errorf("got\n%s", text)
	}
	for _, r := range m.Results {
		once := strings.HasPrefix(r.Name, "open ") || m.Device.ID != "cpu" && r.Name == "pack"
		if r.Name == "" || r.Unit == "" || r.Min > r.Value || r.Value > r.Max || r.Runs < 1 || r.Runs != runs &&
			!once && !strings.HasPrefix(r.Name, "kernel ") {
			t.Errorf("got %+v", r)
		}
	}
	return m
}

func TestBenchUsage(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "scanmap bench measures map, search or device; see scanmap bench --help"},
		{"mop", `unknown command "mop" (did you mean map?); see scanmap bench --help`},
		{"--device cpu map", "unknown option --device; see scanmap bench --help"},
		{"device --bananas", "unknown option --bananas; see scanmap bench device --help"},
		{"device x", `scanmap bench device takes no files, but "x" is given`},
		{"device --device cpu", "option --device: one GPU is measured at a time, such as cuda:0"},
		{"device --device cuda", "option --device: one GPU is measured at a time, such as cuda:0"},
		{"device --device cuda:0,1", "option --device: one GPU is measured at a time, such as cuda:0"},
		{"device --device gpu", `option --device: device "gpu" is not one of auto, cpu, cuda, cuda:N, cuda:N,M`},
		{"device --repeats 0", `option --repeats: "0" is not a whole number from 1 to 1000000`},
		{"device --bytes 3X", `option --bytes: "3X" is not a number such as 65536, 64K, 512M or 4G`},
		{"device --bytes 4095", "option --bytes: 4095 is not from 4096 to 1099511627776 bytes"},
		{"device --bytes 2T", "option --bytes: 2T is not from 4096 to 1099511627776 bytes"},
		{"device --json=", "option --json: the name is empty"},
		{"map --device auto", "option --device: one GPU is measured at a time, such as cuda:0; or cpu"},
		{"map --device cuda", "option --device: one GPU is measured at a time, such as cuda:0; or cpu"},
		{"map --bases 0", `option --bases: "0" is not a whole number from 1 to 1099511627776`},
		{"map --reads many", `option --reads: "many" is not a whole number from 1 to 2147483647`},
		{"map --length -1", `option --length: "-1" is not a whole number from 1 to 1048576`},
		{"map -t 0", `option --threads: "0" is not a whole number from 1 to 4096`},
		{"map -e five", `option --max-distance: distance "five" is neither a number of edits from 0 to 16384 nor a percentage such as 4%, nor numbers by length such as 17:2,38:3`},
		{"map --engine fast", `option --engine: engine "fast" is not one of auto, skim, scan`},
		{"map --repeats-model line", `option --repeats-model: repeats "line" are not one of none, planted, alu`},
		{"map ref.fa", "scanmap bench map takes two files, REF.fa and READS.fq, or none, but 1 are given; see scanmap bench map --help"},
		{"map ref.fa reads.fq --bases 5", "option --bases says what to make, but files are given"},
		{"search x", `scanmap bench search takes no files, but "x" is given`},
		{"search --device auto", "option --device: one GPU is measured at a time, such as cuda:0; or cpu"},
		{"search --device cuda:0,1", "option --device: one GPU is measured at a time, such as cuda:0; or cpu"},
		{"search --method fast", `option --method: method "fast" is not one of all, `},
		{"search --method brute-force --scheme fast", `option --scheme: scheme "fast" is not one of all, plain`},
		{"search --scheme fast", `option --scheme: scheme "fast" is not one of all, `},
		{"search --alphabet rna", `option --alphabet: alphabet "rna" is not one of dna, bytes (did you mean dna?)`},
		{"search --alphabet-size 4", "option --alphabet-size is for --alphabet bytes"},
		{"search --alphabet bytes --alphabet-size 257", `option --alphabet-size: "257" is not a whole number from 1 to 256`},
		{"search --letters many", `option --letters: "many" is not a number such as 65536, 64K, 512M or 4G`},
		{"search --letters 4G", "option --letters: 4G is not from 4096 to 2147483648"},
		{"search --letters 4095", "option --letters: 4095 is not from 4096 to 2147483648"},
		{"search --pattern-length 4,,8", `option --pattern-length: "" is not a whole number from 1 to 2048`},
		{"search --pattern-length 2049", `option --pattern-length: "2049" is not a whole number from 1 to 2048`},
		{"search -k 1,64", `option --max-distance: "64" is not a whole number from 0 to 63`},
		{"search --pattern-count 0", `option --pattern-count: "0" is not a whole number from 1 to 65536`},
		{"search -t 0", `option --threads: "0" is not a whole number from 1 to 4096`},
		{"search --repeats 0", `option --repeats: "0" is not a whole number from 1 to 1000000`},
		{"map - -", "reference and reads cannot both come from standard input"},
	} {
		code, stdout, stderr := callBench(c.args)
		want := "scanmap: " + c.want
		// The messages of these two go on with all names.
		if c.args != "search --method fast" && c.args != "search --scheme fast" {
			want += "\n"
		}
		if code != 2 || stdout != "" || !strings.HasPrefix(stderr, want) || strings.Count(stderr, "\n") != 1 ||
			strings.HasSuffix(want, "\n") && stderr != want {
			t.Errorf("%s: exit code %d, standard output %q, standard error\n%swant\n%s", c.args, code, stdout, stderr, want)
		}
	}
}

func TestBenchHelp(t *testing.T) {
	for _, args := range []string{"bench --help", "help bench", "bench map --help", "help bench map", "bench map -h",
		"help bench device", "help bench search"} {
		code, stdout, stderr := call(strings.Fields(args)...)
		if words := strings.Fields(args); code != 0 || stderr != "" ||
			!strings.Contains(stdout, "scanmap bench "+strings.Trim(words[len(words)-1], "-")) &&
				!strings.Contains(stdout, "scanmap bench map [options] [REF.fa READS.fq]") {
			t.Errorf("%s: exit code %d, standard error %q, standard output\n%s", args, code, stderr, stdout)
		}
	}
	for _, command := range benchCommand(process{}).Subcommands {
		_, stdout, _ := call("bench", command.Name, "--help")
		for _, f := range command.Flags {
			if name := "--" + f.Names()[0]; !strings.Contains(stdout, name+" ") && !strings.Contains(stdout, name+",") {
				t.Errorf("bench %s: %s is not in its help", command.Name, name)
			}
			if f.(cli.DocGenerationFlag).GetUsage() == "" {
				t.Errorf("bench %s: --%s has no text", command.Name, f.Names()[0])
			}
		}
	}
}

func TestParseSize(t *testing.T) {
	for s, want := range map[string]int64{"0": 0, "65536": 65536, "64K": 64 << 10, "512M": 512 << 20, "4G": 4 << 30,
		"1T": 1 << 40, "9223372036854775807": 1<<63 - 1} {
		if got, err := parseSize(s); err != nil || got != want {
			t.Errorf("%s: got %d, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "K", "-1", "+1", "1.5G", "4g", "4GB", "9223372036854775808", "9007199254740992K", "99999999999T"} {
		if got, err := parseSize(s); err == nil {
			t.Errorf("%q: got %d", s, got)
		}
	}
}

func TestBenchMapOnCPU(t *testing.T) {
	code, stdout, stderr := callBench("map --device cpu --bases 100000 --reads 200 --length 50 -e 2 --repeats 2 -t 2 --repeats-model planted --json -")
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d, standard error %q", code, stderr)
	}
	m := readMeasured(t, stdout, 2)
	if m.Device.ID != "cpu" || m.Sizes["reference_bases"] != 100000 || m.Sizes["reads"] != 200 ||
		m.Results[0].Name != "all" || m.Results[0].Unit != "reads/s" {
		t.Errorf("got\n%s", stdout)
	}
}

func TestBenchMapOfFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bench.json")
	code, stdout, stderr := callBench("map --device cpu --reads 3 --repeats 1 " + refFile + " " + readsFile + " --json " + file)
	if code != 0 || stderr != "" || !strings.HasPrefix(stdout, "cpu\n3 reads, 600 bases of reference\n") {
		t.Fatalf("exit code %d, standard error %q, standard output\n%s", code, stderr, stdout)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	readMeasured(t, string(text), 1)
}

// A measurement that fails leaves no file.
func TestBenchFails(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		args    string
		code    int
		message string
	}{
		{"map --device cpu --bases 50", 1, "scanmap: a reference of 50 bases is too short for reads of 100\n"},
		{"map --device cpu no.fa no.fq", 1, "scanmap: no.fa: no such file or directory\n"},
		{"map --device cpu --json no/x --bases 1000", 1, "scanmap: no/x: no such file or directory\n"},
	} {
		if !strings.Contains(c.args, "--json") {
			c.args += " --json x.json"
		}
		code, stdout, stderr := callBench(c.args)
		if code != c.code || stdout != "" || stderr != c.message {
			t.Errorf("%s: exit code %d, standard output %q, standard error %q", c.args, code, stdout, stderr)
		}
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 0 {
		t.Errorf("files are left: %v, %v", entries, err)
	}
}

func TestBenchWithoutDriver(t *testing.T) {
	if _, err := gpu.LoadDriver(); err == nil {
		t.Skip("SKIPPED: a CUDA driver is here")
	}
	for _, args := range []string{"device", "map --bases 1000 --reads 10"} {
		code, stdout, stderr := callBench(args)
		if code != 3 || stdout != "" || !strings.HasPrefix(stderr, "scanmap: "+gpu.ErrNoDriver.Error()) ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, standard output %q, standard error %q", args, code, stdout, stderr)
		}
	}
}

func TestBenchDevice(t *testing.T) {
	benchDriver(t)
	code, stdout, stderr := callBench("device --bytes 64K --repeats 2 --json -")
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d, standard error %q", code, stderr)
	}
	m := readMeasured(t, stdout, 2)
	var names []string
	for _, r := range m.Results {
		names = append(names, r.Name)
		if r.Value <= 0 {
			t.Errorf("%s: %v %s", r.Name, r.Value, r.Unit)
		}
	}
	want := "read; copy, read and written; three-input logic of 32 bits; random probes, table of 64 KiB; " +
		"host to device, pinned; device to host, pinned; host to device, pageable; device to host, pageable"
	if got := strings.Join(names, "; "); got != want || m.Device.ID != "cuda:0" || m.Device.Driver == "" ||
		m.Sizes["buffer_bytes"] != 64<<10 {
		t.Errorf("got\n%s", stdout)
	}
	code, stdout, stderr = callBench("device --device cuda:99")
	if code != 3 || stdout != "" || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit code %d, standard output %q, standard error %q", code, stdout, stderr)
	}
}

func TestBenchMapOnGPU(t *testing.T) {
	benchDriver(t)
	code, stdout, stderr := callBench("map --bases 20000 --reads 50 --length 50 -e 2 --repeats 2 --json -")
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d, standard error %q", code, stderr)
	}
	if m := readMeasured(t, stdout, 2); m.Device.ID != "cuda:0" || m.Results[0].Name != "core" {
		t.Errorf("got\n%s", stdout)
	}
}

// Each call of the driver that fails gives exit code 3, one line that names it, and no file.
func TestBenchDeviceFaults(t *testing.T) {
	benchDriver(t)
	folder := t.TempDir()
	if code, _, stderr := callBench("device --bytes 4K --repeats 1"); code != 0 {
		t.Fatalf("exit code %d, standard error %q", code, stderr)
	}
	for name := range driver.Calls() {
		benchDriver(t) // new, so that even a function called only once can fail
		driver.Inject(name, 1, gpu.OutOfMemory)
		code, stdout, stderr := callBench("device --bytes 4K --repeats 1 --json " + filepath.Join(folder, "x.json"))
		if code != 3 || stdout != "" || !strings.Contains(stderr, name) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, standard output %q, standard error %q", name, code, stdout, stderr)
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 0 {
		t.Errorf("files are left: %v, %v", entries, err)
	}
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"scanmap/fasta"
)

// A faultCall is a call that succeeds; then one operation after the other fails. F/ stands for the
// folder of outputs, F for the folder itself, and I/ for the folder of inputs.
type faultCall struct {
	args  string
	files string // what the folder holds afterwards
}

// faultCalls has calls of each command of the program, by its name. Together they name each of its
// options that takes a file or a folder. TestFaultsOfCommands fails for a missing one.
var faultCalls = map[string][]faultCall{
	"map": {
		{"map --output F/x.bam --sort --sort-memory 64M --unmapped F/u.fq --stats F/s.json --multiqc F/m_mqc.json --report-html F/h.html I/ref.fa I/reads.fq",
			"h.html m_mqc.json s.json u.fq x.bam x.bam.bai"},
		{"map -o F/x.sam --depth F/d.bg.gz --regions I/regions.bed --region-depth F/r.bed --abundance F/a.tsv I/ref.fa I/reads.fq",
			"a.tsv d.bg.gz d.bg.gz.tbi r.bed x.sam"},
		{"map -o none --weights best --regions I/regions.bed --region-shared F/s.bedpe I/ref.fa I/reads.fq", "s.bedpe"},
		{"map -o none --genome-abundance F/g.tsv --genome-definition I/genomes I/ref.fa I/reads.fq", "g.tsv"},
		{"map -o F/x.sam --discordant F/d.sam --samples I/samples.tsv --max-insert 500 --tmpdir F I/ref.fa", "d.sam x.sam"},
		{"map --no-pg I/ref.fa I/reads.fq", ""},
	},
	"search": {
		{"search --output F/x.tsv --patterns I/patterns.fa I/ref.fa", "x.tsv"},
		{"search -o F/x.tsv --vcf I/v.vcf ACGT I/ref.fa", "x.tsv"},
		{"search --alphabet bytes ACGT I/ref.fa", ""},
		{"search --reference-iupac ACGT I/ref.fa", ""},
	},
	"filter": {
		{"filter --output F/x.fq.gz --output-mates F/m.fq --pattern-counts F/c.tsv --report-html F/h.html --patterns I/barcodes I/reads.fq I/mates.fq",
			"c.tsv h.html m.fq x.fq.gz"},
		{"filter ACG I/reads.fq", ""},
	},
	"demultiplex": {{"demultiplex --output F/s --gzip --interleaved --report-html F/h.html --barcodes I/barcodes I/pairs.fq", "h.html s"}},
	"primers": {
		{"primers --output F/x.bed --pairs I/primers.tsv --product 20-500 --pair-counts F/c.tsv --report-html F/h.html I/ref.fa", "c.tsv h.html x.bed"},
		{"primers -f I/primers.tsv --product 20-500 --background I/other.fa I/ref.fa", ""},
	},
	"insert-size": {
		{"insert-size --min-insert 5 I/ref.fa I/reads.fq I/mates.fq", ""},
		{"insert-size --samples I/samples.tsv I/ref.fa", ""},
	},
	"merge-stats": {
		{"merge-stats --stats F/s.json --multiqc F/m_mqc.json --report-html F/h.html I/1.json I/2.json", "h.html m_mqc.json s.json"},
		{"merge-stats --stats F/s.json --depth F/x.bedgraph.gz --regions I/regions.bed --region-depth F/r.bed I/1.json I/1.bw I/2.json I/2.bw",
			"r.bed s.json x.bedgraph.gz x.bedgraph.gz.tbi"},
		{"merge-stats --stats F/s.json --abundance F/a.tsv --genome-abundance F/g.tsv --genome-definition I/genomes I/1.json I/1.bw I/2.json I/2.bw",
			"a.tsv g.tsv s.json"},
		{"merge-stats I/1.json I/2.json", ""},
	},
	"mappability": {
		{"mappability -K 9 --output F/x.bedgraph.gz --raw F/x.freq8 --unique F/u.bed --wig F/w.wig --report-html F/h.html --regions I/regions.bed --against I/other.fa --tmpdir F I/ref.fa",
			"h.html u.bed w.wig x.bedgraph.gz x.bedgraph.gz.tbi x.freq8"},
		{"mappability -K 9 -o F/x.bw I/ref.fa", "x.bw"},
		{"mappability -K 9 --bisulfite both -o F/x.bw I/ref.fa", "x.bw"},
		{"mappability -K 9 --min-insert 20 --max-insert 30 --unique F/u.bed I/ref.fa", "u.bed"},
		{"mappability -K 9 --raw F/x.map I/ref.fa", "x.map"},
		{"mappability -K 9 I/ref.fa", ""},
	},
	"copies": {
		{"copies --window 5 --output F/x.bw --mask I/mask.bed --controls I/regions.bed --regions I/regions.bed --region-copies F/r.bed " +
			"--report-html F/h.html --vcf F/c.vcf --sample s I/ref.fa I/depth.bedgraph", "c.vcf h.html r.bed x.bw"},
		{"copies --window 5 -o F/x.bg.gz --controls I/regions.bed I/ref.fa I/depth.bedgraph", "x.bg.gz x.bg.gz.tbi"},
		{"copies --window 5 --controls I/regions.bed I/ref.fa I/depth.bedgraph", ""},
		{"copies --window 5 -o F/x.bw --regions I/regions.bed --shared I/shared.bedpe --family-copies F/f.tsv I/ref.fa I/depth.bedgraph", "f.tsv x.bw"},
		{"copies --window auto -o F/x.bw I/ref.fa I/depth.bedgraph", "x.bw"},
	},
	"guides": {
		{"guides -k 1 --output F/x.tsv --locations F/p.tsv --report-html F/h.html --patterns I/guides --regions I/regions.bed I/ref.fa", "h.html p.tsv x.tsv"},
		{"guides -k 1 --in I/regions.bed --length 5 -o F/x.tsv I/ref.fa", "x.tsv"},
		{"guides -k 1 --patterns I/guides --vcf I/v.vcf --changes F/c.tsv -o F/x.tsv I/ref.fa", "c.tsv x.tsv"},
		{"guides -k 1 --patterns I/guides I/ref.fa", ""},
	},
	"bench map": {{"bench map --device cpu --repeats 1 --bases 4000 --reads 10 --length 50 --json F/x.json", "x.json"}},
	"bench search": {{"bench search --device cpu --repeats 1 --method planes --letters 4K --pattern-length 8 -k 0 --pattern-count 1 --json F/x.json",
		"x.json"}},
	"bench device": nil, // --json is as in bench map, and a GPU is needed
	"devices":      nil, // lists the GPUs, and may take a second
	"completion":   {{"completion bash", ""}, {"completion zsh", ""}, {"completion fish", ""}},
	"man":          {{"man", ""}},
	"version":      {{"version", ""}},
}

// faultInputs writes what calls of faultCalls read.
func faultInputs(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	const bases = "GCTAAAGACAATTACATAACATACACGTCAGCACGAAACTTGTTGGCCCAGTGTGAATCGCTTAAGGGTTAAGTAAGTGTGATGCATACGCCTTTACTTG"
	var reads, mates, pairs strings.Builder
	for i := range 6 {
		one := fmt.Sprintf("@r%d\n%s\n+\n%s\n", i, bases[5*i:5*i+30], strings.Repeat("I", 30))
		two := fmt.Sprintf("@r%d\n%s\n+\n%s\n", i, strings.Repeat("ACGGT", 6), strings.Repeat("I", 30))
		reads.WriteString(one)
		mates.WriteString(two)
		pairs.WriteString(one + two)
	}
	// The last pair lies nowhere.
	reads.WriteString("@last\n" + strings.Repeat("ACGGT", 6) + "\n+\n" + strings.Repeat("I", 30) + "\n")
	mates.WriteString("@last\n" + strings.Repeat("ACGGT", 6) + "\n+\n" + strings.Repeat("I", 30) + "\n")
	for name, text := range map[string]string{
		"ref.fa": ">c1\n" + bases + "\n>c2\n" + "TTTTTTTTTTTTR" + bases[60:] + "\n", "other.fa": ">o\n" + bases[30:] + "\n",
		"reads.fq": reads.String(), "mates.fq": mates.String(), "pairs.fq": pairs.String(),
		"regions.bed": "c1\t0\t60\tone\nc2\t0\t30\ttwo\n", "mask.bed": "c1\t70\t80\n", "genomes": "g\tc2\ng\tc1\n",
		"samples.tsv": "I/reads.fq\tI/mates.fq\tx\n", "patterns.fa": ">p\n" + bases[10:20] + "\n>q\nACGT\n",
		"v.vcf":       "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nc1\t2\t.\tC\tG\t.\t.\t.\n",
		"primers.tsv": "p\t" + bases[:12] + "\tCAAGTAAAGGCG\n", "barcodes": "one " + bases[:12] + "\ntwo " + bases[25:35] + "\n",
		"guides": "g AAACTTGTTGGCCC\n", "shared.bedpe": sharedLeft + "0\nc1\t0\t60\tc2\t0\t30\t.\t9\t.\t.\t900\t90\n",
		"depth.bedgraph": "c1\t0\t50\t2\nc1\t50\t100\t3\nc2\t0\t30\t2\n",
	} {
		copiesFile(t, folder, name, strings.ReplaceAll(text, "I/", folder+"/"))
	}
	in := func(name string) string { return filepath.Join(folder, name) }
	quietly(t, "map", "--take", "2", "--stats", in("1.json"), "--depth", in("1.bw"), "-o", os.DevNull, in("ref.fa"), in("reads.fq"))
	quietly(t, "map", "--skip", "2", "--stats", in("2.json"), "--depth", in("2.bw"), "-o", os.DevNull, in("ref.fa"), in("reads.fq"))
	return folder
}

// arguments are the arguments of a call with these folders.
func (c faultCall) arguments(inputs, outputs string) []string {
	args := append(strings.Fields(c.args), "--quiet")
	if word := args[0]; word == "completion" || word == "man" || word == "version" {
		args = args[:len(args)-1]
	} else if word == "bench" || word == "insert-size" || word == "merge-stats" {
		if word == "bench" {
			args = args[:len(args)-1]
		}
	}
	for i, a := range args {
		switch {
		case a == "F":
			args[i] = outputs
		case strings.HasPrefix(a, "F/"):
			args[i] = filepath.Join(outputs, a[2:])
		case strings.HasPrefix(a, "I/"):
			args[i] = filepath.Join(inputs, a[2:])
		}
	}
	return args
}

// outputs are the names of the files that the call names.
func (c faultCall) outputs() (names []string) {
	for _, a := range strings.Fields(c.args) {
		if name, is := strings.CutPrefix(a, "F/"); is {
			names = append(names, name)
		}
	}
	return names
}

// eachCommand are the commands of the program, without commands that only hold others.
func eachCommand() (all []command) {
	app := newApp(process{stdout: &sink{w: &bytes.Buffer{}}, stderr: &bytes.Buffer{}})
	return slices.DeleteFunc(describe(app).all(), func(c command) bool { return len(c.subcommands) > 0 })
}

// TestFaultsOfCommands has, of each command, the opening, reading, writing, closing and naming of
// each file fail: exit code 1, one line that names the file, and no file left.
func TestFaultsOfCommands(t *testing.T) {
	inputs := faultInputs(t)
	for _, command := range eachCommand() {
		calls, known := faultCalls[command.name]
		if !known {
			t.Errorf("scanmap %s: faultCalls has no call of it", command.name)
		}
		var typed []string
		for _, c := range calls {
			typed = append(typed, strings.Fields(c.args)...)
		}
		for _, o := range command.options {
			if slices.Contains([]string{"FILE", "FOLDER", "DIR", "REGIONS", "REGION"}, o.placeholder) && len(calls) > 0 &&
				!slices.Contains(typed, "--"+o.name()) {
				t.Errorf("scanmap %s: no call of faultCalls has --%s", command.name, o.name())
			}
		}
		for _, c := range calls {
			t.Run(c.args, func(t *testing.T) { c.fail(t, inputs) })
		}
	}
}

// fail has each operation of the call fail.
func (c faultCall) fail(t *testing.T, inputs string) {
	made := eachFault(t, false, func(t *testing.T, f *faults, folder string) (int, string, string) {
		ctx := context.WithValue(fasta.WithOpener(context.Background(), f.openInput("")), layerKey{}, fileLayer(faultyResults{faults: f}))
		code, stdout, stderr := callFaulty(t, ctx, c.arguments(inputs, folder))
		if code == 0 {
			if holds := names(t, folder); holds != c.files {
				t.Errorf("the folder holds %s, not %s", holds, c.files)
			}
			// bench has a table, too.
			if c.files != "" && stdout != "" && !strings.HasPrefix(c.args, "bench") {
				t.Errorf("standard output %.100q", stdout)
			}
		}
		if c.files == "" {
			stdout = "" // the output before the fault
		}
		return code, stdout, stderr
	}, map[string]syscall.Errno{"open": syscall.EACCES, "read": syscall.EIO, "create": syscall.EMFILE, "write": syscall.ENOSPC,
		"finish": syscall.EDQUOT, "rename": syscall.EXDEV},
		func(folder, kind string, code syscall.Errno) []string {
			operation, name, _ := strings.Cut(kind, " ")
			if operation == "open" || operation == "read" {
				return []string{"scanmap: " + name + ": "} // and of some, the line
			}
			return []string{folder, name}
		})
	for _, a := range strings.Fields(c.args) {
		if name, is := strings.CutPrefix(a, "I/"); is && made["read "+filepath.Join(inputs, name)] == 0 {
			t.Errorf("%s was not read", name)
		}
	}
	for _, name := range c.outputs() {
		operations := []string{"create", "write", "finish", "rename"}
		if strings.HasPrefix(c.args, "demultiplex ") {
			operations = operations[3:]
		}
		for _, operation := range operations {
			if made[operation+" "+name] == 0 {
				t.Errorf("%s %s was not tried", operation, name)
			}
		}
	}
}

// faultyResults are files of results of the system with faults.
type faultyResults struct {
	systemFiles
	*faults
}

// temporaryEnding is what names of files end with until they are published.
var temporaryEnding = regexp.MustCompile(`\.[0-9a-f]{8}\.tmp$`)

func (f faultyResults) open(name string, flag int) (resultFile, error) {
	shown := temporaryEnding.ReplaceAllString(filepath.Base(name), "")
	if err := f.do("create "+shown, 1); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(name, flag, 0o666)
	if err != nil {
		return nil, err
	}
	return faultyResult{file, shown, f.faults}, nil
}

func (f faultyResults) rename(from, to string) error {
	if err := f.do("rename "+filepath.Base(to), 0); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// A faultyResult seeks too, for formats whose beginning is written last.
type faultyResult struct {
	*os.File
	name   string
	faults *faults
}

// Write writes half before it fails, as a disk does that becomes full.
func (f faultyResult) Write(p []byte) (int, error) {
	if err := f.faults.do("write "+f.name, 0); err != nil {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, err
	}
	return f.File.Write(p)
}

func (f faultyResult) Close() error {
	err := f.faults.do("finish "+f.name, -1)
	if e := f.File.Close(); err == nil {
		err = e
	}
	return err
}

func (f faultyResult) Chmod(mode fs.FileMode) error { return f.File.Chmod(mode) }

// TestPlacesOfCommands has each output of each command be a full device, or in a folder that is
// missing, and each input be missing: exit code 1, one line, and no file left.
func TestPlacesOfCommands(t *testing.T) {
	inputs := faultInputs(t)
	for _, calls := range faultCalls {
		for _, c := range calls {
			fails := func(what string, folder string, args []string, want string) {
				code, stdout, stderr := call(args...)
				left := strings.TrimSpace(strings.ReplaceAll(" "+names(t, folder)+" ", " full ", " "))
				if code != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "scanmap: ") ||
					!strings.Contains(stderr, want) || left != "" {
					t.Errorf("%s, %s: exit code %d, standard output %.100q, standard error %q, the folder holds %s", c.args, what, code, stdout, stderr, left)
				}
			}
			for _, name := range c.outputs() {
				folder := t.TempDir()
				args := c.arguments(inputs, folder)
				i := slices.Index(args, filepath.Join(folder, name))
				args[i] = filepath.Join(folder, "no", name)
				fails("no folder of "+name, folder, args, args[i]+": no such file or directory")
				if strings.HasPrefix(c.args, "demultiplex ") {
					continue
				}
				// The end of the name says the format.
				full := filepath.Join(folder, "full")
				if err := os.Mkdir(full, 0o700); err != nil {
					t.Fatal(err)
				}
				args[i] = filepath.Join(full, name)
				if err := os.Symlink("/dev/full", args[i]); err != nil {
					t.Fatal(err)
				}
				want := args[i] + ": no space left on device"
				if filepath.Ext(name) == ".bw" {
					want = args[i] + ": bigWig goes to a regular file only"
				}
				fails(name+" is full", folder, args, want)
			}
			for i, a := range strings.Fields(c.args) {
				if name, is := strings.CutPrefix(a, "I/"); is {
					folder := t.TempDir()
					args := c.arguments(inputs, folder)
					args[i] = filepath.Join(inputs, "none", name)
					fails("without "+name, folder, args, args[i])
				}
			}
			if c.files != "" || strings.HasPrefix(c.args, "bench") {
				continue
			}
			for _, f := range []struct {
				err  error
				code int
				want string
			}{{syscall.ENOSPC, 1, "standard output: no space left on device\n"}, {syscall.EPIPE, 0, ""}} {
				var stderr bytes.Buffer
				code := runIn(context.Background(), append([]string{"scanmap"}, c.arguments(inputs, "")...), failingWriter{f.err}, &stderr)
				if code != f.code || !strings.HasSuffix(stderr.String(), f.want) || strings.Count(stderr.String(), "\n") > 1 {
					t.Errorf("%s, %v: exit code %d, standard error %q", c.args, f.err, code, stderr.String())
				}
			}
		}
	}
}

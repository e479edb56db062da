package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// set is a reference with samples.
type set struct {
	name, reference string
	samples         []sample
	pairs           int  // of the largest sample, or reads
	tabs            bool // the columns of its sheet have tabs between them, not commas
}

// sample has one file of reads, or two of mates.
type sample struct {
	name  string
	files []string
}

// parts is how many parts each sample is mapped in.
const parts = 4

// prepare puts scanmap, the data and the results of single runs into the folder.
func (t *trial) prepare(ctx context.Context) error {
	binaries, data := filepath.Join(t.folder, "bin"), filepath.Join(t.folder, "data")
	for _, folder := range []string{binaries, data} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	program, err := os.ReadFile(filepath.Join(t.root, "bin", "scanmap"))
	if err != nil {
		return err
	}
	t.scanmap = filepath.Join(binaries, "scanmap")
	if err := os.WriteFile(t.scanmap, program, 0o755); err != nil {
		return err
	}
	t.env = []string{"PATH=" + strings.Join([]string{binaries, filepath.Join(t.engines, "venv", "bin"), os.Getenv("PATH")}, ":")}

	testdata := filepath.Join(t.root, "testdata")
	portiera := filepath.Join(testdata, "portiera.fa.gz")
	pairs := func(name, n string) (sample, error) {
		x := sample{name, []string{filepath.Join(data, name+"_1.fq"), filepath.Join(data, name+"_2.fq")}}
		_, err := t.command(ctx, t.root, nil, filepath.Join(t.engines, "simulate"), "-ref", portiera, "-pairs", "-n", n,
			"-length", "101", "-o", x.files[0], "-mates", x.files[1])
		return x, err
	}
	many, err := pairs("pairs", "3401")
	if err != nil {
		return err
	}
	few, err := pairs("few", "203")
	if err != nil {
		return err
	}
	single := sample{"single", []string{filepath.Join(testdata, "portiera_101bp.fastq.gz")}}
	t.sets = []set{{"portiera", portiera, []sample{many, single}, 3465, false}}
	t.few = set{"few", portiera, []sample{few}, 203, true}

	larger := os.Getenv("SCANMAP_DATA")
	if larger == "" {
		larger = filepath.Join(t.root, "..", "shared", "data")
	}
	yeast := filepath.Join(larger, "ref", "yeast_R64-1-1_toplevel.fa.gz")
	if _, err := os.Stat(yeast); err != nil {
		fmt.Printf("SKIPPED: the pairs of yeast, which %s does not have\n", larger)
	} else {
		reads := filepath.Join(larger, "reads", "dev_yeast_SRR5204809_50bp_R")
		t.sets = append(t.sets, set{"yeast", yeast, []sample{{"yeast", []string{reads + "1.fastq.gz", reads + "2.fastq.gz"}}}, 100000, false})
	}
	return t.step("single runs of scanmap", func() error { return t.expect(ctx) })
}

// expect maps each sample in one run, as a user would. Pairs are mapped once more, with the insert
// sizes that parts are given: a run that estimates the sizes counts other pairs in its statistics
// of sizes.
func (t *trial) expect(ctx context.Context) error {
	for _, s := range append(slices.Clone(t.sets), t.few) {
		for _, x := range s.samples {
			base := filepath.Join(t.folder, "data", x.name)
			files := append([]string{s.reference}, x.files...)
			args := []string{"map", "-e", "4%", "--sort", "--no-pg", "--rg", x.name, "--sample", x.name, "--device", "cpu",
				"--stats", base + ".stats.json", "--multiqc", base + "_mqc.json"}
			if _, err := t.command(ctx, t.folder, nil, t.scanmap, slices.Concat(args, []string{"-o", base + ".bam"}, files)...); err != nil {
				return err
			}
			if len(x.files) == 1 {
				continue
			}
			sizes, err := t.command(ctx, t.folder, nil, t.scanmap, append([]string{"insert-size", "--quiet", "-e", "4%", "--device", "cpu"}, files...)...)
			if err != nil {
				return err
			}
			args = append(args, strings.Fields(sizes)...)
			if _, err := t.command(ctx, t.folder, nil, t.scanmap, slices.Concat(args, []string{"-o", "/dev/null", "--format", "bam"}, files)...); err != nil {
				return err
			}
		}
	}
	return nil
}

// sheet writes the sample sheet of a set into a new folder, the same for both engines.
func (s *set) sheet(folder string) (string, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	name, separator := "samples.csv", ","
	if s.tabs {
		name, separator = "samples.tsv", "\t"
	}
	lines := []string{strings.Join([]string{"sample", "fastq_1", "fastq_2"}, separator)}
	for _, x := range s.samples {
		second := ""
		if len(x.files) == 2 {
			second = x.files[1]
		}
		lines = append(lines, strings.Join([]string{x.name, x.files[0], second}, separator))
	}
	path := filepath.Join(folder, name)
	return path, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}

package main

import (
	"slices"
	"strings"
	"testing"
)

func TestNormalize(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "--help"},
		{"map", "map --"},
		{"map -k 5 ref reads", "map --max-distance=5 -- ref reads"},
		{"search -e 5 A ref", "search --max-distance=5 -- A ref"},
		{"search -k5 A ref", "search --max-distance=5 -- A ref"},
		{"bench search -e 0,1", "bench search --max-distance=0,1 --"},
		{"map ref reads", "map -- ref reads"},
		{"map -e 5 ref reads", "map --max-distance=5 -- ref reads"},
		{"map ref reads -e 5 --quiet", "map --max-distance=5 --quiet -- ref reads"},
		{"map ref -t4 reads -e4%", "map --threads=4 --max-distance=4% -- ref reads"},
		{"map --threads=4 -threads 4 -t=4 -t4", "map --threads=4 --threads=4 --threads=4 --threads=4 --"},
		{"map -o - - reads", "map --output=- -- - reads"},
		{"map -- -e --quiet", "map -- -e --quiet"},
		{"map ref -- reads --quiet", "map -- ref reads --quiet"},
		{"map --crop -1 ref reads", "map --crop=-1 -- ref reads"},
		{"map -R @RG\\tID:a=b ref", `map --read-group=@RG\tID:a=b -- ref`},
		{"map ref -x variants --sort=false", "map --preset=variants --sort=false -- ref"},
		{"map --sort=true --sort ref", "map --sort=true --sort -- ref"},
		{"map --cpuprofile x", "map --cpuprofile=x --"},
		{"map ref reads --help -e", "map --help"},
		{"map -h", "map --help"},
		{"help", "--help"},
		{"help map", "map --help"},
		{"help map ref -e", "map --help"},
		{"bench", "bench --"},
		{"bench device --json - --bytes=4K", "bench device --json=- --bytes=4K --"},
		{"bench map ref -e5 reads", "bench map --max-distance=5 -- ref reads"},
		{"bench map map", "bench map -- map"},
		{"bench map ref --help", "bench map --help"},
		{"help bench", "bench --help"},
		{"help bench map", "bench map --help"},
		{"--help", "--help"},
		{"-h map", "--help"},
		{"--version", "--version --"},
		{"-v", "--version --"},
	} {
		args := append([]string{"scanmap"}, strings.Fields(c.args)...)
		got, err := normalize(newApp(process{}), args)
		want := append([]string{"scanmap"}, strings.Fields(c.want)...)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, %v, want %q", c.args, got, err, want)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"--max-distance", "--max-locations", "--threads", "--rg", "--output"}
	for typed, want := range map[string]string{
		"max-distanc": "--max-distance", "max-dist": "--max-distance", "max_distance": "--max-distance",
		"thread": "--threads", "thraeds": "--threads", "ouput": "--output", "r": "--rg", "bananas": "", "x": "", "": "",
	} {
		if got := nearest(typed, names); got != want {
			t.Errorf("nearest(%q) = %q, want %q", typed, got, want)
		}
	}
}

package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"scanmap/internal/truth"
)

// TestPrimers has pairs that face each other in the reference at the distance that was asked for.
func TestPrimers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	contigs := []string{truth.Random(r, 50, "ACGT"), truth.Random(r, 5000, "ACGT") + "NNN" + truth.Random(r, 800, "ACGT")}
	c := primerCutter{truth.Reference(t, contigs...), r, nil}
	for range 200 {
		forward, reverse, err := c.cut()
		if err != nil {
			t.Fatal(err)
		}
		start := strings.Index(contigs[1], string(forward))
		end := strings.Index(contigs[1], truth.ReverseComplement(string(reverse))) + len(reverse)
		for _, p := range [][]byte{forward, reverse} {
			if len(p) < leastPrimer || len(p) > mostPrimer {
				t.Errorf("a primer of %d", len(p))
			}
		}
		if size := end - start; start < 0 || end < start || size < leastProduct || size > mostProduct {
			t.Errorf("%s %s at %d to %d", forward, reverse, start, end)
		}
	}
	c.ref = truth.Reference(t, contigs[0])
	if _, _, err := c.cut(); err == nil {
		t.Error("a product out of 50 bases")
	}
}

// TestPrimersOutside has primers that touch no interval, up to its borders.
func TestPrimersOutside(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	contigs := []string{truth.Random(r, 50, "ACGT"), truth.Random(r, 2000, "ACGT")}
	ref := truth.Reference(t, contigs...)
	bed := filepath.Join(t.TempDir(), "x.bed")
	name := ref.Contigs[1].Name
	if err := os.WriteFile(bed, []byte(name+"\t130\t140\tx\n"+name+"\t100\t120\n"+name+"\t119\t130\n"+name+"\t170\t500\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	outside, err := readBED(bed, ref)
	if err != nil || len(outside) != 2 {
		t.Fatal(outside, err)
	}
	c := primerCutter{ref, r, outside}
	for _, s := range []struct {
		from, to int
		want     bool
	}{{99, 100, true}, {99, 101, false}, {139, 150, false}, {140, 170, true}, {140, 171, false}, {90, 600, false}, {500, 501, true}, {499, 501, false}} {
		if start := ref.Contigs[1].Start; c.isOutside(start+s.from, start+s.to) != s.want {
			t.Error(s)
		}
	}
	between := 0
	for range 500 {
		forward, reverse, err := c.cut()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []string{string(forward), truth.ReverseComplement(string(reverse))} {
			at := strings.Index(contigs[1], p)
			if at < 0 || at+len(p) > 100 && at < 140 || at+len(p) > 170 && at < 500 {
				t.Error(p, at)
			}
			if at >= 140 && at < 170 {
				between++
			}
		}
	}
	if between == 0 {
		t.Error("no primer between two intervals")
	}
}

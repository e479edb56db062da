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

	"scanmap/dna"
)

// usual is how pairs are made unless a test says otherwise.
var usual = sequencing{length: 50, insertMean: 200, insertSD: 30, chimeras: 0.1, errorFirst: 0.003, errorLast: 0.015}

// randomLetters is the beginning of always the same text.
func randomLetters(n int) string {
	r := rand.New(rand.NewPCG(7, 7))
	text := make([]byte, n)
	for i := range text {
		text[i] = dna.Letters[r.IntN(4)]
	}
	return string(text)
}

// simulated writes a reference and makes its pairs: names, letters and qualities of both mates.
func simulated(t *testing.T, letters string, p pairFlags, n int, seed uint64) [2][][3]string {
	t.Helper()
	folder := t.TempDir()
	ref, first := filepath.Join(folder, "ref.fa"), filepath.Join(folder, "1.fq")
	p.mates = filepath.Join(folder, "2.fq")
	if err := os.WriteFile(ref, []byte(">one_1\n"+letters+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := p.run(ref, n, seed, first); err != nil {
		t.Fatal(err)
	}
	var files [2][][3]string
	for i, name := range []string{first, p.mates} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for record := range slices.Chunk(strings.Split(strings.TrimSpace(string(text)), "\n"), 4) {
			files[i] = append(files[i], [3]string{strings.TrimPrefix(record[0], "@"), record[1], record[3]})
		}
		if len(files[i]) != n {
			t.Fatalf("%d records in %s, expected %d", len(files[i]), name, n)
		}
	}
	return files
}

func reverseComplement(text string) string {
	b := []byte(text)
	slices.Reverse(b)
	for i := range b {
		b[i] = dna.Complement(b[i])
	}
	return string(b)
}

// Without variants and errors each mate is the text at the place that its name gives.
func TestPairsAreFromWhereTheirNamesSay(t *testing.T) {
	letters := randomLetters(2000) + strings.Repeat("N", 500) + randomLetters(3000)
	p := pairFlags{sequencing: usual}
	p.sequencing.errorFirst, p.sequencing.errorLast = 0, 0
	files := simulated(t, letters, p, 2000, 1)
	chimeras, turned, sum := 0, 0, 0.0
	for i := range files[0] {
		pair, err := Parse(files[0][i][0])
		if err != nil || files[1][i][0] != files[0][i][0] || pair.Number != i {
			t.Fatalf("names %q and %q: %v", files[0][i][0], files[1][i][0], err)
		}
		for j, m := range pair.Mates {
			want := letters[m.Position-1 : m.Position-1+usual.length]
			if m.Strand == '-' {
				want = reverseComplement(want)
			}
			if got := files[j][i][1]; got != want {
				t.Fatalf("mate %d of %s is %s, expected %s", j+1, pair.Name(), got, want)
			}
		}
		if !pair.Together(400) {
			chimeras++
			continue
		}
		if pair.Mates[0].Strand == '-' {
			turned++
		}
		sum += math.Abs(float64(pair.Mates[0].Position-pair.Mates[1].Position)) + float64(usual.length)
	}
	// Some chimeras are together by chance. 200 of the pairs are chimeras and half of the others are
	// turned: five standard deviations.
	if chimeras < 110 || chimeras > 267 || turned < 780 || turned > 1020 {
		t.Errorf("%d chimeras, %d turned", chimeras, turned)
	}
	if mean := sum / float64(2000-chimeras); mean < 190 || mean > 210 {
		t.Errorf("mean insert %.1f", mean)
	}
}

func TestSameSeedSamePairs(t *testing.T) {
	letters := randomLetters(3000)
	p := pairFlags{sequencing: usual, variants: variantRates{0.01, 0.001}}
	first := simulated(t, letters, p, 100, 1)
	if again := simulated(t, letters, p, 100, 1); !slices.Equal(first[0], again[0]) || !slices.Equal(first[1], again[1]) {
		t.Error("the same seed gave other pairs")
	}
	if other := simulated(t, letters, p, 100, 2); slices.Equal(first[0], other[0]) {
		t.Error("another seed gave the same pairs")
	}
}

// Errors are as frequent as the options say at each end, and as the qualities say.
func TestErrorsAreThoseOfTheQualities(t *testing.T) {
	s := sequencer{sequencing: usual, rand: rand.New(rand.NewPCG(3, 3))}
	const reads = 100000
	errors, promised := make([]float64, s.length), make([]float64, s.length)
	for range reads {
		letters := bytes.Repeat([]byte{'A'}, s.length)
		for i, q := range s.sequence(letters) {
			promised[i] += probabilities[q-'!'] / reads
			if letters[i] != 'A' {
				errors[i] += 1.0 / reads
			}
		}
	}
	for i := range s.length {
		rate := 0.003 + 0.012*float64(i)/float64(s.length-1)
		// Five standard deviations of a mean of n.
		if near := 5 * math.Sqrt(rate/reads); !(math.Abs(errors[i]-rate) <= near) || !(math.Abs(promised[i]-rate) <= near) {
			t.Errorf("base %d: %.5f are wrong, qualities promise %.5f, expected %.5f", i, errors[i], promised[i], rate)
		}
	}
}

func TestQualitiesOfErrorRates(t *testing.T) {
	for _, c := range []struct {
		rate, x float64
		want    int
	}{{0, 0.5, 41}, {1e-9, 0, 41}, {7.943282347242822e-05, 0.5, 41}, {1, 0.5, 0}, {0.003, 0, 25}, {0.003, 0.999, 26}, {0.015, 0, 18}, {0.015, 0.999, 19}} {
		if at := newCycle(c.rate); at.draw(c.x) != c.want {
			t.Errorf("rate %g, x %g: %d, expected %d", c.rate, c.x, at.draw(c.x), c.want)
		}
	}
}

func TestImpossiblePairsAreRefused(t *testing.T) {
	for name, change := range map[string]func(*pairFlags){
		"no file of mates":         func(p *pairFlags) { p.mates = "" },
		"share above 1":            func(p *pairFlags) { p.sequencing.chimeras = 1.5 },
		"share that is no number":  func(p *pairFlags) { p.sequencing.errorLast = math.NaN() },
		"fragments below a read":   func(p *pairFlags) { p.sequencing.length = 1000 },
		"contig that is not there": func(p *pairFlags) { p.contig = "two" },
		"reference below a read":   func(p *pairFlags) { p.sequencing.insertMean, p.sequencing.insertSD = 5000, 1 },
	} {
		folder := t.TempDir()
		ref := filepath.Join(folder, "ref.fa")
		if err := os.WriteFile(ref, []byte(">one\n"+randomLetters(1000)+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		p := pairFlags{mates: filepath.Join(folder, "2.fq"), sequencing: usual}
		change(&p)
		if err := p.run(ref, 10, 1, filepath.Join(folder, "1.fq")); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}

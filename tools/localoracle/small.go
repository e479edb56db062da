package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"scanmap/internal/truth"
	"scanmap/mapper"
	"scanmap/tools/command"
)

const (
	readsOfReference = 1000 // fewer where they are long
	plainlyOf        = 500
	longestGap       = 100
)

// small judges small references until the time is over.
func small(arguments []string) error {
	flags := flag.NewFlagSet("small", flag.ExitOnError)
	scanmap := flags.String("scanmap", "bin/scanmap", "the program")
	seconds := flags.Int("seconds", 60, "time after which nothing is begun")
	references := flags.Int64("references", 1<<40, "most references")
	threads := flags.Int("t", 2, "references at a time, each with one thread")
	seed := flags.Uint64("seed", 1, "another seed gives others")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "localoracle-")
	if err != nil {
		return err
	}
	var all verdict
	var begun atomic.Int64
	var lock sync.Mutex
	var group sync.WaitGroup
	end := time.Now().Add(time.Duration(*seconds) * time.Second)
	for range *threads {
		group.Go(func() {
			for n := begun.Add(1); n <= *references && time.Now().Before(end); n = begun.Add(1) {
				one, wrong := smallReference(filepath.Join(folder, fmt.Sprint(n)), *scanmap, *seed<<32+uint64(n), end)
				lock.Lock()
				all.add(one)
				err = errors.Join(err, wrong)
				lock.Unlock()
			}
		})
	}
	group.Wait()
	fmt.Println(all.String())
	if len(all.faults) > 0 || err != nil {
		return errors.Join(err, fmt.Errorf("there are faults; %s has the files", folder))
	}
	return os.RemoveAll(folder)
}

// smallReference draws a reference and reads, maps and judges. The files stay where there are
// faults.
func smallReference(folder, scanmap string, seed uint64, end time.Time) (*verdict, error) {
	v := &verdict{}
	d := newDrawing(seed)
	length := d.length()
	contigs := d.contigs(length)
	scores := []string{"80%", "80%", "80%", "70%", "60%", "90%"}
	if length < 70 {
		scores = []string{"80%", "70%", "60%", "60%", "50%", "90%"} // gaps of short reads cost much
	}
	score, err := mapper.ParseScore(scores[d.IntN(6)])
	if err != nil {
		return v, err
	}
	var reads []string
	for range readsOfReference / (1 + length/50) {
		m := length + d.IntN(5)
		reads = append(reads, d.read(contigs, m, score.For(m)))
	}
	reference, fastq, sam := folder+".fa", folder+".fq", folder+".sam"
	out, err := os.Create(fastq)
	if err != nil {
		return v, err
	}
	if err := errors.Join(writeReference(reference, contigs), writeReads(out, reads), out.Close()); err != nil {
		return v, err
	}
	if _, err := command.Run(scanmap, "map", "--local", "--report", "all", "--quiet", "-t", "1",
		"--min-score", fmt.Sprintf("%g%%", score.Percent), "-o", sam, reference, fastq); err != nil {
		return v, err
	}
	if err := v.judge(reference, fastq, sam, score, 1, plainlyOf, end); err != nil || len(v.faults) > 0 {
		return v, err
	}
	return v, errors.Join(os.Remove(reference), os.Remove(fastq), os.Remove(sam))
}

// A drawing draws references and reads.
type drawing struct{ *rand.Rand }

func newDrawing(seed uint64) *drawing { return &drawing{rand.New(rand.NewPCG(seed, 7))} }

// length prefers short reads, which take less time.
func (d *drawing) length() int {
	switch n := d.IntN(100); {
	case n < 65:
		return 15 + d.IntN(20)
	case n < 95:
		return 30 + d.IntN(40)
	case n < 99:
		return 100 + d.IntN(60)
	}
	return 250
}

// contigs draws a reference for reads of a length, in which stretches come again, changed, turned
// and in tandem. Only short reads are of few letters, because all ways to lay others take too long.
func (d *drawing) contigs(length int) (all []string) {
	letters := "ACGT"
	if length < 70 {
		letters = []string{"ACGT", "ACGT", "ACGT", "ACGT", "ACGT", "ACGT", "ACGT", "AC", "AAAAT", "ACG"}[d.IntN(10)]
	}
	for range 1 + d.IntN(2) {
		// map refuses a file in which no read fits.
		text := truth.Random(d.Rand, max(50, length+4)+d.IntN(100+2*length), letters)
		for range d.IntN(4) {
			from := d.IntN(len(text))
			part := text[from : from+1+d.IntN(len(text)-from)]
			if d.IntN(3) == 0 {
				part = strings.Repeat(part[:min(len(part), 1+d.IntN(20))], 2+d.IntN(15))
			}
			part = truth.Edited(d.Rand, part, d.IntN(1+len(part)/20))
			if d.IntN(2) == 0 {
				part = truth.ReverseComplement(part)
			}
			text += truth.Random(d.Rand, d.IntN(40), letters) + part
			text = text[:min(len(text), 100+8*length)]
		}
		if d.IntN(8) == 0 {
			at := d.IntN(len(text) - 4)
			text = text[:at] + "NNNN"[:1+d.IntN(4)] + text[at+4:]
		}
		all = append(all, text)
	}
	return all
}

// read draws a read of m bases with about the least score.
func (d *drawing) read(contigs []string, m, least int) string {
	contig := contigs[d.IntN(len(contigs))]
	from := d.IntN(max(1, len(contig)-m/2))
	s := contig[from:min(len(contig), from+m+4*longestGap)]
	budget := (m - least) * m // as in losses.go
	if d.IntN(2) == 0 {
		budget = d.IntN(budget + 1)
	}
	budget += d.IntN(3) * m
	left, right := 0, 0
	pay := func(loss int) bool {
		if loss > budget {
			return false
		}
		budget -= loss
		return true
	}
	clip := func() int {
		if n := 1 + d.IntN(1+budget/m); pay(n * m) {
			return n
		}
		return 0
	}
	for n := range 6 {
		at := 1 + d.IntN(min(m, max(1, len(s)-1)))
		g := 1 + d.IntN([]int{3, 14, longestGap}[d.IntN(3)])
		gap := min(6+g, mapper.LocalCap) * m
		switch kind := d.IntN(8); {
		case kind < 2:
			if at+g < len(s) && pay(gap) {
				s = s[:at] + s[at+g:]
			}
		case kind < 4:
			if at < len(s) && g < m && pay(gap+g*(m-least)) {
				more := truth.Random(d.Rand, g, "ACGT")
				if d.IntN(2) == 0 {
					more = s[max(0, at-g):at]
				}
				s = s[:at] + more + s[at:]
			}
		case kind == 4 && n > 2:
			left += clip()
		case kind == 5 && n > 2:
			right += clip()
		default:
			if at < len(s) && pay(5*m) {
				s = s[:at] + truth.Random(d.Rand, 1, "ACGT") + s[at+1:]
			}
		}
	}
	s = d.cropped(s, m)
	left = min(left, m)
	s = d.elsewhere(contigs, left) + s[left:]
	right = min(right, m)
	s = s[:m-right] + d.elsewhere(contigs, right)
	if d.IntN(2) == 0 {
		s = truth.ReverseComplement(s)
	}
	if d.IntN(50) == 0 {
		s = strings.Replace(s, "A", "N", 1+d.IntN(2))
	}
	return s
}

// elsewhere draws n letters, by chance or from a contig.
func (d *drawing) elsewhere(contigs []string, n int) string {
	if d.IntN(2) == 0 {
		return truth.Random(d.Rand, n, "ACGT")
	}
	contig := contigs[d.IntN(len(contigs))]
	return d.cropped(contig[d.IntN(len(contig)):], n)
}

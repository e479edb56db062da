// Command localoracle judges what `scanmap map --local --report all` writes by the exhaustive
// program of package truth: that no place is missing, that none is there twice or is none, and that
// each is written as it should be.
//
//	localoracle simulate -n 1000 -length 150 -seed 1 ref.fa >reads.fq
//	localoracle judge -min-score 80% ref.fa reads.fq out.sam
//	localoracle small -scanmap bin/scanmap -seconds 60 -seed 1
//
// The command simulate cuts reads out of a reference, with mismatches, with gaps of 1 to 100 bases
// and with ends that lie elsewhere, as long as about the least score is left; half have about as
// much as may be.
//
// The command judge takes reads as simulate writes them, and a file for single reads. A plain
// program first finds for each base of a read and each position of the reference the least loss of
// an alignment with this pair (losses.go). Where the least loss is more than may be lost, none
// qualifies. Package truth looks at the rest. It has room for stretches of less than 4,096 bases.
// Reads with longer ones, as of many copies in a row, are counted as not judged.
//
// The command small draws small references with repeats, and their reads, until its time is over,
// maps these and judges. One in 500 is also judged without losses.go, unless it is long.
//
// They print what they looked at, and faults. There should be none.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"scanmap/internal/truth"
	"scanmap/locate"
	"scanmap/mapper"
	"scanmap/tools/command"
)

func main() {
	commands := map[string]func(arguments []string) error{"simulate": simulate, "judge": judge, "small": small}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		command.Exit("localoracle", errors.New("expected simulate, judge or small"))
	}
	command.Exit("localoracle", commands[os.Args[1]](os.Args[2:]))
}

// simulate writes reads.
func simulate(arguments []string) error {
	flags := flag.NewFlagSet("simulate", flag.ExitOnError)
	n := flags.Int("n", 1000, "number of reads")
	length := flags.Int("length", 150, "bases of a read")
	seed := flags.Uint64("seed", 1, "another seed gives other reads")
	score := flags.String("min-score", "80%", "least score, as --min-score has it")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	least, err := mapper.ParseScore(*score)
	if err != nil {
		return err
	}
	contigs, _, err := readReference(flags.Arg(0))
	if err != nil {
		return err
	}
	d := newDrawing(*seed)
	var reads []string
	for range *n {
		reads = append(reads, d.read(contigs, *length, least.For(*length)))
	}
	return writeReads(os.Stdout, reads)
}

// judge judges the records of a file.
func judge(arguments []string) error {
	flags := flag.NewFlagSet("judge", flag.ExitOnError)
	score := flags.String("min-score", "80%", "least score, as --min-score has it")
	threads := flags.Int("t", 2, "threads")
	plainly := flags.Int("plainly", 0, "judge one of so many reads without losses.go too; 0 for none")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if flags.NArg() != 3 {
		return errors.New("expected a reference, reads and SAM")
	}
	least, err := mapper.ParseScore(*score)
	if err != nil {
		return err
	}
	var v verdict
	if err := v.judge(flags.Arg(0), flags.Arg(1), flags.Arg(2), least, *threads, *plainly, time.Time{}); err != nil {
		return err
	}
	fmt.Println(v.String())
	if len(v.faults) > 0 {
		return errors.New("there are faults")
	}
	return nil
}

// A verdict counts the reads and locations looked at.
type verdict struct {
	reads, places, gapped, clipped, unjudged, unsought, plainly int
	faults                                                      []string
}

func (v *verdict) String() string {
	return fmt.Sprintf("%d reads, %d places, of which %d with gaps and %d clipped; %d reads too short, %d not judged, %d judged in both ways; %d faults",
		v.reads, v.places, v.gapped, v.clipped, v.unsought, v.unjudged, v.plainly, len(v.faults))
}

// judge judges reads; one in plainly also plainly. From some time on, if it is not zero, no read is
// begun.
func (v *verdict) judge(reference, readFile, samFile string, score mapper.Score, threads, plainly int, end time.Time) error {
	contigs, names, err := readReference(reference)
	if err != nil {
		return err
	}
	reads, err := readReads(readFile)
	if err != nil {
		return err
	}
	records, err := readRecords(samFile, names, len(reads))
	if err != nil {
		return err
	}
	numbers := make(chan int)
	var group sync.WaitGroup
	var lock sync.Mutex
	for range threads {
		group.Go(func() {
			for n := range numbers {
				rules := truth.LocalRules{Least: score.For(len(reads[n])), Cap: locate.DefaultCap, Longest: locate.LongestGap}
				one := verdict{reads: 1}
				one.judgeRead(contigs, reads[n], rules, records[n], plainly > 0 && n%plainly == plainly-1)
				for i := range one.faults {
					one.faults[i] = fmt.Sprintf("read %d %s: %s", n, reads[n], one.faults[i])
					fmt.Println(one.faults[i])
				}
				lock.Lock()
				v.add(&one)
				lock.Unlock()
			}
		})
	}
	for n := range reads {
		if !end.IsZero() && time.Now().After(end) {
			break
		}
		numbers <- n
	}
	close(numbers)
	group.Wait()
	return nil
}

// add adds another verdict.
func (v *verdict) add(o *verdict) {
	v.reads, v.places, v.gapped, v.clipped = v.reads+o.reads, v.places+o.places, v.gapped+o.gapped, v.clipped+o.clipped
	v.unjudged, v.unsought, v.plainly = v.unjudged+o.unjudged, v.unsought+o.unsought, v.plainly+o.plainly
	v.faults = append(v.faults, o.faults...)
}

// judgeRead compares the records of a read with its places.
func (v *verdict) judgeRead(contigs []string, read string, rules truth.LocalRules, got []string, plainly bool) {
	if len(got) == 0 {
		v.faults = append(v.faults, "no record")
		return
	}
	var want []string
	if locate.CutLocal(len(read), rules.Least, rules.Cap).Number == 0 {
		v.unsought++
	} else {
		all, ok := findLocal(contigs, read, rules)
		if !ok {
			v.unjudged++
			return
		}
		want = v.describe(read, all)
		if plainly {
			v.plainly++
			if other := new(verdict).describe(read, truth.FindLocal(contigs, read, rules)); !slices.Equal(want, other) {
				v.faults = append(v.faults, fmt.Sprintf("JUDGES DIFFER: %v, plainly %v", want, other))
			}
		}
	}
	if len(want) == 0 {
		want = []string{unmapped}
	}
	slices.Sort(got)
	if slices.Equal(got, want) {
		return
	}
	for i, place := range want {
		if !slices.Contains(got, place) && (i == 0 || place != want[i-1]) {
			v.faults = append(v.faults, "missing "+place)
		}
	}
	for i, place := range got {
		if i > 0 && place == got[i-1] {
			v.faults = append(v.faults, "twice "+place)
		} else if !slices.Contains(want, place) {
			v.faults = append(v.faults, "wrong "+place)
		}
	}
	if len(v.faults) == 0 {
		v.faults = append(v.faults, "two places are alike")
	}
}

// describe returns places as readRecords has them, in order, and counts them.
func (v *verdict) describe(read string, all []truth.LocalLocation) (places []string) {
	for _, l := range all {
		v.places++
		if l.Gaps > 0 {
			v.gapped++
		}
		if strings.Contains(l.CIGAR, "S") {
			v.clipped++
		}
		places = append(places, fmt.Sprintf("%d %d %d %s %d", l.Contig, l.Strand, l.Start+1, l.CIGAR, len(read)-l.Lost))
	}
	slices.Sort(places)
	return places
}

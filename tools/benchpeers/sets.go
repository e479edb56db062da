package main

import (
	"fmt"
	"strconv"
	"strings"

	"scanmap/tools/command"
	"scanmap/tools/sidebyside"
)

// A set is a reference with reads or with pairs.
type set struct {
	Name      string
	reference string // a file of the data
	reads     string // a file of the data, % is the number of the mate; empty for simulated ones
	pairs     bool
	n         int // how many are simulated
	length, k int // of reads: bases, and edits to map them with
}

var larger = []set{
	{Name: "yeast, 100,000 reads of 50 bases, k = 2", reference: sidebyside.Yeast, reads: strings.ReplaceAll(sidebyside.YeastReads, "%", "1"), length: 50, k: 2},
	{Name: "human mosaic, 25,839 reads of 101 bases, k = 4", reference: sidebyside.Mosaic, reads: strings.ReplaceAll(sidebyside.HumanReads, "%", "1"), length: 101, k: 4},
	{Name: "E. coli, 200,000 simulated reads of 100 bases, k = 5", reference: sidebyside.Ecoli, n: 200000, length: 100, k: 5},
	{Name: "yeast, 100,000 pairs of 50 bases", reference: sidebyside.Yeast, reads: sidebyside.YeastReads, pairs: true},
	{Name: "human mosaic, 25,839 pairs of 101 bases", reference: sidebyside.Mosaic, reads: sidebyside.HumanReads, pairs: true},
	{Name: "E. coli, 28,160 pairs of 30 to 100 bases", reference: sidebyside.Ecoli, reads: sidebyside.EcoliReads, pairs: true},
}

// small are those of testdata.
var small = []set{
	{Name: "Portiera, 5,000 reads of 36 bases, k = 2", reference: "portiera.fa.gz", reads: "portiera_36bp.fastq.gz", length: 36, k: 2},
	{Name: "Portiera, 3,465 reads of 101 bases, k = 4", reference: "portiera.fa.gz", reads: "portiera_101bp.fastq.gz", length: 101, k: 4},
	{Name: "Portiera, 50,000 simulated reads of 100 bases, k = 5", reference: "portiera.fa.gz", n: 50000, length: 100, k: 5},
	{Name: "Portiera, 20,000 simulated pairs of 101 bases", reference: "portiera.fa.gz", n: 20000, pairs: true, length: 101},
}

// prepare writes the files of a set as plain text, and returns what stands for them in command
// lines.
func (s *set) prepare(data sidebyside.Data, threads int) (sidebyside.Words, error) {
	reference, err := data.Unpack(s.reference, folder)
	if err != nil {
		return nil, err
	}
	words := sidebyside.Words{"REF": reference, "IDX": strings.TrimSuffix(reference, ".fa"), "T": strconv.Itoa(threads)}
	simulated := folder + "/simulated"
	switch {
	case s.pairs && s.reads == "":
		words["R1"], words["R2"] = simulated+"_1.fq", simulated+"_2.fq"
		err = command.Shell(words.Fill(fmt.Sprintf("build/tools/simulate -ref {REF} -pairs -n %d -length %d -seed 1 -o {R1} -mates {R2}", s.n, s.length)))
	case s.pairs:
		for i, name := range []string{"R1", "R2"} {
			if words[name], err = data.Unpack(strings.ReplaceAll(s.reads, "%", strconv.Itoa(i+1)), folder); err != nil {
				return nil, err
			}
		}
	case s.reads == "":
		words["READS"] = simulated + ".fq"
		err = command.Shell(words.Fill(fmt.Sprintf("build/tools/simulate -ref {REF} -n %d -length %d -max-edits %d -seed 1 -o {READS}", s.n, s.length, s.k)))
	default:
		words["READS"], err = data.Unpack(s.reads, folder)
	}
	if !s.pairs {
		words["K"], words["IDENTITY"], words["RATE"] = strconv.Itoa(s.k), strconv.Itoa(s.identity()), strconv.Itoa((100*s.k+s.length-1)/s.length)
	}
	return words, err
}

// identity is the least one, in percent, that allows k edits, rounded down. Of 101 bases 96 % allow
// 4 edits too.
func (s *set) identity() int {
	if s.length == 101 && s.k == 4 {
		return 96
	}
	return 100 - (100*s.k+s.length-1)/s.length
}

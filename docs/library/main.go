// Command library maps the reads of a FASTQ file with package mapper, and prints how many places
// each read has: a program in a module of its own, which requires scanmap.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"scanmap/gpu/device"
	"scanmap/mapper"
	"scanmap/sam"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: library REF.fa READS.fq")
		os.Exit(2)
	}
	if err := countPlaces(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "library:", err)
		os.Exit(1)
	}
}

// countPlaces prints a line for each read: its name and the number of its places within 4 % edits.
func countPlaces(reference, reads string) error {
	options := mapper.Options{
		Reference: reference,
		Libraries: []mapper.Library{{Reads: reads}},
		Distance:  mapper.DefaultDistance,
		Report:    mapper.Report{Mode: mapper.ReportAll}, // or ReportBest, ReportOne, ReportUnique
		Device:    device.Choice{Kind: device.Auto},      // GPUs if that is worth it
		Threads:   runtime.NumCPU(),                      // 0 is one
	}
	found := func(records []sam.Record) error {
		for _, r := range records {
			if r.HitIndex > 1 {
				continue // another place of the read before
			}
			if _, err := fmt.Printf("%s\t%d\n", r.Name, r.Hits); err != nil {
				return err
			}
		}
		return nil
	}
	_, err := mapper.Run(context.Background(), options, sam.HeaderOptions{}, mapper.Outputs{Found: found})
	return err
}

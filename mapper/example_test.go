package mapper_test

import (
	"context"
	"fmt"

	"scanmap/fasta"
	"scanmap/gpu/device"
	"scanmap/mapper"
	"scanmap/sam"
)

// Reads that are in memory are mapped to a reference that is, too, and every location comes as a
// value. The reference is packed once, for as many runs as one likes. With device.Auto the same
// locations come from GPUs, where there are any and the work is worth it.
func Example() {
	reference, err := fasta.PackReference([]fasta.Contig{
		{Name: "chr1", Bases: []byte("GATTACAGATTACATTTGGGCCCAAATGTAATCTGTAATC")},
		{Name: "chr2", Bases: []byte("CCCCGATTACAGATTACTTTTTTTTT")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for run, bases := range []string{"GATTACAGATTACA", "TTTGGGCCCAAA"} {
		reads, err := fasta.FromMemory([]fasta.Read{{Name: "read", Bases: []byte(bases)}})
		if err != nil {
			fmt.Println(err)
			return
		}
		options := mapper.Options{
			Packed:    reference,
			Libraries: []mapper.Library{{Reads: "memory", Source: reads}},
			Distance:  mapper.Distance{Edits: 1},
			Device:    device.Choice{Kind: device.CPU},
			Threads:   2,
		}
		found := func(records []sam.Record) error {
			for _, r := range records {
				fmt.Printf("run %d: %s:%d-%d flags %d, %d edits, %v\n", run, r.Contig, r.Pos, r.End(), r.Flags, r.EditDistance, r.Cigar)
			}
			return nil
		}
		stats, err := mapper.Run(context.Background(), options, sam.HeaderOptions{}, mapper.Outputs{Found: found})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(stats.Mappings, "locations")
	}
	// Output:
	// run 0: chr1:0-14 flags 0, 0 edits, [14M]
	// run 0: chr1:26-40 flags 272, 0 edits, [14M]
	// run 0: chr2:4-18 flags 256, 1 edits, [14M]
	// 3 locations
	// run 1: chr1:14-26 flags 16, 0 edits, [12M]
	// run 1: chr1:14-26 flags 256, 0 edits, [12M]
	// 2 locations
}

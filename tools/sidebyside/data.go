package sidebyside

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"scanmap/tools/command"
)

// Page names the larger data and where to get it.
const Page = "docs/benchmarks/README.md"

// Names of larger files.
const (
	Yeast  = "ref/yeast_R64-1-1_toplevel.fa.gz"
	Mosaic = "ref/human_mosaic_15.6Mb.fa.gz"
	Ecoli  = "ref/ecoli_K12_MG1655_NC_000913.3.fa.gz"

	YeastReads = "reads/dev_yeast_SRR5204809_50bp_R%.fastq.gz" // % is the number of the mate
	HumanReads = "reads/dev_human_NA12878_chr20_10.0-10.1M_101bp_R%.fastq.gz"
	EcoliReads = "reads/dev_ecoli_MG1655_EAS20_8_30-100bp_R%.fastq.gz"
)

// Data is a folder of references and reads.
type Data struct {
	Folder string
	Larger bool // false if testdata stands in for the larger data
}

// FindData returns SCANMAP_DATA, by default ../shared/data, or testdata where that is not there,
// which it says.
func FindData() Data {
	folder := os.Getenv("SCANMAP_DATA")
	if folder == "" {
		folder = "../shared/data"
	}
	if _, err := os.Stat(folder); err != nil {
		fmt.Fprintf(os.Stderr, "%s is not there: testdata stands in. %s names the larger data, with accession numbers.\n", folder, Page)
		return Data{Folder: "testdata"}
	}
	return Data{Folder: folder, Larger: true}
}

// Choose returns the sets for the larger data or those for testdata.
func Choose[T any](d Data, larger, small []T) []T {
	if d.Larger {
		return larger
	}
	return small
}

// Path returns that of a file.
func (d Data) Path(name string) string { return filepath.Join(d.Folder, name) }

// Mates returns the paths of the files that a pattern with % for the number of the mate stands for.
func (d Data) Mates(pattern string) [2]string {
	return [2]string{d.Path(strings.ReplaceAll(pattern, "%", "1")), d.Path(strings.ReplaceAll(pattern, "%", "2"))}
}

// Unpack writes a file, compressed or not, as plain text into a folder and returns its path. It is
// left to another process: the peak memory of a child is at least that of the process that starts
// it, so tools that time stay small.
func (d Data) Unpack(name, folder string) (string, error) {
	target := filepath.Join(folder, filepath.Base(strings.TrimSuffix(name, ".gz")))
	return target, command.Shell(fmt.Sprintf("mkdir -p '%s' && zcat -f '%s' >'%s.part' && mv '%s.part' '%s'", folder, d.Path(name), target, target, target))
}

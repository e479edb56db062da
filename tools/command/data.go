package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// page names the larger data and where to get it.
const page = "docs/benchmarks/README.md"

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
		fmt.Fprintf(os.Stderr, "%s is not there: testdata stands in. %s names the larger data, with accession numbers.\n", folder, page)
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

// Path returns the path of a file.
func (d Data) Path(name string) string { return filepath.Join(d.Folder, name) }

// Unpack writes a file, compressed or not, as plain text into a folder and returns its path.
func (d Data) Unpack(name, folder string) (string, error) {
	target := filepath.Join(folder, filepath.Base(strings.TrimSuffix(name, ".gz")))
	_, err := Run("sh", "-c", `mkdir -p "$1" && zcat -f "$2" >"$3.part" && mv "$3.part" "$3"`, "sh", folder, d.Path(name), target)
	return target, err
}

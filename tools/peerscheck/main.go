// Command peerscheck compares scanmap with mrFAST and RazerS 3: the number of mapped reads, and
// every mapping of the other program, which must be within e bases of one of scanmap's. ../shared
// has lists of both; without it RazerS 3 maps the reads of testdata, if it is installed.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"scanmap/tools/command"
)

// mrfastFiles are the lists of mappings, by reads file and e.
var mrfastFiles = map[string]string{
	"dev_portiera_SRR2838702_36bp_R2/2":             "mrfast.po36.e2.tsv.gz",
	"tiny_portiera_SRR2838702_101bp_SE/4":           "mrfast.po101.e4.tsv.gz",
	"dev_yeast_SRR5204809_50bp_R1/2":                "mrfast.ye.e2.tsv.gz",
	"dev_human_NA12878_chr20_10.0-10.1M_101bp_R1/4": "mrfast.na.e4.tsv.gz",
	"dev_human_ERR005448_1000Gpilot_54bp/2":         "mrfast.err54.e2.tsv.gz",
}

const (
	folder = "build/peers"
	shown  = 10 // lost mappings
)

// errDiffers is that a comparison found a difference, which is printed.
var errDiffers = errors.New("scanmap differs from its peers")

func main() {
	data := command.FindData()
	lists := filepath.Join(filepath.Dir(data.Folder), "peers")
	_, err := os.Stat(lists)
	var ok bool
	if err := os.MkdirAll(folder, 0o755); err != nil {
		command.Exit("peerscheck", err)
	}
	if data.Larger && err == nil {
		ok, err = listed(data, lists)
	} else {
		ok, err = live()
	}
	if err == nil && !ok {
		err = errDiffers
	}
	command.Exit("peerscheck", err)
}

// listed compares with lists that the peers wrote earlier.
func listed(data command.Data, lists string) (ok bool, err error) {
	rows, err := readLines(lists + "/summary.tsv")
	if err != nil {
		return false, err
	}
	ok = true
	for _, row := range rows[1:] {
		f := strings.Split(row, "\t")
		same, err := checkRow(data, lists, f)
		if err != nil {
			return false, err
		}
		ok = ok && same
	}
	return ok, nil
}

// checkRow maps the reads of one row and prints the comparison.
func checkRow(data command.Data, lists string, f []string) (ok bool, err error) {
	reads, only, _ := strings.Cut(f[1], "(")
	fastq := filepath.Join(folder, reads+".fq")
	if err := writeReads(data.Path("reads/"+reads+".fastq.gz"), fastq, only != ""); err != nil {
		return false, err
	}
	places, mapped, mappings, err := scanmap("--max-distance", f[2], data.Path("ref/"+f[0]+".fa.gz"), fastq)
	if err != nil {
		return false, err
	}
	fmt.Printf("%s e=%s: scanmap %d reads, %d mappings; mrFAST %s, %s; RazerS 3 %s, %s\n", f[1], f[2], mapped, mappings, f[4], f[5], f[6], f[7])
	ok = f[4] == strconv.Itoa(mapped) && (f[6] == "-" || f[6] == f[4])
	if !ok {
		fmt.Println("  the numbers of mapped reads differ")
	}
	e, err := strconv.Atoi(f[2])
	if err != nil {
		return false, err
	}
	name, listed := mrfastFiles[reads+"/"+f[2]]
	if !listed {
		return false, fmt.Errorf("no list of mappings for %s", reads)
	}
	lines, err := readLines(filepath.Join(lists, name))
	if err != nil {
		return false, err
	}
	lost, err := lostOf(lines, places, e)
	return ok && lost == 0, err
}

// scanmap maps reads with an option that bounds the edits, and returns its mappings, whose
// alignments have the fewest edits, as the peers' have.
func scanmap(option, e, reference, reads string) (places map[place][][2]int, mapped, mappings int, err error) {
	sam := strings.TrimSuffix(reads, filepath.Ext(reads)) + ".sam"
	if _, err := command.Run("bin/scanmap", "map", "--quiet", "--gaps", "unit", option, e, "-o", sam, reference, reads); err != nil {
		return nil, 0, 0, err
	}
	return readPlaces(sam)
}

// lostOf counts and prints the mappings of a peer (read, flag, contig, position, CIGAR) that are
// not near one of scanmap's.
func lostOf(lines []string, places map[place][][2]int, e int) (lost int, err error) {
	found := 0
	for _, line := range lines {
		m := strings.Split(line, "\t")
		position, err := strconv.Atoi(m[3])
		if err != nil {
			continue // a header
		}
		flag, err := strconv.Atoi(m[1])
		if err != nil {
			return 0, err
		}
		if near(places[place{shortName(m[0]), flag & 16, m[2]}], position, position+span(m[4]), e) {
			found++
			continue
		}
		lost++
		if lost <= shown {
			fmt.Println("  lost:", line)
		}
	}
	fmt.Printf("  of the peer's mappings %d are near one of scanmap's, %d are lost\n", found, lost)
	return lost, nil
}

// place is where mappings are compared: a read on one strand of a contig.
type place struct {
	read   string
	strand int
	contig string
}

func shortName(name string) string {
	name, _, _ = strings.Cut(name, " ")
	return strings.TrimSuffix(strings.TrimSuffix(name, "/1"), "/2")
}

// near tells whether a mapping [from, to] starts or ends within e of a known one.
func near(known [][2]int, from, to, e int) bool {
	for _, k := range known {
		if max(k[0]-from, from-k[0]) <= e || max(k[1]-to, to-k[1]) <= e {
			return true
		}
	}
	return false
}

// span is the number of bases of the reference that a CIGAR covers.
func span(cigar string) (n int) {
	length := 0
	for _, c := range cigar {
		switch {
		case c >= '0' && c <= '9':
			length = 10*length + int(c-'0')
			continue
		case strings.ContainsRune("M=XDN", c):
			n += length
		}
		length = 0
	}
	return n
}

// readPlaces reads the mappings of a SAM file.
func readPlaces(name string) (places map[place][][2]int, mapped, mappings int, err error) {
	lines, err := readLines(name)
	if err != nil {
		return nil, 0, 0, err
	}
	places = map[place][][2]int{}
	for _, line := range lines {
		if strings.HasPrefix(line, "@") {
			continue
		}
		f := strings.Split(line, "\t")
		flag, err := strconv.Atoi(f[1])
		if err != nil {
			return nil, 0, 0, err
		}
		if flag&4 != 0 {
			continue
		}
		if flag&256 == 0 {
			mapped++
		}
		mappings++
		position, err := strconv.Atoi(f[3])
		if err != nil {
			return nil, 0, 0, err
		}
		p := place{f[0], flag & 16, f[2]}
		places[p] = append(places[p], [2]int{position, position + span(f[5])})
	}
	return places, mapped, mappings, nil
}

// writeReads copies four-line FASTQ, leaving out reads of other than 101 bases if only101.
func writeReads(source, target string, only101 bool) error {
	lines, err := readLines(source)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for i := 0; i+3 < len(lines); i += 4 {
		if !only101 || len(lines[i+1]) == 101 {
			for _, line := range lines[i : i+4] {
				b.WriteString(line)
				b.WriteByte('\n')
			}
		}
	}
	return os.WriteFile(target, b.Bytes(), 0o644)
}

// readLines reads a text file, decompressed if its name ends in .gz.
func readLines(name string) (lines []string, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, err
		}
	}
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<26)
	for s.Scan() {
		lines = append(lines, s.Text())
	}
	return lines, s.Err()
}

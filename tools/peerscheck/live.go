package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"scanmap/tools/command"
)

// A set is reads of testdata, which both programs map with up to k edits, or substitutions alone.
// Locations of substitutions are the same for both; locations of edits are near each other.
type set struct {
	reference, reads string
	k                int
	identity         int // percent, the least that allows k edits
	substitutions    bool
}

// All reads of a set have one length, since the identity of RazerS 3 is a share of the length.
var sets = []set{
	{"portiera.fa.gz", "portiera_36bp.fastq.gz", 2, 94, false},
	{"portiera.fa.gz", "portiera_101bp.fastq.gz", 4, 96, false},
	{"portiera.fa.gz", "portiera_36bp.fastq.gz", 4, 88, true},
	{"portiera.fa.gz", "portiera_101bp.fastq.gz", 8, 92, true},
}

// live compares with what RazerS 3 says of testdata now.
func live() (ok bool, err error) {
	if _, err := exec.LookPath("razers3"); err != nil {
		fmt.Println("LEFT OUT: razers3 is not installed")
		return true, nil
	}
	data := command.Data{Folder: "testdata"}
	ok = true
	for _, s := range sets {
		same, err := s.check(data)
		if err != nil {
			return false, err
		}
		ok = ok && same
	}
	return ok, nil
}

func (s *set) check(data command.Data) (ok bool, err error) {
	reference, err := data.Unpack(s.reference, folder)
	if err != nil {
		return false, err
	}
	reads, err := data.Unpack(s.reads, folder)
	if err != nil {
		return false, err
	}
	option, apart := "--max-distance", s.k
	sam := filepath.Join(folder, "razers3.sam")
	call := []string{"razers3", "-i", strconv.Itoa(s.identity), "-rr", "100", "-m", "1000000", "-o", sam}
	if s.substitutions {
		option, apart = "--max-mismatches", 0
		call = append(call, "--no-gaps")
	}
	places, mapped, mappings, err := scanmap(option, strconv.Itoa(s.k), reference, reads)
	if err != nil {
		return false, err
	}
	if _, err := command.Run(append(call, reference, reads)...); err != nil {
		return false, err
	}
	lines, err := readLines(sam)
	if err != nil {
		return false, err
	}
	theirs := map[string]bool{}
	var listed []string
	for _, line := range lines {
		f := strings.Split(line, "\t")
		if len(f) < 11 || strings.HasPrefix(line, "@") || f[2] == "*" {
			continue
		}
		theirs[f[0]] = true
		listed = append(listed, strings.Join([]string{f[0], f[1], f[2], f[3], f[5]}, "\t"))
	}
	fmt.Printf("%s %s %d: scanmap %d reads, %d mappings; RazerS 3 %d, %d\n",
		s.reads, option, s.k, mapped, mappings, len(theirs), len(listed))
	ok = len(theirs) == mapped
	if !ok {
		fmt.Println("  the numbers of mapped reads differ")
	}
	if s.substitutions && len(listed) != mappings {
		fmt.Println("  the numbers of mappings differ")
		ok = false
	}
	lost, err := lostOf(listed, places, apart)
	return ok && lost == 0, err
}

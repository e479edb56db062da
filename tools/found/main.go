// Command found says which share of all locations mappers find: all locations are in the SAM file
// of `scanmap map --report all`, which `make oracle-all` judges. A location is found where an
// alignment of the same read and strand begins or ends within k bases; alignments in an XA tag
// count.
//
//	found -k 4 all.sam bwa.sam yara.sam
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"scanmap/tools/command"
)

func main() {
	k := flag.Int("k", 0, "the largest distance that the first file was made with")
	flag.Parse()
	if flag.NArg() < 2 {
		command.Exit("found", errors.New("expected the SAM file of all locations, and others"))
	}
	command.Exit("found", count(flag.Arg(0), *k, flag.Args()[1:]))
}

// A place is where locations are compared: one strand of a contig, for one read.
type place struct {
	read, contig string
	reverse      bool
}

// A span is the first base of a location and the one after its last.
type span struct{ from, to int }

// count prints which share of the locations in a SAM file each of others has.
func count(all string, k int, files []string) error {
	for _, file := range files {
		found, total, err := found(all, file, k)
		if err != nil {
			return err
		}
		fmt.Printf("%s: %d of %d, %.4f %%\n", file, found, total, 100*float64(found)/float64(max(total, 1)))
	}
	return nil
}

// found counts the locations of a SAM file, and the locations that another has too.
func found(all, file string, k int) (found, total int, err error) {
	truth, theirs := map[place][]span{}, map[place][]span{}
	err = errors.Join(
		locations(all, func(p place, s span) { truth[p], total = append(truth[p], s), total+1 }),
		locations(file, func(p place, s span) { theirs[p] = append(theirs[p], s) }),
	)
	return share(truth, theirs, k), total, err
}

// share counts the locations that start or end within k of the start or end of one of the others.
func share(truth, theirs map[place][]span, k int) (found int) {
	for p, spans := range truth {
		for _, s := range spans {
			for _, t := range theirs[p] {
				if near(s.from, t.from, k) || near(s.to, t.to, k) {
					found++
					break
				}
			}
		}
	}
	return found
}

func near(a, b, k int) bool { return max(a-b, b-a) <= k }

// locations calls f for each alignment of a SAM file, those in XA tags included. The clipped ends
// of a read count as aligned, so that a mapper that clips is not held to have missed the place.
func locations(file string, f func(place, span)) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	s := bufio.NewScanner(in)
	s.Buffer(nil, 1<<26)
	for s.Scan() {
		if strings.HasPrefix(s.Text(), "@") {
			continue
		}
		column := strings.Split(s.Text(), "\t")
		if len(column) < 11 {
			return fmt.Errorf("%s: %q is not a line of SAM", file, s.Text())
		}
		flag, err := strconv.Atoi(column[1])
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if flag&4 != 0 {
			continue
		}
		position, err := strconv.Atoi(column[3])
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		read := strings.TrimSuffix(strings.TrimSuffix(column[0], "/1"), "/2")
		f(place{read, column[2], flag&16 != 0}, reach(position, column[5]))
		for _, tag := range column[11:] {
			if list, ok := strings.CutPrefix(tag, "XA:Z:"); ok {
				if err := others(read, list, f); err != nil {
					return fmt.Errorf("%s: %s: %w", file, tag, err)
				}
			}
		}
	}
	return s.Err()
}

// others reads an XA tag: contig,±position,CIGAR,edits; of bwa and contig,first,last,strand,edits;
// of yara.
func others(read, list string, f func(place, span)) error {
	for one := range strings.SplitSeq(strings.TrimSuffix(list, ";"), ";") {
		part := strings.Split(one, ",")
		switch len(part) {
		case 4:
			position, err := strconv.Atoi(strings.TrimLeft(part[1], "+-"))
			if err != nil {
				return err
			}
			f(place{read, part[0], strings.HasPrefix(part[1], "-")}, reach(position, part[2]))
		case 5:
			from, err := strconv.Atoi(part[1])
			if err != nil {
				return err
			}
			to, err := strconv.Atoi(part[2])
			if err != nil {
				return err
			}
			f(place{read, part[0], part[3] == "-"}, span{from, to})
		default:
			return fmt.Errorf("%q has %d parts", one, len(part))
		}
	}
	return nil
}

// reach returns what an alignment spans, with the clipped ends of its read.
func reach(position int, cigar string) span {
	s := span{position, position}
	n, aligned := 0, false
	for _, c := range cigar {
		switch {
		case c >= '0' && c <= '9':
			n = 10*n + int(c-'0')
			continue
		case (c == 'S' || c == 'H') && !aligned:
			s.from -= n
		case strings.ContainsRune("M=XDNSH", c):
			s.to += n
			aligned = true
		}
		n = 0
	}
	return s
}

package track

import (
	"bufio"
	"io"
	"strconv"
)

// WriteWig writes the mean of the values in windows of a length as wiggle (fixedStep), as
// mapCounter of HMMcopy does: for each contig a line `fixedStep chrom=NAME start=1 step=N span=N`,
// and a line for each window, with six digits. Bases without a value count as 0. The last window of
// a contig may be shorter; its mean is over fewer bases. The step of a contig that is shorter than
// a window is its length; a contig without bases has no lines.
func WriteWig(w io.Writer, contigs []Contig, v Values, window int) error {
	if err := checkContigs(contigs); err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, textBuffer)
	var line []byte
	put := func(sum float64, bases int) error {
		line = append(strconv.AppendFloat(line[:0], sum/float64(bases), 'g', 6, 64), '\n')
		_, err := b.Write(line)
		return err
	}
	for i, c := range contigs {
		if c.Length == 0 {
			continue
		}
		step := strconv.Itoa(min(window, c.Length))
		line = append(line[:0], "fixedStep chrom="+c.Name+" start=1 step="+step+" span="+step+"\n"...)
		if _, err := b.Write(line); err != nil {
			return err
		}
		from, sum := 0, 0.0 // of the window at hand
		// upTo ends windows that end at a base or before.
		upTo := func(base int) error {
			for ; from < c.Length && min(from+window, c.Length) <= base; from += window {
				if err := put(sum, min(window, c.Length-from)); err != nil {
					return err
				}
				sum = 0
			}
			return nil
		}
		err := v(i, 0, c.Length, func(start, end int, value float32) error {
			for start < end {
				if err := upTo(start); err != nil {
					return err
				}
				to := min(end, from+window)
				sum += float64(value) * float64(to-start)
				start = to
			}
			return upTo(end)
		})
		if err == nil {
			err = upTo(c.Length)
		}
		if err != nil {
			return err
		}
	}
	return b.Flush()
}

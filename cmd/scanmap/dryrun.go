package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"scanmap/fasta"
	"scanmap/gpu/device"
	"scanmap/mapper/plan"
	"scanmap/sam"
)

// dryRun prints the plan of run.
func (j *mapJob) dryRun(ctx context.Context, stdout io.Writer) error {
	if err := inputsExist(j.inputs()...); err != nil {
		return err
	}
	p, err := plan.Make(ctx, j.options, plan.Output{
		Sorting: j.sortMemory(), Counting: j.counts.memory, BAM: j.output != "" && j.form.Format == sam.FormatBAM,
	})
	if err != nil {
		return fmt.Errorf("--dry-run: %w", err)
	}
	rows := [][2]string{{"reference", j.options.Reference + ": " + about(p.Reference, p.Reference.Bases, "bases")}}
	for i, l := range j.options.Libraries {
		files := l.Reads
		if l.Mates != "" {
			files += ", " + l.Mates
		}
		s := p.Libraries[i]
		rows = append(rows, [2]string{"reads", fmt.Sprintf("%s: %s, %s", files, about(s, s.Records, "reads"), about(s, s.Bases, "bases"))})
	}
	rows = append(rows, lengthRows(p.Lengths)...)
	rows = append(rows, [2]string{"batches", fmt.Sprintf("%d of at most %d reads", p.Batches, p.BatchReads)},
		[2]string{"threads", strconv.Itoa(j.options.Threads)}, [2]string{"device", j.deviceText()})
	memory := "at most " + mebibytes(p.Bound.Total)
	if p.Likely > 0 {
		memory = fmt.Sprintf("about %s, unless reads lie in large repeats; %s", mebibytes(p.Likely), memory)
	}
	rows = append(rows, [2]string{"memory", memory})
	if p.Bound.GPU > 0 {
		rows = append(rows, [2]string{"memory of a GPU", "at most " + mebibytes(p.Bound.GPU) + ", and no more than is free"})
	}
	rows = append(rows, [2]string{"output", j.outputText()})
	var text strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&text, "%-16s %s\n", r[0], r[1])
	}
	_, err = io.WriteString(stdout, text.String())
	return err
}

// about writes a number about a file, marked as about right if only the head of the file was read.
func about(s fasta.Sample, n int64, unit string) string {
	text := fmt.Sprintf("%d %s", n, unit)
	if s.Whole {
		return text
	}
	return "about " + text
}

// lengthRows are the rows of the plan, by the length of reads. Lengths with the same plan share a
// row.
func lengthRows(lengths []plan.Length) (rows [][2]string) {
	for from := 0; from < len(lengths); {
		first, to, share := lengths[from], from, 0.0
		for to < len(lengths) && lengths[to].Edits == first.Edits && lengths[to].Piece == first.Piece {
			share += lengths[to].Share
			to++
		}
		bases := strconv.Itoa(first.Bases)
		if last := lengths[to-1].Bases; last > first.Bases {
			bases += " to " + strconv.Itoa(last)
		}
		how := "every base is looked at"
		if first.Piece > 0 {
			how = fmt.Sprintf("%d pieces of %d bases", first.Edits+1, first.Piece)
		}
		rows = append(rows, [2]string{"", fmt.Sprintf("%s bases (%.1f %%): k = %d, %s", bases, 100*share, first.Edits, how)})
		from = to
	}
	return rows
}

// deviceText says where the run would be.
func (j *mapJob) deviceText() string {
	switch {
	case j.options.Device.Kind == device.Auto:
		return "auto: the CPU, or GPUs where there are any and the work is worth it"
	case j.options.Device.Kind == device.CPU:
		return "cpu"
	case len(j.options.Device.Indices) == 0:
		return "all GPUs"
	}
	numbers := make([]string, len(j.options.Device.Indices))
	for i, n := range j.options.Device.Indices {
		numbers[i] = strconv.Itoa(n)
	}
	return "cuda:" + strings.Join(numbers, ",")
}

// outputText says what would be written.
func (j *mapJob) outputText() string {
	text := "no records"
	if j.output != "" {
		text = shownOutput(j.output) + ", " + string(j.form.Format)
	}
	if j.form.Sort {
		text += ", sorted by coordinate"
	}
	if j.form.MarkDuplicates {
		text += ", duplicates marked"
	}
	for _, o := range append([]namedOutput{{"discordant", j.discordant}, {"unmapped", j.unmapped}}, slices.Concat(j.counts.files(), j.reports.outputs())...) {
		if o.name != "" {
			text += "; --" + o.option + " " + shownOutput(o.name)
		}
	}
	return text
}

// shownOutput is how messages name an output.
func shownOutput(name string) string {
	if isStandardOutput(name) {
		return "standard output"
	}
	return name
}

// mebibytes writes a number of bytes.
func mebibytes(bytes int64) string { return fmt.Sprintf("%d MiB", (bytes+1<<20-1)>>20) }

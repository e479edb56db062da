// Package measure holds results of measurements: rows of medians. It does not measure; those who know what
// there is to measure do, and package report writes what they found.
package measure

import "slices"

// Result is what was measured.
type Result struct {
	Device Device
	// Bases and Reads are the sizes of what was mapped or searched; Bytes is that of a buffer on a device. Sizes that
	// do not matter are 0.
	Bases, Reads, Bytes int64
	Rows                []Row
}

// Device is where something was measured; on the CPU only ID is set, and Name to the same.
type Device struct {
	ID                string // as in --device: cpu or cuda:0
	Name              string
	ComputeCapability string // such as 9.0
	Driver            string // the newest CUDA that the driver knows, such as CUDA 13.0
	Memory            int64  // bytes
	Multiprocessors   int
}

// Row is one figure: the median of some runs.
type Row struct {
	Name     string
	Unit     string
	Value    float64
	Min, Max float64
	Runs     int
	// Bytes or Operations are what a run moves or does, where Value is a rate of them.
	Bytes, Operations int64
}

// PerSecond is a rate, 0 where no time was measured.
func PerSecond(n, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return n / seconds
}

// Medians returns the rows of the last repetition, each with the median, the least and the greatest value of its
// name over those repetitions that have it.
func Medians(repetitions [][]Row) []Row {
	byName := map[string][]float64{}
	for _, rows := range repetitions {
		for _, row := range rows {
			byName[row.Name] = append(byName[row.Name], row.Value)
		}
	}
	rows := slices.Clone(repetitions[len(repetitions)-1])
	for i := range rows {
		values := byName[rows[i].Name]
		slices.Sort(values)
		rows[i].Value, rows[i].Min, rows[i].Max = values[len(values)/2], values[0], values[len(values)-1]
		rows[i].Runs = len(values)
	}
	return rows
}

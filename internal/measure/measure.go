// Package measure holds results of measurements: rows of medians. It does not measure; packages
// that know the work measure, and package report writes their results.
package measure

import "slices"

// Result is the result of a measurement.
type Result struct {
	Device Device
	// Bases and Reads are the sizes of the work that was mapped or searched; Bytes is the size of a
	// buffer on a device. Sizes that do not matter are 0.
	Bases, Reads, Bytes int64
	// Letters is the length of a text that was searched.
	Letters int64
	Rows    []Row
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
	// Bytes or Operations are what a run moves or does, where Value is their rate.
	Bytes, Operations int64
	// Search describes the search where the row is the rate of a search; nil elsewhere.
	Search *Search
}

// Search is what a rate of a search is of: letters/s, each letter of the text counted once for each
// pattern.
type Search struct {
	Method, Scheme string
	Alphabet       string // dna or bytes
	// AlphabetSize is the number of letters that the text is made of.
	AlphabetSize int
	// Letters is n, PatternLength m and Distance k; Substitutions tells that only substitutions
	// count towards k.
	Letters       int64
	PatternLength int
	Distance      int
	Substitutions bool
	// Patterns is the number of patterns that one run seeks.
	Patterns int
	// Threads is the number of goroutines on the CPU, 0 on a GPU.
	Threads int
	// Share is the rate over the rate of the row named Ceiling; 0 and "" where there is none.
	Share   float64
	Ceiling string
}

// Tbps is a rate of letters as papers on string matching give it, in Tbit/s with 8 bits a letter.
func Tbps(lettersPerSecond float64) float64 { return 8 * lettersPerSecond / 1e12 }

// PerSecond is a rate, 0 where no time was measured.
func PerSecond(n, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return n / seconds
}

// Medians returns the rows of the last repetition, each with the median, the least and the greatest
// value of its name over those repetitions that have it.
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

// Package report writes the counts of a run: Table and HTML for people, JSON for programs, MultiQC
// for reports of many runs, and Progress while it runs. BenchTable and BenchJSON write
// measurements.
//
// docs/statistics.md explains the members of the JSON of a run and docs/statistics.schema.json
// describes them as JSON Schema; tests compare both with the output. A new counter is a field of
// mapper.Stats, a member of json.go, a row of counters.go for the table and the page, and a line
// each in these two documents. docs/reports.md compares the reports.
//
// The JSON of a measurement is one object. Members of device and sizes that do not apply are left
// out.
//
//	schema        "scanmap-bench/1"
//	version       of scanmap
//	commit        that scanmap was built from; left out if that is not known
//	modified      true if there were changes since the commit; left out otherwise
//	time          when it began, in UTC
//	command_line  array of the program's name and its arguments
//	device        object: id as in --device (cpu, cuda:0), name, compute_capability,
//	              driver_version (the newest CUDA that the driver knows), memory_bytes,
//	              multiprocessors
//	sizes         object: reference_bases and reads of bench map; buffer_bytes, of each
//	              buffer of bench device; text_letters, of the text that was searched
//	results       array of {name, unit, value, min, max, runs, bytes, operations}: value is the
//	              median of the runs, min and max the least and the greatest; where it is a
//	              rate, bytes or operations are what one run moves or does
//
// A result that is the rate of a search, in letters/s with the text counted once for each pattern,
// has more members:
//
//	tbps            the rate in Tbit/s with 8 bits a letter, whatever the letters take
//	method, scheme  what searched
//	alphabet        dna or bytes
//	alphabet_size   number of letters that the text is made of
//	letters         n, of the text
//	pattern_length  m
//	distance        k
//	substitutions   true if only substitutions count towards k; left out otherwise
//	patterns        number of patterns that one run seeks
//	threads         on the CPU; left out on a GPU
//	share, ceiling  value / value of the result named by ceiling, in letters/s; left out where
//	                there is none
package report

// Package report writes what a run counted: Table and HTML for people, JSON for programs, MultiQC
// for reports of many runs, and Progress while it runs. BenchTable and BenchJSON write what was measured.
//
// The JSON is one object. Its member schema names its form, "scanmap-stats/1"; a
// change that could break a reader changes the number, a new member does not.
// Counts are whole numbers, times are seconds, and every ratio is 0 where there
// is nothing to divide by.
//
//	schema                  "scanmap-stats/1"
//	version                 of scanmap
//	reads                   read from the input; the sum of mapped_reads and unmapped_reads
//	mapped_reads            with at least one location, whatever is reported of it
//	unmapped_reads          without
//	ambiguous_reads         part of unmapped_reads: more than k letters other than A, C, G, T, U
//	unique_reads            with one location
//	multiple_reads          with more
//	capped_reads            with more locations than --max-locations let out
//	bases                   sum of the reads' lengths
//	mappings                locations found
//	reported                locations written
//	mapping_ratio           mapped_reads / reads
//	reads_by_distance       array: element d is the number of mapped reads whose best distance is d
//	mappings_per_read       array of {from, to, reads}: the reads with from to to locations
//	contigs                 array of {name, length, primary, mappings, primary_mean_depth, mean_depth}, in
//	                        the order of the reference: records that are primary and all that were written,
//	                        and the mean depth of both
//	reference_bases         sum of the contigs' lengths
//	candidates              places that skim proposed
//	refused_candidates      candidates that a lower bound of their edits ruled out
//	verified_windows        windows checked by dynamic programming
//	batches                 passes over the reference
//	device                  cpu, or the numbers and names of the GPUs
//	kernels                 array of {name, launches, seconds}: the kernels of GPUs, with --gpu-sync
//	engines                 object: the reads that each engine mapped
//	elapsed_seconds         the whole run
//	reads_per_second        reads / elapsed_seconds
//	search_throughput_tbps  8 n R / t / 10^12 (Tbit/s): n bases of reference, R reads, t seconds
//	stages                  array of {name, seconds, summed, items, unit}, in the order of the
//	                        data flow; seconds of a summed stage are added up over the
//	                        threads, others are wall-clock; stages overlap
//	pairs                   object, of all libraries together: pairs, proper, discordant and why,
//	                        one_end_anchored, unmapped, rescued_mates, bounded, proper_ratio; null
//	                        without mates
//	libraries               array: files, read group, sample and counts of each input, and its pairs
//	                        with their insert sizes
//
// docs/statistics.schema.json describes all members as JSON Schema.
//
// The JSON of a measurement is one object too. Members of device and sizes that there is nothing to say
// about are left out.
//
//	schema        "scanmap-bench/1"
//	version       of scanmap
//	commit        that scanmap was built from; left out if that is not known
//	modified      true if there were changes since the commit; left out otherwise
//	time          when it began, in UTC
//	command_line  array of the program's name and its arguments
//	device        object: id as in --device (cpu, cuda:0), name, compute_capability,
//	              driver_version (the newest CUDA that the driver knows), memory_bytes, multiprocessors
//	sizes         object: reference_bases and reads of what was mapped; buffer_bytes, of each
//	              buffer of bench device; text_letters, of the text that was searched
//	results       array of {name, unit, value, min, max, runs, bytes, operations}: value is the median
//	              of so many runs; where it is a rate, bytes or operations are what one run moves or does
//
// A result that is the rate of a search, in letters/s with the text counted once for each pattern, has more members:
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
//	share, ceiling  value over that of the result named so, in letters/s; left out where there is none
package report

package mapper

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"scanmap/fasta"
	"scanmap/gpu/device"
	"scanmap/locate"
	"scanmap/mapper/find"
)

// Work is what the memory of a run depends on beside its options.
type Work struct {
	// Bases is the length of the reference, and Length of the longest read after Crop. Names and
	// comments of reads and lines of read groups are taken to have 128 bytes together.
	Bases, Length int64
	// Locations is the most candidates and ends of a read, or of both mates of a pair, that finders
	// come upon: at least as many as it has locations, and in repeats several times as many. 0 is any
	// number.
	Locations int64
	// GPUs is how many take part; 0 is none. It is not looked at where Options.Device is the CPU.
	GPUs int
	// Sorting is the memory of all sorting, in bytes: sam.WriterOptions.SortMemory of each file that
	// is sorted.
	Sorting int64
	// Counting is what Outputs.Counting holds for the whole run, in bytes.
	Counting int64
}

// Memory bounds the memory of a run from above, in bytes. docs/memory.md has it as a table, with an
// example. Fields other than Total and GPU are memory in use at one time.
type Memory struct {
	// Program is the program, its runtime and the buffers that do not depend on anything.
	Program int64
	// Reference is the reference as it stays in memory.
	Reference int64
	// Reads is the memory of the batches at hand: reads, their packed bases and the tables of their
	// pieces.
	Reads int64
	// Found is the memory of the candidates, ends and locations of these reads.
	Found int64
	// Records is the text of records that wait for their turn to be written.
	Records int64
	// Threads is the scratch memory of the threads: of parsing, finding, aligning and compressing.
	Threads int64
	// Sorting is the memory for sorting files.
	Sorting int64
	// Counting is the memory of counts.
	Counting int64
	// Growth is the garbage that may gather before a collection, in percent of the memory in use, if
	// GOGC does not say otherwise.
	Growth int
	// Total bounds the resident memory of the process: memory in use, garbage, and the rounding up of
	// the heap.
	Total int64
	// GPU bounds the memory that is taken of each GPU, beside what its driver takes for itself. Where
	// a GPU has less, the work is done in more steps.
	GPU int64
}

// mostMemory is more bytes than a machine has, and no more than sums and products have room for.
const mostMemory = 1 << 44

func (w *Work) check() error {
	for _, n := range []int64{w.Bases, w.Locations, w.Sorting, w.Counting} {
		if n < 0 || n > mostMemory {
			return fmt.Errorf("work of %d is not from 0 to %d", n, int64(mostMemory))
		}
	}
	if w.Length < 0 || w.Length > math.MaxInt32 || w.GPUs < 0 || w.GPUs > math.MaxUint16 {
		return fmt.Errorf("there is no work of %d bases a read on %d GPUs", w.Length, w.GPUs)
	}
	return nil
}

// HeapGrowth returns how much the heap may grow over the memory in use before a collection, in
// percent. staying is the number of bytes in use for the whole run, by the reference and the
// buffers of sorting. Against 150, 200 saves a twentieth of the time on simulated E. coli reads,
// and 250 saves nothing more. Over many bytes the growth is 256 MiB, or 15 % where that is more: a
// larger heap would only hold more garbage.
func HeapGrowth(staying int64) (percent int) {
	const most, least, growth = 200, 15, 256 << 20
	return int(min(max(growth*100/max(staying, 1), least), most))
}

// referenceBytes is the memory of a reference: two planes and the ambiguous letters, a bit of each
// for a base. Between contigs there is next to nothing.
func referenceBytes(bases int64) int64 { return bases*3/8 + 1<<12 }

// Assumed sizes of texts: see Work.
const (
	nameBytes = 128
	tagBytes  = 128 // fixed fields and tags of a record
	// mostRuns is how many runs an alignment has at most, on average over very many.
	mostRuns = 2*32 + 1
)

// Memory bounds what a run with o takes. Each term is an upper bound for itself, so that the sum is
// several times what most runs take: reads have few locations where a reference is not all repeats
// (Work.Locations). Options and work that cannot be are an error; the input does not matter.
func (o *Options) Memory(w Work) (Memory, error) {
	if err := cmp.Or(o.checkMapping(), w.check()); err != nil {
		return Memory{}, err
	}
	filled := *o
	filled.setDefaults()
	return filled.memory(w), nil
}

// memory is Memory where defaults are set.
func (o *Options) memory(w Work) Memory {
	if o.Device.Kind == device.CPU {
		w.GPUs = 0
	}
	if w.Locations <= 0 {
		w.Locations = math.MaxInt32
	}
	threads, k := int64(o.Threads), int64(o.largest(int(w.Length)))
	if o.paired() {
		k = max(k, int64(o.Pairs.Rescue.For(int(w.Length)))) // mates are sought with more edits
	}
	finding := o.finding(nil)
	if w.Counting > 0 {
		finding.Cover = &find.Cover{} // perhaps
	}
	finding.Deflated = device.DeflateBlocks // perhaps
	reads := o.batchSize(w) + 1
	onCPU := find.MemoryOnCPU(reads, w.Length, k, w.Locations, finding)
	onGPU := find.Memory{}
	gpus := int64(w.GPUs)
	if gpus > 0 {
		onGPU = find.MemoryOnGPU(w.Bases, reads, w.Length, k, w.Locations, o.Device.Memory, finding)
	}
	shape := sizes{
		length: w.Length, k: k, threads: threads, diagonals: w.Bases + 2*w.Length,
		items: max(onCPU.Items, onGPU.Items), ofRead: max(onCPU.Alone, onGPU.Alone),
	}

	m := Memory{
		// The program has 16 MB, and the stacks and tables of the runtime some more. A CUDA driver (580,
		// with H200s) was seen to take 100 MiB of the host for the first GPU and 90 for the second.
		// A GPU that compresses has 120 MiB of pinned memory, and each of two files 110 MiB of blocks.
		Program:   64<<20 + gpus*256<<20 + min(gpus, 1)*340<<20,
		Reference: o.referenceMemory(w.Bases),
		Sorting:   w.Sorting,
		Counting:  w.Counting,
		Growth:    HeapGrowth(referenceBytes(w.Bases) + w.Sorting + w.Counting),
		GPU:       onGPU.Device,
	}

	m.Reads = onCPU.Batch + gpus*onGPU.Batch + o.readTexts(reads, w)*textOfRead(w.Length)
	m.Found = onCPU.Found + gpus*onGPU.Found + o.held(w.Length, w.Locations) + find.SeekingMemory(w.Bases, finding) +
		shape.working()
	m.Records = o.records(reads, &shape)
	kept := min(shape.ofGroup(), keptItems)
	ofWorker := scratch(w.Length, k) + shape.located(kept, min(kept, shape.ofRead), 1)
	m.Threads = find.CountingMemory(w.Bases, finding) + o.streams(w.Length) + threads*(find.OfThread(w.Length, k)+ofWorker)

	// Parts that wait for each seeker, reads that each GPU seeks meanwhile, and the finders. With GPUs
	// a second team holds parts, and some wait for the resolver.
	searches := max(searchesOnGPU*gpus, 1)
	waitings := searches + min(gpus, 1)
	seekers := newSeekers(nil, o, &times{})
	if gpus > 0 && len(seekers) > 0 {
		m.Reads += (heldAhead + 1) * (onCPU.Batch + reads*textOfRead(w.Length))
		m.Found += shape.working() + multiply((heldAhead+1)*shape.items, ofLocated)
		m.Threads += threads * ofWorker
	}
	ahead, batches := gpus > 0 && o.Device.Kind == device.CUDA, int64(1)
	if ahead && o.BatchReads == 0 {
		batches = batchesOnGPU
	}
	for range seekers {
		lost := find.MemoryOnCPU(min(reads, atATime(w.Bases, ahead)+1), w.Length, k, w.Locations, finding)
		m.Reads += searches*lost.Batch + waitings*(batches*onCPU.Batch+(batches+1)*reads*textOfRead(w.Length))
		m.Found += lost.Found + multiply(waitings*(waitingLocations+shape.items), ofLocated)
		m.Threads += threads * find.OfThread(w.Length, k)
	}

	inUse := m.Program + m.Reference + m.Reads + m.Found + m.Records + m.Threads + m.Sorting + m.Counting
	// A twentieth is for a collector that is late, and a tenth for the rounding up of the heap.
	m.Total = int64(min(float64(inUse)*(1+float64(m.Growth)/100)*1.15, 1<<62))
	return m
}

// BatchSize is the most reads of a batch, with the errors of Memory.
func (o *Options) BatchSize(w Work) (int64, error) {
	if err := cmp.Or(o.checkMapping(), w.check()); err != nil {
		return 0, err
	}
	return o.batchSize(w), nil
}

// batchSize is BatchSize of options and work that were checked.
func (o *Options) batchSize(w Work) int64 {
	n := int64(o.BatchReads)
	if n == 0 {
		n = int64(find.BatchReads(w.Bases))
		switch onGPU := int64(find.GPUBatchReads(w.Bases)); {
		case w.GPUs > 0 && o.Device.Kind == device.CUDA:
			n = onGPU
		case w.GPUs > 0: // the CPU may begin
			n = max(n, onGPU)
		}
	}
	// One that has batchBases ends, with the chunk that brought them.
	const chunk = 192 << 10 // of text
	return min(n, (batchBases+chunk)/max(w.Length, 1)+1)
}

// textOfRead is the memory for the text of a read: its strings, bases and qualities, and twice its
// entry in the list of a batch's reads.
func textOfRead(length int64) int64 { return 2*80 + nameBytes + 2*length }

// readTexts is the number of reads whose text is in memory: in a batch at work and one that fills.
// With GPUs it adds a batch for each of their finders, batches that are read ahead, and batches
// that are kept back to be shared.
func (o *Options) readTexts(reads int64, w Work) int64 {
	batches := int64(2)
	if w.GPUs > 0 {
		batches += int64(w.GPUs)*find.FindersOfGPU + find.FindersOfGPU + keptBatches
	}
	n := batches * reads
	if o.estimates() {
		n += 2*estimateMost + reads
	}
	return n
}

// referenceMemory is the memory of the reference. Where its length is not known beforehand, its
// planes have a quarter more, or twice as much if they are small, and one is copied while it grows.
func (o *Options) referenceMemory(bases int64) int64 {
	n := referenceBytes(bases)
	plain := o.Reference != "-"
	for _, end := range []string{".gz", ".bgz", ".bz2", ".zst"} {
		plain = plain && !strings.HasSuffix(o.Reference, end)
	}
	if plain {
		return n + n/16 // room for headers and ends of lines
	}
	return n*5/4 + n/3 + min(n, 3*8*(1<<22))
}

// ofLocated is the memory of a location, as listed and as grouped.
const ofLocated = 2 * 40

// held is what an estimate of insert sizes holds until it is done: packed reads and locations.
func (o *Options) held(length, each int64) int64 {
	if !o.estimates() {
		return 0
	}
	return 2*estimateMost*(length*3/2+64) + ofLocated*2*min(estimateLocations, multiply(2*estimateMost, each))
}

// sizes are what the memory for locations depends on.
type sizes struct {
	length, k, threads int64
	// diagonals is the number of diagonals of the longest contig, at most.
	diagonals int64
	// items is the number of candidates and ends of a part of several reads, and ofRead of one read.
	items, ofRead int64
}

// ofGroup is the most candidates and ends of a group: some of many reads, or all of one.
func (s *sizes) ofGroup() int64 {
	return max(min(find.CutFound, s.items, multiply(find.CutReads, s.ofRead)), s.ofRead)
}

// working is the scratch memory of all workers at a time: of one that has a part of one read, or of
// all that share the groups of a part of several.
func (s *sizes) working() int64 {
	several := min(s.items, multiply(s.threads, s.ofGroup()))
	return max(
		s.located(s.ofRead, s.ofRead, 1),
		s.located(several, min(several, multiply(s.threads, s.ofRead)), s.threads),
	)
}

// located bounds the scratch memory in which candidates or ends become locations, on a number of
// goroutines: ofGroups are the candidates and ends of all groups at hand, and ofReads of the reads
// at hand.
func (s *sizes) located(ofGroups, ofReads, threads int64) int64 {
	// Candidates of a read up to 3k apart are measured together: a distance, words of the text, an
	// occurrence, and what decides on it, for each diagonal.
	const ofDiagonal = 4 + 2 + 16 + (1 + 8 + 4 + 4)
	measured := min(multiply(ofReads, 3*s.k+1), threads*s.diagonals)
	// A location when found, in its group, and sorted. Held ones are there by distance, too, in the
	// choices among pairs and among written alignments, and with two alignments each, the least and
	// the written one.
	const ofLocation, ofHeld = 3 * 40, 32 + 36 + 32
	most := min(ofGroups, MostLocations)
	// append grows by a quarter.
	return (measured*ofDiagonal + ofGroups*ofLocation + most*(ofHeld+2*8*min(2*s.k+1, mostRuns))) * 5 / 4
}

// scratch is a worker's memory for a read of a length, without its locations: the tables of two
// aligners (one writes), twice as large as they need to be, the columns of stretches that it and
// its helper look at, its record, and its sample of unmapped reads.
func scratch(length, k int64) int64 {
	moves := min(multiply(length+1, 2*k+1), mostMemory)
	const mostGaps = 16
	furthest := (mostGaps+1)*(mostGaps+1)*4*(k+1) + (2*mostGaps+1)*8*(length/64+1)
	return 2*2*(moves+furthest+length+k) + 2*locate.WrittenMemory(length, k) + 2*locate.StretchMemory(length) + 8*(length+k) + 4<<20 +
		2*sampleReads*(min(length, sampleLength)+ofSampled)
}

// records bounds the text of records that waits to be written.
func (o *Options) records(reads int64, s *sizes) int64 {
	primary := nameBytes + tagBytes + 2*s.length + s.length/2
	secondary := nameBytes + tagBytes + 8*min(2*s.k+1, mostRuns)
	if o.FullSecondary {
		secondary += 2 * s.length
	}
	// Waiting blocks and blocks in work: some of a part's groups, each with all its records or with a
	// long block.
	blocks := 5*s.threads + 4
	block := min(longBlock, min(find.CutReads, reads)*primary+multiply(s.ofGroup(), secondary)) + primary + secondary
	text := min(blocks*block, reads*primary+multiply(s.items, secondary))
	// append grows by a quarter. Blocks of maxFreeBlock are kept.
	return text*5/4 + blocks*min(maxFreeBlock, block*5/4)
}

// streams is the memory of reading and writing: for each thread a MiB of text read ahead, parsed
// and not, and blocks to be compressed or decompressed. A longer record takes more: a file has one
// at a time, in buffers of twice its size. Several threads read the members of each gzip file: the
// reference and two files of reads.
func (o *Options) streams(length int64) int64 {
	files := 0
	for i := range o.Libraries {
		here := 0
		for _, name := range []string{o.Libraries[i].Reads, o.Libraries[i].Mates} {
			if strings.HasSuffix(name, ".gz") || name == "-" {
				here++
			}
		}
		files = max(files, here)
	}
	if strings.HasSuffix(o.Reference, ".gz") {
		files++
	}
	return int64(max(o.Threads, 2))*(8<<20) + int64(files)*fasta.MemberMemory(o.Threads) + 2*16*length
}

// multiply multiplies numbers that are not negative, and stays below 2^62.
func multiply(a, b int64) int64 {
	const most = 1 << 62
	if a > 0 && b > most/a {
		return most
	}
	return a * b
}

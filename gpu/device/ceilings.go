package device

// CeilingOptions say what Ceilings measures.
type CeilingOptions struct {
	// Device names one GPU; none of its numbers means the first.
	Device Choice
	// Bytes is the size of each of two buffers; all work is in proportion to it. 0 is 4 GiB or,
	// where less is free, a quarter of the free memory.
	Bytes int64
	// Repetitions is the number of measurements, after one that is not counted; results are their
	// medians.
	Repetitions int
}

// MinCeilingBytes is the least that CeilingOptions.Bytes may be.
const MinCeilingBytes = 4 << 10

const (
	// ceilingBytes is much more than a cache holds, and read in a millisecond.
	ceilingBytes = 4 << 30
	// maxCeilingHostBytes is the most that is copied from and to the host: getting pinned memory takes
	// half a second a GiB.
	maxCeilingHostBytes = 256 << 20
	// probeBytes is what a probe reads.
	probeBytes = 8
	// logicPerByte operations are done for each byte of a buffer, 4 ms for 4 GiB on an H200.
	logicPerByte = 16
)

// probeTables are the sizes of the tables that are probed, as far as they fit a buffer. L2 caches
// end between them.
var probeTables = []int64{4 << 20, 16 << 20, 32 << 20, 64 << 20, 128 << 20, 512 << 20}

// tablesWithin returns the probeTables that fit a number of bytes, or else the greatest power of
// two that fits.
func tablesWithin(bytes int64) []int64 {
	var tables []int64
	for _, table := range probeTables {
		if table <= bytes {
			tables = append(tables, table)
		}
	}
	if len(tables) > 0 {
		return tables
	}
	table := int64(probeBytes)
	for 2*table <= bytes {
		table *= 2
	}
	return []int64{table}
}

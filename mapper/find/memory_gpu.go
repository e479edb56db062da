package find

import (
	"scanmap/gpu/device"
	"scanmap/kernels"
)

// MemoryOnGPU bounds the memory of the finders of a GPU, as MemoryOnCPU does. bases is the length
// of the reference. most limits their memory on the GPU, 0 for no limit but its own.
func MemoryOnGPU(bases, reads, length, k, each, most int64, o Options) Memory {
	l := o.Limits.withDefaults()
	m := Memory{Batch: FindersOfGPU * reads * (ofRead(length) + 4 + 8 + 4)}
	m.Items = min(int64(l.GPUFound), multiply(reads, each))
	m.Alone = min(max(int64(l.GPUFound), int64(l.Listed)), each)
	// Each finder has a part at work and one that is used. A location takes the GPU's record and its
	// operations, in memory that the GPU reaches (pinned), and both as they are grouped. The places of
	// rounds are left out: 4 bytes for a read, and mostly one round.
	ofLocation := int64(16 + 4 + 4*operationsEach + 2*16 + 8*operationsEach)
	if o.Cover != nil {
		ofLocation += 2 * 40 // as a Located
	}
	finders := int64(FindersOfGPU + o.Again)
	m.Found = finders * 2 * max(m.Items, m.Alone) * ofLocation
	// The reference, and for each finder the queues of candidates and hits at twice their usual room,
	// reads with the table of their pieces, scratch memory of alignments, and the running sums.
	var v gpuVerify
	ofCandidate := int64(candidateBytes)
	for _, b := range v.buffers(true) {
		ofCandidate += int64(b.bytes)
	}
	candidates := min(int64(l.GPUQueue), max(128*reads, 1<<18))
	hits := min(8*int64(l.GPUQueue), max(1024*reads, 1<<18), 1<<28)
	ofGPURead := ofRead(length) + 32 + bestBytes + shareBytes + (k+1)*(pieceBytes+countedBytes)
	finder := spare*(candidates*ofCandidate+hits*hitBytes+reads*ofGPURead) + maxFilterBytes + 256<<20
	m.Device = int64(float64(bases)*bytesPerChunkBase)*9/8 + 4*kernels.RarityWords + finders*finder +
		device.Deflaters*int64(o.Deflated)*device.DeflatedBytes
	if o.Cover != nil {
		m.Device += cellBytes*bases*9/8 + FindersOfGPU*retainedBytes*mostRetained + carrySlots*carryBytes
	}
	if most > 0 {
		m.Device = min(m.Device, most)
	}
	return m
}

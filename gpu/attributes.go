package gpu

// CUdevice_attribute: what Info asks of a device, and an emulator has to know.
const (
	attributeMaxThreadsPerBlock            = 1
	attributeSharedMemoryPerBlock          = 8
	attributeClockKHz                      = 13
	attributeMultiprocessors               = 16
	attributeMemoryClockKHz                = 36
	attributeMemoryBusBits                 = 37
	attributeL2Bytes                       = 38
	attributeMaxThreadsPerMultiprocessor   = 39
	attributeComputeCapabilityMajor        = 75
	attributeComputeCapabilityMinor        = 76
	attributeSharedMemoryPerMultiprocessor = 81
	attributeRegistersPerMultiprocessor    = 82
)

// Flags of the driver API.
const (
	contextBlockingSync = 4 // CU_CTX_SCHED_BLOCKING_SYNC: a thread that waits sleeps
	hostPortable        = 1 // CU_MEMHOSTALLOC_PORTABLE: pinned for every context
	streamNonBlocking   = 1 // CU_STREAM_NON_BLOCKING: does not wait for the legacy default stream
	eventBlockingSync   = 1 // CU_EVENT_BLOCKING_SYNC: a thread that waits sleeps
)

package driver

// Caps are the limits and features of a device, as planners need them.
type Caps struct {
	Backend       string // "cuda", "opencl", "cpu", "fake"
	ID            string // as in flags: "cuda:0"
	Name          string // as the vendor names it
	Vendor        string
	DriverVersion string
	UUID          string // empty if the backend has none

	ComputeUnits       int // multiprocessors
	ClockKHz           int
	WarpSize           int // threads that run in lockstep; 1 if unknown
	MaxThreadsPerBlock int
	MaxThreadsPerUnit  int
	RegistersPerUnit   int
	SharedPerBlock     uint64 // bytes of shared memory per block without opting in
	SharedPerBlockMax  uint64 // after opting in
	SharedPerUnit      uint64
	L2Bytes            uint64
	GlobalBytes        uint64
	MaxAllocBytes      uint64  // largest single buffer
	BufferAlign        uint64  // bytes; allocations are aligned at least so
	MemoryGBps         float64 // peak bandwidth by the device's own words; 0 if unknown
	Arch               int     // CUDA compute capability times ten; 0 elsewhere

	ForwardProgress bool // a running block keeps running while others wait for it
	SubGroups       bool // warp votes and shuffles
	Atomics64       bool
	Cooperative     bool // grid-wide barriers
	HostUnified     bool // device memory is host memory: copies are avoidable
	CPU             bool // an OpenCL device that runs on the host's processor
}

// OfHost reports whether device memory is the host's own, to which no link leads.
func (c Caps) OfHost() bool { return c.CPU || c.HostUnified }

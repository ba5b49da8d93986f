package driver

import "unsafe"

// The interfaces in this file are optional: a caller asks for one with a type
// assertion and does without it where the backend has none. CUDA has all of
// them, OpenCL Streamer and QueueWrapper.

// A Batcher is a Queue that does its per-call thread work once for many calls.
type Batcher interface {
	// Batch calls f on the calling goroutine, locked to its thread with the
	// device's context current, and returns f's error. Calls of this Queue in f
	// are then cheaper; calls of anything else work as usual. A Batch in a Batch
	// is allowed.
	Batch(f func() error) error
}

// A Grapher is a Queue that turns commands into a graph, to be launched many
// times at the price of about one launch.
type Grapher interface {
	// Capture calls f, in which Launch, Memset, Copy and copies of HostBuffers
	// on this Queue are noted instead of run, and makes a graph of them. Buffers
	// and arguments are noted by value; the buffers must live as long as the
	// graph is launched. In f nothing may wait: no Synchronize, Event or copy of
	// ordinary host memory. When f returns an error, Capture returns it and
	// nothing is left behind.
	Capture(f func() error) (Graph, error)
}

// A Rerecorder is an Event that can be recorded again, so that a caller that
// times many runs makes its events once.
type Rerecorder interface {
	// Rerecord moves the event behind all work that q, of the event's device, has
	// now, as if q.Record had made it. Nobody waits for the event meanwhile.
	Rerecord(q Queue) error
}

// A Graph is a captured sequence of commands. It belongs to the Device of the
// Queue that captured it. Launches of one graph run one after the other.
type Graph interface {
	// Launch runs the graph in q, in order with q's other work.
	Launch(q Queue) error
	Close() error
}

// An Occupier is a Kernel that knows how many of its blocks fit a compute unit.
type Occupier interface {
	// Occupancy returns the blocks of the given threads and dynamic shared
	// memory that one compute unit holds at once; 0 if not even one fits.
	Occupancy(threads int, sharedBytes uint32) (blocks int, err error)
}

// A GlobalFinder is a Module whose global variables can be read and written.
type GlobalFinder interface {
	// Global returns the memory of a global variable. It lives as long as the
	// module; closing the Buffer frees nothing.
	Global(name string) (Buffer, error)
}

// A PeerCopier is a Queue that copies between devices of its backend.
type PeerCopier interface {
	// CopyPeer copies n bytes between buffers of any two devices of the backend,
	// directly where they are linked, else through host memory that the driver
	// provides. It is in order with this Queue only.
	CopyPeer(dst Buffer, dstOff uint64, src Buffer, srcOff uint64, n uint64) error
}

// A Peer is a Device whose kernels can use another device's buffers.
type Peer interface {
	// CanAccess reports whether this device's kernels could use peer's memory.
	CanAccess(peer Device) (bool, error)
	// EnableAccess lets them. It holds until either device is closed; enabling
	// it twice is no error.
	EnableAccess(peer Device) error
}

// A HostRegisterer is a Device that can page-lock memory it did not allocate.
type HostRegisterer interface {
	// RegisterHost page-locks bytes at p, which then copy as fast as AllocHost's
	// memory. Close of the HostBuffer unlocks; the memory stays the caller's and
	// is kept alive, but not returned, by the HostBuffer.
	RegisterHost(p unsafe.Pointer, bytes uint64) (HostBuffer, error)
}

// A QueueAllocator is a Queue that allocates in order with its work, from a
// pool that keeps what is freed: no call waits for the device.
type QueueAllocator interface {
	// AllocInOrder reserves memory that this Queue may use at once and other
	// queues after an event. Its Close frees it in order with the Queue's work,
	// which must be the last that uses it. It returns ErrUnsupported where the
	// device has no pools.
	AllocInOrder(bytes uint64) (Buffer, error)
}

// A Streamer is a Queue whose stream another library can be given. Work that
// the library puts there is in order with the Queue's own.
type Streamer interface {
	// Handle is the CUstream or cl_command_queue, valid until the Queue closes.
	Handle() uintptr
}

// A QueueWrapper is a Device that works on queues which somebody else made.
type QueueWrapper interface {
	// WrapQueue makes a Queue of a CUstream or of an in-order cl_command_queue, in the
	// device's context. The owner keeps it open until the Queue is closed, which closes
	// nothing of the owner's.
	WrapQueue(handle uintptr) (Queue, error)
}

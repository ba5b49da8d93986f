package op

import (
	"fmt"
	"unsafe"
)

// Region names memory of the caller's that an operation works on: an index into
// Spec.Extents.
type Region uint8

// The regions. Other operations than a sort have their keys and positions in the same
// ones; see Kind.Region.
const (
	KeysIO   Region = iota // keys, in place (read only under Argsort)
	ValuesIO               // values in place, or the indices that Argsort writes
	OtherIO                // what else an operation reads or writes
)

// MostRegions is the most regions that an operation has. It bounds arrays, so that
// what holds memory stays comparable and is copied without an allocation.
const MostRegions = 6

// String is the region's name in a sort.
func (r Region) String() string {
	switch r {
	case KeysIO:
		return "keys"
	case ValuesIO:
		return "values"
	case MostRegions: // no region of the caller's: plan.Scratch
		return "scratch"
	}
	return fmt.Sprintf("region %d", uint8(r))
}

// Use says what becomes of a region's contents.
type Use uint8

// The uses.
const (
	In    Use = iota // read, and left as it is
	Out              // written, whatever it held
	InOut            // read and overwritten
)

// Reads reports whether the contents matter before.
func (u Use) Reads() bool { return u != Out }

// Writes reports whether the contents are others after.
func (u Use) Writes() bool { return u != In }

// Extent is what an operation has in a region.
type Extent struct {
	Bytes uint64
	Use   Use
}

// Extents lists the memory of the operation by Region; those that it does not have are
// zero.
func (s Spec) Extents() (e [MostRegions]Extent) {
	key := uint64(s.Type.Bytes())
	switch s.Kind {
	default:
		e[KeysIO] = Extent{s.KeyBytes(), InOut}
		e[ValuesIO] = Extent{s.ValuesBytes(), InOut}
		if s.Mode == Argsort {
			e[KeysIO].Use, e[ValuesIO].Use = In, Out
		}
	case Gather:
		item := uint64(s.Width)
		e = [MostRegions]Extent{{s.KeyBytes(), In}, {s.Other * item, In}, {s.Items * item, Out}}
	case Groups:
		e[KeysIO] = Extent{s.KeyBytes(), In}
		if s.Mode != Keys { // one more: where the last group ends
			e[ValuesIO] = Extent{(s.Other + 1) * uint64(s.ValueBytes), Out}
		}
		if s.Mode != Argsort {
			e[OtherIO] = Extent{s.Other * key, Out}
		}
	case Search:
		e = [MostRegions]Extent{{s.KeyBytes(), In}, {s.ValuesBytes(), Out}, {s.Other * key, In}}
	case Merge:
		e = [MostRegions]Extent{{s.KeyBytes(), In}, {s.Other * key, In}, {(s.Items + s.Other) * key, Out}}
	case Least:
		e[KeysIO] = Extent{s.KeyBytes(), In}
		if s.Mode == Argsort {
			e[ValuesIO] = Extent{s.Other * uint64(s.ValueBytes), Out}
		} else {
			e[OtherIO] = Extent{s.Other * key, Out}
		}
	case Select:
		e[KeysIO] = Extent{s.KeyBytes(), In}
	case Segments:
		offsets := Extent{(s.Other + 1) * uint64(s.Width), In}
		e = [MostRegions]Extent{{s.KeyBytes(), InOut}, {s.ValuesBytes(), Out}, offsets}
		if s.Mode == Argsort {
			e[KeysIO].Use = In
		}
	case Strings, StringsNext, GatherStrings:
		e = s.texts()
	}
	for i := range e {
		if e[i].Bytes == 0 {
			e[i] = Extent{}
		}
	}
	return e
}

// TransferBytes is what goes to a device and comes back for an operation on host
// memory.
func (s Spec) TransferBytes() (n uint64) {
	for _, e := range s.Extents() {
		if e.Use.Reads() {
			n += e.Bytes
		}
		if e.Use.Writes() {
			n += e.Bytes
		}
	}
	return n
}

// Memory is where each region begins in host memory; nil for those that an operation
// does not have.
type Memory [MostRegions]unsafe.Pointer

// Job is an operation on host memory.
type Job struct {
	Spec
	At Memory
}

package ops

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// Task is an operation as a device carries it out: what lies where before, by op.Region,
// and what must come out.
type Task struct {
	In [op.MostRegions][]byte // nil for regions that are only written
	// Check says what is wrong with the regions that were written, and with the number that
	// was found. With counts the groups are given by how many keys they have, not by where
	// they begin.
	Check func(number uint64, out [op.MostRegions][]byte, counts bool) error
}

// Device is the operation of a spec as a device is asked for it; positions have 4 bytes.
// The error says why no device is.
func (s Spec) Device() (op.Spec, error) {
	d := op.Spec{Type: s.Type, Items: s.Items}
	if s.Items > math.MaxUint32 {
		return d, fmt.Errorf("%s of %d items on a device: positions have 4 bytes here", s.Op, s.Items)
	}
	switch s.Op {
	case "topk":
		d.Kind, d.Other = op.Least, min(s.K, s.Items)
	case "select":
		d.Kind, d.Other = op.Select, s.K-1
	case "segmented":
		d.Kind, d.Other, d.Width = op.Segments, s.Segments, 4
	case "unique":
		d.Kind, d.Other = op.Groups, s.Items
	case "runs":
		d.Kind, d.Mode, d.ValueBytes, d.Other = op.Groups, op.Pairs, 4, s.Items
	case "search":
		d.Kind, d.Mode, d.ValueBytes, d.Other = op.Search, op.Argsort, 4, s.Items
	case "gather":
		d.Kind, d.Type, d.Width, d.Other = op.Gather, key.U32, s.Type.Bytes(), s.Items
	case "strings":
		d.Kind, d.Type, d.Mode, d.ValueBytes, d.Width, d.Bytes = op.Strings, key.U64, op.Argsort, 4, 4, s.Items*s.StringLen
		if d.Bytes > math.MaxUint32 {
			return d, fmt.Errorf("%d strings of %d bytes: offsets have 4 bytes here", s.Items, s.StringLen)
		}
	case "merge":
		if s.Segments != 2 {
			return d, fmt.Errorf("a device merges 2 runs, not %d: Segments=2", s.Segments)
		}
		d.Kind, d.Items, d.Other = op.Merge, s.Items/2, s.Items-s.Items/2
	default:
		return d, fmt.Errorf("%s runs on the processor only: name cpu", s.Op)
	}
	return d, nil
}

// TaskOf is the work of the last Draw for a device.
func TaskOf(w Work) (Task, error) {
	if d, ok := w.(interface{ Task() Task }); ok {
		return d.Task(), nil
	}
	return Task{}, fmt.Errorf("no device does it")
}

// Task is the work of the last Draw for a device.
func (a *array[T]) Task() Task {
	t := Task{In: [op.MostRegions][]byte{op.KeysIO: raw(a.in)}}
	switch a.spec.Op {
	case "topk":
		t.Check = func(_ uint64, out [op.MostRegions][]byte, _ bool) error {
			y := items[T](out[op.OtherIO])
			return same("key", y, a.sorted[:len(y)])
		}
	case "select":
		t.Check = func(number uint64, _ [op.MostRegions][]byte, _ bool) error {
			return same("key", []T{*(*T)(unsafe.Pointer(&number))}, a.sorted[a.spec.K-1:a.spec.K])
		}
	case "segmented":
		t.In[op.OtherIO] = raw(narrow(a.at))
		want := a.sortedSegments()
		t.Check = func(_ uint64, out [op.MostRegions][]byte, _ bool) error {
			return same("key", items[T](out[op.KeysIO]), want)
		}
	case "unique", "runs":
		values, starts := runsOf(a.sorted)
		t.Check = func(number uint64, out [op.MostRegions][]byte, counts bool) error {
			if int(number) != len(values) {
				return fmt.Errorf("%d groups came out, want %d", number, len(values))
			}
			if err := same("value", items[T](out[op.OtherIO])[:number], values); err != nil || out[op.ValuesIO] == nil {
				return err
			}
			return a.checkStarts(items[uint32](out[op.ValuesIO]), starts, counts)
		}
	case "merge":
		t.In[op.KeysIO], t.In[op.ValuesIO] = raw(a.in[:a.at[1]]), raw(a.in[a.at[1]:])
		t.Check = func(_ uint64, out [op.MostRegions][]byte, _ bool) error {
			return same("key", items[T](out[op.OtherIO]), a.sorted)
		}
	case "search":
		t.In[op.KeysIO], t.In[op.OtherIO] = raw(a.queries), raw(a.in)
		t.Check = func(_ uint64, out [op.MostRegions][]byte, _ bool) error {
			return checkPlaces(a, items[uint32](out[op.ValuesIO]))
		}
	case "gather":
		t.In[op.KeysIO], t.In[op.ValuesIO] = raw(narrow(a.at)), raw(a.in)
		t.Check = func(_ uint64, out [op.MostRegions][]byte, _ bool) error {
			copy(a.dst, items[T](out[op.OtherIO]))
			return a.checkGathered()
		}
	}
	return t
}

// checkStarts compares where groups begin, or with counts how many keys they have.
func (a *array[T]) checkStarts(got []uint32, starts []int, counts bool) error {
	for i, at := range starts[:len(starts)-1] {
		want := at
		if counts {
			want = starts[i+1] - at
		}
		if int(got[i]) != want {
			return fmt.Errorf("group %d: %d, want %d", i, got[i], want)
		}
	}
	if n := len(starts) - 1; !counts && int(got[n]) != len(a.sorted) {
		return fmt.Errorf("behind the last group stands %d, want %d", got[n], len(a.sorted))
	}
	return nil
}

// sortedSegments is the input with each segment in order.
func (a *array[T]) sortedSegments() []T {
	y := slices.Clone(a.in)
	var wg sync.WaitGroup
	next := make(chan int, 64)
	for range 8 {
		wg.Go(func() {
			for i := range next {
				sortAll(y[a.at[i]:a.at[i+1]])
			}
		})
	}
	for i := range len(a.at) - 1 {
		next <- i
	}
	close(next)
	wg.Wait()
	return y
}

// runsOf lists the values of sorted keys, and where each begins, with the end behind.
func runsOf[T number](sorted []T) (values []T, starts []int) {
	for i, v := range sorted {
		if i == 0 || sorted[i-1] != v {
			values, starts = append(values, v), append(starts, i)
		}
	}
	return values, append(starts, len(sorted))
}

// sortAll is slices.Sort by several goroutines.
func sortAll[T number](x []T) {
	const least = 1 << 20
	if len(x) < least {
		slices.Sort(x)
		return
	}
	var wg sync.WaitGroup
	at := []int{0}
	const parts = 16
	for i := range parts {
		lo, hi := len(x)*i/parts, len(x)*(i+1)/parts
		at = append(at, hi)
		wg.Go(func() { slices.Sort(x[lo:hi]) })
	}
	wg.Wait()
	y := make([]T, len(x))
	mergeInPairs(y, x, at)
	copy(x, y)
}

// raw is x as bytes.
func raw[T any](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(*new(T))))
}

// items is b as items.
func items[T any](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}

func narrow(x []int) []uint32 {
	y := make([]uint32, len(x))
	for i, v := range x {
		y[i] = uint32(v)
	}
	return y
}

package gpusort_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/gpusort/gpusort"
)

func ExampleSort() {
	x := []float64{3, 1, 2}
	gpusort.Sort(x)
	fmt.Println(x)
	// Output: [1 2 3]
}

func ExampleSortDesc() {
	x := []int8{-1, 5, 0}
	gpusort.SortDesc(x)
	fmt.Println(x)
	// Output: [5 0 -1]
}

func ExampleSortPairs() {
	year := []uint16{1971, 1843, 1971}
	name := []string{"Ping", "Ada", "Pong"}
	gpusort.SortPairs(year, name)
	fmt.Println(year, name)
	// Output: [1843 1971 1971] [Ada Ping Pong]
}

func ExampleArgsort() {
	fmt.Println(gpusort.Argsort([]int{30, 10, 20, 10}))
	// Output: [1 3 2 0]
}

func ExampleIsSorted() {
	fmt.Println(gpusort.IsSorted([]uint32{1, 2, 2}), gpusort.IsSorted([]uint32{2, 1}))
	// Output: true false
}

func ExampleNew() {
	s, err := gpusort.New(gpusort.WithDevice("cpu"), gpusort.WithDescending())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	x := []uint32{7, 9, 8}
	if err := gpusort.SortWith(context.Background(), s, x); err != nil {
		log.Fatal(err)
	}
	fmt.Println(x, s.Last().Device)
	// Output: [9 8 7] cpu
}

// As NumPy's stable argsort has it: −0 and +0 keep their input order.
func ExampleWithEqualZeros() {
	s, err := gpusort.New(gpusort.WithDevice("cpu"), gpusort.WithEqualZeros())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	x := []float64{0, math.Copysign(0, -1), 0, math.Copysign(0, -1)}
	idx := make([]int, len(x))
	if err := gpusort.ArgsortWith(context.Background(), s, idx, x); err != nil {
		log.Fatal(err)
	}
	fmt.Println(idx, gpusort.Argsort(x))
	// Output: [0 1 2 3] [1 3 0 2]
}

func ExampleArgsortInto() {
	x := []float32{2.5, -1, 0}
	idx := make([]uint32, len(x)) // indices of 4 bytes are the fastest
	gpusort.ArgsortInto(idx, x)
	fmt.Println(idx)
	// Output: [1 2 0]
}

// A Buffer keeps keys on the device between sorts. On a Sorter without a device it is
// host memory, so that the same program runs everywhere.
func ExampleBuffer() {
	s, err := gpusort.New(gpusort.WithDevice("cpu")) // or "cuda:0"
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	b, err := gpusort.NewBuffer[uint64](s, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer b.Close()
	ctx, x := context.Background(), []uint64{30, 10, 20}
	if err := b.Upload(ctx, x); err != nil {
		log.Fatal(err)
	}
	if err := gpusort.SortBuffer(ctx, b); err != nil {
		log.Fatal(err)
	}
	if err := b.Download(ctx, x); err != nil {
		log.Fatal(err)
	}
	fmt.Println(x)
	// Output: [10 20 30]
}

func ExampleExplain() {
	s, err := gpusort.New(gpusort.WithDevice("cpu"))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	e, err := gpusort.Explain[uint32](s, gpusort.ModeKeys, 1<<20, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Device, e.Algorithm, e.Why)
	// Output: cpu cpu the device is named
}

// Page-locked memory is copied to and from a device at the link's full rate.
func ExamplePinned() {
	s, err := gpusort.New(gpusort.WithDevice("cpu")) // or "cuda:0"
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	p, err := gpusort.AllocPinned[int32](s, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	copy(p.Slice(), []int32{3, -1, 2})
	if err := gpusort.SortWith(context.Background(), s, p.Slice()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Slice())
	// Output: [-1 2 3]
}

func ExampleWithReport() {
	s, err := gpusort.New(gpusort.WithDevice("cpu"))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	var r gpusort.Report
	x := []uint16{2, 1}
	if err := gpusort.SortWith(gpusort.WithReport(context.Background(), &r), s, x); err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Items, "keys on", r.Device)
	// Output: 2 keys on cpu
}

// UUIDs are arrays of 16 bytes.
func ExampleAnyKey() {
	type UUID [16]byte
	ids := []UUID{{0: 7}, {0: 1, 15: 2}, {0: 1}}
	owners := []string{"Ada", "Bo", "Cy"}
	gpusort.SortPairs(ids, owners)
	fmt.Println(owners)
	// Output: [Cy Bo Ada]
}

// A program that has CUDA code of its own sorts what its kernels make, in its own stream,
// and waits for nothing: data and stream are those of its CUDA binding, as uintptr.
func ExampleWrapStream() {
	var data, stream uintptr // a CUdeviceptr of 1,000,000 float32, and a CUstream
	ctx := context.Background()
	s, err := gpusort.New(gpusort.WithDevice("cuda:0"))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	st, err := gpusort.WrapStream(s, stream)
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	keys, err := gpusort.WrapDevicePointer[float32](s, data, 1_000_000)
	if err != nil {
		log.Fatal(err)
	}
	defer keys.Close()
	// The kernels that fill data are in the stream already. Those that read it follow.
	sorted, err := gpusort.SortBufferOn(ctx, st, keys)
	if err != nil {
		log.Fatal(err)
	}
	r, err := sorted.Wait() // or what the program does to wait for its stream
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("sorted by", r.Algorithm, "in", r.DeviceTime)
}

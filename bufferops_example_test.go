package gpusort_test

import (
	"context"
	"fmt"
	"log"

	"github.com/gpusort/gpusort"
)

// onDevice uploads x to a Buffer of a new Sorter; done frees both.
func onDevice[T any](x []T) (s *gpusort.Sorter, b *gpusort.Buffer[T], done func()) {
	s, err := gpusort.New(gpusort.WithDevice("cpu")) // or "cuda:0"
	if err == nil {
		b, err = gpusort.NewBuffer[T](s, len(x))
	}
	if err == nil {
		err = b.Upload(context.Background(), x)
	}
	if err != nil {
		log.Fatal(err)
	}
	return s, b, func() { b.Close(); s.Close() }
}

// contents are the first n items of b.
func contents[T any](b *gpusort.Buffer[T], n int) []T {
	x := make([]T, n)
	if err := b.Slice(0, n).Download(context.Background(), x); err != nil {
		log.Fatal(err)
	}
	return x
}

// The three largest of the keys that lie on a device, and the median.
func ExampleLargestBuffer() {
	s, keys, done := onDevice([]int32{5, 9, 1, 7, 3})
	defer done()
	top, err := gpusort.NewBuffer[int32](s, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer top.Close()
	ctx := context.Background()
	if err := gpusort.LargestBuffer(ctx, top, keys); err != nil {
		log.Fatal(err)
	}
	median, err := gpusort.SelectBuffer(ctx, keys, keys.Len()/2)
	fmt.Println(contents(top, 3), median, err)
	// Output: [9 7 5] 5 <nil>
}

// How often each key occurs: sort, then ask where each value begins.
func ExampleRunsBuffer() {
	s, keys, done := onDevice([]uint64{20, 10, 20, 30, 20})
	defer done()
	ctx := context.Background()
	values, err := gpusort.NewBuffer[uint64](s, keys.Len())
	if err != nil {
		log.Fatal(err)
	}
	defer values.Close()
	starts, err := gpusort.NewBuffer[uint32](s, keys.Len()+1)
	if err != nil {
		log.Fatal(err)
	}
	defer starts.Close()
	if err := gpusort.SortBuffer(ctx, keys); err != nil {
		log.Fatal(err)
	}
	n, err := gpusort.RunsBuffer(ctx, values, starts, keys)
	if err != nil {
		log.Fatal(err)
	}
	at := contents(starts, n+1)
	for i, v := range contents(values, n) {
		fmt.Println(v, at[i+1]-at[i])
	}
	// Output:
	// 10 1
	// 20 3
	// 30 1
}

// Lists behind each other, each sorted by itself.
func ExampleSortSegmentsBuffer() {
	s, keys, done := onDevice([]float32{3, 1, 2, 9, 8})
	defer done()
	offsets, err := gpusort.NewBuffer[uint32](s, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer offsets.Close()
	ctx := context.Background()
	if err := offsets.Upload(ctx, []uint32{0, 3, 5}); err != nil {
		log.Fatal(err)
	}
	err = gpusort.SortSegmentsBuffer(ctx, keys, offsets)
	fmt.Println(contents(keys, 5), err)
	// Output: [1 2 3 8 9] <nil>
}

// Strings as Arrow has them, bytes and offsets, put in order.
func ExampleArgsortStringsBuffer() {
	s, bytes, done := onDevice([]byte("figappledate"))
	defer done()
	n, ctx := 3, context.Background()
	offsets, err := gpusort.NewBuffer[int32](s, n+1)
	if err != nil {
		log.Fatal(err)
	}
	defer offsets.Close()
	if err := offsets.Upload(ctx, []int32{0, 3, 8, 12}); err != nil {
		log.Fatal(err)
	}
	idx, err := gpusort.NewBuffer[uint32](s, n)
	if err != nil {
		log.Fatal(err)
	}
	defer idx.Close()
	sortedOffsets, err := gpusort.NewBuffer[int32](s, n+1)
	if err != nil {
		log.Fatal(err)
	}
	defer sortedOffsets.Close()
	sorted, err := gpusort.NewBuffer[byte](s, bytes.Len())
	if err != nil {
		log.Fatal(err)
	}
	defer sorted.Close()
	if err := gpusort.ArgsortStringsBuffer(ctx, idx, offsets, bytes); err != nil {
		log.Fatal(err)
	}
	err = gpusort.GatherStringsBuffer(ctx, sortedOffsets, sorted, offsets, bytes, idx)
	fmt.Println(contents(idx, n), contents(sortedOffsets, n+1), string(contents(sorted, bytes.Len())), err)
	// Output: [1 2 0] [0 5 9 12] appledatefig <nil>
}

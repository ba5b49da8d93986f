package gpusort_test

import (
	"context"
	"fmt"
	"log"

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

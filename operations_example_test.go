package gpusort_test

import (
	"cmp"
	"context"
	"fmt"
	"log"

	"github.com/gpusort/gpusort"
)

func ExampleSmallest() {
	fmt.Println(gpusort.Smallest([]int{5, 1, 4, 1, 3}, 3))
	// Output: [1 1 3]
}

func ExampleLargest() {
	fmt.Println(gpusort.Largest([]int{5, 1, 4, 1, 3}, 3))
	// Output: [5 4 3]
}

func ExampleArgSmallest() {
	fmt.Println(gpusort.ArgSmallest([]int{5, 1, 4, 1, 3}, 3))
	// Output: [1 3 4]
}

func ExampleArgLargest() {
	fmt.Println(gpusort.ArgLargest([]int{5, 1, 4, 1, 3}, 3))
	// Output: [0 2 4]
}

func ExampleSelect() {
	latency := []float64{9, 2, 7, 4, 11}
	fmt.Println("median:", gpusort.Select(latency, len(latency)/2))
	// Output: median: 7
}

func ExampleSelectDesc() {
	fmt.Println("second largest:", gpusort.SelectDesc([]int{9, 2, 7, 4, 11}, 1))
	// Output: second largest: 9
}

func ExampleSmallestWith() {
	s, err := gpusort.New(gpusort.WithDescending())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	y, err := gpusort.SmallestWith(context.Background(), s, []int{5, 1, 4, 1, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output: [5 4 3]
}

func ExampleLargestWith() {
	s, err := gpusort.New(gpusort.WithDescending())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	y, err := gpusort.LargestWith(context.Background(), s, []int{5, 1, 4, 1, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output: [1 1 3]
}

func ExampleArgSmallestWith() {
	s, err := gpusort.New(gpusort.WithDescending())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	y, err := gpusort.ArgSmallestWith(context.Background(), s, []int{5, 1, 4, 1, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output: [0 2 4]
}

func ExampleArgLargestWith() {
	s, err := gpusort.New(gpusort.WithDescending())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	y, err := gpusort.ArgLargestWith(context.Background(), s, []int{5, 1, 4, 1, 3}, 3)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output: [1 3 4]
}

func ExampleSelectWith() {
	s, err := gpusort.New(gpusort.WithWorkers(1))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	y, err := gpusort.SelectWith(context.Background(), s, []int{9, 2, 7, 4, 11}, 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output: 7
}

func ExampleSortSegments() {
	x := []int{3, 1, 2, 9, 8}
	gpusort.SortSegments(x, []int32{0, 3, 5})
	fmt.Println(x)
	// Output: [1 2 3 8 9]
}

func ExampleSortSegmentsDesc() {
	x := []int{3, 1, 2, 9, 8}
	gpusort.SortSegmentsDesc(x, []int32{0, 3, 5})
	fmt.Println(x)
	// Output: [3 2 1 9 8]
}

func ExampleSortSegmentsWith() {
	s, err := gpusort.New(gpusort.WithDescending())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	x := []int{3, 1, 2, 9, 8}
	if err := gpusort.SortSegmentsWith(context.Background(), s, x, []int32{0, 3, 5}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(x)
	// Output: [3 2 1 9 8]
}

func ExampleArgsortSegments() {
	x := []int{3, 1, 2, 9, 8}
	idx := make([]uint32, len(x))
	gpusort.ArgsortSegments(idx, x, []int{0, 3, 5})
	fmt.Println(idx)
	// Output: [1 2 0 4 3]
}

func ExampleArgsortSegmentsDesc() {
	x := []int{3, 1, 2, 9, 8}
	idx := make([]uint32, len(x))
	gpusort.ArgsortSegmentsDesc(idx, x, []int{0, 3, 5})
	fmt.Println(idx)
	// Output: [0 2 1 3 4]
}

func ExampleArgsortSegmentsWith() {
	s, err := gpusort.New(gpusort.WithDescending())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	x := []int{3, 1, 2, 9, 8}
	idx := make([]uint32, len(x))
	if err := gpusort.ArgsortSegmentsWith(context.Background(), s, idx, x, []int{0, 3, 5}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(idx)
	// Output: [0 2 1 3 4]
}

func ExampleSortRows() {
	x := []int{
		3, 1, 2,
		9, 7, 8,
	}
	gpusort.SortRows(x, 3)
	fmt.Println(x)
	// Output: [1 2 3 7 8 9]
}

func ExampleSortRowsDesc() {
	x := []int{
		3, 1, 2,
		9, 7, 8,
	}
	gpusort.SortRowsDesc(x, 3)
	fmt.Println(x)
	// Output: [3 2 1 9 8 7]
}

func ExampleSortRowsWith() {
	s, err := gpusort.New(gpusort.WithDescending())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	x := []int{
		3, 1, 2,
		9, 7, 8,
	}
	if err := gpusort.SortRowsWith(context.Background(), s, x, 3); err != nil {
		log.Fatal(err)
	}
	fmt.Println(x)
	// Output: [3 2 1 9 8 7]
}

func ExampleUnique() {
	fmt.Println(gpusort.Unique([]int{1, 1, 2, 5, 5, 5}))
	// Output: [1 2 5]
}

func ExampleUniqueWith() {
	s, err := gpusort.New(gpusort.WithWorkers(1))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	y, err := gpusort.UniqueWith(context.Background(), s, []int{1, 1, 2, 5, 5, 5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output: [1 2 5]
}

func ExampleCount() {
	values, counts := gpusort.Count([]int{5, 1, 5, 2, 5, 1})
	fmt.Println(values, counts)
	// Output: [1 2 5] [2 1 3]
}

func ExampleCountDesc() {
	values, counts := gpusort.CountDesc([]int{5, 1, 5, 2, 5, 1})
	fmt.Println(values, counts)
	// Output: [5 2 1] [3 1 2]
}

func ExampleCountWith() {
	s, err := gpusort.New(gpusort.WithDescending())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	values, counts, err := gpusort.CountWith(context.Background(), s, []int{5, 1, 5, 2, 5, 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(values, counts)
	// Output: [5 2 1] [3 1 2]
}

func ExampleGroups() {
	fmt.Println(gpusort.Groups([]int{1, 1, 2, 5, 5, 5}))
	// Output: [0 2 3 6]
}

func ExampleGroupsWith() {
	s, err := gpusort.New(gpusort.WithWorkers(1))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	y, err := gpusort.GroupsWith(context.Background(), s, []int{1, 1, 2, 5, 5, 5})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output: [0 2 3 6]
}

func ExampleMerge() {
	dst := make([]int, 6)
	gpusort.Merge(dst, []int{1, 4}, []int{2, 3, 9}, []int{0})
	fmt.Println(dst)
	// Output: [0 1 2 3 4 9]
}

func ExampleMergeDesc() {
	dst := make([]int, 6)
	gpusort.MergeDesc(dst, []int{4, 1}, []int{9, 3, 2}, []int{0})
	fmt.Println(dst)
	// Output: [9 4 3 2 1 0]
}

func ExampleMergeWith() {
	s, err := gpusort.New(gpusort.WithDescending())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	dst := make([]int, 6)
	if err := gpusort.MergeWith(context.Background(), s, dst, []int{4, 1}, []int{9, 3, 2}, []int{0}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(dst)
	// Output: [9 4 3 2 1 0]
}

func ExampleSearch() {
	fmt.Println(gpusort.Search([]int{10, 20, 20, 30}, []int{20, 25, 5, 99}))
	// Output: [1 3 0 4]
}

func ExampleSearchDesc() {
	fmt.Println(gpusort.SearchDesc([]int{30, 20, 20, 10}, []int{20, 25, 5, 99}))
	// Output: [1 1 4 0]
}

func ExampleSearchWith() {
	s, err := gpusort.New(gpusort.WithDescending())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	y, err := gpusort.SearchWith(context.Background(), s, []int{30, 20, 20, 10}, []int{20, 25, 5, 99})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output: [1 1 4 0]
}

func ExampleSortFunc() {
	words := []string{"pear", "fig", "apple", "kiwi"}
	gpusort.SortFunc(words, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	fmt.Println(words)
	// Output: [fig pear kiwi apple]
}

func ExampleSortFuncDesc() {
	words := []string{"pear", "fig", "apple", "kiwi"}
	gpusort.SortFuncDesc(words, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	fmt.Println(words)
	// Output: [apple pear kiwi fig]
}

func ExampleSortFuncWith() {
	s, err := gpusort.New(gpusort.WithDescending())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	words := []string{"pear", "fig", "apple", "kiwi"}
	err = gpusort.SortFuncWith(context.Background(), s, words, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(words)
	// Output: [apple pear kiwi fig]
}

func ExampleUnion() {
	fmt.Println(gpusort.Union([]int{1, 2, 2, 3}, []int{2, 4}))
	// Output: [1 2 3 4]
}

func ExampleUnionDesc() {
	fmt.Println(gpusort.UnionDesc([]int{3, 2, 2, 1}, []int{4, 2}))
	// Output: [4 3 2 1]
}

func ExampleUnionWith() {
	s, err := gpusort.New(gpusort.WithDescending())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	y, err := gpusort.UnionWith(context.Background(), s, []int{3, 2, 2, 1}, []int{4, 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output: [4 3 2 1]
}

func ExampleIntersect() {
	fmt.Println(gpusort.Intersect([]int{1, 2, 2, 3}, []int{2, 4}))
	// Output: [2]
}

func ExampleIntersectDesc() {
	fmt.Println(gpusort.IntersectDesc([]int{3, 2, 2, 1}, []int{4, 2}))
	// Output: [2]
}

func ExampleIntersectWith() {
	s, err := gpusort.New(gpusort.WithDescending())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	y, err := gpusort.IntersectWith(context.Background(), s, []int{3, 2, 2, 1}, []int{4, 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output: [2]
}

func ExampleDifference() {
	fmt.Println(gpusort.Difference([]int{1, 2, 2, 3}, []int{2, 4}))
	// Output: [1 3]
}

func ExampleDifferenceDesc() {
	fmt.Println(gpusort.DifferenceDesc([]int{3, 2, 2, 1}, []int{4, 2}))
	// Output: [3 1]
}

func ExampleDifferenceWith() {
	s, err := gpusort.New(gpusort.WithDescending())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	y, err := gpusort.DifferenceWith(context.Background(), s, []int{3, 2, 2, 1}, []int{4, 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output: [3 1]
}

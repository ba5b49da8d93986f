package ops

import "github.com/gpusort/gpusort/internal/key"

// table has the operations. Those that Spec.Device knows run on devices, too.
var table = []Operation{
	{Name: "topk", Call: "Smallest", Peer: "slices.Sort of a copy, cut", K: 10, make: numbers,
		Doc: "the k smallest keys, in order", Cost: "reads the keys once, O(n + k log k); 3k keys and 16 KiB a worker, at most n/2 keys"},
	{Name: "select", Call: "Select", Peer: "slices.Sort, indexed", K: middle, middle: true, make: numbers,
		Doc: "the k-th smallest key, counted from 1", Cost: "O(n), in place"},
	{Name: "segmented", Call: "SortSegments", Peer: "slices.Sort of each segment", Segments: 1000, make: numbers,
		Doc: "many lists behind each other, each sorted by itself", Cost: "O(n log n), in place; what Sort takes for the longest segment"},
	{Name: "unique", Call: "Unique", Peer: "slices.Compact", make: numbers,
		Doc: "sorted keys, each value once", Cost: "reads the keys once, in place"},
	{Name: "runs", Call: "Groups", Peer: "a loop that lists keys unlike those before", make: numbers,
		Doc: "sorted keys: where each value begins; on devices the values, too (RunsBuffer)", Cost: "reads the keys twice"},
	{Name: "count", Call: "Count", Peer: "a map of counts, its keys sorted", make: numbers,
		Doc: "the distinct values in order, and how often each occurs", Cost: "O(n) for few values, else what Sort takes; a copy of the keys"},
	{Name: "merge", Call: "Merge", Peer: "a loop that merges two runs at a time", Segments: 8, make: numbers,
		Doc: "sorted runs merged into one", Cost: "O(n log r) for r runs; up to 2^18 keys a worker"},
	{Name: "search", Call: "Search", Peer: "slices.BinarySearch for each query", make: numbers,
		Doc: "where each of n queries belongs among n sorted keys", Cost: "O(n log n), at most; n positions"},
	{Name: "gather", Call: "Gather", Peer: "a loop over the positions", make: numbers,
		Doc: "keys copied in the order of given positions", Cost: "reads and writes each key once, in no order"},
	{Name: "strings", Call: "SortStrings", Peer: "slices.Sort", StringLen: 16, make: func(s Spec) Work { return &words{spec: s} },
		Doc: "words in the order of their bytes", Cost: "O(n log n) of 8 bytes at a time; 16 bytes a word"},
}

// numbers makes the work for the spec's key type.
func numbers(s Spec) Work {
	return key.ByType(s.Type,
		on[uint8], on[int8], on[uint16], on[int16], on[uint32], on[int32], on[uint64], on[int64], on[float32], on[float64])(s)
}

func on[T number](s Spec) Work { return &array[T]{spec: s} }

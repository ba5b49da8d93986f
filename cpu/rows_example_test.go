package cpu_test

import (
	"context"
	"fmt"
	"log"
	"net/netip"
	"time"

	"github.com/gpusort/gpusort/cpu"
)

type Person struct {
	Last, First string
	Born        time.Time
	Height      float64 // 0 if it is not known
}

func born(year int) time.Time { return time.Date(year, 12, 9, 0, 0, 0, 0, time.UTC) }

func persons() []Person {
	return []Person{
		{"Hopper", "Grace", born(1906), 1.68},
		{"Hamilton", "Margaret", born(1936), 0},
		{"Lovelace", "Ada", born(1815), 1.66},
		{"Hamilton", "William", born(1805), 1.8},
	}
}

func print(people []Person) {
	for _, p := range people {
		fmt.Println(p.First, p.Last, p.Born.Year())
	}
}

func ExampleSortBy() {
	people := persons()
	cpu.SortBy(people,
		cpu.By(func(p *Person) string { return p.Last }),
		cpu.By(func(p *Person) time.Time { return p.Born }).Desc())
	print(people)
	// Output:
	// Margaret Hamilton 1936
	// William Hamilton 1805
	// Grace Hopper 1906
	// Ada Lovelace 1815
}

func ExampleBy() {
	hosts := []struct{ addr netip.Addr }{{netip.MustParseAddr("10.0.0.7")}, {netip.MustParseAddr("9.0.0.30")}}
	cpu.SortBy(hosts, cpu.By(func(h *struct{ addr netip.Addr }) netip.Addr { return h.addr }))
	fmt.Println(hosts[0].addr, hosts[1].addr)
	// Output: 9.0.0.30 10.0.0.7
}

func ExampleByNull() {
	people := persons()
	cpu.SortBy(people,
		cpu.ByNull(func(p *Person) (float64, bool) { return p.Height, p.Height > 0 }).Desc().NullsLast())
	for _, p := range people {
		fmt.Println(p.First, p.Height)
	}
	// Output:
	// William 1.8
	// Grace 1.68
	// Ada 1.66
	// Margaret 0
}

func ExampleSortByWith() {
	s, err := cpu.New(cpu.WithWorkers(2))
	if err != nil {
		log.Fatal(err)
	}
	people := persons()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := cpu.SortByWith(ctx, s, people, cpu.By(func(p *Person) string { return p.First })); err != nil {
		log.Fatal(err) // people are as they were
	}
	print(people)
	// Output:
	// Ada Lovelace 1815
	// Grace Hopper 1906
	// Margaret Hamilton 1936
	// William Hamilton 1805
}

func ExampleArgsortBy() {
	fmt.Println(cpu.ArgsortBy(persons(), cpu.By(func(p *Person) time.Time { return p.Born })))
	// Output: [3 2 0 1]
}

func ExampleArgsortByWith() {
	s, err := cpu.New()
	if err != nil {
		log.Fatal(err)
	}
	idx := make([]uint32, 4)
	youngest := cpu.By(func(p *Person) time.Time { return p.Born }).Desc()
	if err := cpu.ArgsortByWith(context.Background(), s, idx, persons(), youngest); err != nil {
		log.Fatal(err)
	}
	fmt.Println(idx)
	// Output: [1 0 2 3]
}

func ExampleSortStrings() {
	words := []string{"pear", "fig", "Apple", "figs", ""}
	cpu.SortStrings(words)
	fmt.Printf("%q\n", words)
	// Output: ["" "Apple" "fig" "figs" "pear"]
}

func ExampleSortStringsDesc() {
	words := []string{"pear", "fig", "figs"}
	cpu.SortStringsDesc(words)
	fmt.Println(words)
	// Output: [pear figs fig]
}

func ExampleSortStringsWith() {
	s, err := cpu.New(cpu.WithDescending())
	if err != nil {
		log.Fatal(err)
	}
	words := []string{"a", "c", "b"}
	if err := cpu.SortStringsWith(context.Background(), s, words); err != nil {
		log.Fatal(err)
	}
	fmt.Println(words)
	// Output: [c b a]
}

func ExampleSortBytes() {
	lines := [][]byte{{2}, {0xff}, {1, 0}, {1}}
	cpu.SortBytes(lines)
	fmt.Println(lines)
	// Output: [[1] [1 0] [2] [255]]
}

func ExampleSortBytesDesc() {
	lines := [][]byte{{2}, {1, 0}, {1}}
	cpu.SortBytesDesc(lines)
	fmt.Println(lines)
	// Output: [[2] [1 0] [1]]
}

func ExampleSortBytesWith() {
	s, err := cpu.New()
	if err != nil {
		log.Fatal(err)
	}
	lines := [][]byte{{2}, {1}}
	if err := cpu.SortBytesWith(context.Background(), s, lines); err != nil {
		log.Fatal(err)
	}
	fmt.Println(lines)
	// Output: [[1] [2]]
}

func ExampleArgsortStrings() {
	fmt.Println(cpu.ArgsortStrings([]string{"b", "a", "c", "a"}))
	// Output: [1 3 0 2]
}

func ExampleArgsortStringsDesc() {
	fmt.Println(cpu.ArgsortStringsDesc([]string{"b", "a", "c", "a"}))
	// Output: [2 0 1 3]
}

func ExampleArgsortStringsWith() {
	s, err := cpu.New()
	if err != nil {
		log.Fatal(err)
	}
	idx := make([]int32, 3)
	if err := cpu.ArgsortStringsWith(context.Background(), s, idx, []string{"b", "c", "a"}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(idx)
	// Output: [2 0 1]
}

func ExampleArgsortBytes() {
	fmt.Println(cpu.ArgsortBytes([][]byte{{2}, {1}, {3}}))
	// Output: [1 0 2]
}

func ExampleArgsortBytesDesc() {
	fmt.Println(cpu.ArgsortBytesDesc([][]byte{{2}, {1}, {3}}))
	// Output: [2 0 1]
}

func ExampleArgsortBytesWith() {
	s, err := cpu.New()
	if err != nil {
		log.Fatal(err)
	}
	idx := make([]uint32, 3)
	if err := cpu.ArgsortBytesWith(context.Background(), s, idx, [][]byte{{2}, {1}, {3}}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(idx)
	// Output: [1 0 2]
}

func ExampleGather() {
	src := []string{"zero", "one", "two"}
	dst := make([]string, 4)
	cpu.Gather(dst, src, []uint8{2, 2, 0, 1})
	fmt.Println(dst)
	// Output: [two two zero one]
}

func ExampleGatherWith() {
	s, err := cpu.New(cpu.WithWorkers(1))
	if err != nil {
		log.Fatal(err)
	}
	dst := make([]string, 2)
	if err := cpu.GatherWith(context.Background(), s, dst, []string{"zero", "one"}, []int{1, 0}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(dst)
	// Output: [one zero]
}

// What belongs to keys is put in their order.
func ExamplePermute() {
	year, name := []int{1936, 1815, 1906}, []string{"Margaret", "Ada", "Grace"}
	cpu.Permute(name, cpu.Argsort(year))
	fmt.Println(name)
	// Output: [Ada Grace Margaret]
}

func ExamplePermuteWith() {
	s, err := cpu.New()
	if err != nil {
		log.Fatal(err)
	}
	x := []string{"b", "c", "a"}
	if err := cpu.PermuteWith(context.Background(), s, x, []int{2, 0, 1}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(x)
	// Output: [a b c]
}

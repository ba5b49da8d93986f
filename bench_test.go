package gpusort_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort"
)

// benchItems are the sizes: $GPUSORT_BENCH_LOG2N, a list of one exponent or
// "lo:hi", or else 10^7.
func benchItems() []int {
	var lo, hi int
	s := os.Getenv("GPUSORT_BENCH_LOG2N")
	if n, _ := fmt.Sscanf(s, "%d:%d", &lo, &hi); n == 2 {
		var out []int
		for e := lo; e <= hi; e += 2 {
			out = append(out, 1<<e)
		}
		return out
	}
	if e, err := strconv.Atoi(s); err == nil {
		return []int{1 << e}
	}
	return []int{1e7}
}

func random[T gpusort.Key](n int) []T {
	x := make([]T, n)
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range x {
		x[i] = T(r.Uint64() >> 1)
	}
	return x
}

// warmUps are the sorts before the clock starts. The first makes the device's
// context and loads its code, some 0.2 s; the graph is made in the fourth.
const warmUps = 5

// BenchmarkSort sorts host slices end to end on the CPU and on every device,
// with slices.Sort beside them. Gkeys/s counts transfers; device-Gkeys/s is the
// sort alone by the device's clock.
func BenchmarkSort(b *testing.B) {
	benchType[uint32](b, "u32")
	benchType[uint64](b, "u64")
	benchType[float32](b, "f32")
	benchType[float64](b, "f64")
}

func benchType[T gpusort.Key](b *testing.B, name string) {
	list, err := gpusort.Devices()
	if err != nil {
		b.Log(err)
	}
	for _, n := range benchItems() {
		in := random[T](n)
		for _, d := range list {
			b.Run(fmt.Sprintf("%s/%s/n=%d", d.ID, name, n), func(b *testing.B) {
				s, err := gpusort.New(gpusort.WithDevice(d.ID))
				if err != nil {
					b.Fatal(err)
				}
				defer s.Close()
				benchSlices(b, s, in, make([]T, n))
			})
			if d.ID == "cpu" {
				continue
			}
			b.Run(fmt.Sprintf("%s/%s/pinned/n=%d", d.ID, name, n), func(b *testing.B) {
				s, err := gpusort.New(gpusort.WithDevice(d.ID))
				if err != nil {
					b.Fatal(err)
				}
				defer s.Close()
				x, err := gpusort.AllocPinned[T](s, n)
				if err != nil {
					b.Fatal(err)
				}
				defer x.Close()
				benchSlices(b, s, in, x.Slice())
			})
		}
		b.Run(fmt.Sprintf("slices.Sort/%s/n=%d", name, n), func(b *testing.B) {
			x := make([]T, n)
			for b.Loop() {
				b.StopTimer()
				copy(x, in)
				b.StartTimer()
				slices.Sort(x)
			}
			rate(b, "Gkeys/s", n, b.Elapsed().Seconds())
		})
	}
}

func benchSlices[T gpusort.Key](b *testing.B, s *gpusort.Sorter, in, x []T) {
	var device float64
	b.SetBytes(int64(len(in)) * int64(unsafe.Sizeof(in[0])))
	for range warmUps {
		copy(x, in)
		if err := gpusort.SortWith(context.Background(), s, x); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		b.StopTimer()
		copy(x, in)
		b.StartTimer()
		if err := gpusort.SortWith(context.Background(), s, x); err != nil {
			b.Fatal(err)
		}
		device += s.Last().DeviceTime.Seconds()
	}
	if !gpusort.IsSorted(x) {
		b.Fatal("not sorted")
	}
	rate(b, "Gkeys/s", len(in), b.Elapsed().Seconds())
	if device > 0 {
		rate(b, "device-Gkeys/s", len(in), device)
	}
}

// BenchmarkBuffer sorts device memory that is uploaded anew for each sort,
// outside of the clock.
func BenchmarkBuffer(b *testing.B) {
	list, _ := gpusort.Devices()
	for _, d := range list {
		for _, n := range benchItems() {
			benchBuffer[uint32, uint32](b, d.ID, "u32", n)
			benchBuffer[uint64, uint64](b, d.ID, "u64", n)
		}
	}
}

func benchBuffer[K, V gpusort.Key](b *testing.B, device, name string, n int) {
	in := random[K](n)
	for _, pairs := range []bool{false, true} {
		mode := "keys"
		if pairs {
			mode = "pairs"
		}
		b.Run(fmt.Sprintf("%s/%s/%s/n=%d", device, name, mode, n), func(b *testing.B) {
			s, err := gpusort.New(gpusort.WithDevice(device))
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			k, err := gpusort.NewBuffer[K](s, n)
			if err != nil {
				b.Fatal(err)
			}
			defer k.Close()
			v, err := gpusort.NewBuffer[V](s, n)
			if err != nil {
				b.Fatal(err)
			}
			defer v.Close()
			ctx := context.Background()
			if err := v.Upload(ctx, random[V](n)); err != nil {
				b.Fatal(err)
			}
			upload := func() {
				if err := k.Upload(ctx, in); err != nil {
					b.Fatal(err)
				}
			}
			sort := func() {
				if pairs {
					err = gpusort.SortPairsBuffer(ctx, k, v)
				} else {
					err = gpusort.SortBuffer(ctx, k)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			for range warmUps {
				upload()
				sort()
			}
			var took float64
			for b.Loop() {
				b.StopTimer()
				upload()
				b.StartTimer()
				sort()
				took += s.Last().DeviceTime.Seconds()
			}
			rate(b, "Gkeys/s", n, b.Elapsed().Seconds())
			if took > 0 {
				rate(b, "device-Gkeys/s", n, took)
			}
		})
	}
}

func rate(b *testing.B, unit string, n int, seconds float64) {
	b.ReportMetric(float64(n)*float64(b.N)/seconds/1e9, unit)
}

// BenchmarkTransfer uploads and downloads ordinary and pinned memory.
func BenchmarkTransfer(b *testing.B) {
	list, _ := gpusort.Devices()
	const n = 256 << 20 / 8
	for _, d := range list {
		s, err := gpusort.New(gpusort.WithDevice(d.ID))
		if err != nil {
			b.Fatal(err)
		}
		buf, err := gpusort.NewBuffer[uint64](s, n)
		if err != nil {
			b.Fatal(err)
		}
		pinned, err := gpusort.AllocPinned[uint64](s, n)
		if err != nil {
			b.Fatal(err)
		}
		ordinary := make([]uint64, n)
		clear(ordinary)
		for _, m := range []struct {
			name string
			mem  []uint64
		}{{"pinned", pinned.Slice()}, {"ordinary", ordinary}} {
			clear(m.mem)
			if err := buf.Upload(context.Background(), m.mem); err != nil { // makes the staging memory
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/%s/upload", d.ID, m.name), func(b *testing.B) {
				b.SetBytes(n * 8)
				for b.Loop() {
					if err := buf.Upload(context.Background(), m.mem); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("%s/%s/download", d.ID, m.name), func(b *testing.B) {
				b.SetBytes(n * 8)
				for b.Loop() {
					if err := buf.Download(context.Background(), m.mem); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		for _, c := range []interface{ Close() error }{buf, pinned, s} {
			if err := c.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
}

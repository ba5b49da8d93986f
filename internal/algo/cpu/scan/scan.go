// Package scan has the host's forms of the catalogue's prefix sums: serial, and
// with the same order of additions as on a device, so that the work of each can
// be counted without one. All work in place and modulo 2^width; inclusive sums
// count an element itself, exclusive ones what lies before it.
package scan

// Word is the type of an element.
type Word interface{ ~uint32 | ~uint64 }

// HillisSteele adds at distances 1, 2, 4, …: n log n additions (Hillis and
// Steele 1986). It needs a second array.
func HillisSteele[U Word](x []U, inclusive bool) {
	if !inclusive && len(x) > 0 {
		copy(x[1:], x)
		x[0] = 0
	}
	in, out := x, make([]U, len(x))
	for d := 1; d < len(x); d *= 2 {
		copy(out[:d], in[:d])
		for i := d; i < len(in); i++ {
			out[i] = in[i] + in[i-d]
		}
		in, out = out, in
	}
	copy(x, in)
}

// tile is the number of elements that Blelloch takes at a time, a power of two:
// what a block of 1,024 threads takes on a device.
const tile = 2048

// Blelloch sums a tree per tile up and hands the sums down again, 2n additions
// (Blelloch 1990), and carries the sum of the tiles before.
func Blelloch[U Word](x []U, inclusive bool) {
	var tree [tile]U
	var before U
	for from := 0; from < len(x); from += tile {
		part := x[from:min(from+tile, len(x))]
		clear(tree[copy(tree[:], part):])
		for width := 1; width < tile; width *= 2 {
			for i := 2*width - 1; i < tile; i += 2 * width {
				tree[i] += tree[i-width]
			}
		}
		total := tree[tile-1]
		tree[tile-1] = 0
		for width := tile / 2; width > 0; width /= 2 {
			for i := 2*width - 1; i < tile; i += 2 * width {
				tree[i-width], tree[i] = tree[i], tree[i]+tree[i-width]
			}
		}
		for i, v := range part {
			part[i] = before + tree[i]
			if inclusive {
				part[i] += v
			}
		}
		before += total
	}
}

// Lookback is what the single pass is where tiles run one after the other: n
// additions, each element read and written once.
func Lookback[U Word](x []U, inclusive bool) {
	var sum U
	for i, v := range x {
		if inclusive {
			sum += v
			x[i] = sum
		} else {
			x[i] = sum
			sum += v
		}
	}
}

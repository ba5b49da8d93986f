package fake

// RegisterSuite registers the kernels of the conformance suite, which
// drivertest.Kernels describes.
func (d *Driver) RegisterSuite() {
	d.Register("t_affine32", func(b *Block) {
		in, out := Slice[uint32](b, 0), Slice[uint32](b, 1)
		a, c := uint32(b.Uint(3)), uint32(b.Uint(4))
		each(b, b.Uint(2), func(i uint64) { out[i] = in[i]*a + c })
	})
	d.Register("t_affine64", func(b *Block) {
		in, out := Slice[uint64](b, 0), Slice[uint64](b, 1)
		each(b, b.Uint(2), func(i uint64) { out[i] = in[i]*b.Uint(3) + b.Uint(4) })
	})
	d.Register("t_args", func(b *Block) {
		out := Slice[uint64](b, 0)
		for i := 1; i < b.Args(); i++ {
			out[i-1] = b.Uint(i)
		}
	})
	d.Register("t_reverse", func(b *Block) {
		in, out, s := Slice[uint32](b, 0), Slice[uint32](b, 1), View[uint32](b.Shared)
		n := b.Threads()
		first := int(b.ID.X) * n
		copy(s, in[first:first+n])
		for t := range n {
			out[first+t] = s[n-1-t]
		}
	})
	d.Register("t_grid2", func(b *Block) {
		out, width := Slice[uint32](b, 0), uint32(b.Uint(1))
		for ty := range b.Block.Y {
			for tx := range b.Block.X {
				x, y := b.ID.X*b.Block.X+tx, b.ID.Y*b.Block.Y+ty
				out[y*width+x] = y<<16 | x
			}
		}
	})
}

// each calls f for the block's threads with a global index below n.
func each(b *Block, n uint64, f func(i uint64)) {
	first := uint64(b.ID.X) * uint64(b.Threads())
	for i := first; i < min(n, first+uint64(b.Threads())); i++ {
		f(i)
	}
}

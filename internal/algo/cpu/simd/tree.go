package simd

// Tree partitions x by all of the ascending splitters: ends[i] becomes the
// number of words below splitters[i]. The words of each part keep their order.
// buf is scratch for as many words as x has and a Slack of 128 bytes. It must
// be Available.
func Tree[U Word](x []U, splitters []U, ends []uint32, buf []U) {
	tree[U]{kernelsOf[U](), &buf[0]}.split(x, 0, splitters, ends)
}

type tree[U Word] struct {
	k   *kernels[U]
	buf *U
}

// split partitions x, whose first word is word base of the whole.
func (t tree[U]) split(x []U, base int, splitters []U, ends []uint32) {
	for len(splitters) > 0 {
		mid := len(splitters) / 2
		m := 0
		if len(x) > 0 {
			m = t.k.part(&x[0], len(x), splitters[mid], t.buf)
		}
		ends[mid] = uint32(base + m)
		t.split(x[:m], base, splitters[:mid], ends[:mid])
		x, base, splitters, ends = x[m:], base+m, splitters[mid+1:], ends[mid+1:]
	}
}

package simd

// Tree partitions x by all of the ascending splitters: ends[i] becomes the
// number of words below splitters[i]. It must be Available.
func Tree[U Word](x []U, splitters []U, ends []uint32, s *Scratch[U]) {
	t := tree[U]{quick[U]{kernelsOf[U](), &s[0], nil}}
	t.split(x, 0, splitters, ends)
}

type tree[U Word] struct {
	quick[U]
}

// split partitions x, whose first word is word base of the whole.
func (t *tree[U]) split(x []U, base int, splitters []U, ends []uint32) {
	for len(splitters) > 0 {
		mid := len(splitters) / 2
		m := 0
		switch p := splitters[mid]; {
		case len(x) > splitMin:
			m = t.part(x, p)
		case len(x) > 0:
			m = t.k.part(&x[0], len(x), p, t.buf)
		}
		ends[mid] = uint32(base + m)
		t.split(x[:m], base, splitters[:mid], ends[:mid])
		x, base, splitters, ends = x[m:], base+m, splitters[mid+1:], ends[mid+1:]
	}
}

// splitMin is above what any split kernel needs.
const splitMin = 256

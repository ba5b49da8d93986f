package cpu

import "github.com/gpusort/gpusort/internal/key"

// encodedKeys carries keys alone.
type encodedKeys[U wide] struct {
	x []U
	c key.Codec
}

func (p encodedKeys[U]) fill(buf []U, i, j int) { encodeTo(buf[:j-i], p.x[i:j], p.c) }

func (p encodedKeys[U]) tally(c *counter, i, j int, d digit, ref uint64) uint64 {
	if p.c == key.CodecUnsigned {
		return countBlock(p.x[i:j], c, d, ref)
	}
	block := getScratch[U](blockItems)
	defer block.put()
	b := block.s[:j-i]
	encodeTo(b, p.x[i:j], p.c)
	return countBlock(b, c, d, ref)
}

func (p encodedKeys[U]) needed() bool { return true }

func (p encodedKeys[U]) emit(e []U, at int) { decodeTo(p.x[at:at+len(e)], e, p.c) }

func (p encodedKeys[U]) move(to, from, n int) { copy(p.x[to:to+n], p.x[from:from+n]) }

package table

import (
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/key/schema"
)

// sieve tells by the first key alone which rows of a group may be among the first.
type sieve struct {
	*fieldKey
	p     *picker
	group int
	key   []byte
}

// pass appends the numbers of those of the column's rows that may be among the first.
func (s *sieve) pass(dst []uint32, c *column, rows int) []uint32 {
	b := s.p.bound.Load()
	if b == nil {
		for i := range rows {
			dst = append(dst, uint32(i))
		}
		return dst
	}
	// A row that ties is late, if it lies in a later group.
	strict := s.last && s.group > b.group
	if s.other == ofSchema && s.Kind == schema.Number {
		if s.width == 4 {
			return passWords[uint32](s, dst, c, rows, b.key, strict)
		}
		return passWords[uint64](s, dst, c, rows, b.key, strict)
	}
	late := 0
	if !strict {
		late = 1
	}
	v := 0
	for i := range rows {
		if c.def > 0 && c.defs[i] != int16(c.def) {
			s.key = append(s.key[:0], s.null)
		} else {
			s.key = s.append(s.key[:0], c.value(v))
			v++
		}
		bound := b.key
		if !s.last {
			bound = bound[:min(len(s.key), len(bound))]
		}
		if s.p.compareKeys(s.key, bound) < late {
			dst = append(dst, uint32(i))
		}
	}
	return dst
}

// passWords is pass for numbers as wide as U. Nothing before bound, or strictly so, is late.
func passWords[U uint32 | uint64](s *sieve, dst []uint32, c *column, rows int, bound []byte, strict bool) []uint32 {
	var flip U
	if s.p.desc {
		flip = ^flip
	}
	m := key.MapOf[U](key.CodecOf(s.typ, s.col.Order))
	// Encoded values up to last pass, none if some is false.
	last, some, nulls := ^U(0), false, false
	if bound[0] == s.null {
		nulls = !strict
		some = (s.mark < s.null) != s.p.desc
	} else {
		nulls = (s.null < s.mark) != s.p.desc
		last = 0
		for _, b := range bound[1 : 1+s.width] {
			last = last<<8 | U(b)
		}
		last ^= flip
		if some = !strict || last > 0; strict && some {
			last--
		}
	}
	words := view[U](c.fixed)
	if c.def == 0 {
		for i, w := range words[:rows] {
			if m.Of(w)^flip <= last && some {
				dst = append(dst, uint32(i))
			}
		}
		return dst
	}
	v := 0
	for i, d := range c.defs[:rows] {
		pass := nulls
		if d == int16(c.def) {
			pass = some && m.Of(words[v])^flip <= last
			v++
		}
		if pass {
			dst = append(dst, uint32(i))
		}
	}
	return dst
}

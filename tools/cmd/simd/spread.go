package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The layout of simd.Lines and simd.Tally.
const (
	spreadLines = 256
	nextOffset  = spreadLines * streamBytes
	firstOffset = nextOffset + 8*spreadLines
	tallyDigits = 1024
)

// spreadUnroll is the number of elements that a turn of the loops treats.
const spreadUnroll = 4

// spreader emits loops over elements of so many bytes, whose first eight (or
// four) are an unsigned word, by a digit of the word: (word >> shift) & mask.
// They need BMI2 and AVX2 only and serve both levels: what they wait for is the
// one store of each element.
type spreader struct {
	*Context
	size int
	iota operand.Mem // of laneNumbers
}

// Registers of all these loops.
var (
	sSrc, sCount, sShift, sMask = reg.RSI, reg.RCX, reg.R8, reg.R9
	sBase, sDst                 = reg.RDI, reg.RBX
	sWord, sDigit, sAt          = reg.RAX, reg.RDX, reg.R10
)

func spread(c *Context) {
	numbers := laneNumbers(c)
	for _, size := range []int{4, 8, 16} {
		s := &spreader{c, size, numbers}
		s.count()
		if size > 4 {
			s.lines()
			s.move()
			s.tags()
			s.fetch()
		}
	}
	zip(c, nil)
	zip(c, &numbers)
	unzip(c)
	streamHalf(c, false)
	streamHalf(c, true)
	nearest(c)
}

// typ is the type that pointers to elements have in Go.
func (s *spreader) typ() string {
	if s.size == 4 {
		return "uint32"
	}
	return "uint64"
}

// params loads the parameters src, n, shift and mask.
func (s *spreader) params() {
	loadParam(s.Context, "src", sSrc)
	loadParam(s.Context, "n", sCount)
	loadParam(s.Context, "shift", sShift)
	loadParam(s.Context, "mask", sMask)
}

// word is the word of the element u places from src.
func (s *spreader) word(u int) operand.Mem { return operand.Mem{Base: sSrc, Disp: u * s.size} }

// digit loads the digit of that element.
func (s *spreader) digit(u int) {
	if s.size == 4 {
		s.SHRXL(sShift.As32(), s.word(u), sDigit.As32())
	} else {
		s.SHRXQ(sShift, s.word(u), sDigit)
	}
	s.ANDL(sMask.As32(), sDigit.As32())
}

// loop emits body for each element, spreadUnroll at a time as long as there are
// so many.
func (s *spreader) loop(body func(u int)) {
	s.SUBQ(operand.U32(spreadUnroll), sCount)
	s.JL(operand.LabelRef("rest"))
	s.Label("loop")
	for u := range spreadUnroll {
		body(u)
	}
	s.ADDQ(operand.U32(spreadUnroll*s.size), sSrc)
	s.SUBQ(operand.U32(spreadUnroll), sCount)
	s.JGE(operand.LabelRef("loop"))
	s.Label("rest")
	s.ADDQ(operand.U32(spreadUnroll), sCount)
	s.JZ(operand.LabelRef("done"))
	s.Label("one")
	body(spreadUnroll)
	s.ADDQ(operand.U32(s.size), sSrc)
	s.DECQ(sCount)
	s.JNZ(operand.LabelRef("one"))
	s.Label("done")
}

// at is the place of an element in the body of loop: the one that is alone has
// no displacement.
func at(u int) int { return u % spreadUnroll }

// count emits Count. Neighbours are counted in different tables, since equal
// ones would wait for each other's store.
func (s *spreader) count() {
	name := fmt.Sprintf("Count%dAVX2", 8*s.size)
	t := s.typ()
	function(s.Context, name, fmt.Sprintf("func(src *%s, n int, shift uint64, mask uint64, tally *uint32, ref %s) (varying %s)", t, t, t))
	s.Doc(fmt.Sprintf("%s counts the digits of src[:n], elements of %d bytes, in the two tables at tally, and returns", name, s.size),
		"the bits in which words differ from ref. A digit is (word >> shift) & mask.")
	s.params()
	loadParam(s.Context, "tally", sBase)
	ref, varying, word := reg.R12, reg.R13, sWord
	if s.size == 4 {
		s.Load(s.Param("ref"), ref.As32())
	} else {
		s.Load(s.Param("ref"), ref)
	}
	s.XORL(varying.As32(), varying.As32())
	s.loop(func(u int) {
		if s.size == 4 {
			s.MOVL(s.word(at(u)), word.As32())
		} else {
			s.MOVQ(s.word(at(u)), word)
		}
		s.SHRXQ(sShift, word, sDigit)
		s.ANDL(sMask.As32(), sDigit.As32())
		s.XORQ(ref, word)
		s.ORQ(word, varying)
		s.INCL(operand.Mem{Base: sBase, Index: sDigit, Scale: 4, Disp: u % 2 * 4 * tallyDigits})
	})
	if s.size == 4 {
		s.Store(varying.As32(), s.ReturnIndex(0))
	} else {
		s.Store(varying, s.ReturnIndex(0))
	}
	s.RET()
}

// copyElement copies the element at u to the address to.
func (s *spreader) copyElement(u int, to operand.Mem) {
	if s.size == 8 {
		s.MOVQ(s.word(u), sWord)
		s.MOVQ(sWord, to)
		return
	}
	s.VMOVDQU(s.word(u), reg.X8)
	s.VMOVDQU(reg.X8, to)
}

// batch holds the places of the elements that a turn of the loops treats. They
// are all read, and counted up, before any element is stored, which measured up
// to 15 % faster than one by one: where an element goes is known late, and reads
// of counts need not be held back, or redone, for it.
var batch = [spreadUnroll]reg.GPPhysical{reg.R10, reg.R11, reg.R12, reg.R13}

// batches emits place for each element and then store for each, spreadUnroll
// elements at a time as long as there are so many.
func (s *spreader) batches(place func(u int), store func(turn string, us []int)) {
	all := make([]int, spreadUnroll)
	s.loop(func(u int) {
		place(u % spreadUnroll)
		switch {
		case u == spreadUnroll:
			store("one", all[:1])
		case u == spreadUnroll-1:
			for i := range all {
				all[i] = i
			}
			store("loop", all)
		}
	})
}

// lines emits Lines: elements collect in a line for each digit, and a full line
// is written past the caches. Which line is full next cannot be foreseen, but a
// test that is mispredicted once a line is cheaper than a store to memory for
// each element.
func (s *spreader) lines() {
	name := fmt.Sprintf("Lines%dAVX2", 8*s.size)
	function(s.Context, name, "func(src *uint64, n int, shift uint64, mask uint64, lines *byte, dst *uint64)")
	s.Doc(fmt.Sprintf("%s appends src[:n], elements of %d bytes, to the lines of their digits, and copies those", name, s.size),
		"that fill up to dst rounded down to a multiple of their length, but not what is before a digit's",
		"first place. A digit is (word >> shift) & mask, less than 256; lines points to a Lines.")
	s.params()
	loadParam(s.Context, "lines", sBase)
	loadParam(s.Context, "dst", sDst)
	s.ANDQ(operand.I32(-streamBytes), sDst)
	full := operand.U8(streamBytes - s.size) // the last slot of a line
	put := func(u int) {
		s.copyElement(u, operand.Mem{Base: sBase, Index: batch[u], Scale: 1})
	}
	s.batches(func(u int) {
		s.digit(u)
		slot := batch[u]
		next := operand.Mem{Base: sBase, Index: sDigit, Scale: 8, Disp: nextOffset}
		s.MOVQ(next, sWord)
		s.SHLL(operand.U8(8), sDigit.As32())
		s.MOVBLZX(sWord.As8(), slot.As32())
		s.ADDQ(operand.U32(s.size), sWord)
		s.ORL(sDigit.As32(), slot.As32())
		s.SHRL(operand.U8(8), sDigit.As32())
		s.MOVQ(sWord, next)
	}, func(turn string, us []int) {
		for _, u := range us {
			s.CMPB(batch[u].As8(), full)
			s.JE(operand.LabelRef(turn + "Full"))
		}
		for _, u := range us {
			put(u)
		}
		s.JMP(operand.LabelRef(turn + "Stored"))
		s.Label(turn + "Full")
		for _, u := range us {
			put(u)
			s.CMPB(batch[u].As8(), full)
			s.JNE(operand.LabelRef(fmt.Sprint(turn, "Put", u)))
			s.flush(fmt.Sprint(turn, u), batch[u])
			s.Label(fmt.Sprint(turn, "Put", u))
		}
		s.Label(turn + "Stored")
	})
	s.VZEROUPPER()
	s.RET()
}

// flush writes the line whose last slot is named, whole or, if it is the first,
// from its first place on.
func (s *spreader) flush(label string, slot reg.GPPhysical) {
	line, at, first := reg.RDX, reg.RAX, reg.R14
	s.MOVL(slot.As32(), line.As32())
	s.SHRL(operand.U8(8), line.As32())
	// Later elements of the batch may have counted on.
	s.MOVQ(operand.Mem{Base: sBase, Index: line, Scale: 8, Disp: nextOffset}, at)
	s.ANDQ(operand.I32(-streamBytes), at)
	s.SUBQ(operand.U32(streamBytes), at)
	s.MOVQ(operand.Mem{Base: sBase, Index: line, Scale: 8, Disp: firstOffset}, first)
	s.SHLL(operand.U8(8), line.As32())
	s.CMPQ(first, at)
	s.JA(operand.LabelRef(label + "Partial"))
	for i := range streamBytes / 32 {
		s.VMOVDQU(operand.Mem{Base: sBase, Index: line, Scale: 1, Disp: 32 * i}, ymm[i])
	}
	for i := range streamBytes / 32 {
		s.VMOVNTDQ(ymm[i], operand.Mem{Base: sDst, Index: at, Scale: 1, Disp: 32 * i})
	}
	s.JMP(operand.LabelRef(label + "Flushed"))
	s.Label(label + "Partial")
	s.SUBQ(at, first)
	s.ADDQ(first, line)
	s.ADDQ(first, at)
	s.Label(label + "Words")
	s.MOVQ(operand.Mem{Base: sBase, Index: line, Scale: 1}, first)
	s.MOVQ(first, operand.Mem{Base: sDst, Index: at, Scale: 1})
	s.ADDQ(operand.U32(8), line)
	s.ADDQ(operand.U32(8), at)
	s.TESTB(at.As8(), at.As8())
	s.JNZ(operand.LabelRef(label + "Words"))
	s.Label(label + "Flushed")
}

// move emits Move.
func (s *spreader) move() {
	name := fmt.Sprintf("Move%dAVX2", 8*s.size)
	function(s.Context, name, "func(src *uint64, n int, shift uint64, mask uint64, next *uint32, dst *uint64)")
	s.Doc(fmt.Sprintf("%s moves src[:n], elements of %d bytes, to dst, those of digit d to next[d], next[d]+1, …,", name, s.size),
		"which it counts up. A digit is (word >> shift) & mask. It prefetches as much as n elements behind",
		"src, which may be anything.")
	s.params()
	loadParam(s.Context, "next", sBase)
	loadParam(s.Context, "dst", sDst)
	ahead := reg.R14
	s.MOVQ(sCount, ahead)
	s.SHLQ(operand.U8(map[int]int{8: 3, 16: 4}[s.size]), ahead)
	s.batches(func(u int) {
		s.digit(u)
		next := operand.Mem{Base: sBase, Index: sDigit, Scale: 4}
		s.MOVL(next, batch[u].As32())
		s.LEAL(operand.Mem{Base: batch[u], Disp: 1}, sWord.As32())
		s.MOVL(sWord.As32(), next)
		if s.size == 16 {
			s.ADDQ(batch[u], batch[u])
		}
	}, func(_ string, us []int) {
		for _, u := range us {
			s.copyElement(u, operand.Mem{Base: sDst, Index: batch[u], Scale: 8})
		}
		s.PREFETCHT1(operand.Mem{Base: sSrc, Index: ahead, Scale: 1})
	})
	s.RET()
}

// tags emits Tags, by eight words at a time where words are neighbours.
func (s *spreader) tags() {
	name := fmt.Sprintf("Tags%dAVX2", 8*s.size)
	function(s.Context, name, "func(src *uint64, n int, shift uint64, place uint64, tags *uint32)")
	s.Doc(fmt.Sprintf("%s makes the tags of src[:n], elements of %d bytes: word >> shift << place | i.", name, s.size))
	loadParam(s.Context, "src", sSrc)
	loadParam(s.Context, "n", sCount)
	loadParam(s.Context, "shift", sShift)
	loadParam(s.Context, "place", sMask)
	loadParam(s.Context, "tags", sDst)
	i := sAt
	s.XORL(i.As32(), i.As32())
	if s.size == 8 {
		s.VMOVQ(sShift, reg.X8)
		s.VMOVQ(sMask, reg.X9)
		s.VMOVDQU(s.iota, reg.Y10)
		s.VMOVDQU(s.iota.Offset(32), reg.Y11)
		s.SUBQ(operand.U32(8), sCount)
		s.JL(operand.LabelRef("tail"))
		s.Label("vectors")
		s.VMOVDQU(operand.Mem{Base: sSrc, Index: i, Scale: 8}, reg.Y0)
		s.VMOVDQU(operand.Mem{Base: sSrc, Index: i, Scale: 8, Disp: 32}, reg.Y1)
		s.VPSRLQ(reg.X8, reg.Y0, reg.Y0)
		s.VPSRLQ(reg.X8, reg.Y1, reg.Y1)
		s.VSHUFPS(operand.U8(0x88), reg.Y1, reg.Y0, reg.Y0)
		s.VPERMQ(operand.U8(0xd8), reg.Y0, reg.Y0)
		s.VPSLLD(reg.X9, reg.Y0, reg.Y0)
		s.VPOR(reg.Y10, reg.Y0, reg.Y0)
		s.VPADDD(reg.Y11, reg.Y10, reg.Y10)
		s.VMOVDQU(reg.Y0, operand.Mem{Base: sDst, Index: i, Scale: 4})
		s.ADDQ(operand.U32(8), i)
		s.SUBQ(operand.U32(8), sCount)
		s.JGE(operand.LabelRef("vectors"))
		s.Label("tail")
		s.VZEROUPPER()
		s.ADDQ(operand.U32(8), sCount)
		s.LEAQ(operand.Mem{Base: sSrc, Index: i, Scale: 8}, sSrc)
	}
	s.TESTQ(sCount, sCount)
	s.JZ(operand.LabelRef("end"))
	s.Label("words")
	s.SHRXQ(sShift, s.word(0), sWord)
	s.SHLXL(sMask.As32(), sWord.As32(), sWord.As32())
	s.ORL(i.As32(), sWord.As32())
	s.MOVL(sWord.As32(), operand.Mem{Base: sDst, Index: i, Scale: 4})
	s.INCQ(i)
	s.ADDQ(operand.U32(s.size), sSrc)
	s.DECQ(sCount)
	s.JNZ(operand.LabelRef("words"))
	s.Label("end")
	s.RET()
}

// laneNumbers emits a vector of the numbers of 32-bit lanes, and behind it one
// of how many there are.
func laneNumbers(c *Context) operand.Mem {
	t := c.StaticGlobal("laneNumbers")
	c.DataAttributes(attrRODATA)
	for i := range 8 {
		c.AddDatum(4*i, operand.U32(i))
	}
	for i := range 8 {
		c.AddDatum(32+4*i, operand.U32(8))
	}
	return t
}

// fetch emits Fetch. Single loads are as fast as gathers.
func (s *spreader) fetch() {
	name := fmt.Sprintf("Fetch%dAVX2", 8*s.size)
	function(s.Context, name, "func(tags *uint32, n int, mask uint64, src *uint64, dst *uint64)")
	s.Doc(fmt.Sprintf("%s copies src[tags[i] & mask] to dst[i] for the n tags, elements of %d bytes.", name, s.size))
	loadParam(s.Context, "tags", sSrc)
	loadParam(s.Context, "n", sCount)
	loadParam(s.Context, "mask", sMask)
	loadParam(s.Context, "src", sBase)
	loadParam(s.Context, "dst", sDst)
	t := &spreader{Context: s.Context, size: 4}
	t.loop(func(u int) {
		s.MOVL(t.word(at(u)), sAt.As32())
		s.ANDL(sMask.As32(), sAt.As32())
		if s.size == 8 {
			s.MOVQ(operand.Mem{Base: sBase, Index: sAt, Scale: 8}, sWord)
			s.MOVQ(sWord, operand.Mem{Base: sDst, Disp: 8 * at(u)})
		} else {
			s.ADDQ(sAt, sAt)
			s.VMOVDQU(operand.Mem{Base: sBase, Index: sAt, Scale: 8}, reg.X0)
			s.VMOVDQU(reg.X0, operand.Mem{Base: sDst, Disp: 16 * at(u)})
		}
		if u >= spreadUnroll-1 {
			s.ADDQ(operand.U32((at(u)+1)*s.size), sDst)
		}
	})
	s.RET()
}

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

// spreadAhead is how many bytes before their use keys of 32 bits are prefetched
// while they are counted, which is read from memory: what the hardware prefetches
// ends with the page. 4,096 measured as 8,192 and better than 2,048: 0.6 instead
// of 0.75 ns a key.
const spreadAhead = 4096

// spreader emits loops over elements of so many bytes, whose first eight (or
// four) are an unsigned word, by a digit of the word: (word >> shift) & mask.
// They need BMI2 and AVX2 only and serve both levels: what they wait for is the
// one store of each element.
type spreader struct {
	c    *Context
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
	streamWord(c, false)
	streamWord(c, true)
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
	loadParam(s.c, "src", sSrc)
	loadParam(s.c, "n", sCount)
	loadParam(s.c, "shift", sShift)
	loadParam(s.c, "mask", sMask)
}

// word is the word of the element u places from src.
func (s *spreader) word(u int) operand.Mem { return operand.Mem{Base: sSrc, Disp: u * s.size} }

// digit loads the digit of that element.
func (s *spreader) digit(u int) {
	if s.size == 4 {
		s.c.SHRXL(sShift.As32(), s.word(u), sDigit.As32())
	} else {
		s.c.SHRXQ(sShift, s.word(u), sDigit)
	}
	s.c.ANDL(sMask.As32(), sDigit.As32())
}

// loop emits body for each element, spreadUnroll at a time as long as there are
// so many.
func (s *spreader) loop(body func(u int)) {
	s.c.SUBQ(operand.U32(spreadUnroll), sCount)
	s.c.JL(operand.LabelRef("rest"))
	s.c.Label("loop")
	for u := range spreadUnroll {
		body(u)
	}
	s.c.ADDQ(operand.U32(spreadUnroll*s.size), sSrc)
	s.c.SUBQ(operand.U32(spreadUnroll), sCount)
	s.c.JGE(operand.LabelRef("loop"))
	s.c.Label("rest")
	s.c.ADDQ(operand.U32(spreadUnroll), sCount)
	s.c.JZ(operand.LabelRef("done"))
	s.c.Label("one")
	body(spreadUnroll)
	s.c.ADDQ(operand.U32(s.size), sSrc)
	s.c.DECQ(sCount)
	s.c.JNZ(operand.LabelRef("one"))
	s.c.Label("done")
}

// at is the place of an element in the body of loop: the one that is alone has
// no displacement.
func at(u int) int { return u % spreadUnroll }

// count emits Count. Neighbours are counted in different tables, since equal
// ones would wait for each other's store.
func (s *spreader) count() {
	name := fmt.Sprintf("Count%dAVX2", 8*s.size)
	t := s.typ()
	function(s.c, name, fmt.Sprintf("func(src *%s, n int, shift uint64, mask uint64, tally *uint32, ref %s) (varying %s)", t, t, t))
	s.c.Doc(fmt.Sprintf("%s counts the digits of src[:n], elements of %d bytes, in the two tables at tally, and returns", name, s.size),
		"the bits in which words differ from ref. A digit is (word >> shift) & mask.")
	s.params()
	loadParam(s.c, "tally", sBase)
	ref, varying, word := reg.R12, reg.R13, sWord
	if s.size == 4 {
		s.c.Load(s.c.Param("ref"), ref.As32())
	} else {
		s.c.Load(s.c.Param("ref"), ref)
	}
	s.c.XORL(varying.As32(), varying.As32())
	s.loop(func(u int) {
		if s.size == 4 {
			s.c.MOVL(s.word(at(u)), word.As32())
		} else {
			s.c.MOVQ(s.word(at(u)), word)
		}
		if u == 0 && s.size == 4 {
			s.c.PREFETCHT0(s.word(0).Offset(spreadAhead))
		}
		s.c.SHRXQ(sShift, word, sDigit)
		s.c.ANDL(sMask.As32(), sDigit.As32())
		s.c.XORQ(ref, word)
		s.c.ORQ(word, varying)
		s.c.INCL(operand.Mem{Base: sBase, Index: sDigit, Scale: 4, Disp: u % 2 * 4 * tallyDigits})
	})
	if s.size == 4 {
		s.c.Store(varying.As32(), s.c.ReturnIndex(0))
	} else {
		s.c.Store(varying, s.c.ReturnIndex(0))
	}
	s.c.RET()
}

// copyElement copies the element at u to the address to.
func (s *spreader) copyElement(u int, to operand.Mem) {
	if s.size == 8 {
		s.c.MOVQ(s.word(u), sWord)
		s.c.MOVQ(sWord, to)
		return
	}
	s.c.VMOVDQU(s.word(u), reg.X8)
	s.c.VMOVDQU(reg.X8, to)
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

// move emits Move.
func (s *spreader) move() {
	name := fmt.Sprintf("Move%dAVX2", 8*s.size)
	function(s.c, name, "func(src *uint64, n int, shift uint64, mask uint64, next *uint32, dst *uint64)")
	s.c.Doc(fmt.Sprintf("%s moves src[:n], elements of %d bytes, to dst, those of digit d to next[d], next[d]+1, …,", name, s.size),
		"which it counts up. A digit is (word >> shift) & mask. It prefetches as much as n elements behind",
		"src, which may be anything.")
	s.params()
	loadParam(s.c, "next", sBase)
	loadParam(s.c, "dst", sDst)
	ahead := reg.R14
	s.c.MOVQ(sCount, ahead)
	s.c.SHLQ(operand.U8(map[int]int{8: 3, 16: 4}[s.size]), ahead)
	s.batches(func(u int) {
		s.digit(u)
		next := operand.Mem{Base: sBase, Index: sDigit, Scale: 4}
		s.c.MOVL(next, batch[u].As32())
		s.c.LEAL(operand.Mem{Base: batch[u], Disp: 1}, sWord.As32())
		s.c.MOVL(sWord.As32(), next)
		if s.size == 16 {
			s.c.ADDQ(batch[u], batch[u])
		}
	}, func(_ string, us []int) {
		for _, u := range us {
			s.copyElement(u, operand.Mem{Base: sDst, Index: batch[u], Scale: 8})
		}
		s.c.PREFETCHT1(operand.Mem{Base: sSrc, Index: ahead, Scale: 1})
	})
	s.c.RET()
}

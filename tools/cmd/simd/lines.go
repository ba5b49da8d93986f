package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lines emits Lines: elements collect in a line for each digit, and a full line
// is written past the caches. Which line is full next cannot be foreseen, but a
// test that is mispredicted once a line is cheaper than a store to memory for
// each element.
func (s *spreader) lines() {
	name := fmt.Sprintf("Lines%dAVX2", 8*s.size)
	function(s.c, name, "func(src *uint64, n int, shift uint64, mask uint64, lines *byte, dst *uint64)")
	s.c.Doc(fmt.Sprintf("%s appends src[:n], elements of %d bytes, to the lines of their digits, and copies those", name, s.size),
		"that fill up to dst rounded down to a multiple of their length, but not what is before a digit's",
		"first place. A digit is (word >> shift) & mask, less than 256; lines points to a Lines.")
	s.params()
	loadParam(s.c, "lines", sBase)
	loadParam(s.c, "dst", sDst)
	s.c.ANDQ(operand.I32(-streamBytes), sDst)
	full := operand.U8(streamBytes - s.size) // the last slot of a line
	put := func(u int) {
		s.copyElement(u, operand.Mem{Base: sBase, Index: batch[u], Scale: 1})
	}
	s.batches(func(u int) {
		s.digit(u)
		slot := batch[u]
		next := operand.Mem{Base: sBase, Index: sDigit, Scale: 8, Disp: nextOffset}
		s.c.MOVQ(next, sWord)
		s.c.SHLL(operand.U8(8), sDigit.As32())
		s.c.MOVBLZX(sWord.As8(), slot.As32())
		s.c.ADDQ(operand.U32(s.size), sWord)
		s.c.ORL(sDigit.As32(), slot.As32())
		s.c.SHRL(operand.U8(8), sDigit.As32())
		s.c.MOVQ(sWord, next)
	}, func(turn string, us []int) {
		for _, u := range us {
			s.c.CMPB(batch[u].As8(), full)
			s.c.JE(operand.LabelRef(turn + "Full"))
		}
		for _, u := range us {
			put(u)
		}
		s.c.JMP(operand.LabelRef(turn + "Stored"))
		s.c.Label(turn + "Full")
		for _, u := range us {
			put(u)
			s.c.CMPB(batch[u].As8(), full)
			s.c.JNE(operand.LabelRef(fmt.Sprint(turn, "Put", u)))
			s.flush(fmt.Sprint(turn, u), batch[u])
			s.c.Label(fmt.Sprint(turn, "Put", u))
		}
		s.c.Label(turn + "Stored")
	})
	s.c.VZEROUPPER()
	s.c.RET()
}

// flush writes the line whose last slot is named, whole or, if it is the first,
// from its first place on.
func (s *spreader) flush(label string, slot reg.GPPhysical) {
	line, at, first := reg.RDX, reg.RAX, reg.R14
	s.c.MOVL(slot.As32(), line.As32())
	s.c.SHRL(operand.U8(8), line.As32())
	// Later elements of the batch may have counted on.
	s.c.MOVQ(operand.Mem{Base: sBase, Index: line, Scale: 8, Disp: nextOffset}, at)
	s.c.ANDQ(operand.I32(-streamBytes), at)
	s.c.SUBQ(operand.U32(streamBytes), at)
	s.c.MOVQ(operand.Mem{Base: sBase, Index: line, Scale: 8, Disp: firstOffset}, first)
	s.c.SHLL(operand.U8(8), line.As32())
	s.c.CMPQ(first, at)
	s.c.JA(operand.LabelRef(label + "Partial"))
	for i := range streamBytes / 32 {
		s.c.VMOVDQU(operand.Mem{Base: sBase, Index: line, Scale: 1, Disp: 32 * i}, ymm[i])
	}
	for i := range streamBytes / 32 {
		s.c.VMOVNTDQ(ymm[i], operand.Mem{Base: sDst, Index: at, Scale: 1, Disp: 32 * i})
	}
	s.c.JMP(operand.LabelRef(label + "Flushed"))
	s.c.Label(label + "Partial")
	s.c.SUBQ(at, first)
	s.c.ADDQ(first, line)
	s.c.ADDQ(first, at)
	s.c.Label(label + "Words")
	s.c.MOVQ(operand.Mem{Base: sBase, Index: line, Scale: 1}, first)
	s.c.MOVQ(first, operand.Mem{Base: sDst, Index: at, Scale: 1})
	s.c.ADDQ(operand.U32(8), line)
	s.c.ADDQ(operand.U32(8), at)
	s.c.TESTB(at.As8(), at.As8())
	s.c.JNZ(operand.LabelRef(label + "Words"))
	s.c.Label(label + "Flushed")
}

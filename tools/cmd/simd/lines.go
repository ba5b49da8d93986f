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

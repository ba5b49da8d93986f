package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// splitter emits an in-place partition (Bramas 2017): unroll vectors from
// either end wait in registers, so that there is room for as many keys; each
// step reads unroll vectors from the side with less room. A vector is permuted
// by its mask of keys below the pivot, through a table, to those keys followed
// by the others, and stored whole at both ends of the room.
//
// Room for a whole vector at each end: before a step both sides together have
// room for 2·unroll vectors; the side read from had at most half and gets
// unroll more, so both have room for unroll vectors, and each store takes
// one from both together. Between steps the room is constant, so that of the
// four ends only the left ones are kept, and how much is left to read.
type splitter struct {
	c           *Context
	name        string
	bits, lanes int // lanes of the vector that is permuted at a time
	unroll      int
	ahead       int               // bytes between a prefetch and its use
	waiting     []reg.VecPhysical // 2·unroll
	work        []reg.VecPhysical // unroll, then temporaries
	// setPivot broadcasts the pivot from RAX.
	setPivot func()
	// below leaves in m the mask of keys below the pivot in v.
	below func(v reg.VecPhysical, m reg.GPPhysical)
	// order permutes v by mask m, which it may change, into dst; the table is at
	// R12, and below's mask register still holds the mask.
	order func(v reg.VecPhysical, m reg.GPPhysical, dst reg.VecPhysical)
	load  func(from operand.Mem, v reg.VecPhysical)
	store func(v reg.VecPhysical, to operand.Mem)
	table string // type of the table
	by    string // what its rows are chosen by
	// compress stores the two sorts of keys by VPCOMPRESSD instead, the upper one
	// straight to memory.
	compress bool
	// encode maps a vector after its load; its constants come from parameter
	// extra, read by setExtra.
	encode   func(v, t, u reg.VecPhysical)
	extra    string
	setExtra func()
	note     string
	// vectorLeft partitions the n words from R13 on, fewer than a vector, into
	// the boundary at edge, if at least a vector of keys that are not below
	// lies between; nil: they are taken one by one.
	vectorLeft func(n, edge reg.GPPhysical)
}

// encodedNote is what is said of partitions that encode floats.
const encodedNote = "The keys are first encoded by f, whose M is 0, but for the last n mod lanes, already encoded."

// splitAhead is how many bytes before their use keys are prefetched: measured best
// of 256 … 2048 from the level-2 cache and from memory.
const splitAhead = 1024

func (s *splitter) emit() {
	size, vec := s.bits/8, s.lanes*s.bits/8
	step := s.unroll * vec
	function(s.c, s.name, fmt.Sprintf("func(x *uint%d, n int, pivot uint%d, table *%s%s) int", s.bits, s.bits, s.table, s.extra))
	s.c.Doc(fmt.Sprintf("%s moves the keys of x[:n] below pivot to the front and returns their number.", s.name),
		fmt.Sprintf("It is not stable. n is at least %d. table orders the lanes of a vector%s.", 2*s.unroll*s.lanes, s.by),
		s.note)
	readL, left, writeL := reg.RDI, reg.RSI, reg.R8
	loadParam(s.c, "x", readL)
	n := loadParam(s.c, "n", reg.RCX)
	loadParam(s.c, "table", reg.R12)
	s.c.Load(s.c.Param("pivot"), map[int]reg.GPPhysical{4: reg.EAX, 8: reg.RAX}[size])
	s.setPivot()
	if s.setExtra != nil {
		s.setExtra()
	}
	s.c.MOVQ(n, reg.RBX)
	s.c.ANDQ(operand.I32(-s.lanes), reg.RBX)
	s.c.SUBQ(reg.RBX, n) // left over, fewer than a vector
	s.c.MOVQ(readL, writeL)
	s.c.LEAQ(operand.Mem{Base: readL, Index: reg.RBX, Scale: uint8(size)}, reg.R13)
	s.c.MOVQ(reg.R13, left)
	s.c.SUBQ(readL, left)
	s.c.SUBQ(operand.I32(2*step), left)
	for i := range s.unroll {
		s.load(operand.Mem{Base: readL, Disp: i * vec}, s.waiting[i])
		s.load(operand.Mem{Base: reg.R13, Disp: (i - s.unroll) * vec}, s.waiting[s.unroll+i])
	}
	if s.encode != nil {
		for _, v := range s.waiting {
			s.encode(v, s.work[0], s.work[1])
		}
	}
	s.c.ADDQ(operand.I32(step), readL)

	masks := []reg.GPPhysical{reg.RAX, reg.RBX}
	counts := []reg.GPPhysical{reg.R10, reg.R11}
	// put stores v; upper is the end of the room for what is not below.
	put := func(upper operand.Mem, v reg.VecPhysical, m, c reg.GPPhysical, t reg.VecPhysical) {
		if s.compress {
			s.below(v, m)
			s.c.POPCNTL(m.As32(), c.As32())
			s.c.KNOTW(reg.K1, reg.K2)
			s.c.VPCOMPRESSD_Z(v, reg.K1, t)
			s.store(t, operand.Mem{Base: writeL})
			s.c.LEAQ(operand.Mem{Base: writeL, Index: c, Scale: uint8(size)}, writeL)
			s.c.VPCOMPRESSD(v, reg.K2, upper.Offset(-vec))
			return
		}
		s.below(v, m)
		s.c.POPCNTL(m.As32(), c.As32())
		s.order(v, m, t)
		s.store(t, operand.Mem{Base: writeL})
		s.store(t, upper.Offset(-vec))
		s.c.LEAQ(operand.Mem{Base: writeL, Index: c, Scale: uint8(size)}, writeL)
	}
	loop := func(vectors int, name, next string) {
		bytes := vectors * vec
		s.c.SUBQ(operand.I32(bytes), left)
		s.c.JL(operand.LabelRef(next))
		s.c.Label(name)
		// From the left if its room is at most the right's, half of both. A
		// branch, because the sides mostly alternate, and waiting for the counts
		// of the last step would cost more than a wrong guess.
		s.c.MOVQ(readL, reg.RAX)
		s.c.SUBQ(writeL, reg.RAX)
		s.c.CMPQ(reg.RAX, operand.I32(step))
		s.c.JGT(operand.LabelRef(name + "Right"))
		s.c.MOVQ(readL, reg.RDX)
		s.c.ADDQ(operand.I32(bytes), readL)
		for i := 0; i < bytes; i += 64 {
			s.c.PREFETCHT0(operand.Mem{Base: reg.RDX, Disp: s.ahead + i})
		}
		s.c.JMP(operand.LabelRef(name + "Read"))
		s.c.Label(name + "Right")
		s.c.LEAQ(operand.Mem{Base: readL, Index: left, Scale: 1}, reg.RDX)
		for i := 0; i < bytes; i += 64 {
			s.c.PREFETCHT0(operand.Mem{Base: reg.RDX, Disp: -s.ahead + i})
		}
		s.c.Label(name + "Read")
		for i := range vectors {
			s.load(operand.Mem{Base: reg.RDX, Disp: i * vec}, s.work[i])
		}
		if s.encode != nil {
			for i := range vectors {
				s.encode(s.work[i], s.work[s.unroll], s.work[s.unroll+1])
			}
		}
		for i := range vectors {
			upper := operand.Mem{Base: writeL, Index: left, Scale: 1, Disp: bytes + 2*step - i*vec}
			put(upper, s.work[i], masks[i%2], counts[i%2], s.work[s.unroll+i%2])
		}
		s.c.SUBQ(operand.I32(bytes), left)
		s.c.JGE(operand.LabelRef(name))
		s.c.Label(next)
		s.c.ADDQ(operand.I32(bytes), left)
	}
	loop(s.unroll, "loop", "single")
	loop(1, "one", "waiting")
	for i, v := range s.waiting {
		put(operand.Mem{Base: writeL, Disp: 2*step - i*vec}, v, masks[i%2], counts[i%2], s.work[i%2])
	}
	s.c.TESTQ(n, n)
	s.c.JZ(operand.LabelRef("done"))
	if s.vectorLeft != nil {
		s.c.MOVQ(reg.R13, reg.RAX)
		s.c.SUBQ(writeL, reg.RAX)
		s.c.CMPQ(reg.RAX, operand.U32(vec))
		s.c.JL(operand.LabelRef("scalar"))
		s.vectorLeft(n, writeL)
		s.c.JMP(operand.LabelRef("done"))
		s.c.Label("scalar")
	}
	s.leftOver(size, n, writeL)
	s.c.Label("done")
	s.c.VZEROUPPER()
	s.c.Load(s.c.Param("x"), reg.RAX)
	s.c.SUBQ(reg.RAX, writeL)
	s.c.SHRQ(operand.U8(map[int]int{4: 2, 8: 3}[size]), writeL)
	s.c.Store(writeL, s.c.ReturnIndex(0))
	s.c.RET()
}

// leftOver partitions the n words from R13 on, not 0, one by one without a branch on
// them, into the boundary at edge.
func (s *splitter) leftOver(size int, n, edge reg.GPPhysical) {
	s.c.Load(s.c.Param("pivot"), map[int]reg.GPPhysical{4: reg.EDX, 8: reg.RDX}[size])
	s.c.Label("key")
	at, to := operand.Mem{Base: reg.R13}, operand.Mem{Base: edge}
	s.c.XORQ(reg.R10, reg.R10)
	if size == 4 {
		s.c.MOVL(at, reg.EAX)
		s.c.MOVL(to, reg.EBX)
		s.c.MOVL(reg.EBX, at)
		s.c.MOVL(reg.EAX, to)
		s.c.CMPL(reg.EAX, reg.EDX)
	} else {
		s.c.MOVQ(at, reg.RAX)
		s.c.MOVQ(to, reg.RBX)
		s.c.MOVQ(reg.RBX, at)
		s.c.MOVQ(reg.RAX, to)
		s.c.CMPQ(reg.RAX, reg.RDX)
	}
	s.c.SETCS(reg.R10B)
	s.c.LEAQ(operand.Mem{Base: edge, Index: reg.R10, Scale: uint8(size)}, edge)
	s.c.ADDQ(operand.I32(size), reg.R13)
	s.c.DECQ(n)
	s.c.JNZ(operand.LabelRef("key"))
}

// split512 emits the partitions in place: plain ones, and ones that first
// encode the keys, so that a codec needs no pass of its own. Each is there a
// second time for AMD's processors.
func split512(c *Context) {
	for _, bits := range []int{32, 64} {
		for _, codec := range []string{"", "Xor", "Float"} {
			split512Width(c, bits, codec, false)
			split512Width(c, bits, codec, true)
		}
	}
}

// split512Width emits one of them. zen: in shorter steps, prefetched further ahead,
// which from memory is a tenth faster on Zen 4 and in the caches slower on Intel's
// processors; and 32-bit keys are compressed in registers and joined there, since
// VPCOMPRESSD to memory, the faster way on Intel's, is microcode on Zen 4.
func split512Width(c *Context, bits int, codec string, zen bool) {
	join := zen && bits == 32
	s := &splitter{
		c: c, name: fmt.Sprintf("Split%d%sAVX512", bits, codec), bits: bits, lanes: 512 / bits, unroll: 8, ahead: splitAhead,
		table: "[256]uint64", by: " by mask", waiting: zmm[0:16], work: zmm[16:26], compress: bits == 32 && !join,
	}
	if zen {
		s.name = fmt.Sprintf("Split%d%sZenAVX512", bits, codec)
		s.unroll, s.ahead, s.waiting, s.work = 4, 2048, zmm[0:8], zmm[16:22]
	}
	if join {
		s.table, s.by = "[17][16]uint32", " by the number of keys below"
	}
	m := &mapper{c, bits}
	switch codec {
	case "Xor":
		s.note = "The keys are first XORed with mask, but for the last n mod lanes, already encoded."
		s.extra = fmt.Sprintf(", mask uint%d", bits)
		s.setExtra = func() { m.broadcastParam("mask", zFlip) }
		s.encode = func(v, _, _ reg.VecPhysical) { m.ops().xor(zFlip, v, v) }
	case "Float":
		s.note = encodedNote
		s.extra = fmt.Sprintf(", f *[5]uint%d", bits)
		s.setExtra = m.floatConsts
		s.encode = func(v, t, _ reg.VecPhysical) { m.encodeLoose(v, t) }
	}
	pivot := reg.Z26
	s.setPivot = func() { m.broadcastParam("pivot", pivot) }
	s.below = func(v reg.VecPhysical, mask reg.GPPhysical) {
		m.ops().less(pivot, v, reg.K1)
		if bits == 32 {
			c.KMOVW(reg.K1, mask.As32())
		} else {
			c.KMOVB(reg.K1, mask.As32())
		}
	}
	s.order = func(v reg.VecPhysical, m reg.GPPhysical, dst reg.VecPhysical) {
		if join {
			// Row r of the table has lanes 0 … r-1 of the one register, then those of
			// the other from 0 on. v is not needed again.
			c.KNOTW(reg.K1, reg.K2)
			c.POPCNTL(m.As32(), m.As32())
			c.SHLL(operand.U8(6), m.As32())
			// Zen 4 and 5 wait for the register that a compression writes, even if it
			// zeroes the rest (llvm-project issue 206849); zeroing ends that.
			c.VPXORD(zM, zM, zM)
			c.VPCOMPRESSD_Z(v, reg.K1, zM)
			c.VPCOMPRESSD_Z(v, reg.K2, v)
			c.VMOVDQU64(operand.Mem{Base: reg.R12, Index: m, Scale: 1}, dst)
			c.VPERMI2D(v, zM, dst)
			return
		}
		c.VPMOVZXBQ(operand.Mem{Base: reg.R12, Index: m, Scale: 8}, dst)
		c.VPERMQ(v, dst, dst)
	}
	s.load = func(from operand.Mem, v reg.VecPhysical) { c.VMOVDQU64(from, v) }
	s.store = func(v reg.VecPhysical, to operand.Mem) { c.VMOVDQU64(v, to) }
	s.emit()
}

package dist

import (
	"math"
	"math/bits"

	"github.com/gpusort/gpusort/internal/key"
)

// The rows that are keys as people have them. A row describes keys of 64 and of 32
// bits; narrower types get the highest bits of the latter. Floats without a
// description of their own get the number, rounded.

// fields returns the key of a row's 64-bit word of some used bits, or of its 32-bit one.
func (g *gen) fields(wide uint64, usedWide uint, narrow uint64, usedNarrow uint) uint64 {
	v, used := wide, usedWide
	if g.half < 32 && !g.float || g.t == key.F32 {
		v, used = narrow, usedNarrow
	}
	switch w := 2 * g.half; {
	case g.float:
		return g.count(v, 1<<used-1)
	case g.t.Row().Kind == key.Signed && used == w:
		return v >> 1
	case used > w:
		return v >> (used - w)
	}
	return v
}

// whole returns the key of a number between lo and hi: unsigned keys count from lo, and
// types that are too narrow get it scaled down.
func (g *gen) whole(v, lo, hi int64) uint64 {
	v = min(max(v, lo), hi)
	if g.float {
		return g.real(float64(v))
	}
	if g.t.Row().Kind != key.Signed {
		return g.count(uint64(v-lo), uint64(hi-lo))
	}
	top := int64(g.mask >> 1)
	for limit := max(hi, -lo); limit > top; limit /= 2 {
		v /= 2
	}
	return uint64(v) & g.mask
}

// rank draws k < 2^octaves with probability ∝ 1/k, exactly, by rejection: an octave,
// then a rank k in it, kept with probability 2^octave/k; on average 1/ln 2 = 1.44 trials.
func (g *gen) rank(octaves uint64) uint64 {
	for {
		r := g.next()
		o, _ := bits.Mul64(r, octaves)
		k := uint64(1)<<o | g.next()>>(64-o)
		if uint64(uint32(r))*k < 1<<(32+o) {
			return k
		}
	}
}

// name gives a rank a fixed name of w bits: the popular ones lie anywhere.
func (g *gen) name(tag, rank uint64, w uint) uint64 { return g.fixed(tag<<32|rank) >> (64 - w) }

// gauss is about normal, of mean 0 and deviation 1: the sum of eight uniform numbers.
func (g *gen) gauss() float64 {
	var s uint64
	for range 8 {
		s += g.next() >> 3
	}
	const deviation = 1 << 61 * 0.816496580927726
	return float64(int64(s-1<<63)) / deviation
}

// power is about 2^x: straight between whole x, so that every machine gives the same bits.
func power(x float64) float64 {
	whole := math.Floor(x)
	return math.Ldexp(1+(x-whole), int(whole))
}

// logNormal is about log-normal, with a median and a deviation in octaves.
func (g *gen) logNormal(median, octaves float64) float64 {
	return float64(power(float64(g.gauss()*octaves))) * median
}

// ofDay returns a part of a day, out of 2^64: hours about noon are the busiest.
func (g *gen) ofDay() uint64 { return g.next()>>1 + g.next()>>1 }

func timestamps(g *gen, _ uint64, out []uint64) {
	const midnight, day = 1_790_000_000_000_000_000, 86_400_000_000_000 // ns since 1970, ns
	for i := range out {
		at, _ := bits.Mul64(g.ofDay(), day)
		out[i] = g.fields(midnight+at, 61, at/1_000_000, 27)
	}
}

func seconds(g *gen, _ uint64, out []uint64) {
	for i := range out {
		s, _ := bits.Mul64(g.ofDay(), 86_400)
		out[i] = g.whole(int64(s), 0, 86_399)
	}
}

// snowflakes have 41 bits of time (ms; here those of one hour vary), 10 of worker (32 of
// them) and 12 of sequence (below 32).
func snowflakes(g *gen, _ uint64, out []uint64) {
	const start, hour = 480_000_000_000, 3_600_000
	for i := range out {
		ms, worker, seq := g.below(hour), g.below(32), uint64(bits.LeadingZeros64(g.next()))&31
		out[i] = g.fields((start+ms)<<22|worker<<12|seq, 63, ms<<10|worker<<5|seq, 32)
	}
}

// edges are source << 32 | target of a graph whose vertices have power-law degrees.
func edges(g *gen, _ uint64, out []uint64) {
	for i := range out {
		from, to := g.rank(20), g.rank(20)
		out[i] = g.fields(g.name(1, from, 20)<<32|g.name(1, to, 20), 52, g.name(2, from, 16)<<16|g.name(2, to, 16), 32)
	}
}

// splats are tile << 32 | depth, as Gaussian splatting sorts them: 8,160 tiles of 16 × 16
// pixels, objects in some of them, the depth a float.
func splats(g *gen, _ uint64, out []uint64) {
	for i := range out {
		object := g.below(32)
		centre := g.fixed(object)
		x := min(max(int64(centre%120)+int64(g.gauss()*9), 0), 119)
		y := min(max(int64(centre>>32%68)+int64(g.gauss()*6), 0), 67)
		far := power(float64(centre>>48) / (1 << 13)) // 1 to 256
		depth := uint64(math.Float32bits(float32(g.logNormal(far, 0.2))))
		tile := uint64(y*120 + x)
		out[i] = g.fields(tile<<32|depth, 45, tile<<19|depth>>12&(1<<19-1), 32)
	}
}

// spread puts two zero bits before each of the low bits of v.
func spread(v uint64, w uint) (m uint64) {
	for i := range w {
		m |= (v >> i & 1) << (3 * i)
	}
	return m
}

// morton codes interleave the bits of three coordinates, of points about 64 centres.
func morton(g *gen, _ uint64, out []uint64) {
	for i := range out {
		cluster := g.below(64)
		width := power(10 + float64(g.fixed(cluster)%6))
		var wide, narrow uint64
		for axis := range uint64(3) {
			centre := int64(g.fixed(cluster<<2|axis+1<<20) >> 43)
			v := uint64(min(max(centre+int64(g.gauss()*width), 0), 1<<21-1))
			wide |= spread(v, 21) << axis
			narrow |= spread(v>>11, 10) << axis
		}
		out[i] = g.fields(wide, 63, narrow, 30)
	}
}

// base is the genome's letter at a position, 0 to 3: one segment in two of 300 letters is
// a copy of one of 64 repeats, one letter in 64 of it changed; one in 32 repeats two letters.
func (g *gen) base(p uint64) uint64 {
	segment := g.fixed(1<<40 | p/300)
	own := g.fixed(1<<41 | p)
	switch {
	case segment%32 == 0:
		return segment >> (32 + 2*(p%2)) & 3
	case segment%2 == 0 && own%64 != 0:
		return g.fixed(1<<42|(segment>>32%64)<<16|p%300) & 3
	}
	return own >> 32 & 3
}

// kmers are the 31 letters from each position of a genome (of 32-bit keys 15).
func kmers(g *gen, lo uint64, out []uint64) {
	var k uint64
	for p := range uint64(30) {
		k = k<<2 | g.base(lo+p)
	}
	for i := range out {
		k = (k<<2 | g.base(lo+uint64(i)+30)) & (1<<62 - 1)
		out[i] = g.fields(k, 62, k>>32, 30)
	}
}

// ipv4 are addresses of popular networks; 64-bit keys have the port behind.
func ipv4(g *gen, _ uint64, out []uint64) {
	for i := range out {
		network := g.rank(12)
		ip := g.name(1, network, 16)<<16 | g.name(2, network<<8|g.rank(6), 8)<<8 | 1 + g.below(254)
		port := 49_152 + g.below(16_384)
		if g.next()%2 == 0 {
			port = [...]uint64{443, 443, 80, 53}[g.below(4)]
		}
		out[i] = g.fields(ip<<16|port, 48, ip, 32)
	}
}

// prices are floats of two decimals, or whole cents.
func prices(g *gen, _ uint64, out []uint64) {
	for i := range out {
		cents := int64(g.logNormal(2_000, 2))
		if g.next()%2 == 0 {
			cents += 99 - cents%100
		}
		if out[i] = g.whole(cents, 0, 1<<36); g.float {
			out[i] = g.real(float64(cents) / 100)
		}
	}
}

// returns are a day's change of a price, about 1 %, seldom much more: floats, or parts of a million.
func returns(g *gen, _ uint64, out []uint64) {
	for i := range out {
		v := g.gauss() * g.logNormal(0.01, 1)
		if out[i] = g.whole(int64(v*1e6), -1<<24, 1<<24); g.float {
			out[i] = g.real(v)
		}
	}
}

// latencies are log-normal: floats of seconds, or whole microseconds.
func latencies(g *gen, _ uint64, out []uint64) {
	for i := range out {
		v := g.logNormal(0.02, 1.2)
		if out[i] = g.whole(int64(v*1e6), 0, 1<<28); g.float {
			out[i] = g.real(v)
		}
	}
}

// scores are a classifier's probabilities, most of them tiny: floats, or parts of the range.
func scores(g *gen, _ uint64, out []uint64) {
	for i := range out {
		v := min(power(float64(g.gauss()*4)-10), 1)
		if out[i] = g.whole(int64(v*(1<<31)), 0, 1<<31); g.float {
			out[i] = g.real(v)
		}
	}
}

// ages are whole years, a few below zero for dates that were typed wrong.
func ages(g *gen, _ uint64, out []uint64) {
	for i := range out {
		out[i] = g.whole(int64(38+float64(g.gauss()*24)), -20, 115)
	}
}

package topk

import (
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/team"
	"github.com/gpusort/gpusort/internal/key"
)

// keeper keeps the k least encoded keys that it has seen, among others that may be of
// them: when its room is full, all but the k least go.
type keeper[U key.Word] struct {
	k     int
	codec key.Codec
	m     key.Map[U]
	room  []U // encoded, up to its capacity
	limit U   // the k-th least, once cut is set: equal and larger encoded keys are not wanted
	cut   bool
	nan   bool // the limit is a NaN
}

// least is the room of a keeper of few keys: it is selected from seldom.
const least = 1024

// blockBytes is how much of x has encoded keys made at a time, to stay in the level-1 cache.
const blockBytes = 8 << 10

// add takes x.
func (q *keeper[U]) add(x []U) {
	for !q.cut && len(x) > 0 {
		n := min(len(x), cap(q.room)-len(q.room))
		for _, u := range x[:n] {
			q.room = append(q.room, q.m.Of(u))
		}
		if x = x[n:]; len(q.room) == cap(q.room) {
			q.shrink()
		}
	}
	switch {
	case q.m.IsFlip():
		q.addFlipped(x)
	case q.nan:
		q.offer(x)
	default:
		q.addNear(x)
	}
}

// addFlipped is add of integers, once there is a limit.
func (q *keeper[U]) addFlipped(x []U) {
	t, mask := q.limit, q.m.Flip(0)
	for ; len(x) >= 8; x = x[8:] {
		y := x[:8:8]
		if y[0]^mask < t || y[1]^mask < t || y[2]^mask < t || y[3]^mask < t ||
			y[4]^mask < t || y[5]^mask < t || y[6]^mask < t || y[7]^mask < t {
			q.offer(y)
			t = q.limit
		}
	}
	q.offer(x)
}

// addNear is add of floats, once there is a limit that is a number.
func (q *keeper[U]) addNear(x []U) {
	t, m := q.limit, q.m.Near()
	i := 0
	for ; i+8 <= len(x) && !q.nan; i += 8 {
		y := x[i : i+8 : i+8]
		if m.Of(y[0]) < t || m.Of(y[1]) < t || m.Of(y[2]) < t || m.Of(y[3]) < t ||
			m.Of(y[4]) < t || m.Of(y[5]) < t || m.Of(y[6]) < t || m.Of(y[7]) < t {
			q.offer(y)
			t = q.limit
		}
	}
	q.offer(x[i:])
}

// offer takes those of x that may be among the k least.
func (q *keeper[U]) offer(x []U) {
	for _, u := range x {
		if u = q.m.Of(u); u < q.limit {
			if q.room = append(q.room, u); len(q.room) == cap(q.room) {
				q.shrink()
			}
		}
	}
}

// shrink leaves the k least.
func (q *keeper[U]) shrink() {
	if len(q.room) > q.k {
		// Without a context it cannot fail.
		_ = cpu.Select(q.room, q.k-1, key.CodecUnsigned, cpu.Options{Workers: 1})
		q.room, q.limit, q.cut = q.room[:q.k], q.room[q.k-1], true
		q.nan = !q.m.IsFlip() && q.m.IsNaN(key.Decode(q.codec, q.limit))
	}
}

// stream writes the least len(out) encoded keys of x to out, in no order.
func stream[U key.Word](out, x []U, c key.Codec, h cpu.Options) error {
	k, n, size := len(out), len(x), int(unsafe.Sizeof(U(0)))
	t := h.Team()
	// So many that they keep no more than n/4 keys, and have enough to go through.
	t.Workers = max(1, min(t.Size(), n/(8*k), n*size/(256<<10)))
	room := max(2*k, least)
	kept := make([]keeper[U], t.Workers)
	per := team.StepBytes / 8 / size
	var next atomic.Int64
	err := t.EachUntil(t.Workers, func(w int) {
		buf, put := cpu.Buffer[U](room)
		defer put()
		q := keeper[U]{k: k, codec: c, m: key.MapOf[U](c), room: buf[:0]}
		for lo := int(next.Add(1)-1) * per; lo < n && !t.Done(); lo = int(next.Add(1)-1) * per {
			q.add(x[lo:min(n, lo+per)])
		}
		q.shrink()
		q.room = slices.Clone(q.room)
		kept[w] = q
	})
	if err == nil {
		err = h.Err()
	}
	if err != nil {
		return err
	}
	all := kept[0].room
	for _, q := range kept[1:] {
		all = append(all, q.room...)
	}
	if len(all) > k {
		if err := cpu.Select(all, k-1, key.CodecUnsigned, h); err != nil {
			return err
		}
	}
	copy(out, all)
	return nil
}

// blocks calls f for parts of x from front to back, each a slice of encoded keys when XORed
// with mask, which is good until f returns.
func blocks[U key.Word](x []U, c key.Codec, f func(part []U, mask U)) {
	if m := key.MapOf[U](c); m.IsFlip() {
		f(x, m.Flip(0))
		return
	}
	var room [blockBytes]byte
	m := blockBytes / int(unsafe.Sizeof(U(0)))
	buf := unsafe.Slice((*U)(unsafe.Pointer(&room)), m)
	for ; len(x) > 0; x = x[min(m, len(x)):] {
		part := x[:min(m, len(x))]
		cpu.Encode(buf[:len(part)], part, c)
		f(buf[:len(part)], 0)
	}
}

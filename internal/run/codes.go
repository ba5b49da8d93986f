package run

import "github.com/gpusort/gpusort/internal/algo/cpu/bytekeys"

// An offset-value code says how a key differs from another one that does not come behind it,
// its base: where, and in what. Of two keys with the same base that with the lower code comes
// first, and the code of the other is its code to that one, too (Do and Graefe 2022). So a
// merge reads keys only where codes agree.
//
// A key counts as words of 6 bytes, with zeros behind its end. A code is the number of the
// first word that differs, counted down from mostWords, and below it that word.
const (
	same   = 0         // equal to its base
	hidden = 1         // differs from it in zeros at the end alone, or behind mostWords
	over   = 1<<64 - 1 // no key is left; it is behind all others

	wordBytes = 6
	wordBits  = 8 * wordBytes
	mostWords = 1<<16 - 2
)

// coder makes the codes of keys, in rising order or in falling order.
type coder struct {
	desc bool
	flip uint64 // what words are complemented by
}

func newCoder(desc bool) coder {
	if desc {
		return coder{true, 1<<wordBits - 1}
	}
	return coder{}
}

// differ returns how many bytes a and b begin with in common, of which from are known.
func differ(a, b []byte, from int) int { return from + bytekeys.Shared(a[from:], b[from:]) }

// compare returns which of two keys with n bytes in common comes first, as bytes.Compare does.
func (c coder) compare(a, b []byte, n int) int {
	switch {
	case n == len(a) && n == len(b):
		return 0
	case (n == len(a) || n < len(b) && a[n] < b[n]) != c.desc:
		return -1
	}
	return 1
}

// code is that of a key to its base, with which it has n bytes in common.
func (c coder) code(key, base []byte, n int) uint64 {
	if n == len(key) && n == len(base) {
		return same
	}
	if n == len(key) || n == len(base) {
		longer := key
		if n == len(key) {
			longer = base
		}
		for longer[n] == 0 { // as what the other one lacks
			if n++; n == len(longer) {
				return hidden
			}
		}
	}
	if i := n / wordBytes; i < mostWords {
		return uint64(mostWords-i)<<wordBits | wordOf(key, i) ^ c.flip
	}
	return hidden
}

// first is the code of a key to one that comes before all keys, and differs from them at once.
func (c coder) first(key []byte) uint64 {
	return mostWords<<wordBits | wordOf(key, 0) ^ c.flip
}

// known is how many bytes keys with the same code to the same base have in common at least, with
// zeros behind their ends.
func known(code uint64) int {
	if code == hidden {
		return 0
	}
	return (mostWords - int(code>>wordBits)) * wordBytes
}

// wordOf is word i of a key.
func wordOf(key []byte, i int) uint64 {
	if len(key) <= i*wordBytes {
		return 0
	}
	return bytekeys.Word(key[i*wordBytes:]) >> (64 - wordBits)
}

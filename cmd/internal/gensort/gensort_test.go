package gensort

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math/big"
	"regexp"
	"testing"
)

// TestLayout: each byte is where the benchmark's page has it.
func TestLayout(t *testing.T) {
	text := regexp.MustCompile(`^[ -~]{10}  [0-9A-F]{32}  (?:[0-9A-F]{4}){13}\r\n$`)
	binary := regexp.MustCompile(`(?s)^\x00\x11[0-9A-F]{32}$`)
	for _, first := range []uint64{0, 1, 255, 1 << 40} {
		b := make([]byte, 64*Size)
		Layout{ASCII: true}.Fill(b, first)
		c := make([]byte, 64*Size)
		Layout{}.Fill(c, first)
		for i := range 64 {
			r, number := b[i*Size:(i+1)*Size], fmt.Sprintf("%032X", first+uint64(i))
			if !text.Match(r) || string(r[12:44]) != number || !filled(r[46:98]) {
				t.Errorf("%q", r)
			}
			r = c[i*Size : (i+1)*Size]
			if !binary.Match(r[10:44]) || string(r[12:44]) != number || string(r[44:48]) != "\x88\x99\xaa\xbb" || !filled(r[48:96]) || string(r[96:]) != "\xcc\xdd\xee\xff" {
				t.Errorf("%q", r)
			}
		}
	}
}

// filled reports whether b is digits, each four times.
func filled(b []byte) bool {
	for i := 0; i < len(b); i += 4 {
		if !bytes.Equal(b[i:i+4], bytes.Repeat(b[i:i+1], 4)) || !bytes.ContainsAny(b[i:i+1], digits) {
			return false
		}
	}
	return true
}

// TestParts: parts make the same records as the whole; seeds make others, and keys have
// any byte anywhere.
func TestParts(t *testing.T) {
	for _, l := range []Layout{{}, {ASCII: true}, {Seed: 7}} {
		whole := make([]byte, 20000*Size)
		l.Fill(whole, 5)
		for _, cut := range []int{0, 1, 13, 20000} {
			parts := make([]byte, len(whole))
			l.Fill(parts[:cut*Size], 5)
			l.Fill(parts[cut*Size:], 5+uint64(cut))
			if !bytes.Equal(parts, whole) {
				t.Errorf("%+v cut at %d", l, cut)
			}
		}
		other := make([]byte, Size)
		Layout{ASCII: l.ASCII, Seed: l.Seed + 1}.Fill(other, 5)
		if bytes.Equal(other[:Key], whole[:Key]) {
			t.Errorf("%+v: the seed does not count", l)
		}
		want := 256
		if l.ASCII {
			want = 95
		}
		for at := range Key {
			seen := map[byte]bool{}
			for i := at; i < len(whole); i += Size {
				seen[whole[i]] = true
			}
			if len(seen) != want {
				t.Errorf("%+v: %d bytes at %d, want %d", l, len(seen), at, want)
			}
		}
	}
}

func TestSum(t *testing.T) {
	b := make([]byte, 300*Size)
	Layout{}.Fill(b, 0)
	for i := range 300 { // in order, but for two, and two that tie
		copy(b[i*Size:], fmt.Sprintf("%010d", i))
	}
	copy(b[20*Size:], "0000000005")
	copy(b[101*Size:], b[100*Size:100*Size+Key])
	copy(b[200*Size:], "0000000199")
	copy(b[299*Size:], "0000000000")
	sum := new(big.Int)
	for i := range 300 {
		sum.Add(sum, big.NewInt(int64(crc32.ChecksumIEEE(b[i*Size:(i+1)*Size]))))
	}
	var s Sum
	s.Add(b[:7*Size])
	s.Add(nil)
	s.Add(b[7*Size:])
	if s.Records != 300 || s.Duplicates != 2 || s.Disorders != 2 || s.First != 20 || s.Checksum() != sum.Text(16) {
		t.Errorf("%+v, %s, want %s", s, s.Checksum(), sum.Text(16))
	}
	s.high, s.low = 0xab, 0x1
	if got := s.Checksum(); got != "ab0000000000000001" {
		t.Error(got)
	}
	if got := (&Sum{}).Checksum(); got != "0" {
		t.Error(got)
	}
}

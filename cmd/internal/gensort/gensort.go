// Package gensort has the records of sortbenchmark.org: 100 bytes with a key of 10, as its
// program gensort lays them out, and the sums by which its program valsort compares what
// was sorted with what was generated. The keys are random by another generator.
package gensort

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/bits"
)

// The lengths of a record and of its key, which it begins with.
const (
	Size = 100
	Key  = 10
)

// Layout says how records look.
type Layout struct {
	ASCII bool   // printable characters and CR LF at the end; else keys of any bytes
	Seed  uint64 // of the keys and the filler
}

// Fill writes records to dst, a multiple of Size, whose numbers begin with first. What
// a record holds depends on its number alone.
func (l Layout) Fill(dst []byte, first uint64) {
	for ; len(dst) >= Size; dst = dst[Size:] {
		l.record(dst[:Size], first)
		first++
	}
}

const digits = "0123456789ABCDEF"

func (l Layout) record(b []byte, number uint64) {
	r := random(mix(l.Seed) ^ number)
	var fill, end int
	if l.ASCII {
		word := r.next()
		for i := range Key {
			if i == 5 {
				word = r.next()
			}
			var c uint64
			c, word = bits.Mul64(word, '~'-' '+1)
			b[i] = ' ' + byte(c)
		}
		copy(b[Key:], "  ")
		copy(b[44:], "  ")
		copy(b[98:], "\r\n")
		fill, end = 46, 98
	} else {
		binary.BigEndian.PutUint64(b, r.next())
		binary.BigEndian.PutUint16(b[8:], uint16(r.next()>>48))
		copy(b[Key:], "\x00\x11")
		copy(b[44:], "\x88\x99\xaa\xbb")
		copy(b[96:], "\xcc\xdd\xee\xff")
		fill, end = 48, 96
	}
	for i := range 32 {
		b[43-i] = digits[number&15]
		number >>= 4
	}
	word := r.next()
	for i := fill; i < end; i += 4 {
		c := digits[word&15]
		b[i], b[i+1], b[i+2], b[i+3] = c, c, c, c
		word >>= 4
	}
}

// random is SplitMix64, which begins anew for each record.
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	return mix(uint64(*r))
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Sum is what valsort tells of records: that they are in order, and which they are.
type Sum struct {
	Records    int64
	Duplicates int64 // records whose key is that of the one before
	Disorders  int64 // records whose key is less than that of the one before
	First      int64 // the first of them, counted from 0
	high, low  uint64
	last       [Key]byte
}

// Add adds whole records, which follow those before.
func (s *Sum) Add(b []byte) {
	for ; len(b) >= Size; b = b[Size:] {
		var carry uint64
		s.low, carry = bits.Add64(s.low, uint64(crc32.ChecksumIEEE(b[:Size])), 0)
		s.high += carry
		if s.Records > 0 {
			switch bytes.Compare(b[:Key], s.last[:]) {
			case 0:
				s.Duplicates++
			case -1:
				if s.Disorders++; s.Disorders == 1 {
					s.First = s.Records
				}
			}
		}
		copy(s.last[:], b)
		s.Records++
	}
}

// Checksum is the sum of the CRC32 of all records, in hexadecimal digits as valsort
// prints it.
func (s *Sum) Checksum() string {
	if s.high == 0 {
		return fmt.Sprintf("%x", s.low)
	}
	return fmt.Sprintf("%x%016x", s.high, s.low)
}

package rows

import (
	"fmt"
	"hash/crc32"
	"math/bits"
	"strconv"
)

// Sum tells which rows there are, in whatever order: the sum of the CRC-32 of each, delimiters
// included, as valsort of sortbenchmark.org has it.
type Sum struct{ high, low uint64 }

// add adds the CRC of a row.
func (s *Sum) add(crc uint64) {
	var carry uint64
	s.low, carry = bits.Add64(s.low, crc, 0)
	s.high += carry
}

// Add adds all rows of another sum.
func (s *Sum) Add(t Sum) {
	s.add(t.low)
	s.high += t.high
}

// addRows adds whole rows.
func (s *Sum) addRows(b []byte, ends []uint32) {
	from := uint32(0)
	var sum uint64 // of less than 2^32 rows
	for _, end := range ends {
		sum += uint64(crc32.ChecksumIEEE(b[from:end]))
		from = end
	}
	s.add(sum)
}

// String returns the sum in hexadecimal digits, as valsort prints it.
func (s Sum) String() string {
	if s.high == 0 {
		return fmt.Sprintf("%x", s.low)
	}
	return fmt.Sprintf("%x%016x", s.high, s.low)
}

// ParseSum reads what String returned.
func ParseSum(text string) (s Sum, err error) {
	at := max(0, len(text)-16)
	if at > 0 {
		s.high, err = strconv.ParseUint(text[:at], 16, 64)
	}
	if err == nil {
		s.low, err = strconv.ParseUint(text[at:], 16, 64)
	}
	if err != nil {
		return s, fmt.Errorf("%q is no sum of rows", text)
	}
	return s, nil
}

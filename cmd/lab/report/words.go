package report

import (
	"slices"

	"github.com/gpusort/gpusort/internal/check/dist"
)

// word is an entry of the page's glossary.
type word struct{ Word, Means string }

// glossary has the page's words in the order in which a reader meets them.
var glossary = []word{
	{"cell", "One combination of sort, device, key type, mode, input and number of items: what one row of the table shows."},
	{"sample", "One timed run of a cell. A cell has many, because no two runs take the same time."},
	{"median", "The middle of the sorted samples: half of them took less, half more. A few slow runs do not move it."},
	{"95 % interval", "A range that holds the true median in 95 of 100 such measurements. Two sorts whose intervals overlap are not told apart."},
	{"outlier", "A sample far outside the middle half of the samples: more than 1.5 times that half's width. It is counted, not left out."},
	{"Melem/s", "Million elements (keys, or keys with their values) sorted in a second. Twice as much is twice as fast."},
	{"GB/s", "Thousand million bytes moved in a second."},
	{"kernel", "A function that a device runs in many threads at once."},
	{"kernel time", "The time of the sort alone, by the device's own clock, with the data already in its memory."},
	{"end to end", "The time from the keys in the host's memory to the sorted keys there: upload, sort, download."},
	{"host", "The computer around the device: its processor and its memory."},
	{"keys, pairs, argsort", "What is sorted: keys alone; keys with a value each, which moves along; or the positions of the keys in their sorted order."},
	{"blocks × threads", "How many groups of threads a kernel starts, and how many threads each group has."},
	{"occupancy", "How many threads a multiprocessor holds at once, as a share of what it could hold."},
	{"roofline", "A chart that sets a rate against the highest that the memory's bandwidth allows."},
	{"bandwidth", "How many bytes the memory moves in a second."},
	{"logarithmic axis", "Equal distances are equal factors: from 1 to 10 is as far as from 10 to 100. A straight line is a power of n."},
	{"entropy", "How much a bit of a key tells, from 0 (all keys alike) to 1 (each bit 0 or 1 as by a coin)."},
	{"stable", "Equal keys keep their order. The values of equal keys then stand in the order of the input."},
}

// words are the glossary, and the inputs of these results.
func words(d *data) []word {
	out := slices.Clone(glossary)
	for _, name := range distinct(d.measured(), func(c cell) string { return c.Dist }) {
		if row, err := dist.Find(name); err == nil {
			out = append(out, word{name + " (input)", row.Doc})
		}
	}
	return out
}

package exec

import "github.com/gpusort/gpusort/internal/exec/transfer"

// Sizes are thresholds in bytes and items. Tests make them small.
type Sizes struct {
	transfer.Sizes
	LeastPiece uint64 // items
	HeadUnit   uint64 // items that the head's number is a multiple of
	HalveFrom  uint64 // bytes of keys from which a sort overlaps its transfers; 0: none does
	ShareFrom  uint64 // bytes of keys and values from which several devices share a sort
	ChunkFrom  uint64 // bytes of keys that devices exchange at a time, at least
	RangesFrom uint64 // bytes of keys of each device from which several exchange them before they sort; 0: never
	RangeBytes uint64 // bytes of a range of these, about or less
	RunItems   uint64 // keys of 8 bytes above which a share of up to twice as many is two runs; 0: never
	// SharedSaveUp is SaveUp of each of several devices.
	SharedSaveUp  int
	PaceFrom      uint64 // bytes a device from which a sort's times say how fast each is; 0: none does
	SharedStagers int    // StageWorkers of each of several devices; 0: the same
	SharedCached  bool   // several devices' staging memory is filled through the caches
	SameUnit      uint64 // bytes of equal keys that are fetched; the rest is copied from them
}

// DefaultSizes are those of every executor but in tests.
//
//   - Keys of 256 MiB take 9.8 ms of an H200's link and 0.9 ms of the device, of which
//     an overlap hides 0.6, for about 0.1 ms of launches and waits: see halves.
//   - The tail begins at a multiple of 2^16 items, where any device lets a buffer begin.
//   - Pieces below 2^16 items cost more in launches and merging than a sort on
//     the CPU.
//   - An H200 sorts 2^28 keys of 64 bits at 47 Gkeys/s, 2^29 at 33: two runs and one more
//     merge, beside the exchange, take less time.
//   - Two H200 of one host, 2^30 keys: safety copies by 8 goroutines a card beside the
//     uploads took least of 4, 8, 12 and 16 (docs/multi-gpu.md).
//   - Two H100 of one host with 32 cores, ordinary memory, 2^30 keys of 64 bits: 16
//     goroutines a card that stage took 261 ms, 12 took 318, at their best 246 and 259.
//   - Two H200 of one host with 32 cores and 300 MiB of cache, the same: staging memory, 64
//     MiB a card, filled through the caches 225 ms, past them 246; u32 129 and 141.
//   - A card with a quarter of 64 MiB reads that in 0.3 ms at 55 GB/s. From where on a share
//     tells how fast a card is was not measured.
//   - Two H200 sort 2^28 keys of 32 bits a device in 6.4 ms by ranges, 5.7 by shares, 2^29 in 11.6 and 12.6;
//     of 64 bits 2^27 in 6.1 and 5.2, 2^28 in 9.7 and 9.8, and zipf's 5.5 and 5.8, 9.3 and 10.5.
//   - An H200 sorts 2^27 keys of 64 bits and 2^28 of 32, 1 GiB, at 48 and 89 Gkeys/s, four times
//     as many at 33 and 63.
//   - Several devices need some 1 ms to find their cuts and wait for each other, in which
//     a link takes 55 MB: see docs/multi-gpu.md.
var DefaultSizes = Sizes{Sizes: transfer.DefaultSizes, LeastPiece: 1 << 16, HeadUnit: 1 << 16, HalveFrom: 256 << 20,
	ShareFrom: 128 << 20, ChunkFrom: 64 << 20, SameUnit: 1 << 20, RunItems: 1 << 28, RangesFrom: 2 << 30, RangeBytes: 1 << 30, SharedSaveUp: 8,
	PaceFrom: 64 << 20, SharedStagers: 16, SharedCached: true}

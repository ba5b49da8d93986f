package transfer

// Sizes are thresholds in bytes. Tests make them small.
type Sizes struct {
	StageUnit    uint64 // of a staged copy, the largest
	StageWorkers int    // goroutines that fill slots, at most
	StageFrom    uint64 // total from which pageable memory is staged here
	DirectUnit   uint64 // of a copy without staging
	SaveUnit     uint64 // of a safety copy made beside the transfer
	SaveAtOnce   uint64 // total up to which safety copies are made before it
	SaveUp       int    // goroutines that make it until the download begins
	SaveDown     int    // and from then on
}

// DefaultSizes are an engine's.
//
//   - A staged copy of 2 MiB takes 38 µs at the 55 GB/s of an H200's link, ten
//     times the 4 µs of host time per call there, and 0.2 ms of one core's
//     memcpy, which six cores hide.
//   - Eight cores of an H200's host copied 31 GB/s, which is short of its link's 55; slots
//     of 12 goroutines, 48 MiB of pinned memory, are quickly made.
//   - Below 4 MiB the hand-over to goroutines costs more than it saves, and the
//     vendor's driver does the staging.
//   - After 64 MiB, 1 ms to 10 ms, a cancelled context is noticed.
//   - Safety copies become ready by 8 MiB, for which a link of 55 GB/s takes
//     0.15 ms, long beside the hand-over of a channel; up to 1 MiB goroutines cost
//     more than they save.
//   - Safety copies must stay ahead of the download. A core of an H200's host copies 4
//     GB/s, so that four save a third of the keys while the link's 55 GB/s bring them,
//     and all of its sixteen are needed while they go back. They are few at first
//     since a link that reads waits for the memory's answers, which other traffic
//     delays, one that writes does not. Measured there (BenchmarkPinned, 2^28 keys of
//     32 and 64 bits, share of the link): 4 and 16 92.4 and 94.4 %, 4 and 12 91.6 and
//     93.5, 8 and 8 88.0 and 91.9, 12 and 6 86.6 and 88.9, 6 and 12 83.5 and 86.5.
var DefaultSizes = Sizes{
	StageUnit: 2 << 20, StageWorkers: 12, StageFrom: 4 << 20, DirectUnit: 64 << 20,
	SaveUnit: 8 << 20, SaveAtOnce: 1 << 20, SaveUp: 4, SaveDown: 16,
}

package simd

// StreamBytes is the length of the lines that Stream copies.
const StreamBytes = 256

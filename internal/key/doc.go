// Package key holds the table of key types and the one total order that every
// algorithm and every device follows (docs/order.md).
//
// A key type is one row of Table: its name, its width in bits and how its bit
// pattern maps to an unsigned integer of the same width whose natural order is
// the wanted order. Kernels and host algorithms sort those unsigned integers
// only; Codec is the map, applied at the first load and undone at the last
// store.
package key

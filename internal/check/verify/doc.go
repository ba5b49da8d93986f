// Package verify holds the oracles: order with the first offending position,
// equality as multisets, stability of pairs, permutations for argsort, and
// reference sorts that are written from docs/order.md and share no code with
// the codec of package key.
//
// Two keys of the same bits are the same key; a sort may not exchange −0 for
// +0 or one NaN for another, and every oracle here notices if it does.
package verify

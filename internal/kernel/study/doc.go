// Package study holds the device code of sorts that are never chosen unless they
// are named. Importing it links that code into the program; internal/kernel finds
// it by the one manifest. Programs that only use the library go without.
package study

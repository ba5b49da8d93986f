// Package suite holds the test that decides whether device code may ship:
// every device algorithm of the catalogue on every device present, over key
// types, modes, orders, distributions and sizes, against oracles that share no
// code with the sorts. It has no code of its own beside tests.
//
// Compiled by "go test -c" it runs on machines without Go. Variables:
//
//	GPUSORT_REQUIRE=cuda,opencl  absent backends fail instead of being skipped
//	GPUSORT_SUITE=short|full     the grid; by default short on the host's own
//	                             processor and under -test.short, full elsewhere
//	GPUSORT_SUITE_WORKERS=N      cases at once
//	GPUSORT_SUITE_ITEMS=N        TestEquality without larger inputs, and
//	GPUSORT_SUITE_EVERY=K        with every K-th input only: for sanitizers
//	GPUSORT_SEED=N               repeats a run; the seed is printed first
//
// The last line says "N passed, N failed, N skipped", in cases.
package suite

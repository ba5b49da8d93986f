//go:build !race

package gpusort_test

const raceDetector = false

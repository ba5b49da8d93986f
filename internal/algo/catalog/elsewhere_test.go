package catalog

import (
	"strings"
	"testing"
)

// TestElsewhere: a program with the library alone says where the other sorts are.
func TestElsewhere(t *testing.T) {
	_, device := Algorithm("bitonic-naive")
	_, host := HostAlgorithm("merge-path")
	for _, err := range []error{device, host} {
		if err == nil || !strings.Contains(err.Error(), "in the gpusort command") {
			t.Errorf("a sort that is not linked: %v", err)
		}
	}
}

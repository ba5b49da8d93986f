//go:build nogpu

package kernel

import (
	"strings"
	"testing"
)

// TestNoDeviceCode fails when a build with the nogpu tag embeds an image, or does
// not say why it has none.
func TestNoDeviceCode(t *testing.T) {
	if entries, _ := files.ReadDir("."); len(entries) != 0 {
		t.Errorf("%d embedded entries, want none", len(entries))
	}
	for _, im := range All() {
		if data, err := im.Data(); err == nil || data != nil || !strings.Contains(err.Error(), "nogpu") {
			t.Fatalf("%s: %d bytes, error %v", im.File, len(data), err)
		}
	}
}

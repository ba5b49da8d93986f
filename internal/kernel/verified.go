package kernel

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed verified.json
var verifiedJSON []byte

// Cases counts test cases.
type Cases struct {
	Run     int `json:"run"` // passed and failed
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
}

// Verified is the record of the last run of the whole GPU suite on real
// hardware. tools/cmd/verified writes it from the logs of that run.
type Verified struct {
	Hash     string   `json:"hash"` // Hash() of the device code that ran
	Device   string   `json:"device"`
	Driver   string   `json:"driver"`
	Date     string   `json:"date"`
	Commands []string `json:"commands"`
	Cases    Cases    `json:"cases"`
	// Logs has the counts of each log: a test binary or a sanitizer. A log
	// that its time limit ended counts the tests that had ended.
	Logs map[string]Cases `json:"logs"`
	// Incomplete says what of the suite had not ended, without a failure so
	// far, when a time limit ended it. It is empty after a whole run.
	Incomplete []string `json:"incomplete,omitempty"`
}

// LastVerified reads the record.
func LastVerified() (Verified, error) {
	var v Verified
	if err := json.Unmarshal(verifiedJSON, &v); err != nil {
		return v, fmt.Errorf("kernel: verified.json: %w", err)
	}
	return v, nil
}

package crossover

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/sys/cachedir"
)

// version changes with the meaning of the file.
const version = 1

// Path is where the table of this user lies. The error is cachedir.ErrNone.
func Path() (string, error) { return cachedir.Path("tune.json") }

// New returns an empty table of the present code.
func New(date string) *Table { return &Table{Version: version, Code: kernel.Hash(), Date: date} }

// Load reads the table. It is nil without an error if none was saved, or if it
// was measured with other device code, whose times say little.
func Load() (*Table, error) {
	path, err := Path()
	if err != nil {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("tuning: %w", err)
	}
	var t Table
	if err := json.Unmarshal(text, &t); err != nil {
		return nil, fmt.Errorf("tuning: %s: %w; gpusort tune writes it anew", path, err)
	}
	if t.Version != version || t.Code != kernel.Hash() || !t.valid() {
		return nil, nil
	}
	return &t, nil
}

// valid reports whether all times and sizes are positive and ascending, so that
// no prediction is NaN.
func (t *Table) valid() bool {
	for _, m := range t.Devices {
		for _, c := range m.Curves {
			before := uint64(0)
			for _, p := range c.Points {
				if p.Items <= before || !(p.Seconds > 0) {
					return false
				}
				before = p.Items
			}
		}
	}
	return true
}

// Save writes the table beside the last one and renames it. It returns the
// path.
func (t *Table) Save() (string, error) {
	path, err := Path()
	if err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(t, "", " ")
	if err != nil {
		return "", err
	}
	if err := cachedir.Write(path, append(text, '\n')); err != nil {
		return "", fmt.Errorf("tuning: %w", err)
	}
	return path, nil
}

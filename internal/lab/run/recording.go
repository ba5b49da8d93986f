package run

import "github.com/gpusort/gpusort/internal/lab/result"

// Recording is a small sort of a device, step by step, as its memory showed it.
type Recording struct {
	Cell   result.Cell `json:"cell"`
	Case   string      `json:"case"`
	Env    result.Env  `json:"env"`
	Frames []Frame     `json:"frames"`
}

// Frame is the state after one step; the first is the input.
type Frame struct {
	Label  string `json:"label"`
	Kernel string `json:"kernel,omitempty"`
	// Keys are the keys where they now lie, in that order.
	Keys []uint64 `json:"keys"`
	// Where is the buffer that holds them: "keys", or the name of the scratch.
	Where string `json:"where"`
	// Moved says that this step wrote the keys to a new place.
	Moved bool `json:"moved"`
}

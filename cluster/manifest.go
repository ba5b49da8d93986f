package cluster

// Version is that of the files that tasks exchange.
const Version = 1

// File is one of the inputs.
type File struct {
	URL    string `json:"url"`
	Size   int64  `json:"size"`
	Packed bool   `json:"packed,omitempty"` // as a whole: by gzip, zstd, lz4, bzip2 or xz
}

// Plan is what all tasks of a sort have to know.
type Plan struct {
	Version int    `json:"version"`
	ID      string `json:"id,omitempty"` // a hash of all else, once it is cut
	Order   Order  `json:"order"`
	Head    []byte `json:"head,omitempty"` // the beginning of the first input that has rows, if it is text
	Files   []File `json:"files"`
}

// Samples are keys of some rows of a sort's inputs.
type Samples struct {
	Plan
	Samples []Sampled `json:"samples"`
}

// Splitters divide the rows into ranges, one more than there are splitters.
type Splitters struct {
	Plan
	Ranges    int     `json:"ranges"`
	Ext       string  `json:"ext"` // of the objects
	Splitters []Point `json:"splitters"`
}

// Point is a rows.Splitter.
type Point struct {
	Key  []byte `json:"key"`
	File int    `json:"file"`
	At   int64  `json:"at"`
}

// Sampled is the key of a row, which stands for so many bytes of the input.
type Sampled struct {
	Point
	Bytes int64 `json:"bytes,omitempty"`
}

// Run is the manifest of a split.
type Run struct {
	Version int     `json:"version"`
	ID      string  `json:"id"`
	Task    int     `json:"task"`
	Of      int     `json:"of"`
	Object  string  `json:"object"` // beside the manifest
	Size    int64   `json:"size"`
	Rows    int64   `json:"rows"`
	Bytes   int64   `json:"bytes"`
	Sum     string  `json:"sum"`
	Ranges  []Range `json:"ranges"`
}

// Range is the part of a run that holds the rows of one range.
type Range struct {
	Offset int64 `json:"offset"`
	Length int64 `json:"length"`
	Rows   int64 `json:"rows"`
}

// Part is the manifest of a merge: one of the objects of the output.
type Part struct {
	Version int    `json:"version,omitempty"`
	ID      string `json:"id,omitempty"`
	Range   int    `json:"range"`
	Object  string `json:"object"`
	Size    int64  `json:"size"`
	Rows    int64  `json:"rows"`
	Bytes   int64  `json:"bytes"`
	Sum     string `json:"sum"`
	First   []byte `json:"first,omitempty"` // keys
	Last    []byte `json:"last,omitempty"`
}

// Output is the final manifest.
type Output struct {
	Plan
	Rows    int64  `json:"rows"`
	Bytes   int64  `json:"bytes"`
	Sum     string `json:"sum"`
	Objects []Part `json:"objects"`
}

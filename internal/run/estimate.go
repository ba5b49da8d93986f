package run

// Runs estimates in how many runs of memory so many bytes of rows like those of a sample are
// sorted: 1 if all fits.
func (o Options) Runs(size int64, sample []byte) int64 {
	o = o.complete()
	cut, _ := o.Format.Cut(sample)
	ends := o.Format.Split(sample[:cut], nil)
	if len(ends) == 0 {
		return 1
	}
	entries, from := uint64(cut), uint32(0)
	encode := o.Format.Encoder()
	if encode != nil {
		var key []byte
		for _, end := range ends {
			key, _ = encode(key[:0], sample[from:end-uint32(o.Format.Delimiter())])
			entries += uint64(len(key))
			from = end
		}
	}
	t := table{keyed: encode != nil}
	need := float64(entries+uint64(len(ends))*t.rowBytes()) / float64(cut) * float64(size)
	return 1 + int64(need/float64(o.Budget-o.fixed()))
}

package recordkey

// Leading is Records whose one key is the bytes that they begin with: a record is its own key,
// and what follows is not compared.
type Leading struct{ Records }

// Leading returns r as such, and false if its keys are others.
func (r Records) Leading() (Leading, bool) {
	ok := len(r.Fields) == 1 && r.Fields[0] == Field{To: r.Fields[0].To}
	return Leading{r}, ok
}

// Delimiter is how many bytes follow the key.
func (l Leading) Delimiter() int { return l.Size - l.Fields[0].To }

// Encoder returns nil: no key is made.
func (l Leading) Encoder() func(dst, row []byte) ([]byte, error) { return nil }

package outfile

import (
	"os"
	"sync"
)

// unfinished holds the paths of all temporary files that are in use and have a name.
var unfinished sync.Map

// Abandon removes the temporary files of all outputs that are neither
// committed nor discarded, for a process that ends without unwinding: those without
// a name end with it. It may be called while other goroutines write; outputs whose
// file was removed can then no longer be committed.
func Abandon() {
	unfinished.Range(func(path, _ any) bool {
		os.Remove(path.(string))
		return true
	})
}

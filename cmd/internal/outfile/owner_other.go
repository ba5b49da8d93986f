//go:build !unix

package outfile

import (
	"io/fs"
	"os"
)

// keepOwner does nothing: the directory decides the owner here.
func keepOwner(*os.File, fs.FileInfo) {}

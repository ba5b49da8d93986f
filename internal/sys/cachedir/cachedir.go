// Package cachedir is the folder in which gpusort keeps what it would otherwise
// make again: built programs, measured crossovers, passed self-tests.
package cachedir

import (
	"errors"
	"os"
	"path/filepath"
)

// Env is the environment variable that names the folder; "off" switches all
// caches off. Without it, it is "gpusort" in the user's cache directory.
const Env = "GPUSORT_CACHE"

// ErrNone says that there is no folder, or that it is switched off.
var ErrNone = errors.New("no cache directory: set HOME or XDG_CACHE_HOME, or " + Env + " to a folder")

// Path joins names below the folder. It makes nothing. The error is ErrNone.
func Path(names ...string) (string, error) {
	dir := os.Getenv(Env)
	if dir == "off" {
		return "", ErrNone
	}
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", ErrNone
		}
		dir = filepath.Join(user, "gpusort")
	}
	return filepath.Join(append([]string{dir}, names...)...), nil
}

// Write puts data into the file at path, making its folders. It writes beside it
// and renames, so that a reader, of this or another process, sees a whole file or
// none.
func Write(path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".new*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

package opencl

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/sys/cachedir"
)

// files lists the cache's files.
func files(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, backend, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// load builds or loads img on a device of its own and launches nothing.
func load(t *testing.T, img driver.Image) {
	t.Helper()
	dev := drivertest.Devices(t, New())[0]
	m, err := dev.LoadModule([]driver.Image{img})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Kernel("t_args"); err != nil {
		t.Fatal(err)
	}
	if err := dev.Close(); err != nil {
		t.Fatal(err)
	}
}

// A damaged, a cut and a foreign file are built again from source.
func TestCacheDamage(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(cachedir.Env, dir)
	cachesCPU = true
	t.Cleanup(func() { cachesCPU = false })
	img := drivertest.OpenCL().Image
	load(t, img)
	list := files(t, dir)
	if len(list) != 1 {
		t.Fatalf("the cache holds %q after one build", list)
	}
	good, err := os.ReadFile(list[0])
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 1
	for name, b := range map[string][]byte{"flipped": flipped, "cut": good[:len(good)/2], "empty": nil, "foreign": []byte("something else")} {
		if err := os.WriteFile(list[0], b, 0o666); err != nil {
			t.Fatal(err)
		}
		load(t, img)
		got, err := os.ReadFile(list[0])
		if err != nil || !bytes.HasPrefix(got, []byte(cacheVersion)) || bytes.Equal(got, b) {
			t.Errorf("%s: the file was not replaced (%v)", name, err)
		}
	}
	// A binary that is intact but that the vendor refuses.
	c := openCache()
	key := filepath.Base(list[0])
	key = key[:len(key)-len(".bin")]
	c.store(key, []byte("no program binary"))
	load(t, img)
	if b := c.load(key); bytes.Equal(b, []byte("no program binary")) {
		t.Error("the refused binary is still in the cache")
	}
	if list := files(t, dir); len(list) != 1 {
		t.Errorf("temporary files are left: %q", list)
	}
}

func TestCacheKey(t *testing.T) {
	a, b := New(), &info{identity: "one"}
	d := newDevice(a.api, b)
	img := driver.Image{Data: []byte("source"), Options: "-DA", Hash: "1"}
	keys := map[string]string{d.imageKey(&img): "first"}
	add := func(what string, d *device, img driver.Image) {
		k := d.imageKey(&img)
		if old, ok := keys[k]; ok {
			t.Errorf("%s: the same key as %s", what, old)
		}
		keys[k] = what
	}
	add("device", newDevice(a.api, &info{identity: "two"}), img)
	for what, f := range map[string]func(*driver.Image){
		"source":  func(i *driver.Image) { i.Data = []byte("sourcf") },
		"options": func(i *driver.Image) { i.Options = "-DB" },
		"hash":    func(i *driver.Image) { i.Hash = "2" },
	} {
		other := img
		f(&other)
		add(what, d, other)
	}
}

// Without a writable folder everything is built from source.
func TestCacheOff(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, v := range []string{"off", file} {
		t.Setenv(cachedir.Env, v)
		load(t, drivertest.OpenCL().Image)
	}
}

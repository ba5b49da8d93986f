//go:build nogpu || !((linux && !android) || windows) || !(amd64 || arm64)

package nvml

import "errors"

// Monitor is absent from this build.
type Monitor struct{}

// Device is absent from this build.
type Device struct{}

var errNone = errors.New("nvml: this build has no GPU support (build tag nogpu, or a system without NVIDIA drivers)")

// Open always fails in this build.
func Open() (*Monitor, error) { return nil, errNone }

// Close does nothing.
func (*Monitor) Close() error { return nil }

// DriverVersion always fails.
func (*Monitor) DriverVersion() (string, error) { return "", errNone }

// Device always fails.
func (*Monitor) Device(string) (*Device, error) { return nil, errNone }

// Name always fails.
func (*Device) Name() (string, error) { return "", errNone }

// Sample always fails.
func (*Device) Sample() (Sample, error) { return Sample{}, errNone }

//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cu

import (
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// NVML is a loaded management library. Its functions are safe for concurrent
// use and need no context. Each returns NVML's code: 0 for success, 3 for "not
// supported", NVMLMissing for a function that the library lacks.
type NVML struct {
	mu     sync.Mutex
	handle uintptr
	fn     map[string]uintptr
}

// NVMLDevice is an nvmlDevice_t.
type NVMLDevice uintptr

// NVMLMissing is NVML_ERROR_FUNCTION_NOT_FOUND.
const NVMLMissing = 13

// OpenNVML loads the library at path, or from the usual names if path is empty.
func OpenNVML(path string) (*NVML, error) {
	names := nvmlNames
	if path != "" {
		names = []string{path}
	}
	h, _, err := openFirst(names)
	if err != nil {
		return nil, err
	}
	return &NVML{handle: h, fn: map[string]uintptr{}}, nil
}

// call calls the first of the names, newest first, that exists.
//
//go:uintptrescapes
func (n *NVML) call(names string, args ...uintptr) int {
	p := n.find(names)
	if p == 0 {
		return NVMLMissing
	}
	r, _, _ := purego.SyscallN(p, args...)
	return int(int32(r))
}

func (n *NVML) find(names string) uintptr {
	n.mu.Lock()
	defer n.mu.Unlock()
	p, ok := n.fn[names]
	if !ok {
		for _, s := range strings.Fields(names) {
			if p = symbol(n.handle, s); p != 0 {
				break
			}
		}
		n.fn[names] = p
	}
	return p
}

// Init is nvmlInit; each wants one Shutdown.
func (n *NVML) Init() int { return n.call("nvmlInit_v2") }

// Shutdown is nvmlShutdown.
func (n *NVML) Shutdown() int { return n.call("nvmlShutdown") }

// ErrorString explains a code.
func (n *NVML) ErrorString(code int) string {
	if p := n.find("nvmlErrorString"); p != 0 && code != NVMLMissing {
		r, _, _ := purego.SyscallN(p, uintptr(code))
		// r is the address of a constant C string. It is read through a
		// variable because Go knows it only as a number.
		return text(*(**byte)(unsafe.Pointer(&r)))
	}
	if code == NVMLMissing {
		return "the library is too old for this call"
	}
	return "NVML code " + strconv.Itoa(code)
}

// DriverVersion is the version of the kernel driver: "580.65.06".
func (n *NVML) DriverVersion() (string, int) {
	b := make([]byte, 96)
	r := n.call("nvmlSystemGetDriverVersion", uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	return gostring(b), r
}

// DeviceByUUID finds a device by the text form of its UUID: "GPU-…".
func (n *NVML) DeviceByUUID(uuid string) (d NVMLDevice, r int) {
	s := cstring(uuid)
	r = n.call("nvmlDeviceGetHandleByUUID", uintptr(unsafe.Pointer(&s[0])), uintptr(unsafe.Pointer(&d)))
	return d, r
}

// Name is the marketing name.
func (n *NVML) Name(d NVMLDevice) (string, int) {
	b := make([]byte, 96)
	r := n.call("nvmlDeviceGetName", uintptr(d), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
	return gostring(b), r
}

// The clock domains.
const (
	ClockSM  = 1
	ClockMem = 2
)

// Clock is the present clock of a domain in MHz.
func (n *NVML) Clock(d NVMLDevice, domain int) (mhz uint32, r int) {
	r = n.call("nvmlDeviceGetClockInfo", uintptr(d), uintptr(domain), uintptr(unsafe.Pointer(&mhz)))
	return mhz, r
}

// MaxClock is the highest clock of a domain in MHz.
func (n *NVML) MaxClock(d NVMLDevice, domain int) (mhz uint32, r int) {
	r = n.call("nvmlDeviceGetMaxClockInfo", uintptr(d), uintptr(domain), uintptr(unsafe.Pointer(&mhz)))
	return mhz, r
}

// Power is the present draw in milliwatts.
func (n *NVML) Power(d NVMLDevice) (mw uint32, r int) {
	r = n.call("nvmlDeviceGetPowerUsage", uintptr(d), uintptr(unsafe.Pointer(&mw)))
	return mw, r
}

// PowerLimit is the enforced limit in milliwatts.
func (n *NVML) PowerLimit(d NVMLDevice) (mw uint32, r int) {
	r = n.call("nvmlDeviceGetEnforcedPowerLimit", uintptr(d), uintptr(unsafe.Pointer(&mw)))
	return mw, r
}

// Energy is what the device has used since the driver was loaded, in
// millijoules.
func (n *NVML) Energy(d NVMLDevice) (mj uint64, r int) {
	r = n.call("nvmlDeviceGetTotalEnergyConsumption", uintptr(d), uintptr(unsafe.Pointer(&mj)))
	return mj, r
}

// Temperature is that of the chip in degrees Celsius.
func (n *NVML) Temperature(d NVMLDevice) (c uint32, r int) {
	r = n.call("nvmlDeviceGetTemperature", uintptr(d), 0, uintptr(unsafe.Pointer(&c)))
	return c, r
}

// ThrottleReasons is a set of bits that say what holds the clocks down.
func (n *NVML) ThrottleReasons(d NVMLDevice) (bits uint64, r int) {
	r = n.call("nvmlDeviceGetCurrentClocksEventReasons nvmlDeviceGetCurrentClocksThrottleReasons",
		uintptr(d), uintptr(unsafe.Pointer(&bits)))
	return bits, r
}

// Utilization is the percentage of the last sampling period in which a kernel
// ran and in which memory was read or written.
func (n *NVML) Utilization(d NVMLDevice) (gpu, mem uint32, r int) {
	var u [2]uint32
	r = n.call("nvmlDeviceGetUtilizationRates", uintptr(d), uintptr(unsafe.Pointer(&u)))
	return u[0], u[1], r
}

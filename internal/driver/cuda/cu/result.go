package cu

import "strconv"

// Result is a CUresult.
type Result int32

// The results that are told apart. Names and numbers are cuda.h's.
const (
	Success                Result = 0
	InvalidValue           Result = 1
	OutOfMemory            Result = 2
	NotInitialized         Result = 3
	Deinitialized          Result = 4
	StubLibrary            Result = 34
	InsufficientDriver     Result = 35
	DeviceUnavailable      Result = 46
	NoDevice               Result = 100
	InvalidDevice          Result = 101
	InvalidImage           Result = 200
	InvalidContext         Result = 201
	NoBinaryForGPU         Result = 209
	ECCUncorrectable       Result = 214
	InvalidPTX             Result = 218
	NVLinkUncorrectable    Result = 220
	JITCompilerNotFound    Result = 221
	UnsupportedPTXVersion  Result = 222
	JITDisabled            Result = 223
	NotFound               Result = 500
	NotReady               Result = 600
	IllegalAddress         Result = 700
	LaunchOutOfResources   Result = 701
	LaunchTimeout          Result = 702
	PeerAlreadyEnabled     Result = 704
	ContextIsDestroyed     Result = 709
	Assert                 Result = 710
	HostAlreadyRegistered  Result = 712
	HardwareStackError     Result = 714
	IllegalInstruction     Result = 715
	MisalignedAddress      Result = 716
	InvalidAddressSpace    Result = 717
	InvalidPC              Result = 718
	LaunchFailed           Result = 719
	CooperativeTooLarge    Result = 720
	NotPermitted           Result = 800
	NotSupported           Result = 801
	SystemNotReady         Result = 802
	SystemDriverMismatch   Result = 803
	CompatNotSupported     Result = 804
	MPSClientTerminated    Result = 810
	StreamCaptureForbidden Result = 900
	Unknown                Result = 999
)

// names are those a driver need not be asked for, because it may be absent.
var names = map[Result]string{
	Success:            "CUDA_SUCCESS",
	InvalidValue:       "CUDA_ERROR_INVALID_VALUE",
	OutOfMemory:        "CUDA_ERROR_OUT_OF_MEMORY",
	NoDevice:           "CUDA_ERROR_NO_DEVICE",
	NoBinaryForGPU:     "CUDA_ERROR_NO_BINARY_FOR_GPU",
	InsufficientDriver: "CUDA_ERROR_INSUFFICIENT_DRIVER",
	NotSupported:       "CUDA_ERROR_NOT_SUPPORTED",
}

// String is the name of the commonest results and the number of the others;
// Lib.ErrorName knows them all.
func (r Result) String() string {
	if n, ok := names[r]; ok {
		return n
	}
	return "CUresult " + strconv.Itoa(int(r))
}

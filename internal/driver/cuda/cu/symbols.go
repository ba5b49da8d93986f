//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cu

// sym numbers the functions of the library.
type sym int

const (
	symInit sym = iota
	symDriverGetVersion
	symGetErrorName
	symGetErrorString
	symDeviceGetCount
	symDeviceGet
	symDeviceGetName
	symDeviceGetUUID
	symDeviceTotalMem
	symDeviceGetAttribute
	symPrimaryRetain
	symPrimaryRelease
	symCtxSetCurrent
	symCtxGetCurrent
	symMemGetInfo
	symMemAlloc
	symMemFree
	symMemPoolCreate
	symMemPoolDestroy
	symMemPoolSetAttribute
	symMemPoolTrimTo
	symMemAllocFromPool
	symMemFreeAsync
	symMemHostAlloc
	symMemFreeHost
	symMemHostRegister
	symMemHostUnregister
	symMemGetAddressRange
	symMemcpyHtoDAsync
	symMemcpyDtoHAsync
	symMemcpyDtoDAsync
	symMemcpyPeerAsync
	symMemsetD32Async
	symMemsetD8Async
	symDeviceCanAccessPeer
	symCtxEnablePeerAccess
	symStreamCreate
	symStreamDestroy
	symStreamSynchronize
	symStreamWaitEvent
	symStreamBeginCapture
	symStreamEndCapture
	symGraphInstantiate
	symGraphLaunch
	symGraphDestroy
	symGraphExecDestroy
	symEventCreate
	symEventDestroy
	symEventRecord
	symEventQuery
	symEventSynchronize
	symEventElapsedTime
	symModuleLoadDataEx
	symModuleUnload
	symModuleGetFunction
	symModuleGetGlobal
	symFuncGetAttribute
	symFuncSetAttribute
	symOccupancy
	symLaunchKernel
	symLaunchKernelEx
	symLaunchCooperative
	symbols
)

// table gives for each function the exported names to try, newest first.
// Optional ones are younger than the oldest driver that is supported (CUDA 9).
var table = [symbols]struct {
	names    string
	optional bool
}{
	symInit:                {"cuInit", false},
	symDriverGetVersion:    {"cuDriverGetVersion", false},
	symGetErrorName:        {"cuGetErrorName", false},
	symGetErrorString:      {"cuGetErrorString", false},
	symDeviceGetCount:      {"cuDeviceGetCount", false},
	symDeviceGet:           {"cuDeviceGet", false},
	symDeviceGetName:       {"cuDeviceGetName", false},
	symDeviceGetUUID:       {"cuDeviceGetUuid_v2 cuDeviceGetUuid", true},
	symDeviceTotalMem:      {"cuDeviceTotalMem_v2", false},
	symDeviceGetAttribute:  {"cuDeviceGetAttribute", false},
	symPrimaryRetain:       {"cuDevicePrimaryCtxRetain", false},
	symPrimaryRelease:      {"cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxRelease", false},
	symCtxSetCurrent:       {"cuCtxSetCurrent", false},
	symCtxGetCurrent:       {"cuCtxGetCurrent", false},
	symMemGetInfo:          {"cuMemGetInfo_v2", false},
	symMemAlloc:            {"cuMemAlloc_v2", false},
	symMemFree:             {"cuMemFree_v2", false},
	symMemPoolCreate:       {"cuMemPoolCreate", true},
	symMemPoolDestroy:      {"cuMemPoolDestroy", true},
	symMemPoolSetAttribute: {"cuMemPoolSetAttribute", true},
	symMemPoolTrimTo:       {"cuMemPoolTrimTo", true},
	symMemAllocFromPool:    {"cuMemAllocFromPoolAsync", true},
	symMemFreeAsync:        {"cuMemFreeAsync", true},
	symMemHostAlloc:        {"cuMemHostAlloc", false},
	symMemFreeHost:         {"cuMemFreeHost", false},
	symMemHostRegister:     {"cuMemHostRegister_v2", false},
	symMemHostUnregister:   {"cuMemHostUnregister", false},
	symMemGetAddressRange:  {"cuMemGetAddressRange_v2", false},
	symMemcpyHtoDAsync:     {"cuMemcpyHtoDAsync_v2", false},
	symMemcpyDtoHAsync:     {"cuMemcpyDtoHAsync_v2", false},
	symMemcpyDtoDAsync:     {"cuMemcpyDtoDAsync_v2", false},
	symMemcpyPeerAsync:     {"cuMemcpyPeerAsync", false},
	symMemsetD32Async:      {"cuMemsetD32Async", false},
	symMemsetD8Async:       {"cuMemsetD8Async", false},
	symDeviceCanAccessPeer: {"cuDeviceCanAccessPeer", false},
	symCtxEnablePeerAccess: {"cuCtxEnablePeerAccess", false},
	symStreamCreate:        {"cuStreamCreate", false},
	symStreamDestroy:       {"cuStreamDestroy_v2", false},
	symStreamSynchronize:   {"cuStreamSynchronize", false},
	symStreamWaitEvent:     {"cuStreamWaitEvent", false},
	symStreamBeginCapture:  {"cuStreamBeginCapture_v2", true},
	symStreamEndCapture:    {"cuStreamEndCapture", true},
	symGraphInstantiate:    {"cuGraphInstantiateWithFlags", true},
	symGraphLaunch:         {"cuGraphLaunch", true},
	symGraphDestroy:        {"cuGraphDestroy", true},
	symGraphExecDestroy:    {"cuGraphExecDestroy", true},
	symEventCreate:         {"cuEventCreate", false},
	symEventDestroy:        {"cuEventDestroy_v2", false},
	symEventRecord:         {"cuEventRecord", false},
	symEventQuery:          {"cuEventQuery", false},
	symEventSynchronize:    {"cuEventSynchronize", false},
	symEventElapsedTime:    {"cuEventElapsedTime_v2 cuEventElapsedTime", false},
	symModuleLoadDataEx:    {"cuModuleLoadDataEx", false},
	symModuleUnload:        {"cuModuleUnload", false},
	symModuleGetFunction:   {"cuModuleGetFunction", false},
	symModuleGetGlobal:     {"cuModuleGetGlobal_v2", false},
	symFuncGetAttribute:    {"cuFuncGetAttribute", false},
	symFuncSetAttribute:    {"cuFuncSetAttribute", false},
	symOccupancy:           {"cuOccupancyMaxActiveBlocksPerMultiprocessor", false},
	symLaunchKernel:        {"cuLaunchKernel", false},
	symLaunchKernelEx:      {"cuLaunchKernelEx", true},
	symLaunchCooperative:   {"cuLaunchCooperativeKernel", true},
}

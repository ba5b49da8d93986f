package cl

// Values of the OpenCL headers, in the order of cl.h.
const (
	DeviceTypeCPU         = 1 << 1
	DeviceTypeGPU         = 1 << 2
	DeviceTypeAccelerator = 1 << 3
	DeviceTypeAll         = 0xFFFFFFFF

	PlatformVersion = 0x0901
	PlatformName    = 0x0902
	PlatformVendor  = 0x0903

	DeviceType              = 0x1000
	DeviceVendorID          = 0x1001
	DeviceMaxComputeUnits   = 0x1002
	DeviceMaxWorkGroupSize  = 0x1004
	DeviceMaxClockFrequency = 0x100C // MHz
	DeviceMaxMemAllocSize   = 0x1010
	DeviceMemBaseAddrAlign  = 0x1019 // bits
	DeviceGlobalMemCache    = 0x101E
	DeviceGlobalMemSize     = 0x101F
	DeviceLocalMemSize      = 0x1023
	DeviceEndianLittle      = 0x1026
	DeviceAvailable         = 0x1027
	DeviceCompilerAvailable = 0x1028
	DeviceName              = 0x102B
	DeviceVendor            = 0x102C
	DriverVersion           = 0x102D
	DeviceVersion           = 0x102F
	DeviceExtensions        = 0x1030
	DeviceHostUnifiedMemory = 0x1035
	DeviceUUID              = 0x106A // cl_khr_device_uuid

	ContextPlatform = 0x1084

	QueueOutOfOrder      = 1 << 0
	QueueProfilingEnable = 1 << 1
	QueueContext         = 0x1090
	QueueDevice          = 0x1091
	QueueProperties      = 0x1093

	MemReadWrite    = 1 << 0
	MemAllocHostPtr = 1 << 4

	MigrateContentUndefined = 1 << 1

	MemSize    = 0x1102
	MemContext = 0x1106
	MemParent  = 0x1107 // CL_MEM_ASSOCIATED_MEMOBJECT
	MemOffset  = 0x1108

	MapRead  = 1 << 0
	MapWrite = 1 << 1

	ProgramBinarySizes = 0x1165
	ProgramBinaries    = 0x1166
	ProgramBuildLog    = 0x1183

	KernelNumArgs            = 0x1191
	KernelWorkGroupSize      = 0x11B0
	KernelLocalMemSize       = 0x11B2
	KernelPreferredWorkGroup = 0x11B3
	KernelPrivateMemSize     = 0x11B4

	EventCommandExecutionStatus = 0x11D3
	Complete                    = 0 // execution status; greater: under way; less: an error code

	ProfilingCommandEnd = 0x1283
)

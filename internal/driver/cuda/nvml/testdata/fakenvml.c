// A management library for tests: one device that reports all but its energy.
#include <string.h>
typedef unsigned int u32;
static int users;
int nvmlInit_v2(void) { users++; return 0; }
int nvmlShutdown(void) { return users-- > 0 ? 0 : 1; }
const char *nvmlErrorString(int r) { return r == 6 ? "Not Found" : "Other"; }
int nvmlSystemGetDriverVersion(char *s, u32 n) { strncpy(s, "580.65.06", n); return 0; }
int nvmlDeviceGetHandleByUUID(const char *id, void **d) { *d = (void *)0x10; return strcmp(id, "GPU-1") && strcmp(id, "MIG-2") ? 6 : 0; }
int nvmlDeviceGetName(void *d, char *s, u32 n) { strncpy(s, "Fake GPU", n); return d != (void *)0x10; }
int nvmlDeviceGetClockInfo(void *d, int domain, u32 *v) { *v = 1000 + domain; return d != (void *)0x10; }
int nvmlDeviceGetMaxClockInfo(void *d, int domain, u32 *v) { *v = 2000 + domain; return d != (void *)0x10; }
int nvmlDeviceGetPowerUsage(void *d, u32 *v) { *v = 345678; return d != (void *)0x10; }
int nvmlDeviceGetEnforcedPowerLimit(void *d, u32 *v) { *v = 700000; return d != (void *)0x10; }
int nvmlDeviceGetTotalEnergyConsumption(void *d, unsigned long long *v) { (void)d; *v = 5; return 3; }
int nvmlDeviceGetTemperature(void *d, int sensor, u32 *v) { *v = 41; return d != (void *)0x10 || sensor; }
int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *v) { *v = 4 | 64; return d != (void *)0x10; }
int nvmlDeviceGetUtilizationRates(void *d, u32 *v) { v[0] = 97; v[1] = 55; return d != (void *)0x10; }

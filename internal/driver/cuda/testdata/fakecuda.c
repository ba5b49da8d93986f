// A libcuda for tests: the functions that internal/driver/cuda uses, over host
// memory. Commands run at once, on the calling thread. It knows the kernels of
// vector.ptx by name and their parameters by parsing the PTX. It checks what a
// driver would crash or fail on: that the calling thread has a live context,
// that handles and ranges are live, that nothing is freed twice. Such mistakes
// are counted in "bad" and "no_ctx".
//
// Controls: fake_get(name), fake_calls(function), fake_fail(function, k, code):
// the k-th call from now fails ("" for any function); codes from 700 to 719
// stick to the context, as on a device.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
typedef int R;
typedef uint64_t u64;
typedef uint32_t u32;

enum { NDEV = 2, MAXALLOC = 4096, MAXARG = 64, MAXFN = 128 };
enum { CTX = 1, STREAM, EVENT, MODULE, FUNC, GRAPH, EXEC, POOL, KINDS };

typedef struct Obj Obj;
typedef struct { char kind; void *dst; const void *src; u64 n; u32 v; Obj *fn; u64 arg[MAXARG]; u32 dim[6], shared; } Cmd;
struct Obj {
	int kind, live, dev;
	R sticky;              // CTX
	int retained;          // CTX
	int capturing;         // STREAM
	Cmd *cmd; int ncmd;    // STREAM, GRAPH, EXEC
	int recorded; double ms; // EVENT
	char name[64]; int width[MAXARG], argc; u32 dynamic; // FUNC
	char *text;            // MODULE
	u64 word;              // MODULE: its global
};
static struct { char *p; u64 n; int dev, host, live; } mem[MAXALLOC];
static struct { const char *fn; int64_t calls; } counts[MAXFN];
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static __thread Obj *current;
static Obj ctxs[NDEV];
static int64_t live[KINDS], bad, no_ctx, initialised, fail_k;
static char fail_fn[64];
static R fail_code;
static struct { u32 grid[3], block[3], shared, cluster, coop, overlap, argc; u64 arg[MAXARG]; } last;

static R mark(void) { bad++; return 400; }

// begin notes a call and injects failures; need says what must be current.
static R begin(const char *fn, int need) {
	int i = 0;
	while (i < MAXFN - 1 && counts[i].fn && strcmp(counts[i].fn, fn)) i++;
	counts[i].fn = fn;
	counts[i].calls++;
	if (!initialised && strcmp(fn, "cuInit") && strcmp(fn, "cuGetErrorName")) return 3;
	if (need && (!current || !current->retained)) { no_ctx++; return 201; }
	if (need && current->sticky) return current->sticky;
	if (fail_k > 0 && (!fail_fn[0] || !strcmp(fail_fn, fn)) && --fail_k == 0) {
		if (need && fail_code >= 700 && fail_code < 720) current->sticky = fail_code;
		return fail_code;
	}
	return 0;
}
#define BEGIN(need) \
	pthread_mutex_lock(&mu); \
	R r = begin(__func__, need); \
	if (r) { pthread_mutex_unlock(&mu); return r; }
#define END(x) do { R end_ = (x); pthread_mutex_unlock(&mu); return end_; } while (0)

static Obj *make(int kind) {
	Obj *o = calloc(1, sizeof *o); // never freed: a stale handle stays recognisable
	o->kind = kind; o->live = 1; o->dev = current ? current->dev : 0;
	live[kind]++;
	return o;
}
static int ok(Obj *o, int kind) {
	if (o && o->kind == kind && o->live && (!current || o->dev == current->dev)) return 1;
	bad++;
	return 0;
}
static R drop(Obj *o, int kind) {
	if (!ok(o, kind)) return 400;
	o->live = 0; live[kind]--;
	return 0;
}
static int find(const void *p) {
	for (int i = 0; i < MAXALLOC; i++)
		if (mem[i].live && (char *)p >= mem[i].p && (char *)p < mem[i].p + mem[i].n) return i;
	return -1;
}
static int range(const void *p, u64 n) { // device range
	int i = find(p);
	if (i >= 0 && !mem[i].host && (u64)((char *)p - mem[i].p) + n <= mem[i].n) return 1;
	bad++;
	return 0;
}
static R reserve(void **p, u64 n, int host) {
	if (n == 0) return 1;
	if (n > 1ull << 40) return 2;
	for (int i = 0; i < MAXALLOC; i++) if (!mem[i].live) {
		if (posix_memalign((void **)&mem[i].p, 256, n)) return 2;
		memset(mem[i].p, 0xA5, n);
		mem[i].n = n; mem[i].dev = current->dev; mem[i].host = host; mem[i].live = 1;
		*p = mem[i].p;
		return 0;
	}
	return 2;
}
static R giveback(void *p, int host) {
	int i = find(p);
	if (i < 0 || mem[i].p != p || mem[i].host != host) return mark();
	free(mem[i].p); mem[i].live = 0;
	return 0;
}

// --- the device
// run_suite runs the kernels of drivertest's kernels.ptx.
static R run_suite(Cmd *c, const u64 *a) {
	const char *name = c->fn->name;
	u64 *out = (u64 *)a[0], n = (u64)c->dim[0] * c->dim[3];
	u32 *x = (u32 *)a[0], *y = (u32 *)a[1];
	int wide = !strcmp(name, "t_affine64");
	if (wide || !strcmp(name, "t_affine32")) {
		if (n > a[2]) n = a[2];
		if (!range(x, n * (wide ? 8 : 4)) || !range(y, n * (wide ? 8 : 4))) return 700;
		for (u64 i = 0; i < n; i++) {
			if (wide) ((u64 *)y)[i] = out[i] * a[3] + a[4];
			else y[i] = x[i] * (u32)a[3] + (u32)a[4];
		}
	} else if (!strcmp(name, "t_args")) {
		if (!range(out, 32)) return 700;
		memcpy(out, a + 1, 32);
	} else if (!strcmp(name, "t_reverse")) {
		u32 b = c->dim[3];
		if (!range(x, 4 * n) || !range(y, 4 * n) || c->shared < 4 * b) return 700;
		for (u64 i = 0; i < n; i++) y[i] = x[i / b * b + b - 1 - i % b];
	} else if (!strcmp(name, "t_grid2")) {
		u64 h = (u64)c->dim[1] * c->dim[4];
		if (!range(x, 4 * (h - 1) * a[1] + 4 * n)) return 700;
		for (u64 j = 0; j < h; j++) for (u64 i = 0; i < n; i++) x[j * a[1] + i] = (u32)(j << 16 | i);
	}
	return 0;
}
static R run(Cmd *c) {
	u32 *x;
	switch (c->kind) {
	case 'c': memcpy(c->dst, c->src, c->n); return 0;
	case 'm': x = c->dst; for (u64 i = 0; i < c->n / 4; i++) x[i] = c->v; return 0;
	case 'b': memset(c->dst, (int)c->v, c->n); return 0;
	}
	u64 *a = c->arg, *out = (u64 *)a[0];
	x = (u32 *)a[0];
	if (!strcmp(c->fn->name, "gs_test_add")) {
		if (a[1] && !range(x, 4 * a[1])) return 700;
		for (u64 i = 0; i < a[1]; i++) x[i] += (u32)a[2];
	} else if (!strcmp(c->fn->name, "gs_test_args")) {
		if (!range(out, 32)) return 700;
		for (int i = 0; i < 4; i++) out[i] = a[i + 1];
	} else if (!strcmp(c->fn->name, "gs_test_shared")) {
		if (!range(x, 4 * (u64)c->dim[0]) || a[1] > c->shared) return 700;
		for (u32 i = 0; i < c->dim[0]; i++) x[i] = (u32)a[2];
	} else if (!strcmp(c->fn->name, "gs_test_fault")) return 700;
	else return run_suite(c, a);
	return 0;
}
static R submit(Obj *s, Cmd *c) {
	if (!ok(s, STREAM)) return 400;
	if (!s->capturing) {
		R r = run(c);
		if (r >= 700 && r < 720) { current->sticky = r; return 0; } // asynchronous: seen later
		return r;
	}
	s->cmd = realloc(s->cmd, (s->ncmd + 1) * sizeof *c);
	s->cmd[s->ncmd++] = *c;
	return 0;
}

// --- library and devices
EXPORT R cuInit(u32 f) { BEGIN(0); initialised = 1; END(f ? 1 : 0); }
EXPORT R cuDriverGetVersion(int *v) { BEGIN(0); *v = 13000; END(0); }
EXPORT R cuGetErrorName(R e, const char **p) {
	static const struct { R e; const char *n; } t[] = {{0, "CUDA_SUCCESS"}, {1, "CUDA_ERROR_INVALID_VALUE"}, {2, "CUDA_ERROR_OUT_OF_MEMORY"},
		{100, "CUDA_ERROR_NO_DEVICE"}, {201, "CUDA_ERROR_INVALID_CONTEXT"}, {218, "CUDA_ERROR_INVALID_PTX"}, {400, "CUDA_ERROR_INVALID_HANDLE"},
		{500, "CUDA_ERROR_NOT_FOUND"}, {600, "CUDA_ERROR_NOT_READY"}, {700, "CUDA_ERROR_ILLEGAL_ADDRESS"}, {719, "CUDA_ERROR_LAUNCH_FAILED"},
		{900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"}};
	for (unsigned i = 0; i < sizeof t / sizeof *t; i++) if (t[i].e == e) { *p = t[i].n; return 0; }
	*p = 0;
	return 1;
}
EXPORT R cuGetErrorString(R e, const char **p) { static char s[32]; snprintf(s, sizeof s, "error %d explained", e); *p = s; return 0; }
EXPORT R cuDeviceGetCount(int *n) { BEGIN(0); *n = NDEV; END(0); }
EXPORT R cuDeviceGet(int *d, int i) { BEGIN(0); *d = i; END(i < 0 || i >= NDEV ? 101 : 0); }
EXPORT R cuDeviceGetName(char *s, int n, int d) { BEGIN(0); snprintf(s, n, "Fake GPU %d", d); END(0); }
EXPORT R cuDeviceGetUuid_v2(unsigned char *id, int d) { BEGIN(0); for (int i = 0; i < 16; i++) id[i] = 16 * d + i; END(0); }
EXPORT R cuDeviceTotalMem_v2(u64 *n, int d) { BEGIN(0); *n = 100ull << 30; END(d < NDEV ? 0 : 101); }
EXPORT R cuDeviceGetAttribute(int *v, int a, int d) {
	static const int t[][2] = {{1, 1024}, {8, 49152}, {10, 32}, {13, 1980000}, {16, 132}, {36, 3201000}, {37, 6144}, {38, 60 << 20}, {39, 2048},
		{41, 1}, {75, 9}, {76, 0}, {81, 233472}, {82, 65536}, {95, 1}, {97, 232448}, {115, 1}, {120, 1}};
	BEGIN(0);
	*v = 0;
	for (unsigned i = 0; i < sizeof t / sizeof *t; i++) if (t[i][0] == a) *v = t[i][1];
	END(d < NDEV ? 0 : 101);
}
EXPORT R cuDevicePrimaryCtxRetain(Obj **c, int d) {
	BEGIN(0);
	Obj *o = &ctxs[d];
	if (o->retained++ == 0) { o->kind = CTX; o->live = 1; o->dev = d; o->sticky = 0; }
	*c = o;
	END(0);
}
EXPORT R cuDevicePrimaryCtxRelease_v2(int d) { BEGIN(0); END(ctxs[d].retained <= 0 ? mark() : (ctxs[d].retained--, 0)); }
EXPORT R cuCtxSetCurrent(Obj *c) { BEGIN(0); if (c && !c->retained) END(mark()); current = c; END(0); }
EXPORT R cuCtxGetCurrent(Obj **c) { BEGIN(0); *c = current; END(0); }
EXPORT R cuDeviceCanAccessPeer(int *v, int d, int p) { BEGIN(0); *v = d != p; END(0); }
EXPORT R cuCtxEnablePeerAccess(Obj *p, u32 f) { BEGIN(1); END(f || !p->retained ? mark() : 0); }

// --- memory
EXPORT R cuMemGetInfo_v2(u64 *f, u64 *t) { BEGIN(1); *f = 90ull << 30; *t = 100ull << 30; END(0); }
EXPORT R cuMemAlloc_v2(void **p, u64 n) { BEGIN(1); END(reserve(p, n, 0)); }
EXPORT R cuMemFree_v2(void *p) { BEGIN(1); END(giveback(p, 0)); }
EXPORT R cuMemHostAlloc(void **p, u64 n, u32 f) { BEGIN(1); END(f != 1 ? mark() : reserve(p, n, 1)); }
EXPORT R cuMemFreeHost(void *p) { BEGIN(1); END(giveback(p, 1)); }
EXPORT R cuMemHostRegister_v2(void *p, u64 n, u32 f) { BEGIN(1); live[0]++; END(p && n && f == 1 ? 0 : mark()); }
EXPORT R cuMemHostUnregister(void *p) { BEGIN(1); live[0]--; END(p ? 0 : mark()); }
EXPORT R cuMemGetAddressRange_v2(void **b, u64 *n, void *p) { BEGIN(1); int i = find(p); if (i < 0) END(1); *b = mem[i].p; *n = mem[i].n; END(0); }
EXPORT R cuMemPoolCreate(Obj **p, const int *props) { BEGIN(1); END(props[0] != 1 || props[2] != 1 || props[3] != current->dev ? mark() : (*p = make(POOL), 0)); }
EXPORT R cuMemPoolDestroy(Obj *p) { BEGIN(1); END(drop(p, POOL)); }
EXPORT R cuMemPoolSetAttribute(Obj *p, int a, u64 *v) { BEGIN(1); END(ok(p, POOL) && a == 4 && *v == UINT64_MAX ? 0 : mark()); }
EXPORT R cuMemPoolTrimTo(Obj *p, u64 n) { BEGIN(1); END(ok(p, POOL) && n == 0 ? 0 : mark()); }
EXPORT R cuMemAllocFromPoolAsync(void **p, u64 n, Obj *pool, Obj *s) { BEGIN(1); END(ok(pool, POOL) && ok(s, STREAM) ? reserve(p, n, 0) : 400); }
EXPORT R cuMemFreeAsync(void *p, Obj *s) { BEGIN(1); END(ok(s, STREAM) ? giveback(p, 0) : 400); }
EXPORT R cuMemcpyHtoDAsync_v2(void *d, const void *h, u64 n, Obj *s) { BEGIN(1); Cmd c = {'c', d, h, n}; END(range(d, n) ? submit(s, &c) : 1); }
EXPORT R cuMemcpyDtoHAsync_v2(void *h, const void *d, u64 n, Obj *s) { BEGIN(1); Cmd c = {'c', h, d, n}; END(range(d, n) ? submit(s, &c) : 1); }
EXPORT R cuMemcpyDtoDAsync_v2(void *d, const void *f, u64 n, Obj *s) { BEGIN(1); Cmd c = {'c', d, f, n}; END(range(d, n) && range(f, n) ? submit(s, &c) : 1); }
EXPORT R cuMemcpyPeerAsync(void *d, Obj *dc, const void *f, Obj *fc, u64 n, Obj *s) {
	BEGIN(1);
	Cmd c = {'c', d, f, n};
	if (!range(d, n) || !range(f, n) || mem[find(d)].dev != dc->dev || mem[find(f)].dev != fc->dev) END(mark());
	END(submit(s, &c));
}
EXPORT R cuMemsetD32Async(void *d, u32 v, u64 n, Obj *s) { BEGIN(1); Cmd c = {'m', d, 0, 4 * n, v}; END(range(d, 4 * n) ? submit(s, &c) : 1); }
EXPORT R cuMemsetD8Async(void *d, unsigned char v, u64 n, Obj *s) { BEGIN(1); Cmd c = {'b', d, 0, n, v}; END(range(d, n) ? submit(s, &c) : 1); }

// --- streams, events, graphs
EXPORT R cuStreamCreate(Obj **s, u32 f) { BEGIN(1); *s = make(STREAM); END(f == 1 ? 0 : mark()); }
EXPORT R cuStreamDestroy_v2(Obj *s) { BEGIN(1); END(drop(s, STREAM)); }
EXPORT R cuStreamSynchronize(Obj *s) { BEGIN(1); if (!ok(s, STREAM)) END(400); END(s->capturing ? 900 : 0); }
EXPORT R cuStreamWaitEvent(Obj *s, Obj *e, u32 f) { BEGIN(1); END(ok(s, STREAM) && ok(e, EVENT) && e->recorded && !f ? 0 : 400); }
EXPORT R cuEventCreate(Obj **e, u32 f) { BEGIN(1); *e = make(EVENT); END(f ? mark() : 0); }
EXPORT R cuEventDestroy_v2(Obj *e) { BEGIN(1); END(drop(e, EVENT)); }
EXPORT R cuEventRecord(Obj *e, Obj *s) {
	static double now;
	BEGIN(1);
	if (!ok(e, EVENT) || !ok(s, STREAM)) END(400);
	e->recorded = 1; e->ms = now += 0.5;
	END(0);
}
EXPORT R cuEventQuery(Obj *e) { BEGIN(1); END(!ok(e, EVENT) ? 400 : e->recorded ? 0 : 600); }
EXPORT R cuEventSynchronize(Obj *e) { BEGIN(1); END(ok(e, EVENT) ? 0 : 400); }
EXPORT R cuEventElapsedTime_v2(float *ms, Obj *a, Obj *b) { BEGIN(1); if (!ok(a, EVENT) || !ok(b, EVENT)) END(400); *ms = (float)(b->ms - a->ms); END(0); }
EXPORT R cuStreamBeginCapture_v2(Obj *s, int mode) { BEGIN(1); if (!ok(s, STREAM) || mode != 2) END(mark()); s->capturing = 1; s->cmd = 0; s->ncmd = 0; END(0); }
EXPORT R cuStreamEndCapture(Obj *s, Obj **g) {
	BEGIN(1);
	if (!ok(s, STREAM) || !s->capturing) END(901);
	s->capturing = 0;
	*g = make(GRAPH); (*g)->cmd = s->cmd; (*g)->ncmd = s->ncmd;
	END(0);
}
EXPORT R cuGraphInstantiateWithFlags(Obj **x, Obj *g, u64 f) { BEGIN(1); if (!ok(g, GRAPH) || f) END(400); *x = make(EXEC); (*x)->cmd = g->cmd; (*x)->ncmd = g->ncmd; END(0); }
EXPORT R cuGraphLaunch(Obj *x, Obj *s) { BEGIN(1); if (!ok(x, EXEC)) END(400); for (int i = 0; i < x->ncmd && !r; i++) r = submit(s, &x->cmd[i]); END(r); }
EXPORT R cuGraphDestroy(Obj *g) { BEGIN(1); END(drop(g, GRAPH)); }
EXPORT R cuGraphExecDestroy(Obj *x) { BEGIN(1); END(drop(x, EXEC)); }

// --- code
EXPORT R cuModuleLoadDataEx(Obj **m, const char *text, u32 n, const int *key, void **val) {
	BEGIN(1);
	const char *wrong = strstr(text, "undeclared_thing");
	if (wrong || !strstr(text, ".entry")) {
		for (u32 i = 0; i + 1 < n; i++)
			if (key[i] == 5 && key[i + 1] == 6) snprintf(val[i], (size_t)val[i + 1], "line 1: syntax error near '%.16s'", wrong ? wrong : text);
		END(218);
	}
	*m = make(MODULE);
	(*m)->text = strdup(text);
	(*m)->word = 0x0123456789abcdef;
	for (int i = 0; i < MAXALLOC; i++) if (!mem[i].live) { mem[i].p = (char *)&(*m)->word; mem[i].n = 8; mem[i].dev = current->dev; mem[i].host = 0; mem[i].live = 2; break; }
	END(0);
}
EXPORT R cuModuleUnload(Obj *m) { BEGIN(1); int i = find(&m->word); if (i >= 0) mem[i].live = 0; END(drop(m, MODULE)); }
EXPORT R cuModuleGetFunction(Obj **f, Obj *m, const char *name) {
	char want[96];
	BEGIN(1);
	if (!ok(m, MODULE)) END(400);
	snprintf(want, sizeof want, ".entry %s(", name);
	char *p = strstr(m->text, want), *end = p ? strchr(p, '{') : 0;
	if (!p) END(500);
	Obj *o = calloc(1, sizeof *o);
	o->kind = FUNC; o->live = 1; o->dev = m->dev; o->dynamic = 49152;
	snprintf(o->name, sizeof o->name, "%s", name);
	while ((p = strstr(p, ".param .u")) && p < end) o->width[o->argc++] = atoi(p += 9) / 8;
	*f = o;
	END(0);
}
EXPORT R cuModuleGetGlobal_v2(void **p, u64 *n, Obj *m, const char *name) { BEGIN(1); if (!ok(m, MODULE) || !strstr(m->text, name)) END(500); *p = &m->word; *n = 8; END(0); }
EXPORT R cuFuncGetAttribute(int *v, int a, Obj *f) { BEGIN(1); if (!ok(f, FUNC)) END(400); *v = a == 0 ? 1024 : a == 4 ? 24 : a == 8 ? (int)f->dynamic : 0; END(0); }
EXPORT R cuFuncSetAttribute(Obj *f, int a, int v) { BEGIN(1); if (!ok(f, FUNC)) END(400); if (a == 8) f->dynamic = v; END(a == 8 && v > 232448 ? 1 : 0); }
EXPORT R cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, Obj *f, int threads, size_t shared) {
	BEGIN(1);
	if (!ok(f, FUNC)) END(400);
	*n = 2048 / threads;
	if (shared && (int)(233472 / (shared + 1024)) < *n) *n = (int)(233472 / (shared + 1024));
	END(0);
}
static R launch(Obj *f, const u32 *dim, u32 shared, Obj *s, void **params, u32 coop, u32 cluster, u32 overlap) {
	if (!ok(f, FUNC)) return 400;
	if (shared > f->dynamic || dim[3] * dim[4] * dim[5] > 1024) return 1;
	for (int i = 0; i < 6; i++) if (!dim[i]) return mark();
	Cmd c = {.kind = 'k', .fn = f, .shared = shared};
	memcpy(c.dim, dim, sizeof c.dim);
	for (int i = 0; i < f->argc; i++) memcpy(&c.arg[i], params[i], f->width[i]);
	memcpy(last.grid, dim, 12); memcpy(last.block, dim + 3, 12); memcpy(last.arg, c.arg, sizeof c.arg);
	last.shared = shared; last.coop = coop; last.cluster = cluster; last.overlap = overlap; last.argc = f->argc;
	return submit(s, &c);
}
EXPORT R cuLaunchKernel(Obj *f, u32 gx, u32 gy, u32 gz, u32 bx, u32 by, u32 bz, u32 shared, Obj *s, void **params, void **extra) {
	BEGIN(1);
	u32 dim[6] = {gx, gy, gz, bx, by, bz};
	END(extra ? mark() : launch(f, dim, shared, s, params, 0, 0, 0));
}
typedef struct { int id; char pad[4]; union { char b[64]; u32 v[3]; } u; } Attr;
typedef struct { u32 dim[6], shared; Obj *stream; Attr *attrs; u32 n; } Config;
EXPORT R cuLaunchKernelEx(const Config *c, Obj *f, void **params, void **extra) {
	BEGIN(1);
	u32 coop = 0, cluster = 0, overlap = 0;
	for (u32 i = 0; i < c->n; i++) switch (c->attrs[i].id) {
	case 2: coop = c->attrs[i].u.v[0]; break;
	case 4: cluster = c->attrs[i].u.v[0]; if (c->attrs[i].u.v[1] != 1 || c->attrs[i].u.v[2] != 1 || c->dim[0] % cluster) END(1); break;
	case 6: overlap = c->attrs[i].u.v[0]; break;
	default: END(mark());
	}
	END(extra ? mark() : launch(f, c->dim, c->shared, c->stream, params, coop, cluster, overlap));
}
EXPORT R cuLaunchCooperativeKernel(Obj *f, u32 gx, u32 gy, u32 gz, u32 bx, u32 by, u32 bz, u32 shared, Obj *s, void **params) {
	BEGIN(1);
	u32 dim[6] = {gx, gy, gz, bx, by, bz};
	END(launch(f, dim, shared, s, params, 1, 0, 0));
}

// --- controls
EXPORT void fake_fail(const char *fn, int64_t k, R code) { pthread_mutex_lock(&mu); snprintf(fail_fn, sizeof fail_fn, "%s", fn); fail_k = k; fail_code = code; pthread_mutex_unlock(&mu); }
EXPORT int64_t fake_calls(const char *fn) { for (int i = 0; i < MAXFN; i++) if (counts[i].fn && !strcmp(counts[i].fn, fn)) return counts[i].calls; return 0; }
// fake_pending says whether a failure that was asked for has yet to happen.
EXPORT int64_t fake_pending(void) { return fail_k > 0; }
// fake_reset drops what lost contexts left; it returns the users of contexts.
EXPORT int64_t fake_reset(void) {
	for (int i = 0; i < MAXALLOC; i++) { if (mem[i].live == 1) free(mem[i].p); mem[i].live = 0; }
	int64_t users = ctxs[0].retained + ctxs[1].retained;
	memset(live, 0, sizeof live);
	memset(ctxs, 0, sizeof ctxs);
	return users;
}
EXPORT int64_t fake_get(const char *name) {
	int64_t n = 0;
	if (!strcmp(name, "bad")) return bad;
	if (!strcmp(name, "no_ctx")) return no_ctx;
	if (!strcmp(name, "memory")) { for (int i = 0; i < MAXALLOC; i++) n += mem[i].live == 1; return n; }
	if (!strcmp(name, "primary")) return ctxs[0].retained + ctxs[1].retained;
	if (!strcmp(name, "objects")) { for (int i = 0; i < KINDS; i++) n += live[i]; return n; }
	if (!strcmp(name, "shared")) return last.shared;
	if (!strcmp(name, "coop")) return last.coop;
	if (!strcmp(name, "cluster")) return last.cluster;
	if (!strcmp(name, "overlap")) return last.overlap;
	if (!strncmp(name, "grid", 4)) return last.grid[name[4] - '0'];
	if (!strncmp(name, "block", 5)) return last.block[name[5] - '0'];
	if (!strncmp(name, "arg", 3)) return (int64_t)last.arg[atoi(name + 3)];
	return -1;
}

// Package layers holds the table of who may import whom; its test enforces it.
// docs/ARCHITECTURE.md explains the layers.
package layers

// Rule lists what the packages at Path (and below it, unless a longer rule
// fits) may import of this module and of others. The standard library is
// always allowed. An entry of May that ends in "/..." covers what lies below.
type Rule struct {
	Path string   // relative to the module; "." is the root package
	May  []string // module-relative paths, or import paths of other modules
}

// Rules is the table, longest path first wins.
var Rules = []Rule{
	{"internal/key", nil},
	{"internal/key/schema", []string{"internal/key"}},
	{"internal/check/absent", nil},
	{"internal/check/layers", nil},
	{"internal/sys/cachedir", nil},
	{"cmd/internal/patient", nil},
	{"cmd/internal/room", []string{"cmd/internal/units", memlimit}},
	// Variants of kernels stand below code and table, since both must change at once.
	{"internal/kernel/variant", nil},
	{"internal/kernel/layout", []string{"internal/kernel/variant"}},
	{"internal/kernel/variant/varianttest", []string{"internal/kernel/layout", "internal/kernel/variant"}},
	{"internal/kernel", []string{"internal/key", "internal/kernel/layout", "internal/kernel/variant", zstd}},
	{"internal/kernel/kerneltest", []string{"internal/kernel/study", "internal/check/absent", "internal/key", "internal/plan", "internal/driver/...", "internal/kernel"}},

	{"internal/sys/dynlib", []string{purego}},
	{"internal/sys/numa", []string{xsys}},
	{"internal/driver", nil},
	{"internal/driver/cuda/cu", []string{"internal/sys/dynlib", purego, xsys}},
	{"internal/driver/cuda/nvml", []string{"internal/driver/cuda/cu"}},
	{"internal/driver/cuda/nvrtc", []string{"internal/sys/dynlib", purego}},
	{"internal/driver/cuda", []string{"internal/driver", "internal/driver/cuda/...", "internal/sys/numa"}},
	{"internal/driver/opencl/cl", []string{"internal/sys/dynlib", purego, xsys}},
	{"internal/driver/opencl", []string{"internal/sys/cachedir", "internal/driver", "internal/driver/opencl/..."}},
	{"internal/driver/fake", []string{"internal/driver", "internal/key"}},
	{"internal/driver/intercept", []string{"internal/driver"}},
	{"internal/driver/fault", []string{"internal/driver", "internal/driver/intercept"}},
	{"internal/driver/trace", []string{"internal/driver", "internal/driver/intercept"}},
	{"internal/driver/drivertest", []string{"internal/check/absent", "internal/driver"}},

	{"internal/tune", []string{"internal/key", "internal/driver", "internal/kernel/variant"}},
	{"internal/op", []string{"internal/key"}},
	{"internal/plan", []string{"internal/key", "internal/op", "internal/tune", "internal/kernel"}},
	{"internal/algo", append([]string{"internal/algo"}, planAndBelow...)},
	// What msd cannot sort well, it leaves to onesweep's steps.
	{"internal/algo/msd", append([]string{"internal/algo", "internal/algo/merge", "internal/algo/onesweep"}, planAndBelow...)},
	// A user can name the prefix sum inside.
	{"internal/algo/lsd", append([]string{"internal/algo", "internal/algo/scan"}, planAndBelow...)},
	{"internal/algo/radix4", append([]string{"internal/algo", "internal/algo/scan"}, planAndBelow...)},
	// Counting sorts contain a prefix sum and leave to radix sorts what cannot be
	// counted.
	{"internal/algo/counting", append([]string{"internal/algo", "internal/algo/scan", "internal/algo/onesweep", "internal/algo/lsd"}, planAndBelow...)},
	// On OpenCL segments are put in order by sorts of all keys.
	{"internal/algo/segments", append([]string{"internal/algo", "internal/algo/lsd"}, planAndBelow...)},
	{"internal/algo/cpu", []string{"internal/key", "internal/key/schema", "internal/op", "internal/algo/cpu/...", xsys}},
	{"internal/key/linekey", nil},
	{"internal/key/recordkey", []string{"internal/key", "internal/run"}},
	{"internal/key/by", []string{"internal/key", "internal/key/schema"}},
	{"internal/key/csvkey", []string{"internal/key/by", "internal/run"}},
	{"internal/key/jsonkey", []string{"internal/key/by", "internal/key/linekey"}},
	{"internal/run", []string{"internal/algo/cpu", "internal/key", "internal/key/schema", "internal/algo/cpu/bytekeys", "internal/algo/cpu/team", "internal/sys/extent", "internal/sys/mem", "internal/sys/steady", xsys}},
	{"internal/algo/cpu/team/teamtest", []string{"internal/key", "internal/algo/cpu/team", "internal/check/verify"}},

	{"internal/check/dist", []string{"internal/key"}},
	{"internal/check/verify", []string{"internal/key"}},
	// What the library links: sorts that it may choose by itself.
	{"internal/algo/catalog", below("internal/driver/...", "internal/algo", "internal/algo/cpu", "internal/algo/equalzeros", "internal/algo/small", "internal/algo/msd",
		"internal/algo/onesweep", "internal/algo/lsd", "internal/algo/gather", "internal/algo/search", "internal/algo/mergeruns", "internal/algo/segments", "internal/algo/strings",
		"internal/algo/groups", "internal/algo/least")},
	{"internal/algo/catalog/study", below("internal/algo/catalog", "internal/kernel/study", "internal/algo/...")},
	{"internal/kernel/study", []string{"internal/kernel"}},
	{"internal/sys/workers", nil},
	{"internal/sys/extent", []string{xsys}},
	{"internal/sys/hostcopy", []string{"internal/sys/workers", xsys}},
	{"internal/sys/mem", []string{"internal/driver"}},
	{"internal/sys/steady", nil},
	{"internal/exec/transfer", []string{"internal/driver", "internal/sys/hostcopy", "internal/sys/workers"}},
	// It executes plans and chooses none. A sort in halves is planned by merge.
	{"internal/exec/cut", nil},
	{"internal/exec", below("internal/exec/cut", "internal/exec/transfer", "internal/sys/mem", "internal/sys/hostcopy", "internal/sys/workers", "internal/algo", "internal/algo/merge", "internal/algo/ranges")},
	{"internal/engine/crossover", []string{"internal/kernel", "internal/key", "internal/op", "internal/plan", "internal/sys/cachedir"}},
	{"internal/engine", below("internal/exec", "internal/exec/transfer", "internal/sys/mem", "internal/sys/cachedir", "internal/sys/hostcopy", "internal/engine/crossover",
		"internal/algo", "internal/algo/catalog", "internal/algo/cpu", "internal/algo/cpu/simd")},
	{"cmd/lab/peer", []string{"internal/sys/dynlib", "internal/key", "internal/op", "internal/plan", "internal/driver", purego}},
	{"cmd/lab", below("cmd/lab/...", "internal/exec", "internal/exec/transfer", "internal/engine", "internal/engine/crossover", "internal/algo/catalog/...", "internal/algo/catalog", "internal/driver/...", "internal/algo/...",
		"internal/check/dist", "internal/check/verify", "cmd/lab/peer", "cmd/internal/lazy", "cmd/internal/room", "cmd/internal/units", "cpu", toml, benchmath, ximage, fpdf)},
	{"cmd/lab/grade", below("cmd/lab/...", "internal/exec", "internal/engine", "internal/algo/catalog", "internal/algo/catalog/study", "internal/check/dist", "internal/check/verify",
		"internal/algo", "cmd/lab/peer", "cmd/internal/lazy", "cmd/internal/patient", "cmd/internal/room", "cmd/internal/units", "internal/driver/cuda/nvrtc", toml, xsys)},
	{"internal/algo/cpu/values", []string{"internal/key", "internal/op"}},
	{"rows", []string{"internal/key/by", "internal/key/csvkey", "internal/key/jsonkey", "internal/key/linekey", "internal/key/recordkey", "internal/run"}},
	// What other modules see of tables, and the module that uses public packages alone.
	{"cmd/tables", []string{"cmd/internal/table", "internal/key/by", "internal/run", "rows"}},
	{"cmd/unpack", []string{"cmd/internal/packed"}},
	{"cluster", []string{"cluster/...", "cluster", "cmd/tables", "cmd/unpack", "rows", cobra, pflag, gocloud}},
	{"cluster/internal/store", []string{gocloud}},
	{"cluster/internal/store/cloud", []string{"cluster/internal/store", gocloud, awsS3}},
	// The processor's sorts alone: no device code, no purego.
	{"cpu", []string{"internal/algo/cpu", "internal/algo/cpu/few", "internal/algo/cpu/distinct", "internal/algo/cpu/merging", "internal/algo/cpu/search",
		"internal/algo/cpu/rows", "internal/algo/cpu/segments", "internal/algo/cpu/sets", "internal/algo/cpu/topk", "internal/op", "internal/key", "internal/key/schema", "internal/algo/cpu/values"}},
	{".", []string{"internal/algo/cpu", "internal/algo/cpu/few", "internal/algo/cpu/distinct", "internal/algo/cpu/merging", "internal/algo/cpu/search",
		"cpu", "internal/algo/cpu/rows", "internal/algo/cpu/segments", "internal/algo/cpu/sets", "internal/algo/cpu/topk", "internal/algo/catalog", "internal/key/schema", "internal/engine", "internal/driver", "internal/op", "internal/key", "internal/algo/cpu/values"}},
}

// The only modules that the library itself may use.
const (
	purego = "github.com/ebitengine/purego"
	xsys   = "golang.org/x/sys/..."
	zstd   = "github.com/klauspost/compress/zstd"
)

// What module cluster may use besides.
const (
	cobra   = "github.com/spf13/cobra"
	pflag   = "github.com/spf13/pflag"
	gocloud = "gocloud.dev/..."
	awsS3   = "github.com/aws/aws-sdk-go-v2/service/s3"
)

// What the lab may use besides.
const (
	toml      = "github.com/BurntSushi/toml"
	memlimit  = "github.com/KimMachineGun/automemlimit/memlimit"
	benchmath = "golang.org/x/perf/benchmath"
	ximage    = "golang.org/x/image/..."
	fpdf      = "codeberg.org/go-pdf/fpdf"
)

var planAndBelow = []string{"internal/plan", "internal/op", "internal/key", "internal/tune", "internal/kernel", "internal/kernel/layout", "internal/driver"}

func below(more ...string) []string { return append(more, planAndBelow...) }

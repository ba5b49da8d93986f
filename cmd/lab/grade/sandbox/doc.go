// Package sandbox starts a process that may reach nothing but what its Spec
// names, and says what of that this machine cannot do.
//
// The process begins as this program in namespaces of its own (user, mount,
// process, network, IPC and UTS names), in a session of its own without a
// terminal. Enter, called there first, builds a root of read-only system folders
// and an empty /tmp and /dev/shm, sets limits, gives up every capability and,
// where this process is root, the user id, and starts the program anew. Filter,
// called when drivers are open and before foreign code is loaded, forbids system
// calls. docs/grading-threats.md says what each layer is for.
package sandbox

// Spec says what a confined process gets.
type Spec struct {
	// Dir is an empty folder of the caller's. The new root is mounted on it; where
	// namespaces are denied it is the temporary folder instead.
	Dir string `json:"dir"`
	// Namespaces says that the process was started in namespaces of its own.
	Namespaces bool `json:"namespaces"`
	// OwnUser says that it changes to a user id that nothing else has.
	OwnUser bool `json:"own_user"`
	// Read are files and folders to show beside the system's, read-only.
	Read []string `json:"read,omitempty"`
	// GPU shows the devices of graphics cards.
	GPU bool `json:"gpu,omitempty"`
	// Room bounds /tmp and /dev/shm together, in bytes.
	Room uint64 `json:"room"`
	// Memory bounds private writable memory, in bytes; 0 does not. Addresses bounds
	// what is mapped at all: tables of pages cost memory too.
	Memory    uint64 `json:"memory,omitempty"`
	Addresses uint64 `json:"addresses,omitempty"`
	// Threads bounds processes and threads together; 0 does not.
	Threads uint64 `json:"threads,omitempty"`
	// Seconds of processor time, after which the kernel ends the process.
	Seconds uint64 `json:"seconds,omitempty"`
	// CPUs is how many processors it may use; 0 is all.
	CPUs int `json:"cpus,omitempty"`
	// Files is how many open files it is handed behind standard error. Others that
	// this process was started with are not passed on: a folder among them would lead
	// out of every root.
	Files int `json:"files,omitempty"`
}

// Temp is the temporary folder of the process.
func (s Spec) Temp() string {
	if s.Namespaces {
		return "/tmp"
	}
	return s.Dir
}

// Layers says what confines a process.
type Layers struct {
	Namespaces bool `json:"namespaces"`
	OwnUser    bool `json:"own_user"`
	Landlock   bool `json:"landlock"`
	Cgroup     bool `json:"cgroup"`
	Filter     bool `json:"filter"` // of system calls
	// Why says what namespaces were denied for, NoCgroup why there is no control group.
	Why      string `json:"why,omitempty"`
	NoCgroup string `json:"no_cgroup,omitempty"`
}

// Whole reports whether a stranger's code can be run: it sees no file, process
// or network but its own, and its system calls are filtered.
func (l Layers) Whole() bool { return l.Namespaces && l.Filter }

// Has and Lacks name the layers that are there and those that are not.
func (l Layers) Has() []string   { return l.names(true) }
func (l Layers) Lacks() []string { return l.names(false) }

func (l Layers) names(there bool) (out []string) {
	why := func(text string) string {
		if text == "" || there {
			return ""
		}
		return " (" + text + ")"
	}
	for _, x := range []struct {
		is   bool
		name string
	}{
		{l.Namespaces, "namespaces" + why(l.Why)}, {l.Filter, "system-call filter"}, {l.Landlock, "Landlock"},
		{l.OwnUser, "own user id"}, {l.Cgroup, "control group" + why(l.NoCgroup)},
	} {
		if x.is == there {
			out = append(out, x.name)
		}
	}
	return out
}

package sandbox

import (
	"encoding/json"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// specEnv carries the Spec to Enter.
const specEnv = "GPUSORT_SANDBOX"

// foreignUser is "nobody": a user id that owns no file.
const foreignUser = 65534

// namespaces are those that the process gets.
const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// Confine prepares c, which runs this program with a first call of Enter. The
// process ends when the caller's does.
func Confine(c *exec.Cmd, s Spec) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	c.Env = append(c.Env, specEnv+"="+string(text))
	a := &syscall.SysProcAttr{Setsid: true, Pdeathsig: unix.SIGKILL}
	if s.Namespaces {
		a.Cloneflags = namespaces
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
		if s.OwnUser {
			more := syscall.SysProcIDMap{ContainerID: 1, HostID: foreignUser, Size: 1}
			a.UidMappings, a.GidMappings = append(a.UidMappings, more), append(a.GidMappings, more)
			a.GidMappingsEnableSetgroups = true
		}
	}
	c.SysProcAttr = a
	return nil
}

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// cluster is a Slurm of two nodes on this machine, with a configuration of its own.
type cluster struct {
	env     []string // of those who use it
	daemons []*exec.Cmd
}

// The file of a GPU that is none lets Slurm give one out, which scanmap then does not find.
const slurmConfiguration = `ClusterName=scanmap
SlurmctldHost=%[1]s(127.0.0.1)
SlurmctldPort=%[4]d
AuthType=auth/munge
AuthInfo=socket=%[2]s/munge.socket
CredType=cred/munge
SlurmUser=%[3]s
SlurmdUser=%[3]s
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool-%%n
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/slurmd-%%n.pid
SlurmctldLogFile=%[2]s/slurmctld.log
SlurmdLogFile=%[2]s/slurmd-%%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
KillWait=5
MinJobAge=600
GresTypes=gpu
NodeName=n1 NodeHostname=%[1]s NodeAddr=127.0.0.1 Port=%[5]d CPUs=2 RealMemory=4000 Gres=gpu:1
NodeName=n2 NodeHostname=%[1]s NodeAddr=127.0.0.1 Port=%[6]d CPUs=2 RealMemory=4000 Gres=gpu:1
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`

// startCluster starts munge and Slurm and waits until both nodes are idle; it is nil where they are
// not installed. Programs that its jobs need come into the folder of binaries.
func startCluster(ctx context.Context, folder, binaries string) (*cluster, error) {
	if err := os.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin:/sbin"); err != nil {
		return nil, err
	}
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch"} {
		if _, err := exec.LookPath(name); err != nil {
			fmt.Printf("SKIPPED: Slurm, as %s is not installed\n", name)
			return nil, nil // no cluster, and no fault
		}
	}
	if err := configure(folder, binaries); err != nil {
		return nil, err
	}
	configuration := filepath.Join(folder, "slurm.conf")
	c := &cluster{env: []string{"SLURM_CONF=" + configuration}}
	munge := filepath.Join(folder, "munge")
	for _, args := range [][]string{
		{"munged", "--foreground", "--force", "--socket=" + munge + ".socket", "--key-file=" + munge + ".key", "--log-file=" + munge + ".log",
			"--pid-file=" + munge + ".pid", "--seed-file=" + munge + ".seed"},
		{"slurmctld", "-D", "-f", configuration},
		{"slurmd", "-D", "-f", configuration, "-N", "n1"},
		{"slurmd", "-D", "-f", configuration, "-N", "n2"},
	} {
		cmd := exec.Command(args[0], args[1:]...)
		if err := cmd.Start(); err != nil {
			c.stop()
			return nil, err
		}
		c.daemons = append(c.daemons, cmd)
		if args[0] == "munged" {
			waitFor(ctx, func() bool { return present(munge + ".socket") })
		}
	}
	if !waitFor(ctx, func() bool {
		text, err := c.command(ctx, "sinfo", "-h", "-N", "-o", "%N %T").Output()
		return err == nil && string(text) == "n1 idle\nn2 idle\n"
	}) {
		text, _ := os.ReadFile(filepath.Join(folder, "slurmctld.log"))
		c.stop()
		return nil, fmt.Errorf("the nodes of Slurm do not become idle:\n%s", text)
	}
	fmt.Println("ok  Slurm of two nodes is up")
	return c, nil
}

// configure writes what the daemons read, and an srun that knows it.
func configure(folder, binaries string) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	host, _, _ = strings.Cut(host, ".")
	me, err := user.Current()
	if err != nil {
		return err
	}
	key := make([]byte, 1024)
	_, _ = rand.Read(key) // cannot fail
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	srun, err := exec.LookPath("srun")
	if err != nil {
		return err
	}
	configuration := filepath.Join(folder, "slurm.conf")
	files := map[string]struct {
		text string
		mode os.FileMode
	}{
		"munge.key":  {string(key), 0o400},
		"slurm.conf": {fmt.Sprintf(slurmConfiguration, host, folder, me.Username, ports[0], ports[1], ports[2]), 0o644},
		"gres.conf":  {"NodeName=n[1-2] Name=gpu File=/dev/zero\n", 0o644},
	}
	if err := os.MkdirAll(filepath.Join(folder, "state"), 0o755); err != nil {
		return err
	}
	// Snakemake's jobs lose SLURM_CONF before they call srun.
	shim := fmt.Appendf(nil, "#!/bin/sh\nSLURM_CONF=%s exec %s \"$@\"\n", configuration, srun)
	if err := os.WriteFile(filepath.Join(binaries, "srun"), shim, 0o755); err != nil {
		return err
	}
	for name, file := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(file.text), file.mode); err != nil {
			return err
		}
	}
	return nil
}

// freePorts are ports that nothing listens on now.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }()
		address, ok := l.Addr().(*net.TCPAddr)
		if !ok {
			return nil, errors.New("a listener of TCP has no port")
		}
		ports = append(ports, address.Port)
	}
	return ports, nil
}

// waitFor waits up to half a minute.
func waitFor(ctx context.Context, ready func() bool) bool {
	for range 300 {
		if ready() {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(100 * time.Millisecond):
		}
	}
	return false
}

// command is a program that talks to the cluster.
func (c *cluster) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), c.env...)
	return cmd
}

// stop cancels what still runs and ends the daemons, the last that was started first.
func (c *cluster) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	_ = c.command(ctx, "scancel", "--full", "--state=RUNNING,PENDING", "--quiet").Run() // best effort
	for i := len(c.daemons) - 1; i >= 0; i-- {
		d := c.daemons[i]
		_ = d.Process.Signal(syscall.SIGTERM) // it may have ended
		ended := make(chan struct{})
		go func() { _ = d.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			_ = d.Process.Kill()
		}
	}
}

package e2e

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// installed is a path among the installed servers.
func installed(t *testing.T, name, what string) string {
	t.Helper()
	root := os.Getenv("AGENTX_SERVERS")
	if root == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			t.Fatal(err)
		}
		root = filepath.Join(home, ".cache", "agentx-servers")
	}
	at := filepath.Join(root, name)
	if _, err := os.Stat(at); err != nil {
		t.Skipf("%s is not installed (no %s): servers.sh install %s", what, at, what)
	}
	return at
}

// start starts one of the servers of servers.sh and stops it after the test. It gives the URL.
func start(t *testing.T, environment []string, kind string, arguments ...string) string {
	t.Helper()
	script := shared(t, "servers/servers.sh")
	port := strconv.Itoa(freePort(t))
	command := exec.Command(script, append([]string{"start", kind, port}, arguments...)...)
	command.Env = append(os.Environ(), environment...)
	output, err := command.CombinedOutput()
	t.Cleanup(func() {
		if output, err := exec.Command(script, "stop", port).CombinedOutput(); err != nil {
			t.Logf("stopping %s: %v %s", kind, err, output)
		}
	})
	if err != nil {
		t.Fatalf("servers.sh start %s: %v\n%s", kind, err, output)
	}
	return "http://127.0.0.1:" + port
}

// freePort is a port that nobody listens on, with another one a thousand above it, which routers use for
// their metrics.
func freePort(t *testing.T) int {
	t.Helper()
	for range 100 {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := listener.Addr().(*net.TCPAddr).Port
		second, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port+1000))
		_ = listener.Close()
		if err == nil {
			_ = second.Close()
			return port
		}
	}
	t.Fatal("no free port")
	return 0
}

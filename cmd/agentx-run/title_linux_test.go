package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentx/internal/mockserver"
)

// TestNoSecretInTheProcessTitle: other users of the machine see command lines.
func TestNoSecretInTheProcessTitle(t *testing.T) {
	server, err := mockserver.Start(mockserver.Options{Faults: mockserver.Faults{Rules: []mockserver.Rule{{Fault: "stall_before_head"}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	program := filepath.Join(t.TempDir(), "agentx-run")
	if output, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	address := strings.Replace(server.URL(), "://", "://user:pa55w0rd@", 1)
	common := []string{"--model", "m", "--url", address, "--api-key", "sk-TEST-0123456789", "-H", "X-Token: topsecret-42"}
	for name, arguments := range map[string][]string{
		"run":   append([]string{"--bundle", sample(t), "--burst-phase-starts", "--no-server-metrics", "--artifact-dir", filepath.Join(t.TempDir(), "run")}, common...),
		"probe": append([]string{"probe"}, common...),
	} {
		command := exec.Command(program, arguments...)
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		for range 1000 { // until a request is there: by then the line has been read
			if server.Stats().InFlight > 0 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		title, err := os.ReadFile("/proc/" + strconv.Itoa(command.Process.Pid) + "/cmdline")
		_ = command.Process.Kill()
		_ = command.Wait()
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"sk-TEST-0123456789", "topsecret-42", "pa55w0rd"} {
			if strings.Contains(string(title), secret) {
				t.Errorf("%s: %s is in the title %q", name, secret, title)
			}
		}
		if !strings.Contains(string(title), "--model\x00m\x00") {
			t.Errorf("%s: the rest of the title is gone: %q", name, title)
		}
		for range 1000 {
			if server.Stats().InFlight == 0 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

package eventlog

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// readOnReadOnlyMedia mounts dir read-only over itself in a mount namespace of a child and reads there.
func readOnReadOnlyMedia(t *testing.T, dir, path, temp string) string {
	t.Helper()
	script := `mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && exec "$2"`
	output, err := runInMountNamespace("env", childRead+"="+path, "TMPDIR="+temp, "sh", "-c", script, "sh", dir, os.Args[0])
	if err != nil && !strings.Contains(output, "error ") {
		t.Skipf("no read-only mount to be had here: %v: %s", err, output)
	}
	return output
}

// runInMountNamespace runs a command that may mount without the rest of the machine seeing it.
func runInMountNamespace(name string, args ...string) (output string, err error) {
	command := exec.Command(name, args...)
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		command.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		command.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
	}
	combined, err := command.CombinedOutput()
	return string(combined), err
}

func TestAFinishedLogOpensFromReadOnlyMedia(t *testing.T) {
	path := sampleLog(t, sample{events: 40, group: 10}, Options{})
	got := readOnReadOnlyMedia(t, filepath.Dir(path), path, t.TempDir())
	if want := "events 44 damages [] notes []\n"; got != want {
		t.Errorf("read %q, want %q", got, want)
	}
}

func TestALogInWALModeOnReadOnlyMediaIsCopiedFirst(t *testing.T) {
	w := newLog(t, Options{})
	sample{events: 40, group: 10, open: true}.write(t, w)
	dir := t.TempDir()
	s := takeSnapshot(t, w)
	path := damagedCopy(t, dir, s.database, s.wal)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	got := readOnReadOnlyMedia(t, dir, path, temp)
	if !strings.HasPrefix(got, "events 42 damages [] notes [") || !strings.Contains(got, "reading a temporary copy in") {
		t.Errorf("read %q", got)
	}
	if left, err := filepath.Glob(filepath.Join(temp, "*")); err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

// A file system that is really full: the child writes there until it fails, then a second one reads.
func TestAFullFileSystemStopsInOrder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "run.db")
	script := `mount -t tmpfs -o size=600k none "$1" || { echo no mount; exit 3; }
` + childLog + `="$2" "$3"; ` + childRead + `="$2" "$3"`
	output, err := runInMountNamespace("sh", "-c", script, "sh", dir, path, os.Args[0])
	if err != nil && strings.Contains(output, "no mount") {
		t.Skipf("no small file system to be had here: %v: %s", err, output)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	lines := strings.Split(strings.TrimSpace(output), "\n")
	problem, reading := lines[len(lines)-2], lines[len(lines)-1]
	var acked, valid Seq
	for _, line := range lines {
		if strings.HasPrefix(line, "acked ") {
			_, err = fmt.Sscanf(line, "acked %d", &acked)
		}
	}
	if _, scanErr := fmt.Sscanf(reading, "events %d damages []", &valid); err != nil || scanErr != nil {
		t.Fatalf("the reader said %q (%v, %v)", reading, err, scanErr)
	}
	if acked == 0 || valid < acked {
		t.Errorf("%d events were acknowledged, %d are there", acked, valid)
	}
	if !strings.HasPrefix(problem, "error ") || !strings.Contains(problem, "full") || !strings.Contains(problem, "are safe on disk") {
		t.Errorf("the writer said %q", problem)
	}
	t.Logf("%s\n%s", problem, reading)
}

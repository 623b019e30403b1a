package eventlog

import (
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
	command := exec.Command("sh", "-c", script, "sh", dir, os.Args[0])
	command.Env = append(os.Environ(), childRead+"="+path, "TMPDIR="+temp)
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		command.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		command.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
	}
	output, err := command.CombinedOutput()
	if err != nil && !strings.Contains(string(output), "error ") {
		t.Skipf("no read-only mount to be had here: %v: %s", err, output)
	}
	return string(output)
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

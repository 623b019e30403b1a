package clidoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// shop is what the tests of this package share: the three programs, and a bundle of the sample corpus.
var shop struct {
	once sync.Once
	dir  string
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shop.dir != "" {
		_ = os.RemoveAll(shop.dir)
	}
	os.Exit(code)
}

var programs = []string{"agentx-prep", "agentx-run", "agentx-analyze"}

// built is the folder with the programs and sample.agentx.
func built(t *testing.T) string {
	t.Helper()
	shop.once.Do(func() { shop.dir, shop.err = build() })
	if shop.err != nil {
		t.Fatal(shop.err)
	}
	return shop.dir
}

func build() (string, error) {
	dir, err := os.MkdirTemp("", "agentx-programs-")
	if err != nil {
		return "", err
	}
	for _, program := range programs {
		if output, err := exec.Command("go", "build", "-o", filepath.Join(dir, program), "agentx/cmd/"+program).CombinedOutput(); err != nil {
			return dir, fmt.Errorf("building %s: %w\n%s", program, err, output)
		}
	}
	make := exec.Command(filepath.Join(dir, "agentx-prep"), "build", "--input-file", "../../testdata/corpus", "--no-cache", "-o", filepath.Join(dir, "sample.agentx"))
	if output, err := make.CombinedOutput(); err != nil {
		return dir, fmt.Errorf("building the sample bundle: %w\n%s", err, output)
	}
	return dir, nil
}

// room is a folder of its own in which programs run, as users call them.
type room struct {
	t       *testing.T
	dir     string
	printed *bytes.Buffer
	env     []string
}

func newRoom(t *testing.T) *room {
	dir := t.TempDir()
	return &room{t: t, dir: dir, printed: &bytes.Buffer{}, env: []string{"HOME=" + dir, "XDG_CACHE_HOME=" + filepath.Join(dir, "cache"), "HF_HUB_OFFLINE=1"}}
}

// runUntil runs a command line until the program has printed something, and interrupts it.
func (r *room) runUntil(text, line string) {
	r.t.Helper()
	program := r.command(line)
	var output lockedBuffer
	program.Stdout, program.Stderr = &output, &output
	if err := program.Start(); err != nil {
		r.t.Fatal(err)
	}
	for range 800 {
		if strings.Contains(output.String(), text) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = program.Process.Signal(os.Interrupt)
	_ = program.Wait() // its exit code says that it was interrupted
	r.printed.WriteString(output.String())
}

// lockedBuffer is read while a program writes it.
type lockedBuffer struct {
	mutex sync.Mutex
	text  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.text.String()
}

// run runs a command line and gives the exit code; what the program printed is kept.
func (r *room) run(line string) int {
	r.t.Helper()
	program := r.command(line)
	program.Stdout, program.Stderr = r.printed, r.printed
	err := program.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		r.t.Fatal(err)
	}
	return program.ProcessState.ExitCode()
}

// command is a program with its arguments; words that begin with @ are files of the shop.
func (r *room) command(line string) *exec.Cmd {
	r.t.Helper()
	words := strings.Fields(line)
	for i, word := range words {
		if name, shared := strings.CutPrefix(word, "@"); shared {
			words[i] = filepath.Join(built(r.t), name)
		}
	}
	program := exec.Command(filepath.Join(built(r.t), words[0]), words[1:]...)
	program.Dir, program.Env = r.dir, append(os.Environ(), r.env...)
	return program
}

// file writes a file of the room.
func (r *room) file(name, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// read is a file of the room.
func (r *room) read(name string) string {
	r.t.Helper()
	text, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

// copy copies a file of the shop or the room, changed.
func (r *room) copy(from, to string, change func([]byte) []byte) {
	r.t.Helper()
	if name, shared := strings.CutPrefix(from, "@"); shared {
		from = filepath.Join(built(r.t), name)
	} else {
		from = filepath.Join(r.dir, from)
	}
	text, err := os.ReadFile(from)
	if err != nil {
		r.t.Fatal(err)
	}
	r.file(to, string(change(text)))
}

// serve starts a mock server for the rest of the test and gives its address.
func (r *room) serve(flags ...string) string {
	r.t.Helper()
	address := filepath.Join(r.dir, fmt.Sprintf("address%d", time.Now().UnixNano()))
	server := exec.Command(filepath.Join(built(r.t), "agentx-run"), append([]string{"mock-server", "--port", "0", "--quiet", "--token-ms", "1", "--address-file", address}, flags...)...)
	server.Dir = r.dir
	input, err := server.StdinPipe() // kept open while the test runs
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { stop(server, input) })
	for range 400 {
		if text, err := os.ReadFile(address); err == nil && bytes.HasSuffix(text, []byte("\n")) {
			return strings.TrimSpace(string(text))
		}
		time.Sleep(10 * time.Millisecond)
	}
	r.t.Fatal("the mock server does not begin to listen")
	return ""
}

func stop(server *exec.Cmd, input io.Closer) {
	_ = server.Process.Signal(os.Interrupt)
	_ = server.Wait()
	_ = input.Close()
}

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"agentx/internal/benchhost"
)

// plain is what the plain client of the shared folder prints of a run: times to the first byte in ms.
type plain struct {
	TTFT struct{ N, P50, P99 float64 } `json:"ttft_ms"`
	RPS  float64                       `json:"rps"`

	cpu   float64 // seconds
	cores float64 // see follow
}

// buildPlain builds the plain client and its server, where their sources are.
func (s *suite) buildPlain() error {
	for name, into := range map[string]*string{"probe": &s.probe, "mock": &s.mock} {
		source := filepath.Join(s.shared, "bench", name)
		if _, err := os.Stat(source); err != nil {
			continue
		}
		program := filepath.Join(s.work, name)
		command := exec.Command("go", "build", "-o", program, ".")
		command.Dir = source
		command.Env = append(os.Environ(), "GOWORK=off")
		if output, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w\n%s", source, err, output)
		}
		*into = program
	}
	if s.probe == "" {
		fmt.Printf("no plain client beside it: %s is not there (-shared, AGENTX_SHARED)\n", filepath.Join(s.shared, "bench", "probe"))
	}
	return nil
}

// ask runs the plain client in a closed loop.
func (s *suite) ask(url string, lanes, bodyBytes, seconds int) (*plain, error) {
	command := exec.Command(s.probe, "-url", url, "-n", strconv.Itoa(lanes), "-every", "0", "-dur", strconv.Itoa(seconds)+"s", "-size", strconv.Itoa(bodyBytes))
	var output bytes.Buffer
	command.Stdout = &output
	cores, err := follow(command, seconds)
	if err != nil {
		return nil, fmt.Errorf("plain client: %w", err)
	}
	p := plain{cores: cores}
	if err := json.Unmarshal(output.Bytes(), &p); err != nil {
		return nil, fmt.Errorf("plain client: %w", err)
	}
	p.cpu = benchhost.CPUSeconds(command.ProcessState)
	if p.TTFT.N == 0 {
		return nil, errors.New("the plain client had no answer")
	}
	return &p, nil
}

// askBuiltIn runs the plain client against the built-in server.
func (s *suite) askBuiltIn(l *setup, bodyBytes int) (*plain, error) {
	dir, err := os.MkdirTemp(s.work, "plain-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	server, url, err := s.serve(dir, l)
	if err != nil {
		return nil, err
	}
	p, err := s.ask(url, l.lanes, bodyBytes, l.seconds)
	_, stopped := stopServer(server)
	return p, errors.Join(err, stopped)
}

// servePlain starts the plain client's own server: it answers 50 ms after the body was read.
func (s *suite) servePlain() (*exec.Cmd, string, error) {
	port, err := freePort()
	if err != nil {
		return nil, "", err
	}
	address := "127.0.0.1:" + strconv.Itoa(port)
	server := exec.Command(s.mock, "-addr", address, "-ttft", "50ms", "-tokens", "16")
	if err := server.Start(); err != nil {
		return nil, "", err
	}
	time.Sleep(300 * time.Millisecond)
	return server, "http://" + address, nil
}

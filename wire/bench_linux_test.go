package wire

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// bareServerEnv makes the test binary a bare server in a process of its own, so that its work does not
// count as the client's.
const bareServerEnv = "WIRE_BARE_SERVER"

func TestMain(m *testing.M) {
	if how, is := os.LookupEnv(bareServerEnv); is {
		bareServer(how)
		return
	}
	os.Exit(m.Run())
}

// bareServer answers each request, after a delay, with 20 events in one write; "stamps DELAY" with one
// event that holds the server's own times.
func bareServer(how string) {
	delay, stamps := strings.CutPrefix(how, "stamps ")
	wait, _ := time.ParseDuration(delay)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(listener.Addr())
	answer := []byte(sseHead + httpChunk(roleDelta+strings.Repeat(contentA, 16)+stopDelta+usageTail+doneEvent) + lastChunk)
	go func() { io.Copy(io.Discard, os.Stdin); os.Exit(0) }() // ends with its parent
	for {
		c, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			in := bufio.NewReaderSize(c, 64<<10)
			for {
				length := 0
				for {
					line, err := in.ReadSlice('\n')
					if err != nil {
						return
					}
					if value, found := bytes.CutPrefix(line, []byte("Content-Length: ")); found {
						length, _ = strconv.Atoi(string(bytes.TrimSpace(value)))
					}
					if len(line) == 2 {
						break
					}
				}
				in.Discard(length)
				read := systemClock()
				if wait > 0 {
					time.Sleep(wait)
				}
				if stamps {
					stampedAnswer(c, read)
				} else {
					c.Write(answer)
				}
			}
		}()
	}
}

// startBareServer starts it and gives its URL.
func startBareServer(b *testing.B, how string) string {
	b.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), bareServerEnv+"="+how)
	stdin, err := command.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { stdin.Close(); command.Wait() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return "http://" + strings.TrimSpace(line)
}

// cpuTime is the processor time of this process so far.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// benchFiller is the text that prompts are cut from, in pieces of 270 bytes.
func benchFiller() []byte { return bytes.Repeat([]byte("some words of filler text, "), 160000) }

// benchRequest is a request whose body has about the given size, made of pieces as a bundle gives them.
func benchRequest(filler []byte, size, lane int) *Request {
	const piece, perMessage = 270, 8
	r := chatRequest()
	r.Body.Messages = nil
	for at := 0; size > 0; {
		var content Pieces
		for range perMessage {
			n := min(piece, size)
			from := (lane*7919 + at*piece) % (len(filler) - piece)
			content = append(content, filler[from:from+n])
			size -= n
			at++
			if size == 0 {
				break
			}
		}
		r.Body.Messages = append(r.Body.Messages, Message{Role: "user", Content: content})
	}
	return r
}

// BenchmarkExchange measures whole exchanges, closed loop, against a bare server in another process:
// wall time and the client's processor time per request, at several lanes and body sizes.
func BenchmarkExchange(b *testing.B) {
	filler := benchFiller()
	for _, size := range []int{1 << 10, 40 << 10, 265 << 10, 4 << 20} {
		for _, lanes := range []int{1, 8} {
			for _, digest := range []string{"none", "whole", "kept"} {
				if digest == "none" && size > 1<<10 && lanes == 1 {
					continue
				}
				b.Run(fmt.Sprintf("%dkB/lanes=%d/digest=%s", size>>10, lanes, digest), func(b *testing.B) {
					client := newClient(b, Options{}, startBareServer(b, "0s"))
					runLanes(b, client, lanes, func(lane int) *Request {
						r := benchRequest(filler, size, lane)
						if digest != "none" {
							r.StreamBody = new(StreamBody)
						}
						if digest == "kept" {
							r.Body.KeptMessages = len(r.Body.Messages) * 95 / 100
						}
						return r
					})
					b.SetBytes(int64(size))
				})
			}
		}
	}
}

// runLanes makes b.N requests on some lanes and reports processor time per request.
func runLanes(b *testing.B, client *Client, lanes int, make func(lane int) *Request) {
	b.Helper()
	var left atomic.Int64
	var wait sync.WaitGroup
	requests := []*Request{}
	for lane := range lanes {
		requests = append(requests, make(lane))
		client.Do(context.Background(), requests[lane])
	}
	left.Store(int64(b.N))
	b.ReportAllocs()
	b.ResetTimer()
	before := cpuTime()
	for lane := range lanes {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for left.Add(-1) >= 0 {
				if r := client.Do(context.Background(), requests[lane]); r.Outcome != OutcomeOK {
					b.Error(describeResult(&r))
					return
				}
			}
		}()
	}
	wait.Wait()
	b.StopTimer()
	b.ReportMetric(float64((cpuTime()-before).Microseconds())/float64(b.N), "cpu-us/req")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
}

package http2faults

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// start runs a server for a test and checks that nothing is left of it.
func start(t *testing.T, options Options) *Server {
	t.Helper()
	before := runtime.NumGoroutine()
	s, err := Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		for range 200 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
	})
	return s
}

// rows are the frames of each behaviour, written down by hand: H HEADERS, D DATA, C CONTINUATION,
// R RST_STREAM with its code, G GOAWAY with last stream and code, P PING, S SETTINGS after the first,
// W WINDOW_UPDATE after the body, U PUSH_PROMISE, ? others; e where the frame ends the stream, *n where
// it comes n times or more. Then how it goes on: eof, reset, open.
var rows = map[string]string{
	"good":                "H D*4e open",
	"trailers":            "H D*4 He open",
	"interim_heads":       "H*3 D*4e open",
	"padding":             "H D*3e open",
	"continuation":        "H C*n D*3e open",
	"unknown_frames":      "? H D*2 ? D*2e open",
	"single_bytes":        "H D*ne open",
	"ping_mid_stream":     "H D*2 P D*2e open",
	"settings_mid_stream": "H D*2 S D*2e open",
	"ping_flood":          "P*n H D*4e open",
	"small_windows":       "H D*4e open",
	"answer_before_body":  "H D*4e R0 open",
	"goaway_then_answer":  "H G1/0 D*4e eof",

	"status_503":               "H De open",
	"early_413":                "H De R0 open",
	"overflow_400":             "H De open",
	"in_stream_error":          "H D*3e open",
	"empty_answer":             "He open",
	"half_answer":              "H D*2e open",
	"refused_stream":           "R7 open",
	"rst_before_head":          "R2 open",
	"rst_mid_stream":           "H D*2 R2 open",
	"rst_cancel_mid_stream":    "H D*2 R8 open",
	"goaway_before_head":       "G0/0 eof",
	"goaway_mid_stream":        "H D*2 G1/2 eof",
	"goaway_enhance_your_calm": "G1/11 eof",
	"close_before_head":        "eof",
	"close_mid_stream":         "H D*2 eof",
	"reset_mid_stream":         "H D*2 reset",
	"close_mid_frame":          "H D*2 cut eof",
	"stall_before_head":        "open",
	"stall_mid_stream":         "H D*2 open",
	"window_never_opens":       "open",

	"not_http2":           "junk eof",
	"no_status":           "H eof",
	"odd_status":          "H eof",
	"data_before_head":    "De eof",
	"bad_header_block":    "H eof",
	"uppercase_header":    "H D*3e eof",
	"frame_too_large":     "H D20000 eof",
	"data_on_stream_0":    "H D*3 eof",
	"data_on_idle_stream": "H D*3 eof",
	"bad_settings_length": "H D*2 S eof",
	"bad_padding":         "H D*3 eof",
	"window_overflow":     "H D*2 W*2 eof",
	"window_update_0":     "H D*2 W eof",
	"push":                "H D*2 U eof",
	"headers_interrupted": "H D eof",
	"headers_without_end": "H C*n eof",
	"beyond_the_window":   "H D*n eof",
}

// TestBehavioursAreOnTheWireAsOrdered plays every behaviour to a client that reads frames by hand.
func TestBehavioursAreOnTheWireAsOrdered(t *testing.T) {
	var clients sync.WaitGroup
	for _, behaviour := range Behaviours() {
		want, known := rows[behaviour.Name]
		if !known {
			t.Errorf("behaviour %s has no row", behaviour.Name)
			continue
		}
		s := start(t, Options{Behaviour: behaviour.Name})
		if behaviour.Name == "headers_without_end" || behaviour.Name == "beyond_the_window" {
			clients.Wait() // these take all of the processor
		}
		clients.Go(func() {
			got, err := talk(s)
			if err != nil {
				t.Errorf("%s: %v", behaviour.Name, err)
			}
			if got != want {
				t.Errorf("%s: frames %q; expected %q", behaviour.Name, got, want)
			}
			if s.Violations() != 0 {
				t.Errorf("%s: %d violations by the client", behaviour.Name, s.Violations())
			}
		})
	}
	clients.Wait()
}

// talk sends one request with a body of 40 bytes and writes down the frames that come back.
func talk(s *Server) (string, error) {
	conn, err := net.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		return "", err
	}
	defer conn.Close()
	var out bytes.Buffer
	out.WriteString(http2.ClientPreface)
	framer := http2.NewFramer(&out, nil)
	_ = framer.WriteSettings() // into a buffer
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, field := range [][2]string{{":method", "POST"}, {":scheme", "http"}, {":authority", "x"}, {":path", "/v1/chat/completions"}} {
		_ = encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]})
	}
	_ = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndHeaders: true})
	withBody := s.options.Behaviour != "window_never_opens"
	if withBody {
		_ = framer.WriteData(1, true, bytes.Repeat([]byte(" "), 40))
	}
	if _, err := conn.Write(out.Bytes()); err != nil {
		return "", err
	}
	return watch(conn, rows[s.options.Behaviour])
}

// patience is how long the tests wait for what must come; it is never waited out when all is well.
const patience = 30 * time.Second

// watch reads frames and answers settings and pings, until the connection ends, or is silent once the
// frames that the row wants are there.
func watch(conn net.Conn, want string) (string, error) {
	var list []string
	settings := 0
	var broken error
	for began := time.Now(); ; {
		var head [9]byte
		_ = conn.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
		n, err := io.ReadFull(conn, head[:])
		if err != nil && ending(err) == "open" && n == 0 && summary(append(list, "open")) != want && time.Since(began) < patience {
			continue
		}
		_ = conn.SetReadDeadline(time.Now().Add(patience))
		if err != nil && ending(err) == "open" && n > 0 {
			_, err = io.ReadFull(conn, head[n:])
		}
		if err != nil {
			if errors.Is(broken, syscall.ECONNRESET) {
				err = broken
			}
			if n > 0 {
				list = append(list, "cut")
			}
			return summary(append(list, ending(err))), nil
		}
		if string(head[:5]) == "HTTP/" {
			_, err := io.Copy(io.Discard, conn)
			return "junk " + ending(errors.Join(err, io.EOF)), nil
		}
		length := int(head[0])<<16 | int(head[1])<<8 | int(head[2])
		payload := make([]byte, length)
		if _, err := io.ReadFull(conn, payload); err != nil {
			return summary(append(list, "cut", ending(err))), nil
		}
		framer := http2.NewFramer(conn, nil)
		kind, flags := http2.FrameType(head[3]), http2.Flags(head[4])
		switch {
		case kind == http2.FrameSettings && flags.Has(http2.FlagSettingsAck):
			continue
		case kind == http2.FrameSettings && length%6 == 0:
			settings++
			if err := framer.WriteSettingsAck(); err != nil {
				broken = err // a reset that a write has told is not told again by a read
			}
			if settings == 1 {
				continue
			}
		case kind == http2.FramePing && !flags.Has(http2.FlagPingAck):
			_ = framer.WritePing(true, [8]byte(payload))
		case kind == http2.FrameWindowUpdate && length == 4 && binary.BigEndian.Uint32(payload) == 40:
			continue // for the body
		}
		list = append(list, letter(kind, flags, payload))
	}
}

func letter(kind http2.FrameType, flags http2.Flags, payload []byte) string {
	name := map[http2.FrameType]string{
		http2.FrameHeaders: "H", http2.FrameData: "D", http2.FrameContinuation: "C", http2.FramePing: "P",
		http2.FrameSettings: "S", http2.FrameWindowUpdate: "W", http2.FramePushPromise: "U",
	}[kind]
	switch {
	case kind == http2.FrameRSTStream:
		return fmt.Sprintf("R%d", binary.BigEndian.Uint32(payload))
	case kind == http2.FrameGoAway:
		return fmt.Sprintf("G%d/%d", binary.BigEndian.Uint32(payload), binary.BigEndian.Uint32(payload[4:]))
	case kind == http2.FrameData && len(payload) > 16384:
		return fmt.Sprintf("D%d", len(payload))
	case name == "":
		return "?"
	case (kind == http2.FrameHeaders || kind == http2.FrameData) && flags.Has(http2.FlagDataEndStream):
		return name + "e"
	}
	return name
}

func ending(err error) string {
	var timeout net.Error
	switch {
	case errors.Is(err, syscall.ECONNRESET):
		return "reset"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "open"
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return "eof"
	}
	return err.Error()
}

// summary joins runs: D D De is D*3e; runs of more than ten are *n.
func summary(list []string) string {
	var out []string
	for i := 0; i < len(list); {
		plain := strings.TrimSuffix(list[i], "e")
		n := 1
		for len(plain) == 1 && i+n < len(list) && list[i+n-1] == plain && strings.TrimSuffix(list[i+n], "e") == plain {
			n++
		}
		text, last := list[i], list[i+n-1]
		if n > 10 {
			text = plain + "*n"
		} else if n > 1 {
			text = fmt.Sprintf("%s*%d", plain, n)
		}
		if n > 1 && last != plain {
			text += "e"
		}
		out = append(out, text)
		i += n
	}
	return strings.Join(out, " ")
}

// TestOrdinaryClient: net/http reads the lawful behaviours whole, with small and large requests, and of
// those that end where they should not it makes an error or less than a whole answer. (It hangs on some of
// the broken ones.)
func TestOrdinaryClient(t *testing.T) {
	s := start(t, Options{})
	for _, behaviour := range slices.Concat(lawfulBehaviours(), livelyBehaviours(), endingBehaviours()) {
		if behaviour.Class == "timeout" || behaviour.connect != nil {
			continue
		}
		transport := &http.Transport{Protocols: new(http.Protocols)}
		transport.Protocols.SetUnencryptedHTTP2(true)
		for _, size := range []int{10, 300_000} {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			r, err := http.NewRequestWithContext(ctx, "POST", s.URL()+"/v1/chat/completions", io.NopCloser(strings.NewReader(strings.Repeat(" ", size)))) // cannot be resent
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("X-Mock-Fault", behaviour.Name)
			status, body := 0, []byte(nil)
			response, err := transport.RoundTrip(r)
			if err == nil {
				status = response.StatusCode
				body, err = io.ReadAll(response.Body)
				response.Body.Close()
			}
			cancel()
			whole := err == nil && status == 200 && string(body) == role+first+second+closes
			if whole != (behaviour.Outcome == "ok") {
				t.Errorf("%s, body of %d: status %d, %d bytes, %v", behaviour.Name, size, status, len(body), err)
			}
		}
		transport.CloseIdleConnections()
	}
}

// TestWindowsAreHeld: a client that sends more than it may is told, and counted.
func TestWindowsAreHeld(t *testing.T) {
	s := start(t, Options{Behaviour: "small_windows"})
	conn, err := net.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var out bytes.Buffer
	out.WriteString(http2.ClientPreface)
	framer := http2.NewFramer(&out, nil)
	_ = framer.WriteSettings()
	_ = framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x83}, EndHeaders: true}) // :method POST
	_ = framer.WriteData(1, true, make([]byte, 1001))
	if _, err := conn.Write(out.Bytes()); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, conn)
	if s.Violations() != 1 {
		t.Errorf("%d violations", s.Violations())
	}
}

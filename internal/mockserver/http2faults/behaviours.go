package http2faults

import (
	"bytes"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"golang.org/x/net/http2"
)

// Behaviour is one way to misbehave, by name. Outcome and Class are what a client should make of it; see
// mockserver.Behaviour.
type Behaviour struct {
	Name, Does     string
	Outcome, Class string

	early   bool                            // plays once the request's head is there, not its body
	connect func(*session) error            // in place of the server's SETTINGS
	grant   func(c *session, n int64) error // in place of opening the windows again
	play    func(*session) error            // the answer
}

// The events of the fixed answer.
const (
	role   = `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}` + "\n\n"
	first  = `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"A"},"finish_reason":null}]}` + "\n\n"
	second = `data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"B"},"finish_reason":"stop"}]}` + "\n\n"
	closes = `data: {"object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}` + "\n\ndata: [DONE]\n\n"
)

// head sends response headers.
func (c *session) head(status string, end bool, fields ...string) error {
	return c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: c.stream, BlockFragment: c.block(status, fields...), EndHeaders: true, EndStream: end})
}

// block is a header block: :status, where there is one, and pairs of names and values.
func (c *session) block(status string, fields ...string) []byte {
	c.header.Reset()
	if status != "" {
		fields = append([]string{":status", status}, fields...)
	}
	for i := 0; i < len(fields); i += 2 {
		_ = c.hpack.WriteField(field(fields[i], fields[i+1])) // into a buffer
	}
	return slices.Clone(c.header.Bytes())
}

func (c *session) stream200() error {
	return c.head("200", false, "content-type", "text/event-stream")
}

// data sends body bytes within the client's windows, reading its frames until there is room.
func (c *session) data(text string, end bool) error {
	for {
		for text != "" && min(c.sendWindow, c.sendStream) <= 0 {
			if err := c.step(); err != nil {
				return err
			}
		}
		n := min(int64(len(text)), 16384, max(c.sendWindow, 0), max(c.sendStream, 0))
		if err := c.framer.WriteData(c.stream, end && n == int64(len(text)), []byte(text[:n])); err != nil {
			return err
		}
		c.sendWindow -= n
		c.sendStream -= n
		if text = text[n:]; text == "" {
			return nil
		}
	}
}

func (c *session) answer() error {
	return all(c.stream200, c.says(role), c.says(first), c.says(second), func() error { return c.data(closes, true) })
}

// says is data that is not the last, as a step for all.
func (c *session) says(text string) func() error { return func() error { return c.data(text, false) } }

// half is the head and the first token.
func (c *session) half() error { return all(c.stream200, c.says(role), c.says(first)) }

func (c *session) rest() error {
	return all(c.says(second), func() error { return c.data(closes, true) })
}

// all does steps until one fails.
func all(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// rst ends the stream.
func (c *session) rst(code http2.ErrCode) func() error {
	return func() error { return c.framer.WriteRSTStream(c.stream, code) }
}

func (c *session) goAway(last uint32, code http2.ErrCode) func() error {
	return func() error { return c.framer.WriteGoAway(last, code, []byte("ordered")) }
}

// abort ends the connection by RST.
func (c *session) abort() error {
	if err := c.pause(); err != nil { // RST may overtake what was not read yet
		return err
	}
	if tcp, ok := c.raw.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	return errOver
}

// hang reads and says nothing any more.
func (c *session) hang() error {
	_, _ = io.Copy(io.Discard, c.conn)
	return errOver
}

// drain sends FIN and reads until the client closes, so that what was sent is not lost to a reset.
func (c *session) drain() error {
	if half, ok := c.conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	return c.hang()
}

// rawFrame writes a frame without checks.
func (c *session) rawFrame(kind http2.FrameType, flags http2.Flags, stream uint32, payload string) func() error {
	return func() error { return c.framer.WriteRawFrame(kind, flags, stream, []byte(payload)) }
}

// acknowledged waits for the acknowledgement of a ping or of settings.
func (c *session) acknowledged(isAck func(http2.Frame) bool) error {
	for range 1000 {
		frame, err := c.framer.ReadFrame()
		if err != nil {
			return err
		}
		if isAck(frame) {
			return nil
		}
		if update, ok := frame.(*http2.WindowUpdateFrame); ok {
			c.onWindow(update)
		}
	}
	return c.violation(http2.ErrCodeProtocol, "no acknowledgement")
}

// Behaviours is the whole table.
func Behaviours() []Behaviour {
	return slices.Concat(lawfulBehaviours(), livelyBehaviours(), endingBehaviours(), brokenBehaviours())
}

// lawfulBehaviours keep to the standard, if only just.
func lawfulBehaviours() []Behaviour {
	return []Behaviour{
		{Name: "good", Does: "a whole answer", Outcome: "ok", play: (*session).answer},
		{Name: "trailers", Does: "a whole answer that ends with trailers", Outcome: "ok", play: func(c *session) error {
			return all(c.half, c.says(second), c.says(closes), func() error { return c.head("", true, "x-trailer", "1") })
		}},
		{Name: "interim_heads", Does: "heads with 100 and 103 before the real one", Outcome: "ok", play: func(c *session) error {
			return all(func() error { return c.head("100", false) }, func() error { return c.head("103", false, "link", "</x>") }, c.answer)
		}},
		{Name: "padding", Does: "HEADERS and DATA with padding", Outcome: "ok", play: func(c *session) error {
			err := c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: c.stream, BlockFragment: c.block("200", "content-type", "text/event-stream"), EndHeaders: true, PadLength: 200})
			return errors.Join(err, c.framer.WriteDataPadded(c.stream, false, []byte(role+first), bytes.Repeat([]byte{0}, 255)), c.rest())
		}},
		{Name: "continuation", Does: "the head in one HEADERS and many CONTINUATION frames of one byte", Outcome: "ok", play: func(c *session) error {
			block := c.block("200", "content-type", "text/event-stream")
			err := c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: c.stream, BlockFragment: block[:1]})
			for i := 1; i < len(block) && err == nil; i++ {
				err = c.framer.WriteContinuation(c.stream, i == len(block)-1, block[i:i+1])
			}
			return errors.Join(err, c.says(role+first)(), c.rest())
		}},
		{Name: "unknown_frames", Does: "frames of an unknown type, on the stream and on the connection", Outcome: "ok", play: func(c *session) error {
			return all(c.rawFrame(0x77, 0xff, 0, "?"), c.half, c.rawFrame(0x78, 0xff, c.stream, "??"), c.rest)
		}},
		{Name: "single_bytes", Does: "every body byte in a DATA frame of its own, and empty ones between", Outcome: "ok", play: func(c *session) error {
			err := c.stream200()
			for _, b := range []byte(role + first + second + closes) {
				err = errors.Join(err, c.data("", false), c.data(string([]byte{b}), false))
			}
			return errors.Join(err, c.data("", true))
		}},
	}
}

// livelyBehaviours keep to the standard and want something of the client.
func livelyBehaviours() []Behaviour {
	return []Behaviour{
		{Name: "ping_mid_stream", Does: "a ping after the first token; the rest once it is acknowledged", Outcome: "ok", play: func(c *session) error {
			return all(c.half, func() error { return c.framer.WritePing(false, [8]byte{7}) }, func() error {
				return c.acknowledged(func(f http2.Frame) bool {
					ping, ok := f.(*http2.PingFrame)
					return ok && ping.IsAck() && ping.Data == [8]byte{7}
				})
			}, c.rest)
		}},
		{Name: "settings_mid_stream", Does: "SETTINGS after the first token; the rest once they are acknowledged", Outcome: "ok", play: func(c *session) error {
			return all(c.half, func() error {
				return c.framer.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1 << 15})
			}, func() error {
				return c.acknowledged(func(f http2.Frame) bool {
					settings, ok := f.(*http2.SettingsFrame)
					return ok && settings.IsAck()
				})
			}, c.rest)
		}},
		{Name: "ping_flood", Does: "1,000 pings before the answer", Outcome: "ok", play: func(c *session) error {
			var err error
			for i := range 1000 {
				err = errors.Join(err, c.framer.WritePing(false, [8]byte{byte(i)}))
			}
			return errors.Join(err, c.answer())
		}},
		{Name: "small_windows", Does: "streams begin with a window of 1,000 bytes, opened again only when it is used up", Outcome: "ok",
			connect: func(c *session) error {
				c.initial = 1000
				return c.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1000})
			},
			grant: func(c *session, _ int64) error {
				if c.perStream > 0 {
					return nil
				}
				return c.grant(1000)
			},
			play: (*session).answer},
		{Name: "answer_before_body", Does: "a whole answer before the body is read, then RST_STREAM NO_ERROR", Outcome: "ok", early: true, play: func(c *session) error {
			return all(c.answer, c.rst(http2.ErrCodeNo))
		}},
		{Name: "goaway_then_answer", Does: "GOAWAY that names this stream as the last, then its whole answer, then FIN", Outcome: "ok", play: func(c *session) error {
			return all(c.stream200, c.goAway(c.stream, http2.ErrCodeNo), c.says(role), c.says(first), c.rest, c.drain)
		}},
	}
}

// endingBehaviours end the answer where, or as, they should not; or say no.
func endingBehaviours() []Behaviour {
	return []Behaviour{
		{Name: "status_503", Does: "503 with an error object", Outcome: "error", Class: "http", play: func(c *session) error {
			return all(func() error { return c.head("503", false, "content-type", "application/json") }, func() error { return c.data(`{"error":{"message":"overloaded"}}`, true) })
		}},
		{Name: "early_413", Does: "413 before the body is read, then RST_STREAM NO_ERROR", Outcome: "error", Class: "http", early: true, play: func(c *session) error {
			return all(func() error { return c.head("413", false, "content-type", "text/plain") }, func() error { return c.data("too large", true) }, c.rst(http2.ErrCodeNo))
		}},
		{Name: "overflow_400", Does: "400 with the words maximum context length", Outcome: "overflow", Class: "http", play: func(c *session) error {
			return all(func() error { return c.head("400", false, "content-type", "application/json") }, func() error { return c.data(`{"error":{"message":"the maximum context length is 5 tokens"}}`, true) })
		}},
		{Name: "in_stream_error", Does: "one token, then data: {\"error\": …}", Outcome: "error", Class: "in_stream", play: func(c *session) error {
			return all(c.half, func() error { return c.data(`data: {"error":{"message":"the engine died"}}`+"\n\n", true) })
		}},
		{Name: "empty_answer", Does: "a head that ends the stream", Outcome: "error", Class: "incomplete_stream", play: func(c *session) error {
			return c.head("200", true, "content-type", "text/event-stream")
		}},
		{Name: "half_answer", Does: "one token, then a proper end of the stream", Outcome: "error", Class: "incomplete_stream", play: func(c *session) error {
			return all(c.stream200, c.says(role), func() error { return c.data(first, true) })
		}},
		{Name: "refused_stream", Does: "RST_STREAM REFUSED_STREAM instead of an answer", Outcome: "error", Class: "transport", play: func(c *session) error { return c.rst(http2.ErrCodeRefusedStream)() }},
		{Name: "rst_before_head", Does: "RST_STREAM INTERNAL_ERROR instead of an answer", Outcome: "error", Class: "transport", play: func(c *session) error { return c.rst(http2.ErrCodeInternal)() }},
		{Name: "rst_mid_stream", Does: "one token, then RST_STREAM INTERNAL_ERROR", Outcome: "error", Class: "transport", play: func(c *session) error { return all(c.half, c.rst(http2.ErrCodeInternal)) }},
		{Name: "rst_cancel_mid_stream", Does: "one token, then RST_STREAM CANCEL", Outcome: "error", Class: "transport", play: func(c *session) error { return all(c.half, c.rst(http2.ErrCodeCancel)) }},
		{Name: "goaway_before_head", Does: "GOAWAY that names no stream instead of an answer, then FIN", Outcome: "error", Class: "transport", play: func(c *session) error { return all(c.goAway(0, http2.ErrCodeNo), c.drain) }},
		{Name: "goaway_mid_stream", Does: "one token, then GOAWAY INTERNAL_ERROR and FIN", Outcome: "error", Class: "transport", play: func(c *session) error {
			return all(c.half, c.goAway(c.stream, http2.ErrCodeInternal), c.drain)
		}},
		{Name: "goaway_enhance_your_calm", Does: "GOAWAY ENHANCE_YOUR_CALM instead of an answer, then FIN", Outcome: "error", Class: "transport", play: func(c *session) error {
			return all(c.goAway(c.stream, http2.ErrCodeEnhanceYourCalm), c.drain)
		}},
		{Name: "close_before_head", Does: "FIN instead of an answer", Outcome: "error", Class: "transport", play: (*session).drain},
		{Name: "close_mid_stream", Does: "one token, then FIN", Outcome: "error", Class: "transport", play: func(c *session) error { return all(c.half, c.drain) }},
		{Name: "reset_mid_stream", Does: "one token, then RST of the connection", Outcome: "error", Class: "transport", play: func(c *session) error { return all(c.half, c.abort) }},
		{Name: "close_mid_frame", Does: "one token, half a DATA frame, then FIN", Outcome: "error", Class: "transport", play: func(c *session) error {
			return all(c.half, func() error {
				_, err := c.conn.Write([]byte{0, 0, 100, 0, 0, 0, 0, 0, byte(c.stream), 'd', 'a'})
				return err
			}, c.drain)
		}},
		{Name: "stall_before_head", Does: "no answer, for ever", Outcome: "error", Class: "timeout", play: (*session).hang},
		{Name: "stall_mid_stream", Does: "one token, then nothing", Outcome: "error", Class: "timeout", play: func(c *session) error { return all(c.half, c.hang) }},
		{Name: "window_never_opens", Does: "streams begin with a window of no bytes, which never opens", Outcome: "error", Class: "timeout",
			connect: func(c *session) error {
				c.initial = 0
				return c.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
			},
			play: (*session).answer},
	}
}

// brokenBehaviours break the standard.
func brokenBehaviours() []Behaviour {
	broken := func(name, does string, play func(c *session) error) Behaviour {
		return Behaviour{Name: name, Does: does, Outcome: "error", Class: "transport", play: func(c *session) error { return all(func() error { return play(c) }, c.drain) }}
	}
	return []Behaviour{
		{Name: "not_http2", Does: "an HTTP/1.1 error in place of SETTINGS, then FIN", Outcome: "error", Class: "transport",
			connect: func(c *session) error {
				_, err := io.WriteString(c.conn, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
				return all(func() error { return err }, c.drain)
			},
			play: (*session).hang},
		broken("no_status", "a head without :status", func(c *session) error { return c.head("", false, "content-type", "text/event-stream") }),
		broken("odd_status", "a head whose :status is no number", func(c *session) error { return c.head("abc", false) }),
		broken("data_before_head", "DATA before HEADERS", func(c *session) error { return c.data(first, true) }),
		broken("bad_header_block", "a header block that names a table entry that is not there", func(c *session) error {
			return c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: c.stream, BlockFragment: []byte{0xff, 0xff, 0xff, 0x7f}, EndHeaders: true})
		}),
		broken("uppercase_header", "a header name in capitals", func(c *session) error {
			return all(func() error { return c.head("200", false, "Content-Type", "text/event-stream") }, c.says(role), c.rest)
		}),
		broken("frame_too_large", "a DATA frame of 20,000 bytes; 16,384 is what was agreed", func(c *session) error {
			return all(c.stream200, c.rawFrame(http2.FrameData, 0, c.stream, strings.Repeat(": x\n", 5000)))
		}),
		broken("data_on_stream_0", "DATA on stream 0", func(c *session) error { return all(c.half, c.rawFrame(http2.FrameData, 0, 0, first)) }),
		broken("data_on_idle_stream", "DATA on a stream that nobody opened", func(c *session) error { return all(c.half, c.rawFrame(http2.FrameData, 0, c.stream+100, first)) }),
		broken("bad_settings_length", "SETTINGS of five bytes", func(c *session) error { return all(c.half, c.rawFrame(http2.FrameSettings, 0, 0, "12345")) }),
		broken("bad_padding", "a DATA frame whose padding is longer than itself", func(c *session) error {
			return all(c.half, c.rawFrame(http2.FrameData, http2.FlagDataPadded, c.stream, "\xffab"))
		}),
		broken("window_overflow", "WINDOW_UPDATEs that take the window past 2^31 − 1", func(c *session) error {
			return all(c.half, func() error { return c.framer.WriteWindowUpdate(c.stream, 1<<31-1) }, func() error { return c.framer.WriteWindowUpdate(c.stream, 1<<31-1) })
		}),
		broken("window_update_0", "a WINDOW_UPDATE of no bytes on the connection", func(c *session) error {
			return all(c.half, c.rawFrame(http2.FrameWindowUpdate, 0, 0, "\x00\x00\x00\x00"))
		}),
		broken("push", "PUSH_PROMISE, which the client has switched off", func(c *session) error {
			return all(c.half, func() error {
				return c.framer.WritePushPromise(http2.PushPromiseParam{StreamID: c.stream, PromiseID: 2, BlockFragment: c.block("", ":method", "GET"), EndHeaders: true})
			})
		}),
		broken("headers_interrupted", "DATA between HEADERS and its CONTINUATION", func(c *session) error {
			block := c.block("200")
			return all(func() error {
				return c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: c.stream, BlockFragment: block[:1]})
			}, c.rawFrame(http2.FrameData, 0, c.stream, first))
		}),
		broken("headers_without_end", "16 MiB of CONTINUATION frames", func(c *session) error {
			err := c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: c.stream, BlockFragment: c.block("200")})
			filler := c.block("", "x-filler", strings.Repeat("x", 8000))
			for i := 0; i < 16<<20/len(filler) && err == nil; i++ {
				err = c.framer.WriteContinuation(c.stream, false, filler)
			}
			return err
		}),
		broken("beyond_the_window", "64 MiB of DATA, whatever window the client gave", func(c *session) error {
			err := c.stream200()
			filler := ": " + strings.Repeat("x", 16381) + "\n"
			for i := 0; i < 1<<12 && err == nil; i++ {
				err = c.framer.WriteData(c.stream, false, []byte(filler))
			}
			return err
		}),
	}
}

package wire

import (
	"bytes"
	"strconv"
	"strings"
	"time"
)

// maxHead bounds the head of an answer.
const maxHead = 64 << 10

// head is what the client needs of an answer's status line and headers.
type head struct {
	status      int
	reason      string
	length      int64 // Content-Length, Unset where there is none
	chunked     bool
	close       bool          // the connection ends with the answer
	keep        time.Duration // Keep-Alive: timeout, 0 where there is none
	contentType string
	encoding    string
	server      string
	retryAfter  string
	location    string
}

// headEnd is the length of the head that begins text, its empty line included; -1 where that has not
// come. from is how far it was looked for before.
func headEnd(text []byte, from int) int {
	for at := max(from-2, 0); ; {
		feed := bytes.IndexByte(text[at:], '\n')
		if feed < 0 {
			return -1
		}
		at += feed + 1
		rest := text[at:]
		if len(rest) > 0 && rest[0] == '\n' {
			return at + 1
		}
		if len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n' {
			return at + 2
		}
	}
}

// parse reads a whole head. known holds the values of the answer before on this connection, so that
// equal ones are not allocated again.
func (h *head) parse(text []byte, known *head) error {
	line, rest := cutLine(text)
	*h = head{length: Unset}
	old, err := h.statusLine(line, known)
	if err != nil {
		return err
	}
	h.close = old
	for len(rest) > 0 {
		line, rest = cutLine(rest)
		if len(line) == 0 {
			break
		}
		name, value, found := bytes.Cut(line, []byte{':'})
		if !found || len(name) == 0 || name[0] == ' ' || name[0] == '\t' {
			return framing("BadHttpMessage", "the answer's header line %.80q is none", line)
		}
		if err := h.field(name, bytes.Trim(value, " \t"), known, old); err != nil {
			return err
		}
	}
	return nil
}

// statusLine reads "HTTP/1.1 200 OK"; old means that the version keeps no connection unless it says so.
func (h *head) statusLine(line []byte, known *head) (old bool, err error) {
	version, rest, _ := bytes.Cut(line, []byte{' '})
	code, reason, _ := bytes.Cut(rest, []byte{' '})
	if !bytes.HasPrefix(version, []byte("HTTP/1.")) || len(version) != len("HTTP/1.1") || len(code) != 3 {
		return false, framing("BadStatusLine", "the answer does not begin with an HTTP/1 status line, but with %.80q", line)
	}
	h.status, err = strconv.Atoi(string(code))
	if err != nil || h.status < 100 {
		return false, framing("BadStatusLine", "status %q of the answer", code)
	}
	h.reason = reuse(bytes.Trim(reason, " \t"), known.reason)
	return version[7] == '0', nil
}

func (h *head) field(name, value []byte, known *head, old bool) error {
	switch {
	case isName(name, "content-length"):
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil || n < 0 || value[0] == '+' || h.length != Unset && h.length != n {
			return framing("BadHttpMessage", "the answer's Content-Length is %.40q", value)
		}
		h.length = n
	case isName(name, "transfer-encoding"):
		if !strings.EqualFold(string(value), "chunked") {
			return framing("BadHttpMessage", "the answer's Transfer-Encoding is %.40q; only chunked is known", value)
		}
		h.chunked = true
	case isName(name, "connection"):
		lowered := strings.ToLower(string(value))
		if strings.Contains(lowered, "close") {
			h.close = true
		} else if old && strings.Contains(lowered, "keep-alive") {
			h.close = false
		}
	case isName(name, "keep-alive"):
		h.keep = keepAliveTimeout(strings.ToLower(string(value)))
	case isName(name, "content-type"):
		h.contentType = reuse(value, known.contentType)
	case isName(name, "content-encoding"):
		h.encoding = strings.ToLower(string(value))
	case isName(name, "server"):
		h.server = reuse(value, known.server)
	case isName(name, "retry-after"):
		h.retryAfter = string(value)
	case isName(name, "location"):
		h.location = string(value)
	}
	return nil
}

func keepAliveTimeout(value string) time.Duration {
	for part := range strings.SplitSeq(value, ",") {
		if text, found := strings.CutPrefix(strings.TrimSpace(part), "timeout="); found {
			if seconds, err := strconv.Atoi(text); err == nil && seconds > 0 {
				return time.Duration(seconds) * time.Second
			}
		}
	}
	return 0
}

// reuse gives value as a string, known where the two are equal.
func reuse(value []byte, known string) string {
	if string(value) == known {
		return known
	}
	return string(value)
}

// isName compares a header name with one in lower case.
func isName(name []byte, lower string) bool {
	if len(name) != len(lower) {
		return false
	}
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// cutLine cuts the first line off, without its CR LF or LF.
func cutLine(text []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(text, []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'}), rest
}

// mediaType is the content type without its parameters, in lower case.
func (h *head) mediaType() string {
	media, _, _ := strings.Cut(h.contentType, ";")
	return strings.ToLower(strings.TrimSpace(media))
}

// bodyless tells whether an answer of this status has no body.
func bodyless(status int) bool { return status == 204 || status == 304 }

// statusText is the standard reason phrase, for servers that send none.
func statusText(status int) string {
	switch status {
	case 300:
		return "Multiple Choices"
	case 301:
		return "Moved Permanently"
	case 302:
		return "Found"
	case 303:
		return "See Other"
	case 304:
		return "Not Modified"
	case 307:
		return "Temporary Redirect"
	case 308:
		return "Permanent Redirect"
	case 400:
		return "Bad Request"
	case 401:
		return "Unauthorized"
	case 402:
		return "Payment Required"
	case 403:
		return "Forbidden"
	case 404:
		return "Not Found"
	case 405:
		return "Method Not Allowed"
	case 408:
		return "Request Timeout"
	case 409:
		return "Conflict"
	case 410:
		return "Gone"
	case 413:
		return "Request Entity Too Large"
	case 415:
		return "Unsupported Media Type"
	case 422:
		return "Unprocessable Entity"
	case 423:
		return "Locked"
	case 424:
		return "Failed Dependency"
	case 429:
		return "Too Many Requests"
	case 499:
		return "Client Closed Request"
	case 500:
		return "Internal Server Error"
	case 501:
		return "Not Implemented"
	case 502:
		return "Bad Gateway"
	case 503:
		return "Service Unavailable"
	case 504:
		return "Gateway Timeout"
	case 505:
		return "HTTP Version Not Supported"
	case 529:
		return "Overloaded"
	}
	return "HTTP " + strconv.Itoa(status)
}

package weka

import (
	"bytes"
	"strings"
)

// form is how the bytes of a file are to be read.
type form int

const (
	formText form = iota
	formGzip
	formZstd
	formParquet
)

// headSize is how much of a file is looked at to tell what it is.
const headSize = 512

// bom is the UTF-8 byte order mark that some exporters put first.
var bom = []byte("\xef\xbb\xbf")

// sniff tells the form by the first bytes.
func sniff(head []byte) form {
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return formGzip
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")), isSkippableFrame(head):
		return formZstd
	case bytes.HasPrefix(head, []byte("PAR1")):
		return formParquet
	}
	return formText
}

// isSkippableFrame reports whether the bytes begin a skippable zstd frame.
func isSkippableFrame(head []byte) bool {
	return len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte("\x2a\x4d\x18"))
}

// hintCopy is what to do about a file that ends too early.
const hintCopy = "copy or download it again"

// strange describes texts that are commonly met in place of traces; problem is empty for others.
func strange(head []byte) (problem, hint string) {
	raw := bytes.TrimLeft(head[:min(len(head), headSize)], " \t\r\n")
	start := strings.ToLower(string(raw))
	switch {
	case start == "":
		return "is empty", hintCopy
	case strings.HasPrefix(start, "version https://git-lfs.github.com/"):
		return "is a Git LFS pointer, not the data it points to", "run `git lfs pull` in the repository"
	case strings.HasPrefix(start, "<!doctype html"), strings.HasPrefix(start, "<html"), strings.HasPrefix(start, "<head"):
		return "is an HTML page, probably an error page of a download", "download it again and check the address and access rights"
	case raw[0] == '<':
		return "is XML or HTML, not JSON", "give a file of traces"
	case bytes.HasPrefix(raw, []byte("SQLite format 3\x00")):
		return "is an SQLite database, perhaps the log of a run", "give the recording: a folder or file of traces"
	case bytes.HasPrefix(raw, []byte(`{"format":`)) && bytes.Contains(raw, []byte(`"generator"`)):
		return "is a bundle, made of traces already", "give it to agentx-run --bundle, or look into it with agentx-prep inspect"
	case bytes.HasPrefix(raw, []byte("PK\x03\x04")):
		return "is a zip archive", "unpack it and give the folder"
	case bytes.HasPrefix(raw, []byte("\xff\xfe")), bytes.HasPrefix(raw, []byte("\xfe\xff")):
		return "is UTF-16 text", "save it as UTF-8"
	case bytes.HasPrefix(raw, []byte("BZh")), bytes.HasPrefix(raw, []byte("\xfd7zXZ")):
		return "is compressed by a method that is not read here", "unpack it, or use gzip or zstd"
	}
	return "", ""
}

// notATrace refuses a text that does not begin an object.
func (d *decoder) notATrace() error {
	if problem, hint := strange(d.text); problem != "" {
		e := d.refuse("", problem)
		e.Hint = hint
		return e
	}
	if d.peek() == '[' {
		e := d.refuse("", "is a list, expected a trace, which is a JSON object")
		e.Hint = "write each trace on a line of its own, without brackets and commas around them"
		return e
	}
	e := d.refuse("", "is not a trace: it begins with "+clip(bytes.TrimSpace(d.text[d.at:min(len(d.text), d.at+20)])))
	e.Hint = "expected a JSON object with id, block_size and requests"
	return e
}

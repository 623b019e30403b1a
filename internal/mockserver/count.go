package mockserver

import (
	"encoding/binary"
	"fmt"
	"math"

	"agentx/internal/servermodel"
)

// Prompt is what a request asks the server to read.
type Prompt struct {
	RequestID string // X-Request-ID
	Tools     []byte // raw JSON, nil without
	Messages  []byte // raw JSON of the array
}

// Counter counts prompts. It is called from many goroutines.
type Counter interface {
	// Name says how it counts, for /version, for example "bytes/4".
	Name() string
	// Count returns the tokens of a prompt and the keys of its full units (servermodel.Keys), appended
	// to keys[:0] or a slice of its own that nobody writes to any more.
	Count(prompt Prompt, keys []uint64) (tokens int, units []uint64, err error)
}

// NewCounter makes a counter of a function, for tests and for counting by a bundle.
func NewCounter(name string, count func(Prompt) (tokens int, units []uint64, err error)) Counter {
	return funcCounter{name, count}
}

type funcCounter struct {
	name  string
	count func(Prompt) (int, []uint64, error)
}

func (c funcCounter) Name() string { return c.name }

func (c funcCounter) Count(prompt Prompt, _ []uint64) (int, []uint64, error) { return c.count(prompt) }

// NewByteCounter counts bytes of the JSON of tools and messages, so many to a token: escapes count as
// they are sent, and the JSON around a text stands for what a chat template adds. A unit is as many
// bytes as its tokens.
func NewByteCounter(bytesPerToken float64, unitTokens int) Counter {
	return byteCounter{bytesPerToken, unitTokens}
}

type byteCounter struct {
	bytesPerToken float64
	unitTokens    int
}

func (c byteCounter) Name() string { return fmt.Sprintf("bytes/%g", c.bytesPerToken) }

func (c byteCounter) Count(prompt Prompt, keys []uint64) (int, []uint64, error) {
	keys = keys[:0]
	text := prompt.Messages
	if len(text) >= 2 { // without the brackets: the closing one is not shared with a longer prompt
		text = text[1 : len(text)-1]
	}
	last := uint64(0)
	if len(prompt.Tools) > 0 {
		last = hashBytes(prompt.Tools)
	}
	before := float64(len(prompt.Tools))
	total := before + float64(len(text))
	unit := float64(c.unitTokens) * c.bytesPerToken
	// Units that end inside the tools share one key: tools are the same from turn to turn, or nothing is.
	at := 0
	for i := 1; ; i++ {
		end := math.Round(float64(i) * unit)
		if end > total {
			break
		}
		if stop := int(end - before); stop > at {
			last = servermodel.Mix(last, hashBytes(text[at:stop]))
			at = stop
		} else {
			last = servermodel.Mix(last, uint64(i))
		}
		keys = append(keys, last)
	}
	return int(math.Ceil(total / c.bytesPerToken)), keys, nil
}

// hashBytes is a fast 64-bit hash, 16 bytes a step.
func hashBytes(data []byte) uint64 {
	h := uint64(len(data))
	for len(data) >= 16 {
		h = servermodel.Mix(binary.LittleEndian.Uint64(data)^h, binary.LittleEndian.Uint64(data[8:]))
		data = data[16:]
	}
	if len(data) > 0 {
		var rest [16]byte
		copy(rest[:], data)
		h = servermodel.Mix(binary.LittleEndian.Uint64(rest[:])^h, binary.LittleEndian.Uint64(rest[8:]))
	}
	return h
}

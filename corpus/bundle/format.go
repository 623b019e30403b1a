package bundle

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"github.com/zeebo/blake3"
)

// Format is the version of the file format that this package writes, and the newest it reads.
const Format = 1

// Suffix is the ending of the names that the cache gives bundles.
const Suffix = ".agentx"

// NamedSuffix is the ending that documents and hints give the bundles that a user names. Any name will do; beside a
// log these two endings are looked for.
const NamedSuffix = ".bundle"

// Digest is a BLAKE3 hash.
type Digest [32]byte

// Sum is the digest of data.
func Sum(data []byte) Digest { return blake3.Sum256(data) }

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText writes 64 hex digits.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads 64 hex digits.
func (d *Digest) UnmarshalText(text []byte) error {
	if len(text) != 2*len(d) {
		return fmt.Errorf("a digest has %d hex digits, found %d characters", 2*len(d), len(text))
	}
	_, err := hex.Decode(d[:], text)
	return err
}

// frameKind says what a frame holds.
type frameKind uint8

const (
	kindManifest  frameKind = 1
	kindFiller    frameKind = 2 // the text
	kindLengths   frameKind = 3 // one byte a token: its length in bytes
	kindTokenizer frameKind = 4
	kindTemplate  frameKind = 5 // the chat template's settings; may be missing
	kindPlan      frameKind = 6
	kindText      frameKind = 7
)

func (k frameKind) String() string {
	switch k {
	case kindManifest:
		return "manifest"
	case kindFiller:
		return "filler"
	case kindLengths:
		return "filler lengths"
	case kindTokenizer:
		return "tokenizer"
	case kindTemplate:
		return "chat template"
	case kindPlan:
		return "plan"
	case kindText:
		return "text"
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// maxLength bounds the unpacked length of a frame, so that a forged index cannot ask for all memory.
func (k frameKind) maxLength() uint64 {
	switch k {
	case kindFiller:
		return 1 << 28
	case kindLengths:
		return 1 << 25
	}
	return 1 << 29
}

// Damaged is the error for a bundle whose bytes are not what was written.
type Damaged struct {
	Path    string
	Place   string // frame or part of the file
	Problem string
}

func (e *Damaged) Error() string {
	return fmt.Sprintf("bundle %s is damaged: %s: %s; copy it again, or build it again with agentx-prep build", e.Path, e.Place, e.Problem)
}

// Newer is the error for a bundle of a newer format.
type Newer struct {
	Path   string
	Format uint32
}

func (e *Newer) Error() string {
	return fmt.Sprintf("bundle %s has format %d, this program reads formats up to %d; use a newer agentx, or build the bundle again with this one", e.Path, e.Format, Format)
}

// NotABundle is the error for a file that is something else.
type NotABundle struct {
	Path string
	Why  string
}

func (e *NotABundle) Error() string {
	return fmt.Sprintf("%s is not a bundle: %s; give a file that agentx-prep build wrote", e.Path, e.Why)
}

// Refused reports whether err says that a file cannot be read as a bundle although nothing is wrong
// with the medium: it is something else, or of a newer format, does not exist, or is not ours to read.
func Refused(err error) bool {
	var newer *Newer
	var other *NotABundle
	return errors.As(err, &newer) || errors.As(err, &other) || errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission)
}

package hub

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"regexp"
	"strings"
)

// Stated is the digest of a file as a hub states it: "sha256:" and 64 hex digits for large files,
// "git-sha1:" and 40 for the others, which the hub keeps in git. Empty: the hub states none.
type Stated string

const (
	bySHA256 = "sha256:"
	byGit    = "git-sha1:"
)

var (
	hex64 = regexp.MustCompile(`^[0-9a-f]{64}$`)
	hex40 = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

// statedBy reads an entity tag, or the name of a file in the cache's blobs folder; which of the two
// digests it is shows by its length.
func statedBy(tag string) Stated {
	tag = strings.ToLower(strings.Trim(strings.TrimPrefix(tag, "W/"), `"`))
	switch {
	case hex64.MatchString(tag):
		return Stated(bySHA256 + tag)
	case hex40.MatchString(tag):
		return Stated(byGit + tag)
	}
	return ""
}

// hex is the digest alone.
func (s Stated) hex() string {
	_, text, _ := strings.Cut(string(s), ":")
	return text
}

// sums are the digests of a file's bytes.
type sums struct {
	size   int64
	sha256 string
	git    string // only where it was asked for
}

// matches reports whether the bytes are the stated ones. Nothing matches an empty statement.
func (s *sums) matches(stated Stated) bool {
	switch {
	case strings.HasPrefix(string(stated), bySHA256):
		return stated.hex() == s.sha256
	case strings.HasPrefix(string(stated), byGit):
		return s.git != "" && stated.hex() == s.git
	}
	return false
}

// sumFile reads a file; the git digest only if the statement is one.
func sumFile(ctx context.Context, name string, stated Stated) (*sums, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	content := sha256.New()
	var into io.Writer = content
	var git hash.Hash
	if strings.HasPrefix(string(stated), byGit) {
		git = sha1.New()
		fmt.Fprintf(git, "blob %d\x00", info.Size())
		into = io.MultiWriter(content, git)
	}
	size, err := io.CopyBuffer(onlyWriter{into}, &contextReader{ctx, file}, make([]byte, 1<<20))
	if err != nil {
		return nil, err
	}
	result := &sums{size: size, sha256: hex.EncodeToString(content.Sum(nil))}
	if git != nil {
		result.git = hex.EncodeToString(git.Sum(nil))
	}
	return result, nil
}

// contextReader stops reading when the context ends.
type contextReader struct {
	ctx context.Context
	in  io.Reader
}

func (r *contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(p)
}

// onlyWriter hides all but Write, so that the copy uses the buffer it was given.
type onlyWriter struct{ io.Writer }

package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// enoughProgress is what a try must bring before it counts as getting further.
const enoughProgress = 64 << 10

// part is a file that is being downloaded.
type part struct {
	transfer *transfer
	file     File   // as far as it is known
	name     string // where the bytes go until they are all there
	resumed  bool   // some of them are from an earlier answer
	guessed  bool   // file.Stated is an ETag, which need not be a digest
	counted  int64  // bytes that were told of
}

// file makes sure that a file of the snapshot is in the folder.
func (t *transfer) file(ctx context.Context, path string) (RecordFile, error) {
	file, listed := t.snapshot.find(path)
	if !listed {
		return RecordFile{}, failed(Missing, nil, "%s has no file %s", t.snapshot.Repo, path)
	}
	if err := checkPath(path); err != nil {
		return RecordFile{}, err
	}
	target := filepath.Join(t.folder, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return RecordFile{}, failed(Local, err, "making the folder")
	}
	for _, have := range t.places(file, target) {
		if found, err := sumFile(ctx, have, file.Stated); err == nil && found.matches(file.Stated) {
			if have != target {
				if err := copyInto(have, target); err != nil {
					return RecordFile{}, failed(Local, err, "copying from the HuggingFace cache")
				}
			}
			t.count(found.size)
			return RecordFile{Path: path, Size: found.size, SHA256: found.sha256, Stated: file.Stated}, nil
		}
	}
	sum := sha256.Sum256([]byte(t.snapshot.Commit + "/" + path))
	p := &part{transfer: t, file: file, name: filepath.Join(t.folder, partPrefix+hex.EncodeToString(sum[:8]))}
	return p.download(ctx, target)
}

// at tells how many bytes are there.
func (p *part) at(n int64) {
	p.transfer.count(n - p.counted)
	p.counted = n
}

// places lists where the file may be already. Without a digest there is no telling.
func (t *transfer) places(file File, target string) []string {
	if file.Stated == "" {
		return nil
	}
	places := []string{target}
	if cache := t.client.config.CacheDir; cache != "" {
		places = append(places, filepath.Join(cache, t.snapshot.Repo.Folder(), "blobs", file.Stated.hex()))
	}
	return places
}

// download gets the bytes, checks them and puts them in their place. Bytes that were left by an earlier
// try may be bad, so a wrong digest then means one more try from the beginning.
func (p *part) download(ctx context.Context, target string) (RecordFile, error) {
	for {
		if err := p.transfer.client.persist(ctx, func() (bool, error) { return p.try(ctx) }); err != nil {
			return RecordFile{}, err
		}
		found, err := sumFile(ctx, p.name, p.file.Stated)
		if err != nil {
			return RecordFile{}, failed(Local, err, "checking the download")
		}
		if p.guessed && !found.matches(p.file.Stated) && !p.resumed {
			p.file.Stated = "" // so it was no digest
		}
		if p.file.Stated == "" || found.matches(p.file.Stated) {
			if err := settle(p.name, target); err != nil {
				return RecordFile{}, failed(Local, err, "putting the download in its place")
			}
			return RecordFile{Path: p.file.Path, Size: found.size, SHA256: found.sha256, Stated: p.file.Stated}, nil
		}
		if err := os.Remove(p.name); err != nil {
			return RecordFile{}, failed(Local, err, "removing a bad download")
		}
		p.at(0)
		if !p.resumed {
			return RecordFile{}, failed(Corrupt, nil, "%s: what came has the SHA-256 %s, but the hub states %s; a proxy may have changed it: try again, or without the proxy", p.file.Path, found.sha256, p.file.Stated)
		}
		p.transfer.client.config.Notice(fmt.Sprintf("%s: the resumed download is not what the hub states; starting anew", p.file.Path))
		p.resumed = false
	}
}

// try asks for the bytes that are missing. It reports whether enough came to call it progress.
func (p *part) try(ctx context.Context) (bool, error) {
	out, err := os.OpenFile(p.name, os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return false, failed(Local, err, "writing the download")
	}
	came, err := p.receive(ctx, out)
	if closed := out.Close(); err == nil && closed != nil {
		err = failed(Local, closed, "writing the download")
	}
	return came >= enoughProgress, err
}

// receive asks for what the file lacks and appends it.
func (p *part) receive(ctx context.Context, out *os.File) (came int64, err error) {
	c := p.transfer.client
	from, err := out.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, failed(Local, err, "writing the download")
	}
	if p.file.Size >= 0 && from == p.file.Size && from > 0 {
		p.resumed = true
		p.at(from)
		return 0, nil
	}
	watch := c.watch(ctx)
	defer watch.end()
	answer, err := c.send(watch, p.transfer.snapshot.Repo.fileURL(c.config.Endpoint, p.transfer.snapshot.Commit, p.file.Path), from)
	if err != nil {
		return 0, p.why(ctx, watch, err)
	}
	defer answer.Body.Close()
	if err := p.learn(answer); err != nil {
		return 0, err
	}
	if from, err = p.begin(answer, out, from); err != nil {
		return 0, err
	}
	p.resumed = p.resumed || from > 0
	p.at(from)
	body := watch.reader(answer.Body, func(n int) { p.at(p.counted + int64(n)) })
	came, err = io.CopyBuffer(onlyWriter{out}, body, make([]byte, 256<<10))
	if err != nil {
		return came, p.why(ctx, watch, err)
	}
	return came, p.end(from + came)
}

// learn takes what the hub says of the file; it must agree with what it said before.
func (p *part) learn(answer *reply) error {
	commit := p.transfer.snapshot.Commit
	if answer.commit != "" && answer.commit != commit {
		return failed(Broken, nil, "%s: the hub answers with commit %s, not %s", p.file.Path, answer.commit, commit)
	}
	switch stated := p.file.Stated; {
	case stated == "" && answer.linked == "":
		p.file.Stated, p.guessed = answer.tag, answer.tag != ""
	case stated == "":
		p.file.Stated = answer.linked
	case answer.linked != "" && answer.linked != stated && !p.guessed:
		return failed(Broken, nil, "%s: the hub states %s first and %s with the file", p.file.Path, stated, answer.linked)
	}
	size := answer.size
	if size < 0 && answer.StatusCode == http.StatusOK && answer.ContentLength >= 0 {
		size = answer.ContentLength
	}
	if _, total, ok := contentRange(answer.Header.Get("Content-Range")); size < 0 && ok {
		size = total
	}
	if p.file.Size < 0 {
		p.file.Size = size
	} else if size >= 0 && size != p.file.Size {
		return failed(Broken, nil, "%s: the hub says that it has %d bytes, and then %d", p.file.Path, p.file.Size, size)
	}
	return nil
}

// begin puts the file where the answer's bytes go, and returns how many are before it.
func (p *part) begin(answer *reply, out *os.File, from int64) (int64, error) {
	switch answer.StatusCode {
	case http.StatusOK:
		from = 0 // the host does not do ranges, or there is nothing to go on from
	case http.StatusPartialContent:
		if start, _, ok := contentRange(answer.Header.Get("Content-Range")); ok && start == from {
			return from, nil
		}
		fallthrough
	default:
		if err := out.Truncate(0); err != nil {
			return 0, failed(Local, err, "writing the download")
		}
		e := failed(Broken, nil, "%s: the hub answers %d, and not with the bytes from %d on", p.file.Path, answer.StatusCode, from)
		e.again = from > 0
		return 0, e
	}
	if err := out.Truncate(0); err != nil {
		return 0, failed(Local, err, "writing the download")
	}
	_, err := out.Seek(0, io.SeekStart)
	return 0, err
}

// end compares the number of bytes with what was promised.
func (p *part) end(have int64) error {
	switch want := p.file.Size; {
	case want < 0 || have == want:
		return nil
	case have > want:
		if err := os.Remove(p.name); err != nil {
			return failed(Local, err, "removing a bad download")
		}
		return failed(Corrupt, nil, "%s: more bytes came (%d) than the hub states (%d)", p.file.Path, have, want)
	default:
		e := failed(Unreachable, nil, "%s broke off after %d of %d bytes", p.file.Path, have, want)
		e.again = true
		return e
	}
}

// why is the reason that an answer, or its body, did not come or could not be stored.
func (p *part) why(ctx context.Context, watch *watch, err error) error {
	var disk *os.PathError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &disk):
		return failed(Local, err, "writing the download")
	}
	return watch.why(err, p.file.Path)
}

// contentRange reads the header of that name; total is -1 if it is not known.
func contentRange(text string) (start, total int64, ok bool) {
	text, found := strings.CutPrefix(text, "bytes ")
	span, whole, cut := strings.Cut(text, "/")
	first, _, dash := strings.Cut(span, "-")
	if !found || !cut || !dash {
		return 0, -1, false
	}
	if start, ok = number(first); !ok {
		return 0, -1, false
	}
	if total, ok = number(whole); !ok {
		total = -1
	}
	return start, total, true
}

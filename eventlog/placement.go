package eventlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
)

// minFree is the room that the live log's file system must have: half an hour of 256 lanes takes some
// hundred megabytes.
const minFree = 1 << 30

// Placement says where a log is written and where it belongs. A WAL needs shared memory and locks,
// which network file systems do not promise, so a log that belongs on one is written elsewhere, with a
// pointer file beside its place, and copied there when it is whole.
type Placement struct {
	Final string // the path that was asked for
	Live  string // where to Create the log; Final where nothing speaks against it
	Why   string // why the two differ, for the user; "" where they do not
}

// Moved tells whether the log is written elsewhere than it belongs.
func (p Placement) Moved() bool { return p.Live != p.Final }

// LogPlacement decides where the log for path is written. With logDir it is always there; without, a
// path on a network or unknown file system is replaced by one in a local temporary folder. It refuses
// where the place is not local or has less than 1 GiB free. Where the log is moved, its folder and the
// pointer file are made.
func LogPlacement(path, logDir string) (Placement, error) {
	return place(path, logDir, []string{os.TempDir(), "/var/tmp"}, fileSystemOf)
}

func place(path, logDir string, temporary []string, look func(string) (fileSystem, error)) (Placement, error) {
	belongs, err := look(path)
	if err != nil {
		return Placement{}, fmt.Errorf("event log %s: %w", path, err)
	}
	if logDir == "" && belongs.class == fsLocal {
		return Placement{Final: path, Live: path}, nil
	}
	why := fmt.Sprintf("%s lies on %v (%s), where a live log is not safe", path, belongs.class, belongs.name)
	candidates := temporary
	if logDir != "" {
		why, candidates = "--log-dir says so", []string{logDir}
	}
	var refusals []error
	for _, candidate := range candidates {
		found, err := look(candidate)
		switch {
		case err != nil:
			refusals = append(refusals, err)
		case found.class != fsLocal:
			refusals = append(refusals, fmt.Errorf("%s lies on %v (%s) itself", candidate, found.class, found.name))
		case found.free < minFree:
			refusals = append(refusals, fmt.Errorf("%s has %d MiB free, needed are %d", candidate, found.free>>20, minFree>>20))
		default:
			return moved(path, candidate, why)
		}
	}
	return Placement{}, fmt.Errorf("event log %s: no place for the live log (%s): %w; name a local folder with room by --log-dir",
		path, why, errors.Join(refusals...))
}

// moved makes the folder of the live log and the pointer to it.
func moved(path, under, why string) (Placement, error) {
	if err := os.MkdirAll(under, 0o755); err != nil {
		return Placement{}, fmt.Errorf("event log %s: %w", path, err)
	}
	dir, err := os.MkdirTemp(under, "agentx-log-")
	if err != nil {
		return Placement{}, fmt.Errorf("event log %s: %w", path, err)
	}
	live, err := filepath.Abs(filepath.Join(dir, filepath.Base(path)))
	if err != nil {
		return Placement{}, fmt.Errorf("event log %s: %w", path, err)
	}
	p := Placement{Final: path, Live: live, Why: why}
	if err := writePointer(p); err != nil {
		return Placement{}, errors.Join(fmt.Errorf("event log %s: %w", path, err), os.RemoveAll(dir))
	}
	return p, nil
}

// Finish brings a closed log to where it belongs: a copy under a temporary name, a rename, then the
// live one and the pointer are removed. Where nothing was moved it does nothing. After an error the
// live log and the pointer are still there.
func (p Placement) Finish() error {
	if !p.Moved() {
		return nil
	}
	if err := p.copyHome(); err != nil {
		return fmt.Errorf("copying the event log to %s: %w; the log is whole and stays at %s", p.Final, err, p.Live)
	}
	return p.Discard()
}

// Discard removes the live log, its folder and the pointer.
func (p Placement) Discard() error {
	if !p.Moved() {
		return nil
	}
	return errors.Join(os.Remove(pointerPath(p.Final)), os.RemoveAll(filepath.Dir(p.Live)))
}

func (p Placement) copyHome() error {
	source := p.Live
	head, err := readFileHead(p.Live)
	if err != nil {
		return err
	}
	if head.wal {
		// A reader kept the log from becoming one file: make a copy that is.
		source = p.Live + ".whole"
		if err := foldInto(p.Live, source); err != nil {
			return err
		}
	}
	temporary := p.Final + ".copying"
	if err := os.RemoveAll(temporary); err != nil {
		return err
	}
	err = copyFile(source, temporary)
	if err == nil {
		err = os.Rename(temporary, p.Final)
	}
	if err == nil {
		return syncDir(filepath.Dir(p.Final))
	}
	return errors.Join(err, os.RemoveAll(temporary))
}

// foldInto writes the database at path, its WAL included, as one new file.
func foldInto(path, target string) error {
	if err := os.RemoveAll(target); err != nil {
		return err
	}
	r, err := OpenUnverified(path)
	if err != nil {
		return err
	}
	if err := errors.Join(r.db.exec("VACUUM INTO ?", target), r.Close()); err != nil {
		return err
	}
	db, err := openConn(target, url.Values{"mode": {"rw"}}) // still in WAL mode, as its original
	if err != nil {
		return err
	}
	return errors.Join(db.exec("PRAGMA journal_mode = DELETE"), db.close())
}

// pointer is the content of the pointer file, as JSON.
type pointer struct {
	Log  string `json:"log"` // absolute path of the live log
	Host string `json:"host"`
	PID  int    `json:"pid"`
	Why  string `json:"why"`
}

// pointerPath is the pointer file of a log.
func pointerPath(path string) string { return path + ".where" }

func writePointer(p Placement) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	encoded, err := json.Marshal(pointer{Log: p.Live, Host: host, PID: os.Getpid(), Why: p.Why})
	if err != nil {
		return err
	}
	return os.WriteFile(pointerPath(p.Final), append(encoded, '\n'), 0o644)
}

// followPointer gives the place of a live log whose final path does not exist; "" without a pointer.
func followPointer(path string) (string, error) {
	content, err := os.ReadFile(pointerPath(path))
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	var to pointer
	if err == nil {
		err = json.Unmarshal(content, &to)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", pointerPath(path), err)
	}
	host, err := os.Hostname()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(to.Log); err != nil && host != to.Host {
		return "", fmt.Errorf("the run wrote its log to %s on host %s and has not copied it here: copy it with its -wal file, or analyse there", to.Log, to.Host)
	}
	return to.Log, nil
}

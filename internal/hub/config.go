package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// DefaultEndpoint is the hub that is asked unless HF_ENDPOINT names another.
const DefaultEndpoint = "https://huggingface.co"

// Config says which hub to ask, and how.
type Config struct {
	Endpoint string // URL of the hub, without a trailing slash
	Token    string // access token, empty for none
	Offline  bool   // never use the network
	CacheDir string // cache folder of the HuggingFace libraries, the one with models--…; empty: none
	Agent    string // User-Agent

	Stall  time.Duration // a download without a byte for so long is tried again; 0: one minute
	Notice func(string)  // told of waits and resumed downloads; may be nil

	// Transport and Sleep are replaced by tests; nil: those of the system.
	Transport http.RoundTripper
	Sleep     func(ctx context.Context, d time.Duration) error
}

// FromEnvironment reads HF_ENDPOINT, HF_TOKEN, HF_TOKEN_PATH, HF_HUB_OFFLINE, HF_HUB_CACHE and HF_HOME by
// lookup, which os.LookupEnv is one of. The defaults are those of the HuggingFace libraries: without HF_TOKEN
// the access token is that of their login, in the file HF_TOKEN_PATH, or token in HF_HOME.
func FromEnvironment(lookup func(string) (string, bool)) (Config, error) {
	value := func(name string) string {
		text, _ := lookup(name)
		return strings.TrimSpace(text)
	}
	config := Config{Endpoint: DefaultEndpoint, Token: value("HF_TOKEN"), CacheDir: inHome(value("HF_HUB_CACHE"))}
	if endpoint := value("HF_ENDPOINT"); endpoint != "" {
		config.Endpoint = strings.TrimRight(endpoint, "/")
	}
	parsed, err := url.Parse(config.Endpoint)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return Config{}, fmt.Errorf("HF_ENDPOINT is %q, expected a URL like %s", config.Endpoint, DefaultEndpoint)
	}
	if parsed.User != nil {
		return Config{}, fmt.Errorf("HF_ENDPOINT has a user name or password (%s), which would show in records and messages; put the access token into HF_TOKEN", parsed.Redacted())
	}
	switch strings.ToUpper(value("HF_HUB_OFFLINE")) {
	case "1", "ON", "YES", "TRUE":
		config.Offline = true
	}
	home := homeOf(inHome(value("HF_HOME")), inHome(value("XDG_CACHE_HOME")))
	if config.CacheDir == "" && home != "" {
		config.CacheDir = filepath.Join(home, "hub")
	}
	if config.Token == "" && !config.Offline {
		config.Token, err = loginToken(inHome(value("HF_TOKEN_PATH")), home)
	}
	return config, err
}

// homeOf is HF_HOME, which is huggingface in the user's cache folder unless it is set; empty where there is
// none.
func homeOf(home, userCache string) string {
	if home != "" {
		return home
	}
	if userCache == "" {
		own, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		userCache = filepath.Join(own, ".cache")
	}
	return filepath.Join(userCache, "huggingface")
}

// inHome is a path in which a leading ~ stands for the user's folder.
func inHome(path string) string {
	if path != "~" && !strings.HasPrefix(path, "~/") {
		return path
	}
	own, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(own, path[1:])
}

// mostToken bounds the file of an access token, in bytes; tokens have some forty.
const mostToken = 4096

// loginToken reads the token that a login has left; a file that is not there, or empty, has none.
func loginToken(path, home string) (string, error) {
	if path == "" {
		if home == "" {
			return "", nil
		}
		path = filepath.Join(home, "token")
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return "", nil
	}
	var text []byte
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(file, mostToken+1))
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return "", fmt.Errorf("reading the access token: %w; make the file readable, or name another by HF_TOKEN_PATH, or set HF_TOKEN", err)
	}
	token := strings.TrimSpace(string(text))
	if len(text) > mostToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("%s does not hold an access token, which is one word; log in again, name another file by HF_TOKEN_PATH, or set HF_TOKEN", path)
	}
	return token, nil
}

// sleep waits, or ends with ctx.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

package hub

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
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

// FromEnvironment reads HF_ENDPOINT, HF_TOKEN, HF_HUB_OFFLINE, HF_HUB_CACHE and HF_HOME by lookup, which
// os.LookupEnv is one of. The defaults are those of the HuggingFace libraries.
func FromEnvironment(lookup func(string) (string, bool)) (Config, error) {
	value := func(name string) string {
		text, _ := lookup(name)
		return strings.TrimSpace(text)
	}
	config := Config{Endpoint: DefaultEndpoint, Token: value("HF_TOKEN"), CacheDir: value("HF_HUB_CACHE")}
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
	if config.CacheDir == "" {
		config.CacheDir = cacheBelow(value("HF_HOME"), value("XDG_CACHE_HOME"))
	}
	return config, nil
}

// cacheBelow is the cache folder in HF_HOME, which is huggingface in the user's cache folder unless it
// is set.
func cacheBelow(home, userCache string) string {
	if home == "" {
		if userCache == "" {
			own, err := os.UserHomeDir()
			if err != nil {
				return "" // no home, no cache
			}
			userCache = filepath.Join(own, ".cache")
		}
		home = filepath.Join(userCache, "huggingface")
	}
	return filepath.Join(home, "hub")
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

package serverinfo

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Identity is what a server says of itself.
type Identity struct {
	URL         string   // base URL, credentials masked
	Server      string   // Server header
	Version     string   // of /version; empty where it has none
	Models      []string // ids of /v1/models
	MaxModelLen int64    // context window in tokens: the smallest that a model names; 0 = not said
	Raw         map[string]any
	Err         error // why /v1/models could not be read; the rest may be there all the same
}

// identityTimeout bounds what Identify asks one server: one that hangs on the first question is not asked the second.
const identityTimeout = 10 * time.Second

// Identify asks every server who it is. A server that does not say is no error of the run.
func (c *Client) Identify(ctx context.Context) []Identity {
	identities := make([]Identity, 0, len(c.targets))
	for _, t := range c.targets {
		identities = append(identities, c.identify(ctx, t))
	}
	return identities
}

// modelList is the answer of /v1/models: vLLM and SGLang give max_model_len, llama.cpp meta.n_ctx.
type modelList struct {
	Data []struct {
		ID          string `json:"id"`
		MaxModelLen int64  `json:"max_model_len"`
		Meta        struct {
			NCtx int64 `json:"n_ctx"`
		} `json:"meta"`
	} `json:"data"`
}

func (c *Client) identify(ctx context.Context, t target) Identity {
	ctx, cancel := context.WithTimeout(ctx, identityTimeout)
	defer cancel()
	identity := Identity{URL: t.endpoint.At(t.endpoint.Base()).Redacted(), Raw: map[string]any{}}
	models, list, err := c.models(ctx, t, identityTimeout)
	identity.Server = models.header.Get("Server")
	identity.Err = err
	if err == nil && models.status != http.StatusOK {
		identity.Err = fmt.Errorf("%s: %s; expected the list of models", t.page("/v1/models").Redacted(), c.excerpt(models))
	}
	for _, model := range list.Data {
		identity.Models = append(identity.Models, model.ID)
		window := model.MaxModelLen
		if window == 0 {
			window = model.Meta.NCtx
		}
		if window > 0 && (identity.MaxModelLen == 0 || window < identity.MaxModelLen) {
			identity.MaxModelLen = window
		}
	}
	keepRaw(identity.Raw, "models", models)
	version, err := c.call(ctx, t.proxied, http.MethodGet, t.page("/version"), nil, true, maxBody)
	if err != nil || version.status != http.StatusOK {
		return identity
	}
	var said struct {
		Version string `json:"version"`
	}
	if json.Unmarshal(version.body, &said) == nil {
		identity.Version = said.Version
		keepRaw(identity.Raw, "version", version)
	}
	return identity
}

// models asks for the list of models; list is empty where the answer is none.
func (c *Client) models(ctx context.Context, t target, timeout time.Duration) (a answer, list modelList, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	a, err = c.call(ctx, t.proxied, http.MethodGet, t.page("/v1/models"), nil, true, maxBody)
	if err != nil || a.status != http.StatusOK {
		return a, list, err
	}
	if err := json.Unmarshal(a.body, &list); err != nil {
		return a, modelList{}, fmt.Errorf("%s: the list of models is no JSON: %w", t.page("/v1/models").Redacted(), err)
	}
	return a, list, nil
}

// keepRaw files a JSON answer as it came, where it is small enough to be read by people.
func keepRaw(raw map[string]any, name string, a answer) {
	var value any
	if a.status == http.StatusOK && len(a.body) <= 64<<10 && json.Unmarshal(a.body, &value) == nil {
		raw[name] = value
	}
}

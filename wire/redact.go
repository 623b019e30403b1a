package wire

import (
	"slices"
	"strings"
)

// Masked stands in place of a secret.
const Masked = "<redacted>"

// secretHeaders are the names whose values are masked; secretParts mask a name that contains one.
const secretHeaders = " authorization proxy-authorization x-api-key api-key ocp-apim-subscription-key x-goog-api-key" +
	" x-functions-key aeg-sas-key x-amz-security-token cookie set-cookie x-auth-token x-access-token x-session-token" +
	" x-csrf-token x-xsrf-token "

var secretParts = [...]string{"auth", "token", "secret", "password", "passwd", "credential", "cookie", "apikey", "api-key",
	"api_key", "session", "signature", "sas-key", "access-key", "private-key"}

// SecretName tells whether the value of a header, query key or setting of this name must be masked.
func SecretName(name string) bool {
	lowered := strings.ToLower(name)
	if strings.Contains(secretHeaders, " "+lowered+" ") {
		return true
	}
	for _, part := range secretParts {
		if strings.Contains(lowered, part) {
			return true
		}
	}
	return false
}

// ownHeaders are sent by this client with ids that it made itself: masking them would only hide which
// stream a request belonged to.
const ownHeaders = " x-request-id x-correlation-id x-session-id x-session-affinity x-smg-routing-key" +
	" x-dynamo-session-id x-dynamo-parent-session-id "

// RedactHeaders gives a copy with the values of secret headers masked. Headers that this client makes
// itself, and those named in own, are left.
func RedactHeaders(headers []Header, own ...string) []Header {
	out := make([]Header, len(headers))
	for i, header := range headers {
		out[i] = header
		if SecretName(header.Name) && !isOwn(header.Name, own) {
			out[i].Value = Masked
		}
	}
	return out
}

func isOwn(name string, own []string) bool {
	if strings.Contains(ownHeaders, " "+strings.ToLower(name)+" ") {
		return true
	}
	return slices.ContainsFunc(own, func(other string) bool { return strings.EqualFold(other, name) })
}

// RedactURL masks the credentials of a URL, and the values of query keys with secret names. It takes any
// text, also one that is no URL.
func RedactURL(text string) string {
	head, query, hasQuery := strings.Cut(text, "?")
	start := 0
	if cut := strings.Index(head, "://"); cut >= 0 {
		start = cut + 3
	}
	end := len(head)
	if cut := strings.IndexByte(head[start:], '/'); cut >= 0 {
		end = start + cut
	}
	if cut := strings.LastIndexByte(head[start:end], '@'); cut >= 0 {
		head = head[:start] + Masked + head[start+cut:]
	}
	if !hasQuery {
		return head
	}
	query, fragment, hasFragment := strings.Cut(query, "#")
	out := head + "?" + redactQuery(query)
	if hasFragment {
		out += "#" + fragment
	}
	return out
}

func redactQuery(query string) string {
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		name, _, found := strings.Cut(pair, "=")
		if found && secretKey(name) {
			pairs[i] = name + "=" + Masked
		}
	}
	return strings.Join(pairs, "&")
}

// secretKey tells whether a query key's value must be masked.
func secretKey(name string) bool {
	switch strings.ToLower(name) {
	case "key", "sig", "code":
		return true
	}
	return SecretName(name)
}

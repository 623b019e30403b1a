package run

import (
	"strings"
	"testing"
	"unicode/utf8"

	"agentx/sched"
	"agentx/wire"
)

// A failed warmup names what to change, by the class of the failure (issue of users: hours of warmup, then
// a bare status).
func TestAFailureNamesItsRemedy(t *testing.T) {
	for name, c := range map[string]struct {
		result wire.Result
		want   string
	}{
		"refused":       {wire.Result{Outcome: wire.OutcomeError, Class: wire.ClassTransport}, "--url"},
		"no key":        {wire.Result{Outcome: wire.OutcomeError, Class: wire.ClassHTTP, Status: 401}, "--api-key"},
		"wrong key":     {wire.Result{Outcome: wire.OutcomeError, Class: wire.ClassHTTP, Status: 403}, "--api-key"},
		"no such model": {wire.Result{Outcome: wire.OutcomeError, Class: wire.ClassHTTP, Status: 404}, "--model"},
		"overflow":      {wire.Result{Outcome: wire.OutcomeOverflow, Class: wire.ClassHTTP, Status: 400}, "--max-context-length"},
		"bad request":   {wire.Result{Outcome: wire.OutcomeError, Class: wire.ClassHTTP, Status: 422}, "agentx-run probe"},
		"body limit":    {wire.Result{Outcome: wire.OutcomeError, Class: wire.ClassHTTP, Status: 413}, "body sizes"},
		"redirected":    {wire.Result{Outcome: wire.OutcomeError, Class: wire.ClassHTTP, Status: 307}, "--url"},
		"rate limit":    {wire.Result{Outcome: wire.OutcomeError, Class: wire.ClassHTTP, Status: 429}, "--concurrency"},
		"server error":  {wire.Result{Outcome: wire.OutcomeError, Class: wire.ClassHTTP, Status: 503}, "look at its log"},
		"grace":         {wire.Result{Outcome: wire.OutcomeCancelled}, "--agentic-warmup-grace-period"},
		"timeout":       {wire.Result{Outcome: wire.OutcomeError, Class: wire.ClassTimeout}, "--request-timeout-seconds"},
	} {
		var f failures
		f.note(7, &c.result)
		if got := f.of(7).remedy(); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q does not name %s", name, got, c.want)
		}
	}
}

// What cancels requests is told with the setting that decides it (decision 18 tells the reasons apart).
func TestACancellationNamesItsSetting(t *testing.T) {
	s := &session{trial: &trial{options: &Options{Load: LoadOptions{FailedThreshold: 0.25}}}}
	for why, want := range map[sched.Reason]string{
		sched.ReasonUser:         "stopped by the user",
		sched.ReasonThreshold:    "more than 25 % of the requests failed (--failed-request-threshold 0.25)",
		sched.ReasonFailFast:     "--dag-fail-fast",
		sched.ReasonGrace:        "the grace period is over",
		sched.ReasonDrainTimeout: "--agentic-warmup-grace-period",
	} {
		if got := s.whyCancelled(why); !strings.Contains(got, want) {
			t.Errorf("%s: %q does not say %q", why, got, want)
		}
	}
}

// An error's text can be as long as its server likes: what is kept of it is not, and stays text.
func TestAFailureKeepsABoundedText(t *testing.T) {
	var f failures
	f.note(1, &wire.Result{Outcome: wire.OutcomeError, Status: 500, Err: &wire.Error{Type: "E", Message: strings.Repeat("é", 50_000)}})
	kept := f.of(1).text
	if len(kept) > messageLimit+len("…") || !utf8.ValidString(kept) || !strings.HasPrefix(kept, "E: ééé") {
		t.Errorf("kept %d bytes: %.40q", len(kept), kept)
	}
}

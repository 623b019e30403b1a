package analyze

import "testing"

func TestWhatIsLeftOutIsToldInOneSentence(t *testing.T) {
	got := leftOut([]string{"request_headers: the run kept no answers", "responses: the run kept no answers", "payload: no bundle: a, b"})
	if want := "request_headers, responses (the run kept no answers); payload (no bundle: a, b)"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := leftOut(nil); got != "" {
		t.Errorf("%q, want nothing", got)
	}
}

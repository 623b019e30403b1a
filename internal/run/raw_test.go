package run

import (
	"path/filepath"
	"strings"
	"testing"

	"agentx/eventlog"
	"agentx/sched"
	"agentx/wire"
)

// TestRawAnswersAreStoredOnceAndMasked: two answers that are the same take the room of one, and what the
// user keeps secret is in none of them.
func TestRawAnswersAreStoredOnceAndMasked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.db")
	writer, err := eventlog.Create(path, eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	client, err := wire.New(wire.Options{URLs: []string{"http://127.0.0.1:1"}, APIKey: "sk-topsecret", Headers: []wire.Header{{Name: "X-Mine", Value: "mine-and-only-mine"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	journal := newJournal(writer, sched.Config{}, newClock(), &status{config: &sched.Config{}})
	keeper := &rawKeeper{journal: journal, client: client, packer: packer(), stored: map[[32]byte]bool{}}
	head := []byte("HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nX-Echo: mine-and-only-mine\r\n\r\n")
	for i, body := range []string{"data: same\n\n", "data: same\n\n", "data: Bearer sk-topsecret\n\n", ""} {
		item := finished{exchange: int64(i)}
		item.raw = keeper.take(&wire.Request{RequestID: "r"}, &wire.Result{RawHead: head, RawBody: []byte(body)})
		keeper.store(&item)
	}
	(*rawKeeper)(nil).store(&finished{})
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	log, err := eventlog.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var bodies []bool
	var digests []string
	for event, err := range log.Events(eventlog.Filter{Kinds: []eventlog.Kind{eventlog.KindRawExchange}}) {
		if err != nil {
			t.Fatal(err)
		}
		kept, err := eventlog.Decode[eventlog.RawExchange](event)
		if err != nil {
			t.Fatal(err)
		}
		text := string(event.Payload) + string(event.Data)
		for _, secret := range []string{"sk-topsecret", "mine-and-only-mine", "a=b"} {
			if strings.Contains(text, secret) {
				t.Errorf("%q is in the log: %s", secret, event.Payload)
			}
		}
		if kept.Masked != (event.Exchange == 2) {
			t.Errorf("exchange %d: masked %v", event.Exchange, kept.Masked)
		}
		bodies, digests = append(bodies, len(event.Data) > 0), append(digests, kept.Body)
	}
	if len(bodies) != 4 || !bodies[0] || bodies[1] || !bodies[2] || bodies[3] || digests[0] != digests[1] || digests[0] == digests[2] || digests[3] != "" {
		t.Errorf("bodies %v, digests %q", bodies, digests)
	}
}

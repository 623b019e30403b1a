package eventlog

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/zeebo/blake3"
	"pgregory.net/rapid"
)

// eventGen draws events with every column present or absent, and payloads and data of all lengths.
func eventGen() *rapid.Generator[Event] {
	id := rapid.OneOf(rapid.Just[int64](None), rapid.Int64Range(0, 3), rapid.Int64Min(0))
	kinds := Kinds()
	return rapid.Custom(func(t *rapid.T) Event {
		event := Event{
			AtNs: rapid.Int64().Draw(t, "at"),
			Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
			Lane: id.Draw(t, "lane"), Play: id.Draw(t, "play"), Stream: id.Draw(t, "stream"),
			Turn: id.Draw(t, "turn"), Exchange: id.Draw(t, "exchange"),
		}
		if event.Kind == KindRunEnd || event.Kind == KindRunConfig {
			event.Kind = KindNotice
		}
		if rapid.Bool().Draw(t, "has payload") {
			event.Payload = []byte(`{"t":"` + rapid.StringN(0, 40, 5000).Draw(t, "text") + `"}`)
		}
		if event.Kind == KindExchangeEnd && rapid.Bool().Draw(t, "has an end") {
			event.Payload = exchangeEndGen(t)
		}
		event.Data = rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "data")
		if rapid.IntRange(0, 30).Draw(t, "long") == 0 {
			event.Data = slices.Repeat([]byte{byte(event.AtNs)}, 100_000)
		}
		if len(event.Data) == 0 {
			event.Data = nil
		}
		return event
	})
}

// exchangeEndGen draws an exchange_end payload, some values of few so that later ones share them.
func exchangeEndGen(t *rapid.T) []byte {
	few := func(name string, values ...string) string { return rapid.SampledFrom(values).Draw(t, name) }
	end := ExchangeEnd{
		Outcome: OutcomeOK, Status: rapid.SampledFrom([]int{200, 503}).Draw(t, "status"), Protocol: few("protocol", "HTTP/1.1", "HTTP/2.0"),
		RequestID:  few("id", "0f3a9c52-7be1-4d06-9a44-5d1c2b3e4f50", "0F3a9c52-7be1-4d06-9a44-5d1c2b3e4f50", "x", "0f3a9c527-be1-4d06-9a44-5d1c2b3e4f50"),
		BodyDigest: few("digest", "", "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff", "no digest"),
		Model:      few("model", "", "m", "an \"odd\" one"), FinishReasons: []string{few("finish", "stop", "length")},
		LocalAddr: few("address", "", "1.2.3.4:5"), ErrorMessage: few("error", "", "{\"a\":[1,2]}, \\ and so on"),
		StartNs: rapid.Int64().Draw(t, "start"), EndNs: rapid.Int64().Draw(t, "end"),
	}
	return end.appendJSON(nil)
}

// Whatever is added, in whatever batches, with whatever plans between: it comes back the same, through
// every filter, and the log is whole.
func TestAnyEventsComeBackThroughAnyFilter(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		path := filepath.Join(dir, "run.db")
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
		w, err := Create(path, Options{noSync: true})
		if err != nil {
			t.Fatal(err)
		}
		added := []Event{New(KindRunConfig, 0)}
		if _, err := w.Add(added[0]); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 40).Draw(t, "events") {
			if rapid.IntRange(0, 8).Draw(t, "plan") == 0 {
				plan := rapid.SliceOfN(rapid.Byte(), 1, 50).Draw(t, "plan bytes")
				if err := w.AddPlan(blake3.Sum256(plan), plan); err != nil {
					t.Fatal(err)
				}
			}
			event := eventGen().Draw(t, "event")
			event.Cause = Seq(rapid.IntRange(0, len(added)).Draw(t, "cause"))
			added = append(added, event)
			if _, err := w.Add(event); err != nil {
				t.Fatal(err)
			}
			if rapid.IntRange(0, 15).Draw(t, "sync") == 0 && w.Sync() != nil {
				t.Fatal(w.Err())
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for i := range added {
			added[i].Seq = Seq(i + 1)
		}
		checkFilters(t, path, added)
	})
}

func checkFilters(t *rapid.T, path string, added []Event) {
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if report := r.Check(); len(report.Damages) > 0 || report.ValidTo != Seq(len(added)) {
		t.Fatalf("the report is %+v", report)
	}
	for range 4 {
		filter := Filter{
			From:   Seq(rapid.IntRange(0, len(added)+1).Draw(t, "from")),
			To:     Seq(rapid.IntRange(0, len(added)+1).Draw(t, "to")),
			Kinds:  rapid.SliceOfN(rapid.SampledFrom(Kinds()), 0, 5).Draw(t, "kinds"),
			NoData: rapid.Bool().Draw(t, "no data"),
		}
		var want []Event
		for _, event := range added {
			if event.Seq < filter.From || (filter.To != 0 && event.Seq > filter.To) ||
				(len(filter.Kinds) > 0 && !slices.Contains(filter.Kinds, event.Kind)) {
				continue
			}
			if filter.NoData {
				event.Data = nil
			}
			want = append(want, event)
		}
		var got []Event
		for event, err := range r.Events(filter) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, event.Clone())
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("filter %+v gives %+v, want %+v", filter, got, want)
		}
	}
}

package weka_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentx/corpus"
	"agentx/corpus/weka"
)

// The fault cases that users of such tools reported, as far as they concern reading and reconstruction.
// The number is that of the case.

// bugCase reads and builds all traces of a case's files.
func bugCase(t *testing.T, settings weka.Settings, files ...string) (*weka.Corpus, []built, error) {
	t.Helper()
	paths := make([]string, len(files))
	for i, file := range files {
		paths[i] = sharedPath(t, "bugs", filepath.FromSlash(file))
	}
	if settings.Options == (corpus.Options{}) {
		settings.Options = corpus.DefaultOptions()
	}
	joined, err := surveyAll(t, settings, paths...)
	if err != nil {
		return nil, nil, err
	}
	var all []built
	for _, unit := range joined.Units {
		all = append(all, buildUnit(t, unit, settings.Options))
	}
	return joined, all, nil
}

func bugTraces(t *testing.T, settings weka.Settings, files ...string) []built {
	t.Helper()
	_, all, err := bugCase(t, settings, files...)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// refusedWith checks that the files are refused with an error that says all parts.
func refusedWith(t *testing.T, settings weka.Settings, parts []string, files ...string) {
	t.Helper()
	_, _, err := bugCase(t, settings, files...)
	if err == nil {
		t.Errorf("%v was accepted", files)
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %q does not say %q on one line", files, err, part)
		}
	}
}

func hitsOf(conversation *corpus.Conversation) (hits []int) {
	for _, turn := range conversation.Turns {
		hits = append(hits, turn.HitBlocks)
	}
	return hits
}

func gapsOf(conversation *corpus.Conversation) (gaps []float64) {
	for _, turn := range conversation.Turns[1:] {
		gaps = append(gaps, float64(turn.GapMs))
	}
	return gaps
}

func TestBug02TailConventions(t *testing.T) {
	for file, want := range map[string]struct {
		in, tails, full []int64
		hitTokens       int64
	}{
		"floor.json": {[]int64{150, 300}, []int64{22, 44}, []int64{2, 4}, 128},
		"ceil.json":  {[]int64{150, 300}, []int64{22, 44}, []int64{2, 4}, 128},
		"exact.json": {[]int64{192, 320}, []int64{0, 0}, []int64{3, 5}, 192},
	} {
		got := bugTraces(t, weka.Settings{Strict: true}, "02-tail-hash-conventions/"+file)[0]
		for k, turn := range got.plan.Root().Turns {
			var tokens, tail int64
			for _, message := range arrayOf(got.plan.Root(), k) {
				tokens += message.Tokens
			}
			last := got.layout.Messages[0][k][len(turn.New)-1]
			if last.HasTail {
				tail = int64(got.layout.TokensOf(last.Tail, 64))
			}
			equal(t, file+" tokens", want.in[k], tokens)
			equal(t, file+" tail", want.tails[k], tail)
			equal(t, file+" full blocks", want.full[k], (tokens-tail)/64)
		}
		equal(t, file+" hit", want.hitTokens, got.plan.Root().Turns[1].HitTokens)
	}
}

// arrayOf is the message array of turn k.
func arrayOf(conversation *corpus.Conversation, k int) []corpus.Message {
	var array []corpus.Message
	for i := range k + 1 {
		array = append(array[:conversation.Turns[i].Keep:conversation.Turns[i].Keep], conversation.Turns[i].New...)
	}
	return array
}

func TestBug03HashCountDoesNotFit(t *testing.T) {
	few, many := "03-hash-count-does-not-fit/too-few.json", "03-hash-count-does-not-fit/too-many.json"
	refusedWith(t, weka.Settings{Strict: true}, []string{"too-few.json", "trace few", "requests[0].hash_ids", "in 640", "block size 64", "2 ids", "10..10"}, few)
	refusedWith(t, weka.Settings{Strict: true}, []string{"too-many.json", "trace many", "requests[0].hash_ids", "in 64", "5 ids", "1..1"}, many)
	all := bugTraces(t, weka.Settings{}, few, many, "03-hash-count-does-not-fit/full-and-partial.json")
	equal(t, "filled", []int{1, 8}, []int{all[0].facts.RowsTooFewIDs, int(all[0].facts.FillBlocks)})
	equal(t, "surplus", 1, all[1].facts.RowsSurplusIDs)
	equal(t, "partial: in", []int64{100, 128}, []int64{all[2].plan.Root().Turns[0].In, all[2].plan.Root().Turns[1].In})
	equal(t, "partial: hits", []int{0, 1}, hitsOf(all[2].plan.Root()))
}

func TestBug04HashScope(t *testing.T) {
	for _, got := range bugTraces(t, weka.Settings{Strict: true}, "04-hash-scope/local-a.json", "04-hash-scope/local-b.json", "04-hash-scope/absent.json") {
		equal(t, string(got.plan.Trace), []int{0, 3}, hitsOf(got.plan.Root()))
	}
	refusedWith(t, weka.Settings{}, []string{"global-a.json", "hash_id_scope", `"global"`, "not supported"}, "04-hash-scope/global-a.json")
	refusedWith(t, weka.Settings{}, []string{"other.json", "hash_id_scope", `"session"`}, "04-hash-scope/other.json")
}

func TestBug05NullTokenCounts(t *testing.T) {
	refusedWith(t, weka.Settings{}, []string{"nulls.json", "trace nulls", "requests[1].in", "is missing"}, "05-null-token-counts/nulls.json")
}

func TestBug07ZeroOutput(t *testing.T) {
	got := bugTraces(t, weka.Settings{Strict: true}, "07-zero-output/zero.json")[0]
	turns := got.plan.Root().Turns
	equal(t, "limits", []int64{1, 7}, []int64{turns[0].MaxOut, turns[1].MaxOut})
	equal(t, "recorded", []int64{0, 7}, []int64{turns[0].Out, turns[1].Out})
	equal(t, "zero outputs", 1, got.facts.ZeroOut)
}

// selectOf is the selection from files of a case.
func selectOf(t *testing.T, options corpus.Options, files ...string) (corpus.Selection, []string, error) {
	t.Helper()
	joined, _, err := bugCase(t, weka.Settings{Options: options}, files...)
	if err != nil {
		t.Fatal(err)
	}
	selection, err := corpus.Select(joined.Summaries(), options)
	var kept []string
	for _, i := range selection.Kept {
		kept = append(kept, string(joined.Units[i].Summary.Trace))
	}
	return selection, kept, err
}

func TestBug08FilterBeforeCap(t *testing.T) {
	var files []string
	for _, name := range []string{"t1", "t2", "t3", "t4", "t5", "t6"} {
		files = append(files, "08-filter-before-cap/"+name+".json")
	}
	options := corpus.DefaultOptions()
	options.MaxContextLength, options.NumDatasetEntries = 1000, 2
	selection, kept, err := selectOf(t, options, files...)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "kept", []string{"t3", "t5"}, kept)
	equal(t, "scanned", 5, selection.Scanned)
	equal(t, "rejected", []int{0, 1, 3}, selection.TooLong)
	options.NumDatasetEntries = 0
	if _, kept, err = selectOf(t, options, files...); err != nil {
		t.Fatal(err)
	}
	equal(t, "kept of all", []string{"t3", "t5", "t6"}, kept)
}

func TestBug09SmallestPeakIsNamed(t *testing.T) {
	options := corpus.DefaultOptions()
	options.MaxContextLength = 1000
	dir := "09-all-rejected-names-the-floor/"
	_, _, err := selectOf(t, options, dir+"a.json", dir+"b.json")
	for _, part := range []string{"2 scanned", "kept 0", "limit 1000", "smallest peak 1205", "trace a"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v does not say %q", err, part)
		}
	}
	_, kept, err := selectOf(t, options, dir+"edge-fits.json", dir+"edge-over.json", dir+"edge-zero.json")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "kept", []string{"e1"}, kept)
}

func TestBug10OutputCounts(t *testing.T) {
	options := corpus.DefaultOptions()
	options.MaxContextLength = 32768
	_, _, err := selectOf(t, options, "10-output-counts-in-context-fit/near.json")
	if err == nil || !strings.Contains(err.Error(), "smallest peak 33100") {
		t.Errorf("%v, want a peak of 33100", err)
	}
}

func TestBug11NothingToSend(t *testing.T) {
	dir := "11-nothing-to-send/"
	refusedWith(t, weka.Settings{}, []string{"no-requests-key.json", "trace nrk", "requests: is missing"}, dir+"no-requests-key.json")
	settings := weka.Settings{Options: corpus.DefaultOptions(), SkipInvalid: true}
	joined, all, err := bugCase(t, settings, dir+"empty.json", dir+"only-empty-subagent.json", dir+"no-requests-key.json", dir+"empty-subagent-between.json", dir+"ok.json")
	if err != nil {
		t.Fatal(err)
	}
	selection, err := corpus.Select(joined.Summaries(), settings.Options)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "kept", []int{2, 3}, selection.Kept)
	equal(t, "nothing to send", []int{0, 1}, selection.NothingToSend)
	equal(t, "refused", 1, len(joined.Refused))
	esb := all[2].plan
	equal(t, "turns", 2, len(esb.Root().Turns))
	equal(t, "gap", []float64{8000}, gapsOf(esb.Root()))
	equal(t, "the child has no turn", 0, len(esb.Conversations[1].Turns))
	equal(t, "its branch", 1, esb.Root().Branches[0].JoinTurn)
	_, _, err = selectOf(t, settings.Options, dir+"empty.json")
	if err == nil || !strings.Contains(err.Error(), "0 requests to send") {
		t.Errorf("only an empty trace: %v", err)
	}
}

func TestBug14OverlapAndNegativeGaps(t *testing.T) {
	dir := "14-overlap-and-negative-gap/"
	all := bugTraces(t, weka.Settings{}, dir+"overlap.json", dir+"same-t.json", dir+"unsorted.json")
	overlap := all[0].plan
	equal(t, "overlap: rows of the root", []int{0, 2}, rowsOf(overlap.Root()))
	equal(t, "overlap: gap", []float64{2000}, gapsOf(overlap.Root()))
	equal(t, "overlap: conversations", 2, len(overlap.Conversations))
	equal(t, "same t: rows", []int{0, 1, 2}, rowsOf(all[1].plan.Root()))
	equal(t, "same t: gaps", []float64{0, 0}, gapsOf(all[1].plan.Root()))
	equal(t, "unsorted: rows", []int{1, 2, 0}, rowsOf(all[2].plan.Root()))
	equal(t, "unsorted: named", []corpus.TraceID{"us"}, all[2].facts.OutOfOrder)
	// The second request overlaps the first, so that by default it is a conversation of its own.
	options := corpus.DefaultOptions()
	options.ThinkTimeOnly, options.SplitFlattenedAgents = true, false
	negative := bugTraces(t, weka.Settings{Options: options}, dir+"negative-think.json")[0]
	equal(t, "negative think: gap", []float64{0}, gapsOf(negative.plan.Root()))
	equal(t, "negative think: counted", 1, negative.facts.NegativeThink)
}

func rowsOf(conversation *corpus.Conversation) (rows []int) {
	for _, turn := range conversation.Turns {
		rows = append(rows, turn.Row)
	}
	return rows
}

func TestBug15DuplicateTraceID(t *testing.T) {
	refusedWith(t, weka.Settings{}, []string{"trace_0001", "first.json", "second.json"}, "15-duplicate-trace-id/first.json", "15-duplicate-trace-id/second.json")
}

func TestBug16Lines(t *testing.T) {
	dir := "16-jsonl-bom-crlf-blank-badline/"
	equal(t, "good lines", 2, len(bugTraces(t, weka.Settings{}, dir+"good-only.jsonl")))
	equal(t, "byte order mark", 1, len(bugTraces(t, weka.Settings{}, dir+"bom.json")))
	refusedWith(t, weka.Settings{}, []string{"traces.jsonl, line 5", "trace t3", "requests[0].in"}, dir+"traces.jsonl")
	joined, all, err := bugCase(t, weka.Settings{SkipInvalid: true}, dir+"traces.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range all {
		names = append(names, string(all[i].plan.Trace))
	}
	if !slices.Equal(names, []string{"t1", "t2", "t4"}) || len(joined.Refused) != 1 {
		t.Errorf("traces %v, refused %v", names, joined.Refused)
	}
}

func TestBug18RepeatedHash(t *testing.T) {
	all := bugTraces(t, weka.Settings{}, "18-repeated-hash-in-one-request/repeat.json", "18-repeated-hash-in-one-request/defs.json")
	equal(t, "repeat", []int{0, 3}, hitsOf(all[0].plan.Root()))
	equal(t, "defs", []int{0, 2, 1}, hitsOf(all[1].plan.Root()))
	facts := all[1].facts
	equal(t, "blocks", []int64{3, 8}, []int64{facts.HitBlocks, facts.TotalBlocks})
	equal(t, "tokens", []int64{192, 518}, []int64{facts.HitTokens, facts.InTokens})
}

package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentx/internal/bundles"
	"agentx/internal/exit"
	"agentx/internal/scenario"
	"agentx/sched"
)

// open finds and opens the bundle, holds it against the data set flags, and applies the scenario to both.
// The error carries the exit code; it names everything that is wrong at once.
func (o *Options) open(ctx context.Context) (*recording, error) {
	if o.Bundle == "" {
		path, err := bundles.Find(ctx, o.Wish, o.CacheDir)
		if err != nil {
			// Without a bundle a scenario still tells what else is wrong.
			return nil, exit.With(exit.Usage, errors.Join(o.judge(o.Wish.Content()), err))
		}
		o.Bundle = path
		o.record("bundle", path)
		o.note("info", "bundle_from_cache", "bundle from the cache: "+path)
	}
	recording, err := openRecording(o.Bundle)
	if err != nil {
		return nil, err
	}
	if err := o.fit(ctx, recording); err != nil {
		recording.close()
		return nil, err
	}
	return recording, nil
}

// fit settles what depends on the bundle.
func (o *Options) fit(ctx context.Context, recording *recording) error {
	manifest, err := recording.manifest()
	if err != nil {
		return err
	}
	err = errors.Join(o.judge(scenario.ContentOf(manifest)), bundles.Against(ctx, o.Wish, recording.bundle))
	if err == nil {
		err = o.checkResolved()
	}
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	if o.Results.ApplyTemplate && !o.Simulate.On {
		if err := recording.demandFraming(); err != nil {
			return err
		}
	}
	if everyRootOnce(&o.Load) {
		o.note("info", "every_trace_once", everyTraceOnce(len(recording.plans), o.Load.Sampler))
	}
	o.noteSilentLanes(len(recording.plans))
	o.noteEqualTexts(len(recording.plans))
	o.noteEffects(recording.bundle.Recipe())
	return o.checkFiles(recording)
}

// everyTraceOnce says when a run ends that was given no stop.
func everyTraceOnce(traces int, sampler string) string {
	played := fmt.Sprintf("each of the %d traces has been played once", traces)
	switch {
	case traces == 1:
		played = "the one trace has been played once"
	case sampler == string(sched.SamplerRandom):
		played = fmt.Sprintf("%d sessions have been played, as many as there are traces; --dataset-sampling-strategy random may draw one twice and leave others out", traces)
	}
	return "no --benchmark-duration, --request-count or --num-sessions: the run ends when " + played
}

// noteSilentLanes tells of lanes that find the sessions used up when profiling begins (scheduling 7.5):
// the concurrency that was asked for is then not reached.
func (o *Options) noteSilentLanes(traces int) {
	sessions := o.Load.NumSessions
	if everyRootOnce(&o.Load) {
		sessions = int64(traces)
	}
	for _, lanes := range o.points() {
		if silent := int64(lanes) - sessions; sessions > 0 && silent > 0 {
			o.note("warning", "lanes_without_session", fmt.Sprintf("--concurrency %d, but the run ends after %s: %s will send nothing after the warmup; lower --concurrency, or let the run end by --benchmark-duration",
				lanes, counted(sessions, "session"), counted(silent, "lane")))
		}
	}
}

// noteEqualTexts tells of lanes that play one trace at a time without a marker that tells their texts apart (scheduling
// 6.8): all but the first find their prompts in the server's cache.
func (o *Options) noteEqualTexts(traces int) {
	marked := o.Load.CacheBust != string(sched.CacheBustNone) && !strings.HasPrefix(o.Load.CacheBust, "warmup_isolation_")
	if most := slices.Max(o.points()); most > traces && !marked {
		o.note("warning", "equal_texts", fmt.Sprintf("--concurrency %d on %s and --cache-bust %s: lanes that play one trace send the same bytes, which the server has in its cache; --cache-bust first_turn_prefix tells them apart",
			most, counted(int64(traces), "trace"), o.Load.CacheBust))
	}
}

// checkFiles holds the limit of open files against what the lanes may need.
func (o *Options) checkFiles(recording *recording) error {
	limit, err := raiseFileLimit()
	if err != nil {
		return err
	}
	for _, lanes := range o.points() {
		warning, err := checkFileLimit(limit, lanes, fanOut(recording.plans, 1))
		if err != nil {
			return exit.With(exit.Usage, fmt.Errorf("--concurrency: %w", err))
		}
		if warning != "" {
			o.note("warning", "open_files", warning)
		}
	}
	return nil
}

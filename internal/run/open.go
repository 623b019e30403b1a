package run

import (
	"context"
	"errors"
	"fmt"

	"agentx/internal/bundles"
	"agentx/internal/exit"
	"agentx/internal/scenario"
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
		o.note("info", "every_trace_once", fmt.Sprintf("no --benchmark-duration, --request-count or --num-sessions: the run ends when each of the %d traces has been played once", len(recording.plans)))
	}
	o.noteEffects(recording.bundle.Recipe())
	return o.checkFiles(recording)
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

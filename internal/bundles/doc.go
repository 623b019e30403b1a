// Package bundles finds the bundle that a run's data set flags mean, and holds a bundle against such
// flags.
//
// A run replays what a bundle has; it cannot change it. So flags of a run that say what the recording is
// to be are a wish: a bundle agrees with it by effect (a cap that cuts nothing is no cap), or the answer
// is the agentx-prep command that makes the bundle which was meant (spec decision 27).
package bundles

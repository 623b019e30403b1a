// Package schedlog writes what goes into the replay machine and what comes out of it as rows of the
// event log, and reads it back: a log holds every input with its instant and every decision with its
// cause, so that the machine can be run again on the recorded inputs and must decide the same, byte for
// byte.
//
// One row is one input or one event, with two exceptions that keep the rows of an exchange few: the
// timer that a return sets rides in the payload of its ended row, and rows of inputs carry no lane,
// play, stream or turn (those of the exchange's dispatch hold).
package schedlog

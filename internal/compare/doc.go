// Package compare says whether two runs, or two groups of runs, may be compared, and what differs
// between them more than chance explains.
//
// It promises that every number comes from measure's definitions, that the same logs give the same
// comparison on any machine, in the digits that are shown, and that it claims a difference only where two
// methods agree: an interval that leaves out "no difference", and a test under which A and B are
// interchangeable. Requests of one session tree depend on each other, so whole trees are drawn and
// exchanged, never single requests; a tree of A goes with the tree of B that replays the same trace for
// the same time.
package compare

// Package child is the process that a submission runs in. It opens the device,
// gives up rights (no signals to others, no debugging of others, no network,
// no files written outside its own folder), loads the submission and then
// answers the grader's frames, one at a time.
//
// Nothing that it says decides over right or wrong: the grader checks the
// shared memory itself and uses its own clock for all that runs on the
// processor.
package child

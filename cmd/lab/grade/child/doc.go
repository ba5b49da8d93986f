// Package child is the process that a submission runs in. It enters the
// sandbox, opens the device, lets its system calls be filtered, loads the
// submission and then answers the grader's frames, one at a time.
//
// Where host code of the submission runs in it, nothing that it says decides
// anything: the grader reads the output buffers and its own clock.
package child

// Command is the hidden argument that makes a binary call Main.
const Command = "grade-child"

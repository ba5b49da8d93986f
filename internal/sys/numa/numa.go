// Package numa has memory taken from a chosen memory node of the host: beside the device that
// reads it.
package numa

// On calls f on a thread whose new memory comes from a node, as long as that has any; negative:
// from any node. Where the host has one node, where the process has a policy of its own (such
// as numactl sets), or where the system has no policies, On just calls f. It returns f's error.
func On(node int, f func() error) error { return on(node, f) }

// Package cluster has the tasks of a sort that many machines share, free of any engine: Sample,
// Cut, Split, Merge and Finish exchange small JSON files through object stores, and each of them
// may run twice or die at any moment. README.md has the files and the command's forms.
package cluster

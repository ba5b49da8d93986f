package by

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Find returns the place, from 0, of the column that k means among those with names.
func (k Key) Find(names []string) (int, error) {
	if len(names) == 0 {
		return 0, errors.New("there are no columns to sort by")
	}
	if k.Number > 0 {
		if k.Number > len(names) {
			return 0, fmt.Errorf("there is no column %d: there are %d: %s", k.Number, len(names), List(names))
		}
		return k.Number - 1, nil
	}
	at := slices.Index(names, k.Name)
	if at < 0 {
		return 0, fmt.Errorf("there is no column %q%s: there are %s", k.Name, hint(k.Name, names), List(names))
	}
	if again := slices.Index(names[at+1:], k.Name); again >= 0 {
		return 0, fmt.Errorf("there are several columns %q: give the number of one, as %d or %d", k.Name, at+1, at+again+2)
	}
	return at, nil
}

// List joins names for a message, not too many of them.
func List(names []string) string {
	const most = 30
	var b strings.Builder
	for i, n := range names {
		if i == most {
			return fmt.Sprintf("%s and %d more", b.String(), len(names)-most)
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(n)
	}
	return b.String()
}

// hint asks about the name that is most like the given one, if one is.
func hint(name string, names []string) string {
	best, least := "", len(name)/3
	for _, n := range names {
		d := distance(strings.ToLower(strings.TrimSpace(name)), strings.ToLower(strings.TrimSpace(n)))
		if d < least || d == least && best == "" {
			best, least = n, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (is it %q?)", best)
}

// distance is how many bytes of a are to be changed, left out or added for b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, before+1, row[j]+1)
		}
	}
	return row[len(b)]
}

package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Find returns the algorithm of that name on a backend.
func (t Table) Find(name, backend string) (Algorithm, error) {
	for _, a := range t.Algorithms {
		if a.Name == name && a.Backend == backend {
			return a, nil
		}
	}
	return Algorithm{}, fmt.Errorf("policies.json has no %s for %s", name, backend)
}

// Row returns the place of an instance's row among a.Rows.
func (a Algorithm) Row(target string, keyBits, valueBytes int) (int, error) {
	i := slices.IndexFunc(a.Rows, func(r Row) bool {
		return r.Target == target && r.KeyBits == keyBits && r.ValueBytes == valueBytes
	})
	if i < 0 {
		return 0, fmt.Errorf("policies.json: %s for %s has no row of %s for %d-bit keys with values of %d bytes", a.Name, a.Backend, target, keyBits, valueBytes)
	}
	return i, nil
}

// With returns a copy of the table in which an instance's row has the given
// values and source.
func (t Table) With(name, backend, target string, keyBits, valueBytes int, values []uint32, source string) (Table, error) {
	a, err := t.Find(name, backend)
	if err != nil {
		return t, err
	}
	at, err := a.Row(target, keyBits, valueBytes)
	if err != nil {
		return t, err
	}
	if len(values) != len(a.Params) {
		return t, fmt.Errorf("%d values for %d parameters of %s", len(values), len(a.Params), name)
	}
	a.Rows = slices.Clone(a.Rows)
	a.Rows[at].Values, a.Rows[at].Source = slices.Clone(values), source
	out := Table{slices.Clone(t.Algorithms)}
	for i, x := range out.Algorithms {
		if x.Name == name && x.Backend == backend {
			out.Algorithms[i] = a
		}
	}
	return out, nil
}

// JSON is the table as policies.json is laid out: a line for each parameter and row.
func (t Table) JSON() []byte {
	var b bytes.Buffer
	b.WriteString("{\n \"algorithms\": [\n")
	for i, a := range t.Algorithms {
		fmt.Fprintf(&b, "  {\n   \"name\": %s,\n   \"backend\": %s,\n   \"doc\": %s,\n   \"params\": [\n", quote(a.Name), quote(a.Backend), quote(a.Doc))
		for j, p := range a.Params {
			fmt.Fprintf(&b, "    {\"name\": %s, \"doc\": %s}%s\n", quote(p.Name), quote(p.Doc), comma(j, len(a.Params)))
		}
		b.WriteString("   ],\n   \"rows\": [\n")
		for j, r := range a.Rows {
			values := strings.ReplaceAll(strings.Trim(fmt.Sprint(r.Values), "[]"), " ", ", ")
			fmt.Fprintf(&b, "    {\"target\": %s, \"key_bits\": %d, \"value_bytes\": %d, \"values\": [%s], \"source\": %s}%s\n",
				quote(r.Target), r.KeyBits, r.ValueBytes, values, quote(r.Source), comma(j, len(a.Rows)))
		}
		fmt.Fprintf(&b, "   ]\n  }%s\n", comma(i, len(t.Algorithms)))
	}
	b.WriteString(" ]\n}\n")
	return b.Bytes()
}

func comma(i, n int) string {
	if i+1 < n {
		return ","
	}
	return ""
}

// quote writes a JSON string with <, > and & as they are.
func quote(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	// A string has an encoding, and a buffer takes it.
	_ = e.Encode(s)
	return strings.TrimSpace(b.String())
}

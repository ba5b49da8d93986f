package report

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"html/template"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/trace"
)

// raw is the data themselves, packed but for the CSV: samples are many.
type raw struct {
	JSON, CSV, Profiles, Recordings template.URL // data URLs; empty without any
	Trace                           template.URL // the profiles in Chrome's trace format
	Columns                         []string
	Rows                            []rawRow
	Reasons                         []result.Reason
}

// rawRow is a measured cell in the table.
type rawRow struct {
	Series, KeyType, Mode string
	Cols                  []string
}

func newRaw(d *data) (r raw, err error) {
	var lines, csv bytes.Buffer
	for _, rec := range d.Records {
		if err := result.WriteJSON(&lines, rec); err != nil {
			return r, err
		}
	}
	if err := result.WriteCSV(&csv, d.Records); err != nil {
		return r, err
	}
	if len(d.Records) > 0 {
		r.JSON = packedURL(lines.Bytes())
		r.CSV = dataURL("text/csv", csv.Bytes())
	}
	for _, x := range []struct {
		to *template.URL
		n  int
		v  any
	}{{&r.Profiles, len(d.Profiles), d.Profiles}, {&r.Recordings, len(d.Recordings), d.Recordings}} {
		if x.n == 0 {
			continue
		}
		text, err := json.Marshal(x.v)
		if err != nil {
			return r, err
		}
		*x.to = packedURL(text)
	}
	if spans := d.timelines(); len(spans) > 0 {
		var text bytes.Buffer
		if err := trace.Write(&text, spans); err != nil {
			return r, err
		}
		r.Trace = packedURL(text.Bytes())
	}
	r.Columns = result.Columns
	for _, c := range d.measured() {
		k := kindOf(c.Cell)
		r.Rows = append(r.Rows, rawRow{c.series, k.KeyType, k.Mode, c.Row()})
	}
	r.Reasons = result.Reasons(d.Records)
	return r, nil
}

// timelines are the profiles' spans, each profile a group of tracks of its own,
// one after the other.
func (d *data) timelines() (out []trace.Span) {
	at := int64(0)
	for _, p := range d.Profiles {
		end := at
		for _, s := range p.Spans {
			s.Process = p.Case + "@" + p.Cell.DeviceID + ", " + s.Process
			s.StartNS += at
			end = max(end, s.StartNS+s.NS)
			out = append(out, s)
		}
		at = end
	}
	return out
}

// packedURL is dataURL of the bytes as gzip packs them.
func packedURL(b []byte) template.URL {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(b)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // a known level and a buffer that takes everything
	}
	return dataURL("application/gzip", packed.Bytes())
}

// dataURL holds the bytes in the address itself. Base64 has no character that
// a page could misread.
func dataURL(mime string, b []byte) template.URL {
	return template.URL("data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(b))
}

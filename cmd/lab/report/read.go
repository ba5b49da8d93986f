package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/run"
)

// Read loads files of results, plain or packed by gzip: JSON lines of 'gpusort bench', the JSON of
// 'gpusort profile' and of 'gpusort profile --record', told apart by what they
// hold. Of records of one cell on one machine the last counts.
func Read(paths []string) (Input, error) {
	var in Input
	for _, path := range paths {
		text, err := result.Content(path)
		if err != nil {
			return in, err
		}
		if err := in.add(text); err != nil {
			return in, fmt.Errorf("%s: %w", path, err)
		}
		in.Sources = append(in.Sources, filepath.Base(path))
	}
	if len(in.Records)+len(in.Profiles)+len(in.Recordings) == 0 {
		return in, fmt.Errorf("%s: no results: make some with 'gpusort bench experiments/demo.toml --json FILE'", strings.Join(paths, ", "))
	}
	in.tidy()
	return in, nil
}

func (in *Input) add(text []byte) error {
	text = bytes.TrimSpace(text)
	switch {
	case bytes.HasPrefix(text, []byte("[")):
		var list []json.RawMessage
		if err := json.Unmarshal(text, &list); err != nil {
			return neither(err)
		}
		for i, raw := range list {
			if err := in.addOne(raw); err != nil {
				return fmt.Errorf("entry %d: %w", i+1, err)
			}
		}
		return nil
	case len(text) == 0:
		return nil
	}
	recs, err := result.ReadJSON(bytes.NewReader(text))
	if err == nil && len(recs) == 0 {
		// Its only line is no record that an interruption cut: say what it is not.
		_, err = result.ReadJSON(bytes.NewReader(append(text, '\n')))
	}
	if err != nil {
		return neither(err)
	}
	in.Records = append(in.Records, recs...)
	return nil
}

func neither(err error) error {
	return fmt.Errorf("neither results of 'gpusort bench --json' nor a profile of 'gpusort profile --json': %w", err)
}

// addOne takes a profile, or a recording, which alone has frames.
func (in *Input) addOne(raw json.RawMessage) error {
	var r run.Recording
	if err := json.Unmarshal(raw, &r); err == nil && len(r.Frames) > 0 {
		if !sound(r) {
			return fmt.Errorf("recording of %s: a frame does not hold the keys of the first", r.Case)
		}
		in.Recordings = append(in.Recordings, r)
		return nil
	}
	var p run.Profile
	if err := json.Unmarshal(raw, &p); err != nil {
		return err
	}
	if p.Case == "" {
		return fmt.Errorf("it names no case: is it of 'gpusort profile --json'?")
	}
	in.Profiles = append(in.Profiles, p)
	return nil
}

// sound says whether every frame holds the same keys, at least one.
func sound(r run.Recording) bool {
	if len(r.Frames) == 0 || len(r.Frames[0].Keys) == 0 {
		return false
	}
	want := slices.Sorted(slices.Values(r.Frames[0].Keys))
	return !slices.ContainsFunc(r.Frames, func(f run.Frame) bool {
		return !slices.Equal(slices.Sorted(slices.Values(f.Keys)), want)
	})
}

// tidy keeps the last record of every cell on every machine, computes what follows from the
// samples anew, and fails records that claim success without a sample.
func (in *Input) tidy() {
	at := map[string]int{}
	var kept []result.Record
	for _, r := range in.Records {
		if r.Status == result.OK && len(r.WallNS)+len(r.DeviceNS) == 0 {
			r.Status, r.Reason = result.Failed, "the record has no samples"
		}
		r.Finish()
		key := r.Key() + "@" + machine(r.Cell, r.Env)
		if i, ok := at[key]; ok {
			kept[i] = r
			in.Replaced++
			continue
		}
		at[key] = len(kept)
		kept = append(kept, r)
	}
	in.Records = kept
	in.Recordings = slices.DeleteFunc(in.Recordings, func(r run.Recording) bool { return !sound(r) })
}

// Only keeps records and profiles whose axis has one of the values, as
// NAME=VALUE or NAME=[a,b] with the names that 'gpusort bench' takes.
func (in *Input) Only(axis string, values []string) error {
	keep, err := Filter(axis, values)
	if err != nil {
		return err
	}
	var recs []result.Record
	for _, r := range in.Records {
		if keep(r.Cell) {
			recs = append(recs, r)
		}
	}
	var profiles []run.Profile
	for _, p := range in.Profiles {
		if keep(p.Cell) {
			profiles = append(profiles, p)
		}
	}
	in.Records, in.Profiles = recs, profiles
	if len(recs)+len(profiles) == 0 {
		return NoneHas(axis, values)
	}
	return nil
}

// NoneHas is the error of a filter that leaves nothing.
func NoneHas(axis string, values []string) error {
	return fmt.Errorf("no result has %s = %s", axis, strings.Join(values, " or "))
}

// Filter returns what tells cells whose axis has one of the values, with the
// names that 'gpusort bench' takes.
func Filter(axis string, values []string) (func(result.Cell) bool, error) {
	get, ok := map[string]func(result.Cell) string{
		"algo": func(c result.Cell) string { return c.Algo }, "keyt": func(c result.Cell) string { return c.KeyType },
		"mode": func(c result.Cell) string { return c.Mode }, "dist": func(c result.Cell) string { return c.Dist },
		"device": func(c result.Cell) string { return c.DeviceID }, "elements": func(c result.Cell) string { return count(c.Items) },
		"threads": func(c result.Cell) string { return fmt.Sprint(c.Threads) }, "blocks": func(c result.Cell) string { return fmt.Sprint(c.Blocks) },
	}[strings.ToLower(axis)]
	if !ok {
		return nil, fmt.Errorf("unknown axis %q: Algo, KeyT, Mode, Dist, Device, Elements, Threads or Blocks", axis)
	}
	return func(c result.Cell) bool {
		return slices.ContainsFunc(values, func(v string) bool { return strings.EqualFold(v, get(c)) })
	}, nil
}

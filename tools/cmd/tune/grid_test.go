package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestMultiply(t *testing.T) {
	params, base := []string{"threads", "items", "small"}, []uint32{256, 16, 4096}
	for _, c := range []struct {
		sets []string
		want string // rows, or a part of the error
	}{
		{[]string{"threads=128,256", "items=8,9"}, "[[128 8 4096] [128 9 4096] [256 8 4096] [256 9 4096]]"},
		{[]string{"small=threads*items", "items=8,9"}, "[[256 8 2048] [256 9 2304]]"},
		{[]string{"small=4*items"}, "[[256 16 64]]"},
		{[]string{"items=8,8"}, "[[256 8 4096]]"},
		{[]string{"item=8"}, "no such parameter; there are threads, items, small"},
		{[]string{"items=8", "items=9"}, "given twice"},
		{[]string{"items=8,x"}, `"x" is no number`},
		{[]string{"items"}, "is not PARAM=VALUE"},
		{[]string{"small=threads*width"}, `"width" is neither`},
		{[]string{"small=threads*4000000*4000000"}, "passes 2^32"},
	} {
		var settings []setting
		var err error
		for _, s := range c.sets {
			var x setting
			if x, err = parseSetting(s); err != nil {
				break
			}
			settings = append(settings, x)
		}
		var grid [][]uint32
		if err == nil {
			grid, err = multiply(params, base, settings)
		}
		if got := fmt.Sprint(grid, err); err == nil && got != c.want+" <nil>" || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %s, want %s", c.sets, got, c.want)
		}
	}
}

func TestModules(t *testing.T) {
	known := map[string]bool{}
	for _, a := range catalogue() {
		known[a] = true
	}
	for name := range modules {
		if !known[name] {
			t.Errorf("the catalogue has no %s", name)
		}
	}
}

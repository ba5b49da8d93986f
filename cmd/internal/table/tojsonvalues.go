package table

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
)

// missing reports whether value i is.
func missing(a arrow.Array, i int) bool {
	if e, ok := a.(array.ExtensionArray); ok {
		a = e.Storage()
	}
	return a.DataType().ID() == arrow.NULL || a.IsNull(i)
}

// jsonOf says values of a column, and those within them, as package json takes them.
func jsonOf(a arrow.Array) func(int) any {
	value := jsonValue(a)
	return func(i int) any {
		if missing(a, i) {
			return nil
		}
		return value(i)
	}
}

// jsonValue is jsonOf values that are there.
func jsonValue(a arrow.Array) func(int) any {
	switch a := a.(type) {
	case *array.Float16:
		return func(i int) any { return jsonFloat(half(a.Value(i).Uint16())) }
	case *array.Timestamp:
		text := timeText(a, 'T', "Z")
		return func(i int) any { return text(i) }
	case *array.Dictionary:
		entry := jsonOf(a.Dictionary())
		return func(i int) any { return entry(a.GetValueIndex(i)) }
	case *array.Struct:
		return structOf(a)
	case array.ListLike:
		element := jsonOf(a.ListValues())
		return func(i int) any {
			from, to := a.ValueOffsets(i)
			all := make([]any, 0, to-from)
			for ; from < to; from++ {
				all = append(all, element(int(from)))
			}
			return all
		}
	case *extensions.OpaqueArray:
		return jsonOf(a.Storage())
	}
	if _, decimal := a.DataType().(arrow.DecimalType); decimal {
		text := textOf(a)
		return func(i int) any { return text(i) }
	}
	return a.GetOneForMarshal
}

// structOf has members by name.
func structOf(a *array.Struct) func(int) any {
	names := a.DataType().(*arrow.StructType).Fields()
	members := make([]func(int) any, len(names))
	for k := range members {
		members[k] = jsonOf(a.Field(k))
	}
	return func(i int) any {
		all := make(map[string]any, len(names))
		for k, member := range members {
			all[names[k].Name] = member(i)
		}
		return all
	}
}

// jsonFloat is v, or text of what JSON has no number for.
func jsonFloat(v float32) any {
	switch f := float64(v); {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "+Inf"
	case math.IsInf(f, -1):
		return "-Inf"
	}
	return v
}

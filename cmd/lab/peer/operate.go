//go:build !nogpu && !android && (linux || darwin || freebsd || windows) && (amd64 || arm64)

package peer

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/op"
)

// The structs of include/gpusort_peer.h for operations, field by field.
type (
	cOperation struct {
		kind, keyType, mode, valueBytes, width uint32
		device                                 int32
		items, other                           uint64
	}
	cMemory struct {
		at               [op.MostRegions]uintptr
		temp, number     uintptr
		stream           uintptr
		tempBytes        uint64
		result, reserved uint32
	}
)

// unsupported is the code of the libraries here for what they do not do.
const unsupported = -2

// operators lists what the library at h has, if anything.
func (l *Library) operators(h uintptr) []Operator {
	get := symbol(h, "gpusort_peer_operator")
	l.fn.operationBytes, l.fn.operate = symbol(h, "gpusort_peer_operation_bytes"), symbol(h, "gpusort_peer_operate")
	if get == 0 || l.fn.operationBytes == 0 || l.fn.operate == 0 {
		return nil
	}
	var out []Operator
	for i, c := range listed(get) {
		out = append(out, Operator{Name: text(c.name[:]), Doc: text(c.doc[:]), Version: text(c.version[:]), Library: l, index: uint32(i)})
	}
	return out
}

func operation(s op.Spec, device int) cOperation {
	return cOperation{
		kind: uint32(s.Kind), keyType: uint32(s.Type), mode: uint32(s.Mode), valueBytes: uint32(s.ValueBytes),
		width: uint32(s.Width), device: int32(device), items: s.Items, other: s.Other,
	}
}

// TempBytes returns the temporary storage that Operate needs for s; supported is false if
// the library does not do that.
func (o Operator) TempBytes(s op.Spec, device int) (bytes uint64, supported bool, err error) {
	x := &struct {
		p     cOperation
		bytes uint64
	}{p: operation(s, device)}
	code := call(o.Library.fn.operationBytes, x, uintptr(o.index), uintptr(unsafe.Pointer(&x.p)), uintptr(unsafe.Pointer(&x.bytes)))
	if code == unsupported {
		return 0, false, nil
	}
	if code != 0 {
		return 0, true, o.failedTo(s, code, o.Library.reason(code))
	}
	return x.bytes, true, nil
}

// Operate carries out s. spare says that the keys lie in m.Spare. It may still be running on
// the stream when it returns. The calling goroutine should be locked to its thread.
func (o Operator) Operate(s op.Spec, device int, m OperatorMemory) (spare bool, err error) {
	x := &struct {
		p cOperation
		m cMemory
	}{operation(s, device), cMemory{at: m.At, temp: m.Temp, number: m.Number, stream: m.Stream, tempBytes: m.TempBytes}}
	if s.Kind == op.Segments {
		x.m.at[op.OtherIO+1] = m.Spare
	}
	code := call(o.Library.fn.operate, x, uintptr(o.index), uintptr(unsafe.Pointer(&x.p)), uintptr(unsafe.Pointer(&x.m)))
	if code != 0 {
		return false, o.failedTo(s, code, o.Library.reason(code))
	}
	return x.m.result == 1, nil
}

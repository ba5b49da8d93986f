package msd

import (
	"testing"

	"github.com/gpusort/gpusort/internal/algo/cpu/team/teamtest"
	"github.com/gpusort/gpusort/internal/key"
)

func sorts[U key.Word]() teamtest.Sorts[U] {
	return teamtest.Sorts[U]{Keys: Keys[U], Pairs: Pairs[U, uint64], Argsort: Argsort[U, uint32]}
}

func TestSort(t *testing.T) {
	t.Run("u8", teamtest.Width(sorts[uint8]()))
	t.Run("u16", teamtest.Width(sorts[uint16]()))
	t.Run("u32", teamtest.Width(sorts[uint32]()))
	t.Run("u64", teamtest.Width(sorts[uint64]()))
}

func TestCancelled(t *testing.T) { teamtest.Cancelled(t, Pairs[uint32, uint32]) }

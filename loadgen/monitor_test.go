package loadgen

import (
	"runtime"
	"testing"
	"time"
)

func TestMonitorTellsOfOneIntervalAfterTheOther(t *testing.T) {
	var opened uint64
	m := newMonitor(2, func() time.Duration { return 0 }, func() uint64 { return opened })
	opened = 5
	runtime.GC()
	first := m.health()
	if first.Connections != 5 || first.GCCycles < 1 || first.GCPauseMax <= 0 || first.HeapBytes == 0 {
		t.Errorf("after a collection: %+v", first)
	}
	opened = 7
	if again := m.health(); again.Connections != 2 {
		t.Errorf("two connections more: %+v", again)
	}
	// The two samples' memory takes turns: what came before is not counted again.
	var cycles uint64
	for range 5 {
		runtime.GC()
		cycles += m.health().GCCycles
	}
	if cycles < 5 {
		t.Errorf("%d of 5 collections seen", cycles)
	}
}

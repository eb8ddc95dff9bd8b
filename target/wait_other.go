//go:build !linux

package target

import "time"

// alarm is not to be had here: the runtime's timers do without.
type alarm struct{}

func newAlarm(time.Time) *alarm { return nil }

func (*alarm) at(time.Duration) {}

func (*alarm) ring() error { return nil }

func (*alarm) close() {}

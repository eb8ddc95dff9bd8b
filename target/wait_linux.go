package target

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// alarm is a timer of the kernel's that the network poller watches.
type alarm struct {
	fd    int
	file  *os.File
	clock time.Duration // CLOCK_MONOTONIC's time at the alarm's base
}

// newAlarm gives an alarm whose times count from base; nil: the kernel has none.
func newAlarm(base time.Time) *alarm {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil
	}
	a := &alarm{fd: fd, file: os.NewFile(uintptr(fd), "timer")}
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) != nil {
		a.close()
		return nil
	}
	a.clock = time.Duration(ts.Nano()) - time.Since(base)
	return a
}

// at sets the alarm; in the past it rings at once. Not after close.
func (a *alarm) at(t time.Duration) {
	spec := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(max(a.clock+t, 1)))} // 0 would unset it
	// It takes no value that fails; and where it did, a timer stands beside it.
	_ = unix.TimerfdSettime(a.fd, unix.TFD_TIMER_ABSTIME, &spec, nil)
}

// ring waits for the alarm; an error: it is closed.
func (a *alarm) ring() error {
	var count [8]byte
	_, err := a.file.Read(count[:])
	return err
}

// close ends ring. nil has nothing to close.
func (a *alarm) close() {
	if a != nil {
		_ = a.file.Close() // a timer has nothing to lose
	}
}

package transport

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// These are system calls on descriptors that never block. So the runtime's scheduler
// is not told of them, as it is of those of x/sys/unix, which costs as much as what
// it is told of where an answer is small.

func readNow(fd int, p []byte) (int, error) {
	n, _, errno := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
	return returned(n, errno)
}

func writeNow(fd int, p []byte) (int, error) {
	n, _, errno := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
	return returned(n, errno)
}

func returned(n uintptr, errno unix.Errno) (int, error) {
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

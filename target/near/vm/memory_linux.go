package vm

import (
	"fmt"
	"syscall"
)

// reserve gives a zeroed memory of the greatest size, whose pages come to be as
// they are touched.
func reserve() ([]byte, error) {
	b, err := syscall.Mmap(-1, 0, maxPages*pageSize, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("contract memory: %d bytes of address space: %w", maxPages*pageSize, err)
	}
	// A call touches a few small pages; a huge one would have to be zeroed whole.
	_ = syscall.Madvise(b, syscall.MADV_NOHUGEPAGE)
	return b, nil
}

// clean makes the memory all zero again by giving its pages back.
func clean(b []byte) bool { return syscall.Madvise(b, syscall.MADV_DONTNEED) == nil }

func unmap(b []byte) error { return syscall.Munmap(b) }

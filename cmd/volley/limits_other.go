//go:build !unix

package main

import "errors"

func openFiles() (soft, hard uint64) { return 0, 0 }

func raiseOpenFiles(uint64) error { return errors.ErrUnsupported }

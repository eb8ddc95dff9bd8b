//go:build !linux

package transport

func polledReader(Conn) *responseReader { return nil }

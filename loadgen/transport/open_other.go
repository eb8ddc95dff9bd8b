//go:build !linux

package transport

type pollers struct{}

func (h *HTTP) open() Conn { return openStream(h) }

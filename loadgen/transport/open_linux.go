package transport

// open gives a connection that a poller serves where it can: one to a plain
// socket, whose requests are sent in one go, while there are descriptors for a poller.
func (h *HTTP) open() Conn {
	if h.tls == nil && h.expect == 0 {
		if c, err := openPolled(h); err == nil {
			return c
		}
	}
	return openStream(h)
}

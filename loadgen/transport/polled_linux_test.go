package transport

// polledReader gives the reader of a connection that a poller serves; nil of another.
func polledReader(c Conn) *responseReader {
	if c, ok := c.(*polledConn); ok {
		return &c.reader
	}
	return nil
}

package transport

import "time"

// lifetime bounds what one connection is used for.
type lifetime struct {
	age      time.Duration // 0: no bound
	requests int           // 0: no bound
}

// usage is what a connection has behind it.
type usage struct {
	opened time.Time
	used   int // exchanges
}

// begin starts the account of a new connection.
func (u *usage) begin(l lifetime) {
	u.used = 0
	if l.age > 0 {
		u.opened = time.Now()
	}
}

// over tells whether the connection has to be given up before its next exchange. One
// that has carried none is not, whatever its age: so every exchange comes about.
func (u *usage) over(l lifetime) bool {
	if u.used == 0 {
		return false
	}
	return l.requests > 0 && u.used >= l.requests || l.age > 0 && time.Since(u.opened) >= l.age
}

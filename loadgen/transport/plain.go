package transport

import (
	"errors"
	"fmt"
	"net"
	"os"
)

// plain takes from an error of the network what names our own side and the system
// call, and leaves what happened: "connection refused" of "dial tcp
// :0->127.0.0.1:9: connect: connection refused". What errors.Is and errors.As find
// in err they find in it too, but for what was taken.
func plain(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		err = op.Err
		if op.Op == "remote error" { // crypto/tls: it is the other side that says so
			err = fmt.Errorf("the node says: %w", err)
		}
	}
	var call *os.SyscallError
	if errors.As(err, &call) && call.Err != nil {
		err = call.Err
	}
	return err
}

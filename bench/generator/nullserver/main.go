// Command nullserver answers JSON-RPC over HTTP/1.1 as cheaply as a server can: a
// result of null for every entry that has an id, with the ids that were sent. What
// is measured with it is the client. See the package nullnode.
//
//	nullserver [-listen 127.0.0.1:8545] [-awake]
//
// It prints "listening URL" when it is ready.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"

	"volley/loadgen/nullnode"
)

func main() {
	log.SetFlags(0)
	listen := flag.String("listen", "127.0.0.1:0", "address and port")
	awake := flag.Bool("awake", false, "take a CPU and never sleep")
	flag.Parse()
	if err := serve(*listen, *awake); err != nil {
		log.Fatalf("nullserver: %v", err)
	}
}

func serve(address string, awake bool) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	defer listener.Close()
	fmt.Printf("listening http://%s\n", listener.Addr())
	if awake {
		return nullnode.ServeAwake(context.Background(), listener, &nullnode.Answers{})
	}
	return nullnode.Serve(context.Background(), listener, &nullnode.Answers{})
}

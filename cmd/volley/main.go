// Command volley load-tests JSON-RPC batch endpoints: it runs scenarios against
// a node, or against the reference node that it brings, stores what it saw and
// reports it.
package main

import "os"

func main() {
	os.Exit(execute(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

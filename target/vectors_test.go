package target_test

import (
	"context"
	"net"
	"testing"

	"volley/target"
	"volley/target/wirecase"
)

// serve runs a node on a port of its own until the test ends, and waits for it.
func serve(t *testing.T, n *target.Node) (base string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- n.Serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return "http://" + l.Addr().String()
}

// generic is a node of the generic dialect with a config file's settings.
func generic(t *testing.T, config string) *target.Node {
	t.Helper()
	c, err := target.ParseGenericConfig(target.ConfigFile{Name: "config.json", Data: []byte(config)})
	if err != nil {
		t.Fatal(err)
	}
	return target.New(target.Generic(c), target.Options{})
}

func TestVectors(t *testing.T) {
	suite, err := wirecase.Load("testdata/vectors/jsonrpc-batch.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range suite.Cases {
		t.Run(c.Name, func(t *testing.T) {
			if err := c.Do(t.Context(), serve(t, generic(t, string(c.Node)))); err != nil {
				t.Error(err)
			}
		})
	}
}

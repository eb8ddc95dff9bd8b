package target_test

import (
	"testing"

	"volley/target/wirecase"
)

func TestVectors(t *testing.T) {
	for _, name := range []string{"jsonrpc-batch", "held-out/jsonrpc-batches"} {
		suite, err := wirecase.Load("testdata/vectors/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range suite.Cases {
			t.Run(name+"/"+c.Name, func(t *testing.T) {
				if err := c.Do(t.Context(), serve(t, generic(t, string(c.Node)))); err != nil {
					t.Errorf("%s: %v", c.Why, err)
				}
			})
		}
	}
}

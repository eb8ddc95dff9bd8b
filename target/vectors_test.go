package target_test

import (
	"testing"

	"volley/target/wirecase"
)

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

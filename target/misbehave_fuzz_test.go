package target

import (
	"context"
	"encoding/json"
	"testing"
)

// FuzzMisbehave: whatever is asked, a fault of an answer's entries leaves JSON,
// and no fault leaves a status or a body that HTTP does not have.
func FuzzMisbehave(f *testing.F) {
	f.Add([]byte(`[{"jsonrpc":"2.0","method":"echo","params":["\"id\":1}"],"id":9007199254740993},{"jsonrpc":"2.0","method":"x","id":"}"},5]`), uint8(ForeignID), uint64(1))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"echo","id":null}`), uint8(NoID), uint64(2))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"echo","id":-123456789012345678901234567890}`), uint8(RoundedID), uint64(3))
	f.Add([]byte(`[]`), uint8(Drop), uint64(4))
	f.Fuzz(func(t *testing.T, body []byte, mode uint8, seed uint64) {
		fault := firstFault + Fault(mode)%(faults-firstFault)
		c, err := ParseGenericConfig(ConfigFile{})
		if err != nil {
			t.Fatal(err)
		}
		c.Misbehave = &MisbehaveConfig{Shares: map[Fault]float64{fault: 1}, Seed: seed}
		n := New(Generic(c), Options{})
		life, end := context.WithCancel(t.Context()) // methods that take time are cut off
		end()
		x := newExchange(&connection{life: life})
		defer x.free()
		x.body = append(x.body, body...)
		n.take(life, x)
		n.finish(life, x)
		if x.status != 200 && x.status != 204 {
			t.Errorf("%s: status %d", fault, x.status)
		}
		if fault < EmptyBody && len(x.out) > 0 && !json.Valid(x.out) {
			t.Errorf("%s: %q", fault, x.out)
		}
	})
}

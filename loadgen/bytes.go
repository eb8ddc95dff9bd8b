package loadgen

import "volley/scenario"

// MeanBytes gives how many bytes the body of a call of the plan has, on the average
// over calls drawn as a run draws them: a hundred, fewer where they are long. The
// same plan gives the same number. The error is of a plan that cannot be sent.
func MeanBytes(p *scenario.Plan) (float64, error) {
	// A block's hash is 32 bytes in base58: 43 or 44 characters.
	w, err := compile(p, map[string]string{"final": "11111111111111111111111111111111111111111111"})
	if err != nil {
		return 0, err
	}
	const most, enough = 100, 1 << 20
	e := newEncoder(w)
	var m message
	var calls, bytes, id uint64
	for calls < most && bytes < enough {
		shape := w.sizes.at(e.stream, calls)
		e.encode(&m, calls, id+1, shape)
		id += uint64(shape.entries)
		bytes += uint64(len(m.body))
		calls++
	}
	return float64(bytes) / float64(calls), nil
}

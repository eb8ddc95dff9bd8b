package rcp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// model turns texts into dense vectors: hashed features (see encoder), then
// blocks of two dense layers, each added onto what went into it, then length
// one. The features that pass beside the layers keep near texts near.
//
// The layers are 8-bit, weights and activations, as served models are often
// quantized: a weight is held in one byte and widened to float32 for a product.
// That is what makes an array worth more than a batch: the inputs of one call
// are the rows of one matrix, and a panel of weights is widened once for all of
// them; as many calls of one input each widen every panel anew.
//
// A sum of up to exactTerms products of 8-bit numbers is an integer under 2^24,
// so exact in float32 whatever order or fused instruction computes it, and all
// else rounds term by term: a text has the same vector, bit for bit, alone or in
// an array of any length, on every machine.
//
// A model's weights never change; it is safe for concurrent use.
type model struct {
	dimension, hidden int
	blocks            []block
	spaces            sync.Pool // of *product, between calls
}

// block is one residual pair of layers; each matrix is by rows of its outputs.
type block struct {
	up   []int8 // hidden x dimension
	down []int8 // dimension x hidden
}

const (
	weightLimit = 127                                     // of a weight and of an activation, in magnitude
	exactTerms  = (1<<24 - 1) / weightLimit / weightLimit // 1040
	panelRows   = 64                                      // outputs whose weights are widened at once
	productRows = 64                                      // texts of one product; of more, several are made
	residual    = 0.5                                     // what a block adds to an input of length one
	modelSeed   = 0x766f6c6c6579                          // of the weights; a different one is a different model
)

// newModel draws the weights, evenly. They depend on the
// sizes alone: nodes of the same sizes have one embedding space.
func newModel(dimension, hidden, blocks int) *model {
	m := &model{dimension: dimension, hidden: hidden}
	draws := rand.NewPCG(modelSeed, 0)
	for range blocks {
		m.blocks = append(m.blocks, block{
			up:   weights(draws, hidden*dimension),
			down: weights(draws, dimension*hidden),
		})
	}
	return m
}

func weights(draws *rand.PCG, n int) []int8 {
	w := make([]int8, n)
	var bits uint64
	for i := range w {
		if i%8 == 0 {
			bits = draws.Uint64()
		}
		w[i] = max(int8(bits), -weightLimit)
		bits >>= 8
	}
	return w
}

// identity names the embedding space: it changes whenever the vectors do, so
// that stored ones are never compared across.
func (m *model) identity() string {
	return fmt.Sprintf("volley/hashed-mlp-1/%dx%dx%d", m.dimension, m.hidden, len(m.blocks))
}

// embed calls each with the vectors of texts in their order. A vector is valid
// until each returns. It ends early, with the context's error, once ctx has
// ended: it looks between texts and between panels.
func (m *model) embed(ctx context.Context, texts []string, each func(i int, vector []float32)) error {
	e := newEncoder(m.dimension)
	p, _ := m.spaces.Get().(*product)
	if p == nil {
		p = &product{model: m}
	}
	defer m.spaces.Put(p)
	p.makeRoom(min(len(texts), productRows))
	for first := 0; first < len(texts); first += productRows {
		part := texts[first:min(first+productRows, len(texts))]
		rows := p.features[:len(part)*m.dimension]
		for i, s := range part {
			vector, err := e.text(ctx, s)
			if err != nil {
				return err
			}
			copy(rows[i*m.dimension:], vector)
		}
		for i := range m.blocks {
			if err := p.add(ctx, &m.blocks[i], rows); err != nil {
				return err
			}
		}
		for i := range part {
			each(first+i, rows[i*m.dimension:(i+1)*m.dimension])
		}
	}
	return nil
}

// one gives the vector of a single text.
func (m *model) one(ctx context.Context, text string) (vector []float32, err error) {
	err = m.embed(ctx, []string{text}, func(_ int, v []float32) { vector = slices.Clone(v) })
	return vector, err
}

// product is the space that matrix products work in.
type product struct {
	*model
	features []float32 // texts x dimension
	inner    []float32 // texts x hidden
	outer    []float32 // texts x dimension
	codes    []float32 // a layer's quantized input
	panel    []float32 // widened weights
}

func (p *product) makeRoom(rows int) {
	widest := max(p.dimension, p.hidden)
	for _, space := range []struct {
		of    *[]float32
		count int
	}{
		{&p.features, rows * p.dimension},
		{&p.inner, rows * p.hidden},
		{&p.outer, rows * p.dimension},
		{&p.codes, rows * widest},
		{&p.panel, panelRows * widest},
	} {
		if cap(*space.of) < space.count {
			*space.of = make([]float32, space.count)
		}
		*space.of = (*space.of)[:space.count]
	}
}

// add puts a block's output onto its input, rows of length one, and makes their
// length one again.
func (p *product) add(ctx context.Context, b *block, rows []float32) error {
	n := len(rows) / p.dimension
	inner, outer := p.inner[:n*p.hidden], p.outer[:len(rows)]
	if err := p.layer(ctx, b.up, rows, p.dimension, inner, p.hidden); err != nil {
		return err
	}
	for i, v := range inner {
		inner[i] = max(v, 0)
	}
	if err := p.layer(ctx, b.down, inner, p.hidden, outer, p.dimension); err != nil {
		return err
	}
	for i := range n {
		x, y := rows[i*p.dimension:(i+1)*p.dimension], outer[i*p.dimension:(i+1)*p.dimension]
		if !normalize(y) {
			continue
		}
		for j, v := range y {
			y[j] = x[j] + float32(residual*v)
		}
		if normalize(y) { // it cannot be nothing: the shorter of the two has half the length
			copy(x, y)
		}
	}
	return nil
}

// layer multiplies the rows of in with the transpose of w, which is columns
// rows of width weights. The scale of a row's codes is dropped: only the
// direction of a row matters to what comes after.
func (p *product) layer(ctx context.Context, w []int8, in []float32, width int, out []float32, columns int) error {
	n := len(in) / width
	codes := p.codes[:len(in)]
	for i := range n {
		quantize(codes[i*width:(i+1)*width], in[i*width:(i+1)*width])
	}
	for first := 0; first < columns; first += panelRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		count := min(panelRows, columns-first)
		panel := p.panel[:count*width]
		widen(panel, w[first*width:(first+count)*width])
		for i := range n {
			multiply(out[i*columns+first:i*columns+first+count], panel, codes[i*width:(i+1)*width])
		}
	}
	return nil
}

// multiply sets out to the products of a panel's rows with code. It is BLAS's
// matrix and vector rather than its matrix and matrix: gonum's Sgemm spreads
// over goroutines, and a call that holds one slot is to use one processor; with
// the panel in the cache nothing is lost (its Sgemm took twice as long).
func multiply(out, panel, code []float32) {
	var kernel gonum.Implementation
	width := len(code)
	clear(out)
	for first := 0; first < width; first += exactTerms {
		count := min(exactTerms, width-first)
		kernel.Sgemv(blas.NoTrans, len(out), count, 1, panel[first:], width, code[first:first+count], 1, 1, out, 1)
	}
}

func widen(dst []float32, w []int8) {
	dst = dst[:len(w)]
	for i, v := range w {
		dst[i] = float32(v)
	}
}

// quantize scales a row so that its largest component is weightLimit, and rounds
// each to an integer, halves to even.
func quantize(dst, row []float32) {
	var largest float32
	for _, v := range row {
		largest = max(largest, v, -v)
	}
	if largest == 0 {
		clear(dst)
		return
	}
	const shift = 3 << 22 // at this size a float32's last bit is 1
	scale := weightLimit / largest
	for i, v := range row {
		dst[i] = float32(float32(v*scale)+shift) - shift
	}
}

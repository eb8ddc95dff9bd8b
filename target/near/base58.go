package near

import (
	"errors"
	"fmt"
)

const base58Digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// Digits are handled five at a time: 58^5 is the highest power below 2^32.
const base58Chunk = 58 * 58 * 58 * 58 * 58

// base58Values holds a digit's value plus one; 0 marks a byte that is no digit.
var base58Values = func() (v [256]uint8) {
	for i := range base58Digits {
		v[base58Digits[i]] = uint8(i + 1)
	}
	return v
}()

var errTooLarge = errors.New("too large")

// appendBase58 appends src in Bitcoin's base58: each leading zero byte is a
// leading "1".
func appendBase58(dst, src []byte) []byte {
	for len(src) > 0 && src[0] == 0 {
		dst = append(dst, base58Digits[0])
		src = src[1:]
	}
	var room [16]uint32
	limbs := room[:0] // of the number, the most significant first
	for i := -(-len(src) & 3); i < len(src); i += 4 {
		var limb uint32
		for k := max(i, 0); k < i+4; k++ {
			limb = limb<<8 | uint32(src[k])
		}
		limbs = append(limbs, limb)
	}
	start := len(dst)
	for len(limbs) > 0 {
		var rest uint64
		for i, limb := range limbs {
			x := rest<<32 | uint64(limb)
			limbs[i], rest = uint32(x/base58Chunk), x%base58Chunk
		}
		for len(limbs) > 0 && limbs[0] == 0 {
			limbs = limbs[1:]
		}
		for k := 0; k < 5 && (len(limbs) > 0 || rest > 0); k++ {
			dst = append(dst, base58Digits[rest%58])
			rest /= 58
		}
	}
	for i, k := start, len(dst)-1; i < k; i, k = i+1, k-1 {
		dst[i], dst[k] = dst[k], dst[i]
	}
	return dst
}

// decodeBase58 appends what text stands for to dst. More than limit bytes are
// errTooLarge; the work is bounded by limit, not by the text.
func decodeBase58(dst, text []byte, limit int) ([]byte, error) {
	zeros := 0
	for zeros < len(text) && text[zeros] == base58Digits[0] {
		zeros++
	}
	if zeros > limit {
		return dst, errTooLarge
	}
	var room [16]uint32
	limbs := room[:0] // of the number, the least significant first
	for i := zeros; i < len(text); {
		var add, scale uint64 = 0, 1
		for k := 0; k < 5 && i < len(text); k++ {
			v := base58Values[text[i]]
			if v == 0 {
				return dst, fmt.Errorf("provided string contained invalid character %q at byte %d", text[i], i)
			}
			add, scale = add*58+uint64(v-1), scale*58
			i++
		}
		for k, limb := range limbs {
			x := uint64(limb)*scale + add
			limbs[k], add = uint32(x), x>>32
		}
		if add > 0 {
			limbs = append(limbs, uint32(add))
		}
		if (len(limbs)-1)*4 > limit-zeros {
			return dst, errTooLarge
		}
	}
	start := len(dst)
	for range zeros {
		dst = append(dst, 0)
	}
	lead := true
	for i := len(limbs) - 1; i >= 0; i-- {
		for shift := 24; shift >= 0; shift -= 8 {
			b := byte(limbs[i] >> shift)
			if lead = lead && b == 0; !lead {
				dst = append(dst, b)
			}
		}
	}
	if len(dst)-start > limit {
		return dst[:start], errTooLarge
	}
	return dst, nil
}

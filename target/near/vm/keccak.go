package vm

import (
	"encoding/binary"
	"math/bits"
)

// keccak hashes data with the Keccak of the SHA-3 competition (padding 0x01, not
// the 0x06 of FIPS 202), to size bytes: 32 or 64.
func keccak(data []byte, size int) []byte {
	rate := 200 - 2*size
	var a [25]uint64
	for len(data) >= rate {
		absorb(&a, data[:rate])
		data = data[rate:]
	}
	last := make([]byte, rate)
	copy(last, data)
	last[len(data)] ^= 0x01
	last[rate-1] ^= 0x80
	absorb(&a, last)
	sum := make([]byte, 0, size)
	for _, lane := range a[:size/8] {
		sum = binary.LittleEndian.AppendUint64(sum, lane)
	}
	return sum
}

func absorb(a *[25]uint64, block []byte) {
	for i := 0; i < len(block)/8; i++ {
		a[i] ^= binary.LittleEndian.Uint64(block[8*i:])
	}
	permute(a)
}

// permute is Keccak-f[1600]: theta, rho with pi, chi, iota, 24 times.
func permute(a *[25]uint64) {
	lfsr := byte(1)
	for range 24 {
		var c [5]uint64
		for x := range 5 {
			c[x] = a[x] ^ a[x+5] ^ a[x+10] ^ a[x+15] ^ a[x+20]
		}
		for x := range 5 {
			d := c[(x+4)%5] ^ bits.RotateLeft64(c[(x+1)%5], 1)
			for y := 0; y < 25; y += 5 {
				a[x+y] ^= d
			}
		}
		x, y, lane := 1, 0, a[1]
		for t := range 24 {
			x, y = y, (2*x+3*y)%5
			lane, a[x+5*y] = a[x+5*y], bits.RotateLeft64(lane, (t+1)*(t+2)/2%64)
		}
		for y := 0; y < 25; y += 5 {
			row := [5]uint64(a[y : y+5])
			for x := range 5 {
				a[x+y] = row[x] ^ ^row[(x+1)%5]&row[(x+2)%5]
			}
		}
		for j := range 7 {
			if lfsr&1 != 0 {
				a[0] ^= 1 << (1<<j - 1)
			}
			carry := lfsr >> 7
			lfsr = lfsr<<1 ^ carry*0x71
		}
	}
}

package near

import (
	"encoding/binary"
	"math/bits"
	"strconv"
)

// yocto is an amount: whole NEAR and two groups of twelve decimals. One NEAR is
// 10^24 yoctoNEAR, so the three groups are the amount's decimal digits.
type yocto struct{ whole, high, low uint64 }

const group = 1_000_000_000_000 // of twelve digits

// appendTo appends the amount in yoctoNEAR, in decimal.
func (y yocto) appendTo(dst []byte) []byte {
	if y.whole > 0 {
		dst = strconv.AppendUint(dst, y.whole, 10)
		return appendGroups(dst, y.high, y.low)
	}
	if y.high > 0 {
		return appendGroup(strconv.AppendUint(dst, y.high, 10), y.low)
	}
	return strconv.AppendUint(dst, y.low, 10)
}

const digitPairs = "00010203040506070809" + "10111213141516171819" + "20212223242526272829" + "30313233343536373839" +
	"40414243444546474849" + "50515253545556575859" + "60616263646566676869" + "70717273747576777879" +
	"80818283848586878889" + "90919293949596979899"

// appendGroup appends twelve digits.
func appendGroup(dst []byte, v uint64) []byte {
	dst = append(dst, "000000000000"...)
	putGroup((*[12]byte)(dst[len(dst)-12:]), v)
	return dst
}

// appendGroups appends twice twelve digits.
func appendGroups(dst []byte, high, low uint64) []byte {
	dst = append(dst, "000000000000000000000000"...)
	putGroup((*[12]byte)(dst[len(dst)-24:]), high)
	putGroup((*[12]byte)(dst[len(dst)-12:]), low)
	return dst
}

func putGroup(digits *[12]byte, v uint64) {
	high, low := uint32(v/1_000_000), uint32(v%1_000_000)
	for i := 4; i >= 0; i -= 2 {
		pair := high % 100 * 2
		digits[i], digits[i+1] = digitPairs[pair], digitPairs[pair+1]
		pair = low % 100 * 2
		digits[i+6], digits[i+7] = digitPairs[pair], digitPairs[pair+1]
		high, low = high/100, low/100
	}
}

// little is the amount in yoctoNEAR as a number of 128 bits, the least
// significant byte first.
func (y yocto) little() (b [16]byte) {
	high, low := bits.Mul64(y.whole, group)
	low, carry := bits.Add64(low, y.high, 0)
	high += carry
	// times the group once more; what an amount of this ledger is fits.
	over, result := bits.Mul64(low, group)
	over += high * group
	result, carry = bits.Add64(result, y.low, 0)
	binary.LittleEndian.PutUint64(b[:], result)
	binary.LittleEndian.PutUint64(b[8:], over+carry)
	return b
}

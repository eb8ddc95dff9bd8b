package near

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
)

// The vectors of Bitcoin Core's base58_encode_decode.json.
var base58Vectors = []struct{ hex, text string }{
	{"", ""},
	{"61", "2g"},
	{"626262", "a3gV"},
	{"636363", "aPEr"},
	{"73696d706c792061206c6f6e6720737472696e67", "2cFupjhnEsSn59qHXstmK2ffpLv2"},
	{"00eb15231dfceb60925886b67d065299925915aeb172c06647", "1NS17iag9jJgTHD1VXjvLCEnZuQ3rJDE9L"},
	{"516b6fcd0f", "ABnLTmg"},
	{"bf4f89001e670274dd", "3SEo3LWLoPntC"},
	{"572e4794", "3EFU7m"},
	{"ecac89cad93923c02321", "EJDM8drfXA6uyA"},
	{"10c8511e", "Rt5zm"},
	{"00000000000000000000", "1111111111"},
	{"000111d38e5fc9071ffcd20b4a763cc9ae4f252bb4e48fd66a835e252ada93ff480d6dd43dc62a641155a5",
		"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"},
}

func TestBase58KnowsBitcoinsVectors(t *testing.T) {
	for _, v := range base58Vectors {
		plain, err := hex.DecodeString(v.hex)
		if err != nil {
			t.Fatal(err)
		}
		if got := appendBase58([]byte("x"), plain); string(got) != "x"+v.text {
			t.Errorf("%s encodes to %s, want %s", v.hex, got[1:], v.text)
		}
		got, err := decodeBase58([]byte("x"), []byte(v.text), len(plain))
		if err != nil || !bytes.Equal(got, append([]byte("x"), plain...)) {
			t.Errorf("%s decodes to %x, %v, want %s", v.text, got[1:], err, v.hex)
		}
		if _, err := decodeBase58(nil, []byte(v.text), len(plain)-1); len(plain) > 0 && !errors.Is(err, errTooLarge) {
			t.Errorf("%s within %d bytes: %v, want too large", v.text, len(plain)-1, err)
		}
	}
}

func TestBase58RefusesOtherDigits(t *testing.T) {
	for _, text := range []string{"0", "O", "I", "l", "abc+", "é", "1 "} {
		if got, err := decodeBase58(nil, []byte(text), 100); err == nil {
			t.Errorf("%q decodes to %x", text, got)
		}
	}
	_, err := decodeBase58(nil, []byte("abc0d"), 100)
	if err == nil || !strings.Contains(err.Error(), "'0' at byte 3") {
		t.Errorf("error %v does not tell where", err)
	}
}

func TestZeroHashStandsForNothing(t *testing.T) {
	if got := string(appendBase58(nil, make([]byte, hashSize))); got != zeroHash {
		t.Errorf("32 zero bytes are %s", got)
	}
}

func FuzzBase58RoundTrip(f *testing.F) {
	for _, v := range base58Vectors {
		plain, _ := hex.DecodeString(v.hex)
		f.Add(plain)
	}
	f.Fuzz(func(t *testing.T, plain []byte) {
		text := appendBase58(nil, plain)
		got, err := decodeBase58(nil, text, len(plain))
		if err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("%x became %s and then %x, %v", plain, text, got, err)
		}
	})
}

package vm

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

func (c *call) mayLog() {
	if len(c.logs) >= maxLogs {
		c.end(hostError("NumberOfLogsExceeded { limit: %d }", maxLogs))
	}
}

func (c *call) logsTooLong(add uint64) {
	length := c.logBytes + add
	if length < add {
		length = math.MaxUint64
	}
	c.end(hostError("TotalLogLengthExceeded { length: %d, limit: %d }", length, maxLogBytes))
}

// log keeps a line. A line over the limit is counted twice in the error, as in
// nearcore.
func (c *call) log(line string) {
	c.charge(logBase)
	c.chargePer(logByte, uint64(len(line)))
	c.pushLog(line)
}

func (c *call) pushLog(line string) {
	c.logBytes += uint64(len(line))
	if c.logBytes > maxLogBytes {
		c.logsTooLong(uint64(len(line)))
	}
	c.logs = append(c.logs, line)
}

// room is what the logs may still take.
func (c *call) room() uint64 { return maxLogBytes - min(maxLogBytes, c.logBytes) }

// utf8 reads a string of n bytes or, where n is all ones, up to a zero byte.
func (c *call) utf8(n, ptr uint64) string {
	c.charge(utf8DecodingBase)
	var text []byte
	if n != math.MaxUint64 {
		if n > c.room() {
			c.logsTooLong(n)
		}
		text = c.view(ptr, n)
	} else {
		room := c.room()
		n = 0
		for ; ; n++ {
			if ptr > math.MaxUint64-n {
				c.end(memoryAccessViolation)
			}
			if c.view(ptr+n, 1)[0] == 0 {
				break
			}
			if n == room {
				c.logsTooLong(room + 1)
			}
		}
		text = c.viewFree(ptr, n)
	}
	c.chargePer(utf8DecodingByte, uint64(len(text)))
	if !utf8.Valid(text) {
		c.end(badUTF8)
	}
	return string(text)
}

// utf16 reads a string of n bytes or, where n is all ones, up to a zero unit.
func (c *call) utf16(n, ptr uint64) string {
	c.charge(utf16DecodingBase)
	room := c.room()
	var text []byte
	if n == math.MaxUint64 {
		for n = 0; !bytes.Equal(c.view(saturated(ptr, n), 2), []byte{0, 0}); {
			if n += 2; n > room {
				c.logsTooLong(n)
			}
		}
		text = c.viewFree(ptr, n)
	} else {
		text = c.view(ptr, n)
	}
	if n%2 != 0 {
		c.end(badUTF16)
	}
	if n > room {
		c.logsTooLong(n)
	}
	c.chargePer(utf16DecodingByte, n)
	s, ok := decodeUTF16(text)
	if !ok {
		c.end(badUTF16)
	}
	return s
}

func saturated(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

// decodeUTF16 decodes little-endian units, and refuses a surrogate without its
// other half.
func decodeUTF16(text []byte) (string, bool) {
	var s strings.Builder
	for len(text) >= 2 {
		r := rune(binary.LittleEndian.Uint16(text))
		text = text[2:]
		if utf16.IsSurrogate(r) {
			if len(text) < 2 {
				return "", false
			}
			r = utf16.DecodeRune(r, rune(binary.LittleEndian.Uint16(text)))
			if r == utf8.RuneError {
				return "", false
			}
			text = text[2:]
		}
		s.WriteRune(r)
	}
	return s.String(), true
}

// abort is AssemblyScript's: its strings carry their length in bytes before
// them.
func (c *call) abort(msg, file, line, column uint32) {
	c.charge(baseCost)
	if msg < 4 || file < 4 {
		c.end(badUTF16)
	}
	c.mayLog()
	length := func(ptr uint32) uint64 {
		return uint64(binary.LittleEndian.Uint32(c.view(uint64(ptr)-4, 4)))
	}
	msgBytes, fileBytes := length(msg), length(file)
	text := c.utf16(msgBytes, uint64(msg))
	name := c.utf16(fileBytes, uint64(file))
	text = fmt.Sprintf("%s, filename: \"%s\" line: %d col: %d", text, name, line, column)
	c.charge(logBase)
	c.chargePer(logByte, uint64(len(text)))
	c.pushLog("ABORT: " + text)
	c.end(guestPanic(text))
}

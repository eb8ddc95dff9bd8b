package vm

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// failed begins every vm_error of nearcore's state viewer.
const failed = "wasm execution failed with error: "

// failure is what ended a call: the Debug form of nearcore's
// FunctionCallError (runtime/near-vm-runner/src/logic/errors.rs).
type failure string

func (f failure) Error() string { return failed + string(f) }

const (
	methodEmptyName        failure = "MethodResolveError(MethodEmptyName)"
	methodNotFound         failure = "MethodResolveError(MethodNotFound)"
	methodInvalidSignature failure = "MethodResolveError(MethodInvalidSignature)"

	gasExceeded           failure = "HostError(GasExceeded)"
	gasLimitExceeded      failure = "HostError(GasLimitExceeded)"
	integerOverflow       failure = "HostError(IntegerOverflow)"
	memoryAccessViolation failure = "HostError(MemoryAccessViolation)"
	badUTF8               failure = "HostError(BadUTF8)"
	badUTF16              failure = "HostError(BadUTF16)"

	trapUnreachable       failure = "WasmTrap(Unreachable)"
	trapSignature         failure = "WasmTrap(IncorrectCallIndirectSignature)"
	trapMemoryOutOfBounds failure = "WasmTrap(MemoryOutOfBounds)"
	trapArithmetic        failure = "WasmTrap(IllegalArithmetic)"
	trapNullCall          failure = "WasmTrap(IndirectCallToNull)"
	trapGeneric           failure = "WasmTrap(GenericTrap)"
)

// hostError is a HostError with fields, given as nearcore's Debug prints them.
func hostError(format string, a ...any) failure {
	return failure("HostError(" + fmt.Sprintf(format, a...) + ")")
}

func prohibitedInView(method string) failure {
	return hostError("ProhibitedInView { method_name: %s }", debugString(method))
}

func guestPanic(msg string) failure {
	return hostError("GuestPanic { panic_msg: %s }", debugString(msg))
}

func prepareError(kind string) failure {
	return failure("CompilationError(PrepareError(" + kind + "))")
}

func linkError(msg string) failure {
	return failure("LinkError { msg: " + debugString(msg) + " }")
}

// traps are the texts of the compiler's own traps and nearcore's names for them.
var traps = []struct {
	text string
	is   failure
}{
	{"unreachable", trapUnreachable},
	{"out of bounds memory access", trapMemoryOutOfBounds},
	{"indirect call type mismatch", trapSignature},
	{"invalid table access", trapMemoryOutOfBounds},
	{"null reference", trapNullCall},
	{"integer divide by zero", trapArithmetic},
	{"integer overflow", trapArithmetic},
	{"invalid conversion to integer", trapArithmetic},
	// nearcore meters the stack, and what overflows it violates memory.
	{"stack overflow", memoryAccessViolation},
}

// trapped names what ended a call from the compiler's error.
func trapped(err error) failure {
	// Past the first line stands the stack trace, with names from the contract.
	text, _, _ := strings.Cut(err.Error(), "\n")
	for _, t := range traps {
		if strings.HasSuffix(text, "wasm error: "+t.text) {
			return t.is
		}
	}
	return trapGeneric
}

// debugString writes s as the Debug form of a Rust str does.
func debugString(s string) string {
	b := append(make([]byte, 0, len(s)+2), '"')
	for _, r := range s {
		switch r {
		case 0:
			b = append(b, `\0`...)
		case '\t':
			b = append(b, `\t`...)
		case '\r':
			b = append(b, `\r`...)
		case '\n':
			b = append(b, `\n`...)
		case '"', '\\':
			b = append(b, '\\', byte(r))
		default:
			if unicode.IsPrint(r) && !unicode.In(r, unicode.Mn, unicode.Me) {
				b = utf8.AppendRune(b, r)
			} else {
				b = fmt.Appendf(b, `\u{%x}`, r)
			}
		}
	}
	return string(append(b, '"'))
}

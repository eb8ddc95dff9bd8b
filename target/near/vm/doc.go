// Package vm executes the view methods of NEAR contracts as nearcore's runtime
// does for a query call_function: real WebAssembly (compiled by wazero), the
// host functions of nearcore's module "env", its gas and its error texts.
//
// The rules are those of nearcore's near-vm-runner and of runtime's
// state_viewer, with the parameters of protocol version 84. One call is one
// fresh instance: nothing that a call did can be seen by the next.
//
// # Gas
//
// Every instruction costs 822,756 gas, but block, else and end, which are free,
// and the bulk memory and table operations, which pay by length; entering a
// function costs an instruction per eight bytes of its frame. The contract
// counts this itself: its code is rewritten before it is compiled, as nearcore
// rewrites it (meter.go). Host functions pay nearcore's prices. A call that
// would burn more than [Options].Gas ends with HostError(GasLimitExceeded).
// A stretch of instructions without a branch or a call is paid for when it
// begins, so the gas of a call that a trap ends can exceed nearcore's by less
// than one stretch.
//
// # Time
//
// Gas bounds every loop. The clock is a second bound, for machines that are
// slower than gas supposes and for callers who leave: it and the context are
// looked at once per million instructions' worth of gas, however it is burnt.
// nearcore knows no such limit; the text is that of the gas limit.
//
// # Where it differs from nearcore
//
//   - ripemd160, ecrecover, the alt_bn128 and bls12381 families and the
//     validator stakes can be imported, but a call of one ends with a text that
//     says so and that nearcore does not have.
//   - Frames count for the stack's limit, the operands within a frame do not:
//     recursion can go somewhat deeper than in nearcore.
//   - An indirect call of an empty place in a table is reported as one beyond
//     the table's end, WasmTrap(MemoryOutOfBounds).
//   - The limits on the number of types, parameters, blocks and operands of a
//     contract are not checked; those on functions, locals, tables and bodies are.
package vm

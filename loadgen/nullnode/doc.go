// Package nullnode is a node that does nothing: it answers every entry at once, with
// the id that was sent and a result that is ready. What is measured with it is the
// client, on this machine.
//
// It speaks HTTP/1.1 without encryption and reads just enough of a request to answer
// it: the length from the head, and where entries begin and what their ids are. It
// takes them as this project's generator writes them, each beginning with
// {"jsonrpc":"2.0","id":N or, a notification, {"jsonrpc":"2.0","method": without white
// space. Anything else is passed over.
package nullnode

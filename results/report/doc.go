// Package report renders a stored run for people. For now as text; every number
// stands beside the warnings that it needs, and whatever a server sent is escaped.
package report

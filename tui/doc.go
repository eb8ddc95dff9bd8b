// Package tui shows snapshots to a person at a terminal, live or replayed.
// Rendering is pure: a snapshot and a size in, text out.
package tui

// Package tui shows a run to a person at a terminal, live or replayed.
//
// A Feed adds up snapshots, in memory that does not grow with the length of the run.
// From it comes a view: all that a screen can show of one moment, never changed once it
// is made. Drawing is pure: a view, what the person chose to look at, a size and a
// Theme in, text out, on a grid of cells that nothing can overflow. The rest is a thin
// loop over keys and news.
//
// Everything that others wrote, a server's messages and names from files, is escaped
// before it is drawn.
package tui

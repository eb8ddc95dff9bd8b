// Package scrape reads a node's Prometheus metrics, from its own page ([Page]) or
// through a Prometheus server that scrapes it ([Prometheus]): samples of the node's
// series and of when they were so. A scrape that fails is a sample with an error,
// never a zero; what is read is bounded in bytes, series and time.
package scrape

// Package usl is Gunther's Universal Scalability Law (N. Gunther, "Guerrilla
// Capacity Planning", 2007): throughput at concurrency N is
//
//	X(N) = lambda N / (1 + sigma (N-1) + kappa N (N-1))
//
// with lambda the throughput of one, sigma the share that is serial (contention)
// and kappa the cost of keeping others consistent (coherency), which makes
// throughput fall beyond a peak.
//
// N is the measured concurrency (mean in flight, X*R), not the offered rate, in
// entries where batches are sent, and each batch size is fitted alone. A fit says
// nothing far beyond the measured range: a peak is given only within one and a half
// times of it. Rejections, timeouts, server-side limits and mixed workloads break
// the law.
package usl

// Package compare tells whether the runs of one setting, B, did better or worse than
// those of another, A: metric by metric, with the interval of the change and, where no
// difference is shown, the difference that would have been.
//
// The unit of evidence is a run. Runs in pairs give one ratio B/A each, of which
// package paired makes an estimate and a verdict; see there for the tests. One run of
// each side is resampled within itself, which knows nothing of how runs differ from
// each other. One metric is judged by itself, as it was chosen beforehand; the others
// share one chance of error (Holm).
//
// What is not comparable is not compared: other work, another machine, a run that was
// void or cut off. What a comparison is made for may differ, and is named: the node's
// own settings, its address on the same host, the program's version, and what an
// experiment varied. See Check.
//
// The package reads stored runs and is pure beyond that.
package compare

// Package arrival says when calls are due: pure, seeded schedules in which the
// n-th due time follows from the plan alone, never from a clock. A schedule is
// open loop: it does not wait for answers.
package arrival

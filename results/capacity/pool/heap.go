package pool

// queue is a first-in-first-out queue of jobs.
type queue struct {
	jobs []job
	head int
}

func (q *queue) len() int { return len(q.jobs) - q.head }

func (q *queue) push(j job) {
	if q.head > 1024 && q.head > len(q.jobs)/2 {
		q.jobs = append(q.jobs[:0], q.jobs[q.head:]...)
		q.head = 0
	}
	q.jobs = append(q.jobs, j)
}

func (q *queue) pop() job {
	j := q.jobs[q.head]
	q.jobs[q.head] = job{}
	q.head++
	return j
}

// due is a job and when it is done: an instant, or an amount of shared work.
type due struct {
	at  float64
	job job
}

// agenda is a binary heap, the earliest first.
type agenda []due

func (a *agenda) push(d due) {
	*a = append(*a, d)
	h := *a
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if h[parent].at <= h[i].at {
			return
		}
		h[parent], h[i] = h[i], h[parent]
		i = parent
	}
}

func (a *agenda) pop() due {
	h := *a
	first := h[0]
	last := len(h) - 1
	h[0] = h[last]
	h[last] = due{}
	h = h[:last]
	*a = h
	for i := 0; ; {
		child := 2*i + 1
		if child >= len(h) {
			return first
		}
		if child+1 < len(h) && h[child+1].at < h[child].at {
			child++
		}
		if h[i].at <= h[child].at {
			return first
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

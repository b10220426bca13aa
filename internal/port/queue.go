package port

import "sync"

// queue holds messages in their order, up to bounds that put respects. One goroutine takes.
type queue struct {
	items, size int

	mu    sync.Mutex
	list  [][]byte
	bytes int
	// taken is closed, and made anew, when something was taken; there says that something is
	// there.
	taken chan struct{}
	there chan struct{}
}

// newQueue makes a queue that is full with so many items, or with so many bytes.
func newQueue(items, size int) *queue {
	return &queue{items: items, size: size, taken: make(chan struct{}), there: make(chan struct{}, 1)}
}

// put adds a message unless the queue is full; taken is closed when that may have changed.
func (q *queue) put(text []byte) (ok bool, taken <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) >= q.items || q.bytes >= q.size {
		return false, q.taken
	}
	q.add(text)
	return true, nil
}

// force adds a message whatever is waiting.
func (q *queue) force(text []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.add(text)
}

func (q *queue) add(text []byte) {
	q.list, q.bytes = append(q.list, text), q.bytes+len(text)
	select {
	case q.there <- struct{}{}:
	default:
	}
}

// take gives the first message; ok is false where there is none.
func (q *queue) take() (text []byte, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.list) == 0 {
		return nil, false
	}
	text, q.list[0] = q.list[0], nil
	q.list, q.bytes = q.list[1:], q.bytes-len(text)
	close(q.taken)
	q.taken = make(chan struct{})
	return text, true
}

// next gives the first message, and waits for one; ok is false once done is closed.
func (q *queue) next(done <-chan struct{}) (text []byte, ok bool) {
	for {
		if text, ok := q.take(); ok {
			return text, true
		}
		select {
		case <-q.there:
		case <-done:
			return nil, false
		}
	}
}

package worker

import (
	"slices"
	"sync"
	"sync/atomic"
)

// audience are those who are told of what happens. Telling takes no lock, since it is done in
// the middle of calls.
type audience struct {
	mu   sync.Mutex
	list atomic.Pointer[[]*func(Event)]
}

// join adds one who is told, until leave is called; nil is nobody.
func (u *audience) join(observe func(Event)) (leave func()) {
	if observe == nil {
		return func() {}
	}
	one := &observe
	u.change(func(list []*func(Event)) []*func(Event) { return append(list, one) })
	return func() {
		u.change(func(list []*func(Event)) []*func(Event) {
			return slices.DeleteFunc(list, func(other *func(Event)) bool { return other == one })
		})
	}
}

// change puts a changed copy of the list in its place.
func (u *audience) change(do func([]*func(Event)) []*func(Event)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	var list []*func(Event)
	if now := u.list.Load(); now != nil {
		list = slices.Clone(*now)
	}
	list = do(list)
	u.list.Store(&list)
}

func (u *audience) tell(e Event) {
	if list := u.list.Load(); list != nil {
		for _, observe := range *list {
			(*observe)(e)
		}
	}
}

// Watch has everything told that happens in the runs of this worker, whoever asked for them,
// until stop is called. observe must not block.
func (w *Worker) Watch(observe func(Event)) (stop func()) { return w.watchers.join(observe) }

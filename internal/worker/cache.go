package worker

import (
	"sync"

	"toolsmith/internal/task"
)

// cache keeps the newest contents of a run in memory, so that what a call has just given is
// not read back for the next one. Its bound keeps a run of large contents from filling the
// memory.
type cache struct {
	mu    sync.Mutex
	bytes int
	items map[task.ID]cached
	order []task.ID
}

type cached struct {
	value any
	bytes int
}

// maxCached is how many bytes of contents one run keeps in memory.
const maxCached = 4 << 20

func newCache() *cache { return &cache{items: map[task.ID]cached{}} }

func (c *cache) get(id task.ID) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	item, ok := c.items[id]
	return item.value, ok
}

// put keeps a value of a number of bytes; the oldest ones go.
func (c *cache) put(id task.ID, v any, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.items[id]; known || bytes > maxCached {
		return
	}
	c.items[id] = cached{v, bytes}
	c.order = append(c.order, id)
	for c.bytes += bytes; c.bytes > maxCached; {
		oldest := c.order[0]
		c.order = c.order[1:]
		c.bytes -= c.items[oldest].bytes
		delete(c.items, oldest)
	}
}

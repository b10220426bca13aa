package engine

import (
	"crypto/sha256"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"toolsmith/internal/check"
	"toolsmith/tool"
)

// How much is kept of texts that were checked before: so many, and so many bytes of them together.
const (
	mostChecks     = 256
	mostCheckBytes = 16 << 20
)

// checks keeps what checks of kept texts came to: each call looks its tool up, and a text is the same
// tool each time. It may be used from many goroutines.
type checks struct {
	catalogue *tool.Catalogue

	mu sync.Mutex
	// by the SHA-256 of the text; bytes is how long the texts are together.
	by    *simplelru.LRU[[sha256.Size]byte, check.Result]
	bytes int
}

func newChecks(catalogue *tool.Catalogue) *checks {
	c := &checks{catalogue: catalogue}
	c.by, _ = simplelru.NewLRU(mostChecks, func(_ [sha256.Size]byte, r check.Result) { c.bytes -= len(r.Tool.Text()) }) // it fails for a size below 1 alone
	return c
}

// kept is check.Kept. What it gives must not be changed.
func (c *checks) kept(text []byte) check.Result {
	key := sha256.Sum256(text)
	c.mu.Lock()
	result, has := c.by.Get(key)
	c.mu.Unlock()
	if has {
		return result
	}
	result = check.Kept(text, c.catalogue)
	if !result.OK() || len(text) > mostCheckBytes {
		return result
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.by.Contains(key) {
		c.by.Add(key, result)
		c.bytes += len(result.Tool.Text())
	}
	for c.bytes > mostCheckBytes {
		c.by.RemoveOldest()
	}
	return result
}

package scrub

// automaton finds many patterns in one pass, in time that is linear in the text: a trie of
// all patterns in which each node knows the longest other beginning of a pattern that its
// text ends with (Aho and Corasick). It never changes once it is made.
type automaton struct {
	// root has the children of the root by their byte; 0 for none.
	root  [256]int32
	nodes []node // the first is the root
}

// node is a beginning of a pattern. Its children are a list: but near the root there is
// hardly ever more than one, and a table in each node would take a kilobyte of it.
type node struct {
	child, sibling int32 // 0 for none
	// fail is the longest other beginning of a pattern that this one ends with.
	fail int32
	// hit is the longest pattern that this one ends with, as a node: itself if it is one; 0
	// for none.
	hit int32
	// depth is its length in bytes.
	depth int32
	// pattern it is, counted from 1; 0 for none.
	pattern int32
	b       byte
}

func newAutomaton() *automaton { return &automaton{nodes: make([]node, 1)} }

// add puts a text into the trie, and gives the place for the number of its pattern.
func (a *automaton) add(text string) *int32 {
	at := int32(0)
	for i := range len(text) {
		b := text[i]
		next := a.child(at, b)
		if next == 0 {
			next = int32(len(a.nodes))
			depth := a.nodes[at].depth + 1
			if at == 0 {
				a.root[b] = next
			}
			a.nodes = append(a.nodes, node{sibling: a.nodes[at].child, depth: depth, b: b})
			a.nodes[at].child = next
		}
		at = next
	}
	return &a.nodes[at].pattern
}

// link works out where to go on when no pattern goes on. Nothing may be added after it.
func (a *automaton) link() {
	queue := []int32{0}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for c := a.nodes[at].child; c != 0; c = a.nodes[c].sibling {
			n := &a.nodes[c]
			if at != 0 {
				n.fail = a.step(a.nodes[at].fail, n.b)
			}
			if n.hit = a.nodes[n.fail].hit; n.pattern != 0 {
				n.hit = c
			}
			queue = append(queue, c)
		}
	}
}

func (a *automaton) child(at int32, b byte) int32 {
	if at == 0 {
		return a.root[b]
	}
	c := a.nodes[at].child
	for c != 0 && a.nodes[c].b != b {
		c = a.nodes[c].sibling
	}
	return c
}

// step gives the longest beginning of a pattern with which a text ends that ended with at
// before b came.
func (a *automaton) step(at int32, b byte) int32 {
	for at != 0 {
		if c := a.child(at, b); c != 0 {
			return c
		}
		at = a.nodes[at].fail
	}
	return a.root[b]
}

package quickjs_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolsmith/internal/runner/script/quickjs"
)

// What one sandbox did is nowhere in the next one, whichever image that has.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{Live: 1}) // so that all share one instance
	base := newImage(t, e, runtimeScript+"\nglobalThis.shared = {list: [1, 2, 3], map: new Map([['a', 1]])}")
	derived := derive(t, e, base, "globalThis.own = 'derived'; shared.list.push(4)")
	larger := derive(t, e, base, "globalThis.large = new Uint8Array(3e6).fill(5)")
	const deeds = `secret = "s3cret-" + "v4lue"; shared.list.push(secret); shared.map.set(secret, secret); shared.x = secret;
		Array.prototype.x = 1; Array.prototype.push = () => secret; Object.prototype.y = secret; JSON.parse = () => secret;
		Promise.prototype.then = null; Symbol.for(secret); String.prototype.trim = () => secret; delete globalThis.Map;
		Object.defineProperty(globalThis, "undefinable", {value: 1}); Object.freeze(Math); new Array(1000).fill(secret + 1); 1`
	const look = `[typeof secret, shared.list.join(), [...shared.map].join(), shared.x, [].x, [].push.length, ({}).y, JSON.parse("[7]")[0],
		typeof Promise.prototype.then, " a ".trim(), typeof Map, typeof undefinable, Object.isFrozen(Math), typeof own, typeof large].join()`
	want := func(list, own, large string) string {
		return "undefined," + list + ",a,1,,,1,,7,function,a,function,undefined,false," + own + "," + large
	}
	images := []struct {
		image *quickjs.Image
		want  string
	}{{base, want("1,2,3", "undefined", "undefined")}, {derived, want("1,2,3,4", "string", "undefined")}, {larger, want("1,2,3", "undefined", "object")}}
	for n := range 18 {
		before, after := images[n%3], images[n/3%3]
		checkCall(t, e, before.image, "1", "eval", deeds)
		checkCall(t, e, after.image, after.want, "eval", look)
		checkCall(t, e, before.image, before.want, "eval", look)
	}
}

// Memory that a guest gets holds nothing of what was there before, not even where it need not be zero.
func TestNothingIsLeftInMemory(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{Live: 1})
	image := newImage(t, e, runtimeScript)
	larger := derive(t, e, image, "globalThis.large = new Array(30).fill().map(() => new Uint8Array(1e5).fill(0xee))")
	for range 3 {
		checkCall(t, e, larger, "1", "eval", "for (const part of large) part.fill(0xdd); large.length = 0; 1")
		// A fresh buffer is zero; a text of uninitialised memory would be a bug of QuickJS.
		checkCall(t, e, image, "0", "eval", "let sum = 0; for (let i = 0; i < 40; i++) for (const b of new Uint8Array(1e5).subarray(0, 1e3)) sum += b; sum")
	}
}

func derive(t testing.TB, e *quickjs.Engine, base *quickjs.Image, text string) *quickjs.Image {
	t.Helper()
	image, err := e.Image(t.Context(), base, nil, quickjs.Budget{}, quickjs.Script{Name: "derived.js", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func TestImage(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{})
	host := hostFunc(func(name string, arguments []string) (string, error) { return name + strings.Join(arguments, ""), nil })
	base, err := e.Image(t.Context(), nil, host, quickjs.Budget{},
		quickjs.Script{Name: "a.js", Text: "globalThis.order = [__host('a', 'b')]; Promise.resolve().then(() => order.push('job'))"},
		quickjs.Script{Name: "b.js", Text: "order.push('b'); globalThis.__entry = {order() { return order.join() }, host(x) { return __host(x) }}"})
	if err != nil {
		t.Fatal(err)
	}
	checkCall(t, e, base, "ab,job,b", "order")
	derived := derive(t, e, base, "order.push('derived')")
	further := derive(t, e, derived, "order.push('further'); globalThis.__entry = {other() {}}")
	checkCall(t, e, further, "ab,job,b,derived,further", "order")
	checkCall(t, e, derived, "ab,job,b,derived", "order")
	checkCall(t, e, base, "ab,job,b", "order")
	if _, err := call(t, e, further, "other"); err == nil {
		t.Error("entries come from the image without a base alone")
	}
	// A small change costs little.
	if base.Size() < 100_000 || base.Size() > 1<<20 || derived.Size() > base.Size()*2/3 {
		t.Errorf("sizes: %d, %d, %d", base.Size(), derived.Size(), further.Size())
	}
	empty, err := e.Image(t.Context(), nil, nil, quickjs.Budget{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := call(t, e, empty, "order"); err == nil {
		t.Error("there is an entry")
	}
}

func TestImageErrors(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{})
	base := newImage(t, e, runtimeScript)
	failure := errors.New("refused")
	host := hostFunc(func(string, []string) (string, error) { return "", failure })
	for name, c := range map[string]struct {
		base *quickjs.Image
		text string
		want string
	}{
		"syntax":               {nil, "let = = 1", "SyntaxError"},
		"exception":            {base, "throw new RangeError('no')", "RangeError: no"},
		"exception of a job":   {base, "queueMicrotask(() => { throw new Error('late') })", "Error: late"},
		"memory":               {base, "new ArrayBuffer(1e9)", quickjs.ErrMemory.Error()},
		"host":                 {nil, "__host('x')", failure.Error()},
		"entry cannot be read": {nil, "globalThis.__entry = new Proxy({}, {ownKeys() { throw new Error('hidden') }})", "Error: hidden"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := e.Image(t.Context(), c.base, host, quickjs.Budget{}, quickjs.Script{Name: "x.js", Text: c.text})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%v; want %s", err, c.want)
			}
		})
	}
}

// An instance with more memory than an image needs, and less, both hold it.
func TestImagesOfAllSizes(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{Live: 3})
	base := newImage(t, e, runtimeScript)
	var images []*quickjs.Image
	for n := range 6 {
		images = append(images, derive(t, e, base, fmt.Sprintf("globalThis.size = %d; globalThis.part = new Uint8Array(size).fill(1)", n*900_000)))
	}
	for n := range 36 {
		k := n * 7 % 6
		checkCall(t, e, images[k], fmt.Sprintf("%d,%d", k*900_000, k*900_000), "eval", "[size, part.reduce((a, b) => a + b, 0)].join()")
		// The rest of the memory is there to be used.
		checkCall(t, e, images[k], "20000000", "eval", "new Uint8Array(2e7).fill(1).length")
	}
}

// A folder for machine code that is none, or in which somebody wrote, does not matter.
func TestCacheDir(t *testing.T) {
	t.Parallel()
	e := newEngine(t, quickjs.Options{})
	newImage(t, e, runtimeScript) // from here on there is machine code
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(machineCode)); err != nil {
		t.Fatal(err)
	}
	spoiled := 0
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		spoiled++
		return os.Truncate(path, 1000)
	})
	if err != nil || spoiled == 0 {
		t.Fatal(spoiled, err)
	}
	e = newEngine(t, quickjs.Options{CacheDir: dir})
	checkCall(t, e, newImage(t, e, runtimeScript), "2", "eval", "1+1")
}

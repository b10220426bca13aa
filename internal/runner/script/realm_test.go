package script_test

import (
	"strings"
	"testing"
)

// TestGlobals lists what a tool finds in its realm, to the last name.
func TestGlobals(t *testing.T) {
	t.Parallel()
	got, err := call(t, `return Reflect.ownKeys(globalThis).map(String).sort().join(' ')`)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(`AbortController AbortSignal AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean
		DOMException DataView Date DisposableStack Error EvalError Event EventTarget FinalizationRegistry Float16Array Float32Array Float64Array Function
		Headers Infinity Int16Array Int32Array Int8Array InternalError Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError
		Reflect RegExp Request Response Set SharedArrayBuffer String SuppressedError Symbol SyntaxError TextDecoder TextEncoder TypeError URIError URL
		URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet __toolsmith clearTimeout console
		decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval fetch globalThis isFinite isNaN parseFloat parseInt
		setTimeout structuredClone undefined unescape`)
	if got.Value != strings.Join(want, " ") {
		t.Errorf("the realm has %v", got.Value)
	}
}

package quickjs

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero/api"
)

// writable is of properties that can be written, deleted, and are not listed.
const writable = 3

// maxErrorText is how much is read of each text of an exception, in bytes.
const maxErrorText = 64 << 10

// function is one that the module exports.
type function int

const (
	doMalloc function = iota
	doFree
	doNewText
	doNewHostFunction
	doUndefined
	doToText
	doFreeText
	doFreeValue
	doTag
	doIsException
	doIsError
	doTakeException
	doNewError
	doThrowValue
	doGlobal
	doProperty
	doDefineProperty
	doEval
	doCall
	doJob
	doInitialize
	doCreate
	doLimitMemory
	doLimitStack
	doCollect
	doTrackRejections
	functions // how many there are
)

// exports are the names by which the module has them.
var exports = [functions]string{
	doMalloc:          "wasm_malloc",
	doFree:            "wasm_free",
	doNewText:         "qjs_new_string",
	doNewHostFunction: "qjs_new_host_function",
	doUndefined:       "qjs_get_undefined",
	doToText:          "qjs_get_string_len",
	doFreeText:        "qjs_free_cstring",
	doFreeValue:       "qjs_free_value",
	doTag:             "qjs_typeof",
	doIsException:     "qjs_is_exception",
	doIsError:         "qjs_is_error",
	doTakeException:   "qjs_get_exception",
	doNewError:        "qjs_new_error",
	doThrowValue:      "qjs_throw",
	doGlobal:          "qjs_get_global",
	doProperty:        "qjs_get_prop_string",
	doDefineProperty:  "qjs_define_prop_string",
	doEval:            "qjs_eval",
	doCall:            "qjs_call",
	doJob:             "qjs_execute_pending_job",
	doInitialize:      "_initialize",
	doCreate:          "qjs_init",
	doLimitMemory:     "qjs_set_memory_limit",
	doLimitStack:      "qjs_set_max_stack_size",
	doCollect:         "qjs_run_gc",
	doTrackRejections: "qjs_set_promise_rejection_handler",
}

// guest calls the functions of an instance. A function cannot be called while it runs; that is why an
// instance has two guests: what a guest's own call asks of it goes through the inner one.
// A value of JavaScript is the address of a cell of the instance's memory that holds it.
type guest struct {
	ctx context.Context
	// inner says that it works within a call of the host: then nothing that the guest defined may run.
	inner  bool
	module api.Module
	memory api.Memory
	// stack carries arguments and results.
	stack [8]uint64
	// functions are there once they were called: each has 10 KiB for a stack of machine code.
	functions [functions]api.Function
}

func newGuest(ctx context.Context, m api.Module, inner bool) *guest {
	return &guest{ctx: ctx, inner: inner, module: m, memory: m.Memory()}
}

// do calls a function. An error means that the instance cannot be used any more.
func (g *guest) do(f function, arguments ...uint64) (uint32, error) {
	if g.functions[f] == nil {
		if g.functions[f] = g.module.ExportedFunction(exports[f]); g.functions[f] == nil {
			return 0, fmt.Errorf("%w: QuickJS has no function %s", ErrBroken, exports[f])
		}
	}
	copy(g.stack[:], arguments)
	if err := g.functions[f].CallWithStack(g.ctx, g.stack[:]); err != nil {
		return 0, err //nolint:wrapcheck // Sandbox.reason words it
	}
	return uint32(g.stack[0]), nil
}

// make calls a function that gives a new value, and sees that there was memory for its cell.
func (g *guest) make(f function, arguments ...uint64) (uint32, error) {
	v, err := g.do(f, arguments...)
	if err == nil && v == 0 {
		return 0, ErrMemory
	}
	return v, err
}

// value is make where the value may be the mark of an exception, which then is the error.
func (g *guest) value(f function, arguments ...uint64) (uint32, error) {
	v, err := g.make(f, arguments...)
	if err != nil {
		return 0, err
	}
	if thrown, err := g.do(doIsException, uint64(v)); err != nil || thrown == 0 {
		return v, err
	}
	if err := g.drop(v); err != nil {
		return 0, err
	}
	return 0, g.exception()
}

// drop gives a value back.
func (g *guest) drop(v uint32) error {
	_, err := g.do(doFreeValue, uint64(v))
	return err
}

// put copies a text into the memory, with a zero behind it.
func (g *guest) put(text string) (uint32, error) {
	at, err := g.make(doMalloc, uint64(len(text)+1))
	if err != nil {
		return 0, err
	}
	if !g.memory.WriteString(at, text) || !g.memory.WriteByte(at+uint32(len(text)), 0) {
		return 0, fmt.Errorf("%w: its memory ends too early", ErrBroken)
	}
	return at, nil
}

func (g *guest) release(at uint32) error {
	_, err := g.do(doFree, uint64(at))
	return err
}

// newString makes a text of JavaScript. What is not UTF-8 in it is replaced.
func (g *guest) newString(text string) (uint32, error) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	at, err := g.put(text)
	if err != nil {
		return 0, err
	}
	v, err := g.value(doNewText, uint64(at), uint64(len(text)))
	if err != nil {
		return 0, err
	}
	return v, g.release(at)
}

// isPlain reports whether a value becomes a text without running anything: it is neither an
// object nor a symbol.
func (g *guest) isPlain(v uint32) (bool, error) {
	const object, symbol = -1, -8
	tag, err := g.do(doTag, uint64(v))
	return int32(tag) != object && int32(tag) != symbol, err
}

// text gives String(v), at most limit bytes of it; limit 0 is for all of it. Objects run code of the
// guest for it.
func (g *guest) text(v uint32, limit int) (string, error) {
	text, ok, err := g.read(v, limit)
	if err == nil && !ok {
		return "", g.exception()
	}
	return text, err
}

// readable is text where an exception on the way is dropped, and gives "".
func (g *guest) readable(v uint32) (string, error) {
	text, ok, err := g.read(v, maxErrorText)
	if err == nil && !ok {
		return "", g.forget()
	}
	return text, err
}

// read gives String(v) as text does, or not ok with an exception that is thrown.
func (g *guest) read(v uint32, limit int) (text string, ok bool, err error) {
	if thrown, err := g.do(doIsException, uint64(v)); err != nil || thrown != 0 {
		return "", false, err
	}
	size, err := g.make(doMalloc, 4)
	if err != nil {
		return "", false, err
	}
	at, err := g.do(doToText, uint64(v), uint64(size))
	if err != nil {
		return "", false, err
	}
	n, _ := g.memory.ReadUint32Le(size)
	if err := g.release(size); err != nil || at == 0 {
		return "", false, err
	}
	if limit > 0 {
		n = min(n, uint32(limit))
	}
	raw, ok := g.memory.Read(at, n)
	if !ok {
		return "", false, fmt.Errorf("%w: a text is outside of its memory", ErrBroken)
	}
	text = strings.ToValidUTF8(string(raw), "\uFFFD")
	_, err = g.do(doFreeText, uint64(at))
	return text, err == nil, err
}

// exception takes the exception that was thrown: as an *Exception, as ErrMemory, or as what the
// instance ran into while it was read.
func (g *guest) exception() error {
	if g.inner {
		return ErrMemory // nothing else goes wrong with texts, and getters could be behind its name
	}
	v, err := g.make(doTakeException)
	if err != nil {
		return err
	}
	isError, err := g.do(doIsError, uint64(v))
	if err != nil {
		return err
	}
	x := &Exception{}
	if isError == 0 {
		x.Message, err = g.readable(v)
	} else {
		for _, part := range []struct {
			name string
			to   *string
		}{{"name", &x.Name}, {"message", &x.Message}, {"stack", &x.Stack}} {
			if *part.to, err = g.propertyText(v, part.name); err != nil {
				break
			}
		}
	}
	if err != nil {
		return err
	}
	if err := g.drop(v); err != nil {
		return err
	}
	if x.Name == "InternalError" && x.Message == "out of memory" {
		return ErrMemory
	}
	return x
}

// propertyText gives the text of a property, and "" where reading it throws.
func (g *guest) propertyText(object uint32, name string) (string, error) {
	v, err := g.get(object, name)
	if err != nil {
		return "", err
	}
	text, err := g.readable(v)
	if err != nil {
		return "", err
	}
	return text, g.drop(v)
}

// forget drops the exception that was thrown.
func (g *guest) forget() error {
	v, err := g.make(doTakeException)
	if err != nil {
		return err
	}
	return g.drop(v)
}

// throw makes the guest's call end with a TypeError of its own.
func (g *guest) throw(message string) error {
	v, err := g.value(doNewError)
	if err != nil {
		return err
	}
	for _, part := range [][2]string{{"name", "TypeError"}, {"message", message}} {
		text, err := g.newString(part[1])
		if err != nil {
			return err
		}
		if err := g.set(v, part[0], text); err != nil {
			return err
		}
	}
	mark, err := g.make(doThrowValue, uint64(v))
	if err != nil {
		return err
	}
	if err := g.drop(mark); err != nil {
		return err
	}
	return g.drop(v)
}

// set gives an object a property of its own, whatever setters there are, and the value away.
func (g *guest) set(object uint32, name string, v uint32) error {
	at, err := g.put(name)
	if err != nil {
		return err
	}
	if _, err := g.do(doDefineProperty, uint64(object), uint64(at), uint64(v), writable); err != nil {
		return err
	}
	if err := g.drop(v); err != nil {
		return err
	}
	return g.release(at)
}

// get gives a property of an object.
func (g *guest) get(object uint32, name string) (uint32, error) {
	at, err := g.put(name)
	if err != nil {
		return 0, err
	}
	v, err := g.make(doProperty, uint64(object), uint64(at))
	if err != nil {
		return 0, err
	}
	return v, g.release(at)
}

// run evaluates a script and gives its value.
func (g *guest) run(name, text string) (uint32, error) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	code, err := g.put(text)
	if err != nil {
		return 0, err
	}
	file, err := g.put(strings.ReplaceAll(name, "\x00", ""))
	if err != nil {
		return 0, err
	}
	v, err := g.value(doEval, uint64(code), uint64(len(text)), uint64(file), 0)
	if err != nil {
		return 0, err
	}
	if err := g.release(code); err != nil {
		return 0, err
	}
	return v, g.release(file)
}

// apply calls a function of JavaScript with texts.
func (g *guest) apply(function, this uint32, arguments []string) (uint32, error) {
	values := make([]uint32, len(arguments))
	list, err := g.make(doMalloc, uint64(4*len(arguments)+4))
	if err != nil {
		return 0, err
	}
	for k, a := range arguments {
		if values[k], err = g.newString(a); err != nil {
			return 0, err
		}
		var at [4]byte
		binary.LittleEndian.PutUint32(at[:], values[k])
		if !g.memory.Write(list+uint32(4*k), at[:]) {
			return 0, fmt.Errorf("%w: its memory ends too early", ErrBroken)
		}
	}
	result, err := g.value(doCall, uint64(function), uint64(this), uint64(len(arguments)), uint64(list))
	var thrown *Exception
	if err != nil && !errors.As(err, &thrown) {
		return 0, err
	}
	for _, v := range values {
		if err := g.drop(v); err != nil {
			return 0, err
		}
	}
	if err := g.release(list); err != nil {
		return 0, err
	}
	return result, err
}

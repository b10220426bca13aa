package quickjs

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// part writes one section of a module.
func part(id byte, body ...byte) []byte {
	return append(appendUnsigned([]byte{id}, uint32(len(body))), body...)
}

// text writes a name.
func text(s string) []byte { return append(appendUnsigned(nil, uint32(len(s))), s...) }

// header is how modules begin.
const header = "\x00asm\x01\x00\x00\x00"

// Sections of the modules of these tests. The types are () → i32, (i32) → () and () → ().
func types() []byte {
	return part(sectionTypes, 3, typeFunction, 0, 1, typeI32, typeFunction, 1, typeI32, 0, typeFunction, 0, 0)
}

func importCheck() []byte {
	body := append([]byte{1}, text("env")...)
	return part(sectionImports, append(append(body, text("check")...), 0, 0)...)
}

// assemble makes a module with one function "run" of one i32 parameter, and one page of memory.
func assemble(body ...byte) []byte {
	out := append([]byte(header), types()...)
	out = append(out, importCheck()...)
	out = append(out, part(sectionFunctions, 1, 1)...)
	out = append(out, part(5, 1, 0, 1)...)
	out = append(out, part(sectionGlobals, 1, typeI32, 1, opI32Const, 0, opEnd)...)
	out = append(out, part(7, append(append([]byte{1}, text("run")...), 0, 1)...)...)
	code := append([]byte{0}, body...) // no local variables
	return append(out, part(sectionCode, append(appendUnsigned([]byte{1}, uint32(len(code))), code...)...)...)
}

// countdown is a loop of as many rounds as the parameter says.
func countdown() []byte {
	return assemble(opLoop, blockVoid, opLocalGet, 0, opI32Const, 1, opI32Sub, opLocalTee, 0, 0x0d, 0, opEnd, opEnd)
}

var errEnough = errors.New("enough")

// runMetered runs a module and gives how often it called the check, which stops it after most times.
func runMetered(t *testing.T, module []byte, every int32, argument uint64, most int) (calls int, err error) {
	t.Helper()
	metered, err := meter(module, "env", "check", every)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2|experimental.CoreFeaturesTailCall))
	defer r.Close(ctx)
	check := func() uint32 {
		if calls++; calls >= most {
			panic(errEnough)
		}
		return 1
	}
	if _, err := r.NewHostModuleBuilder("env").NewFunctionBuilder().WithFunc(check).Export("check").Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	m, err := r.Instantiate(ctx, metered)
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.ExportedFunction("run").Call(ctx, argument)
	return calls, err
}

func TestMeterCounts(t *testing.T) {
	t.Parallel()
	fill := func(opcode byte, operands ...byte) []byte { // of the size that the parameter says
		body := []byte{opI32Const, 0, opI32Const, 0, opLocalGet, 0, opPrefixFC, opcode}
		return assemble(append(append(body, operands...), opEnd)...)
	}
	for _, c := range []struct {
		name      string
		module    []byte
		every     int32
		argument  uint64
		want      int
		wantError bool
	}{
		{"no round", countdown(), 10, 1, 0, false},
		{"fewer rounds", countdown(), 10, 9, 0, false},
		{"ten rounds", countdown(), 10, 10, 1, false},
		{"a hundred rounds", countdown(), 10, 100, 10, false},
		{"each round", countdown(), 1, 7, 7, false},
		{"for good", countdown(), 1000, 0, 50, true},
		{"tail calls", assemble(opLocalGet, 0, opReturnCall, 1, opEnd), 10, 0, 50, true},
		{"tail calls by table", assemble(opI32Const, 1, opDrop, opLocalGet, 0, opReturnCall, 1, opEnd), 10, 0, 50, true},
		{"fill a little", fill(11, 0), 1000, 640, 0, false},
		{"fill much", fill(11, 0), 1000, 64_000, 1, false},
		{"copy much", fill(10, 0, 0), 1000, 64_000, 1, false},
		{"fill outside", fill(11, 0), 1000, 1 << 31, 1, true},
		{"loop in the branches of an if", assemble(opLocalGet, 0, opIf, blockVoid, opLoop, blockVoid, 0x0c, 0, opEnd, 0x05, opEnd, opEnd), 10, 1, 50, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			calls, err := runMetered(t, c.module, c.every, c.argument, 50)
			if calls != c.want || (err != nil) != c.wantError {
				t.Errorf("%d calls, %v; want %d", calls, err, c.want)
			}
			if c.want == 50 && !errors.Is(err, errEnough) {
				t.Error(err)
			}
		})
	}
}

func TestMeterRefuses(t *testing.T) {
	t.Parallel()
	join := func(parts ...[]byte) []byte { return append([]byte(header), bytes.Join(parts, nil)...) }
	globals := part(sectionGlobals, 1, typeI32, 1, opI32Const, 0, opEnd)
	function := part(sectionFunctions, 1, 2)
	code := func(body ...byte) []byte {
		return join(types(), importCheck(), function, globals,
			part(sectionCode, append(appendUnsigned([]byte{1}, uint32(len(body))), body...)...))
	}
	whole := countdown()
	for _, c := range []struct {
		name, want string
		module     []byte
	}{
		{"nothing", "ends too early", nil},
		{"another beginning", "does not begin like one", []byte("\x00asm\x02\x00\x00\x00")},
		{"section that is cut", "ends too early", whole[:len(whole)-1]},
		{"number that is cut", "ends too early", join([]byte{1, 0x80})},
		{"number that is too long", "too long", join([]byte{1, 0x80, 0x80, 0x80, 0x80, 0x80, 0})},
		{"number of more than 32 bits", "32 bits", join([]byte{1, 0xff, 0xff, 0xff, 0xff, 0x7f})},
		{"no import", "does not import env.check", join(types(), function, globals)},
		{"import of another type", "does not import env.check", join(types(), part(sectionImports, append(append(append([]byte{1}, text("env")...), text("check")...), 0, 1)...), globals)},
		{"import of a type that is not there", "type 9 is not there", join(types(), part(sectionImports, append(append(append([]byte{1}, text("env")...), text("check")...), 0, 9)...), globals)},
		{"import of an unknown kind", "an import of kind 7", join(types(), part(sectionImports, append(append(append([]byte{1}, text("env")...), text("check")...), 7)...), globals)},
		{"type of another form", "a type of form", join(part(sectionTypes, 1, 0x5f))},
		{"no globals", "no global variables", join(types(), importCheck(), function)},
		{"fewer bodies", "0 bodies of 1 functions", join(types(), importCheck(), function, globals, part(sectionCode, 0))},
		{"function of a type that is not there", "type 9 is not there", join(types(), importCheck(), part(sectionFunctions, 1, 9), globals)},
		{"body that is cut", "ends too early", join(types(), importCheck(), function, globals, part(sectionCode, 1, 9, 0))},
		{"many local variables", "local variables", code(1, 0xff, 0xff, 0xff, 0x7f, typeI32, opEnd)},
		{"unknown instruction", "instruction 0xfd", code(0, 0xfd, opEnd)},
		{"exceptions", "instruction 0x1f", code(0, 0x1f, opEnd)},
		{"unknown bulk instruction", "instruction 0xfc 99", code(0, opPrefixFC, 99, opEnd)},
		{"second memory", "a second memory", code(0, 0x28, 0x42, 0, 0, opEnd)},
		{"operand that is cut", "ends too early", code(0, 0x44, 0)},
		{"table of branches that is cut", "ends too early", code(0, 0x0e, 0xff, 0xff, 3)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, err := meter(c.module, "env", "check", 10)
			if out != nil || !errors.Is(err, errBytecode) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%x, %v; want %q", out, err, c.want)
			}
		})
	}
}

// QuickJS itself keeps nothing but its memory and where its stack begins: an image has all there is.
func TestModuleKeepsNothingElse(t *testing.T) {
	t.Parallel()
	b := &bytecode{text: module}
	b.bytes(8)
	m := metering{}
	for !b.done() {
		s := section{id: b.byte()}
		s.body = b.bytes(b.unsigned())
		m.learn(b, s, "env", "host_interrupt")
	}
	if b.err != nil || m.fuel != 1 {
		t.Errorf("%d global variables, %v", m.fuel, b.err)
	}
}

func FuzzMeter(f *testing.F) {
	for _, seed := range [][]byte{
		nil, []byte(header), countdown(),
		assemble(opLocalGet, 0, opReturnCall, 1, opEnd),
		assemble(opI32Const, 0, opI32Const, 0, opLocalGet, 0, opPrefixFC, 11, 0, opEnd),
		assemble(opLocalGet, 0, opIf, blockVoid, opLoop, blockVoid, 0x0c, 0, opEnd, 0x05, opEnd, opEnd),
		assemble(0x02, blockVoid, opLocalGet, 0, 0x0e, 1, 0, 0, opEnd, 0x43, 0, 0, 0, 0, opDrop, 0xd0, 0x70, opDrop, opEnd),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, wasm []byte) {
		metered, err := meter(wasm, "env", "check", 1000)
		if err != nil {
			if metered != nil || !errors.Is(err, errBytecode) {
				t.Error(err)
			}
			return
		}
		// What was written can be read, but for one local variable too many.
		if _, err := meter(metered, "env", "check", 1000); err != nil && !strings.Contains(err.Error(), "local variables") {
			t.Error("again:", err)
		}
	})
}

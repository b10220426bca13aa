package quickjs

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// hostFunction is the name of the one function of its host that a guest has.
const hostFunction = "__host"

const (
	// maxArguments is how many arguments it takes, the name counted.
	maxArguments = 16
	// maxArgumentBytes is how long they may be in all.
	maxArgumentBytes = 16 << 20
)

// badDescriptor is what every function for files answers: EBADF of WASI.
const badDescriptor = 8

// instanceKey is where the context of a call into a module has the instance.
type instanceKey struct{}

func instanceOf(ctx context.Context) *instance {
	i, _ := ctx.Value(instanceKey{}).(*instance)
	return i
}

// imports gives the modules everything that they import. None of it reaches outside.
func imports(ctx context.Context, r wazero.Runtime) error {
	const i32, i64 = api.ValueTypeI32, api.ValueTypeI64
	type function struct {
		name    string
		params  []api.ValueType
		results []api.ValueType
		do      api.GoModuleFunc
	}
	ints := func(n int) []api.ValueType {
		types := make([]api.ValueType, n)
		for k := range types {
			types[k] = i32
		}
		return types
	}
	answer := func(v uint64) api.GoModuleFunc {
		return func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = v }
	}
	for name, functions := range map[string][]function{
		"env": {
			{"host_call", ints(5), ints(1), hostCall},
			{"host_interrupt", nil, ints(1), hostInterrupt}, // called by what meter adds
			{"host_promise_rejection", ints(3), nil, hostRejection},
			{"host_module_normalize", ints(2), ints(1), answer(0)}, // there are no modules
			{"host_module_load", ints(2), ints(1), answer(0)},
			{"host_get_timezone_offset", ints(2), ints(1), answer(0)}, // UTC
		},
		"wasi_snapshot_preview1": {
			{"clock_time_get", []api.ValueType{i32, i64, i32}, ints(1), clockTime},
			{"random_get", ints(2), ints(1), random},
			{"fd_close", ints(1), ints(1), answer(badDescriptor)},
			{"fd_fdstat_get", ints(2), ints(1), answer(badDescriptor)},
			{"fd_seek", []api.ValueType{i32, i64, i32, i32}, ints(1), answer(badDescriptor)},
			{"fd_write", ints(4), ints(1), answer(badDescriptor)},
		},
	} {
		builder := r.NewHostModuleBuilder(name)
		for _, f := range functions {
			builder = builder.NewFunctionBuilder().WithGoModuleFunction(f.do, f.params, f.results).Export(f.name)
		}
		if _, err := builder.Instantiate(ctx); err != nil {
			return fmt.Errorf("give QuickJS its imports: %w", err)
		}
	}
	return nil
}

// hostInterrupt is where a guest looks up: after each checkEvery rounds of loops.
func hostInterrupt(ctx context.Context, _ api.Module, stack []uint64) {
	if i := instanceOf(ctx); i != nil && i.owner != nil {
		i.owner.look()
	}
	stack[0] = 0
}

// clockTime writes what the clock of the sandbox shows, in nanoseconds.
func clockTime(ctx context.Context, m api.Module, stack []uint64) {
	now := uint64(0)
	if i := instanceOf(ctx); i != nil && i.owner != nil && i.owner.budget.Now != nil {
		now = uint64(max(0, i.owner.budget.Now().UnixNano()))
	}
	m.Memory().WriteUint64Le(uint32(stack[2]), now)
	stack[0] = 0
}

// random writes the same bytes each time: nothing here is by chance.
func random(_ context.Context, m api.Module, stack []uint64) {
	if text, ok := m.Memory().Read(uint32(stack[0]), uint32(stack[1])); ok {
		for i := range text {
			text[i] = byte(i*37 + 11)
		}
	}
	stack[0] = 0
}

// hostCall answers the guest's __host. Its parameters are the name of the function and its length,
// this, the number of arguments and where their pointers are.
func hostCall(ctx context.Context, _ api.Module, stack []uint64) {
	count, from := uint32(stack[3]), uint32(stack[4])
	stack[0] = 0 // an exception
	i := instanceOf(ctx)
	if i == nil || i.owner == nil {
		return
	}
	s := i.owner
	s.look()
	if s.asking {
		// The functions of the inner guest are in use. A guest gets here by what it made QuickJS call
		// while its own call of the host was answered.
		panic(s.end(fmt.Errorf("%w: it called its host within a call of its host", ErrBroken)))
	}
	s.asking = true
	defer func() { s.asking = false }()
	arguments, wrong, err := s.hostArguments(count, from)
	if err != nil {
		panic(s.end(err))
	}
	if wrong == "" && s.host == nil {
		wrong = "nobody answers here"
	}
	if wrong != "" {
		if err := i.inner.throw(wrong); err != nil {
			panic(s.end(err))
		}
		return
	}
	answer, err := s.host.Call(arguments[0], arguments[1:])
	if err != nil {
		panic(s.end(err))
	}
	v, err := i.inner.newString(answer)
	if err != nil {
		panic(s.end(err))
	}
	stack[0] = uint64(v)
}

// hostArguments reads the arguments of __host, or says what is wrong with them. Objects are refused, for
// to make texts of them the guest would have to run.
func (s *Sandbox) hostArguments(count, from uint32) (arguments []string, wrong string, err error) {
	if count == 0 || count > maxArguments {
		return nil, fmt.Sprintf("%s takes 1 to %d arguments", hostFunction, maxArguments), nil
	}
	g := s.instance.inner
	total := 0
	for k := range count {
		v, ok := s.instance.memory.ReadUint32Le(from + 4*k)
		if !ok || v == 0 {
			return nil, "", ErrMemory
		}
		plain, err := g.isPlain(v)
		if err != nil {
			return nil, "", err
		}
		if !plain {
			return nil, hostFunction + " takes texts", nil
		}
		text, err := g.text(v, maxArgumentBytes-total)
		if err != nil {
			return nil, "", err
		}
		if total += len(text); total >= maxArgumentBytes {
			return nil, fmt.Sprintf("the arguments of %s are longer than %d bytes", hostFunction, maxArgumentBytes), nil
		}
		arguments = append(arguments, text)
	}
	return arguments, "", nil
}

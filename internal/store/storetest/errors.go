package storetest

import (
	"context"
	"errors"
	"testing"

	"toolsmith/internal/local"
	"toolsmith/internal/registry"
	"toolsmith/internal/store"
	"toolsmith/internal/task"
)

func errorTests() map[string]func(*testing.T, store.Store) {
	return map[string]func(*testing.T, store.Store){
		"every method passes its error on": errorsArePassedOn,
	}
}

// errorsArePassedOn calls every method with a context that has ended, so that its
// statement fails whatever the driver.
func errorsArePassedOn(t *testing.T, s store.Store) {
	ended, end := context.WithCancel(t.Context())
	end()
	methods := map[string]func(store.Tx) error{}
	for _, some := range []map[string]func(store.Tx) error{
		registryMethods(ended), runMethods(ended), shelfMethods(ended), graphMethods(ended), secretMethods(ended), consentMethods(ended), tokenMethods(ended),
		recordMethods(ended, "notes", func(tx store.Tx) local.Records[local.Note] { return tx.Local().Notes() }),
		recordMethods(ended, "tasks", func(tx store.Tx) local.Records[local.Task] { return tx.Local().Tasks() }),
		recordMethods(ended, "memories", func(tx store.Tx) local.Records[local.Memory] { return tx.Local().Memories() }),
	} {
		for name, method := range some {
			methods[name] = method
		}
	}
	for name, method := range methods {
		if err := s.Write(t.Context(), method); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

// failed gives the error of a method that gives a value too.
func failed[T any](_ T, err error) error { return err }

// failedLookup gives the error of a method that may find nothing.
func failedLookup[T any](_ T, _ bool, err error) error { return err }

func registryMethods(ctx context.Context) map[string]func(store.Tx) error {
	return map[string]func(store.Tx) error{
		"Tool":          func(tx store.Tx) error { return failedLookup(tx.Registry().Tool(ctx, "a")) },
		"Tools":         func(tx store.Tx) error { return failed(tx.Registry().Tools(ctx)) },
		"PutTool":       func(tx store.Tx) error { return tx.Registry().PutTool(ctx, registry.Tool{ID: "a"}) },
		"DeleteTool":    func(tx store.Tx) error { return tx.Registry().DeleteTool(ctx, "a") },
		"Versions":      func(tx store.Tx) error { return failed(tx.Registry().Versions(ctx, "a", 0)) },
		"PutVersion":    func(tx store.Tx) error { return tx.Registry().PutVersion(ctx, version("a", 1, "")) },
		"DropVersions":  func(tx store.Tx) error { return tx.Registry().DropVersions(ctx, "a") },
		"AppendAudit":   func(tx store.Tx) error { return tx.Registry().AppendAudit(ctx, auditLine(1, "a")) },
		"AuditLines":    func(tx store.Tx) error { return failed(tx.Registry().AuditLines(ctx, "", 0)) },
		"AuditBefore":   func(tx store.Tx) error { return failed(tx.Registry().AuditBefore(ctx, "", 9, 1)) },
		"AuditBefore a": func(tx store.Tx) error { return failed(tx.Registry().AuditBefore(ctx, "a", 9, 1)) },
		"AuditChain":    func(tx store.Tx) error { return failed(tx.Registry().AuditChain(ctx, 0, 1)) },
		"AuditHead":     func(tx store.Tx) error { return failedLookup(tx.Registry().AuditHead(ctx)) },
		"AuditLines a":  func(tx store.Tx) error { return failed(tx.Registry().AuditLines(ctx, "a", 0)) },
	}
}

func runMethods(ctx context.Context) map[string]func(store.Tx) error {
	return map[string]func(store.Tx) error{
		"State":        func(tx store.Tx) error { return failedLookup(tx.Runs().State(ctx, "a", 1)) },
		"PutState":     func(tx store.Tx) error { return tx.Runs().PutState(ctx, "a", 1, nil, 0) },
		"PutState 1":   func(tx store.Tx) error { return tx.Runs().PutState(ctx, "a", 1, nil, 1) },
		"DropState":    func(tx store.Tx) error { return tx.Runs().DropState(ctx, "a") },
		"Breaker":      func(tx store.Tx) error { return failed(tx.Runs().Breaker(ctx, "a", "b")) },
		"PutBreaker":   func(tx store.Tx) error { return tx.Runs().PutBreaker(ctx, "a", "b", store.Breaker{}) },
		"DropBreakers": func(tx store.Tx) error { return tx.Runs().DropBreakers(ctx, "a") },
	}
}

func graphMethods(ctx context.Context) map[string]func(store.Tx) error {
	list := func(filter task.Filter) func(store.Tx) error {
		return func(tx store.Tx) error { return failed(tx.Graph().ListRuns(ctx, filter)) }
	}
	return map[string]func(store.Tx) error{
		"AddRun":          func(tx store.Tx) error { return tx.Graph().AddRun(ctx, fullRun(1)) },
		"PutRun":          func(tx store.Tx) error { return tx.Graph().PutRun(ctx, fullRun(1)) },
		"Run":             func(tx store.Tx) error { return failedLookup(tx.Graph().Run(ctx, "a")) },
		"RunByKey":        func(tx store.Tx) error { return failedLookup(tx.Graph().RunByKey(ctx, "a", "b")) },
		"ListRuns":        list(task.Filter{}),
		"ListRuns open":   list(task.Filter{Unsettled: true}),
		"ListRuns open a": list(task.Filter{Unsettled: true, Owner: "a"}),
		"TakeRuns":        func(tx store.Tx) error { return failed(tx.Graph().TakeRuns(ctx, "a", "b")) },
		"Owners":          func(tx store.Tx) error { return failed(tx.Graph().Owners(ctx)) },
		"AskCancel":       func(tx store.Tx) error { return tx.Graph().AskCancel(ctx, "a", dawn) },
		"Reserve":         func(tx store.Tx) error { return failed(tx.Graph().Reserve(ctx, "a", "b", 1)) },
		"Reserve none":    func(tx store.Tx) error { return failed(tx.Graph().Reserve(ctx, "a", "b", 0)) },
		"Append":          func(tx store.Tx) error { return tx.Graph().Append(ctx, "a", task.Batch{}) },
		"PutExecution":    func(tx store.Tx) error { return tx.Graph().PutExecution(ctx, "a", task.Execution{}) },
		"Graph": func(tx store.Tx) error {
			_, _, err := tx.Graph().Graph(ctx, "a")
			return err
		},
		"Contents": func(tx store.Tx) error { return failed(tx.Graph().Contents(ctx, runID(1), []task.ID{{1}})) },
		"Find": func(tx store.Tx) error {
			_, _, _, err := tx.Graph().Find(ctx, 1, task.ID{1})
			return err
		},
	}
}

func shelfMethods(ctx context.Context) map[string]func(store.Tx) error {
	return map[string]func(store.Tx) error{
		"history Append": func(tx store.Tx) error { return tx.Local().History().Append(ctx, local.Entry{}) },
		"history Entry": func(tx store.Tx) error {
			return failedLookup(tx.Local().History().Entry(ctx, local.KindNote, "a", 1))
		},
		"history Latest": func(tx store.Tx) error {
			return failedLookup(tx.Local().History().Latest(ctx, local.KindNote, "a"))
		},
		"history IDs": func(tx store.Tx) error {
			return failed(tx.Local().History().IDs(ctx, local.KindNote, "a", 1))
		},
		"words Search": func(tx store.Tx) error {
			_, _, err := tx.Local().MemoryWords().Search(ctx, []string{"a"}, true, 1)
			return err
		},
	}
}

func recordMethods[T any](ctx context.Context, kind string, of func(store.Tx) local.Records[T]) map[string]func(store.Tx) error {
	var record T
	methods := map[string]func(store.Tx) error{
		kind + " Get":        func(tx store.Tx) error { return failedLookup(of(tx).Get(ctx, "a")) },
		kind + " Put":        func(tx store.Tx) error { return of(tx).Put(ctx, record) },
		kind + " Remove":     func(tx store.Tx) error { return of(tx).Remove(ctx, "a") },
		kind + " WithPrefix": func(tx store.Tx) error { return failed(of(tx).WithPrefix(ctx, "a", 1)) },
	}
	for name, fits := range map[string]local.Filter{
		"": {}, " contains": {Contains: "a"}, " status": {Status: local.Done}, " active": {Active: true},
		" status contains": {Status: local.Done, Contains: "a"}, " active contains": {Active: true, Contains: "a"},
	} {
		methods[kind+" List"+name] = func(tx store.Tx) error { return failed(of(tx).List(ctx, fits, "", 1)) }
		methods[kind+" Count"+name] = func(tx store.Tx) error { return failed(of(tx).Count(ctx, fits)) }
	}
	return methods
}

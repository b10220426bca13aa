package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"toolsmith/internal/local"
	"toolsmith/tool"
)

// dataKind is how records of one kind are asked for. The operations are written once; the fields
// say where the kinds differ. T is a record and S how it is shown, Q says which to list and L is
// the list, N makes one, E edits one, and U is what was undone.
type dataKind[T, S, Q, L, N, E, U any] struct {
	kind local.Kind
	// word is that of the path, name that of the operations, and many of several in a sentence.
	word, name, many string
	// about a list, where there is more to say.
	about string

	list   func(ctx context.Context, b *local.Book, in *Q) (local.Page[T], error)
	show   func(T) S
	pack   func(records []S, total int, next string) L
	next   func(in *Q, last T) string
	find   func(*local.Book, context.Context, string) (T, error)
	id     func(T) string
	create func(ctx context.Context, b *local.Book, in N) (T, error)
	update func(ctx context.Context, b *local.Book, id string, in E) (T, error)
	remove func(b *local.Book, ctx context.Context, id string, revision int64) (T, error)
	undone func(record *S, u undoing) U
}

// RecordPath names a record.
type RecordPath struct {
	ID string `path:"id" maxLength:"100" doc:"The id of the record, or a beginning of it, of 4 characters or more, that no other has."`
}

// undoing tells what was taken back.
type undoing struct {
	ID     string    `json:"id" doc:"The id of the record."`
	Title  string    `json:"title" doc:"Its title."`
	Action string    `json:"action" enum:"create,update,archive,delete,undo" doc:"What was taken back."`
	At     timestamp `json:"at" doc:"When that had been done."`
	Gone   bool      `json:"gone" doc:"Whether the record is not there any more, since its making was taken back."`
}

// data adds the person's own records.
func (a *API) data() {
	dataNotes().register(a)
	dataTasks().register(a)
	dataMemory().register(a)
}

func (k dataKind[T, S, Q, L, N, E, U]) register(a *API) {
	tags, path := []string{"data"}, "/v1/data/"+k.word
	huma.Register(a.huma, huma.Operation{
		OperationID: "listData" + k.name, Method: http.MethodGet, Path: path, Summary: "List your " + k.many + ", the newest first", Description: k.about, Tags: tags,
	}, own(a, func(ctx context.Context, in *Q) (out L, err error) {
		err = a.o.Engine.Look(ctx, func(b *local.Book) error {
			page, err := k.list(ctx, b, in)
			if err != nil {
				return err
			}
			records, next := make([]S, len(page.Records)), ""
			for i, one := range page.Records {
				records[i] = k.show(one)
			}
			if page.Cut {
				next = k.next(in, page.Records[len(page.Records)-1])
			}
			out = k.pack(records, page.Total, next)
			return nil
		})
		return out, err //nolint:wrapcheck // own words it
	}))
	huma.Register(a.huma, huma.Operation{
		OperationID: "createData" + k.name, Method: http.MethodPost, Path: path, Summary: "Make a " + string(k.kind), Tags: tags,
	}, own(a, func(ctx context.Context, in *struct{ Body N }) (S, error) {
		return k.change(ctx, a, func(b *local.Book) (T, error) { return k.create(ctx, b, in.Body) })
	}))
	k.one(a, path+"/{id}", tags)
}

// one adds what can be done with one record.
func (k dataKind[T, S, Q, L, N, E, U]) one(a *API, path string, tags []string) {
	huma.Register(a.huma, huma.Operation{
		OperationID: "getData" + k.name, Method: http.MethodGet, Path: path, Summary: "One " + string(k.kind), Tags: tags,
	}, own(a, func(ctx context.Context, in *RecordPath) (out S, err error) {
		err = a.o.Engine.Look(ctx, func(b *local.Book) error {
			found, err := k.find(b, ctx, in.ID)
			out = k.show(found)
			return err
		})
		return out, err //nolint:wrapcheck // own words it
	}))
	huma.Register(a.huma, huma.Operation{
		OperationID: "updateData" + k.name, Method: http.MethodPatch, Path: path, Summary: "Change a " + string(k.kind), Tags: tags,
		Description: "What is not given stays as it is. With a revision it changes only what still has it.",
	}, own(a, func(ctx context.Context, in *struct {
		RecordPath
		Body E
	}) (S, error) {
		return k.changeOne(ctx, a, in.ID, func(b *local.Book, id string) (T, error) { return k.update(ctx, b, id, in.Body) })
	}))
	huma.Register(a.huma, huma.Operation{
		OperationID: "deleteData" + k.name, Method: http.MethodDelete, Path: path, Summary: "Delete a " + string(k.kind), Tags: tags,
		Description: "The answer is the record as it was, with the revision of its deletion. It can be brought back with undo.",
	}, own(a, func(ctx context.Context, in *struct {
		RecordPath
		Revision int64 `query:"revision" minimum:"1" doc:"The revision that it must still have; any by default."`
	}) (S, error) {
		return k.changeOne(ctx, a, in.ID, func(b *local.Book, id string) (T, error) { return k.remove(b, ctx, id, in.Revision) })
	}))
	huma.Register(a.huma, huma.Operation{
		OperationID: "undoData" + k.name, Method: http.MethodPost, Path: path + "/undo", Summary: "Take the last change of a " + string(k.kind) + " back", Tags: tags,
		Description: "A deletion too: it is exactly what it was before, its revision included. Once more takes back the change before that one, and at last its making; undo of what is gone brings it back.",
	}, own(a, func(ctx context.Context, in *RecordPath) (out U, err error) {
		err = a.o.Engine.Change(ctx, func(b *local.Book) error {
			u, err := b.Undo(ctx, k.kind, in.ID)
			if err != nil {
				return err
			}
			told := undoing{u.ID, u.Title, string(u.Action), timestamp(u.At), u.Gone}
			if u.Gone {
				out = k.undone(nil, told)
				return nil
			}
			found, err := k.find(b, ctx, u.ID)
			shown := k.show(found)
			out = k.undone(&shown, told)
			return err
		})
		return out, err //nolint:wrapcheck // own words it
	}))
}

// changeOne makes a change to the record whose id begins with a prefix.
func (k dataKind[T, S, Q, L, N, E, U]) changeOne(ctx context.Context, a *API, prefix string, do func(b *local.Book, id string) (T, error)) (S, error) {
	return k.change(ctx, a, func(b *local.Book) (T, error) {
		found, err := k.find(b, ctx, prefix)
		if err != nil {
			return found, err
		}
		return do(b, k.id(found))
	})
}

// change makes a change in one transaction, and gives the record that came of it.
func (k dataKind[T, S, Q, L, N, E, U]) change(ctx context.Context, a *API, do func(*local.Book) (T, error)) (out S, err error) {
	err = a.o.Engine.Change(ctx, func(b *local.Book) error {
		became, err := do(b)
		out = k.show(became)
		return err
	})
	return out, err //nolint:wrapcheck // own words it
}

// errSearchAlone: a search by words cannot be combined with what goes along a list.
func errSearchAlone() error {
	return &tool.Error{Code: local.CodeInvalid, Field: "query.search", Message: "A search gives the best match first, so it goes with limit alone: leave query, cursor and archived out."}
}

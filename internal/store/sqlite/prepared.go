package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"

	"modernc.org/sqlite"
)

// A statement that begins so has a name, as all of sqlc have. It is prepared once for each
// connection, and kept there. Others are not kept: a PRAGMA may do its work while it is
// prepared, and the rest runs once.
const named = "-- name: "

const (
	// mostKept bounds the statements that a connection keeps: those of the driver are fewer,
	// but for those that are written for a number of rows.
	mostKept = 128
	// longestKept bounds the text of one, in bytes. What is prepared of one for many rows is
	// large, and next to what it does, preparing it is little.
	longestKept = 4 << 10
)

// connector makes connections that keep their named statements.
type connector struct{ driver.Connector }

func newConnector(dsn string) (driver.Connector, error) {
	inner, err := sqlite.NewConnector(dsn)
	return connector{inner}, err
}

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	able, ok := inner.(connected)
	if !ok {
		_ = inner.Close() // it is of no use
		return nil, fmt.Errorf("%T lacks methods that the store needs", inner)
	}
	return &connection{connected: able, kept: map[string]statement{}}, nil
}

// connected is what the driver's connections can do.
type connected interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
	imager
}

// statement is what a prepared one can do.
type statement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// connection keeps its named statements. database/sql never uses it from two goroutines at
// once.
type connection struct {
	connected
	// kept are those that nobody is using: one that is used is not in it, so that it is
	// never begun again while its rows are read.
	kept map[string]statement
}

// Unwrap is for the functions of the driver that are given a connection.
func (c *connection) Unwrap() driver.Conn { return c.connected }

func (c *connection) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	one, err := c.take(ctx, text)
	if err != nil {
		return nil, err
	}
	result, err := one.ExecContext(ctx, args)
	c.putBack(text, one, err)
	return result, err
}

func (c *connection) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	one, err := c.take(ctx, text)
	if err != nil {
		return nil, err
	}
	rows, err := one.QueryContext(ctx, args)
	if err != nil {
		c.putBack(text, one, err)
		return nil, err
	}
	return &keptRows{Rows: rows, connection: c, text: text, statement: one}, nil
}

// take gives a prepared statement that nobody else is using.
func (c *connection) take(ctx context.Context, text string) (statement, error) {
	if one, ok := c.kept[text]; ok {
		delete(c.kept, text)
		return one, nil
	}
	prepared, err := c.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	one, ok := prepared.(statement)
	if !ok {
		_ = prepared.Close() // it is of no use
		return nil, fmt.Errorf("%T lacks methods that the store needs", prepared)
	}
	return one, nil
}

// putBack keeps a statement for the next time, unless it failed.
func (c *connection) putBack(text string, one statement, failed error) {
	if _, twice := c.kept[text]; twice || failed != nil || len(text) > longestKept || !strings.HasPrefix(text, named) {
		_ = one.Close() // what it did has been said by now
		return
	}
	for other, unused := range c.kept {
		if len(c.kept) < mostKept {
			break
		}
		delete(c.kept, other) // any of them: the statements of every step are soon back
		_ = unused.Close()
	}
	c.kept[text] = one
}

func (c *connection) forget() {
	for _, one := range c.kept {
		_ = one.Close() // an error says again what it failed with before
	}
	clear(c.kept)
}

func (c *connection) Close() error {
	c.forget()
	return c.connected.Close()
}

// Deserialize puts another database in the place of the one that the statements know.
func (c *connection) Deserialize(image []byte) error {
	c.forget()
	return c.connected.Deserialize(image)
}

// keptRows puts its statement back when it is closed.
type keptRows struct {
	driver.Rows
	connection *connection
	text       string
	statement  statement
}

func (r *keptRows) Close() error {
	if r.statement == nil {
		return nil
	}
	err := r.Rows.Close()
	r.connection.putBack(r.text, r.statement, err)
	r.statement = nil
	return err
}

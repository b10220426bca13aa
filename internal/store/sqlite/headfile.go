package sqlite

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"toolsmith/internal/audit"
	"toolsmith/internal/store"
)

// HeadFile is the name of the file in the data folder that has the head of the audit once
// more: whoever cuts the end off in the database has to change it too.
const HeadFile = "audit.head"

const (
	// headPause is how long the file stays as it is at least, however many lines are added.
	headPause = time.Second
	// draftSuffix ends the names of files that are to take the place of HeadFile.
	draftSuffix = ".new-"
	// draftLife is after how long such a file was left by a process that died.
	draftLife = time.Minute
)

// headKeeper writes the head of the audit into its file, on a goroutine of its own: soon
// after a commit, and before the store is closed. nil is that of a store without a file.
//
// What the file has it does not replace unless the audit has passed through it: what was
// changed must stay visible until somebody has looked at it.
type headKeeper struct {
	store *Store
	path  string
	// writing is held while somebody of this store writes the file, so that it does not go
	// back to what another looked at before.
	writing sync.Mutex
	// added: the transaction under way, or one that came to nothing, has added a line.
	added atomic.Bool
	wake  chan struct{} // holds one
	stop  chan struct{}
	// ended has what came of the last time.
	ended chan error
}

func startHeadKeeper(s *Store) *headKeeper {
	h := &headKeeper{
		store: s, path: filepath.Join(filepath.Dir(s.path), HeadFile),
		wake: make(chan struct{}, 1), stop: make(chan struct{}), ended: make(chan error, 1),
	}
	go h.run()
	return h
}

// appended is called when a line was added, and committed after each commit.
func (h *headKeeper) appended() {
	if h != nil {
		h.added.Store(true)
	}
}

func (h *headKeeper) committed() {
	if h.added.Swap(false) {
		select {
		case h.wake <- struct{}{}:
		default: // it is going to look anyway
		}
	}
}

func (h *headKeeper) run() {
	var failed error // it may pass, and is told by close, or by who asks for the file to be written
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-h.wake:
		case <-h.stop:
			h.ended <- h.last(failed)
			return
		}
		failed = h.write(context.Background(), false)
		pause.Reset(headPause)
		select {
		case <-pause.C:
		case <-h.stop:
		}
	}
}

// last writes what was not written yet.
func (h *headKeeper) last(failed error) error {
	select {
	case <-h.wake:
	default:
		if failed == nil {
			return nil
		}
	}
	return h.write(context.Background(), false)
}

func (h *headKeeper) close() error {
	if h == nil {
		return nil
	}
	close(h.stop)
	return <-h.ended
}

// write brings the file up to date. It looks again after it has written: where another
// process was quicker, what was written is older than what it replaced.
func (h *headKeeper) write(ctx context.Context, anew bool) error {
	h.writing.Lock()
	defer h.writing.Unlock()
	const looks = 4
	for range looks {
		file := readHead(h.path)
		head, passed, err := h.look(ctx, file)
		switch {
		case err != nil || head.First == 0:
			return err
		case file.Head != nil && *file.Head == head.Head:
			return h.remember(ctx, head)
		case !passed && !anew:
			if file.Missing() && !readHead(h.path).Missing() {
				continue // another process has just written the first one
			}
			return nil
		}
		if err := writeHead(h.path, head.Head); err != nil {
			return unusable(filepath.Dir(h.path), err)
		}
	}
	return nil // others are writing lines, and write the file too
}

// look reads the head of the audit, and whether the chain has passed through what the file has.
func (h *headKeeper) look(ctx context.Context, file audit.File) (head audit.Table, passed bool, err error) {
	err = h.store.read(ctx, func(t tx) error {
		if head, _, err = (tools{t}).AuditHead(ctx); err != nil {
			return err
		}
		switch {
		case file.Fault != "":
		case file.Head == nil:
			passed = !head.Filed
		case file.Head.Count <= head.Count:
			hash, err := t.query.AuditHash(ctx, file.Head.Count)
			there, err := t.found("read the audit", err)
			passed = there && bytes.Equal(hash, file.Head.Hash[:])
			return err
		}
		return nil
	})
	return head, passed, err
}

// remember notes in the database that there is a file.
func (h *headKeeper) remember(ctx context.Context, head audit.Table) error {
	if head.Filed {
		return nil
	}
	return h.store.committer.do(&request{ctx: ctx, fn: func(given store.Tx) error {
		t, ok := given.(tx)
		if !ok {
			return errors.New("the transaction is of another store")
		}
		return t.fail("note the file of the head", t.query.SetAuditFiled(ctx))
	}})
}

// ReadHead reads the head of the audit that a data folder keeps in a file, whether or not
// there is a store in it.
func ReadHead(dir string) audit.File {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return audit.File{Path: HeadFile, Fault: err.Error()}
	}
	return readHead(filepath.Join(dir, HeadFile))
}

func readHead(path string) audit.File {
	file := audit.File{Path: path}
	there, err := isFile(path)
	if err == nil && !there {
		return file
	}
	if err != nil {
		return faulty(file, err)
	}
	in, err := os.Open(path)
	if err != nil {
		return faulty(file, err)
	}
	defer in.Close()
	const most = 256 // a head has less than a hundred
	text, err := io.ReadAll(io.LimitReader(in, most))
	if err != nil {
		return faulty(file, err)
	}
	head, err := audit.ParseHead(strings.TrimSuffix(string(text), "\n"))
	if err != nil {
		return faulty(file, err)
	}
	file.Head = &head
	return file
}

func faulty(file audit.File, err error) audit.File {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	file.Fault = err.Error()
	return file
}

// writeHead replaces the file in one step, so that nobody ever sees half of one.
func writeHead(path string, head audit.Head) error {
	sweepDrafts(path)
	draft, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+draftSuffix+"*") // 0600
	if err != nil {
		return err
	}
	_, err = io.WriteString(draft, head.String()+"\n")
	if err == nil {
		err = draft.Sync() // else a crash of the machine could leave the new name without its text
	}
	if err = errors.Join(err, draft.Close()); err == nil {
		err = os.Rename(draft.Name(), path)
	}
	if err != nil {
		_ = os.Remove(draft.Name())
	}
	return err
}

// sweepDrafts removes what processes left that were killed while they wrote.
func sweepDrafts(path string) {
	files, _ := os.ReadDir(filepath.Dir(path)) // at worst something stays
	for _, file := range files {
		if !strings.HasPrefix(file.Name(), filepath.Base(path)+draftSuffix) {
			continue
		}
		if info, err := file.Info(); err == nil && time.Since(info.ModTime()) > draftLife {
			_ = os.Remove(filepath.Join(filepath.Dir(path), file.Name()))
		}
	}
}

// AuditFile reads the head of the audit that is kept in a file beside the database.
func (s *Store) AuditFile() audit.File {
	if s.heads == nil {
		return audit.File{}
	}
	return readHead(s.heads.path)
}

// KeepAuditFile brings that file up to date, at once.
func (s *Store) KeepAuditFile(ctx context.Context, anew bool) error {
	if s.heads == nil {
		return nil
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.underWay.Done()
	return s.heads.write(ctx, anew)
}

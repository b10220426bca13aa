package sqlite

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/oklog/ulid/v2"

	"toolsmith/internal/store"
)

const (
	// longestSocket is how long the path of a socket may be: the shortest limit of a system
	// is 104 bytes.
	longestSocket = 100
	// mostCallers is how many can be heard at once; others wait until they are accepted.
	mostCallers = 64
	// beingMade is how old a lock file must be before it can be one that was left behind: it
	// is made before it is locked.
	beingMade = time.Minute
)

// received answers a message that is among those of the lease.
const received = "ok\n"

// Lease makes the caller known as a worker. In the data folder it is a file that stays locked
// until the lease is closed or the process ends, and a socket for its messages. Errors are
// *tool.Error with the code store.CodeUnavailable, or come from ctx.
func (s *Store) Lease(ctx context.Context) (store.Lease, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.underWay.Done()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("take a lease: %w", err)
	}
	if s.path == inMemory {
		return s.room.lease()
	}
	dir := filepath.Dir(s.path)
	lease, err := openLease(ctx, dir)
	if err != nil {
		return nil, unusable(dir, err)
	}
	return lease, nil
}

func newLeaseID() (string, error) {
	id, err := ulid.New(ulid.Now(), rand.Reader)
	if err != nil {
		return "", fmt.Errorf("name a lease: %w", err)
	}
	return id.String(), nil
}

// isLeaseID reports whether a text can be the id of a lease. Only such become part of a path.
func isLeaseID(text string) bool {
	id, err := ulid.ParseStrict(text)
	return err == nil && id.String() == text
}

const (
	filePrefix   = "worker-"
	lockSuffix   = ".lock"
	socketSuffix = ".sock"
)

func lockPath(dir, id string) string   { return filepath.Join(dir, filePrefix+id+lockSuffix) }
func socketPath(dir, id string) string { return filepath.Join(dir, filePrefix+id+socketSuffix) }

// lease is a lease on a store in a data folder.
type lease struct {
	dir, id  string
	lock     *flock.Flock
	listener net.Listener
	mail     *mailbox
	serving  sync.WaitGroup
	closing  sync.Once
}

func openLease(ctx context.Context, dir string) (*lease, error) {
	sweep(dir)
	id, err := newLeaseID()
	if err != nil {
		return nil, err
	}
	l := &lease{dir: dir, id: id, mail: newMailbox()}
	l.lock = flock.New(lockPath(dir, id), flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	locked, err := l.lock.TryLock()
	if err == nil && !locked {
		err = errors.New("the file of a new lease is locked by somebody else")
	}
	if err == nil {
		l.listener, err = listen(ctx, dir, id)
	}
	if err != nil {
		return nil, errors.Join(err, l.release())
	}
	l.serving.Go(l.serve)
	return l, nil
}

func (l *lease) ID() string              { return l.id }
func (l *lease) Messages() <-chan string { return l.mail.messages }

func (l *lease) Alive(owner string) (bool, error) {
	alive, err := isAlive(l.dir, owner)
	if err != nil {
		return false, unusable(l.dir, err)
	}
	return alive, nil
}

// isAlive tries the lock of a lease. Trying, it shares the lock with others who try, so that
// none of them takes another for the owner.
func isAlive(dir, id string) (bool, error) {
	if !isLeaseID(id) {
		return false, nil
	}
	lock := flock.New(lockPath(dir, id), flock.SetFlag(os.O_RDONLY))
	free, err := lock.TryRLock()
	if err == nil && !free {
		return true, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	// Windows does not remove what is open. Nobody takes the lock meanwhile: no id is used again.
	if err := lock.Close(); err != nil {
		return false, err
	}
	removeFiles(dir, id)
	return false, nil
}

// removeFiles takes away what a lease leaves. The socket is the first, since by the other
// file it is found.
func removeFiles(dir, id string) {
	_ = os.Remove(socketPath(dir, id)) // at worst a file stays
	_ = os.Remove(lockPath(dir, id))
}

// sweep removes what dead owners left behind. What it cannot remove stays.
func sweep(dir string) {
	files, _ := os.ReadDir(dir)
	for _, file := range files {
		id, isLock := strings.CutSuffix(strings.TrimPrefix(file.Name(), filePrefix), lockSuffix)
		if info, err := file.Info(); isLock && err == nil && time.Since(info.ModTime()) > beingMade {
			_, _ = isAlive(dir, id)
		}
	}
}

// Notify gives a message to another lease, or to this one.
func (l *lease) Notify(owner, message string) error {
	if err := checkMessage(message); err != nil {
		return err
	}
	if !isLeaseID(owner) {
		return fmt.Errorf("notify %s: %w", owner, store.ErrGone)
	}
	err := tell(l.dir, owner, message)
	if err == nil {
		return nil
	}
	if alive, aliveErr := isAlive(l.dir, owner); aliveErr == nil && !alive {
		return fmt.Errorf("notify %s: %w", owner, store.ErrGone)
	}
	return fmt.Errorf("notify %s: %w", owner, err)
}

// tell sends a message and waits until it is received.
func tell(dir, owner, message string) error {
	path, forget, err := shortPath(dir, owner)
	if err != nil {
		return err
	}
	defer forget()
	dialer := net.Dialer{Timeout: patience}
	conn, err := dialer.DialContext(context.Background(), "unix", path)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, message+"\n"); err != nil {
		return err
	}
	answer, err := io.ReadAll(io.LimitReader(conn, int64(len(received))))
	if err == nil && string(answer) != received {
		err = errors.New("it did not take the message")
	}
	return err
}

// serve accepts callers until the listener is closed.
func (l *lease) serve() {
	places := make(chan struct{}, mostCallers)
	for {
		conn, err := l.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // such as too many open files: it may pass
			select {
			case <-time.After(100 * time.Millisecond):
			case <-l.mail.open.Done():
			}
			continue
		}
		places <- struct{}{} // a caller leaves after patience, or when the mailbox is closed
		l.serving.Go(func() {
			defer func() { <-places }()
			defer conn.Close()
			l.hear(conn)
		})
	}
}

// hear receives one message. What is wrong with it the caller sees from the missing answer.
func (l *lease) hear(conn net.Conn) {
	if conn.SetReadDeadline(time.Now().Add(patience)) != nil {
		return
	}
	stop := context.AfterFunc(l.mail.open, func() { _ = conn.SetReadDeadline(time.Now()) })
	defer stop()
	line, err := bufio.NewReaderSize(conn, store.MaxMessage+1).ReadSlice('\n')
	if err != nil || l.mail.put(string(line[:len(line)-1])) != nil {
		return
	}
	if conn.SetWriteDeadline(time.Now().Add(patience)) == nil {
		_, _ = io.WriteString(conn, received) // who does not hear it may call again
	}
}

// Close ends the lease: first for all who ask whether it is alive, then for its callers.
func (l *lease) Close() error {
	var err error
	l.closing.Do(func() { err = l.release() })
	return err
}

func (l *lease) release() error {
	err := l.lock.Close()
	removeFiles(l.dir, l.id)
	l.mail.close()
	if l.listener != nil {
		err = errors.Join(err, l.listener.Close())
	}
	l.serving.Wait()
	if err != nil {
		return unusable(l.dir, err)
	}
	return nil
}

// listen makes the socket of a lease, for its owner only.
func listen(ctx context.Context, dir, id string) (net.Listener, error) {
	path, forget, err := shortPath(dir, id)
	if err != nil {
		return nil, err
	}
	defer forget()
	config := net.ListenConfig{Control: makeSocketPrivate}
	listener, err := config.Listen(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if unix, ok := listener.(*net.UnixListener); ok {
		unix.SetUnlinkOnClose(false) // the path may be gone by then; removeFiles does it
	}
	// Not every system goes by what makeSocketPrivate has set.
	if err := os.Chmod(socketPath(dir, id), 0o600); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// shortPath gives a path to the socket of a lease that is not too long for the system, and
// what has to be called once it has been used. It may lead through a link in a folder of its
// own: so the socket is always in the data folder, and a process that is killed leaves none
// elsewhere.
func shortPath(dir, id string) (path string, forget func(), err error) {
	if path := socketPath(dir, id); len(path) <= longestSocket {
		return path, func() {}, nil
	}
	private, err := os.MkdirTemp("", "ts")
	if err != nil {
		return "", nil, err
	}
	forget = func() { _ = os.RemoveAll(private) } // it removes the link, not what it leads to
	link := filepath.Join(private, "d")
	if err := os.Symlink(dir, link); err != nil {
		forget()
		return "", nil, err
	}
	return socketPath(link, id), forget, nil
}

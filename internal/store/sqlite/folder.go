package sqlite

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// prepareFolder makes the folder if it is not there, for its owner only, and gives the
// path of the database in it, and whether that is there. A folder that already holds
// other things keeps its mode, since it may not be ours alone.
func prepareFolder(dir string) (path string, there bool, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", false, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", false, err
	}
	path = filepath.Join(dir, FileName)
	if there, err = isFile(path); err != nil || there {
		return path, there, err
	}
	return path, false, makePrivate(dir)
}

// CacheFolder gives the folder in a data folder for what is faster read than made anew, and makes
// it; "" where there is no data folder, or others could write there.
func CacheFolder(dir string) string {
	if there, err := Exists(dir); err != nil || !there {
		return ""
	}
	return PrivateFolder(filepath.Join(dir, "cache"))
}

// PrivateFolder gives a folder that is its owner's alone, and makes it; "" where others could write
// there.
func PrivateFolder(path string) string {
	const ownerOnly = 0o700
	if err := os.Mkdir(path, ownerOnly); err != nil && !errors.Is(err, fs.ErrExist) {
		return ""
	}
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() || runtime.GOOS != "windows" && info.Mode().Perm()&^ownerOnly != 0 {
		return ""
	}
	return path
}

// isFile reports whether there is a file at path; anything else there is an error.
func isFile(path string) (bool, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a file")}
	}
	return true, nil
}

// makePrivate takes everybody else's rights from a folder that is still empty.
func makePrivate(dir string) error {
	inside, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(inside) > 0 {
		return nil
	}
	return os.Chmod(dir, 0o700)
}

// draftFile makes an empty file beside path that only its owner can read, whatever the
// umask, and gives its path.
func draftFile(path string) (string, error) {
	draft, err := os.CreateTemp(filepath.Dir(path), FileName+".new-*")
	if err != nil {
		return "", err
	}
	return draft.Name(), draft.Close()
}

// publish gives a draft its name, unless there is a file of that name by now.
func publish(draft, path string) error {
	if err := os.Link(draft, path); err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	// Some file systems have no links. There an empty file is all that can be made in one
	// step, and the database is made in its place.
	made, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return made.Close()
}

// keepPrivate takes everybody else's rights from the files of a database.
func keepPrivate(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Chmod(path+suffix, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

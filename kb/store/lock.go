package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"suffice.dev/suffice/kb"
)

// LockFile is the file in a data folder that its owner holds locked.
const LockFile = "suffice.lock"

// Holder is the error of opening a data folder that another process owns.
type Holder struct { //nolint:errname // who holds the folder is what matters
	Dir  string `json:"-"`
	Pid  int    `json:"pid"`            // 0 = not known
	Addr string `json:"addr,omitempty"` // where it serves; "" = it serves nothing, or not yet
}

func (h *Holder) Error() string {
	who := "another process"
	if h.Pid != 0 {
		who = fmt.Sprintf("process %d", h.Pid)
	}
	if h.Addr == "" {
		return fmt.Sprintf("data folder %s is in use by %s; wait for it, stop it, or name another folder", h.Dir, who)
	}
	return fmt.Sprintf("data folder %s is in use by %s, serving at %s; stop it, or name another folder", h.Dir, who, h.Addr)
}

// Is makes a Holder an ErrConflict.
func (h *Holder) Is(target error) bool { return target == kb.ErrConflict }

// lock is an exclusive lock on a data folder. The kernel lets go of it when the
// process ends, however it ends.
type lock struct {
	file *os.File
	held Holder
}

func acquire(dir string) (*lock, error) {
	name := filepath.Join(dir, LockFile)
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, folderError(dir, err)
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if errors.Is(err, unix.EWOULDBLOCK) {
		h := &Holder{}
		// What cannot be read leaves the pid unknown; the folder is in use all the same.
		if data, rerr := io.ReadAll(f); rerr == nil {
			_ = json.Unmarshal(data, h)
		}
		h.Dir = dir
		_ = f.Close()
		return nil, h
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("store: lock %s: %w", name, err)
	}
	l := &lock{file: f, held: Holder{Pid: os.Getpid()}}
	if err := l.write(); err != nil {
		_ = f.Close()
		return nil, folderError(dir, err)
	}
	return l, nil
}

func (l *lock) write() error {
	data, err := json.Marshal(l.held)
	if err != nil {
		return err
	}
	if err := l.file.Truncate(0); err != nil {
		return err
	}
	_, err = l.file.WriteAt(append(data, '\n'), 0)
	return err
}

func (l *lock) release() error { return l.file.Close() }

// folderError names the folder and the remedy.
func folderError(dir string, err error) error {
	switch {
	case errors.Is(err, os.ErrPermission), errors.Is(err, unix.EROFS):
		return fmt.Errorf("data folder %s is not writable; change its permissions or name another folder: %w", dir, err)
	case errors.Is(err, unix.ENOTDIR), errors.Is(err, os.ErrExist):
		return fmt.Errorf("data folder %s: a file stands in its place; move it or name another folder: %w", dir, err)
	}
	return fmt.Errorf("data folder %s: %w", dir, err)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
)

// A splitFolder is a folder of results, of any number of files. It is written under a temporary
// name beside its target, and appears under its own name when publish is called. No file in the
// folder is open between calls.
type splitFolder struct {
	ctx       context.Context
	layer     fileLayer
	name      string // as it was given
	target    string
	temporary string // its name until it is published, empty when there is none
	mu        sync.RWMutex
	made      sync.Map // names of files that were announced
}

// newSplitFolder makes a folder that becomes the one of that name. If there is one, it has to be
// empty.
func newSplitFolder(ctx context.Context, name string) (*splitFolder, error) {
	f := &splitFolder{ctx: ctx, layer: layerOf(ctx), name: name}
	var err error
	if f.target, err = place(filepath.Clean(name)); err != nil {
		return nil, f.fail(err)
	}
	if err := f.vacant(); err != nil {
		return nil, f.fail(err)
	}
	const attempts = 100
	for range attempts {
		temporary := fmt.Sprintf("%s.%08x.tmp", f.target, rand.Uint32())
		if err = announce(ctx, temporary); err != nil {
			return nil, f.fail(err)
		}
		if err = os.Mkdir(temporary, 0o777); err == nil {
			f.temporary = temporary
			leftovers.Add(1)
			return f, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return nil, f.fail(err)
}

// vacant tells that the folder can be made.
func (f *splitFolder) vacant() error {
	entries, err := os.ReadDir(f.target)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if info, statErr := os.Stat(f.target); statErr == nil && !info.IsDir() {
		return errors.New("is not a folder")
	}
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return errors.New("is not empty; files of an earlier run would stay among the new ones")
	}
	return nil
}

// fail names the folder in an error.
func (f *splitFolder) fail(err error) error { return &outputError{f.name, cause(err)} }

// Append appends to a file of the folder.
func (f *splitFolder) Append(name string, text []byte) error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.temporary == "" {
		return errDiscarded
	}
	path := filepath.Join(f.temporary, name)
	if _, known := f.made.LoadOrStore(name, true); !known {
		// The folder again, because it can be removed after its files alone.
		if err := firstError(announce(f.ctx, path), announce(f.ctx, f.temporary)); err != nil {
			return err
		}
	}
	file, err := f.layer.open(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	if err == nil {
		_, err = file.Write(text)
		if closed := file.Close(); err == nil {
			err = closed
		}
	}
	if err != nil {
		return &outputError{filepath.Join(f.name, name), cause(err)}
	}
	return nil
}

// publish gives the folder its name.
func (f *splitFolder) publish() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	// An empty folder of that name makes room; another one is an error here.
	if err := os.Remove(f.target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f.fail(err)
	}
	if err := f.layer.rename(f.temporary, f.target); err != nil {
		return f.fail(err)
	}
	f.temporary = ""
	leftovers.Add(-1)
	return nil
}

// discard removes a folder that has not been published. It may be called at any time.
func (f *splitFolder) discard() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.temporary != "" {
		_ = os.RemoveAll(f.temporary) // there is nothing more to do about files that stay
		f.temporary = ""
		leftovers.Add(-1)
	}
}

package main

import (
	"context"
	"sync"
)

// resultFiles are the outputs of a run: all appear, or none.
type resultFiles struct {
	ctx    context.Context
	stdout *sink
	mu     sync.Mutex // the index is opened while the run goes on
	files  []*output
	later  []*output // those that are written when the run is over
}

// open opens an output by its name.
func (r *resultFiles) open(name string) (*output, error) { return r.add(name, &r.files) }

// openLater opens an output that is written, and finished by the caller, after finish.
func (r *resultFiles) openLater(name string) (*output, error) { return r.add(name, &r.later) }

func (r *resultFiles) add(name string, to *[]*output) (*output, error) {
	o, err := openOutput(r.ctx, name, r.stdout)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	*to = append(*to, o)
	return o, nil
}

// all returns the outputs that have been opened.
func (r *resultFiles) all() []*output {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append(append([]*output(nil), r.files...), r.later...)
}

// err returns the first error of a write.
func (r *resultFiles) err() error {
	for _, o := range r.all() {
		if err := o.err(); err != nil {
			return err
		}
	}
	return nil
}

// finish closes the files after the last write of the run.
func (r *resultFiles) finish() error {
	for _, o := range r.files {
		if err := o.finish(); err != nil {
			return err
		}
	}
	return nil
}

// publish gives all finished files their names.
func (r *resultFiles) publish() error {
	for _, o := range r.all() {
		if err := o.publish(); err != nil {
			return err
		}
	}
	return nil
}

// discard removes what has not been published.
func (r *resultFiles) discard() {
	for _, o := range r.all() {
		o.discard()
	}
}

package main

import (
	"context"
	"slices"
	"sync"
)

// resultFiles are the outputs of a run. They appear when all of them are complete, the records
// last. If one cannot get its name then, those that have theirs are removed again; earlier files of
// these names are lost.
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
	all := r.all()
	slices.Reverse(all)
	for i, o := range all {
		if err := o.publish(); err != nil {
			for _, published := range all[:i] {
				published.withdraw()
			}
			return err
		}
	}
	return nil
}

// has tells whether an output was opened by that name.
func (r *resultFiles) has(name string) bool {
	return slices.ContainsFunc(r.all(), func(o *output) bool { return o.name == name })
}

// quiet tells whether a reader of the output that went away had all there was: not if there are
// other outputs.
func (r *resultFiles) quiet() bool { return len(r.all()) == 1 }

// discard removes what has not been published.
func (r *resultFiles) discard() {
	for _, o := range r.all() {
		o.discard()
	}
}

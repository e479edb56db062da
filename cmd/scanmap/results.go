package main

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"scanmap/mapper"
)

// A statisticsFile is a report that is written at the end.
type statisticsFile struct {
	what  string
	file  *output
	write func(io.Writer, *mapper.Stats) error
}

// resultFiles are the outputs of a run. They appear when all are complete, the records last. If an
// output cannot get its name then, outputs with a name are removed again; earlier files of these
// names are lost.
type resultFiles struct {
	ctx    context.Context
	stdout *sink
	mu     sync.Mutex // the index is opened while the run goes on
	files  []*output
	later  []*output    // outputs that are written when the run is over
	folder *splitFolder // nil for none
	over   bool         // no output is opened any more
}

// published opens outputs by their names, none for an empty one, has work write them, and gives
// them their names. Whatever fails, no file is left.
func published[T any](ctx context.Context, stdout *sink, names []string,
	work func(results *resultFiles, files []*output) (T, error)) (T, error) {
	return publishedWith(ctx, stdout, nil, names, work)
}

// publishedWith is published with a folder, which gets its name last, and is discarded if anything
// fails.
func publishedWith[T any](ctx context.Context, stdout *sink, folder *splitFolder, names []string,
	work func(results *resultFiles, files []*output) (T, error)) (T, error) {
	var none T
	results := &resultFiles{ctx: ctx, stdout: stdout, folder: folder}
	defer results.discard()
	files := make([]*output, len(names))
	for i, name := range names {
		if name == "" {
			continue
		}
		var err error
		if files[i], err = results.open(name); err != nil {
			return none, err
		}
	}
	value, err := untilStopped(ctx, func() (T, error) { return work(results, files) })
	if err := results.end(err); err != nil {
		return none, err
	}
	return value, results.publish()
}

// afterwards has a summary written when the results are complete, unless it is not wanted. A
// summary that nobody reads changes nothing.
func afterwards(ctx context.Context, quiet bool, summary func() error) {
	if !quiet {
		_, _ = untilStopped(ctx, func() (struct{}, error) { return struct{}{}, summary() })
	}
}

// open opens an output by its name.
func (r *resultFiles) open(name string) (*output, error) { return r.add(name, &r.files) }

// openLater opens an output that is written, and finished by the caller, after finish.
func (r *resultFiles) openLater(name string) (*output, error) { return r.add(name, &r.later) }

func (r *resultFiles) add(name string, to *[]*output) (*output, error) {
	// Not released before the file is in the list: discard must not miss one that a run opens which
	// is not waited for any more.
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return nil, errDiscarded
	}
	o, err := openOutput(r.ctx, name, r.stdout)
	if err != nil {
		return nil, err
	}
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

// end finishes the files after the last write of a run that ended with err, or says why they do not
// appear.
func (r *resultFiles) end(err error) error {
	// A signal explains every other error, and a failed write the errors that follow from it.
	if err = firstError(context.Cause(r.ctx), r.err(), err); err == nil {
		err = r.finish()
	}
	if err != nil && !r.quiet() {
		// Not a case for exit code 0, even if a closed pipe is the reason: the other files do not
		// appear.
		return loud(err)
	}
	return firstError(err, context.Cause(r.ctx))
}

// publish gives all finished files their names.
func (r *resultFiles) publish() error {
	all := r.all()
	slices.Reverse(all)
	withdraw := func(published []*output) {
		for _, o := range published {
			o.withdraw()
		}
	}
	for i, o := range all {
		if err := o.publish(); err != nil {
			withdraw(all[:i])
			return err
		}
	}
	if r.folder == nil {
		return nil
	}
	if err := r.folder.publish(); err != nil {
		withdraw(all)
		return loud(err) // a folder has no reader that had all it wanted
	}
	return nil
}

// has tells whether an output was opened by that name.
func (r *resultFiles) has(name string) bool {
	return slices.ContainsFunc(r.all(), func(o *output) bool { return o.name == name })
}

// quiet tells whether a reader of the output that went away had all there was: not if there are
// other outputs.
func (r *resultFiles) quiet() bool { return len(r.all()) == 1 && r.folder == nil }

// errDiscarded is the error of an output that is opened after discard.
var errDiscarded = errors.New("the outputs of the run have been given up")

// discard removes outputs that have not been published, and has nothing more opened.
func (r *resultFiles) discard() {
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	for _, o := range r.all() {
		o.discard()
	}
	if r.folder != nil {
		r.folder.discard()
	}
}

package mappability

import "sync"

// progress tells how far a run has come: of each genome a share, in parts of a thousand.
type progress struct {
	mu      sync.Mutex
	report  func(done, total int64)
	genomes int64
	genome  int64
	done    int64
	total   int64
	last    int64
}

// shares are the parts of the work of a genome that are told apart.
const shares = 1000

func newProgress(report func(done, total int64), genomes int64) *progress {
	return &progress{report: report, genomes: genomes, last: -1}
}

// begin begins with a genome.
func (p *progress) begin(genome int64) { p.genome, p.done, p.total = genome, 0, 0 }

// expect says how much there is to do for the genome.
func (p *progress) expect(total int64) { p.total = max(total, 1) }

// add says that n more units of the work are done.
func (p *progress) add(n int64) {
	if p.report == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	if now := p.genome*shares + p.done*shares/p.total; now != p.last {
		p.last = now
		p.report(now, p.genomes*shares)
	}
}

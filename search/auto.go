package search

import "fmt"

// fastest returns the scheme that auto takes for a needle of so many patterns.
func fastest(n *needle, patterns int, onGPU bool) (*Scheme, error) {
	var best *Scheme
	bestRate := 0.0
	for _, m := range methods {
		for _, s := range m.Schemes {
			if s.refusal(n, onGPU) != nil {
				continue
			}
			if rate := s.rate(n, patterns, onGPU); best == nil || rate > bestRate {
				best, bestRate = s, rate
			}
		}
	}
	if best == nil {
		return nil, fmt.Errorf("no method takes it")
	}
	return best, nil
}

// rate is the number of letters that a scheme searches in a second for one needle.
func (s *Scheme) rate(n *needle, patterns int, onGPU bool) float64 { return 1e8 }

package copies

import (
	"math"
	"slices"
)

// loess returns the values at x of a curve through the points (x, y), fitted locally: at each x a
// line by least squares to the nearest q = span x n points, at least 3. The weight of a point is
// the tricube of its distance over the farthest one's distance (Cleveland, Robust locally weighted
// regression and smoothing scatterplots, Journal of the American Statistical Association 74:829,
// 1979, section 2), times a weight of its own. This is the loess of R and of netlib with degree 1
// and a surface that is computed directly. There are no robust iterations: outliers are no
// controls. x ascends strictly; all slices have one length, and weights are positive.
func loess(x, y, weights []float64, span float64) []float64 {
	n := len(x)
	q := min(n, max(3, int(span*float64(n)+1e-5)))
	fitted := make([]float64, n)
	distances := make([]float64, n)
	for i, at := range x {
		// The nearest points lie side by side.
		for k := range x {
			distances[k] = math.Abs(x[k] - at)
		}
		slices.Sort(distances)
		fitted[i] = localLine(x, y, weights, at, distances[max(0, q-1)])
	}
	return fitted
}

// localLine returns the value at a place of the line that is fitted to the points nearer than a
// distance, and to the one at the place itself.
func localLine(x, y, weights []float64, at, distance float64) float64 {
	var w, wx, wy, wxx, wxy float64
	for k := range x {
		d := x[k] - at
		weight := weights[k]
		if d != 0 {
			if math.Abs(d) >= distance {
				continue
			}
			share := math.Abs(d) / distance
			tricube := 1 - share*share*share
			weight *= tricube * tricube * tricube
		}
		w += weight
		wx += weight * d
		wy += weight * y[k]
		wxx += weight * d * d
		wxy += weight * d * y[k]
	}
	// At d = 0 the line has the value of its intercept.
	determinant := w*wxx - wx*wx
	if determinant <= 1e-12*w*wxx {
		return wy / w // all points are at one place
	}
	return (wxx*wy - wx*wxy) / determinant
}

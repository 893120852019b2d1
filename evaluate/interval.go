package evaluate

import "math"

// Wilson is the 95 % interval of a share of k in n; 0..1 when n is 0.
func Wilson(k, n int) (lo, hi float64) {
	if n == 0 {
		return 0, 1
	}
	return wilson(float64(k), float64(n))
}

// wilson is the 95 % interval of a share by E. B. Wilson (1927); hits may be fractions, as
// with questions of which a half was found, n is above 0.
func wilson(hits, n float64) (lo, hi float64) {
	const z = 1.959964
	p := hits / n
	centre, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, (centre-half)/(1+z*z/n)), min(1, (centre+half)/(1+z*z/n))
}

// shareOf is a share with its 95 % interval; NaN of nothing.
func shareOf(hits, n int) (p float64, interval [2]float64) {
	if n == 0 {
		return math.NaN(), [2]float64{math.NaN(), math.NaN()}
	}
	lo, hi := Wilson(hits, n)
	return float64(hits) / float64(n), [2]float64{lo, hi}
}

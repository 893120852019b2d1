package linear

import "math"

// LogOdds is the log odds of a probability as the input of a regression, held within 0.005..0.995,
// which is what any of the joined models can know.
func LogOdds(p float64) float64 {
	p = math.Min(0.995, math.Max(0.005, p))
	return math.Log(p / (1 - p))
}

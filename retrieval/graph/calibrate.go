package graph

import "math"

// bend is where the calibration of a share turns from a square to a line, and power how
// much of that is taken back. The square lets a fact that joins two of a question's terms
// stand above two facts that hold one each, though it is a hop away; the power was fitted
// with the weights of the routes (docs/measurements.md).
const (
	bend  = 0.3
	power = 0.7
)

// calibrate maps the share of a question's terms that facts cover (0..1) to the score of
// the route: (c²(1+0.3)/(c+0.3))^0.7, from 0 at 0 to 1 at 1. It is the same curve for all
// questions, so that scores compare between them.
func calibrate(share float64) float64 {
	if share <= 0 {
		return 0
	}
	share = min(1, share)
	return math.Pow(share*share*(1+bend)/(share+bend), power)
}

package bm25

import "math"

// power bends the calibration of a coverage: below 1, the first words in common count for
// more than further ones.
//
// Fitted on the fitting side of nine sets together with the weights and the calibrations
// of the other routes (docs/measurements.md): few words of a long question stand in the
// passage that answers it, and a curve that starts flat let the dense route outvote them.
const power = 0.7

// calibrate maps the share of a question that a chunk covers (0..1) to the score of the
// route: c^0.7. It is the same curve for all questions, so that scores compare between
// them.
func calibrate(coverage float64) float64 {
	if coverage <= 0 {
		return 0
	}
	return math.Pow(min(1, coverage), power)
}

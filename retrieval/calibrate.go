package retrieval

// bend is where the calibration of a coverage turns from a square to a line.
//
// Fitted by hand on squad2, lecoqa-stard and 40 pairs of a question and a passage
// in other words (values 0, 0.1, 0.3): a chance word in common covers a tenth of a
// question and must not outweigh a passage that means the same. 0.3 gained 2 points
// of recall@5 on lecoqa-stard and 5 to 10 on the pairs, and lost none on squad2.
const bend = 0.3

// Calibrate maps the share of a question that a chunk covers (0..1) to the score of
// the BM25 and graph routes: c²(1+0.3)/(c+0.3), from 0 at 0 to 1 at 1. It is the same
// curve for all questions, so that scores compare between them.
func Calibrate(coverage float64) float64 {
	if coverage <= 0 {
		return 0
	}
	coverage = min(1, coverage)
	return coverage * coverage * (1 + bend) / (coverage + bend)
}

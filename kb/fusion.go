package kb

// Weights are the fusion weights of the three routes; each >= 0, sum > 0.
type Weights struct {
	Dense, BM25, Graph float64
}

// A passage in another language than the question shares with it what the dictionary knows, names and
// figures, and no other words. Beside the dense route, which sees passages of both languages, BM25
// and the graph score it higher: by so many times its share of the weights, added to 1. And of the weight of the
// dense route goes a share in proportion to theirs, since vectors know less across languages. A route alone
// scores as it does. Fitted with the weights (docs/measurements.md).
const (
	abroadBM25  = 4
	abroadGraph = 6
	abroadCeded = 0.6
)

// Fuse is the fused score of a passage: the sum of its scores by the weights. abroad says
// that it is in another language than the question. Weights that sum to 1 give 0..1.
func (w Weights) Fuse(dense, bm25, graph float64, abroad bool) float64 {
	if sum := w.Dense + w.BM25 + w.Graph; abroad && sum > 0 {
		share := w.Dense / sum
		bm25, graph = min(1, (1+abroadBM25*share)*bm25), min(1, (1+abroadGraph*share)*graph)
		w.Dense *= 1 - abroadCeded*(1-share)
	}
	return min(1, w.Dense*dense+w.BM25*bm25+w.Graph*graph)
}

// Among the first seatsOf passages stand the first seats of each route that counts for at
// least seatWeight: a sum lets go of what one route is sure of and the others do not see,
// and an answer is stated from the first five. What has less than seatScore of the best
// fused score has no seat: it is near the question in words alone. Fitted with the weights
// (docs/measurements.md).
const (
	seats      = 2
	seatsOf    = 5
	seatWeight = 0.2
	seatScore  = 0.5
)

// Seats reports whether a passage has a seat among the first, by its ranks in the routes
// (from 1; 0 = not found).
func (w Weights) Seats(dense, bm25, graph int) bool {
	least := seatWeight * (w.Dense + w.BM25 + w.Graph)
	has := func(weight float64, rank int) bool { return rank > 0 && rank <= seats && weight >= least }
	return has(w.Dense, dense) || has(w.BM25, bm25) || has(w.Graph, graph)
}

// Seat moves what is seated among the first five of what is ordered by fused score, or more
// where more are seated. The order stays among those and among the others.
func Seat[T any](ordered []T, score func(T) float64, seated func(T) bool) {
	if len(ordered) <= seatsOf {
		return
	}
	sits, free := make([]bool, len(ordered)), seatsOf
	for i, v := range ordered {
		if sits[i] = score(v) >= seatScore*score(ordered[0]) && seated(v); sits[i] {
			free--
		}
	}
	first, rest := make([]T, 0, len(ordered)), make([]T, 0, len(ordered))
	for i, v := range ordered {
		switch {
		case sits[i]:
			first = append(first, v)
		case free > 0:
			free--
			first = append(first, v)
		default:
			rest = append(rest, v)
		}
	}
	copy(ordered, append(first, rest...))
}

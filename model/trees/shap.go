package trees

import "math"

// maxShapDepth bounds the paths that SHAP walks: its cost grows with their square.
const maxShapDepth = 64

// SHAP returns what each feature adds to the margin by TreeSHAP (Lundberg, Erion, Lee
// 2018, algorithm 2, path-dependent), and last the bias: the mean margin. They sum to the
// margin of Predict but for rounding and are XGBoost's pred_contribs. Unlike Contributions
// the order of the splits does not matter, for a time some thirty times as long. A vector
// that Predict refuses, and a tree deeper than 64 splits, give nil.
func (m *Model) SHAP(features []float32) []float64 {
	if m.check(features) != nil || m.depth > maxShapDepth {
		return nil
	}
	out := make([]float64, len(features)+1)
	out[len(features)] = m.expected
	room := make([]shapPart, (m.depth+2)*(m.depth+3)/2)
	w := shapWalk{features: features, out: out}
	for _, t := range m.trees {
		w.tree = t
		w.walk(0, 0, room, 1, 1, -1)
	}
	return out
}

// shapPart is one feature of a path from the root: the share of paths that stay when it
// is not known (zero) and when it is (one), and the weight of sets of its size.
type shapPart struct {
	feature      int
	zero, one    float64
	permutations float64
}

type shapWalk struct {
	tree     tree
	features []float32
	out      []float64
}

// walk adds what the leaves below a node give. room begins with the path so far, of the
// given length, and has space for all paths below.
func (w *shapWalk) walk(at, length int, room []shapPart, zero, one float64, feature int) {
	path := room[:length+1]
	extend(path, length, zero, one, feature)
	n := &w.tree[at]
	if n.left < 0 {
		for i := 1; i <= length; i++ {
			p := &path[i]
			w.out[p.feature] += unwound(path, length, i) * (p.one - p.zero) * float64(n.value)
		}
		return
	}
	hot, cold := n.left, n.right
	if n.next(w.features) == n.right {
		hot, cold = cold, hot
	}
	zeroIn, oneIn := 1.0, 1.0
	for i := 1; i <= length; i++ { // a feature that comes again stands for its whole path
		if path[i].feature == n.feature {
			zeroIn, oneIn = path[i].zero, path[i].one
			unwind(path, length, i)
			length--
			break
		}
	}
	path = path[:length+1]
	below := room[len(path):]
	copy(below, path)
	w.walk(hot, length+1, below, zeroIn*w.tree[hot].share, oneIn, n.feature)
	copy(below, path)
	w.walk(cold, length+1, below, zeroIn*w.tree[cold].share, 0, n.feature)
}

// extend adds a feature to a path of a length.
func extend(path []shapPart, length int, zero, one float64, feature int) {
	path[length] = shapPart{feature: feature, zero: zero, one: one}
	if length == 0 {
		path[0].permutations = 1
	}
	for i := length - 1; i >= 0; i-- {
		path[i+1].permutations += one * path[i].permutations * float64(i+1) / float64(length+1)
		path[i].permutations = zero * path[i].permutations * float64(length-i) / float64(length+1)
	}
}

// unwind takes a feature out of a path again.
func unwind(path []shapPart, length, at int) {
	zero, one := path[at].zero, path[at].one
	next := path[length].permutations
	for i := length - 1; i >= 0; i-- {
		if one != 0 {
			was := path[i].permutations
			path[i].permutations = next * float64(length+1) / (float64(i+1) * one)
			next = was - path[i].permutations*zero*float64(length-i)/float64(length+1)
		} else if zero != 0 {
			path[i].permutations = path[i].permutations * float64(length+1) / (zero * float64(length-i))
		}
	}
	for i := at; i < length; i++ {
		path[i].feature, path[i].zero, path[i].one = path[i+1].feature, path[i+1].zero, path[i+1].one
	}
}

// unwound is the sum of the weights of a path without one feature.
func unwound(path []shapPart, length, at int) float64 {
	zero, one := path[at].zero, path[at].one
	next, total := path[length].permutations, 0.0
	for i := length - 1; i >= 0; i-- {
		switch {
		case one != 0:
			w := next * float64(length+1) / (float64(i+1) * one)
			total += w
			next = path[i].permutations - w*zero*float64(length-i)/float64(length+1)
		case zero != 0:
			total += path[i].permutations * float64(length+1) / (zero * float64(length-i))
		}
	}
	if math.IsInf(total, 0) || math.IsNaN(total) { // shares too small for a float
		return 0
	}
	return total
}

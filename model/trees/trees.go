// Package trees scores feature vectors with boosted trees trained by XGBoost.
//
// It reads the model files of XGBoost 1.7 to 3.x (UBJ, and JSON) and evaluates
// them through leaves, which itself only knows an older binary layout: decode
// turns a file into values, model.go into trees, and convert.go into that layout,
// corrected for the defects of leaves (see there). Only what this repository
// trains is understood: numeric features, one output, a logistic objective. The
// rest is refused with a plain error rather than scored wrongly.
package trees

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/dmitryikh/leaves"
)

// ErrModel says that a file is not a model this package scores: damaged, of an
// unsupported kind, or trained for other features.
var ErrModel = errors.New("unusable tree model")

// ErrFeatures says that a feature vector does not fit the model.
var ErrFeatures = errors.New("unusable feature vector")

// Attributes of the file that this package reads. Others are kept for the caller.
const (
	// AttributeCalibration holds JSON text such as
	// {"method":"platt","a":0.9,"b":-0.1}: probability = sigmoid(a·margin + b), a > 0.
	AttributeCalibration = "calibration"
	// AttributeRounds holds the number of boosting rounds that the calibration was
	// fitted on. Training that goes on keeps all attributes, so a model whose rounds
	// differ is refused; with a calibration the attribute is required.
	AttributeRounds = "rounds"
)

// Model is a loaded model. It is immutable and safe for concurrent use.
type Model struct {
	features   []string
	version    string
	objective  string
	attributes map[string]string
	rounds     int
	base       float64 // margin of the empty ensemble
	a, b       float64 // calibration; 1, 0 = none
	calibrated bool
	trees      []tree
	ensemble   *leaves.Ensemble
	expected   float64 // base and the mean of every tree: the bias of Contributions and SHAP
	depth      int     // splits on the longest path
}

// Load reads an XGBoost model file (UBJ or JSON). features are the names, in
// order, of the vectors that Predict will be given; a file that names others, or
// none, is refused. All errors are ErrModel.
func Load(data []byte, features []string) (*Model, error) {
	root, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	m, err := newModel(root)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	if !slices.Equal(m.features, features) {
		return nil, fmt.Errorf("%w: the file was trained for the features %q, this program computes %q", ErrModel, m.features, features)
	}
	if err := m.readAttributes(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	// No transformation: the base score and the sigmoid are applied here.
	m.ensemble, err = leaves.XGEnsembleFromReader(bufio.NewReader(bytes.NewReader(legacy(m.trees, len(m.features)))), false)
	if err != nil {
		return nil, fmt.Errorf("%w: convert: %w", ErrModel, err)
	}
	return m, nil
}

// readAttributes checks what the file says about itself.
func (m *Model) readAttributes() error {
	// XGBoost scores with all trees, whatever best_iteration says; the attribute also
	// outlives slicing by hand and further training. Only a file without that doubt
	// is scored.
	if text, ok := m.attributes["best_iteration"]; ok {
		best, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("attribute best_iteration: %w", err)
		}
		if best+1 != m.rounds {
			return fmt.Errorf("best_iteration is %d, but the file holds %d rounds; save booster[:best_iteration + 1]", best, m.rounds)
		}
	}
	text, counted := m.attributes[AttributeRounds]
	if counted {
		rounds, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("attribute %s: %w", AttributeRounds, err)
		}
		if rounds != m.rounds {
			return fmt.Errorf("attribute %s is %d, but the file holds %d rounds: calibrate again after training", AttributeRounds, rounds, m.rounds)
		}
	}
	m.a = 1
	text, m.calibrated = m.attributes[AttributeCalibration]
	if !m.calibrated {
		return nil
	}
	if !counted {
		return fmt.Errorf("a calibration without the attribute %s: nothing says which trees it was fitted on", AttributeRounds)
	}
	var platt struct {
		Method string   `json:"method"`
		A      *float64 `json:"a"`
		B      *float64 `json:"b"`
	}
	if err := json.Unmarshal([]byte(text), &platt); err != nil {
		return fmt.Errorf("attribute %s: %w", AttributeCalibration, err)
	}
	if platt.Method != "platt" || platt.A == nil || platt.B == nil || *platt.A <= 0 {
		return fmt.Errorf("attribute %s: want method platt, a > 0 and b, got %s", AttributeCalibration, text)
	}
	m.a, m.b = *platt.A, *platt.B
	return nil
}

// Features returns the names of the features in order.
func (m *Model) Features() []string { return slices.Clone(m.features) }

// Version returns the release of XGBoost that wrote the file, such as 3.2.0.
func (m *Model) Version() string { return m.version }

// Objective returns the training objective, such as binary:logistic.
func (m *Model) Objective() string { return m.objective }

// Rounds returns the number of boosting rounds.
func (m *Model) Rounds() int { return m.rounds }

// Trees returns the number of trees: rounds times trees per round.
func (m *Model) Trees() int { return len(m.trees) }

// Calibrated reports whether the file brought a calibration.
func (m *Model) Calibrated() bool { return m.calibrated }

// Attributes returns the strings stored in the file by name.
func (m *Model) Attributes() map[string]string { return maps.Clone(m.attributes) }

// Predict returns the margin (log-odds before calibration) and the probability
// (0..1, calibrated where the file brings a calibration). NaN stands for a missing
// value. A vector of another length or with an infinity is ErrFeatures.
func (m *Model) Predict(features []float32) (margin, probability float64, err error) {
	if err := m.check(features); err != nil {
		return 0, 0, err
	}
	values := make([]float64, len(features))
	for i, v := range features {
		values[i] = float64(v)
	}
	var sum [1]float64
	// Predict and not PredictSingle, which answers 0 where it should fail.
	if err := m.ensemble.Predict(values, 0, sum[:]); err != nil {
		return 0, 0, fmt.Errorf("%w: %w", ErrFeatures, err)
	}
	margin = m.base + sum[0]
	return margin, sigmoid(m.a*margin + m.b), nil
}

// check guards against what leaves would take without a word: too many values,
// too few for a model of one feature, infinities that XGBoost refuses.
func (m *Model) check(features []float32) error {
	if len(features) != len(m.features) {
		return fmt.Errorf("%w: %d values for %d features", ErrFeatures, len(features), len(m.features))
	}
	for i, v := range features {
		if math.IsInf(float64(v), 0) {
			return fmt.Errorf("%w: %s is infinite", ErrFeatures, m.features[i])
		}
	}
	return nil
}

// Contributions returns what each feature adds to the margin by Saabas' method,
// and last the bias: the margin of a vector about which nothing is known. They sum
// to the margin of Predict but for rounding, and explain it before calibration. A
// step from a node to its child counts for the feature that decided it; it is the
// fast approximation of XGBoost (approx_contribs), not SHAP, which is SHAP. A vector that Predict
// refuses gives nil.
func (m *Model) Contributions(features []float32) []float64 {
	if m.check(features) != nil {
		return nil
	}
	out := make([]float64, len(features)+1)
	out[len(features)] = m.expected
	for _, t := range m.trees {
		at := 0
		for t[at].left >= 0 {
			next := t[at].next(features)
			out[t[at].feature] += t[next].mean - t[at].mean
			at = next
		}
	}
	return out
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

package rerank

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/model/linear"
)

// JointInputs names what a Joint weighs, in order; Said.Inputs has the values. Log odds are
// held within what both models can know.
var JointInputs = []string{
	"model",         // log odds of the sufficiency of words and facts
	"say",           // log odds of the reader that the best passage holds what is asked
	"point",         // log odds of the answer that it points at
	"table_say",     // say where that passage has a table
	"foreign",       // 1 where it is in another language than the question
	"foreign_say",   // say where it is
	"kindless",      // 1 where a value is asked and the sentence pointed at has none
	"causeless_say", // say where it is yes, a cause is asked, and that sentence does not have the form of one
}

// Joint joins the sufficiency of words and facts with the say of the reader: a logistic of
// weighed inputs.
type Joint struct {
	weights []float64 // in the order of JointInputs
	bias    float64
}

// ErrJoint says that the weights of a joint cannot be read.
var ErrJoint = errors.New("weights of the joint of sufficiency and reader")

// DecodeJoint reads weights as JSON, by the names of inputs and "bias"; what is not named
// weighs nothing. Its error is ErrJoint.
func DecodeJoint(data []byte) (*Joint, error) {
	var file struct {
		Weights map[string]float64 `json:"weights"`
	}
	in := json.NewDecoder(bytes.NewReader(data))
	in.DisallowUnknownFields()
	if err := in.Decode(&file); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrJoint, err)
	}
	out := &Joint{weights: make([]float64, len(JointInputs))}
	for name, w := range file.Weights {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return nil, fmt.Errorf("%w: %s is %v", ErrJoint, name, w)
		}
		if name == "bias" {
			out.bias = w
			continue
		}
		i := slices.Index(JointInputs, name)
		if i < 0 {
			return nil, fmt.Errorf("%w: %s is no input; there are %v", ErrJoint, name, JointInputs)
		}
		out.weights[i] = w
	}
	if out.weights[slices.Index(JointInputs, "say")] <= 0 {
		return nil, fmt.Errorf("%w: say weighs nothing or is turned round; fit it anew", ErrJoint)
	}
	return out, nil
}

// Inputs are the values of JointInputs for a sufficiency of words and facts.
func (s Said) Inputs(sufficiency float64) []float64 {
	flag := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	say := linear.LogOdds(s.Holds)
	value := s.Expect == kb.ExpectQuantity || s.Expect == kb.ExpectDuration
	return []float64{
		linear.LogOdds(sufficiency), say, linear.LogOdds(s.Answer), flag(s.Table) * say, flag(s.Foreign), flag(s.Foreign) * say,
		flag(value && !s.Spot.Kind), flag(s.Class == kb.Cause && !s.Spot.Fact) * math.Max(0, say),
	}
}

// join is the sufficiency after a reading. A nil joint takes the mean of both log odds.
func (j *Joint) join(sufficiency float64, s Said) float64 {
	in := s.Inputs(sufficiency)
	var sum float64
	if j == nil {
		sum = (in[0] + in[1]) / 2
	} else {
		sum = j.bias
		for i, w := range j.weights {
			sum += w * in[i]
		}
	}
	return 1 / (1 + math.Exp(-sum))
}

// Said is what the reader says of one thing that a request asks, with what weighs it.
type Said struct {
	Asked   bool      // false: the reader has no say, the rest is zero
	Holds   float64   // that the best passage holds what is asked, 0..1
	Answer  float64   // that its answer is there, 0..1
	Table   bool      // the best passage has a table
	Foreign bool      // it is in another language than the question
	Expect  kb.Expect // kind of what is asked
	Class   kb.Class  // of the question
	Spot    fact.Spot // of the sentence that it points at, or of what lies nearest
}

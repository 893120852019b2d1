package validate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/model/linear"
)

// Joint says how the judgement of kb/fact, the words of a claim and the reader's vote
// are joined: two logistic regressions on log odds, fitted on labelled claims
// (models/wording/README.md). A fact that excludes always wins: a claim that facts of the same
// thing contradict, and a sentence that stands in its source, are in no joint.
type Joint struct {
	Supported    Weights `json:"supported"`    // that the claim is supported
	Contradicted Weights `json:"contradicted"` // that what is not supported is contradicted
	// From these probabilities on, 0..1, the claim is told as supported, where facts do
	// not find it so and where they do, or else as contradicted, where facts do not find it
	// so and where they do.
	SupportedFrom    float64 `json:"supported_from"`
	KeptFrom         float64 `json:"kept_from"`
	ContradictedFrom float64 `json:"contradicted_from"`
	DeniedFrom       float64 `json:"denied_from"`
}

// Weights are of one regression.
type Weights struct {
	Ground  map[string]float64 `json:"ground"`  // by Heard: what facts say, and on which ground
	Chinese float64            `json:"chinese"` // added for a Chinese claim
	Words   float64            `json:"words"`   // of the log odds of words, or of facts where words decide nothing
	Yes     float64            `json:"yes"`     // of the log odds of the vote's Supported
	No      float64            `json:"no"`      // of the log odds of the vote's Contradicted
}

// ErrJoint says that the weights of a joint cannot be read.
var ErrJoint = errors.New("weights of the joint of facts, words and votes")

// DecodeJoint reads weights as JSON. Its error is ErrJoint.
func DecodeJoint(data []byte) (*Joint, error) {
	j := &Joint{}
	in := json.NewDecoder(bytes.NewReader(data))
	in.DisallowUnknownFields()
	if err := in.Decode(j); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrJoint, err)
	}
	for name, p := range map[string]float64{"supported_from": j.SupportedFrom, "kept_from": j.KeptFrom, "contradicted_from": j.ContradictedFrom, "denied_from": j.DeniedFrom} {
		if p <= 0 || p > 1 {
			return nil, fmt.Errorf("%w: %s %v is outside 0..1", ErrJoint, name, p)
		}
	}
	if len(j.Supported.Ground) == 0 {
		return nil, fmt.Errorf("%w: supported.ground is empty; nothing would be heard", ErrJoint)
	}
	return j, nil
}

// A contradiction by facts is a fact that excludes only where it is of the same thing: where the sentence
// nearest to the claim has less than these shares of its words, as many true claims as untrue ones
// are told to be contradicted (docs/measurements.md, "Claims over written passages"), and the vote is heard.
const (
	looseStance = 0.65
	looseValues = 0.5
)

// literal is the longest run of a claim's words in the passages, as a share of them, from
// which facts alone decide that it is supported: the claim stands there as it is told, and
// a reader is surer of other words than of copies.
const literal = 0.9

// Heard names a judgement of facts that a vote may turn round; false where it may not.
func Heard(s fact.Support, w Words) (name string, ok bool) {
	ground := s.Ground
	switch s.Verdict {
	case fact.UnsupportedClaim:
	case fact.SupportedClaim:
		if ground == fact.OnQuote || w.Run >= literal || w.Foreign && ground != fact.OnWords {
			return "", false
		}
	case fact.ContradictedClaim:
		if w.Foreign && ground == fact.OnValues {
			return "", false // words across languages are few by nature; facts asked for half of them
		}
		if (ground != fact.OnStance || w.Best >= looseStance) && (ground != fact.OnValues || w.Best >= looseValues) {
			return "", false
		}
	default:
		return "", false
	}
	if ground == fact.OnWords {
		ground = "words"
	}
	return string(s.Verdict) + "/" + string(ground), true
}

// of is the probability; false where the judgement is not one that the joint knows.
func (w *Weights) of(heard string, words Words, v Vote) (float64, bool) {
	bias, ok := w.Ground[heard]
	if words.Chinese {
		bias += w.Chinese
	}
	return 1 / (1 + math.Exp(-(bias + w.Words*linear.LogOdds(words.Said) + w.Yes*linear.LogOdds(v.Supported) + w.No*linear.LogOdds(v.Contradicted)))), ok
}

// foremost is the vote that counts: of the passage that supports the claim, else of the
// one that contradicts it most.
func foremost(votes []Vote) Vote {
	best := slices.MaxFunc(votes, func(a, b Vote) int { return cmp.Compare(a.Supported, b.Supported) })
	if best.Supported < 0.5 {
		best = slices.MaxFunc(votes, func(a, b Vote) int { return cmp.Compare(a.Contradicted, b.Contradicted) })
	}
	return best
}

package trees

import (
	"encoding/json"
	"math"
	"os"
	"regexp"
	"strconv"
	"testing"
)

// oracle scores a JSON model straight from its columns, in float32 and in the order
// in which XGBoost adds. It shares no code with the package.
type oracle struct {
	base  float32
	trees []oracleTree
}

type oracleTree struct {
	Left      []int     `json:"left_children"`
	Right     []int     `json:"right_children"`
	Feature   []int     `json:"split_indices"`
	Condition []float64 `json:"split_conditions"`
	Default   []int     `json:"default_left"`
	weight    float32
}

type oracleModel struct {
	Trees      []oracleTree `json:"trees"`
	WeightDrop []float32    `json:"weight_drop"`
}

var bareInfinity = regexp.MustCompile(`-Infinity`)

func newOracle(t *testing.T, path string) oracle {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Learner struct {
			Objective struct {
				Name string `json:"name"`
			} `json:"objective"`
			Param struct {
				BaseScore string `json:"base_score"`
			} `json:"learner_model_param"`
			Booster struct {
				Model  *oracleModel `json:"model"`
				GBTree *struct {
					Model oracleModel `json:"model"`
				} `json:"gbtree"`
				WeightDrop []float32 `json:"weight_drop"`
			} `json:"gradient_booster"`
		} `json:"learner"`
	}
	if err := json.Unmarshal(bareInfinity.ReplaceAll(data, []byte("-1e300")), &file); err != nil {
		t.Fatal(err)
	}
	learner := file.Learner
	base, err := strconv.ParseFloat(regexp.MustCompile(`[\[\]]`).ReplaceAllString(learner.Param.BaseScore, ""), 32)
	if err != nil {
		t.Fatal(err)
	}
	o := oracle{base: -float32(math.Log(float64(1/float32(base) - 1)))}
	model := learner.Booster.Model
	if model == nil {
		model = &learner.Booster.GBTree.Model
	}
	o.trees = model.Trees
	for i := range o.trees {
		o.trees[i].weight = 1
		if drop := append(learner.Booster.WeightDrop, model.WeightDrop...); len(drop) > 0 {
			o.trees[i].weight = drop[i]
		}
	}
	return o
}

func (o oracle) margin(features []float32) float32 {
	sum := float32(0)
	for _, t := range o.trees {
		at := 0
		for t.Left[at] != -1 {
			v := features[t.Feature[at]]
			left := v < float32(t.Condition[at])
			if math.IsNaN(float64(v)) {
				left = t.Default[at] == 1
			}
			if left {
				at = t.Left[at]
			} else {
				at = t.Right[at]
			}
		}
		sum += t.weight * float32(t.Condition[at])
	}
	return sum + o.base
}

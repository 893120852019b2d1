package app

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/model/trees"
	"suffice.dev/suffice/models/sufficiency"
	"suffice.dev/suffice/rerank"
	"suffice.dev/suffice/services/config"
)

// The goldens are what Python gave when it trained the file.
func TestSufficiencyModelScoresAsTrained(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "models", "sufficiency", "model.golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Rows                [][]*float32
		Margin, Probability []float64
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Rows) < 10 {
		t.Fatalf("%d goldens", len(golden.Rows))
	}
	model, version, err := sufficiencyModel()
	if err != nil {
		t.Fatal(err)
	}
	if version == "" {
		t.Error("the model has no version")
	}
	for i, values := range golden.Rows {
		row := make([]float32, len(values))
		for k, v := range values {
			row[k] = float32(math.NaN())
			if v != nil {
				row[k] = *v
			}
		}
		margin, probability, err := model.Predict(row)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(margin-golden.Margin[i]) > 1e-5 || math.Abs(probability-golden.Probability[i]) > 1e-6 {
			t.Errorf("row %d: margin %v probability %v, Python gave %v and %v", i, margin, probability, golden.Margin[i], golden.Probability[i])
		}
	}
}

func TestSufficiencyModelOfOtherFeaturesIsRefused(t *testing.T) {
	other := append([]string{"another"}, rerank.SetFeatures[1:]...)
	if _, err := trees.Load(sufficiency.Model, other); !errors.Is(err, trees.ErrModel) {
		t.Errorf("error %v, want ErrModel", err)
	}
}

func TestMonotoneNamesFeatures(t *testing.T) {
	known := map[string]bool{}
	for _, name := range rerank.SetFeatures {
		if known[name] {
			t.Errorf("feature %s stands twice", name)
		}
		known[name] = true
	}
	for name, direction := range rerank.Monotone {
		if !known[name] || direction != 1 && direction != -1 {
			t.Errorf("monotone %s: %d", name, direction)
		}
	}
}

// A passage that states the answer, and the same with the value taken out.
func TestSufficiencyFallsWithoutTheValue(t *testing.T) {
	j, err := NewSufficiencyJudge(config.Sources{}, true)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ question, kind, with, lacking string }{
		"zh prose": {
			question: "青梧号渡轮的最高航速是多少？",
			with:     "青梧号渡轮于2019年下水，全长62米。青梧号渡轮的最高航速为27节。", lacking: "青梧号渡轮于2019年下水，全长62米。青梧号渡轮停靠三个码头。",
		},
		"en table": {
			question: "What was the average catch per boat in 2021?", kind: "table",
			with:    "| Year | Boats | Average catch per boat (kg) |\n| --- | --- | --- |\n| 2020 | 41 | 880 |\n| 2021 | 38 | 915 |\n",
			lacking: "| Year | Boats | Average catch per boat (kg) |\n| --- | --- | --- |\n| 2020 | 41 | 880 |\n| 2021 | 38 |  |\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			score := func(text string) float64 {
				row, a, err := j.Judge(t.Context(), kb.Question{Text: c.question}, []kb.Passage{{ID: "p", Text: text, Kind: c.kind}})
				if err != nil {
					t.Fatal(err)
				}
				if len(row) != len(j.Features) {
					t.Fatalf("%d values for %d features", len(row), len(j.Features))
				}
				return a.Sufficiency
			}
			if with, lacking := score(c.with), score(c.lacking); with <= lacking {
				t.Errorf("sufficiency %.3f with the value, %.3f without", with, lacking)
			}
		})
	}
}

func BenchmarkSufficiencyModel(b *testing.B) {
	model, _, err := sufficiencyModel()
	if err != nil {
		b.Fatal(err)
	}
	row := make([]float32, len(rerank.SetFeatures))
	for i := range row {
		row[i] = 0.5
	}
	for _, n := range []int{1, 30} {
		b.Run(map[int]string{1: "row", 30: "rows30"}[n], func(b *testing.B) {
			for b.Loop() {
				for range n {
					if _, _, err := model.Predict(row); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
	b.Run("contributions", func(b *testing.B) {
		for b.Loop() {
			model.(*trees.Model).Contributions(row)
		}
	})
}

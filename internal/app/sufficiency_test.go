package app

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

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
	model, version, err := sufficiencyModel(config.Sufficiency{})
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

// A model file that changes is read again; one that is not the manifest's, or was trained
// for other features, is refused with both lists, and the one before it stays.
func TestSufficiencyModelReloads(t *testing.T) {
	dir := t.TempDir()
	file, manifest := filepath.Join(dir, "model.ubj"), filepath.Join(dir, "model.json")
	write := func(path string, data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	other, err := os.ReadFile(filepath.Join("..", "..", "model", "trees", "testdata", "v3.2.0", "logistic.ubj"))
	if err != nil {
		t.Fatal(err)
	}
	write(file, sufficiency.Model)
	a, err := Open(t.Context(), Options{Data: t.TempDir(), Sources: config.Sources{Flags: map[string]string{"sufficiency.path": file, "reader.mode": "off"}}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	first := a.Versions()
	if first.Model == "" {
		t.Fatal("the model has no version")
	}
	assess := func() float64 {
		t.Helper()
		r, err := a.Pipeline().Assess(t.Context(), kb.AskRequest{
			Question: kb.Question{Text: "How many berths does Marlow harbour have?"}, HandedOver: true,
			Passages: []kb.Passage{{ID: "p", Text: "Marlow harbour has 31 berths."}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return r.Assessment.Sufficiency
	}
	before := assess()
	for what, c := range map[string]struct{ file, manifest []byte }{
		"other features":     {other, nil},
		"damaged":            {sufficiency.Model[:len(sufficiency.Model)/2], nil},
		"another's manifest": {sufficiency.Model, []byte(`{"sha256": "00", "version": "2"}`)},
	} {
		write(file, c.file)
		if c.manifest != nil {
			write(manifest, c.manifest)
		}
		err := a.Reload(t.Context())
		if !errors.Is(err, trees.ErrModel) {
			t.Errorf("%s: error %v, want ErrModel", what, err)
		}
		if what == "other features" && err != nil && !(strings.Contains(err.Error(), "f0") && strings.Contains(err.Error(), rerank.SetFeatures[0])) {
			t.Errorf("%v names not both lists", err)
		}
		if got := a.Versions(); got != first || assess() != before {
			t.Errorf("%s: %+v serves, want %+v", what, got, first)
		}
		_ = os.Remove(manifest)
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(sufficiency.Model))
	write(file, sufficiency.Model)
	write(manifest, []byte(`{"sha256": "`+sum+`", "version": "another"}`))
	if err := a.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := a.Versions().Model; got != "sufficiency-another" {
		t.Errorf("model %s, want sufficiency-another", got)
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
	for _, name := range rerank.OfQuestion {
		if !known[name] {
			t.Errorf("%s is no feature", name)
		}
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
	model, _, err := sufficiencyModel(config.Sufficiency{})
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

// thirty are thirty passages of a few hundred code points about the same kind of thing.
func thirty(chinese bool) (question string, passages []kb.Passage) {
	towns := []string{"Veldhoven", "Osterby", "Larkspur", "Minnow Bay", "Calder Reach", "Tarn Hill"}
	cities := []string{"凌川", "云岭", "霁野", "白汀", "松原渡", "青崖"}
	for i := range 30 {
		p := kb.Passage{ID: fmt.Sprintf("p%d", i)}
		if chinese {
			c := cities[i%len(cities)]
			p.Title = c + "公共图书馆读者须知"
			p.Text = fmt.Sprintf("%s公共图书馆建于%d年，共有阅览座位%d个，藏书约%d万册。持证读者每次可以借阅图书%d册，借期不超过%d天；逾期不还的，每册每天收取0.%d元。未满十六周岁的读者须由监护人陪同办理借书证，残障人士除外。2023年，%s图书馆接待读者%d.5万人次，较上年增长%d%%。特藏文献由古籍部管理，不得外借，但经馆长批准可以复制。自修室位于主楼三层，法定节假日不开放。遗失图书的，应当按照原价的%d倍赔偿。办理借书证须缴纳押金%d元，退证时全额退还。",
				c, 1950+i, 800+10*i, 40+i, 5+i%4, 20+5*(i%3), 1+i%5, c, 30+i, 3+i%6, 2+i%2, 50+50*(i%3))
		} else {
			c := towns[i%len(towns)]
			p.Title = "Rules of the " + c + " depot"
			p.Text = fmt.Sprintf("The %s depot was built in %d and stores up to %d bicycles on two floors. Members may borrow a bicycle for %d hours if they have paid the deposit of %d euros; visitors pay %d euros a day. Helmets are not provided unless the group has more than ten children. In 2023 the depot lent %d bicycles, %d%% more than in 2022. Repairs are carried out by the Ostrander workshop. Lost keys must be reported within %d days. Lights and locks are checked every week.",
				c, 1950+i, 900+10*i, 12+12*(i%3), 30+5*(i%4), 5+i%4, 18000+100*i, 3+i%6, 2+i%3)
		}
		passages = append(passages, p)
	}
	if chinese {
		return "凌川公共图书馆每次可以借阅几册图书？", passages
	}
	return "How many bicycles does the Larkspur depot store?", passages
}

// BenchmarkAssessThirty is a whole assessment, without the reader, of thirty passages that
// are read and kept: coverage, conflicts, density, all features, the model and its
// contributions. Processor time counts on a machine that is shared.
func BenchmarkAssessThirty(b *testing.B) {
	j, err := NewSufficiencyJudge(config.Sources{Flags: map[string]string{"reader.mode": "off"}}, true)
	if err != nil {
		b.Fatal(err)
	}
	for _, chinese := range []bool{false, true} {
		b.Run(map[bool]string{false: "en", true: "zh"}[chinese], func(b *testing.B) {
			question, passages := thirty(chinese)
			req, err := j.request(b.Context(), kb.Question{Text: question}, passages)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := j.local.Assess(b.Context(), req); err != nil {
				b.Fatal(err)
			}
			var before, after syscall.Rusage
			_ = syscall.Getrusage(syscall.RUSAGE_SELF, &before)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := j.local.Assess(b.Context(), req); err != nil {
					b.Fatal(err)
				}
			}
			_ = syscall.Getrusage(syscall.RUSAGE_SELF, &after)
			used := time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
			b.ReportMetric(float64(used)/float64(b.N)/1e6, "cpu-ms/op")
		})
	}
}

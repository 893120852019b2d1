// Command train learns the question-class model of precheck from the questions of
// this folder and the labelled sets of the shared data folder, and prints figures
// on the held-apart questions.
//
//	go run ./models/precheck/train            # from the root of the repository
//	go run ./models/precheck/train -evaluate  # figures only
package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/model/embed"
	"suffice.dev/suffice/model/linear"
	"suffice.dev/suffice/precheck"
	"suffice.dev/suffice/text"
)

type question struct {
	text   string
	class  kb.Class
	others []kb.Class // further classes that are right too
	lang   string
	weight float64
}

type byLanguage map[string][]string

type ownFile struct {
	Fillers   map[string]map[string][]string `yaml:"fillers"`
	Templates map[kb.Class]byLanguage        `yaml:"templates"`
	Odd       map[kb.Class]byLanguage        `yaml:"odd"`
}

func main() {
	evaluate := flag.Bool("evaluate", false, "print figures of the committed model, train nothing")
	crossvalidate := flag.Bool("crossvalidate", false, "print figures of models trained without a part of the natural questions, each on its part")
	dir := flag.String("dir", "models/precheck", "folder of the questions and of the weights")
	shared := flag.String("shared", sharedFolder(), "folder that holds data/nf-cats and data/ysc-qa-zh")
	flag.Parse()
	if err := run(*dir, *shared, *evaluate, *crossvalidate); err != nil {
		log.Fatal(err)
	}
}

func sharedFolder() string {
	if s := os.Getenv("SUFFICE_SHARED"); s != "" {
		return s
	}
	return filepath.Join("..", "shared")
}

func run(dir, shared string, evaluate, crossvalidate bool) error {
	p, err := precheck.New(precheck.Config{RulesOnly: true})
	if err != nil {
		return err
	}
	own, err := ownQuestions(filepath.Join(dir, "questions.yaml"))
	if err != nil {
		return err
	}
	var natural []question
	for _, file := range []string{"natural.yaml", "natural-2.yaml", "natural-3.yaml", "natural-4.yaml", "natural-5.yaml", "natural-6.yaml", "natural-7.yaml"} {
		more, err := heldApart(filepath.Join(dir, file))
		if err != nil {
			return err
		}
		natural = append(natural, more...)
	}
	for i := range natural {
		natural[i].weight = naturalWeight
	}
	public, test, err := publicQuestions(shared)
	if err != nil {
		return err
	}
	labels, err := trainLabels(dir, shared)
	if err != nil {
		return err
	}
	public = append(public, labels...)
	if crossvalidate {
		second, err := heldApart(filepath.Join(dir, "natural-2.yaml"))
		if err != nil {
			return err
		}
		return crossValidate(p, slices.Concat(own, public), natural, second)
	}
	own = append(own, natural...)
	if !evaluate {
		m, loss, err := train(p, append(own, public...))
		if err != nil {
			return err
		}
		fmt.Printf("mean loss on the questions kept to calibrate: %.4f\n", loss)
		if err := os.WriteFile(filepath.Join(dir, "weights", "model.bin"), m.Encode(), 0o644); err != nil {
			return fmt.Errorf("write weights: %w", err)
		}
		fmt.Printf("trained on %d own and %d public questions; run with -evaluate for the figures\n", len(own), len(public))
		return nil
	}
	if p, err = precheck.New(precheck.Config{}); err != nil {
		return err
	}
	dev, err := heldApart(filepath.Join(dir, "development.yaml"))
	if err != nil {
		return err
	}
	if err := report("development", p, dev); err != nil {
		return err
	}
	held, err := heldApart(filepath.Join(dir, "heldout.yaml"))
	if err != nil {
		return err
	}
	if err := report("held apart", p, held); err != nil {
		return err
	}
	together := slices.Clone(held)
	for _, set := range []struct{ name, file string }{{"held apart, second set", "heldout-2.yaml"}, {"held apart, third set", "heldout-3.yaml"}, {"held apart, fourth set", "heldout-4.yaml"}, {"held apart, fifth set", "heldout-5.yaml"}, {"held apart, sixth set", "heldout-6.yaml"}, {"held apart, seventh set", "heldout-7.yaml"}} {
		questions, err := labelled(filepath.Join(dir, set.file))
		if err != nil {
			return err
		}
		if err := report(set.name, p, questions); err != nil {
			return err
		}
		together = append(together, questions...)
	}
	if err := report("held apart, all sets together", p, together); err != nil {
		return err
	}
	// The half of the fifth set's list that the trainer reads: told apart from it by the reading alone.
	third, err := heldApart(filepath.Join(dir, "natural-3.yaml"))
	if err != nil {
		return err
	}
	if err := report("natural, third list", p, third); err != nil {
		return err
	}
	if err := report("public test split", p, test); err != nil {
		return err
	}
	return reportPublic(dir, shared, p)
}

// reportPublic prints the figures on public questions of sources that no part of the
// analyzer was made from; the labels stand beside their ids.
func reportPublic(dir, shared string, p *precheck.Precheck) error {
	data, err := os.ReadFile(filepath.Join(dir, "public-labels.yaml"))
	if err != nil {
		return err
	}
	var labels map[string]map[string][]kb.Class
	if err := yaml.Unmarshal(data, &labels); err != nil {
		return fmt.Errorf("public-labels.yaml: %w", err)
	}
	for _, set := range []struct{ name, lang string }{{"lecoqa-stard", "zh"}, {"cmrc2018", "zh"}, {"conditionalqa", "en"}, {"squad2", "en"}} {
		texts, err := publicTexts(shared, set.name)
		if err != nil {
			return err
		}
		var questions []question
		for _, id := range slices.Sorted(maps.Keys(labels[set.name])) {
			text, ok := texts[id]
			if !ok {
				return fmt.Errorf("%s: no question %q", set.name, id)
			}
			classes := labels[set.name][id]
			questions = append(questions, question{text: text, class: classes[0], others: classes[1:], lang: set.lang})
		}
		if err := report("by source: "+set.name, p, questions); err != nil {
			return err
		}
	}
	return nil
}

// trainLabels reads the public questions that the trainer may read, whose classes stand
// beside their ids.
func trainLabels(dir, shared string) ([]question, error) {
	data, err := os.ReadFile(filepath.Join(dir, "public-train.yaml"))
	if err != nil {
		return nil, err
	}
	var labels struct{ Selqa map[string]kb.Class }
	if err := yaml.Unmarshal(data, &labels); err != nil {
		return nil, fmt.Errorf("public-train.yaml: %w", err)
	}
	texts := map[string]string{}
	for _, part := range []string{"dev", "test"} {
		data, err := os.ReadFile(filepath.Join(shared, "data", "selqa", "selqa-ass-"+part+".filtered.json"))
		if err != nil {
			return nil, fmt.Errorf("public questions: %w", err)
		}
		var rows []struct{ Question string }
		if err := json.Unmarshal(data, &rows); err != nil {
			return nil, fmt.Errorf("selqa: %w", err)
		}
		for i, row := range rows {
			texts[part+"/"+strconv.Itoa(i)] = row.Question
		}
	}
	var out []question
	for _, id := range slices.Sorted(maps.Keys(labels.Selqa)) {
		text, ok := texts[id]
		if !ok {
			return nil, fmt.Errorf("selqa: no question %q", id)
		}
		out = append(out, question{text: text, class: labels.Selqa[id], lang: "en", weight: 2})
	}
	return out, nil
}

// publicTexts reads the questions of a public set by id.
func publicTexts(shared, set string) (map[string]string, error) {
	out := map[string]string{}
	read := func(file string, into any) error {
		data, err := os.ReadFile(filepath.Join(shared, "data", set, file))
		if err != nil {
			return fmt.Errorf("public questions: %w", err)
		}
		data = bytes.ReplaceAll(data, []byte(": NaN"), []byte(": null")) // written so in lecoqa-stard
		if err := json.Unmarshal(data, into); err != nil {
			return fmt.Errorf("%s/%s: %w", set, file, err)
		}
		return nil
	}
	switch set {
	case "lecoqa-stard":
		var rows []map[string]any
		if err := read("train.json", &rows); err != nil {
			return nil, err
		}
		for i, row := range rows {
			out[strconv.Itoa(i)], _ = row["问题"].(string)
		}
	case "conditionalqa":
		var rows []struct{ ID, Question string }
		if err := read("train.json", &rows); err != nil {
			return nil, err
		}
		for _, row := range rows {
			out[row.ID] = row.Question
		}
	default:
		files := []string{"train.json"}
		if set == "cmrc2018" {
			files = []string{"cmrc2018_trial.json", "cmrc2018_dev_part1.json"}
		}
		for _, file := range files {
			var articles struct {
				Data []struct {
					Paragraphs []struct {
						QAs []struct{ ID, Question string }
					}
				}
			}
			if err := read(file, &articles); err != nil {
				return nil, err
			}
			for _, a := range articles.Data {
				for _, par := range a.Paragraphs {
					for _, q := range par.QAs {
						out[q.ID] = q.Question
					}
				}
			}
		}
	}
	return out, nil
}

// train learns on nine of ten questions and calibrates on the tenth.
func train(p *precheck.Precheck, questions []question) (*linear.Model, float64, error) {
	var learn, check []linear.Example
	for _, q := range questions {
		in, err := p.Input(q.text)
		if err != nil {
			return nil, 0, err
		}
		e := linear.Example{Input: in, Class: slices.Index(kb.Classes, q.class), Weight: q.weight}
		if sha256.Sum256([]byte(normal(q.text)))[1]%10 == 0 {
			check = append(check, e)
		} else {
			learn = append(learn, e)
		}
	}
	em, err := embed.Static()
	if err != nil {
		return nil, 0, err
	}
	m, err := linear.Train(linear.Training{Bits: 15, Classes: len(kb.Classes), Dense: 2 * em.Dims(), Epochs: 12, Rate: 0.15, Decay: 2e-5, Seed: 5}, learn)
	if err != nil {
		return nil, 0, err
	}
	return m, m.Calibrate(check), nil
}

// folds is the number of parts of the cross-validation.
const folds = 8

// crossValidate prints the figures on the second list of natural questions, each part
// read by a model that was trained on everything else.
func crossValidate(p *precheck.Precheck, base, natural, second []question) error {
	fold := func(q question) int { return int(sha256.Sum256([]byte(normal(q.text)))[2]) % folds }
	var all []judged
	for f := range folds {
		learn := slices.Clone(base)
		for _, q := range natural {
			if fold(q) != f {
				learn = append(learn, q)
			}
		}
		m, _, err := train(p, learn)
		if err != nil {
			return err
		}
		one, err := precheck.New(precheck.Config{Model: m})
		if err != nil {
			return err
		}
		var part []question
		for _, q := range second {
			if fold(q) == f {
				part = append(part, q)
			}
		}
		judgements, err := judge(one, part)
		if err != nil {
			return err
		}
		all = append(all, judgements...)
	}
	figures(fmt.Sprintf("natural, second list, %d-fold", folds), all)
	confused(all)
	for _, lang := range []string{"zh", "en"} {
		best, loss, before := sharpest(all, lang)
		fmt.Printf("%s: the temperature of the joined scores times %.2f is the likeliest (log loss %.4f, as it is %.4f)\n", lang, best, loss, before)
	}
	return nil
}

// confused prints which classes were taken for which, the most frequent first.
func confused(all []judged) {
	for _, lang := range []string{"zh", "en"} {
		pairs := map[[2]kb.Class]int{}
		for _, q := range all {
			if q.lang == lang && q.got != q.class {
				pairs[[2]kb.Class{q.class, q.got}]++
			}
		}
		order := slices.SortedFunc(maps.Keys(pairs), func(x, y [2]kb.Class) int {
			return cmp.Or(cmp.Compare(pairs[y], pairs[x]), cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]))
		})
		fmt.Printf("%s, taken for another class:", lang)
		for _, c := range order {
			fmt.Printf(" %s for %s %d,", c[0], c[1], pairs[c])
		}
		fmt.Println()
	}
}

// sharpest finds the factor on the temperature of the joined scores under which the
// labels of questions that name something are the likeliest.
func sharpest(all []judged, lang string) (factor, loss, before float64) {
	loss = math.Inf(1)
	for f := 0.4; f < 2.01; f += 0.05 {
		sum, n := 0.0, 0
		for _, q := range all {
			if q.lang != lang || q.class == kb.Vague || q.got == kb.Vague {
				continue
			}
			total, right := 0.0, 0.0
			for _, c := range q.classes {
				p := math.Pow(max(c.Probability, 1e-9), 1/f)
				total += p
				if c.Class == q.class {
					right = p
				}
			}
			sum -= math.Log(right / total)
			n++
		}
		if l := sum / float64(max(n, 1)); l < loss {
			factor, loss = f, l
		}
		if math.Abs(f-1) < 0.01 {
			before = sum / float64(max(n, 1))
		}
	}
	return factor, loss, before
}

const drawsPerTemplate = 14

// naturalWeight is the weight of a natural question beside one drawn from a template.
const naturalWeight = 4

// ownQuestions draws the questions of the templates and adds the odd ones.
func ownQuestions(file string) ([]question, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var own ownFile
	if err := yaml.Unmarshal(data, &own); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	rng := rand.New(rand.NewPCG(11, 13))
	var out []question
	seen := map[string]bool{}
	add := func(s string, c kb.Class, lang string, w float64) {
		if !seen[s] {
			seen[s] = true
			out = append(out, question{text: s, class: c, lang: lang, weight: w})
		}
	}
	for _, class := range kb.Classes {
		for _, lang := range []string{"zh", "en"} {
			for _, t := range own.Templates[class][lang] {
				for range drawsPerTemplate {
					s := t
					for _, name := range []string{"thing", "who", "act", "measure", "place", "event", "other", "year"} {
						for strings.Contains(s, "{"+name+"}") {
							from := lang
							if lang == "zh" && name == "thing" && rng.IntN(12) == 0 {
								from = "en" // mixed questions
							}
							words := own.Fillers[from][name]
							w := words[rng.IntN(len(words))]
							if from != lang {
								w = strings.TrimPrefix(w, "the ")
							}
							s = strings.Replace(s, "{"+name+"}", w, 1)
						}
					}
					switch rng.IntN(8) {
					case 0:
						s = strings.TrimRight(s, "？?。.")
					case 1:
						s = strings.ToLower(s)
					}
					add(s, class, lang, 1)
				}
			}
			for _, s := range own.Odd[class][lang] {
				add(s, class, lang, 3)
			}
		}
	}
	return out, nil
}

// isTest is the split of every model of the project.
func isTest(s string) bool { return sha256.Sum256([]byte(normal(s)))[0]%5 == 0 }

func normal(s string) string {
	return strings.Join(strings.Fields(string(text.Fold([]rune(s)))), " ")
}

var nfClasses = map[string]kb.Class{"COMPARISON": kb.Comparison, "REASON": kb.Cause, "INSTRUCTION": kb.Steps}

// The set's "Definition" holds questions for reasons, methods and differences too,
// so it is no class of ours.
var yscClasses = map[string]kb.Class{"Person": kb.Subject, "Organization": kb.Subject, "Location": kb.Region,
	"Number": kb.Numeric, "Time": kb.Timeliness}

// publicQuestions reads the two labelled sets whose labels have a class here.
func publicQuestions(shared string) (learn, test []question, err error) {
	add := func(q question) {
		if isTest(q.text) {
			test = append(test, q)
		} else {
			learn = append(learn, q)
		}
	}
	f, err := os.Open(filepath.Join(shared, "data", "nf-cats", "train.csv"))
	if err != nil {
		return nil, nil, fmt.Errorf("public questions: %w", err)
	}
	rows, err := csv.NewReader(f).ReadAll()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, nil, fmt.Errorf("nf-cats: %w", err)
	}
	for _, row := range rows[1:] {
		if c, ok := nfClasses[row[1]]; ok && len(row[2]) < 200 {
			add(question{text: row[2], class: c, lang: "en", weight: 1})
		}
	}
	data, err := os.ReadFile(filepath.Join(shared, "data", "ysc-qa-zh", "AllTestQuestions.txt"))
	if err != nil {
		return nil, nil, fmt.Errorf("public questions: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		i := strings.LastIndexByte(line, ':')
		if i < 0 {
			continue
		}
		if c, ok := yscClasses[strings.TrimSpace(line[i+1:])]; ok {
			add(question{text: strings.TrimSpace(line[:i]), class: c, lang: "zh", weight: 0.5})
		}
	}
	return learn, test, nil
}

// heldApart reads questions listed by language and class.
func heldApart(file string) ([]question, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var m map[string]map[kb.Class][]string
	if err := yaml.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var out []question
	for _, lang := range []string{"zh", "en"} {
		for _, c := range kb.Classes {
			for _, s := range m[lang][c] {
				out = append(out, question{text: s, class: c, lang: lang, weight: 1})
			}
		}
	}
	return out, nil
}

// labelled reads questions each with its class, and a second class where two labelling
// passes differ or two classes fit.
func labelled(file string) ([]question, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var m map[string][]struct {
		Q      string
		Class  kb.Class
		Or     kb.Class
		Others []kb.Class
	}
	if err := yaml.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var out []question
	for _, lang := range []string{"zh", "en"} {
		for _, q := range m[lang] {
			out = append(out, question{text: q.Q, class: q.Class, others: append(q.Others, q.Or), lang: lang, weight: 1})
		}
	}
	return out, nil
}

// judged is a question with what was read.
type judged struct {
	question
	got         kb.Class
	probability float64
	classes     []kb.ClassProbability
}

// judge reads the questions. Where several classes are right, the one read counts.
func judge(p *precheck.Precheck, questions []question) ([]judged, error) {
	out := make([]judged, 0, len(questions))
	for _, q := range questions {
		a, err := p.Analyze(context.Background(), kb.Question{Text: q.text})
		if err != nil {
			return nil, fmt.Errorf("%q: %w", q.text, err)
		}
		if slices.Contains(q.others, a.Class) {
			q.class = a.Class
		}
		out = append(out, judged{q, a.Class, a.Probability, a.Classes})
	}
	return out, nil
}

// report prints the figures of one set.
func report(name string, p *precheck.Precheck, questions []question) error {
	all, err := judge(p, questions)
	if err != nil {
		return err
	}
	figures(name, all)
	return nil
}

// figures prints accuracy, macro-F1 and expected calibration error (ten bins) by language.
func figures(name string, all []judged) {
	for _, lang := range []string{"zh", "en"} {
		var right, n int
		tp, fp, fn := map[kb.Class]int{}, map[kb.Class]int{}, map[kb.Class]int{}
		var conf, hit [10]float64
		for _, q := range all {
			if q.lang != lang {
				continue
			}
			n++
			bin := min(9, int(q.probability*10))
			conf[bin] += q.probability
			if q.got == q.class {
				right++
				hit[bin]++
				tp[q.class]++
			} else {
				fp[q.got]++
				fn[q.class]++
			}
		}
		if n == 0 {
			continue
		}
		f1, classes := 0.0, 0
		for _, c := range kb.Classes {
			if tp[c]+fn[c] == 0 {
				continue
			}
			classes++
			f1 += 2 * float64(tp[c]) / float64(2*tp[c]+fp[c]+fn[c])
		}
		ece := 0.0
		for b := range conf {
			ece += math.Abs(conf[b] - hit[b])
		}
		fmt.Printf("%s, %s: %d questions, accuracy %.3f, macro-F1 %.3f over %d classes, ECE %.3f\n",
			name, lang, n, float64(right)/float64(n), f1/float64(classes), classes, ece/float64(n))
	}
}

package evaluate

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"time"

	"suffice.dev/suffice/evaluate/perturb"
	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
)

// ClaimExample is an answer with the texts that it must be true to.
type ClaimExample struct {
	Source    string // data set
	Kind      string // what is known of the answer: gold, hallucinated, the edit of a perturbation, ...
	Language  string // zh, en
	Group     string // its document: examples of one group stay on one side of a split
	Question  string // "" unknown
	Answer    string
	Passages  []kb.Passage
	Supported bool
	Contrary  bool // not supported because it says otherwise, not because nothing is said
	Silent    bool // not supported because nothing is said; neither of the two where the set does not tell
	Test      bool // no trainer reads it
}

// AsOf is the day that all measured claims are checked on.
func (e *ClaimExample) AsOf() time.Time { return asOf }

// ClaimSources are the sets of ClaimSets. Those of measuredOnly are never trained on.
var ClaimSources = []string{"halueval", "begin", "expertqa", "uhgeval", "fever", "wice", "contract-nli", "summedits", "gaokao", "perturbed-en", "perturbed-zh"}

var measuredOnly = []string{"halueval", "begin", "expertqa", "uhgeval"}

// ClaimSets builds answers with a known verdict from public sets:
//
//   - halueval: the right answer and a hallucinated one, with the question;
//   - begin: responses fully attributable to the knowledge, or not;
//   - expertqa: claims with complete support in their evidence, or with incomplete or
//     partial support;
//   - uhgeval: the real continuation of a news text and a hallucinated one, against
//     the whole text;
//   - fever, wice, contract-nli, summedits, gaokao (Chinese): claims with their
//     evidence; of contract-nli the spans with their neighbours;
//   - perturbed: sentences of squad2 and cmrc2018-train as they stand, with one
//     thing changed (perturb.Of), and taken out of the passage (left-out).
//
// limit bounds the examples of each set, in a fixed pseudo-random order; 0 = all. Sets
// that are not there are left out; ErrNoData when none is.
func ClaimSets(shared string, limit int, sources []string) ([]ClaimExample, error) {
	if len(sources) == 0 {
		sources = ClaimSources
	}
	load := map[string]func(string) ([]ClaimExample, error){
		"halueval": haluevalClaims, "begin": beginClaims, "expertqa": expertqaClaims, "uhgeval": uhgevalClaims, "fever": feverClaims,
		"wice": wiceClaims, "contract-nli": contractClaims, "summedits": summeditsClaims, "gaokao": gaokaoClaims,
		"perturbed-en": func(s string) ([]ClaimExample, error) { return perturbedClaims(s, "squad2", "en") },
		"perturbed-zh": func(s string) ([]ClaimExample, error) { return perturbedClaims(s, "cmrc2018-train", "zh") },
	}
	var out []ClaimExample
	for _, name := range sources {
		get, ok := load[name]
		if !ok {
			return nil, fmt.Errorf("set %q is not one of %v", name, ClaimSources)
		}
		got, err := get(shared)
		if errors.Is(err, ErrNoData) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		order := func(e ClaimExample) uint32 { return hash32(e.Group + "\x00" + e.Answer) }
		sort.SliceStable(got, func(a, b int) bool { return order(got[a]) < order(got[b]) })
		if limit > 0 && len(got) > limit {
			got = got[:limit]
		}
		for i := range got {
			got[i].Source = name
			if slices.Contains(measuredOnly, name) {
				got[i].Test = true
			}
		}
		out = append(out, got...)
	}
	if len(out) == 0 {
		return nil, ErrNoData
	}
	return out, nil
}

// linesOf reads a value a line.
func linesOf[T any](data []byte) ([]T, error) {
	var out []T
	d := json.NewDecoder(bytes.NewReader(data))
	for {
		var v T
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
}

func haluevalClaims(shared string) ([]ClaimExample, error) {
	data, err := open(shared, "halueval", "qa_one-turn_data.jsonl")
	if err != nil {
		return nil, err
	}
	rows, err := linesOf[struct {
		Knowledge, Question string
		Right               string `json:"right_answer"`
		Wrong               string `json:"hallucinated_answer"`
	}](data)
	if err != nil {
		return nil, err
	}
	var out []ClaimExample
	for _, r := range rows {
		base := ClaimExample{Language: "en", Group: r.Knowledge, Question: r.Question, Passages: []kb.Passage{passage("p1", r.Knowledge)}}
		right, wrong := base, base
		right.Answer, right.Kind, right.Supported = r.Right, "right", true
		wrong.Answer, wrong.Kind = r.Wrong, "hallucinated"
		out = append(out, right, wrong)
	}
	return out, nil
}

func beginClaims(shared string) ([]ClaimExample, error) {
	data, err := open(shared, "begin", "begin_dev_wow.tsv")
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	var out []ClaimExample
	for _, row := range rows[1:] {
		if len(row) < 6 {
			continue
		}
		e := ClaimExample{Language: "en", Group: row[2], Answer: row[4], Passages: []kb.Passage{passage("p1", row[2])}, Kind: row[0]}
		switch row[5] {
		case "Fully attributable":
			e.Supported = true
		case "Not fully attributable":
		default:
			continue // generic replies state nothing
		}
		out = append(out, e)
	}
	return out, nil
}

func expertqaClaims(shared string) ([]ClaimExample, error) {
	data, err := open(shared, "expertqa", "rand_val.jsonl")
	if err != nil {
		return nil, err
	}
	rows, err := linesOf[struct {
		Question string
		Answers  map[string]struct {
			Claims []struct {
				Claim    string `json:"claim_string"`
				Evidence []string
				Support  *string
			}
		}
	}](data)
	if err != nil {
		return nil, err
	}
	var out []ClaimExample
	for _, r := range rows {
		names := make([]string, 0, len(r.Answers))
		for n := range r.Answers {
			names = append(names, n)
		}
		sort.Strings(names)
		for _, n := range names {
			for _, c := range r.Answers[n].Claims {
				if c.Support == nil || len(c.Evidence) == 0 {
					continue
				}
				e := ClaimExample{Language: "en", Group: r.Question, Kind: *c.Support, Supported: *c.Support == "Complete"}
				if !e.Supported && *c.Support != "Partial" && *c.Support != "Incomplete" {
					continue
				}
				for i, ev := range c.Evidence {
					if _, body, ok := strings.Cut(ev, "\n\n"); ok { // a mark and an address stand before it
						ev = body
					}
					if strings.TrimSpace(ev) != "" {
						e.Passages = append(e.Passages, passage(fmt.Sprintf("p%d", i+1), ev))
					}
				}
				if e.Answer = unmarked(c.Claim); len(e.Passages) > 0 && e.Answer != "" {
					out = append(out, e)
				}
			}
		}
	}
	return out, nil
}

// unmarked drops marks such as [3]: they name sources of the whole answer, which are
// not those given.
func unmarked(s string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "[")
		b.WriteString(before)
		if !ok {
			return strings.TrimSpace(b.String())
		}
		inside, after, closed := strings.Cut(rest, "]")
		if !closed || strings.Trim(inside, "0123456789, ") != "" {
			b.WriteString("[")
			s = rest
			continue
		}
		s = after
	}
}

func uhgevalClaims(shared string) ([]ClaimExample, error) {
	data, err := open(shared, "uhgeval", "uhgeval_first300.jsonl")
	if err != nil {
		return nil, err
	}
	rows, err := linesOf[struct {
		ID                                               string
		Headline                                         string `json:"headLine"`
		NewsBeginning, NewsRemainder                     string
		HallucinatedContinuation, RealContinuation, Type string
	}](data)
	if err != nil {
		return nil, err
	}
	var out []ClaimExample
	for _, r := range rows {
		base := ClaimExample{Language: "zh", Group: r.ID, Passages: []kb.Passage{{ID: "p1", Title: r.Headline, Text: strings.TrimSpace(r.NewsBeginning + r.NewsRemainder)}}}
		real, invented := base, base
		real.Answer, real.Kind, real.Supported = strings.TrimSpace(r.RealContinuation), "real", true
		invented.Answer, invented.Kind = strings.TrimSpace(r.HallucinatedContinuation), r.Type
		out = append(out, real, invented)
	}
	return out, nil
}

// untokenized puts text that was cut into words together again.
func untokenized(s string) string {
	s = strings.NewReplacer("-LRB-", "(", "-RRB-", ")", "-LSB-", "[", "-RSB-", "]", "``", `"`, "''", `"`).Replace(s)
	for _, p := range []string{",", ".", ";", ":", "?", "!", "'s", "%", ")", "n't"} {
		s = strings.ReplaceAll(s, " "+p, p)
	}
	return strings.ReplaceAll(s, "( ", "(")
}

func feverClaims(shared string) ([]ClaimExample, error) {
	var out []ClaimExample
	add := func(claim, evidence string, supported bool, kind string) {
		claim, evidence = untokenized(claim), untokenized(evidence)
		out = append(out, ClaimExample{Language: "en", Group: evidence, Kind: kind, Answer: claim, Supported: supported, Contrary: !supported, Test: IsTest(evidence),
			Passages: []kb.Passage{passage("p1", evidence)}})
	}
	for _, name := range []string{"fever_symmetric_dev.filtered.jsonl", "fever_symmetric_test.filtered.jsonl"} {
		data, err := open(shared, "fever", name)
		if err != nil {
			return nil, err
		}
		rows, err := linesOf[struct{ Claim, Evidence, Label string }](data)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			add(r.Claim, r.Evidence, r.Label == "SUPPORTS", "symmetric")
		}
	}
	var parts [3][]string
	for i, name := range []string{"input0", "input1", "label"} {
		file := "rte_fever_dev.filtered.raw." + name
		if name == "label" {
			file = "rte_fever_dev.filtered.label"
		}
		data, err := open(shared, "fever", file)
		if err != nil {
			return nil, err
		}
		parts[i] = strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	}
	for i := range parts[2] {
		if i < len(parts[0]) && i < len(parts[1]) && len(parts[0][i]) < 3000 {
			add(parts[1][i], parts[0][i], parts[2][i] == "entailment", "rte")
		}
	}
	return append(out, unstated(out)...), nil
}

// unstated pairs claims with the evidence of another claim that begins alike, so that
// the text speaks of the same thing and, most likely, does not state the claim.
func unstated(claims []ClaimExample) []ClaimExample {
	begins := func(s string) string {
		words := strings.Fields(s)
		return strings.Join(words[:min(2, len(words))], " ")
	}
	last := map[string]*ClaimExample{}
	var out []ClaimExample
	for i := range claims {
		c := &claims[i]
		key := begins(c.Answer)
		if o := last[key]; o != nil && o.Answer != c.Answer && o.Test == c.Test && o.Group != c.Group && overlap(c.Answer, o.Passages) < min(0.75, overlap(c.Answer, c.Passages)) {
			out = append(out, ClaimExample{Language: "en", Group: o.Group, Kind: "unstated", Answer: c.Answer, Test: c.Test, Passages: o.Passages})
		}
		last[key] = c
	}
	return out
}

func wiceClaims(shared string) ([]ClaimExample, error) {
	var out []ClaimExample
	for _, name := range []string{"oracle_chunks_claim_dev.filtered.jsonl", "oracle_chunks_claim_test.filtered.jsonl"} {
		data, err := open(shared, "wice", name)
		if err != nil {
			return nil, err
		}
		rows, err := linesOf[struct {
			Label, Claim string
			Evidence     []string
		}](data)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			body := strings.Join(r.Evidence, " ")
			// Several chunks stand for one claim: the claim keeps them on one side.
			out = append(out, ClaimExample{Language: "en", Group: r.Claim, Kind: r.Label, Answer: r.Claim, Supported: r.Label == "supported",
				Test: IsTest(r.Claim), Passages: []kb.Passage{passage("p1", body)}})
		}
	}
	return out, nil
}

func contractClaims(shared string) ([]ClaimExample, error) {
	var out []ClaimExample
	for _, name := range []string{"dev.json", "test.json"} {
		data, err := open(shared, "contract-nli", name)
		if err != nil {
			return nil, err
		}
		var file struct {
			Documents []struct {
				Text        string
				Spans       [][2]int
				Annotations []struct {
					Annotations map[string]struct {
						Choice string
						Spans  []int
					}
				} `json:"annotation_sets"`
			}
			Labels map[string]struct{ Hypothesis string }
		}
		if err := json.Unmarshal(data, &file); err != nil {
			return nil, err
		}
		for _, d := range file.Documents {
			test, runes := IsTest(d.Text), []rune(d.Text)
			for _, set := range d.Annotations {
				names := make([]string, 0, len(set.Annotations))
				for n := range set.Annotations {
					names = append(names, n)
				}
				sort.Strings(names)
				for _, n := range names {
					a := set.Annotations[n]
					e := ClaimExample{Language: "en", Group: d.Text[:min(200, len(d.Text))], Kind: a.Choice, Answer: file.Labels[n].Hypothesis,
						Supported: a.Choice == "Entailment", Contrary: a.Choice == "Contradiction", Test: test}
					spans := a.Spans
					if len(spans) == 0 && len(d.Spans) > 0 { // not mentioned: any other part of the contract
						spans = []int{int(hash32(n+e.Group)) % len(d.Spans)}
					}
					for i, s := range spans {
						if i > 2 || s >= len(d.Spans) {
							break
						}
						lo, hi := d.Spans[max(0, s-1)][0], d.Spans[min(len(d.Spans)-1, s+1)][1]
						if hi <= len(runes) && lo < hi {
							e.Passages = append(e.Passages, passage(fmt.Sprintf("p%d", i+1), string(runes[lo:hi])))
						}
					}
					if len(e.Passages) > 0 && e.Answer != "" {
						out = append(out, e)
					}
				}
			}
		}
	}
	return out, nil
}

func summeditsClaims(shared string) ([]ClaimExample, error) {
	var out []ClaimExample
	for _, name := range []string{"summedits_sales_call.json", "summedits_sales_email.json", "summedits_scitldr.json"} {
		data, err := open(shared, "summedits", name)
		if err != nil {
			return nil, err
		}
		var rows []struct {
			Doc, Summary string
			Label        int
		}
		if err := json.Unmarshal(data, &rows); err != nil {
			return nil, err
		}
		for _, r := range rows {
			out = append(out, ClaimExample{Language: "en", Group: r.Doc[:min(200, len(r.Doc))], Kind: strings.TrimSuffix(strings.TrimPrefix(name, "summedits_"), ".json"), Answer: r.Summary,
				Supported: r.Label == 1, Contrary: r.Label != 1, Test: IsTest(r.Doc), Passages: []kb.Passage{passage("p1", r.Doc)}})
		}
	}
	return out, nil
}

func gaokaoClaims(shared string) ([]ClaimExample, error) {
	data, err := open(shared, "gaokao", "agieval", "gaokao-chinese.jsonl")
	if err != nil {
		return nil, err
	}
	rows, err := linesOf[struct {
		Passage, Question string
		Options           []string
		Label             *string
	}](data)
	if err != nil {
		return nil, err
	}
	has := func(s string, words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
	}
	var out []ClaimExample
	for _, r := range rows {
		if r.Label == nil || len([]rune(r.Passage)) < 200 || !has(r.Question, "原文", "文章", "材料", "文意", "作者") {
			continue
		}
		wrong := has(r.Question, "不正确", "不符合", "不准确", "不恰当", "有误", "错误", "不属于", "不能")
		if !wrong && !has(r.Question, "正确", "符合") {
			continue
		}
		for _, o := range r.Options {
			letter, claim, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(o), "("), ")")
			if !ok || len([]rune(claim)) < 12 {
				continue
			}
			marked := strings.TrimSpace(letter) == strings.TrimSpace(*r.Label)
			out = append(out, ClaimExample{Language: "zh", Group: r.Passage[:min(300, len(r.Passage))], Kind: "option", Answer: claim,
				Supported: marked != wrong, Test: IsTest(r.Passage), Passages: []kb.Passage{passage("p1", r.Passage)}})
		}
	}
	return out, nil
}

// perturbedClaims makes claims out of the paragraphs of a question set.
func perturbedClaims(shared, set, language string) ([]ClaimExample, error) {
	paragraphs, err := Squad(shared, set)
	if err != nil {
		return nil, err
	}
	engine := fact.New(fact.Config{})
	var names []string
	var out []ClaimExample
	for i, p := range paragraphs {
		if set == "cmrc2018-train" && i%4 != 0 { // a quarter of them is plenty
			continue
		}
		test := IsTest(p.Text)
		page := engine.Read(fact.Source{Text: p.Text})
		for _, c := range perturb.Of(page, names) {
			e := ClaimExample{Language: language, Group: p.ID, Kind: string(c.Edit), Answer: c.Text, Supported: c.Edit == perturb.None, Contrary: c.Edit != perturb.None, Test: test,
				Passages: []kb.Passage{passage("p1", p.Text)}}
			out = append(out, e)
			if c.Edit == perturb.None && hash32(c.Text)%3 == 0 {
				if rest := strings.TrimSpace(strings.Replace(p.Text, c.Text, "", 1)); len([]rune(rest)) > 40 {
					e.Kind, e.Supported, e.Passages = "left-out", false, []kb.Passage{passage("p1", rest)}
					out = append(out, e)
				}
			}
		}
		names = perturb.Names(page.Runes)
	}
	return out, nil
}

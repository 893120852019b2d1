package evaluate

import (
	"cmp"
	"errors"
	"hash/fnv"
	"slices"
	"sort"
	"strings"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/text"
)

// SufficiencyExample is a question with passages and whether they hold its answer.
type SufficiencyExample struct {
	Source     string // data set: squad2, cmrc2018, ...
	Kind       string // gold; or why it does not suffice: impossible, near, cut, ...
	Language   string // zh, en
	Group      string // the gold document: examples of one group stay on one side of a split
	Question   string
	AsOf       time.Time // the day it is asked; zero = the day all measured questions are asked on
	Passages   []kb.Passage
	Sufficient bool
	Test       bool // no trainer reads it
}

// Set is the data set with the kind, such as squad2/impossible.
func (e SufficiencyExample) Set() string { return e.Source + "/" + e.Kind }

// Tuning reports whether the trees are not fitted on the example, but calibrated, and
// thresholds chosen: one train document in six.
func (e SufficiencyExample) Tuning() bool { return !e.Test && hash32(e.Group)>>4%6 == 0 }

// Sampled takes at most so many examples of each source, in a fixed pseudo-random order.
func Sampled(examples []SufficiencyExample, most int) []SufficiencyExample {
	order := slices.Clone(examples)
	slices.SortStableFunc(order, func(a, b SufficiencyExample) int {
		return cmp.Compare(hash32(a.Question+a.Kind), hash32(b.Question+b.Kind))
	})
	taken := map[string]int{}
	return slices.DeleteFunc(order, func(e SufficiencyExample) bool {
		taken[e.Source]++
		return taken[e.Source] > most
	})
}

// SufficiencySources are the data sets that SufficiencySets builds examples from.
var SufficiencySources = []string{"squad2", "cmrc2018", "cmrc2018-train", "selqa", "ysc-qa-zh", "tatqa", "aitqa", "conditionalqa", "hotpotqa", "ramdocs"}

// SufficiencySets builds labelled examples from public sets in both languages:
//
//   - squad2, cmrc2018, cmrc2018-train: the gold paragraph (gold, sufficient); people's
//     own near misses (impossible); the nearest other paragraph by shared terms (near);
//     the gold paragraph without the sentences of the answer (cut);
//   - selqa: the section asked about, with and without the sentences that answer;
//   - ysc-qa-zh: search hits that hold the answer string, or do not (weak labels);
//   - tatqa, aitqa: a table, and the same table with the cell emptied (cell) or its
//     row taken out (row), or the question asked of another year (year);
//   - conditionalqa: the lines of a page that answer among others of it (gold), the
//     others (cut), another page (near), what a page does not answer (impossible);
//   - hotpotqa: both paragraphs that are needed, or one of them (support); ramdocs:
//     documents with the right answer, without it (noise), or with a wrong one beside
//     it (conflict). These two are test only.
//
// Of the paragraphs of questions and answers there are also those whose year is exchanged
// in the question (year), and those that stand beside a copy of themselves, with another
// number (conflict) or the same one (repeated, sufficient).
//
// Examples of one question share their distractors, and their number varies from
// question to question, so that neither the number of passages nor their length
// tells the label. No passage of the test side stands in a train example. limit
// bounds the questions taken of each set, in a fixed pseudo-random order; 0 = all.
// Sets that are not there are left out; ErrNoData when none is.
func SufficiencySets(shared string, limit int) ([]SufficiencyExample, error) {
	var out []SufficiencyExample
	for _, name := range SufficiencySources {
		var got []SufficiencyExample
		var err error
		switch name {
		case "selqa":
			got, err = selqaSufficiency(shared, limit)
		case "ysc-qa-zh":
			got, err = snippetSufficiency(shared, limit)
		case "tatqa":
			got, err = tatqaSufficiency(shared, limit)
		case "aitqa":
			got, err = aitqaSufficiency(shared, limit)
		case "conditionalqa":
			got, err = conditionalSufficiency(shared, limit)
		case "hotpotqa":
			got, err = hotpotSufficiency(shared, limit)
		case "ramdocs":
			got, err = ramSufficiency(shared, limit)
		default:
			got, err = squadSufficiency(shared, name, limit)
		}
		if errors.Is(err, ErrNoData) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, got...)
	}
	if len(out) == 0 {
		return nil, ErrNoData
	}
	return out, nil
}

// textUnit is a document that questions are asked about.
type textUnit struct {
	id, text string
	test     bool
}

// pool finds distractors among the documents of one side of the split.
type pool struct{ sides [2]*nearest }

func newPool(units []textUnit) *pool {
	var sides [2][]textUnit
	for _, u := range units {
		sides[side(u.test)] = append(sides[side(u.test)], u)
	}
	return &pool{[2]*nearest{newNearest(sides[0]), newNearest(sides[1])}}
}

func side(test bool) int {
	if test {
		return 1
	}
	return 0
}

func passage(id, text string) kb.Passage { return kb.Passage{ID: id, Text: text} }

// distractors is how many passages stand beside the one that matters, 0..3.
func distractors(order uint32) int { return [8]int{0, 1, 1, 2, 2, 2, 3, 3}[order>>8%8] }

func squadSufficiency(shared, name string, limit int) ([]SufficiencyExample, error) {
	paragraphs, err := Squad(shared, name)
	if err != nil {
		return nil, err
	}
	type located struct {
		unit     textUnit
		question LabelledQuestion
		order    uint32
	}
	var units []textUnit
	var questions []located
	seen := map[string]bool{}
	for _, p := range paragraphs {
		u := textUnit{p.ID, p.Text, IsTest(p.Text)}
		if !seen[p.Text] {
			seen[p.Text] = true
			units = append(units, u)
		}
		for _, q := range p.Questions {
			if strings.TrimSpace(q.Text) != "" {
				questions = append(questions, located{u, q, hash32(q.ID + q.Text)})
			}
		}
	}
	sort.SliceStable(questions, func(a, b int) bool { return questions[a].order < questions[b].order })
	if limit > 0 && len(questions) > limit {
		questions = questions[:limit]
	}
	find := newPool(units)
	language := "zh"
	if name == "squad2" {
		language = "en"
	}
	var out []SufficiencyExample
	for _, l := range questions {
		base := SufficiencyExample{Source: name, Language: language, Group: l.unit.id, Question: l.question.Text, Test: l.unit.test}
		beside := find.sides[side(l.unit.test)].of(l.unit.text, l.question.Text, 4)
		put := func(kind string, sufficient bool, first textUnit, rest []textUnit) {
			e := base
			e.Kind, e.Sufficient = kind, sufficient
			e.Passages = arrange(first, rest, l.order)
			out = append(out, e)
		}
		n := min(distractors(l.order), len(beside))
		switch {
		case l.question.Impossible:
			put("impossible", false, l.unit, beside[:n])
		case l.question.Answer != "":
			put("gold", true, l.unit, beside[:n])
			if other, ok := otherYear(l.question.Text, arrange(l.unit, beside[:n], l.order)); ok {
				put("year", false, l.unit, beside[:n])
				out[len(out)-1].Question = other
			}
			// A copy whose own text falls on the test side is no train text.
			if copied, ok := contradicting(l.unit.text, l.question.Answer, l.order); ok && (l.unit.test || !IsTest(copied)) {
				twin := textUnit{l.unit.id + "-copy", copied, l.unit.test}
				kind, sufficient := "conflict", false
				if l.order>>12%2 == 0 {
					twin.text, kind, sufficient = l.unit.text, "repeated", true
				}
				put(kind, sufficient, l.unit, append([]textUnit{twin}, beside[:min(n, 1)]...))
			}
			// squad2 has its own near misses: half of its questions get no other.
			switch kind := l.order >> 4 % 4; {
			case kind == 0 || kind == 1 && name != "squad2":
				if len(beside) > n {
					put("near", false, beside[n], beside[:n])
				}
			case kind == 2 || kind == 3 && name != "squad2":
				if cut, ok := without(l.unit.text, l.question.Answer, l.question.Start); ok {
					put("cut", false, textUnit{l.unit.id + "-cut", cut, l.unit.test}, beside[:n])
				}
			}
		}
	}
	return out, nil
}

// arrange puts the passage that matters among its distractors, at a place that the
// question's hash decides.
func arrange(first textUnit, rest []textUnit, order uint32) []kb.Passage {
	at := int(order>>16) % (len(rest) + 1)
	out := make([]kb.Passage, 0, len(rest)+1)
	for i, u := range rest {
		if i == at {
			out = append(out, passage(first.id, first.text))
		}
		out = append(out, passage(u.id, u.text))
	}
	if at == len(rest) {
		out = append(out, passage(first.id, first.text))
	}
	return out
}

// without is a text without the sentences that hold the answer; false if nothing is
// left. start is the answer's place in code points; -1 unknown.
func without(passage, answer string, start int) (string, bool) {
	runes := []rune(passage)
	n := len([]rune(answer))
	if start < 0 || start+n > len(runes) || string(runes[start:start+n]) != answer {
		i := strings.Index(passage, answer)
		if i < 0 {
			return "", false
		}
		start = len([]rune(passage[:i]))
	}
	span := text.Span{Start: start, End: start + n}
	var kept strings.Builder
	from := 0 // what stands between sentences goes with the one after it
	any := false
	for _, s := range text.Sentences(runes) {
		if !s.Overlaps(span) && !strings.Contains(string(runes[s.Start:s.End]), answer) {
			kept.WriteString(string(runes[from:s.End]))
			any = true
		}
		from = s.End
	}
	return strings.TrimSpace(kept.String()), any
}

func hash32(s string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s)) // never fails
	return h.Sum32()
}

// nearest finds the documents most like a question.
type nearest struct {
	units    []textUnit
	postings map[string][]int
}

func newNearest(units []textUnit) *nearest {
	n := &nearest{units: units, postings: map[string][]int{}}
	for i, u := range units {
		seen := map[string]bool{}
		for _, t := range text.Terms(text.Fold([]rune(u.text))) {
			if !seen[t.Text] {
				seen[t.Text] = true
				n.postings[t.Text] = append(n.postings[t.Text], i)
			}
		}
	}
	return n
}

// of returns up to k documents with another text than not that share most with the
// query, by the sum of 1/df over shared terms; ties by position.
func (n *nearest) of(not, query string, k int) []textUnit {
	score := map[int]float64{}
	for _, t := range text.Terms(text.Fold([]rune(query))) {
		list := n.postings[t.Text]
		for _, i := range list {
			score[i] += 1 / float64(len(list))
		}
	}
	found := make([]int, 0, len(score))
	for i := range score {
		if n.units[i].text != not {
			found = append(found, i)
		}
	}
	sort.Slice(found, func(a, b int) bool {
		x, y := found[a], found[b]
		return score[x] > score[y] || score[x] == score[y] && x < y
	})
	out := make([]textUnit, 0, k)
	for _, i := range found[:min(k, len(found))] {
		out = append(out, n.units[i])
	}
	return out
}

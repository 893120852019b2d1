package evaluate

import (
	"hash/fnv"
	"sort"
	"strings"

	"suffice.dev/suffice/text"
)

// SufficiencyExample is a question with passages and whether they hold its answer.
type SufficiencyExample struct {
	Set        string // data set and kind: squad2/impossible, cmrc2018/cut, ...
	Language   string
	Group      string // the gold paragraph: examples of one group stay on one side of a split
	Question   string
	Passages   []Paragraph
	Sufficient bool
	Test       bool
}

// SufficiencySets builds labelled examples from squad2, cmrc2018 and cmrc2018-train:
// the gold paragraph (sufficient); people's own near misses (squad2 is_impossible);
// the nearest other paragraph by shared character pairs and words; the gold paragraph
// without the sentence of the answer. Every example carries the same distractor, so
// that the number of passages says nothing. limit bounds the questions taken of each
// set, in a fixed pseudo-random order; 0 = all.
func SufficiencySets(shared string, limit int) ([]SufficiencyExample, error) {
	var out []SufficiencyExample
	for _, set := range []struct{ name, language string }{{"squad2", "en"}, {"cmrc2018", "zh"}, {"cmrc2018-train", "zh"}} {
		paragraphs, err := Squad(shared, set.name)
		if err != nil {
			return nil, err
		}
		out = append(out, sufficiency(set.name, set.language, paragraphs, limit)...)
	}
	return out, nil
}

type located struct {
	paragraph int
	question  LabelledQuestion
	order     uint32
}

func sufficiency(name, language string, paragraphs []Paragraph, limit int) []SufficiencyExample {
	index := newNearest(paragraphs)
	var questions []located
	for i, p := range paragraphs {
		for _, q := range p.Questions {
			questions = append(questions, located{i, q, hash32(q.ID + q.Text)})
		}
	}
	sort.Slice(questions, func(a, b int) bool { return questions[a].order < questions[b].order })
	if limit > 0 && len(questions) > limit {
		questions = questions[:limit]
	}
	var out []SufficiencyExample
	for _, l := range questions {
		gold := paragraphs[l.paragraph]
		near := index.of(l.paragraph, l.question.Text)
		base := SufficiencyExample{Language: language, Group: gold.ID, Question: l.question.Text, Test: IsTest(gold.Text)}
		put := func(kind string, ok bool, passages ...Paragraph) {
			e := base
			e.Set, e.Sufficient, e.Passages = name+"/"+kind, ok, passages
			out = append(out, e)
		}
		switch {
		case l.question.Impossible:
			put("impossible", false, gold, near)
		case l.question.Answer != "":
			put("gold", true, gold, near)
			if l.order%2 == 0 {
				put("near", false, near, index.of(l.paragraph, near.Text))
			} else if cut, ok := without(gold, l.question); ok {
				put("cut", false, cut, near)
			}
		}
	}
	return out
}

// without is the paragraph without the sentences that hold the answer; false if
// nothing is left.
func without(p Paragraph, q LabelledQuestion) (Paragraph, bool) {
	runes := []rune(p.Text)
	answer := []rune(q.Answer)
	if q.Start < 0 || q.Start+len(answer) > len(runes) || string(runes[q.Start:q.Start+len(answer)]) != q.Answer {
		i := strings.Index(p.Text, q.Answer)
		if i < 0 {
			return p, false
		}
		q.Start = len([]rune(p.Text[:i]))
	}
	span := text.Span{Start: q.Start, End: q.Start + len(answer)}
	var kept []string
	for _, s := range text.Sentences(runes) {
		if s.Overlaps(span) || strings.Contains(string(runes[s.Start:s.End]), q.Answer) {
			continue
		}
		kept = append(kept, string(runes[s.Start:s.End]))
	}
	if len(kept) == 0 {
		return p, false
	}
	out := p
	out.ID += "-cut"
	out.Text = strings.Join(kept, " ")
	return out, true
}

func hash32(s string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s)) // never fails
	return h.Sum32()
}

// nearest finds the paragraph most like a question among the others.
type nearest struct {
	paragraphs []Paragraph
	postings   map[string][]int
}

func newNearest(paragraphs []Paragraph) *nearest {
	n := &nearest{paragraphs: paragraphs, postings: map[string][]int{}}
	for i, p := range paragraphs {
		seen := map[string]bool{}
		for _, t := range text.Terms(text.Fold([]rune(p.Text))) {
			if !seen[t.Text] {
				seen[t.Text] = true
				n.postings[t.Text] = append(n.postings[t.Text], i)
			}
		}
	}
	return n
}

// of returns the paragraph other than not that shares most with the query, by the
// sum of 1/df over shared terms; ties by position.
func (n *nearest) of(not int, query string) Paragraph {
	score := map[int]float64{}
	for _, t := range text.Terms(text.Fold([]rune(query))) {
		list := n.postings[t.Text]
		for _, i := range list {
			if i != not {
				score[i] += 1 / float64(len(list))
			}
		}
	}
	best, bestScore := -1, 0.0
	for i, s := range score {
		if n.paragraphs[i].Text == n.paragraphs[not].Text {
			continue
		}
		if s > bestScore || s == bestScore && (best < 0 || i < best) {
			best, bestScore = i, s
		}
	}
	if best < 0 {
		best = (not + 1) % len(n.paragraphs)
	}
	return n.paragraphs[best]
}

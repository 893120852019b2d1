package evaluate

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"suffice.dev/suffice/kb"
)

// conditionalSufficiency: what people marked as evidence of a question among other lines
// of its page (gold), the other lines alone (cut), the lines of another page (near), and
// questions that people found their page not to answer (impossible). The pages themselves
// are not at hand: a page is the lines that any question of it rests on.
func conditionalSufficiency(shared string, limit int) ([]SufficiencyExample, error) {
	data, err := open(shared, "conditionalqa", "train.json")
	if err != nil {
		return nil, err
	}
	var items []struct {
		URL, Question string
		Impossible    bool `json:"not_answerable"`
		Evidences     []string
	}
	if err := json.Unmarshal(data, &items); err != nil {
		return nil, fmt.Errorf("read conditionalqa: %w", err)
	}
	pages := map[string][]string{}
	for _, it := range items {
		for _, e := range it.Evidences {
			if line := htmlLine(e); line != "" && !slices.Contains(pages[it.URL], line) {
				pages[it.URL] = append(pages[it.URL], line)
			}
		}
	}
	var units []textUnit
	for url, lines := range pages {
		whole := strings.Join(lines, "\n")
		units = append(units, textUnit{url, whole, IsTest(whole)})
	}
	sort.Slice(units, func(a, b int) bool { return units[a].id < units[b].id })
	find := newPool(units)
	sort.SliceStable(items, func(a, b int) bool { return hash32(items[a].Question) < hash32(items[b].Question) })
	if limit > 0 && len(items) > limit {
		items = items[:limit]
	}
	var out []SufficiencyExample
	for _, it := range items {
		order := hash32(it.URL + it.Question)
		lines := pages[it.URL]
		whole := strings.Join(lines, "\n")
		base := SufficiencyExample{Source: "conditionalqa", Language: "en", Group: it.URL, Question: it.Question, Test: IsTest(whole)}
		put := func(kind string, sufficient bool, url string, lines []string) {
			e := base
			e.Kind, e.Sufficient = kind, sufficient
			title := strings.ReplaceAll(url[strings.LastIndex(url, "/")+1:], "-", " ")
			e.Passages = []kb.Passage{{ID: url, Title: title, Text: strings.Join(lines, "\n")}}
			if !e.Test && IsTest(e.Passages[0].Text) {
				return // a part of a train page whose own text falls on the test side
			}
			out = append(out, e)
		}
		var own []string
		for _, e := range it.Evidences {
			own = append(own, htmlLine(e))
		}
		var rest []string
		for _, l := range lines {
			if !slices.Contains(own, l) {
				rest = append(rest, l)
			}
		}
		const most = 8 // lines of a passage
		switch {
		case it.Impossible && len(lines) > 1:
			put("impossible", false, it.URL, lines[:min(most, len(lines))])
		case it.Impossible || len(own) == 0:
		default:
			beside := rest[:max(0, min(len(rest), most-len(own)))]
			var gold []string // in the order of the page
			for _, l := range lines {
				if slices.Contains(own, l) || slices.Contains(beside, l) {
					gold = append(gold, l)
				}
			}
			put("gold", true, it.URL, gold)
			if other := find.sides[side(base.Test)].of(whole, it.Question, 1); order%2 == 0 && len(other) > 0 {
				of := pages[other[0].id]
				put("near", false, other[0].id, of[:min(len(gold), len(of))])
			} else if len(rest) >= 2 {
				put("cut", false, it.URL, rest[:min(len(rest), len(gold))])
			}
		}
	}
	return out, nil
}

var htmlTag = regexp.MustCompile(`<[^>]*>`)

func htmlLine(s string) string {
	line := strings.TrimSpace(htmlTag.ReplaceAllString(s, ""))
	if strings.HasPrefix(s, "<li") && line != "" {
		return "- " + line
	}
	return line
}

// hotpotSufficiency: questions over two paragraphs, with both and another (gold), and
// with one of the two exchanged for another (support). All are test: no trainer reads
// the set.
func hotpotSufficiency(shared string, limit int) ([]SufficiencyExample, error) {
	data, err := open(shared, "multihop-musique-hotpot", "hotpotqa_train.json")
	if err != nil {
		return nil, err
	}
	var items []struct {
		Question string
		Facts    [][2]any          `json:"supporting_facts"`
		Context  []json.RawMessage `json:"context"`
	}
	if err := json.Unmarshal(data, &items); err != nil {
		return nil, fmt.Errorf("read hotpotqa: %w", err)
	}
	var out []SufficiencyExample
	for n, it := range items {
		if limit > 0 && n >= limit {
			break
		}
		named := map[string]bool{}
		for _, f := range it.Facts {
			if title, ok := f[0].(string); ok {
				named[title] = true
			}
		}
		var support, rest []kb.Passage
		for _, raw := range it.Context {
			var pair [2]json.RawMessage
			var title string
			var sentences []string
			if err := json.Unmarshal(raw, &pair); err != nil {
				return nil, fmt.Errorf("read hotpotqa %q: %w", it.Question, err)
			}
			if err := json.Unmarshal(pair[0], &title); err != nil {
				return nil, fmt.Errorf("read hotpotqa %q: %w", it.Question, err)
			}
			if err := json.Unmarshal(pair[1], &sentences); err != nil {
				return nil, fmt.Errorf("read hotpotqa %q: %w", it.Question, err)
			}
			p := kb.Passage{ID: title, Title: title, Text: strings.Join(sentences, "")}
			if named[title] {
				support = append(support, p)
			} else {
				rest = append(rest, p)
			}
		}
		if len(support) != 2 || len(rest) < 2 {
			continue
		}
		order := hash32(it.Question)
		base := SufficiencyExample{Source: "hotpotqa", Language: "en", Group: it.Question, Question: it.Question, Test: true}
		gold, lack := base, base
		gold.Kind, gold.Sufficient, gold.Passages = "gold", true, []kb.Passage{support[0], support[1], rest[0]}
		lack.Kind, lack.Passages = "support", []kb.Passage{support[order%2], rest[1], rest[0]}
		out = append(out, gold, lack)
	}
	return out, nil
}

// ramSufficiency: documents that state the right answer with others (gold), the others
// alone (noise), and the right answer beside a wrong one (conflict). All are test: no
// trainer reads the set.
func ramSufficiency(shared string, limit int) ([]SufficiencyExample, error) {
	if _, err := open(shared, "ramdocs", "ramdocs_first200.jsonl"); err != nil {
		return nil, err
	}
	groups, err := RAMGroups(shared)
	if err != nil {
		return nil, err
	}
	var out []SufficiencyExample
	for n, g := range groups {
		if limit > 0 && n >= limit {
			break
		}
		of := map[string][]kb.Passage{}
		for i, d := range g.Documents {
			of[d.Type] = append(of[d.Type], passage(fmt.Sprintf("d%d", i+1), d.Text))
		}
		base := SufficiencyExample{Source: "ramdocs", Language: "en", Group: g.Question, Question: g.Question, Test: true}
		put := func(kind string, sufficient bool, parts ...[]kb.Passage) {
			e := base
			e.Kind, e.Sufficient, e.Passages = kind, sufficient, slices.Concat(parts...)
			out = append(out, e)
		}
		if len(of["correct"]) == 0 {
			continue
		}
		beside := of["noise"][:min(2, len(of["noise"]))]
		put("gold", true, of["correct"][:min(2, len(of["correct"]))], beside)
		if len(of["misinfo"]) > 0 {
			put("conflict", false, of["correct"][:1], of["misinfo"][:1], beside)
		}
		if len(of["noise"]) > 0 {
			put("noise", false, of["noise"][:min(3, len(of["noise"]))])
		}
	}
	return out, nil
}

var yearIn = regexp.MustCompile(`(?:1[5-9]|20)\d\d`)

// otherYear is a question with its year exchanged for one of which the passages know
// nothing; false where it names no year, or more than one.
func otherYear(question string, passages []kb.Passage) (string, bool) {
	found := yearIn.FindAllStringIndex(question, -1)
	if len(found) != 1 {
		return "", false
	}
	at := found[0]
	known := map[string]bool{question[at[0]:at[1]]: true}
	for _, p := range passages {
		for _, y := range yearIn.FindAllString(p.Title+" "+p.Text, -1) {
			known[y] = true
		}
	}
	if len(known) == 1 { // the passages do not say it either: another year is no nearer
		return "", false
	}
	var year int
	if _, err := fmt.Sscanf(question[at[0]:at[1]], "%d", &year); err != nil {
		return "", false
	}
	for _, step := range []int{-2, 3, -4, 5, -7, 9} {
		if y := fmt.Sprint(year + step); !known[y] {
			return question[:at[0]] + y + question[at[1]:], true
		}
	}
	return "", false
}

var digits = regexp.MustCompile(`\d+`)

// contradicting is a text that says another number where it gave the answer; false where
// the answer has none.
func contradicting(passage, answer string, order uint32) (string, bool) {
	at := digits.FindStringIndex(answer)
	if at == nil || strings.Count(passage, answer) != 1 {
		return "", false
	}
	was := []byte(answer[at[0]:at[1]])
	now := slices.Clone(was)
	last := len(now) - 1
	if len(now) == 4 { // a year stays one
		now[last-1] = '0' + (was[last-1]-'0'+byte(1+order%8))%10
	} else {
		now[0] = '1' + (was[0]-'0'+byte(1+order%7))%9
	}
	if string(now) == string(was) {
		return "", false
	}
	return strings.Replace(passage, answer, answer[:at[0]]+string(now)+answer[at[1]:], 1), true
}

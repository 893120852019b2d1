package evaluate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"text/tabwriter"
	"time"

	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/relation"
	"suffice.dev/suffice/text"
)

// ArticlePair is one article of a law in two versions.
type ArticlePair struct {
	Law      string
	Old, New string // text with the article's number
	OldDate  time.Time
	NewDate  time.Time
	Changes  []NumberChange // numbers that differ while the words around them are nearly the same
	Same     bool           // the texts are equal but for the article's number
}

// NumberChange is a clause whose number was changed.
type NumberChange struct {
	Old, New       text.Span // the number in the text of the article, code points
	Asked          string    // the clause with the number taken out, as a question
	OldNum, NewNum string
}

// ArticlePairs reads the laws of laws-zh that are there in two versions and pairs their
// articles by their words. An article without a partner of at least six tenths of equal
// character pairs is left out.
func ArticlePairs(shared string) ([]ArticlePair, error) {
	dir := filepath.Join(shared, "data", "laws-zh")
	index, err := os.ReadFile(filepath.Join(dir, "VERSION_PAIRS.tsv"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read %s: %w", dir, ErrNoData)
	}
	if err != nil {
		return nil, err
	}
	type version struct {
		date     time.Time
		articles []string
	}
	laws := map[string][]version{}
	var names []string
	for _, line := range strings.Split(strings.TrimSpace(string(index)), "\n")[1:] {
		fields := strings.Split(line, "\t")
		if len(fields) != 3 {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, fields[2]))
		if errors.Is(err, fs.ErrNotExist) {
			continue // the index names local files that may be left out of the data
		}
		if err != nil {
			return nil, err
		}
		date, err := time.Parse(time.DateOnly, fields[1])
		if err != nil {
			return nil, fmt.Errorf("date of %s: %w", fields[0], err)
		}
		if laws[fields[0]] == nil {
			names = append(names, fields[0])
		}
		laws[fields[0]] = append(laws[fields[0]], version{date, articles(string(data))})
	}
	var out []ArticlePair
	for _, name := range names {
		versions := laws[name]
		sort.Slice(versions, func(i, j int) bool { return versions[i].date.Before(versions[j].date) })
		for k := 1; k < len(versions); k++ {
			a, b := versions[k-1], versions[k]
			for _, pair := range pairArticles(a.articles, b.articles) {
				p := ArticlePair{Law: name, Old: a.articles[pair[0]], New: b.articles[pair[1]], OldDate: a.date, NewDate: b.date}
				p.Same = body(p.Old) == body(p.New)
				if !p.Same {
					p.Changes = numberChanges(p.Old, p.New)
				}
				out = append(out, p)
			}
		}
	}
	return out, nil
}

var articleStart = regexp.MustCompile(`^\s*第[零一二三四五六七八九十百千0-9]+条`)

// articles cuts a law at the paragraphs that open an article.
func articles(law string) []string {
	var out []string
	for _, line := range strings.Split(law, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "<!--"):
		case articleStart.MatchString(line):
			out = append(out, line)
		case len(out) > 0:
			out[len(out)-1] += "\n" + line
		}
	}
	return out
}

// body is an article without its number and white space.
func body(article string) string {
	return strings.Join(strings.Fields(articleStart.ReplaceAllString(article, "")), "")
}

// pairArticles pairs the articles of two versions that are each other's best match.
func pairArticles(a, b []string) [][2]int {
	pairsA, pairsB := make([]map[string]int, len(a)), make([]map[string]int, len(b))
	for i := range a {
		pairsA[i] = characterPairs(body(a[i]))
	}
	for i := range b {
		pairsB[i] = characterPairs(body(b[i]))
	}
	bestA, bestB := make([]int, len(a)), make([]int, len(b))
	scoreA, scoreB := make([]float64, len(a)), make([]float64, len(b))
	for i := range a {
		for j := range b {
			s := dice(pairsA[i], pairsB[j])
			if s > scoreA[i] {
				bestA[i], scoreA[i] = j, s
			}
			if s > scoreB[j] {
				bestB[j], scoreB[j] = i, s
			}
		}
	}
	var out [][2]int
	for i := range a {
		if scoreA[i] >= 0.6 && bestB[bestA[i]] == i {
			out = append(out, [2]int{i, bestA[i]})
		}
	}
	return out
}

func characterPairs(s string) map[string]int {
	m := map[string]int{}
	runes := []rune(s)
	for i := 0; i+1 < len(runes); i++ {
		m[string(runes[i:i+2])]++
	}
	return m
}

func dice(a, b map[string]int) float64 {
	shared, total := 0, 0
	for k, n := range a {
		shared += min(n, b[k])
		total += n
	}
	for _, n := range b {
		total += n
	}
	if total == 0 {
		return 0
	}
	return 2 * float64(shared) / float64(total)
}

// lawNumber is a number with its unit as laws write it; the numbers of articles,
// paragraphs and items are none.
var lawNumber = regexp.MustCompile(`(?:百分之)?[0-9零一二三四五六七八九十百千万亿两]+(?:个)?(?:工作日|万元|亿元|元|日|天|年|个月|月|周|小时|人|倍|次|周岁|岁|吨|米|公里|平方米|以上|%)?`)

var lawReference = regexp.MustCompile(`第[0-9零一二三四五六七八九十百千]+[条款项章节编届号次]|[（(][0-9零一二三四五六七八九十]+[）)]|一[些般切并定律旦经致]|统一|[0-9]{4}年[0-9]+月[0-9]+日|进一步|唯一|之一|同一|任一|万一|十分|一方|一个|一种|一次性|三者|两者|第一|第二|第三`)

// numberChanges finds the clauses of two versions whose words are nearly the same and
// whose numbers differ, number for number.
func numberChanges(a, b string) []NumberChange {
	as, bs := lawSentences(a), lawSentences(b)
	var out []NumberChange
	used := map[int]bool{}
	for _, x := range as {
		best, score := -1, 0.70
		for j, y := range bs {
			if s := dice(x.words, y.words); !used[j] && s >= score {
				best, score = j, s
			}
		}
		if best < 0 || len(x.numbers) != len(bs[best].numbers) {
			continue
		}
		used[best] = true
		y := bs[best]
		for k, n := range x.numbers {
			if n == y.numbers[k] || sameNumber(n, y.numbers[k]) || !sameNeighbours([]rune(a), x.spans[k], []rune(b), y.spans[k]) {
				continue
			}
			asked := strings.Replace(x.text, n, "多少", 1)
			out = append(out, NumberChange{Old: x.spans[k], New: y.spans[k], Asked: asked, OldNum: n, NewNum: y.numbers[k]})
		}
	}
	return out
}

// sameNeighbours reports whether the two characters before or after a number are the
// same in both texts, so that it is the same number that was changed.
func sameNeighbours(a []rune, x text.Span, b []rune, y text.Span) bool {
	before := x.Start >= 2 && y.Start >= 2 && string(a[x.Start-2:x.Start]) == string(b[y.Start-2:y.Start])
	after := x.End+2 <= len(a) && y.End+2 <= len(b) && string(a[x.End:x.End+2]) == string(b[y.End:y.End+2])
	return before || after
}

// sameNumber reports whether two spellings mean one value: 2万元 and 二万元.
func sameNumber(a, b string) bool {
	qa, okA := quantity.Words(a)
	qb, okB := quantity.Words(b)
	if !okA || !okB {
		return false
	}
	r, _ := quantity.Compare(qa, qb)
	return r == relation.Same
}

// edit are numbers that stand in for others in EditedPairs.
var edit = map[string]string{"一": "四", "二": "五", "三": "六", "四": "七", "五": "八", "六": "九", "七": "三", "八": "四", "九": "六", "十": "四十", "两": "七",
	"1": "4", "2": "5", "3": "6", "4": "7", "5": "8", "6": "9", "7": "3", "8": "4", "9": "6"}

// lawUnits are units by which a number of a law is a value and no word.
const lawUnits = "日天年月周元人倍次岁吨米里%时"

// EditedPairs makes more changed numbers than the laws have: of each article that is the
// same in both versions, one pair for each number with a unit, in which that number alone is
// replaced by another one. Articles without such a number are left out; dates, and years
// that are named and not counted (上一年), are no such numbers.
func EditedPairs(pairs []ArticlePair) []ArticlePair {
	var out []ArticlePair
	for _, p := range pairs {
		if !p.Same {
			continue
		}
		runes := []rune(p.Old)
		for _, s := range lawSentences(p.Old) {
			for k, n := range s.numbers {
				at := s.spans[k]
				changed, ok := edited(n, runes, at)
				if !ok {
					continue
				}
				q := p
				q.Same = false
				q.New = string(runes[:at.Start]) + changed + string(runes[at.End:])
				q.Changes = []NumberChange{{Old: at, New: text.Span{Start: at.Start, End: at.Start + len([]rune(changed))},
					Asked: strings.Replace(s.text, n, "多少", 1), OldNum: n, NewNum: changed}}
				out = append(out, q)
			}
		}
	}
	return out
}

// edited is another number in the place of a number of a law.
func edited(n string, article []rune, at text.Span) (string, bool) {
	digits := []rune(n)
	other, ok := edit[string(digits[0])]
	last := digits[len(digits)-1]
	if !ok || len(digits) < 2 || len(digits) > 4 || !strings.ContainsRune(lawUnits, last) || digits[0] == '十' && len(digits) > 2 {
		return "", false
	}
	if at.Start > 0 && strings.ContainsRune("上下前后次同本每月年第", article[at.Start-1]) {
		return "", false
	}
	if last == '月' && !strings.Contains(n, "个") || last == '年' && at.End < len(article) && strings.ContainsRune("度一二三四五六七八九十0123456789", article[at.End]) {
		return "", false
	}
	return other + string(digits[1:]), true
}

type lawSentence struct {
	text    string
	words   map[string]int // character pairs without the numbers
	numbers []string
	spans   []text.Span
}

func lawSentences(article string) []lawSentence {
	var out []lawSentence
	runes := []rune(article)
	start := 0
	for i := 0; i <= len(runes); i++ {
		if i < len(runes) && !strings.ContainsRune("。；，：\n", runes[i]) {
			continue
		}
		s := string(runes[start:i])
		masked := lawReference.ReplaceAllStringFunc(s, func(m string) string { return strings.Repeat("§", len([]rune(m))) })
		var l lawSentence
		l.text = s
		for _, m := range lawNumber.FindAllStringIndex(masked, -1) {
			from := start + len([]rune(masked[:m[0]]))
			n := masked[m[0]:m[1]]
			l.numbers = append(l.numbers, n)
			l.spans = append(l.spans, text.Span{Start: from, End: from + len([]rune(n))})
		}
		l.words = characterPairs(lawNumber.ReplaceAllString(strings.ReplaceAll(masked, "§", ""), "#"))
		if len(l.words) >= 4 {
			out = append(out, l)
		}
		start = i + 1
	}
	return out
}

// LawsReport is what conflict detection finds in versions of laws.
type LawsReport struct {
	Set          string // versions, or edited: see EditedPairs; "" = versions
	Need         bool   // each pair came with a need that asks for the number; without, the passages alone
	Pairs        int
	Changes      int
	Found        int // changed numbers in a VERSION or VALUE conflict, or in a more special one that stands for VALUE
	Other        int // found as a conflict of another kind
	Unchanged    int
	FalseAlarms  int // pairs of unchanged articles with a conflict
	MissedBy     []string
	FalselyFound []string
}

// Laws hands both versions of each article to conflict detection, with a title that
// names the law and the date of the version and no end of validity.
func Laws(ctx context.Context, engine *fact.Engine, pairs []ArticlePair, need bool) (LawsReport, error) {
	r := LawsReport{Need: need, Pairs: len(pairs)}
	for _, p := range pairs {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		if !p.Same && len(p.Changes) == 0 {
			continue
		}
		var pages []*fact.Page
		var metas []fact.Meta
		for k, s := range []string{p.Old, p.New} {
			date := []time.Time{p.OldDate, p.NewDate}[k]
			title := fmt.Sprintf("%s（%d年版）", p.Law, date.Year())
			pages = append(pages, engine.Read(fact.Source{Text: s, Title: title, Published: date, Domain: "law"}))
			metas = append(metas, fact.Meta{ID: fmt.Sprint(k), Title: title, PublishedAt: date, ValidFrom: date, Domain: "law"})
		}
		if p.Same {
			r.Unchanged++
			var needs []fact.Need
			if need {
				for _, s := range lawSentences(p.Old) {
					if len(s.numbers) > 0 {
						needs = append(needs, lawNeed(p.Law, strings.Replace(s.text, s.numbers[0], "多少", 1)))
						break
					}
				}
			}
			if clashes := engine.Conflicts(needs, pages, metas); len(clashes) > 0 {
				r.FalseAlarms++
				c := clashes[0]
				r.FalselyFound = append(r.FalselyFound, fmt.Sprintf("%s %s: %s | %s", c.Kind, p.Law, pages[c.A.Page].Quote(c.A.Span), pages[c.B.Page].Quote(c.B.Span)))
			}
			continue
		}
		var all []fact.Clash
		if !need {
			all = engine.Conflicts(nil, pages, metas)
		}
		for _, ch := range p.Changes {
			r.Changes++
			clashes := all
			if need {
				clashes = engine.Conflicts([]fact.Need{lawNeed(p.Law, ch.Asked)}, pages, metas)
			}
			found, other := false, false
			for _, c := range clashes {
				if !touches(c.A, ch.Old) || !touches(c.B, ch.New) {
					continue
				}
				switch c.Kind {
				case "VERSION", "VALUE", "UNIT", "CONDITION": // the special ones stand for VALUE, by the contract
					found = true
				default:
					other = true
				}
			}
			switch {
			case found:
				r.Found++
			case other:
				r.Other++
			default:
				r.MissedBy = append(r.MissedBy, fmt.Sprintf("%s: %s → %s: %s", p.Law, ch.OldNum, ch.NewNum, ch.Asked))
			}
		}
	}
	return r, nil
}

// touches reports whether the sentence part that a conflict shows holds the number.
func touches(r fact.Ref, number text.Span) bool {
	return !r.Value.Empty() && r.Value.Overlaps(number) || r.Value.Empty() && r.Span.Overlaps(number)
}

func lawNeed(law, asked string) fact.Need {
	return fact.Need{Name: "value", Class: "NUMERIC", Question: asked, Subject: law, Attribute: asked, Expect: "QUANTITY"}
}

// WriteLaws prints reports as a table.
func WriteLaws(w io.Writer, reports ...LawsReport) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "set\tneeds\tpairs\tchanged numbers\tVERSION/VALUE\tshare\t95 %\tother kind\tunchanged\tfalse alarms")
	for _, r := range reports {
		lo, hi := Wilson(r.Found, r.Changes)
		fmt.Fprintf(t, "%s\t%v\t%d\t%d\t%d\t%.3f\t%.3f..%.3f\t%d\t%d\t%d\n", r.Set, r.Need, r.Pairs, r.Changes, r.Found, share(r.Found, r.Changes), lo, hi, r.Other, r.Unchanged, r.FalseAlarms)
	}
	return t.Flush()
}

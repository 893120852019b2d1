// Package gap decides which questions ask the same thing, so that the gap ledger
// counts one gap and not a hundred wordings of it.
//
// Only exact and near-identical wordings are one: politeness, punctuation, filler
// words, inflection, a typing error and the order of phrases may differ; a name,
// a number, a negation or any other content word may not. Paraphrases stay apart.
package gap

import (
	"sort"
	"strings"
	"unicode"

	"suffice.dev/suffice/text"
)

// Wording is a question reduced to what it asks.
type Wording struct {
	tokens  []string        // content tokens in order: Han characters, stemmed words, numbers
	bag     string          // tokens sorted: equal for one set of words in any order
	frame   string          // equal for all that Same finds alike: what a typing error may not touch, Han characters and numbers, sorted, and the count of words
	bigrams map[string]bool // neighbouring tokens
}

// Key is equal for wordings that differ in politeness, punctuation, case, filler
// words and inflection alone.
func (w Wording) Key() string { return strings.Join(w.tokens, " ") }

// phrases are removed from the folded question, the longer first. They carry no
// content: greetings, thanks, requests.
var phrases = []string{
	"can you please tell me", "could you please tell me", "can you tell me", "could you tell me", "would you tell me",
	"i would like to know", "i'd like to know", "i want to know", "i was wondering", "i wonder", "do you know",
	"please tell me", "tell me", "let me know", "thank you", "thanks", "please", "kindly", "hello", "hey", "hi",
	"请问一下", "想请问", "请教一下", "我想知道", "我想了解", "想知道", "想了解", "请告诉我", "告诉我", "能不能告诉我", "能否告诉我",
	"麻烦问一下", "麻烦问下", "问一下", "问下", "请问", "请教", "麻烦", "谢谢", "多谢", "你好", "您好", "一下", "帮忙看看", "帮我看看", "帮我查", "请",
}

// same are ways to say one question word.
var same = strings.NewReplacer(
	"什么时候", "何时", "啥时候", "何时", "何时候", "何时", "为什么", "为何", "为啥", "为何",
	"如何", "怎么", "怎样", "怎么", "怎么样", "怎么", "咋", "怎么", "啥", "什么", "哪儿", "哪里", "何处", "哪里",
	"是不是", "是否", "what's", "what is", "how's", "how is", "who's", "who is", "where's", "where is", "when's", "when is",
	"isn't", "is not", "aren't", "are not", "doesn't", "does not", "don't", "do not", "can't", "can not", "cannot", "can not",
	"won't", "will not", "’", "'",
)

var fillers = map[string]bool{
	"的": true, "了": true, "吗": true, "呢": true, "呀": true, "啊": true, "吧": true, "嘛": true, "哦": true, "地": true, "得": true, "是": true, "有": true,
	"the": true, "a": true, "an": true, "is": true, "are": true, "was": true, "were": true, "be": true, "do": true, "does": true, "did": true,
	"of": true, "there": true, "so": true, "just": true, "actual": true, "exact": true, "and": true, "s": true,
}

// Read reduces a question.
func Read(question string) Wording {
	folded := strings.ToLower(string(text.Fold([]rune(question))))
	folded = same.Replace(folded)
	for _, p := range phrases {
		folded = remove(folded, p)
	}
	w := Wording{tokens: tokens(folded, true)}
	if len(w.tokens) == 0 {
		w.tokens = tokens(string(text.Fold([]rune(question))), false)
	}
	if len(w.tokens) == 0 {
		w.tokens = []string{strings.TrimSpace(question)}
	}
	sorted := append([]string(nil), w.tokens...)
	sort.Strings(sorted)
	w.bag = strings.Join(sorted, " ")
	var frame []string
	words := 0
	for _, t := range sorted {
		if typo(t) {
			words++
		} else {
			frame = append(frame, t)
		}
	}
	w.frame = strings.Join(frame, " ") + "#" + string(rune('0'+min(words, 60)))
	w.bigrams = make(map[string]bool, len(w.tokens))
	for i := 1; i < len(w.tokens); i++ {
		w.bigrams[w.tokens[i-1]+" "+w.tokens[i]] = true
	}
	return w
}

// remove cuts a phrase where it stands as words of its own; Chinese has no such
// boundaries.
func remove(s, phrase string) string {
	at := 0
	for {
		i := strings.Index(s[at:], phrase)
		if i < 0 {
			return s
		}
		i += at
		end := i + len(phrase)
		latin := phrase[0] < 0x80
		if latin && (i > 0 && isLetter(s[i-1]) || end < len(s) && isLetter(s[end])) {
			at = end
			continue
		}
		s = s[:i] + " " + s[end:]
		at = i
	}
}

func isLetter(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b == '-' || b >= 0x80
}

func tokens(folded string, drop bool) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) == 0 {
			return
		}
		t := strings.Trim(string(word), ".-'%")
		if strings.HasSuffix(string(word), "%") {
			t += "%"
		}
		word = word[:0]
		if drop && fillers[t] {
			return
		}
		if t = text.Stem(t); t != "" && !(drop && fillers[t]) {
			out = append(out, t)
		}
	}
	for _, r := range folded {
		switch {
		case text.IsHan(r):
			flush()
			if t := string(r); !drop || !fillers[t] {
				out = append(out, t)
			}
		case text.IsWord(r), len(word) > 0 && (r == '.' || r == '-' || r == '%' || r == '_'):
			word = append(word, r)
		case unicode.Is(unicode.Sc, r) || r == '+' || r == '#':
			// C and C#, $5 and 5 are not the same.
			if r == '+' || r == '#' {
				word = append(word, r)
				continue
			}
			flush()
			out = append(out, string(r))
		default:
			flush()
		}
	}
	flush()
	return out
}

// typo reports whether a token is a word in which one letter may be wrong.
func typo(t string) bool {
	if len(t) < 5 {
		return false
	}
	for i := 0; i < len(t); i++ {
		if t[i] < 'a' || t[i] > 'z' {
			return false
		}
	}
	return true
}

// Same reports whether two wordings ask the same: equal keys; or the same words,
// save one typing error, with at least half of the neighbouring pairs in common,
// so that "from A to B" is not "from B to A".
func Same(a, b Wording) bool {
	if a.Key() == b.Key() {
		return true
	}
	if a.frame != b.frame || len(a.tokens) != len(b.tokens) {
		return false
	}
	if a.bag == b.bag {
		return 2*jaccard(a.bigrams, b.bigrams) >= 1
	}
	wrong := 0
	for i := range a.tokens {
		if a.tokens[i] == b.tokens[i] {
			continue
		}
		if wrong++; wrong > 1 || !typo(a.tokens[i]) || !typo(b.tokens[i]) || !mistyped(a.tokens[i], b.tokens[i]) {
			return false
		}
	}
	return true
}

func jaccard(a, b map[string]bool) float64 {
	both := 0
	for k := range a {
		if b[k] {
			both++
		}
	}
	if all := len(a) + len(b) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 1
}

// mistyped reports whether two words differ by two swapped neighbours, or by one
// letter left out or doubled inside: slips that seldom make another word. A
// changed letter is not taken for a slip (Maria, Marta).
func mistyped(a, b string) bool {
	if a[0] != b[0] {
		return false
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 0:
		return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
	case 1:
		// The added letter may be no ending: plan and plane, cost and costs.
		return i < len(a) && len(a) >= 6 && a[i:] == b[i+1:]
	}
	return false
}

// Index finds the gap that a wording belongs to. It is not safe for concurrent use.
type Index struct {
	buckets map[string][]entry
}

type entry struct {
	id      string
	wording Wording
}

// Add files a wording under a gap.
func (x *Index) Add(kind, id string, w Wording) {
	if x.buckets == nil {
		x.buckets = map[string][]entry{}
	}
	k := kind + "\x00" + w.frame
	for _, e := range x.buckets[k] {
		if e.id == id && e.wording.Key() == w.Key() {
			return
		}
	}
	x.buckets[k] = append(x.buckets[k], entry{id, w})
}

// Find returns the gap of that kind with an equal key, else the first added one
// with a wording that is the same; "" if there is none.
func (x *Index) Find(kind string, w Wording) string {
	bucket := x.buckets[kind+"\x00"+w.frame]
	for _, e := range bucket {
		if e.wording.Key() == w.Key() {
			return e.id
		}
	}
	for _, e := range bucket {
		if Same(e.wording, w) {
			return e.id
		}
	}
	return ""
}

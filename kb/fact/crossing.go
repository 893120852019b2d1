package fact

import (
	"strings"
	"sync"

	"suffice.dev/suffice/text"
	"suffice.dev/suffice/text/lexicon"
)

// A wording in one language is laid over a text in the other by the words that the
// dictionary of both gives for its own: each may be told by several, and each of those
// may be of several words, which all have to be there.

const (
	crossMatch  = 0.9 // how far a word of the other language stands for one
	crossPhrase = 3   // words of the longest Latin phrase without stop words that is looked up
	crossWhole  = 4   // words of the longest one with them, or from a verb to its particle
)

// crossings are the words of the other language for those of a wording, looked up when
// they are first needed.
type crossings struct {
	once   sync.Once
	engine *Engine
	probes []crossProbe
	under  []int32 // cells of the probes
}

// crossProbe is a word of a wording with what may stand for it.
type crossProbe struct {
	cells [2]int32 // range of crossings.under
	told  []crossTold
}

// crossTold is one way to tell a word: of each part one key has to be there.
type crossTold [][]key

// of makes the probes of a wording.
func (x *crossings) of(w *wording) []crossProbe {
	x.once.Do(func() {
		if w.mostlyHan {
			x.readHan(w)
		} else {
			x.readLatin(w)
		}
	})
	return x.probes
}

func (x *crossings) add(w *wording, told []crossTold, spans ...text.Span) {
	p := crossProbe{told: told}
	p.cells[0] = int32(len(x.under))
	last := -1
	for _, s := range spans {
		for i := s.Start; i < s.End; i++ {
			if k := w.at[i]; k >= 0 && k != last {
				x.under = append(x.under, int32(k))
				last = k
			}
		}
	}
	p.cells[1] = int32(len(x.under))
	if p.cells[0] < p.cells[1] {
		x.probes = append(x.probes, p)
	}
}

// readHan looks up what stands in a Chinese wording, every word of it, also one inside
// another: of 挂号费 the registration is told without the fee.
func (x *crossings) readHan(w *wording) {
	words := lexicon.DefaultCrossing()
	single := map[int]bool{}
	for _, t := range w.terms {
		if t.Kind == text.HanSingle {
			single[t.Span.Start] = true
		}
	}
	for i := range w.folded {
		longest := words.LongestFrom(w.folded[i])
		for n := 1; n <= longest && i+n <= len(w.folded) && text.IsHan(w.folded[i+n-1]); n++ {
			if n == 1 && !single[i] {
				continue
			}
			if told := x.latinOf(string(w.folded[i : i+n])); len(told) > 0 {
				x.add(w, told, text.Span{Start: i, End: i + n})
			}
		}
	}
}

// latinOf is how the words of the other language for a Han word stand in a bag.
func (x *crossings) latinOf(word string) []crossTold {
	phrases := lexicon.DefaultCrossing().Latin(word)
	if len(phrases) == 0 {
		return nil
	}
	if known, ok := x.engine.abroad.Load(word); ok {
		return known.([]crossTold)
	}
	var out []crossTold
	for _, phrase := range phrases {
		if t := x.latin(phrase); t != nil {
			out = append(out, t)
		}
	}
	x.engine.abroad.Store(word, out)
	return out
}

// readLatin looks up the words and phrases of an English wording.
func (x *crossings) readLatin(w *wording) {
	words := lexicon.DefaultCrossing()
	var stems []string
	var at []text.Span
	for _, t := range w.terms {
		if t.Kind != text.Word && t.Kind != text.Concept || strings.ContainsAny(t.Text, " -") || t.Text == "" || text.IsHan(firstRune(t.Text)) {
			continue
		}
		if len(at) > 0 && at[len(at)-1] == t.Span {
			continue
		}
		stems, at = append(stems, text.Stem(t.Text)), append(at, t.Span)
	}
	for i := range stems {
		for n := 1; n <= crossPhrase && i+n <= len(stems); n++ {
			var told []crossTold
			for _, word := range words.Han(strings.Join(stems[i:i+n], " ")) {
				told = append(told, x.han(word)...)
			}
			if len(told) > 0 {
				x.add(w, told, text.Span{Start: at[i].Start, End: at[i+n-1].End})
			}
		}
	}
	x.readPhrases(w)
}

// readPhrases looks up the phrases with stop words of an English wording, as they stand
// and, of a verb with a particle, with what they are about between: turn it off, get the
// deposit back.
func (x *crossings) readPhrases(w *wording) {
	words := lexicon.DefaultCrossing()
	var stems []string
	var at []text.Span
	for i := 0; i < len(w.folded); {
		start := i
		for i < len(w.folded) && text.IsWord(w.folded[i]) {
			i++
		}
		if i == start {
			i++
			continue
		}
		stems, at = append(stems, text.Stem(string(w.folded[start:i]))), append(at, text.Span{Start: start, End: i})
	}
	look := func(phrase string, spans ...text.Span) {
		var told []crossTold
		for _, word := range words.HanPhrase(phrase) {
			told = append(told, x.han(word)...)
		}
		if len(told) > 0 {
			x.add(w, told, spans...)
		}
	}
	for i := range stems {
		for n := 2; n <= crossWhole && i+n <= len(stems); n++ {
			look(strings.Join(stems[i:i+n], " "), text.Span{Start: at[i].Start, End: at[i+n-1].End})
			if last := i + n - 1; n > 2 && particles[stems[last]] {
				look(stems[i]+" "+stems[last], at[i], at[last])
			}
		}
	}
}

// particles are the words that may stand behind the object of their verb.
var particles = map[string]bool{"up": true, "down": true, "out": true, "off": true, "over": true, "back": true, "away": true}

// latin is how a Latin phrase stands in a bag: each word by its stem or, where the
// dictionary has it, as it is or by its concept. Bags hold no stop words: nil for a phrase
// of which without them only a word is left that says something else (turn of turn off).
func (x *crossings) latin(phrase string) crossTold {
	if told, ok := x.engine.latin.get(phrase); ok {
		return *told
	}
	told := x.readPhrase(phrase)
	x.engine.latin.put(phrase, &told)
	return told
}

// readPhrase is latin, unkept.
func (x *crossings) readPhrase(phrase string) crossTold {
	stems := lexicon.Stems(phrase)
	if !strings.Contains(stems, " ") {
		for word := range strings.SplitSeq(lexicon.Whole(phrase), " ") {
			if word != stems && !linking[word] {
				return nil
			}
		}
		if hollow[stems] && stems != lexicon.Whole(phrase) {
			return nil
		}
	}
	var out crossTold
	for word := range strings.SplitSeq(stems, " ") {
		out = append(out, []key{wordKey(word)})
	}
	words := strings.FieldsFunc(phrase, func(r rune) bool { return r == ' ' || r == '-' })
	if len(words) == len(out) { // no stop words in it
		for i, word := range words {
			out[i] = append(out[i], x.concept(word)...)
		}
	}
	return out
}

// han is how a Han word stands in a bag: as it is, by all its pairs of characters, or by
// the terms that it gives where function words and the dictionary cut it (献血 and 者, 拿 of
// 拿到), if what is lost there says little.
func (x *crossings) han(word string) []crossTold {
	if known, ok := x.engine.told.Load(word); ok {
		return known.([]crossTold)
	}
	out := x.hanTold(word)
	x.engine.told.Store(word, out)
	return out
}

func (x *crossings) hanTold(word string) []crossTold {
	out := []crossTold{{append([]key{wordKey(word)}, x.concept(word)...)}}
	runes := []rune(word)
	if len(runes) > 2 {
		var pairs crossTold
		for i := range len(runes) - 1 {
			pairs = append(pairs, []key{pairKey(runes[i], runes[i+1])})
		}
		out = append(out, pairs)
	}
	if len(runes) > 1 {
		var cut crossTold
		end, dropped := 0, ""
		for _, t := range text.TermsWith(nil, runes, x.engine.match()) {
			if t.Span.End <= end {
				continue
			}
			keys := []key{wordKey(t.Text)}
			if t.Concept != 0 {
				keys = append(keys, conceptKey(t.Concept))
			}
			dropped += string(runes[end:max(end, t.Span.Start)])
			cut, end = append(cut, keys), t.Span.End
		}
		if dropped += string(runes[end:]); len(cut) > 0 && strings.Trim(dropped, slight) == "" {
			out = append(out, cut)
		}
	}
	return out
}

// slight are the function characters of a word that mean little in it.
const slight = "到得了着过在于的地为更最较"

// linking are the stop words that leave a noun its meaning: a week, in advance, not allowed.
var linking = map[string]bool{"a": true, "an": true, "the": true, "of": true, "to": true, "for": true, "per": true, "every": true, "in": true, "at": true, "on": true,
	"by": true, "with": true, "from": true, "under": true, "not": true, "must": true, "may": true, "be": true, "is": true}

// hollow are the stems that say something else alone than with any of them.
var hollow = hollowStems()

func hollowStems() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`back break bring call carry check come deal draw fall fill find give go hand hold keep know lay leave line
 let look make mean move order pass pay pick place point pull put run send set show shut stand start stay step take tell think time try turn use work`) {
		m[text.Stem(w)] = true
	}
	return m
}

// concept are the keys of a word that the dictionary of synonyms has.
func (x *crossings) concept(word string) []key {
	if x.engine.config.Dictionary == nil {
		return nil
	}
	folded := []rune(word)
	end, id, ok := x.engine.config.Dictionary.Match(folded, 0)
	if !ok || end != len(folded) {
		return nil
	}
	return []key{wordKey(word), conceptKey(id)}
}

// across reports whether a bag is of another language than the wording.
func (w *wording) across(b *bag) bool {
	if w.mostlyHan {
		return b.latin > b.han
	}
	return b.han > b.latin && w.hasLatin
}

// layAcross raises the cells whose words the bag, in the other language, tells.
func (w *wording) layAcross(b *bag, cells []float64, limit float64) {
	probes := w.cross.of(w)
	for i := range probes {
		p := &probes[i]
		best := float32(0)
		for _, told := range p.told {
			best = max(best, b.tells(told))
		}
		m := min(float64(best)*crossMatch, limit)
		for _, k := range w.cross.under[p.cells[0]:p.cells[1]] {
			cells[k] = max(cells[k], m)
		}
	}
}

// tells is the least weight of the parts of a way to tell a word; 0 where one is not there.
func (b *bag) tells(told crossTold) float32 {
	least := float32(1)
	for _, part := range told {
		most := float32(0)
		for _, k := range part {
			most = max(most, b.weight(k))
		}
		if least = min(least, most); least == 0 {
			return 0
		}
	}
	return least
}

// spellings are of a name with its other spelling in brackets behind it, as ranges of cells.
type spellings [2][2]int32

// aliases finds the names that a wording gives in both scripts: the Heting canal (鹤汀运河).
func (w *wording) aliases() []spellings {
	var out []spellings
	for i, c := range w.cells {
		open := c.Start - 1
		if open < 1 || i == 0 || w.folded[open] != '(' || w.cells[i-1].han == c.han || open-w.cells[i-1].End > 1 {
			continue
		}
		shut := c.End
		for shut < len(w.folded) && w.folded[shut] != ')' {
			shut++
		}
		first, end := i-1, i
		for first > 0 && w.cells[first-1].han == w.cells[i-1].han && w.cells[first].Start-w.cells[first-1].End <= 1 {
			first--
		}
		for end < len(w.cells) && w.cells[end].End <= shut {
			end++
		}
		out = append(out, spellings{{int32(first), int32(i)}, {int32(i), int32(end)}})
	}
	return out
}

// layAliases covers one spelling of a name where the other is covered.
func (w *wording) layAliases(cells []float64) {
	for _, a := range w.named {
		for side, s := range a {
			least := crossMatch
			for k := s[0]; k < s[1]; k++ {
				least = min(least, cells[k])
			}
			for k := a[1-side][0]; k < a[1-side][1]; k++ {
				cells[k] = max(cells[k], least)
			}
		}
	}
}

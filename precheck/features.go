package precheck

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/model/embed"
	"suffice.dev/suffice/model/linear"
	"suffice.dev/suffice/models/precheck/weights"
	"suffice.dev/suffice/text"
)

var defaultModel = sync.OnceValues(func() (*linear.Model, error) { return linear.Decode(weights.Model) })

// Input returns what the class model is trained on and reads of a question: hashes
// of words and characters, of the same with names and nouns blanked out and of what
// the rules found, and the static embedding of the question, which knows that a
// drawer is a place and a brand a name.
func (p *Precheck) Input(question string) (linear.Input, error) {
	em, err := embed.Static()
	if err != nil {
		return linear.Input{}, fmt.Errorf("embedding of a question: %w", err)
	}
	r := p.read(question, time.Time{})
	return linear.Input{Features: r.features(), Dense: r.dense(em)}, nil
}

// dense is the embedding of the question and, behind it, that of the thing whose kind is
// asked for ("which folder …", …是什么牌子): a folder is a place and a brand a name. It is
// zero where the question has none.
func (r *reading) dense(em *embed.Model) []float32 {
	out := make([]float32, 0, 2*em.Dims())
	out = append(out, em.Embed(r.embedded())...)
	if start, end := r.head(); end > start {
		return append(out, em.Embed(string(r.folded[start:end]))...)
	}
	return out[:2*em.Dims()]
}

// headWords is how many words of a phrase tell its kind, the last ones.
const headWords = 2

// head returns where the thing stands whose kind an open question asks for, or the head of
// a query without question form; nothing for other questions.
func (r *reading) head() (start, end int) {
	asking := r.asking()
	if len(asking) == 0 {
		if len(r.chunks) == 0 {
			return 0, 0
		}
		if r.lang == "en" {
			return r.lastWords(&r.chunks[0])
		}
		return r.lastWords(&r.chunks[len(r.chunks)-1])
	}
	c := &r.clauses[asking[0]]
	if !r.p.rules.rules[c.rule].Noun {
		return 0, 0
	}
	before, after, _ := r.beside(asking[0])
	for _, ch := range r.headCandidates(asking[0], before, after) {
		if ch != nil {
			return r.lastWords(ch)
		}
	}
	return 0, 0
}

// lastWords returns the bounds of the last words of a phrase; of a Chinese one the last
// four characters.
func (r *reading) lastWords(ch *chunk) (start, end int) {
	if text.IsHan(r.folded[ch.end-1]) {
		return max(ch.start, ch.end-2*headWords), ch.end
	}
	w := r.words(ch.start, ch.end)
	if len(w) == 0 {
		return ch.start, ch.end
	}
	return w[max(0, len(w)-headWords)].Start, ch.end
}

const fnvPrime, fnvBasis = 16777619, 2166136261

// hash mixes a kind and runes.
func hash(kind uint32, runes []rune) uint32 {
	h := uint32(fnvBasis) ^ kind*0x9e3779b1
	for _, r := range runes {
		h = (h ^ uint32(r)) * fnvPrime
	}
	return h ^ h>>15
}

// Kinds of features.
const (
	kindLanguage uint32 = iota + 1
	kindRule
	kindNoun
	kindWord
	kindPair
	kindFrame
	kindFrame2
	kindFrame3
	kindStart
	kindEnd
	kindShape
	kindRuleLanguage
)

// blank stands for a run of content in the frame of a question.
const blank = '□'

// embedded is the text of a question without politeness and orders to the reader, and
// without what is asked beside the first thing.
func (r *reading) embedded() string {
	out := make([]rune, 0, len(r.folded))
	from, to := r.besides()
	for i, c := range r.folded {
		if r.marks[i] != polite && r.marks[i] != steering && (i < from || i >= to) {
			out = append(out, c)
		}
	}
	return string(out)
}

// besides returns the range from the second clause that asks to the end of the last
// one: it does not decide the class of the question.
func (r *reading) besides() (from, to int) {
	asking := r.asking()
	if len(asking) < 2 {
		return len(r.folded), len(r.folded)
	}
	return r.clauses[asking[1]].start, r.clauses[asking[len(asking)-1]].end
}

func (r *reading) features() []uint32 {
	out := make([]uint32, 0, 4*len(r.folded)+16)
	r.eachFeature(func(kind uint32, runes []rune) { out = append(out, hash(kind, runes)) })
	slices.Sort(out)
	return slices.Compact(out)
}

// eachFeature calls yield with the kind and the runes of each feature. The runes may
// change after the call.
func (r *reading) eachFeature(yield func(kind uint32, runes []rune)) {
	yield(kindLanguage, []rune(r.lang))
	asking, firstRule := 0, int32(-1)
	for i := range r.clauses {
		c := &r.clauses[i]
		if c.steer || c.rule < 0 {
			continue
		}
		asking++
		if firstRule < 0 {
			firstRule = c.rule
			yield(kindRule, []rune(r.p.rules.rules[c.rule].ID))
			yield(kindRuleLanguage, []rune(string(c.class)+r.lang))
		}
	}
	if firstRule < 0 {
		class, _ := r.keywords()
		yield(kindNoun, []rune(string(class)))
	}
	yield(kindShape, []rune{rune(min(asking, 2)), rune(min(len(r.chunks), 3))})

	// Tokens: Latin words whole, Chinese by character; the frame blanks content.
	var raw [][]rune
	var frame [][]rune
	inContent := false
	from, to := r.besides()
	for i := 0; i < len(r.folded); {
		switch {
		case r.marks[i] == gap || r.marks[i] == polite || r.marks[i] == steering || i >= from && i < to:
			i++
			continue
		case text.IsHan(r.folded[i]):
			raw = append(raw, r.folded[i:i+1])
			if r.marks[i] == content || r.marks[i] == timeMark {
				if !inContent {
					frame = append(frame, []rune{blank})
				}
				inContent = true
			} else {
				frame = append(frame, r.folded[i:i+1])
				inContent = false
			}
			i++
			continue
		}
		e := i + 1
		for e < len(r.folded) && isLatin(r.folded[e]) {
			e++
		}
		raw = append(raw, r.folded[i:e])
		if r.marks[i] == content || r.marks[i] == timeMark {
			if !inContent {
				frame = append(frame, []rune{blank})
			}
			inContent = true
		} else {
			frame = append(frame, r.folded[i:e])
			inContent = false
		}
		i = e
	}
	var buf [64]rune
	join := func(tokens [][]rune) []rune {
		b := buf[:0]
		for _, t := range tokens {
			b = append(b, t...)
			b = append(b, '\x00')
		}
		return b
	}
	for i := range raw {
		if !text.IsHan(raw[i][0]) {
			yield(kindWord, raw[i])
		}
		if i+1 < len(raw) {
			yield(kindPair, join(raw[i:i+2]))
		}
	}
	for i := range frame {
		yield(kindFrame, frame[i])
		if i+1 < len(frame) {
			yield(kindFrame2, join(frame[i:i+2]))
		}
		if i+2 < len(frame) {
			yield(kindFrame3, join(frame[i:i+3]))
		}
	}
	if n := len(frame); n > 0 {
		yield(kindStart, join(frame[:min(2, n)]))
		yield(kindEnd, join(frame[max(0, n-2):]))
	}
}

// kindNames say in an explanation what a feature is.
var kindNames = map[uint32]string{
	kindLanguage: "language", kindRule: "rule", kindNoun: "noun of class", kindWord: "word", kindPair: "pair", kindFrame: "frame", kindFrame2: "frame", kindFrame3: "frame",
	kindStart: "begins", kindEnd: "ends", kindShape: "parts", kindRuleLanguage: "class by rule and language",
}

// explained is how many features an explanation names.
const explained = 4

// reasons names what weighs most for class c against class d in the model, with the
// log-odds that it adds; □ stands for words of content.
func (r *reading) reasons(m *linear.Model, in linear.Input, c, d int) string {
	weights, numbers := m.Lead(in, c, d)
	order := make([]int, len(weights))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(weights[y], weights[x]) })
	names := make([]string, min(explained, len(order)))
	r.eachFeature(func(kind uint32, runes []rune) {
		h := hash(kind, runes)
		for k := range names {
			if names[k] == "" && in.Features[order[k]] == h {
				names[k] = featureName(kind, runes)
			}
		}
	})
	var out []string
	for k, name := range names {
		if w := weights[order[k]]; w > 0.005 {
			out = append(out, fmt.Sprintf("%s %+.2f", name, w))
		}
	}
	return strings.Join(append(out, fmt.Sprintf("embedding %+.2f", numbers)), ", ")
}

// featureName writes a feature: its kind and its words.
func featureName(kind uint32, runes []rune) string {
	if kind == kindShape && len(runes) == 2 {
		return fmt.Sprintf("%d questions and %d phrases", runes[0], runes[1])
	}
	words := strings.FieldsFunc(string(runes), func(c rune) bool { return c == '\x00' })
	return kindNames[kind] + " " + strconv.Quote(strings.Join(words, " "))
}

// Weights of the rules beside the model, as additions to its log-odds. They were
// chosen on the behaviour table of testdata/questions.yaml and the development questions of models/precheck, not on
// the held-apart ones.
const (
	bonusStrong  = 2.0 // rules of priority 85 and more
	bonusMedium  = 1.3
	bonusNoun    = 1.0
	bonusSure    = 6.0 // lengths told from durations
	bonusKeyword = 2.0 // the last noun of a query without question form
	bonusWhich   = 1.5 // "which plans include …": a name
	bonusGeneric = 0.5
	ruleYields   = 1.2 // the lead over the rule from which on the model decides
	ruleMargin   = 0.6 // by which the class of a rule leads where the model disagrees
)

// temperature of the joined log-odds: rules make the joined scores surer than they are.
// It is the likeliest on 216 natural English questions that neither rules nor model had
// seen; Chinese had 1.6 of its own, which left it too unsure once the rules weighed less.
const temperature = 1.2

// topTwo returns the places of the two greatest of at least two numbers.
func topTwo(x []float64) (first, second int) {
	first, second = 0, 1
	if x[1] > x[0] {
		first, second = 1, 0
	}
	for i := 2; i < len(x); i++ {
		switch {
		case x[i] > x[first]:
			first, second = i, first
		case x[i] > x[second]:
			second = i
		}
	}
	return first, second
}

// blend joins rule and model to the probabilities of the classes.
func (r *reading) blend(m *linear.Model, c *clause, keyword kb.Class) map[kb.Class]float64 {
	var buf [16]float64
	probs := buf[:m.Classes()]
	in := linear.Input{Features: r.features(), Dense: r.dense(r.p.embed)}
	m.Predict(in, probs)
	first, second := topTwo(probs)
	r.decided = append(r.decided, fmt.Sprintf("model: %s %.2f before %s: %s", kb.Classes[first], probs[first], kb.Classes[second], r.reasons(m, in, first, second)))
	logit := make([]float64, len(kb.Classes))
	ruled := -1
	for i, class := range kb.Classes {
		logit[i] = math.Log(max(probs[i], 1e-6))
		if class == kb.Vague {
			logit[i] = math.Inf(-1) // vague is decided by what is named
		}
		if c == nil && class == keyword {
			logit[i] += bonusKeyword
		}
		if c != nil && class == c.class {
			switch {
			case c.sure:
				logit[i] += bonusSure
				ruled = i
			case c.noun:
				logit[i] += bonusNoun
				ruled = i
			case r.p.rules.rules[c.rule].Prio >= 85:
				logit[i] += bonusStrong
				ruled = i
			case r.p.rules.rules[c.rule].Prio >= 70:
				logit[i] += bonusMedium
				ruled = i
			case c.which:
				logit[i] += bonusWhich
			default:
				logit[i] += bonusGeneric
			}
		}
	}
	// A rule for a clear form decides; the model says how sure that is.
	if ruled >= 0 {
		for i, l := range logit {
			if i != ruled && l-logit[ruled] < ruleYields {
				logit[ruled] = max(logit[ruled], l+ruleMargin)
			}
		}
	}
	sum := 0.0
	for i := range logit {
		logit[i] /= temperature
		sum += math.Exp(logit[i])
	}
	out := make(map[kb.Class]float64, len(logit))
	for i, class := range kb.Classes {
		out[class] = math.Exp(logit[i]) / sum
	}
	return out
}

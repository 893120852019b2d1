package validate

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/text"
)

// The words of a claim are compared with those of the passages in a few figures. They
// decide nothing alone: together with the verdict of kb/fact they are the input of a
// small model, which was trained on labelled claims.

// Words are the figures of one claim. Shares are of the claim's words, weighted by how
// rare each is.
type Words struct {
	Verdict fact.Verdict // of kb/fact
	Ground  fact.Ground
	Fact    float64 // probability of kb/fact, 0..1

	Best    float64 // share that the best sentence has
	Two     float64 // share that the best two neighbouring sentences have
	All     float64 // share that all passages have
	Pairs   float64 // share of its neighbouring words that stand near each other in the best two sentences
	Run     float64 // longest run of its words in the passages, as a share of them
	Rarest  float64 // weight share of the heaviest missing word
	Missing int     // words that no passage has
	Numbers int     // numbers that no passage has
	Names   int     // names that no passage has
	Length  int     // words
	Source  int     // sentences of all passages
	Asked   float64 // share that the question has
	Similar float64 // similarity to the best sentence, -1 unknown
	Denied  bool    // the best sentence is denied and the claim is not, or the reverse
	Foreign bool    // claim and passages are in two languages
	Chinese bool

	Said  float64 // probability of words where they decide, else of kb/fact
	Parts int     // that the claim was split into, of which these figures are one's; 0 = not split
	Vote  *Vote   // of the reader, of the passage that counts; nil = not asked
}

// term is a word as it is compared: synonyms of both languages share a concept.
type term struct {
	text    string
	concept int32
}

func termOf(t fact.Term) term {
	if t.Synset != 0 {
		return term{concept: t.Synset}
	}
	return term{text: t.Text}
}

// lines are the sentences of all passages by their words.
type lines struct {
	pages     []*fact.Page
	of        [][2]int         // page and sentence
	at        map[term][]int32 // sentences, ascending, without repetition
	sequence  [][]term         // words of each sentence in order
	denied    []bool
	chinese   float64 // share of Chinese
	collapsed string  // letters and digits of all passages
}

func linesOf(pages []*fact.Page) *lines {
	l := &lines{pages: pages, at: map[term][]int32{}}
	var all strings.Builder
	han, letters := 0, 0
	for p, page := range pages {
		for s := range page.Sentences {
			info := &page.Sentences[s]
			n := int32(len(l.of))
			l.of = append(l.of, [2]int{p, s})
			var words []term
			denied := false
			for c := info.Clauses[0]; c < info.Clauses[1] && c < len(page.Clauses); c++ {
				denied = denied != (page.Clauses[c].Denied != (page.Clauses[c].Modality == fact.MustNot))
				for _, t := range page.Clauses[c].Terms {
					words = append(words, termOf(t))
				}
				for _, t := range page.Clauses[c].Context { // what the sentence inherits: its subject, headings, title
					l.put(termOf(t), n)
				}
			}
			for _, w := range words {
				l.put(w, n)
			}
			l.sequence, l.denied = append(l.sequence, words), append(l.denied, denied)
		}
		for _, r := range page.Runes {
			if r = text.FoldRune(r); unicode.IsLetter(r) || unicode.IsDigit(r) {
				all.WriteRune(r)
				letters++
				if text.IsHan(r) {
					han++
				}
			}
		}
	}
	l.chinese = float64(han) / float64(max(1, letters))
	l.collapsed = all.String()
	return l
}

func (l *lines) put(t term, n int32) {
	list := l.at[t]
	if len(list) == 0 || list[len(list)-1] != n {
		l.at[t] = append(list, n)
	}
}

// words compares a claim with the passages. rarity and similarity may be nil.
func (l *lines) words(answer *fact.Page, span text.Span, question string, s fact.Support, rarity func(string) float64, similarity func(a, b string) float64) Words {
	w := Words{Verdict: s.Verdict, Ground: s.Ground, Fact: s.Probability, Source: len(l.of), Similar: -1}
	type claimWord struct {
		term
		weight float64
		name   bool
		raw    string
	}
	var claim []claimWord
	denied := false
	for i := range answer.Clauses {
		c := &answer.Clauses[i]
		if !span.Contains(c.Span) {
			continue
		}
		denied = denied != (c.Denied != (c.Modality == fact.MustNot))
		for _, t := range c.Terms {
			weight := 0.5
			if rarity != nil {
				weight = 0.25 + rarity(t.Text)
			}
			claim = append(claim, claimWord{termOf(t), weight, t.Name, t.Text})
		}
	}
	w.Length = len(claim)
	own := hanShare(answer.Quote(span))
	w.Chinese = own > 0.3
	w.Foreign = own >= 0 && w.Chinese != (l.chinese > 0.3) && len(l.of) > 0
	if len(claim) == 0 || len(l.of) == 0 {
		return w
	}
	total := 0.0
	score := make([]float64, len(l.of))
	has := make([]bool, len(claim))
	for i, c := range claim {
		total += c.weight
		list := l.at[c.term]
		for _, n := range list {
			score[n] += c.weight
		}
		has[i] = len(list) > 0
		if !has[i] && len(c.raw) > 1 && strings.Contains(l.collapsed, collapse(c.raw)) {
			has[i] = true // part of a longer word
		}
		if has[i] {
			w.All += c.weight
			continue
		}
		w.Missing++
		w.Rarest = math.Max(w.Rarest, c.weight)
		if strings.ContainsFunc(c.raw, unicode.IsDigit) {
			w.Numbers++
		}
		if c.name {
			w.Names++
		}
	}
	best, two := 0, 0
	pair := func(n int) float64 {
		if n+1 >= len(score) || l.of[n][0] != l.of[n+1][0] {
			return score[n]
		}
		sum := 0.0
		for _, c := range claim {
			list := l.at[c.term]
			if _, a := slices.BinarySearch(list, int32(n)); a {
				sum += c.weight
			} else if _, b := slices.BinarySearch(list, int32(n+1)); b {
				sum += c.weight
			}
		}
		return sum
	}
	most := 0.0
	for n := range score {
		if score[n] > score[best] {
			best = n
		}
	}
	for n := max(0, best-1); n <= best; n++ { // the best sentence with its neighbour on one side
		if p := pair(n); p > most {
			two, most = n, p
		}
	}
	w.Best, w.Two, w.All, w.Rarest = score[best]/total, most/total, w.All/total, w.Rarest/total
	w.Denied = denied != l.denied[best]

	near := append(slices.Clone(l.sequence[two]), l.after(two)...)
	place := map[term][]int{}
	for i, t := range near {
		place[t] = append(place[t], i)
	}
	pairs := 0
	for i := 1; i < len(claim); i++ {
		found := false
		for _, a := range place[claim[i-1].term] {
			for _, b := range place[claim[i].term] {
				found = found || b-a >= -2 && b-a <= 3 && a != b
			}
		}
		if found {
			pairs++
		}
	}
	w.Pairs = float64(pairs) / float64(max(1, len(claim)-1))
	longest := 0
	for i := range claim {
		for _, a := range place[claim[i].term] {
			run := 0
			for i+run < len(claim) && a+run < len(near) && claim[i+run].term == near[a+run] {
				run++
			}
			longest = max(longest, run)
		}
	}
	w.Run = float64(longest) / float64(len(claim))
	if question != "" {
		asked := collapse(question)
		n := 0
		for _, c := range claim {
			if strings.Contains(asked, collapse(c.raw)) {
				n++
			}
		}
		w.Asked = float64(n) / float64(len(claim))
	}
	if similarity != nil {
		page := l.pages[l.of[best][0]]
		w.Similar = similarity(answer.Quote(span), page.Quote(page.Sentences[l.of[best][1]].Span))
	}
	return w
}

// after are the words of the sentence behind n on the same page.
func (l *lines) after(n int) []term {
	if n+1 >= len(l.of) || l.of[n][0] != l.of[n+1][0] {
		return nil
	}
	return l.sequence[n+1]
}

// collapse keeps folded letters and digits.
func collapse(s string) string {
	return strings.Map(func(r rune) rune {
		if r = text.FoldRune(r); unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// Open reports whether wording decides about the claim: what kb/fact judged by a near
// quote, by values, by a comparison or by how a source binds stays as it is.
func (w Words) Open() bool {
	return w.Ground == fact.OnWords && (w.Verdict == fact.SupportedClaim || w.Verdict == fact.UnsupportedClaim)
}

// Features are the figures as the model takes them: each in a bucket, alone and with
// those that change its meaning. The hashes are stable.
func (w Words) Features() []uint32 {
	var out []uint32
	add := func(id uint32, values ...int) {
		h := uint32(2166136261) ^ id*0x9e3779b1
		for _, v := range values {
			h = (h ^ uint32(v+1)) * 16777619
			h ^= h >> 13
		}
		out = append(out, h*0x85ebca6b)
	}
	share := func(x float64) int { return min(10, max(-1, int(math.Floor(x*10+1e-9)))) }
	few := func(n int) int { return min(n, 4) }
	log := func(n int) int { return int(math.Log2(float64(n + 1))) }
	flag := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	verdict := map[fact.Verdict]int{fact.SupportedClaim: 1, fact.UnsupportedClaim: 2, fact.ContradictedClaim: 3, fact.NoClaim: 4}[w.Verdict]
	ground := map[fact.Ground]int{fact.OnQuote: 1, fact.OnValues: 2, fact.OnStance: 3, fact.OnComparison: 4}[w.Ground]
	language := flag(w.Foreign)*2 + flag(w.Chinese)
	best, two, all := share(w.Best), share(w.Two), share(w.All)
	similar := share(w.Similar)
	add(1, verdict, ground)
	add(2, verdict, ground, share(w.Fact))
	add(3, best)
	add(4, two)
	add(5, all)
	add(6, share(w.Pairs))
	add(7, share(w.Run))
	add(8, share(2*w.Rarest))
	add(9, few(w.Missing))
	add(10, few(w.Numbers), few(w.Names))
	add(11, log(w.Length))
	add(13, similar)
	add(14, flag(w.Denied), verdict)
	add(15, language)
	add(16, share(w.Asked))
	add(17, all, log(w.Length))
	add(18, two, all)
	add(19, few(w.Missing), similar)
	add(20, verdict, ground, all)
	add(21, verdict, ground, similar)
	add(22, two, similar)
	add(23, share(w.Pairs), two)
	add(25, language, two)
	add(26, language, all)
	add(28, verdict, ground, share(w.Pairs))
	add(40)
	return out
}

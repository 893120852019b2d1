package bm25

import (
	"math"
	"strings"
	"unicode/utf8"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/text"
)

// expansionShare bounds what all expansion terms of a query may add, as a part of
// the best possible score of its own terms: they find chunks, they do not outvote
// the question.
const expansionShare = 0.3

// term is a query term with its weight: 1 for the question's own words, less for
// expansions.
type term struct {
	text   string
	hash   uint32
	own    bool // a word of the question, not of an expansion
	weight float64
	df     uint64 // chunks that hold it
	idf    float64
}

// crossing is the weight of a Chinese bigram that holds a function character or
// reaches over one: it is mostly noise, and now and then a part of a name.
const crossing = 0.3

// queryTerms returns the distinct terms of a question, stop words dropped, and of
// its expansions. When nothing but stop words is left, they are kept.
func queryTerms(s string, expansions []kb.Expansion, boost float64) []term {
	pairs := contentPairs(s)
	own := terms(s, func(bigram string) bool { return !stopHan(bigram) })
	kept := own[:0:0]
	for _, t := range own {
		if !stopLatin[t] {
			kept = append(kept, t)
		}
	}
	if len(kept) == 0 {
		kept = Terms(s)
	}
	var out []term
	seen := map[string]bool{}
	add := func(t string, weight float64, own bool) {
		if seen[t] || weight <= 0 {
			return
		}
		seen[t] = true
		out = append(out, term{text: t, hash: hash(t), weight: weight, own: own})
	}
	for _, t := range kept {
		weight := 1.0
		if first, _ := utf8.DecodeRuneInString(t); text.IsHan(first) && !pairs[t] {
			weight = crossing
		}
		add(t, weight, true)
	}
	for _, e := range expansions {
		words := Terms(e.Term)
		for _, t := range words {
			// A term of several words shares its weight among them.
			add(t, min(e.Weight, 1)*boost/math.Sqrt(float64(max(1, len(words)))), false)
		}
	}
	return out
}

// idf is the inverse document frequency for n chunks, df of which hold the term.
func idf(n, df uint64) float64 {
	df = min(df, n)
	return math.Log(1 + (float64(n)-float64(df)+0.5)/(float64(df)+0.5))
}

// coverage is the share of the best possible score of the question that a chunk
// reaches: bm25(q, d) / Σ idf·(k1+1) over the question's own terms; 0..1. A weak
// hit stays near 0 whatever else was found, so scores compare across questions.
func coverage(cfg Config, q []term, p Packed, average float64) float64 {
	best, own, added := 0.0, 0.0, 0.0
	norm := cfg.K1
	if average > 0 {
		norm = cfg.K1 * (1 - cfg.B + cfg.B*float64(p.Len())/average)
	}
	for _, t := range q {
		if t.own {
			best += t.weight * t.idf * (cfg.K1 + 1)
		}
		tf := float64(p.count(t.hash))
		if tf == 0 {
			continue
		}
		score := t.weight * t.idf * tf * (cfg.K1 + 1) / (tf + norm)
		if t.own {
			own += score
		} else {
			added += score
		}
	}
	if best == 0 {
		return 0
	}
	return math.Min(1, (own+math.Min(added, expansionShare*best))/best)
}

// contentPairs are the Chinese bigrams and lone characters of a question that lie
// between its function words.
func contentPairs(s string) map[string]bool {
	out := map[string]bool{}
	for _, t := range text.Terms(text.Fold([]rune(s))) {
		if t.Kind == text.HanPair || t.Kind == text.HanSingle {
			out[t.Text] = true
		}
	}
	return out
}

// stopHan reports whether a Chinese bigram of a question carries no content.
func stopHan(t string) bool {
	return stopBigrams[t] || strings.ContainsAny(t, stopRunes) && !content[t]
}

// stopRunes are particles: a bigram of a question with one of them is dropped
// unless it is in content.
const stopRunes = "的了吗呢么嘛吧啊呀哪谁"

// content are words with a particle's character in them.
var content = set("目的 标的 的确 的士 了解 为了 了结 末了 酒吧 吧台 网吧")

// stopBigrams are words by which Chinese asks, without content of their own.
var stopBigrams = set("什么 多少 怎么 怎样 如何 为何 几个 几种 几年 几月 几次 几天 哪些 哪个 哪里 哪年 哪种 哪位 " +
	"是否 请问 一下 以及 可以 能否 可否 这个 那个 这些 那些 谁来 被称 说明 简述 是什 是哪 是多 是谁 是如 是怎 是几 有什 有哪 有多 为什 何时 何地 何种 何人")

// stopLatin are English function and question words, stemmed as Terms stems them.
var stopLatin = set("a an the of in on at to for from by with without into onto about as is are was were be been being am " +
	"do doe did doing done has have had having will would shall should can could may might must " +
	"what which who whom whose when where why how that this these those there it it its he she they them their his her " +
	"i me my we our us you your and or but if then than so not no nor s t " +
	"mani much ani some veri also get got pleas tell")

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

package fact

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"math/big"
	"math/bits"
	"slices"
	"time"

	"suffice.dev/suffice/kb/fact/quantity"
)

// tally counts keys: a hash table with open places.
type tally struct {
	keys   []key // a power of two; 0 = free
	counts []int32
	n      int
}

func newTally(keys int) *tally {
	size := 1 << bits.Len(uint(keys+keys/2+2))
	return &tally{keys: make([]key, size), counts: make([]int32, size)}
}

func (t *tally) find(k key) int {
	mask := len(t.keys) - 1
	for i := int(k) & mask; ; i = (i + 1) & mask {
		if t.keys[i] == k || t.keys[i] == 0 {
			return i
		}
	}
}

func (t *tally) get(k key) int32 { return t.counts[t.find(k)] }

// count points to the count of a key, until the next call.
func (t *tally) count(k key) *int32 {
	i := t.find(k)
	if t.keys[i] == 0 {
		if t.n++; 4*t.n > 3*len(t.keys) {
			keys, counts := t.keys, t.counts
			t.keys, t.counts = make([]key, 2*len(keys)), make([]int32, 2*len(keys))
			for j, o := range keys {
				if o != 0 {
					at := t.find(o)
					t.keys[at], t.counts[at] = o, counts[j]
				}
			}
			i = t.find(k)
		}
		t.keys[i] = k
	}
	return &t.counts[i]
}

// sentenceCounts counts the sentences of the page by word, and by concept the words
// of it in them.
func (s *sheet) sentenceCounts() *tally {
	return s.counts.get(0, func() *tally {
		out := newTally(64)
		seen := map[string]int{}
		for n, info := range s.page.Sentences {
			for c := info.Clauses[0]; c < info.Clauses[1] && c < len(s.page.Clauses); c++ {
				for i := range s.page.Clauses[c].Terms {
					t := &s.page.Clauses[c].Terms[i]
					if seen[t.Text] == n+1 {
						continue
					}
					seen[t.Text] = n + 1
					*out.count(wordKey(t.Text))++
					if t.Synset != 0 {
						*out.count(conceptKey(t.Synset))++
					}
				}
			}
		}
		return out
	})
}

// postings lists the clauses of a page by the words, pairs and concepts that they
// have themselves.
type postings struct {
	first *tally // by key: 1 + where its clauses begin
	list  []posting
}

type posting struct {
	key    key
	clause int32
}

func (s *sheet) postings() *postings {
	return s.index.get(0, func() *postings {
		p := &postings{}
		for i := range s.page.Clauses {
			for _, k := range s.saidBag(i).keys {
				if k != 0 {
					p.list = append(p.list, posting{k, int32(i)})
				}
			}
		}
		slices.SortFunc(p.list, func(a, b posting) int {
			switch {
			case a.key < b.key:
				return -1
			case a.key > b.key:
				return 1
			}
			return int(a.clause - b.clause)
		})
		p.first = newTally(len(p.list) / 2)
		for i, x := range p.list {
			if i == 0 || p.list[i-1].key != x.key {
				*p.first.count(x.key) = int32(i + 1)
			}
		}
		return p
	})
}

// of is the clauses that have a key, in order.
func (p *postings) of(k key) []posting {
	i := int(p.first.get(k)) - 1
	if i < 0 {
		return nil
	}
	j := i + 1
	for j < len(p.list) && p.list[j].key == k {
		j++
	}
	return p.list[i:j]
}

// neighbourTerm is a telling word of a fact under which facts of the same kind of
// value are neighbours.
type neighbourTerm struct {
	key  key // of the kind of value and the word
	word key // of the word alone
}

// neighbourTerms are the telling words of the facts that may conflict with others;
// without any for those that may not.
type neighbourTerms struct {
	from  []int32 // by fact and one beyond: where its terms begin
	terms []neighbourTerm
}

func (s *sheet) neighbourTerms() *neighbourTerms {
	return s.neighbours.get(0, func() *neighbourTerms {
		out := &neighbourTerms{from: make([]int32, len(s.page.Facts)+1)}
		for i := range s.page.Facts {
			f := &s.page.Facts[i]
			out.from[i] = int32(len(out.terms))
			if f.Value.Kind == TextValue || !f.Threshold && s.scopeOnly(f) || f.Threshold && f.Value.Kind != QuantityValue {
				continue
			}
			var dim quantity.Dimension
			if f.Value.Quantity != nil {
				dim = f.Value.Quantity.Unit.Dim
			}
			kind := string(f.Value.Kind) + "\x00" + string(loose(dim))
			if f.Threshold {
				kind += "\x00"
			}
			of := wordKey(kind)
			for _, t := range f.Anchors {
				if t.Origin > Topic || light[t.Text] {
					continue
				}
				word := wordKey(t.Text)
				term := word
				if t.Synset != 0 {
					term = conceptKey(t.Synset)
				}
				out.terms = append(out.terms, neighbourTerm{mixed(uint64(of) ^ bits.RotateLeft64(uint64(term), 23)), word})
			}
		}
		out.from[len(s.page.Facts)] = int32(len(out.terms))
		return out
	})
}

// valueKey is the same for values that are alike in all but where they stand.
func (s *sheet) valueKey(i int) key {
	return *s.values.get(i, func() *key {
		v := &s.page.Facts[i].Value
		h := fnv.New64a()
		put := func(words ...string) {
			for _, w := range words {
				_ = binary.Write(h, binary.LittleEndian, int64(len(w))) // a hash takes every write
				_, _ = io.WriteString(h, w)
			}
		}
		number := func(r *big.Rat) string {
			if r == nil {
				return ""
			}
			return r.RatString()
		}
		put(string(v.Kind))
		if q := v.Quantity; q != nil {
			put(number(q.Lo), number(q.Hi), number(q.Step), number(q.Unit.Factor), string(q.Unit.Dim), q.Unit.Name, q.Unit.Per, q.Noun, q.Raw)
			_ = binary.Write(h, binary.LittleEndian, []bool{q.LoOpen, q.HiOpen, q.Approx, q.Weak, q.Discount})
			_ = binary.Write(h, binary.LittleEndian, []int64{int64(q.Delta), int64(q.Sig)})
		}
		if t := v.Time; t != nil {
			put(string(t.Kind), t.From.Format(time.RFC3339), t.To.Format(time.RFC3339), t.Text, t.Calendar, t.Grain)
		}
		if v.Kind == EntityValue {
			put(fold(v.Text))
		}
		k := mixed(h.Sum64())
		return &k
	})
}

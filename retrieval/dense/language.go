package dense

import "fmt"

// Language is what a text is written in, as far as the route tells languages apart.
type Language uint8

// The languages. A text of an unknown one is compared as it is.
const (
	Unknown Language = iota
	Chinese
	English
	languages

	gone = languages // of a row: it is deleted
)

// other is the language that questions of l are compared with apart.
func (l Language) other() Language {
	switch l {
	case Chinese:
		return English
	case English:
		return Chinese
	}
	return Unknown
}

// mean is the sum of the windows of a language.
type mean struct {
	sum   []float64
	count int
}

func (m *mean) add(row []int8, scale float32, sign int) {
	if m.sum == nil {
		m.sum = make([]float64, len(row))
	}
	m.count += sign
	by := float64(scale) * float64(sign)
	for i, x := range row {
		m.sum[i] += by * float64(x)
	}
}

// enough is how many windows of both languages are needed before their means say
// anything.
const enough = 20

// foreign is what a chunk in the other language is put behind one in the language of the
// question: with as much in common, the reader's own language is the better answer. It is
// in units of the cosine that unrelated texts of one language leave: the static embedding
// leaves nearly all, e5 a fifth.
const foreign = 0.05

// question is a question as the rows of its own language, and those of the other one,
// are compared with it.
type question struct {
	own, abroad side
	other       Language // whose rows are compared with abroad; Unknown = none
}

// side is a vector, in both forms, and what is added to its products.
type side struct {
	exact []float32
	small Vector
	shift float32

	outline outline // for sketches; zero where they are not looked at
}

func (q *question) side(l Language) *side {
	if l == q.other && l != Unknown {
		return &q.abroad
	}
	return &q.own
}

// question makes a question ready. Vectors of one language lie near each other whatever
// they say: the built-in embedding puts every passage of the question's language before
// any of the other. So against rows of the other language the question is freed of the
// mean of its own, and the product of the mean of theirs; what the question has in
// common with its own language at large is added, so that both sides compare:
//
//	(q - own)·(row - other) + q·own - foreign·(1 - own·own)
func (m *Matrix) question(query []float32, in Language) *question {
	q := &question{own: side{exact: query, small: quantize(query)}}
	other := in.other()
	if other == Unknown || m.means[in].count < enough || m.means[other].count < enough {
		return q
	}
	own, theirs := m.means[in], m.means[other]
	freed := make([]float32, len(query))
	common, toTheirs, alike := 0.0, 0.0, 0.0
	for i, x := range query {
		mine := own.sum[i] / float64(own.count)
		freed[i] = x - float32(mine)
		common += float64(x) * mine
		alike += mine * mine
		toTheirs += float64(freed[i]) * theirs.sum[i] / float64(theirs.count)
	}
	q.other = other
	q.abroad = side{exact: freed, small: quantize(freed), shift: float32(common - toTheirs - foreign*max(0, 1-alike))}
	return q
}

// Sought is a vector and the chunks that are to be compared with it: how a search
// engine is asked for what SearchIn looks at. Products are comparable among the chunks
// of one, not between them.
type Sought struct {
	Vector Vector
	In     Language // only chunks in this language; Unknown = in any
	But    Language // none in this language; Unknown = no such
}

// Sought returns what a search engine that holds the windows is asked for a question
// that is asked in a language; nothing for a question without a vector.
func (m *Matrix) Sought(query []float32, in Language) ([]Sought, error) {
	if len(query) != m.dims {
		return nil, fmt.Errorf("%w: question has %d, want %d", ErrDims, len(query), m.dims)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	q := m.question(query, in)
	var out []Sought
	if q.own.small.Scale != 0 {
		out = append(out, Sought{Vector: q.own.small, But: q.other})
	}
	if q.other != Unknown && q.abroad.small.Scale != 0 {
		out = append(out, Sought{Vector: q.abroad.small, In: q.other})
	}
	return out, nil
}

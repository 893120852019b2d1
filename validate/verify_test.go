package validate_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/kb/reading"
	"suffice.dev/suffice/model/embed"
	"suffice.dev/suffice/model/linear"
	"suffice.dev/suffice/models/wording"
	"suffice.dev/suffice/text/lexicon"
	"suffice.dev/suffice/validate"
)

func open(t testing.TB) *validate.Local {
	t.Helper()
	model, err := embed.Static()
	if err != nil {
		t.Fatal(err)
	}
	words, err := linear.Decode(wording.Model)
	if err != nil {
		t.Fatal(err)
	}
	v, err := validate.New(validate.Default(), reading.New(fact.New(fact.Config{Dictionary: lexicon.Default(), Similarity: model.Similarity}), 0, nil),
		validate.Options{Similarity: model.Similarity, Rarity: model.Rarity, Wording: words})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// load reads a table and refuses fields that it does not know.
func load[T any](t testing.TB, path string) []T {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	var out []T
	if err := d.Decode(&out); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return out
}

type passage struct {
	ID, Text, Title, Kind string
	ValidFrom             string `yaml:"valid_from"`
}

func passages(t testing.TB, in []passage) []kb.Passage {
	t.Helper()
	var out []kb.Passage
	for _, p := range in {
		q := kb.Passage{ID: p.ID, Text: p.Text, Title: p.Title, Kind: p.Kind}
		if p.ValidFrom != "" {
			day, err := kb.ParseDay(p.ValidFrom)
			if err != nil {
				t.Fatal(err)
			}
			q.ValidFrom = day
		}
		out = append(out, q)
	}
	return out
}

type verifyCase struct {
	Name     string
	Passages []passage
	Answer   string
	Verdict  string              // exactly this
	Not      string              // anything but this
	Claims   map[string]string   // part of a claim: its verdict
	Cites    map[string][]string // part of a claim: the passages of its citations
	Cited    map[string][]string // part of a claim: the passages of its marks
	Reason   map[string]string   // part of a claim: part of its reason
}

func TestVerify(t *testing.T) {
	v := open(t)
	for _, c := range load[verifyCase](t, "testdata/verify.yaml") {
		t.Run(c.Name, func(t *testing.T) {
			given := passages(t, c.Passages)
			got, err := v.Verify(t.Context(), kb.VerifyRequest{Answer: c.Answer, Passages: given})
			if err != nil {
				t.Fatal(err)
			}
			if c.Verdict == "" && c.Not == "" {
				t.Fatal("the case asks for nothing")
			}
			if c.Verdict != "" && string(got.Verdict) != c.Verdict || c.Not != "" && string(got.Verdict) == c.Not {
				t.Errorf("verdict %s, want %s, not %s: %+v", got.Verdict, c.Verdict, c.Not, got.Claims)
			}
			find := func(part string) kb.Claim {
				for _, x := range got.Claims {
					if strings.Contains(x.Text, part) {
						return x
					}
				}
				t.Fatalf("no claim has %q: %+v", part, got.Claims)
				return kb.Claim{}
			}
			for part, want := range c.Claims {
				if x := find(part); string(x.Verdict) != want {
					t.Errorf("claim %q is %s (%s), want %s", x.Text, x.Verdict, x.Reason, want)
				}
			}
			for part, want := range c.Cites {
				var ids []string
				for _, e := range find(part).Citations {
					ids = append(ids, e.PassageID)
				}
				for _, id := range want {
					if !slices.Contains(ids, id) {
						t.Errorf("%q cites %v, want %s", part, ids, id)
					}
				}
				for _, id := range c.Cited[part] {
					if slices.Contains(ids, id) && !slices.Contains(want, id) {
						t.Errorf("%q cites %v, the wrongly marked %s among them", part, ids, id)
					}
				}
			}
			for part, want := range c.Cited {
				if x := find(part); !slices.Equal(x.Cited, want) {
					t.Errorf("%q is marked %v, want %v", part, x.Cited, want)
				}
			}
			for part, want := range c.Reason {
				if x := find(part); !strings.Contains(x.Reason, want) {
					t.Errorf("%q: reason %q lacks %q", part, x.Reason, want)
				}
			}
			exact(t, c.Answer, got.Claims, given)
		})
	}
}

// exact checks that claims and quotes are the spans that they name.
func exact(t *testing.T, answer string, claims []kb.Claim, given []kb.Passage) {
	t.Helper()
	text := map[string][]rune{}
	for _, p := range given {
		text[p.ID] = []rune(p.Text)
	}
	runes := []rune(answer)
	for _, c := range claims {
		if string(runes[c.Start:c.End]) != c.Text {
			t.Errorf("claim %q stands at %q", c.Text, string(runes[c.Start:c.End]))
		}
		for _, e := range c.Citations {
			if string(text[e.PassageID][e.Start:e.End]) != e.Quote {
				t.Errorf("quote %q stands at %q", e.Quote, string(text[e.PassageID][e.Start:e.End]))
			}
		}
	}
}

func TestVerifyWithoutPassages(t *testing.T) {
	got, err := open(t).Verify(t.Context(), kb.VerifyRequest{Answer: "The Ilmen wing has 120 beds."})
	if err != nil {
		t.Fatal(err)
	}
	if got.Verdict != kb.Unsupported || got.Support != 0 {
		t.Errorf("verdict %s, support %v; want UNSUPPORTED, 0", got.Verdict, got.Support)
	}
}

// BenchmarkVerify judges an answer of five sentences over five passages of one
// paragraph each, the passages read before.
func BenchmarkVerify(b *testing.B) {
	v := open(b)
	given := []kb.Passage{
		{ID: "1", Text: "Guests of the Larkin house can check in from 14:00 and check out until 10:30. A later departure is possible on request and costs half the rate of a night. Luggage is kept free of charge at the desk."},
		{ID: "2", Text: "The garage of the Larkin house has 24 places, which cannot be booked. Vans higher than 2.1 m do not fit and are parked in the yard. Two charging posts are available, paid by card."},
		{ID: "3", Text: "Dogs are welcome at the Larkin house and cost 9 euros a night. They are not allowed in the dining room, guide dogs excepted. The desk keeps a list of walks in the valley."},
		{ID: "4", Text: "栎园旅舍共有客房38间，其中家庭房6间。房费含早餐，早餐时间为7时至10时。未满六周岁的儿童与成人同住的，不另收费；加床每晚收费60元。"},
		{ID: "5", Text: "旅舍的洗衣房在地下一层，每次收费15元，22时以后不得使用。自行车可以免费停放，但电动自行车须停在院外的充电棚，充电每小时收费1元。"},
	}
	answer := "Guests can check in from 14:00. The garage has 24 places [2]. Dogs cost 12 euros a night [3]. 栎园旅舍共有客房38间。洗衣房每次收费15元，22时以后不得使用。"
	for b.Loop() {
		if _, err := v.Verify(b.Context(), kb.VerifyRequest{Answer: answer, Passages: given}); err != nil {
			b.Fatal(err)
		}
	}
}

// readerAndJoint are the reader of facts and a joint in which a vote alone decides what facts leave open.
func readerAndJoint(t *testing.T) (*reading.Reader, *validate.Joint) {
	t.Helper()
	static, err := embed.Static()
	if err != nil {
		t.Fatal(err)
	}
	reader := reading.New(fact.New(fact.Config{Dictionary: lexicon.Default(), Similarity: static.Similarity}), 0, nil)
	joint, err := validate.DecodeJoint([]byte(`{"supported": {"ground": {"UNSUPPORTED/words": 0, "UNSUPPORTED/stance": 0, "UNSUPPORTED/values": 0}, "words": 0, "yes": 1, "no": 0},
		"contradicted": {"ground": {}, "words": 0, "yes": 0, "no": 1}, "supported_from": 0.6, "kept_from": 0.2, "contradicted_from": 0.6, "denied_from": 0.9}`))
	if err != nil {
		t.Fatal(err)
	}
	return reader, joint
}

// TestReader: a reader is asked only where facts and words leave doubt; what it says
// decides there, what facts exclude stays excluded, and one that is down is left out.
func TestReader(t *testing.T) {
	reader, joint := readerAndJoint(t)
	given := []kb.Passage{{ID: "a", Text: "The Tolm baths have 7 pools. Visitors leave their shoes at the door."}}
	for name, c := range map[string]struct {
		answer string
		vote   validate.Vote
		err    error
		want   kb.Verdict
		asked  int
	}{
		"it supports other words":          {"Guests remove footwear upon entry.", validate.Vote{Supported: 0.95}, nil, kb.Supported, 1},
		"it does not":                      {"Guests remove footwear upon entry.", validate.Vote{Supported: 0.02, NotStated: 0.98}, nil, kb.Unsupported, 1},
		"it says otherwise":                {"Guests keep their footwear on inside.", validate.Vote{Supported: 0.02, Contradicted: 0.97}, nil, kb.Contradicted, 1},
		"it is down":                       {"Guests remove footwear upon entry.", validate.Vote{}, errors.New("no memory"), kb.Unsupported, 1},
		"a number that is excluded":        {"The Tolm baths have 9 pools.", validate.Vote{Supported: 0.95}, nil, kb.Contradicted, 0},
		"a sentence as it stands is clear": {"The Tolm baths have 7 pools.", validate.Vote{Supported: 0.02}, nil, kb.Supported, 0},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			v, err := validate.New(validate.Default(), reader, validate.Options{Joint: joint, Votes: func(_ context.Context, _ string, passages []string) ([]validate.Vote, error) {
				asked++
				return slices.Repeat([]validate.Vote{c.vote}, len(passages)), c.err
			}})
			if err != nil {
				t.Fatal(err)
			}
			got, err := v.Verify(t.Context(), kb.VerifyRequest{Answer: c.answer, Passages: given})
			if err != nil {
				t.Fatal(err)
			}
			if got.Verdict != c.want || asked != c.asked {
				t.Errorf("verdict %s, reader asked %d times; want %s and %d: %+v", got.Verdict, asked, c.want, c.asked, got.Claims)
			}
			exact(t, c.answer, got.Claims, given)
		})
	}
}

// TestWhatTheReaderIsAsked: values are told in the words of the passage, what no longer holds is not read,
// nor what is of something else.
func TestWhatTheReaderIsAsked(t *testing.T) {
	reader, joint := readerAndJoint(t)
	pools := kb.Passage{ID: "a", Text: "The Tolm baths have 7 pools. Lorries heavier than 2.5 tonnes are sent away from the yard of the baths."}
	for name, c := range map[string]struct {
		passages []kb.Passage
		answer   string
		claim    string // as the reader reads it
		read     []string
	}{
		"another unit": {[]kb.Passage{pools}, "No lorry that weighs 2,500 kg has a place in the yard.", "No lorry that weighs 2.5 tonnes has a place in the yard.", []string{"a"}},
		"a passage of something else is left out": {[]kb.Passage{pools, {ID: "b", Text: "The orchard keeps bees and sells honey at the gate."}},
			"Lorries of great weight may not park in the yard of the baths.", "Lorries of great weight may not park in the yard of the baths.", []string{"a"}},
		"one that is superseded, too": {[]kb.Passage{{ID: "b", Text: "Lorries of any weight may stand in the yard of the baths."}, {ID: "a", Text: pools.Text, Supersedes: []string{"b"}}},
			"Lorries of great weight may not park in the yard of the baths.", "Lorries of great weight may not park in the yard of the baths.", []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			var asked, read []string
			v, err := validate.New(validate.Default(), reader, validate.Options{Joint: joint, Votes: func(_ context.Context, claim string, passages []string) ([]validate.Vote, error) {
				asked = append(asked, claim)
				for _, text := range passages {
					for _, p := range c.passages {
						if strings.Contains(text, p.Text) {
							read = append(read, p.ID)
						}
					}
				}
				return make([]validate.Vote, len(passages)), nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := v.Verify(t.Context(), kb.VerifyRequest{Answer: c.answer, Passages: c.passages, AsOf: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{c.claim}, asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.read, read); diff != "" {
				t.Errorf("read (-want +got):\n%s", diff)
			}
		})
	}
}

// TestReaderOfLongClaims: of a long claim the reader is asked part by part, each with the
// subject it takes from the others, and the claim is as true as its worst part.
func TestReaderOfLongClaims(t *testing.T) {
	static, err := embed.Static()
	if err != nil {
		t.Fatal(err)
	}
	reader := reading.New(fact.New(fact.Config{Dictionary: lexicon.Default(), Similarity: static.Similarity}), 0, nil)
	joint, err := validate.DecodeJoint([]byte(`{"supported": {"ground": {"UNSUPPORTED/words": 0, "UNSUPPORTED/stance": 0, "UNSUPPORTED/values": 0, "UNSUPPORTED/comparison": 0}, "words": 0, "yes": 1, "no": 0},
		"contradicted": {"ground": {}, "words": 0, "yes": 0, "no": 1}, "supported_from": 0.6, "kept_from": 0.2, "contradicted_from": 0.6, "denied_from": 0.9}`))
	if err != nil {
		t.Fatal(err)
	}
	given := []kb.Passage{{ID: "a", Text: "Visitors of the Tolm baths leave their shoes at the door. Whoever has paid once that day is let in again. Food is eaten in the garden."}}
	const claim = "Guests must remove footwear upon entry, may come back later without another charge, and must consume meals they brought along outdoors."
	parts := []string{"Guests must remove footwear upon entry", "Guests may come back later without another charge", "Guests must consume meals they brought along outdoors"}
	yes, silent, no := validate.Vote{Supported: 0.95}, validate.Vote{Supported: 0.02, NotStated: 0.98}, validate.Vote{Contradicted: 0.97}
	for name, c := range map[string]struct {
		votes []validate.Vote
		want  kb.Verdict
	}{
		"all parts":                     {[]validate.Vote{yes, yes, yes}, kb.Supported},
		"one part without support":      {[]validate.Vote{yes, silent, yes}, kb.Unsupported},
		"one part that is contradicted": {[]validate.Vote{yes, yes, no}, kb.Contradicted},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			v, err := validate.New(validate.Default(), reader, validate.Options{Joint: joint, Votes: func(_ context.Context, said string, passages []string) ([]validate.Vote, error) {
				asked = append(asked, said)
				return slices.Repeat([]validate.Vote{c.votes[max(0, slices.Index(parts, said))]}, len(passages)), nil
			}})
			if err != nil {
				t.Fatal(err)
			}
			got, err := v.Verify(t.Context(), kb.VerifyRequest{Answer: claim, Passages: given})
			if err != nil {
				t.Fatal(err)
			}
			if got.Verdict != c.want || len(got.Claims) != 1 {
				t.Errorf("verdict %s, want %s: %+v", got.Verdict, c.want, got.Claims)
			}
			if diff := cmp.Diff(parts, asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			exact(t, claim, got.Claims, given)
		})
	}
}

func TestDecodeJointRefuses(t *testing.T) {
	for name, data := range map[string]string{
		"no JSON":          "{",
		"an unknown field": `{"supported": {"ground": {"UNSUPPORTED/words": 0}}, "supported_from": 0.5, "contradicted_from": 0.5, "denied_from": 0.9, "more": 1}`,
		"a threshold":      `{"supported": {"ground": {"UNSUPPORTED/words": 0}}, "supported_from": 1.5, "kept_from": 0.5, "contradicted_from": 0.5, "denied_from": 0.9}`,
		"nothing heard":    `{"supported_from": 0.5, "contradicted_from": 0.5, "denied_from": 0.9}`,
	} {
		if _, err := validate.DecodeJoint([]byte(data)); !errors.Is(err, validate.ErrJoint) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

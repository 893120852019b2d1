package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"suffice.dev/suffice/validate"
)

// schema is a JSON Schema with the name under which it is sent.
type schema struct {
	name string
	body json.RawMessage
}

// field is a property of an object; a server that enforces a schema writes the
// properties in its order, so it is part of the schema.
type field struct {
	name string
	of   any
}

// fields are the properties of an object, all required, as JSON in their order.
type fields []field

// MarshalJSON writes the JSON Schema of the object.
func (f fields) MarshalJSON() ([]byte, error) {
	names := make([]string, len(f))
	properties := []byte{'{'}
	for i, x := range f {
		names[i] = x.name
		name, err := json.Marshal(x.name)
		if err != nil {
			return nil, err
		}
		of, err := json.Marshal(x.of)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			properties = append(properties, ',')
		}
		properties = append(append(append(properties, name...), ':'), of...)
	}
	return json.Marshal(map[string]any{"type": "object", "additionalProperties": false, "required": names, "properties": json.RawMessage(append(properties, '}'))})
}

func newSchema(name string, of fields) *schema {
	body, err := json.Marshal(of)
	if err != nil { // strings, numbers, lists and maps of them
		panic(err)
	}
	return &schema{name: name, body: body}
}

// Longest strings and lists: what is longer would be cut off by the limit of tokens and
// then be no JSON. A fact is no longer than its passage.
const (
	factChars = 240
	factItems = 3
)

// Beyond these a schema does not list the sentences of a passage: servers refuse
// schemas that are too long.
const (
	listedItems = 60
	listedChars = 6000
)

func textOf(chars int) map[string]any { return map[string]any{"type": "string", "maxLength": chars} }

func oneOf[T any](values ...T) map[string]any { return map[string]any{"enum": values} }

func listOf(least, most int, of any) map[string]any {
	return map[string]any{"type": "array", "minItems": least, "maxItems": most, "items": of}
}

// statementSchema asks for facts in the passage's own sentences: small models copy a
// sentence that they may only choose, and invent one that they may write.
func statementSchema(p validate.Piece) *schema {
	var fact any = textOf(max(1, min(factChars, len([]rune(p.Text)))))
	if n := len([]rune(strings.Join(p.Sentences, ""))); n > 0 && n <= listedChars && len(p.Sentences) <= listedItems {
		fact = oneOf(p.Sentences...)
	}
	return newSchema("statement", fields{
		{"source", map[string]any{"type": "string", "enum": []string{p.ID}}},
		{"facts", listOf(0, factItems, fact)},
		{"confidence", oneOf(0, 0.25, 0.5, 0.75, 1)}, // a number that is to be written freely may not end
	})
}

func choiceSchema(t validate.ChooseTask) *schema {
	return newSchema("choice", fields{{"answer", listOf(1, max(1, t.Most), oneOf(t.Facts...))}})
}

func decisionSchema(ids []string) *schema {
	source := map[string]any{"type": "string", "enum": append([]string{""}, ids...)}
	side := fields{{"source", source}, {"quote", textOf(factChars)}}
	return newSchema("decision", fields{
		{"reply", map[string]any{"type": "string", "enum": []string{validate.DecideQuote, validate.DecideNotStated, validate.DecideConflict}}},
		{"source", source}, {"quote", textOf(factChars)}, {"missing", listOf(0, factItems, textOf(120))}, {"a", side}, {"b", side},
	})
}

// decode reads exactly one JSON value of the form, without unknown fields. Models that
// no grammar binds put it into a code fence; one around all of it is taken off.
func decode(text string, into any) error {
	if inner, ok := strings.CutPrefix(strings.TrimSpace(text), "```"); ok {
		if inner, ok = strings.CutSuffix(inner, "```"); ok {
			text = strings.TrimPrefix(inner, "json")
		}
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%w: no JSON of the schema", validate.ErrModelForm)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: more than one JSON value", validate.ErrModelForm)
	}
	return nil
}

// State implements validate.Model.
func (c *Client) State(ctx context.Context, t validate.StateTask) (validate.StatedFacts, error) {
	system, user, err := c.prompts.render("state", t.Language, t)
	if err != nil {
		return validate.StatedFacts{}, err
	}
	text, err := c.call(ctx, request{task: "state", system: system, user: user, schema: statementSchema(t.Piece)})
	if err != nil {
		return validate.StatedFacts{}, err
	}
	var got struct {
		Source     *string   `json:"source"`
		Facts      *[]string `json:"facts"`
		Confidence *float64  `json:"confidence"`
	}
	if err := decode(text, &got); err != nil {
		return validate.StatedFacts{}, err
	}
	switch {
	case got.Source == nil || got.Facts == nil || *got.Facts == nil || got.Confidence == nil:
		return validate.StatedFacts{}, fmt.Errorf("%w: a field is missing", validate.ErrModelForm)
	case !(*got.Confidence >= 0): // some models count in per cent; the figure is only logged
		return validate.StatedFacts{}, fmt.Errorf("%w: a confidence below 0", validate.ErrModelForm)
	}
	facts := []string{}
	for _, f := range *got.Facts { // small models say a thing twice
		if !slices.Contains(facts, f) {
			facts = append(facts, f)
		}
	}
	return validate.StatedFacts{Source: *got.Source, Facts: facts, Confidence: *got.Confidence}, nil
}

// Decide implements validate.Model.
func (c *Client) Decide(ctx context.Context, t validate.DecideTask) (validate.Decision, error) {
	system, user, err := c.prompts.render("decide", t.Language, t)
	if err != nil {
		return validate.Decision{}, err
	}
	ids := make([]string, len(t.Pieces))
	for i, p := range t.Pieces {
		ids[i] = p.ID
	}
	text, err := c.call(ctx, request{task: "decide", system: system, user: user, schema: decisionSchema(ids)})
	if err != nil {
		return validate.Decision{}, err
	}
	type side struct {
		Source string `json:"source"`
		Quote  string `json:"quote"`
	}
	var got struct {
		Reply   string   `json:"reply"`
		Source  string   `json:"source"`
		Quote   string   `json:"quote"`
		Missing []string `json:"missing"`
		A       side     `json:"a"`
		B       side     `json:"b"`
	}
	if err := decode(text, &got); err != nil {
		return validate.Decision{}, err
	}
	switch got.Reply {
	case validate.DecideQuote, validate.DecideNotStated, validate.DecideConflict:
	default:
		return validate.Decision{}, fmt.Errorf("%w: none of the three replies", validate.ErrModelForm)
	}
	return validate.Decision{Kind: got.Reply, Source: got.Source, Quote: got.Quote, Missing: got.Missing,
		A: validate.Quoted(got.A), B: validate.Quoted(got.B)}, nil
}

// Choose implements validate.Model.
func (c *Client) Choose(ctx context.Context, t validate.ChooseTask) ([]int, error) {
	system, user, err := c.prompts.render("choose", t.Language, t)
	if err != nil {
		return nil, err
	}
	text, err := c.call(ctx, request{task: "choose", system: system, user: user, schema: choiceSchema(t)})
	if err != nil {
		return nil, err
	}
	var got struct {
		Answer []string `json:"answer"`
	}
	if err := decode(text, &got); err != nil {
		return nil, err
	}
	var out []int
	for _, a := range got.Answer {
		i := slices.Index(t.Facts, a)
		if i < 0 {
			return nil, fmt.Errorf("%w: a sentence that was not given", validate.ErrModelForm)
		}
		if !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out, nil
}

// stops end an answer after which a model goes on with data or questions of its own.
var stops = []string{"<<<", "\nQuestion:", "\n问题："}

// Write implements validate.Model.
func (c *Client) Write(ctx context.Context, t validate.WriteTask, grown func(soFar string) error) (string, error) {
	system, user, err := c.prompts.render("write", t.Language, t)
	if err != nil {
		return "", err
	}
	return c.call(ctx, request{task: "write", system: system, user: user, tokens: t.Tokens, stop: stops, grown: grown})
}

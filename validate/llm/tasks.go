package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"suffice.dev/suffice/validate"
)

// schema is a JSON Schema with the name under which it is sent.
type schema struct {
	name string
	body json.RawMessage
}

// object is a JSON Schema of an object whose properties are all required.
func object(required []string, properties map[string]any) map[string]any {
	return map[string]any{"type": "object", "additionalProperties": false, "required": required, "properties": properties}
}

func newSchema(name string, of map[string]any) *schema {
	body, err := json.Marshal(of)
	if err != nil { // maps of strings, numbers and lists
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

func textOf(chars int) map[string]any { return map[string]any{"type": "string", "maxLength": chars} }

func statementSchema(p validate.Piece) *schema {
	return newSchema("statement", object([]string{"source", "facts", "confidence"}, map[string]any{
		"source":     map[string]any{"type": "string", "enum": []string{p.ID}},
		"facts":      map[string]any{"type": "array", "maxItems": factItems, "items": textOf(max(1, min(factChars, len([]rune(p.Text)))))},
		"confidence": map[string]any{"type": "number"},
	}))
}

func decisionSchema(ids []string) *schema {
	source := map[string]any{"type": "string", "enum": append([]string{""}, ids...)}
	side := object([]string{"source", "quote"}, map[string]any{"source": source, "quote": textOf(factChars)})
	return newSchema("decision", object([]string{"reply", "source", "quote", "missing", "a", "b"}, map[string]any{
		"reply":   map[string]any{"type": "string", "enum": []string{validate.DecideQuote, validate.DecideNotStated, validate.DecideConflict}},
		"source":  source,
		"quote":   textOf(factChars),
		"missing": map[string]any{"type": "array", "maxItems": factItems, "items": textOf(120)},
		"a":       side, "b": side,
	}))
}

// decode reads exactly one JSON value of the form, without unknown fields.
func decode(text string, into any) error {
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
	return validate.StatedFacts{Source: *got.Source, Facts: *got.Facts, Confidence: *got.Confidence}, nil
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

// Write implements validate.Model.
func (c *Client) Write(ctx context.Context, t validate.WriteTask, release func(soFar string) error) (string, error) {
	system, user, err := c.prompts.render("write", t.Language, t)
	if err != nil {
		return "", err
	}
	return c.call(ctx, request{task: "write", system: system, user: user, tokens: t.Tokens, released: release})
}

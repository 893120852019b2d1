package convert

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"suffice.dev/suffice/kb"
	pb "suffice.dev/suffice/proto/suffice/v1"
	"suffice.dev/suffice/services"
)

// optional is the pointer to a value, nil for the zero value.
func optional[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// known is the pointer to a value that is known even when it is zero.
func known[T any](v T) *T { return &v }

// optionalInt is optional for a number that is an int in kb.
func optionalInt(v int) *int32 { return optional(int32(v)) }

// span is the optional offsets of a span; End 0 means that there is none.
func span(start, end int) (from, to *int32) {
	if end == 0 {
		return nil, nil
	}
	return known(int32(start)), known(int32(end))
}

func day(t time.Time) *string { return optional(kb.FormatDay(t)) }

// instant is a moment as the contract writes it.
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func texts[K ~string](in []K) []string {
	if len(in) == 0 {
		return nil
	}
	out := make([]string, len(in))
	for i, v := range in {
		out[i] = string(v)
	}
	return out
}

// list changes every element; nil for an empty list.
func list[A, B any](in []A, change func(A) B) []B {
	if len(in) == 0 {
		return nil
	}
	out := make([]B, len(in))
	for i, v := range in {
		out[i] = change(v)
	}
	return out
}

// reader reads messages and keeps the first thing that was wrong.
type reader struct{ err error }

func (r *reader) fail(field, format string, args ...any) {
	if r.err == nil {
		r.err = kb.Invalid(field, format, args...)
	}
}

func (r *reader) day(field string, s *string) time.Time {
	if s == nil {
		return time.Time{}
	}
	t, err := kb.ParseDay(*s)
	if err != nil {
		r.fail(field, "%s", err)
	}
	return t
}

func (r *reader) instant(field, s string) time.Time {
	if s == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		r.fail(field, "%q is not a time; write RFC 3339", s)
		return time.Time{}
	}
	return t.UTC()
}

// text checks that a required text is there and within its limit in code points.
func (r *reader) text(field, s string, limit int) {
	if strings.TrimSpace(s) == "" {
		r.fail(field, "has no text; write some")
		return
	}
	r.length(field, s, limit)
}

func (r *reader) length(field, s string, limit int) {
	if limit <= 0 || len(s) <= limit { // bytes are never fewer than code points
		return
	}
	if n := utf8.RuneCountInString(s); n > limit {
		r.fail(field, "has %d code points; the limit is %d", n, limit)
	}
}

// number checks lo <= v <= hi.
func (r *reader) number(field string, v *float64, lo, hi float64) {
	if v == nil || (*v >= lo && *v <= hi) {
		return
	}
	r.fail(field, "%v is out of range; write %v to %v", *v, lo, hi)
}

func (r *reader) weights(field string, w *pb.Weights) *kb.Weights {
	if w == nil {
		return nil
	}
	for _, part := range []struct {
		name  string
		value float64
	}{{"dense", w.GetDense()}, {"bm25", w.GetBm25()}, {"graph", w.GetGraph()}} {
		if !(part.value >= 0) || math.IsInf(part.value, 0) { // NaN too
			r.fail(field+"."+part.name, "%v is no weight; write a number from 0", part.value)
		}
	}
	out := kb.Weights{Dense: w.GetDense(), BM25: w.GetBm25(), Graph: w.GetGraph()}
	if out == (kb.Weights{}) {
		r.fail(field, "all weights are 0; at least one must be above 0")
	}
	return &out
}

func (r *reader) routes(field string, names []string) []kb.Route {
	var out []kb.Route
	for i, name := range names {
		route := kb.Route(name)
		if !slices.Contains(kb.Routes, route) {
			r.fail(index(field, i), "%q is no route; write dense, bm25 or graph", name)
		}
		out = append(out, route)
	}
	return out
}

func (r *reader) names(field string, in []string) []string {
	for i, name := range in {
		if strings.TrimSpace(name) == "" {
			r.fail(index(field, i), "is empty; write a name or leave it out")
		}
	}
	return keep(in)
}

// keep is the list itself, nil for an empty one.
func keep[T any](in []T) []T {
	if len(in) == 0 {
		return nil
	}
	return in
}

func toWeights(w kb.Weights) *pb.Weights {
	return &pb.Weights{Dense: known(w.Dense), Bm25: known(w.BM25), Graph: known(w.Graph)}
}

func toDegraded(in []kb.Degraded) []*pb.Degraded {
	return list(in, func(d kb.Degraded) *pb.Degraded { return &pb.Degraded{Part: d.Part, Reason: d.Reason} })
}

func fromDegraded(in []*pb.Degraded) []kb.Degraded {
	return list(in, func(d *pb.Degraded) kb.Degraded { return kb.Degraded{Part: d.GetPart(), Reason: d.GetReason()} })
}

func toHits(in map[kb.Route]int) map[string]int32 {
	if len(in) == 0 {
		return nil
	}
	out := make(map[string]int32, len(in))
	for route, n := range in {
		out[string(route)] = int32(n)
	}
	return out
}

func fromHits(in map[string]int32) map[kb.Route]int {
	if len(in) == 0 {
		return nil
	}
	out := make(map[kb.Route]int, len(in))
	for route, n := range in {
		out[kb.Route(route)] = int(n)
	}
	return out
}

func toTurns(in []kb.Turn) []*pb.Turn {
	return list(in, func(t kb.Turn) *pb.Turn { return &pb.Turn{Question: t.Question, Answer: optional(t.Answer)} })
}

// turns reads a conversation; limits nil checks nothing.
func (r *reader) turns(field string, in []*pb.Turn, limits *services.Limits) []kb.Turn {
	var out []kb.Turn
	for i, t := range in {
		if limits != nil {
			at := index(field, i)
			r.text(at+".question", t.GetQuestion(), limits.Question)
			r.length(at+".answer", t.GetAnswer(), limits.Answer)
		}
		out = append(out, kb.Turn{Question: t.GetQuestion(), Answer: t.GetAnswer()})
	}
	return out
}

// ToVersions is the message of the versions.
func ToVersions(v kb.Versions) *pb.Versions {
	return &pb.Versions{
		Server: v.Server, Commit: v.Commit, Snapshot: v.Snapshot, Config: v.Config, Model: v.Model, Arm: optional(v.Arm),
	}
}

// FromVersions reads the versions.
func FromVersions(v *pb.Versions) kb.Versions {
	return kb.Versions{
		Server: v.GetServer(), Commit: v.GetCommit(), Snapshot: v.GetSnapshot(), Config: v.GetConfig(), Model: v.GetModel(), Arm: v.GetArm(),
	}
}

// validity checks that an interval does not end before it begins.
func (r *reader) validity(field string, from, to time.Time) {
	if !from.IsZero() && !to.IsZero() && to.Before(from) {
		r.fail(at(field, "valid_to"), "%s is before valid_from, %s", kb.FormatDay(to), kb.FormatDay(from))
	}
}

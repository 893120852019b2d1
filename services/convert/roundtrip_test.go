package convert_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"suffice.dev/suffice/kb"
	pb "suffice.dev/suffice/proto/suffice/v1"
	"suffice.dev/suffice/services"
	"suffice.dev/suffice/services/convert"
)

// constants are the values of the typed strings of kb.
var constants = map[reflect.Type][]string{
	reflect.TypeFor[kb.Class]():              {"NUMERIC", "COMPARISON", "DEFINITION", "STEPS", "CAUSE", "EFFECT", "CONDITION", "EXCEPTION", "TIMELINESS", "REGION", "SUBJECT", "VAGUE"},
	reflect.TypeFor[kb.Risk]():               {"HIGH", "MEDIUM", "LOW"},
	reflect.TypeFor[kb.Role]():               {"GIVEN", "ASKED"},
	reflect.TypeFor[kb.Expect]():             {"", "QUANTITY", "TIME", "DURATION", "ENTITY", "PLACE", "BOOLEAN", "TEXT", "LIST"},
	reflect.TypeFor[kb.Route]():              {"dense", "bm25", "graph"},
	reflect.TypeFor[kb.SlotState]():          {"FILLED", "AMBIGUOUS", "EMPTY"},
	reflect.TypeFor[kb.ConflictKind]():       {"VALUE", "TIME", "SCOPE", "POLARITY", "MODALITY", "ENTITY", "ORDER", "UNIT", "CONDITION", "STATUS", "QUANTIFIER", "VERSION"},
	reflect.TypeFor[kb.Resolution]():         {"SUPERSEDED", "AUTHORITY", "NEWER", "UNRESOLVED"},
	reflect.TypeFor[kb.StaleReason]():        {"EXPIRED", "NOT_YET_VALID", "SUPERSEDED"},
	reflect.TypeFor[kb.ContributionMethod](): {"SAABAS", "TREE_SHAP"},
	reflect.TypeFor[kb.Outcome]():            {"ANSWERED", "PARTIAL", "INSUFFICIENT", "CONFLICTING", "CLARIFY"},
	reflect.TypeFor[kb.ClaimVerdict]():       {"SUPPORTED", "UNSUPPORTED", "CONTRADICTED", "NOT_A_CLAIM"},
	reflect.TypeFor[kb.Verdict]():            {"SUPPORTED", "PARTIALLY_SUPPORTED", "UNSUPPORTED", "CONTRADICTED", "NO_CLAIMS"},
	reflect.TypeFor[kb.GapKind]():            {"MISSING", "CONFLICT", "STALE"},
	reflect.TypeFor[kb.GapState]():           {"OPEN", "RESOLVED", "DISMISSED"},
	reflect.TypeFor[kb.FailurePolicy](): {
		"DEGRADE", "FAIL",
	},
}

// filler makes values of kb types. full leaves no field at its zero value, so that
// a field that a message does not carry shows at once.
type filler struct {
	*rand.Rand
	full bool
}

func (f filler) some() bool { return f.full || f.IntN(3) > 0 }

func (f filler) word() string {
	words := []string{"x", "年假", "rate 3%", "🙂", "a b", "条件「一」", "naïve", "0"}
	return words[f.IntN(len(words))]
}

// instants are the fields that hold a moment and not a day.
var instants = map[string]bool{"IngestedAt": true, "FirstSeen": true, "LastSeen": true, "At": true, "CreatedAt": true}

func (f filler) fill(v reflect.Value, name string) {
	switch v.Type() {
	case reflect.TypeFor[time.Time]():
		t := time.Date(2000+f.IntN(60), time.Month(1+f.IntN(12)), 1+f.IntN(28), 0, 0, 0, 0, time.UTC)
		if instants[name] {
			t = t.Add(time.Duration(f.Int64N(int64(24 * time.Hour))))
		}
		if f.some() {
			v.Set(reflect.ValueOf(t))
		}
		return
	case reflect.TypeFor[time.Duration]():
		if f.some() {
			v.SetInt(int64(time.Duration(1+f.IntN(100_000)) * time.Millisecond))
		}
		return
	}
	switch v.Kind() {
	case reflect.String:
		if values, ok := constants[v.Type()]; ok {
			v.SetString(values[f.IntN(len(values))])
			for f.full && v.String() == "" {
				v.SetString(values[f.IntN(len(values))])
			}
		} else if name == "Kind" { // of a passage, a chunk or a review
			v.SetString([]string{"text", "table", "code"}[f.IntN(3)])
		} else if name == "ReplyLanguage" {
			v.SetString([]string{"zh", "en"}[f.IntN(2)])
		} else if f.some() {
			v.SetString(f.word())
		}
	case reflect.Int, reflect.Int64:
		if f.some() {
			v.SetInt(1 + f.Int64N(150))
		}
	case reflect.Float64:
		if f.some() {
			v.SetFloat(f.Float64() + 1e-9)
		}
	case reflect.Bool:
		v.SetBool(f.full || f.IntN(2) == 0)
	case reflect.Uint8:
		v.SetUint(uint64(f.IntN(256)))
	case reflect.Pointer:
		if f.some() {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem(), name)
		}
	case reflect.Slice:
		if !f.some() {
			return
		}
		n := 1 + f.IntN(3)
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			f.fill(v.Index(i), name)
			if v.Index(i).Kind() == reflect.String && v.Index(i).String() == "" {
				v.Index(i).SetString(f.word())
			}
		}
	case reflect.Map:
		if !f.some() {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		for range 1 + f.IntN(3) {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key, name)
			f.fill(value, name)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i), v.Type().Field(i).Name)
		}
		// A span without an end is no span.
		if start, end := v.FieldByName("Start"), v.FieldByName("End"); start.IsValid() && end.IsValid() {
			if end.Int() == 0 {
				start.SetInt(0)
			} else if start.Int() > end.Int() {
				end.SetInt(start.Int() + 1)
			}
		}
	default:
		panic(fmt.Sprintf("no filler for %s %s", name, v.Type()))
	}
}

func fill[T any](f filler) T {
	var v T
	f.fill(reflect.ValueOf(&v).Elem(), "")
	return v
}

// overWire marshals and unmarshals the message, as a call would.
func overWire[M proto.Message](t *testing.T, m M) M {
	t.Helper()
	data, err := proto.Marshal(m)
	if err != nil {
		t.Fatalf("marshal: %v", err)
	}
	out := m.ProtoReflect().New().Interface().(M)
	if err := proto.Unmarshal(data, out); err != nil {
		t.Fatalf("unmarshal: %v", err)
	}
	return out
}

func check[T any](t *testing.T, what string, want T, got T, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s changed on the wire (-want +got):\n%s", what, diff)
	}
}

var unlimited = services.Limits{TopK: 1000}

// roundTrip sends one value of every kind through its message and back.
func roundTrip(t *testing.T, f filler) {
	t.Helper()

	analysis := fill[kb.Analysis](f)
	gotAnalysis, err := convert.FromAnalysis(overWire(t, convert.ToAnalysis(analysis)))
	check(t, "analysis", analysis, gotAnalysis, err)

	now := time.Date(2031, 4, 5, 6, 7, 8, 0, time.UTC)
	retrieve := fill[kb.RetrieveRequest](f)
	if !retrieve.Deadline.IsZero() {
		retrieve.Deadline = now.Add(time.Duration(1+f.IntN(1_000_000)) * time.Microsecond)
	}
	gotRetrieve, err := convert.FromLayerRetrieve(overWire(t, convert.ToLayerRetrieve(retrieve, now)), now, unlimited)
	if retrieve.Weights != nil && *retrieve.Weights == (kb.Weights{}) {
		if err == nil {
			t.Error("all weights 0 were accepted")
		}
	} else {
		check(t, "retrieve request", retrieve, gotRetrieve, err)
	}

	retrieved := fill[kb.Retrieved](f)
	gotRetrieved, err := convert.FromRetrieved(overWire(t, convert.ToRetrieved(retrieved)))
	check(t, "retrieved", retrieved, gotRetrieved, err)

	assess := fill[kb.AssessRequest](f)
	gotAssess, err := convert.FromLayerAssess(overWire(t, convert.ToLayerAssess(assess)))
	check(t, "assess request", assess, gotAssess, err)

	assessment := fill[kb.Assessment](f)
	check(t, "assessment", assessment, convert.FromAssessment(overWire(t, convert.ToAssessment(assessment))), nil)

	answer := fill[kb.AnswerRequest](f)
	gotAnswer, err := convert.FromLayerAnswer(overWire(t, convert.ToLayerAnswer(answer)))
	check(t, "answer request", answer, gotAnswer, err)

	result := fill[kb.AnswerResult](f)
	gotResult, err := convert.FromAnswerResult(overWire(t, convert.ToAnswerResult(result)))
	check(t, "answer result", result, gotResult, err)

	verify := fill[kb.VerifyRequest](f)
	gotVerify, err := convert.FromLayerVerify(overWire(t, convert.ToLayerVerify(verify)))
	check(t, "verify request", verify, gotVerify, err)

	verification := fill[kb.Verification](f)
	check(t, "verification", verification, convert.FromVerification(overWire(t, convert.ToVerification(verification))), nil)

	versions := fill[kb.Versions](f)
	check(t, "versions", versions, convert.FromVersions(overWire(t, convert.ToVersions(versions))), nil)

	document := fill[kb.Document](f)
	gotDocument, err := convert.FromDocument(overWire(t, convert.ToDocument(document)))
	check(t, "document", document, gotDocument, err)

	change := fill[kb.DocumentChange](f)
	gotChange, err := convert.FromChange(overWire(t, convert.ToChange(change)))
	check(t, "change", change, gotChange, err)

	report := fill[kb.IngestReport](f)
	check(t, "ingest report", report, convert.FromIngestReport(overWire(t, convert.ToIngestReport(report))), nil)

	gap := fill[kb.Gap](f)
	gotGap, err := convert.FromGap(overWire(t, convert.ToGap(gap)))
	check(t, "gap", gap, gotGap, err)

	query := fill[kb.GapQuery](f)
	gotQuery, err := convert.FromGapQuery(overWire(t, convert.ToGapQuery(query)))
	check(t, "gap query", query, gotQuery, err)

	record := fill[kb.GapRecord](f)
	records, err := convert.FromGapRecords([]*pb.GapRecord{overWire(t, convert.ToGapRecord(record))})
	check(t, "gap record", []kb.GapRecord{record}, records, err)

	review := fill[kb.Review](f)
	review.Kind = []kb.ReviewKind{kb.ReviewGate, kb.ReviewConflict, kb.ReviewFeedback}[f.IntN(3)]
	gotReview, err := convert.FromReview(overWire(t, convert.ToReview(review)))
	check(t, "review", review, gotReview, err)
}

func TestEveryFieldCrossesTheWire(t *testing.T) {
	for seed := range uint64(20) {
		roundTrip(t, filler{rand.New(rand.NewPCG(seed, 1)), true})
	}
}

func FuzzRoundTrip(f *testing.F) {
	for seed := range uint64(30) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		roundTrip(t, filler{rand.New(rand.NewPCG(seed, 2)), false})
	})
}

// TestContractForms sends what the public messages carry through them and back.
func TestContractForms(t *testing.T) {
	for seed := range uint64(40) {
		f := filler{rand.New(rand.NewPCG(seed, 3)), seed%2 == 0}

		ask := fill[kb.AskRequest](f)
		ask.Passages = validPassages(f, ask.Passages)
		ask.HandedOver = ask.HandedOver || len(ask.Passages) > 0
		ask.Question = validQuestion(f, ask.Question)
		if ask.Weights != nil && *ask.Weights == (kb.Weights{}) {
			ask.Weights = nil
		}
		explain := ask.Explain // of assess alone
		ask.Explain = false
		gotAsk, err := convert.FromAskRequest(overWire(t, convert.ToAskRequest("q", ask)), unlimited)
		check(t, "ask request", ask, gotAsk, err)

		retrieve := ask
		retrieve.Passages, retrieve.HandedOver, retrieve.ReplyLanguage, retrieve.NoGaps = nil, false, "", false
		gotRetrieve, err := convert.FromRetrieveRequest(overWire(t, convert.ToRetrieveRequest("q", ask)), unlimited)
		check(t, "retrieve request", retrieve, gotRetrieve, err)

		ask.Explain = explain
		assess := kb.AskRequest{Question: ask.Question, Passages: ask.Passages, HandedOver: true, Explain: explain}
		gotAssess, err := convert.FromAssessRequest(overWire(t, convert.ToAssessRequest("q", ask)), unlimited)
		check(t, "assess request", assess, gotAssess, err)

		verify := fill[kb.VerifyRequest](f)
		verify.Passages = validPassages(f, verify.Passages)
		gotVerify, err := convert.FromVerifyRequest(overWire(t, convert.ToVerifyRequest("q", verify)), unlimited)
		check(t, "verify request", verify, gotVerify, err)

		gotQuestion, err := convert.FromPrecheckRequest(overWire(t, convert.ToPrecheckRequest("q", ask.Question)), unlimited)
		check(t, "precheck request", ask.Question, gotQuestion, err)
		gotQuestion, err = convert.FromAnalyzeRequest(overWire(t, convert.ToAnalyzeRequest(ask.Question)), unlimited)
		check(t, "analyze request", ask.Question, gotQuestion, err)

		versions := fill[kb.Versions](f)
		analysis := fill[kb.Analysis](f)
		analysis.Original = "asked"
		analysis.AsOf, analysis.Now, analysis.Modal = time.Time{}, false, false
		for i, e := range analysis.Expansions {
			analysis.Expansions[i] = kb.Expansion{Term: e.Term}
		}
		if analysis.Question == "" {
			analysis.Question = analysis.Original
		}
		if analysis.Question != analysis.Original {
			// Of a completed question, only what the asker wrote has a place, and is there again.
			for i := range analysis.Slots {
				analysis.Slots[i].Start, analysis.Slots[i].End = convert.Locate(analysis.Question, analysis.Slots[i].Value)
			}
			if analysis.Time != nil {
				analysis.Time.Start, analysis.Time.End = convert.Locate(analysis.Question, analysis.Time.Text)
			}
		}
		gotAnalysis, gotVersions, err := convert.FromPrecheckResponse("asked", overWire(t, convert.ToPrecheckResponse("q", analysis, versions)))
		check(t, "precheck response", analysis, gotAnalysis, err)
		check(t, "versions", versions, gotVersions, nil)

		retrieved := fill[kb.Retrieved](f)
		gotClass, gotRetrieved, _, err := convert.FromRetrieveResponse(overWire(t, convert.ToRetrieveResponse("q", analysis, retrieved, versions)))
		check(t, "retrieve response", retrieved, gotRetrieved, err)
		check(t, "class", kb.Analysis{Class: analysis.Class}, gotClass, nil)

		assessed := kb.Reply{
			Analysis: kb.Analysis{Class: analysis.Class}, Clarify: analysis.Clarify, Assessment: fill[kb.Assessment](f), Versions: versions,
		}
		assessed.Stale = assessed.Assessment.Stale
		check(t, "assess response", assessed, convert.FromAssessResponse(overWire(t, convert.ToAssessResponse("q", assessed))), nil)

		verification := fill[kb.Verification](f)
		gotVerification, _ := convert.FromVerifyResponse(overWire(t, convert.ToVerifyResponse("q", verification, versions)))
		check(t, "verify response", verification, gotVerification, nil)

		reply := kb.Reply{
			AnswerResult: fill[kb.AnswerResult](f), Analysis: kb.Analysis{Class: analysis.Class}, Clarify: analysis.Clarify,
			Stale: assessed.Stale, TraceID: f.word(), Timings: fill[map[string]float64](f), Versions: versions,
			Retrieved: kb.Retrieved{Weights: retrieved.Weights, Hits: retrieved.Hits, RoutesOff: retrieved.RoutesOff},
		}
		reply.Assessment = kb.Assessment{
			Outcome: reply.Outcome, Sufficient: reply.Outcome == kb.Answered, Sufficiency: 0.5, FGC: 0.25, CDS: 1, SID: 0.1,
			Slots: assessed.Assessment.Slots,
		}
		reply.Degraded = distinct(reply.Degraded)
		gotReply, err := convert.FromAskResponse(overWire(t, convert.ToAskResponse("q", reply)))
		check(t, "ask response", reply, gotReply, err)
	}
}

// validPassages makes filled passages such as a caller may hand over.
func validPassages(f filler, in []kb.Passage) []kb.Passage {
	for i := range in {
		in[i].ID = fmt.Sprintf("p%d", i)
		in[i].Text = "文" + f.word()
		in[i].Start, in[i].End = 0, 0
		in[i].ValidTo = time.Time{}
	}
	return in
}

func validQuestion(f filler, q kb.Question) kb.Question {
	q.Text = "问" + f.word()
	for i := range q.History {
		q.History[i].Question = "h" + f.word()
	}
	return q
}

func distinct(in []kb.Degraded) []kb.Degraded {
	var out []kb.Degraded
	seen := map[kb.Degraded]bool{}
	for _, d := range in {
		if !seen[d] {
			out = append(out, d)
		}
		seen[d] = true
	}
	return out
}

package batch_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"

	"suffice.dev/suffice/kb"
	pb "suffice.dev/suffice/proto/suffice/v1"
	"suffice.dev/suffice/services/batch"
)

func TestMarshal(t *testing.T) {
	tests := []struct {
		name string
		m    proto.Message
		want string
	}{
		{
			"known zeros are written, unknown values are not",
			&pb.AssessResponse{Id: "a", Outcome: pb.Outcome_OUTCOME_INSUFFICIENT, Sufficient: proto.Bool(false), Sufficiency: proto.Float64(0), Cds: proto.Float64(0)},
			`{"id":"a","outcome":"INSUFFICIENT","sufficient":false,"sufficiency":0,"cds":0,"slots":[],"missing":[],"conflicts":[],"passages":[],"degraded":[]}`,
		},
		{
			"prefixes are cut, offsets and counts are numbers",
			&pb.SlotFill{Name: "value", Role: pb.SlotRole_SLOT_ROLE_ASKED, State: pb.SlotState_SLOT_STATE_FILLED, Evidence: []*pb.Evidence{{PassageId: "p1", Quote: "5天"}}},
			`{"name":"value","role":"ASKED","state":"FILLED","evidence":[{"passage_id":"p1","start":0,"end":0,"quote":"5天"}]}`,
		},
		{
			"maps by key, floats without exponent",
			&pb.RetrieveResponse{Hits: map[string]int32{"dense": 30, "bm25": 0}, Weights: &pb.Weights{Dense: proto.Float64(0.1), Bm25: proto.Float64(100000), Graph: proto.Float64(0)}},
			`{"id":"","passages":[],"weights":{"dense":0.1,"bm25":100000,"graph":0},"hits":{"bm25":0,"dense":30},"degraded":[],"routes_off":[]}`,
		},
		{
			"one line, readable text",
			&pb.Missing{Slot: "s", Text: "a\"b\\\n\r\t\x01<&>🙂年\u2028"},
			`{"slot":"s","text":"a\"b\\\n\r\t\u0001<&>🙂年\u2028"}`,
		},
		{
			"optional lists are absent when empty",
			&pb.Claim{Text: "x", Verdict: pb.ClaimVerdict_CLAIM_VERDICT_NOT_A_CLAIM},
			`{"text":"x","start":0,"end":0,"verdict":"NOT_A_CLAIM","citations":[]}`,
		},
		{
			"passages that are handed over and empty",
			&pb.AskRequest{Question: "q", HandedOver: proto.Bool(true)},
			`{"id":"","question":"q","passages":[]}`,
		},
		{
			"passages to be retrieved",
			&pb.AskRequest{Question: "q", OnFailure: pb.FailurePolicy_FAILURE_POLICY_FAIL},
			`{"id":"","question":"q","on_failure":"FAIL"}`,
		},
		{
			"the feed's 64-bit numbers and bytes",
			&pb.DocumentChange{Seq: math.MaxInt32 + 1, Chunks: []*pb.Chunk{{Page: []byte{1, 2}}}},
			`{"seq":2147483648,"chunks":[{"ordinal":0,"text":"","start":0,"end":0,"kind":"","heading_path":[],"page":"AQI="}]}`,
		},
		{
			"an event",
			&pb.AskStreamResponse{Event: &pb.AskStreamResponse_Progress{Progress: &pb.AskProgress{Layer: "rerank"}}},
			`{"progress":{"layer":"rerank"}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := batch.Marshal(tt.m)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, strings.ReplaceAll(string(got), "\u2028", "!raw!")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !json.Valid(got) {
				t.Error("is not JSON")
			}
		})
	}
	if _, err := batch.Marshal(&pb.Claim{Probability: proto.Float64(math.NaN())}); err == nil {
		t.Error("NaN was written")
	}
}

func TestUnmarshal(t *testing.T) {
	tests := []struct {
		name  string
		into  proto.Message
		in    string
		want  proto.Message
		field string // of the error
		says  string // part of the error's message
	}{
		{"a request", new(pb.AskRequest), ` {"id":"7","question":"多少🙂","top_k":5,"weights":{"dense":1},"routes":["bm25"],"on_failure":"FAIL"} `,
			&pb.AskRequest{Id: "7", Question: "多少🙂", TopK: proto.Int32(5), Weights: &pb.Weights{Dense: proto.Float64(1)}, Routes: []string{"bm25"}, OnFailure: pb.FailurePolicy_FAILURE_POLICY_FAIL}, "", ""},
		{"null is absent", new(pb.AskRequest), `{"id":null,"question":"q","passages":null,"weights":null}`, &pb.AskRequest{Question: "q"}, "", ""},
		{"passages that are there and empty", new(pb.AskRequest), `{"question":"q","passages":[]}`, &pb.AskRequest{Question: "q", HandedOver: proto.Bool(true)}, "", ""},
		{"a whole number written otherwise", new(pb.AskRequest), `{"question":"q","top_k":1e1,"deadline_ms":250.0}`, &pb.AskRequest{Question: "q", TopK: proto.Int32(10), DeadlineMs: proto.Int32(250)}, "", ""},
		{"an enum with its prefix", new(pb.AskRequest), `{"on_failure":"FAILURE_POLICY_DEGRADE"}`, &pb.AskRequest{OnFailure: pb.FailurePolicy_FAILURE_POLICY_DEGRADE}, "", ""},
		{"escapes", new(pb.Turn), `{"question":"\u4f60\ud83d\ude42"}`, &pb.Turn{Question: "你🙂"}, "", ""},
		{"a map of messages", new(pb.Candidate), `{"routes":{"bm25":{"score":0.5,"rank":2}}}`, &pb.Candidate{Routes: map[string]*pb.RouteScore{"bm25": {Score: proto.Float64(0.5), Rank: 2}}}, "", ""},

		{"unknown field, nearly right", new(pb.VerifyRequest), `{"anwser":"x"}`, nil, "anwser", `did you mean "answer"?`},
		{"unknown field in a list", new(pb.VerifyRequest), `{"passages":[{"id":"a","text":"t"},{"id":"b","txt":"t"}]}`, nil, "passages[1].txt", `did you mean "text"?`},
		{"unknown key of weights", new(pb.AskRequest), `{"weights":{"sparse":1}}`, nil, "weights.sparse", "dense, bm25, graph"},
		{"unknown field of another command", new(pb.PrecheckRequest), `{"question":"q","passages":[]}`, nil, "passages", "id, question, as_of, history"},
		{"a field twice", new(pb.AskRequest), `{"question":"a","question":"b"}`, nil, "question", "twice"},
		{"number for a string", new(pb.AskRequest), `{"question":5}`, nil, "question", "is 5, a number; write a string"},
		{"string for a number", new(pb.AskRequest), `{"top_k":"ten"}`, nil, "top_k", `is "ten", a string; write a whole number`},
		{"fraction for a whole number", new(pb.AskRequest), `{"top_k":2.5}`, nil, "top_k", "2.5"},
		{"whole number that is too large", new(pb.AskRequest), `{"deadline_ms":3000000000}`, nil, "deadline_ms", "3000000000"},
		{"number beyond a double", new(pb.AskRequest), `{"weights":{"dense":1e999}}`, nil, "weights.dense", "1e999"},
		{"string for a boolean", new(pb.AskRequest), `{"no_gaps":"yes"}`, nil, "no_gaps", "true or false"},
		{"object for a list", new(pb.AskRequest), `{"passages":{}}`, nil, "passages", "an object; write a list"},
		{"string for an object", new(pb.AskRequest), `{"passages":["text"]}`, nil, "passages[0]", `is "text", a string; write an object`},
		{"null in a list", new(pb.AskRequest), `{"readers":["a",null]}`, nil, "readers[1]", "null"},
		{"unknown enum value", new(pb.AskRequest), `{"on_failure":"RETRY"}`, nil, "on_failure", `"RETRY" is no value of it; write one of DEGRADE, FAIL`},
		{"enum by number", new(pb.AskRequest), `{"on_failure":1}`, nil, "on_failure", "one of DEGRADE, FAIL"},
		{"two of a oneof", new(pb.AskStreamResponse), `{"progress":{},"sentence":{}}`, nil, "sentence", "beside progress"},
		{"key of a map twice", new(pb.RetrievalInfo), `{"hits":{"bm25":1,"bm25":2}}`, nil, "hits.bm25", "twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := batch.Unmarshal([]byte(tt.in), tt.into)
			if tt.want != nil {
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, tt.into, protocmp.Transform()); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				return
			}
			var invalid *kb.InvalidError
			if !errors.As(err, &invalid) {
				t.Fatalf("error %v, want an input error", err)
			}
			if invalid.Field != tt.field || !strings.Contains(invalid.Message, tt.says) {
				t.Errorf("field %q, message %q; want field %q and %q in the message", invalid.Field, invalid.Message, tt.field, tt.says)
			}
		})
	}
}

func TestUnmarshalOfNoObject(t *testing.T) {
	for _, in := range []string{"", "{", "question", `{"a":1} {"b":2}`, `{"id":"a",}`, "[1]", "null", `"q"`, "7", "{\"id\":\"\xff\"}"} {
		err := batch.Unmarshal([]byte(in), new(pb.AskRequest))
		if !errors.Is(err, batch.ErrNotObject) || !errors.Is(err, kb.ErrInvalid) {
			t.Errorf("Unmarshal(%q): error %v, want ErrNotObject", in, err)
		}
	}
}

// messages are the messages of the contract that are read or written as lines.
var messages = []proto.Message{
	&pb.AskRequest{}, &pb.AskResponse{}, &pb.RetrieveRequest{}, &pb.RetrieveResponse{}, &pb.AssessRequest{}, &pb.AssessResponse{},
	&pb.VerifyRequest{}, &pb.VerifyResponse{}, &pb.PrecheckRequest{}, &pb.PrecheckResponse{}, &pb.Document{}, &pb.Gap{},
	&pb.PutDocumentsResponse{}, &pb.DocumentChange{}, &pb.Analysis{}, &pb.Assessment{}, &pb.AnswerResult{}, &pb.Candidate{},
	&pb.AskStreamResponse{}, &pb.ListGapsResponse{},
}

// randomMessage fills the message with random values.
func randomMessage(r *rand.Rand, m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		fd := fields.Get(i)
		if r.IntN(3) == 0 || fd.Name() == "handed_over" {
			continue
		}
		switch {
		case fd.IsList():
			list := m.Mutable(fd).List()
			for range 1 + r.IntN(2) {
				list.Append(randomValue(r, fd, list.NewElement()))
			}
			if fd.FullName() == "suffice.v1.AskRequest.passages" {
				m.Set(fields.ByName("handed_over"), protoreflect.ValueOfBool(true))
			}
		case fd.IsMap():
			entries := m.Mutable(fd).Map()
			for _, key := range []string{"dense", "", "键"} {
				entries.Set(protoreflect.ValueOfString(key).MapKey(), randomValue(r, fd.MapValue(), entries.NewValue()))
			}
		default:
			m.Set(fd, randomValue(r, fd, m.NewField(fd)))
		}
	}
}

func randomValue(r *rand.Rand, fd protoreflect.FieldDescriptor, fresh protoreflect.Value) protoreflect.Value {
	switch fd.Kind() {
	case protoreflect.MessageKind:
		randomMessage(r, fresh.Message())
		return fresh
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(protoreflect.EnumNumber(1 + r.IntN(fd.Enum().Values().Len()-1)))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(r.IntN(2) == 0)
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(r.Uint32()))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(int64(r.Uint64()))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(r.NormFloat64() * math.Pow10(r.IntN(60)-30))
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte{byte(r.Uint32()), 0})
	default:
		return protoreflect.ValueOfString([]string{"", "年假\n🙂", "\u2028\u0000\"\\/<", "é\u0301", "\ufffd"}[r.IntN(5)])
	}
}

func FuzzRoundTrip(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0))
		for _, m := range messages {
			want := proto.Clone(m)
			randomMessage(r, want.ProtoReflect())
			line, err := batch.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			if strings.ContainsAny(string(line), "\n\r\u2028\u2029") {
				t.Errorf("%T is more than one line: %q", m, line)
			}
			got := proto.Clone(m)
			if err := batch.Unmarshal(line, got); err != nil {
				t.Fatalf("%T: %v\n%s", m, err, line)
			}
			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Errorf("%T (-want +got):\n%s", m, diff)
			}
		}
	})
}

// FuzzUnmarshal checks that any input gives an input error or a message that reads
// back as itself.
func FuzzUnmarshal(f *testing.F) {
	for _, seed := range []string{`{"question":"q","passages":[{"id":"a","text":"t","authority":3}]}`, `{"weights":{"dense":1e400}}`, `{"id":"\ud800"}`, "[", `{"history":[{}],"routes":[""]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var first, second pb.AskRequest
		if err := batch.Unmarshal(data, &first); err != nil {
			if !errors.Is(err, kb.ErrInvalid) {
				t.Fatalf("error %v is no input error", err)
			}
			return
		}
		line, err := batch.Marshal(&first)
		if err != nil {
			t.Fatal(err)
		}
		if err := batch.Unmarshal(line, &second); err != nil {
			t.Fatalf("%v\n%s", err, line)
		}
		second.HandedOver, first.HandedOver = nil, nil // written by the presence of passages alone
		if !proto.Equal(&first, &second) {
			t.Errorf("%s changed to %s", data, line)
		}
	})
}

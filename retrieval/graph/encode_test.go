package graph

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"suffice.dev/suffice/text"
)

func TestEncode(t *testing.T) {
	for name, edges := range map[string][]Edge{
		"none": {},
		"two that share keys": {
			{Denied: true, Sentence: text.Span{Start: 3, End: 90}, Nodes: []Node{{Key: "harrow", Weight: 1, Name: true}, {Key: "#12", Weight: 0.8}}},
			{Sentence: text.Span{Start: 90, End: 400}, Nodes: []Node{{Key: "#12", Weight: 0.25}, {Key: "轮渡", Weight: 0.6}}},
		},
		"an edge without nodes": {{Sentence: text.Span{End: 1}}},
	} {
		t.Run(name, func(t *testing.T) {
			data := Encode(edges)
			got, err := Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(edges, got, cmpopts.EquateApprox(0, 0.003), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("edges (-want +got):\n%s", diff)
			}
			for n := range data {
				if _, err := Decode(data[:n]); !errors.Is(err, ErrEncoding) {
					t.Errorf("the first %d of %d bytes: %v", n, len(data), err)
				}
			}
			if _, err := Decode(append(data[:len(data):len(data)], 0)); !errors.Is(err, ErrEncoding) {
				t.Errorf("a byte too many: %v", err)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(Encode([]Edge{{Nodes: []Node{{Key: "a", Weight: 1}}}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		edges, err := Decode(data)
		if err != nil {
			return
		}
		again, err := Decode(Encode(edges))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(edges, again, cmpopts.EquateApprox(0, 0.003), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-first +again):\n%s", diff)
		}
	})
}

func TestPhrase(t *testing.T) {
	for in, want := range map[string]string{
		"Corvane  Shipping": Phrase("corvane shipping"), "《澜汀船厂》": Phrase("澜汀船厂"), "": "", "—": "", "a": "",
	} {
		if got := Phrase(in); got != want {
			t.Errorf("Phrase(%q) = %q, want %q", in, got, want)
		}
	}
}

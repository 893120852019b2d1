package embed_test

import (
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"suffice.dev/suffice/model/embed"
)

func TestPiecesHaveTheIdsOfTokensAndTheirPlaces(t *testing.T) {
	m := model(t)
	var pieces []embed.Piece
	for _, g := range goldens(t) {
		pieces = m.AppendPieces(pieces[:0], g.Text)
		ids := []int32{}
		end, length := int32(0), int32(utf8.RuneCountInString(g.Text))
		for _, p := range pieces {
			ids = append(ids, p.ID)
			if p.Start > p.End || p.End > length || p.End < end && p.Start < p.End {
				t.Fatalf("%q: piece %v after %d, text of %d", g.Text, p, end, length)
			}
			end = max(end, p.End)
		}
		if diff := cmp.Diff(append([]int32{}, g.IDs...), ids); diff != "" {
			t.Errorf("%q (-want +got):\n%s", g.Text, diff)
		}
	}
}

func TestPiecesPointAtTheirText(t *testing.T) {
	m := model(t)
	for _, c := range []struct {
		text string
		want []string
	}{
		{"  Annual  leave", []string{"Annu", "al", "leave"}},
		{"", []string{""}},
		{"补贴 ３００元", []string{"", "补贴", "３００", "元"}},
		{"①ﬁx", []string{"①", "ﬁx"}},
	} {
		var got []string
		runes := []rune(c.text)
		for _, p := range m.AppendPieces(nil, c.text) {
			got = append(got, string(runes[p.Start:p.End]))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}

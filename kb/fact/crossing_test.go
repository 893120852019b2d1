package fact

import (
	"testing"

	"suffice.dev/suffice/text/lexicon"
)

// TestCrossing lays wordings over clauses of the other language by the built-in
// dictionary alone.
func TestCrossing(t *testing.T) {
	e := New(Config{Dictionary: lexicon.Default()})
	tests := []struct {
		name, wording, page string
		least, most         float64 // share of the wording that is told
	}{
		{"English words, Chinese page", "the registration fee for the night emergency", "夜间急诊挂号费为120元。", 0.85, 1},
		{"Chinese words, English page", "夜间急诊的挂号费", "The night emergency charges a registration fee of 120 yuan.", 0.85, 1},
		{"a sibling", "the registration fee for the night emergency", "普通住院笼位每天80元。", 0, 0.1},
		{"half of it", "泊位和押金", "The marina has 180 berths.", 0.4, 0.6},
		{"a phrase needs all its words", "年假", "The annual report is out.", 0, 0},
		{"a longer word inside a run", "vineyard bottles", "该葡萄园灌装了十四万瓶酒。", 0.9, 1},
		{"a verb with its particle behind what it is about", "turn the pump off", "水泵须关闭。", 0.85, 1},
		{"the verb alone is not told by what it means with the particle", "turn", "系统已关闭。", 0, 0},
		{"nor is a Chinese word by what a phrase leaves", "关掉", "Turn the corner.", 0, 0},
		{"a word that the dictionary cuts", "a blood donor", "献血者须年满18周岁。", 0.85, 1},
		{"a word without its function character", "larger", "更大的箱子另行收费。", 0.85, 1},
		{"what is denied is not told by the rest", "unhappy", "住户对服务很满意。", 0, 0},
		{"the name of a park says that it is one", "Hollin Park", "公园每天开放。", 0.4, 0.6},
		{"one language stays as it is", "put on the collar", "The animal must wear a muzzle.", 0, 0},
		{"one language, Chinese", "佩戴项圈", "宠物须穿上衣服。", 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBag(8)
			p := e.Read(Source{Text: tt.page})
			for i := range p.Clauses {
				b.addTerms(p.Clauses[i].Terms, 1)
			}
			if got := e.wording(tt.wording, nil).scoreOn(b); got < tt.least || got > tt.most {
				t.Errorf("%.2f of %q is told by %q, want %.2f..%.2f", got, tt.wording, tt.page, tt.least, tt.most)
			}
		})
	}
}

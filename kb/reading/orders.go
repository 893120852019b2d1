package reading

import (
	"slices"
	"strings"

	"suffice.dev/suffice/kb/fact"
	"suffice.dev/suffice/text"
)

// addressed are marks of text that speaks to a machine that answers, not to readers:
// it is no answer to anything.
var addressed = []string{"note to ai", "ai systems", "ai assistant", "language model", "chatbot", "ignore previous", "ignore all previous", "ignore the above", "ignore any previous", "previous instructions", "system prompt", "disregard the", "you must answer", "always answer", "always reply", "respond with", "reply with", "as an ai", "tell the user",
	"人工智能助手", "ai助手", "告诉用户", "ai 助手", "大模型", "语言模型", "聊天机器人", "忽略以上", "忽略之前", "忽略上述", "无视以上", "无视之前", "系统提示", "提示词", "请回答：", "必须回答", "一律回答", "请一律回复"}

// verbsOfOrder tell an instruction from a text about such systems.
var verbsOfOrder = []string{"ignore", "disregard", "answer", "reply", "respond", "say ", "output", "tell", "must", "do not mention", "instead", "回答", "回复", "忽略", "无视", "输出", "必须", "不要提", "告诉用户", "声称"}

// addressesModel reports whether a sentence gives orders to a machine that reads it.
func addressesModel(s string) bool {
	f := string(text.Fold([]rune(s)))
	has := func(words []string) bool {
		for _, w := range words {
			if strings.Contains(f, w) {
				return true
			}
		}
		return false
	}
	return (has(addressed) || slices.ContainsFunc(strings.FieldsFunc(f, notLatin), func(w string) bool { return w == "llm" || w == "llms" })) && has(verbsOfOrder)
}

// notLatin parts Latin words of folded text: an abbreviation within a name (Quillmark) addresses
// nothing, one between Chinese characters does.
func notLatin(r rune) bool { return r < 'a' || r > 'z' }

// MayOrder reports whether a page has the words of an order to a machine at all; where it
// has none, no stretch of it is one. It reads the page when it is first asked, Orders what
// lies before a stretch each time.
func MayOrder(p *fact.Page) bool {
	return p.Once("orders", func(p *fact.Page) bool { return addressesModel(string(p.Runes)) })
}

// Orders reports whether a stretch of a page gives orders to a machine, or stands in
// a paragraph behind a sentence that does: what such a note goes on to say is part of
// the order.
func Orders(p *fact.Page, span text.Span) bool {
	if addressesModel(p.Quote(span)) {
		return true
	}
	for i := len(p.Sentences) - 1; i >= 0; i-- {
		s := p.Sentences[i]
		if s.Start >= span.Start {
			continue
		}
		if strings.Contains(p.Quote(text.Span{Start: s.End, End: max(s.End, span.Start)}), "\n\n") || s.Kind == fact.HeadingLine {
			return false
		}
		if addressesModel(p.Quote(s.Span)) {
			return true
		}
	}
	return false
}

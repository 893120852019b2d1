package fact

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/text"
)

// kindSet says which facts can fill a need at all: the type of the value, and for
// textual answers the form of the clause.
type kindSet struct {
	expect  string
	dims    map[quantity.Dimension]bool // nil = any level of quantity
	extreme int                         // +1: the greatest of several is asked, -1: the least
	change  int                         // 1: the question asks for a change; -1: it does not
}

func kindsOf(n *Need) kindSet {
	k := kindSet{expect: n.Expect, change: -1}
	if hasAny(fold(n.Question), changeWords) {
		k.change = 1
	}
	k.extreme = extremeOf(fold(n.Question))
	switch q, ok := quantity.Words("2" + spaced(n.Unit)); {
	case n.Unit == "钱": // 多少钱 asks for money; the weight of that name is not meant
		k.dims = sameDims(quantity.Money)
	case n.Unit != "" && ok:
		k.dims = sameDims(q.Unit.Dim)
	}
	if k.dims == nil && n.Expect == "QUANTITY" && countsThings(n) {
		k.dims = map[quantity.Dimension]bool{quantity.Count: true, quantity.None: true}
	}
	if n.Class == "DEFINITION" && (n.Expect == "TEXT" || n.Expect == "") && measures(n.Attribute) {
		k.expect = "QUANTITY"
	}
	if k.dims == nil && (n.Expect == "QUANTITY" || n.Expect == "" && n.Class == "COMPARISON") {
		if k.dims = measuredBy(n.Attribute); k.dims != nil && n.Expect == "" {
			k.expect = "QUANTITY"
		}
	}
	if k.dims == nil && n.Expect == "" && n.Class == "COMPARISON" && comparedCost.MatchString(fold(n.Attribute)) {
		k.expect, k.dims = "QUANTITY", moneyDims()
	}
	if k.dims == nil && n.Expect == "QUANTITY" && n.Unit == "" {
		k.dims = formDims(fold(n.Question))
	}
	if k.dims == nil && n.Expect == "QUANTITY" && n.Unit == "" && (asksMoney(n.Attribute) || !n.telling() && asksMoney(n.Subject)) {
		k.dims = moneyDims()
	}
	return k
}

// comparedCost matches an attribute of a comparison that is a sum of money.
var comparedCost = regexp.MustCompile(`\b(?:costs?|prices?|fees?|fares?|charges?|deposits?|expensive|costly|cheap|cheaper|dearer)\b|费|价|钱|贵|便宜|押金|保证金|租金`)

// moneyDims are the dimensions in which a sum of money may be told: a fee may be a rate, and
// a table may leave the currency to its caption.
func moneyDims() map[quantity.Dimension]bool {
	return map[quantity.Dimension]bool{quantity.Money: true, quantity.Ratio: true, quantity.Points: true, quantity.None: true}
}

// howMany matches a question for a number of things; of some of them, a share may be told.
var (
	howMany   = regexp.MustCompile(`\bhow many (\w+)`)
	howManyOf = regexp.MustCompile(`\bhow many of\b|\bwhat (?:share|percentage)\b|百分|占|比例`)
)

// countsThings reports whether a question asks how many things there are: a length of time,
// a temperature or a sum of money is no answer to it.
func countsThings(n *Need) bool {
	f := fold(n.Question)
	if howManyOf.MatchString(f) {
		return false
	}
	if m := howMany.FindStringSubmatch(f); m != nil {
		q, ok := quantity.Words("2 " + m[1])
		return !ok || q.Unit.Dim == quantity.None || q.Unit.Dim == quantity.Count
	}
	q, ok := quantity.Words("2" + n.Unit)
	return ok && n.Unit != "" && text.IsHan(firstRune(n.Unit)) && q.Unit.Dim == quantity.Count && q.Unit.Per == ""
}

// forms are questions whose form alone says in which dimensions they are answered.
var forms = []struct {
	words []string
	dims  []quantity.Dimension
}{
	{[]string{"what percentage", "what per cent", "what percent", "what share", "what proportion", "how many per cent", "how many percent", "百分之几", "百分之多少", "几个百分点", "占比多少"}, []quantity.Dimension{quantity.Ratio}},
	{[]string{"how far", "多远"}, []quantity.Dimension{quantity.Length, quantity.Duration, quantity.Months, quantity.WorkingDays}},
	{[]string{"how heavy", "多重", "how much does it weigh"}, []quantity.Dimension{quantity.Mass}},
	{[]string{"how tall", "how wide", "how deep", "多高", "多宽", "多深"}, []quantity.Dimension{quantity.Length}},
	{[]string{"how hot", "how cold", "how warm", "多少度"}, []quantity.Dimension{quantity.Temperature}},
}

// formDims are the dimensions that the form of a folded question asks for; nil = it
// leaves them open.
func formDims(question string) map[quantity.Dimension]bool {
	for _, f := range forms {
		if !hasAny(question, f.words) {
			continue
		}
		out := map[quantity.Dimension]bool{}
		for _, d := range f.dims {
			for same := range sameDims(d) {
				out[same] = true
			}
		}
		return out
	}
	return nil
}

// spaced puts a space before a Latin unit.
func spaced(unit string) string {
	if r := firstRune(unit); r != 0 && !text.IsHan(r) && unicode.IsLetter(r) {
		return " " + unit
	}
	return unit
}

// sameDims are the dimensions in which one question may be answered: how long in
// days or in working days, how much in per cent or in points.
func sameDims(d quantity.Dimension) map[quantity.Dimension]bool {
	switch d {
	case quantity.None, quantity.Count:
		return nil
	case quantity.Duration, quantity.Months, quantity.WorkingDays:
		return map[quantity.Dimension]bool{quantity.Duration: true, quantity.Months: true, quantity.WorkingDays: true}
	case quantity.Ratio, quantity.Points:
		return map[quantity.Dimension]bool{quantity.Ratio: true, quantity.Points: true}
	}
	return map[quantity.Dimension]bool{d: true}
}

// measuredBy are the dimensions that the words of an attribute ask for (how long,
// faster, heavier), nil when they leave it open. Words for money do not decide: a fee
// may be a rate.
func measuredBy(attribute string) map[quantity.Dimension]bool {
	var out map[quantity.Dimension]bool
	for _, t := range text.Terms(text.Fold([]rune(attribute))) {
		for dim, words := range implied {
			switch dim {
			case quantity.Money, quantity.Count, quantity.Ratio, quantity.Points, quantity.Data, quantity.Volume, quantity.Area, quantity.Power:
				continue // capacity and size are said of many measures
			}
			if impliedWord(words, t.Text) {
				if out == nil {
					out = map[quantity.Dimension]bool{}
				}
				out[dim] = true
			}
		}
	}
	return out
}

// telling reports whether the attribute says more than a period (per month) or
// nothing: else the subject says what is measured.
func (n *Need) telling() bool {
	for _, t := range text.Terms(text.Fold([]rune(n.Attribute))) {
		if !light[t.Text] && !periods[t.Text] {
			return true
		}
	}
	return false
}

var periods = map[string]bool{"month": true, "year": true, "week": true, "day": true, "hour": true, "night": true, "quarter": true, "annual": true, "monthly": true,
	"每月": true, "每年": true, "每天": true, "每日": true, "每周": true, "每季": true, "每人": true, "每次": true}

// asksMoney reports whether the attribute is a sum of money: a fee, an allowance. It
// may also be stated as a rate.
func asksMoney(attribute string) bool {
	words := implied[quantity.Money]
	for _, t := range text.Terms(text.Fold([]rune(attribute))) {
		if impliedWord(words, t.Text) {
			return true
		}
	}
	for word := range strings.FieldsSeq(fold(attribute)) { // as written: a stem may be another word's (allowance, allow)
		if impliedWord(words, word) {
			return true
		}
	}
	return false
}

// measures reports whether the words of an attribute name a measure: fare, price,
// height, number. What is the fare asks for a number, not for a meaning.
func measures(attribute string) bool {
	for _, t := range text.Terms(text.Fold([]rune(attribute))) {
		for _, words := range implied {
			if impliedWord(words, t.Text) {
				return true
			}
		}
	}
	return false
}

var changeWords = []string{"增长", "下降", "增加", "减少", "上升", "上涨", "下跌", "提高", "降低", "涨幅", "降幅", "增幅", "同比", "环比", "变化", "多多少", "少多少",
	"increase", "decrease", "grow", "grew", "rise", "rose", "fall", "fell", "decline", "drop", "change", "higher", "lower", "gain", "reduc", "improv"}

func fold(s string) string { return string(text.Fold([]rune(s))) }

func hasAny(folded string, words []string) bool {
	for _, w := range words {
		if strings.Contains(folded, w) {
			return true
		}
	}
	return false
}

// admits reports whether the fact has the form of an answer to the need.
func (k *kindSet) admits(n *prepared, v *view, f *Fact) bool {
	if f.Sentence < len(v.page.Sentences) {
		switch v.page.Sentences[f.Sentence].Kind {
		case HeadingLine, HeaderRow:
			return false
		}
	}
	q := f.Value.Quantity
	if k.extreme != 0 && q != nil && v.tableCell(f) && q.Unit.Dim != quantity.Ordinal {
		return true
	}
	switch k.expect {
	case "QUANTITY", "DURATION":
		if f.Value.Kind == BooleanValue {
			return n.money && saysFree(n, v, f) || n.often && v.saysOften(f) || n.rankedIn(v, f)
		}
		if v.inTable(f) && f.Value.Quantity == nil && boundless.MatchString(strings.TrimSpace(fold(f.Value.Text))) {
			return true
		}
		if f.Value.Kind != QuantityValue || q == nil || q.Unit.Dim == quantity.Ordinal {
			return false
		}
		if k.expect == "DURATION" {
			switch q.Unit.Dim {
			case quantity.Duration, quantity.Months, quantity.WorkingDays:
				return true
			}
			return false
		}
		if q.Unit.Dim == quantity.ClockTime {
			return false
		}
		if k.dims != nil && !k.dims[q.Unit.Dim] {
			return false
		}
		if q.Delta != 0 && k.change < 0 {
			return false
		}
		if hasPlan := f.Modality == Planned; hasPlan && n.actual {
			return false
		}
		return !n.countsOther(q) && !n.onlySupposed(f)
	case "TIME":
		if f.Value.Kind == TimeValue {
			return true
		}
		if f.Value.Kind == BooleanValue { // "when must I pay back": under a condition
			return n.rule && limited(f)
		}
		if q == nil {
			return false
		}
		switch q.Unit.Dim {
		case quantity.ClockTime, quantity.Duration, quantity.Months, quantity.WorkingDays:
			return true
		}
		return false
	case "BOOLEAN":
		return f.Value.Kind == BooleanValue
	case "ENTITY", "PLACE":
		if f.Denied || n.Expect != "PLACE" && (!n.identified(v, f) || n.left(v, f)) {
			return false
		}
		if v.inTable(f) && (f.Value.Kind == TextValue || f.Value.Kind == EntityValue) {
			return n.Expect != "PLACE" || placeHeader.MatchString(fold(f.Attribute.Text)) || placeHan.MatchString(f.Value.Text)
		}
		if f.Value.Kind == EntityValue {
			c := v.clauseOf(f)
			if c == nil || !extra(n, v, f.Value.Span, append(c.Terms, f.Anchors...)) && f.Sentence < len(v.page.Sentences) && v.page.Sentences[f.Sentence].Kind != Row {
				return false
			}
			return n.Expect != "PLACE" || f.Role == Location || names(n, v, f)
		}
		return f.Value.Kind == BooleanValue && names(n, v, f)
	}
	if n.token != nil && f.Value.Kind != QuantityValue && !n.token.MatchString(v.sentenceOf(f)) {
		return false
	}
	// Textual answers: the clause must have the form that the class asks for.
	switch f.Value.Kind {
	case TextValue, BooleanValue:
		return textual(n, v, f) && says(n, v, f)
	case QuantityValue, TimeValue, EntityValue:
		return n.Expect == "" && n.Class != "DEFINITION" && n.Class != "CAUSE" && n.Class != "STEPS" && n.Class != "EFFECT" && n.Class != "EXCEPTION"
	}
	return false
}

// boundless matches a cell that answers how many or how much without a number.
var boundless = regexp.MustCompile(`^(?:不限|无限|无限制|不设上限|没有上限|免费|免收|unlimited|no limit|free|free of charge|no charge)$`)

// rankedIn reports whether a clause itself ranks the things that a question compares: A is
// longer than B, where it is asked which is longer, or shorter.
func (n *prepared) rankedIn(v *view, f *Fact) bool {
	if n.Class != "COMPARISON" || len(n.others) == 0 || v.clauseOf(f) == nil {
		return false
	}
	h := v.reachAt(f)
	if !h.compares || !slices.Contains(n.axes, h.pivot.axis) {
		return false
	}
	said := v.saidBag(f.Clause)
	for _, o := range n.others {
		if o.scoreOn(said) < leastRanked {
			return false
		}
	}
	return n.subject.scoreOn(said) >= leastRanked
}

// leastRanked is the least share of the name of each side that a clause which ranks them has.
const leastRanked = 0.8

// axesIn are the pairs of comparing words of which a folded question has one.
func axesIn(question []rune) []int {
	var out []int
	for i := range question {
		if i > 0 && !text.IsHan(question[i]) && text.IsWord(question[i]) && text.IsWord(question[i-1]) {
			continue
		}
		if _, id, ok := axes.Longest(question, i); ok {
			out = append(out, (int(id)-1)/2)
		}
	}
	return out
}

// signForms are what a question asks for that is written in signs of its own: a number to
// call, an address in a network.
var signForms = []struct{ asked, form *regexp.Regexp }{
	{regexp.MustCompile(`电话|热线的?号码|手机号|联系方式|\b(?:phone|telephone|mobile|contact|helpline|hotline) numbers?\b`), regexp.MustCompile(`\d{3,}|@`)},
	{regexp.MustCompile(`网址|网站地址|链接|邮箱(?:地址)?(?:是|叫|多少)|电子邮件地址|\b(?:web ?(?:site|page)?|internet|e-?mail) address\b|\burl\b`), regexp.MustCompile(`@|https?:|www\.|\.(?:com|cn|org|net|edu|gov|io|uk|eu)\b|[a-z0-9-]{2,}\.[a-z]{2,}|“[^”]+”`)},
	{regexp.MustCompile(`(?:初始|默认|的)密码是|\bwhat (?:is|'s) the (?:\w+ )?password\b`), regexp.MustCompile(`[0-9a-z]{4,}|后.位|前.位|“[^”]+”|"[^"]+"`)},
}

// tokenOf is the form of what a folded question asks for; nil = none of its own.
func tokenOf(question string) *regexp.Regexp {
	for _, t := range signForms {
		if t.asked.MatchString(question) && asksWhat.MatchString(question) {
			return t.form
		}
	}
	return nil
}

// asksWhat matches a question for the thing itself, not for whether or how.
var asksWhat = regexp.MustCompile(`什么|多少|哪个|\bwhat\b|\bwhich\b`)

// saysFree reports whether a clause says that nothing is charged, which answers what
// a thing costs.
func saysFree(n *prepared, v *view, f *Fact) bool {
	if v.clauseOf(f) == nil || v.marksAt(f.Clause).charge >= 0 {
		return false
	}
	for _, c := range v.page.Clauses[f.Clause].Conditions { // free under a condition that nobody asked about
		if c.Kind != Except && c.Kind != Even && n.unasked(c.Terms) {
			return false
		}
	}
	// What is free must be what was asked: no fee for a reminder says nothing of the rent.
	return n.subject.total == 0 || f.Subject.Text == "" || v.inheritedScale(v.indexOf(f), n.asked) == 1 || n.subject.scoreOn(v.saidBag(f.Clause)) >= 0.5
}

// unasked reports whether a question has none of some words.
func (n *prepared) unasked(terms []Term) bool {
	for _, t := range terms {
		if n.words.has(t.Text, t.Synset) {
			return false
		}
	}
	return len(terms) > 0
}

// counters are measure words that count something of their own, so that a value with
// one says nothing of a number of other things: 二层, 三次, 一笔.
const counters = "次层楼倍折级期届轮笔回遍成"

// countsOther reports whether a question for a number of things is met by a value of
// another counter: asked for charging points, 二层 is none.
func (n *prepared) countsOther(q *quantity.Quantity) bool {
	if !n.counting && !n.howMany {
		return false
	}
	after := firstRune(strings.TrimLeft(q.Raw, " 0123456789.,，一二三四五六七八九十百千万亿两半第约近至不超过低于少以上下内—-~～"))
	if after == 0 || !strings.ContainsRune(counters, after) {
		return false
	}
	switch after {
	case '次', '回', '遍':
		return !strings.ContainsAny(n.Question, "次回遍趟")
	case '层', '楼':
		return !strings.ContainsAny(n.Question, "层楼")
	case '倍', '成', '折': // they may stand for a sum of money
		return n.counting
	}
	return !strings.ContainsRune(n.Question, after)
}

// supposes matches a question for a bound or a condition.
var supposes = regexp.MustCompile(`至少|最少|最多|最高|最低|以上|以下|以内|满|超过|超出|达到|低于|高于|多久|多少.{0,4}(?:才|可以|就|起)|才|就|条件|门槛|起步|几天内|提前|\b(?:from what|from which|at least|at most|minimum|maximum|threshold|limit|above|below|over|under|before|until|exceed|how long|how old|qualif\w*|eligib\w*|when|if|more than|less than|needed?|required?|must)\b`)

// happened matches a question for what came about.
var happened = regexp.MustCompile(`达到了|实际|完成了|实现了|\b(?:was|were|did)\b`)

// onlySupposed reports whether a value is a bound inside a condition, and the question
// asks for no bound: if purchases reach 800,000 does not say how high they were.
func (n *prepared) onlySupposed(f *Fact) bool {
	return f.Threshold && n.noBound
}

// asksNoBound reports whether a question asks for no bound and no condition.
func asksNoBound(n *prepared) bool {
	q := fold(n.Question)
	return n.actual && happened.MatchString(q) || !supposes.MatchString(q)
}

// saysOften reports whether the clause of a fact says how often.
func (v *view) saysOften(f *Fact) bool {
	return v.clauseOf(f) != nil && v.marksAt(f.Clause).often != nil
}

// asksActual reports whether the question asks for what was, not what was planned.
func asksActual(n *Need) bool {
	q := fold(n.Question)
	return !hasAny(q, []string{"计划", "预计", "预算", "目标", "拟", "将", "plan", "budget", "target", "expect", "forecast", "will", "intend", "going to"})
}

// extra reports whether a phrase of the page holds content that the question does not
// have: something that could be the answer.
func extra(n *prepared, v *view, span text.Span, terms []Term) bool {
	han := 0
	for _, t := range terms {
		if t.Span.Empty() || !span.Contains(t.Span) || n.all == nil || n.words.has(t.Text, t.Synset) || light[t.Text] {
			continue
		}
		if t.Name {
			return true
		}
		switch r := firstRune(t.Text); {
		case text.IsHan(r):
			han++
		case unicode.IsLetter(r):
			han += 2
		}
	}
	return han >= 2
}

// names reports whether a clause names what a question for an entity or a place asks:
// a subject or a name that the question does not have, and for a place a word of
// place beside it.
func names(n *prepared, v *view, f *Fact) bool {
	c := v.clauseOf(f)
	if c == nil {
		return false
	}
	named := false
	for i := c.Facts[0]; i < c.Facts[1] && i < len(v.page.Facts); i++ {
		o := &v.page.Facts[i]
		if o.Value.Kind == EntityValue && extra(n, v, o.Value.Span, c.Terms) {
			named = true
		}
	}
	for _, t := range c.Terms {
		named = named || t.Name && !t.Span.Empty() && n.words.word(t.Text) == 0
	}
	s := v.page.Quote(c.Span)
	if n.Expect == "PLACE" {
		if placeName.MatchString(s) {
			return named
		}
		return placeHan.MatchString(s) && extra(n, v, c.Span, c.Terms)
	}
	return named || !f.Subject.Span.Empty() && extra(n, v, f.Subject.Span, c.Terms)
}

var (
	placeHeader = regexp.MustCompile(`locat|city|town|place|site|address|country|where|venue|地点|位置|地址|城市|所在|地区|区域|场所`)
	placeName   = regexp.MustCompile(`\b(?:in|at|near|on|from|to|outside|towards|into|across|throughout)\s+(?:the\s+)?(?:[a-z]+\s+(?:of|in)\s+)?(?:the\s+)?[A-Z]`)
	placeHan    = regexp.MustCompile(`位于|坐落|地处|设在|设于|地址|在[^，。；]{0,16}(?:省|市|区|县|镇|乡|村|路|街|道|楼|层|号|厅|室|馆|园|场|站|港|中心|大厦|窗口|国|州|岛)|(?:省|市|区|县|镇|乡|村|路|街|楼|层|号楼|大厦)`)
)

// Marks of textual answers, folded.
var (
	definitionMarks = []string{"是指", "指的是", "所称", "意思是", "定义为", "即为", "简称", "是一种", "是一款", "是一个", "是一项", "是由", "指在", "指为", "系指", "包括", "分为", "，指", "为：", "即",
		"means", "refers to", "is defined as", "denotes", "is a ", "is an ", "are a ", "is the ", "are the ", "consists of", "stands for", "is any", "includes", "comprises", "was a ", "was an ", "was the ", "are "}
	causeMarks = []string{"因", "由于", "原因", "导致", "所以", "为了", "为防", "以便", "以免", "鉴于", "受", "引起", "造成", "出于", "缘于", "旨在", "所致", "之故", "引发", "使得", "使",
		"because", "due to", "owing to", "since", "as a result", "caused by", "reason", "in order to", "so that", "result of", "on account of", "thanks to", "following", "to avoid", "to prevent", "to protect", "to reduce", "led to", "after "}
	effectMarks = []string{"将", "会", "被", "处", "罚", "扣", "影响", "导致", "则", "应当", "不得", "视为", "视同", "取消", "承担", "赔偿", "丧失", "终止", "失效", "造成", "损失", "可能", "不再", "按",
		"will", "shall", "may", "lead", "result", "cause", "affect", "lose", "forfeit", "pay", "charge", "penalty", "fine", "terminate", "void", "cancel", "must", "is ", "are ", "suspend", "reduce", "increase"}
	exceptionMarks = []string{"除", "例外", "不适用", "不包括", "不受", "免", "不得", "除外", "但", "不含", "不在", "不予", "无须", "不需", "另有",
		"except", "unless", "exempt", "exclud", "not apply", "does not", "do not", "other than", "apart from", "not cover", "not include", "free of", "waive", "but not", "no ", "not "}
	conditionMarks = []string{"如", "若", "满", "须", "应", "需", "条件", "凡", "方可", "才能", "可以", "凭", "符合", "仅", "只", "的，", "达到", "具有", "当", "经", "以上", "必须", "适用", "面向", "享受", "享有", "对象", "限",
		"if", "provided", "must", "require", "when", "only", "condition", "at least", "eligible", "need", "hold", "who ", "have ", "subject to", "after", "unless", "qualif", "apply", "applies", "available", "open to", "entitled"}
	stepMarks = []string{"第一步", "首先", "步骤", "点击", "登录", "提交", "填写", "打开", "选择", "进入", "携带", "办理", "申请", "然后", "再", "输入", "按", "联系", "前往", "下载", "通过", "先", "拨打", "出示", "设置", "运行", "配置", "安装", "将", "在",
		"step", "first", "click", "select", "open", "submit", "fill", "log in", "then", "enter", "choose", "go to", "apply", "send", "contact", "call", "write to", "complete", "run", "set", "use", "install", "by ", "must", "can ", "configure", "add", "create"}
)

// says reports whether the sentence of a clause says more than the question does, and
// not only where the answer is to be found.
func says(n *prepared, v *view, f *Fact) bool {
	if pointsElsewhere(v, f) {
		return false
	}
	s := v.page.Sentences[f.Sentence]
	for k := s.Clauses[0]; k < s.Clauses[1]; k++ {
		c := &v.page.Clauses[k]
		if len(c.Quantities) > 0 || len(c.Times) > 0 || !v.marksAt(k).away && extra(n, v, s.Span, c.Terms) {
			return true
		}
	}
	return f.Sentence+1 < len(v.page.Sentences) && v.page.Sentences[f.Sentence+1].Kind == Item
}

// pointsElsewhere reports whether the clause of a fact only says where the answer is
// to be found.
func pointsElsewhere(v *view, f *Fact) bool {
	return v.clauseOf(f) != nil && v.marksAt(f.Clause).away
}

var elsewhere = regexp.MustCompile(`另行(公布|通知|规定|制定|公告)|(详)?见(《|第|附)|以.{1,16}为准|(will|to) be (announced|published)|set out in|(see|listed in|found in|described in) (the )?(appendix|annex|section|schedule|catalogue|price list)`)

// elsewhereWords are words of which each form of elsewhere has one.
var elsewhereWords = []string{"另行", "见", "为准", " be ", "set out in", "see ", "listed in", "found in", "described in"}

// textual reports whether the clause has the form of an answer to a textual need:
// a cause for why, a definition for what is, an exception, a step.
func textual(n *prepared, v *view, f *Fact) bool {
	s := v.sentenceOf(f)
	if strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") {
		return false
	}
	switch n.Class {
	case "DEFINITION":
		if n.Attribute != "" { // what the rules on something are, not what a word means
			return true
		}
		return hasAny(s, definitionMarks) || f.Value.Kind == TextValue
	case "CAUSE":
		return saysCause(s)
	case "EFFECT":
		return hasAny(s, effectMarks)
	case "EXCEPTION":
		for _, c := range f.Conditions {
			if c.Kind == Except || c.Kind == Unless {
				return true
			}
		}
		if v.clauseOf(f) != nil {
			s = v.marksAt(f.Clause).folded
		}
		return f.Negative() || f.Role == Exclusion || f.Role == Member || f.Modality == NeedNot || hasAny(s, exceptionMarks)
	case "CONDITION":
		return hasAny(s, conditionMarks) || len(f.Conditions) > 0 || f.Modality != Plain
	case "STEPS":
		c := v.clauseOf(f)
		return hasAny(s, stepMarks) || c != nil && c.Imperative
	}
	return true
}

// noCause matches words that hold a mark of a cause and are none: in use, accepted, since then.
var noCause = regexp.MustCompile(`使用|行使|大使|天使|即使|使命|接受|受理|承受|享受|受托|受益|受让|受众|感受|受欢迎|基因|\bsince (?:then\b|\d|the \d|(?:early|mid|late|last|spring|summer|autumn|winter|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b)|\bafter (?:that|then|\d)|\bthe following\b`)

// saysCause reports whether a folded sentence has the form of a cause.
func saysCause(s string) bool {
	return hasAny(s, causeMarks) && hasAny(noCause.ReplaceAllString(s, " "), causeMarks)
}

// implied lists for a dimension the words that its values answer without being
// named: 12 euros answers "what does it cost", 400 g "how much does it weigh".
var implied = map[quantity.Dimension]string{
	quantity.Money:       "cost price fee charg pay paid expens rate tariff fare salari wage budget allowanc subsidi bonus deposit penalti fine rent premium 津贴 补贴 奖金 押金 罚款 工资 租金 保费 定价 费 价 收 钱 金额 费用 价格 收费 多少钱 花费 售价 票价 缴 付 交 掏 花",
	quantity.Mass:        "weigh weight heavi 重 重量",
	quantity.Length:      "far long length distanc tall high height deep depth wide width away 远 长 高 宽 深 距 距离 长度 高度 路程",
	quantity.Duration:    "long last take time durat period within term valid interval fast quick slow 间隔 隔 每隔 时间 时长 多久 期限 久 有效 有效期 耗时",
	quantity.Months:      "long last take time durat period within term valid 时间 时长 多久 期限 久 有效 有效期",
	quantity.WorkingDays: "long last take time durat period within 时间 时长 多久 期限 久",
	quantity.Speed:       "fast speed run quick 速度 快 时速",
	quantity.Temperature: "temperatur hot cold warm 温度 多少度 气温",
	quantity.Area:        "area larg big size 面积 大",
	quantity.Volume:      "volum hold capac 容量 容积",
	quantity.Data:        "size larg capac storag big 容量 大小 空间",
	quantity.Count:       "mani number count 数 数量 人数 多少 几",
	quantity.Ratio:       "percent rate share proport percentag 比例 率 占比 百分比 百分之",
	quantity.Points:      "percent rate share proport percentag point 比例 率 占比 百分比 百分点",
	quantity.Power:       "power capac output 功率 装机 容量 装机容量",
}

// ownKind are sums of money of one kind: a value whose own words name another kind is
// none of them.
var ownKind = termSetOf("fare salari wage budget allowanc subsidi bonus deposit penalti fine rent premium 津贴 补贴 奖金 押金 罚款 工资 租金 保费")

// impliedByOther covers the cells of the attribute that the dimension of a value
// implies which has another attribute of its own.
func impliedByOther(q *quantity.Quantity, w *wording, cells []float64) {
	if q.Unit.Dim != quantity.Money {
		impliedBy(q, w, cells)
		return
	}
	for word := range strings.SplitSeq(implied[quantity.Money], " ") {
		if !ownKind[word] {
			coverImplied(word, w, cells)
		}
	}
}

// impliedBy covers the cells of the attribute that the value's dimension implies.
func impliedBy(q *quantity.Quantity, w *wording, cells []float64) {
	coverImplied(implied[q.Unit.Dim], w, cells)
}

func impliedByTime(w *wording, cells []float64) {
	coverImplied("when date year day month time deadlin until since start begin end 时间 日期 何时 时候 年份 期限 截止 哪年 哪天", w, cells)
}

// rangeWords are implied by a period: when the term begins, until when it lasts.
const rangeWords = "start begin begins open commenc term end last finish 开学 开始 开课 开放 结束 截止 放假 起止 持续"

// impliedMatch is how far what a value implies stands for the word.
const impliedMatch = 0.9

func coverImplied(words string, w *wording, cells []float64) {
	if words == "" {
		return
	}
	for _, t := range w.terms {
		if !impliedWord(words, t.Text) {
			continue
		}
		for i := t.Span.Start; i < t.Span.End; i++ {
			if k := w.at[i]; k >= 0 && cells[k] < impliedMatch {
				cells[k] = impliedMatch
			}
		}
	}
}

// impliedWord reports whether a term is one of the listed words, or an inflected
// form of a Latin one (fast, faster).
func impliedWord(words, term string) bool {
	for w := range strings.SplitSeq(words, " ") {
		if w == term || len(w) >= 4 && w[0] < 0x80 && len(term) <= len(w)+3 && strings.HasPrefix(term, w) {
			return true
		}
	}
	return false
}

// stepWords number steps in words.
var stepWords = text.NewTrie(map[int16]string{
	1: "第一步|第1步|第一，|第一、|首先|step 1|step one|first step|first,|firstly", 2: "第二步|第2步|第二，|第二、|其次|step 2|step two|second step|second,|secondly",
	3: "第三步|第3步|第三，|第三、|step 3|step three|third step|third,|thirdly", 4: "第四步|第4步|第四，|第四、|step 4|step four|fourth step|fourth,",
	5: "第五步|第5步|第五，|第五、|step 5|step five|fifth step|fifth,", 6: "第六步|第6步|step 6|step six|sixth step|sixth,", 7: "第七步|第7步|step 7|step seven|seventh step", 8: "第八步|第8步|step 8|step eight|eighth step",
	9: "第九步|第9步|step 9|step nine|ninth step", 10: "第十步|第10步|step 10|step ten|tenth step", lastStep: "最后一步|最后，|finally,|lastly,|last step|final step",
})

// lastStep stands for the last step, whatever its number, and is the number of none.
const lastStep = -1

// stepNumbers lists the numbers of steps named in a text: 第一步, step 2, "Third,"; lastStep
// for the last one.
func stepNumbers(runes []rune) []int {
	folded := text.Fold(runes)
	var out []int
	for i := 0; i < len(folded); i++ {
		if i > 0 && text.IsWord(folded[i]) && text.IsWord(folded[i-1]) {
			continue
		}
		if end, n, ok := stepWords.Longest(folded, i); ok && end > i {
			out = append(out, int(n))
			i = end - 1
		}
	}
	return out
}

// enumerated counts the items that the sentence at span names one after another:
// parts between 、 or commas and "and".
func enumerated(p *Page, span text.Span) int {
	best, run := 1, 1
	for _, r := range p.Runes[span.Start:span.End] {
		switch r {
		case '、':
			run++
		case '，', ',', '和', '与', '及':
			run++
		case '。', '；', ';', '：', ':':
			run = 1
		}
		if run > best {
			best = run
		}
	}
	return best
}

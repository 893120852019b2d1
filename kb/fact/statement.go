package fact

import (
	"math/big"
	"regexp"
	"slices"
	"strings"

	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/kb/fact/when"
	"suffice.dev/suffice/text"
)

// Two clauses that share most of their words may still say opposite things by what
// they do with them: turn a comparison or a sequence round, limit a rule to other
// people or places, or name another holder of one office. This file reads those
// forms; conflict.go decides with them.

// reach is what a clause says by its form: whom or what it holds for, what it compares,
// whose name it gives.
type reach struct {
	all  text.Span // every …, throughout …; empty = none
	only text.Span // only …, reserved for …; empty = none

	pivot    pivot // the comparison of the clause, if it compares
	compares bool
	marks    uint32 // lines of holderMarks that the clause has one of

	often  *big.Rat  // how often a year; nil = not said
	office text.Span // see officeHolder

	document int // where what names the document that it stands in ends on the page; 0 = it names none

	first, second string // the two steps of its sentence, if it has two
	sequence      bool
}

// wide are words that alone say that a rule holds everywhere.
var wide = text.NewTrie(map[int16]string{1: "nationwide|worldwide|countrywide|companywide|citywide|everywhere|globally|throughout|across all|in all|at all|全国|全省|全市|全校|全球|全境|各地|全国范围|全市范围|任何地区|所有地区|不限地区"})

// reachOf finds the words of a clause, folded, that begins at a place of its page, that say
// for whom or where it holds.
func reachOf(folded []rune, start int) reach {
	cs := findCues(folded)
	var out reach
	abs := func(s, e int) text.Span {
		for e > s && (folded[e-1] == ' ' || folded[e-1] == ',') {
			e--
		}
		return text.Span{Start: start + s, End: start + e}
	}
	until := func(i, from int) int { // the next cue that ends a noun phrase
		for _, n := range cs[i+1:] {
			if n.Start < from+1 {
				continue
			}
			switch n.class {
			case andCue, adverb, all, some, pronoun, keep:
				continue
			case prep:
				if text.IsHan(folded[n.Start]) {
					continue
				}
			}
			return n.Start
		}
		for k := from + 4; k < len(folded); k++ { // 只有一号楼接通了燃气: a verb of two characters stands before 了
			if folded[k] == '了' {
				return k - 2
			}
		}
		return len(folded)
	}
	for i, c := range cs {
		switch c.class {
		case only, onlyFor:
			if !out.only.Empty() {
				continue
			}
			end := until(i, c.End)
			if strings.TrimSpace(strings.Trim(string(folded[c.End:]), ".。 ")) == "" { // in Austria and Denmark only
				for k := i - 1; k >= 0; k-- {
					if cs[k].class == prep || cs[k].class == place {
						out.only = abs(cs[k].Start, c.End)
						break
					}
				}
				continue
			}
			if c.class == only { // "only in the north": the preposition belongs to it
				for k := i + 1; k < len(cs) && cs[k].Start <= c.End+1; k++ {
					if cs[k].class == prep || cs[k].class == place || cs[k].class == some {
						end = until(k, cs[k].End)
					}
				}
			}
			if c.class == only && end < len(folded) && !text.IsHan(folded[c.Start]) { // only to streets on a bus route: what tells which
				for k := i + 1; k < len(cs) && cs[k].Start <= end; k++ {
					if cs[k].Start == end && cs[k].class == prep && string(folded[cs[k].Start:cs[k].End]) != "from" {
						end = until(k, cs[k].End)
					}
				}
			}
			out.only = abs(c.Start, end)
		case all:
			switch string(folded[c.Start:c.End]) {
			case "均", "皆", "都", "一律", "always", "both", "each":
				if out.all.Empty() {
					out.all = abs(c.Start, c.End)
				}
				continue
			}
			if out.all.Len() <= 2 {
				out.all = abs(c.Start, until(i, c.End))
			}
		}
	}
	if out.all.Empty() {
		for i := range folded {
			if end, _, ok := wide.Longest(folded, i); ok && (i == 0 || !text.IsWord(folded[i-1]) || text.IsHan(folded[i])) {
				k := 0
				for k < len(cs) && cs[k].Start < end {
					k++
				}
				out.all = abs(i, until(k-1, end))
				break
			}
		}
	}
	return out
}

// axes are pairs of words for the two directions of one comparison.
var axes = buildAxes([][2]string{
	{"more|higher|greater|larger|bigger|above|exceeds|exceed|dearer|costlier|pricier|more expensive|outnumber|高于|大于|多于|超过|高|多|大|贵", "less|lower|smaller|fewer|below|cheaper|inferior|低于|小于|少于|低|少|小|便宜"},
	{"longer|长于|更长|长", "shorter|短于|更短|短"},
	{"heavier|重于|更重|重", "lighter|轻于|更轻|轻"},
	{"faster|quicker|快于|更快|快", "slower|慢于|更慢|慢"},
	{"earlier than|before|prior to|sooner than|ahead of|precedes|早于|先于|之前|以前|前|早", "later than|after|following|follows|晚于|迟于|之后|以后|后|晚"},
	{"older|elder", "younger|newer"},
	{"better|stronger|superior|优于|强于|胜过|好", "worse|weaker|劣于|弱于|不如|不及|差"},
	{"nearer|closer|近于|近", "farther|further|远于|远"},
	{"wider|broader|宽于|宽", "narrower|窄于|窄"},
	{"hotter|warmer|热", "colder|cooler|冷"},
	{"deeper|深于|深", "shallower|浅于|浅"},
	{"louder|noisier|吵", "quieter|静"},
	{"thicker|厚", "thinner|薄"},
})

func buildAxes(pairs [][2]string) *text.Trie {
	phrases := map[int16]string{}
	for i, p := range pairs {
		phrases[int16(2*i+1)], phrases[int16(2*i+2)] = p[0], p[1]
	}
	return text.NewTrie(phrases)
}

// pivot is the comparing word of a clause with what stands on its two sides.
type pivot struct {
	axis, side  int // which pair of words, and which of its two directions
	left, right text.Span
	word        text.Span
	order       bool // of time: before and after
}

// pivotOf finds the comparison of a clause, folded, that begins at a place of its page; ok is
// false when it compares nothing.
func pivotOf(folded []rune, start int) (p pivot, ok bool) {
	abs := func(s, e int) text.Span { return text.Span{Start: start + s, End: start + e} }
	than := -1
	for i, r := range folded {
		if r == '比' && i > 0 && i+1 < len(folded) && !strings.ContainsRune("例较如率重价分喻赛", folded[i+1]) || r == 't' && i+4 < len(folded) && string(folded[i:i+5]) == "than " && i > 0 && folded[i-1] == ' ' {
			than = i
			break
		}
	}
	for i := 0; i < len(folded); i++ {
		if i > 0 && text.IsWord(folded[i]) && text.IsWord(folded[i-1]) && !text.IsHan(folded[i]) {
			continue
		}
		end, id, found := axes.Longest(folded, i)
		if !found {
			continue
		}
		han := text.IsHan(folded[i])
		p.axis, p.side = (int(id)-1)/2, (int(id)-1)%2
		p.order = p.axis == 4
		p.word = abs(i, end)
		switch {
		case han && than >= 0 && than < i: // A比B高
			p.left, p.right = abs(0, than), abs(than+1, i)
		case han && end-i == 2 && (folded[i] == '之' || folded[i] == '以'): // 在B之前
			k := i
			for k > 0 && folded[k-1] != '在' && folded[k-1] != '于' {
				k--
			}
			p.left, p.right = abs(0, max(0, k-1)), abs(k, i)
			if k == 0 {
				p.left, p.right = abs(0, i), abs(end, len(folded))
			}
		case han && end-i < 2:
			i = end - 1
			continue // a single character is a direction only after 比
		case !han && than >= 0 && than >= end: // costs more than B
			p.left, p.right = abs(0, i), abs(than+4, len(folded))
		case !han && than < 0 && !(p.order || hasAny(string(folded[i:end]), []string{"exceed", "outnumber", "superior", "inferior", "precede", "follow", "above", "below"})):
			i = end - 1
			continue // "more" without "than" compares with nothing here
		default:
			p.left, p.right = abs(0, i), abs(end, len(folded))
		}
		return p, true
	}
	return p, false
}

// Forms of a sequence of two steps.
var sequences = []*regexp.Regexp{
	regexp.MustCompile(`先(?:行)?([^，。；、,]{1,20})[，、,；]?\s*(?:再|后|然后|之后|随后|而后|才)([^，。；]{1,20})`),
	regexp.MustCompile(`([^.;,]{2,60}?)\s+first,?\s+(?:and\s+)?(?:then|after that|afterwards)\s+([^.;]{2,60})`),
	regexp.MustCompile(`\bfirst,?\s+([^.;,]{2,60}?),?\s+(?:and\s+)?(?:then|after that|afterwards)\s+([^.;]{2,60})`),
	regexp.MustCompile(`([^.;]{2,60}?),?\s+(?:and\s+)?(?:then|followed by)\s+([^.;]{2,60})`),
}

// sequenceOf finds the two steps of a folded sentence in their order.
func sequenceOf(s string) (first, second string, ok bool) {
	if !strings.Contains(s, "先") && !strings.Contains(s, "then") && !strings.Contains(s, "first") && !strings.Contains(s, "followed by") {
		return "", "", false
	}
	then := hasAny(s, []string{"then", "after that", "afterwards", "followed by"})
	for i, re := range sequences {
		if i == 0 && !strings.Contains(s, "先") || i > 0 && !then {
			continue
		}
		if m := re.FindStringSubmatch(s); m != nil {
			return m[1], m[2], true
		}
	}
	return "", "", false
}

// crossed reports whether the two parts of one statement stand in the other the
// other way round.
func (e *Engine) crossed(a1, a2, b1, b2 string) bool {
	score := func(x, y string) float64 {
		wx, wy := e.wording(x, nil), e.wording(y, nil)
		if wx.total == 0 || wy.total == 0 {
			return 0
		}
		return (wx.scoreOn(bagOf(wy)) + wy.scoreOn(bagOf(wx))) / 2
	}
	cross := score(a1, b2) + score(a2, b1)
	straight := score(a1, b1) + score(a2, b2)
	return cross > straight+0.4 && cross > 0.9
}

// alike reports whether the parts of two statements match in the order given.
func (e *Engine) alike(x, y string) bool {
	wx, wy := e.wording(x, nil), e.wording(y, nil)
	if wx.total == 0 || wy.total == 0 {
		return wx.total == wy.total
	}
	return wx.scoreOn(bagOf(wy)) >= 0.7 && wy.scoreOn(bagOf(wx)) >= 0.7
}

// holderMarks stand before the one who holds an office or did a deed, or before the
// one place where a thing is, longest first. Marks of one line mean the same.
var holderMarks = [][]string{
	{"由", "须经", "需经", "应经", "须由", "应由"},
	{"名为", "叫做", "是", "为", "系"},
	{"坐落于", "坐落在", "位于", "地处", "总部设在", "设在", "设于"},
	{"出生于", "生于", "出生在"}, {"葬于"}, {"毕业于"}, {"成立于"}, {"创立于", "创办于"}, {"始建于", "建于"}, {"隶属于", "归属于", "属于"}, {"迁至", "迁往"}, {"产自", "源于", "出自"},
}

// marksOf lists the lines of holderMarks that a folded clause has a mark of.
func marksOf(s string) uint32 {
	out := uint32(0)
	if !strings.ContainsFunc(s, text.IsHan) {
		return out
	}
	for k, marks := range holderMarks {
		if hasAny(s, marks) {
			out |= 1 << k
		}
	}
	if strings.Contains(s, "由") && charged.MatchString(s) {
		out |= 1 << isLine
	}
	return out
}

// isLine is the line of holderMarks that says who somebody is; a clause that says by whom an
// office is held says the same: 主任是甲, 主任由甲担任.
const isLine = 1

// charged matches the one by whom an office is held.
var charged = regexp.MustCompile(`由([^由，,、]{2,10}?)(?:担任|出任|兼任|接任|充任)`)

// holders finds the two names by which two clauses differ after the same mark: by
// whom, who is, where it lies. The texts are folded; common are the lines of marks that both
// clauses have (see marksOf). What the two have in common around the names (a title,
// a verb) is no part of them.
func holders(ra []rune, a text.Span, rb []rune, b text.Span, common uint32) (text.Span, text.Span, bool) {
	none := text.Span{}
	fa, fb := ra[a.Start:a.End], rb[b.Start:b.End]
	for line, marks := range holderMarks {
		if common>>line&1 == 0 {
			continue
		}
		i, x := heldAfter(fa, line, marks)
		j, y := heldAfter(fb, line, marks)
		if i < 0 || j < 0 {
			continue
		}
		lead := 0
		for lead < len(x) && lead < len(y) && x[lead] == y[lead] {
			lead++
		}
		x, y = x[lead:], y[lead:]
		tail := 0
		for tail < len(x) && tail < len(y) && x[len(x)-1-tail] == y[len(y)-1-tail] {
			tail++
		}
		x, y = x[:len(x)-tail], y[:len(y)-tail]
		if !holderName(x) || !holderName(y) {
			continue
		}
		i, j = a.Start+i+lead, b.Start+j+lead
		return text.Span{Start: i, End: i + len(x)}, text.Span{Start: j, End: j + len(y)}, true
	}
	return none, none, false
}

// heldAfter is what follows a mark of a line in a clause, and where it begins; -1 for nothing.
func heldAfter(folded []rune, line int, marks []string) (int, []rune) {
	if line == isLine {
		s := string(folded)
		if m := charged.FindStringSubmatchIndex(s); m != nil {
			at := len([]rune(s[:m[2]]))
			return at, folded[at : at+len([]rune(s[m[2]:m[3]]))]
		}
	}
	i := afterMark(folded, marks)
	if i < 0 {
		return i, nil
	}
	return i, folded[i:]
}

// offices are forms in which an English clause names the holder of an office or the
// one who did a deed; the group is the name.
var offices = []*regexp.Regexp{
	regexp.MustCompile(`\b(?:by|is|was|remains)(?: (?:Mr|Ms|Mrs|Dr|Prof)\.?)? ((?:[A-Z][\p{L}'’-]+ )*[A-Z][\p{L}'’-]+)\s*(?:$|[.,;])`),
	regexp.MustCompile(`^(?:(?:Mr|Ms|Mrs|Dr|Prof)\.? )?((?:[A-Z][\p{L}'’-]+ )+[A-Z][\p{L}'’-]+) (?:is|was|remains|has been|chairs|heads|leads|runs|directs|manages|owns|founded|designed|built|wrote|directed)\b`),
	regexp.MustCompile(`(?:\bits|['’]s) (?:[a-z-]+ ){0,2}[a-z-]+, ((?:[A-Z][\p{L}'’-]+ )+[A-Z][\p{L}'’-]+)`),
}

// possessives stand in the third of those forms.
var possessives = []string{"its ", "'s ", "’s "}

// indefinite matches what follows a verb where it says of what kind a thing is.
var indefinite = regexp.MustCompile(`^ (?:an?|one|another) `)

// officeForms tell quickly where a text has not got one of those forms.
var officeForms = []func(s string) bool{
	func(s string) bool { return namedAfter(s, "by ", "is ", "was ", "remains ") },
	func(s string) bool { // two capitalised words begin it
		first, rest, _ := strings.Cut(s, " ")
		return capital(first) && capital(rest)
	},
	func(s string) bool { return hasAny(s, possessives) && namedAfter(s, ", ") },
}

// namedAfter reports whether a capital letter stands behind one of the marks.
func namedAfter(s string, marks ...string) bool {
	for _, m := range marks {
		for from := 0; ; {
			at := strings.Index(s[from:], m)
			if at < 0 {
				break
			}
			if from += at + len(m); capital(s[from:]) {
				return true
			}
		}
	}
	return false
}

// capital reports whether a text begins with a Latin capital.
func capital(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }

// officeHolder is the name in an English clause that gives an office or a deed to one;
// empty when it is of no such form.
func officeHolder(runes []rune, span text.Span) text.Span {
	if !slices.ContainsFunc(runes[span.Start:span.End], func(r rune) bool { return r >= 'A' && r <= 'Z' }) {
		return text.Span{}
	}
	s := string(runes[span.Start:span.End])
	for i, re := range offices {
		if !officeForms[i](s) {
			continue
		}
		if m := re.FindStringSubmatchIndex(s); m != nil {
			if indefinite.MatchString(s[m[1]:]) {
				continue // one of a kind, of which there are others
			}
			start := span.Start + len([]rune(s[:m[2]]))
			return text.Span{Start: start, End: start + len([]rune(s[m[2]:m[3]]))}
		}
	}
	return text.Span{}
}

// afterMark is where what follows the last of the marks begins; -1 for none.
func afterMark(folded []rune, marks []string) int {
	s := string(folded)
	best := -1
	for _, m := range marks {
		if i := strings.LastIndex(s, m); i > 0 {
			if at := len([]rune(s[:i+len(m)])); at > best {
				best = at
			}
		}
	}
	if best >= len(folded) {
		return -1
	}
	return best
}

// holderName reports whether a stretch can be the name of a person, body or place.
func holderName(s []rune) bool {
	if len(s) < 2 || len(s) > 10 {
		return false
	}
	for _, r := range s {
		if !text.IsHan(r) && r != '·' && !text.IsWord(r) || strings.ContainsRune("的了是在和与或不没未已", r) || r >= '0' && r <= '9' {
			return false
		}
	}
	return len(quantity.Find(s)) == 0 && len(when.Find(s, when.Options{})) == 0
}

// oneEvent are English verbs of deeds that are done once, at one place and by one.
var oneEvent = regexp.MustCompile(`\b(?:born|died|buried|founded|headquartered|signed|built|launched|established|created|discovered|invented|written|composed|designed|directed|painted|incorporated|registered|located|based|situated|won|held|unveiled|made|assembled|owned|led|chaired|headed|managed|run|approved|held|hosted|issued)\s+(?:in|at|by|near|from)\s+(?:the\s+)?(?:\w+\s+){0,2}$` +
	`|\b(?:head office|headquarters|main office|registered office|seat|birthplace)(?:\s+(?:of|for)\s+[^,;]{2,60}?)?\s+(?:is\s+|are\s+|lies\s+)?(?:in|at|near)\s+(?:the\s+)?$`)

// manyHolders are offices and parts that several may have at once.
var manyHolders = []string{"理事", "成员", "股东", "会员", "董事会", "董事", "委员", "合作", "供应商", "赞助", "主办", "协办", "承办", "代表", "参与", "伙伴", "客户", "子公司", "品牌", "产品", "作品", "项目", "特色", "特点", "之一", "包括", "还有", "其中", "也是", "还是", "例如", "、",
	"member", "trustee", "shareholder", "partner", "sponsor", "supplier", "co-", "customer", "subsidiar", "brand", "one of", "among", "such as", "include", "also", " and ", "product", "example", "guest", "speaker", "feature"}

// andOthers matches 等 at the end of a list of names, and not in 高等, 等级 or 等待.
var andOthers = regexp.MustCompile(`(?:^|[^高平中初优头均相上次何])等(?:[^级候待于额同份边量]|$)`)

// endings are what may follow a Latin word of manyHolders in its word: members, including.
var endings = map[string]bool{"": true, "s": true, "d": true, "es": true, "ed": true, "ing": true, "y": true, "ies": true, "ship": true}

// hasMany reports whether a folded clause has one of manyHolders; a Latin one as a word.
func hasMany(folded string) bool {
	for _, w := range manyHolders {
		for from := 0; ; {
			i := strings.Index(folded[from:], w)
			if i < 0 {
				break
			}
			i += from
			from = i + len(w)
			if !latinByte(w[0]) {
				return true
			}
			end := from
			for end < len(folded) && latinByte(folded[end]) {
				end++
			}
			if (i == 0 || !latinByte(folded[i-1])) && (!latinByte(w[len(w)-1]) || endings[folded[from:end]]) {
				return true
			}
		}
	}
	return andOthers.MatchString(folded)
}

func latinByte(b byte) bool { return b >= 'a' && b <= 'z' }

// holderGap reports whether a stretch of a clause stands where a single holder is
// named.
func holderGap(runes []rune, clause, gap text.Span) bool {
	if gap.Start < clause.Start || gap.End > clause.End || gap.Len() < 2 {
		return false
	}
	before := string(text.Fold(runes[clause.Start:gap.Start]))
	whole := string(text.Fold(runes[clause.Start:clause.End]))
	if hasMany(whole) {
		return false
	}
	if text.IsHan(runes[gap.Start]) {
		return false // holders looks at these
	}
	return oneEvent.MatchString(before)
}

// measureHeads end a phrase that names a measure of a thing, not a part of it.
var measureHeads = []string{"费", "价", "率", "额", "数", "量", "积", "度", "重", "长", "高", "宽", "深", "期", "时间", "日期", "标准", "要求", "规定", "金额", "比例", "名称", "地址", "位置", "职", "权", "资格", "条件", "范围", "状态", "情况", "方式", "有效性", "使用", "办理", "申请", "次序", "人", "者", "长官", "总部", "速", "温", "压", "寿命", "分", "年", "日", "龄"}

// partHead reports whether a phrase names a part or member of something rather than a
// measure of it.
func partHead(s string) bool {
	f := strings.TrimSpace(fold(s))
	if f == "" || measures(f) || hasAny(" "+f+" ", []string{" none ", " all ", " each ", " every ", " most ", " some ", " both ", " any ", " one ", " many ", " half ", " part ", " number ", " use ", " rest "}) {
		return false
	}
	for _, m := range measureHeads {
		if strings.HasSuffix(f, m) {
			return false
		}
	}
	return true
}

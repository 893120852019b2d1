package precheck

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"suffice.dev/suffice/kb"
	"suffice.dev/suffice/kb/fact/quantity"
	"suffice.dev/suffice/text"
)

// Roles of content chunks; they are the names of GIVEN slots.
const (
	roleSubject   = "subject"
	roleAttribute = "attribute"
	rolePlace     = "place"
	roleCondition = "condition"
	rolePremise   = "premise"
	roleNone      = "none" // says nothing that a source must hold
)

// measureModifiers stand before the noun of a quantity and belong to it.
var measureModifiers = newPhrases([]string{"最高", "最低", "最大", "最小", "最多", "最少", "平均", "单笔", "单次", "单日", "每月", "每年", "每日",
	"每天", "每次", "每人", "每小时", "月", "年", "日", "周", "基本", "总", "人均", "单位", "实际", "初始", "默认", "免费", "额外", "剩余", "累计", "净", "毛"})

var (
	placeEnds = newPhrases([]string{"省", "市", "县", "区", "镇", "乡", "村", "街", "路", "站", "店", "楼", "馆", "院", "园", "港", "岛", "山", "湖", "厅", "室", "机场",
		"分行", "支行", "校区", "园区", "地区", "境内", "国内", "国外", "海外", "仓库", "广场", "公司", "医院", "学校", "车站", "码头", "中心"})
	conditionEnds   = newPhrases([]string{"前", "后", "时", "之前", "之后", "以前", "以后", "期间", "情况下", "时候", "以上", "以下", "以内", "之内", "内", "条件下", "过程中", "中"})
	conditionStarts = newPhrases([]string{"如果", "若", "假如", "要是", "当", "一旦", "倘若", "如", "凡"})
	placeWords      = []string{"in", "at", "near", "from", "to", "on", "into", "within", "through", "outside", "inside"}
	conditionWords  = []string{"if", "when", "while", "unless", "without", "with", "during", "before", "after", "as", "for", "under", "over", "within", "once", "until"}
	ofWords         = []string{"of", "for", "at", "in", "on", "to", "from", "by", "with", "per", "between", "under", "about", "into", "during", "within", "after", "before"}
)

func lastWord(s string) string {
	if i := strings.LastIndexByte(s, ' '); i >= 0 {
		return s[i+1:]
	}
	return s
}

func hasWord(list []string, words string) bool {
	for w := range strings.FieldsSeq(words) {
		if slices.Contains(list, w) {
			return true
		}
	}
	return false
}

// assign gives each chunk its role.
func (r *reading) assign() {
	var out []chunk
	for ci := range r.clauses {
		var own []chunk
		for _, ch := range r.chunks {
			if ch.clause == ci {
				own = append(own, ch)
			}
		}
		if len(own) == 0 {
			continue
		}
		c := &r.clauses[ci]
		asks := c.rule >= 0
		if asks {
			if own = r.trimCount(c, own); len(own) == 0 {
				continue
			}
		}
		if text.IsHan(r.folded[own[0].start]) || r.lang == "zh" {
			own = r.assignZH(c, own, asks)
		} else {
			r.assignEN(c, own, asks)
		}
		out = append(out, own...)
	}
	r.chunks = out
	r.weakSubjects()
	r.nameless()
	r.promote()
	for i := range r.chunks {
		if ch := &r.chunks[i]; ch.role == roleCondition && r.loneVerb(ch) {
			ch.role = roleNone // 住 of 住在偏远乡镇
		}
	}
}

// weakSubjects takes the role of subject from the phrases of a Chinese clause that
// only say what is done or measured (多久能放行, 审计费多少), where another clause or a
// condition names the thing they are said of.
func (r *reading) weakSubjects() {
	for ci := range r.clauses {
		c := &r.clauses[ci]
		if c.rule < 0 {
			continue
		}
		weak, strong := 0, 0
		for i := range r.chunks {
			if ch := &r.chunks[i]; ch.clause == ci && ch.role == roleSubject {
				if r.weak(ci, ch) {
					weak++
				} else {
					strong++
				}
			}
		}
		if weak == 0 || strong > 0 || !r.thingBeside(ci) {
			continue
		}
		for i := range r.chunks {
			if ch := &r.chunks[i]; ch.clause == ci && ch.role == roleSubject {
				ch.role = roleAttribute
			}
		}
	}
}

// weak reports whether a Chinese phrase names no thing of its own in a later clause: a
// measure, a verb, a single character or a short phrase behind 能, 要 and the like.
func (r *reading) weak(ci int, ch *chunk) bool {
	if !text.IsHan(r.folded[ch.start]) || !text.IsHan(r.folded[ch.end-1]) {
		return false
	}
	n := ch.end - ch.start
	if n == 1 || r.emptyPhrase(ch.start, ch.end) {
		return true
	}
	if e, ok := r.p.rules.verbsZH.at(r.folded, ch.start, ch.end); ok && e == ch.end {
		return true
	}
	if n <= 3 && ch.start > 0 && (r.marks[ch.start-1] == drop || r.marks[ch.start-1] == cue) && strings.ContainsRune("能会可以要得才再", r.folded[ch.start-1]) {
		return true
	}
	if ci == 0 || r.clauses[ci].class == kb.Condition || r.clauses[ci].class == kb.Definition {
		return false
	}
	_, m := r.p.rules.nounClass(r.folded, ch.start, ch.end)
	return m > 0 && (m == n || n <= 3)
}

// thingBeside reports whether another clause, or the condition in front of the form,
// names what a clause is about; a condition gives its thing up to be the subject.
func (r *reading) thingBeside(ci int) bool {
	for i := range r.chunks {
		ch := &r.chunks[i]
		if ch.clause < ci && r.clauses[ch.clause].rule >= 0 && ch.role == roleSubject && !r.weak(ch.clause, ch) {
			return true
		}
	}
	for i := range r.chunks {
		ch := &r.chunks[i]
		if ch.clause < ci && r.clauses[ch.clause].rule < 0 && !r.conditional(*ch) && !r.emptyPhrase(ch.start, ch.end) && ch.role == roleCondition && !r.loneVerb(ch) && !r.sizeAlone(ch) {
			ch.role = roleSubject
			return true
		}
	}
	for i := range r.chunks {
		ch := &r.chunks[i]
		if ch.clause != ci || ch.role != roleCondition || !text.IsHan(r.folded[ch.start]) {
			continue
		}
		if cut := r.verbCut(ch.start, ch.end); cut >= ch.start+2 {
			rest := *ch
			rest.start, rest.before, rest.cueBefore = cut, "", false
			ch.end, ch.role = cut, roleSubject
			r.chunks = slices.Insert(r.chunks, i+1, rest)
			return true
		}
	}
	return false
}

// nameless takes the role of subject from phrases that name nothing: words of the
// measure asked, empty words, a lone verb. Where the question names a thing beside
// them, that is the subject.
func (r *reading) nameless() {
	subjects, bad := 0, 0
	for i := range r.chunks {
		ch := &r.chunks[i]
		if ch.role != roleSubject {
			continue
		}
		subjects++
		if r.namesNothing(ch) {
			bad++
		}
	}
	if subjects == 0 || subjects > bad {
		return
	}
	thing := -1
	for i := range r.chunks {
		ch := &r.chunks[i]
		asks := r.clauses[ch.clause].rule >= 0
		switch {
		case ch.role == roleSubject || ch.role == roleNone || ch.verb || r.namesNothing(ch):
		case ch.role == roleCondition && !asks && !r.conditional(*ch) && !r.sizeAlone(ch) && thing < 0:
			thing = i
		case ch.role == roleAttribute && asks && thing < 0 && !ch.kept && !r.isVerb(ch) && text.IsHan(r.folded[ch.start]):
			thing = i
		}
	}
	if thing < 0 {
		return
	}
	for i := range r.chunks {
		ch := &r.chunks[i]
		if ch.role != roleSubject {
			continue
		}
		ch.role = roleAttribute
		if r.emptyPhrase(ch.start, ch.end) || ch.end-ch.start == 1 {
			ch.role = roleNone
		}
	}
	r.chunks[thing].role = roleSubject
}

// loneVerb reports whether a Chinese phrase is a verb of one character.
func (r *reading) loneVerb(ch *chunk) bool {
	return ch.end-ch.start == 1 && strings.ContainsRune(verbRunes+leadVerbs+tailVerbs+"忘生除不干来", r.folded[ch.start])
}

// namesNothing reports whether a phrase is only a word for what is asked, an empty
// word, or a verb of one character.
func (r *reading) namesNothing(ch *chunk) bool {
	if ch.end-ch.start == 1 && strings.ContainsRune(verbRunes, r.folded[ch.start]) || r.emptyPhrase(ch.start, ch.end) {
		return true
	}
	if !text.IsHan(r.folded[ch.start]) {
		return false
	}
	class, n := r.p.rules.nounClass(r.folded, ch.start, ch.end)
	if n == ch.end-ch.start && class == kb.Numeric {
		return true
	}
	for at := ch.end; at > ch.start; {
		m := r.modifier(ch.start, at)
		if m == 0 {
			return false
		}
		at -= m
	}
	return true
}

func (r *reading) assignZH(c *clause, own []chunk, asks bool) []chunk {
	if !asks {
		r.assignStatement(own)
		return own
	}
	own = r.leadingVerbs(c, r.peel(c, own))
	first, last := c.to, c.from
	for _, pc := range c.pieces {
		if !pc.keep {
			first, last = min(first, pc.start), max(last, pc.end)
		}
	}
	var out []chunk
	for i := range own {
		ch := own[i]
		if e := r.conditionCut(ch.start, ch.end); e > ch.start && !ch.kept {
			head := ch
			head.end = e
			if cut := r.headNoun(ch.start, e); cut > ch.start && cut < e-1 && len(out) == 0 && e-cut > 2 {
				thing := ch
				thing.end, thing.role = cut, roleSubject
				out = append(out, thing)
				head.start = cut
			}
			head.role = roleCondition
			out = append(out, head)
			ch.start, ch.before, ch.cueBefore = e, "", false
		}
		// A condition inside the chunk: "普通票起飞前" before the rest.
		if n := conditionEnds.suffix(r.folded, ch.start, ch.end); n > 0 && ch.end-ch.start > n+1 && i+1 <= len(own) && ch.end < c.to && !ch.kept {
			cut := r.headNoun(ch.start, ch.end-n)
			if cut > ch.start && cut < ch.end-n && len(out) == 0 {
				head := ch
				head.end, head.role = cut, roleSubject
				out = append(out, head)
				ch.start, ch.before, ch.cueBefore = cut, "", false
			}
			ch.role = roleCondition
			out = append(out, ch)
			continue
		}
		if r.startsCondition(c, ch.start) && !ch.kept {
			ch.role = roleCondition
			out = append(out, ch)
			continue
		}
		if strings.Contains(ch.before, "在") || strings.HasSuffix(ch.before, "于") || strings.HasSuffix(ch.before, "从") || strings.HasSuffix(ch.before, "到") {
			if cut := r.placeEnd(ch.start, ch.end); cut > 0 {
				rest := ch
				ch.end, ch.role = cut, rolePlace
				out = append(out, ch)
				if rest.end > cut {
					rest.start, rest.before, rest.cueBefore = cut, "", false
					out = append(out, rest)
				}
				continue
			}
		}
		out = append(out, ch)
	}
	own = out
	var open []int
	for i := range own {
		if own[i].role == "" {
			open = append(open, i)
		}
	}
	if len(open) == 0 {
		return own
	}
	// The attribute: what follows the form, or the last noun before it.
	if c.class == kb.Definition && !c.noun && len(open) > 1 && (own[open[0]].start >= last || own[open[len(open)-1]].start >= last && strings.ContainsRune("里中内上", r.folded[own[open[0]].end-1])) {
		for _, i := range open {
			own[i].role = roleCondition
			if own[i].start >= last {
				own[i].role = roleSubject
			}
		}
		return own
	}
	// "which posts does the rule not apply to": the kind is asked, the rule is the thing.
	if c.class == kb.Exception && len(open) > 1 && own[open[0]].cueBefore && own[open[0]].start < last {
		own[open[0]].role = roleAttribute
		for _, i := range open[1:] {
			own[i].role = roleSubject
		}
		return own
	}
	if c.class == kb.Comparison && len(open) > 1 {
		// 哪款手机的续航: the kind of the things compared.
		for _, i := range open {
			if own[i].cueBefore && i+1 < len(own) && strings.HasPrefix(own[i+1].before, "的") && !own[i].kept && r.whichBefore(own[i].start) {
				own[i].role = roleNone
			}
		}
		open = slices.DeleteFunc(open, func(i int) bool { return own[i].role == roleNone })
	}
	if len(open) > 1 {
		for k, i := range open {
			switch {
			case own[i].kept || own[i].start >= last:
				own[i].role = roleAttribute
			case k > 0 && (strings.Contains(own[i].before, "的") || k == len(open)-1):
				own[i].role = roleAttribute
			case k == 0:
				own[i].role = roleSubject
			default:
				own[i].role = roleAttribute
			}
		}
		// 公司|几号发|工资: the firm is any firm, the wages are the thing.
		if len(open) > 1 && c.class != kb.Comparison && c.class != kb.Condition && agents.whole(r.folded[own[open[0]].start:own[open[0]].end]) && own[open[0]].role == roleSubject && own[open[1]].start >= last && !own[open[1]].kept {
			own[open[0]].role, own[open[1]].role = roleNone, roleSubject
			thing := &own[open[1]]
			if _, _, word := r.p.lex.Match(r.folded, thing.start); !word && thing.end-thing.start > 2 && strings.ContainsRune(verbRunes, r.folded[thing.start]) {
				thing.start++
			}
			return own
		}
		// A 的 B 的 C: only the last is the attribute of a thing with two names.
		for i := range own {
			if own[i].role == roleSubject && (own[i].end == first && c.class == kb.Numeric || i+1 < len(own) && (r.verbCut(own[i].start, own[i].end) > own[i].start || r.stateAt(own[i].start, own[i].end) > own[i].start)) {
				return r.splitTail(own, i)
			}
		}
		return r.splitSubjects(own)
	}
	i := open[0]
	ch := own[i]
	if ch.kept || ch.start >= last && (c.class == kb.Numeric || c.noun) {
		own[i].role = roleAttribute
		return own
	}
	if c.class == kb.Subject && ch.start >= last || c.class == kb.Comparison && strings.Contains(ch.before, "的") {
		own[i].role = roleAttribute
		return own
	}
	own[i].role = roleSubject
	if c.class == kb.Definition && !c.noun {
		return own
	}
	if e, ok := r.p.rules.verbsZH.at(r.folded, ch.start, ch.end); ok && e == ch.end && ch.clause > 0 {
		own[i].role = roleAttribute // 何时|截止 behind another question
		return own
	}
	return r.splitTail(own, i)
}

// whichBefore reports whether 哪 stands in the form right before a phrase.
func (r *reading) whichBefore(at int) bool {
	for i := max(0, at-3); i < at; i++ {
		if r.folded[i] == '哪' {
			return true
		}
	}
	return false
}

var (
	// periods are times of the year, week or day that limit what is asked.
	periods = newPhrases([]string{"旺季", "淡季", "平季", "平时", "节假日", "法定节假日", "周末", "工作日", "夏季", "冬季", "春季", "秋季", "白天", "夜间", "晚间", "夜里", "晚上", "早上", "上午", "下午", "中午", "高峰期", "高峰时段", "寒假", "暑假", "寒暑假", "春节期间",
		"周一", "周二", "周三", "周四", "周五", "周六", "周日", "周天", "星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日", "星期天", "每周一", "每周二", "每周三", "每周四", "每周五", "每周六", "每周日", "双休日"})
	// limits say that the greatest or least is asked.
	limits = newPhrases([]string{"最多", "最少", "最高", "最低", "最大", "最小", "最长", "最短", "最重", "最轻", "最迟", "最晚", "最早", "最快", "最慢", "最远", "最近", "至少", "至多", "起码", "顶多"})
	// rateUnits stand behind 每 and 一 where something is counted by them.
	rateUnits = newPhrases([]string{"次", "回", "趟", "天", "日", "年", "月", "周", "季", "晚", "夜", "人", "户", "张", "份", "页", "台", "辆", "场", "届", "针", "度", "斤", "吨", "克", "米", "亩", "件", "只", "位", "间", "箱", "瓶", "盒", "包", "桶", "袋", "节", "堂", "个", "股", "笔", "本", "套", "副", "度电", "条", "头", "棵", "颗", "幅", "片", "块",
		"公斤", "千克", "公里", "平米", "平方", "平方米", "立方米", "立方", "公顷", "小时", "分钟", "个月", "学期", "学年", "季度", "星期", "礼拜", "个人", "家庭", "课时", "车次", "千米", "升", "工作日"})
	// afterwards end what has happened before.
	afterwards = newPhrases([]string{"当天", "当日", "当晚", "次日", "第二天", "以后", "之后", "后"})
	// done end a verb that has taken effect.
	done = newPhrases([]string{"删掉", "拿到", "收到", "买到", "用掉", "退掉", "扣掉", "交完", "用完", "做完", "买来", "寄来", "送来", "带来", "借来", "寄出", "借出", "发出", "取出", "交上", "填好", "订好", "买好", "签好", "剩下", "留下", "花掉", "弄坏", "摔坏", "过期", "超期", "到期", "逾期"})
	// bounds stand before the number of a condition: 满五年, 超过三天.
	bounds = newPhrases([]string{"满", "未满", "不满", "超过", "不超过", "不足", "达到", "少于", "多于", "低于", "高于", "至少", "逾期", "超"})
	// modes say how something is done and are no name.
	modes = newPhrases([]string{"线上", "网上", "线下", "上门", "自助", "异地", "提前", "首次", "临时", "在线", "现场", "跨省", "电话", "手机", "批量", "重新", "远程"})
	// agents are whoever the documents are of.
	agents = newPhrases([]string{"公司", "学校", "单位", "我们公司", "我公司", "本公司", "店里", "厂里", "医院", "你们", "咱们公司", "贵公司", "贵司", "我司", "酒店", "银行"})
	// lightVerbs say nothing of their own before the name of a business.
	lightVerbs = newPhrases([]string{"办理", "申请办理", "进行", "开展", "办"})
	// changing says that something goes up or down; two of them are no two things.
	changing = newPhrases([]string{"增加", "减少", "上升", "下降", "提高", "降低", "上涨", "下跌", "增长", "缩短", "延长", "扩大", "缩小", "变多", "变少", "变大", "变小", "变长", "变短", "涨", "跌", "升", "降", "增", "减", "多", "少", "高", "低"})
)

const (
	nounTails  = "处表单证费员人率量机卡码号站点区书制类者期额金数口部科价师法" // 登记处, 报名费: a verb in a noun
	verbRunes  = "做卖买办交领取用花发开出设建养种修住招收存借还请吃喝装带拿送" // verbs of one character
	takesAfter = "了过"
	leadVerbs  = "签租寄买卖给住去进带玩跑借存办读打看吃选做坐骑养换找拿搬补领穿戴乘喝订报开修拍用想" // verbs of one character before their object, at the head of a phrase
	doneVerbs  = verbRunes + "订寄租送签看选穿报打"                    // verbs of one character that end what is said of the thing behind 的
	tailVerbs  = "赔罚补提发交收卖买付借还报扣加花寄给续涨降送领存放打考"               // verbs of one character before the quantity that they move
	usedVerbs  = "坐乘搭骑住吃喝喂养穿戴借买卖寄存租交领看玩用"                    // verbs of one character before their object, behind 能, 不 and the like
)

// peel takes conditions and periods off the phrases of a Chinese clause.
func (r *reading) peel(c *clause, own []chunk) []chunk {
	out := make([]chunk, 0, len(own)+2)
	for k, ch := range own {
		if at := r.limitAt(c, &ch); at > ch.start {
			// 医疗险一年|最多赔, 狗绳|最长: how much at most, no part of the name.
			head, rest := ch, ch
			head.end, head.measured = at, true
			parts := r.rates(head)
			for i := range parts[1:] {
				parts[1+i].role = roleNone
			}
			out = append(out, parts...)
			word := ch
			word.start, word.end, word.before, word.cueBefore, word.role = at, at, "", false, roleNone
			if word.end, _ = limits.at(r.folded, at, ch.end); word.end < ch.end {
				rest.start, rest.before, rest.cueBefore, rest.role = word.end, "", false, roleAttribute
				out = append(out, word, rest)
			} else {
				out = append(out, word)
			}
			continue
		}
		if ch.kept || !text.IsHan(r.folded[ch.start]) && !isNumeral(r.folded[ch.start]) {
			out = append(out, ch)
			continue
		}
		if e := r.rateAt(ch.start, ch.end); e > ch.start && e < ch.end {
			// 一件|二级藏品, 一个月|补: how many, no part of the name.
			head := ch
			head.end, head.role = e, roleAttribute
			if c.class != kb.Numeric && c.class != kb.Timeliness {
				head.role = roleNone
			}
			out = append(out, head)
			ch.start, ch.before, ch.cueBefore = e, "", false
		}
		if periods.whole(r.folded[ch.start:ch.end]) && len(own) > 1 {
			ch.role = roleCondition
			out = append(out, ch)
			continue
		}
		// 打完针|能不能…: what has happened before.
		if e := r.eventEnd(ch.start, ch.end); e > ch.start && len(own) > 1 || e > ch.start && e < ch.end {
			head := ch
			head.end, head.role = e, roleCondition
			out = append(out, head)
			if e == ch.end {
				continue
			}
			ch.start, ch.before, ch.cueBefore = e, "", false
		}
		// 亲子卡|一次: how often, not the name.
		if two := r.rates(ch); len(two) > 1 && c.class == kb.Numeric && (ch.end < c.to && r.marks[ch.end] != cue || two[1].end-two[1].start > 2) {
			out = append(out, two...)
			continue
		}
		// 满五年的|员工, 超过五天的|出差申请
		if ch.end < c.to && r.folded[ch.end] == '的' && (r.bounded(ch.start, ch.end) || r.sized(&ch, k, own) || r.relative(c, &ch, k, own)) {
			ch.role = roleCondition
			if last := ch.end - 1; last-ch.start >= 2 && strings.ContainsRune(doneVerbs, r.folded[last]) {
				ch.end = last // 网店买|的鞋子: where, not what is done
			}
			out = append(out, ch)
			continue
		}
		if n := periods.suffix(r.folded, ch.start, ch.end); n > 0 && n < ch.end-ch.start && ch.end-ch.start-n >= 2 {
			head, rest := ch, ch
			head.end = ch.end - n
			rest.start, rest.before, rest.cueBefore, rest.role = head.end, "", false, roleCondition
			out = append(out, head, rest)
			continue
		}
		out = append(out, ch)
	}
	return out
}

// limitAt finds where a word like 最多 or 至少 stands inside a Chinese phrase and begins
// what is measured; the start of the phrase if nowhere.
func (r *reading) limitAt(c *clause, ch *chunk) int {
	if ch.kept || c.class == kb.Definition && !c.noun || !text.IsHan(r.folded[ch.end-1]) {
		return ch.start
	}
	for i := ch.start + 1; i < ch.end; i++ {
		e, ok := limits.at(r.folded, i, ch.end)
		if !ok || i == ch.start+1 && !isNumeral(r.folded[ch.start]) && ch.end-ch.start < 4 {
			continue
		}
		// 最低消费 is the measure itself, and 最大值 one word.
		if _, n := r.p.rules.nounClass(r.folded, i, ch.end); n > 0 && e < ch.end && n >= ch.end-i {
			return ch.start
		}
		return i
	}
	return ch.start
}

// rates parts 每户, 一年, 每小时 from the end of a Chinese phrase.
func (r *reading) rates(ch chunk) []chunk {
	m := 0
	for {
		n := r.rate(ch.start, ch.end-m)
		if n == 0 || ch.end-m-n-ch.start < 2 {
			break
		}
		m += n
	}
	if m == 0 {
		return []chunk{ch}
	}
	head, rest := ch, ch
	head.end = ch.end - m
	rest.start, rest.before, rest.cueBefore, rest.role = head.end, "", false, roleAttribute
	return []chunk{head, rest}
}

// rate returns the length of 每 or 一 with a measure word at the end of a phrase.
func (r *reading) rate(start, end int) int {
	for n := 1; n <= 3 && end-n-1 >= start; n++ {
		if c := r.folded[end-n-1]; c != '每' && c != '一' {
			continue
		}
		if rateUnits.whole(r.folded[end-n : end]) {
			if i := end - n - 1; i > start && strings.ContainsRune("第十百千万统唯同之", r.folded[i-1]) {
				return 0
			}
			return n + 1
		}
	}
	return 0
}

// rateAt returns the end of 一 or 每 with a measure word at the head of a phrase; start if
// there is none.
func (r *reading) rateAt(start, end int) int {
	if c := r.folded[start]; c != '每' && c != '一' || r.compoundAt(start, end) > start {
		return start
	}
	e, ok := rateUnits.at(r.folded, start+1, end)
	if !ok || e < end && (strings.ContainsRune("级期生制度性游", r.folded[e]) || r.compoundAt(e-1, end) > e) {
		return start
	}
	return e
}

// eventEnd finds the end of 打完针, 交完费当天 and the like at the head of a Chinese phrase.
func (r *reading) eventEnd(start, end int) int {
	if end-start < 3 || r.folded[start+1] != '完' || r.compoundAt(start, end) > start+1 {
		return start
	}
	e := start + 3
	if r.compoundAt(start+2, end) > start+2 {
		e = r.compoundAt(start+2, end)
	}
	for e < end {
		n, ok := conditionEnds.at(r.folded, e, end)
		if !ok {
			if n, ok = afterwards.at(r.folded, e, end); !ok {
				break
			}
		}
		e = n
	}
	return e
}

// relative reports whether a Chinese phrase before 的 says what is done with the thing
// behind it: 网上买|的鞋子, 从事高空作业|的人. It limits the question and names nothing.
func (r *reading) relative(c *clause, ch *chunk, k int, own []chunk) bool {
	if k+1 >= len(own) || own[k+1].start != ch.end+1 || c.class == kb.Comparison || c.class == kb.Definition && !c.noun || ch.end-ch.start < 2 {
		return false
	}
	next := &own[k+1]
	person := next.end-next.start == 1 && strings.ContainsRune("人者", r.folded[next.start])
	if !text.IsHan(r.folded[ch.end-1]) || r.wholeNoun(next) || limits.begins(r.folded, next.start, next.end) || !person && r.emptyPhrase(next.start, next.end) {
		return false
	}
	if e, ok := r.p.rules.verbsZH.at(r.folded, ch.start, ch.end); ok && e < ch.end && !strings.ContainsRune(nounTails, r.folded[e]) && r.compoundAt(ch.start, ch.end) <= e {
		return true
	}
	if strings.ContainsRune(leadVerbs, r.folded[ch.start]) && ch.end-ch.start > 2 && r.compoundAt(ch.start, ch.end) == ch.start {
		return true
	}
	if n := done.suffix(r.folded, ch.start, ch.end); n > 0 && n < ch.end-ch.start {
		return true
	}
	last := ch.end - 1
	if !strings.ContainsRune(doneVerbs, r.folded[last]) {
		return false
	}
	for i := max(ch.start, last-3); i < last; i++ {
		if r.compoundAt(i, ch.end) == ch.end {
			return false // 外卖 ends in a verb and is a thing
		}
	}
	return true
}

// sized reports whether a Chinese phrase before 的 is nothing but a quantity that says which
// of the things behind it are meant: 9米长|的船, 10至20毫米|的石子.
func (r *reading) sized(ch *chunk, k int, own []chunk) bool {
	if k+1 >= len(own) || own[k+1].start != ch.end+1 || r.emptyPhrase(own[k+1].start, own[k+1].end) || r.wholeNoun(&own[k+1]) {
		return false
	}
	return r.sizeAlone(ch)
}

// sizeAlone reports whether a Chinese phrase is nothing but a quantity, with what counts the
// things it is said of: 一条9米长.
func (r *reading) sizeAlone(ch *chunk) bool {
	if !text.IsHan(r.folded[ch.end-1]) {
		return false
	}
	from := r.rateAt(ch.start, ch.end)
	for _, q := range quantity.Find(r.folded[from:ch.end]) {
		if q.Start == 0 && q.Unit.Dim != quantity.None && q.Unit.Dim != quantity.Count && q.Unit.Dim != quantity.Ordinal {
			rest := r.folded[from+q.End : ch.end]
			return len(rest) == 0 || len(rest) == 1 && strings.ContainsRune("长宽高深厚重大", rest[0])
		}
	}
	return false
}

// bounded reports whether a phrase holds a bound and a number: 司龄满五年.
func (r *reading) bounded(start, end int) bool {
	for i := start; i < end; i++ {
		if e, ok := bounds.at(r.folded, i, end); ok && e < end && isNumeral(r.folded[e]) {
			return true
		}
	}
	return false
}

// leadingVerbs parts the verb that begins a phrase from the thing behind it:
// 补办|身份证. It is what is asked to be done, no part of the name.
func (r *reading) leadingVerbs(c *clause, own []chunk) []chunk {
	if c.class == kb.Comparison || c.class == kb.Definition && !c.noun || c.class == kb.Effect || c.class == kb.Cause {
		return own
	}
	out := make([]chunk, 0, len(own)+2)
	for k, ch := range own {
		if ch.role != "" || ch.kept || k > 0 && c.class != kb.Exception {
			out = append(out, ch)
			continue
		}
		if at := ch.start; ch.end-at >= 4 && at > 0 && strings.ContainsRune(usedVerbs, r.folded[at]) && strings.ContainsRune("能会可以要得不准许让", r.folded[at-1]) && r.marks[at-1] != content {
			we, _, word := r.p.lex.Match(r.folded, at)
			ve, verb := r.p.rules.verbsZH.at(r.folded, at, ch.end)
			if !(word && we > at+1) && !(verb && ve > at+1) {
				head := ch
				head.end, head.role = at+1, roleNone
				out = append(out, head)
				ch.start, ch.before, ch.cueBefore = at+1, "", false
			}
		}
		if at := ch.start; ch.end-at >= 3 && k == 0 && ch.before == "" && !ch.cueBefore && strings.ContainsRune(leadVerbs, r.folded[at]) && text.IsHan(r.folded[at+1]) && r.compoundAt(at, ch.end) == at && r.verbLeads(c, &ch, own) {
			head := ch // 签|尊享套餐, 租|语音导览器
			head.end, head.role = at+1, roleNone
			out = append(out, head)
			ch.start, ch.before, ch.cueBefore = at+1, "", false
			if e := r.rateAt(ch.start, ch.end); e < ch.end {
				ch.start = e
			}
		}
		for range 2 {
			e, ok := lightVerbs.at(r.folded, ch.start, ch.end)
			role := roleNone
			if !ok {
				e, ok = r.p.rules.verbsZH.at(r.folded, ch.start, ch.end)
				role = roleAttribute
			}
			if !ok || ch.end-e < 2 || nominal.suffix(r.folded, e, ch.end) == ch.end-e || nominal.begins(r.folded, e, ch.end) && c.class == kb.Timeliness || strings.ContainsRune(nounTails, r.folded[e]) || r.emptyPhrase(e, ch.end) || r.wholeNounAt(e, ch.end) && k+1 == len(own) {
				break
			}
			if we, _, word := r.p.lex.Match(r.folded, ch.start); word && we > e {
				break
			}
			head := ch
			head.end, head.role = e, role
			if role != roleNone || k+1 < len(own) || ch.end-e >= 2 {
				out = append(out, head)
			}
			ch.start, ch.before, ch.cueBefore = e, "", false
		}
		out = append(out, ch)
	}
	return out
}

// verbLeads reports whether what follows the first character of a phrase can be a thing:
// at least a word, and no place alone.
func (r *reading) verbLeads(c *clause, ch *chunk, own []chunk) bool {
	rest := ch.end - ch.start - 1
	return rest >= 2 && !strings.ContainsRune("出上下进过去来回开掉满到完着得了", r.folded[ch.start+1]) && !(c.class == kb.Region && rest < 3)
}

func (r *reading) wholeNounAt(start, end int) bool {
	_, n := r.p.rules.nounClass(r.folded, start, end)
	return n > 0 && n == end-start
}

// splitSubjects parts a subject chunk that still ends in a verb or measure, when
// no attribute was found.
func (r *reading) splitSubjects(own []chunk) []chunk {
	for i := range own {
		if own[i].role == roleAttribute {
			return own
		}
	}
	for i := range own {
		if own[i].role == roleSubject {
			return r.splitTail(own, i)
		}
	}
	return own
}

// splitTail parts chunk i of the clause into subject and attribute: the noun of a
// measure, or the last word of the dictionary, with what modifies it.
func (r *reading) splitTail(own []chunk, i int) []chunk {
	ch := own[i]
	if _, ok := r.p.rules.verbsZH.at(r.folded, ch.start, ch.end); ok {
		return own // a predicate without a thing: 办理用电过户
	}
	if _, n := r.p.rules.nounClass(r.folded, ch.start, ch.end); ch.measured && n == 0 {
		return own // 盗抢责任|最多赔
	}
	cut := r.verbCut(ch.start, ch.end)
	if at := r.stateAt(ch.start, ch.end); at > ch.start+1 && (cut == ch.start || at < cut) {
		cut = at
	}
	if cut > ch.start && modes.suffix(r.folded, ch.start, cut) == cut-ch.start {
		return own // 线上销户: how, and what
	}
	if cut == ch.start {
		cut = r.tail(ch.start, ch.end, &r.clauses[ch.clause])
	}
	// 做|了多少: a verb of one character before the form.
	if n := ch.end; cut <= ch.start && n-ch.start > 2 && strings.ContainsRune(verbRunes, r.folded[n-1]) && n < len(r.folded) && strings.ContainsRune(takesAfter, r.folded[n]) {
		cut = n - 1
	}
	// 不拴绳|罚多少, 禾川县|补多少: a verb of one character before what it moves.
	if n := ch.end - 1; cut <= ch.start && n-ch.start >= 2 && strings.ContainsRune(tailVerbs, r.folded[n]) && ch.end < len(r.folded) && (r.marks[ch.end] == cue || r.folded[ch.end] == '了') &&
		(r.clauses[ch.clause].class == kb.Numeric || r.clauses[ch.clause].class == kb.Timeliness || r.clauses[ch.clause].class == kb.Effect || r.clauses[ch.clause].expect == kb.ExpectList) && !r.endsWord(ch.start, ch.end) {
		cut = n
	}
	if cut <= ch.start || cut >= ch.end {
		if m := r.modifier(ch.start, ch.end); r.clauses[ch.clause].class == kb.Numeric && m > 0 && ch.end-m-ch.start >= 2 {
			cut = ch.end - m
		} else {
			return own
		}
	}
	for r.clauses[ch.clause].class == kb.Numeric {
		m := r.modifier(ch.start, cut)
		if m == 0 || cut-m-ch.start < 2 {
			break
		}
		cut -= m
	}
	head, rest := ch, ch
	head.end = cut
	rest.start, rest.before, rest.cueBefore, rest.role = cut, "", false, roleAttribute
	return slices.Replace(own, i, i+1, head, rest)
}

// endsWord reports whether a Chinese word of the lists ends a phrase.
func (r *reading) endsWord(start, end int) bool {
	for i := max(start, end-4); i < end-1; i++ {
		if r.compoundAt(i, end) == end {
			return true
		}
	}
	return false
}

// stateAt finds where what has become of a thing begins at the end of a phrase:
// 出菇房|温度太高, 灭菌锅|坏. It returns start if there is nothing of the kind.
func (r *reading) stateAt(start, end int) int {
	var cut int
	switch {
	case end-start >= 5 && strings.ContainsRune("太过偏", r.folded[end-2]) && strings.ContainsRune("高低多少大小热冷慢快长短重轻湿干", r.folded[end-1]):
		cut = end - 2
		if _, n := r.p.rules.nounClass(r.folded, start, cut); n > 0 && cut-n > start+1 {
			cut -= n
		}
	case end-start >= 4 && r.folded[end-1] == '了' && strings.ContainsRune("坏丢破断漏堵烂碎", r.folded[end-2]):
		cut = end - 2
	case end-start >= 3 && end < len(r.folded) && r.folded[end] == '了' && strings.ContainsRune("坏丢破断漏堵烂碎", r.folded[end-1]):
		cut = end - 1
	default:
		return start
	}
	return cut
}

// verbCut finds the first verb inside a Chinese phrase; start if there is none, or
// if the phrase begins with it.
func (r *reading) verbCut(start, end int) int {
	if _, ok := r.p.rules.verbsZH.at(r.folded, start, end); ok {
		return start
	}
	for i := start; i < end; {
		if e, ok := r.p.rules.verbsZH.at(r.folded, i, end); ok && i >= start+2 {
			// 报销 in 报销单 is no verb, nor is 申请 at the end of 理赔申请.
			noun := e < end && strings.ContainsRune(nounTails, r.folded[e]) || e == end && nominal.suffix(r.folded, i, end) == end-i
			if we, _, word := r.p.lex.Match(r.folded, i); !noun && (!word || we <= e) {
				return i
			}
			if noun {
				i = e
				continue
			}
		}
		if e, _, ok := r.p.lex.Match(r.folded, i); ok && e <= end {
			i = e
			continue
		}
		i++
	}
	return start
}

// nominal verbs stand for the act itself at the end of a phrase.
var nominal = newPhrases([]string{"申请", "登记", "审批", "预订", "维修", "处理", "报名", "更新", "实施", "报告", "补办", "复审", "年检", "年审", "改造", "降档", "升级", "过户", "变更", "注销", "检修", "安装", "退货", "退款", "换货", "报关", "清关", "缴费", "挂失", "续费", "续租", "转让"})

// tail finds where the attribute at the end of a Chinese phrase begins; start if
// the phrase is one.
func (r *reading) tail(start, end int, c *clause) int {
	if !text.IsHan(r.folded[end-1]) {
		return start
	}
	cut := end
	// The words of the phrase, by the dictionary.
	var words []text.Span
	for j := start; j < end; {
		if e, _, ok := r.p.lex.Match(r.folded, j); ok && e <= end {
			words = append(words, text.Span{Start: j, End: e})
			j = e
			continue
		}
		j++
	}
	class, n := r.p.rules.nounClass(r.folded, start, end)
	if class == kb.Numeric && c.class != kb.Numeric && c.class != kb.Comparison && c.class != kb.Timeliness {
		n = 0 // 创业补贴 is the thing where no amount is asked
	}
	if n > 1 {
		cut = end - n
	}
	if k := len(words); (c.class == kb.Numeric || c.noun) && k > 0 && words[k-1].End == end && words[k-1].Start < cut && nominal.suffix(r.folded, start, end) == 0 && firmEnds.suffix(r.folded, start, end) == 0 {
		cut = words[k-1].Start
	}
	if n == 1 && cut == end {
		cut = max(start, end-2) // 入住率, 学费: at least a word of two characters
		for cut > start && end-cut < 3 && !r.wordStarts(words, cut) {
			cut--
		}
	}
	for again := true; again && cut > start; {
		again = false
		if m := r.modifier(start, cut); m > 0 {
			cut -= m
			again = true
			continue
		}
		if cut == end {
			continue
		}
		if class, m := r.p.rules.nounClass(r.folded, start, cut); m > 1 && class == kb.Numeric && cut-m > start {
			cut -= m
			again = true
			continue
		}
		if k := len(words); k > 1 {
			for _, w := range words {
				if class, m := r.p.rules.nounClass(r.folded, w.Start, w.End); w.End == cut && m > 0 && class == kb.Numeric && w.Start > start {
					cut = w.Start
					again = true
				}
			}
		}
	}
	if cut == end {
		return start
	}
	return cut
}

// firmEnds end the name of a firm and are no measure of it.
var firmEnds = newPhrases([]string{"股份", "集团", "科技", "实业", "控股", "公司", "银行", "证券", "药业", "物流"})

// modifier returns the length of a word of measure (最高, 每件) that ends a phrase.
func (r *reading) modifier(start, end int) int {
	if m := measureModifiers.suffix(r.folded, start, end); m > 0 {
		return m
	}
	if n := r.rate(start, end); n > 0 {
		return n
	}
	for n := 2; n <= 3 && end-n >= start; n++ {
		if r.folded[end-n] == '每' {
			return n
		}
	}
	if end-2 >= start && isNumeral(r.folded[end-2]) && strings.ContainsRune("次天年月人张晚", r.folded[end-1]) {
		return 2 // 一次
	}
	return 0
}

// startsCondition reports whether a word like 如果 stands right before a phrase.
func (r *reading) startsCondition(c *clause, at int) bool {
	for i := max(c.start, at-3); i < at; i++ {
		if e, ok := conditionStarts.at(r.folded, i, at); ok && e == at && r.marks[i] == drop {
			return true
		}
	}
	return false
}

// conditionCut finds the end of a condition that begins a phrase: 过户后|申请增容.
// It returns start if there is none.
func (r *reading) conditionCut(start, end int) int {
	for i := start + 2; i < end-1; {
		if e, _, ok := r.p.lex.Match(r.folded, i-1); ok && e > i {
			i = e + 1
			continue
		}
		if e, ok := r.p.rules.protect.at(r.folded, i-1, end); ok && e > i {
			i = e + 1
			continue
		}
		e, ok := conditionEnds.at(r.folded, i, end)
		if _, _, word := r.p.lex.Match(r.folded, i); word {
			ok = false
		}
		if ok && e < end-1 && !strings.ContainsRune("台端续果面勤期言提往间长段候效速代者方缀备", r.folded[e]) &&
			!strings.ContainsRune("小售目此先日幕最年房室国", r.folded[i-1]) && r.folded[i] != '中' && r.folded[i] != '内' && (r.folded[i] != '以' || slices.ContainsFunc(r.folded[start:i], isNumeral)) {
			return e
		}
		i++
	}
	return start
}

func (r *reading) wordStarts(words []text.Span, at int) bool {
	for _, w := range words {
		if w.Start == at || w.End == at {
			return true
		}
	}
	return false
}

// headNoun returns the end of the dictionary word that begins a phrase.
func (r *reading) headNoun(start, end int) int {
	if e, _, ok := r.p.lex.Match(r.folded, start); ok && e < end {
		return e
	}
	return start
}

// placeEnd returns the end of the place name that begins a phrase; 0 if none.
func (r *reading) placeEnd(start, end int) int {
	for i := start + 1; i < end && i < start+14; i++ {
		best := 0
		for j := i; j < end && j < i+3; j++ {
			if e, ok := placeEnds.at(r.folded, j, end); ok && e-start >= 2 {
				best = e
				break
			}
		}
		if best > 0 {
			// 云栈机场 is whole: take a longer ending that begins inside.
			for j := i; j <= best && j < end; j++ {
				if e, ok := placeEnds.at(r.folded, j, end); ok && e > best {
					best = e // 临山区 ends twice
				}
			}
			return best
		}
	}
	return 0
}

// assignStatement gives roles in a clause that asks nothing: a condition of the
// question beside it, or keywords.
func (r *reading) assignStatement(own []chunk) {
	role := roleSubject
	for i := range r.clauses {
		if r.clauses[i].rule >= 0 {
			role = roleCondition
		}
	}
	for i := range own {
		own[i].role = role
		if role == roleSubject && i == 0 && len(own) > 1 && r.endsInNoun(&own[0]) && hasWord([]string{"of", "for"}, own[1].before) {
			own[i].role = roleAttribute // "closing time of the cemetery"
		}
		if role == roleSubject && i > 1 && hasWord([]string{"at", "on", "in", "during", "after", "before"}, own[i].before) {
			own[i].role = roleCondition
		}
		if _, n := r.p.rules.nounClass(r.folded, own[i].start, own[i].end); role == roleSubject && n > 0 && i > 0 {
			own[i].role = roleAttribute
		}
	}
}

func (r *reading) assignEN(c *clause, own []chunk, asks bool) {
	if !asks {
		r.assignStatement(own)
		return
	}
	subject, attribute := -1, -1
	auxAt := r.auxiliary(c)
	yesNo := c.expect == kb.ExpectBoolean
	inCondition, verbIf := false, false
	nounRule := c.noun || c.rule >= 0 && (r.p.rules.rules[c.rule].Noun || r.p.rules.rules[c.rule].After != "") || c.class == kb.Subject
	anyKept := slices.ContainsFunc(own, func(ch chunk) bool { return ch.kept })
	for i := range own {
		ch := &own[i]
		if ch.role != "" {
			continue
		}
		prep := lastWord(ch.before)
		if i > 0 && own[i-1].verb && !ch.kept {
			for range r.particles(&own[i-1], ch) {
				_, ch.before, _ = strings.Cut(ch.before, " ")
			}
			prep = lastWord(ch.before)
		}
		switch {
		case ch.kept:
			ch.role = roleAttribute
			attribute = i
			continue
		case hasWord([]string{"if", "when", "while", "unless", "once"}, ch.before):
			// "what happens if the premium is paid late": the thing stands in the condition.
			if i == 0 && len(own) > 1 && c.class != kb.Timeliness && !r.isVerb(ch) {
				ch.role, subject, inCondition = roleSubject, i, true
				continue
			}
			if i == 0 && len(own) > 1 && r.isVerb(ch) && c.class != kb.Timeliness {
				ch.role, verbIf = roleCondition, true // "if I|miss|a tablet"
				continue
			}
			inCondition = i > 0
		}
		if verbIf && !inCondition && subject < 0 {
			ch.role, subject, inCondition = roleSubject, i, true
			continue
		}
		if inCondition {
			ch.role = roleCondition
			continue
		}
		article := slices.Contains(determiners, prep)
		led := prep
		if article {
			led = lastWord(strings.TrimSpace(strings.TrimSuffix(ch.before, prep)))
		}
		switch {
		case i == 0 && c.class == kb.Comparison && r.countedKind(ch):
			ch.role = roleNone
		case c.class == kb.Comparison && anyKept:
			ch.role = roleAttribute
		case i+1 < len(own) && subject < 0 && r.possessive(ch.end) && own[i+1].clause == ch.clause:
			ch.role = roleSubject
			subject = i
			if own[i+1].role == "" && !own[i+1].verb {
				own[i+1].role = roleAttribute
				attribute = i + 1
			}
		case r.isVerb(ch) && (ch.verb || i > 0) && (len(own) > 1 || ch.verb):
			ch.role = roleAttribute
			if attribute < 0 {
				attribute = i
			}
		case r.numbered(ch) && hasWord([]string{"than", "over", "under", "within", "after", "before", "least", "most"}, ch.before):
			ch.role = roleCondition
		case c.class == kb.Exception && subject < 0 && i > 0 && hasWord([]string{"from", "by", "under"}, led):
			ch.role = roleSubject
			subject = i
		case i == 0 && c.class == kb.Exception && !yesNo && len(own) > 1 && (prep == "which" || prep == "what" || ch.cueBefore && ch.start < auxAt && auxAt < c.to):
			ch.role = roleAttribute // "which posts are exempt from"
			attribute = i
		case led == "per":
			ch.role = roleAttribute
		case i == 0 && c.class == kb.Definition && !c.noun && !(ch.cueBefore && r.kindsOf(c) && ch.start < auxAt && len(own) > 1):
			ch.role = roleSubject
			subject = i
		case i == 0 && len(own) > 1 && r.wholeNoun(ch) && (!yesNo || hasWord([]string{"of", "on", "for"}, own[1].before) && existence.begins(r.folded, c.from, c.to)):
			ch.role = roleAttribute // "the criteria for", "the deductible for"
			attribute = i
		case i == 0 && c.class == kb.Numeric && ch.cueBefore && r.howMuchIs(c) && !(len(own) > 1 && r.endsInNoun(ch)):
			ch.role, subject = roleSubject, i // "how much is a single ticket on the line"
		case i == 0 && !yesNo && ch.cueBefore && ch.start < auxAt && !(c.class == kb.Region && auxAt == c.to) && (c.class != kb.Effect || ch.before == "" || len(own) == 1):
			ch.role = roleAttribute // "how many rooms does", "which fee is"
			attribute = i
		case i > 0 && led == "of" && own[i-1].clause == ch.clause && !own[i-1].kept &&
			(own[i-1].role == roleSubject || own[i-1].role == roleCondition || own[i-1].role == rolePlace || own[i-1].role == roleAttribute && subject >= 0):
			ch.role = own[i-1].role
		case i == 0 && c.class == kb.Numeric && r.howMuchIs(c) && !r.endsInNoun(ch):
			ch.role, subject = roleSubject, i
		case i == 0 && !yesNo && nounRule && !anyKept && len(own) > 1 && own[1].clause == ch.clause && hasWord(ofWords, own[1].before) && subject < 0 && !ch.named && !r.helped(ch.clause, ch.start):
			ch.role = roleAttribute // "what is the fee of"
			attribute = i
		case subject < 0 && !hasWord(conditionWords, led) && !(hasWord(placeWords, led) && ch.named) && !r.isVerb(ch):
			ch.role = roleSubject
			subject = i
		case hasWord(placeWords, led) && ch.named && (subject >= 0 || i+1 < len(own)):
			ch.role = rolePlace
		case attribute == i-1 && subject < 0 && (led == "of" || (led == "on" || led == "for") && yesNo && existence.begins(r.folded, c.from, c.to)):
			ch.role = roleSubject
			subject = i
		case hasWord(conditionWords, led) || hasWord(placeWords, led):
			if subject < 0 && !yesNo && !r.isVerb(ch) {
				ch.role = roleSubject
				subject = i
			} else {
				ch.role = roleCondition
			}
		default:
			ch.role = roleAttribute
			attribute = i
		}
	}
	r.betterSubject(c, own)
}

// betterSubject takes the role of subject from an English phrase that names nothing (a
// verb, an adverb, a state) where another phrase of the clause does, and gives it to the
// thing behind do, can or must where only what is asked for stands before.
func (r *reading) betterSubject(c *clause, own []chunk) {
	bad, has := -1, false
	for i := range own {
		if own[i].role != roleSubject {
			continue
		}
		if r.slight(&own[i]) {
			bad = i
		} else {
			has = true
		}
	}
	if has || bad < 0 {
		return
	}
	best, rank := -1, 0
	for i := range own {
		ch := &own[i]
		if i == bad || ch.kept || ch.role == roleNone || r.slight(ch) || text.IsHan(r.folded[ch.start]) {
			continue
		}
		n := 0
		switch ch.role {
		case roleAttribute:
			n = 3
			if r.endsInNoun(ch) {
				n = 1
			}
		case roleCondition, rolePremise:
			n = 2
		case rolePlace:
			n = 1
		}
		if i == bad+1 && n > 1 {
			n++ // "wrong with the pump that …"
		}
		if n > rank {
			best, rank = i, n
		}
	}
	if best < 0 {
		return
	}
	own[best].role = roleSubject
	own[bad].role = roleAttribute
	if w := r.words(own[bad].start, own[bad].end); len(w) == 1 && slightWords.whole(r.folded[w[0].Start:w[0].End]) {
		own[bad].role = roleNone
	}
}

// slightWords are English words that stand alone as phrases and name nothing.
var slightWords = newPhrases([]string{"off", "away", "back", "down", "again", "yet", "together", "instead", "first", "last", "less", "more", "half", "once", "twice", "one", "ones", "two", "far", "late", "early", "soon", "often", "left",
	"right", "straight", "alone", "online", "abroad", "anyway", "later", "sooner", "home", "better", "worse", "used", "using", "going", "coming", "trying", "want", "wants", "ll", "re", "ve", "d", "m", "used to", "able", "ahead", "forward", "anywhere", "somewhere", "everything", "nothing", "none", "never", "ever"})

// slight reports whether an English phrase names nothing: it is a verb, an adverb or a
// state, or a number.
func (r *reading) slight(ch *chunk) bool {
	if text.IsHan(r.folded[ch.start]) {
		return false
	}
	if ch.verb || r.isVerb(ch) {
		return true
	}
	words := r.words(ch.start, ch.end)
	if len(words) == 0 {
		return true
	}
	counted := r.numbered(ch)
	for _, w := range words {
		if unicode.IsUpper(r.runes[w.Start]) && w.Len() > 1 {
			return false
		}
		s := r.folded[w.Start:w.End]
		if slightWords.whole(s) || !slices.ContainsFunc(s, func(c rune) bool { return !unicode.IsDigit(c) }) || numberWords.whole(s) || counted && r.p.rules.units.whole(s) {
			continue
		}
		if len(words) == 1 && (r.inflected(w) && !slices.Contains(determiners, lastWord(ch.before)) && !nounVerbs.whole(s[:len(s)-1])) {
			continue
		}
		return false
	}
	return true
}

// howMuchIs reports whether a clause asks "how much is …": what follows is the thing.
func (r *reading) howMuchIs(c *clause) bool {
	return howMuch.begins(r.folded, c.from, c.to)
}

var howMuch = newPhrases([]string{"how much is", "how much are", "how much was", "how much were", "how much for", "how much a", "how much an", "how much the", "what does it cost for"})

// existence opens a question whether there is something: "is there a cap on …".
var existence = newPhrases([]string{"is there", "are there", "was there", "were there"})

var determiners = []string{"a", "an", "the", "my", "our", "your", "this", "that", "these", "any", "some", "their", "each", "every", "its"}

// phrasal are verbs whose preposition belongs to them: what follows is their object.
var phrasal = newPhrases([]string{"hand in", "hold on to", "log in to", "log on to", "check in to", "sign in to", "fill in", "send in", "pay in", "check in", "log in", "log on", "sign in", "sign on", "sign up", "sign off", "pick up", "set up", "take up", "bring up", "back up", "turn on",
	"turn off", "switch on", "switch off", "take out", "take off", "fill out", "opt out", "check out", "drop off", "pay off",
	"decide on", "decides on", "pay back", "give back", "bring back", "hand over", "take over", "carry out", "find out", "deal with", "complain about"})

// particles counts the prepositions before a phrase that belong to the verb before it.
func (r *reading) particles(verb, ch *chunk) int {
	w := r.wordBefore(verb.start, verb.end)
	e, ok := phrasal.at(r.folded, w.Start, ch.start)
	if !ok {
		return 0
	}
	return len(strings.Fields(string(r.folded[w.End:e])))
}

// wholeNoun reports whether a phrase is nothing but a word that says what is asked:
// criteria, deadline, price.
func (r *reading) wholeNoun(ch *chunk) bool {
	_, n := r.p.rules.nounClass(r.folded, ch.start, ch.end)
	return n > 0 && n == ch.end-ch.start
}

// endsInNoun reports whether a phrase ends with a word that says what is asked.
func (r *reading) endsInNoun(ch *chunk) bool {
	_, n := r.p.rules.nounClass(r.folded, ch.start, ch.end)
	return n > 0
}

// kindsOf reports whether a form asks for kinds, types, sorts of something.
func (r *reading) kindsOf(c *clause) bool {
	return kindWords.anywhere(r.folded, c.from, c.to)
}

var kindWords = newPhrases([]string{"kinds of", "types of", "sorts of", "kind of", "type of", "sort of", "categories of", "category of"})

// numbered reports whether an English phrase begins with a number.
func (r *reading) numbered(ch *chunk) bool {
	if unicode.IsDigit(r.folded[ch.start]) {
		return true
	}
	_, ok := numberWords.at(r.folded, ch.start, ch.end)
	return ok
}

// countedKind reports whether a chunk is "two rooms": the kind of the things compared.
func (r *reading) countedKind(ch *chunk) bool {
	w := r.words(ch.start, ch.end)
	return len(w) > 1 && numbersEN[string(r.folded[w[0].Start:w[0].End])] > 0
}

// auxiliary returns where the first do, is, can, … of the clause begins; the end
// of the clause if there is none.
func (r *reading) auxiliary(c *clause) int {
	for i := c.from; i < c.to; i++ {
		if e, ok := auxiliaries.at(r.folded, i, c.to); ok && e > i {
			return i
		}
	}
	return c.to
}

var auxiliaries = newPhrases([]string{"is", "are", "was", "were", "do", "does", "did", "can", "could", "may", "might", "must", "should", "shall", "will", "would", "has", "have", "had"})

// possessive reports whether an 's stands at i.
func (r *reading) possessive(i int) bool {
	return i+1 < len(r.folded) && (r.folded[i] == '\'' || r.folded[i] == '’') && r.folded[i+1] == 's'
}

func (r *reading) isVerb(ch *chunk) bool {
	w := r.words(ch.start, ch.end)
	if ch.verb {
		return true
	}
	if slices.Contains(determiners, lastWord(ch.before)) {
		return false
	}
	if len(w) != 1 || unicode.IsUpper(r.runes[w[0].Start]) {
		return false
	}
	e, ok := r.p.rules.verbs.at(r.folded, w[0].Start, w[0].End)
	return ok && e == w[0].End || r.participle(w[0])
}

var irregular = newPhrases([]string{"sold", "built", "made", "kept", "held", "paid", "sent", "given", "taken", "written", "chosen", "known", "found", "founded", "bought", "brought", "lost", "done", "put", "cut", "shut", "laid", "dug", "torn", "thrown", "stolen", "broken", "frozen", "withdrawn", "caught", "fed", "fought", "hidden", "hung", "struck", "woken", "worn",
	"drawn", "grown", "shown", "spent", "taught", "lent", "met", "set", "born", "won", "left", "led", "said", "seen", "begun", "valid", "open", "closed", "available", "due", "located", "mandatory", "free", "worth", "liable", "responsible", "entitled", "eligible", "safe", "legal", "illegal", "compulsory", "optional", "necessary", "extra", "ready", "full", "empty", "tax-free", "exempt", "subject", "affected", "big", "small", "enough", "possible", "worth", "wrong", "ok", "okay", "correct", "true"})

// participle reports whether a word can end a passive or a state: postponed, sold, valid.
func (r *reading) participle(w text.Span) bool {
	if unicode.IsUpper(r.runes[w.Start]) {
		return false
	}
	if w.Len() > 4 && r.folded[w.End-1] == 'd' && r.folded[w.End-2] == 'e' {
		return true
	}
	if s := string(r.folded[w.Start:w.End]); w.Len() > 6 && (strings.HasSuffix(s, "able") || strings.HasSuffix(s, "ible")) {
		return true // refundable
	}
	e, ok := irregular.at(r.folded, w.Start, w.End)
	return ok && e == w.End
}

// promote sees to it that a question with content has a subject.
func (r *reading) promote() {
	has := map[string]int{}
	for _, ch := range r.chunks {
		has[ch.role]++
	}
	if has[roleSubject] > 0 || len(r.chunks) == 0 {
		return
	}
	pick := -1
	for i, ch := range r.chunks {
		switch {
		case ch.role == roleAttribute && ch.named && !ch.verb && r.clauses[ch.clause].rule >= 0 && has[roleCondition] > 0:
			pick = i // "I do not eat nuts. Which Oakfen bar …"
		case ch.role == rolePlace && pick < 0:
			pick = i
		case ch.role == roleCondition && r.clauses[ch.clause].rule < 0 && !r.conditional(ch) && !ch.verb && !r.slight(&ch):
			pick = i
		case ch.role == roleCondition && pick < 0 && has[roleCondition] == 1 && r.clauses[ch.clause].class == kb.Subject && !text.IsHan(r.folded[ch.start]) && !r.isVerb(&r.chunks[i]):
			pick = i // "who is liable when a meter freezes"
		}
		if pick >= 0 && r.chunks[pick].role != rolePlace {
			break
		}
	}
	if pick < 0 && has[roleAttribute] > 1 {
		for i, ch := range r.chunks {
			if ch.role == roleAttribute && !r.isVerb(&r.chunks[i]) {
				pick = i
				break
			}
		}
	}
	if pick < 0 && has[roleCondition] == 0 && has[roleAttribute] == 1 {
		return
	}
	if pick >= 0 {
		r.chunks[pick].role = roleSubject
	}
}

// conditional reports whether a clause without question begins with if.
func (r *reading) conditional(ch chunk) bool {
	c := r.clauses[ch.clause]
	if conditionStarts.anywhere(r.folded, c.from, min(c.to, c.from+3)) {
		return true
	}
	first, _, _ := strings.Cut(string(r.folded[c.from:c.to]), " ")
	return slices.Contains(conditionWords, first)
}

// pair is two coordinated things.
type pair struct {
	a, b text.Span
	each bool // the question asks of each
}

var (
	coordinatorsZH = newPhrases([]string{"和", "与", "跟", "同", "及", "或", "还是", "以及", "、", "比", "或者", "相比", "相较于"})
	eachWords      = newPhrases([]string{"各", "各是", "分别", "各自", "都", "each", "respectively", "both", "两者", "二者"})
	eachOf         = newPhrases([]string{"分别", "各自"}) // wherever they stand behind two things
	sumWords       = newPhrases([]string{"共", "一共", "总共", "合计", "加起来", "together", "altogether", "in total", "combined"})
)

// findPair looks for "A and B" among the things a question names.
func (r *reading) findPair(comparing bool) (pair, bool) {
	if !comparing {
		return r.coordinated(false, false)
	}
	if two, ok := r.thanPair(); ok {
		return two, true
	}
	if two, ok := r.coordinated(true, false); ok { // "ready to pick sooner, A or B": to joins nothing there
		return two, true
	}
	return r.coordinated(true, true)
}

// coordinated finds two neighbouring phrases that a word joins; with loose set also one that
// joins things only where nothing else does: A with B, from A to B.
func (r *reading) coordinated(comparing, loose bool) (pair, bool) {
	for i := 0; i+1 < len(r.chunks); i++ {
		a, b := &r.chunks[i], &r.chunks[i+1]
		between := strings.TrimSpace(string(r.folded[a.end:b.start]))
		if text.IsHan(r.folded[a.end-1]) || text.IsHan(r.folded[b.start]) {
			ok := false
			if between != "" {
				_, ok = coordinatorsZH.at(r.folded, a.end, b.start)
			}
			if !ok || strings.Contains(between, "的") && !strings.HasPrefix(between, "和") {
				continue
			}
			if n := changing.suffix(r.folded, a.start, a.end); n > 0 && changing.suffix(r.folded, b.start, b.end) == b.end-b.start {
				// 产量增加还是减少: two ways for one thing.
				a.end -= n
				b.role = roleNone
				if a.end == a.start {
					a.end, a.role = a.start+n, roleNone
				}
				continue
			}
			span := text.Span{Start: b.start, End: r.sharedEnd(a, b)}
			if comparing || span.End < b.end || strings.HasPrefix(string(r.folded[b.end:]), "的") || eachWords.anywhere(r.folded, b.end, min(len(r.folded), b.end+8)) ||
				eachOf.anywhere(r.folded, b.end, max(b.end, r.clauses[b.clause].to)) {
				return pair{a: text.Span{Start: a.start, End: a.end}, b: span, each: true}, true
			}
			continue
		}
		word, _, _ := strings.Cut(between, " ")
		if strings.Contains(between, "before") || strings.Contains(between, "after") || !comparing && hasWord([]string{"between"}, a.before) {
			continue
		}
		if comparing {
			for w := range strings.FieldsSeq(between) {
				if w = strings.Trim(w, ", "); w == "than" || w == "or" || w == "versus" || w == "vs" || w == "and" {
					word = w
					break
				}
			}
		}
		word = strings.TrimLeft(word, ", ")
		if word == "" && strings.HasPrefix(between, ",") {
			word = strings.TrimSpace(strings.TrimLeft(between, ", "))
			word, _, _ = strings.Cut(word, " ")
		}
		switch word {
		case "and", "or", "versus", "vs", "vs.":
		case "than", "with", "to", "from", "as":
			if !loose || hasWord([]string{"from", "between"}, a.before) {
				continue // from A to B: a way, no choice
			}
		default:
			continue
		}
		if a.verb || b.verb || !comparing && (a.role == roleCondition || !(a.named && b.named) && !r.alike(a, b)) {
			continue
		}
		return pair{a: text.Span{Start: a.start, End: a.end}, b: text.Span{Start: b.start, End: b.end}, each: true}, true
	}
	return pair{}, false
}

// thanPair finds "is A … than B": the first thing of the clause and what follows than.
func (r *reading) thanPair() (pair, bool) {
	for j := 1; j < len(r.chunks); j++ {
		b := &r.chunks[j]
		if text.IsHan(r.folded[b.start]) || !hasWord([]string{"than"}, b.before) && !strings.HasSuffix(strings.TrimSpace(string(r.folded[r.chunks[j-1].end:b.start])), "than the") &&
			!strings.HasSuffix(strings.TrimSpace(string(r.folded[r.chunks[j-1].end:b.start])), "than a") && !strings.HasSuffix(strings.TrimSpace(string(r.folded[r.chunks[j-1].end:b.start])), "than") {
			continue
		}
		for i := range r.chunks[:j] {
			a := &r.chunks[i]
			if a.clause == b.clause && !a.verb && a.role != roleNone && !a.kept && !(a.cueBefore && a.start < r.auxiliary(&r.clauses[a.clause]) && r.auxiliary(&r.clauses[a.clause]) < b.start) {
				return pair{a: text.Span{Start: a.start, End: a.end}, b: text.Span{Start: b.start, End: b.end}, each: true}, true
			}
		}
	}
	return pair{}, false
}

// alike reports whether two coordinated English phrases are things of a kind: the
// same last word, or an article before each, and no words for what is asked.
func (r *reading) alike(a, b *chunk) bool {
	if a.clause != b.clause {
		return false
	}
	for _, ch := range []*chunk{a, b} {
		if _, n := r.p.rules.nounClass(r.folded, ch.start, ch.end); n > 0 && r.wholeNoun(ch) {
			return false
		}
	}
	wa, wb := r.wordBefore(a.start, a.end), r.wordBefore(b.start, b.end)
	if wa.Len() > 0 && a.end-a.start > wa.Len() && slices.Equal(r.folded[wa.Start:wa.End], r.folded[wb.Start:wb.End]) {
		return true
	}
	article := []string{"the", "a", "an"}
	_, n := r.p.rules.nounClass(r.folded, a.start, a.end)
	_, m := r.p.rules.nounClass(r.folded, b.start, b.end)
	return n == 0 && m == 0 && slices.Contains(article, lastWord(a.before)) && slices.Contains(article, lastWord(b.before))
}

// sharedEnd finds the end of the second of two Chinese names: where it shows the
// ending of the first (书法课 和 围棋课|学费), else before the attribute.
func (r *reading) sharedEnd(a, b *chunk) int {
	for n := min(3, a.end-a.start-1); n >= 1; n-- {
		for e := b.start + n + 1; e <= b.end; e++ {
			if equal(r.folded[e-n:e], r.folded[a.end-n:a.end]) {
				return e
			}
		}
	}
	return b.end
}

// slots builds the list of slots.
func (r *reading) slots(a *kb.Analysis, asking []int) {
	comparing := a.Class == kb.Comparison
	two, paired := r.findPair(comparing)
	if paired && comparing {
		r.splitPair(two, true)
	} else if paired {
		paired = !sumWords.anywhere(r.folded, 0, len(r.folded))
		if paired {
			r.splitPair(two, false)
		}
	}
	if a.Class == kb.Condition || a.Class == kb.Effect || a.Class == kb.Steps {
		for i := range r.chunks {
			if r.chunks[i].role == roleCondition {
				r.chunks[i].role = rolePremise
			}
		}
	}
	if a.Class == kb.Definition && !paired {
		only := true
		for _, ch := range r.chunks {
			only = only && ch.role == roleAttribute
		}
		if only {
			for i := range r.chunks {
				r.chunks[i].role = roleSubject
			}
		}
	}
	var askedSlots kb.Analysis
	askedSlots.Class = a.Class
	r.asked(&askedSlots, asking, two, paired)
	r.given(a, comparing && paired)
	a.Slots = append(a.Slots, askedSlots.Slots...)
	if r.modal || a.Class == kb.Condition {
		for _, name := range []string{"condition", "exception", "prohibition"} {
			if !slices.ContainsFunc(a.Slots, func(s kb.Slot) bool { return s.Role == kb.Asked && s.Name == name }) {
				a.Slots = append(a.Slots, kb.Slot{Name: name, Role: kb.Asked, Expect: kb.ExpectText, Subject: r.joined(roleSubject, -1)})
			}
		}
	}
	if a.Class == kb.Steps {
		a.Slots = append(a.Slots, kb.Slot{Name: "condition", Role: kb.Asked, Expect: kb.ExpectText})
	}
	if a.Class == kb.Effect {
		a.Slots = append(a.Slots, kb.Slot{Name: "exception", Role: kb.Asked, Expect: kb.ExpectText})
	}
	seen := map[string]bool{}
	a.Slots = slices.DeleteFunc(a.Slots, func(s kb.Slot) bool {
		key := string(s.Role) + s.Name
		if s.Role == kb.Given || s.Required {
			return false
		}
		dup := seen[key]
		seen[key] = true
		return dup
	})
}

// rankTails end a Chinese phrase that names what two things are compared by: 单价|低一些.
var rankTails = newPhrases(func() (out []string) {
	for _, word := range []string{"高", "低", "多", "少", "贵", "便宜", "快", "慢", "长", "短", "大", "小", "早", "晚", "重", "轻", "远", "近", "好", "省", "强"} {
		for _, end := range []string{"一些", "一点", "一点儿", "些", "点", "点儿"} {
			out = append(out, word+end)
		}
	}
	return out
}())

// rankMeasures are words of a comparison that say by what, though they say little elsewhere.
var rankMeasures = newPhrases([]string{"expensive", "costly", "cheap", "affordable"})

// splitPair gives the two sides chunks of their own.
func (r *reading) splitPair(two pair, comparing bool) {
	var out []chunk
	second := -1 // clause of the second side
	for _, ch := range r.chunks {
		if ch.start == two.b.Start {
			second = ch.clause
		}
		switch {
		case ch.end < two.a.Start && ch.role == roleCondition && r.folded[ch.end] == '的' && two.a.Start == ch.end+1:
			ch.role = roleSubject // 某院的|甲科和乙科
		case ch.start == two.a.Start:
			ch.side, ch.role = 1, roleSubject
		case ch.start == two.b.Start:
			if two.b.End < ch.end {
				rest := ch
				rest.start, rest.before, rest.role, rest.side = two.b.End, "", roleAttribute, 0
				ch.end = two.b.End
				ch.side, ch.role = 2, roleSubject
				out = append(out, ch, rest)
				continue
			}
			ch.side, ch.role = 2, roleSubject
		case ch.role == roleSubject && !text.IsHan(r.folded[ch.start]) && ch.start < two.b.Start && lastWord(strings.TrimSuffix(ch.before, " the")) != "of":
			ch.role = roleAttribute // "which holds more vitamin C, A or B"
		case ch.role == roleSubject && comparing && text.IsHan(r.folded[ch.start]) && ch.start >= two.b.End && ch.clause <= second+1:
			ch.role = roleAttribute // 甲和乙哪个更|耐旱
		}
		if n := rankTails.suffix(r.folded, ch.start, ch.end); comparing && ch.role == roleAttribute && n > 0 && ch.end-ch.start-n >= 2 {
			ch.end -= n
		}
		out = append(out, ch)
	}
	r.chunks = out
}

// given appends the GIVEN slots: one per role, neighbours of a role joined.
func (r *reading) given(a *kb.Analysis, sides bool) {
	type span struct {
		text.Span
		role string
	}
	var spans []span
	prev := -1
	for i, ch := range r.chunks {
		role := ch.role
		if e, ok := r.p.rules.pronouns.at(r.folded, ch.start, ch.end); ok && e == ch.end || ch.end-ch.start == 1 && strings.ContainsRune("这那它", r.folded[ch.start]) {
			continue
		}
		if role == roleNone {
			continue
		}
		if ch.side > 0 && sides {
			role = "subject_" + string(rune('a'+ch.side-1))
		}
		if prev >= 0 && len(spans) > 0 && ch.side == 0 && r.chunks[prev].side == 0 {
			last := &spans[len(spans)-1]
			if last.role == role && r.chunks[prev].clause == ch.clause && !r.hasCue(last.End, ch.start) {
				last.End = ch.end
				prev = i
				continue
			}
		}
		spans = append(spans, span{text.Span{Start: ch.start, End: ch.end}, role})
		prev = i
	}
	for _, t := range r.times {
		spans = append(spans, span{t.Span, "time"})
	}
	slices.SortStableFunc(spans, func(x, y span) int { return cmp.Compare(x.Start, y.Start) })
	total := map[string]int{}
	for _, s := range spans {
		total[s.role]++
	}
	count := map[string]int{}
	for _, s := range spans {
		name := s.role
		if total[name] > 1 {
			count[name]++
			name += "_" + strconv.Itoa(count[name])
		}
		a.Slots = append(a.Slots, kb.Slot{Name: name, Role: kb.Given, Value: r.text(s.Start, s.End), Start: s.Start, End: s.End, Required: true})
	}
}

// joinWords may stand inside one given span.
var joinWords = []string{"of", "the", "a", "an", "and", "in", "for", "to", "on", "at", "from", "with", "by", "my", "our", "your", "their", "per", "without", "is", "are"}

// hasCue reports whether something else than joining words and spaces parts a range.
func (r *reading) hasCue(start, end int) bool {
	for i := start; i < end; i++ {
		if r.marks[i] != drop && r.marks[i] != gap || r.marks[i] == gap && strings.ContainsRune(",，;；、。?？", r.folded[i]) || text.IsHan(r.folded[i]) {
			return true
		}
	}
	for w := range strings.FieldsSeq(string(r.folded[start:end])) {
		if !slices.Contains(joinWords, w) {
			return true
		}
	}
	return false
}

// joined is the text of all chunks of a role; of one clause unless ci is -1.
func (r *reading) joined(role string, ci int) string {
	var parts []string
	end := -1
	for _, ch := range r.chunks {
		if ch.role != role || ci >= 0 && ch.clause != ci {
			continue
		}
		if n := len(parts); n > 0 && end < ch.start && ch.side == 0 {
			if of := strings.TrimSpace(string(r.folded[end:ch.start])); of == "of" || strings.HasPrefix(of, "of ") && !r.hasCue(end, ch.start) {
				parts[n-1] += r.text(end, ch.end) // change of name
				end = ch.end
				continue
			}
		}
		parts = append(parts, r.text(ch.start, ch.end))
		end = ch.end
	}
	return strings.Join(parts, " ")
}

// inherited is the subject of the nearest clause before ci that names one, else of the
// nearest behind it.
func (r *reading) inherited(ci int) string {
	for k := ci - 1; k >= 0; k-- {
		if s := r.joined(roleSubject, k); s != "" {
			return s
		}
	}
	for k := ci + 1; k < len(r.clauses); k++ {
		if s := r.joined(roleSubject, k); s != "" {
			return s
		}
	}
	return ""
}

// asked appends the ASKED slots of all asking clauses.
func (r *reading) asked(a *kb.Analysis, asking []int, two pair, paired bool) {
	var list []kb.Slot
	if len(asking) == 0 {
		// Keywords: what the class of their nouns asks.
		list = append(list, kb.Slot{Name: slotNames[a.Class], Role: kb.Asked, Required: true, Expect: expects[a.Class],
			Subject: r.joined(roleSubject, -1), Attribute: r.joined(roleAttribute, -1)})
	}
	for k, ci := range asking {
		c := &r.clauses[ci]
		class, expect := c.class, c.expect
		if k == 0 {
			class = a.Class
			if class != c.class {
				expect = expects[class]
			}
		}
		s := kb.Slot{Name: slotNames[class], Role: kb.Asked, Required: true, Expect: expect}
		if c.rule >= 0 {
			if n := r.p.rules.rules[c.rule].Slot; n != "" && class == c.class && !c.noun {
				s.Name = n
			}
			s.Unit = r.p.rules.rules[c.rule].Unit
		}
		if expect == kb.ExpectBoolean {
			s.Name = "outcome"
		}
		s.Subject = r.joined(roleSubject, ci)
		if s.Subject == "" {
			s.Subject = r.inherited(ci)
		}
		s.Attribute = r.joined(roleAttribute, ci)
		if s.Attribute == "" && k == 0 && len(asking) == 1 {
			s.Attribute = r.joined(roleAttribute, -1)
		}
		r.measure(c, &s)
		s.Count = r.count(c)
		if s.Count > 1 && (s.Expect == kb.ExpectText || s.Expect == kb.ExpectEntity) {
			s.Expect = kb.ExpectList
		}
		if several := r.attributes(ci, c, s); len(several) > 1 && class != kb.Comparison {
			list = append(list, several...)
			continue
		}
		if paired && k == 0 && (class == kb.Comparison || two.each) {
			sides := r.sides(class, c, s, two)
			list = append(list, sides...)
			continue
		}
		list = append(list, s)
	}
	total := map[string]int{}
	for _, s := range list {
		total[s.Name]++
	}
	count := map[string]int{}
	for i := range list {
		if n := list[i].Name; total[n] > 1 {
			count[n]++
			list[i].Name = n + "_" + strconv.Itoa(count[n])
		}
	}
	a.Slots = append(a.Slots, list...)
}

// attributes makes one asked slot of each of several measures joined by "and":
// the opening hours and the entry fee of the museum.
func (r *reading) attributes(ci int, c *clause, s kb.Slot) []kb.Slot {
	if !c.noun && c.class != kb.Numeric {
		return nil
	}
	var out []kb.Slot
	var own []*chunk
	for i := range r.chunks {
		if r.chunks[i].clause == ci {
			own = append(own, &r.chunks[i])
		}
	}
	add := func(ch *chunk, class kb.Class) {
		one := s
		one.Name, one.Attribute = slotNames[class], r.text(ch.start, ch.end)
		if class != c.class {
			one.Expect = expects[class]
		}
		out = append(out, one)
	}
	for i := 0; i+1 < len(own); i++ {
		a, b := own[i], own[i+1]
		between := strings.TrimSpace(string(r.folded[a.end:b.start]))
		switch between {
		case "and", "and the", "和", "与", "及", "、", "以及", ",":
		default:
			continue
		}
		first, n := r.p.rules.nounClass(r.folded, a.start, a.end)
		second, m := r.p.rules.nounClass(r.folded, b.start, b.end)
		if n == 0 || m == 0 || a.side > 0 && (a.named || b.named) {
			continue
		}
		a.role, b.role, a.side, b.side = roleAttribute, roleAttribute, 0, 0
		if len(out) == 0 {
			add(a, first)
		}
		add(b, second)
		if i+2 < len(own) && own[i+2].role == roleAttribute && hasWord([]string{"of", "at", "for", "in", "to"}, own[i+2].before) {
			own[i+2].role = roleSubject
		}
	}
	if len(out) > 1 {
		subject := ""
		for _, ch := range own {
			if ch.role == roleSubject || ch.role == rolePlace && subject == "" {
				subject = clean(subject, r.text(ch.start, ch.end))
			}
		}
		for i := range out {
			out[i].Subject = subject
			if subject == "" {
				out[i].Subject = out[i].Attribute // "the berth fees and the crane fees": each is a thing
			}
		}
	}
	return out
}

// sides makes the asked slots of two coordinated things.
func (r *reading) sides(class kb.Class, c *clause, s kb.Slot, two pair) []kb.Slot {
	head := ""
	for _, ch := range r.chunks {
		if ch.role == roleSubject && ch.side == 0 && ch.end <= two.a.Start {
			head = r.text(ch.start, ch.end)
		}
	}
	if class == kb.Comparison {
		ranked := r.p.rules.rules[max(c.rule, 0)].ID != "" && r.ranks(c)
		if !ranked {
			s.Name, s.Expect = "difference", kb.ExpectText
			s.Subject = r.text(two.a.Start, two.a.End) + " " + r.text(two.b.Start, two.b.End)
			return []kb.Slot{s}
		}
		s.Name, s.Expect = "value", kb.ExpectAny
		if by := r.comparedBy(c); by != "" {
			s.Attribute = clean(by, r.attributeOf(c))
			if own := r.attributeOf(c); own != "" && text.IsHan([]rune(by)[0]) {
				s.Attribute = own // 续航时间更长: the measure is named
			}
		}

	}
	first, second := s, s
	first.Subject = clean(head, r.text(two.a.Start, two.a.End))
	second.Subject = clean(head, r.text(two.b.Start, two.b.End))
	return []kb.Slot{first, second}
}

var rankWords = newPhrases([]string{"更", "最", "较", "比", "哪", "谁", "还是", "多少", "贵", "便宜", "than", "which", "who", "faster", "cheaper", "better", "more", "less", "or"})

var diffWords = newPhrases([]string{"区别", "不同", "差别", "差异", "异同", "difference", "differences", "differ", "differs", "similarities", "in common", "distinguish", "compare", "compared", "pros and cons", "versus", "vs", "对比", "比较一下", "相同点", "共同点", "关系"})

// ranks reports whether the comparison asks for the greater side, not for the
// difference in words.
func (r *reading) ranks(c *clause) bool {
	if diffWords.anywhere(r.folded, c.from, c.to) {
		return false
	}
	return rankWords.anywhere(r.folded, c.from, c.to)
}

// attributeOf is the attribute of a comparison without the kind of thing compared
// ("which ferry is faster").
func (r *reading) attributeOf(c *clause) string {
	var parts []string
	for _, ch := range r.chunks {
		if ch.role == roleAttribute && !(ch.cueBefore && ch.start < r.auxiliary(c) && !text.IsHan(r.folded[ch.start]) && r.auxiliary(c) < c.to) {
			parts = append(parts, r.text(ch.start, ch.end))
		}
	}
	return strings.Join(parts, " ")
}

// genericRank are comparison words that name no measure of their own.
var genericRank = newPhrases([]string{"more", "less", "fewer", "higher", "lower", "most", "least", "highest", "lowest", "greater", "greatest", "better", "worse", "更", "最", "较", "高", "低", "多", "少", "大", "小", "好", "哪", "比", "a", "b"})

// comparedBy returns the word of the form that names the measure (更快, faster).
func (r *reading) comparedBy(c *clause) string {
	for i := c.to - 1; i >= c.from; i-- {
		if r.marks[i] != cue || r.folded[i] == ' ' {
			continue
		}
		s := i
		if text.IsHan(r.folded[i]) {
			if genericRank.anywhere(r.folded, i, i+1) || strings.ContainsRune("个种家款门条间位类台艘座者项套一吗么还是要年", r.folded[i]) {
				continue
			}
			if i > c.from && r.marks[i-1] == cue && (r.folded[i] == '宜' || r.folded[i] == '算' || r.folded[i] == '适') {
				s = i - 1
			}
			return r.text(s, i+1)
		}
		for s > c.from && isLatin(r.folded[s-1]) {
			s--
		}
		if w := string(r.folded[s : i+1]); w != "than" && w != "or" && w != "the" && w != "which" && w != "is" && !genericRank.anywhere(r.folded, s, i+1) {
			return r.text(s, i+1)
		}
		i = s
	}
	for i := c.from; i < c.to; i++ {
		if e, ok := rankMeasures.at(r.folded, i, c.to); ok {
			return r.text(i, e)
		}
	}
	return ""
}

// measure reads the unit word behind "how many" and takes it out of the attribute.
func (r *reading) measure(c *clause, s *kb.Slot) {
	if s.Expect != kb.ExpectQuantity && s.Expect != kb.ExpectDuration || len(c.pieces) == 0 {
		return
	}
	end := c.pieces[len(c.pieces)-1].end
	for i, pc := range c.pieces {
		if !pc.keep && i < len(c.pieces) && !strings.ContainsRune(string(r.folded[pc.start:pc.end]), '\u2026') {
			end = pc.end
		}
	}
	at := end
	for at < c.to && r.folded[at] == ' ' {
		at++
	}
	if s.Unit == "" && at < c.to {
		if e, ok := r.p.rules.units.at(r.folded, at, c.to); ok {
			s.Unit = r.text(at, e)
		}
	}
	if s.Unit == "" {
		// The unit inside the form: 几天, 几公里.
		last := c.pieces[len(c.pieces)-1]
		for i := last.start; i < last.end; i++ {
			if e, ok := r.p.rules.units.at(r.folded, i, last.end); ok && e == last.end {
				s.Unit = r.text(i, e)
				break
			}
		}
	}
	if s.Attribute == "" && c.class == kb.Numeric {
		s.Attribute = r.adjective(c)
	}
}

// adjective returns the word of a form that names a dimension: 多远, how long.
func (r *reading) adjective(c *clause) string {
	last := c.pieces[len(c.pieces)-1]
	w := string(r.folded[last.start:last.end])
	switch {
	case strings.HasPrefix(w, "多") && len([]rune(w)) == 2 && w != "多少":
		return r.text(last.start+1, last.end)
	case strings.HasPrefix(w, "how ") && w != "how much" && w != "how many":
		return r.text(last.start+4, last.end)
	}
	for _, pc := range c.pieces {
		w := strings.TrimSpace(string(r.folded[pc.start:pc.end]))
		if dim := strings.TrimPrefix(w, "how "); dim != w && dim != "many" && dim != "much" {
			return dim
		}
		switch w {
		case "long", "big", "large", "tall", "high", "wide", "deep", "heavy", "fast", "far", "old", "often", "thick":
			return w
		case "大", "高", "长", "宽", "远", "重", "深", "快", "厚":
			return w
		}
	}
	return ""
}

var numbersEN = map[string]int{"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12}

// trimCount takes an announced count off the phrase that it begins: the count is no
// part of a name.
func (r *reading) trimCount(c *clause, own []chunk) []chunk {
	n, at := r.announced(c)
	if n == 0 {
		return own
	}
	out := own[:0:0]
	for _, ch := range own {
		if ch.start < at.End && at.Start <= ch.start {
			for ch.start = min(at.End, ch.end); ch.start < ch.end && r.marks[ch.start] == gap; {
				ch.start++
			}
			if ch.start == ch.end {
				continue
			}
		}
		out = append(out, ch)
	}
	return out
}

// count reads how many items are announced: 哪四个步骤, the three kinds.
func (r *reading) count(c *clause) int {
	n, _ := r.announced(c)
	return n
}

// announced reads the count of the items asked for, and where it stands.
func (r *reading) announced(c *clause) (int, text.Span) {
	if c.class == kb.Numeric || c.class == kb.Comparison || c.expect == kb.ExpectQuantity || c.expect == kb.ExpectBoolean {
		return 0, text.Span{}
	}
	digits := []rune("零一二三四五六七八九十")
	for i := c.from; i < c.to; i++ {
		ch := r.folded[i]
		if r.marks[i] == timeMark {
			continue
		}
		if text.IsHan(ch) {
			n := slices.Index(digits, ch)
			if ch == '两' {
				n = 2
			}
			if n > 1 && i+1 < c.to && strings.ContainsRune("个类种项步大条点位家款份门", r.folded[i+1]) && (i == c.from || !slices.Contains(digits, r.folded[i-1]) && !strings.ContainsRune("第满足前后达过第", r.folded[i-1])) {
				if e := i + 2; e < c.to && strings.ContainsRune("月小星季学百", r.folded[e]) {
					continue // 三个月
				}
				return n, text.Span{Start: i, End: i + 2}
			}
			continue
		}
		if i > 0 && isLatin(r.folded[i-1]) {
			continue
		}
		e := i
		for e < c.to && isLatin(r.folded[e]) {
			e++
		}
		if e == i {
			continue
		}
		w := string(r.folded[i:e])
		if n, ok := numbersEN[w]; ok && r.listAhead(c, i, e) {
			return n, text.Span{Start: i, End: e}
		}
		if n, err := strconv.Atoi(w); err == nil && n > 1 && n < 100 && e < c.to && (strings.ContainsRune("个类种项步大条", r.folded[e]) || r.listAhead(c, i, e) && !unicode.IsDigit(r.folded[e])) {
			if text.IsHan(r.folded[e]) {
				if e+1 < c.to && strings.ContainsRune("月小星季学百", r.folded[e+1]) {
					i = e
					continue
				}
				e++
			}
			return n, text.Span{Start: i, End: e}
		}
		i = e - 1
	}
	return 0, text.Span{}
}

// listAhead reports whether a number word right behind what, which or the stands
// before the things a question asks for.
func (r *reading) listAhead(c *clause, start, end int) bool {
	before := strings.Fields(string(r.folded[c.from:start]))
	if len(before) == 0 || len(before) > 4 {
		return false
	}
	switch before[len(before)-1] {
	case "which", "what", "the", "these", "name", "list", "are":
		return true
	}
	return false
}

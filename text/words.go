package text

import (
	_ "embed"
	"strings"
	"sync"
)

const (
	functionWord int16 = 1
	keepWord     int16 = 2
)

// compounds lists further compounds, one a line: nouns, verbs and adjectives of the
// dictionary of jieba (MIT, see NOTICE) that are frequent there and contain a function
// character without being a phrase that it opens, and words of rules and offers.
//
//go:embed compounds.txt
var compounds string

// hanWords are the Chinese function words at which a run of Han characters is cut,
// and the compounds that contain such a character and are content all the same.
// Where both match, the longer one counts.
var hanWords = NewTrie(map[int16]string{
	functionWord: `的|分为|改为|设为|定为|达到|共有|了|在|和|与|或|是|为|由|于|对|按|将|等|及|从|到|至|把|被|让|向|以|而|且|但|则|若|如|之|其|该|此|本|这|那|们|每|各|些|就|也|都|还|又|再|才|很|更|最|可|能|会|应|须|需|要|不|未|无|没|有|并|所|地|得|着|过|吗|呢|吧|么|什么|哪|谁|几|多少|如何|怎么|怎样|即|均|已|曾|仅|只|共|除|外|因|凭|给|使|用于|当|时|前|后|内|中|上|下|间|起|止|经|自|同|跟|我|你|您|他|她|它|我们|你们|他们|以及|或者|由于|因为|因此|所以|如果|假如|应当|应该|必须|可以|可能|能够|不得|不能|不可|不会|没有|并且|而且|但是|然而|不过|虽然|尽管|为了|关于|对于|根据|按照|依照|通过|经过|进行|以上|以下|以内|以外|以前|以后|之前|之后|之间|其中|其他|其它|以下简称|是否|能否|分别|各自|共同|一个|一种|这个|那个|这些|那些|哪些|某些|任何|所有|全部|部分|一些|有关|相关|上述|下列|例如|比如|包括|属于|作为|成为|称为|是指|指的是|所称|不再|尚未|已经|正在|曾经|将要|仍然|仍|还是|同时|另外|此外|否则|除非|无论|不论|即使|只有|只要|不仅|不但|甚至|大约|约|左右|非|另|某|何|首先|其次|然后|最后|随后`,
	keepWord:     `行为|作为人|认为|因为|个人|功能|性能|能量|能力|能源|智能|节能|可能性|会议|社会|机会|会员|会计|工会|委员会|董事会|协会|大会|理事会|监事会|应用|供应|反应|对应|响应|适应|效应|应急|应收|应付|许可|可靠|可行|认可|可用|资本|成本|样本|本金|基本|版本|本科|本地|本人|副本|课本|文本|本票|要求|主要|重要|需要|要素|要件|摘要|必要|需求|必需|等级|平等|高等|初等|中等|等待|对等|同等|参与|自由|理由|由来|有效|所有权|有限|有机|有毒|拥有|国有|私有|享有|持有|占有|现有|在线|存在|现在|内在|在职|在校|在建|在岗|和平|和谐|总和|调和|对象|对外|相对|绝对|核对|针对|对账|对公|面对|反对|应对|对比|对手|按钮|按揭|按摩|按时|按期|即将|将军|将来|等候|以往|可以|及格|及时|普及|涉及|到期|到账|到达|迟到|收到|达到|报到|至少|至多|甚至|被告|被子|被保险人|方向|向导|转向|导向|而已|而言|规则|原则|守则|法则|细则|准则|倘若|如期|其余|该校|此外|这里|每日|每月|每年|每周|各类|各种|就业|就诊|就医|就读|成就|首都|都市|还款|还原|偿还|归还|退还|交还|返还|再生|再次|再保险|才能|人才|最低|最高|最大|最小|最长|最短|最多|最少|最终|最近|最新|更新|更换|更改|变更|更正|可回收|应纳税|应届|须知|必须品|需量|不动产|不良|不锈钢|不足|不同|不断|不明|未来|未成年人|未成年|未婚|无线|无人机|无形资产|无障碍|无偿|无效|无烟|没收|有价证券|并购|合并|并网|并联|合并报表|所得|所得税|场所|研究所|厕所|交易所|事务所|所有者|土地|地区|地址|地方|地点|地铁|地面|产地|场地|基地|地图|地震|目的地|目的|外地|当地|获得|取得|得分|得到|难得|着装|着陆|着火|沿着|过程|过户|过期|超过|通过率|过敏|过滤|过失|过境|过夜|经过|过度|即时|立即|平均|均价|均衡|已婚|曾用名|仅供|只读|共享|共同|公共|共计|共有|解除|扣除|拆除|免除|删除|清除|消除|除尘|除湿|排除|辞除|外部|国外|外籍|外汇|外币|外卖|海外|室外|户外|外勤|外包|外观|意外|对外|因素|原因|基因|病因|因果|凭证|凭据|文凭|给付|供给|补给|给水|发给|使用|大使|驶使|行使|用户|费用|信用|用途|用电|用水|适用|专用|使用权|用品|用药|公用|商用|应用|用人|用工|用地|用餐|用车|雇用|录用|当事人|当场|适当|担当|相当|当月|当年|当日|当期|当前|当天|当班|时间|时候|时期|时代|时长|时刻|时速|小时|同时|当时|及时|随时|临时|定时|平时|暂时|课时|工时|准时|届时|时段|时限|时效|前台|前提|提前|前往|之前|目前|前期|前款|后期|售后|后台|后果|后备|背后|内容|国内|内部|室内|境内|内存|内科|院内|校内|市内|内地|中心|中国|中学|集中|中介|中止|中断|中午|中型|高中|初中|中级|途中|中奖|上午|上市|上海|上限|上级|上报|上传|上班|上课|上车|上涨|以上|上升|上述|网上|线上|上诉|上门|上网|下午|下级|下限|下降|下载|下班|下调|下达|以下|线下|地下|下属|下浮|期间|时间|房间|空间|区间|中间|车间|间隔|民间|夜间|起诉|起飞|起点|起始|起草|起付|起存|起征|起算|发起|提起|一起|引起|起重|停止|禁止|终止|防止|中止|截止|止损|经济|经营|经理|经费|经验|经销|经纪|经办|神经|自己|自动|自然|自行|自费|自助|自治|自身|自愿|自驾|自备|各自|亲自|同意|合同|共同|同步|同行|同比|同级|同类|相同|协同|同学|同城|跟踪|跟进|自我|我国|他人|其他人|他项|因病|外伤|中毒|中药|中医|后续|落后|前后|先后|自用|自筹|可转让|有线|有色|有害|有偿|无害|不可抗力|不合格|非法|非洲|非金属|非公开|除夕|除权|约定|预约|合约|签约|条约|节约|违约|约束|大约|公约|契约|租约|续约|履约|要约|另行|某某|任何人|几何|谁|为期|为主|为准|成为|以为|为人|人为|转为|能否|是非|是的|于是|等于|高于|低于|大于|小于|多于|少于|位于|属于|关于|由于|对于|用于|处于|限于|基于|会费|会展|会籍|会诊|会员卡|机会|学会|晚会|年会|例会|会谈|会场|会见|会话|会晤|` + strings.Join(strings.Fields(compounds), "|"),
})

// Compound reports whether a Chinese compound that only contains a function
// character (行为, 个人) starts at i, and where it ends.
func Compound(folded []rune, i int) (end int, ok bool) {
	end, class, ok := hanWords.longest(folded, i)
	return end, ok && class == keepWord
}

// stopWords are English words that say nothing of what a text is about. Negations
// and modal verbs are read elsewhere, with their scope.
var stopWords = set(`a an the this that these those it its they them their he him his she her hers we us our you your i me my
 and or but nor so yet if then else than as of in on at to for from by with without within into onto upon over under between among
 through during before after above below up down out off about against per via is are was were be been being am do does did doing
 have has had having will would shall should can could may might must ought not no never also only just very too such same other
 another each every any all some both either neither which who whom whose what when where why how there here again once ever more
 most much many few several own while whereas because since until unless although though however therefore thus hence where whether
 et etc ie eg vs let lets get gets got one's itself themselves himself herself ourselves yourself myself cannot respectively
 please yes said according`)

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// StopWord reports whether a folded English word is a stop word.
func StopWord(w string) bool { return stopWords[w] }

// stemCache keeps stems of words seen before: stemming costs more than a look-up,
// and a text repeats its words. It is emptied when full.
var stemCache struct {
	sync.RWMutex
	m map[string]string
}

const stemCacheSize = 1 << 16

func cachedStem(w string) string {
	stemCache.RLock()
	s, ok := stemCache.m[w]
	stemCache.RUnlock()
	if ok {
		return s
	}
	s = Stem(w)
	stemCache.Lock()
	if stemCache.m == nil || len(stemCache.m) >= stemCacheSize {
		stemCache.m = make(map[string]string, 1024)
	}
	stemCache.m[strings.Clone(w)] = strings.Clone(s)
	stemCache.Unlock()
	return s
}

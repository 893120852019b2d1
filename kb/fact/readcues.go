package fact

import (
	"suffice.dev/suffice/text"
)

// A cue is a function word or phrase of the text that says how something is meant:
// denied, required, conditional, compared. Longer cues win, so a compound that only
// looks like one (不动产, not only) is listed as keep or under its own class.
type cue struct {
	text.Span
	class cueClass
}

type cueClass int16

const (
	keep       cueClass = iota + 1
	neg                 // 不, not
	notOnly             // 不仅, not only: no denial
	must                // 应当, shall
	should              // 建议, should
	may                 // 可以, may
	mustNot             // 不得, must not
	caution             // 慎用, with caution
	needNot             // 无须, need not
	possible            // 可能, might
	planned             // 计划, will be
	reported            // 据…称, according to
	all                 // 所有, every
	some                // 部分, some
	noneOf              // none of, nobody
	only                // 仅, only
	hedge               // 大约, roughly
	ifCue               // 如果, if
	unlessCue           // 除非, unless
	exceptCue           // 除 (…外), except
	exceptEnd           // 除外, excepted
	outside             // 外, 以外: closes 除…
	onlyFor             // 仅限, only for
	evenCue             // 无论, even if
	otherwise           // 否则, otherwise
	but                 // 但, but
	instead             // 而是, but (after not)
	whenEnd             // 时, 的情况下: closes a condition
	pastEnd             // 后, 之前: closes a condition of time
	whenCue             // when, in case of
	because             // 因, because
	therefore           // 因此, therefore
	copula              // 是, is
	means               // 是指, means
	members             // 包括, includes
	byAgent             // 由, by
	place               // 位于, lies in
	pronoun             // 其, it
	each                // 分别, respectively
	compare             // 高于, higher than
	see                 // 见, see
	alias               // 以下简称, hereinafter
	before              // 先, before
	after               // 再, after
	verb                // a verb that is none of the above
	adverb              // 共, 均, also: between subject and predicate
	called              // 所称, the term
	withCue             // 凭, 经: opens a condition closed by a modal
	withoutCue          // without
	also                // 还, 也: after 除…外 it adds and does not except
	prep                // 在, 对, for: begins an adverbial
	andCue              // 和, and
	purpose             // 为了, in order to
	beVerb              // is, was: a form of be
	relative            // which, who
	conj                // while, whereas
	noun                // a word that ends names: 公司
	former              // 上述, the latter
)

var cues = text.NewTrie(map[int16]string{
	int16(keep):       `不动产|不良|不锈钢|不同|不断|不明|不足|不满|不等|不久|不便|不可抗力|不利|不定期|不一|不合格|不超过|不低于|不高于|不少于|不多于|不大于|不小于|不早于|不晚于|不迟于|未来|未成年|未成年人|未满|未婚|未知|未遂|无线|无人机|无形|无障碍|无烟|无线电|无菌|无机|非常|非洲|非金属|非法|非公开|非营利|非物质|无限|没收|除夕|除权|除尘|除湿|除数|除了|拆除|扣除|免除|删除|清除|消除|解除|排除|辞除|去除|移除|切除|剔除|根除|废除|开除|时间|时候|时期|时代|时长|时刻|时速|小时|当时|及时|按时|随时|临时|定时|平时|暂时|有时|课时|工时|准时|届时|时段|限时|时限|时效|实时|即时|超时|延时|计时|学时|顿时|时装|时区|何时|时点|时差|售后|后台|后果|后备|背后|后续|后勤|后期|后者|落后|善后|前台|前提|前往|目前|前期|前款|前者|前列|前景|前身|前述|当前|提前|空前|眼前|外部|国外|外籍|外汇|外币|外卖|海外|室外|户外|外勤|外包|外观|意外|对外|额外|外地|外国|外科|外资|外线|外出|外墙|外衣|外壳|课外|境外|场外|院外|校外|车外|外来|外语|外文|例外|此外|另外|之外的|因素|原因|基因|病因|因果|凭证|凭据|文凭|经济|经营|经理|经费|经验|经销|经纪|经办|神经|已经|曾经|经常|经典|经过|财经|经历|自由|理由|由来|由于|事由|行为|成为|认为|因为|作为|称为|为了|以为|为人|人为|转为|列为|视为|评为|名为|变为|改为|定为|为此|为主|设为|记为|是否|能否|是非|但是|于是|还是|或是|总是|可是|凡是|本金|本科|本地|本人|许可|认可|可靠|可行|可用|可回收|可靠性|可见|可变|可再生|功能|性能|能量|能力|能源|智能|节能|可能性|技能|职能|才能|产能|机能|效能|会议|社会|机会|会员|会计|工会|委员会|董事会|协会|大会|理事会|监事会|应用|供应|反应|对应|响应|适应|效应|应急|应收|应付|应届|应纳税|应税|应对|相应|需求|需量|必需品|必须品|须知|主要|重要|要素|要件|摘要|纪要|概要|要点|首要|要约|将军|即将到期|将来|按钮|按揭|按摩|其他|其它|其次|尤其|极其|及其|该校|见证|意见|常见|可见光|见面|见习|看见|会见|看不见|发现|先生|优先|首先|祖先|领先|先进|先锋|先例|原先|再生|再次|再保险|再者|再度|一再|共同|公共|共享|共和|共性|共识|限制|无限公司|有限|有限公司|权限|期限|年限|上限|下限|额度|当场|适当|担当|相当|当月|当年|当日|当期|当天|当班|当事人|当地|承当|当铺|仅有|有关|有效|有机|所有权|所有者|有毒|有害|有偿|有价证券|有色|有线|私有|国有|没有关系|不好意思|not at all events|may day|in may|of may|1 may|no.|no one's|case|if any|if applicable|as if|what if|see also|not less than|not more than|not exceeding|not exceed|no more than|no less than|no fewer than|not later than|no later than|not fewer than|no earlier than|not to exceed|no longer than|not earlier than|not above|not below|not over|not under|never more than|never less than|never fewer than|never over|never above|never under|never below|never lower than|never higher than|never longer than|never shorter than|never later than|never exceeds|never exceed|never exceeding|as well as|as soon as possible|as follows|such as|so as|can of|cans|will of|last will|only child|needless|nothing but|none other|no doubt|no matter of|not necessarily true|by means|by means of|means of|means test|other than that|be able|any means|平均|比例|比率|比赛|比分|比重|比值|对比|占比|同比例|截至|首付|付款|收入|收费|收据|收益|收件|存款|存单|存折|取件|取款|建议书|建筑|设备|设施|设计|购物|售价|占地|占用|均价|均衡|都市|首都|各自|各种|凡例|总则|只读|仅仅|部分地|全部门|一般|一般性|计算机|会计|统计|设计|预计|计量|计划生育|提示音|提示牌|目标值|规划局|准备金|拟稿|将军|标准|标识|未成年人|无锡|指挥|指数|指标|指南|指导|指定|指派|指令|手指|指纹|指引|指责|分别墅|个别|特别|级别|类别|性别|识别|区别|辨别|告别|离别|有期|有机|限度|有限责任|上限|下限|限额|限值|限高|限速|限重|禁区|禁令|忌日|该死|其实|它山|他项|用途|因特网|比如|比较|比喻|相比之下|为什么|为何|何为|如何|假如果|系统|关系|联系|体系|系列|院系|乃至|即可|即将|即使|立即|随即|当即|可见|可能性|另一|另一方|又名|属性|金属|家属|附属|下属|直属|at all|in all|after all|all in all|above all|for all|first of all|once and for all|代为|为数|为主|尤为|较为|颇为|更为|极为|最为|甚为|大为|不再只|取决于|对公|对私|对等|对开|持卡人|持有人|持股|持证|持续|保持|坚持|维持|主持|since when|营业额|营业收入|营业成本|营业执照|营业员|登记表|登记处|申请表|申请书|申请人|申请单|通知书|通知单|报名表|保险公司|销售部|生产线|生产商|处理器|连接器|联系人|联系电话|委托书|安排表|参加者|考试院|检查站|检测站|服务员|采购部|营业部|营业税|报名人数|并且不|服务费|并购|合并|并网|并联|并发|并行|并列|一并|然后|最后|今后|日后|先后|基本工资|基本`,
	int16(neg):        `不|未|无|没|没有|并非|并不|并未|不再|不能|不可|不会|无法|从不|从未|尚未|未能|绝不|毫不|均不|均未|皆不|概不|一概不|不是|不予|不作|不享受|不包括|不包含|不含|不属于|不构成|不适用|不应|未经|未按|未曾|不曾|从来不|暂不|还没有|还没|决不|不宜|不准备|不想|拒绝|停止|不必然|not|n't|never|no|cannot|can't|don't|doesn't|didn't|isn't|aren't|wasn't|weren't|won't|wouldn't|hasn't|haven't|hadn't|couldn't|shouldn't|neither|nor|no longer|not yet|not any more|does not|do not|did not|is not|are not|was not|were not|has not|have not|had not|will not|would not|could not|can not|not any|hardly|by no means|under no circumstances|in no case|nowhere|at no time|unable to|refuse|refuses|refused|fails to|failed to|fail to|lack|lacks|lacked|exclude|excludes|excluded|excluding`,
	int16(notOnly):    `不仅|不但|不只|不光|不单|不仅仅|并不仅仅|不仅限于|not only|not just|not merely|not simply|not solely|not limited to|but not limited to|including but not limited to|不限于|包括但不限于|不失为|无不|莫不|not uncommon`,
	int16(must):       `不可不|要先|要提前|要事先|要预先|得先|得提前|要预约|要登记|要申请|要签字|要付|要交|要带|要凭|要持|应当|应该|应|必须|务必|须|需|需要|必需|有义务|有责任|一律|不得不|不能不|must|shall|has to|have to|had to|required to|are required|is required|be required|needs to|need to|obliged to|is obliged|are obliged|mandatory|compulsory|obligatory|it is necessary|is necessary|necessary to|must be|shall be`,
	int16(should):     `建议|宜|最好|推荐|鼓励|提倡|倡导|应尽量|尽量|should|ought to|recommended|is recommended|are recommended|recommend|recommends|advised|advised to|encouraged|encouraged to|preferably|suggested|we suggest|are asked to|is asked to|should be|had better`,
	int16(may):        `可以|可|能|能够|允许|准许|可自行|有权|获准|得以|可选择|可选|自愿|may|can|could|allowed|allowed to|is allowed|are allowed|be allowed|permitted|permitted to|is permitted|are permitted|be permitted|entitled to|is entitled|are entitled|eligible|eligible for|optional|voluntary|able to|is able|are able|is free to|are free to|free to|capable of|is capable of|are capable of|has the ability to|have the ability to|in a position to|has permission to|have permission to|welcome|are welcome|is welcome|the right to|may also|can also|it is possible to`,
	int16(mustNot):    `不得|禁止|严禁|不准|不许|不允许|不可以|不能够|不应当|不应该|禁用|严格禁止|谢绝|勿|请勿|切勿|禁|忌用|禁忌|不得以|不得再|不得擅自|禁烟|must not|may not|shall not|not allowed|not permitted|is not allowed|are not allowed|is not permitted|are not permitted|not be allowed|not be permitted|forbidden|is forbidden|are forbidden|prohibited|is prohibited|are prohibited|banned|is banned|are banned|barred from|unlawful|illegal|mustn't|shan't|not eligible|are not eligible|is not eligible|ineligible|not entitled|is not entitled|are not entitled|disallowed|prohibits|prohibit|forbids|forbid|bans|can not be|may never|must never|should never|ought not|ought not to`,
	int16(caution):    `慎用|谨慎|慎重|谨慎使用|谨慎服用|审慎|with caution|with care|caution|cautiously|take care`,
	int16(needNot):    `无须|无需|不需要|不需|不必|不用|毋须|毋需|不要求|不须|免于|无须再|没有必要|没必要|用不着|不强制|不作强制|不是必须|并非必须|可以不|可不|need not|needn't|not required|is not required|are not required|not be required|not necessary|is not necessary|does not need|do not need|don't need|doesn't need|not need|no need|not have to|does not have to|do not have to|don't have to|doesn't have to|is exempt|are exempt|exempt from|exempted from|not obliged|not mandatory|not compulsory|choose not to|may choose not to|may omit|waived|is waived|are waived`,
	int16(possible):   `可能|或许|也许|或将|有望|有可能|恐怕|提示|预计|预期|疑似|似乎|might|might be|perhaps|possibly|likely|likely to|unlikely|probably|maybe|appears to|appear to|seems to|seem to|suggests|suggested that|expected to|is expected|are expected|estimated to|can lead|could be|may cause|may lead|may result|may affect|may occur|may increase|may reduce`,
	int16(planned):    `计划|拟|拟定于|打算|准备|预算|目标|规划|将|将会|将于|将要|即将|力争|争取|筹划|待|拟于|plan|plans|plans to|plan to|planned|planned to|intends to|intend to|intended to|aims to|aim to|will|will be|is going to|are going to|going to|budget|budgeted|target|targets|targeted|scheduled to|is scheduled|proposed|proposes to|is to|are to|to be built|is due to|would like to|forecast|projected`,
	int16(reported):   `据悉|据报道|据称|据了解|据介绍|据说|有人认为|有人说|according to|reportedly|allegedly|it is said|is said to|are said to|it is reported|claims that|claimed that|some people say|some say|rumoured|rumored`,
	int16(all):        `所有|全部|全体|每个|每位|每名|每项|各|各个|任何|一切|均|皆|都|凡|凡是|一律|各类|各种|全员|全国|全省|全市|全公司|所有的|任何人|任意|无一例外|逐一|一概|every|all|each|any|everyone|everybody|anyone|anybody|whole|entire|both|always|without exception|anywhere|everywhere|throughout`,
	int16(some):       `部分|有些|有的|一些|某些|个别|少数|多数|大多数|大部分|若干|只有部分|仅部分|部分地区|绝大多数|不少|通常|一般|some|several|certain|a few|few|many|most|part of|only some|only a few|only part of|some of|most of|many of|usually|often|generally|sometimes|typically|not all|not every|mostly|partly`,
	int16(noneOf):     `没有任何|无任何|无一|没有一|没有哪|概无|none|none of|nobody|no one|nothing|not one|not a single|no other`,
	int16(only):       `仅|只|仅仅|只有|唯一|唯|单单|只能|仅能|only|solely|exclusively|merely|sole|alone`,
	int16(hedge):      `大致|大体|基本上|差不多|据估算|估算|roughly|approximately|more or less|broadly|in general|reckoned|believed to|is believed|are believed|thought to`,
	int16(ifCue):      `如果|若|如|假如|倘若|要是|假设|一旦|只要|凡|凡是|满足|符合|达到下列|具备|有下列情形之一|if|provided|provided that|providing|providing that|as long as|so long as|on condition that|in the event that|in the event of|in case|in case of|assuming|supposing|subject to|given that|once|should you|were you|when|whenever|where|as soon as|while using|only if|only when|if and only if|on presentation of|upon presentation of`,
	int16(unlessCue):  `除非|unless|if not|except if|except when|save where|except where`,
	int16(exceptCue):  `除|除了|除去|except|except for|excepting|with the exception of|other than|apart from|aside from|save for|excluding|exclusive of|barring|with the exclusion of|not counting`,
	int16(exceptEnd):  `除外|不在此限|不受此限|另有规定的除外|excepted|excluded|are excepted|is excepted|are excluded|is excluded|are exempt|is exempt|are exempted|is exempted|不适用本条|不受前款限制`,
	int16(outside):    `外|之外|以外`,
	int16(onlyFor):    `仅限|只限|限于|仅限于|只限于|仅供|仅适用于|只适用于|仅对|只对|仅面向|只面向|限|专供|专为|仅在|只在|only for|only to|only in|only at|only on|only with|only by|only during|only after|only before|only until|only from|limited to|restricted to|reserved for|is reserved for|exclusively for|confined to|open only to|available only to|only available to|only available for|solely for|is limited to|are limited to|are reserved for|is restricted to|are restricted to`,
	int16(evenCue):    `无论|不论|不管|即使|即便|哪怕|任凭|尽管|虽然|虽|even if|even though|even when|regardless of|whether or not|irrespective of|no matter|although|despite|notwithstanding|in spite of|whatever|whichever|whoever|with or without`,
	int16(otherwise):  `否则|不然|反之|otherwise|or else|if not so|failing that|failing this|failing which|in all other cases|in other cases`,
	int16(but):        `但|但是|不过|然而|可是|而|却|but|however|yet|whereas|but also|but rather|though`,
	int16(instead):    `而是|而应|而应当|而非|instead|but rather|but instead`,
	int16(whenEnd):    `时|的时候|之时|情况下|的情况下|情形下|的情形下|期间|的期间|的条件下|条件下|情况|场合`,
	int16(pastEnd):    `后|之后|以后|前|之前|以前`,
	int16(because):    `因|因为|由于|鉴于|缘于|起因于|是因为|归因于|because|because of|due to|owing to|on account of|thanks to|as a result of|caused by|is caused by|since the reason|in view of|by reason of|the reason is|since|as a consequence of`,
	int16(therefore):  `因此|所以|因而|从而|于是|故|导致|造成|引起|致使|使得|therefore|hence|thus|consequently|as a result|so that|leads to|lead to|led to|results in|result in|resulted in|causes|caused|cause|which means that`,
	int16(copula):     `是|为|就是|均为|皆为|分为|定为|达到|等于|名为|称为|叫做|担任|共计|合计|总计|改为|设为|become|becomes|became|equals|equal to|amounts to|amount to|amounted to|comes to|came to|come to|totals|totalled|totaled|stands at|stood at|reached|reaches`,
	int16(beVerb):     `is|are|was|were|be|been|being|'s been|has been|have been|had been|is still|are still|is now|are now`,
	int16(means):      `是指|指|系指|指的是|是指的是|意为|定义为|即指|means|mean|refers to|refer to|is defined as|are defined as|denotes|is a term for|stands for|shall mean|is understood as|signifies`,
	int16(members):    `包括|包含|含有|涵盖|分为|共分|分成|由以下|有以下|有下列|下列|如下|包括但不限于|组成|includes|include|included|including|comprises|comprise|comprising|consists of|consist of|consisting of|is made up of|are made up of|is divided into|are divided into|divided into|contains|contain|containing|as follows|the following|namely|such as|还有`,
	int16(byAgent):    `由|被|经由|by`,
	int16(place):      `位于|地处|坐落于|坐落在|设在|设于|在|located in|located at|is located|are located|lies in|lie in|lies on|lies at|is situated|situated in|situated at|headquartered in|is based in|are based in|based in|stands in|stands at|is housed in`,
	int16(pronoun):    `其|该|本品|本通知|本公司|本办法|本规定|本条例|本法|本产品|本行|本店|本酒店|本校|本院|本合同|本协议|本市|本条|本款|本系统|本设备|本机|它|它们|他|她|他们|她们|上述|该等|该类|该项|两者|二者|前者|后者|it|they|he|she|its|their|his|her|this|these|those|that|both|the former|the latter|the same`,
	int16(each):       `分别|依次|各为|分别为|分别是|respectively|in that order`,
	int16(compare):    `高于|低于|大于|小于|多于|少于|长于|短于|早于|晚于|快于|慢于|优于|劣于|强于|弱于|重于|轻于|超过|不如|不及|比|较|相比|与…相比|同比|环比|较上年|比上年|高出|低出|more than|less than|fewer than|higher than|lower than|greater than|larger than|smaller than|bigger than|faster than|slower than|older than|younger than|longer than|shorter than|cheaper than|heavier than|lighter than|better than|worse than|earlier than|later than|compared with|compared to|than|as against|versus|twice as|exceeds|exceed|exceeded|outperforms|outnumber|outnumbers`,
	int16(see):        `见|参见|详见|参阅|参照|另行公布|另行通知|另行规定|以…为准|see|refer to|as set out in|set out in|as described in|described in|can be found in|are found in|is found in|listed in|are listed in|is listed in|as listed in|as specified in|specified in|is published in|as laid down in|laid down in|see also|for details|for more information|will be announced|to be announced|will be published separately`,
	int16(alias):      `以下简称|下称|简称|以下称|以下统称|统称|又称|也称|又名|亦称|hereinafter|hereinafter referred to as|hereafter|referred to as|known as|also known as|abbreviated as|abbreviated|called|a.k.a.|aka|short for`,
	int16(before):     `先于|before|prior to|ahead of|in advance of|earlier than`,
	int16(after):      `随后|after|following|subsequent to|afterwards|then`,
	int16(called):     `所称|所称的|所说的|所指|本法所称|the term|the expression|the word`,
	int16(withCue):    `凭|经|须经|需经|应经|未经|需凭|须凭|凭借|持有`,
	int16(withoutCue): `without|in the absence of|absent`,
	int16(also):       `还|也|另|另外|又|亦|同样|also|as well|too|likewise|in addition|同时`,
	int16(prep):       `对|按|按照|根据|依照|依据|从|自|与|同|向|将|于|至|到|往|以|针对|就|关于|对于|通过|利用|用|给|in|on|at|for|with|from|to|of|under|over|into|within|during|per|between|among|against|through|across|about|near|beside|behind|until|till|up to|via|towards|upon|around|along|inside|outside|off|onto`,
	int16(andCue):     `和|及|以及|或|或者|与|、|and|or|as well as|plus|and/or|并|并且|而且|且`,
	int16(purpose):    `为了|以便|旨在|用于|用以|in order to|so as to|for the purpose of|to ensure`,
	int16(relative):   `which|who|whom|whose|that is|that are`,
	int16(conj):       `while|whereas|so|and then|yet`,
	int16(former):     `在此期间|在这种情况下|此时|届时|in that case|in this case|in such cases|before that|after that|until then|since then`,
	int16(verb):       `收取|支付|缴纳|交纳|承担|负责|提供|办理|受理|提交|提出|出具|出示|携带|填写|签订|签署|批准|审批|审核|核准|备案|公布|发布|发放|颁发|设立|成立|开设|开办|开通|开放|开业|营业|关闭|停业|暂停|恢复|取消|退还|退回|退票|退款|退费|赔偿|补偿|报销|扣除|扣减|计算|计入|享受|享有|获得|取得|领取|适用|生效|施行|执行|实施|实行|废止|失效|终止|解除|延长|缩短|增加|减少|增长|下降|上升|上涨|下跌|提高|降低|升至|降至|增至|减至|调整|变更|转让|转换|兑换|折算|折合|使用|用完|服用|注射|贮存|保存|存放|存储|保管|安装|拆除|检查|检验|检测|清洗|维修|维护|更换|配备|配置|设置|设有|建有|建成|建于|建造|建立|共有|拥有|占地|达成|完成|实现|运送|运输|生产|制造|销售|出售|购买|采购|雇用|聘用|招聘|招收|录取|毕业|考试|报名|参加|出席|举行|举办|召开|组织|安排|通知|告知|申报|登记|注册|答复|处理|支持|兼容|连接|运行|启动|停用|停机|打开|进入|输入|输出|选择|点击|上传|下载|发送|接收|接待|协助|联系|咨询|申请|属于|隶属于|隶属|从属|来自|出生|担任|任命|任职|当选|辞去|离任|接任|发现|发明|首创|创立|创办|影响|证实|出现|发生|消失|加强|减半|免费|包邮|采用|加收|另收|变成|交回|转入|转出|扣收|列入|纳入|计提|补足|预留|预约|保留|放弃|丧失|返还|归还|偿还|还清|结清|缴清|入账|到账|到店|入住|退房|陪同|同意|拒收|接受|拍照|核对|确认|签字|盖章|归档|移交|交付|交货|验收|发货|送达|寄送|投诉|起诉|仲裁|判决|处罚|罚款|没收|吊销|撤销|追究|遵守|违反|构成|造成|对应|等同|具有|具备|占|另有|引进|退出|升级|面向|朝向|涉及|来源于|停运|停航|停产|停电|停课|延误|晚点|改期|推迟|提前结束|出版|收藏|借阅|归还|缴费|加入|退出|当选|毕业于|开工|竣工|投产|通车|停办|迁至|迁入|搬迁|合并为|裁撤|录用|解聘|罢免|审议|通过|披露|认购|赎回|分红|派发|上市|挂牌|摘牌|投保|理赔|诊断|治疗|预防|接种|喷洒|播种|收割|种植|养殖|检疫|通关|装卸|维持|达标`,
	int16(adverb):     `共|总共|一共|合计|均|都|已|已经|曾|正在|正|仍|仍然|一般|通常|首次|初次|再次|统一|全额|免费|自动|自行|依法|另行|及时|立即|暂|原则上|still|already|now|currently|usually|normally|fully|automatically|free of charge|请|另|提前|其中|其余|至少|至多|最多|最少`,
})

// findCues returns the cues of a folded text in order, without overlap.
func findCues(folded []rune) []cue { return appendCues(make([]cue, 0, len(folded)/6+4), folded) }

// appendCues is findCues into a list of the caller's.
func appendCues(out []cue, folded []rune) []cue {
	for i := 0; i < len(folded); {
		r := folded[i]
		switch {
		case text.IsHan(r):
			e, c, ok := cues.Longest(folded, i)
			if whole, compound := text.Compound(folded, i); compound && (!ok || whole > e) {
				i = whole
				continue
			}
			if ok {
				if cueClass(c) == verb && nominal(folded, i, e) {
					i = e + 1
					continue
				}
				if cueClass(c) == but && r == '不' && i > 0 && text.IsHan(folded[i-1]) {
					e, c = i+1, int16(neg) // 银行不过问: no conjunction inside a clause
				}
				if cueClass(c) != keep {
					out = append(out, cue{text.Span{Start: i, End: e}, cueClass(c)})
				}
				i = e
				continue
			}
			i++
		case wordRune(r):
			if e, c, ok := cues.Longest(folded, i); ok {
				if cueClass(c) != keep {
					out = append(out, cue{text.Span{Start: i, End: e}, cueClass(c)})
				}
				i = e
				continue
			}
			i++
			for i < len(folded) && (wordRune(folded[i]) || folded[i] == '\'' || folded[i] == '’') {
				i++
			}
		default:
			if r == '、' {
				out = append(out, cue{text.Span{Start: i, End: i + 1}, andCue})
			}
			i++
		}
	}
	return out
}

// nominal reports whether the Chinese verb [i,e) is part of a noun: 保管费, 办理时间.
func nominal(folded []rune, i, e int) bool {
	if e >= len(folded) {
		return false
	}
	next := at(folded, e+1)
	switch folded[e] {
	case '率', '额', '量', '者', '厅', '簿', '权', '器':
		return next != '外' && next != '益'
	case '费':
		return next != '用'
	case '税':
		return next != '款' && next != '金' && next != '费'
	case '证':
		return next != '件' && next != '明' && next != '书' && next != '据' && next != '照'
	case '期':
		return next != '限' && next != '间' && next != '满' && next != '权'
	case '时', '方', '标', '条', '地', '流', '程', '范', '对', '日', '比':
		switch string(folded[e : e+min(2, len(folded)-e)]) {
		case "时间", "方式", "标准", "条件", "地点", "流程", "程序", "范围", "对象", "日期", "比例":
			switch string(folded[i:e]) {
			case "延长", "缩短", "提高", "降低", "变更", "调整", "设置", "达到", "增加", "减少", "具备", "选择", "取消", "确认", "更换", "通知", "提供", "违反", "填写", "公布", "安排", "适用":
				return false
			}
			return true
		}
	}
	return false
}

func wordRune(r rune) bool {
	if r < 0x80 {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
	}
	return text.IsWord(r)
}

package quantity

import (
	"math/big"
	"sort"
	"strings"
)

// unitSpec is a unit as the tables name it.
type unitSpec struct {
	dim    Dimension
	name   string
	factor *big.Rat // nil = 1
	offset *big.Rat // temperatures: base = value × factor + offset
	noun   bool     // a counting word: it is the counted thing too
}

func rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil
	}
	return r
}

// The unit table: dimension, canonical name, factor to the base unit, spellings.
// Spellings are folded; Latin ones match whole words. A spelling with a blank is
// two words.
var unitTable = []struct {
	dim    Dimension
	name   string
	factor string
	words  string // separated by |
}{
	{Money, "CNY", "1", "元|圆|块钱|块人民币|元人民币|人民币元|人民币|yuan|rmb|cny|renminbi"},
	{Money, "CNY", "1/10", "角|毛钱"},
	{Money, "CNY", "1/100", "分钱|fen"},
	{Money, "USD", "1", "美元|美金|$|us$|usd|dollar|dollars|us dollars|us dollar|u.s. dollars"},
	{Money, "USD", "1/100", "美分|cent|cents|¢"},
	{Money, "EUR", "1", "欧元|€|eur|euro|euros"},
	{Money, "EUR", "1/100", "欧分|euro cents|euro cent|eurocents"},
	{Money, "GBP", "1", "英镑|£|gbp|pounds sterling|pound sterling|sterling"},
	{Money, "GBP", "1/100", "便士|pence"},
	{Money, "JPY", "1", "日元|日圆|jpy|yen"},
	{Money, "HKD", "1", "港元|港币|hk$|hkd|hong kong dollars"},
	{Money, "TWD", "1", "新台币|twd|nt$"},
	{Money, "MOP", "1", "澳门元|澳门币"},
	{Money, "AUD", "1", "澳元|aud|a$|australian dollars"},
	{Money, "CAD", "1", "加元|加拿大元|cad|c$|canadian dollars"},
	{Money, "SGD", "1", "新加坡元|新元|sgd|s$|singapore dollars"},
	{Money, "CHF", "1", "瑞士法郎|瑞郎|chf|francs|franc|swiss francs"},
	{Money, "KRW", "1", "韩元|krw|won|₩"},
	{Money, "INR", "1", "卢比|印度卢比|inr|₹|rupees|rupee"},
	{Money, "RUB", "1", "卢布|rub|roubles|rubles|ruble"},
	{Money, "THB", "1", "泰铢|thb|baht"},
	{Money, "SEK", "1", "瑞典克朗|sek|kronor|krona"},
	{Money, "NOK", "1", "挪威克朗|nok"},
	{Money, "DKK", "1", "丹麦克朗|dkk|kroner"},
	{Money, "NZD", "1", "新西兰元|nzd"},
	{Money, "BRL", "1", "雷亚尔|brl|reais"},
	{Money, "ZAR", "1", "兰特|zar|rand"},

	{Duration, "s", "1/1000", "毫秒|ms|millisecond|milliseconds|msec"},
	{Duration, "s", "1/1000000", "微秒|μs|microsecond|microseconds"},
	{Duration, "s", "1/1000000000", "纳秒|ns|nanosecond|nanoseconds"},
	{Duration, "s", "1", "秒|秒钟|s|sec|secs|second|seconds"},
	{Duration, "minute", "60", "分钟|minute|minutes|min|mins"},
	{Duration, "minute", "900", "刻钟"},
	{Duration, "hour", "3600", "小时|个小时|钟头|个钟头|h|hr|hrs|hour|hours|个钟"},
	{Duration, "day", "86400", "天|日|个自然日|自然日|日历日|个日历日|昼夜|d|day|days|calendar days|calendar day|consecutive days|个整天|整天"},
	{Count, "night", "1", "晚|夜|个晚上|宿|night|nights|overnight stays"},
	{Duration, "week", "604800", "周|星期|个星期|礼拜|个礼拜|week|weeks|wk|wks"},
	{Duration, "week", "1209600", "fortnight|fortnights"},
	{Months, "month", "1", "个月|月期|个自然月|个日历月|month|months|mo|mos|calendar months|calendar month"},
	{Months, "quarter", "3", "个季度|季度|quarter|quarters"},
	{Months, "year", "12", "年|周年|年期|个年头|year|years|yr|yrs|周岁|岁|calendar years"},
	{Months, "year", "120", "decade|decades"},
	{Months, "year", "1200", "个世纪|century|centuries"},
	{WorkingDays, "working day", "1", "个工作日|工作日|个交易日|交易日|working days|working day|business days|business day|workdays|workday|weekdays|trading days|trading day|banking days"},

	{Length, "m", "1000", "公里|千米|km|kms|kilometre|kilometres|kilometer|kilometers"},
	{Length, "m", "500", "里|里地|华里"},
	{Length, "m", "1", "米|公尺|m|metre|metres|meter|meters"},
	{Length, "m", "1/10", "分米|dm|decimetre|decimetres"},
	{Length, "m", "1/100", "厘米|公分|cm|centimetre|centimetres|centimeter|centimeters"},
	{Length, "m", "1/1000", "毫米|mm|millimetre|millimetres|millimeter|millimeters"},
	{Length, "m", "1/1000000", "微米|μm|micron|microns|micrometre|micrometres|micrometers"},
	{Length, "m", "1/1000000000", "纳米|nm|nanometre|nanometres|nanometers"},
	{Length, "m", "1852", "海里|nautical miles|nautical mile|nmi"},
	{Length, "m", "201168/125", "英里|mile|miles"},
	{Length, "m", "381/1250", "英尺|ft|foot|feet"},
	{Length, "m", "127/5000", "英寸|inch|inches|″"},
	{Length, "m", "1143/1250", "码|yard|yards|yd|yds"},
	{Length, "m", "1/3", "尺|市尺"},
	{Length, "m", "1/30", "寸"},
	{Length, "m", "10/3", "丈"},

	{Area, "m2", "1", "平方米|平米|平方公尺|㎡|m2|sqm|sq m|square metre|square metres|square meter|square meters"},
	{Area, "m2", "1000000", "平方公里|平方千米|km2|㎢|square kilometre|square kilometres|square kilometer|square kilometers|sq km"},
	{Area, "m2", "1/10000", "平方厘米|cm2|㎠|square centimetres|square centimeters|square centimetre"},
	{Area, "m2", "1/1000000", "平方毫米|mm2|square millimetres|square millimeters"},
	{Area, "m2", "2000/3", "亩|市亩"},
	{Area, "m2", "10000", "公顷|ha|hectare|hectares"},
	{Area, "m2", "316160658/78125", "英亩|acre|acres"},
	{Area, "m2", "145161/1562500", "平方英尺|square foot|square feet|sq ft|sqft"},
	{Area, "m2", "40468564224/15625", "平方英里|square miles|square mile|sq mi"},

	{Volume, "L", "1", "升|公升|l|litre|litres|liter|liters|ltr"},
	{Volume, "L", "1/1000", "毫升|ml|millilitre|millilitres|milliliter|milliliters|cc|立方厘米|cm3|cubic centimetres|cubic centimeters"},
	{Volume, "L", "1/100", "厘升|cl|centilitres|centiliters"},
	{Volume, "L", "1/1000000", "微升|μl|microlitres|microliters"},
	{Volume, "L", "100", "hl|hectolitre|hectolitres|hectoliters"},
	{Volume, "L", "1000", "立方米|立方|m3|㎥|cubic metre|cubic metres|cubic meter|cubic meters"},
	{Volume, "L", "473176473/125000000", "gallon|gallons|gal|加仑"},
	{Volume, "L", "19873411866/125000000", "barrel|barrels|bbl"},
	{Volume, "L", "473176473/1000000000", "pint|pints|品脱"},
	{Volume, "L", "55306341/1953125", "立方英尺|cubic foot|cubic feet|cu ft"},

	{Mass, "kg", "1", "公斤|千克|kg|kgs|㎏|kilogram|kilograms|kilogramme|kilogrammes|kilo|kilos"},
	{Mass, "kg", "1/2", "斤|市斤"},
	{Mass, "kg", "1/20", "两重"},
	{Mass, "kg", "1/1000", "克|g|gram|grams|gramme|grammes|gm"},
	{Mass, "kg", "1/1000000", "毫克|mg|milligram|milligrams"},
	{Mass, "kg", "1/1000000000", "微克|μg|mcg|ug|microgram|micrograms"},
	{Mass, "kg", "1000", "吨|公吨|t|tonne|tonnes|metric tons|metric ton|ton|tons"},
	{Mass, "kg", "45359237/100000000", "磅|lb|lbs|pound|pounds"},
	{Mass, "kg", "45359237/1600000000", "盎司|oz|ounce|ounces"},
	{Mass, "kg", "50", "担"},

	{Speed, "m/s", "463/900", "节|knot|knots|kn|kt"},
	{Speed, "m/s", "5/18", "km/h|kmh|kph|迈"},
	{Speed, "m/s", "1397/3125", "mph|miles per hour|miles an hour"},
	{Speed, "m/s", "1", "m/s"},

	{Energy, "kWh", "1", "千瓦时|千瓦小时|度电|kwh|kw h|kilowatt hours|kilowatt hour|kilowatt-hours"},
	{Energy, "kWh", "1000", "兆瓦时|mwh|megawatt hours|megawatt-hours"},
	{Energy, "kWh", "1000000", "吉瓦时|gwh|gigawatt hours"},
	{Energy, "kWh", "1000000000", "太瓦时|twh|terawatt hours"},
	{Energy, "kWh", "1/1000", "瓦时|wh|watt hours"},
	{Energy, "kWh", "1/3600000", "焦耳|焦|j|joule|joules"},
	{Energy, "kWh", "1/3600", "千焦|kj|kilojoule|kilojoules"},
	{Energy, "kWh", "5/18", "兆焦|mj|megajoule|megajoules"},
	{Energy, "kWh", "523/450000", "千卡|大卡|kcal|kilocalories|calories|calorie"},
	{Power, "kW", "1", "千瓦|kw|kilowatt|kilowatts"},
	{Power, "kW", "1/1000", "瓦|瓦特|w|watt|watts"},
	{Power, "kW", "1000", "兆瓦|mw|megawatt|megawatts"},
	{Power, "kW", "1000000", "吉瓦|gw|gigawatt|gigawatts"},
	{Power, "kW", "7457/10000", "hp|horsepower|bhp"},
	{Power, "kW", "147099750/200000000", "马力"},

	{Data, "byte", "1", "字节|byte|bytes"},
	{Data, "byte", "1000", "kb|千字节|kilobyte|kilobytes"},
	{Data, "byte", "1000000", "mb|兆字节|megabyte|megabytes|兆"},
	{Data, "byte", "1000000000", "gb|吉字节|gigabyte|gigabytes"},
	{Data, "byte", "1000000000000", "tb|太字节|terabyte|terabytes"},
	{Data, "byte", "1000000000000000", "pb|petabyte|petabytes"},
	{Data, "byte", "1024", "kib|kibibyte|kibibytes"},
	{Data, "byte", "1048576", "mib|mebibyte|mebibytes"},
	{Data, "byte", "1073741824", "gib|gibibyte|gibibytes"},
	{Data, "byte", "1099511627776", "tib|tebibyte|tebibytes"},
	{Data, "byte", "1/8", "bit|bits|比特"},
	{DataRate, "bit/s", "1", "bps|bit/s"},
	{DataRate, "bit/s", "1000", "kbps|kbit/s"},
	{DataRate, "bit/s", "1000000", "mbps|mbit/s|兆比特每秒"},
	{DataRate, "bit/s", "1000000000", "gbps|gbit/s"},

	{Frequency, "Hz", "1", "赫兹|赫|hz|hertz"},
	{Frequency, "Hz", "1000", "千赫|千赫兹|khz|kilohertz"},
	{Frequency, "Hz", "1000000", "兆赫|兆赫兹|mhz|megahertz"},
	{Frequency, "Hz", "1000000000", "吉赫|吉赫兹|ghz|gigahertz"},
	{Frequency, "rpm", "1", "rpm"},

	{Ratio, "%", "1/100", "%|﹪|percent|per cent|个百分比|pct"},
	{Ratio, "%", "1/1000", "‰|permille|per mille|per mil"},
	{Ratio, "%", "1/10000", "‱"},
	{Ratio, "%", "1/1000000", "ppm"},
	{Ratio, "%", "1/10", "成"},
	{Ordinal, "年级", "1", "年级"},
	{Ratio, "倍", "1", "倍|fold"},
	{Points, "pp", "1", "个百分点|百分点|percentage points|percentage point|pp|ppt"},
	{Points, "pp", "1/100", "个基点|基点|basis points|basis point|bp|bps points"},

	{Pressure, "Pa", "1", "帕|帕斯卡|pa"},
	{Pressure, "Pa", "100", "百帕|hpa|mbar|millibars|毫巴"},
	{Pressure, "Pa", "1000", "千帕|kpa"},
	{Pressure, "Pa", "1000000", "兆帕|mpa"},
	{Pressure, "Pa", "100000", "bar|bars|巴"},
	{Pressure, "Pa", "101325", "个大气压|atm|atmospheres"},
	{Pressure, "Pa", "101325/760", "毫米汞柱|mmhg"},
	{Pressure, "Pa", "6894757293168/1000000000", "psi"},
	{Angle, "degree", "1", "°|degree|degrees|角度"},
	{Angle, "degree", "1/60", "′"},

	{"voltage", "V", "1", "伏|伏特|v|volt|volts"},
	{"voltage", "V", "1000", "千伏|kv|kilovolt|kilovolts"},
	{"voltage", "V", "1/1000", "毫伏|mv|millivolts"},
	{"current", "A", "1", "安|安培|amp|amps|ampere|amperes"},
	{"current", "A", "1/1000", "毫安|ma|milliamps"},
	{"charge", "mAh", "1", "毫安时|mah"},
	{"charge", "mAh", "1000", "安时|ah"},
	{"sound", "dB", "1", "分贝|db|dba|decibel|decibels"},
	{"resistance", "ohm", "1", "欧姆|欧|ohm|ohms|ω"},
	{"luminance", "lm", "1", "流明|lm|lumen|lumens"},
	{"luminance", "lx", "1", "勒克斯|lx|lux"},
	{"pixels", "px", "1", "像素|px|pixel|pixels"},
	{"pixels", "px", "1000000", "megapixels|megapixel|mp"},
	{"force", "N", "1", "牛|牛顿|newton|newtons"},
	{"torque", "Nm", "1", "牛米"},
	{"substance", "mol", "1", "摩尔|mol|moles"},
	{"substance", "mol", "1/1000", "毫摩尔|mmol"},
	{"activity", "IU", "1", "国际单位|iu"},
}

// Temperature spellings: to °C by factor and offset.
var temperatureTable = []struct {
	name, factor, offset, words string
}{
	{"°C", "1", "0", "℃|°c|摄氏度|degrees celsius|degree celsius|degrees centigrade|celsius"},
	{"°C", "5/9", "-160/9", "℉|°f|华氏度|degrees fahrenheit|degree fahrenheit|fahrenheit"},
	{"°C", "1", "-5463/20", "kelvin|kelvins|开尔文"},
}

// Counting words of Chinese. The thing counted is the word itself; words for
// people share the name 人.
const (
	peopleWords = "人|名|位|口人|口|个人"
	countWords  = "个|项|件|只|台|套|辆|架|艘|列|间|张|家|所|座|栋|幢|层|户|处|份|本|册|篇|封|部|款|种|类|条|根|支|枝|把|块|片|粒|颗|枚|滴|袋|包|盒|箱|" +
		"瓶|杯|罐|桶|碗|盘|串|束|捆|堆|批|组|队|班|届|期|轮|场|局|回|遍|趟|笔|单|宗|起|例|门|课时|学时|学分|节课|课|页|字|行|列车|章|集|幅|喷|揿|吸|剂|针|片次|" +
		"人次|人次数|车次|架次|班次|航次|频次|例次|床|张床|床位|车位|泊位|席|席位|座位|个座位|股|手|票|分|级|步|点|档|道|题|道题|对|双|副|头|匹|尾|峰|株|棵|朵|盆|" +
		"顶|扇|面|具|尊|盏|锭|卷|令|筐|车|船|节车厢|节|团|师|营|连|排|县|省|市|国|州|区|镇|乡|村|校|院|店|厂|站|井|孔|口井|亿次|人份|人天|人日|人月|" +
		"艘次|家次|户次|件次|个国家|个城市|个省份|种语言|倍频|代|胎|周次|平台|窗口|机位|机柜|节点|核|路|通道|拍|帧|度|次"
)

// zhUnits are the units that start with a sign or Chinese character, longest first;
// enUnits the Latin ones by spelling.
var zhUnits, enUnits = buildUnits()

type zhEntry struct {
	text []rune
	spec *unitSpec
}

func buildUnits() (map[rune][]zhEntry, map[string]*unitSpec) {
	zh := map[rune][]zhEntry{}
	en := map[string]*unitSpec{}
	put := func(w string, u *unitSpec) {
		if w == "" {
			return
		}
		rs := []rune(w)
		if rs[0] < 0x80 && isLetter(rs[0]) && !strings.ContainsAny(w, "$") {
			if _, dup := en[w]; !dup {
				en[w] = u
			}
			return
		}
		for _, e := range zh[rs[0]] {
			if string(e.text) == w {
				return
			}
		}
		zh[rs[0]] = append(zh[rs[0]], zhEntry{rs, u})
	}
	for _, row := range unitTable {
		u := &unitSpec{dim: row.dim, name: row.name, factor: rat(row.factor)}
		for _, w := range strings.Split(row.words, "|") {
			put(w, u)
		}
	}
	for _, row := range temperatureTable {
		u := &unitSpec{dim: Temperature, name: row.name, factor: rat(row.factor), offset: rat(row.offset)}
		for _, w := range strings.Split(row.words, "|") {
			put(w, u)
		}
	}
	person := &unitSpec{dim: Count, name: "人", noun: true}
	for _, w := range strings.Split(peopleWords, "|") {
		put(w, person)
	}
	for _, w := range strings.Split(countWords, "|") {
		put(w, &unitSpec{dim: Count, name: w, noun: true})
	}
	put("times", &unitSpec{dim: Count, name: "time", noun: true})
	put("time", &unitSpec{dim: Count, name: "time", noun: true})
	for r := range zh {
		es := zh[r]
		sort.SliceStable(es, func(i, j int) bool { return len(es[i].text) > len(es[j].text) })
	}
	return zh, en
}

// perZh are the denominators behind 每 and a slash in Chinese.
var perZh = buildPer(map[string]string{
	"月": "month", "个月": "month", "年": "year", "学年": "school year", "日": "day", "天": "day", "周": "week", "星期": "week",
	"小时": "hour", "时": "hour", "分钟": "minute", "分": "minute", "秒": "s", "季度": "quarter", "季": "quarter", "学期": "term",
	"人": "person", "名": "person", "位": "person", "公斤": "kg", "千克": "kg", "kg": "kg", "克": "g", "吨": "t", "斤": "jin",
	"平方米": "m2", "平米": "m2", "㎡": "m2", "m2": "m2", "亩": "mu", "公里": "km", "千米": "km", "米": "m", "晚": "night", "夜": "night", "间夜": "night",
	"度": "kwh", "度电": "kwh", "千瓦时": "kwh", "kwh": "kwh", "升": "l", "立方米": "m3", "次": "time", "间": "间", "台": "台", "件": "件",
	"张": "张", "份": "份", "股": "股", "户": "户", "家": "家", "班": "班", "课时": "课时", "学时": "学时", "笔": "笔", "单": "单", "辆": "辆", "套": "套", "本": "本",
	"页": "页", "只": "只", "瓶": "瓶", "片": "片", "剂": "剂", "人次": "人次", "百公里": "100 km", "千字": "1000 字", "节课": "课", "车": "车", "个": "个", "项": "项", "盒": "盒", "袋": "袋", "箱": "箱", "桶": "桶", "支": "支", "条": "条", "床": "床", "座": "座", "架": "架", "架次": "架次", "工作日": "working day", "个工作日": "working day",
	"mg": "mg", "g": "g", "l": "l", "ml": "ml", "h": "hour", "s": "s", "min": "minute", "km": "km", "m3": "m3", "毫升": "ml",
})

func buildPer(m map[string]string) map[rune][]perEntry {
	t := map[rune][]perEntry{}
	for w, name := range m {
		rs := []rune(w)
		t[rs[0]] = append(t[rs[0]], perEntry{rs, name})
	}
	for r := range t {
		es := t[r]
		sort.SliceStable(es, func(i, j int) bool { return len(es[i].text) > len(es[j].text) })
	}
	return t
}

type perEntry struct {
	text []rune
	name string
}

// perEn are the denominators that may follow "a", "an", "each", "every".
var perEn = map[string]string{
	"month": "month", "year": "year", "day": "day", "week": "week", "hour": "hour", "minute": "minute", "second": "s", "quarter": "quarter",
	"night": "night", "person": "person", "head": "person", "guest": "guest", "employee": "employee", "child": "child", "adult": "adult",
	"pupil": "pupil", "student": "student", "passenger": "passenger", "kg": "kg", "kilo": "kg", "kilogram": "kg", "gram": "g", "tonne": "t", "ton": "t",
	"litre": "l", "liter": "l", "kilometre": "km", "kilometer": "km", "km": "km", "mile": "mile", "metre": "m", "meter": "m", "kwh": "kwh",
	"piece": "piece", "share": "share", "unit": "unit", "item": "item", "room": "room", "term": "term", "semester": "term", "visit": "visit",
	"annum": "year", "capita": "person", "household": "household", "family": "family", "user": "user", "seat": "seat", "page": "page",
	"order": "order", "transaction": "transaction", "trip": "trip", "hectare": "ha", "acre": "acre", "gallon": "gallon", "barrel": "barrel",
	"pound": "lb", "dozen": "dozen", "shift": "shift", "lesson": "lesson", "session": "session", "fortnight": "fortnight", "weekday": "weekday",
	"sec": "s", "s": "s", "h": "hour", "hr": "hour", "min": "minute", "mo": "month", "yr": "year", "m": "m", "l": "l", "g": "g", "mg": "mg", "ml": "ml",
	"d": "day",
}

// adverbs of frequency that end a quantity: 30 euros monthly.
var perAdverb = map[string]string{
	"daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter", "yearly": "year", "annually": "year", "hourly": "hour", "nightly": "night",
}

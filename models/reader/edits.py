"""Small edits that keep the words of a sentence and break its fact: a number, year, unit, comparison, negation or
modality, or a name. Each returns (text, kind) or None where the text has nothing of that kind."""
import re

PAIRS = {
    "zh": {
        "unit": "公里 米|平方公里 平方米|万元 元|亿元 万元|万人 人|小时 天|工作日 小时|个月 年|分钟 小时|千克 吨|公斤 吨|厘米 米|海里 公里|美元 日元|人民币 美元",
        "compare": "以上 以下|以前 以后|之前 之后|最大 最小|最早 最晚|最高 最低|最长 最短|最多 最少|增加 减少|上升 下降|高于 低于|大于 小于|多于 少于|至少 至多|超过 不足|首次 最后一次|"
                   "第一 第二|开始 结束|上半年 下半年|成功 失败|胜 负|扩大 缩小|提高 降低|包括 不包括|早于 晚于|南部 北部|东部 西部|左侧 右侧|前者 后者|部分 全部|免费 收费|公开 保密|永久 临时",
        "polarity": "不得 可以|必须 无需|应当 不应|可以 不可以|能够 不能|允许 禁止|没有 有过|从未 曾经|不是 是|是 不是|未能 成功|不再 仍然|已经 尚未|需要 不需要|会 不会|有权 无权|位于 不在|曾 从未",
    },
    "en": {
        "unit": "days hours|months weeks|years months|million billion|km miles|kilometres miles|minutes hours|percent percentage points|dollars euros|metres kilometres|kg tons|feet metres",
        "compare": "before after|more less|largest smallest|first last|increased decreased|increase decrease|north south|east west|higher lower|highest lowest|earlier later|oldest youngest|"
                   "best worst|won lost|above below|longer shorter|early late|all some|start end|most fewest|minimum maximum|includes excludes|only also|older younger|male female|son daughter|father mother|brother sister",
        "polarity": "is is not|was was not|are are not|were were not|can cannot|must need not|may may not|should should not|has has never|will will not|never always|cannot can|required forbidden|allowed prohibited|shall shall not",
    },
}
PAIRS = {lang: {kind: [tuple(p) for x in t.split("|") for p in (lambda w: [(w[0], " ".join(w[1:])), (" ".join(w[1:]), w[0])] if len(w) == 2 else [(x.split(" ", 1)[0], x.split(" ", 1)[1])])(x.split(" "))] for kind, t in k.items()} for lang, k in PAIRS.items()}
PAIRS["en"]["compare"] += [("at least", "at most"), ("at most", "at least")]
PAIRS["en"]["unit"] += [("business days", "calendar days"), ("working days", "calendar days")]
PAIRS["en"]["polarity"] += [("did not", "did"), ("does not", "does"), ("is not", "is"), ("was not", "was"), ("shall not", "may"), ("may not", "may"), ("must not", "may")]

NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
HAN = re.compile("[一二三四五六七八九十百千万两]+(?=年|月|日|个|名|位|座|次|届|天|人|岁|倍|成|种|条|家|部|级|层|米|公里|元|亿|万)")
NAME = re.compile(r"(?<![.!?] )(?<!^)\b[A-Z][\w’'-]+(?: (?:of |the |de )?[A-Z][\w’'-]+)*")
TITLE = re.compile("《[^》]{1,20}》|“[^”]{2,12}”|「[^」]{1,12}」")


def other_number(s, rnd):
    v = float(s.replace(",", ""))
    if s.isdigit() and 1000 <= v <= 2100:
        return str(int(v) + rnd.choice([-1, 1]) * rnd.choice([1, 1, 2, 3, 5, 8, 10, 12, 20]))
    if "." in s:
        n = len(s.split(".")[1])
        return f"{max(v + rnd.choice([-1, 1]) * rnd.choice([.1, .3, .5, 1, 2, 5]) * max(1, v / 10), 0) or v + 1:.{n}f}"
    w = int(v)
    if w <= 31:
        c = [x for x in range(max(1, w - 6), w + 9) if x != w]
        return str(rnd.choice(c))
    new = rnd.choice([w + rnd.randint(1, max(2, w // 4)), w - rnd.randint(1, max(2, w // 4)), w * 2, w * 10, max(1, w // 10)])
    new = new if new > 0 and new != w else w + 7
    return f"{new:,}" if "," in s else str(new)


def number(text, lang, rnd, names=()):
    found = list(NUMBER.finditer(text))
    if found:
        m = rnd.choice(found)
        return text[:m.start()] + other_number(m.group(), rnd) + text[m.end():], "number"
    found = list(HAN.finditer(text)) if lang == "zh" else []
    if found:
        m = rnd.choice(found); i = m.start() + rnd.randrange(len(m.group()))
        if text[i] in "一二三四五六七八九两":
            return text[:i] + rnd.choice([c for c in "二三四五六七八九" if c != text[i]]) + text[i + 1:], "number"
    return None


def paired(kind):
    def edit(text, lang, rnd, names=()):
        can = []
        for a, b in PAIRS[lang][kind]:
            for m in re.finditer(re.escape(a) if lang == "zh" else r"\b" + re.escape(a) + r"\b", text):
                if lang == "zh" and kind == "polarity" and (a == "是" and text[max(0, m.start() - 1):m.start()] in tuple("不但于还就可只总而若要凡") or a == "会" and text[m.end():m.end() + 1] in tuple("议员长计社场")
                                                         or a == "会" and text[max(0, m.start() - 1):m.start()] in tuple("社大协委议学教国不机") or a == "曾" and text[m.end():m.end() + 1] in tuple("经祖孙")):
                    continue
                if lang == "zh" and a in ("胜", "负", "部分", "第一", "米", "元", "人", "年", "天", "吨") and kind != "unit":
                    continue
                if lang == "zh" and kind == "unit" and text[max(0, m.start() - 1):m.start()] not in tuple("0123456789一二三四五六七八九十百千万亿两几多个"):
                    continue
                if lang == "en" and kind == "polarity" and text[m.end():m.end() + 4] == " not":
                    continue
                can.append((m.start(), m.end(), b))
        if not can:
            return None
        longest = max(e - s for s, e, _ in can); s, e, b = rnd.choice([c for c in can if c[1] - c[0] == longest] if rnd.random() < .6 else can)
        return text[:s] + b + text[e:], kind
    return edit


def entity(text, lang, rnd, names=()):
    """Another name of the same text (names) in place of one; names are strings of the passage of one kind."""
    found = [m.span() for m in (NAME if lang == "en" else TITLE).finditer(text)]
    found += [(text.find(n), text.find(n) + len(n)) for n in names if n and n in text]
    rnd.shuffle(found)
    for s, e in found:
        old = text[s:e]
        kind = old[0] if old[0] in "《“「" else None
        can = [n for n in names if n not in text and old not in n and n not in old and (kind is None or n[0] == kind) and (kind is not None or n[0] not in "《“「")]
        if can:
            return text[:s] + rnd.choice(can) + text[e:], "entity"
    return None


def names_of(text, lang):
    return list({m.group() for m in (NAME if lang == "en" else TITLE).finditer(text)})


KINDS = {"number": number, "unit": paired("unit"), "compare": paired("compare"), "polarity": paired("polarity"), "entity": entity}


def edit(text, lang, rnd, names=(), kinds=("number", "number", "unit", "compare", "polarity", "entity", "entity")):
    """One edit of a kind drawn from kinds, or None where none of them applies."""
    order = list(kinds); rnd.shuffle(order)
    for k in order:
        r = KINDS[k](text, lang, rnd, names)
        if r and r[0] != text:
            return r
    return None

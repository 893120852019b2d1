"""Claims near a passage's own words. In the written passages true claims are in other words and untrue ones keep the text's, so a
reader trained on them alone learns that a claim told word for word is false. Here a passage's own sentences and clauses are true
claims, and the same with one number, unit, comparison, negation or name edited are contradicted."""
import re

import edits

# A clause that limits what stands beside it: from such a sentence only the whole is told.
LIMITS = {
    "zh": re.compile("如果|若|如遇|倘|除|仅|只|但|不过|然而|否则|时[，,]|前提|的[，,]|情况|方可|才|原则上|特殊|例外|须|凡|当"),
    "en": re.compile(r"\b(?:if|unless|except|excluding|only|but|however|otherwise|when|where|provided|until|while|although|though|instead|subject to|in case|as long as|other than|who|which|that)\b", re.I),
}
CLAUSE = {"zh": re.compile("[，；：]"), "en": re.compile(r"[;:] |, (?=and |with |the )")}
POINTING = {
    "zh": re.compile("^(?:此外|另外|其中|同时|因此|所以|而且|并且|目前|本品|本店|本馆|本中心|本公司|该|其|它们?|他们?|她们?|这|那|上述|以上|前述)"),
    "en": re.compile(r"^(?:moreover|in addition|also|however|therefore|so|then|it|its|they|their|this|that|these|those|he|she|his|her|such|here|there|and|or)\b,? ?", re.I),
}
# A measure told of a thing with or without a verb: 票价40元, 票价为40元, 票价是40元.
MEASURE = re.compile(r"(?<=[价费额量数期长度率金高宽重温分税租薪积距龄])(?P<verb>[为是]?)(?=[\d一二三四五六七八九十百千万两半])")
SAME = {
    "zh": [("不得", "不可以"), ("应当", "应"), ("可以", "可"), ("均", "都"), ("每人", "每个人"), ("须", "必须"), ("共", "一共"), ("无需", "不需要"), ("每年", "一年"), ("免费", "不收费"), ("约", "大约")],
    "en": [("cannot", "can't"), ("does not", "doesn't"), ("do not", "don't"), ("is not", "isn't"), ("are not", "aren't"), ("must not", "may not"), ("per cent", "%"), ("each", "every"), ("free of charge", "free"), ("about", "roughly"), ("permitted", "allowed")],
}
AFTER = {"zh": ["{t}：{c}", "{t}规定，{c}", "根据{t}，{c}", "按照{t}，{c}"], "en": ["According to the {t}, {c}", "Under the {t}, {c}", "{t}: {c}", "The {t} says that {c}"]}


def pieces(text, lang, spans):
    """What the passage says: its sentences, and runs of clauses of those that limit nothing."""
    for b, e in spans:
        s = text[b:e].strip().lstrip("-*•#|> 0123456789.、）)（(")
        if "|" in s or not s or s[-1] in "？?：:" or "\n" in s:
            continue
        yield s
        if LIMITS[lang].search(s):
            continue
        parts = [p.strip() for p in CLAUSE[lang].split(s.rstrip("。；！.;! "))]
        if len(parts) > 1:
            yield from parts


def told(piece, lang, title, rnd):
    """The piece as a claim: as it is, or with its subject's document in front, its verb in or out, one word exchanged."""
    c = piece.strip("。；！.;!，, ")
    pointing = POINTING[lang].match(c)
    if pointing and rnd.random() < .6:
        c = c[pointing.end():]
    if lang == "zh" and rnd.random() < .5:
        c = MEASURE.sub(lambda m: rnd.choice(["", "为", "是"]), c, count=2)
    if rnd.random() < .3:
        for a, b in rnd.sample(SAME[lang], len(SAME[lang])):
            if a in c and not (lang == "zh" and b in c):
                c = c.replace(a, b, 1) if lang == "zh" else re.sub(rf"\b{a}\b", b, c, count=1)
                break
    c = re.sub(r"(?<=\d),(?=\d{3}\b)", "", c) if rnd.random() < .3 else c
    if lang == "en":
        c = c[:1].upper() + c[1:]
    if title and len(title) < (24 if lang == "zh" else 70) and rnd.random() < .3:
        low = c[:1].lower() + c[1:] if lang == "en" and re.match(r"[A-Z][a-z]* [a-z]", c) else c
        c = rnd.choice(AFTER[lang]).format(t=title, c=low)
    return c + ("。" if lang == "zh" else ".") if rnd.random() < .8 else c


def claims(text, lang, title, spans, rnd, most=3):
    """Up to most true claims of a passage, and as many of them as can be with one thing edited: (claim, true?, kind of edit)."""
    least, longest = (7, 60) if lang == "zh" else (26, 230)
    can = [p for p in dict.fromkeys(pieces(text, lang, spans)) if least <= len(p) <= longest and (lang == "zh" or len(p.split()) >= 5)]
    rnd.shuffle(can)
    names = edits.names_of(text, lang)
    for p in can[:most]:
        yield told(p, lang, title, rnd), True, "literal"
    rnd.shuffle(can)
    n = 0
    for p in can:
        e = edits.edit(p, lang, rnd, names, kinds=("number", "number", "number", "unit", "compare", "polarity", "polarity", "entity"))
        # An edit may bring back what another sentence says.
        if e and e[0].strip("。.") not in text and n < most:
            n += 1
            yield told(e[0], lang, title, rnd), False, e[1]

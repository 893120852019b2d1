#!/usr/bin/env python3
"""Build the reader's pairs from the public sets.
  data.py --data ../../../shared/data --out DIR [--seed 1]
Writes DIR/train.jsonl, dev.jsonl and test.jsonl: {task, source, kind, lang, head, text, holds | label, span}. A row's side is
its document's (split.py); a passage drawn for it comes from the same side, and a training passage that is itself on the
test side is refused, so no text of train.jsonl is on the test side either way."""
import argparse, collections, json, math, os, random, re

import edits, literal, sources as S
from sources import CONTRADICTED, NOT_STATED, NOT_SUPPORTED, SUPPORTED
from split import is_test, side, written_side

ENDS = {"zh": re.compile(r"[^。！？!?；\n]+[。！？!?；\n”」』）]*"), "en": re.compile(r".+?(?:[.!?][\"”')\]]*(?=\s|$)|\n|$)\s*", re.S)}


def sentences(text, lang):
    return [m.span() for m in ENDS[lang].finditer(text) if m.group().strip()]


def size(lang, rnd):
    """Wanted length of a window in characters, the same draw for what holds and what does not."""
    n = math.exp(rnd.uniform(math.log(55), math.log(230))) * (1.6 if rnd.random() < .1 else 1)
    return n if lang == "zh" else n * 3.3


def window(text, lang, rnd, want, must=(), avoid=()):
    """Neighbouring sentences of text, about want characters: all that overlap must (the first of them if they stand far
    apart), none that overlaps avoid. (passage, its start in text) or None."""
    ss = sentences(text, lang)
    over = lambda s, spans: any(s[0] < e and s[1] > b for b, e in spans)
    if must:
        core = [i for i, s in enumerate(ss) if over(s, must)]
        if not core:
            return None
        lo, hi = core[0], core[-1]
    else:
        free = [i for i, s in enumerate(ss) if not over(s, avoid) and s[1] - s[0] > 8]
        if not free:
            return None
        lo = hi = rnd.choice(free)
    length = lambda a, b: ss[b][1] - ss[a][0]
    while True:
        can = []
        if lo > 0 and not over(ss[lo - 1], avoid) and length(lo - 1, hi) <= want * 1.15:
            can.append((lo - 1, hi))
        if hi + 1 < len(ss) and not over(ss[hi + 1], avoid) and length(lo, hi + 1) <= want * 1.15:
            can.append((lo, hi + 1))
        if not can or length(lo, hi) >= want:
            break
        lo, hi = rnd.choice(can)
    b, e = ss[lo][0], ss[hi][1]
    raw = text[b:e]
    return raw.strip(), b + len(raw) - len(raw.lstrip())


def gathered(text, lang, head, want, must=()):
    """The sentences of a long text that matter for head, in order: those of must, then those that share most words."""
    ss = sentences(text, lang); h = words(head, lang)
    score = lambda s: (1e6 if any(s[0] < e and s[1] > b for b, e in must) else 0) + len(h & words(text[s[0]:s[1]], lang)) / (20 + s[1] - s[0]) ** .5
    order = sorted(range(len(ss)), key=lambda i: -score(ss[i])); chosen, total = set(), 0
    for i in order:
        for j in (i, i + 1) if not must else (i,):
            if j < len(ss) and j not in chosen and total + ss[j][1] - ss[j][0] <= want * 1.2:
                chosen.add(j); total += ss[j][1] - ss[j][0]
        if total >= want:
            break
    return "".join(text[ss[i][0]:ss[i][1]] + ("" if lang == "zh" or text[ss[i][0]:ss[i][1]].endswith((" ", "\n")) else " ") for i in sorted(chosen)).strip()


STOP = set("the a an of in on at to for and or is are was were be by with what which who when where how did do does as that this it from has have had".split())


def words(t, lang):
    if lang == "en":
        return set(re.findall(r"[a-z0-9]+", t.lower())) - STOP
    t = re.sub(r"[^\w]|_", "", t)
    return {t[i:i + 2] for i in range(len(t) - 1)}


class Near:
    """Passages by word overlap (BM25) within one side."""

    def __init__(self, texts, lang):
        self.lang, self.texts = lang, texts
        bags = [words(t, lang) for t in texts]; self.post = collections.defaultdict(list)
        for i, b in enumerate(bags):
            for w in b:
                self.post[w].append(i)
        mean = sum(map(len, bags)) / max(1, len(bags)); self.norm = [.4 + .6 * len(b) / mean for b in bags]

    def of(self, q, k, skip):
        score = collections.Counter(); n = len(self.texts)
        for w in words(q, self.lang):
            p = self.post.get(w, ())
            if 0 < len(p) < n * .3 + 5:
                idf = math.log(1 + n / len(p))
                for i in p:
                    score[i] += idf / (1 + self.norm[i])
        out = [i for i, _ in score.most_common(k + 12) if not skip(self.texts[i])]
        return out[:k]


WHEN = r"什么时候|什么时间|什么年代|何时|哪一?年|哪一天|哪年哪月|几几年"
WHO = r"什么人|哪位|哪一位|何人|谁"
WHERE = r"什么地方|何处|哪里|哪儿|何地|哪个地方"
KIND = "城市|国家|地区|省份|省|市|县|学校|大学|公司|企业|机构|组织|球队|俱乐部|队|赛季|比赛|奖项|奖|电影|节目|电视台|歌曲|专辑|作品|小说|书|语言|民族|家族|科|属|目|朝代|时期|世纪|月份|方面|类型|种类|职位|职务|名字|名称|称号|绰号|颜色|材料|原料|部门|专业|学位|车站|线路|路线|岛屿|岛|河流|河|山脉|山|宗教|军队|战役|游戏|平台|元素|物质|部分|人物|人|动物|植物"
WHICH = rf"(?:哪一|哪几|哪两|哪)(?:个|些|种|所|座|部|位|支|家|条|次|届|场|项|类|本|只|名|间|款|首|艘|级|门|颗)?(?:{KIND})?|什么(?:{KIND})?"
MANY = r"多少(?:个|名|位|人|公里|米|平方公里|平方米|万|元|部|座|次|年|岁|票|点|种|集|人口|公顷|%)?|几(?:个|名|位|岁|年|届|次|部|种|月|座|位|人|集|天)"
WH = re.compile(f"(?P<when>{WHEN})|(?P<who>{WHO})|(?P<where>{WHERE})|(?P<many>{MANY})|(?P<which>{WHICH})")
OTHER = re.compile("为什么|为何|怎么|怎样|如何|吗|哪些|什么样|多大|多长|多高|多远|多久")


def kind_of(q):
    m = WH.search(q)
    return m.lastgroup if m and not OTHER.search(q) else None


def statement(q, a):
    """A Chinese question with its answer put in the place of the question word; None where that reads badly."""
    ms = list(WH.finditer(q)); a = a.strip("。，；,. ")
    if OTHER.search(q) or len(ms) != 1 or not 0 < len(a) <= 24 or re.search("[。；]", a):
        return None
    m = ms[0]; s, e = m.span(); before, after = q[:s], q[e:]
    before = re.sub("(于|在)$", "", before) if m.lastgroup in ("when", "where") and a[:1] in "于在" else before
    if before.endswith("第") and a.startswith("第"):
        a = a[1:]
    if m.lastgroup == "many" and (unit := re.sub("^(多少|几)", "", m.group())) and not re.search("[^\\d.,万亿千百十一二两三四五六七八九]", a):
        a += unit
    if after[:1] and a.endswith(after[:1]) and after[:1] not in "的是在了":
        a = a[:-1]
    if len(after) >= 2 and a.endswith(after[:2]):
        a = a[:-2]
    t = re.sub(r"(呢|啊|的呢)?[？?。]*$", "", before + a + after).strip()
    return t if len(t) >= len(a) + 4 and "？" not in t and "?" not in t else None


REWORD = [("大约", "约"), ("约", "大约"), ("成为", "当上"), ("位于", "坐落在"), ("创立于", "成立于"), ("并且", "而且"), ("由于", "因为"), ("以及", "和"), ("但是", "不过"), ("但", "不过"), ("其中", "当中"), ("开始", "起"), ("目前", "现在"), ("曾经", "曾"),
          ("负责", "承担"), ("包括", "包含"), ("担任", "出任"), ("死亡", "去世"), ("逝世", "去世"), ("被称为", "叫做"), ("建于", "修建于"), ("使用", "采用"), ("应当", "应该"), ("可以", "能够"), ("必须", "一定要"), ("不得", "不能"), ("属于", "归属"), ("著名", "知名"), ("全部", "所有"), ("仅", "只"), ("首次", "第一次"), ("获得", "取得"), ("离开", "离去"), ("建立", "设立"), ("认为", "觉得")]


def reworded(t, rnd):
    for a, b in rnd.sample(REWORD, len(REWORD)):
        if a in t and rnd.random() < .7 and not (a == "约" and "大约" in t) and not (a == "但" and "但是" in t):
            t = t.replace(a, b, 1)
    return t


class Builder:
    def __init__(self, seed):
        self.rnd, self.rows, self.refused = random.Random(seed), collections.defaultdict(list), collections.Counter()

    def add(self, doc_side, task, source, kind, lang, head, text, holds=None, label=None, span=None):
        """Keep a row on its document's side; refuse a passage that would put a test text into training."""
        head, n = re.sub(r"\s+", " ", head).strip(), len(text)
        if n < 12 or len(head) < 4:
            return
        if doc_side != "test" and is_test(text):
            self.refused[source] += 1
            return
        r = {"task": task, "source": source, "kind": kind, "lang": lang, "head": head, "text": text}
        if task == "holds":
            r["holds"] = holds
            if span is not None:
                assert span == [] or text[span[0]:span[1]].strip(), (source, span)
                r["span"] = span
        else:
            r["label"] = sorted(label)
        self.rows[doc_side].append(r)

    # --- holds: questions of people over prose -------------------------------------------------
    def ask(self, asks, lang, titles=True):
        """The window of the document with the answer; another of the same document without it; a near document; an edited
        question; people's own unanswerable questions as they are."""
        rnd, docs, by = self.rnd, {}, collections.defaultdict(list)
        for a in asks:
            docs.setdefault(a.doc, a); by[a.doc].append(a)
        near = {s: Near([d for d in docs if side(d) == s], lang) for s in ("train", "dev", "test")}
        names = {d: list({x.answer for x in q if x.answer and 2 <= len(x.answer) <= 12 and not re.search("[，。,]|\\d", x.answer)} | set(edits.names_of(d, lang))) for d, q in by.items()}
        for a in asks:
            s, want = side(a.doc), size(lang, rnd)
            title = (a.title + "\n") if titles and a.title and rnd.random() < .3 else ""
            exact = a.answer is not None
            def put(kind, q, w, holds, span):
                self.add(s, "holds", a.source, kind, lang, q, title + w, holds=holds, span=None if span is None else [] if not span else [span[0] + len(title), span[1] + len(title)])
            if not a.spans:
                w = window(a.doc, lang, rnd, max(want, 400 if lang == "en" else 120) * 1.3)
                put("own", a.question, a.doc if len(a.doc) < (700 if lang == "en" else 220) else w[0], 0, [])
                continue
            own = sum(1 for x in by[a.doc] if not x.spans)
            w = window(a.doc, lang, rnd, want * (1.5 if own else 1), must=a.spans)
            if not w or len(w[0]) > (1500 if lang == "en" else 480):
                continue
            sp = [a.spans[0][0] - w[1], a.spans[0][1] - w[1]]
            put("gold", a.question, w[0], 1, sp if exact and sp[0] >= 0 else None)
            r = rnd.random()
            if r < .45:
                n = window(a.doc, lang, rnd, want, avoid=a.spans)
                if n and not (exact and a.answer in n[0]) and len(n[0]) > (25 if lang == "zh" else 80):
                    put("same document", a.question, n[0], 0, [])
                    continue
            if r < .72:
                pick = near[s].of(a.question + " " + a.title, 4, lambda t: t == a.doc or exact and a.answer in t)
                if pick:
                    d = near[s].texts[rnd.choice(pick)]; h = words(a.question, lang)
                    best = max((window(d, lang, rnd, want) or ("", 0) for _ in range(4)), key=lambda x: len(h & words(x[0], lang)))
                    if best[0]:
                        title = (docs[d].title + "\n") if title and docs[d].title else ""
                        put("near", a.question, best[0], 0, [])
                        continue
            e = edits.edit(a.question, lang, rnd, names[a.doc], kinds=("number", "compare", "entity", "entity"))
            if e and not (exact and e[0].find(a.answer) >= 0):
                put("edited", e[0], w[0], 0, [])

    def pool(self, asks, lang, tag_hard=None):
        """Questions over whole short documents (rules, statutes, evidence): a near document is the negative; tag_hard(a) names
        documents that belong together, and one of the same tag is preferred half the time."""
        rnd = self.rnd; docs = list({a.doc for a in asks}); pos = collections.defaultdict(set); tags = collections.defaultdict(list)
        near = {s: Near([d for d in docs if side(d) == s], lang) for s in ("train", "dev", "test")}
        for a in asks:
            pos[a.question].add(a.doc)
            if tag_hard and a.doc not in tags[tag_hard(a)]:
                tags[tag_hard(a)].append(a.doc)
        inside = lambda x, y: len(words(x, lang) & words(y, lang)) > .5 * min(len(words(x, lang)), len(words(y, lang)))
        for a in asks:
            s = side(a.doc); want = size(lang, rnd) * 1.6
            cut = lambda d: d if len(d) <= want * 1.3 else gathered(d, lang, a.question, want) if rnd.random() < .5 else (window(d, lang, rnd, want) or (d, 0))[0]
            title = a.title + "\n" if a.title and not a.title.startswith("http") and rnd.random() < .5 else ""
            self.add(s, "holds", a.source, "gold", lang, a.question, title + (a.doc if len(a.doc) <= want * 1.6 else gathered(a.doc, lang, a.question, want)), holds=1)
            sibling = [d for d in tags[tag_hard(a)] if d not in pos[a.question] and side(d) == s and not inside(d, a.doc)] if tag_hard else []
            if sibling and rnd.random() < .5:
                self.add(s, "holds", a.source, "same page", lang, a.question, cut(rnd.choice(sibling)), holds=0)
            else:
                pick = near[s].of(a.question, 5, lambda t: t in pos[a.question] or inside(t, a.doc))
                if pick:
                    d = near[s].texts[rnd.choice(pick)]
                    t = next((x.title for x in asks if x.doc == d), "") if title else ""
                    self.add(s, "holds", a.source, "near", lang, a.question, (t + "\n" if t else "") + cut(d), holds=0)

    # --- claims -----------------------------------------------------------------------------------
    def say(self, says, far=0.0, cap=None):
        """Claims of people. A share far of the supported and contradicted ones is also set against a near text: not stated."""
        rnd = self.rnd; says = list(says); lang = says[0].lang
        if cap and len(says) > cap:
            says = rnd.sample(says, cap)
        docs = list({x.doc for x in says})
        near = {s: Near([d for d in docs if side(d) == s], lang) for s in ("train", "dev", "test")} if far else {}
        for x in says:
            s, want = side(x.doc), size(lang, rnd) * (1.5 if lang == "en" else 1.7)
            if len(x.doc) <= want * 1.3 or len(x.doc) < (350 if lang == "en" else 110):
                text = x.doc
            else:
                text = gathered(x.doc, lang, x.claim, max(want, 500 if lang == "en" else 230), must=x.spans)
            if len(text) <= (2000 if lang == "en" else 560):
                self.add(s, "claim", x.source, "own", lang, x.claim, text, label=x.label)
            if far and rnd.random() < far:
                pick = near[s].of(x.claim, 3, lambda t: t == x.doc or t[:60] == x.doc[:60])
                if pick:
                    t = near[s].texts[rnd.choice(pick)]
                    self.add(s, "claim", x.source, "near", lang, x.claim, t if len(t) <= want * 1.3 else gathered(t, lang, x.claim, want), label=(NOT_STATED,))

    def contract_questions(self, says):
        """Whether-questions from contract statements: they are held where the agreement says either way."""
        for x in says:
            if self.rnd.random() < .35:
                want = size("en", self.rnd) * 1.5
                if len(x.claim) < 170:
                    h = x.claim.rstrip("."); h = h[0].lower() + h[1:] if not h.startswith(("Receiving", "Confidential", "Disclosing")) else h
                    q = self.rnd.choice(["Does the agreement say whether {}?", "Is it regulated whether {}?", "Is it true that {}?"]).format(h)
                    self.add(side(x.doc), "holds", x.source, "whether", "en", q, gathered(x.doc, "en", x.claim, max(want, 500), must=x.spans), holds=int(x.label != (NOT_STATED,)))

    def made(self, asks, lang, share=1.0):
        """Claims made from questions and answers (zh) and from the passage's own sentences: supported; contradicted by another
        answer of the same kind or an edit; not stated by another window of the document or a near document."""
        rnd, by = self.rnd, collections.defaultdict(list)
        asks = [a for a in asks if a.spans and a.answer]
        for a in asks:
            by[a.doc].append(a)
        near = {s: Near([d for d in by if side(d) == s], lang) for s in ("train", "dev", "test")}
        kinds = collections.defaultdict(list)
        for a in asks:
            kinds[kind_of(a.question), side(a.doc)].append(a.answer)
        for a in asks:
            if rnd.random() > share:
                continue
            s, want = side(a.doc), size(lang, rnd); names = list({x.answer for x in by[a.doc] if x.answer and 2 <= len(x.answer) <= 10 and not re.search("[，。,\\d]", x.answer)}) + edits.names_of(a.doc, lang)
            title = (a.title + "\n") if a.title and rnd.random() < .3 else ""
            good = statement(a.question, a.answer) if lang == "zh" else None
            must = a.spans
            if good and rnd.random() < .75:
                k = kind_of(a.question)
                others = [x.answer for x in by[a.doc] if x.answer != a.answer and kind_of(x.question) == k and x.answer not in a.answer and a.answer not in x.answer]
                wrong = None
                if others and rnd.random() < .6:
                    wrong = statement(a.question, rnd.choice(others))
                if not wrong:
                    e = edits.edit(good, lang, rnd, names) if rnd.random() < .75 else None
                    wrong = e[0] if e else statement(a.question, rnd.choice(kinds[k, s]))
                source, clean = a.source + " answers", reworded(good, rnd)
            else:
                ss = [x for x in sentences(a.doc, lang) if (14 <= x[1] - x[0] <= 70 if lang == "zh" else 50 <= x[1] - x[0] <= 220)]
                if not ss:
                    continue
                b, e_ = rnd.choice(ss); t = a.doc[b:e_].strip(); must = ((b, e_),)
                if lang == "zh" and len(t) > 34 and "，" in t:
                    parts = t.rstrip("。；！？”").split("，"); n = rnd.randint(1, len(parts)); i = rnd.randint(0, len(parts) - n); sub = "，".join(parts[i:i + n]) + "。"
                    t = sub if len(sub) > 12 else t
                e = edits.edit(t, lang, rnd, names)
                wrong, clean = e and e[0], reworded(t, rnd) if lang == "zh" else t
                source = a.source + " sentences"
            w = window(a.doc, lang, rnd, want, must=must)
            if not w or len(w[0]) > (480 if lang == "zh" else 1400):
                continue
            r = rnd.random()
            if r < .36 or not wrong or wrong == clean:
                self.add(s, "claim", source, "gold", lang, clean, title + w[0], label=(SUPPORTED,))
            if wrong and wrong != clean and r > .25 and r < .72:
                self.add(s, "claim", source, "wrong", lang, reworded(wrong, rnd) if lang == "zh" else wrong, title + w[0], label=(CONTRADICTED,))
            if r > .66:
                claim = clean if rnd.random() < .6 or not wrong else wrong
                n = window(a.doc, lang, rnd, want, avoid=a.spans + tuple(must)) if rnd.random() < .65 else None
                if n and a.answer in n[0]:
                    n = None
                if not n:
                    pick = near[s].of(claim, 3, lambda t: t == a.doc or a.answer in t)
                    n = window(near[s].texts[pick[0]], lang, rnd, want) if pick else None
                    title = ""
                if n:
                    self.add(s, "claim", source, "absent", lang, claim, title + n[0], label=(NOT_STATED,))
            if lang == "zh" and good and r < .12:
                q = rnd.choice(["{}吗？", "是不是{}？", "{}，对吗？", "请问{}吗"]).format((good if rnd.random() < .6 or not wrong else wrong).rstrip("。"))
                self.add(s, "holds", a.source, "whether", lang, q, w[0], holds=1)
                n = window(a.doc, lang, rnd, want, avoid=a.spans)
                if n and a.answer not in n[0]:
                    self.add(s, "holds", a.source, "whether", lang, q, n[0], holds=0)

    # --- our own passages ---------------------------------------------------------------------------
    def written(self, rows):
        """Whole passages as they are, with their title half the time; a near passage of the same side for some questions."""
        rnd = self.rnd; rows = list(rows)
        near = {(l, s): Near(list(dict.fromkeys(x.doc for x, _ in rows if x.lang == l and written_side(x.doc) == s)), l) for l in ("zh", "en") for s in ("train", "dev", "test")}
        for x, beside in rows:
            s = written_side(x.doc)
            if isinstance(x, S.Say):
                head = beside + "\n" if beside and rnd.random() < .5 else ""
                self.add(s, "claim", x.source, "own", x.lang, x.claim, head + x.doc, label=x.label)
                continue
            head = x.title + "\n" if x.title and rnd.random() < .5 else ""
            span = [x.spans[0][0] + len(head), x.spans[0][1] + len(head)] if x.spans else []
            self.add(s, "holds", x.source, "own", x.lang, x.question, head + x.doc, holds=int(bool(x.spans)), span=None if x.spans and len(x.answer) > (60 if x.lang == "zh" else 160) else span)
            if x.spans and rnd.random() < .25:
                pick = near[x.lang, s].of(x.question + " " + beside, 2, lambda t: t == x.doc or x.answer in t)
                if pick:
                    self.add(s, "holds", x.source, "near", x.lang, x.question, near[x.lang, s].texts[pick[0]], holds=0, span=[])

    def literal(self, rows):
        """Near-literal claims of our own passages (literal.py); a true one is sometimes set against a near passage: not stated."""
        rnd = self.rnd
        docs = {}
        for x, beside in rows:
            docs.setdefault((x.lang, x.doc), beside if isinstance(x, S.Say) else x.title)
        near = {(l, s): Near([d for k, d in docs if k == l and written_side(d) == s], l) for l in ("zh", "en") for s in ("train", "dev", "test")}
        for (lang, doc), title in docs.items():
            s = written_side(doc); head = title + "\n" if title and rnd.random() < .5 else ""
            for claim, true, kind in literal.claims(doc, lang, title, sentences(doc, lang), rnd):
                # Another name may be another true statement: it is not supported, and no more is known.
                label = (SUPPORTED,) if true else NOT_SUPPORTED if kind == "entity" else (CONTRADICTED,)
                self.add(s, "claim", "written literal", kind, lang, claim, head + doc, label=label)
                if true and rnd.random() < .2:
                    pick = near[lang, s].of(claim, 2, lambda t: t == doc or claim[:12] in t)
                    if pick:
                        self.add(s, "claim", "written literal", "near", lang, claim, near[lang, s].texts[pick[0]], label=(NOT_STATED,))

    # --- tables ------------------------------------------------------------------------------------
    def tables(self, data):
        rnd = self.rnd
        for q, answer, rows, used, title in S.fetaqa(data):
            whole = S.markdown(rows, title)[0]; s = side(whole); budget = size("en", rnd) * 1.2
            head = title if rnd.random() < .6 else ""
            full, cut = S.part_of_table(rows, used, rnd, budget, head), S.part_of_table(rows, used, rnd, budget, head, keep=False)
            if not full or not any(u > 0 for u in used):
                continue
            self.add(s, "holds", "fetaqa", "gold", "en", q, full, holds=1)
            if cut and len(rows) - len(used) > 2:
                self.add(s, "holds", "fetaqa", "rows gone", "en", q, cut, holds=0)
            r = rnd.random(); e = edits.edit(answer, "en", rnd, [str(c) for i, row in enumerate(rows) if i not in used for c in row if 3 < len(str(c)) < 30 and not str(c)[0].isdigit()])
            if r < .35:
                self.add(s, "claim", "fetaqa", "gold", "en", answer, full, label=(SUPPORTED,))
            elif r < .7 and e:
                self.add(s, "claim", "fetaqa", "wrong", "en", e[0], full, label=(CONTRADICTED,) if e[1] != "entity" else NOT_SUPPORTED)
            elif cut and len(rows) - len(used) > 2:
                self.add(s, "claim", "fetaqa", "absent", "en", answer, cut, label=(NOT_STATED,))
        facts = list(S.tabfact(data)); rnd.shuffle(facts); n = 0
        for claim, label, rows, caption in facts:
            whole = S.markdown(rows, caption)[0]
            if len(whole) < 800 and n < 4200:
                n += 1; self.add(side(whole), "claim", "tabfact", "own", "en", claim, whole, label=(label,))
        for q, gold, others, span in S.tatqa(data):
            s = side(gold); self.add(s, "holds", "tatqa", "gold", "en", q, gold, holds=1, span=span and list(span))
            can = [o for o in others if side(o) == s]
            if can:
                h = words(q, "en"); o = max(can, key=lambda t: len(h & words(t, "en")) / len(t) ** .3) if rnd.random() < .7 else rnd.choice(can)
                self.add(s, "holds", "tatqa", "same report", "en", q, o, holds=0, span=[])


def main():
    ap = argparse.ArgumentParser(); ap.add_argument("--data", required=True); ap.add_argument("--written", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "written")); ap.add_argument("--out", required=True); ap.add_argument("--seed", type=int, default=1); o = ap.parse_args()
    b, d = Builder(o.seed), o.data
    cmrc = list(S.cmrc2018(d)) + list(S.cmrc2018_train(d)); squad, contract = list(S.squad2(d)), list(S.contract_nli(d))
    b.ask(squad, "en"); b.ask(cmrc, "zh")
    b.ask(list(S.selqa(d)), "en"); b.pool(list(S.sharc(d)), "en"); b.pool(list(S.conditionalqa(d)), "en", lambda a: a.title)
    b.pool(list(S.lecoqa(d)), "zh", lambda a: re.sub("第[一二三四五六七八九十百千零〇]+条.*", "", a.title))
    for a in S.snippets(d):
        b.add(side(a.doc), "holds", a.source, "gold" if a.spans else "own", "zh", a.question, a.doc[:420], holds=int(bool(a.spans)), span=list(a.spans[0]) if a.spans and a.spans[0][1] <= 420 else None if a.spans else [])
    b.say(contract, far=0, cap=None); b.contract_questions(contract)
    fever = list(S.fever(d)); b.say([x for x in fever if x.source == "fever"], far=.3, cap=7000); b.say([x for x in fever if x.source != "fever"])
    b.say(S.wice(d)); b.say(S.summedits(d), far=.15)
    g = list(S.gaokao(d)); b.say([x for x in g if x.lang == "zh"]); b.say([x for x in g if x.lang == "en"])
    b.made(cmrc, "zh"); b.made(squad, "en", .8); b.tables(d)
    own = list(S.written(o.written)); b.written(own); b.literal(own)
    os.makedirs(o.out, exist_ok=True)
    for s, rows in b.rows.items():
        b.rnd.shuffle(rows)
        with open(os.path.join(o.out, s + ".jsonl"), "w", encoding="utf-8") as f:
            f.writelines(json.dumps(r, ensure_ascii=False) + "\n" for r in rows)
        print(s, len(rows))
        for k, n in sorted(collections.Counter((r["lang"], r["task"], r["source"], r["kind"], str(r.get("holds", r.get("label")))) for r in rows).items()):
            print("  ", *k, n)
    print("refused, their own text being on the test side:", dict(b.refused))


if __name__ == "__main__":
    main()

"""Readers of the public sets: each yields plain rows of what its people wrote, before any window, edit or near passage.

Ask(lang, source, question, doc, spans, answer, own, title): spans are the [start, end) of doc that hold the answer, empty
where people say that doc does not hold it. Say(lang, source, claim, doc, label, spans): label is a set of the CLAIMS it may be."""
import csv, glob, io, json, os, re, tarfile, zipfile
from collections import namedtuple

Ask = namedtuple("Ask", "lang source question doc spans answer title", defaults=("",))
Say = namedtuple("Say", "lang source claim doc label spans", defaults=((),))
SUPPORTED, CONTRADICTED, NOT_STATED = 0, 1, 2
NOT_SUPPORTED = (CONTRADICTED, NOT_STATED)


def load(data, *path):
    with open(os.path.join(data, *path), encoding="utf-8-sig") as f:
        return json.load(f)


def lines(data, *path):
    with open(os.path.join(data, *path), encoding="utf-8-sig") as f:
        return [json.loads(x) for x in f if x.strip()]


def squad(d, lang, source):
    for a in d["data"]:
        for p in a["paragraphs"]:
            for q in p["qas"]:
                c, ans = p["context"], [x for x in q["answers"] if x["text"]] if not q.get("is_impossible") else []
                if not ans:
                    if q.get("is_impossible"):
                        yield Ask(lang, source, q["question"], c, (), None, a.get("title", "").replace("_", " "))
                    continue
                t, at = ans[0]["text"], ans[0]["answer_start"]
                if c[at:at + len(t)] != t:
                    at = c.find(t)
                if at >= 0:
                    yield Ask(lang, source, q["question"], c, ((at, at + len(t)),), t, a.get("title", "").replace("_", " "))


def squad2(data):
    return squad(load(data, "squad2", "train.json"), "en", "squad2")


def cmrc2018(data):
    for f in ("cmrc2018_trial.json", "cmrc2018_dev_part1.json"):
        yield from squad(load(data, "cmrc2018", f), "zh", "cmrc2018")


def cmrc2018_train(data):
    z = zipfile.ZipFile(glob.glob(os.path.join(data, "cmrc2018-train", "*.zip"))[0])
    yield from squad(json.loads(z.read(z.namelist()[0])), "zh", "cmrc2018-train")


def joined(parts, sep=" "):
    """The text of parts and the [start, end) of each in it."""
    out, at = [], 0
    where = []
    for p in parts:
        where.append((at, at + len(p))); out.append(p); at += len(p) + len(sep)
    return sep.join(out), where


def selqa(data):
    for f in ("dev", "test"):
        for x in load(data, "selqa", f"selqa-ass-{f}.filtered.json"):
            doc, where = joined([c for c in x["candidates"]])
            spans = tuple(where[i] for i in x["answers"] if where[i][1] - where[i][0] > 5)
            if spans and len(doc) > 80:
                yield Ask("en", "selqa", x["question"], doc, spans, None, f'{x["article"]} > {x["section"]}')


def snippets(data):
    """Real search hits. The label "holds the answer string" is weak."""
    for f in sorted(glob.glob(os.path.join(data, "ysc-qa-zh", "*material*.txt"))):
        q = a = title = None
        for line in open(f, encoding="utf-8-sig"):
            line = line.strip().lstrip("?\ufeff")
            if line.startswith("Title:"):
                title = line[6:].strip()
            elif line.startswith("Snippet:") and q:
                doc = re.sub(r"\s+", " ", title + "\n" + re.sub(r"\s{2,}", "", line[8:].strip())) if title else line[8:].strip()
                at = doc.find(a)
                if len(doc) > 20:
                    yield Ask("zh", "ysc-qa-zh", q, doc, ((at, at + len(a)),) if at >= 0 else (), a if at >= 0 else None)
            else:
                m = re.match(r"\d+\. (.+?)[:：]([^:：]+)$", line)
                if m:
                    q, a = m.group(1).strip(), m.group(2).strip()


def sharc(data):
    rule = load(data, "or-sharc", "id2snippet.filtered.json")
    for f in ("dev", "test"):
        for x in lines(data, "or-sharc", f"open_retrieval_sharc_{f}.filtered.json"):
            doc = re.sub(r"\n{2,}", "\n", rule.get(x["gold_snippet_id"], ""))
            if len(doc) > 40:
                head = x["question"] if not x["scenario"] or len(x["scenario"]) > 160 or int(x["utterance_id"][:2], 16) % 2 else x["scenario"].strip() + " " + x["question"]
                yield Ask("en", "or-sharc", head, doc, ((0, len(doc)),), None)


TAG = re.compile(r"<[^>]+>")


def conditionalqa(data):
    """What people marked as evidence of a question; the evidence of other questions of the same page stands beside it (see data.py)."""
    for x in load(data, "conditionalqa", "train.json"):
        ev = [("- " if e.startswith("<li") else "") + TAG.sub("", e).strip() for e in x["evidences"]]
        doc = "\n".join(ev)
        if len(doc) > 60 and not x["not_answerable"]:
            yield Ask("en", "conditionalqa", x["question"], doc, ((0, len(doc)),), None, x["url"])


def lecoqa(data):
    for x in load(data, "lecoqa-stard", "train.json"):
        for name, doc in x["相关法规"].items():
            doc = re.sub(r"\s*\n\s*", "\n", doc.strip())
            if len(doc) > 20:
                yield Ask("zh", "lecoqa-stard", x["问题"], doc, ((0, len(doc)),), None, name)


def markdown(rows, title=""):
    """A table as Markdown and the [start, end) of each of its rows."""
    clean = [[re.sub(r"\s+", " ", str(c)).replace("|", "/").strip() for c in r] for r in rows]
    parts = ([title] if title else []) + ["| " + " | ".join(clean[0]) + " |", "|" + "---|" * len(clean[0])] + ["| " + " | ".join(r) + " |" for r in clean[1:]]
    doc, where = joined(parts, "\n")
    return doc, [where[1 if title else 0]] + where[(3 if title else 2):]


def part_of_table(rows, used, rnd, budget, title, keep=True):
    """The header and some rows: with the used ones (keep) or without them; None where that leaves nothing."""
    body = [i for i in range(1, len(rows)) if keep or i not in used]
    must = [i for i in used if i > 0] if keep else []
    size = lambda i: sum(len(str(c)) + 3 for c in rows[i])
    rest = [i for i in body if i not in must]; rnd.shuffle(rest)
    chosen, total = set(must), sum(map(size, must)) + size(0)
    for i in rest:
        if total + size(i) > budget:
            break
        chosen.add(i); total += size(i)
    if not chosen or total > 2.5 * budget:
        return None
    return markdown([rows[0]] + [rows[i] for i in sorted(chosen)], title)[0]


def fetaqa(data):
    """(question, answer sentence, rows, used row numbers, title)."""
    for f in ("dev", "test"):
        for x in lines(data, "fetaqa", f"fetaQA-v1_{f}.filtered.jsonl"):
            yield x["question"], x["answer"], x["table_array"], {r for r, _ in x["highlighted_cell_ids"]}, f'{x["table_page_title"]} > {x["table_section_title"]}'


def tabfact(data):
    """(claim, label, rows, caption)."""
    tables = {}
    with tarfile.open(os.path.join(data, "tabfact", "all_csv.tar.gz")) as t:
        for m in t:
            if m.isfile():
                tables[os.path.basename(m.name)] = list(csv.reader(io.StringIO(t.extractfile(m).read().decode("utf-8")), delimiter="#"))
    pair = load(data, "tabfact", "all_positive_negative_pairs.part.json")
    for name, good, bad in pair:
        if name in tables:
            yield good, SUPPORTED, tables[name], ""
            yield bad, CONTRADICTED, tables[name], ""
    for name, (claims, labels, caption) in load(data, "tabfact", "val_examples.filtered.json").items():
        if name in tables:
            for c, l in zip(claims, labels):
                yield c, SUPPORTED if l else CONTRADICTED, tables[name], caption


def tatqa(data):
    """(question, gold unit, other units of the same report, span or None)."""
    for d in load(data, "tatqa", "tatqa_dataset_dev.json"):
        table, _ = markdown([r for r in d["table"]["table"] if any(r)])
        paras = {str(p["order"]): p["text"] for p in d["paragraphs"]}
        for q in d["questions"]:
            gold = table if q["answer_from"] == "table" else paras.get(q["rel_paragraphs"][0]) if q["answer_from"] == "text" and len(q["rel_paragraphs"]) == 1 else None
            if gold and len(gold) < 1400:
                a = q["answer"][0] if isinstance(q["answer"], list) and len(q["answer"]) == 1 and q["answer_type"] == "span" else None
                at = gold.find(str(a)) if a and gold.count(str(a)) == 1 else -1
                yield q["question"], gold, [t for t in [table, *paras.values()] if t != gold and 60 < len(t) < 1400], (at, at + len(str(a))) if at >= 0 else None


def contract_nli(data):
    label = {"Entailment": (SUPPORTED,), "Contradiction": (CONTRADICTED,), "NotMentioned": (NOT_STATED,)}
    for f in ("dev", "test"):
        d = load(data, "contract-nli", f"{f}.json")
        for x in d["documents"]:
            for k, a in x["annotation_sets"][0]["annotations"].items():
                yield Say("en", "contract-nli", d["labels"][k]["hypothesis"], x["text"], label[a["choice"]], tuple(tuple(x["spans"][i]) for i in a["spans"]))


def unbracket(t):
    for a, b in (("-LRB-", "("), ("-RRB-", ")"), ("-LSB-", "["), ("-RSB-", "]"), ("``", '"'), ("''", '"'), (" ,", ","), (" .", "."), (" 's", "'s"), ("( ", "("), (" )", ")"), ("--", "–")):
        t = t.replace(a, b)
    return t


def fever(data):
    d = os.path.join(data, "fever")
    rd = lambda n: open(os.path.join(d, n), encoding="utf-8").read().split("\n")
    for p, h, l in zip(rd("rte_fever_dev.filtered.raw.input0"), rd("rte_fever_dev.filtered.raw.input1"), rd("rte_fever_dev.filtered.label")):
        if p and h and l:
            yield Say("en", "fever", unbracket(h), unbracket(p), (SUPPORTED,) if l == "entailment" else (CONTRADICTED,))
    for f in ("dev", "test"):
        for x in lines(data, "fever", f"fever_symmetric_{f}.filtered.jsonl"):
            yield Say("en", "fever-symmetric", unbracket(x["claim"]), unbracket(x["evidence"]), (SUPPORTED,) if x["label"] == "SUPPORTS" else (CONTRADICTED,))


def wice(data):
    for f in ("dev", "test"):
        for x in lines(data, "wice", f"oracle_chunks_claim_{f}.filtered.jsonl"):
            doc, where = joined(x["evidence"], "\n")
            idx = dict(zip(x["meta"].get("chunk_idx") or [], where))
            spans = tuple(idx[i] for i in x["meta"].get("oracle_idx") or [] if i in idx)
            yield Say("en", "wice", x["claim"], doc, (SUPPORTED,) if x["label"] == "supported" else (NOT_STATED,) if x["label"] == "not_supported" else NOT_SUPPORTED, spans)


def sentences_en(t):
    return [s for s in re.split(r"(?<=[.!?])\s+", t.strip()) if s]


def summedits(data):
    for f in ("sales_call", "sales_email", "scitldr"):
        for x in load(data, "summedits", f"summedits_{f}.json"):
            mine, orig = sentences_en(x["summary"]), sentences_en(x["original_summary"])
            if x["label"] == 1:
                for s in {s for s in mine if len(s) > 30}:
                    yield Say("en", "summedits", s, x["doc"], (SUPPORTED,))
            else:
                kinds = set(x["edit_types"]); label = (NOT_STATED,) if kinds == {"hallucinated_fact_insertion"} else (CONTRADICTED,) if "hallucinated_fact_insertion" not in kinds else NOT_SUPPORTED
                for s in mine:
                    if s not in orig and len(s) > 20:
                        yield Say("en", "summedits", s, x["doc"], label)


def gaokao(data):
    seen = []
    norm = lambda t: re.sub(r"\W|_", "", t)
    for f, lang in (("gaokao-chinese", "zh"), ("gaokao-english", "en")):
        for x in lines(data, "gaokao", "agieval", f + ".jsonl"):
            doc = re.sub(r"<[^>]+>|_{2,}", "", x["passage"]).strip()
            if len(doc) < 150 or x["label"] is None:
                continue
            seen.append(norm(doc))
            q = re.sub(r"<[^>]+>", "", x["question"])
            wrong = bool(re.search(r"不正确|不符合|错误|不恰当|不属于|不准确|不合|不能|NOT|EXCEPT|not ", q))
            for o in x["options"]:
                letter, t = o[1], re.sub(r"<[^>]+>", "", o[3:]).strip()
                good = (letter == x["label"]) != wrong
                if lang == "zh":
                    if not re.search(r"原文|材料|文意|文章|文本|内容|理解|分析|概括|论证|文中|上文|本文|信息|推断", q) or re.search(r"断句|加点|语病|表达|手法|古诗|诗歌", q) or len(t) < 12:
                        continue
                    yield Say("zh", "gaokao", t, doc, (SUPPORTED,) if good else NOT_SUPPORTED)
                elif re.search(r"_{1,}|\s{4,}\.?\s*$", x["question"]) and not wrong:
                    yield Say("en", "gaokao", re.sub(r"\s+", " ", re.sub(r"_{1,}|\s{4,}", " " + t.rstrip(". ") + " ", q)).replace(" .", ".").strip(), doc, (SUPPORTED,) if good else NOT_SUPPORTED)
                else:
                    yield Say("en", "gaokao", re.sub(r"\s+", " ", q.strip()) + " " + t, doc, (SUPPORTED,) if good != wrong else NOT_SUPPORTED) if not wrong else Say("en", "gaokao", t, doc, (SUPPORTED,) if good else NOT_SUPPORTED)
    for x in load(data, "gaokao", "gaokao-bench", "2010-2022_Chinese_Modern_Lit.json")["example"]:
        t = re.sub(r"[ \u3000]*\n[ \u3000]*(?=[^A-D（(])", "", re.sub(r"[ \u3000]+", "", x["question"].replace(" \n", "\n")))
        m = re.search(r"[（(]\s*1\s*[)）]|\n\s*1[．.]下列|[（(]1[)）]下列", t)
        if not m or m.start() < 300 or any(norm(t[:m.start()])[200:260] in s for s in seen):
            continue
        doc = t[:m.start()]
        doc = doc.split("。", 1)[-1] if doc.find("。") < 40 else doc
        parts = re.split(r"[（(]\s*[1-4]\s*[)）](?=.{0,6}下列|根据|.{0,12}一项)", t[m.start():])[1:]
        for stem, answer in zip(parts, x["answer"]):
            o = re.split(r"\n?\s*([A-D])[．.、]", stem)
            q, opts = o[0], list(zip(o[1::2], o[2::2]))
            if len(opts) != 4:
                continue
            wrong = bool(re.search(r"不正确|不符合|错误|不恰当|不属于|不准确|不能", q))
            for letter, text in opts:
                text = re.sub(r"\s+", "", text)
                if 12 <= len(text) <= 160:
                    yield Say("zh", "gaokao", text, doc, (SUPPORTED,) if (letter == answer) != wrong else NOT_SUPPORTED)


def written(folder):
    """Our own passages (models/written): those of a question that the passage does not answer have no spans, as squad2's."""
    label = {"SUPPORTED": (SUPPORTED,), "CONTRADICTED": (CONTRADICTED,), "UNSUPPORTED": (NOT_STATED,), "NOT_SUPPORTED": NOT_SUPPORTED}
    for f in sorted(glob.glob(os.path.join(folder, "*.jsonl"))):
        for x in lines(f):
            title, t = " ".join(dict.fromkeys(p for p in (x["title"], x["heading"]) if p)), x["text"]
            for q in x["questions"]:
                at = t.find(q["answer"]) if q["sufficient"] else -1
                yield Ask(x["language"], "written", q["question"], t, ((at, at + len(q["answer"])),) if at >= 0 else (), q.get("answer"), title), x["domain"]
            for c in x["claims"]:
                yield Say(x["language"], "written", c["claim"], t, label[c["verdict"]], ()), title

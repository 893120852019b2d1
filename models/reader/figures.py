#!/usr/bin/env python3
"""The reader's figures: AUROC of holds and macro-F1 of claim by source and language, span match, calibration.
  figures.py score --pairs DIR --data ../../../shared/data --weights FILE.pt --out SCORES.json [--int8] [--sample 300] [--only dev|test|unseen|cases|spans]
  figures.py calibrate --scores DEV.json          prints the calibration of each head and language (dev side only)
  figures.py table --scores SCORES.json [--calibration FILE]
  figures.py curve --scores SCORES.json …         one line for each checkpoint's scores
Sets: the test side of data.py's pairs (sources trained on), and sets that no trainer reads (halueval, begin, expertqa, uhgeval, folio;
hotpotqa, strategyqa, aitqa, ramdocs). Baselines on the same rows: share of the head's words in the passage, cosine of the static embedding."""
import argparse, collections, csv, json, os, random, re, string, sys

import numpy as np
import torch

import network as N
import sources as S
from data import sentences, words
from network import e5lib
from split import side

STATIC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "embed", "static")


def row(source, lang, task, head, text, y, kind="own"):
    r = {"source": source, "lang": lang, "task": task, "head": head, "text": text, "kind": kind}
    r["holds" if task == "holds" else "label"] = y
    return r


def unseen(data, rnd):
    """Pairs of the sets that are not trained on."""
    YES, NOT = [0], [1, 2]
    for x in S.lines(data, "halueval", "qa_one-turn_data.jsonl"):
        for a, y in ((x["right_answer"], YES), (x["hallucinated_answer"], NOT)):
            yield row("halueval", "en", "claim", x["question"] + " " + a, x["knowledge"], y)
    with open(os.path.join(data, "begin", "begin_dev_wow.tsv"), encoding="utf-8") as f:
        for x in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE):
            if x["begin_label"] in ("Fully attributable", "Not fully attributable"):
                yield row("begin", "en", "claim", x["response"], x["knowledge"], YES if x["begin_label"].startswith("Fully") else NOT)
    for x in S.lines(data, "expertqa", "rand_val.jsonl"):
        for a in x["answers"].values():
            for c in a["claims"]:
                ev = re.sub(r"^\[\d+\] \S+\s*", "", "\n".join(c["evidence"]))
                if c["support"] in ("Complete", "Incomplete", "Partial") and len(ev) > 60:
                    yield row("expertqa", "en", "claim", re.sub(r"\s*\[\d+\]", "", c["claim_string"]), ev[:6000], YES if c["support"] == "Complete" else NOT)
    for x in S.lines(data, "uhgeval", "uhgeval_first300.jsonl"):
        marks = [m.split("<sep>", 1) for m in x["annotations"] if "<sep>" in m]
        doc, bad = (x["newsBeginning"] + x["newsRemainder"]).strip(), [(k, m.group(1)) for k, why in marks if why.startswith("不合理") for m in [re.search(r"应该?[为是][“\"]?([^，。；,”\"（]{1,20})", why)] if m]
        for b, e in sentences(x["hallucinatedContinuation"], "zh"):
            t = x["hallucinatedContinuation"][b:e].strip(); wrong = [k for k, why in marks if why.startswith("不合理") and k in t]; mend = [(k, v) for k, v in bad if k in t]
            if wrong and len(mend) == len(wrong):  # what the annotators put in the place of each wrong word
                fixed = t
                for k, v in mend:
                    fixed = fixed.replace(k, v)
                yield row("uhgeval, corrected", "zh", "claim", t, doc, NOT); yield row("uhgeval, corrected", "zh", "claim", fixed, doc, YES)
            elif wrong and len(t) >= 14:
                yield row("uhgeval, real", "zh", "claim", t, doc, NOT)
        for b, e in sentences(x["realContinuation"], "zh")[:1]:
            yield row("uhgeval, real", "zh", "claim", x["realContinuation"][b:e].strip(), doc, YES)
    for f in ("folio-train.filtered.jsonl", "folio-validation.jsonl"):
        for x in S.lines(data, "folio", f):
            yield row("folio", "en", "claim", x["conclusion"], " ".join(x["premises"]) if isinstance(x["premises"], list) else x["premises"].replace("\n", " "), [{"True": 0, "False": 1}.get(x["label"], 2)])
    for x in S.load(data, "multihop-musique-hotpot", "hotpotqa_train.json"):
        need = list(dict.fromkeys(t for t, _ in x["supporting_facts"])); text = {t: "".join(s).strip() for t, s in x["context"]}
        other = [t for t in text if t not in need]
        if len(need) == 2 and other and all(t in text for t in need):
            gone = rnd.choice(need); left = [t for t in need if t != gone] + [rnd.choice(other)]; rnd.shuffle(left)
            yield row("hotpotqa", "en", "holds", x["question"], "\n".join(text[t] for t in need), 1)
            yield row("hotpotqa", "en", "holds", x["question"], "\n".join(text[t] for t in left), 0)
    for f in ("strategyqa_train.filtered.json", "strategyqa_test.json"):
        for x in S.load(data, "strategyqa", f):
            facts = x.get("steps") or x.get("facts") or []
            if len(facts) >= 2 and all(isinstance(t, str) for t in facts):
                k = rnd.randrange(len(facts))
                yield row("strategyqa", "en", "holds", x["question"], " ".join(facts), 1)
                yield row("strategyqa", "en", "holds", x["question"], " ".join(t for i, t in enumerate(facts) if i != k), 0)
    tables = {t["id"]: t for t in S.lines(data, "aitqa", "aitqa_tables.jsonl")}
    for q in S.lines(data, "aitqa", "aitqa_questions.jsonl"):
        t = tables[q["table_id"]]; head = [" ".join(h) if isinstance(h, list) else h for h in t["column_header"]]
        rows = [[" ".join(t["row_header"][i]) if i < len(t["row_header"]) and t["row_header"][i] else "", *r] for i, r in enumerate(t["data"])]
        used = {i + 1 for i, r in enumerate(rows) if any(a in r for a in q["answers"])}
        for keep in (True, False):
            p = S.part_of_table([["", *head], *rows], used, rnd, 700, "", keep) if used and len(rows) - len(used) > 1 else None
            if p:
                yield row("aitqa", "en", "holds", q["question"], p, int(keep))
    for x in S.lines(data, "ramdocs", "ramdocs_first200.jsonl"):
        for d in x["documents"]:
            yield row("ramdocs", "en", "holds", x["question"], d["text"], int(d["type"] != "noise"))


def cases(folder):
    """The behaviour cases: passages of one request joined, the outcome as holds, the verdict of a one-sentence answer as claim."""
    import yaml
    for f in sorted(os.listdir(folder)):
        if f.endswith(".yaml"):
            with open(os.path.join(folder, f), encoding="utf-8") as h:
                for c in yaml.safe_load(h):
                    i, want = c.get("input") or {}, [str(e) for e in c.get("expect") or []]
                    text = "\n".join(p["text"] for p in i.get("passages") or [] if p.get("text"))
                    if not text:
                        continue
                    lang = "zh" if len(re.findall("[\u4e00-\u9fff]", text)) > .2 * len(text) else "en"
                    out = next((e for e in want if e.startswith("outcome == ")), "").split(" ")[-1]
                    if c["command"] in ("ask", "assess") and out in ("ANSWERED", "INSUFFICIENT"):
                        yield row("cases", lang, "holds", i["question"], text, int(out == "ANSWERED"))
                    verdict = next((e for e in want if e.startswith("verdict == ")), "").split(" ")[-1]
                    if c["command"] == "verify" and verdict in ("SUPPORTED", "CONTRADICTED", "UNSUPPORTED") and len(sentences(i.get("answer") or "", lang)) == 1:
                        yield row("cases", lang, "claim", i["answer"], text, [("SUPPORTED", "CONTRADICTED", "UNSUPPORTED").index(verdict)])


def probe_or_side(o, name):
    rnd = random.Random(7); by = collections.defaultdict(list)
    rows = unseen(o.data, rnd) if name == "unseen" else cases(os.path.join(o.data, "..", "cases")) if name == "cases" else map(json.loads, open(os.path.join(o.pairs, name + ".jsonl"), encoding="utf-8"))
    for r in rows:
        by[r["lang"], r["task"], r["source"]].append(r)
    out = []
    for key in sorted(by):
        rs = by[key]; c = collections.defaultdict(list)
        for r in rs:
            c[str(r.get("holds", r.get("label")))].append(r)
        for v in c.values():
            rnd.shuffle(v)
        pick = []
        while len(pick) < o.sample and any(c.values()):
            for v in c.values():
                if v:
                    pick.append(v.pop())
        out += pick[:o.sample]
    return out


class Int8Linear(torch.nn.Module):
    """int8 activations by token and the weights of the files: int8 by row for trained layers, the source's 4 bits unchanged
    for the frozen ones. Coarser than the Go kernels, which give activations 11 to 14 bits."""

    def __init__(self, linear, trained):
        super().__init__()
        import export
        q, s = export.int8(linear.weight.detach().numpy()) if trained else (linear.weight.detach().numpy(), np.ones(len(linear.weight), np.float32))
        self.w = torch.tensor(q.astype(np.float32)); self.s = torch.tensor(s); self.b = linear.bias

    def forward(self, x):
        m = x.abs().amax(-1, keepdim=True).clamp_min(1e-12) / 127
        return (torch.round(x / m) @ self.w.T) * m * self.s + self.b


def load_model(o):
    cfg, pieces, _, norm, weights, _ = e5lib.load()
    state = torch.load(o.weights)
    layers = 1 + max(int(k.split(".")[2]) for k in state if k.startswith("encoder.layers."))
    model = N.Reader(cfg, weights, layers, min(int(k.split(".")[2]) for k in state if k.startswith("encoder.layers.")))
    missing, extra = model.load_state_dict(state, strict=False); assert not extra, extra
    if o.int8:
        for i, l in enumerate(model.encoder.layers):
            for n in ("q", "k", "v", "ao", "fi", "fo"):
                setattr(l, n, Int8Linear(getattr(l, n), i >= model.frozen))
    return cfg, N.Pieces(cfg, pieces, norm), model.eval()


def windows(pieces, kind, head, text, tokens=320, overlap=48):
    """(ids, first passage piece's index, offsets in text of the passage's pieces) of each window of a pair."""
    c = pieces.cfg; a = pieces.ids(f"{kind}: {head}")[:N.QUESTION_PIECES]; prefix = "passage: "
    ids, at = pieces.offsets(prefix + text); n = sum(1 for s, e in at if e <= len(prefix)); n = max(n, 1)
    head_ids, body, where = ids[:n], ids[n:], [(s - len(prefix), e - len(prefix)) for s, e in at[n:]]
    room = tokens - len(a) - 4 - len(head_ids); k = 0; out = []
    while True:
        out.append(([c["bos"], *a, c["eos"], c["eos"], *head_ids, *body[k:k + room], c["eos"]], len(a) + 3 + len(head_ids), where[k:k + room]))
        if k + room >= len(body):
            return out
        k += room - overlap


def run(pieces, model, rows, spans=False):
    """Each row's logits, of its best window."""
    jobs = []
    for i, r in enumerate(rows):
        for w in windows(pieces, "query" if r["task"] == "holds" else "claim", r["head"], r["text"]):
            jobs.append((i, w))
    jobs.sort(key=lambda j: len(j[1][0])); got = collections.defaultdict(list); k = 0
    with torch.no_grad():
        while k < len(jobs):
            n = k + 1
            while n < len(jobs) and (n + 1 - k) * len(jobs[n][1][0]) <= 3000:
                n += 1
            ids, att = N.pad([w[0] for _, w in jobs[k:n]], pieces.cfg["pad"]); h, c, s = model(ids, att)
            for j, (i, w) in enumerate(jobs[k:n]):
                g = {"holds": h[j].item(), "claim": c[j].tolist()}
                if spans:
                    m = len(w[2]); st, en = s[j, w[1]:w[1] + m, 0].numpy(), s[j, w[1]:w[1] + m, 1].numpy(); best = (-1e9, 0, 0)
                    for x in range(m):
                        y = x + int(np.argmax(en[x:x + 41])); best = max(best, (float(st[x] + en[y]), x, y))
                    g["span"] = [best[0] - (s[j, 0, 0] + s[j, 0, 1]).item(), w[2][best[1]][0], w[2][best[2]][1]] if m else [-1e9, 0, 0]
                got[i].append(g)
            k = n
    out = []
    for i, r in enumerate(rows):
        g = got[i]
        if r["task"] == "holds":
            best = dict(max(g, key=lambda x: x["holds"]))
            if spans:
                best["span"] = max(g, key=lambda x: x["span"][0])["span"]
        else:
            p = lambda x: np.exp(np.array(x["claim"]) - np.logaddexp.reduce(x["claim"]))
            best = max(g, key=lambda x: max(p(x)[:2]))
        out.append({"score": best["holds"] if r["task"] == "holds" else best["claim"], **({"span": best["span"]} if spans else {})})
    return out


class Static:
    def __init__(self, norm):
        raw = open(os.path.join(STATIC, "table.bin"), "rb").read(); n, d = np.frombuffer(raw, "<u4", 2, 4)
        s = np.frombuffer(raw, "<f4", n, 12); self.t = np.frombuffer(raw, "i1", n * d, 12 + 4 * n).reshape(n, d).astype(np.float32) * s[:, None]
        own = [l.rstrip("\n").rsplit("\t", 1) for l in open(os.path.join(STATIC, "vocab.tsv"), encoding="utf-8")]
        self.norm, self.tk = norm, N.toklib.make([p for p, _ in own], [x for _, x in own], 0)

    def of(self, t):
        v = self.t[[i for i in self.tk.encode(N.toklib.normalise(t, self.norm)).ids if i]].sum(0); return v / (np.linalg.norm(v) + 1e-9)

    def cosine(self, head, text, lang):
        ss = sentences(text, lang); w = [text[ss[i][0]:ss[min(i + 1, len(ss) - 1)][1]] for i in range(len(ss))] or [text]
        h = self.of(head); return max(float(h @ self.of(x)) for x in w)


def auroc(y, s):
    y, s = np.asarray(y), np.asarray(s, float); n1, n0 = y.sum(), len(y) - y.sum()
    if not n1 or not n0:
        return float("nan")
    order = np.argsort(s, kind="stable"); r = np.empty(len(s)); _, inv, cnt = np.unique(s, return_inverse=True, return_counts=True); top = np.cumsum(cnt); r = (top - (cnt - 1) / 2)[inv]
    return float((r[y == 1].sum() - n1 * (n1 + 1) / 2) / (n1 * n0))


def macro_f1(y, p, classes):
    f = []
    for c in classes:
        tp = sum(a == c == b for a, b in zip(y, p)); fp = sum(b == c != a for a, b in zip(y, p)); fn = sum(a == c != b for a, b in zip(y, p))
        f.append(2 * tp / (2 * tp + fp + fn) if tp + fp + fn else 0.)
    return float(np.mean(f))


def calibrate(rows):
    """Platt for holds, a scale and three biases for claim, the margin over "none" at which a span is as likely as not, by
    language, on the dev side, sources and classes weighted alike."""
    out = {"holds": {}, "claim": {}, "span": {}}
    for lang in ("zh", "en"):
        rs = [r for r in rows if r["lang"] == lang and "answer" in r]
        x, y = torch.tensor([r["margin"] for r in rs]), torch.tensor([float(r["answer"]) for r in rs]); w = torch.where(y > 0, .5 / y.sum(), .5 / (1 - y).sum())
        a, b = torch.full((1,), .3, requires_grad=True), torch.zeros(1, requires_grad=True); opt = torch.optim.LBFGS([a, b], max_iter=200, line_search_fn="strong_wolfe")
        def fit():
            opt.zero_grad(); l = (torch.nn.functional.binary_cross_entropy_with_logits(a * x + b, y, reduction="none") * w).sum(); l.backward(); return l
        opt.step(fit); out["span"][lang] = {"none": round(-b.item() / a.item(), 4), "t": round(1 / a.item(), 4)}
        for task in ("holds", "claim"):
            rs = [r for r in rows if r["lang"] == lang and r["task"] == task]
            n = collections.Counter((r["source"], str(r.get("holds", r.get("label")))) for r in rs); w = torch.tensor([n[r["source"], str(r.get("holds", r.get("label")))] ** -.5 for r in rs]); w /= w.sum()
            x = torch.tensor([r["score"] for r in rs]); a = torch.ones(1, requires_grad=True); b = torch.zeros(1 if task == "holds" else 3, requires_grad=True)
            opt = torch.optim.LBFGS([a, b], max_iter=200, line_search_fn="strong_wolfe")
            def loss():
                opt.zero_grad()
                if task == "holds":
                    l = torch.nn.functional.binary_cross_entropy_with_logits(a * x + b, torch.tensor([float(r["holds"]) for r in rs]), reduction="none")
                else:
                    lp = torch.log_softmax(a * x + b, -1); m = torch.full_like(lp, -1e9)
                    for i, r in enumerate(rs):
                        m[i, r["label"]] = 0
                    l = -torch.logsumexp(lp + m, -1)
                l = (l * w).sum() + 1e-4 * (b ** 2).sum(); l.backward(); return l
            opt.step(loss); bb = b.detach(); bb = bb - bb.mean() if task == "claim" else bb
            out[task][lang] = {"a": round(a.item(), 4), "b": round(bb.item(), 4) if task == "holds" else [round(v, 4) for v in bb.tolist()]}
    return out


def probability(r, cal):
    c = cal[r["task"]][r["lang"]]
    if r["task"] == "holds":
        return 1 / (1 + np.exp(-(c["a"] * r["score"] + c["b"])))
    l = np.array(r["score"]) * c["a"] + np.array(c["b"])
    return np.exp(l - np.logaddexp.reduce(l))


def table(rows, cal):
    """Markdown: holds by source and kind of negative, then claim by source, then all of a language."""
    by = collections.defaultdict(list)
    for r in rows:
        r["p"] = probability(r, cal); by[r["task"], r["set"], r["lang"], r["source"]].append(r)
        by[r["task"], r["set"], r["lang"], "~ all"].append(r)
    print("| holds | | against | rows | word overlap | static embedding | reader | right at 0.5 | Brier |\n|---|---|---|---|---|---|---|---|---|")
    for (task, part, lang, source), rs in sorted(by.items()):
        if task != "holds":
            continue
        kinds = sorted({r["kind"] for r in rs if not r["holds"]})
        for k in ([None] + (kinds if len(kinds) > 1 and source != "~ all" else [])):
            some = [r for r in rs if k is None or (r["kind"] == k if not r["holds"] else (r["kind"] == "whether") == (k == "whether"))]; y = [r["holds"] for r in some]
            if 0 < sum(y) < len(y):
                col = lambda f: f"{auroc(y, [r[f] for r in some]):.3f}"
                print(f"| {source.strip('~ ')} ({part}) | {lang} | {k or ('all' if len(kinds) > 1 else kinds[0])} | {len(some)} | {col('overlap')} | {col('static')} | {col('p')} | {np.mean([(r['p'] > .5) == r['holds'] for r in some]):.3f} | {np.mean([(r['p'] - r['holds']) ** 2 for r in some]):.3f} |")
    print("\n| claim | | classes | rows | macro-F1, overlap | macro-F1, reader | AUROC of supported: overlap | static embedding | reader |\n|---|---|---|---|---|---|---|---|---|")
    for (task, part, lang, source), rs in sorted(by.items()):
        if task != "claim" or source == "~ all":
            continue
        y = [r["label"] for r in rs]; three = all(len(v) == 1 for v in y) and len({v[0] for v in y}) == 3; sup = [int(v == [0]) for v in y]; pick = [int(np.argmax(r["p"])) for r in rs]
        f = macro_f1([v[0] for v in y], pick, (0, 1, 2)) if three else macro_f1(sup, [int(v == 0) for v in pick], (0, 1))
        at = np.median([r["overlap"] for r in rs]); word = macro_f1([v[0] for v in y], [0 if r["overlap"] >= at else 2 for r in rs], (0, 1, 2)) if three else macro_f1(sup, [int(r["overlap"] >= at) for r in rs], (0, 1))
        col = lambda v: f"{auroc(sup, v):.3f}"
        print(f"| {source} ({part}) | {lang} | {'supported, contradicted, not stated' if three else 'supported or not'} | {len(rs)} | {word:.3f} | {f:.3f} | {col([r['overlap'] for r in rs])} | {col([r['static'] for r in rs])} | {col([r['p'][0] for r in rs])} |")


def curve(paths):
    """Markdown: mean over sources of the AUROC of holds and of supported, one line a checkpoint; no calibration needed."""
    columns = [("holds", "unseen", "en"), ("holds", "test", "en"), ("holds", "test", "zh"), ("claim", "unseen", "en"), ("claim", "unseen", "zh"), ("claim", "test", "en"), ("claim", "test", "zh")]
    print("| | " + " | ".join(" ".join(c) for c in columns) + " |\n|---|" + "---|" * len(columns))
    for p in paths:
        with open(p) as f:
            rows = json.load(f)
        cells = []
        for c in columns:
            by = collections.defaultdict(list)
            for r in rows:
                if (r["task"], r["set"], r["lang"]) == c:
                    by[r["source"]].append(r)
            a = [auroc([r["holds"] for r in rs], [r["score"] for r in rs]) if c[0] == "holds" else auroc([int(r["label"] == [0]) for r in rs], [r["score"][0] - np.logaddexp(r["score"][1], r["score"][2]) for r in rs]) for rs in by.values()]
            cells.append(f"{np.nanmean(a):.3f}")
        print(f"| {os.path.basename(p)[:-5]} | " + " | ".join(cells) + " |")


def f1_span(a, b, lang):
    t = (lambda x: re.sub(r"[\W_]", "", x.lower())) if lang == "zh" else (lambda x: [w for w in re.sub(f"[{re.escape(string.punctuation)}]", "", x.lower()).split() if w not in ("a", "an", "the")])
    a, b = t(a), t(b)
    common = sum((collections.Counter(a) & collections.Counter(b)).values())
    return (a == b), (0. if not common else 2 * common / (len(a) + len(b)))


def span_figures(o, pieces, model):
    rnd = random.Random(5)
    for name, lang, asks in (("cmrc2018", "zh", S.cmrc2018(o.data)), ("squad2", "en", S.squad2(o.data))):
        asks = [a for a in asks if side(a.doc) == "test"]; rnd.shuffle(asks); asks = asks[:o.sample]
        got = run(pieces, model, [{"task": "holds", "head": a.question, "text": a.doc} for a in asks], spans=True)
        ans = [(a, g["span"]) for a, g in zip(asks, got) if a.spans]; m = [f1_span(a.doc[s[1]:s[2]], a.answer, lang) for a, s in ans]
        print(f"span {name} {lang}: answerable n {len(m)} exact {np.mean([x for x, _ in m]):.3f} F1 {np.mean([f for _, f in m]):.3f}", end="")
        if any(not a.spans for a in asks):
            best = lambda t: np.mean([(f1_span(a.doc[g["span"][1]:g["span"][2]], a.answer, lang)[1] if g["span"][0] > t else 0.) if a.spans else float(g["span"][0] <= t) for a, g in zip(asks, got)])
            print(f"; with unanswerable n {len(asks)}: F1 {best(0):.3f} at 0, AUROC of the span's margin {auroc([int(bool(a.spans)) for a in asks], [g['span'][0] for g in got]):.3f}", end="")
        print(flush=True)


def main():
    ap = argparse.ArgumentParser(); ap.add_argument("what", choices=("score", "calibrate", "table", "curve")); ap.add_argument("--pairs"); ap.add_argument("--data"); ap.add_argument("--weights"); ap.add_argument("--out"); ap.add_argument("--scores", nargs="*")
    ap.add_argument("--int8", action="store_true"); ap.add_argument("--sample", type=int, default=300); ap.add_argument("--only", nargs="*", default=["dev", "test", "unseen"]); ap.add_argument("--calibration"); ap.add_argument("--threads", type=int, default=1); o = ap.parse_args()
    torch.set_num_threads(o.threads)
    if o.what == "score":
        cfg, pieces, model = load_model(o); rows = []
        if "spans" in o.only:
            span_figures(o, pieces, model)
        for name in o.only:
            if name != "spans":
                rows += [{**r, "set": name} for r in probe_or_side(o, name)]
        if rows:
            st = Static(pieces.norm)
            for r, g in zip(rows, run(pieces, model, rows, spans=True)):
                if r["task"] == "holds" and "span" in r:
                    r["answer"] = int(bool(r["span"]))  # people marked the answer's place, or there is none
                r["margin"] = g.pop("span")[0]
                h = words(r["head"], r["lang"]); r |= g | {"overlap": len(h & words(r["text"], r["lang"])) / max(1, len(h)), "static": st.cosine(r["head"], r["text"], r["lang"])}
            json.dump([{k: v for k, v in r.items() if k not in ("text", "span")} | {"head": r["head"][:200]} for r in rows], open(o.out, "w"), ensure_ascii=False)
    elif o.what == "curve":
        curve(o.scores)
    else:
        rows = [r for s in o.scores for r in json.load(open(s))]
        if o.what == "calibrate":
            json.dump(calibrate([r for r in rows if r["set"] == "dev"]), sys.stdout, indent=1)
        else:
            one = {"holds": {l: {"a": 1, "b": 0} for l in ("zh", "en")}, "claim": {l: {"a": 1, "b": [0, 0, 0]} for l in ("zh", "en")}}
            table([r for r in rows if r["set"] != "dev"], json.load(open(o.calibration)) if o.calibration else one)


if __name__ == "__main__":
    main()

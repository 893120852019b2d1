#!/usr/bin/env python3
"""Fits how the reader's say is joined with the sufficiency of words and facts (rerank.Joint).

    suffice train say --shared ../shared --limit 1200 --trained 800 --out say.jsonl
    joint.py say.jsonl --out models/sufficiency/joint.json

The rows are of documents that are not on the test side and of questions that the sufficiency
model was not trained on; of the written passages those that the reader's trainer did not read
either (of the public sets it read part). A logistic regression on rerank.JointInputs, whose
names the rows carry; inputs weigh only in the direction that sense demands. Each set counts by
the root of its size. Prints, by ten folds over the passages, AUROC by set of the model, of the
reader and of both, and what the shipped thresholds refuse and answer; --without leaves inputs
out, --ablate each in turn. Needs the requirements beside it.
"""
import argparse
import json
import math
import pathlib

import numpy as np
from scipy.optimize import minimize

from train import auroc, fold_of

UP, DOWN = (0, None), (None, 0)
# Directions that sense demands; others are free.
SENSE = {"model": UP, "say": UP, "point": UP, "kindless": DOWN, "causeless_say": DOWN}
RIDGE = 2.0  # in rows of the mean weight


def odds(p):
    p = min(0.995, max(0.005, p))
    return math.log(p / (1 - p))


def load(paths):
    rows = [json.loads(line) for path in paths for line in open(path, encoding="utf-8")]
    return rows, [r for r in rows if r["asked"]]


def weights_of(rows):
    sets = np.array([r["set"] for r in rows])
    size = {s: (sets == s).sum() for s in np.unique(sets)}
    w = np.array([size[s] ** -0.5 for s in sets])
    return w * len(rows) / w.sum()


def fit(x, y, weight, names):
    """Weights and bias, of inputs put on one scale for the ridge."""
    scale = np.maximum(x.std(axis=0), 1e-6)
    z = np.hstack([x / scale, np.ones((len(x), 1))])
    sign = np.where(y > 0, 1.0, -1.0)

    def loss(b):
        m = sign * (z @ b)
        p = 1 / (1 + np.exp(np.clip(m, -30, 30)))
        value = (weight * np.logaddexp(0, -m)).sum() + RIDGE / 2 * (b[:-1] ** 2).sum()
        return value, -z.T @ (weight * sign * p) + RIDGE * np.append(b[:-1], 0)

    bounds = [SENSE.get(n, (None, None)) for n in names] + [(None, None)]
    b = minimize(loss, np.zeros(z.shape[1]), jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 2000}).x
    return b[:-1] / scale, b[-1]


def folded(x, y, weight, names, fold):
    p = np.zeros(len(y))
    for k in range(fold.max() + 1):
        out = fold == k
        w, bias = fit(x[~out], y[~out], weight[~out], names)
        p[out] = 1 / (1 + np.exp(-(x[out] @ w + bias)))
    return p


def loss_of(p, y, weight):
    q = np.clip(np.where(y > 0, p, 1 - p), 1e-6, 1)
    return float(-(weight * np.log(q)).sum() / weight.sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="+")
    parser.add_argument("--out", type=pathlib.Path, help="joint.json; nothing is written without it")
    parser.add_argument("--without", default="", help="inputs to leave out, by commas")
    parser.add_argument("--ablate", action="store_true")
    parser.add_argument("--thresholds", default="0.3,0.7", help="refuses below though covered, answers from though not")
    args = parser.parse_args()
    every, rows = load(args.rows)
    names = rows[0]["names"]
    left = set(filter(None, args.without.split(",")))
    if left - set(names):
        raise SystemExit(f"--without {sorted(left - set(names))}: no inputs; there are {names}")
    kept = [i for i, n in enumerate(names) if n not in left]
    names = [names[i] for i in kept]
    x = np.array([r["inputs"] for r in rows])[:, kept]
    y = np.array([r["label"] for r in rows], float)
    weight, fold = weights_of(rows), fold_of([r["group"] for r in rows], 10)
    p = folded(x, y, weight, names, fold)
    print(len(every), "questions, the reader has a say in", len(rows), f"; log loss {loss_of(p, y, weight):.4f}")
    if args.ablate:
        for i, n in enumerate(names):
            rest = [k for k in range(len(names)) if k != i]
            other = folded(x[:, rest], y, weight, [names[k] for k in rest], fold)
            print(f"  without {n:12} log loss {loss_of(other, y, weight) - loss_of(p, y, weight):+.4f}")
    sets = np.array([r["set"] for r in rows])
    low, high = map(float, args.thresholds.split(","))
    print("| set | rows | model | reader | both | false refusal | missed refusal |\n|---|---|---|---|---|---|---|")
    for s in [*sorted(set(sets)), "all"]:
        here = (sets == s) | (s == "all")
        value = [auroc(y[here], np.array(v)[here]) for v in ([r["p"] for r in rows], [r["h"] for r in rows], p)]
        says = np.array([v >= (low if r["outcome"] == "ANSWERED" else high) for v, r in zip(p, rows)])
        yes, no = here & (y > 0), here & (y == 0)
        print(f"| {s} | {here.sum()} | " + " | ".join("–" if v is None else f"{v:.3f}" for v in value)
              + f" | {1 - says[yes].mean() if yes.any() else math.nan:.3f} | {says[no].mean() if no.any() else math.nan:.3f} |")
    w, bias = fit(x, y, weight, names)
    out = {"bias": round(float(bias), 3), **{n: round(float(v), 3) for n, v in zip(names, w) if abs(v) >= 5e-4}}
    print(json.dumps(out))
    if args.out:
        args.out.write_text(json.dumps({"weights": out}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

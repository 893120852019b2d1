#!/usr/bin/env python3
"""Is the reader better as a feature of the trees than joined with their say afterwards?

    suffice train say --shared ../shared --limit 1200 --trained 800 --out say.jsonl
    reader_feature.py say.jsonl

Compares, by ten folds over the passages of rows that neither the trees nor (of the written
passages) the reader saw, the AUROC of each set: trees alone, reader alone, the logistic
join (joint.py), trees fitted to the features with the inputs of the join among them, trees
over those inputs that begin from the margin of the trees alone, and trees over both that
begin from the margin of the join. Needs the requirements beside it.
"""
import json
import sys

import numpy as np
import xgboost as xgb

import joint
from train import auroc, fold_of

PARAMS = {"objective": "binary:logistic", "tree_method": "hist", "max_depth": 3, "eta": 0.08, "min_child_weight": 5, "lambda": 2, "subsample": 0.8,
          "colsample_bytree": 0.8, "nthread": 1, "seed": 1}


def main():
    rows = [r for r in joint.load(sys.argv[1:])[1] if r["features"]]
    label = np.array([r["label"] for r in rows], float)
    sets = np.array([r["set"] for r in rows])
    weight = joint.weights_of(rows)
    own = np.array([[np.nan if v is None else v for v in r["features"]] for r in rows], np.float32)
    names, say = rows[0]["names"], np.array([r["inputs"] for r in rows])
    base = say[:, names.index("model")]
    fold = fold_of([r["group"] for r in rows], 10)
    out = {name: np.zeros(len(rows)) for name in ("join", "feature", "second trees", "trees after the join")}

    def boosted(x, rounds, inside, outside, margin=None):
        start = {} if margin is None else {"base_margin": margin[inside]}
        b = xgb.train(PARAMS, xgb.DMatrix(x[inside], label=label[inside], weight=weight[inside], **start), rounds)
        return b.predict(xgb.DMatrix(x[outside], **({} if margin is None else {"base_margin": margin[outside]})))

    for k in range(10):
        inside, outside = fold != k, fold == k
        w, bias = joint.fit(say[inside], label[inside], weight[inside], names)
        margin = say @ w + bias
        out["join"][outside] = 1 / (1 + np.exp(-margin[outside]))
        both = np.hstack([own, say])
        out["feature"][outside] = boosted(both, 120, inside, outside)
        out["second trees"][outside] = boosted(say, 60, inside, outside, base)
        out["trees after the join"][outside] = boosted(both, 30, inside, outside, margin)
    losses = {name: joint.loss_of(p, label, weight) for name, p in out.items()}
    out = {"trees": base, "reader": [r["h"] for r in rows], **out}
    print("| set | rows | " + " | ".join(out) + " |\n|" + "---|" * (len(out) + 2))
    means = {name: [] for name in out}
    for s in sorted(set(sets)):
        here = sets == s
        values = {name: auroc(label[here], np.array(v)[here]) for name, v in out.items()}
        for name, v in values.items():
            means[name].append(v)
        print(f"| {s} | {here.sum()} | " + " | ".join("–" if v is None else f"{v:.3f}" for v in values.values()) + " |")
    print("| mean | | " + " | ".join(f"{np.mean([v for v in vs if v is not None]):.3f}" for vs in means.values()) + " |")
    print("log loss: " + ", ".join(f"{name} {v:.4f}" for name, v in losses.items()))


if __name__ == "__main__":
    main()

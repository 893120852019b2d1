#!/usr/bin/env python3
"""Is the reader better as a feature of the trees than joined with their say afterwards?

    suffice train say --shared ../shared --limit 1200 --trained 800 --out say.jsonl
    reader_feature.py say.jsonl

Compares, by ten folds over the passages of rows that neither the trees nor (of the written
passages) the reader saw, the AUROC of each set: trees alone, reader alone, the logistic
join (models/reader/join.py), trees fitted to the features with the reader's say among
them, and trees over the reader's say that begin from the margin of the trees alone. Needs
the requirements beside it.
"""
import json
import pathlib
import sys

import numpy as np
import xgboost as xgb

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "reader"))
import join  # noqa: E402
from train import auroc, fold_of  # noqa: E402

PARAMS = {"objective": "binary:logistic", "tree_method": "hist", "max_depth": 3, "eta": 0.08, "min_child_weight": 5, "lambda": 2, "subsample": 0.8,
          "colsample_bytree": 0.8, "nthread": 1, "seed": 1}


def main():
    rows = [r for r in map(json.loads, open(sys.argv[1])) if r["asked"] and r["features"]]
    label = np.array([r["label"] for r in rows], float)
    sets = np.array([r["set"] for r in rows])
    size = {s: (sets == s).sum() for s in np.unique(sets)}
    weight = np.array([size[s] ** -0.5 for s in sets])
    weight *= len(rows) / weight.sum()
    own = np.array([[np.nan if v is None else v for v in r["features"]] for r in rows], np.float32)
    say = np.array([[join.odds(r["h"]), join.odds(r["answer"]), r["covered"], r["table"]] for r in rows], np.float32)
    base = np.array([join.odds(r["p"]) for r in rows], np.float32)
    fold = fold_of([r["group"] for r in rows], 10)
    out = {name: np.zeros(len(rows)) for name in ("join", "feature", "second trees")}
    for k in range(10):
        inside, outside = fold != k, fold == k
        part = [r for r, i in zip(rows, inside) if i]
        out["join"][outside] = join.x([r for r, i in zip(rows, outside) if i]) @ join.fit(part, weight[inside])
        both = np.hstack([own, say])
        booster = xgb.train(PARAMS, xgb.DMatrix(both[inside], label=label[inside], weight=weight[inside]), 120)
        out["feature"][outside] = booster.predict(xgb.DMatrix(both[outside]))
        booster = xgb.train(PARAMS, xgb.DMatrix(say[inside], label=label[inside], weight=weight[inside], base_margin=base[inside]), 60)
        out["second trees"][outside] = booster.predict(xgb.DMatrix(say[outside], base_margin=base[outside]))
    out = {"trees": base, "reader": say[:, 0], **out}
    print("| set | rows | " + " | ".join(out) + " |\n|" + "---|" * (len(out) + 2))
    means = {name: [] for name in out}
    for s in sorted(size):
        here = sets == s
        values = {name: auroc(label[here], v[here]) for name, v in out.items()}
        for name, v in values.items():
            means[name].append(v)
        print(f"| {s} | {here.sum()} | " + " | ".join("–" if v is None else f"{v:.3f}" for v in values.values()) + " |")
    print("| mean | | " + " | ".join(f"{np.mean([v for v in vs if v is not None]):.3f}" for vs in means.values()) + " |")


if __name__ == "__main__":
    main()

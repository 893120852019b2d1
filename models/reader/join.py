#!/usr/bin/env python3
"""Fits how the reader's say is joined with the sufficiency model's (rerank.Reading: Bias, Model, Say), a logistic regression on two log odds.
  suffice train say --shared ../shared --limit 700 --out say.jsonl && models/reader/join.py say.jsonl
The rows are of documents that are not on the test side and of questions that the sufficiency model was not trained on; the reader's trainer read part of them, so its say is a little
better there than elsewhere. Needs numpy. Prints the weights, and AUROC by set of either alone and of both."""
import json, math, sys
import numpy as np


def odds(p):
    p = min(.995, max(.005, p)); return math.log(p / (1 - p))  # as rerank's logit


def auroc(rows, f):
    a = [f(r) for r in rows if r["label"]]; b = [f(r) for r in rows if not r["label"]]
    return sum((x > y) + .5 * (x == y) for x in a for y in b) / len(a) / len(b) if a and b else math.nan


def main():
    rows = [r for path in sys.argv[1:] for r in map(json.loads, open(path)) if "h" in r]
    X = np.array([[1, odds(r["p"]), odds(r["h"])] for r in rows]); y = np.array([r["label"] for r in rows], float); b = np.zeros(3)
    for _ in range(100):
        q = 1 / (1 + np.exp(-X @ b)); b += np.linalg.solve((X * (q * (1 - q))[:, None]).T @ X + np.eye(3) * 1e-6, X.T @ (y - q))
    se = np.sqrt(np.diag(np.linalg.inv((X * (q * (1 - q))[:, None]).T @ X)))
    print(f"{len(rows)} rows: Bias {b[0]:.2f} ± {se[0]:.2f}, Model {b[1]:.2f} ± {se[1]:.2f}, Say {b[2]:.2f} ± {se[2]:.2f}")
    for s in sorted({r["set"] for r in rows}) + ["all"]:
        v = [r for r in rows if s in ("all", r["set"])]
        print(f"{s:16} {len(v):5}  model {auroc(v, lambda r: r['p']):.3f}  reader {auroc(v, lambda r: r['h']):.3f}  both {auroc(v, lambda r: b[1] * odds(r['p']) + b[2] * odds(r['h'])):.3f}")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Trains the sufficiency model: P(the passages together hold what the question needs).

    python3 -m venv venv && venv/bin/pip install -r requirements.txt
    venv/bin/python train.py features.jsonl --out model.ubj

features.jsonl is written by the program itself, so that training and use compute the
same features. README.md describes its lines. Steps:

1. the number of rounds is chosen by cross-validation on the train rows; whole
   questions (rows with one "question") stay in one fold;
2. the model is fitted on all train rows, with the monotone constraints of the header;
3. Platt's a and b are fitted on the dev rows;
4. model, calibration and number of rounds go into one UBJ file, its SHA-256 and what
   was measured into a JSON file beside it, and some rows with their scores into a
   golden file, which a Go test holds against what Go computes.

The same input gives the same file. AUROC is printed for each group; rows of the split
"test" take no part in any choice, so theirs is the honest figure.
"""
import argparse
import hashlib
import json
import pathlib
import sys

import numpy as np
import xgboost as xgb
from scipy.stats import rankdata

VERSION = "3.2.0"
SPLITS = ("train", "dev", "test")


class Rows:
    """The rows of a dump as columns."""

    def __init__(self, path):
        self.names, self.monotone, self.of_question = [], {}, []
        features, self.label, self.group, self.split, self.question = [], [], [], [], []
        digest = hashlib.sha256()
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                digest.update(line)
                if not line.strip():
                    continue
                row = json.loads(line)
                if number == 1:
                    self.names = row["names"]
                    self.monotone = row.get("monotone", {})
                    self.of_question = row.get("of_question", [])
                    continue
                if len(row["features"]) != len(self.names) or row["label"] not in (0, 1) or row["split"] not in SPLITS:
                    raise SystemExit(f"{path}:{number}: want {len(self.names)} features, label 0 or 1, split of {SPLITS}")
                features.append([np.nan if v is None else v for v in row["features"]])
                self.label.append(row["label"])
                self.group.append(row["group"])
                self.split.append(row["split"])
                self.question.append(row.get("question", str(number)))
        if not features:
            raise SystemExit(f"{path}: no rows")
        self.sha256 = digest.hexdigest()
        self.x = np.array(features, dtype=np.float32)
        if np.isinf(self.x).any():
            raise SystemExit(f"{path}: a feature is infinite; write null for what is not known")
        self.label, self.group, self.split = np.array(self.label), np.array(self.group), np.array(self.split)
        self.question = np.array(self.question)
        unknown = (set(self.monotone) | set(self.of_question)) - set(self.names)
        if unknown:
            raise SystemExit(f"{path}: monotone or of_question names unknown features: {sorted(unknown)}")

    def matrix(self, which, weight=None):
        return xgb.DMatrix(self.x[which], label=self.label[which], weight=weight, feature_names=self.names)


def auroc(label, score):
    """Probability that a sufficient row scores above an insufficient one; None with one kind only."""
    positive = int(label.sum())
    negative = len(label) - positive
    if not positive or not negative:
        return None
    ranks = rankdata(score)
    return float((ranks[label == 1].sum() - positive * (positive + 1) / 2) / (positive * negative))


def platt(margin, label, weight):
    """a, b of sigmoid(a * margin + b), by Newton's method with Platt's smoothed targets."""
    positive = label.sum()
    target = np.where(label == 1, (positive + 1) / (positive + 2), 1 / (len(label) - positive + 2))
    x = np.stack([margin, np.ones_like(margin)], axis=1)
    w = np.array([1.0, 0.0])

    def loss(w):
        z = x @ w
        return float((weight * (np.logaddexp(0, z) - target * z)).sum())

    for _ in range(100):
        p = 1 / (1 + np.exp(-(x @ w)))
        gradient = x.T @ (weight * (p - target))
        hessian = (x * (weight * p * (1 - p))[:, None]).T @ x + 1e-9 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        size = 1.0
        while loss(w - size * step) > loss(w) and size > 1e-8:
            size /= 2
        w = w - size * step
        if np.abs(size * step).max() < 1e-10:
            break
    if w[0] <= 0:
        raise SystemExit(f"calibration has the slope {w[0]:.3f}: on the dev rows the model scores the wrong way round")
    return float(w[0]), float(w[1])


def fold_of(questions, folds):
    """The fold of each question, from a hash of it: stable when rows are added."""
    return np.array([int(hashlib.sha256(q.encode()).hexdigest()[:8], 16) % folds for q in questions])


def group_weights(groups):
    """Weights under which each group counts the same; their mean is 1."""
    names, counts = np.unique(groups, return_counts=True)
    share = dict(zip(names, len(groups) / (len(names) * counts)))
    return np.array([share[g] for g in groups])


def habit_weights(rows, which):
    """Weights under which the question alone tells no label: people who write questions
    that a text does not answer ask them in other forms than those it answers, and a model
    would learn the form. Within each group the inverse of the probability of the label
    given the question, from trees that did not see it (five folds); within 0.2 and 5."""
    columns = [rows.names.index(n) for n in rows.of_question]
    out = np.ones(len(which))
    if not columns:
        return out
    fold = fold_of(rows.question[which], 5)
    params = {"objective": "binary:logistic", "max_depth": 3, "eta": 0.1, "min_child_weight": 10, "lambda": 5, "nthread": 1, "seed": 1}
    for group in np.unique(rows.group[which]):
        inside = rows.group[which] == group
        label = rows.label[which]
        prior = label[inside].mean()
        for k in range(5):
            fit, apply = which[inside & (fold != k)], inside & (fold == k)
            if not apply.any() or len(set(rows.label[fit])) < 2:
                continue
            booster = xgb.train(params, xgb.DMatrix(rows.x[fit][:, columns], label=rows.label[fit]), 40)
            p = booster.predict(xgb.DMatrix(rows.x[which[apply]][:, columns]))
            out[apply] = np.clip(np.where(label[apply] == 1, prior / p, (1 - prior) / (1 - p)), 0.2, 5)
        out[inside] /= out[inside].mean()
    return out


def choose_rounds(rows, train, params, weight, args):
    """Rounds with the least mean log loss over the folds."""
    fold = fold_of(rows.question[train], args.folds)
    losses = []
    for k in range(args.folds):
        inside, outside = fold != k, fold == k
        if not inside.any() or not outside.any():
            raise SystemExit(f"too few questions for {args.folds} folds")
        result = {}
        xgb.train(params, rows.matrix(train[inside], weight[inside]), args.max_rounds,
                  evals=[(rows.matrix(train[outside], weight[outside]), "out")], evals_result=result, verbose_eval=False)
        losses.append(result["out"]["logloss"])
    mean = np.mean(losses, axis=0)
    best = int(mean.argmin()) + 1
    print(f"rounds: {best} (log loss {mean[best - 1]:.4f} over {args.folds} folds)")
    if best == args.max_rounds:
        print("the loss still falls at the last round: raise --max-rounds", file=sys.stderr)
    return best


def measure(rows, margin, a, b):
    """AUROC and Brier score by split and group."""
    probability = 1 / (1 + np.exp(-(a * margin + b)))
    out = {}
    for split in SPLITS:
        in_split = rows.split == split
        for group in ["all", *np.unique(rows.group[in_split])]:
            which = in_split & ((rows.group == group) | (group == "all"))
            if not which.any():
                continue
            label = rows.label[which]
            out.setdefault(split, {})[str(group)] = {
                "rows": int(which.sum()), "positive": int(label.sum()), "auroc": auroc(label, margin[which]),
                "brier": float(((probability[which] - label) ** 2).mean()),
            }
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump")
    parser.add_argument("--out", default="model.ubj", type=pathlib.Path)
    parser.add_argument("--command", default="", help="the command that made the dump, for the manifest")
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--eta", type=float, default=0.08)
    parser.add_argument("--min-child-weight", type=float, default=5)
    parser.add_argument("--l2", type=float, default=2)
    parser.add_argument("--subsample", type=float, default=0.8)
    parser.add_argument("--columns", type=float, default=0.8, help="share of the features a tree may use")
    parser.add_argument("--max-rounds", type=int, default=400)
    parser.add_argument("--rounds", type=int, help="fixed number of rounds instead of cross-validation")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--no-balance", action="store_true", help="weigh rows alike instead of groups")
    args = parser.parse_args()
    if xgb.__version__ != VERSION:
        raise SystemExit(f"XGBoost {xgb.__version__} is installed, the model is trained with {VERSION}")

    rows = Rows(args.dump)
    train, dev = np.flatnonzero(rows.split == "train"), np.flatnonzero(rows.split == "dev")
    for name, which in (("train", train), ("dev", dev)):
        if len(set(rows.label[which])) < 2:
            raise SystemExit(f"the split {name} needs rows of both labels")
    params = {
        "objective": "binary:logistic", "eval_metric": "logloss", "tree_method": "hist", "seed": 1, "nthread": 1,
        "max_depth": args.depth, "eta": args.eta, "min_child_weight": args.min_child_weight, "lambda": args.l2,
        "subsample": args.subsample, "colsample_bytree": args.columns,
        "monotone_constraints": "(" + ",".join(str(int(rows.monotone.get(n, 0))) for n in rows.names) + ")",
    }
    balance = (lambda which: np.ones(len(which))) if args.no_balance else lambda which: group_weights(rows.group[which])
    weight = balance(train) * habit_weights(rows, train)
    rounds = args.rounds or choose_rounds(rows, train, params, weight, args)
    booster = xgb.train(params, rows.matrix(train, weight), rounds)
    margin = booster.predict(rows.matrix(np.arange(len(rows.x))), output_margin=True).astype(np.float64)
    a, b = platt(margin[dev], rows.label[dev], balance(dev) * habit_weights(rows, dev))
    measured = measure(rows, margin, a, b)

    # Attributes are ASCII JSON and never empty: XGBoost's own reader stumbles over other escapes.
    version = "1-" + rows.sha256[:10]
    booster.set_attr(version=version, rounds=str(rounds), calibration=json.dumps({"method": "platt", "a": a, "b": b}),
                     data=json.dumps({"sha256": rows.sha256, "train": len(train), "dev": len(dev)}))
    booster.save_model(args.out)
    manifest = {
        "file": args.out.name, "version": version, "command": args.command, "sha256": hashlib.sha256(args.out.read_bytes()).hexdigest(), "xgboost": xgb.__version__,
        "features": rows.names, "monotone": rows.monotone, "rounds": rounds, "params": params,
        "calibration": {"method": "platt", "a": a, "b": b}, "data_sha256": rows.sha256, "measured": measured,
        "importance": {k: round(v, 4) for k, v in sorted(booster.get_score(importance_type="total_gain").items(), key=lambda kv: -kv[1])},
    }
    args.out.with_suffix(".json").write_text(json.dumps(manifest, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    picked = dev[np.linspace(0, len(dev) - 1, min(40, len(dev))).astype(int)]
    args.out.with_suffix(".golden.json").write_text(json.dumps({
        "rows": [[None if np.isnan(v) else float(v) for v in rows.x[i]] for i in picked],
        "margin": [float(margin[i]) for i in picked],
        "probability": [float(1 / (1 + np.exp(-(a * margin[i] + b)))) for i in picked],
    }) + "\n")

    print(f"calibration: a {a:.4f}, b {b:.4f}")
    for split, groups in measured.items():
        for group, m in groups.items():
            value = "   n/a" if m["auroc"] is None else f"{m['auroc']:.4f}"
            print(f"{split:5} {group:24} rows {m['rows']:6} positive {m['positive']:6}  AUROC {value}  Brier {m['brier']:.4f}")
    print(f"wrote {args.out}, {args.out.with_suffix('.json')} and {args.out.with_suffix('.golden.json')}")


if __name__ == "__main__":
    main()

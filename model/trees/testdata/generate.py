#!/usr/bin/env python3
"""Writes the model files and goldens of this folder with the XGBoost that is installed.

    python -m venv venv && venv/bin/pip install xgboost-cpu==3.2.0 numpy scipy
    venv/bin/python generate.py            # writes v3.2.0/

Run it once for each version whose files the reader must understand: 1.7.4, 2.1.4,
3.2.0 and 3.4.1 are committed (3.3 and later need Python 3.12; 1.7.4 comes as the
package "xgboost" and needs numpy < 2). Every version trains on the same rows.

NAME.json and NAME.ubj are one model; NAME.golden.json holds what XGBoost itself
says of some rows: margin, probability and the approximate (Saabas) contributions.
A model without goldens must be refused.
"""
import json
import math
import pathlib
import sys

import numpy as np
import xgboost as xgb

FEATURES = [f"f{i}" for i in range(6)]
OUT = pathlib.Path(__file__).parent / f"v{xgb.__version__}"
OUT.mkdir(exist_ok=True)
VERSION = tuple(int(part) for part in xgb.__version__.split("."))


def rows(n, seed, missing=0.15):
    """Small whole numbers beside continuous values, so that values meet thresholds."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, len(FEATURES))).astype(np.float32)
    x[:, 0] = rng.integers(0, 6, n)
    x[:, 1] = rng.integers(-3, 4, n)
    x[:, 2] = np.abs(x[:, 2]).round(1)
    x[rng.random(x.shape) < missing] = np.nan
    z = np.nan_to_num(x)
    y = (0.8 * z[:, 0] - z[:, 1] + z[:, 3] * z[:, 4] + rng.normal(size=n) > 2).astype(np.float32)
    return x, y


X, Y = rows(1500, 7)
DEV, DEV_Y = rows(400, 8)


def matrix(x, y=None, names=FEATURES, **kw):
    return xgb.DMatrix(x, label=y, feature_names=names, **kw)


BASE = {"objective": "binary:logistic", "max_depth": 4, "eta": 0.3, "tree_method": "hist", "seed": 1, "nthread": 1}


def fit(rounds=8, x=X, y=Y, names=FEATURES, evals=None, stop=None, **params):
    extra = {"evals": [(evals, "dev")], "early_stopping_rounds": stop, "verbose_eval": False} if evals is not None else {}
    return xgb.train({**BASE, **params}, matrix(x, y, names), rounds, **extra)


def probe(booster, width):
    """Rows at, just under and just over the thresholds, random ones and extremes."""
    x, _ = rows(40, 9)
    x = x[:, :width].copy()
    rng = np.random.default_rng(10)
    dump = "\n".join(booster.get_dump())
    cuts = [(int(a[1:]), np.float32(b)) for a, b in __import__("re").findall(r"\[(f\d+)<([^\]]+)\]", dump)]
    for feature, cut in cuts[:: max(1, len(cuts) // 12)]:
        if not np.isfinite(cut):
            continue
        for value in (cut, np.nextafter(cut, np.float32(-np.inf)), np.nextafter(cut, np.float32(np.inf))):
            row = x[rng.integers(0, 40)].copy()
            row[feature] = value
            x = np.vstack([x, row])
    for value in (np.nan, 0.0, -0.0, 3.0e38, -3.0e38):
        x = np.vstack([x, np.full(width, value, np.float32)])
    return x.astype(np.float32)


def save(name, booster, golden=True, width=len(FEATURES), calibration=None):
    for ending in ("json", "ubj"):
        booster.save_model(OUT / f"{name}.{ending}")
    if not golden:
        return
    names = FEATURES[:width]
    x = probe(booster, width)
    d = matrix(x, names=names)
    margin = booster.predict(d, output_margin=True)
    if calibration:
        probability = 1 / (1 + np.exp(-(calibration["a"] * margin.astype(np.float64) + calibration["b"])))
    else:
        probability = booster.predict(d)
    contributions = booster.predict(d, pred_contribs=True, approx_contribs=True)
    number = lambda v: None if math.isnan(v) else float(v)
    (OUT / f"{name}.golden.json").write_text(json.dumps({
        "features": names,
        "rounds": booster.num_boosted_rounds(),
        "rows": [[number(v) for v in row] for row in x],
        "margin": [float(v) for v in margin],
        "probability": [float(v) for v in probability],
        "contributions": [[float(v) for v in row] for row in contributions],
    }, separators=(",", ":")) + "\n")


# What must load.
save("logistic", fit())
save("missing-free", fit(x=np.nan_to_num(X)))
save("monotone", fit(monotone_constraints="(1,-1,0,1,0,0)"))
# Whether a value is there decides: 3.3 and later write the split as -Infinity.
absent = np.isnan(X[:, 5]) & (np.nan_to_num(X[:, 0]) > 1)
save("presence", fit(rounds=4, y=absent.astype(np.float32), monotone_constraints="(0,0,0,0,0,-1)"))
save("dart", fit(booster="dart", rate_drop=0.4, skip_drop=0.0, one_drop=1))
save("forest", fit(rounds=3, num_parallel_tree=3, subsample=0.7, eta=1.0))
save("one-feature", fit(x=X[:, :1], names=FEATURES[:1]), width=1)
save("constant", fit(gamma=1e9))
save("base", fit(base_score=0.2))

stopped = fit(rounds=200, evals=matrix(DEV, DEV_Y), stop=2, eta=0.9)
save("stopped", stopped, golden=False)
cut = stopped[: stopped.best_iteration + 1]
save("sliced", cut)
platt = {"method": "platt", "a": 0.87, "b": -0.21}
cut.set_attr(rounds=str(cut.num_boosted_rounds()), calibration=json.dumps(platt), note=json.dumps("校准于开发集"))
save("calibrated", cut, calibration=platt)

# What must be refused.
wrong = fit(rounds=3)
wrong.set_attr(rounds="2", calibration=json.dumps(platt))
save("wrong-rounds", wrong, golden=False)
bare = fit(rounds=2)
bare.set_attr(calibration=json.dumps(platt))
save("calibrated-without-rounds", bare, golden=False)
save("softprob", fit(rounds=2, y=(Y + (np.nan_to_num(X[:, 0]) > 3)).astype(np.float32), objective="multi:softprob", num_class=3), golden=False)
save("squared", fit(rounds=2, objective="reg:squarederror"), golden=False)
save("linear", fit(rounds=2, x=np.nan_to_num(X), booster="gblinear"), golden=False)
two = np.stack([Y, 1 - Y], axis=1)
save("two-targets", fit(rounds=2, y=two), golden=False)
if VERSION >= (2, 0, 0):
    save("vector-leaves", fit(rounds=2, y=two, multi_strategy="multi_output_tree"), golden=False)
types = ["c"] + ["float"] * (len(FEATURES) - 1)
categories = xgb.train({**BASE, "max_cat_to_onehot": 1}, matrix(X, Y, feature_types=types, enable_categorical=True), 2)
save("categorical", categories, golden=False)
print(f"wrote {len(list(OUT.iterdir()))} files to {OUT}", file=sys.stderr)

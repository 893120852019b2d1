#!/usr/bin/env python3
"""Writes shap.golden.json: what XGBoost's pred_contribs (TreeSHAP) says of every fourth
row of the goldens of all versions. Run it with XGBoost 3.2.0 after generate.py:

    venv/bin/python shap.py

A file of another version counts where this one reads it as its own did: the margins
must be those of the golden.
"""
import json
import pathlib

import numpy as np
import xgboost as xgb

HERE = pathlib.Path(__file__).parent
out = {}
for path in sorted(HERE.glob("v*/*.golden.json")):
    golden = json.loads(path.read_text())
    stem = path.name.removesuffix(".golden.json")
    try:
        booster = xgb.Booster(model_file=path.with_name(stem + ".ubj"))
    except xgb.core.XGBoostError as e:
        print(f"{path.parent.name}/{stem}: left out, {str(e).splitlines()[0]}")
        continue
    rows = np.array([[np.nan if v is None else v for v in row] for row in golden["rows"]], np.float32)
    matrix = xgb.DMatrix(rows, feature_names=golden["features"])
    if np.abs(booster.predict(matrix, output_margin=True) - np.array(golden["margin"])).max() > 1e-6:
        print(f"{path.parent.name}/{stem}: left out, the margins are others")
        continue
    values = booster.predict(matrix, pred_contribs=True)[::4]
    out[f"{path.parent.name}/{stem}"] = [[float(f"{v:.8g}") for v in row] for row in values]
(HERE / "shap.golden.json").write_text(json.dumps(out, separators=(",", ":")) + "\n")
print(f"{len(out)} models")

#!/usr/bin/env python3
"""Write reader.bin from a trained state and its calibration.
  export_reader.py --weights mean.pt --calibration calibration.json --run DIR [--base base.bin] [--out reader.bin]"""
import argparse, datetime, json, os

import torch

import export


def main():
    ap = argparse.ArgumentParser(); ap.add_argument("--weights", required=True); ap.add_argument("--calibration", required=True); ap.add_argument("--run", required=True, help="the trainer's --out: options.json, log.jsonl")
    ap.add_argument("--base", default=os.path.join(export.HERE, "base.bin")); ap.add_argument("--out", default=os.path.join(export.HERE, "reader.bin")); o = ap.parse_args()
    s = torch.load(o.weights); opt = json.load(open(os.path.join(o.run, "options.json"))); log = [json.loads(x) for x in open(os.path.join(o.run, "log.jsonl"))]
    head = lambda n, where: {"in": where, "w": s[n + ".weight"].numpy(), "b": s[n + ".bias"].numpy()}
    export.reader(o.out, o.base, layers=export.torch_layers(s), calibration=json.load(open(o.calibration)),
                  heads={"holds": head("holds", "first+mean"), "claim": head("claim", "first+mean"), "span": head("span", "token")},
                  window={"question": 48, "tokens": opt["length"], "overlap": 48},
                  trained={"command": "models/reader/data.py; models/reader/train.py --layers {layers} --frozen {frozen} --minutes {minutes:g} --seed {seed}".format(**opt), "data": "data.py over the public sets of its sources.py",
                           "split": "SHA-256 of the normalised text, first byte mod 5 = 0 is test and never read; a twentieth of the rest is dev", "date": datetime.date.today().isoformat(),
                           "pairs": log[-1]["pairs"], "tokens": log[-1]["tokens"], "steps": log[-1]["step"], "seconds": log[-1]["seconds"]})
    print(o.out, os.path.getsize(o.out), "bytes, sha256", export.sha256(o.out))


if __name__ == "__main__":
    main()

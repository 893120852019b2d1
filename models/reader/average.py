#!/usr/bin/env python3
"""Write the mean of the weights of two runs, the later of which began from the earlier.
  average.py run4/mean.pt run5/mean.pt --out mean.pt
Two such sets of weights lie in one basin: their mean keeps what each is better at (Wortsman et al., Robust fine-tuning of zero-shot models, 2022)."""
import argparse

import torch


def main():
    ap = argparse.ArgumentParser(); ap.add_argument("states", nargs=2); ap.add_argument("--out", required=True); o = ap.parse_args()
    a, b = (torch.load(s) for s in o.states)
    assert a.keys() == b.keys(), sorted(a.keys() ^ b.keys())
    torch.save({k: (v + b[k]) / 2 if v.is_floating_point() else b[k] for k, v in a.items()}, o.out)


if __name__ == "__main__":
    main()

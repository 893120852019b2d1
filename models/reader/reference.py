"""The encoder in float32 with numpy, as the reference of the Go engine. Slow, exact, and without a framework; a trainer's own model gives the same within rounding."""
import math, os, sys
import numpy as np
HERE = os.path.dirname(os.path.abspath(__file__)); sys.path[:0] = [HERE, os.path.join(HERE, "..", "embed")]
import export, toklib


def erf(x):
    """Abramowitz and Stegun 7.1.26, in float64: absolute error below 1.5e-7."""
    t = 1 / (1 + .3275911 * np.abs(x)); p = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - .284496736) * t + .254829592) * t
    return np.sign(x) * (1 - p * np.exp(-x * x))


def norm(x, w, b, eps):
    d = x - x.mean(-1, keepdims=True); return d / np.sqrt((d * d).mean(-1, keepdims=True) + eps) * w + b


class Tokenizer:
    def __init__(self):
        static = os.path.join(HERE, "..", "embed", "static"); rows = [l.rstrip("\n").split("\t") for l in open(static + "/vocab.tsv", encoding="utf-8", newline="\n")]
        self.norm = {}
        for l in open(static + "/norm.tsv", newline="\n"):
            a, b = l.rstrip("\n").split("\t"); self.norm[int(a, 16)] = [int(x, 16) for x in b.split()]
        self.tok = toklib.make([p for p, _ in rows], [float(s) for _, s in rows], 0); self.bos, self.eos = len(rows), len(rows) + 1

    def ids(self, text):
        return self.tok.encode(toklib.normalise(text, self.norm), add_special_tokens=False).ids

    def pair(self, prefix, question, passage, window):
        """One window: longer pairs are cut, so goldens stay shorter."""
        q = self.ids(prefix + question)[:window["question"]]; p = self.ids("passage: " + passage)[:window["tokens"] - len(q) - 4]
        return [self.bos, *q, self.eos, self.eos, *p, self.eos]


class Encoder:
    """tensors: name -> float32 array, of base.bin and of the upper layers."""
    def __init__(self, config, tensors, layers):
        self.c, self.t, self.layers = config, tensors, layers

    def hidden(self, ids):
        t, c = self.t, self.c; H, n = c["width"], c["heads"]; x = norm(t["word"][ids] + t["pos"][:len(ids)], t["norm.w"], t["norm.b"], c["eps"])
        for i in range(self.layers):
            m = lambda k, y: y @ t[f"l{i}.{k}.w"].T + t[f"l{i}.{k}.b"]
            split = lambda y: y.reshape(len(ids), n, H // n).transpose(1, 0, 2)
            q, k, v = split(m("q", x)), split(m("k", x)), split(m("v", x)); s = q @ k.transpose(0, 2, 1) / math.sqrt(H // n)
            s = np.exp(s - s.max(-1, keepdims=True)); s /= s.sum(-1, keepdims=True); a = (s @ v).transpose(1, 0, 2).reshape(len(ids), H)
            x = norm(x + m("ao", a), t[f"l{i}.aln.w"], t[f"l{i}.aln.b"], c["eps"]); f = m("fi", x)
            x = norm(x + m("fo", f * .5 * (1 + erf(f / math.sqrt(2)))), t[f"l{i}.oln.w"], t[f"l{i}.oln.b"], c["eps"])
        return x


def load(upper):
    """(header, Encoder) of base.bin and a file of upper layers."""
    h, t = export.read(os.path.join(HERE, "base.bin")); g, u = export.read(upper); t.update(u)
    return g, Encoder(g["config"], {k: v.astype(np.float32) for k, v in t.items()}, g["config"]["layers"])

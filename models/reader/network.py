"""The reader: multilingual-e5-small's encoder with three heads over (question or claim, passage).

holds  does the passage hold what the question asks?            one logit on [first token; mean]
claim  supported, contradicted, not stated                      three logits on [first token; mean]
span   start and end of the answer among the passage's tokens   two logits a token; the first token stands for "none"
"""
import os, sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "embed"))
import e5lib, toklib  # noqa: E402

QUESTION_PIECES = 48  # a question or claim is cut here, prefix included
CLAIMS = ("supported", "contradicted", "not stated")


class Pieces:
    """The tokenizer, with the offsets of each piece in the text as it was given."""

    def __init__(self, cfg, pieces, norm):
        """Segments with the cut vocabulary of ../embed/static/vocab.tsv, as the Go tokenizer does; ids are those of the full table."""
        own = [line.rstrip("\n").rsplit("\t", 1) for line in open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "embed", "static", "vocab.tsv"), encoding="utf-8")]
        full = {p: i for i, p in enumerate(pieces)}
        self.full = [cfg["unk"]] + [full[p] for p, _ in own[1:]]
        self.cfg, self.norm, self.tk = cfg, norm, toklib.make([p for p, _ in own], [s for _, s in own], 0)

    def ids(self, text):
        return [self.full[i] for i in self.tk.encode(toklib.normalise(text, self.norm)).ids]

    def offsets(self, text):
        """(ids, for each piece its [start, end) in code points of text)."""
        out, at = [], []
        for i, c in enumerate(text):
            n = self.norm.get(ord(c))
            for m in (c,) if n is None else map(chr, n):
                if m == " " and out and out[-1] == " ":
                    continue
                out.append(m); at.append(i)
        if not out or out[0] != " ":
            out.insert(0, " "); at.insert(0, 0)
        e = self.tk.encode("".join(out).replace(" ", "\u2581"))
        at.append(len(text))
        spans = []
        for s, t in e.offsets:
            while s < t - 1 and out[s] == " ":
                s += 1
            spans.append((at[s], at[t - 1] + 1 if t > s else at[s]))
        return [self.full[i] for i in e.ids], spans

    def pair(self, kind, head, passage, length, span=None):
        """ids of bos "kind: head" eos eos "passage: passage" eos, index of the passage's first piece,
        and the span's first and last piece as indices of ids ((0, 0) for none, or where it was cut off)."""
        c, a = self.cfg, self.ids(f"{kind}: {head}")[:QUESTION_PIECES]
        prefix = "passage: "
        b, at = self.offsets(prefix + passage)
        b, at = b[:length - len(a) - 4], at[:length - len(a) - 4]
        start = len(a) + 3
        where = (0, 0)
        if span:
            s, t = span[0] + len(prefix), span[1] + len(prefix)
            inside = [i for i, (x, y) in enumerate(at) if x < t and y > s]
            if inside and at[-1][1] >= t:
                where = (start + inside[0], start + inside[-1])
        return [c["bos"], *a, c["eos"], c["eos"], *b, c["eos"]], start, where


class Reader(nn.Module):
    def __init__(self, cfg, weights, layers, frozen):
        super().__init__()
        self.encoder = e5lib.make_torch(cfg, weights)
        self.encoder.layers = self.encoder.layers[:layers]
        self.frozen, h = frozen, cfg["H"]
        self.holds, self.claim, self.span = nn.Linear(2 * h, 1), nn.Linear(2 * h, 3), nn.Linear(h, 2)
        for head in (self.holds, self.claim, self.span):
            nn.init.normal_(head.weight, std=0.02); nn.init.zeros_(head.bias)
        for part in (self.encoder.word, self.encoder.pos, self.encoder.ln, *self.encoder.layers[:frozen]):
            part.requires_grad_(False)
        self.encoder.ttype.requires_grad_(False)

    def lower(self, ids, att):
        e = self.encoder
        with torch.no_grad():
            x = e.ln(e.word(ids) + e.pos.weight[:ids.shape[1]] + e.ttype[0])
            bias = (1.0 - att[:, None, None, :].to(x.dtype)) * -1e4
            for layer in e.layers[:self.frozen]:
                x = layer(x, bias)
        return x, bias

    def upper(self, x, bias, att):
        for layer in self.encoder.layers[self.frozen:]:
            x = layer(x, bias)
        m = att[..., None].to(x.dtype)
        pooled = torch.cat([x[:, 0], (x * m).sum(1) / m.sum(1)], -1)
        return self.holds(pooled)[:, 0], self.claim(pooled), self.span(x)

    def forward(self, ids, att):
        return self.upper(*self.lower(ids, att), att)

    def trained_state(self):
        own = [f"encoder.layers.{i}." for i in range(self.frozen)] + ["encoder.word", "encoder.pos", "encoder.ln", "encoder.ttype"]
        return {k: v for k, v in self.state_dict().items() if not any(k.startswith(o) for o in own)}


def pad(rows, fill, multiple=8):
    """(ids, mask) of rows of ids, the width rounded up."""
    n = max(map(len, rows)); n = (n + multiple - 1) // multiple * multiple
    ids, att = torch.full((len(rows), n), fill), torch.zeros(len(rows), n, dtype=torch.long)
    for i, r in enumerate(rows):
        ids[i, :len(r)] = torch.tensor(r); att[i, :len(r)] = 1
    return ids, att

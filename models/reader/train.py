#!/usr/bin/env python3
"""Train the reader on the pairs of data.py: one mixed run of two processes of one thread each, averaging gradients every step.
  train.py --pairs DIR --out DIR --minutes 80 [--layers 10] [--frozen 4] [--resume]
Writes DIR/log.jsonl, DIR/last.pt (weights, optimizer, averages; --resume goes on from it) and DIR/step-N.pt every few minutes."""
import argparse, collections, json, math, os, random, time

import torch
import torch.distributed as dist
import torch.nn.functional as F
import torch.multiprocessing as mp

import network as N
from network import e5lib

# Weight of a source within its language and task; drawn by class within the source. Half of what is drawn is Chinese.
SHARES = {
    ("zh", "holds"): {"cmrc2018": .12, "cmrc2018-train": .34, "lecoqa-stard": .22, "ysc-qa-zh": .26, "whether": .06, "written": 2.0},
    ("zh", "claim"): {"answers": .52, "sentences": .34, "gaokao": .14, "written": 1.7, "literal": 1.3},
    ("en", "holds"): {"squad2": .31, "selqa": .20, "or-sharc": .15, "conditionalqa": .12, "fetaqa": .08, "tatqa": .08, "contract-nli": .06, "written": 2.0},
    ("en", "claim"): {"fever": .22, "fever-symmetric": .10, "contract-nli": .20, "wice": .11, "summedits": .14, "gaokao": .07, "tabfact": .07, "fetaqa": .05, "squad2 sentences": .04, "written": 1.7, "written literal": 1.3},
}
TASK = {"holds": .58, "claim": .42}
OWN = 2.0  # people's own negatives beside made ones of the same source


def group(r):
    if r["lang"] == "zh":
        if r["kind"] == "whether":
            return "whether"
        if r["task"] == "claim":
            return r["source"].split(" ")[-1]
    return r["source"]


class Stream:
    """Blocks of batches, the same in every process: block k depends on the seed and k only."""

    def __init__(self, path, pieces, tokens, length, seed):
        self.pieces, self.tokens, self.length, self.seed = pieces, tokens, length, seed
        self.rows = collections.defaultdict(lambda: collections.defaultdict(list))
        for line in open(path, encoding="utf-8"):
            r = json.loads(line)
            key = (r["lang"], r["task"], group(r))
            self.rows[key][str(r.get("holds", r.get("label")))].append(r)
        for lang, task in SHARES:
            for s in SHARES[lang, task]:
                assert self.rows[lang, task, s], (lang, task, s)

    def draw(self, rnd, lang):
        task = "holds" if rnd.random() < TASK["holds"] else "claim"
        shares = SHARES[lang, task]
        by = self.rows[lang, task, rnd.choices(list(shares), list(shares.values()))[0]]
        c = rnd.choices(list(by), [1 if task == "holds" else len(v) ** .5 for v in by.values()])[0]
        while True:
            r = rnd.choice(by[c])
            if r["kind"] in ("own", "same document", "same page") or r.get("holds") != 0 or rnd.random() < 1 / OWN:
                return r

    def block(self, k, rows=768):
        rnd = random.Random(self.seed * 100003 + k); xs = []
        for i in range(rows):
            r = self.draw(rnd, ("zh", "en")[i % 2])
            ids, start, where = self.pieces.pair("query" if r["task"] == "holds" else "claim", r["head"], r["text"], self.length, r.get("span") or None)
            xs.append((len(ids) + rnd.random() * 6, ids, start, where, r))
        out, cur = [], []
        for x in sorted(xs, key=lambda x: x[0]):
            if cur and (len(cur) + 1) * -(-len(x[1]) // 8) * 8 > self.tokens:
                out.append(cur); cur = []
            cur.append(x[1:])
        out.append(cur)
        rnd.shuffle(out)
        return out


def losses(model, batch, pad_id):
    ids, att = N.pad([x[0] for x in batch], pad_id)
    holds, claim, span = model(ids, att)
    h = [i for i, x in enumerate(batch) if x[3]["task"] == "holds"]; c = [i for i, x in enumerate(batch) if x[3]["task"] == "claim"]
    zero = holds.sum() * 0
    lh = F.binary_cross_entropy_with_logits(holds[h], torch.tensor([float(batch[i][3]["holds"]) for i in h])) if h else zero
    lc = zero
    if c:
        lp = F.log_softmax(claim[c], -1); may = torch.full_like(lp, -1e9)
        for j, i in enumerate(c):
            may[j, batch[i][3]["label"]] = 0
        lc = -torch.logsumexp(lp + may, -1).mean()
    s = [i for i in h if "span" in batch[i][3] and (not batch[i][3]["span"] or batch[i][2] != (0, 0))]
    ls = zero
    if s:
        at = torch.arange(ids.shape[1])[None]
        open_ = (at >= torch.tensor([batch[i][1] for i in s])[:, None]) & (att[s] > 0) | (at == 0)
        logits = span[s].masked_fill(~open_[..., None], -1e4)
        ls = (F.cross_entropy(logits[..., 0], torch.tensor([batch[i][2][0] for i in s])) + F.cross_entropy(logits[..., 1], torch.tensor([batch[i][2][1] for i in s]))) / 2
    total = (lh * len(h) + lc * len(c)) / len(batch) * 1.5 + .35 * ls * len(s) / len(batch) * 2
    return total, [lh.item(), lc.item(), ls.item(), len(h), len(c), len(s)]


def groups(model, lr, decay, head):
    out = []
    layers = model.encoder.layers
    for i in range(model.frozen, len(layers)):
        for plain in (False, True):
            ps = [p for n, p in layers[i].named_parameters() if (p.ndim < 2) == plain]
            out.append({"params": ps, "base": lr * decay ** (len(layers) - 1 - i), "weight_decay": 0. if plain else .01})
    out.append({"params": [p for h in (model.holds, model.claim, model.span) for p in h.parameters()], "base": head, "weight_decay": 0.})
    return out


def work(rank, o):
    torch.set_num_threads(1); torch.manual_seed(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(o.port))
    dist.init_process_group("gloo", rank=rank, world_size=o.processes)
    cfg, pieces, _, norm, weights, _ = e5lib.load()
    stream = Stream(os.path.join(o.pairs, "train.jsonl"), N.Pieces(cfg, pieces, norm), o.tokens, o.length, o.seed)
    model = N.Reader(cfg, weights, o.layers, o.frozen); del weights
    opt = torch.optim.AdamW(groups(model, o.lr, o.decay, o.head_lr), lr=0., betas=(.9, .98), fused=True)
    ps = [p for g in opt.param_groups for p in g["params"]]
    step = block = pairs = tokens = 0; spent = 0.; mean, meaned = None, 0
    last = os.path.join(o.out, "last.pt")
    if o.init:
        model.load_state_dict(torch.load(o.init), strict=False)
    if o.resume and os.path.exists(last):
        s = torch.load(last); model.load_state_dict(s["model"], strict=False); opt.load_state_dict(s["opt"])
        step, block, pairs, tokens, spent, mean, meaned = s["step"], s["block"], s["pairs"], s["tokens"], s["spent"], s["mean"], s["meaned"]
    flat = torch.zeros(sum(p.numel() for p in ps) + 1)
    began, saved, seen, said = time.time() - spent, time.time(), collections.deque(maxlen=60), time.time()
    left = 1.
    while left > 0:
        batches = stream.block(block); block += 1
        for i in range(0, len(batches) - o.processes + 1, o.processes):
            b = batches[i + rank]
            loss, part = losses(model, b, cfg["pad"])
            for p in ps:
                p.grad = None
            loss.backward()
            torch.cat([*(torch.zeros(p.numel()) if p.grad is None else p.grad.view(-1) for p in ps), torch.tensor([max(0., 1 - (time.time() - began) / (o.minutes * 60))])], out=flat)
            dist.all_reduce(flat); flat /= o.processes
            left = float(flat[-1]); norm2 = float(flat[:-1].norm()); scale = min(1., 1. / (norm2 + 1e-6)); at = 0
            for p in ps:
                p.grad = (flat[at:at + p.numel()] * scale).view_as(p); at += p.numel()
            f = min(1., (step + 1) / 50) * (.03 + .97 * .5 * (1 + math.cos(math.pi * (1 - left))))
            for g in opt.param_groups:
                g["lr"] = g["base"] * f
            opt.step(); step += 1; pairs += len(b) * o.processes; tokens += sum(len(x[0]) for x in b) * o.processes; seen.append(part)
            if left < .25 and step % 4 == 0:
                now = [p.detach() for p in ps]
                mean = [x.clone() for x in now] if mean is None else [m.mul_(.97).add_(x, alpha=.03) for m, x in zip(mean, now)]; meaned += 1
            if rank == 0 and step % 20 == 0:
                avg = lambda k, n: sum(x[k] * x[n] for x in seen) / max(1, sum(x[n] for x in seen))
                line = {"step": step, "pairs": pairs, "tokens": tokens, "seconds": round(time.time() - began), "cpu": round(time.process_time()), "holds": round(avg(0, 3), 4), "claim": round(avg(1, 4), 4), "span": round(avg(2, 5), 4), "norm": round(norm2, 2), "lr": f}
                with open(os.path.join(o.out, "log.jsonl"), "a") as log:
                    log.write(json.dumps(line) + "\n")
            if rank == 0 and (time.time() - saved > o.every * 60 or left <= 0):
                saved = time.time()
                state = model.trained_state()
                torch.save(state, os.path.join(o.out, f"step-{step}.pt"))
                if mean is not None:
                    keep = [p.detach().clone() for p in ps]
                    for p, m in zip(ps, mean):
                        p.data.copy_(m)
                    torch.save({k: v.clone() for k, v in model.trained_state().items()}, os.path.join(o.out, "mean.pt"))
                    for p, k in zip(ps, keep):
                        p.data.copy_(k)
                torch.save({"model": state, "opt": opt.state_dict(), "step": step, "block": block, "pairs": pairs, "tokens": tokens, "spent": time.time() - began, "mean": mean, "meaned": meaned}, last + ".new")
                os.replace(last + ".new", last)
            if left <= 0:
                break
    dist.barrier(); dist.destroy_process_group()


def main():
    ap = argparse.ArgumentParser(); ap.add_argument("--pairs", required=True); ap.add_argument("--out", required=True); ap.add_argument("--minutes", type=float, default=80)
    ap.add_argument("--layers", type=int, default=10); ap.add_argument("--frozen", type=int, default=4); ap.add_argument("--length", type=int, default=256); ap.add_argument("--tokens", type=int, default=2100)
    ap.add_argument("--lr", type=float, default=1.5e-4); ap.add_argument("--decay", type=float, default=.93); ap.add_argument("--head-lr", type=float, default=6e-4); ap.add_argument("--every", type=float, default=6)
    ap.add_argument("--seed", type=int, default=1); ap.add_argument("--processes", type=int, default=2); ap.add_argument("--port", type=int, default=29511); ap.add_argument("--resume", action="store_true"); ap.add_argument("--init", help="weights to start from"); o = ap.parse_args()
    os.makedirs(o.out, exist_ok=True)
    json.dump(vars(o), open(os.path.join(o.out, "options.json"), "w"))
    mp.spawn(work, (o,), nprocs=o.processes)


if __name__ == "__main__":
    main()

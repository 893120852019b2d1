#!/usr/bin/env python3
"""Conflicts in documents that were not written for it, asked with the reader or without.

usage: conflicts.py SUFFICE [SHARED] [--questions N]

Sets:
  ramdocs, one answer   conflicting: a right and a wrong document; agreeing: none that is wrong
  ramdocs, several      a name with several bearers, each with its own right answer; no document is
                        wrong in the agreeing ones
  cmrc2018, squad2      the paragraph of a question and the two nearest others by BM25: two
                        paragraphs of an encyclopedia, no conflict is meant

A group counts as found where the outcome is CONFLICTING. Only numbers are printed. The reader is
turned off by SUFFICE_READER__MODE=off in the environment.
"""
import argparse, collections, json, math, os, random, re, subprocess, unicodedata


def terms(text):
    text = unicodedata.normalize("NFKC", text).lower()
    han = [text[i : i + 2] for i in range(len(text) - 1) if all("\u4e00" <= c <= "\u9fff" for c in text[i : i + 2])]
    return re.findall(r"[a-z0-9]+", text) + han


def ramdocs(shared):
    one, several = [], []
    with open(f"{shared}/data/ramdocs/ramdocs_first200.jsonl", encoding="utf-8") as lines:
        for line in lines:
            group = json.loads(line)
            kinds = {d["type"] for d in group["documents"]}
            request = {"question": group["question"], "passages": [{"id": f"{d['type']}-{i}", "text": d["text"]} for i, d in enumerate(group["documents"])]}
            (one if len(group["gold_answers"]) == 1 else several).append((request, {"correct", "misinfo"} <= kinds))
    return one, several


def near(path, questions):
    with open(path, encoding="utf-8") as f:
        data = json.load(f)
    paragraphs = []
    for article in data["data"]:
        for p in article["paragraphs"]:
            paragraphs.append((p["context"], [q["question"] for q in p["qas"] if q.get("answers") and not q.get("is_impossible")]))
    bags = [collections.Counter(terms(p[0])) for p in paragraphs]
    length = [sum(b.values()) for b in bags]
    mean = sum(length) / len(length)
    places = collections.defaultdict(list)
    for i, bag in enumerate(bags):
        for t in bag:
            places[t].append(i)
    asked = [(i, q) for i, p in enumerate(paragraphs) for q in p[1]]
    random.Random(1).shuffle(asked)
    out = []
    for i, question in asked[:questions]:
        score = collections.Counter()
        for t in set(terms(question)):
            idf = math.log(1 + (len(bags) - len(places[t]) + 0.5) / (len(places[t]) + 0.5))
            for k in places[t]:
                score[k] += idf * bags[k][t] * 2.2 / (bags[k][t] + 1.2 * (0.25 + 0.75 * length[k] / mean))
        nearest = [k for k, _ in score.most_common(3) if k != i][:2]
        out.append(({"question": question, "passages": [{"id": str(k), "text": paragraphs[k][0]} for k in [i] + nearest]}, False))
    return out


def outcomes(binary, groups):
    lines = "".join(json.dumps({"id": str(n), "as_of": "2026-01-01", **request}, ensure_ascii=False) + "\n" for n, (request, _) in enumerate(groups))
    done = subprocess.run([binary, "assess", "--jobs", "2"], input=lines, capture_output=True, text=True, env={"SUFFICE_READER__BUDGET": "60s", **os.environ}, check=True)
    return [json.loads(line)["outcome"] for line in done.stdout.splitlines()]


def wilson(n, of, z=1.96):
    if of == 0:
        return 0.0, 0.0
    p, d = n / of, 1 + z * z / of
    middle, half = (p + z * z / (2 * of)) / d, z * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of)) / d
    return middle - half, middle + half


def main():
    args = argparse.ArgumentParser()
    args.add_argument("suffice")
    args.add_argument("shared", nargs="?", default="../shared")
    args.add_argument("--questions", type=int, default=300)
    args = args.parse_args()
    one, several = ramdocs(args.shared)
    sets = [("ramdocs, one answer", one), ("ramdocs, several", several)]
    sets.append(("cmrc2018", near(f"{args.shared}/data/cmrc2018/cmrc2018_dev_part1.json", args.questions)))
    sets.append(("squad2", near(f"{args.shared}/data/squad2/train.json", args.questions)))
    print("set                   conflicting  found  share  95 %          agreeing  conflicting said  share  95 %")
    for name, groups in sets:
        said = outcomes(args.suffice, groups)
        row = []
        for meant in (True, False):
            of = [o for o, (_, m) in zip(said, groups) if m == meant]
            n = sum(o == "CONFLICTING" for o in of)
            row += [len(of), n, n / max(1, len(of)), *wilson(n, len(of))]
        print("%-21s %11d  %5d  %.3f  %.3f..%.3f  %8d  %16d  %.3f  %.3f..%.3f" % (name, *row), flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Recall and time a question beside the nearest public pipelines in Python, and ratios to numpy and to bleve alone, all in one run.
  docs/bench/peers.py [--set squad2] [--set cmrc2018] [--every 24] [--shared ../shared] [--no-ratios]
Needs: go; pip install haystack-ai==3.4.1 llama-index-core==0.14.25 llama-index-retrievers-bm25==0.8.0 numpy==2.4.6 tokenizers==0.23.3.
All index the same paragraphs, whole (no chunking by the peers; ours cuts as it ships), and are asked the same questions. The peers are given the built-in static embedding as it
is committed (one vector a paragraph, as their pipelines do) and BM25 over words and single Chinese characters, and fuse by reciprocal ranks, their default hybrid.
Milliseconds are processor time of the asking process a question, so that other work on the machine shifts all alike."""
import argparse, json, os, re, resource, subprocess, sys, tempfile, time
for k in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[k] = "1"
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
HERE = os.path.dirname(os.path.abspath(__file__)); ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(ROOT, "models", "embed"))
import numpy as np
WORDS = r"(?u)[\u4e00-\u9fff]|[A-Za-z0-9]+"


def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF); return u.ru_utime + u.ru_stime


class Static:
    """The committed token table: int8 rows summed and brought to length 1."""
    def __init__(self):
        import toklib
        d = os.path.join(ROOT, "models", "embed", "static"); raw = open(os.path.join(d, "table.bin"), "rb").read()
        n, dims = np.frombuffer(raw, "<u4", 2, 4); n, dims = int(n), int(dims)
        scale = np.frombuffer(raw, "<f4", n, 12); self.rows = np.frombuffer(raw, "i1", n * dims, 12 + 4 * n).reshape(n, dims) * scale[:, None]
        pieces, scores = zip(*(l.rstrip("\n").rsplit("\t", 1) for l in open(os.path.join(d, "vocab.tsv"), encoding="utf-8", newline="\n")))
        self.norm = {}
        for l in open(os.path.join(d, "norm.tsv"), encoding="utf-8", newline="\n"):
            a, _, b = l.rstrip("\n").partition("\t")
            self.norm[int(a, 16)] = [int(x, 16) for x in b.split()]
        self.tok, self.toklib = toklib.make(pieces, [float(s) for s in scores], 0), toklib

    def __call__(self, text):
        ids = [i for i in self.tok.encode(self.toklib.normalise(text, self.norm), add_special_tokens=False).ids if i]
        v = self.rows[ids].sum(0) if ids else np.zeros(self.rows.shape[1], "f4")
        return v / max(1e-9, float(np.linalg.norm(v)))


def load(shared, name, every):
    docs, ids, questions = [], {}, []
    folder = os.path.join(shared, "data", name)
    for f in sorted(os.listdir(folder)):
        if not f.endswith(".json"):
            continue
        for article in json.load(open(os.path.join(folder, f), encoding="utf-8"))["data"]:
            for p in article["paragraphs"]:
                if p["context"] not in ids:
                    ids[p["context"]] = str(len(docs)); docs.append(p["context"])
                questions += [(q["question"], ids[p["context"]]) for q in p["qas"] if not q.get("is_impossible") and q["question"].strip()]
    return docs, questions[::every]


def measure(name, questions, ask):
    ranks, start = [], cpu()
    for q, want in questions:
        found = ask(q)[:10]
        ranks.append(found.index(want) + 1 if want in found else 0)
    ms = (cpu() - start) / len(questions) * 1e3
    at = lambda k: sum(0 < r <= k for r in ranks) / len(ranks)
    return [name, len(ranks), at(1), at(5), at(10), sum(1 / r for r in ranks if r) / len(ranks), ms]


def haystack(docs, embed):
    from haystack import Document
    from haystack.components.joiners import DocumentJoiner
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore
    store = InMemoryDocumentStore(bm25_tokenization_regex=WORDS, embedding_similarity_function="dot_product")
    store.write_documents([Document(id=str(i), content=t, embedding=embed(t).tolist()) for i, t in enumerate(docs)])
    words, vectors, join = InMemoryBM25Retriever(store, top_k=100), InMemoryEmbeddingRetriever(store, top_k=100), DocumentJoiner(join_mode="reciprocal_rank_fusion", top_k=10)
    by_words = lambda q: words.run(query=q)["documents"]
    by_vectors = lambda q: vectors.run(query_embedding=embed(q).tolist())["documents"]
    ids = lambda found: [d.id for d in found]
    return {"bm25": lambda q: ids(by_words(q)), "dense": lambda q: ids(by_vectors(q)), "hybrid": lambda q: ids(join.run(documents=[by_words(q), by_vectors(q)])["documents"])}


def llamaindex(docs, embed):
    from llama_index.core import VectorStoreIndex
    from llama_index.core.base.embeddings.base import BaseEmbedding
    from llama_index.core.llms import MockLLM
    from llama_index.core.retrievers import QueryFusionRetriever
    from llama_index.core.schema import TextNode
    from llama_index.retrievers.bm25 import BM25Retriever

    class Given(BaseEmbedding):
        def _get_query_embedding(self, query): return embed(query).tolist()
        def _get_text_embedding(self, text): return embed(text).tolist()
        async def _aget_query_embedding(self, query): return embed(query).tolist()
    nodes = [TextNode(id_=str(i), text=t) for i, t in enumerate(docs)]
    vectors = VectorStoreIndex(nodes, embed_model=Given()).as_retriever(similarity_top_k=100)
    words = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=min(100, len(nodes)), token_pattern=WORDS, skip_stemming=True)
    both = QueryFusionRetriever([words, vectors], llm=MockLLM(), num_queries=1, mode="reciprocal_rerank", similarity_top_k=10, use_async=False)
    ids = lambda found: [n.node.node_id for n in found]
    return {"bm25": lambda q: ids(words.retrieve(q)), "dense": lambda q: ids(vectors.retrieve(q)), "hybrid": lambda q: ids(both.retrieve(q))}


def ours(binary, shared, name, every):
    out = subprocess.run([binary, "evaluate", "retrieval", "--shared", shared, "--set", name, "--every", str(every)], capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        cells = [c.strip() for c in line.strip("| \n").split("|")]
        if len(cells) == 9 and cells[0] == name:
            yield ["Suffice " + cells[1], int(cells[2]), *map(float, cells[3:7]), float(cells[7])]


def ratios():
    bench = subprocess.run(["go", "test", "-run", "^$", "-bench", "Search/100000", "-benchtime", "50x", "-cpu", "1", "./retrieval/dense"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    mine = float(re.search(r"(\d+) ns/op", bench).group(1)) / 1e6
    rng = np.random.default_rng(1); m = rng.standard_normal((100_000, 256)).astype("f4"); q = rng.standard_normal(256).astype("f4")
    times = []
    for _ in range(50):
        t = time.perf_counter(); s = m @ q; best = np.argpartition(-s, 100)[:100]; best = best[np.argsort(-s[best])]; times.append(time.perf_counter() - t)
    print(f"\n100,000 vectors of 256, one core, mean: ours {mine:.1f} ms, numpy float32 brute force {np.mean(times) * 1e3:.1f} ms, ratio {mine / (np.mean(times) * 1e3):.2f}")
    bench = subprocess.run(["go", "test", "-run", "^$", "-bench", "Retrieve", "-benchtime", "200x", "./retrieval/index"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    print("\n10,000 synthetic chunks, ms of wall time a question:\n")
    for l in bench.splitlines():
        if l.startswith("BenchmarkRetrieve/"):
            print("   ", re.sub(r"\s+", " ", l))


def main():
    ap = argparse.ArgumentParser(); ap.add_argument("--set", action="append"); ap.add_argument("--every", type=int, default=24)
    ap.add_argument("--shared", default=os.environ.get("SUFFICE_SHARED", os.path.join(ROOT, "..", "shared"))); ap.add_argument("--no-ratios", action="store_true")
    o = ap.parse_args(); embed = Static(); shared = os.path.abspath(o.shared)
    with tempfile.TemporaryDirectory() as d:
        binary = os.path.join(d, "suffice"); subprocess.run(["go", "build", "-o", binary, "./cmd/suffice"], cwd=ROOT, check=True)
        for name in o.set or ["squad2", "cmrc2018"]:
            docs, questions = load(shared, name, o.every)
            print(f"\n{name}: {len(docs)} paragraphs\n\n| pipeline | questions | R@1 | R@5 | R@10 | MRR | ms a question |\n| --- | --- | --- | --- | --- | --- | --- |")
            rows = list(ours(binary, shared, name, o.every))
            for peer, make in (("Haystack", haystack), ("LlamaIndex", llamaindex)):
                rows += [measure(f"{peer} {way}", questions, ask) for way, ask in make(docs, embed).items()]
            for r in rows:
                print("| " + " | ".join([r[0], str(r[1])] + [f"{x:.3f}" for x in r[2:6]] + [f"{r[6]:.1f}" + (" (wall, p50)" if r[0].startswith("Suffice") else "")]) + " |", flush=True)
    if not o.no_ratios:
        ratios()


if __name__ == "__main__":
    main()

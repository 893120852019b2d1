"""python -m unittest test_reader (from this folder; needs no torch)."""
import json, os, random, unittest

import data, edits, literal, sources, split

HERE = os.path.dirname(os.path.abspath(__file__))
SHARED = os.environ.get("SUFFICE_SHARED", os.path.join(HERE, "..", "..", "..", "shared"))


class Split(unittest.TestCase):
    def test_as_in_go(self):
        """testdata/split.json is also read by split_test.go, which asks evaluate.IsTest."""
        with open(os.path.join(HERE, "testdata", "split.json"), encoding="utf-8") as f:
            cases = json.load(f)
        for c in cases:
            self.assertEqual(split.is_test(c["text"]), c["test"], c["text"])

    def test_the_builder_refuses_test_passages(self):
        rnd, kept = random.Random(3), 0
        b = data.Builder(1)
        for i in range(400):
            text = f"The gate of yard {rnd.randrange(10**6)} opens at {i} minutes past six."
            before = len(b.rows["train"]); b.add("train", "holds", "invented", "gold", "en", "When does the gate open?", text, holds=1)
            self.assertEqual(len(b.rows["train"]) - before, 0 if split.is_test(text) else 1, text); kept += not split.is_test(text)
        self.assertEqual(b.refused["invented"], 400 - kept); self.assertTrue(40 < 400 - kept < 130)

    def test_no_document_of_the_test_side_is_trained_on(self):
        if not os.path.isdir(os.path.join(SHARED, "data", "squad2")):
            self.skipTest(f"no data at {SHARED}")
        asks = list(sources.squad2(os.path.join(SHARED, "data")))[:600]; b = data.Builder(1); b.ask(asks, "en")
        test = [a.doc for a in asks if split.is_test(a.doc)]; self.assertTrue(test)
        for s in ("train", "dev"):
            for r in b.rows[s]:
                text = r["text"].split("\n", 1)[-1]
                self.assertFalse(split.is_test(r["text"]))
                self.assertFalse(any(text in d for d in test), r["text"][:80])


class Windows(unittest.TestCase):
    DOC = "甲厂建于1956年。它在云岭县。厂里有三百名工人。2004年甲厂迁到海丰镇。新厂房占地四十亩。老厂房改成了展览馆。"

    def test_must_and_avoid(self):
        at = self.DOC.find("2004年"); span = ((at, at + 5),)
        for seed in range(50):
            w = data.window(self.DOC, "zh", random.Random(seed), 30, must=span); self.assertIn("2004年", w[0]); self.assertEqual(self.DOC[w[1]:w[1] + len(w[0])], w[0])
            w = data.window(self.DOC, "zh", random.Random(seed), 30, avoid=span); self.assertNotIn("2004年", w[0]); self.assertIn(w[0], self.DOC)


class Statements(unittest.TestCase):
    def test_statement(self):
        for q, a, want in (("甲厂是哪一年迁到海丰镇的？", "2004年", "甲厂是2004年迁到海丰镇的"), ("谁创办了甲厂？", "林立秋", "林立秋创办了甲厂"), ("甲厂位于哪个城市？", "云岭市", "甲厂位于云岭市"),
                           ("甲厂一共有多少人？", "300", "甲厂一共有300人"), ("甲厂为什么搬迁？", "地方不够", None), ("谁和谁创办了甲厂？", "林立秋", None)):
            self.assertEqual(data.statement(q, a), want)

    def test_edits_change_the_fact(self):
        for text, lang in (("甲厂应当在30日内支付5万元", "zh"), ("The plant must be closed before 12 May 2004 at Halvorsund.", "en")):
            for seed in range(40):
                e = edits.edit(text, lang, random.Random(seed), ["Brensk"]); self.assertIsNotNone(e); self.assertNotEqual(e[0], text)
                self.assertGreater(len(set(e[0]) & set(text)) / len(set(text)), .6)
        self.assertIsNone(edits.edit("好的", "zh", random.Random(1)))

    def test_no_edit_reads_backwards(self):
        for kind, pairs in edits.PAIRS["en"].items():
            for a, b in pairs:
                self.assertNotRegex(b, r"^not |^days ", (kind, a, b))


class Literal(unittest.TestCase):
    def told(self, doc, lang, title=""):
        out = [], []
        for seed in range(60):
            for claim, true, kind in literal.claims(doc, lang, title, data.sentences(doc, lang), random.Random(seed), most=2):
                out[not true].append(claim)
        return set(out[0]), set(out[1])

    def test_own_words_are_true_and_edited_ones_are_not(self):
        for doc, lang, number in (("本票每张40元，通用票限用30天。馆内不得使用闪光灯。", "zh", "40"), ("A day ticket is 40 crowns, and the wall pass is valid for 30 days. Flash is not allowed in the hall.", "en", "40")):
            true, false = self.told(doc, lang); self.assertTrue(true and false)
            for c in true:
                self.assertTrue(set(c.lower()) <= set(doc.lower() + "为是不可以个人n'tpermite."), c)
            for c in false:
                self.assertNotIn(c.strip("。."), doc)
            self.assertTrue(any(number in c for c in true))

    def test_a_clause_is_not_told_without_its_limit(self):
        for doc, lang in (("如果下雨，门票减半。", "zh"), ("If it rains, and the hall is closed, the ticket is half the price.", "en")):
            true, _ = self.told(doc, lang)
            for c in true:
                self.assertTrue("如果" in c or "if" in c.lower(), c)

    def test_a_measure_with_and_without_a_verb(self):
        true, _ = self.told("特展票价40元。", "zh"); stems = {c.strip("。") for c in true}
        self.assertEqual(stems, {"特展票价40元", "特展票价为40元", "特展票价是40元"})


if __name__ == "__main__":
    unittest.main()

"""`mog neighbours` from outside: recorded states of real runs against numpy, forms of output, refusals.

Usage: cli_neighbours.py MOG STACKS MODELS
"""
import csv
import io
import json
import os
import pathlib
import sys
import unittest

from mog_cli import MogCase, require_engine, skip

try:
    import h5py
    import numpy as np
except ImportError as error:
    skip(f"a Python package is absent ({error})")

MOG, STACKS, MODELS = (os.path.abspath(path) for path in sys.argv[1:4])
CAUSAL = os.path.join(STACKS, "gpt2-bytes")  # byte-level pieces, no special token
GRAPH = os.path.join(MODELS, "tagger_half_weight_gate")
TEXT = "The cats sat on the mat .\nA dog saw the cats again .\nNaïve readers of the dogs saw cats .\nthe the THE mat\n"


class Neighbours(MogCase):
    mog = MOG

    def record(self, model, name, *options):
        corpus = self.write("corpus.txt", TEXT)
        self.run_well("record", "-m", model, "-i", corpus, "-o", self.folder / name, *options)
        return self.folder / name

    def document(self, *arguments):
        return json.loads(self.run_well("neighbours", *arguments, "--json"))

    def states(self, recording, name):
        """Words and their states by the Python package: the means over the pieces of each word."""
        sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
        import mog_workbench
        found = []
        for sentence in mog_workbench.open(str(recording)):
            values = np.asarray(sentence[name], dtype=np.float64)
            for word, text in enumerate(sentence.words):
                rows = [values[i] for i, of in enumerate(sentence.word_of_token) if of == word]
                found.append((sentence.number, word + 1, text, np.mean(rows, axis=0)))
        return found

    def test_are_those_of_numpy(self):
        for store in ("float16", "float32"):
            recording = self.record(CAUSAL, store, "--quantity", "encoder.*.output", "--capture", "attention", "--store", store)
            words = self.states(recording, "encoder.2.output")
            for center in (False, True):
                document = self.document(recording, "-n", 2, "-w", 5, "--layer", 2, "-k", 100, *(["--center"] if center else []))
                # The first word of a text is no part of the mean: the model reads from left to right and puts no token before it.
                mean = np.mean([state for _, word, _, state in words if word > 1], axis=0).astype(np.float32) if center else 0
                query = next(state for number, word, _, state in words if (number, word) == (2, 5)) - mean
                expected = {}
                for number, word, text, state in words:
                    state = state - mean
                    if (number, word) != (2, 5):
                        expected[number, word] = float(query @ state / np.sqrt((query @ query) * (state @ state)))
                self.assertEqual(document["compared"], len(expected))
                self.assertEqual(len(document["neighbours"]), len(expected))
                for one in document["neighbours"]:
                    self.assertAlmostEqual(one["similarity"], expected[one["sentence"], one["position"]], places=9)
                    self.assertIsNotNone(one["attends"])
                similarities = [one["similarity"] for one in document["neighbours"]]
                self.assertEqual(similarities, sorted(similarities, reverse=True))

    def test_forms(self):
        recording = self.record("tagger-en-distilled", "r", "--quantity", "encoder.*.output,heads.upos.logits", "--capture", "attention")
        arguments = (recording, "-n", 1, "-w", 2, "-k", 5)
        text = self.run_well("neighbours", *arguments)
        self.assertIn("neighbours of cats, word 2 of sentence 1, among 25 words of 4 sentences", text)
        self.assertIn("[cats]", text)
        self.assertIn("any two words: ", text)
        document = self.document(*arguments)
        self.assertEqual([one["rank"] for one in document["neighbours"]], [1, 2, 3, 4, 5])
        self.assertTrue(any(share["group"] == "upos" for share in document["shares"]))
        self.run_well("neighbours", *arguments, "-o", self.folder / "n.csv")
        rows = list(csv.DictReader(io.StringIO((self.folder / "n.csv").read_text(encoding="utf-8"))))
        self.assertEqual([float(row["similarity"]) for row in rows], [one["similarity"] for one in document["neighbours"]])
        shares = list(csv.DictReader(io.StringIO(self.run_well("neighbours", *arguments, "--shares"))))
        self.assertEqual(sum(int(row["neighbours_count"]) for row in shares if row["group"] == "upos"), 5)
        for threads in (1, 3):
            self.assertEqual(self.document(*arguments, "--threads", threads), document)
        others = self.document(*arguments[:-1], 100, "--other-words")
        self.assertNotIn("cats", [one["word"].lower() for one in others["neighbours"]])
        self.assertEqual(self.document(*arguments, "--sample", 2)["sentences"], 2)

    def test_a_head(self):
        maps = self.record(GRAPH, "maps", "--capture", "attention", "--store", "float32")
        whole = self.document(maps, "-n", 2, "-w", 2, "--head", "2.1", "--part", "high")
        self.assertEqual(whole["measure"], "1 - Jensen-Shannon distance")
        self.assertTrue(all(0 <= one["similarity"] <= 1 for one in whole["neighbours"]))
        top = self.record(GRAPH, "top", "--capture", "attention", "--store", "float32", "--store-top-k", "100")
        cut = self.document(top, "-n", 2, "-w", 2, "--head", "2.1", "--part", "high")
        for one, other in zip(whole["neighbours"], cut["neighbours"]):  # nothing was cut: the same rows
            self.assertAlmostEqual(one["similarity"], other["similarity"], places=4)
        self.expect(2, "name one with --part: high, middle1, middle2", "neighbours", maps, "-n", 2, "-w", 2, "--head", "2.1")
        self.expect(2, "record it with mog record --capture attention", "neighbours",
                    self.record(GRAPH, "none", "--capture", "summary"), "-n", 1, "-w", 1, "--head", "1.1")

    def test_refusals(self):
        recording = self.record(GRAPH, "r", "--quantity", "encoder.2.output", "--capture", "none")
        self.expect(2, "--word 9: sentence 4 has 4 words", "neighbours", recording, "-n", 4, "-w", 9)
        self.expect(2, "numbered from 1 to 4", "neighbours", recording, "-n", 5, "-w", 1)
        self.expect(2, "record states with mog record --quantity 'encoder.*.output'", "neighbours", recording, "-n", 1, "-w", 1, "--layer", 1)
        self.expect(2, "with a point between", "neighbours", recording, "-n", 1, "-w", 1, "--head", "x")
        self.expect(2, "exclude each other", "neighbours", recording, "-n", 1, "-w", 1, "--layer", 2, "--quantity", "encoder.2.output")
        self.expect(2, "--word is required", "neighbours", recording, "-n", 1)
        self.expect(2, "--quantity 'encoder.*.output'` records its states", "neighbours", GRAPH, "-n", 1, "-w", 1)
        self.expect(2, "the extensions are", "neighbours", recording, "-n", 1, "-w", 1, "-o", "x.svg")
        gold = self.write("gold.conllu", "1\tOther\t_\tX\t_\t_\t0\troot\t_\t_\n\n" * 4)
        self.expect(3, "--mismatch skip", "neighbours", recording, "-n", 1, "-w", 1, "--treebank", gold)
        self.expect(3, "sentence 2 itself cannot be compared: choose another, or leave --treebank out",
                    "neighbours", recording, "-n", 2, "-w", 1, "--treebank", gold, "--mismatch", "skip")
        for picture in ("svg", "png"):
            self.run_well("figure", "neighbours", recording, "-n", 1, "-w", 2, "-k", 5, "-o", self.folder / f"x.{picture}")

    def test_a_treebank(self):
        recording = self.record(CAUSAL, "r", "--quantity", "encoder.1.output", "--capture", "none")
        rows = []
        for line in TEXT.splitlines():
            words = line.split()
            rows += [f"{i}\t{word}\t_\t{'DET' if word.lower() in ('the', 'a') else 'NOUN'}\t_\t_\t{i - 1}\t{'root' if i == 1 else 'dep'}\t_\t_"
                     for i, word in enumerate(words, 1)] + [""]
        gold = self.write("gold.conllu", "\n".join(rows) + "\n")
        document = self.document(recording, "-n", 1, "-w", 1, "-k", 8, "--treebank", gold)
        self.assertEqual({share["value"]: share["all_count"] for share in document["shares"] if share["group"] == "upos"},
                         {"DET": sum(line.lower().split().count(word) for line in TEXT.splitlines() for word in ("the", "a")) - 1,
                          "NOUN": sum(word.lower() not in ("the", "a") for word in TEXT.split())})
        self.assertEqual(document["of"]["relation"], "root")


require_engine(MOG)
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""`mog randomize`, `mog ablate` and the controls of `mog record` with the real engine on a small model.

Usage: cli_controls.py MOG MODELS_DIR    (skips when the engine is not there)
"""
import csv
import io
import json
import os
import pathlib
import random
import sys
import unittest

from mog_cli import MogCase, require_engine

MOG, MODELS = (os.path.abspath(path) for path in sys.argv[1:3])
MODEL = os.path.join(MODELS, "half_weight_gate")


class Controls(MogCase):
    mog = MOG

    def setUp(self):
        super().setUp()
        draw = random.Random(1)
        self.corpus = self.folder / "corpus.txt"
        self.corpus.write_text("".join(" ".join(draw.choices([f"w{i}" for i in range(5, 39)], k=draw.randint(1, 30))) + "\n"
                                       for _ in range(40)))

    def gates(self, model, name, *options):
        self.run_well("record", "-m", model, "-i", self.corpus, "-o", self.folder / name, *options)
        return list(csv.DictReader(io.StringIO(self.run_well("stats", self.folder / name, "--by", "layer", "--bootstrap", 0))))

    def test_random_weights_are_another_model_of_the_same_shape(self):
        model = self.folder / "random"
        facts = json.loads(self.run_well("randomize", MODEL, "-o", model, "--seed", 3, "--json"))
        self.assertEqual(facts["kept"], 0)
        before, after = (json.loads((pathlib.Path(path) / "config.json").read_text()) for path in (MODEL, model))
        self.assertEqual(before["encoder"], after["encoder"])
        self.run_well("describe", model)  # sound
        self.run_well("randomize", MODEL, "-o", self.folder / "again", "--seed", 3)
        weights = (model / "model.safetensors").read_bytes()
        self.assertEqual(weights, (self.folder / "again" / "model.safetensors").read_bytes())
        self.run_well("randomize", MODEL, "-o", self.folder / "other", "--seed", 4)
        self.assertNotEqual(weights, (self.folder / "other" / "model.safetensors").read_bytes())
        self.assertNotEqual([row["mean"] for row in self.gates(MODEL, "trained.rec")],
                            [row["mean"] for row in self.gates(model, "random.rec")])

    def test_permuted_weights_are_the_same_numbers(self):
        model = self.folder / "permuted"
        facts = json.loads(self.run_well("randomize", MODEL, "-o", model, "--weights", "permute", "--keep",
                                         "encoder.embed_", "--json"))
        self.assertGreater(facts["kept"], 0)
        old = (pathlib.Path(MODEL) / "model.safetensors").read_bytes()
        new = (model / "model.safetensors").read_bytes()
        # The header (names, types, shapes) may be laid out in another order; the values are the same.
        start = [8 + int.from_bytes(data[:8], "little") for data in (old, new)]
        self.assertEqual(sorted(old[start[0]:]), sorted(new[start[1]:]))
        self.assertNotEqual(old[start[0]:], new[start[1]:])

    def test_what_cannot_be_randomized(self):
        self.expect(2, "--weights zero", "randomize", MODEL, "-o", self.folder / "x", "--weights", "zero")
        self.expect(2, "--keep nothing", "randomize", MODEL, "-o", self.folder / "x", "--keep", "nothing")
        self.expect(2, "--output", "randomize", MODEL, "-o", MODEL)
        self.expect(2, "--branch-scale", "randomize", MODEL, "-o", self.folder / "x", "--branch-scale", 0)
        self.run_well("randomize", MODEL, "-o", self.folder / "y")
        self.expect(2, "--overwrite", "randomize", MODEL, "-o", self.folder / "y")
        self.run_well("randomize", MODEL, "-o", self.folder / "y", "--overwrite")
        self.assertFalse((self.folder / "x").exists())

    def test_every_part_is_cut_beside_its_gate_and_share(self):
        text = self.run_well("ablate", MODEL, "--input", self.corpus, "--bootstrap", 50)
        rows = list(csv.DictReader(io.StringIO(text)))
        layers = sorted({int(row["layer"]) for row in rows})
        self.assertEqual([row["part"] for row in rows], ["high", "middle1", "middle2", "low", "new", "block"] * len(layers))
        recorded = {row["layer"]: float(row["mean"]) for row in self.macro_gates()}
        for row in rows:
            self.assertEqual((row["sentences"], row["factor"]), ("40", "0"))
            self.assertGreater(float(row["change"]), 0)
            self.assertLessEqual(float(row["change_low"]), float(row["change"]))
            self.assertAlmostEqual(float(row["gate"]), recorded[row["layer"]], places=5)
        shares = {}
        for row in rows:
            if row["part"] in ("new", "low"):
                shares[row["layer"]] = shares.get(row["layer"], 0) + float(row["share"])
        for share in shares.values():
            self.assertAlmostEqual(share, 1, places=5)

    def macro_gates(self):
        self.run_well("record", "-m", MODEL, "-i", self.corpus, "-o", self.folder / "g.rec")
        return list(csv.DictReader(io.StringIO(self.run_well(
            "stats", self.folder / "g.rec", "--by", "layer", "--average", "macro", "--bootstrap", 0))))

    def test_a_factor_of_one_changes_nothing(self):
        rows = list(csv.DictReader(io.StringIO(self.run_well(
            "ablate", MODEL, "--input", self.corpus, "--factor", 1, "--parts", "new,low", "--bootstrap", 0, "--sentences", 5))))
        for row in rows:
            self.assertEqual(row["sentences"], "5")
            self.assertAlmostEqual(float(row["change"]), 0, places=5)

    def test_what_cannot_be_cut(self):
        self.expect(2, "--input", "ablate", MODEL)
        self.expect(2, "wide", "ablate", MODEL, "--input", self.corpus, "--parts", "wide")
        self.expect(2, "--layers 9:", "ablate", MODEL, "--input", self.corpus, "--layers", "9")
        self.expect(2, "middle1", "ablate", MODEL, "--input", self.corpus, "--parts", "full")
        self.expect(2, ".xls", "ablate", MODEL, "--input", self.corpus, "-o", self.folder / "t.xls")
        empty = self.folder / "empty.txt"
        empty.write_text("\n\n")
        self.expect(3, "empty.txt", "ablate", MODEL, "--input", empty)
        bad = self.folder / "bad.txt"
        bad.write_bytes(b"w5 w6\nw7 \xff\n")
        self.expect(3, "line 2", "ablate", MODEL, "--input", bad)

    def test_texts_are_changed_before_they_are_run(self):
        first = self.gates(MODEL, "first.rec", "--first-words", 1)
        self.assertEqual(first[0]["tokens"], "40")
        joined = self.gates(MODEL, "joined.rec", "--concatenate", 2)
        self.assertEqual(joined[0]["sentences"], "20")
        self.assertIn("2 lines joined", joined[0]["corpus"])
        plain = self.gates(MODEL, "plain.rec")
        shuffled = self.gates(MODEL, "shuffled.rec", "--shuffle-words", 7)
        self.assertEqual(plain[0]["tokens"], shuffled[0]["tokens"])
        self.assertNotEqual(plain[0]["mean"], shuffled[0]["mean"])
        self.expect(2, "--shard", "record", "-m", MODEL, "-i", self.corpus, "-o", self.folder / "no", "--concatenate", 2,
                    "--shard", "1/2")
        self.expect(2, "--target", "record", "-m", MODEL, "-i", self.corpus, "-o", self.folder / "no", "--shuffle-words", 1,
                    "--target", self.corpus)


if __name__ == "__main__":
    require_engine(MOG)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

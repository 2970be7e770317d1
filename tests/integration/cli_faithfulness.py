"""`mog faithfulness`, `mog ablate --terms` and `--heads`, and their figures, with the real engine on small models.

Usage: cli_faithfulness.py MOG MODELS_DIR    (skips when the engine, h5py or numpy is not there)
"""
import csv
import io
import os
import random
import sys
import unittest

from mog_cli import MogCase, require_engine, skip

try:
    import h5py
    import numpy as np
except ImportError as error:
    skip(f"a Python package is absent ({error})")

MOG, MODELS = (os.path.abspath(path) for path in sys.argv[1:3])
PLAIN, GRAPH, TAGGER = (os.path.join(MODELS, name)
                        for name in ("transformer_post", "half_weight_gate", "tagger_half_weight_gate"))
T5 = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "encoders", "t5")
PLAIN_ONLY = ["attention", "rollout", "flow", "norm", "globenc", "alti", "propagation-norm", "propagation-share",
              "propagation-removal"]
ANY = ["random", "gradient-norm", "gradient-input", "integrated-gradients", "integrated-presence", "removal", "leave-one-out"]


class Faithfulness(MogCase):
    mog = MOG

    def setUp(self):
        super().setUp()
        draw = random.Random(2)
        self.lines = [" ".join(draw.sample([f"w{i}" for i in range(5, 39)], k=draw.randint(4, 12))) for _ in range(6)]
        self.corpus = self.write("corpus.txt", "\n".join(self.lines) + "\n")

    def table(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.run_well(*arguments))))

    def faithfulness(self, model, *arguments):
        return self.table("faithfulness", model, "-i", self.corpus, "--bootstrap", 100, *arguments)

    def outputs(self, lines, precision):
        text = self.write("record.txt", "\n".join(lines) + "\n")
        recording = self.folder / f"{precision}.rec"
        self.run_well("record", "-m", PLAIN, "-i", text, "-o", recording, "--capture", "none", "--quantity", "encoder.output",
                      "--precision", precision, "--store", precision)
        with h5py.File(recording / "recording.h5") as file:
            data = file["quantities/encoder.output"]
            offsets = file[data.attrs["offsets"]][:]
            flat = data[:]
        return [flat[a:b].reshape(-1, 24).astype(float) for a, b in zip(offsets[:-1], offsets[1:])]

    def test_removing_a_word_is_the_run_of_the_shorter_sentence(self):
        words = self.lines[0].split()
        shorter = [" ".join(words[:k] + words[k + 1:]) for k in range(len(words))]
        for precision, tolerance in (("float32", 1e-6), ("float64", 1e-13)):
            whole, *rest = self.outputs([self.lines[0], *shorter], precision)

            def effect(after):
                p, q = whole.mean(0), after.mean(0)
                return 1 - p @ q / np.sqrt((p @ p) * (q @ q))

            greatest = max(effect(after) for after in rest)
            rows = self.faithfulness(PLAIN, "--erase", "remove", "--attributions", "leave-one-out", "--fractions", "0.01",
                                     "--sentences", 1, "--precision", precision)
            found = {row["measure"]: float(row["mean"]) for row in rows}
            self.assertAlmostEqual(found["comprehensiveness"], greatest, delta=tolerance)
            self.assertEqual(found["spearman"], 1)

    def test_every_attribution_has_its_rows(self):
        rows = self.faithfulness(PLAIN, "--attributions", ",".join(PLAIN_ONLY + ANY + ["alti*removal"]))
        self.assertEqual(len(rows), (len(PLAIN_ONLY + ANY) + 1) * 12)
        spearman = {row["attribution"]: float(row["mean"]) for row in rows if row["measure"] == "spearman"}
        self.assertEqual(spearman["leave-one-out"], 1)
        self.assertTrue(all(-1 <= value <= 1 for value in spearman.values()), spearman)
        # On an untrained encoder nearly everything is linear: what is exact to first order is nearly exact.
        self.assertGreater(spearman["removal"], 0.8)
        for row in rows:
            self.assertLessEqual(float(row["low"]), float(row["mean"]) + 1e-12)
            self.assertLessEqual(float(row["mean"]), float(row["high"]) + 1e-12)

    def test_a_graph_transformer_has_what_needs_no_plain_attention(self):
        rows = self.faithfulness(GRAPH, "--sentences", 2)
        self.assertEqual({row["attribution"] for row in rows}, set(ANY))
        self.expect(2, "rollout is not defined here: its layers have three attentions", "faithfulness", GRAPH, "-i",
                    self.corpus, "--attributions", "rollout")
        rows = self.faithfulness(TAGGER, "--target", "tag:ner:2", "--erase", "unk", "--sentences", 3, "--attributions",
                                 "gradient-input,removal,leave-one-out")
        self.assertEqual(len(rows), 3 * 12)

    def test_the_same_numbers_whatever_the_streams(self):
        arguments = ("faithfulness", PLAIN, "-i", self.corpus, "--bootstrap", 100, "--attributions",
                     "random,alti,integrated-gradients,removal")
        values = self.folder / "values.csv"
        one = self.run_well(*arguments, "--threads", 1, "--sentence-values", values)
        self.assertEqual(self.run_well(*arguments, "--threads", 2), one)
        each = list(csv.DictReader(io.StringIO(values.read_text())))
        self.assertEqual(len(each), 6 * 4 * 12)
        mean = np.mean([float(row["value"]) for row in each if (row["attribution"], row["measure"]) == ("alti", "pearson")])
        table = csv.DictReader(io.StringIO(one))
        found = next(float(row["mean"]) for row in table if (row["attribution"], row["measure"]) == ("alti", "pearson"))
        self.assertAlmostEqual(mean, found, places=12)

    def test_figures_of_its_tables(self):
        table = self.folder / "f.csv"
        self.run_well("faithfulness", PLAIN, "-i", self.corpus, "--attributions", "random,alti,removal", "-o", table)
        for kind in ("faithfulness", "faithfulness-curves"):
            figure = self.folder / f"{kind}.svg"
            numbers = self.run_well("figure", kind, table, "-o", figure, "--csv", "-")
            text = figure.read_text()
            for word in ("alti", "removal", "6 sentences", "transformer_post"):
                self.assertIn(word, text)
            self.assertIn("removal", numbers)
        other = self.folder / "g.csv"
        self.run_well("faithfulness", GRAPH, "-i", self.corpus, "--attributions", "random", "-o", other)
        self.expect(2, "several values of model", "figure", "faithfulness", table, other, "-o", self.folder / "x.svg")
        self.expect(2, 'no column "measure"', "figure", "faithfulness",
                    self.write("wrong.csv", "model,corpus,target,erasure,special,unit\n"), "-o", self.folder / "x.svg")

    def test_terms_and_heads_are_cut(self):
        rows = self.table("ablate", PLAIN, "-i", self.corpus, "--terms", "all,pp+pi+ip+ii+bp+bi", "--bootstrap", 100)
        self.assertEqual([row["part"] for row in rows[:7]], ["pp", "pi", "ip", "ii", "bp", "bi", "pp+pi+ip+ii+bp+bi"])
        first = {row["part"]: float(row["pooled"]) for row in rows if row["layer"] == "1"}
        self.assertLess(abs(first["pp"]), 1e-9)  # layer 1 has no previous part
        self.assertGreater(first["ii"], 1e-5)
        drawn = self.folder / "effects.svg"
        table = self.folder / "effects.csv"
        self.run_well("ablate", PLAIN, "-i", self.corpus, "--terms", "all", "--bootstrap", 50, "-o", table)
        self.run_well("figure", "effects", table, "-o", drawn)
        self.assertIn("6 sentences, factor 0", drawn.read_text())
        self.expect(2, 'no column "loss"', "figure", "effects", table, "--y", "loss", "-o", drawn)
        rows = self.table("ablate", PLAIN, "-i", self.corpus, "--terms", "pi+ip", "--together", "--bootstrap", 0)
        self.assertEqual([(row["layer"], row["last_layer"], row["part"]) for row in rows], [("1", "3", "pi+ip")])
        rows = self.table("ablate", GRAPH, "-i", self.corpus, "--heads", "--layers", 2, "--bootstrap", 0)
        self.assertEqual([row["head"] for row in rows], ["1", "2", "3", "4"] * 3)
        # Relative positions are a term of their own, which stays; layer 1 of a T5 has no other but ii.
        for row in self.table("ablate", T5, "-i", self.corpus, "--terms", "ii,pp+pi+ip+ii+bp+bi", "--layers", 1, "--bootstrap", 0):
            first[row["part"]] = float(row["pooled"])
        self.assertGreater(abs(first["ii"]), 1e-5)
        self.assertAlmostEqual(first["ii"], first["pp+pi+ip+ii+bp+bi"], delta=1e-9)
        self.expect(2, "terms of attention scores are those of a plain Transformer", "ablate", GRAPH, "-i", self.corpus,
                    "--terms", "pp")
        self.expect(2, "--gate 0.9 has no effect here", "ablate", PLAIN, "-i", self.corpus, "--gate", 0.9)
        self.expect(2, "--steps 3 has no effect here", "faithfulness", PLAIN, "-i", self.corpus, "--attributions", "alti",
                    "--steps", 3)
        self.expect(2, "--terms: \"px\" is no term", "ablate", PLAIN, "-i", self.corpus, "--terms", "px")


if __name__ == "__main__":
    require_engine(MOG)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

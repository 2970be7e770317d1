#!/usr/bin/env python3
"""A translator with a global representation from its training to its figures: train, describe, translate, record, stats,
figure, ablate, and what is refused.

    cli_global.py MOG
"""
import csv
import io
import json
import sys
import unittest

from mog_cli import MogCase, require_engine
from small_translator import config, write_pairs

CONFIG = config(sections="[model.gret]\ncapsules = 3\n")


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


class Global(MogCase):
    def setUp(self):
        super().setUp()
        for part, count, first in (("train", 300, 0), ("dev", 24, 1000), ("test", 12, 2000)):
            write_pairs(self.folder, part, count, first)

    def path(self, name):
        return self.folder / name

    def trained(self, name, text=CONFIG):
        self.write(f"{name}.toml", text)
        self.run_well("train", self.path(f"{name}.toml"), "--data", self.folder, "-o", self.path(name), "-q")
        return self.path(name)

    def test_from_training_to_figures(self):
        model = self.trained("with")
        config = json.loads((model / "config.json").read_text())
        self.assertEqual(config["gret"], {"capsules": 3, "iterations": 3, "route_axis": "positions", "pooling": "attentive",
                                          "ffn_dim": 32, "share_capsules": False, "share_pooling": True, "share_gru": True})
        self.assertIn("global representation of 3 capsules a layer", (model / "README.md").read_text())
        described = json.dumps(json.loads(self.run_well("describe", model, "--json")))
        for name in ("encoder.2.routing", "encoder.1.pooling", "decoder.global_gate.mean"):
            self.assertIn(name, described)
        translated = self.run_well("translate", model, self.path("test.de"), "--beam", 2, "-q").splitlines()
        self.assertEqual(len(translated), 12)
        # Which number is the word of a language is soon learnt: most words are right.
        right = total = 0
        for found, wanted in zip(translated, self.path("test.en").read_text().splitlines()):
            total += len(wanted.split())
            right += sum(a == b for a, b in zip(found.split(), wanted.split()))
        self.assertGreater(right, total / 2)

        recording = self.path("test.rec")
        self.run_well("record", "-m", model, "-i", self.path("test.de"), "--target", self.path("test.en"), "-o", recording,
                      "--capture", "summary,attention,hidden", "-q")
        self.run_well("validate", recording)

        table = rows(self.run_well("stats", recording, "--quantity",
                                   "encoder.*.capsules.norm,encoder.*.pooling,encoder.*.routing.row_entropy",
                                   "--bins", 5, "--bootstrap", 10))
        bins = {row["bin"] for row in table}
        self.assertGreater(len(bins), 1)  # by length
        for layer in ("1", "2"):
            lengths = [row for row in table if row["quantity"] == f"encoder.{layer}.capsules.norm"]
            self.assertEqual({row["entry"] for row in lengths}, {"1", "2", "3"})
            for row in lengths:
                self.assertTrue(0 < float(row["mean"]) < 1, row)
            for chosen in bins:
                pooling = [float(row["mean"]) for row in table
                           if row["quantity"] == f"encoder.{layer}.pooling" and row["bin"] == chosen]
                self.assertEqual(len(pooling), 3)
                self.assertAlmostEqual(sum(pooling), 1, places=5)
        gate = rows(self.run_well("stats", recording, "--quantity", "decoder.global_gate.mean", "--bootstrap", 0))
        for row in gate:
            self.assertTrue(0 < float(row["mean"]) < 1, row)

        first = self.path("test.de").read_text().splitlines()[0].lower().split()
        for kind in (["routing", recording, "-n", 1, "--by-word"],
                     ["routing", recording, "-n", 1, "--layer", 2, "--no-special-tokens"],
                     ["routing", recording, "-n", 1, "--by-word", "--pooling", "--gate"],
                     ["quantity-map", recording, "-n", 1, "--quantity", "encoder.1.routing"],
                     ["routing", model, "--text", " ".join(first)]):
            picture = self.path("picture.svg")
            self.run_well("figure", *kind, "-o", picture)
            text = picture.read_text().lower()
            for word in (*first, "capsule"):
                self.assertTrue(f">{word}</text>" in text, (kind, word))
        numbers = rows(self.run_well("figure", "routing", recording, "-n", 1, "--pooling", "--gate", "-o", self.path("state.svg"), "--csv", "-"))
        self.assertEqual({row["panel"] for row in numbers}, {"1", "2", "3", "4"})
        self.expect(2, "--gate with --text", "figure", "routing", model, "--text", "Haus", "--gate", "-o", self.path("no.svg"))
        self.run_well("figure", "share-bars", recording, "--quantity", "encoder.*.pooling", "-o", self.path("bars.svg"))
        self.run_well("figure", "quantity-by-layer", recording, "--quantity", "encoder.*.capsules.norm", "-o",
                      self.path("lines.svg"))
        self.expect(2, "has capsules and no heads", "figure", "quantity-map", recording, "-n", 1, "--quantity",
                    "encoder.1.routing", "--head", 1, "-o", self.path("no.svg"))

        cut = rows(self.run_well("ablate", model, "--input", self.path("test.de"), "--target", self.path("test.en"), "--parts",
                                 "global,capsules", "--bootstrap", 0, "-q"))
        self.assertEqual([(row["part"], row["layer"], row["head"]) for row in cut],
                         [("capsules", layer, str(capsule)) for layer in "12" for capsule in (1, 2, 3)] + [("global", "1", "")])
        self.assertEqual(cut[-1]["last_layer"], "2")
        effects = [float(row["change"]) for row in cut]
        self.assertGreater(effects[-1], max(effects[:-1]))  # all of it does more than one capsule
        self.assertGreater(min(effects), 0)
        for row in rows(self.run_well("ablate", model, "--input", self.path("test.de"), "--target", self.path("test.en"),
                                      "--parts", "global", "--factor", 1, "--bootstrap", 0, "-q")):
            self.assertEqual(float(row["change"]), 0)
        self.expect(2, "--target", "ablate", model, "--input", self.path("test.de"), "--parts", "capsules")

    def test_what_is_refused(self):
        plain = self.trained("plain", CONFIG.replace("[model.gret]\ncapsules = 3\n", "").replace("epochs = 6", "epochs = 1"))
        self.expect(2, "no global representation", "ablate", plain, "--input", self.path("test.de"), "--target",
                    self.path("test.en"), "--parts", "global")
        self.run_well("record", "-m", plain, "-i", self.path("test.de"), "-o", self.path("plain.rec"), "-q")
        self.expect(2, "holds no routing weights", "figure", "routing", self.path("plain.rec"), "-n", 1, "-o",
                    self.path("no.svg"))
        for old, new, code, word in (("capsules = 3", "capsules = 0", 3, "line 15"), ("capsules = 3", "capsulse = 3", 3, "capsulse"),
                                     ("capsules = 3", 'pooling = "max"', 3, '"attentive"'),
                                     ('kind = "transformer"', 'kind = "gru"', 5, "gret with encoder.kind = gru")):
            text = CONFIG.replace(old, new)
            if "gru" in new:
                text = text.replace("heads = 2\nffn_dim = 32\n[model.decoder]", "[model.decoder]")
            self.expect(code, word, "train", self.write("wrong.toml", text), "--check")
        config = json.loads((plain / "config.json").read_text())
        config["gret"] = {"capsules": 3, "iterations": 3, "route_axis": "positions", "pooling": "mean",
                          "share_capsules": True, "share_gru": True}
        (plain / "config.json").write_text(json.dumps(config))
        self.expect(5, "gret.capsule.weight", "describe", plain)


if __name__ == "__main__":
    MogCase.mog = sys.argv[1]
    require_engine(MogCase.mog)
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])

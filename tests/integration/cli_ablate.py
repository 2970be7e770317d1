"""`mog ablate` towards zeros and towards means with the real engine: equal to plain PyTorch hooks (make_patching.py), parts that
add up, and what is refused.

Usage: cli_ablate.py MOG DATA
"""
import csv
import io
import json
import os
import pathlib
import sys
import unittest

from mog_cli import MogCase, require_engine

MOG, DATA = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
EXPECTED = json.loads((DATA / "patching/ablation.json").read_text())
GPT2, BERT = DATA / "stacks/gpt2", DATA / "encoders/bert-tanh"


class Ablate(MogCase):
    mog = MOG

    def setUp(self):
        super().setUp()
        self.corpus = self.folder / "corpus.txt"
        self.corpus.write_text("\n".join(EXPECTED["texts"]) + "\n")

    def table(self, model, *options):
        text = self.run_well("ablate", model, "--input", self.corpus, "--bootstrap", 0, "--device", "cpu", *options)
        return list(csv.DictReader(io.StringIO(text)))

    def test_cuts_are_those_of_hooks(self):
        for name, expected in EXPECTED["models"].items():
            # transformers norms and turns in float32 whatever the type of a Llama or Gemma.
            for precision, tolerance in (("float64", 1e-7 if name in ("stacks/gpt2", "encoders/bert-tanh") else 5e-6), ("float32", 5e-5)):
                found = {}
                for toward, options in (("zero", ()), ("mean", ("--mean", self.corpus))):
                    rows = self.table(DATA / name, "--parts", "full,block,feed_forward", "--heads", "--precision", precision, *options)
                    self.assertEqual({row["toward"] for row in rows}, {toward})
                    found |= {(row["part"], int(row["layer"]), int(float(row["head"])) if row["head"] else None, toward): row for row in rows}
                self.assertEqual(len(found), len(expected["cuts"]))
                for cut in expected["cuts"]:
                    where = (cut["part"], cut["layer"], cut["head"], cut["toward"])
                    row = found[where]
                    with self.subTest(model=name, precision=precision, cut=where):
                        self.assertAlmostEqual(float(row["change"]), cut["change"], delta=tolerance)
                        self.assertAlmostEqual(float(row["pooled"]), cut["pooled"], delta=tolerance)
                        if cut["surprisal"] is None:
                            self.assertNotIn("surprisal_after", row)
                        else:
                            self.assertAlmostEqual(float(row["surprisal_before"]), expected["surprisal"], delta=tolerance)
                            self.assertAlmostEqual(float(row["surprisal_after"]), cut["surprisal"], delta=tolerance)
                            self.assertAlmostEqual(float(row["surprisal_difference"]), cut["surprisal"] - expected["surprisal"],
                                                   delta=2 * tolerance)

    def test_a_factor_goes_from_the_mean_to_the_value(self):
        mean = ("--mean", self.corpus, "--parts", "block", "--layers", 1)
        self.assertEqual({row["change"] for row in self.table(GPT2, *mean, "--factor", 1)}, {"0"})
        half, none = (self.table(GPT2, *mean, "--factor", factor)[0] for factor in (0.5, 0))
        self.assertLess(float(half["change"]), float(none["change"]))

    def test_the_mean_is_that_of_another_text(self):
        other = self.folder / "other.txt"
        other.write_text("A dog saw it.\n\nA dog saw it.\n")
        own, of_other = (self.table(GPT2, "--parts", "full", "--layers", 1, "--mean", text)[0]["change"] for text in (self.corpus, other))
        self.assertNotEqual(own, of_other)

    def test_parts_of_a_corpus_are_the_whole(self):
        options = ("ablate", GPT2, "--input", self.corpus, "--heads", "--mean", self.corpus, "--bootstrap", 50, "--device", "cpu")
        whole = self.folder / "whole.csv"
        self.run_well(*options, "-o", whole)
        parts = [self.folder / f"part-{i}.sums" for i in (1, 2)]
        for i, part in enumerate(parts, 1):
            self.run_well(*options, "--shard", f"{i}/2", "-o", part)
        merged = self.folder / "merged.csv"
        self.run_well("merge", *parts, "-o", merged)
        for own, of_whole in zip(*(list(csv.DictReader(path.read_text().splitlines())) for path in (merged, whole)), strict=True):
            for column, value in of_whole.items():
                if column in ("model", "corpus", "part", "toward"):
                    self.assertEqual(own[column], value)
                elif value:  # batches differ, and with them the last digits of float32
                    self.assertAlmostEqual(float(own[column]), float(value), delta=1e-4, msg=column)
        other = self.folder / "other.txt"
        other.write_text("A dog saw it.\n")
        strange = self.folder / "strange.sums"
        self.run_well(*options[:5], *options[7:], "--mean", other, "--shard", "2/2", "-o", strange)
        self.expect(2, "parts of one corpus are counted with the same options", "merge", parts[0], strange, "-o", self.folder / "no.csv")

    def test_figures_tell_what_takes_the_place(self):
        for options, told in ((("--parts", "full", "--terms", "pp"), False), (("--parts", "full", "--mean", self.corpus), True)):
            table, picture = self.folder / "t.csv", self.folder / "t.svg"
            self.run_well("ablate", BERT, "--input", self.corpus, *options, "--bootstrap", 0, "-o", table)
            self.run_well("figure", "effects", table, "--caption", "full", "-o", picture)
            self.assertEqual("towards the mean" in picture.read_text(), told)

    def test_what_has_no_mean_is_refused(self):
        mean = ("--input", self.corpus, "--mean", self.corpus)
        self.expect(2, "--mean: heads, parts and blocks have means", "ablate", BERT, *mean, "--terms", "pp")
        empty = self.folder / "empty.txt"
        empty.write_text("\n\n")
        self.expect(3, "there is no word in it", "ablate", GPT2, "--input", self.corpus, "--mean", empty)
        self.expect(2, "nowhere.txt", "ablate", GPT2, "--input", self.corpus, "--mean", self.folder / "nowhere.txt")
        self.expect(2, "--mean: the text is a file", "ablate", GPT2, "--input", self.corpus, "--mean", "-")


if __name__ == "__main__":
    require_engine(MOG)
    unittest.main(argv=sys.argv[:1])

"""Labels of tokens in figures are text: of a byte-level vocabulary (BART), of sentencepiece (M2M100), of recordings that do not
say how their tokens are spelled.

Usage: cli_labels.py MOG TRANSLATORS    (skips without the engine)
"""
import csv
import json
import os
import pathlib
import sys
import unittest

from mog_cli import MogCase, require_engine

MOG, DATA = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
SOURCE = ["naive caf\u00e9 \U0001F600 \u4e2d\u6587", "I"]
TARGET = ["naives Caf\u00e9 \U0001F600 \u4e2d\u6587", "Ich"]


class Labels(MogCase):
    mog = MOG

    def record(self, model):
        source = self.write("source.txt", "\n".join(SOURCE) + "\n")
        target = self.write("target.txt", "\n".join(TARGET) + "\n")
        self.run_well("record", "-m", DATA / model, "-i", source, "--target", target, "-o", self.folder / model, "--capture",
                      "attention", "-q")
        return self.folder / model

    def texts(self, column, *figure):
        table = self.folder / "labels.csv"
        self.run_well("figure", *figure, "--sentence", 1, "-o", self.folder / "labels.svg", "--csv", table, "-q")
        with open(table, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
        return list(dict.fromkeys(row[column] for row in rows))

    def test_bytes_are_read(self):
        recording = self.record("bart")
        self.assertEqual(json.loads((recording / "manifest.json").read_text(encoding="utf-8"))["model"]["tokenizer"], "byte_bpe")
        self.assertEqual(self.texts("row_label", "alignment", recording), TARGET[0].split())
        self.assertEqual(self.texts("column_label", "alignment", recording), SOURCE[0].split())
        pieces = self.texts("column_label", "attention", recording, "--part", "self", "--layer", 1)
        self.assertIn("<s>", pieces)
        # The four bytes of the emoji are tokens of their own here.
        self.assertIn("\u27e8F0\u27e9", pieces)
        self.assertIn("\u27e880\u27e9", pieces)
        for piece in pieces:
            self.assertFalse(set(piece) & set("\u0120\u00c3\u00f0\ufffd"), piece)

    def test_a_lone_space_is_no_letter(self):
        recording = self.record("m2m-100")
        self.assertEqual(self.texts("row_label", "alignment", recording), ["naives", "Caf\u00e9", "<unk>"])
        self.assertIn("\u2581", self.texts("column_label", "attention", recording, "--part", "self", "--layer", 1))


if __name__ == "__main__":
    require_engine(MOG)
    unittest.main(argv=sys.argv[:1])

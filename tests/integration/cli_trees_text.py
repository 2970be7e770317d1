"""`mog trees MODEL --text`: the trees of a sentence without a recording of one's own.

Usage: cli_trees_text.py MOG MODELS    (skips when the engine is not there)
"""
import json
import os
import pathlib
import sys
import unittest

from mog_cli import MogCase, require_engine

MODEL = pathlib.Path(sys.argv[2]).resolve() / "tagger-en-graph"
TEXT = "I don't know Guardiola's e-mail."
UD = ["I", "do", "n't", "know", "Guardiola", "'s", "e-mail", "."]


class TreesOfText(MogCase):
    mog = os.path.abspath(sys.argv[1])

    def trees(self, *options):
        return json.loads(self.run_well("trees", *options, "--json"))

    def test_they_are_those_of_a_recording(self):
        corpus = self.write("a.txt", TEXT + "\n")
        self.run_well("record", "-m", MODEL, "-i", corpus, "-o", self.folder / "r", "--store", "float32",
                      "--capture", "summary,attention,gates,shares")
        for options in ([], ["--mode", "exact"], ["--owner", "know"], ["--heads", "contribution", "--pi", "share"]):
            with self.subTest(options=options):
                self.assertEqual(self.trees(MODEL, "--text", TEXT, *options),
                                 self.trees(self.folder / "r", "-n", 1, *options))
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["a.txt", "r"])

    def test_words_are_chosen(self):
        def words(*options):
            text = self.run_well("trees", MODEL, "--text", TEXT, "--format", "conllu", "--mode", "projective", *options)
            return [line.split("\t")[1] for line in text.splitlines() if line[:1].isdigit()]
        self.assertEqual(words(), UD)
        self.assertEqual(words("--words", "ud-en"), UD)
        self.assertEqual(words("--words", "spaces"), TEXT.split())

    def test_a_figure_comes_with_it(self):
        self.run_well("trees", MODEL, "--text", TEXT, "--owner", "know", "--mode", "by-leaves", "--svg", self.folder / "t.svg")
        self.assertIn("<svg", (self.folder / "t.svg").read_text(encoding="utf-8"))

    def test_what_does_not_go_together(self):
        self.expect(2, "--sentence 1 has no effect here", "trees", MODEL, "--text", TEXT, "--sentence", 1)
        self.expect(2, "--words spaces has no effect here", "trees", "a.rec", "--sentence", 1, "--words", "spaces")
        self.expect(2, "which sentence?", "trees", "a.rec")
        self.expect(2, "which sentence?", "trees", "--sentence", 1)
        self.expect(2, "no words", "trees", MODEL, "--text", "  ")
        self.expect(2, "did you mean spaces?", "trees", MODEL, "--text", TEXT, "--words", "space")
        self.expect(2, "byte 3 is not UTF-8", "trees", MODEL, "--text", os.fsdecode(b"a \xff"))


if __name__ == "__main__":
    require_engine(TreesOfText.mog)
    unittest.main(argv=sys.argv[:1])

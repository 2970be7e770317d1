"""`mog figure kinds|iterations|layer-step|sentence-mog`: the paper's diagrams from expressions.

Usage: cli_diagrams.py MOG
"""
import csv
import io
import os
import sys
import unittest
import xml.etree.ElementTree

from mog_cli import MogCase

MOG = os.path.abspath(sys.argv[1])
KINDS = ("kinds", "iterations", "layer-step", "sentence-mog")


class Diagrams(MogCase):
    mog = MOG

    def rows(self, kind, *arguments):
        return list(csv.DictReader(io.StringIO(
            self.run_well("figure", kind, *arguments, "-o", self.folder / "f.svg", "--csv", "-", "--quiet"))))

    def test_each_is_drawn_in_every_format_twice_the_same(self):
        for kind in KINDS:
            for ending in ("svg", "pdf", "png"):
                files = [self.folder / f"{kind}-{i}.{ending}" for i in (1, 2)]
                for file in files:
                    self.run_well("figure", kind, "-o", file, *(["--dpi", 72] if ending == "png" else []))
                self.assertEqual(files[0].read_bytes(), files[1].read_bytes(), kind)
            light = xml.etree.ElementTree.parse(self.folder / f"{kind}-1.svg")
            self.assertTrue(light.getroot().tag.endswith("svg"))
            self.run_well("figure", kind, "-o", self.folder / "dark.svg", "--theme", "dark", "--preset", "column")
            self.assertNotEqual((self.folder / "dark.svg").read_bytes(), (self.folder / f"{kind}-1.svg").read_bytes())
            self.assertIn(kind, self.run_well("figure", "list"))

    def test_the_paper_s_own_expressions_are_the_defaults(self):
        first = [(row["source_text"], row["target_text"], row["order"]) for row in self.rows("kinds") if row["panel"] == "1"]
        self.assertEqual(first, [("a", "b", "2"), ("b", "c", "3"), ("d", "e", "2"), ("a", "d", "5")])
        titles = list(dict.fromkeys(row["panel_title"] for row in self.rows("kinds")))
        self.assertEqual([title[title.index("kind"):title.index(")")] for title in titles],
                         [f"kind {number}" for number in (1, 2, 3, 4)])
        arcs = [(row["source_text"], row["target_text"]) for row in self.rows("sentence-mog") if row["panel"] == "1"]
        self.assertEqual(arcs, [("Do", "do"), ("Romans", "the"), ("do", "Romans"), ("do", "as")])

    def test_own_expressions_and_files(self):
        rows = self.rows("kinds", "--expression", "((a)->a U (b)->b)->a U (b)->b", "--expression", "(x)->x U (x)->x")
        self.assertEqual([(row["panel"], row["source_text"], row["target_text"], row["strong"]) for row in rows],
                         [("1", "a", "b", "0"), ("1", "a", "b", "1"), ("2", "x", "x", "1")])
        file = self.folder / "mine.txt"
        file.write_text("(a)->a U (b)->b\n((a)->a U (b)->b)->b U (c)->c\n")
        rows = self.rows("layer-step", file)
        self.assertEqual([row["strong"] for row in rows if row["panel"] == "2"], ["0", "1"])
        recorded = "((a)->a U[l=3] (b)->b)->a U[l=5] (c)->c"
        self.assertEqual([row["strong"] for row in self.rows("layer-step", "--expression", recorded, "--layer", 3)
                          if row["panel"] == "2"], ["1"])
        self.assertEqual([row["strong"] for row in self.rows("layer-step", "--expression", recorded)
                          if row["panel"] == "2"], ["0", "1"])
        self.expect(2, "layer 1 makes no edge", "figure", "layer-step", "--expression", recorded, "--layer", 1, "-o",
                    self.folder / "f.svg")
        # Where no layer is recorded, the one after the operands' is meant.
        part = "((a)->a U[l=3] (b)->b)->a U (c)->c"
        self.assertEqual([row["strong"] for row in self.rows("layer-step", "--expression", part, "--layer", 4)
                          if row["panel"] == "2"], ["0", "1"])
        tree = [row for row in self.rows("sentence-mog", "--expression", "(saw)->saw U[rel=obj] (dog)->dog",
                                         "--sentence-text", "I saw a dog") if row["panel"] == "1"]
        self.assertEqual((tree[0]["source"], tree[0]["target"], tree[0]["label"]), ("2", "4", "obj"))

    def test_bad_input_is_named(self):
        out = self.folder / "f.svg"
        self.expect(3, "column", "figure", "kinds", "--expression", "(a)->a U (b", "-o", out)
        self.expect(3, "column", "figure", "kinds", "--expression", "(a)->a U (z)->z", "--sentence-text", "a b", "-o", out)
        self.expect(2, "layer 9", "figure", "layer-step", "--layer", 9, "-o", out)
        self.expect(2, "--sentence-text", "figure", "kinds", "--sentence-text", "a b", "-o", out)
        bad = self.folder / "bad.txt"
        bad.write_text("(a)->a U (b)->b\n(a)->a U\n")
        self.expect(3, "line 2", "figure", "kinds", bad, "-o", out)
        self.expect(2, "`mog figure list` names them", "figure", "nothing-like-it", "-o", out)
        many = [part for _ in range(25) for part in ("--expression", "(a)->a U (b)->b")]
        self.expect(2, "24", "figure", "kinds", *many, "-o", out)
        self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])

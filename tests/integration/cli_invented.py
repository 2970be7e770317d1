"""A system that no part of the program has heard of is described, derived, counted and drawn from its recording alone.

Usage: cli_invented.py MOG MAKE_RECORDING
"""
import csv
import json
import os
import re
import subprocess
import sys
import unittest

from mog_cli import MogCase

MAKE = os.path.abspath(sys.argv[2])
TEXTS = [" ".join(f"w{(line * 7 + word) % 50}" for word in range(2 + line * 5 % 9)) for line in range(12)]
SKY, TREE, GROUND, ROOT = "sky", "tree", "ground", "root"


class Invented(MogCase):
    mog = os.path.abspath(sys.argv[1])

    def setUp(self):
        super().setUp()
        corpus = self.write("corpus.txt", "\n".join(TEXTS) + "\n")
        self.recording = self.folder / "weather.rec"
        subprocess.run([MAKE, "--invented", corpus, self.recording], check=True)

    def figure(self, kind, *arguments):
        """The table behind a figure, and its SVG."""
        svg, table = self.folder / f"{kind}.svg", self.folder / f"{kind}.csv"
        self.run_well("figure", kind, self.recording, *arguments, "-o", svg, "--csv", table)
        with table.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file)), svg.read_text(encoding="utf-8")

    def rows(self, *arguments):
        return [json.loads(line) for line in self.run_well("stats", self.recording, *arguments, "--json").splitlines()]

    def test_describe_says_what_it_is(self):
        text = self.run_well("describe", self.recording)
        for words in ("Weather reader, 3 layers", "sky (attention), tree (attention), ground (attention), root (carried)",
                      "glance (attention)", "reader.L.sky.attention"):
            self.assertIn(words, text)
        stacks = json.loads(self.run_well("describe", self.recording, "--json"))["stacks"]
        self.assertEqual([(stack["name"], stack["causal"]) for stack in stacks], [("reader", False), ("writer", True)])
        self.assertEqual([part["order"] for part in stacks[0]["parts"]], ["high", "middle", "middle", "low"])

    def test_trees(self):
        said = self.run_well("trees", self.recording, "-n", 3, "--top", 4)
        self.assertRegex(said, r"\b[stg]\b")
        document = self.run_well("trees", self.recording, "-n", 3, "--top", 4, "--json")
        parts = set(re.findall(r'"part": ?"(\w*)"', document)) - {""}
        self.assertTrue(parts and parts <= {"s", "t", "g", SKY, TREE, GROUND}, parts)

    def test_statistics(self):
        self.assertEqual({row["part"] for row in self.rows("--quantity", "share")}, {SKY, TREE, GROUND, ROOT})
        self.assertEqual({row["part"] for row in self.rows("--quantity", "entropy")}, {SKY, TREE, GROUND})
        self.assertEqual({row["part"] for row in self.rows("--quantity", "joins")}, {SKY, TREE, GROUND})
        self.assertEqual({row["part"] for row in self.rows("--quantity", "bands")}, {SKY, TREE, GROUND, ROOT})
        self.assertEqual({row["layer"] for row in self.rows("--quantity", "gate", "--by", "layer")}, {1, 2, 3})
        self.assertTrue(all(row["mean"] >= 1 for row in self.rows("--quantity", "leaves") if row["mean"] is not None))

    def test_figures(self):
        for kind, options in (("weight-by-length", ["--measure", "share"]), ("weight-by-layer", []), ("attention-grid", ["-n", 2]),
                              ("attention-overview", ["-n", 2]), ("attention-arcs", ["-n", 2, "--layer", 2]),
                              ("gate", ["-n", 2]), ("tree", ["-n", 2]), ("forest", ["-n", 2]), ("arcs", ["-n", 2]),
                              ("information-flow", ["-n", 2]), ("head-bars", ["-n", 2, "--layer", 2, "--part", SKY,
                                                                            "--token", 2, "--key", 1]),
                              ("order-bands", []), ("joins-by-part", []),
                              ("quantity-map", ["-n", 2, "--quantity", "reader.2.sky.attention", "--head", 1]),
                              ("quantity-by-layer", ["--quantity", "reader.*.tree.output.share"])):
            with self.subTest(kind=kind):
                if kind == "weight-by-length" and "--measure" in options:
                    options = ["--quantity", "share"]
                table, svg = self.figure(kind, *options)
                self.assertTrue(table)
                self.assertIn("<svg", svg)
        _, flow = self.figure("information-flow", "-n", 2)
        for colour in ("#cc79a7", "#e69f00", "#00825f"):  # of sky, tree, ground: what the system asks for
            self.assertIn(colour, flow.lower())
        for word in (SKY, TREE, GROUND):
            self.assertIn(word, flow)

    def test_a_map_of_the_other_stack_is_causal(self):
        table, svg = self.figure("attention", "-n", 3, "--part", "glance", "--layer", 1)
        self.assertIn("glance", svg)
        values = {(int(row["row"]), int(row["column"])): float(row["value"]) for row in table}
        self.assertGreater(len(values), 4)
        self.assertTrue(all(value == 0 for (row, column), value in values.items() if column > row))
        self.assertTrue(all(abs(sum(values[row, column] for column in range(1, row + 1)) - 1) < 1e-3
                            for row in {row for row, _ in values}))

    def test_a_part_that_nobody_has_is_refused_with_those_there_are(self):
        said = self.expect(2, "skye", "figure", "attention", self.recording, "-n", 1, "--part", "skye", "-o", self.folder / "x.svg")
        self.assertIn("did you mean sky?", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

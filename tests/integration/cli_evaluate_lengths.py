"""`mog evaluate --bins` of translations: every bin against files with the lines of that bin alone.

Usage: cli_evaluate_lengths.py MOG
"""
import csv
import io
import json
import os
import random
import sys
import unittest

from mog_cli import MogCase

WORDS = "a dog sleeps on the old red chair while two small cats play with it near an open window today".split()
EDGES = [0, 5, 10, 25]


class EvaluateLengths(MogCase):
    mog = os.path.abspath(sys.argv[1])

    def setUp(self):
        super().setUp()
        draw = random.Random(3)
        self.lines = {"reference": [], "source": [], "first": [], "second": []}
        for _ in range(80):
            reference = [draw.choice(WORDS) for _ in range(draw.choice([3, 4, 7, 9, 12, 19]))]
            self.lines["reference"].append(" ".join(reference))
            # Another number of words than the reference has, and more than one kind of white space.
            self.lines["source"].append("\u2003 ".join("wort" for _ in range(max(1, len(reference) + draw.choice([-3, 0, 4])))))
            for name, changed in (("first", 0.3), ("second", 0.45)):
                self.lines[name].append(" ".join(draw.choice(WORDS) if draw.random() < changed else word for word in reference))
        for name, lines in self.lines.items():
            self.keep(name, lines)

    def keep(self, name, lines):
        (self.folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")

    def scores(self, prefix="", *options):
        text = self.run_well("evaluate", "--hypothesis", self.folder / f"{prefix}first", "--other", self.folder / f"{prefix}second",
                       "--reference", self.folder / f"{prefix}reference", "--metric", "bleu,chrf,rougeL", "--bootstrap", "200",
                       "--json", *options)
        return json.loads(text)

    def bins(self, counted):
        groups = {}
        for at, line in enumerate(self.lines[counted]):
            groups.setdefault(max(edge for edge in EDGES if edge <= len(line.split())), []).append(at)
        return groups

    def check(self, counted, *options):
        whole = self.scores("", "--bins", ",".join(map(str, EDGES)), *options)
        self.assertEqual(whole["scores"], self.scores()["scores"])
        groups = self.bins(counted)
        self.assertGreater(len(groups), 2)
        self.assertEqual([entry["length_low"] for entry in whole["by_length"]], sorted(groups))
        for entry in whole["by_length"]:
            chosen = groups[entry["length_low"]]
            self.assertEqual(entry["sentences"], len(chosen))
            for name, lines in self.lines.items():
                self.keep("part-" + name, [lines[at] for at in chosen])
            alone = self.scores("part-")["scores"]
            for found, expected in zip(entry["scores"], alone, strict=True):
                self.assertTrue(found.pop("system").endswith(expected.pop("system").rsplit("part-", 1)[1]))
                self.assertEqual(found, expected)

    def test_by_words_of_the_source(self):
        self.check("source", "--source", self.folder / "source")

    def test_by_words_of_the_reference(self):
        self.check("reference")

    def test_lines_in_no_bin_are_counted(self):
        lines = ["", *self.lines["source"][1:]]
        self.keep("source", lines)
        arguments = ["evaluate", "--hypothesis", self.folder / "first", "--reference", self.folder / "reference", "--source",
                     self.folder / "source", "--metric", "chrf", "--bootstrap", "0", "--json", "--bins"]
        document = json.loads(self.run_well(*arguments, "10"))
        self.assertEqual(sum(entry["sentences"] for entry in document["by_length"]), 79)
        self.assertIn("1 line of", document["notes"][0])
        document = json.loads(self.run_well(*arguments, "8,12"))
        short = sum(len(line.split()) < 8 for line in lines)
        self.assertIn(f"{short} lines of", document["notes"][0])
        self.assertEqual(document["lengths_of"], str(self.folder / "source"))
        self.assertEqual(json.loads(self.run_well(*arguments, "1000,2000"))["by_length"], [])

    def test_table_and_text(self):
        arguments = ["evaluate", "--hypothesis", self.folder / "first", "--reference", self.folder / "reference", "--metric", "bleu",
                     "--bins", "10", "--source", self.folder / "source"]
        rows = list(csv.DictReader(io.StringIO(self.run_well(*arguments, "--format", "csv"))))
        self.assertEqual([row["bin"] for row in rows], ["all", "1–9", "10–19", "20–29"])
        self.assertEqual(sum(int(row["sentences"]) for row in rows[1:]), 80)
        self.assertRegex(self.run_well(*arguments), r"10–19 words of \S+source, \d+ sentences\n  \S+first  BLEU ")

    def test_another_tokenization_is_named(self):
        apart = "".join(f"{line} .\n" for line in self.lines["reference"])
        joined = "".join(f"{line}.\n" for line in self.lines["reference"])
        self.write("apart", apart)
        self.write("joined", joined)
        arguments = ["evaluate", "--reference", self.folder / "joined", "--metric", "bleu", "--hypothesis"]
        result = self.run_mog(*arguments, self.folder / "apart")
        self.assertIn("apart sets the sign at the end of 100 % of its lines apart", result.stderr.decode())
        self.assertIn("words are cut differently", json.loads(self.run_well(*arguments, self.folder / "apart", "--json"))["notes"][0])
        self.assertEqual(self.run_mog(*arguments, self.folder / "joined").stderr, b"")
        self.assertNotIn("notes", json.loads(self.run_well(*arguments, self.folder / "joined", "--json")))

    def test_refusals(self):
        arguments = ["evaluate", "--hypothesis", self.folder / "first", "--reference", self.folder / "reference"]
        self.expect(2, "once only", *arguments, "--source", "-", "--bins", "5")
        self.expect(2, "or --bins, which counts its words", *arguments, "--source", self.folder / "source")
        self.keep("short", self.lines["source"][:-1])
        self.expect(3, "short has 79 lines, the reference", *arguments, "--source", self.folder / "short", "--bins", "10")
        self.expect(2, "5 follows 10", *arguments, "--bins", "10,5")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

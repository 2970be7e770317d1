"""`mog stats --against` and `mog figure corpus-difference`, without an engine: numbers, notes, refusals.

Usage: cli_against.py MOG MAKE_RECORDING
"""
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import unittest

from mog_cli import MogCase

MOG, MAKE_RECORDING = (os.path.abspath(path) for path in sys.argv[1:3])
LAYERS = 3


def lines(count, first=0):
    return [" ".join(f"w{(line * 7 + word) % 50}" for word in range(1 + line * 5 % 13))
            for line in range(first, first + count)]


class Against(MogCase):
    mog = MOG

    def record(self, name, texts, seed=1, layers=LAYERS):
        corpus = self.write(f"{name}.txt", "\n".join(texts) + "\n")
        path = self.folder / name
        subprocess.run([MAKE_RECORDING, corpus, path, "1", "1", str(layers), str(seed)], check=True)
        return path

    def rows(self, *arguments):
        return list(csv.DictReader(io.StringIO(self.run_well("stats", *arguments))))

    def setUp(self):
        super().setUp()
        self.old = self.record("old", lines(40))
        self.new = self.record("new", lines(40), seed=2)

    def test_means_are_those_of_the_recordings(self):
        for quantity in ("gate", "share", "entropy"):
            found = self.rows(self.new, "--against", self.old, "--quantity", quantity)
            plain = ("--quantity", quantity, "--by", "layer", "--average", "macro")
            new, old = self.rows(self.new, *plain), self.rows(self.old, *plain)
            self.assertEqual(len(found), len(new))
            for row, a, b in zip(found, new, old):
                self.assertEqual([row[key] for key in ("layer", "part", "measure", "units", "sentences")],
                                 [a[key] for key in ("layer", "part", "measure", "units", "sentences")])
                self.assertAlmostEqual(float(row["mean"]), float(a["mean"]), 12)
                self.assertAlmostEqual(float(row["against_mean"]), float(b["mean"]), 12)
                self.assertAlmostEqual(float(row["difference"]), float(a["mean"]) - float(b["mean"]), 12)
                self.assertLessEqual(float(row["difference_low"]), float(row["difference"]))
                self.assertGreaterEqual(float(row["difference_high"]), float(row["difference"]))
                self.assertTrue(1 / 2000 <= float(row["p"]) <= 1)

    def test_a_recording_against_itself_differs_nowhere(self):
        shutil.copytree(self.old, self.folder / "copy")
        for row in self.rows(self.old, "--against", self.folder / "copy", "--quantity", "gate,entropy"):
            self.assertEqual((float(row["difference"]), float(row["p"])), (0, 1))

    def test_the_other_way_round_is_the_negative(self):
        there = self.rows(self.new, "--against", self.old)
        back = self.rows(self.old, "--against", self.new)
        for one, other in zip(there, back):
            self.assertAlmostEqual(float(one["difference"]), -float(other["difference"]), 14)
            self.assertEqual(one["p"], other["p"])

    def test_parts_of_a_run_are_one_recording(self):
        parts = [self.folder / f"part{number}" for number in (1, 2)]
        for number, path in enumerate(parts, start=1):
            subprocess.run([MAKE_RECORDING, self.folder / "old.txt", path, str(number), "2"], check=True)
        whole = self.rows(self.new, "--against", self.old)
        joined = self.rows(self.new, "--against", parts[0], "--against", parts[1])
        self.assertEqual([row.pop("against").split("(")[1] for row in whole + joined],
                         ["old)"] * len(whole) + ["part1)"] * len(joined))
        self.assertEqual(whole, joined)
        self.expect(2, "it names one recording", "stats", self.new, "--against", self.old, "--against", self.new)

    def test_heads_and_choices_of_words_and_layers(self):
        rows = self.rows(self.new, "--against", self.old, "--quantity", "entropy", "--by", "layer,head", "--layers", "2-3",
                         "--words", "1-4", "--permutations", "99")
        self.assertEqual({row["layer"] for row in rows}, {"2", "3"})
        self.assertEqual({row["head"] for row in rows}, {"1", "2"})
        self.assertEqual({(row["words"], row["permutations"]) for row in rows}, {("1–4", "99")})
        self.assertGreaterEqual(min(float(row["p"]) for row in rows), 0.01)

    def test_json_is_the_same_table(self):
        table = self.rows(self.new, "--against", self.old)
        documents = [json.loads(line) for line in
                     self.run_well("stats", self.new, "--against", self.old, "--json").splitlines()]
        self.assertEqual([float(row["p"]) for row in table], [one["p"] for one in documents])
        self.assertEqual(list(table[0]), list(documents[0]))

    def test_what_is_left_out_is_said(self):
        texts = [f"{line} {number}" for number, line in enumerate(lines(40))]
        old = self.record("old-texts", texts)
        texts[4] += " more"
        other = self.record("other", texts[:30], seed=2, layers=4)
        result = self.run_mog("stats", other, "--against", old)
        self.assertEqual(result.returncode, 0, result.stderr)
        said = result.stderr.decode()
        for words in ("left out: 11 sentences of the recording of --against, which have no pair",
                      "left out: 1 sentence of this recording, which has no pair", "only this recording has (layer 4)"):
            self.assertIn(words, said)
        rows = list(csv.DictReader(io.StringIO(result.stdout.decode())))
        self.assertEqual({(row["sentences"], row["sentences_second"], row["sentences_first"], row["paired_by"]) for row in rows},
                         {("29", "30", "40", "text")})
        self.assertEqual([row["layer"] for row in rows], ["1", "2", "3"])

    def test_unrelated_texts_are_no_pairs(self):
        """300 sentences against 977 of another language: many have as many words, none is the same."""
        english = self.record("english", [f"e{n} " + " ".join(["the"] * (1 + n % 9)) for n in range(60)])
        german = self.record("german", [f"d{n} " + " ".join(["die"] * (1 + n % 9)) for n in range(200)], seed=2)
        for command in (["stats", german, "--against", english], ["stats", german, "--against", english, "--allow-partial"],
                        ["figure", "corpus-difference", english, german, "-o", self.folder / "x.svg"]):
            self.expect(2, "0 of 60 and 200 sentences have the same text in both", *command)
        rows = self.rows(german, "--against", english, "--pair-by", "number")
        self.assertEqual({(row["sentences"], row["paired_by"], row["other_text"]) for row in rows}, {("60", "number", "60")})
        figure = self.folder / "number.svg"
        self.run_well("figure", "corpus-difference", english, german, "-o", figure, "--pair-by", "number", "--csv",
                      self.folder / "number.csv")
        self.assertIn("60 sentences paired by number (of 60 and 200), 60 with another text",
                      (self.folder / "number.csv").read_text(encoding="utf-8") + figure.read_text(encoding="utf-8"))
        self.expect(2, "allowed are text and number", "stats", german, "--against", english, "--pair-by", "words")
        self.expect(2, "--pair-by number", "stats", german, "--pair-by", "number")

    def test_a_part_in_common_must_be_allowed(self):
        texts = [f"{line} x{number}" for number, line in enumerate(lines(40))]
        old = self.record("old-texts", texts)
        half = self.record("half", texts[:20] + [f"other {n}" for n in range(20)], seed=2)
        self.expect(2, "--allow-partial compares the 20", "stats", half, "--against", old)
        rows = self.rows(half, "--against", old, "--allow-partial")
        self.assertEqual({row["sentences"] for row in rows}, {"20"})
        other_order = self.record("other-order", texts[::-1], seed=2)
        straight = self.record("straight", texts, seed=2)
        self.assertEqual({row["sentences"] for row in self.rows(other_order, "--against", old)}, {"40"})
        self.assertEqual({row["sentences"] for row in self.rows(straight, "--against", old)}, {"40"})

    def test_maps_of_two_recordings_are_of_one_text(self):
        texts = [f"{line} x{number}" for number, line in enumerate(lines(12))]
        old, other = self.record("old-texts", texts), self.record("other-order", texts[::-1], seed=2)
        output = ["-o", self.folder / "map.svg", "--data", self.folder / "map.h5"]
        self.run_well("figure", "attention-difference", old, other, "--sentence", 3, *output)
        stranger = self.record("stranger", [f"y{n} y y" for n in range(12)])
        for kind in ("attention-difference", "gate-difference"):
            self.expect(2, "is not in the second recording", "figure", kind, old, stranger, "--sentence", 3, *output[:2])
            self.run_well("figure", kind, old, stranger, "--sentence", 3, "--other", 3, *output[:2])

    def test_too_few_shared_sentences(self):
        one = self.record("one", lines(1), seed=2)
        self.expect(2, "1 sentence in both; intervals need at least", "stats", one, "--against", self.old)
        few = self.record("few", lines(3), seed=2)
        self.assertIn(b"p cannot be below 0.25", self.run_mog("stats", few, "--against", self.old).stderr)

    def test_what_does_not_go_with_it_is_refused(self):
        for arguments, words in ((["--by", "layer,length"], "--by as layer"), (["--by", "layer,position"], "--by as layer"),
                                 (["--trend"], "--trend"), (["--dimensions"], "--dimensions"),
                                 (["--relative"], "--relative"), (["--average", "micro"], "--average micro"),
                                 (["--bins", "5"], "--bins 5"), (["--minimum", "3"], "--minimum 3"),
                                 (["--quantity", "joins"], "quantities of the attention grammar"),
                                 (["--quantity", "encoder.*.gate.mean"], "by name"),
                                 (["--quantity", "leaves", "--heads", "1"], "--heads 1"),
                                 (["--permutations", "0"], "--permutations")):
            self.expect(2, words, "stats", self.new, "--against", self.old, *arguments)
        self.expect(2, "--permutations 99 has no effect", "stats", self.new, "--permutations", "99")
        self.expect(2, "nothing.rec", "stats", self.new, "--against", self.folder / "nothing.rec")

    def test_the_figure_shows_the_table(self):
        for name in ("a.svg", "b.svg"):
            self.run_well("figure", "corpus-difference", self.old, self.new, "--quantity", "share", "-o",
                          self.folder / name, "--csv", self.folder / "numbers.csv")
        self.assertEqual((self.folder / "a.svg").read_bytes(), (self.folder / "b.svg").read_bytes())
        picture = (self.folder / "a.svg").read_text(encoding="utf-8")
        for words in ("p &lt; 0.05", "p ≥ 0.05", "40 sentences of both", "p: max-T test by 1,999 sign flips"):
            self.assertIn(words, picture)
        table = {(row["part"], row["layer"]): row
                 for row in self.rows(self.new, "--against", self.old, "--quantity", "share")}
        with open(self.folder / "numbers.csv", encoding="utf-8", newline="") as file:
            points = list(csv.DictReader(file))
        self.assertEqual(len(points), len(table))
        for point in points:
            row = table[(point["series"], point["x_label"])]
            self.assertEqual([point[key] for key in ("y", "low", "high", "sentences", "p")],
                             [row[key] for key in ("difference", "difference_low", "difference_high", "sentences", "p")])

    def test_the_figure_is_of_two_recordings(self):
        out = self.folder / "x.svg"
        self.expect(2, "two recordings of the same sentences, 1 was named", "figure", "corpus-difference", self.old, "-o", out)
        self.expect(2, "3 were named", "figure", "corpus-difference", self.old, self.new,
                    self.record("third", lines(40), seed=3), "-o", out)
        self.expect(2, "--bins 5", "figure", "corpus-difference", self.old, self.new, "-o", out, "--bins", "5")
        self.expect(2, "--sentence 3", "figure", "corpus-difference", self.old, self.new, "-o", out, "--sentence", "3")
        self.expect(2, "corpus-difference", "figure", "weight-by-layer", self.old, "-o", out, "--permutations", "99")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

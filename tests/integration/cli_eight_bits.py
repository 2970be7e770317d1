"""`--precision int8`: every command that runs a model says what rounding its products changes; recordings and figures say that they were
rounded; a decoder, beams and a parser stay near float32.

Usage: cli_eight_bits.py MOG MODELS
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

from mog_cli import MogCase, require_engine, skip

MOG = os.path.abspath(sys.argv[1])
MODELS = pathlib.Path(sys.argv[2]).resolve()
GRAPH, TAGGER = (MODELS / name for name in ("half_weight_gate", "tagger_half_weight_gate"))
SAID = "8-bit products, beside float32 on "
WORDS = "(products rounded to 8 bits)"


class EightBits(MogCase):
    mog = MOG

    def setUp(self):
        super().setUp()
        self.text = self.write("text.txt", "w22 w31 w33 w39\nw21 w24 w37\nw31\nw5 w6 w7 w8 w9\n")

    def commands(self):
        yield "translate", GRAPH, "-i", self.text, "--beam", 3, "--max-tokens", 9, "--record", "{}/t.rec"
        yield "tag", "-m", TAGGER, "-i", self.text
        yield "ablate", GRAPH, "-i", self.text, "--bootstrap", 0
        yield "parse", "-i", self.text
        yield "figure", "attention-grid", GRAPH, "--text", "w22 w31 w33", "-o", "{}/f.svg"

    def test_every_command_says_what_rounding_changes(self):
        for command in self.commands():
            for precision in ("float32", "int8"):
                folder = self.folder / precision
                folder.mkdir(exist_ok=True)
                arguments = [str(one).replace("{}", str(folder)) for one in command]
                done = self.run_mog(*arguments, "--precision", precision)
                said = done.stderr.decode()
                self.assertEqual(done.returncode, 0, said)
                self.assertEqual(SAID in said, precision == "int8", (command, said))
                if precision == "int8":
                    quiet = self.run_mog(*[one.replace(".rec", "2.rec") for one in arguments], "--precision", precision, "--quiet")
                    self.assertEqual((quiet.returncode, quiet.stderr), (0, b""), command)
                    self.assertEqual(quiet.stdout, done.stdout, command)

    def test_recordings_and_figures_say_it(self):
        recording = self.folder / "eight.rec"
        done = self.run_mog("record", "-m", GRAPH, "-i", self.text, "-o", recording, "--capture", "attention,gates", "--precision", "int8")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((done.stdout + done.stderr).decode().count(SAID), 1)
        self.assertIn("int8 " + WORDS, self.run_well("describe", recording))
        for source in ((recording, "-n", 1), (GRAPH, "--text", "w22 w31 w33", "--precision", "int8")):
            numbers = self.folder / "map.csv"
            self.run_well("figure", "attention-grid", *source, "-o", self.folder / "map.svg", "--csv", numbers)
            self.assertIn("int8 " + WORDS, numbers.read_text())

    def test_translations_and_their_scores_stay_near(self):
        """A search has the score that the recording of its translation has, and that is near float32's."""
        rows = {precision: [json.loads(line) for line in self.run_well(
            "translate", GRAPH, "-i", self.text, "--beam", 4, "--n-best", 4, "--max-tokens", 9, "--json", "--precision", precision).splitlines()]
            for precision in ("float32", "int8")}
        self.assertEqual([len(rows[precision]) for precision in rows], [4, 4])
        for exact, rounded in zip(rows["float32"], rows["int8"]):
            likely = [one["log_prob"] for one in rounded["n_best"]]
            self.assertEqual(len(likely), 4)
            self.assertEqual(rounded["score"], max(one["score"] for one in rounded["n_best"]))
            self.assertNotEqual(likely, [one["log_prob"] for one in exact["n_best"]])
            self.assertAlmostEqual(rounded["score"], exact["score"], delta=0.2)


if __name__ == "__main__":
    require_engine(MOG)
    if not json.loads(subprocess.run([MOG, "doctor", "--json"], capture_output=True, check=True).stdout)["eight_bit_products"]:
        skip("this processor has no VNNI")
    unittest.main(argv=sys.argv[:1], verbosity=2)

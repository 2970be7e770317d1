"""`--precision int8`: every command that runs a model says what rounding its products changes; recordings and figures say that they were
rounded; a decoder, beams, links and tags stay near float32; what adds up exactly is refused.

Usage: cli_eight_bits.py MOG MODELS STACKS
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

from mog_cli import MogCase, require_engine, skip

try:
    import h5py
    import numpy as np
except ImportError:
    h5py = None

MOG = os.path.abspath(sys.argv[1])
MODELS, STACKS = (pathlib.Path(path).resolve() for path in sys.argv[2:4])
GRAPH, TAGGER = (MODELS / name for name in ("half_weight_gate", "tagger_half_weight_gate"))
SAID = "8-bit products, beside float32 on "
WORDS = "(products rounded to 8 bits)"


class EightBits(MogCase):
    mog = MOG

    def setUp(self):
        super().setUp()
        self.text = self.write("text.txt", "w22 w31 w33 w39\nw21 w24 w37\nw31\nw5 w6 w7 w8 w9\n")
        self.target = self.write("target.txt", "v22 v31 v33\nv21 v24 v37 v9\nv31 v5\nv5 v6 v7 v8 v9\n")
        self.gold = self.write("gold.iob2", "".join(
            "".join(f"{at}\t{word}\t{'B-LOC' if at % 3 else 'O'}\n" for at, word in enumerate(line.split(), 1)) + "\n"
            for line in self.text.read_text().splitlines()))

    def commands(self):
        yield "stats", "-m", GRAPH, "-i", self.text, "--quantity", "gate", "--bootstrap", 0
        yield "align", GRAPH, "--source", self.text, "--target", self.target, "--from", "cross-attention"
        yield "evaluate", GRAPH, "--source", self.text, "--reference", self.target, "--max-tokens", 5, "--beam", 1, "--bootstrap", 0
        yield "evaluate", TAGGER, "--iob2", self.gold, "--bootstrap", 0
        yield "evaluate", TAGGER, "--teacher", TAGGER, "--text", self.text, "--bootstrap", 0
        yield "evaluate", STACKS / "gpt2", "--perplexity", STACKS / "gpt2" / "corpus.txt", "--bootstrap", 0
        yield "faithfulness", TAGGER, "-i", self.text, "--attributions", "random,leave-one-out", "--bootstrap", 0
        yield "trees", GRAPH, "--text", "w22 w31 w33"
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
                    share = float(re.search(r"differs by ([0-9.]+) % of its norm", said)[1])
                    self.assertTrue(0 < share < 10, (command, said))
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

    @unittest.skipUnless(h5py, "h5py or numpy is absent")
    def test_links_are_those_of_the_rounded_maps(self):
        """Each is the greatest weight of the recording in 8 bits, and float32's where nothing else weighs nearly as much."""
        maps, links = {}, {}
        for precision in ("float32", "int8"):
            recording = self.folder / f"{precision}.rec"
            self.run_well("record", "-m", GRAPH, "-i", self.text, "--target", self.target, "-o", recording, "--capture", "attention",
                          "--store", "float32", "--precision", precision)
            maps[precision] = self.mean_cross_attention(recording)
            lines = self.run_well("align", GRAPH, "--source", self.text, "--target", self.target, "--from", "cross-attention", "--precision",
                                  precision).splitlines()
            links[precision] = [{int(target): int(source) for source, target in (link.split("-") for link in line.split())} for line in lines]
        compared = 0
        for exact, rounded, of_exact, of_rounded in zip(maps["float32"], maps["int8"], links["float32"], links["int8"]):
            self.assertTrue(np.any(exact != rounded))
            self.assertLess(np.abs(exact - rounded).max(), 0.05)
            for target, source in of_rounded.items():
                self.assertEqual(source, rounded[target].argmax())
                best = np.sort(exact[target])[::-1]
                if len(best) == 1 or best[0] - best[1] > 2 * np.abs(exact[target] - rounded[target]).max():
                    self.assertEqual(source, of_exact[target])
                    compared += 1
        self.assertGreater(compared, 5)

    def mean_cross_attention(self, recording):
        """[sentence]: over layers and heads, [target word, source word]; each word is one token, and a row predicts it."""
        words = [[len(line.split()) for line in path.read_text().splitlines()] for path in (self.text, self.target)]
        with h5py.File(recording / "recording.h5") as file:
            names = [name for name in file["quantities"] if name.endswith(".cross.attention")]
            self.assertEqual(len(names), 2)
            found = []
            for row, (sources, targets) in enumerate(zip(*words)):
                of_layers = []
                for name in names:
                    values = file["quantities"][name]
                    begin, end = file[values.attrs["offsets"]][row:row + 2]
                    of_layers.append(values[begin:end].reshape(-1, targets + 1, sources + 1).mean(0))
                found.append(np.mean(of_layers, 0)[:targets, :sources])
        return found

    def test_exact_sums_are_refused_by_name(self):
        files = ("--source", self.text, "--target", self.target, "--precision", "int8")
        for source in ((), ("--from", "alti"), ("--from", "contribution")):
            self.assertIn("--from cross-attention", self.expect(2, "do not add up", "align", GRAPH, *files, *source))
        self.expect(2, "too coarse", "faithfulness", TAGGER, "-i", self.text, "--attributions", "gradient-norm", "--precision", "int8",
                    "--bootstrap", 0)
        self.expect(2, "do not add up", "record", "-m", GRAPH, "-i", self.text, "-o", self.folder / "x.rec", "--check", "--precision", "int8")
        self.expect(2, "Training runs in float32", "randomize", GRAPH, "-o", self.folder / "random", "--precision", "int8")

    def test_parts_of_other_precision_do_not_add_up(self):
        parts = [self.folder / f"part-{part}.sums" for part in (1, 2)]
        for command in (("ablate", GRAPH, "--layers", 1), ("faithfulness", TAGGER, "--attributions", "random")):
            for part, precision in zip((1, 2), ("int8", "float32")):
                self.run_well(*command, "-i", self.text, "--bootstrap", 0, "--shard", f"{part}/2", "-o", parts[part - 1], "--precision", precision)
            self.expect(5, 'the precision is "int8" there, "float32" here', "merge", *parts)

    def test_tags_and_trees_stay_those_of_float32(self):
        """Of trained models, which are sure of short sentences."""
        english = self.write("english.txt", "The dog sleeps .\nShe gave him a book .\nWhy did they go to London ?\n")
        for command in (("tag", "-m", "tagger-en-graph"), ("parse", "-m", "parser-en"), ("parse", "-m", "parser-en-transitions")):
            exact, rounded = (self.run_well(*command, "-i", english, "--precision", precision) for precision in ("float32", "int8"))
            columns = slice(0, 8) if command[0] == "parse" else slice(None)  # behind them stand probabilities
            self.assertEqual(*([line.split("\t")[columns] for line in text.splitlines()] for text in (exact, rounded)))
            self.assertGreater(len(exact.splitlines()), 15)

    def test_perplexity_stays_near(self):
        model = STACKS / "gpt2"
        values = [json.loads(self.run_well("evaluate", model, "--perplexity", model / "corpus.txt", "--bootstrap", 0, "--json", "--precision", precision))
                  for precision in ("float32", "int8")]
        self.assertNotEqual(*(one["surprisal"] for one in values))
        self.assertAlmostEqual(*(one["surprisal"] for one in values), delta=0.02)

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

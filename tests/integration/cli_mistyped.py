"""What `mog` says of command lines that were mistyped: the word that is unknown, and the nearest one.

Usage: cli_mistyped.py MOG
"""
import os
import pathlib
import re
import sys
import unittest

from mog_cli import MogCase


EXPERIMENT = pathlib.Path(__file__).resolve().parents[2] / "resources/experiments/tagger-en-graph.toml"


class Mistyped(MogCase):
    mog = os.path.abspath(sys.argv[1])

    def test_commands(self):
        for arguments, words in ((["recrod", "x"], 'no command "recrod"; did you mean record?'),
                                 (["stat", "x"], "did you mean stats or status?"), (["--threads", 2, "tress"], "did you mean trees?"),
                                 (["hlep"], "did you mean help?"), (["help", "recrod"], "did you mean record?")):
            self.expect(2, words, *arguments)
        self.assertNotIn("did you mean", self.expect(2, 'no command "quixotic"', "quixotic"))
        self.expect(2, "A subcommand is required", "--quiet")

    def test_options(self):
        for arguments, words in ((["record", "--inptu", "x"], "mog record has no option --inptu; did you mean --input?"),
                                 (["--verison"], "mog has no option --verison; did you mean --version?"),
                                 (["stats", "a.rec", "--quantiy=gate"], "mog stats has no option --quantiy; did you mean --quantity?"),
                                 (["figure", "tree", "a.rec", "--sentnce", 3], "--sentence?")):
            self.expect(2, words, *arguments)
        # What is missing is said where every word is known, whatever the values are.
        self.expect(2, "--output is required", "record", "--model", "recrod", "--input", "x")

    def test_figures(self):
        self.expect(2, "figure tre: there is no such figure; did you mean tree?", "figure", "tre", "a.rec", "-o", "x.svg")
        self.expect(2, "there is no such figure; `mog figure list` names them", "figure", "quixotic", "a.rec", "-o", "x.svg")

    def test_values(self):
        text = self.write("text.txt", "a b\n")
        record = ["record", "--model", "x", "--input", text, "--output", self.folder / "x.rec"]
        plot = ["figure", "tree", "a.rec", "-o", "x.svg"]
        for arguments, words in (
                (["stats", "a.rec", "--by", "layer,lenght"], '"lenght" is not allowed; allowed are layer, length, position, upos, head, part; did you mean length?'),
                (["stats", "a.rec", "--by", "laier"], "did you mean layer?"),
                (["stats", "a.rec", "--quantity", "gtae"], "did you mean gate?"),
                (["stats", "a.rec", "--quantity", "layer-needed"], "did you mean layers-needed?"),
                (["stats", "a.rec", "--average", "mikro"], "did you mean micro?"),
                (["stats", "a.rec", "--against", "b.rec", "--pair-by", "numbr"], "did you mean number?"),
                (["trees", "a.rec", "--sentence", 1, "--mode", "fre"], "--mode fre: allowed are free, by-leaves, projective, beam and exact; did you mean free?"),
                (["trees", "a.rec", "--sentence", 1, "--format", "jsn"], "did you mean json?"),
                (["trees", "a.rec", "--sentence", 1, "--gate", "recordd"], "did you mean recorded?"),
                (["trees", "a.rec", "--sentence", 1, "--heads", "unifrom"], "did you mean uniform?"),
                (["syntax", "a.rec", "--treebank", text, "--sources", "atention"], "did you mean attention?"),
                (["counts", "ordres"], "did you mean"),
                (["describe", text, "--kind", "recordng"], "did you mean recording?"),
                (plot[:1] + ["attention"] + plot[2:] + ["--sentence", 1, "--part", "hihg"], "did you mean high?"),
                (plot + ["--theme", "drak"], "--theme drak: allowed are light, dark and high-contrast; did you mean dark?"),
                (record + ["--capture", "gate"], "did you mean gates?"),
                (record + ["--long", "trunctae"], "did you mean truncate?"),
                (record + ["--store", "float61"], "did you mean float16"),
                (record + ["--words", "space"], "did you mean spaces?"),
                (record + ["--invalid-utf8", "relpace"], "did you mean replace?"),
                (["evaluate", "--reference", text, "--hypothesis", text, "--metric", "belu"], "did you mean bleu?"),
                (["evaluate", "--reference", text, "--hypothesis", text, "--metric", "rougel"], "did you mean rouge1, rouge2 or rougeL?"),
                (["evaluate", "--reference", text, "--hypothesis", text, "--metric", "cefae"], "did you mean ceafe"),
                (["faithfulness", "--model", "x", "--input", text, "--attributions", "atli"], "did you mean alti?"),
                (["ablate", "--model", "x", "--input", text, "--parts", "hig"], "did you mean high?")):
            with self.subTest(arguments=arguments):
                self.expect(2, words, *arguments)
        self.assertNotIn("did you mean", self.expect(2, "allowed are text", "trees", "a.rec", "--sentence", 1, "--format", "quixotic"))
        plan = EXPERIMENT.read_text()
        self.assertIn('kind = "bpe"', plan)
        self.expect(3, 'found "bep"; did you mean bpe?', "train", self.write("plan.toml", plan.replace('kind = "bpe"', 'kind = "bep"')))

    def test_files_that_are_not_there(self):
        self.expect(2, "nothing.toml", "train", self.folder / "nothing.toml")
        said = self.expect(2, "there is no such directory, and no bundled model", "record", "--model", "bert-base-uncased", "--input",
                           self.write("text.txt", "a b\n"), "--output", self.folder / "x.rec")
        self.assertIn("download bert-base-uncased --local-dir FOLDER", said)

    def test_data_that_are_not_there(self):
        plan = self.write("plan.toml", EXPERIMENT.read_text())
        names = re.findall(r'"([^"]+\.(?:conllu|iob2))"', EXPERIMENT.read_text())
        self.assertGreater(len(names), 3)
        data = self.folder / "data"
        for name in names[1:]:
            (data / name).parent.mkdir(parents=True, exist_ok=True)
            (data / name).write_text("")
        said = self.expect(2, "a file of the data is not there", "train", plan, "--check", "--data", data)
        self.assertIn(str(data / names[0]), said)
        self.assertNotIn(str(data / names[1]), said)
        (data / names[2]).unlink()
        said = self.expect(2, "files of the data are not there", "train", plan, "--check", "--data", data)
        for name in (names[0], names[2]):
            self.assertIn(str(data / name), said)
        for name in (names[0], names[2]):
            (data / name).write_text("")
        self.assertIn("sound", self.run_well("train", plan, "--check", "--data", data))

    def test_training_without_an_output(self):
        text = EXPERIMENT.read_text()
        self.assertIn("\n[output]\n", text)
        plan = self.write("plan.toml", re.sub(r"\n\[output\]\n[^\[]*", "\n", text))
        self.expect(2, "give --output FOLDER, or a section [output]", "train", plan, "--data", self.folder)
        said = self.run_mog("train", plan, "--data", self.folder, "--output", self.folder / "model").stderr.decode()
        self.assertNotIn("output", said)  # it gets as far as the data
        self.assertIn("there is no such file", said)

    def test_help(self):
        self.assertEqual(self.run_well("help"), self.run_well("--help"))
        self.assertEqual(self.run_well("help", "help"), self.run_well("--help"))
        self.assertEqual(self.run_well("help", "stats"), self.run_well("stats", "--help"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])

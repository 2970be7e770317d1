"""What `mog` says of command lines that were mistyped: the word that is unknown, and the nearest one.

Usage: cli_mistyped.py MOG
"""
import os
import sys
import unittest

from mog_cli import MogCase


class Mistyped(MogCase):
    mog = os.path.abspath(sys.argv[1])

    def test_commands(self):
        for arguments, words in ((["recrod", "x"], 'no command "recrod"; did you mean record?'),
                                 (["stat", "x"], "did you mean stats?"), (["--threads", 2, "tress"], "did you mean trees?"),
                                 (["hlep"], "did you mean help?"), (["help", "recrod"], "did you mean record?")):
            self.expect(2, words, *arguments)
        self.assertNotIn("did you mean", self.expect(2, 'no command "quixotic"', "quixotic"))
        self.expect(2, "A subcommand is required")

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

    def test_files_that_are_not_there(self):
        self.expect(2, "nothing.toml", "train", self.folder / "nothing.toml")
        said = self.expect(2, "there is no such directory, and no bundled model", "record", "--model", "bert-base-uncased", "--input",
                           self.write("text.txt", "a b\n"), "--output", self.folder / "x.rec")
        self.assertIn("download bert-base-uncased --local-dir FOLDER", said)

    def test_help(self):
        self.assertEqual(self.run_well("help"), self.run_well("--help"))
        self.assertEqual(self.run_well("help", "help"), self.run_well("--help"))
        self.assertEqual(self.run_well("help", "stats"), self.run_well("stats", "--help"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])

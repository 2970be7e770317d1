"""One of a thing is said in the singular; a part or layer that is not there is refused with those that are.

Usage: cli_counts_said.py MOG MAKE_RECORDING
"""
import os
import re
import subprocess
import sys
import unittest

from mog_cli import MogCase

MAKE = os.path.abspath(sys.argv[2])
ROWS = "1\tw5\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
PLURAL_OF_ONE = re.compile(r"(?<![\d.,])1 (sentences|words|tokens|layers|heads|shards|trees|lines|rows|runs|updates|epochs|derivations|references)\b")


class CountsSaid(MogCase):
    mog = os.path.abspath(sys.argv[1])

    def recording(self, text, name="a.rec", layers=None):
        path = self.folder / name
        more = [] if layers is None else ["1", "1", str(layers)]
        subprocess.run([MAKE, self.write(name + ".txt", text), path, *more], check=True)
        return path

    def test_one(self):
        text = self.write("text.txt", "w5\n")
        treebank = self.write("gold.conllu", ROWS)
        recording = self.recording("w5\n", layers=1)
        for arguments, words in ((["validate", recording], "1 sentence in 1 shard"), (["describe", recording], "1 layer"),
                                 (["syntax", recording, "--treebank", treebank, "--bootstrap", 0], "1 sentence, 1 word"),
                                 (["trees", recording, "--sentence", 1, "--verbose"], ""), (["stats", recording, "--bootstrap", 0], ""),
                                 (["evaluate", "--hypothesis", text, "--reference", text], "1 sentence, 1 reference")):
            with self.subTest(arguments=arguments):
                result = self.run_mog(*arguments)
                self.assertEqual(result.returncode, 0, result.stderr.decode())
                said = (result.stdout + result.stderr).decode()
                self.assertIn(words, said)
                self.assertIsNone(PLURAL_OF_ONE.search(said), said)
        self.expect(2, "the recording holds 1 sentence,", "trees", recording, "--sentence", 7)

    def test_several(self):
        recording = self.recording("w5 w6\nw7 w8\n")
        self.assertIn("2 sentences in 1 shard", self.run_well("validate", recording))

    def test_parts(self):
        recording = self.recording("w5 w6\n")
        figure = ["figure", "attention", recording, "--sentence", 1, "-o", self.folder / "a.svg"]
        said = self.expect(2, "part full", *figure, "--part", "full")
        self.assertRegex(said, r"it holds high \(layers 1 to \d\), middle1 \(layers \d to \d\), middle2 \(layers \d to \d\)")
        self.assertNotIn("--capture", said)
        self.expect(2, "layer 9", *figure, "--layer", 9)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

"""`mog sentences`: which sentence is which; what a refused owner says.

Usage: cli_sentences.py MOG MAKE_RECORDING
"""
import json
import os
import subprocess
import sys
import unittest

from mog_cli import MogCase

MAKE = os.path.abspath(sys.argv[2])
LINES = ["The dog saw the cat .", "a b", "", "no DOG here", "un cafe\u0301 noir", "a \u001b[31m b"]


class Sentences(MogCase):
    mog = os.path.abspath(sys.argv[1])

    def setUp(self):
        super().setUp()
        self.recording = self.folder / "r"
        corpus = self.write("a.txt", "\n".join(LINES) + "\n")
        subprocess.run([MAKE, corpus, self.recording], check=True)

    def numbers(self, *options):
        lines = self.run_well("sentences", self.recording, *options).splitlines()
        return [int(line.split("\t")[0]) for line in lines]

    def test_lines_have_number_words_and_text(self):
        lines = self.run_well("sentences", self.recording).splitlines()
        self.assertEqual(lines[0], "1\t6\tThe dog saw the cat .")
        self.assertEqual([line.split("\t")[:2] for line in lines],
                         [["1", "6"], ["2", "2"], ["3", "0"], ["4", "3"], ["5", "3"], ["6", "3"]])
        self.assertEqual(lines[5], "6\t3\ta \ufffd[31m b")

    def test_a_text_is_found(self):
        self.assertEqual(self.numbers("--grep", "dog"), [1, 4])
        self.assertEqual(self.numbers("--grep", "DOG"), [4])
        self.assertEqual(self.numbers("--grep", "caf\u00e9"), [5])
        self.assertEqual(self.numbers("--grep", "."), [1])  # no pattern

    def test_numbers_of_words_are_chosen(self):
        for words, expected in (("3", [4, 5, 6]), ("2-3", [2, 4, 5, 6]), ("4-", [1]), ("-2", [2, 3])):
            with self.subTest(words=words):
                self.assertEqual(self.numbers("--words", words), expected)
        self.assertEqual(self.numbers("--words", "2-3", "--grep", "dog"), [4])
        for words in ("x", "3-2", "-", "1-2-3", "1.5", "99999999999999999999"):
            with self.subTest(words=words):
                self.expect(2, f"--words {words}", "sentences", self.recording, "--words", words)

    def test_json_has_a_line_each(self):
        lines = [json.loads(line) for line in self.run_well("sentences", self.recording, "--json").splitlines()]
        self.assertEqual([line["text"] for line in lines], LINES)
        self.assertEqual(lines[3], {"sentence": 4, "words": 3, "text": "no DOG here"})

    def test_none_is_no_error(self):
        result = self.run_mog("sentences", self.recording, "--grep", "zebra")
        self.assertEqual((result.returncode, result.stdout), (0, b""))
        self.assertIn("no sentence of 6 in", result.stderr.decode())

    def test_what_is_no_recording_is_refused(self):
        self.expect(2, "nothing", "sentences", self.folder / "nothing")
        self.expect(3, "a.txt", "sentences", self.folder / "a.txt")

    def test_a_refused_owner_lists_the_words(self):
        listed = "its words: The@1 dog@2 saw@3 the@4 cat@5 .@6"
        for owner in ("cow", "cat@9", "cat@2"):
            with self.subTest(owner=owner):
                self.expect(2, listed, "trees", self.recording, "-n", 1, "--owner", owner)
                self.expect(2, listed, "figure", "tree", self.recording, "-n", 1, "--owner", owner,
                            "-o", self.folder / "t.svg")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""Ctrl-C ends long computations at once (exit 130), also within one sentence and while intervals are drawn.

Usage: cli_interrupts.py MOG MAKE_RECORDING
"""
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from mog_cli import MogCase

MOG, MAKE = (os.path.abspath(path) for path in sys.argv[1:3])
MOST_SECONDS = 15.0  # with sanitizers on a busy machine; the work itself would take minutes
WORDS = 98  # the most that trees of `mog syntax` take are 100
LAYERS = 8


class Interrupts(MogCase):
    mog = MOG

    def setUp(self):
        super().setUp()
        words = " ".join(f"w{i}" for i in range(WORDS))
        self.recording = self.folder / "long.rec"
        subprocess.run([MAKE, self.write("long.txt", words + "\n"), self.recording, "1", "1", str(LAYERS)], check=True)
        rows = "".join(f"{i + 1}\tw{i}\t_\tNOUN\t_\t_\t{i}\t{'dep' if i else 'root'}\t_\t_\n" for i in range(WORDS))
        self.treebank = self.write("long.conllu", rows + "\n")

    def interrupted(self, *arguments):
        output = self.folder / "out.csv"
        process = subprocess.Popen([MOG, *map(str, arguments), "--output", output], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        try:
            time.sleep(1.0)
            self.assertIsNone(process.poll(), ("it was done before the signal", arguments))
            sent = time.monotonic()
            process.send_signal(signal.SIGINT)
            message = process.communicate(timeout=60)[1].decode()
            waited = time.monotonic() - sent
        finally:
            process.kill()
        self.assertEqual(process.returncode, 130, message)
        self.assertLess(waited, MOST_SECONDS, arguments)
        self.assertFalse(output.exists())

    def test_sampling_in_one_sentence(self):
        for quantity in ("distinct", "distinct-mass", "simple"):
            self.interrupted("stats", self.recording, "--quantity", quantity, "--samples", 1000000)

    def test_a_beam_in_one_sentence(self):
        self.interrupted("syntax", self.recording, "--treebank", self.treebank, "--sources", "mog-beam", "--beam", 512)

    def test_lists_of_one_sentence(self):
        self.interrupted("syntax", self.recording, "--treebank", self.treebank, "--sources", "k-best,by-leaves", "--top", 1000)

    def test_intervals(self):
        pair = self.folder / "pair.rec"  # one sentence has no interval
        text = self.write("pair.txt", (self.folder / "long.txt").read_text() * 2)
        subprocess.run([MAKE, text, pair, "1", "1", str(LAYERS)], check=True)
        treebank = self.write("pair.conllu", pathlib.Path(self.treebank).read_text() * 2)
        self.interrupted("syntax", pair, "--treebank", treebank, "--bootstrap", 1000000)
        many = self.folder / "many.rec"
        subprocess.run([MAKE, self.write("many.txt", "a b\n" * 500), many], check=True)
        for options in ((), ("--trend", "--minimum", 1), ("--by", "layer", "--heads", 1, "--quantity", "leaves")):
            self.interrupted("stats", many, "--bootstrap", 1000000, *options)

    def test_figures(self):
        arguments = ("figure", "leaves-by-layer", self.recording, "--quantity", "distinct", "--samples", 1000000)
        process = subprocess.Popen([MOG, *map(str, arguments), "--output", self.folder / "f.svg"], stderr=subprocess.PIPE)
        time.sleep(1.0)
        self.assertIsNone(process.poll())
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertLess(time.monotonic() - sent, MOST_SECONDS)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

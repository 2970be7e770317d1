"""A reader that has left (`mog … | head -1`) ends every command quietly with 0.

Usage: cli_pipe.py MOG MAKE_RECORDING
"""
import os
import subprocess
import sys
import unittest

from mog_cli import MogCase

MAKE = os.path.abspath(sys.argv[2])
TREE = "1\tw5\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tw6\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n"


class Pipe(MogCase):
    mog = os.path.abspath(sys.argv[1])

    def left(self, *arguments):
        """Nobody reads: the first byte fails."""
        reading, writing = os.pipe()
        os.close(reading)
        try:
            return subprocess.run([self.mog, *map(str, arguments)], stdout=writing, stderr=subprocess.PIPE, timeout=300)
        finally:
            os.close(writing)

    def test_every_command(self):
        text = self.write("text.txt", "w5 w6\n" * 20)
        treebank = self.write("gold.conllu", TREE * 20)
        recording = self.folder / "a.rec"
        subprocess.run([MAKE, text, recording], check=True)
        table = self.folder / "a.csv"
        self.run_well("stats", recording, "--bootstrap", 0, "--output", table)
        for arguments in (["--help"], ["--version"], ["help"], ["help", "stats"], ["stats", "--help"],
                          ["describe", recording], ["describe", text], ["describe", recording, "--json"], ["validate", recording],
                          ["trees", recording, "--sentence", 1], ["trees", recording, "--sentence", 1, "--json"],
                          ["trees", recording, "--sentence", 1, "--format", "dot"],
                          ["stats", recording, "--bootstrap", 0], ["stats", recording, "--bootstrap", 0, "--json"],
                          ["syntax", recording, "--treebank", treebank, "--bootstrap", 0],
                          ["counts", "orders"], ["expr", "(a)->a U (b)->b"], ["doctor"], ["figure", "list"],
                          ["evaluate", "--hypothesis", text, "--reference", text]):
            with self.subTest(arguments=arguments):
                shown = self.run_mog(*arguments)
                result = self.left(*arguments)
                self.assertEqual(result.returncode, 0, (shown.stderr.decode(), result.stderr.decode()))
                self.assertEqual(shown.returncode, 0, shown.stderr.decode())
                self.assertNotIn("mog: ", result.stderr.decode())

    def test_one_line(self):
        text = self.write("text.txt", "w5 w6\n" * 200)
        recording = self.folder / "a.rec"
        subprocess.run([MAKE, text, recording], check=True)
        process = subprocess.Popen([self.mog, "stats", str(recording), "--bootstrap", "0"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        self.assertTrue(process.stdout.readline())
        process.stdout.close()
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertNotIn("mog: ", process.stderr.read().decode())
        process.stderr.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

"""With --json an error is one JSON object on stdout, too, whatever failed; stderr and the exit code are as without.

Usage: cli_json_errors.py MOG MAKE_RECORDING
"""
import json
import os
import subprocess
import sys
import unittest

from mog_cli import MogCase

MAKE = os.path.abspath(sys.argv[2])
COMMANDS = ("ablate", "attribute", "convert", "coref", "counts", "demo", "describe", "doctor", "evaluate", "expr", "faithfulness", "figure", "import",
            "patch", "randomize", "record", "sentences", "stats", "summarize", "syntax", "tag", "tokenize", "train", "translate", "trees", "validate")
KINDS = {1: "other", 2: "usage", 3: "format", 4: "no_space", 5: "mismatch", 130: "interrupted"}


class JsonErrors(MogCase):
    mog = os.path.abspath(sys.argv[1])

    def failed(self, *arguments, stdin=b""):
        plain = self.run_mog(*(one for one in arguments if one != "--json"), stdin=stdin)
        result = self.run_mog(*arguments, stdin=stdin)
        self.assertNotEqual(result.returncode, 0, arguments)
        self.assertEqual(result.returncode, plain.returncode, arguments)
        self.assertEqual(result.stderr, plain.stderr, arguments)
        self.assertEqual(plain.stdout, b"", arguments)
        document = json.loads(result.stdout)
        self.assertEqual(list(document), ["error"], arguments)
        error = document["error"]
        self.assertEqual(list(error), ["kind", "exit_code", "message"])
        self.assertEqual((error["exit_code"], error["kind"]), (result.returncode, KINDS[result.returncode]), arguments)
        self.assertIn(error["message"].splitlines()[0], result.stderr.decode())
        return error

    def test_options_that_are_not_there(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                self.assertEqual(self.failed(command, "--frobnicate", "--json")["kind"], "usage")
                self.assertEqual(self.failed(command, "--json", "--frobnicate")["kind"], "usage")
        self.failed("frobnicate", "--json")
        self.failed("--quiet", "--json")

    def test_files_that_are_not_there_or_damaged(self):
        nothing = self.folder / "nothing.rec"
        text = self.write("text.txt", "a b\n")
        recording = self.folder / "a.rec"
        subprocess.run([MAKE, text, recording], check=True)
        for arguments in (["describe", nothing], ["validate", nothing], ["sentences", nothing], ["stats", nothing],
                          ["trees", nothing, "--sentence", 1], ["figure", "gate", nothing, "-n", 1, "-o", self.folder / "x.svg"],
                          ["syntax", nothing, "--treebank", text], ["syntax", recording, "--treebank", text],
                          ["evaluate", "--hypothesis", nothing, "--reference", text], ["expr", "-i", nothing],
                          ["expr", "--", "(a"], ["trees", recording, "--sentence", 9], ["stats", recording, "--quantity", "frob"],
                          ["counts", "frob"], ["train", nothing], ["convert", nothing, "-o", self.folder / "m"],
                          ["import", nothing, "-o", self.folder / "i"], ["tokenize", nothing, "-i", text]):
            with self.subTest(arguments=arguments):
                self.failed(arguments[0], "--json", *arguments[1:])
        damaged = self.write("damaged.safetensors", "no tensors")
        self.assertEqual(self.failed("describe", damaged, "--json")["kind"], "format")

    def test_what_succeeds_says_nothing_of_errors(self):
        self.assertNotIn('"error":', self.run_well("doctor", "--json").replace("engine_error", "").replace("_error", ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

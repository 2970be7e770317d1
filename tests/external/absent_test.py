#!/usr/bin/env python3
"""Every comparison of this folder skips (exit code 77, a reason) where the other program, the model or a package is absent.

    absent_test.py

Packages that cannot be imported stand before the real ones, so that the answer is the same on every machine.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = sorted(path.name for path in HERE.glob("*.py") if path.name not in ("external.py", "run.py", "absent_test.py"))
PACKAGES = ("captum", "h5py", "networkx", "nltk", "numpy", "rouge_score", "sacrebleu", "safetensors", "seqeval",
            "torch", "transformer_lens", "transformers", "yaml")


class Absent(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "empty").mkdir()
        (self.folder / "model").mkdir()
        for name in ("config.json", "model.safetensors"):
            (self.folder / "model" / name).write_text("{}")
        (self.folder / "file").write_text("")
        (self.folder / "packages").mkdir()
        for name in PACKAGES:
            (self.folder / "packages" / f"{name}.py").write_text(f"raise ImportError('no {name}')\n")

    def run_script(self, script, *arguments):
        return subprocess.run([sys.executable, HERE / script, *map(str, arguments)], capture_output=True, text=True, timeout=120,
                              env={**os.environ, "PYTHONPATH": str(self.folder / "packages")})

    def given(self, script, model, code, data):
        """The options that `script` requires, as its help names them."""
        usage = self.run_script(script, "--help").stdout
        values = {"--model": model, "--code": code, "--conllu": data, "--iob2": data, "--texts": data}
        return [part for option, value in values.items() if f"{option} {option[2:].upper()}" in usage
                for part in (option, self.folder / value)]

    def expect_skip(self, script, word, *arguments):
        result = self.run_script(script, "--mog", self.folder / "file", *arguments)
        self.assertEqual(result.returncode, 77, script + "\n" + result.stdout + result.stderr)
        self.assertIn("skipped: ", result.stdout)
        self.assertIn(word, result.stdout.splitlines()[-1])

    def test_there_are_scripts(self):
        self.assertGreaterEqual(len(SCRIPTS), 10)

    def test_help_names_every_option(self):
        for script in [*SCRIPTS, "run.py"]:
            result = self.run_script(script, "--help")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("--mog", result.stdout)

    def test_nothing_where_the_paths_lead(self):
        for script in SCRIPTS:
            self.expect_skip(script, "", *self.given(script, "none", "none", "none"))

    def test_a_folder_that_is_no_model(self):
        for script in SCRIPTS:
            given = self.given(script, "empty", "empty", "file")
            if "--model" in given:
                self.expect_skip(script, "config.json is absent", *given)

    def test_packages_are_absent(self):
        for script in SCRIPTS:
            self.expect_skip(script, "cannot be imported", *self.given(script, "model", "empty", "file"))

    def test_all_at_once(self):
        result = self.run_script("run.py", "--mog", self.folder / "file", "--model", self.folder / "model", "--codes",
                                 self.folder / "empty", "--data", self.folder / "empty")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        for script in SCRIPTS:
            self.assertIn(f"| {script} | skipped: ", result.stdout)


if __name__ == "__main__":
    unittest.main()

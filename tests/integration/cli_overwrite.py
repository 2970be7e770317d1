"""`mog record --overwrite`: the old recording stays until the new one is complete; nobody else's files go.

Usage: cli_overwrite.py MOG MODELS_DIR    (skips when the engine is not there)
"""
import fcntl
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from mog_cli import require_engine

MOG, MODELS = (os.path.abspath(path) for path in sys.argv[1:3])
MODEL = os.path.join(MODELS, "half_weight_gate")


def mog(*arguments):
    return subprocess.run([MOG, *map(str, arguments)], capture_output=True, timeout=300)


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


class Overwrite(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.output = self.folder / "out" / "corpus.rec"
        self.output.parent.mkdir()
        self.old = self.corpus("old.txt", 5)
        self.new = self.corpus("new.txt", 9)

    def corpus(self, name, lines):
        path = self.folder / name
        path.write_text("".join(f"w{5 + n} w{6 + n} w7\n" for n in range(lines)))
        return path

    def arguments(self, corpus, *more):
        return ["record", "--model", MODEL, "--input", corpus, "--output", self.output, *more]

    def record(self, corpus, *more, code=0):
        result = mog(*self.arguments(corpus, *more))
        self.assertEqual(result.returncode, code, result.stderr.decode())
        return result.stderr.decode()

    def begin(self):
        self.record(self.old)
        return contents(self.output)

    def stays(self, before):
        """The old recording alone, to the last byte."""
        self.assertEqual(contents(self.output), before)
        self.assertEqual([entry.name for entry in self.output.parent.iterdir()], ["corpus.rec"])

    def test_replaces(self):
        self.begin()
        self.assertIn("replace a recording by --overwrite", self.record(self.new, code=2))
        self.record(self.new, "--overwrite")
        self.assertEqual(mog("validate", self.output).returncode, 0)
        self.assertIn(b"9", mog("describe", self.output).stdout)
        self.assertEqual([entry.name for entry in self.output.parent.iterdir()], ["corpus.rec"])
        by_name = self.folder / "direct.rec"
        self.assertEqual(mog("record", "--model", MODEL, "--input", self.new, "--output", by_name).returncode, 0)
        self.assertEqual(sorted(contents(self.output)), sorted(contents(by_name)))
        self.assertEqual(mog("stats", self.output, "--bootstrap", 0).stdout, mog("stats", by_name, "--bootstrap", 0).stdout)

    def test_nothing_to_replace(self):
        self.record(self.new, "--overwrite")
        self.assertEqual(mog("validate", self.output).returncode, 0)

    def test_errors_leave_the_old_one(self):
        before = self.begin()
        bad = self.folder / "bad.txt"
        bad.write_bytes(b"w5 w6\nw7 \xff\n")
        self.record(bad, "--overwrite", code=3)
        self.stays(before)
        self.assertIn("use one of the two", self.record(self.new, "--overwrite", "--resume", code=2))
        self.stays(before)

    def test_signals_leave_the_old_one(self):
        before = self.begin()
        many = self.corpus("many.txt", 30)
        many.write_text(many.read_text() * 4000)
        for sent in (signal.SIGINT, signal.SIGKILL):
            process = subprocess.Popen([MOG, *map(str, self.arguments(many, "--overwrite", "--commit-every", "20"))],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            fresh = self.output.parent / ".corpus.rec.overwriting"
            while not (fresh / "shard-00002.h5").exists() and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(sent)
            said = process.communicate(timeout=240)[1].decode()
            self.assertEqual(process.returncode, 130 if sent == signal.SIGINT else -signal.SIGKILL, said)
            if sent == signal.SIGINT:
                self.assertIn("nothing was replaced", said)
                self.stays(before)
            self.assertEqual(contents(self.output), before)
        self.record(self.new, "--overwrite")  # and removes what the killed one left
        self.assertEqual([entry.name for entry in self.output.parent.iterdir()], ["corpus.rec"])

    def test_foreign_files(self):
        self.begin()
        for name in ("notes.txt", "shard-notes.h5", "figures"):
            foreign = self.output / name
            foreign.mkdir() if name == "figures" else foreign.write_text("mine")
            before = sorted(entry.name for entry in self.output.iterdir())
            self.assertIn(f'it holds "{name}"', self.record(self.new, "--overwrite", code=2))
            self.assertEqual(sorted(entry.name for entry in self.output.iterdir()), before)
            foreign.rmdir() if name == "figures" else foreign.unlink()

    def test_what_is_no_recording(self):
        self.output.mkdir()
        (self.output / "thesis.tex").write_text("mine")
        self.assertIn("it is no recording", self.record(self.new, "--overwrite", code=2))
        self.assertEqual(contents(self.output), {"thesis.tex": b"mine"})
        (self.output / "manifest.json").write_text("{}")
        self.record(self.new, "--overwrite", code=2)
        (self.output / "thesis.tex").unlink()
        self.assertIn("no recording that can be read", self.record(self.new, "--overwrite", code=2))
        self.assertEqual(contents(self.output), {"manifest.json": b"{}"})

    def test_a_link(self):
        before = self.begin()
        there = self.output.rename(self.folder / "elsewhere.rec")
        self.output.symlink_to(there)
        for output in (self.output, f"{self.output}/"):
            result = mog("record", "--model", MODEL, "--input", self.new, "--output", output, "--overwrite")
            self.assertEqual(result.returncode, 2)
            self.assertIn("no folder of its own", result.stderr.decode())
        self.assertEqual(contents(there), before)

    def test_another_writer(self):
        before = self.begin()
        with (self.output / "journal.jsonl").open("rb+") as journal:
            fcntl.flock(journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
            result = mog(*self.arguments(self.new, "--overwrite"))
            self.assertNotEqual(result.returncode, 0)
        self.stays(before)


if __name__ == "__main__":
    require_engine(MOG)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

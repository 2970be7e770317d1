"""`mog stats --model` and `mog merge`: parts of a corpus, killed and resumed, add up to the whole.

Usage: cli_stats_running.py MOG MODELS
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

from mog_cli import MogCase, require_engine

MOG = os.path.abspath(sys.argv[1])
MODEL = pathlib.Path(sys.argv[2]).resolve() / "half_weight_gate"
QUANTITY = "gate,entropy,leaves,joins"


class Running(MogCase):
    mog = MOG

    def setUp(self):
        super().setUp()
        self.corpus = self.write("corpus.txt", "".join(
            " ".join(f"w{(line * 7 + word) % 50}" for word in range(1 + line * 5 % 17)) + "\n" for line in range(12000)))  # parts that begin with a window of batches

    def count(self, *more):
        return ["stats", "-m", MODEL, "-i", self.corpus, "--quantity", QUANTITY, "--bootstrap", 100, "--quantiles", *more]

    def test_parts_that_were_killed_add_up_to_the_whole(self):
        whole = self.run_well(*self.count())
        parts = []
        killed = 0
        for part in range(1, 4):
            path = self.folder / f"{part}.sums"
            command = self.count("--shard", f"{part}/3", "-o", path, "--commit-every", 50, "--resume")
            for _ in range(2):
                before = path.stat().st_mtime_ns if path.exists() else 0
                process = subprocess.Popen([MOG, *map(str, command)], stderr=subprocess.DEVNULL)
                while process.poll() is None and (path.stat().st_mtime_ns if path.exists() else 0) == before:
                    time.sleep(0.001)  # until something was committed
                killed += process.poll() is None
                process.send_signal(signal.SIGKILL)
                process.wait()
            self.run_well(*command)
            parts.append(path)
        self.assertGreater(killed, 0)
        self.assertEqual(self.run_well("merge", parts[2], parts[0], parts[1]), whole)
        leftovers = [path.name for path in self.folder.iterdir() if ".part-" in path.name and ".sums" not in path.name]
        self.assertEqual(leftovers, [])

        # A finished part is not counted again.
        before = parts[0].read_bytes()
        self.run_well(*self.count("--shard", "1/3", "-o", parts[0], "--resume"))
        self.assertEqual(parts[0].read_bytes(), before)

    def test_two_tasks_with_one_number_leave_one_sound_part(self):
        """A queue may begin a task again while its first process still runs."""
        whole = self.run_well(*self.count())
        command = self.count("--shard", "1/2", "-o", self.folder / "1.sums", "--commit-every", 500, "--resume")
        both = [subprocess.Popen([MOG, *map(str, command)], stderr=subprocess.PIPE) for _ in range(2)]
        for process in both:
            self.assertEqual((process.communicate()[1], process.returncode)[1], 0)
        self.run_well(*self.count("--shard", "2/2", "-o", self.folder / "2.sums"))
        self.assertEqual(self.run_well("merge", self.folder / "1.sums", self.folder / "2.sums"), whole)
        self.assertEqual([path.name for path in self.folder.glob("*.part-*")], [])

    def test_gate_dimensions_are_those_of_a_recording_and_add_up(self):
        options = ("--dimensions", "--layers", "1-2")
        command = ("stats", "-m", MODEL, "-i", self.corpus, *options)
        whole = self.run_well(*command)
        parts = [self.folder / f"{part}.sums" for part in range(1, 4)]
        for part, path in enumerate(parts, 1):
            self.run_well(*command, "--shard", f"{part}/3", "-o", path)
        self.assertEqual(self.run_well("merge", *parts), whole)
        recording = self.folder / "gates.rec"
        self.run_well("record", "-m", MODEL, "-i", self.corpus, "-o", recording, "--capture", "gates", "--store", "float32", "--layers", "1-2")
        wanted = self.run_well("stats", recording, *options)
        for row, other in zip(whole.splitlines(), wanted.splitlines(), strict=True):
            for value, expected in zip(row.split(","), other.split(","), strict=True):
                if value != expected:
                    self.assertAlmostEqual(float(value), float(expected), delta=1e-12)
        self.expect(2, "--bootstrap 10 has no effect here", *command, "--bootstrap", 10)
        self.expect(2, "only --quantity gate has dimensions", *command, "--quantity", "entropy")

    def test_quantiles_of_a_recording_are_the_same_digits(self):
        few = self.write("few.txt", "".join(line + "\n" for line in self.corpus.read_text().splitlines()[:300]))
        recording = self.folder / "maps.rec"
        self.run_well("record", "-m", MODEL, "-i", few, "-o", recording, "--capture", "attention,gates,orders", "--store", "float32")
        options = ("--quantity", "gate,leaves,joins,part-leaves", "--quantiles", "--json")
        tables = [self.run_well("stats", "-m", MODEL, "-i", few, *options), self.run_well("stats", recording, *options)]
        rows = [[json.loads(line) for line in table.splitlines()] for table in tables]
        self.assertEqual(len(rows[0]), len(rows[1]))
        quartiles = 0
        for row, other in zip(*rows):
            self.assertEqual((row["measure"], row["layer"], row["bin"], row["tokens"]), (other["measure"], other["layer"], other["bin"], other["tokens"]))
            if row["q50"] is not None:
                self.assertEqual(row["quantile_bound"], 1 / 512)
                self.assertLessEqual(row["q25"], row["q50"])
                self.assertLessEqual(row["q50"], row["q75"])
                quartiles += 1
                self.assertAlmostEqual(row["mean"], other["mean"], delta=1e-12)
            self.assertEqual([row[key] for key in ("q25", "q50", "q75")], [other[key] for key in ("q25", "q50", "q75")])
        self.assertGreater(quartiles, 10)

    def test_parts_of_speech_are_those_of_a_recording_and_add_up(self):
        tags = ("NOUN", "VERB", "ADJ", "_", "PUNCT")
        treebank = self.write("gold.conllu", "".join(
            "".join(f"{word}\tw{(line * 7 + word) % 50}\t_\t{tags[(line + word * word) % 5]}\t_\t_\t{word - 1}\tdep\t_\t_\n"
                    for word in range(1, 2 + line * 5 % 17)) + "\n" for line in range(600)))
        options = ("--quantity", "gate,joins,part-leaves", "--by", "layer,upos", "--quantiles", "--bootstrap", 50)
        command = ("stats", "-m", MODEL, "-i", treebank, *options)
        recording = self.folder / "maps.rec"
        self.run_well("record", "-m", MODEL, "-i", treebank, "-o", recording, "--capture", "attention,gates", "--store", "float32")
        rows = [[json.loads(line) for line in self.run_well(*one, "--json").splitlines()]
                for one in (command, ("stats", recording, *options, "--treebank", treebank))]
        self.assertEqual({row["bin"] for row in rows[0]}, set(tags))
        self.assertEqual(len(rows[0]), len(rows[1]))
        for row, other in zip(*rows):
            for key in ("measure", "layer", "bin", "sentences", "tokens", "q25", "q50", "q75", "q50_low", "q50_high"):
                self.assertEqual(row[key], other[key], key)
            self.assertAlmostEqual(row["mean"], other["mean"], delta=1e-12)
            self.assertLessEqual(row["q50_low"], row["q50"])
            self.assertGreaterEqual(row["q50_high"], row["q50"])
        parts = [self.folder / f"{part}.sums" for part in range(1, 4)]
        for part, path in enumerate(parts, 1):
            self.run_well(*command, "--shard", f"{part}/3", "-o", path, "--batch-tokens", 1)
        self.assertEqual(self.run_well("merge", *parts), self.run_well(*command, "--batch-tokens", 1))

    def test_trends_are_those_of_a_recording_and_add_up(self):
        options = ("--trend", "--bootstrap", 20, "--quantity", "gate,entropy")
        whole = self.run_well("stats", "-m", MODEL, "-i", self.corpus, *options)
        parts = [self.folder / f"{part}.sums" for part in range(1, 3)]
        for part, path in enumerate(parts, 1):
            self.run_well("stats", "-m", MODEL, "-i", self.corpus, *options, "--shard", f"{part}/2", "-o", path)
        self.assertEqual(self.run_well("merge", *parts), whole)
        recording = self.folder / "summary.rec"
        self.run_well("record", "-m", MODEL, "-i", self.corpus, "-o", recording, "--capture", "none",
                      "--quantity", "encoder.*.gate.mean,encoder.*.*.attention.row_entropy")
        self.assertEqual(self.run_well("stats", recording, *options), whole)

    def test_what_is_refused(self):
        one = self.folder / "one.sums"
        self.run_well(*self.count("--shard", "1/2", "-o", one))
        self.expect(2, "it is there already", *self.count("--shard", "1/2", "-o", one))
        self.expect(2, "of 2 parts 2 is missing", "merge", one)
        self.assertIn("numbers of a part of the corpus", self.run_mog("merge", one, "--allow-missing").stderr.decode())
        self.expect(2, "name a file that ends in .sums", *self.count("--shard", "1/2", "-o", self.folder / "t.csv"))
        self.expect(2, "--model and --input go together", "stats", "-m", MODEL)
        self.expect(2, "--resume has no effect here", "stats", self.folder, "--resume")
        self.expect(2, "--quantiles has no effect here", *self.count("--trend"))
        self.expect(2, "--input takes a treebank", "stats", "-m", MODEL, "-i", self.corpus, "--by", "layer,upos")
        self.expect(2, "the treebank is the corpus", *self.count("--treebank", self.corpus))
        self.expect(2, "paired by their texts", *self.count("--against", self.folder))
        self.expect(2, "--mismatch skip has no effect here", *self.count("--mismatch", "skip"))
        self.expect(2, "translates nothing", "stats", "-m", MODEL, "-i", self.corpus, "--quantity", "edges", "--target", "cross")
        self.expect(2, "reads no graph", "stats", "-m", MODEL, "-i", self.corpus, "--quantity", "relations")
        bins = self.folder / "bins.sums"
        self.run_well(*self.count("--bins", 5, "--shard", "2/2", "-o", bins))
        self.expect(2, "counted with the same options", "merge", one, bins)
        self.expect(5, "it counted", *self.count("--bins", 5, "--shard", "1/2", "-o", one, "--resume"))
        damaged = bytearray(one.read_bytes())
        damaged[-3] ^= 1
        one.write_bytes(damaged)
        self.expect(3, "its sum does not hold", "merge", one)
        self.expect(3, "no partial statistics", "merge", self.corpus)

    def test_output_as_lines_and_as_sums(self):
        self.run_well(*self.count("-o", self.folder / "all.sums"))
        self.run_well("merge", self.folder / "all.sums", "-o", self.folder / "again.sums")
        self.assertEqual((self.folder / "all.sums").read_bytes(), (self.folder / "again.sums").read_bytes())
        lines = self.run_well("merge", self.folder / "all.sums", "--json").splitlines()
        self.assertEqual(len(lines), len(self.run_well("merge", self.folder / "all.sums").splitlines()) - 1)


if __name__ == "__main__":
    require_engine(MOG)
    unittest.main(argv=sys.argv[:1], verbosity=2)

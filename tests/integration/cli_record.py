"""`mog record` with the real engine on a small model: exit codes, policies, SIGINT, SIGKILL and --resume.

Usage: cli_record.py MOG MODELS_DIR    (skips when the engine is not there)
"""
import csv
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from mog_cli import require_engine

MOG, MODELS = (os.path.abspath(path) for path in sys.argv[1:3])
MODEL = os.path.join(MODELS, "half_weight_gate")
CAPTURE = ["--capture", "summary,attention,gates,hidden,orders", "--store", "float32"]


def mog(*arguments, stdin=None):
    return subprocess.run([MOG, *map(str, arguments)], capture_output=True, input=stdin, timeout=300)


class Record(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def corpus(self, lines, name="corpus.txt", seed=1):
        words = [f"w{i}" for i in range(5, 39)]
        draw = random.Random(seed)
        path = self.folder / name
        path.write_text("".join(" ".join(draw.choices(words, k=draw.randint(1, 30))) + "\n" for _ in range(lines)))
        return path

    def record(self, corpus, output, *more, model=MODEL):
        return mog("record", "--model", model, "--input", corpus, "--output", self.folder / output, *CAPTURE, *more)

    def expect(self, code, word, result):
        self.assertEqual(result.returncode, code, result.stderr.decode())
        self.assertIn(word, result.stderr.decode())

    def table(self, output):
        result = mog("stats", self.folder / output, "--quantity", "gate,share,entropy,order", "--bootstrap", 0)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return result.stdout

    def test_the_thin_path(self):
        corpus = self.corpus(60)
        result = self.record(corpus, "r", "--json")
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        document = json.loads(result.stdout)
        self.assertEqual(document["sentences"], 60)
        for key in ("tokens", "size_bytes", "elapsed_s", "estimated_size_bytes"):
            self.assertGreater(document[key], 0)
        self.assertIn("about", result.stderr.decode())
        for command in (["validate"], ["trees", "-n", "2"], ["stats"],
                        ["figure", "weight-by-layer", "-o", str(self.folder / "w.svg")]):
            arguments = command[:2] if command[0] == "figure" else command[:1]
            done = mog(*arguments, self.folder / "r", *command[len(arguments):])
            self.assertEqual(done.returncode, 0, done.stderr.decode())
        self.expect(2, "--resume", self.record(corpus, "r"))
        self.assertEqual(self.record(corpus, "r", "--resume").returncode, 0)

    def test_a_recording_gets_a_name(self):
        corpus = self.corpus(20)
        self.assertEqual(self.record(corpus, "r", "--name", "six layers").returncode, 0)
        name = lambda: json.loads(mog("describe", self.folder / "r", "--json").stdout)["name"]
        self.assertEqual(name(), "six layers")
        for again in ([], ["--name", "six layers"]):
            self.assertEqual(self.record(corpus, "r", "--resume", *again).returncode, 0)
        self.assertEqual(name(), "six layers")
        self.expect(2, 'its name is "six layers", not "seven"', self.record(corpus, "r", "--resume", "--name", "seven"))
        self.assertEqual(self.record(corpus, "r", "--overwrite", "--name", "seven").returncode, 0)
        self.assertEqual(name(), "seven")
        for bad, why in (("x\n", "control"), (" x", "space"), ("x" * 81, "81 characters")):
            self.expect(2, why, self.record(corpus, "s", "--name", bad))
            self.assertFalse((self.folder / "s").exists())

    def test_standard_input_and_threads_change_nothing(self):
        corpus = self.corpus(80)
        self.assertEqual(self.record(corpus, "file", "--threads", 1).returncode, 0)
        piped = mog("record", "-m", MODEL, "-i", "-", "-o", self.folder / "pipe", *CAPTURE, "--threads", 3,
                    stdin=corpus.read_bytes())
        self.assertEqual(piped.returncode, 0, piped.stderr.decode())
        one = self.table("file").replace(b"corpus.txt", b"standard input")
        self.assertEqual(one, self.table("pipe"))

    def test_what_is_wrong_with_the_input(self):
        empty = self.folder / "empty.txt"
        empty.write_text("\n\n")
        self.expect(3, "empty.txt", self.record(empty, "r"))
        bad = self.folder / "bad.txt"
        bad.write_bytes(b"w5 w6\nw7 \xff\n")
        self.expect(3, "2", self.record(bad, "r"))
        self.assertEqual(self.record(bad, "replaced", "--invalid-utf8", "replace").returncode, 0)
        long = self.folder / "long.txt"
        long.write_text("w5\n" + "w6 " * 3000 + "\n")
        self.expect(5, "line 2", self.record(long, "r"))
        self.assertEqual(self.record(long, "short", "--long", "skip").returncode, 0)
        self.expect(2, "nothing.txt", self.record(self.folder / "nothing.txt", "r"))
        self.assertFalse((self.folder / "r").exists())

    def test_lines_longer_than_the_position_table(self):
        corpus = self.folder / "c.txt"
        corpus.write_text("w5 w6\n" + "w7 " * 200 + "\n")
        result = self.record(corpus, "r", model=os.path.join(MODELS, "position_learned"))
        self.expect(5, "positions", result)
        cut = self.record(corpus, "cut", "--long", "truncate", model=os.path.join(MODELS, "position_learned"))
        self.assertEqual(cut.returncode, 0, cut.stderr.decode())

    def test_what_makes_it_smaller(self):
        corpus = self.corpus(30)
        sizes = {}
        for name, more in (("half", []), ("eight", ["--store", "uint8"]), ("packed", ["--store", "uint8", "--deflate", 4])):
            done = mog("record", "-m", MODEL, "-i", corpus, "-o", self.folder / name, "--capture", "attention,gates,hidden",
                       *more)
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            self.assertEqual(mog("validate", self.folder / name).returncode, 0)
            sizes[name] = sum(path.stat().st_size for path in (self.folder / name).glob("shard-*.h5"))
        self.assertLess(sizes["eight"], sizes["half"])
        self.assertLess(sizes["packed"], sizes["eight"])
        described = mog("describe", self.folder / "eight").stdout.decode()
        self.assertRegex(described, r"attention \[head, query, key\] uint8 \(within sqrt\(w\)/255 before rows")
        self.assertRegex(described, r"encoder\.L\.gate \[token, d_model\] float16")
        trees = {name: mog("trees", self.folder / name, "-n", 2) for name in sizes}
        self.assertTrue(all(done.returncode == 0 for done in trees.values()))
        self.assertEqual(trees["eight"].stdout, trees["packed"].stdout)
        self.expect(2, "--deflate", self.record(corpus, "r", "--deflate", 10))

    def test_products_in_8_bits_say_what_they_change(self):
        if not json.loads(mog("doctor", "--json").stdout)["eight_bit_products"]:
            self.expect(1, "VNNI", self.record(self.corpus(5), "none", "--precision", "int8"))
            return
        corpus = self.corpus(60)
        result = self.record(corpus, "eight", "--precision", "int8", "--json")
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        rounding = json.loads(result.stdout)["rounding"]
        self.assertGreater(rounding["sentences"], 0)
        self.assertTrue(0 < rounding["attention"] < 0.2 and 0 < rounding["output"] < 0.2, rounding)
        said = self.record(corpus, "again", "--precision", "int8")
        self.assertIn("8-bit products, beside float32", said.stdout.decode())
        header = json.loads(mog("describe", self.folder / "eight", "--json").stdout)
        self.assertIn('"precision": "int8"', json.dumps(header))
        self.expect(2, "is for processors", self.record(corpus, "card", "--precision", "int8", "--device", "cuda"))
        # Another precision is another run.
        parts = []
        for name, precision in (("a.sums", "float32"), ("b.sums", "int8")):
            parts.append(self.folder / name)
            counted = mog("stats", "--model", MODEL, "--input", corpus, "--shard", f"{len(parts)}/2", "--quantity",
                          "entropy", "--precision", precision, "--output", parts[-1])
            self.assertEqual(counted.returncode, 0, counted.stderr.decode())
        self.expect(5, "precision", mog("merge", *parts, "--output", self.folder / "t.csv"))

    def test_commits_are_joined(self):
        corpus = self.corpus(40)
        tables = {}
        for name, more in (("joined", []), ("apart", ["--shard-mib", 0])):
            self.assertEqual(self.record(corpus, name, "--commit-every", 1, *more).returncode, 0)
            self.assertEqual(mog("validate", self.folder / name).returncode, 0)
            tables[name] = self.table(name)
        count = {name: len(list((self.folder / name).glob("shard-*.h5"))) for name in tables}
        self.assertEqual(count["joined"], 1)
        self.assertGreater(count["apart"], 16)
        self.assertEqual(tables["joined"], tables["apart"])

    def test_wrong_choices(self):
        corpus = self.corpus(5)
        for more in (["--capture", "maps"], ["--store", "int8"], ["--layers", "9"], ["--shard", "3/2"],
                     ["--long", "cut"], ["--precision", "float8"], ["--max-length", "1"], ["--beam", "7"],
                     ["--length-penalty", "0.5"], ["--max-tokens", "3"]):
            self.expect(2, more[0], mog("record", "-m", MODEL, "-i", corpus, "-o", self.folder / "r", *more))
        plain = os.path.join(MODELS, "transformer_post")
        self.expect(2, "nothing of what --capture names",
                    mog("record", "-m", plain, "-i", corpus, "-o", self.folder / "r", "--capture", "gates"))
        self.assertNotEqual(mog("record", "-m", MODEL, "-i", corpus, "-o", self.folder / "r", "--device",
                                "cuda:99").returncode, 0)
        self.assertFalse((self.folder / "r").exists())

    def test_shards_are_the_whole(self):
        corpus = self.corpus(50)
        self.assertEqual(self.record(corpus, "whole").returncode, 0)
        parts = []
        for shard in (1, 2, 3):
            self.assertEqual(self.record(corpus, f"p{shard}", "--shard", f"{shard}/3").returncode, 0)
            parts.append(self.folder / f"p{shard}")
        joined = mog("stats", *parts, "--quantity", "gate,share,entropy,order", "--bootstrap", 0)
        self.assert_same_table(joined.stdout, self.table("whole"))

    def assert_same_table(self, left, right):
        """Equal texts and counts; measured numbers, all of order 1 or differences of such, up to the rounding of
        float32 products, which depends on the sentences that share a batch and on the processor."""
        rows = [list(csv.reader(table.decode().splitlines())) for table in (left, right)]
        self.assertEqual(len(rows[0]), len(rows[1]))
        measured = {rows[0][0].index(name) for name in ("mean", "variance", "difference")}
        for one, other in zip(*rows):
            self.assertEqual(len(one), len(other))
            for column, (a, b) in enumerate(zip(one, other)):
                if column in measured and a != b:
                    self.assertLessEqual(abs(float(a) - float(b)), 1e-6 * max(abs(float(b)), 1), (one, other))
                else:
                    self.assertEqual(a, b, (one, other))

    def test_no_room_is_exit_4(self):
        if os.geteuid() != 0 or shutil.which("mount") is None:
            self.skipTest("needs root to mount a small disk")
        small = self.folder / "small"
        small.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small], capture_output=True).returncode:
            self.skipTest("tmpfs cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", small])
        result = mog("record", "-m", MODEL, "-i", self.corpus(300), "-o", small / "r", *CAPTURE)
        self.expect(4, "free", result)
        self.assertFalse((small / "r").exists())

    SMALL = ["--batch-tokens", "200", "--threads", "2", "--commit-every", "100"]

    def start(self, corpus, output, *more):
        return subprocess.Popen([MOG, "record", "-m", MODEL, "-i", str(corpus), "-o", str(self.folder / output),
                                 *CAPTURE, *self.SMALL, *more],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def wait_for(self, path, process, lines=0):
        while process.poll() is None and not (path.exists() and path.read_bytes().count(b"\n") >= lines):
            time.sleep(0.002)

    def test_sigint_commits_and_exits_130(self):
        corpus = self.corpus(4000)
        process = self.start(corpus, "r")
        self.wait_for(self.folder / "r" / "journal.jsonl", process, lines=2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err.decode())
        self.assertIn("--resume", err.decode())
        partial = json.loads(mog("describe", self.folder / "r", "--json").stdout)
        self.assertFalse(partial["complete"])
        self.assertGreater(partial["sentences"], 0)
        result = self.record(corpus, "r", "--resume", "--json")
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        document = json.loads(result.stdout)
        self.assertEqual(document["already_recorded"], partial["sentences"])
        self.assertEqual(document["sentences"], 4000)

    def test_sigkill_again_and_again_loses_and_doubles_nothing(self):
        """To the last bit, because a resumed run plans the same batches as an unbroken one."""
        corpus = self.corpus(1500)
        self.assertEqual(self.record(corpus, "whole", *self.SMALL).returncode, 0)
        draw = random.Random(7)
        for _ in range(6):
            process = self.start(corpus, "r", *(["--resume"] if (self.folder / "r").exists() else []))
            self.wait_for(self.folder / "r" / "journal.jsonl", process)
            try:
                process.communicate(timeout=0.02 + 0.3 * draw.random())
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
        result = self.record(corpus, "r", *self.SMALL, "--resume", "--json")
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        self.assertEqual(json.loads(result.stdout)["sentences"], 1500)
        self.assertEqual(mog("validate", self.folder / "r").returncode, 0)
        self.assertEqual(self.table("r"), self.table("whole"))
        self.assertEqual([], list((self.folder / "r").glob("**/*.part")))


if __name__ == "__main__":
    require_engine(MOG)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

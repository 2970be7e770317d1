"""`mog translate` and `mog record --target` with the real engine against the golden models.

Usage: cli_translate.py MOG MODELS_DIR    (skips without the engine, numpy or h5py)
"""
import json
import os
import pathlib
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from mog_cli import require_engine, skip

try:
    import h5py
    import numpy as np
except ImportError as error:
    skip(f"{error}; install h5py and numpy")

MOG, MODELS = (os.path.abspath(path) for path in sys.argv[1:3])
MODEL = pathlib.Path(MODELS) / "half_weight_gate"
CASES = sorted(p for p in pathlib.Path(MODELS).iterdir() if (p / "target_vocab.txt").exists())
SENTENCES = range(3)


def mog(*arguments, stdin=None):
    return subprocess.run([MOG, *map(str, arguments)], capture_output=True, input=stdin, timeout=300)


def safetensors(path):
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + length])
    types = {"F32": np.float32, "I64": np.int64}
    return {name: np.frombuffer(data[8 + length:][slice(*entry["data_offsets"])], types[entry["dtype"]]).reshape(entry["shape"])
            for name, entry in header.items() if name != "__metadata__"}


class Case:
    """A golden model: its sentences, its expected numbers, the translations that its decoder was fed."""

    def __init__(self, folder, work):
        self.folder = folder
        self.config = json.loads((folder / "config.json").read_text())
        self.expected = safetensors(folder / "expected.safetensors")
        self.sentences = json.loads((folder / "sentences.json").read_text())
        words = (folder / "target_vocab.txt").read_text().split("\n")
        self.source = work / "source.txt"
        self.source.write_text("".join(sentence["text"] + "\n" for sentence in self.sentences))
        self.target = work / "target.txt"
        self.target.write_text("".join(" ".join(words[i] for i in self.inputs(n)[1:]) + "\n" for n in SENTENCES))

    def inputs(self, n):
        return self.expected[f"s{n}.decoder_input_ids"].tolist()

    def greedy(self, n):
        return self.expected[f"s{n}.greedy.ids"].tolist()

    def beam(self, n):
        ids, lengths = self.expected[f"s{n}.beam4.ids"], self.expected[f"s{n}.beam4.lengths"]
        return [row[:length].tolist() for row, length in zip(ids, lengths)]

    def decoder_names(self):
        names = {"decoder.output": "decoder.output", "decoder.logits": "logits"}
        for i in range(self.config["decoder"]["layers"]):
            for ours, theirs in (("self.attention", "self_attention"), ("cross.attention", "cross_attention"),
                                 ("input", "input"), ("output", "output")):
                names[f"decoder.{i + 1}.{ours}"] = f"decoder.layers.{i}.{theirs}"
        return names


def targets_of(recording):
    with h5py.File(recording / "recording.h5") as file:
        offsets, ids = file["offsets/rows/target_tokens"][:], file["target_tokens/id"][:]
        return {int(number): ids[offsets[row]:offsets[row + 1]].tolist()
                for row, number in enumerate(file["sentences/number"][:])}


class Fixture(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.work = pathlib.Path(self.temporary.name)

    def ok(self, result):
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return result

    def expect(self, code, words, result):
        message = result.stderr.decode()
        self.assertEqual(result.returncode, code, message)
        for word in words:
            self.assertIn(word, message)

    def lines(self, name, texts):
        path = self.work / name
        path.write_text("".join(text + "\n" for text in texts))
        return path

    def corpus(self, count, name="corpus.txt", longest=20):
        draw = random.Random(3)
        return self.lines(name, [" ".join(f"w{draw.randint(5, 38)}" for _ in range(draw.randint(1, longest)))
                                 for _ in range(count)])


class Translate(Fixture):
    def test_greedy_and_beam_are_golden(self):
        for folder in CASES:
            case = Case(folder, self.work)
            with self.subTest(folder.name):
                result = self.ok(mog("translate", folder, case.source, "--beam", 1, "--max-tokens", 15, "--json"))
                found = [json.loads(line) for line in result.stdout.splitlines()]
                self.assertEqual([f["sentence"] for f in found], [1, 2, 3])
                for n in SENTENCES:
                    self.assertEqual(found[n]["ids"], case.greedy(n))
                    self.assertEqual(found[n]["translation"], case.sentences[n]["greedy"])
                    self.assertAlmostEqual(found[n]["log_prob"], float(case.expected[f"s{n}.greedy.log_prob"][0]), places=4)
                result = self.ok(mog("translate", folder, case.source, "--beam", 4, "--length-penalty", 0.6,
                                     "--max-tokens", 15, "--n-best", 4, "--json"))
                for n, line in enumerate(result.stdout.splitlines()):
                    best = json.loads(line)["n_best"]
                    self.assertEqual([b["ids"] for b in best], case.beam(n))
                    self.assertEqual([b["translation"] for b in best], case.sentences[n]["beam4"])
                    np.testing.assert_allclose([b["log_prob"] for b in best], case.expected[f"s{n}.beam4.log_probs"], atol=1e-4)
                    np.testing.assert_allclose([b["score"] for b in best], case.expected[f"s{n}.beam4.scores"], atol=1e-4)

    def test_text_table_and_file_say_the_same(self):
        corpus = self.corpus(120)
        options = ["--max-tokens", 12]
        text = self.ok(mog("translate", MODEL, corpus, *options)).stdout.decode().splitlines()
        self.assertEqual(len(text), 120)
        piped = self.ok(mog("translate", MODEL, *options, "--threads", 3, "--batch-tokens", 100, stdin=corpus.read_bytes()))
        self.assertEqual(piped.stdout.decode().splitlines(), text)
        output = self.work / "out.txt"
        self.assertEqual(self.ok(mog("translate", MODEL, corpus, "-o", output, *options)).stdout, b"")
        self.assertEqual(output.read_text().splitlines(), text)
        rows = [row.split("\t") for row in
                self.ok(mog("translate", MODEL, corpus, "--n-best", 2, *options)).stdout.decode().splitlines()]
        self.assertEqual(rows[0], ["sentence", "rank", "score", "log_prob", "translation"])
        self.assertEqual([row[4] for row in rows[1:] if row[1] == "1"], text)
        self.assertTrue(all(float(a[2]) >= float(b[2]) for a, b in zip(rows[1::2], rows[2::2])))

    def test_translations_begin_as_asked(self):
        text = "w22 w39 w38 w33\nw5 w7\n"
        run = subprocess.run([MOG, "translate", MODEL, "--begins", "v8 v35", "--n-best", "2", "--max-tokens", "9"],
                             input=text, capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = [line.split("\t") for line in run.stdout.splitlines()[1:]]
        self.assertGreaterEqual(len(rows), 2)
        for row in rows:
            self.assertTrue(row[4].startswith("v8 v35"), row)
        for words, why in (("  ", "no words"), ("v8 nowhere", 'has no "nowhere"'), ("v8 " * 9, "the prefix has 9 tokens")):
            run = subprocess.run([MOG, "translate", MODEL, "--begins", words, "--max-tokens", "9"], input=text,
                                 capture_output=True, text=True, timeout=120)
            self.assertEqual(run.returncode, 2, run.stdout)
            self.assertIn(why, run.stderr)

    def test_a_line_typed_is_a_line_translated(self):
        process = subprocess.Popen([MOG, "translate", MODEL, "--max-tokens", "8", "--quiet"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        for line in (b"w5 w6\n", b"w7\n"):
            process.stdin.write(line)
            process.stdin.flush()
            self.assertTrue(select.select([process.stdout], [], [], 60)[0], "no translation while the pipe is open")
            self.assertTrue(process.stdout.readline().endswith(b"\n"))
        process.stdin.close()
        self.assertEqual(process.wait(60), 0)
        process.stdout.close()

    def test_sigint_leaves_nothing_half(self):
        corpus = self.corpus(6000, longest=40)
        output = self.work / "out.txt"
        process = subprocess.Popen([MOG, "translate", MODEL, corpus, "-o", output, "--max-tokens", "100"],
                                   stderr=subprocess.PIPE)
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        _, message = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, message.decode())
        self.assertEqual([path.name for path in self.work.iterdir()], ["corpus.txt"])

    def test_what_is_wrong(self):
        corpus = self.corpus(3)
        tagger = pathlib.Path(MODELS) / "tagger_half_weight_gate"
        self.expect(2, ["no decoder"], mog("translate", tagger, corpus))
        for options in (["--beam", 0], ["--n-best", 5, "--beam", 4], ["--max-tokens", 0], ["--length-penalty", "nan"],
                        ["--long", "skip"], ["--batch-tokens", 0]):
            self.expect(2, [], mog("translate", MODEL, corpus, *options))
        self.expect(2, ["nothing.txt"], mog("translate", MODEL, self.work / "nothing.txt"))
        self.expect(3, ["no line"], mog("translate", MODEL, "-", stdin=b""))
        self.expect(3, ["line 2", "UTF-8"], mog("translate", MODEL, "-", stdin=b"w5\n\xff\n"))
        self.ok(mog("translate", MODEL, "--max-tokens", 5, "--invalid-utf8", "replace", stdin=b"w5\n\xff\n"))
        learned = pathlib.Path(MODELS) / "position_learned"
        long = self.lines("long.txt", ["w5", "w6 " * 60])
        self.expect(5, ["line 2", "positions"], mog("translate", learned, long))
        result = self.ok(mog("translate", learned, long, "--long", "truncate"))
        self.assertEqual(len(result.stdout.splitlines()), 2)
        self.expect(1, ["missing"], mog("translate", MODEL, corpus, "-o", self.work / "missing" / "out"))

    def test_recorded_translations_are_those_of_record(self):
        corpus = self.corpus(40)
        options = ["--beam", 3, "--length-penalty", 0.6, "--max-tokens", 10, "--capture", "attention", "--store", "float32"]
        text = self.ok(mog("translate", MODEL, corpus, "--record", self.work / "a", *options, "--json")).stdout
        self.ok(mog("record", "-m", MODEL, "-i", corpus, "-o", self.work / "b", "--target", "translate", *options))
        first, second = targets_of(self.work / "a"), targets_of(self.work / "b")
        self.assertEqual(first, second)
        for line in map(json.loads, text.splitlines()):
            self.assertEqual([2] + [i for i in line["ids"]][:-1], first[line["sentence"]])
        self.ok(mog("validate", self.work / "a"))


class RecordTarget(Fixture):
    def record(self, case, output, *more, capture="all"):
        return mog("record", "-m", case.folder, "-i", case.source, "-o", self.work / output, "--capture", capture,
                   "--store", "float32", *more)

    def test_trees_weigh_words_by_the_translations_cross_attention(self):
        case = Case(MODEL, self.work)
        self.ok(self.record(case, "r", "--target", case.target, capture="attention,gates,shares"))
        for n in SENTENCES:
            maps = [case.expected[f"s{n}.decoder.layers.{i}.cross_attention"]
                    for i in range(case.config["decoder"]["layers"])]
            mass = np.mean([m.mean(axis=(0, 1)) for m in maps], axis=0)  # [token]; the last is </s>
            trees = mog("trees", self.work / "r", "-n", n + 1, "--target", "cross", "--heads", "contribution", "--json")
            if len(mass) == 1:
                self.assertEqual(trees.returncode, 2)
                continue
            document = json.loads(self.ok(trees).stdout)
            self.assertAlmostEqual(document["dropped_target"], mass[-1], places=5)
            np.testing.assert_allclose(document["target_weights"], mass[:-1] / mass[:-1].sum(), atol=1e-5)
            self.assertEqual(document["choices"]["target"], "cross")
            for entry in document["head_weights"]:
                self.assertAlmostEqual(sum(entry["weights"]), 1, places=9)
            self.assertNotEqual(document["head_weights"][0]["weights"][0], document["head_weights"][0]["weights"][1])
        one = mog("trees", self.work / "r", "-n", 2, "--target", "cross", "--owner", "@1")
        self.assertEqual(one.returncode, 2)
        self.assertIn("--owner", one.stderr.decode())
        self.ok(self.record(case, "alone", capture="attention,gates"))
        alone = mog("trees", self.work / "alone", "-n", 2, "--target", "cross")
        self.assertEqual(alone.returncode, 2)
        self.assertIn("record with --target", alone.stderr.decode())

    def test_decoder_quantities_are_golden(self):
        for folder in CASES:
            case = Case(folder, self.work)
            with self.subTest(folder.name):
                output = folder.name
                self.ok(self.record(case, output, "--target", case.target))
                self.assertEqual(targets_of(self.work / output), {n + 1: case.inputs(n) for n in SENTENCES})
                with h5py.File(self.work / output / "recording.h5") as file:
                    for ours, theirs in case.decoder_names().items():
                        values = file["quantities/" + ours]
                        offsets = file[values.attrs["offsets"]][:]
                        for n in SENTENCES:
                            expected = case.expected[f"s{n}.{theirs}"].ravel()
                            found = values[offsets[n]:offsets[n + 1]]
                            self.assertEqual(found.shape, expected.shape, ours)
                            self.assertLessEqual(np.max(np.abs(found - expected) / np.maximum(1, np.abs(expected))), 1e-5, ours)

    def test_own_translations_are_golden(self):
        for folder in CASES:
            case = Case(folder, self.work)
            with self.subTest(folder.name):
                self.ok(self.record(case, folder.name + "1", "--target", "translate", "--beam", 1, "--max-tokens", 15,
                                    capture="none"))
                self.assertEqual(targets_of(self.work / (folder.name + "1")),
                                 {n + 1: [2] + case.greedy(n)[:-1] for n in SENTENCES})
                self.ok(self.record(case, folder.name + "4", "--target", "translate", "--beam", 4, "--max-tokens", 15,
                                    "--length-penalty", 0.6, capture="none"))
                self.assertEqual(targets_of(self.work / (folder.name + "4")),
                                 {n + 1: [2] + case.beam(n)[0][:-1] for n in SENTENCES})

    def test_figures_trees_and_statistics_of_it(self):
        case = Case(MODEL, self.work)
        self.ok(self.record(case, "r", "--target", case.target))
        recording = self.work / "r"
        for command in (["trees", recording, "-n", 2], ["stats", recording, "--quantity", "gate,entropy"], ["validate", recording],
                        ["describe", recording],
                        ["figure", "attention-grid", recording, "-n", 3, "--part", "cross", "-o", self.work / "grid.svg"],
                        ["figure", "attention-arcs", recording, "-n", 3, "--part", "self", "-o", self.work / "arcs.svg"]):
            self.ok(mog(*command))
        table = self.ok(mog("figure", "attention", recording, "-n", 3, "--part", "cross", "--layer", 2, "--head", 1,
                            "-o", self.work / "map.svg", "--csv", "-")).stdout.decode().splitlines()[1:]
        expected = case.expected["s2.decoder.layers.1.cross_attention"][0]
        rows = [line.split(",") for line in table]
        self.assertEqual(len(rows), expected.size)
        for row in rows:
            self.assertAlmostEqual(float(row[4]), float(expected[int(row[0]) - 1, int(row[1]) - 1]), places=5)
        self.assertEqual(len({row[0] for row in rows}), len(case.inputs(2)))       # rows: the translation
        self.assertEqual(len({row[1] for row in rows}), len(case.sentences[2]["ids"]))  # columns: the source
        words = self.ok(mog("figure", "attention", recording, "-n", 3, "--part", "cross", "--no-special-tokens",
                            "-o", self.work / "words.svg", "--csv", "-")).stdout.decode().splitlines()[1:]
        self.assertEqual(len(words), (len(case.inputs(2)) - 1) * (len(case.sentences[2]["ids"]) - 1))
        self.expect(2, ["cross"], mog("figure", "attention-arcs", recording, "-n", 3, "--part", "cross", "-o", self.work / "x.svg"))

    def test_target_files_that_do_not_fit(self):
        source = self.lines("s.txt", ["w5 w6", "w7", "w8 w9"])

        def record(target, *more, model=MODEL, output="r", source=source):
            return mog("record", "-m", model, "-i", source, "-o", self.work / output, "--target", target, *more)

        self.expect(3, ["t2.txt", "line 3"], record(self.lines("t2.txt", ["v5", "v6"])))
        self.expect(3, ["t4.txt", "line 4"], record(self.lines("t4.txt", ["v5", "v6", "v7", "v8"])))
        self.expect(2, ["none.txt"], record(self.work / "none.txt"))
        self.expect(2, ["standard input"], record("-"))
        bad = self.work / "bad.txt"
        bad.write_bytes(b"v5\n\xff\nv7\n")
        self.expect(3, ["bad.txt", "line 2"], record(bad))
        self.expect(3, ["bad.txt", "line 2"], record(bad, "--invalid-utf8", "skip"))
        long = self.lines("long.txt", ["v5", "v6 " * 60, "v7"])
        learned = pathlib.Path(MODELS) / "position_learned"
        self.expect(5, ["long.txt", "line 2", "positions"], record(long, model=learned))
        self.assertFalse((self.work / "r").exists())
        self.ok(record(long, "--long", "skip", model=learned, output="skipped"))
        self.assertEqual(sorted(targets_of(self.work / "skipped")), [1, 3])
        self.ok(record(long, "--long", "truncate", model=learned, output="cut"))
        self.assertLess(len(targets_of(self.work / "cut")[2]), 60)
        self.ok(record(self.lines("empty.txt", ["v5", "", "v7"]), output="empty"))
        self.assertEqual(targets_of(self.work / "empty")[2], [2])
        tagger = pathlib.Path(MODELS) / "tagger_half_weight_gate"
        self.expect(2, ["no decoder"], record(self.lines("t3.txt", ["v5", "v6", "v7"]), model=tagger, output="x"))

    def test_resume_after_sigkill_and_only_with_the_same_target(self):
        source = self.corpus(1200)
        draw = random.Random(4)
        target = self.lines("t.txt", [" ".join(f"v{draw.randint(5, 35)}" for _ in range(draw.randint(1, 15)))
                                      for _ in range(1200)])
        arguments = ["record", "-m", MODEL, "-i", source, "--capture", "attention,hidden", "--commit-every", 100]
        self.ok(mog(*arguments, "-o", self.work / "whole", "--target", target))
        output = self.work / "r"
        for attempt in range(4):
            process = subprocess.Popen([MOG, *map(str, arguments), "-o", output, "--target", target]
                                       + (["--resume"] if output.exists() else []), stderr=subprocess.DEVNULL)
            try:
                process.wait(0.15 + 0.25 * draw.random())
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if output.exists() and not json.loads(mog("describe", output, "--json").stdout or b"{}").get("complete", True):
            other = self.lines("other.txt", ["v5"] * 1200)
            self.expect(2, ["target"], mog(*arguments, "-o", output, "--target", other, "--resume"))
        self.ok(mog(*arguments, "-o", output, "--target", target, *(["--resume"] if output.exists() else [])))
        self.ok(mog("validate", output))
        self.assertEqual(targets_of(output), targets_of(self.work / "whole"))
        with h5py.File(output / "recording.h5") as ours, h5py.File(self.work / "whole" / "recording.h5") as whole:
            for name in ("quantities/decoder.1.cross.attention", "quantities/decoder.2.output"):
                np.testing.assert_array_equal(ours[name][:], whole[name][:])


if __name__ == "__main__":
    require_engine(MOG)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

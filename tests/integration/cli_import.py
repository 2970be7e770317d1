"""`mog import`: files written with h5py become recordings that every other command reads; what is wrong with a
file is said by name; damaged and hostile files bring nothing down.

Usage: cli_import.py MOG DOCS_IMPORT_FORMAT HDF5_DATA [SHARED_DIR]
"""
import contextlib
import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import types
import unittest

from mog_cli import shared_dir, skip

try:
    import h5py
    import numpy as np
except ImportError as missing:
    skip(f"Python without {missing.name}")

MOG = os.path.abspath(sys.argv[1])
DOCS = pathlib.Path(sys.argv[2])
DAMAGED = pathlib.Path(sys.argv[3])
SHARED = shared_dir(sys.argv[4] if len(sys.argv) > 4 else None)
PARTS = ("high", "middle1", "middle2")
SENTENCES = {1: ["The", "dog", "saw", "the", "cat"], 2: ["Größe", "日本", "naïve"],
             5: ["a", "b", "c", "d", "e", "f", "g"], 7: ["alone"]}


def maps(rng, *shape, dtype="f4"):
    x = np.exp(rng.normal(size=shape))
    return (x / x.sum(-1, keepdims=True)).astype(dtype)


def run(*arguments, timeout=120):
    return subprocess.run([MOG, *map(str, arguments)], capture_output=True, timeout=timeout,
                          stdin=subprocess.DEVNULL)


class Recording:
    """What h5py sees of a recording."""

    def __init__(self, folder):
        self.file = h5py.File(folder / "recording.h5")
        self.numbers = list(self.file["sentences/number"][:])

    def values(self, number, name, *shape):
        row = self.numbers.index(number)
        data = self.file["quantities/" + name]
        begin, end = self.file[data.attrs["offsets"]][row:row + 2]
        return data[begin:end].reshape(*shape)

    def table(self, number, which):
        row = self.numbers.index(number)
        begin, end = self.file["offsets/rows/" + which][row:row + 2]
        return {k: self.file[which][k][begin:end] for k in self.file[which]}

    def spellings(self, number, which):
        row = self.numbers.index(number)
        begin, end = self.file["offsets/text/" + which][row:row + 2]
        text = bytes(self.file["text/" + which][begin:end])
        rows = self.table(number, which)
        return [text[b:e].decode() for b, e in zip(rows["text_begin"], rows["text_end"])]

    def text(self, number):
        row = self.numbers.index(number)
        begin, end = self.file["offsets/text/sentences"][row:row + 2]
        return bytes(self.file["text/sentences"][begin:end]).decode()


class Case(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.path = self.folder / "maps.h5"
        self.output = self.folder / "out.rec"
        self.rng = np.random.default_rng(7)

    def tearDown(self):
        self.temporary.cleanup()

    def imported(self, *options):
        result = run("import", self.path, "--output", self.output, "--json", *options)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return json.loads(result.stdout)

    def refused(self, *words, options=(), code=3):
        result = run("import", self.path, "--output", self.output, *options)
        message = result.stderr.decode()
        self.assertEqual(result.returncode, code, message)
        self.assertEqual(result.stdout, b"")
        self.assertIn(self.path.name, message)
        for word in words:
            self.assertIn(word, message)
        self.assertFalse(self.output.exists(), "a refused file leaves nothing behind")
        return message

    def out(self, *arguments):
        result = run(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return result.stdout.decode("utf-8")

    def plain(self, sentences=None, dtype="f4", layers=3, heads=2, **replace):
        """One group a sentence; returns the maps."""
        written = {}
        with h5py.File(self.path, "w") as file:
            file.attrs["model"] = "toy/plain"
            for number, tokens in (sentences or SENTENCES).items():
                group = file.create_group(str(number))
                group["tokens"] = tokens
                written[number] = maps(self.rng, layers, heads, len(tokens), len(tokens), dtype=dtype)
                group["attention"] = written[number]
        with h5py.File(self.path, "a") as file:
            for name, value in replace.items():
                path = name.replace("__", "/")
                if path in file:
                    del file[path]
                if value is not None:
                    file[path] = value
        return written


class GoodFiles(Case):
    def check_commands(self, sentence=1):
        self.assertIn("sound, complete", self.out("validate", self.output))
        document = json.loads(self.out("describe", self.output, "--json"))
        self.out("trees", self.output, "--sentence", sentence, "--top", 3)
        table = self.out("stats", self.output, "--quantity", "entropy", "--by", "layer", "--bootstrap", "10",
                         "--output", "-")
        self.assertGreater(len(table.splitlines()), document["model"]["layers"])
        return document

    def test_maps_come_back_in_every_type(self):
        for dtype in ("f2", "f4", "f8"):
            for store, exact in (("float16", "f2"), ("float32", "f4")):
                with self.subTest(dtype=dtype, store=store):
                    written = self.plain(dtype=dtype)
                    self.output = self.folder / f"{dtype}-{store}.rec"
                    summary = self.imported("--store", store)
                    self.assertEqual((summary["sentences"], summary["layers"], summary["heads"]), (4, 3, 2))
                    self.assertEqual(summary["model"], "toy/plain")
                    recording = Recording(self.output)
                    self.assertEqual(recording.numbers, list(SENTENCES))
                    for number, expected in written.items():
                        n = expected.shape[-1]
                        for layer in range(3):
                            stem = f"encoder.{layer + 1}.full.attention"
                            found = recording.values(number, stem, 2, n, n)
                            self.assertEqual(found.dtype, np.dtype(exact))
                            tolerance = 1e-3 if "f2" in (dtype, exact) else 1e-6
                            np.testing.assert_allclose(found, expected[layer], rtol=tolerance, atol=1e-7)
                            rows = expected[layer].astype("f8")
                            rows /= rows.sum(-1, keepdims=True)
                            entropy = -(rows * np.log(np.where(rows > 0, rows, 1))).sum(-1)
                            np.testing.assert_allclose(recording.values(number, stem + ".row_entropy", 2, n),
                                                       entropy, atol=1e-5)
                            np.testing.assert_allclose(recording.values(number, stem + ".row_max", 2, n),
                                                       rows.max(-1), rtol=1e-6)
        document = self.check_commands()
        self.assertEqual(document["model"]["name"], "toy/plain")
        self.assertEqual(document["model"]["encoder_kind"], "transformer")
        self.assertIn("imported from maps.h5", document["provenance"]["corpus_name"])
        self.assertEqual(document["provenance"]["corpus_sha256"], summary["corpus_sha256"])

    def test_float16_maps_kept_as_float16_keep_their_bits(self):
        written = self.plain(dtype="f2")
        self.imported()
        recording = Recording(self.output)
        for number, expected in written.items():
            n = expected.shape[-1]
            found = recording.values(number, "encoder.2.full.attention", 2, n, n)
            self.assertTrue(np.array_equal(found.view("u2"), expected[1].view("u2")))

    def test_tokens_words_and_text_in_every_kind_of_string(self):
        self.plain()
        with h5py.File(self.path, "a") as file:
            del file["1/tokens"]
            file["1/tokens"] = np.array([word.encode() for word in SENTENCES[1]])  # fixed length
            file["2/text"] = "Größe  日本 naïve!"
            file["5/text"] = np.bytes_("a b c d e f g")
        self.imported("--model-name", "other")
        recording = Recording(self.output)
        for number, words in SENTENCES.items():
            self.assertEqual(recording.spellings(number, "tokens"), words)
            self.assertEqual(recording.spellings(number, "words"), words if number != 2 else ["Größe", "日本", "naïve!"])
        self.assertEqual(recording.text(1), "The dog saw the cat")
        self.assertEqual(recording.text(2), "Größe  日本 naïve!")
        rows = recording.table(2, "tokens")
        text = recording.text(2).encode()
        self.assertEqual([text[b:e].decode() for b, e in zip(rows["begin"], rows["end"])],
                         ["Größe", "日本", "naïve!"])
        self.assertEqual(self.check_commands()["model"]["name"], "other")

    def test_pieces_special_tokens_and_truncation(self):
        tokens = ["[CLS]", "un", "##believ", "##able", "dogs", "[SEP]"]
        self.plain({1: tokens, 2: tokens, 3: tokens}, **{"1__word_of_token": np.array([0, 1, 1, 1, 2, 0], "u1"),
                                                         "2__word_of_token": [0, 1, 1, 1, 2, 0],
                                                         "2__words": ["unbelievable", "dogs", "bark", "."]})
        self.imported("--pieces", "wordpiece")
        recording = Recording(self.output)
        for number in (1, 2, 3):
            self.assertEqual(list(recording.table(number, "tokens")["word"]), [-1, 0, 0, 0, 1, -1])
            self.assertEqual(recording.spellings(number, "words")[:2], ["unbelievable", "dogs"])
        self.assertEqual(recording.spellings(2, "words"), ["unbelievable", "dogs", "bark", "."])
        self.assertEqual(list(recording.file["sentences/truncated"][:]), [0, 1, 0])
        rows = recording.table(1, "tokens")
        text = recording.text(1)
        self.assertEqual([text[b:e] for b, e in zip(rows["begin"], rows["end"])],
                         ["", "un", "believ", "able", "dogs", ""])
        self.check_commands()

    def test_conventions_of_pieces(self):
        for pieces, tokens, words in (("bpe", ["un@@", "do", "it", "</s>"], ["undo", "it"]),
                                      ("byte-bpe", ["<s>", "Un", "do", "ĠcafÃ©", "Ġit"], ["Undo", "café", "it"]),
                                      ("sentencepiece", ["▁Un", "do", "▁", "it"], ["Undo", "it"]),
                                      ("none", ["[CLS]", "##a"], ["[CLS]", "##a"])):
            with self.subTest(pieces=pieces):
                self.plain({1: tokens})
                self.output = self.folder / f"{pieces}.rec"
                self.imported("--pieces", pieces)
                self.assertEqual(Recording(self.output).spellings(1, "words"), words)

    def graph(self, layers=3, heads=2, d=4, gate="vectors", plain_first=False):
        written = {}
        with h5py.File(self.path, "w") as file:
            for number, tokens in SENTENCES.items():
                n = len(tokens)
                group = file.create_group(str(number))
                group["tokens"] = tokens
                for part in PARTS:
                    depth = layers - (1 if plain_first and part != "high" else 0)
                    written[number, part] = group[part] = maps(self.rng, depth, heads, n, n)
                    written[number, part] = written[number, part][:]
                depth = layers - plain_first
                if gate:
                    shape = (depth, n, d) if gate == "vectors" else (depth, n)
                    written[number, "gate"] = self.rng.uniform(size=shape).astype("f4")
                    group["gate"] = written[number, "gate"]
                written[number, "hidden"] = self.rng.normal(size=(layers + 1, n, d)).astype("f4")
                group["hidden"] = written[number, "hidden"]
        return written

    def test_graph_transformers_with_gates_and_hidden_states(self):
        written = self.graph()
        self.imported("--store", "float32", "--orders")
        recording = Recording(self.output)
        for number, tokens in SENTENCES.items():
            n = len(tokens)
            for layer in (1, 2, 3):
                for part in PARTS:
                    np.testing.assert_allclose(
                        recording.values(number, f"encoder.{layer}.{part}.attention", 2, n, n),
                        written[number, part][layer - 1], rtol=1e-6)
                gate = written[number, "gate"][layer - 1]
                np.testing.assert_array_equal(recording.values(number, f"encoder.{layer}.gate", n, 4), gate)
                np.testing.assert_allclose(recording.values(number, f"encoder.{layer}.gate.mean", n),
                                           gate.mean(-1), rtol=1e-6)
                np.testing.assert_array_equal(recording.values(number, f"encoder.{layer}.output", n, 4),
                                              written[number, "hidden"][layer])
                masses = recording.values(number, f"encoder.{layer}.order", n, 8)
                np.testing.assert_allclose(masses.sum(-1), 1, atol=1e-5)
            np.testing.assert_array_equal(recording.values(number, "encoder.embedding", n, 4),
                                          written[number, "hidden"][0])
            np.testing.assert_array_equal(recording.values(number, "encoder.output", n, 4),
                                          written[number, "hidden"][3])
        model = self.check_commands()["model"]
        self.assertEqual((model["encoder_kind"], model["fusion"], model["first_layer"], model["d_model"]),
                         ("graph_transformer", "weight_gate", "incremental", 4))
        self.out("stats", self.output, "--quantity", "gate", "--by", "layer", "--bootstrap", "10", "--output", "-")

    def test_gates_a_token_plain_first_layers_and_no_gates(self):
        for gate, plain_first, fusion in (("tokens", True, "weight_gate"), (None, False, "sum")):
            with self.subTest(gate=gate):
                written = self.graph(gate=gate, plain_first=plain_first)
                self.output = self.folder / f"{fusion}.rec"
                self.imported()
                model = self.check_commands()["model"]
                self.assertEqual(model["fusion"], fusion)
                self.assertEqual(model["first_layer"], "plain" if plain_first else "incremental")
                recording = Recording(self.output)
                self.assertEqual("encoder.1.middle1.attention" in recording.file["quantities"], not plain_first)
                if gate:
                    np.testing.assert_allclose(recording.values(1, "encoder.2.gate.mean", 5),
                                               written[1, "gate"][0], rtol=1e-6)
                    self.assertNotIn("encoder.1.gate.mean", recording.file["quantities"])

    def test_one_dataset_for_all_sentences(self):
        lengths = [5, 3, 7, 1]
        tokens = np.full((4, 7), "", dtype=object)
        attention = np.zeros((4, 3, 2, 7, 7), "f4")
        word = np.zeros((4, 7), "i4")
        for row, words in enumerate(SENTENCES.values()):
            n = lengths[row]
            tokens[row, :n] = words
            word[row, :n] = np.arange(1, n + 1)
            attention[row, :, :, :n, :n] = maps(self.rng, 3, 2, n, n)
        for packing in ({}, {"compression": "gzip", "shuffle": True}, {"chunks": (2, 1, 2, 3, 7), "fletcher32": True}):
            with self.subTest(packing=packing):
                with h5py.File(self.path, "w") as file:
                    file.create_dataset("tokens", data=tokens, dtype=h5py.string_dtype())
                    file.create_dataset("attention", data=attention, **packing)
                    file["lengths"] = lengths
                    file["word_of_token"] = word
                    file["numbers"] = list(SENTENCES)
                    file["text"] = [" ".join(words) for words in SENTENCES.values()]
                self.output = self.folder / f"{len(packing)}{'chunks' in packing}.rec"
                self.imported("--store", "float32")
                recording = Recording(self.output)
                self.assertEqual(recording.numbers, list(SENTENCES))
                for row, (number, words) in enumerate(SENTENCES.items()):
                    n = lengths[row]
                    self.assertEqual(recording.spellings(number, "tokens"), words)
                    np.testing.assert_allclose(recording.values(number, "encoder.3.full.attention", 2, n, n),
                                               attention[row, 2, :, :n, :n], rtol=1e-6)
                self.check_commands()

    def test_groups_counted_from_0(self):
        self.plain({0: ["a", "b"], 1: ["c"]})
        result = run("import", self.path, "--output", self.output)
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        self.assertIn(b"from 0", result.stderr)
        self.assertEqual(Recording(self.output).numbers, [1, 2])

    def test_long_sentences_come_in_pieces(self):
        written = self.plain({1: [f"w{i}" for i in range(700)]}, dtype="f8", layers=1, heads=3)
        self.imported("--store", "float32")
        found = Recording(self.output).values(1, "encoder.1.full.attention", 3, 700, 700)
        np.testing.assert_allclose(found, written[1][0], rtol=1e-6)

    def test_a_figure_and_verbose(self):
        self.plain()
        result = run("import", self.path, "--output", self.output, "--verbose")
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        self.assertIn(b"system calls", result.stderr)
        self.out("figure", "attention", self.output, "--sentence", "1", "--layer", "1", "--output",
                 self.folder / "map.svg")
        self.assertIn("<svg", (self.folder / "map.svg").read_text())

    def test_the_script_of_the_page_for_hugging_face_models(self):
        script = re.search(r"```python\n(.*?transformers.*?)```", DOCS.read_text(encoding="utf-8"), re.S).group(1)
        lines = [line for line in script.splitlines() if line.strip()]
        self.assertLessEqual(len(lines), 20)
        vocabulary = {}
        rng = self.rng

        class Tensor:  # what the script asks of torch
            def __init__(self, values):
                self.values = values

            def __getitem__(self, at):
                return Tensor(self.values[at])

            def half(self):
                return Tensor(self.values.astype("f2"))

            def numpy(self):
                return self.values

        class Encoded(dict):
            def __init__(self, words):
                ids, self.words = ["[CLS]"], [None]
                for at, word in enumerate(words):
                    pieces = [word] if len(word) < 4 else [word[:3], "##" + word[3:]]
                    ids += pieces
                    self.words += [at] * len(pieces)
                ids.append("[SEP]")
                self.words.append(None)
                self.input_ids = [ids]
                super().__init__(input_ids=self.input_ids)

            def word_ids(self):
                return self.words

        class Tokenizer:
            def __call__(self, words, **options):
                assert options["is_split_into_words"] and options["return_tensors"] == "pt"
                return Encoded(words)

            def convert_ids_to_tokens(self, ids):
                return list(ids)

        class Model:
            def eval(self):
                return self

            def __call__(self, input_ids, output_attentions):
                assert output_attentions
                n = len(input_ids[0])
                made = [maps(rng, 1, 2, n, n) for _ in range(3)]
                vocabulary[len(vocabulary) + 1] = made
                return types.SimpleNamespace(attentions=tuple(made))

        torch = types.ModuleType("torch")
        torch.no_grad = contextlib.nullcontext
        torch.stack = lambda tensors: Tensor(np.stack(tensors))
        transformers = types.ModuleType("transformers")
        transformers.AutoModel = types.SimpleNamespace(from_pretrained=lambda *a, **k: Model())
        transformers.AutoTokenizer = types.SimpleNamespace(from_pretrained=lambda *a, **k: Tokenizer())
        before = {name: sys.modules.get(name) for name in ("torch", "transformers")}
        here = os.getcwd()
        (self.folder / "sentences.txt").write_text("Green dogs bark .\n\nIt unfolded\n", encoding="utf-8")
        try:
            sys.modules.update(torch=torch, transformers=transformers)
            os.chdir(self.folder)
            exec(compile(script, "import-format.md", "exec"), {})
        finally:
            os.chdir(here)
            for name, module in before.items():
                if module is None:
                    del sys.modules[name]
                else:
                    sys.modules[name] = module
        self.imported()
        recording = Recording(self.output)
        self.assertEqual(recording.numbers, [1, 2, 3])
        self.assertEqual(recording.spellings(1, "words"), ["Green", "dogs", "bark", "."])
        self.assertEqual(recording.spellings(1, "tokens"),
                         ["[CLS]", "Gre", "##en", "dog", "##s", "bar", "##k", ".", "[SEP]"])
        self.assertEqual(recording.spellings(2, "words"), [])
        for number, made in vocabulary.items():
            for layer, expected in enumerate(made):
                n = expected.shape[-1]
                np.testing.assert_allclose(recording.values(number, f"encoder.{layer + 1}.full.attention", 2, n, n),
                                           expected[0], atol=1e-3)
        self.check_commands()


class Refusals(Case):
    def test_shapes_and_counts(self):
        good = self.plain()
        for name, value, words in (
                ("5__attention", good[1], ["/5/attention", "7 tokens", "[3, 2, 7, 7]", "[3, 2, 5, 5]"]),
                ("5__attention", good[5][:2], ["/5/attention", "[3, 2, 7, 7]", "[2, 2, 7, 7]", "/1"]),
                ("5__attention", good[5][:, :1], ["/5/attention", "[3, 1, 7, 7]"]),
                ("1__attention", good[1][0], ["/1/attention", "[layer, head, query, key]", "[2, 5, 5]"]),
                ("1__attention", good[1][..., :4], ["/1/attention", "[3, 2, 5, 4]"]),
                ("2__word_of_token", [1, 2], ["/2/word_of_token", "[3]", "[2]"]),
                ("2__tokens", [["a", "b", "c"]], ["/2/tokens", "[1, 3]"])):
            with self.subTest(name=name, words=words):
                self.plain(**{name: value})
                self.refused(*words)

    def test_names_and_types(self):
        self.plain(**{"1__attention": None})
        self.refused("/1", '"attention"')
        self.plain(**{"2__attention": None})
        self.refused("/2", '"attention"')
        self.plain(**{"2__tokens": None})
        self.refused("/2", '"tokens"')
        self.plain(**{"2__atention": [1.0]})
        self.refused("/2/atention", "unknown dataset", "word_of_token", "attention")
        self.plain(**{"1__rho": [0.5]})
        self.refused("/1/rho", "unknown dataset")
        self.plain(**{"extra": [1.0]})
        self.refused("/extra", "unknown dataset")
        self.plain(**{"first__tokens": ["a"]})
        self.refused("/first", "number of a sentence")
        self.plain(**{"1__deep__tokens": ["a"]})
        self.refused("/1/deep")
        self.plain(**{"1__tokens": [1, 2, 3, 4, 5]})
        self.refused("/1/tokens", "strings")
        self.plain(**{"1__word_of_token": [1.0, 2, 3, 4, 5]})
        self.refused("/1/word_of_token", "whole numbers", "float64")
        self.plain(**{"1__attention": np.zeros((3, 2, 5, 5), "i4")})
        self.refused("/1/attention", "float16, float32 or float64")
        self.plain(**{"1__attention": np.zeros((3, 2, 5, 5), ">f4")})
        self.refused("/1/attention", "big-endian")
        self.plain(**{"1__gate": np.zeros((3, 5), "f4")})
        self.refused("/1/gate", "high, middle1 and middle2")
        self.plain(**{"1__high": np.zeros((3, 2, 5, 5), "f4")})
        self.refused("/1", "both")
        self.plain(**{"5__hidden": np.zeros((4, 7, 2), "f4")})
        self.refused("/5/hidden", "/1")

    def test_no_sentences_and_empty_ones(self):
        with h5py.File(self.path, "w"):
            pass
        self.refused("no sentences")
        with h5py.File(self.path, "w") as file:
            file["tokens"] = []
            file["attention"] = np.zeros((0, 3, 2, 0, 0), "f4")
        self.refused("no sentences")
        self.plain({1: ["a"]}, **{"1__tokens": np.array([], "S1")})
        self.refused("/1/tokens", "empty sentence")
        self.plain({1: ["a", ""]})
        self.refused("sentence 1", "token 2", "empty")
        with h5py.File(self.path, "w") as file:
            file["tokens"] = [["a", "b"], ["c", ""]]
            file["attention"] = maps(self.rng, 2, 1, 1, 2, 2)
        self.refused("sentence 2", "token 2", "lengths")
        with h5py.File(self.path, "a") as file:
            file["lengths"] = [2, 0]
        self.refused("/lengths", "sentence 2", "empty sentence")

    def test_rows(self):
        def with_row(change, dtype="f4"):
            self.plain(dtype=dtype)
            with h5py.File(self.path, "a") as file:
                data = file["5/attention"]
                values = data[:]
                change(values)
                data[...] = values

        def scale(factor):
            def change(values):
                values[1, 0, 3] *= factor
            return change

        def put(value):
            def change(values):
                values[2, 1, 6, 4] = value
            return change

        place = ["sentence 5", "attention of layer 2", "head 1", "row 4"]
        for dtype in ("f2", "f4", "f8"):
            with_row(scale(1.01), dtype)
            self.refused(*place, "sum to 1.0", "0.003")
        with_row(scale(0.0))
        self.refused(*place, "sum to 0;")
        with_row(scale(0.9))
        self.refused(*place, "sum to 0.9", "dropout")
        for value, word in ((np.nan, "nan"), (np.inf, "inf"), (-0.25, "-0.25")):
            with_row(put(value))
            self.refused("sentence 5", "attention of layer 3", "head 2", "row 7", "column 5", word)
        # Rounding is none: kept in float16 as it is, in float32 divided by the sum, and read by mog trees.
        for store in ("float16", "float32"):
            with_row(scale(1.002))
            self.output = self.folder / f"{store}.rec"
            summary = self.imported("--store", store)
            self.assertEqual(summary["rows_divided"], 1 if store == "float32" else 0)
            self.assertAlmostEqual(summary["largest_deviation"], 0.002, places=5)
            self.out("trees", self.output, "--sentence", "5")

    def test_gates_and_hidden_states(self):
        def graph(**replace):
            with h5py.File(self.path, "w") as file:
                group = file.create_group("1")
                group["tokens"] = ["a", "b", "c"]
                content = {part: maps(self.rng, 2, 2, 3, 3) for part in PARTS}
                content |= {"gate": np.full((2, 3), 0.5, "f4"), "hidden": np.ones((3, 3, 4), "f4")}
                for name, value in (content | replace).items():
                    if value is not None:
                        group[name] = value

        graph(gate=np.full((2, 3), 1.5))
        self.refused("sentence 1", "gate of layer 1, token 1", "1.5")
        graph(gate=np.array([[0.5, 0.5, 0.5], [0.5, np.nan, 0.5]]))
        self.refused("gate of layer 2, token 2", "nan")
        graph(gate=np.full((3, 3), 0.5))
        self.refused("/1/gate", "[2, 3]", "[3, 3]")
        graph(gate=np.full((2, 3, 5), 0.5))
        self.refused("/1/hidden", "[3, 3, 5]", "[3, 3, 4]")
        graph(hidden=np.ones((2, 3, 4)))
        self.refused("/1/hidden", "[3, 3, 4]", "[2, 3, 4]")
        hidden = np.ones((3, 3, 4))
        hidden[2, 0, 1] = np.inf
        graph(hidden=hidden)
        self.refused("hidden of layer 2, token 1", "dimension 2")
        hidden[2, 0, 1] = 1e5
        graph(hidden=hidden)
        self.refused("hidden of layer 2, token 1", "--store float32")
        graph(middle2=None)
        self.refused('"middle2"')

    def test_words(self):
        self.plain(**{"1__word_of_token": [1, 2, 4, 5, 6]})
        self.refused("sentence 1", "word_of_token", "token 3", "word 4")
        self.plain(**{"1__word_of_token": [1, 2, 1, 2, 3]})
        self.refused("word_of_token", "token 3", "word 1")
        self.plain(**{"1__word_of_token": [1, 2, -1, 2, 3]})
        self.refused("word_of_token", "word -1")
        self.plain(**{"1__words": ["The", "dog"]})
        self.refused("sentence 1", "words", "2 are given", "5")
        self.plain(**{"1__words": SENTENCES[1], "1__text": "The dog saw a cat"})
        self.refused("sentence 1", "text", "word 4", '"the"')
        self.plain(**{"2__tokens": np.array([b"a", b"\xff", b"c"])})
        self.refused("/2/tokens", "string 2", "UTF-8")

    def test_files_that_are_none(self):
        self.path.write_bytes(b"")
        self.refused("empty")
        self.path.write_bytes(b"<!DOCTYPE html><html></html>" * 40)
        self.refused("HTML")
        self.path.write_text("1 2 3\n" * 100)
        self.refused("signature")
        self.plain()
        whole = self.path.read_bytes()
        for keep in (7, 60, 700, len(whole) // 2, len(whole) - 9):
            self.path.write_bytes(whole[:keep])
            self.refused()
        self.path.unlink()
        self.path.mkdir()
        self.refused("directory")
        self.path.rmdir()
        os.mkfifo(self.path)
        self.refused()
        self.path.unlink()
        self.refused("no such file", code=2)

    def test_a_recording_is_none(self):
        self.plain()
        self.imported()
        self.path = self.output / "recording.h5"
        self.output = self.folder / "again.rec"
        self.refused()
        self.path = self.folder / "out.rec" / "shard-00001.h5"
        self.refused("recording already")

    def test_links_and_virtual_datasets(self):
        other = self.folder / "other.h5"
        with h5py.File(other, "w") as file:
            file["attention"] = maps(self.rng, 3, 2, 5, 5)
        self.plain(**{"1__attention": h5py.ExternalLink("other.h5", "/attention")})
        self.refused("/1/attention", "external link")
        self.plain(**{"1__attention": h5py.SoftLink("/2/attention")})
        self.refused("/1/attention", "soft link")
        self.plain(**{"1__attention": None})
        with h5py.File(self.path, "a") as file:
            layout = h5py.VirtualLayout((3, 2, 5, 5), "f4")
            layout[:] = h5py.VirtualSource("other.h5", "attention", (3, 2, 5, 5))
            file["1"].create_virtual_dataset("attention", layout)
        self.refused("/1/attention", "virtual dataset")
        self.plain(**{"1__attention": None})
        with h5py.File(self.path, "a") as file:
            file["1"].create_dataset("attention", (3, 2, 5, 5), "f4", external=[(str(other), 0, 600)])
        self.refused("/1/attention", "external storage")
        self.plain(**{"1__attention": None})
        with h5py.File(self.path, "a") as file:
            file["1"].create_dataset("attention", (3, 2, 5, 5), "f4", compression="lzf")[...] = 0.2
        self.refused("/1/attention", "filter 32000", "gzip")

    def test_sizes_that_no_file_can_hold(self):
        self.plain(**{"1__attention": None})
        with h5py.File(self.path, "a") as file:
            file["1"].create_dataset("attention", (3, 2, 1 << 19, 1 << 19), "f8", chunks=(1, 1, 64, 64))
        self.refused("/1/attention", "bytes are declared")
        self.plain(**{"1__tokens": None})
        with h5py.File(self.path, "a") as file:
            file["1"].create_dataset("tokens", (1 << 30,), h5py.string_dtype(), chunks=(1024,))
        self.refused("/1/tokens")


class Outputs(Case):
    def test_existing_outputs_and_options(self):
        self.plain()
        self.imported()
        for options, word in (((), "not empty"), (("--pieces", "word"), "wordpiece"), (("--store", "int8"), "float16")):
            result = run("import", self.path, "--output", self.output, *options)
            self.assertEqual(result.returncode, 2)
            self.assertIn(word, result.stderr.decode())
        self.assertEqual(Recording(self.output).numbers, list(SENTENCES), "what was there stays")
        self.assertEqual(run("import", "-", "--output", self.folder / "x.rec").returncode, 2)
        self.assertEqual(run("import", self.path, "--output", self.path).returncode, 2)
        self.assertEqual(run("import", self.path).returncode, 2)
        self.assertIn(b"mog import maps.h5", run("import", "--help").stdout)

    def test_a_folder_that_was_empty_stays(self):
        self.plain(**{"7__attention": np.full((3, 2, 1, 1), 0.5)})
        self.output.mkdir()
        result = run("import", self.path, "--output", self.output)
        self.assertEqual(result.returncode, 3)
        self.assertEqual(list(self.output.iterdir()), [])

    def test_resume_goes_on_and_refuses_other_files(self):
        sentences = {n: [f"w{i}" for i in range(3 + n % 5)] for n in range(1, 61)}
        written = self.plain(sentences, layers=2)
        self.imported("--commit-every", "10")
        whole = {p.name: p.read_bytes() for p in self.output.iterdir() if p.name.startswith("shard")}
        # Back to the state after three shards: the journal says what counts.
        journal = (self.output / "journal.jsonl").read_bytes().splitlines(keepends=True)
        (self.output / "journal.jsonl").write_bytes(b"".join(journal[:4]))
        (self.output / "recording.h5").unlink()
        manifest = json.loads((self.output / "manifest.json").read_text(encoding="utf-8"))
        manifest.update(complete=False, sentences=0, tokens=0, shards=0, version="1.0")  # which has no sums
        del manifest["files"], manifest["sha256"]
        (self.output / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        summary = self.imported("--resume", "--commit-every", "10")
        self.assertEqual((summary["sentences"], summary["recorded"]), (60, 30))
        self.assertEqual(len(whole), len([p for p in self.output.iterdir() if p.name.startswith("shard")]))
        recording = Recording(self.output)
        self.assertEqual(sorted(recording.numbers), list(sentences))
        n = len(sentences[45])
        np.testing.assert_allclose(recording.values(45, "encoder.2.full.attention", 2, n, n), written[45][1],
                                   atol=1e-3)
        self.plain(sentences, layers=2)  # other maps, so another file
        (self.output / "journal.jsonl").write_bytes(b"".join(journal[:4]))
        (self.output / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        result = run("import", self.path, "--output", self.output, "--resume")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertTrue((self.output / "shard-00001.h5").exists())

    def test_a_recording_gets_a_name(self):
        self.plain({1: ["a", "b"]}, layers=2)
        self.imported("--name", "BERT, news")
        self.assertEqual(json.loads(self.out("describe", self.output, "--json"))["name"], "BERT, news")
        self.assertEqual(Recording(self.output).file.attrs["name"].decode(), "BERT, news")
        self.imported("--resume")
        self.assertIn("its name is \"BERT, news\"", run("import", self.path, "-o", self.output, "--resume", "--name", "x").stderr.decode())
        self.assertEqual(run("import", self.path, "-o", self.folder / "x", "--name", "x\n").returncode, 2)

    def test_an_interrupt_keeps_what_was_imported(self):
        sentences = {n: [f"w{i}" for i in range(64)] for n in range(1, 151)}
        written = self.plain(sentences, layers=6, heads=4)
        process = subprocess.Popen([MOG, "import", self.path, "--output", self.output, "--commit-every", "5"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while process.poll() is None and not (self.output / "shard-00002.h5").exists():
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        message = process.communicate(timeout=120)[1].decode()
        if process.returncode != 0:  # it was not quicker than the signal
            self.assertEqual(process.returncode, 130, message)
            self.assertIn("--resume", message)
            summary = self.imported("--resume", "--commit-every", "5")
            self.assertGreaterEqual(summary["sentences"] - summary["recorded"], 10)
        recording = Recording(self.output)
        self.assertEqual(sorted(recording.numbers), list(sentences))
        for number in (1, 75, 150):
            found = recording.values(number, "encoder.6.full.attention", 4, 64, 64)
            np.testing.assert_allclose(found, written[number][5], atol=1e-3)

    def test_a_missing_loader_is_named(self):
        program = self.folder / "bin" / "mog"
        program.parent.mkdir()
        program.write_bytes(pathlib.Path(MOG).read_bytes())
        program.chmod(0o755)
        self.plain()
        environment = dict(os.environ, LD_LIBRARY_PATH=str(pathlib.Path(MOG).parent.parent / "lib"))
        result = subprocess.run([program, "import", self.path, "--output", self.output], capture_output=True,
                                env=environment, timeout=60)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(b"mog-loader", result.stderr)

    def test_the_loader_by_hand_says_what_it_is(self):
        result = subprocess.run([pathlib.Path(MOG).parent / "mog-loader"], capture_output=True, timeout=60)
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"starts it", result.stderr)


class Damage(Case):
    """Nothing in a file brings the program down: exit 0 or 3, soon, in little memory."""

    def survives(self, path, label, allowed=(0, 3), seconds=5.0):
        output = self.folder / "damaged.rec"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = run("import", path, "--output", output, timeout=100)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        message = result.stderr.decode("utf-8", "replace")
        self.assertIn(result.returncode, allowed, f"{label}: {message}")
        if result.returncode == 3:
            self.assertIn(path.name, message, label)
            self.assertFalse(output.exists(), label)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.assertLess(used, seconds * (10 if "asan" in MOG else 1), label)
        if output.exists():
            for file in output.iterdir():
                file.unlink()
            output.rmdir()
        return result.returncode

    def tearDown(self):
        # Of all children so far; the sanitizers' shadow counts.
        kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        if "asan" not in MOG:
            self.assertLess(kilobytes, 512 * 1024)
        super().tearDown()

    def test_wrong_and_hostile_files(self):
        folders = [DAMAGED] + ([SHARED / "hostile" / "hdf5"] if (SHARED / "hostile" / "hdf5").is_dir() else [])
        tried = 0
        for folder in folders:
            for path in sorted(folder.glob("*.h5")):
                self.assertEqual(self.survives(path, path), 3)
                tried += 1
        self.assertGreater(tried, 80)

    def test_one_byte_changed(self):
        self.plain({1: ["ab", "cd", "ef"], 2: ["gh"]}, layers=1, heads=1)
        with h5py.File(self.path, "a") as file:
            file["1/words"] = ["ab", "cd", "ef"]
            file["2"].create_dataset("hidden", data=np.ones((2, 1, 4), "f4"), compression="gzip")
            file["1"].create_dataset("hidden", data=np.ones((2, 3, 4), "f4"), compression="gzip")
        whole = self.path.read_bytes()
        mutant = self.folder / "mutant.h5"
        random.seed(5)
        # All bytes of these tables would take too long: a few hundred places, and each kind of change.
        used = [at for at in range(len(whole)) if whole[at] != 0]
        codes = set()
        for trial in range(300):
            at = random.choice(used) if trial % 3 else random.randrange(len(whole))
            changed = bytearray(whole)
            changed[at] = (changed[at] ^ (1 << random.randrange(8)), 0xFF, 0, random.randrange(256))[trial % 4]
            if trial % 5 == 0:
                changed[at:at + 8] = bytes([random.randrange(256) for _ in range(8)])[:len(changed) - at]
            mutant.write_bytes(changed)
            codes.add(self.survives(mutant, f"byte {at}, trial {trial}"))
        self.assertEqual(codes, {0, 3})

    def test_a_string_that_stands_for_gigabytes(self):
        # 240 MB of padding shrink to almost nothing.
        with h5py.File(self.path, "w") as file:
            group = file.create_group("1")
            n = 4000
            group.create_dataset("tokens", data=np.array([b"y"] * n, "S60000"), compression="gzip")
            group.create_dataset("attention", data=np.full((1, 1, n, n), 1 / n, "f2"), compression="gzip")
        self.survives(self.path, "long strings", allowed=(3,), seconds=20)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=1)

"""Exact decompositions through `mog record --quantity` and `--check`, read with h5py: against the golden values where
they are, what must add up whatever the model, refusals by name, and `mog stats` of recorded names.

Usage: cli_decomposition.py MOG MODELS_DIR [SHARED_DIR]
"""
import csv
import io
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

from mog_cli import shared_dir, skip

try:
    import h5py
    import numpy as np
except ImportError as error:
    skip(f"a Python package is absent ({error})")

MOG, MODELS = (os.path.abspath(path) for path in sys.argv[1:3])
if not os.environ.get("MOG_ENGINE") and not list(pathlib.Path(MOG).parents[1].glob("*/libmog_engine.so")):
    skip("this build has no engine")
GOLDEN = shared_dir(sys.argv[3] if len(sys.argv) > 3 else None) / "golden" / "decomposition"

# Golden key, quantity of a layer (or of the whole encoder), whether quadrature is in it.
KEYS = [
    ("ln_scale", "norm_scale"), ("split", "split"), ("norms", "split.norm"), ("cos_carried", "carried.cosine"),
    ("gain_carried", "carried.gain"), ("attention", "full.attention"), ("terms", "full.logit_terms"),
    ("cov_share", "full.logit_terms.covariance"), ("cov_pool", "full.logit_terms.covariance_heads"),
    ("cov_share9", "full.separate_terms.covariance"), ("leave_out_kl", "full.logit_terms.leave_out"),
    ("as_maps", "full.aumann_shapley"), ("as_share", "full.aumann_shapley.share"),
    ("as_abs_share", "full.aumann_shapley.absolute_share"), ("value_norms", "full.value_parts.norm"),
    ("gate_projection", "pseudo_gate.projection"), ("gate_proximity", "pseudo_gate.proximity"),
    ("gate_fine", "pseudo_gate.fine"), ("propagation_norm", "propagation.norm"), ("kobayashi_norm", "kobayashi"),
    ("mixing_ratio", "mixing_ratio"), ("globenc_layer", "globenc"), ("globenc", "globenc.product"),
    ("globenc_raw", "globenc.raw_product"), ("alti_layer", "alti"), ("alti", "alti.product"),
    ("rollout", "rollout.product"), ("order_alti", "alti.tree_order"), ("order_rollout", "rollout.tree_order"),
    ("order_alti_mean", "alti.tree_order_mean"), ("order_rollout_mean", "rollout.tree_order_mean"),
    ("order_alti_log2", "alti.tree_order_bins"), ("order_rollout_log2", "rollout.tree_order_bins"),
    ("walk_alti", "alti.walk_order"), ("walk_rollout", "rollout.walk_order"),
]
WHOLE = [("output", "output"), ("propagation_final_norm", "propagation.norm"), ("propagation_last", "propagation"),
         ("propagation_projection", "propagation.projection"), ("flow", "flow"), ("flow_raw", "flow.raw")]


def mog(*arguments):
    return subprocess.run([MOG, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def tensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    types = {"F64": np.float64, "F32": np.float32, "F16": np.float16}
    return {name: np.frombuffer(data[slice(*entry["data_offsets"])], types[entry["dtype"]]).reshape(entry["shape"])
            for name, entry in header.items() if name != "__metadata__"}


class Recording:
    def __init__(self, folder):
        self.file = h5py.File(folder / "recording.h5")

    def read(self, name, sentence):
        values = self.file[f"quantities/{name}"]
        begin, end = self.file[values.attrs["offsets"]][sentence:sentence + 2]
        return np.asarray(values[begin:end])


class Decomposition(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        self.plain = os.path.join(MODELS, "transformer_post")

    def corpus(self, lines):
        path = self.folder / "corpus.txt"
        path.write_text("".join(line + "\n" for line in lines))
        return path

    def record(self, model, lines, output, *more, code=0):
        result = mog("record", "--model", model, "--input", self.corpus(lines), "--output", self.folder / output, *more)
        if result.returncode != code and "engine" in result.stderr:
            skip(result.stderr.strip())
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def lines(self, count=12):
        return [" ".join(f"w{5 + (7 * i + 3 * j) % 30}" for j in range(1 + (5 * i) % 9)) for i in range(count)]

    def compare_with_golden(self, name, precision, tolerance, quadrature):
        golden, output = GOLDEN / name, f"{name}-{precision}"
        if not golden.is_dir():
            self.skipTest("the golden values are not there")
        lines = [sentence["text"] for sentence in json.loads((golden / "sentences.json").read_text())["sentences"]]
        self.record(golden, lines, output, "--quantity", "encoder.*,encoder.*.*,encoder.*.*.*,encoder.*.*.*.*",
                    "--precision", precision, "--store", "float64", "--check")
        expected, recording = tensors(golden / "expected.safetensors"), Recording(self.folder / output)
        layers, compared = expected["s0.ln_scale"].shape[0], 0
        for sentence in range(len(lines)):
            for keys, numbers in ((KEYS, range(1, layers + 1)), (WHOLE, [None])):
                for key, quantity in keys:
                    wanted = expected.get(f"s{sentence}.{key}")
                    if wanted is None:
                        continue
                    found = np.concatenate([recording.read(
                        f"encoder.{quantity}" if layer is None else f"encoder.{layer}.{quantity}", sentence)
                        for layer in numbers])
                    allowed = quadrature if key.startswith("as_") else tolerance
                    self.assertEqual(found.size, wanted.size, key)
                    worst = np.max(np.abs(found - wanted.ravel())) / np.max(np.abs(wanted))
                    self.assertLessEqual(worst, allowed, f"{name} s{sentence}.{key}")
                    compared += 1
        self.assertGreaterEqual(compared, 2 * (len(KEYS) + len(WHOLE) - 1))

    def test_golden_values_in_float64(self):
        for name in ("tiny-post-relu", "tiny-pre-relu"):
            with self.subTest(name):
                self.compare_with_golden(name, "float64", 1e-10, 1e-6)

    def test_golden_values_in_float32(self):
        for name in ("tiny-post-relu", "tiny-pre-relu"):
            with self.subTest(name):
                self.compare_with_golden(name, "float32", 1e-5, 1e-5)

    def test_the_parts_add_up_and_shapes_are_those_of_the_list(self):
        lines = self.lines()
        names = "encoder.*.split,encoder.*.output,encoder.*.full.attention,encoder.*.full.logit_terms,encoder.*.alti.product"
        self.record(self.plain, lines, "r", "--quantity", names, "--store", "float32")
        recording = Recording(self.folder / "r")
        for sentence, line in enumerate(lines):
            tokens = len(line.split()) + 1
            for layer in (1, 2, 3):
                whole = recording.read(f"encoder.{layer}.output", sentence).reshape(tokens, 24)
                parts = recording.read(f"encoder.{layer}.split", sentence).reshape(4, tokens, 24)
                self.assertLess(np.abs(parts.sum(0) - whole).max(), 1e-5 * np.abs(whole).max())
                scores = recording.read(f"encoder.{layer}.full.logit_terms", sentence).reshape(4, 6, tokens, tokens).sum(1)
                weights = np.exp(scores - scores.max(-1, keepdims=True))
                pattern = recording.read(f"encoder.{layer}.full.attention", sentence).reshape(4, tokens, tokens)
                self.assertLess(np.abs(weights / weights.sum(-1, keepdims=True) - pattern).max(), 1e-5)
                product = recording.read(f"encoder.{layer}.alti.product", sentence).reshape(tokens, tokens)
                self.assertLess(np.abs(product.sum(1) - 1).max(), 1e-5)

    def test_a_selection_of_layers_does_not_change_the_products(self):
        lines = self.lines(4)
        self.record(self.plain, lines, "all", "--quantity", "encoder.*.rollout.product,encoder.*.alti", "--store", "float32")
        self.record(self.plain, lines, "last", "--quantity", "encoder.*.rollout.product", "--layers", "3", "--store", "float32")
        every, last = Recording(self.folder / "all"), Recording(self.folder / "last")
        self.assertNotIn("encoder.2.rollout.product", last.file["quantities"])
        for sentence in range(4):
            np.testing.assert_allclose(last.read("encoder.3.rollout.product", sentence),
                                       every.read("encoder.3.rollout.product", sentence), atol=1e-7)

    def test_check_prints_every_identity(self):
        result = self.record(self.plain, self.lines(), "r", "--capture", "none", "--check", "--json")
        identities = {entry["identity"]: entry for entry in json.loads(result.stdout)["identities"]}
        for name in ("split of the output", "logit terms", "nine logit terms", "covariance shares", "Aumann-Shapley maps",
                     "value parts", "order groups", "propagation", "vectors given by keys", "norms by Gram matrices",
                     "rows of ALTI", "rows of rollout", "rows of products", "tree order masses", "mean tree order"):
            self.assertIn(name, identities)
            self.assertLessEqual(identities[name]["residual"], identities[name]["tolerance"])
        result = self.record(self.plain, self.lines(3), "t", "--capture", "none", "--check", "--precision", "float64")
        self.assertIn("identities hold", result.stdout)

    def test_refusals_name_the_reason(self):
        graph = os.path.join(MODELS, "half_weight_gate")
        translator = pathlib.Path(MODELS).parent.parent / "encoders" / "fairseq-split" / "checkpoint_best.pt"
        for model, options, word in (
                (graph, ["--quantity", "encoder.*.split.norm"], "Graph-Transformer"),
                (graph, ["--quantity", "encoder.2.rollout.product"], "Graph-Transformer"),
                (graph, ["--check"], "Graph-Transformer"),
                (self.plain, ["--quantity", "encoder.9.split"], "encoder.9.split"),
                (self.plain, ["--quantity", "encoder.9.split"], "layers are 1 to 3"),
                (self.plain, ["--quantity", "encoder.1.slpit"], "did you mean encoder.*.split"),
                (self.plain, ["--quantity", "encoder.*.kobayashy"], "encoder.*.kobayashi"),
                (self.plain, ["--quantity", "encoder.1.full.logit_terms.covarience"], "logit_terms.covariance"),
                (translator, ["--quantity", "decoder.*.self.attention"], "--target"),
                (self.plain, ["--check", "--precision", "bfloat16"], "float32 or float64"),
                (self.plain, ["--check", "--precision", "int4"], "did you mean int8"),
                (self.plain, ["--quantity", "encoder.1.split,,"], "empty"),
                (self.plain, ["--quantity", "encoder.1.split", "--precision", "bfloat16"], "float32 or float64")):
            result = self.record(model, self.lines(2), "r", *options, code=2)
            self.assertIn(word, result.stderr)
            self.assertFalse((self.folder / "r").exists(), options)

    def models_of_other_programs(self):
        """(name, what to open, a corpus) of every fixture; CTranslate2's model is in the shared data."""
        folder = pathlib.Path(MODELS).parent.parent / "encoders"
        for path in sorted(folder.iterdir()) if folder.is_dir() else []:
            if path.name == "config.json" or not (path / "corpus.txt").exists():
                continue
            checkpoints = sorted(path.glob("*.pt"))
            yield path.name, checkpoints[0] if checkpoints else path, (path / "corpus.txt").read_text().splitlines()
        shared = GOLDEN.parent.parent / "data" / "models" / "aren-transliteration"
        if shared.is_dir():
            yield "ctranslate2", shared, ["\u0622 \u062a \u0632 \u0645 \u0648 \u0646", "\u0622 \u0632 \u0627"]

    def test_identities_of_encoders_of_other_programs(self):
        seen = 0
        for name, model, lines in self.models_of_other_programs():
            for precision in ("float32", "float64"):
                with self.subTest(model=name, precision=precision):
                    result = self.record(model, lines, f"{name}-{precision}", "--capture", "none", "--check", "--precision",
                                         precision, "--json", "--long", "truncate")
                    identities = [entry["identity"] for entry in json.loads(result.stdout)["identities"]]
                    for identity in ("split of the output", "norms by Gram matrices", "logit terms", "nine logit terms",
                                     "covariance shares", "Aumann-Shapley maps", "value parts", "order groups",
                                     "propagation", "rows of ALTI", "rows of word maps"):
                        self.assertIn(identity, identities)
                    seen += 1
        self.assertGreaterEqual(seen, 28)  # BERT types, BART, Marian, T5, fairseq, nn.TransformerEncoder

    def test_relative_positions_are_a_term_of_their_own(self):
        folder = pathlib.Path(MODELS).parent.parent / "encoders" / "t5"
        self.record(folder, ["The cat sat on the mat .", "A b c d ."], "r", "--precision", "float64", "--store", "float64",
                    "--quantity", "encoder.*.full.logit_terms,encoder.*.full.attention,encoder.*.full.logit_terms.covariance,"
                    "encoder.*.full.aumann_shapley.share")
        recording = Recording(self.folder / "r")
        count = recording.file["sentences/tokens"][:]
        layers = sum(1 for name in recording.file["quantities"] if name.endswith("full.logit_terms"))
        for sentence in range(2):
            tokens = int(count[sentence])
            for layer in range(1, layers + 1):
                pattern = recording.read(f"encoder.{layer}.full.attention", sentence)
                heads = pattern.size // tokens ** 2
                terms = recording.read(f"encoder.{layer}.full.logit_terms", sentence).reshape(heads, 7, tokens, tokens)
                scores = terms.sum(1)
                weights = np.exp(scores - scores.max(-1, keepdims=True))
                np.testing.assert_allclose(weights / weights.sum(-1, keepdims=True), pattern.reshape(heads, tokens, tokens),
                                           atol=1e-12)
                self.assertEqual(np.abs(terms[:, 4:6]).max(), 0)  # no query has a bias
                self.assertGreater(np.abs(terms[:, 6]).max(), 0)
                for away in range(1 - tokens, tokens):  # the same for every pair at one distance, and in every layer
                    diagonal = np.diagonal(terms[:, 6], away, 1, 2)
                    self.assertEqual(np.ptp(diagonal, axis=-1).max(), 0)
                first = recording.read("encoder.1.full.logit_terms", sentence).reshape(heads, 7, tokens, tokens)
                np.testing.assert_array_equal(terms[:, 6], first[:, 6])
                for shares in ("logit_terms.covariance", "aumann_shapley.share"):
                    own = recording.read(f"encoder.{layer}.full.{shares}", sentence).reshape(heads, 7)
                    np.testing.assert_allclose(own.sum(1), 1, atol=1e-6)

    def test_propagation_through_gated_blocks_adds_up(self):
        folder = pathlib.Path(MODELS).parent.parent / "encoders" / "t5-gated"
        self.record(folder, ["The cat sat on the mat ."], "r", "--precision", "float64", "--store", "float64", "--quantity",
                    "encoder.*.propagation,encoder.*.output,encoder.propagation,encoder.output,encoder.embedding")
        recording = Recording(self.folder / "r")
        tokens = int(recording.file["sentences/tokens"][0])
        width = recording.read("encoder.embedding", 0).size // tokens
        for name in ("encoder.1", "encoder.2", "encoder"):
            parts = recording.read(f"{name}.propagation", 0).reshape(tokens, tokens + 1, width)
            whole = recording.read(f"{name}.output", 0).reshape(tokens, width)
            np.testing.assert_allclose(parts.sum(1), whole, atol=1e-11 * np.abs(whole).max())
            self.assertEqual(np.abs(parts[:, -1]).max(), 0)  # T5 has no bias that could be a source

    def test_token_types_are_added_exactly(self):
        """In float64 the embedding is word + position + type 0 of the stored weights, not their float32 sum."""
        folder = pathlib.Path(MODELS).parent.parent / "encoders" / "bert-tanh"
        lines = (folder / "corpus.txt").read_text().splitlines()[:2]
        self.record(folder, lines, "r", "--precision", "float64", "--store", "float64", "--capture", "none", "--quantity",
                    "encoder.embedding")
        recording, weights = Recording(self.folder / "r"), tensors(folder / "model.safetensors")
        prefix = "bert." if "bert.embeddings.word_embeddings.weight" in weights else ""
        table = {name: weights[f"{prefix}embeddings.{name}"].astype(np.float64) for name in (
            "word_embeddings.weight", "position_embeddings.weight", "token_type_embeddings.weight", "LayerNorm.weight",
            "LayerNorm.bias")}
        epsilon = json.loads((folder / "config.json").read_text()).get("layer_norm_eps", 1e-12)
        ids, at = recording.file["tokens/id"][:], 0
        for sentence, count in enumerate(recording.file["sentences/tokens"][:]):
            x = table["word_embeddings.weight"][ids[at:at + count]] + table["position_embeddings.weight"][:count]
            x = x + table["token_type_embeddings.weight"][0]
            x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + epsilon)
            x = x * table["LayerNorm.weight"] + table["LayerNorm.bias"]
            np.testing.assert_allclose(recording.read("encoder.embedding", sentence), x.ravel(), atol=1e-13 * np.abs(x).max())
            at += count

    def test_figures_of_recorded_names(self):
        self.record(self.plain, self.lines(4), "r", "--quantity",
                    "encoder.*.split.norm,encoder.3.alti.product,encoder.2.full.aumann_shapley,encoder.propagation.norm")
        for arguments in (["quantity-by-layer", "--quantity", "encoder.*.split.norm", "--bootstrap", "20"],
                          ["quantity-map", "-n", "2", "--quantity", "encoder.3.alti.product"],
                          ["quantity-map", "-n", "2", "--quantity", "encoder.propagation.norm"],
                          ["quantity-map", "-n", "2", "--quantity", "encoder.2.full.aumann_shapley", "--head", "4"]):
            result = mog("figure", arguments[0], self.folder / "r", *arguments[1:], "-o", self.folder / "f.svg", "--csv", "-")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("level ", (self.folder / "f.svg").read_text())
            self.assertGreater(len(result.stdout.splitlines()), 5)
        for arguments in (["-n", "2", "--quantity", "encoder.1.alti"], ["-n", "2", "--quantity", "encoder.1.split.norm"],
                          ["-n", "2", "--quantity", "encoder.2.full.aumann_shapley", "--head", "9"], ["-n", "2"]):
            result = mog("figure", "quantity-map", self.folder / "r", *arguments, "-o", self.folder / "f.svg")
            self.assertEqual(result.returncode, 2, result.stderr)

    def figure(self, kind, *arguments, code=0):
        result = mog("figure", kind, self.folder / "r", *arguments, "-o", self.folder / "f.svg", "--csv", "-")
        self.assertEqual(result.returncode, code, result.stderr)
        return list(csv.DictReader(io.StringIO(result.stdout))) if code == 0 else result.stderr

    def test_bars(self):
        lines = self.lines(6)
        self.record(self.plain, lines, "r", "--store", "float32", "--quantity", "encoder.*.split,encoder.*.split.norm,"
                    "encoder.*.pseudo_gate.projection,encoder.2.full.logit_terms,encoder.2.full.aumann_shapley,"
                    "encoder.*.full.logit_terms.covariance_sums,encoder.propagation.projection")
        recording = Recording(self.folder / "r")
        tokens = len(lines[1].split()) + 1
        # One attention score, all keys or one: the terms of the mean over heads or of a head.
        terms = recording.read("encoder.2.full.logit_terms", 1).reshape(4, 6, tokens, tokens)
        for options, wanted in (((), terms.mean(0)), (("--head", "3"), terms[2])):
            rows = self.figure("token-bars", "-n", "2", "--token", "2", "--quantity", "encoder.2.full.logit_terms", *options)
            self.assertEqual([row["series"] for row in rows[::tokens]], ["pp", "pi", "ip", "ii", "bp", "bi"])
            np.testing.assert_allclose([float(row["y"]) for row in rows], wanted[:, 1].ravel(), atol=1e-6)
            self.assertIn("level 0", (self.folder / "f.svg").read_text())
        one = self.figure("token-bars", "-n", "2", "--token", "2", "--key", "4", "--quantity", "encoder.2.full.logit_terms")
        self.assertEqual([row["x_label"] for row in one], ["pp", "pi", "ip", "ii", "bp", "bi", "sum"])
        self.assertAlmostEqual(float(one[-1]["y"]), float(terms.mean(0)[:, 1, 3].sum()), places=5)
        # What a token consists of, by layer: shares of x' that sum to 1.
        parts = self.figure("token-bars", "-n", "2", "--token", "2", "--quantity", "encoder.*.split")
        self.assertEqual([row["x_label"] for row in parts[:3]], ["1", "2", "3"])
        for layer in "123":
            self.assertAlmostEqual(sum(float(row["y"]) for row in parts if row["x_label"] == layer), 1, places=5)
        vectors = recording.read("encoder.3.split", 1).reshape(4, tokens, 24)[:, 1].astype(np.float64)
        whole = vectors.sum(0)
        found = [float(row["y"]) for row in parts if row["x_label"] == "3"]
        np.testing.assert_allclose(found, vectors @ whole / (whole @ whole), atol=1e-6)
        self.assertIn("level 2", (self.folder / "f.svg").read_text())
        gate = self.figure("token-bars", "-n", "2", "--token", "2", "--quantity", "encoder.*.pseudo_gate.projection")
        wanted = recording.read("encoder.2.pseudo_gate.projection", 1).reshape(tokens, 6)[1]
        np.testing.assert_allclose([float(row["y"]) for row in gate if row["x_label"] == "2"], wanted, atol=1e-6)
        sources = self.figure("token-bars", "-n", "2", "--token", "1", "--quantity", "encoder.propagation.projection")
        self.assertEqual(sources[-1]["x_label"], "bias")
        self.assertAlmostEqual(sum(float(row["y"]) for row in sources), 1, places=4)
        # Shares of a corpus by layer.
        shares = self.figure("share-bars", "--quantity", "encoder.*.full.logit_terms.covariance_sums", "--bootstrap", "10")
        self.assertEqual({row["x_label"] for row in shares}, {"1", "2", "3"})
        for layer in "123":
            self.assertAlmostEqual(sum(float(row["y"]) for row in shares if row["x_label"] == layer), 1, places=5)
        self.assertEqual({row["sentences"] for row in shares}, {"6"})
        self.assertTrue(all(int(row["tokens"]) > 0 for row in shares))
        for kind, arguments, word in (
                ("token-bars", ["-n", "2", "--quantity", "encoder.*.split"], "--token"),
                ("token-bars", ["-n", "2", "--token", "99", "--quantity", "encoder.*.split"], "token 99"),
                ("token-bars", ["-n", "2", "--token", "2", "--quantity", "encoder.*.split.norm"], "add up"),
                ("token-bars", ["-n", "2", "--token", "2", "--key", "99", "--quantity", "encoder.2.full.logit_terms"], "key 99"),
                ("token-bars", ["-n", "2", "--token", "2", "--head", "9", "--quantity", "encoder.2.full.logit_terms"], "4 heads"),
                ("token-bars", ["-n", "2", "--token", "2", "--by-word", "--quantity", "encoder.2.full.logit_terms"], "scores"),
                ("token-bars", ["-n", "2", "--token", "2", "--quantity", "encoder.*.*"], "one quantity"),
                ("token-bars", ["-n", "2", "--token", "2", "--quantity", "encoder.*.alti"], "does not hold"),
                ("share-bars", ["--quantity", "encoder.*.split.norm"], "add up"),
                ("share-bars", ["--by-word", "--quantity", "encoder.*.full.logit_terms.covariance_sums"], "--by-word")):
            self.assertIn(word, self.figure(kind, *arguments, code=2))

    def test_maps_by_word_keep_their_row_sums(self):
        folder = pathlib.Path(MODELS).parent.parent / "encoders" / "bert-tanh"
        self.record(folder, (folder / "corpus.txt").read_text().splitlines(), "r", "--store", "float32", "--quantity",
                    "encoder.1.alti,encoder.1.full.aumann_shapley,encoder.propagation.projection")
        recording, words = Recording(self.folder / "r"), None
        counts, of_token = recording.file["sentences/tokens"][:], recording.file["tokens/word"][:]
        starts = np.concatenate([[0], np.cumsum(counts)])
        for sentence, tokens in enumerate(counts):
            words = of_token[starts[sentence]:starts[sentence + 1]]
            if len(set(words[words >= 0])) < (words >= 0).sum():
                break
        self.assertLess(len(set(words[words >= 0])), (words >= 0).sum(), "no word has two pieces")
        units = [0]
        for before, word in zip(words, words[1:]):
            units.append(units[-1] + (word < 0 or word != before))
        merge = np.zeros((units[-1] + 1, tokens))
        merge[units, np.arange(tokens)] = 1
        for name, columns in (("encoder.1.alti", tokens), ("encoder.propagation.projection", tokens + 1)):
            own = recording.read(name, sentence).reshape(tokens, columns).astype(np.float64)
            wanted = merge @ own / merge.sum(1, keepdims=True)
            wanted = np.concatenate([wanted[:, :tokens] @ merge.T, wanted[:, tokens:]], 1)
            rows = self.figure("quantity-map", "-n", str(sentence + 1), "--quantity", name, "--by-word")
            found = np.array([float(row["value"]) for row in rows]).reshape(wanted.shape)
            np.testing.assert_allclose(found, wanted, atol=1e-6)
            np.testing.assert_allclose(found.sum(1), 1, atol=1e-5)
            bars = self.figure("token-bars", "-n", str(sentence + 1), "--token", "2", "--quantity", name, "--by-word")
            np.testing.assert_allclose([float(row["y"]) for row in bars], wanted[1], atol=1e-6)

    def table(self, *arguments):
        result = mog("stats", self.folder / "r", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return list(csv.DictReader(io.StringIO(result.stdout)))

    def test_statistics_of_recorded_names(self):
        lines = self.lines()
        self.record(self.plain, lines, "r", "--quantity",
                    "encoder.*.split.norm,encoder.*.full.logit_terms.covariance*,encoder.*.pseudo_gate.projection")
        rows = self.table("--quantity", "encoder.2.split.norm,encoder.*.full.logit_terms.covariance_sums", "--by", "layer",
                          "--bootstrap", "50")
        recording = Recording(self.folder / "r")
        norms = [recording.read("encoder.2.split.norm", i).reshape(-1, 5)[:-1] for i in range(len(lines))]
        for entry, wanted in zip(("carried", "attention", "feed_forward", "bias", "output"), np.concatenate(norms).mean(0)):
            row = next(row for row in rows if row["quantity"] == "encoder.2.split.norm" and row["entry"] == entry)
            self.assertAlmostEqual(float(row["mean"]), wanted, places=5)
            self.assertEqual(int(row["sentences"]), len(lines))
            self.assertLessEqual(float(row["low"]), float(row["mean"]))
        sums = sum(recording.read("encoder.3.full.logit_terms.covariance_sums", i).reshape(4, 7).astype(np.float64).sum(0)
                   for i in range(len(lines)))
        pooled = [float(row["mean"]) for row in rows if row["quantity"].startswith("encoder.3.full.logit_terms")]
        np.testing.assert_allclose(pooled, sums[:6] / sums[6], atol=1e-5)
        self.assertAlmostEqual(sum(pooled), 1, places=5)
        by_head = self.table("--quantity", "encoder.1.full.logit_terms.covariance", "--by", "layer,head", "--bootstrap", "0")
        self.assertEqual({row["head"] for row in by_head}, {"1", "2", "3", "4"})
        self.record(self.plain, lines, "more", "--quantity", "encoder.*.alti,encoder.*.rollout.tree_order,encoder.2.split")
        os.rename(self.folder / "r", self.folder / "before")
        os.rename(self.folder / "more", self.folder / "r")
        masses = self.table("--quantity", "encoder.3.rollout.tree_order", "--by", "layer", "--bootstrap", "0")
        self.assertEqual([row["entry"] for row in masses], [str(n) for n in range(9)])
        self.assertAlmostEqual(sum(float(row["mean"]) for row in masses), 1, places=5)
        for arguments, word in ((["--quantity", "encoder.*.alti"], "a value for every key"),
                                (["--quantity", "encoder.2.split"], "vector a token"),
                                (["--quantity", "encoder.*.split.norm"], "does not hold it"),
                                (["--quantity", "encoder.*.split.norm,gate"], "alone")):
            result = mog("stats", self.folder / "r", *arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn(word, result.stderr)


unittest.main(argv=sys.argv[:1] + sys.argv[4:])

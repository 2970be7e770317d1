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
        for model, options, word in (
                (graph, ["--quantity", "encoder.*.split.norm"], "Graph-Transformer"),
                (graph, ["--quantity", "encoder.2.rollout.product"], "Graph-Transformer"),
                (graph, ["--check"], "Graph-Transformer"),
                (self.plain, ["--quantity", "encoder.9.split"], "encoder.9.split"),
                (self.plain, ["--quantity", "encoder.1.slpit"], "encoder.1.slpit"),
                (self.plain, ["--quantity", "encoder.1.split,,"], "empty"),
                (self.plain, ["--quantity", "encoder.1.split", "--precision", "bfloat16"], "float32 or float64")):
            result = self.record(model, self.lines(2), "r", *options, code=2)
            self.assertIn(word, result.stderr)
            self.assertFalse((self.folder / "r" / "recording.h5").exists())

    def test_identities_of_encoders_of_other_programs(self):
        folder = pathlib.Path(MODELS).parent.parent / "encoders"
        models = [path for path in sorted(folder.iterdir()) if (path / "config.json").exists()] if folder.is_dir() else []
        for model in models:
            for precision in ("float32", "float64"):
                with self.subTest(model=model.name, precision=precision):
                    result = self.record(model, ["The cat sat on the mat .", "A b c d .", "Hello"], f"{model.name}-{precision}",
                                         "--capture", "none", "--check", "--precision", precision, "--json")
                    identities = [entry["identity"] for entry in json.loads(result.stdout)["identities"]]
                    self.assertIn("split of the output", identities)
                    self.assertIn("norms by Gram matrices", identities)
                    plain = not model.name.startswith("t5")
                    self.assertEqual("logit terms" in identities, plain)
        for model, name, word in (("t5", "encoder.1.full.logit_terms", "relative positions"),
                                  ("t5-gated", "encoder.propagation.norm", "gated")):
            if (folder / model).is_dir():
                self.assertIn(word, self.record(folder / model, ["a b"], "x", "--quantity", name, code=2).stderr)

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
        for arguments, word in ((["--quantity", "encoder.*.alti"], "encoder.*.alti"),
                                (["--quantity", "encoder.*.split.norm,gate"], "alone")):
            result = mog("stats", self.folder / "r", *arguments)
            self.assertEqual(result.returncode, 2)
            self.assertIn(word, result.stderr)


unittest.main(argv=sys.argv[:1])

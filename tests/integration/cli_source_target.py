"""What a decoder's states owe to source tokens and to its own inputs: `mog record --quantity 'decoder.*contribution*'`
against a dense numpy program, in float64 and float32, on every kind of decoder; identities, statistics, figures, refusals.

Usage: cli_source_target.py MOG MODELS_DIR    (skips without the engine, numpy or h5py)
"""
import csv
import io
import json
import os
import pathlib
import random
import sys
import unittest

from mog_cli import MogCase, require_engine, skip

try:
    import h5py
    import numpy as np
    from decoder_reference import Reference, write_safetensors
except ImportError as error:
    skip(f"{error}; install numpy and h5py")

MOG, MODELS = (os.path.abspath(path) for path in sys.argv[1:3])
PATTERNS = ",".join(f"decoder.{layer}{quantity}{reduction}" for layer in ("", "*.")
                    for quantity in ("contribution", "memory_contribution", "alti", "memory_alti")
                    for reduction in ("", ".*") if not (quantity == "alti" and not reduction)
                    and not (quantity == "memory_alti" and not layer and not reduction))
OF_POSITIONS = ",".join(pattern for pattern in PATTERNS.split(",") if "memory" in pattern)

T5 = {"norm": "pre", "norm_kind": "rms", "position": "relative", "relative_buckets": 8, "relative_distance": 12, "head_dim": 5,
      "attention_scale": False, "projection_bias": False, "embed_scale": False}
# Changes of a decoder with an encoder in front that has them, too.
DECODERS = {
    "post": {},
    "pre": {"norm": "pre"},
    "post with a final norm": {"final_norm": True},
    "pre without a final norm": {"norm": "pre", "final_norm": False},
    "gelu, bias of the output": {"activation": "gelu", "output_bias": True},
    "silu, learned positions, shared embedding": {"activation": "silu", "position": "learned", "share_output_embedding": True},
    "no positions, one head": {"position": "none", "heads": 1},
    "as BART": {"activation": "gelu", "position": "learned", "embedding_norm": True, "output_bias": True},
    "as T5": T5,
    "as T5 1.1": {**T5, "activation": "gelu_tanh", "gated_ffn": True},
}


def write_model(folder, change, encoder=None, seed=5):
    """A random encoder-decoder whose decoder has `change`; of a plain encoder `encoder` is what it changes."""
    draw = np.random.default_rng(seed)
    d, ffn, layers, words = 12, 20, 2, 20
    stack = {"layers": layers, "d_model": d, "heads": 3, "ffn_dim": ffn, "activation": "relu", "layer_norm_eps": 1e-5,
             "norm": "post", "position": "sinusoidal", "embed_scale": True}
    decoder = {**stack, "share_output_embedding": False, **change}
    config = {"format": "mog-model", "format_version": 1, "architecture": "encoder_decoder",
              "encoder": {"kind": "transformer", **stack, "attention_dim": 3 * change["head_dim"] if "head_dim" in change else d,
                          **(encoder or {})}, "decoder": decoder,
              "tokenizer": {"kind": "whitespace", "lowercase": False, "vocab": "vocab.txt", "target_vocab": "target.txt"},
              "vocab_size": words, "target_vocab_size": words, "pad_id": 1, "bos_id": 2, "eos_id": 2, "unk_id": 3}
    tensors = {}

    def linear(name, rows, columns, bias=True):
        tensors[name + ".weight"] = draw.normal(0, 1 / np.sqrt(columns), (rows, columns))
        if bias:
            tensors[name + ".bias"] = draw.normal(0, 0.3, rows)

    def norm(name, bias=True):
        tensors[name + ".weight"] = 1 + draw.normal(0, 0.3, d)
        if bias:
            tensors[name + ".bias"] = draw.normal(0, 0.3, d)

    for name, own in (("encoder", config["encoder"]), ("decoder", decoder)):
        tensors[f"{name}.embed_tokens.weight"] = draw.normal(0, 0.5, (words, d))
        if own["position"] == "learned":
            tensors[f"{name}.embed_positions.weight"] = draw.normal(0, 0.5, (30, d))
        bias, bias_of_norms = own.get("projection_bias", True), own.get("norm_kind") != "rms"
        if own["position"] == "relative":
            tensors[f"{name}.relative_bias.weight"] = draw.normal(0, 0.5, (own["relative_buckets"], own["heads"]))
        if own.get("embedding_norm"):
            norm(f"{name}.embed_layer_norm", bias_of_norms)
        a = own["heads"] * own["head_dim"] if "head_dim" in own else d
        recurrent = own.get("kind") == "gru"
        for i in range(own["layers"]):
            p = f"{name}.layers.{i}."
            if recurrent:
                for gate in ("reset", "update", "candidate"):
                    linear(f"{p}{gate}.input", d, d)
                    tensors[f"{p}{gate}.recurrent.weight"] = draw.normal(0, 0.3, (d, d))
                continue
            for block in ("self_attn", "cross_attn")[:1 if name == "encoder" else 2]:
                for part in ("q_proj", "k_proj", "v_proj"):
                    linear(f"{p}{block}.{part}", a, d, bias)
                linear(f"{p}{block}.out_proj", d, a, bias)
            for one in (("attn_layer_norm",) if name == "encoder" else ("self_attn_layer_norm", "cross_attn_layer_norm")):
                norm(p + one, bias_of_norms)
            norm(p + "ffn_layer_norm", bias_of_norms)
            linear(p + "fc1", ffn, d, bias)
            if own.get("gated_ffn"):
                linear(p + "fc1_linear", ffn, d, bias)
            linear(p + "fc2", d, ffn, bias)
        if not recurrent and own.get("final_norm", own.get("norm") == "pre"):
            norm(f"{name}.layer_norm", bias_of_norms)
    if not decoder["share_output_embedding"]:
        tensors["decoder.output_projection.weight"] = draw.normal(0, 0.5, (words, d))
    if decoder.get("output_bias"):
        tensors["decoder.output_projection.bias"] = draw.normal(0, 0.5, words)
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    for file, letter in (("vocab.txt", "w"), ("target.txt", "v")):
        (folder / file).write_text("".join(f"{word}\n" for word in ["<s>", "<pad>", "</s>", "<unk>",
                                                                    *(f"{letter}{i}" for i in range(4, words))]))
    write_safetensors(folder / "model.safetensors", tensors)
    return folder


class Recording:
    def __init__(self, folder):
        self.file = h5py.File(folder / "recording.h5")

    def ids(self, table, sentence):
        begin, end = self.file[f"offsets/rows/{table}"][sentence:sentence + 2]
        return self.file[f"{table}/id"][begin:end].tolist()

    def read(self, name, sentence):
        values = self.file[f"quantities/{name}"]
        begin, end = self.file[values.attrs["offsets"]][sentence:sentence + 2]
        return np.asarray(values[begin:end], np.float64)


class SourceTarget(MogCase):
    mog = MOG

    def pairs(self, letters=("w", "v"), count=7):
        """Lengths apart and alike, on either side."""
        draw = random.Random(8)
        shapes = [(1, 1), (4, 3), (4, 6), (2, 6), (9, 1), (4, 3), (6, 12)][:count]
        files = []
        for side, letter in enumerate(letters):
            files.append(self.write(f"{letter}.txt", "".join(
                " ".join(f"{letter}{draw.randint(4, 19)}" for _ in range(shape[side])) + "\n" for shape in shapes)))
        return (*files, len(shapes))

    def record(self, model, patterns, *more, precision="float64"):
        source, target, count = self.pairs()
        output = self.folder / f"{pathlib.Path(model).name}-{precision}"
        self.run_well("record", "-m", model, "-i", source, "--target", target, "-o", output, "--quantity", patterns,
                      "--precision", precision, "--store", "float64" if precision == "float64" else "float32", *more)
        return Recording(output), count

    def compare(self, model, patterns, precision="float64", tolerance=1e-10):
        recording, count = self.record(model, patterns + ",encoder.output", precision=precision)
        reference = Reference(model)
        compared = set()
        for sentence in range(count):
            source, target = recording.ids("tokens", sentence), recording.ids("target_tokens", sentence)
            memory = recording.read("encoder.output", sentence).reshape(len(source), -1)
            wanted = reference.quantities(source, target, memory)
            for name, values in wanted.items():
                found = recording.read(name, sentence)
                self.assertEqual(found.size, values.size, name)
                worst = np.abs(found - values.ravel()).max() / np.abs(values).max()
                self.assertLessEqual(worst, tolerance, f"{pathlib.Path(model).name}, sentence {sentence + 1}, {name}")
                compared.add(name)
        return compared

    def test_every_decoder_is_that_of_the_dense_program(self):
        for number, (name, change) in enumerate(DECODERS.items()):
            with self.subTest(name):
                own = {key: value for key, value in change.items() if key not in ("share_output_embedding", "output_bias", "heads")}
                model = write_model(self.folder / f"m{number}", change, own, seed=number)
                compared = self.compare(model, PATTERNS)
                self.assertEqual(len(compared), 2 * (2 * 2 + 5) + 2 * 3 + 2)

    def test_stacks_of_other_norms_than_each_other(self):
        model = write_model(self.folder / "mixed", {"norm": "pre"}, {"norm": "post"})
        self.compare(model, PATTERNS)

    def test_float32_is_near(self):
        for norm in ("post", "pre"):
            model = write_model(self.folder / norm, {"norm": norm}, {"norm": norm})
            self.compare(model, PATTERNS, "float32", 2e-5)

    def test_golden_models(self):
        for name in ("transformer_post", "transformer_pre"):
            self.compare(pathlib.Path(MODELS) / name, PATTERNS)

    def test_other_encoders_leave_positions_of_their_output(self):
        gru = write_model(self.folder / "gru", {}, {"kind": "gru", "cell": "gru_reset", "position": "none"})
        config = json.loads((gru / "config.json").read_text())
        for key in ("heads", "ffn_dim", "activation", "layer_norm_eps", "norm", "attention_dim"):
            del config["encoder"][key]
        (gru / "config.json").write_text(json.dumps(config))
        for model in (gru, pathlib.Path(MODELS) / "half_weight_gate"):
            with self.subTest(model.name):
                compared = self.compare(model, OF_POSITIONS)
                self.assertEqual(len(compared), 2 * 2 + 5 + 2 * 2 + 1)
                message = self.expect(2, "goes through the encoder to the source tokens", "record", "-m", model, "-i",
                                      self.folder / "w.txt", "--target", self.folder / "v.txt", "-o", self.folder / "no",
                                      "--quantity", "decoder.contribution.norm")
                self.assertIn("decoder.memory_contribution", message)

    def test_identities_hold_and_are_named(self):
        for precision, limit in (("float64", 1e-10), ("float32", 1e-5)):
            for name in ("transformer_post", "transformer_pre", "half_weight_gate"):
                source, target, _ = self.pairs()
                text = self.run_well("record", "-m", pathlib.Path(MODELS) / name, "-i", source, "--target", target, "-o",
                                     self.folder / f"c-{name}-{precision}", "--capture", "none", "--check", "--precision",
                                     precision, "--json")
                found = {entry["identity"]: entry for entry in json.loads(text)["identities"]}
                expected = {"contributions by position", "logits by position",
                            "ALTI+ of a decoder layer", "ALTI+ of the decoder"}
                if name != "half_weight_gate":
                    expected |= {"decoder contributions", "logits by contributions",
                                 "ALTI+ of both sides", "propagation"}
                self.assertLessEqual(expected, found.keys())
                for identity in expected:
                    self.assertEqual(found[identity]["tolerance"], limit)
                    self.assertLessEqual(found[identity]["residual"], limit, identity)

    def test_a_decoder_of_another_program(self):
        """Of fairseq; its words are t and u."""
        model = pathlib.Path(MODELS).parents[1] / "encoders" / "fairseq-split" / "checkpoint_best.pt"
        source, target, _ = self.pairs(("t", "u"))
        text = self.run_well("record", "-m", model, "-i", source, "--target", target, "-o", self.folder / "fairseq",
                             "--quantity", "decoder.alti.share", "--check", "--json")
        found = {entry["identity"]: entry for entry in json.loads(text)["identities"]}
        for identity in ("decoder contributions", "logits by contributions", "ALTI+ of both sides"):
            self.assertLessEqual(found[identity]["residual"], 1e-5, identity)

    def test_batches_and_streams_change_nothing(self):
        model = write_model(self.folder / "m", {})
        source, target, count = self.pairs()
        for name, more in (("one", ("--threads", 1)), ("many", ("--threads", 3, "--batch-tokens", 1))):
            self.run_well("record", "-m", model, "-i", source, "--target", target, "-o", self.folder / name, "--quantity",
                          "decoder.contribution.logit,decoder.2.alti.product", "--store", "float32", *more)
        one, many = Recording(self.folder / "one"), Recording(self.folder / "many")
        for sentence in range(count):
            for name in ("decoder.contribution.logit", "decoder.2.alti.product"):
                np.testing.assert_allclose(one.read(name, sentence), many.read(name, sentence), rtol=0, atol=1e-5)

    def test_shares_are_counted_by_length_and_by_position(self):
        model = write_model(self.folder / "m", {})
        recording, count = self.record(model, "decoder.alti.share,decoder.contribution.share", precision="float32")
        folder = self.folder / "m-float32"
        values = [recording.read("decoder.alti.share", n).reshape(-1, 2) for n in range(count)]

        def table(*more):
            return list(csv.DictReader(io.StringIO(self.run_well("stats", folder, "--quantity", *more))))
        rows = table("decoder.alti.share", "--by", "layer,position", "--bins", "1,3,6")
        self.assertEqual({row["by"] for row in rows}, {"position"})
        for low, high in ((1, 3), (3, 6), (6, 99)):
            own = [value[low - 1:high - 1] for value in values if len(value) >= low]
            for entry, name in enumerate(("source", "prefix")):
                row, = (row for row in rows if row["entry"] == name and int(row["length_low"]) == low)
                self.assertAlmostEqual(float(row["mean"]), np.concatenate(own)[:, entry].mean(), places=6)
                self.assertEqual(int(row["sentences"]), len(own))
                self.assertEqual(int(row["tokens"]), sum(map(len, own)))
        rows = table("decoder.contribution.share", "--by", "layer,length", "--bins", "0,5")
        self.assertEqual([(row["entry"], row["bin"]) for row in rows],
                         [(entry, label) for entry in ("source", "prefix", "bias") for label in ("1–4", "5+")])
        for label in ("1–4", "5+"):
            self.assertAlmostEqual(sum(float(row["mean"]) for row in rows if row["bin"] == label), 1, places=5)
        self.expect(2, "it has a value for every source", "stats", self.recorded_maps(model), "--quantity",
                    "decoder.contribution.logit")

    def recorded_maps(self, model):
        source, target, _ = self.pairs()
        folder = self.folder / "maps"
        self.run_well("record", "-m", model, "-i", source, "--target", target, "-o", folder, "--capture", "attention",
                      "--quantity", "decoder.contribution.*,decoder.*.alti.product,decoder.alti.share", "--store", "float32")
        return folder

    def figure(self, *arguments):
        numbers = self.folder / "numbers.csv"
        self.run_well("figure", *arguments, "-o", self.folder / "figure.svg", "--csv", numbers)
        return list(csv.DictReader(io.StringIO(numbers.read_text())))

    def test_figures_show_what_was_recorded(self):
        model = write_model(self.folder / "m", {})
        folder = self.recorded_maps(model)
        recording = Recording(folder)
        sources, targets = (len(recording.ids(table, 1)) for table in ("tokens", "target_tokens"))
        logits = recording.read("decoder.contribution.logit", 1).reshape(targets, -1)
        rows = self.figure("source-and-prefix", folder, "-n", 2, "--quantity", "decoder.contribution.logit")
        found = np.array([float(row["value"]) for row in rows]).reshape(targets, sources + targets)
        np.testing.assert_allclose(found, logits[:, :-1], atol=1e-5)
        self.assertEqual(rows[0]["row_label"], "v" + rows[0]["row_label"][1:])
        self.assertEqual(rows[-1]["row_label"], "</s>")
        rows = self.figure("source-and-prefix", folder, "-n", 2, "--quantity", "decoder.contribution.logit", "--bias")
        self.assertEqual(rows[sources + targets]["column_label"], "bias")
        gold = self.write("gold.align", "0-0\n0-0 1p2\n" + "0-0\n" * 5)
        rows = self.figure("alignment", folder, "-n", 2, "--gold", gold)
        marks = {(int(row["row"]), int(row["column"])): row["marks"] for row in rows if row["marks"]}
        self.assertTrue(marks[1, 1].startswith("sure"))
        self.assertTrue(marks[3, 2].startswith("possible"))
        links = self.run_well("align", model, "-s", self.folder / "w.txt", "-t", self.folder / "v.txt", "--from",
                              "cross-attention").splitlines()[1].split()
        self.assertEqual({(row, column) for (row, column), mark in marks.items() if mark.endswith("found")},
                         {(int(link.split("-")[1]) + 1, int(link.split("-")[0]) + 1) for link in links})
        self.figure("alignment", folder, "-n", 2, "--quantity", "decoder.2.alti.product")
        rows = self.figure("share-by-position", folder, "--quantity", "decoder.alti.share", "--bins", "1,3")
        self.assertEqual({row["series"] for row in rows}, {"source", "prefix"})
        self.expect(2, "--layer and --head", "figure", "alignment", folder, "-n", 2, "--quantity", "decoder.2.alti.product",
                    "--layer", 1, "-o", self.folder / "x.svg")
        self.expect(2, "has no share of each side", "figure", "share-by-position", folder, "--quantity",
                    "decoder.contribution.logit", "-o", self.folder / "x.svg")
        bad = self.write("bad.align", "0-0\n7-0\n" + "0-0\n" * 5)
        self.expect(2, "gold links of sentence 2", "figure", "alignment", folder, "-n", 2, "--gold", bad, "-o",
                    self.folder / "x.svg")

    def test_figures_are_the_same_twice_in_every_format(self):
        folder = self.recorded_maps(write_model(self.folder / "m", {}))
        for kind, *options in (("alignment", "-n", 2, "--gold", self.write("gold.align", "0-0 1p2\n" * 7)),
                               ("source-and-prefix", "-n", 2, "--quantity", "decoder.2.alti.product", "--by-word"),
                               ("share-by-position", "--quantity", "decoder.alti.share", "--by", "length")):
            for extension, start in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")):
                files = [self.folder / f"{kind}-{turn}.{extension}" for turn in (1, 2)]
                for file in files:
                    self.run_well("figure", kind, folder, *options, "-o", file)
                first, second = (file.read_bytes() for file in files)
                self.assertEqual(first, second, f"{kind}.{extension}")
                self.assertTrue(first.startswith(start))

    def test_alignments_from_contributions_are_the_greatest(self):
        model = write_model(self.folder / "m", {})
        recording, count = self.record(model, "decoder.contribution.logit,decoder.*.alti.product")
        for source, name in (("contribution", "decoder.contribution.logit"), ("alti", "decoder.2.alti.product")):
            lines = self.run_well("align", model, "-s", self.folder / "w.txt", "-t", self.folder / "v.txt", "--from",
                                  source).splitlines()
            for sentence in range(count):
                targets = len(recording.ids("target_tokens", sentence))
                words = len(recording.ids("tokens", sentence)) - 1
                best = recording.read(name, sentence).reshape(targets, -1)[:-1, :words].argmax(1)
                self.assertEqual(lines[sentence], " ".join(f"{s}-{t}" for t, s in enumerate(best)))

    def test_refusals(self):
        model = write_model(self.folder / "m", {})
        source, target, _ = self.pairs()
        self.expect(2, "the decoder runs only with a target", "record", "-m", model, "-i", source, "-o", self.folder / "r",
                    "--quantity", "decoder.contribution.logit")
        self.expect(2, "products in bfloat16 or 8 bits do not add up", "record", "-m", model, "-i", source, "--target", target, "-o",
                    self.folder / "r", "--quantity", "decoder.contribution.logit", "--precision", "bfloat16")
        self.expect(2, "did you mean decoder.contribution", "record", "-m", model, "-i", source, "--target", target, "-o",
                    self.folder / "r", "--quantity", "decoder.contributions")
        self.expect(2, "Graph-Transformer", "record", "-m", pathlib.Path(MODELS) / "half_weight_gate", "-i", source, "-o",
                    self.folder / "r", "--check")


require_engine(MOG)
if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

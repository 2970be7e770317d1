"""Readers from left to right and newer encoders at the command line: what their folders must say, and what is refused.

Usage: cli_stacks.py MOG STACKS
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from mog_cli import skip

MOG, STACKS = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()


def mog(*command, text=None):
    return subprocess.run([MOG, *map(str, command)], capture_output=True, text=True, timeout=300, input=text)


class Case(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_or_skip(self, *command, text=None):
        result = mog(*command, text=text)
        if result.returncode == 1 and "engine" in result.stderr:
            self.skipTest("no engine")
        return result


class Stacks(Case):
    def copy(self, name, **keys):
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(STACKS / name, folder)
        config = json.loads((folder / "config.json").read_text())
        for key, value in keys.items():
            config = {k: v for k, v in config.items() if k != key} if value is None else config | {key: value}
        (folder / "config.json").write_text(json.dumps(config))
        return folder

    def refused(self, folder, *words, code=5):
        result = mog("convert", folder, "--output", self.folder / "out")
        self.assertEqual(result.returncode, code, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_what_computes_otherwise_is_named(self):
        self.refused(self.copy("llama", rope_parameters={"rope_type": "mystery", "rope_theta": 1e4}), "mystery", "llama3")
        self.refused(self.copy("llama", rope_parameters={"rope_type": "llama3", "rope_theta": 1e4}), "factor")
        self.refused(self.copy("llama", quantization_config={"bits": 4}), "quantization_config")
        self.refused(self.copy("llama", num_key_value_heads=3), "num_key_value_heads")
        self.refused(self.copy("llama", mlp_bias="yes"), "mlp_bias", code=3)
        self.refused(self.copy("llama", intermediate_size=30), "mlp.gate_proj.weight", "[30, 16]", "[24, 16]")
        self.refused(self.copy("qwen3", num_hidden_layers=3, layer_types=None), "layers.2.")
        self.refused(self.copy("qwen3", num_hidden_layers=1, layer_types=None), "layers.1.")
        self.refused(self.copy("gemma2", layer_types=["sliding_attention"]), "layer_types")
        self.refused(self.copy("gemma3", use_bidirectional_attention=True), "use_bidirectional_attention")
        self.refused(self.copy("olmo", clip_qkv=8.0), "clip_qkv")
        self.refused(self.copy("falcon", alibi=True), "alibi", "bfloat16")
        self.refused(self.copy("bloom", apply_residual_connection_post_layernorm=True), "apply_residual")
        self.refused(self.copy("gpt2", scale_attn_by_inverse_layer_idx=True), "scale_attn_by_inverse_layer_idx")
        self.refused(self.copy("deberta-v3", conv_kernel_size=3), "conv_kernel_size")
        self.refused(self.copy("deberta-v3", pos_att_type="p2p|c2p"), "pos_att_type")
        self.refused(self.copy("longformer", attention_window=[4, 5]), "attention_window")

    def test_a_text_beyond_the_positions_is_refused(self):
        result = self.run_or_skip("record", "-m", self.copy("gpt2"), "-i", "-", "-o", self.folder / "r", "--device", "cpu",
                                  text="cat " * 200 + "\n")
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertIn("40", result.stderr)
        # phi3's frequencies hold for 32 tokens, longer texts have others.
        result = self.run_or_skip("record", "-m", self.copy("phi3"), "-i", "-", "-o", self.folder / "r", "--device", "cpu",
                                  text="cat " * 40 + "\n")
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertIn("32", result.stderr)

    def test_described_in_words(self):
        said = mog("describe", STACKS / "gemma2").stdout
        for words in ("causal Transformer", "2 key/value heads", "rotary positions", "windows of 3 tokens in 1 of 2 layers", "next-token head"):
            self.assertIn(words, said)
        self.assertIn("disentangled", mog("describe", STACKS / "deberta-v3").stdout)

    def test_stack_alone_predicts_nothing(self):
        folder = self.copy("llama")
        from parity import np  # noqa: F401  (numpy is what rewrites the file)
        tensors = self.without(folder / "model.safetensors", "lm_head.weight")
        self.assertNotIn("lm_head.weight", tensors)
        result = self.run_or_skip("evaluate", folder, "--perplexity", STACKS / "llama" / "corpus.txt", "--device", "cpu")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("does not predict the next token", result.stderr)
        self.assertEqual(self.run_or_skip("evaluate", STACKS / "modernbert", "--perplexity", STACKS / "llama" / "corpus.txt",
                                          "--device", "cpu").returncode, 2)

    @staticmethod
    def without(path, name):
        data = path.read_bytes()
        size = int.from_bytes(data[:8], "little")
        header = json.loads(data[8:8 + size])
        begin, end = header.pop(name)["data_offsets"]
        for entry, about in header.items():
            if entry != "__metadata__" and about["data_offsets"][0] >= end:
                about["data_offsets"] = [place - (end - begin) for place in about["data_offsets"]]
        text = json.dumps(header).encode()
        body = data[8 + size:]
        path.write_bytes(len(text).to_bytes(8, "little") + text + body[:begin] + body[end:])
        return header

    def test_lens(self):
        picture = self.folder / "lens.svg"
        result = self.run_or_skip("figure", "logit-lens", STACKS / "llama", "--text", "The cats sat.", "-o", picture, "--device", "cpu")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("best token", picture.read_text())
        self.assertEqual(mog("figure", "logit-lens", STACKS / "llama", "--text", "The cats.", "--colour", "x", "-o", picture).returncode, 2)

    def test_first_words_can_be_masked(self):
        """A token that has nothing left before it sees itself."""
        corpus = self.folder / "c.txt"
        corpus.write_text("The cats sat on the mat.\n" * 3)
        result = self.run_or_skip("faithfulness", STACKS / "gpt2-bytes", "-i", corpus, "-o", self.folder / "f.csv", "--device", "cpu",
                                  "--attributions", "rollout", "--quiet")
        self.assertNotIn("nan", (self.folder / "f.csv").read_text().lower() if result.returncode == 0 else "")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_vocabulary_of_predictions_is_not_pruned(self):
        (self.folder / "t.txt").write_text("old men\n")
        result = mog("convert", STACKS / "llama", "--output", self.folder / "out", "--keep-vocabulary", self.folder / "t.txt")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("predicts the next token", result.stderr)

    def test_a_line_beyond_the_positions_is_named(self):
        result = self.run_or_skip("evaluate", STACKS / "gpt2", "--perplexity", "-", "--device", "cpu",
                                  text="The cats.\n" + "cat " * 200 + "\n")
        self.assertEqual(result.returncode, 3, result.stderr)
        self.assertIn("line 2", result.stderr)

    def test_first_bytes_that_nothing_foresees_do_not_count(self):
        result = self.run_or_skip("evaluate", STACKS / "llama", "--perplexity", "-", "--device", "cpu", "--json", text="The cats sat.\n\n")
        self.assertEqual(result.returncode, 0, result.stderr)
        found = json.loads(result.stdout)
        pieces = json.loads(mog("tokenize", STACKS / "llama", "-i", "-", "--json", text="The cats sat.\n").stdout)["tokens"]
        self.assertEqual(found["size_bytes"], len("The cats sat.") - pieces[0]["bytes"][1])
        self.assertEqual((found["texts"], found["tokens"]), (1, len(pieces) - 1))

    def test_statistics_count_what_was_foreseen(self):
        text = self.folder / "t.txt"
        text.write_text("The cats sat.\nOld men sleep on the mat.\n")
        model = STACKS / "gpt2-bytes"
        result = self.run_or_skip("stats", "-m", model, "-i", text, "--quantity", "encoder.next_token.surprisal", "--json", "--device", "cpu")
        self.assertEqual(result.returncode, 0, result.stderr)
        row = json.loads(result.stdout.splitlines()[0])
        whole = json.loads(mog("evaluate", model, "--perplexity", text, "--json", "--device", "cpu").stdout)
        self.assertEqual(row["tokens"], whole["tokens"])
        self.assertAlmostEqual(row["mean"], whole["surprisal"], delta=1e-6)


def weights(path):
    """name → (type, numbers) of a safetensors file."""
    import numpy as np
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    types = {"F32": np.float32, "F16": np.float16, "BF16": np.uint16}
    return {name: (about["dtype"], np.frombuffer(data[8 + size:][slice(*about["data_offsets"])], types[about["dtype"]]))
            for name, about in json.loads(data[8:8 + size]).items() if name != "__metadata__"}


class Positions(Case):
    """What counts places stays exact where the rest is rounded or drawn anew."""

    def setUp(self):
        try:
            import h5py  # noqa: F401
            import numpy  # noqa: F401
        except ImportError as error:
            self.skipTest(f"a Python package is absent ({error})")
        super().setUp()

    def attention(self, model, precision):
        import h5py
        recording = self.folder / precision
        shutil.rmtree(recording, ignore_errors=True)
        text = "The cats sat on the mat while old men sleep. " * 60 + "\n"
        result = self.run_or_skip("record", "-m", STACKS / model, "-i", "-", "-o", recording, "--capture", "attention", "--device", "cpu",
                                  "--precision", precision, text=text)
        self.assertEqual(result.returncode, 0, result.stderr)
        with h5py.File(next(recording.rglob("*.h5"))) as file:
            return file["quantities/encoder.1.full.attention"][()].astype(float)

    def test_long_texts_in_bfloat16(self):
        for model in ("llama", "gemma3", "bloom"):
            exact, rounded = self.attention(model, "float32"), self.attention(model, "bfloat16")
            with self.subTest(model=model):  # half the mass that lies elsewhere; counted in bfloat16: .33, .29
                self.assertLess(abs(exact - rounded).sum() / exact.sum() / 2, .05)

    def test_stored_in_16_bits(self):
        for model, name in (("llama", "encoder.rotary.frequencies"), ("bloom", "encoder.alibi.slopes")):
            found = {}
            for store in ("float32", "bfloat16"):
                self.assertEqual(mog("convert", STACKS / model, "-o", self.folder / (model + store), "--store", store).returncode, 0)
                found[store] = weights(self.folder / (model + store) / "model.safetensors")
            self.assertEqual(found["bfloat16"][name][0], "F32")
            self.assertEqual(found["bfloat16"][name][1].tolist(), found["float32"][name][1].tolist())
            self.assertEqual(found["bfloat16"]["encoder.embed_tokens.weight"][0], "BF16")

    def test_controls_without_training(self):
        for model, kept, norm in (("gemma3", "encoder.rotary.frequencies", "q_norm.weight"), ("bloom", "encoder.alibi.slopes", "layer_norm.weight")):
            source = self.folder / model
            self.assertEqual(mog("convert", STACKS / model, "-o", source).returncode, 0)
            before = weights(source / "model.safetensors")
            for method in ("fresh", "permute"):
                out = self.folder / (model + method)
                result = self.run_or_skip("randomize", source, "-o", out, "--weights", method)
                self.assertEqual(result.returncode, 0, result.stderr)
                after = weights(out / "model.safetensors")
                self.assertEqual(after[kept][1].tolist(), before[kept][1].tolist())
                norms = [numbers for name, (_, numbers) in after.items() if name.endswith(norm)]
                self.assertTrue(norms)
                if method == "fresh":
                    self.assertTrue(all((numbers == 1).all() for numbers in norms))


if not STACKS.exists():
    skip(f"{STACKS} is absent")
unittest.main(argv=sys.argv[:1], verbosity=2)

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


class Stacks(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

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

    def run_or_skip(self, *command, text=None):
        result = mog(*command, text=text)
        if result.returncode == 1 and "engine" in result.stderr:
            self.skipTest("no engine")
        return result

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


if not STACKS.exists():
    skip(f"{STACKS} is absent")
unittest.main(argv=sys.argv[:1], verbosity=2)

"""Readers from left to right and newer encoders at the command line: what their folders must say, and what is refused.

Usage: cli_stacks.py MOG STACKS
"""
import json
import os
import pathlib
import re
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
        self.refused(self.copy("falcon-alibi", num_attention_heads=6, num_kv_heads=6), "alibi", "4, 16, 64 or 256 wide, not 8")
        self.refused(self.copy("bloom", apply_residual_connection_post_layernorm=True), "apply_residual")
        self.refused(self.copy("gpt2", scale_attn_by_inverse_layer_idx=True), "scale_attn_by_inverse_layer_idx")
        self.refused(self.copy("deberta-v3", conv_kernel_size=3), "conv_kernel_size")
        self.refused(self.copy("deberta-v3", pos_att_type="p2p|c2p"), "pos_att_type")
        self.refused(self.copy("longformer", attention_window=[4, 5]), "attention_window")

    def read(self, folder):
        """config.json of ours."""
        output = self.folder / f"out-{folder.name}"
        shutil.rmtree(output, ignore_errors=True)
        result = mog("convert", folder, "--output", output)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads((output / "config.json").read_text()), result.stdout + result.stderr

    def encoder(self, name, **keys):
        return self.read(self.copy(name, **keys))[0]["encoder"]

    def test_scaling_of_layers_without_a_window(self):
        """OLMo 3: rope_scaling leaves the layers with a window alone."""
        linear = {"rope_type": "linear", "factor": 4.0}
        old = self.encoder("olmo3", rope_parameters=None, rope_theta=5e5, rope_scaling=linear)
        new = self.encoder("olmo3", rope_parameters={"full_attention": linear | {"rope_theta": 5e5},
                                                     "sliding_attention": {"rope_type": "default", "rope_theta": 5e5}})
        self.assertTrue(old["rotary"]["local"])
        self.assertEqual(old, new)
        yarn = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "attention_factor": 1.2}
        self.assertTrue(self.encoder("olmo3", rope_parameters=None, rope_theta=5e5, rope_scaling=yarn)["rotary"]["local"])
        for factor in (0, -1, 1e9):
            self.refused(self.copy("olmo3", rope_parameters=None, rope_theta=5e5, rope_scaling=yarn | {"attention_factor": factor}))
        self.refused(self.copy("modernbert", rope_parameters={"full_attention": yarn | {"rope_theta": 1e4},
                                                              "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}),
                     "rope_parameters", "1.2", "window")

    def test_other_masks_are_refused(self):
        for name in ("llama", "qwen2", "gpt2", "opt"):
            self.refused(self.copy(name, is_causal=False), "is_causal")
        self.refused(self.copy("eurobert", is_causal=True), "is_causal")
        self.encoder("llama", is_causal=True)

    def test_absent_keys_have_the_defaults_of_their_family(self):
        caps = {"attn_logit_softcapping": None, "final_logit_softcapping": None}
        config = self.read(self.copy("gemma2", **caps))[0]
        self.assertEqual((config["encoder"]["score_cap"], config["language_model"]["cap"]), (50.0, 30.0))
        folder = self.copy("gemma2")
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | caps))  # null: none
        config = self.read(folder)[0]
        self.assertNotIn("score_cap", config["encoder"])
        self.assertNotIn("cap", config["language_model"])
        layers = self.encoder("mistral")["layers"]
        self.assertEqual(self.encoder("mistral", sliding_window=None)["windows"], [4095] * layers)
        for name in ("qwen2", "qwen3", "smollm3"):
            none = {"use_sliding_window": None, "layer_types": None, "sliding_window": 4}
            self.assertNotIn("windows", self.encoder(name, **none), name)

    def test_a_map_that_differs_from_the_embeddings(self):
        config, said = self.read(self.copy("llama", tie_word_embeddings=True))
        self.assertFalse(config["language_model"]["share_embedding"])
        self.assertIn("lm_head.weight differs", said)

    def test_what_was_computed_otherwise_in_silence(self):
        ntk = {"type": "ntk", "factor": 2.0, "rope_theta": 1e4}
        self.refused(self.copy("gte", rope_parameters=ntk | {"mixed_b": 0.5}), "mixed_b")
        layers = self.encoder("modernbert")["layers"]
        self.refused(self.copy("modernbert", layer_types=["foo"] * layers), "layer_types", "foo")
        self.refused(self.copy("llama", rope_parameters={"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.5}),
                     "partial_rotary_factor", "0.5")
        self.refused(self.copy("mpt", attn_config={"alibi": True, "alibi_bias_max": "x"}), "config.json", "alibi_bias_max")
        self.refused(self.copy("mpt", attn_config={"alibi": True, "alibi_bias_max": -1e300}), "config.json", "alibi_bias_max")
        self.refused(self.copy("mpt", attn_config={"alibi": True, "softmax_scale": -1.0}), "config.json", "softmax_scale")
        yarn = {"rope_type": "yarn", "rope_theta": 1e4, "factor": 4.0, "original_max_position_embeddings": 16}
        self.refused(self.copy("llama", rope_parameters=yarn | {"attention_factor": -1.0}), "config.json", "rope_parameters", "-1")
        self.refused(self.copy("deberta-v3", position_buckets=6, max_relative_positions=3), "config.json", "max_relative_positions")

    def test_distance_terms(self):
        self.refused(self.copy("deberta-v3", pos_att_type=3), "pos_att_type")
        self.refused(self.copy("deberta", pos_att_type=["c2p", "c2p"]), "pos_att_type")
        folder = self.copy("deberta-v2", relative_attention=False, pos_att_type=["c2p"])
        for layer in range(2):
            for part in ("pos_key_proj.weight", "pos_key_proj.bias", "pos_query_proj.weight", "pos_query_proj.bias"):
                self.without(folder / "model.safetensors", f"encoder.layer.{layer}.attention.self.{part}")
        encoder = self.read(folder)[0]["encoder"]
        self.assertIn("score_scale", encoder)
        self.assertNotIn("disentangled", encoder)

    def test_keys_that_repeat_what_is_known(self):
        repeated = {"phi3": {"interpolate_factor": 1, "full_attn_mod": 1}, "gptj": {"scale_attn_weights": True},
                    "llama": {"activation": "swiglu", "max_sequence_length": 64, "custom_pipelines": {"a": 1}},
                    "falcon": {"ff_factor": 4}, "gte": {"pack_qkv": True, "layer_norm_type": "layer_norm"}}
        for name, keys in repeated.items():
            self.assertEqual(self.encoder(name, **keys), self.encoder(name), name)
        self.refused(self.copy("phi3", full_attn_mod=2), "full_attn_mod")
        self.refused(self.copy("falcon", ff_factor=3), "ff_factor")
        self.refused(self.copy("llama", activation="relu"), "activation")
        config = json.loads((STACKS / "gpt-neox" / "config.json").read_text())
        part = config.get("rope_parameters", {}).get("partial_rotary_factor", 0.25)
        neox = {"rope_parameters": None, "rotary_emb_base": 1e4, "rope_theta": 1e4, "rotary_pct": part}
        self.encoder("gpt-neox", **neox, partial_rotary_factor=part)
        self.refused(self.copy("gpt-neox", **neox | {"rope_theta": 2e4}), "rotary_emb_base", "rope_theta")
        self.assertEqual(self.encoder("llama", max_position_embeddings=2**31 - 1), self.encoder("llama"))

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
        for words in ("causal Transformer", "4 query and 2 key/value heads", "rotary positions", "window of 4 tokens in 1 of 2 layers", "next-token head"):
            self.assertIn(words, said)
        self.assertIn("disentangled", mog("describe", STACKS / "deberta-v3").stdout)

    def test_stack_alone_predicts_nothing(self):
        folder = self.copy("llama")
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
        corpus, recording = self.folder / "c.txt", self.folder / "r"
        corpus.write_text("The cats sat.\n")
        self.assertEqual(mog("record", "-m", STACKS / "llama", "-i", corpus, "-o", recording, "--capture", "none", "--device", "cpu",
                             "--quantity", "encoder.*.next_token.*").returncode, 0)
        self.assertEqual(mog("figure", "logit-lens", recording, "-n", "1", "-o", picture).returncode, 2)  # which token is id 7?
        for kind in ("svg", "pdf", "png"):
            files = [self.folder / f"{turn}.{kind}" for turn in (1, 2)]
            for file in files:
                self.assertEqual(mog("figure", "logit-lens", recording, "-n", "1", "--vocabulary", STACKS / "llama", "-o", file).returncode, 0)
            self.assertEqual(*(file.read_bytes() for file in files))

    def test_the_first_token_can_be_left_out(self):
        text = ("--text", "The cats sat on it .", "--device", "cpu")
        kept = self.run_or_skip("trees", STACKS / "gpt2-bytes", *text, "--json")
        self.assertEqual(kept.returncode, 0, kept.stderr)
        self.assertIn("--sink drop takes it out", kept.stdout)
        dropped = mog("trees", STACKS / "gpt2-bytes", *text, "--json", "--sink", "drop")
        self.assertEqual(dropped.returncode, 0, dropped.stderr)
        self.assertIn("it is dropped, rows are divided by what is left", dropped.stdout)
        self.assertNotEqual(kept.stdout, dropped.stdout)
        picture = self.folder / "flow.svg"
        self.assertEqual(mog("figure", "information-flow", STACKS / "gpt2-bytes", *text, "--sink", "drop", "--caption", "full", "-o", picture).returncode, 0)
        self.assertIn("sink dropped", " ".join(re.findall(r">([^<]*)<", picture.read_text())))
        both = [json.loads(mog("trees", STACKS / "llama", *text, "--json", "--sink", sink).stdout) for sink in ("keep", "drop")]
        self.assertEqual(both[0]["dropped"], both[1]["dropped"])
        self.assertTrue(all(layer["mean"] > 0 for layer in both[0]["dropped"]))
        self.assertEqual(mog("trees", STACKS / "gpt2-bytes", *text, "--sink", "leave").returncode, 2)
        special = mog("trees", STACKS / "llama", *text, "--json")
        self.assertIn("a special token, left out with the others", special.stdout)

        corpus, recording = self.folder / "c.txt", self.folder / "r"
        corpus.write_text("The cats sat on it .\n" * 3)
        self.assertEqual(mog("record", "-m", STACKS / "gpt2-bytes", "-i", corpus, "-o", recording, "--capture", "attention", "--device", "cpu").returncode, 0)
        table = mog("stats", recording, "--quantity", "sink", "--by", "layer", "--json")
        self.assertEqual(table.returncode, 0, table.stderr)
        running = mog("stats", "-m", STACKS / "gpt2-bytes", "-i", corpus, "--quantity", "sink", "--by", "layer", "--json", "--device", "cpu")
        self.assertEqual(running.returncode, 0, running.stderr)
        for row, other in zip(map(json.loads, table.stdout.splitlines()), map(json.loads, running.stdout.splitlines())):
            self.assertTrue(0 < row["mean"] < 1)
            self.assertAlmostEqual(row["mean"], other["mean"], places=3)
        gold = self.folder / "g.conllu"
        words = "The cats sat on it .".split()
        gold.write_text("".join(f"{i}\t{word}\t_\tX\t_\t_\t{i - 1}\t{'root' if i == 1 else 'dep'}\t_\t_\n" for i, word in enumerate(words, 1)) + "\n")
        for sources in ("attention", "attention,joins"):
            scores = mog("syntax", recording, "--treebank", gold, "--mismatch", "skip", "--sources", sources, "--sink", "drop", "--bootstrap", "0", "--json")
            self.assertEqual(scores.returncode, 0, scores.stderr)
            self.assertIn("sink dropped", json.loads(scores.stdout)["grammar"])

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

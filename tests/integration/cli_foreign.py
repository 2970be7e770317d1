"""Models of other programs through `mog convert` and `mog describe`: what is refused, with which words and exit code.

Usage: cli_foreign.py MOG ENCODERS SHARED      (tests/data/encoders, the shared data: may be absent)
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

MOG, ENCODERS, SHARED = (os.path.abspath(path) for path in sys.argv[1:4])


def mog(*arguments):
    return subprocess.run([MOG, *map(str, arguments)], capture_output=True, text=True, timeout=120)


class Foreign(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def copy(self, name):
        target = self.folder / name
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(pathlib.Path(ENCODERS) / name, target)
        return target

    def patch(self, path, **keys):
        document = json.loads(path.read_text(encoding="utf-8"))
        for key, value in keys.items():
            document.pop(key, None)
            if value is not None:
                document[key] = value
        path.write_text(json.dumps(document), encoding="utf-8")

    def refused(self, code, words, source, *options):
        out = self.folder / "out"
        result = mog("convert", source, "--output", out, *options)
        self.assertEqual(result.returncode, code, f"{words}: {result.stderr or result.stdout}")
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertFalse(out.exists(), "something was written")

    def test_every_key_counts(self):
        for name, key, value in [("roberta", "rope_theta", 10000.0), ("distilbert", "alibi", True), ("bart", "quantization_config", {"bits": 8}),
                                 ("t5", "scale_attention", 2), ("roberta", "position_embedding_type", "relative_key"),
                                 ("bart", "normalize_before", True), ("mbart", "normalize_embedding", False),
                                 ("marian", "static_position_embeddings", False), ("t5", "is_decoder", True),
                                 ("t5", "is_gated_act", True)]:
            folder = self.copy(name)
            self.patch(folder / "config.json", **{key: value})
            self.refused(5, [key, "config.json"], folder)
        folder = self.copy("roberta")
        self.patch(folder / "config.json", hidden_act="mish")
        self.refused(5, ["hidden_act", "mish", "gelu"], folder)
        folder = self.copy("t5")
        self.patch(folder / "config.json", feed_forward_proj="gated-tanh")
        self.refused(5, ["feed_forward_proj"], folder)
        folder = self.copy("bert-tanh")
        self.patch(folder / "config.json", pad_token_id=77)
        self.refused(5, ["pad_token_id = 77", "vocab_size is 77"], folder)
        folder = self.copy("roberta")
        self.patch(folder / "config.json", dropout=0.7, my_note="", use_cache=False, id2label={"0": "X"})
        self.assertEqual(mog("convert", folder, "--output", self.folder / "fine").returncode, 0)

    def test_sizes_must_fit(self):
        for name, key, value, word in [("roberta", "num_hidden_layers", 3, "encoder.layer.2."),
                                       ("roberta", "num_hidden_layers", 1, "encoder.layer.1."),
                                       ("bart", "encoder_layers", 1, "encoder.layers.1."),
                                       ("bart", "encoder_ffn_dim", 20, "[20, 16]"),
                                       ("mbart", "max_position_embeddings", 31, "embed_positions"),
                                       ("marian", "vocab_size", 76, "[76, 16]"),
                                       ("t5", "d_kv", 8, "[24, 16]"),
                                       ("bart", "decoder_layers", 2, "decoder.layers.1."),
                                       ("bart", "decoder_ffn_dim", 12, "[12, 16]"),
                                       ("t5", "num_decoder_layers", 2, "decoder.block.1."),
                                       ("t5", "relative_attention_num_buckets", 16, "relative_attention_bias"),
                                       ("t5-gated", "feed_forward_proj", "relu", "DenseReluDense.wi.weight"),
                                       ("distilbert", "n_heads", 3, "n_heads"), ("electra", "embedding_size", 8, "[77, 8]")]:
            folder = self.copy(name)
            also = {"bart": ["num_hidden_layers"], "t5-gated": ["is_gated_act", "dense_act_fn"]}.get(name, [])
            keys = {one: None for one in also} | {key: value}
            self.patch(folder / "config.json", **keys)
            self.refused(5, [word], folder)

    def test_decoders_that_are_announced(self):
        folder = self.copy("t5-gated")  # saved by an encoder's class
        self.assertEqual(mog("convert", folder, "--output", self.folder / "encoder").returncode, 0)
        self.patch(folder / "config.json", is_encoder_decoder=True, architectures=["T5ForConditionalGeneration"])
        self.refused(5, ["model.safetensors", "decoder.block.0.layer.0.SelfAttention", "is missing", "[8, 3]"], folder)
        for name, keys, words in [("marian", {"decoder_start_token_id": None, "bos_token_id": None}, ["decoder_start_token_id"]),
                                  ("marian", {"eos_token_id": [3, 4]}, ["eos_token_id = [3,4]"]),
                                  ("bart", {"forced_bos_token_id": 99}, ["forced_bos_token_id", "below 77", "found 99"]),
                                  ("t5", {"tie_word_embeddings": False}, ["lm_head.weight", "is missing"]),
                                  ("bart", {"decoder_attention_heads": 3}, ["decoder_attention_heads = 3", "16"])]:
            folder = self.copy(name)
            self.patch(folder / "config.json", **keys)
            self.refused(5, words, folder)
        folder = self.copy("bart")
        (folder / "generation_config.json").write_text(json.dumps({"decoder_start_token_id": 7, "num_beams": 5, "length_penalty": 2.0}))
        result = mog("convert", folder, "--output", self.folder / "said")
        for word in ("num_beams = 5", "length_penalty = 2.0", "--beam"):
            self.assertIn(word, result.stdout + result.stderr)
        config = json.loads((self.folder / "said" / "config.json").read_text())
        self.assertEqual([config["bos_id"], config["eos_id"]], [7, 3])
        (folder / "generation_config.json").write_text("[")
        self.refused(3, ["generation_config.json"], folder)

    def test_several_files_of_weights(self):
        index = "model.safetensors.index.json"
        folder = self.copy("marian")
        document = json.loads((folder / index).read_text())
        name, file = sorted(document["weight_map"].items())[-1]
        other = next(one for one in document["weight_map"].values() if one != file)
        for change, words in [({name: other}, [name, other]), ({name: "gone.safetensors"}, ["gone.safetensors", "missing"]),
                              ({name: "../config.json"}, ["../config.json"]), ({name: 3}, [name])]:
            damaged = {"weight_map": document["weight_map"] | change}
            (folder / index).write_text(json.dumps(damaged))
            self.refused(3, words + [index], folder)
        (folder / index).unlink()
        self.refused(3, ["model.safetensors is missing"], folder)

    def test_other_models_are_named(self):
        folder = self.copy("roberta")
        self.patch(folder / "config.json", model_type="mixtral")
        self.refused(5, ["mixtral", "experts", "distilbert", "t5"], folder)
        for kind, missing in [("mamba", "recurrence"), ("longt5", "sliding window"), ("umt5", "in each layer"), ("gemma3", "text model"),
                              ("xlnet", "relative attention"), ("mobilebert", "bottlenecks")]:
            self.patch(folder / "config.json", model_type=kind)
            self.refused(5, [f"the model type {kind}", missing, "docs/import-format.md", "mog import"], folder)
        (folder / "config.json").unlink()
        self.refused(5, ["no model is known", "config.json"], folder / "model.safetensors")
        (folder / "README").write_text("x")
        self.refused(3, ["config.json is missing", "give the file", "model.safetensors"], folder)
        self.assertEqual(mog("convert", folder, "--output", self.folder / "x").returncode, 3)

    def test_options_do_not_contradict_the_model(self):
        for source, option, value, found in [(self.copy("roberta"), "--heads", 4, "has 2"), (self.copy("mbart"), "--norm", "post", "has pre"),
                                             (self.copy("torch-post") / "encoder.pt", "--heads", 2, "has 4"),
                                             (self.copy("bert-tanh"), "--activation", "relu", "has gelu_tanh")]:
            self.refused(5, [option, found], source, option, value)
        own = self.folder / "own"
        self.assertEqual(mog("convert", self.copy("roberta"), "--output", own, "--heads", 2).returncode, 0)
        self.refused(5, ["--heads 8", "has 2"], own, "--heads", 8)
        self.refused(2, ["--store", "float64", "bfloat16"], own, "--store", "float64")
        self.refused(2, ["--store", "int32", "bfloat16"], own, "--store", "int32")

    def test_sentence_transformers(self):
        folder = self.copy("mpnet")
        result = mog("convert", folder, "--output", self.folder / "fine", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        notes = " ".join(json.loads(result.stdout)["notes"])
        for word in ("Pooling", "24 tokens"):
            self.assertIn(word, notes)
        self.patch(folder / "0_Transformer" / "sentence_bert_config.json", do_lower_case=True)
        self.assertEqual(mog("convert", folder, "--output", self.folder / "lower").returncode, 0)  # its tokenizer drops case too
        modules = json.loads((folder / "modules.json").read_text())
        for change, code, words in [({"type": "sentence_transformers.models.WordEmbeddings"}, 5, ["WordEmbeddings", "modules.json"]),
                                    ({"path": "../x"}, 3, ["modules.json", "../x"]), ({"path": 3}, 3, ["modules.json"])]:
            (folder / "modules.json").write_text(json.dumps([modules[0] | change]))
            self.refused(code, words, folder)
        (folder / "modules.json").write_text("[]")
        self.refused(3, ["modules.json"], folder)

    def test_big_bird_ends_where_attention_is_sparse(self):
        result = mog("convert", pathlib.Path(ENCODERS) / "big-bird", "--output", self.folder / "fine", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("at most 28 tokens", result.stdout)

    def test_empty_lines_of_ctranslate2_keep_their_place(self):
        model = pathlib.Path(SHARED) / "data" / "models" / "aren-transliteration"
        if not model.exists():
            self.skipTest("the shared models are absent")
        text = self.folder / "text"
        text.write_text("\n\u0622 \u0632 \u0627\n\n", encoding="utf-8")
        result = mog("translate", "--model", model, "--input", text, "--device", "cpu")
        if result.returncode == 1 and "engine" in result.stderr:
            self.skipTest("the engine is not built")
        self.assertEqual((result.returncode, result.stdout), (0, "\na z z a\n\n"), result.stderr)
        text.write_text("\n", encoding="utf-8")
        result = mog("translate", "--model", model, "--input", text, "--device", "cpu")
        self.assertEqual((result.returncode, result.stdout), (0, "\n"), result.stderr)
        text.write_text("\n\u0622 \u0632 \u0627\n\n", encoding="utf-8")
        for target in ([], ["--target", "translate"]):
            result = mog("record", "--model", model, "--input", text, "--output", self.folder / f"rec{len(target)}", "--device", "cpu", *target)
            self.assertEqual(result.returncode, 0, result.stderr)

    def test_fairseq_asks_for_its_dictionaries(self):
        folder = self.copy("fairseq-0.6.2")
        file = folder / "checkpoint_best.pt"
        lines = (folder / "dict.de.txt").read_text().splitlines()
        (folder / "dict.de.txt").write_text("\n".join(lines[:-1]) + "\n")
        self.refused(5, ["dict.de.txt", "76", "77"], file)
        (folder / "dict.de.txt").unlink()
        self.refused(3, ["dict.de.txt", "missing"], file)
        (folder / "dict.txt").write_text("\n".join(lines) + "\n")
        result = mog("convert", file, "--output", self.folder / "fine", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        config = json.loads((self.folder / "fine" / "config.json").read_text())
        self.assertEqual(config["architecture"], "encoder_decoder")
        self.assertEqual([config["encoder"]["layers"], config["decoder"]["layers"], config["decoder"]["heads"]], [2, 1, 4])

    def test_what_weights_do_not_say_is_asked_for(self):
        folder = self.copy("torch-post")
        self.patch(folder / "encoder.json", norm=None, pad_id=None)
        self.refused(5, ['"norm"', '"pad_id"', "--norm"], folder / "encoder.pt")
        (folder / "encoder.json").unlink()
        self.refused(5, ['"heads"', '"norm"', '"activation"', '"positions"', '"unk_id"', "--heads"], folder / "encoder.pt")
        for key in ("heads", "norm", "activation", "positions", "embed_scale", "eos_id"):
            folder = self.copy("torch-post")
            self.patch(folder / "encoder.json", **{key: None})
            self.refused(5, [f'"{key}"', "encoder.json"], folder / "encoder.pt")
        folder = self.copy("torch-pre")
        self.patch(folder / "encoder.json", heads=None, norm=None, activation=None)
        result = mog("convert", folder / "encoder.pt", "-o", self.folder / "fine", "--heads", 4, "--norm", "pre", "--activation", "gelu")
        self.assertEqual(result.returncode, 0, result.stderr)
        encoder = json.loads((self.folder / "fine" / "config.json").read_text())["encoder"]
        self.assertEqual((encoder["norm"], encoder["final_norm"], encoder["position"]), ("pre", False, "none"))
        self.refused(2, ["--norm"], folder / "encoder.pt", "--norm", "middle")
        self.refused(2, ["--activation"], folder / "encoder.pt", "--activation", "tanh")
        self.refused(5, ["heads = 3"], folder / "encoder.pt", "--heads", 3, "--norm", "pre", "--activation", "gelu")
        folder = self.copy("torch-post")
        self.patch(folder / "encoder.json", positions="nothing.here")
        self.refused(5, ["nothing.here"], folder / "encoder.pt")
        self.patch(folder / "encoder.json", positions="transformer_encoder.layers.0.linear2.weight")
        self.refused(5, ["[P, 16]", "[P, 1, 16]", "[16, 24]"], folder / "encoder.pt")
        self.patch(folder / "encoder.json", positions="pe", tau=2)
        self.refused(3, ["tau"], folder / "encoder.pt")
        self.patch(folder / "encoder.json", tau=None)
        (folder / "vocab.txt").write_text("a\nb\n")
        self.refused(5, ["embedding.weight", "[77, 16]", "2 tokens"], folder / "encoder.pt")
        (folder / "vocab.txt").unlink()
        self.refused(3, ["vocab.txt"], folder / "encoder.pt")

    def test_ctranslate2_gives_its_known_outputs(self):
        model = pathlib.Path(SHARED) / "data" / "models" / "aren-transliteration"
        if not model.exists():
            self.skipTest("the shared models are absent")
        self.assertEqual(mog("convert", model, "--output", self.folder / "aren").returncode, 0)
        config = json.loads((self.folder / "aren" / "config.json").read_text())
        self.assertEqual((config["encoder"]["norm"], config["encoder"]["heads"], config["tokenizer"]["sentence_end"]), ("pre", 8, False))
        self.assertEqual(config["encoder"]["first_position"], 1)
        known = {"\u0622 \u062a \u0632 \u0645 \u0648 \u0646": "a t z m o n", "\u0622 \u0632 \u0627": "a z z a",
                 "\u0622 \u062a \u0634 \u064a \u0633 \u0648 \u0646": "a c h i s o n"}
        text = self.folder / "text"
        text.write_text("".join(line + "\n" for line in known), encoding="utf-8")
        for source in (model, model / "model.bin", self.folder / "aren"):
            for beam in (1, 2, 4):
                result = mog("translate", "--model", source, "--input", text, "--beam", beam, "--device", "cpu")
                if result.returncode == 1 and "engine" in result.stderr:
                    self.skipTest("the engine is not built")
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(result.stdout.splitlines(), list(known.values()), (source, beam))

    def test_ctranslate2_checks_vocabularies(self):
        shared = pathlib.Path(SHARED) / "data" / "models" / "aren-transliteration"
        if not shared.exists():
            self.skipTest("the shared models are absent")
        model = self.folder / "aren"
        shutil.copytree(shared, model)
        for file in model.iterdir():
            file.chmod(0o644)
        tokens = (model / "target_vocabulary.txt").read_text(encoding="utf-8").split("\n")[:-1]
        (model / "target_vocabulary.txt").write_text("\n".join(tokens[:-1]) + "\n", encoding="utf-8")
        self.refused(5, ["target_vocabulary.txt", "42", "43"], model)
        (model / "target_vocabulary.txt").unlink()
        self.refused(3, ["target_vocabulary"], model)
        (model / "target_vocabulary.json").write_text(json.dumps(tokens))
        (model / "config.json").write_text(json.dumps({"unk_token": "<unk>", "add_source_bos": True}))
        self.refused(5, ["add_source_bos"], model)
        (model / "config.json").write_text(json.dumps({"bos_token": "<start>"}))
        self.refused(5, ["<start>"], model)
        (model / "config.json").write_text(json.dumps({"unk_token": "<unk>", "add_source_eos": False}))
        self.assertEqual(mog("convert", model, "--output", self.folder / "fine").returncode, 0)

    def test_describe_opens_what_convert_does(self):
        for name in ("roberta", "t5"):
            out = self.folder / f"{name}-converted"
            self.assertEqual(mog("convert", pathlib.Path(ENCODERS) / name, "--output", out).returncode, 0)
            ours, theirs = (json.loads(mog("describe", path, "--json").stdout) for path in (out, pathlib.Path(ENCODERS) / name))
            self.assertEqual(ours["model"]["parameters"], theirs["model"]["parameters"])
            self.assertEqual(ours["config"], theirs["config"])
            self.assertEqual(ours["quantities"], theirs["quantities"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

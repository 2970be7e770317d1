"""`mog convert` on a small BERT: what is written, that it runs, and the exit code of everything that does not fit.

Usage: cli_convert.py MOG BERT_FOLDER
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

MOG, BERT = (os.path.abspath(path) for path in sys.argv[1:3])


def mog(*arguments):
    return subprocess.run([MOG, *map(str, arguments)], capture_output=True, text=True, timeout=120)


class Convert(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.source = self.folder / "bert"
        shutil.copytree(BERT, self.source)
        self.out = self.folder / "out"
        self.text = self.folder / "text.txt"
        self.text.write_text("The cats sat on the mat.\n", encoding="utf-8")

    def convert(self, *more, source=None):
        return mog("convert", source or self.source, "--output", self.out, *more)

    def expect(self, code, word, *more, source=None):
        result = self.convert(*more, source=source)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertIn(word, result.stderr)
        self.assertFalse(self.out.exists() and any(self.out.iterdir()), "something was written")

    def change(self, file, **keys):
        path = self.source / file
        document = json.loads(path.read_text(encoding="utf-8"))
        document.update(keys)
        path.write_text(json.dumps(document), encoding="utf-8")

    def test_writes_a_directory_that_describe_takes(self):
        result = self.convert("--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        summary = json.loads(result.stdout)
        self.assertEqual(summary["vocabulary"], 77)
        self.assertIn("left out, no part of the encoder: pooler.dense", summary["notes"])
        config = json.loads((self.out / "config.json").read_text())
        self.assertTrue(config["encoder"]["embedding_norm"])
        self.assertEqual(config["tokenizer"]["kind"], "wordpiece")
        self.assertEqual([config[key] for key in ("pad_id", "unk_id", "bos_id", "eos_id")], [0, 1, 2, 3])
        self.assertIn("pooler.dense", (self.out / "README.md").read_text())
        for path in (self.out, self.source):
            described = mog("describe", path, "--json")
            self.assertEqual(described.returncode, 0, described.stderr)
            self.assertEqual(json.loads(described.stdout)["model"]["parameters"], summary["parameters"])

    def test_prunes_the_vocabulary_and_narrows(self):
        before = (self.source / "vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
        result = self.convert("--keep-vocabulary", self.text, "--store", "float16", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        after = (self.out / "vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
        self.assertEqual(after, [token for token in before if token in after])
        for token in ("[PAD]", "[MASK]", "the", "cats", "sat", "on", "mat", ".", "z", "##z"):
            self.assertIn(token, after)
        self.assertNotIn("cafe", after)
        self.assertNotIn("##ive", after)
        weights = mog("describe", self.out / "model.safetensors", "--json")
        tensors = {tensor["name"]: tensor for tensor in json.loads(weights.stdout)["tensors"]}
        self.assertEqual(tensors["encoder.embed_tokens.weight"]["shape"], [len(after), 16])
        self.assertEqual({tensor["dtype"] for tensor in tensors.values()}, {"F16"})
        # The pruned directory can be pruned again; with a limit the rarer pieces go.
        again = mog("convert", self.out, "--output", self.folder / "again", "--keep-vocabulary", self.text,
                    "--vocabulary-size", len(after) - 1, "--json")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(json.loads(again.stdout)["vocabulary"], len(after) - 1)

    def test_a_treebank_counts_word_by_word(self):
        tree = self.folder / "tree.conllu"
        rows = [[str(i + 1), word, word, "X", "_", "_", str(i), "dep", "_", "_"] for i, word in enumerate(["naive", "cafe"])]
        tree.write_text("".join("\t".join(row) + "\n" for row in rows) + "\n", encoding="utf-8")
        self.assertEqual(self.convert("--keep-vocabulary", tree).returncode, 0)
        after = (self.out / "vocab.txt").read_text(encoding="utf-8").split("\n")
        self.assertIn("##ive", after)
        self.assertIn("cafe", after)
        self.assertNotIn("cats", after)

    def test_refuses_what_is_not_supported(self):
        config = (self.source / "config.json").read_text()
        for word, keys in [("xlnet", {"model_type": "xlnet"}), ("relative_key", {"position_embedding_type": "relative_key"}),
                           ("is_decoder", {"is_decoder": True}), ("[77, 24]", {"hidden_size": 24}),
                           ("encoder.layer.3.", {"num_hidden_layers": 4})]:
            self.change("config.json", **keys)
            self.expect(5, word)
            (self.source / "config.json").write_text(config)
        self.change("config.json", hidden_act="mish")
        self.expect(5, "hidden_act")
        (self.source / "config.json").write_text(config[:100])
        self.expect(3, "config.json")
        (self.source / "config.json").write_text(config)
        tokenizer = (self.source / "tokenizer.json").read_text(encoding="utf-8")
        self.change("tokenizer.json", normalizer={"type": "Precompiled"})
        self.expect(3, "precompiled_charsmap")
        (self.source / "tokenizer.json").write_text(tokenizer[:700], encoding="utf-8")
        self.expect(3, "tokenizer.json")
        (self.source / "tokenizer.json").write_text(tokenizer, encoding="utf-8")
        weights = (self.source / "model.safetensors").read_bytes()
        (self.source / "model.safetensors").write_bytes(weights[:-100])
        self.expect(3, "model.safetensors")
        (self.source / "model.safetensors").unlink()
        self.expect(3, "pytorch_model.bin")

    def test_refuses_impossible_requests(self):
        self.expect(2, "--keep-vocabulary", "--vocabulary-size", 70)
        self.expect(2, "single characters", "--vocabulary-size", 7, "--keep-vocabulary", self.text)
        self.expect(2, "float64", "--store", "float64")
        self.expect(2, "there is no such folder or file", source=self.folder / "nowhere")
        self.expect(3, "text.txt", source=self.text)
        self.expect(2, "no.txt", "--keep-vocabulary", self.folder / "no.txt")
        self.assertEqual(self.convert().returncode, 0)
        second = self.convert()
        self.assertEqual(second.returncode, 2)
        self.assertIn("--overwrite", second.stderr)
        self.assertEqual(self.convert("--overwrite").returncode, 0)
        self.assertEqual(self.convert("--overwrite", source=self.out).returncode, 2)

    def test_writes_among_nobody_elses_files(self):
        self.out.mkdir()
        mine = self.out / "README.md"
        mine.write_text("my own notes")
        for flags in ([], ["--overwrite"]):
            for result in (self.convert(*flags),
                           mog("randomize", self.source, "--weights", "fresh", "--output", self.out, *flags)):
                self.assertEqual((result.returncode, "it is not empty and holds no model" in result.stderr), (2, True),
                                 result.stderr)
        self.assertEqual([path.name for path in self.out.iterdir()], ["README.md"])
        self.assertEqual(mine.read_text(), "my own notes")
        mine.unlink()  # an empty folder is as good as none
        self.assertEqual(self.convert().returncode, 0)

    def test_records_the_folder_as_it_is(self):
        result = mog("record", "--model", self.source, "--input", self.text, "--output", self.folder / "r", "--capture",
                     "attention", "--json")
        if result.returncode == 1 and "engine" in result.stderr:
            self.skipTest("the engine is not built")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout)["tokens"], 9)
        trees = mog("trees", self.folder / "r", "--sentence", 1, "--top", 1)
        self.assertEqual(trees.returncode, 0, trees.stderr)
        self.assertIn("cats", trees.stdout)
        figure = mog("figure", "attention", self.folder / "r", "--sentence", 1, "--layer", 2, "-o", self.folder / "f.svg")
        self.assertEqual(figure.returncode, 0, figure.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

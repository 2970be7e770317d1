"""`mog tokenize` and `mog describe` of tokenizers, against what the reference made of the same lines.

Usage: cli_tokenize.py MOG FIXTURES MODELS
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

MOG = os.path.abspath(sys.argv[1])
FIXTURES, MODELS = (pathlib.Path(path).resolve() for path in sys.argv[2:4])
PIECES, ENCODERS = FIXTURES.parent / "sentencepiece", FIXTURES.parent / "encoders"


def mog(*arguments, text=""):
    result = subprocess.run([MOG, *map(str, arguments)], input=text.encode("utf-8"), capture_output=True, timeout=120)
    return result.returncode, result.stdout.decode("utf-8"), result.stderr.decode("utf-8", "replace")


class Tokenize(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.scratch.name)

    def tearDown(self):
        self.scratch.cleanup()

    def fixture(self, name):
        document = json.loads((FIXTURES / f"{name}.json").read_text(encoding="utf-8"))
        path = self.folder / "tokenizer.json"
        path.write_text(json.dumps(document["tokenizer"], ensure_ascii=False), encoding="utf-8")
        lines = [line for line in document["lines"] if "\r" not in line["text"]]
        return path, lines

    def test_ids_of_every_kind(self):
        for name in ("wordpiece-uncased", "byte-bpe-roberta", "bpe-with-bytes-llama", "unigram-t5", "unigram-albert"):
            path, lines = self.fixture(name)
            code, out, err = mog("tokenize", path, "--format", "ids", text="".join(line["text"] + "\n" for line in lines))
            self.assertEqual(code, 0, err)
            expected = [" ".join(token.split(":")[0] for token in line["tokens"].split()) for line in lines]
            self.assertEqual(out.split("\n")[:-1], expected, name)

    def test_json_has_pieces_words_and_bytes(self):
        path, _ = self.fixture("byte-bpe-roberta")
        code, out, err = mog("tokenize", path, "--json", text="Old  men.\n")
        self.assertEqual(code, 0, err)
        line = json.loads(out)
        self.assertEqual(line["words"], ["Old", "men."])
        self.assertEqual([line["tokens"][0]["piece"], line["tokens"][-1]["piece"]], ["<s>", "</s>"])
        self.assertEqual([line["tokens"][0]["word"], line["tokens"][-1]["word"]], [None, None])
        inner = line["tokens"][1:-1]
        text = "".join(piece["piece"] for piece in inner).replace("Ġ", " ")
        self.assertEqual(text, "Old  men.")
        for piece in inner:
            begin, end = piece["bytes"]
            self.assertEqual(piece["piece"].lstrip("Ġ"), "Old  men."[begin:end])
            self.assertEqual(piece["word"], 1 if end <= 3 else 2)

    def test_folders_files_and_flags(self):
        path, _ = self.fixture("unigram-t5")
        (self.folder / "corpus.txt").write_text("one line\n\nanother\n", encoding="utf-8")
        code, out, err = mog("tokenize", self.folder, "--input", self.folder / "corpus.txt", "--no-special")
        self.assertEqual(code, 0, err)
        self.assertEqual(out.count("\n"), 3)
        self.assertNotIn("</s>", out)
        self.assertEqual("".join(out.split("\n")[0].split(" ")).replace("▁", " "), " one line")
        output = self.folder / "pieces.txt"
        code, shown, err = mog("tokenize", path, "-i", self.folder / "corpus.txt", "-o", output)
        self.assertEqual((code, shown), (0, ""), err)
        self.assertEqual(output.read_text(encoding="utf-8").split("\n")[1], "</s>")

    def test_models_of_our_own(self):
        code, out, err = mog("tokenize", MODELS / "tagger-en-graph", text="The house\n")
        self.assertEqual(code, 0, err)
        self.assertTrue(out.endswith("</s>\n"), out)

    def test_describe(self):
        path, _ = self.fixture("byte-bpe-roberta")
        code, out, err = mog("describe", path, "--json")
        self.assertEqual(code, 0, err)
        facts = json.loads(out)
        self.assertEqual([facts["kind"], facts["tokenizer"], facts["lowercase"]], ["tokenizer_json", "byte_bpe", False])
        self.assertEqual([facts["first_id"], facts["last_id"], facts["unknown_id"]], [0, 2, None])

    def test_refusals_name_file_and_place(self):
        path, _ = self.fixture("unigram-t5")
        document = json.loads(path.read_text(encoding="utf-8"))
        document["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [{"type": "UnicodeScripts"}]}
        path.write_text(json.dumps(document), encoding="utf-8")
        for command in (("tokenize", path), ("describe", path)):
            code, _, err = mog(*command)
            self.assertEqual(code, 5)
            self.assertIn(str(path), err)
            self.assertIn("pre_tokenizer.pretokenizers[0]", err)
            self.assertIn("UnicodeScripts", err)
        self.assertEqual(mog("tokenize", self.folder / "nothing")[0], 2)
        self.assertEqual(mog("tokenize", path, "--format", "words")[0], 2)
        (self.folder / "tokenizer.json").unlink()
        (self.folder / "spiece.model").write_bytes(b"\n\x05")
        code, _, err = mog("tokenize", self.folder)
        self.assertEqual(code, 3)
        self.assertIn("spiece.model", err)

    def test_sentencepiece(self):
        for name in ("unigram", "bpe-bytes"):
            lines = json.loads((PIECES / f"{name}.json").read_text(encoding="utf-8"))
            lines = [line for line in lines if not set(line["text"]) & set("\r\n")]
            code, out, err = mog("tokenize", PIECES / f"{name}.model", "--format", "ids", text="".join(line["text"] + "\n" for line in lines))
            self.assertEqual(code, 0, err)
            self.assertEqual(out.split("\n")[:-1], [" ".join(map(str, line["ids"])) for line in lines], name)
        code, out, err = mog("describe", PIECES / "unigram.model", "--json")
        self.assertEqual(code, 0, err)
        facts = json.loads(out)
        self.assertEqual([facts["kind"], facts["metadata"]["algorithm"]], ["sentencepiece", "unigram"])

    def test_a_token_may_hold_a_line_end(self):
        path, _ = self.fixture("bpe-with-bytes-llama")
        document = json.loads(path.read_text(encoding="utf-8"))
        document["model"]["vocab"]["\r"] = len(document["model"]["vocab"])
        path.write_text(json.dumps(document), encoding="utf-8")
        code, out, err = mog("tokenize", path, text="a\n")
        self.assertEqual(code, 0, err)

    def test_models_of_other_programs(self):
        for name, text, expected in (("mpnet", "the cats sat", "[CLS] the cats sat [SEP]"), ("torch-post/encoder.pt", "t30 t7", "t30 t7 t3"),
                                     ("ct2-int8", "zz t7", "zz t7"), ("fairseq-split/checkpoint_best.pt", "t7", "t7 </s>")):
            code, out, err = mog("tokenize", ENCODERS / name, text=text + "\n")
            self.assertEqual((code, out), (0, expected + "\n"), f"{name}: {err}")

    def test_damaged_text(self):
        path, _ = self.fixture("wordpiece-cased")
        (self.folder / "bad.txt").write_bytes(b"good\nb\xffd\n")
        code, _, err = mog("tokenize", path, "--input", self.folder / "bad.txt")
        self.assertEqual(code, 3)
        self.assertIn("bad.txt", err)
        self.assertIn("2", err)

    def test_help_has_an_example(self):
        code, out, _ = mog("tokenize", "--help")
        self.assertEqual(code, 0)
        self.assertIn("mog tokenize tokenizer.json", out)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""`mog attribute` and its figure with the real engine: parts sum to the logit in every stack with a map to the next token, and are
those of plain PyTorch (make_patching.py).

Usage: cli_attribute.py MOG DATA
"""
import csv
import io
import json
import math
import os
import pathlib
import sys
import unittest

from mog_cli import MogCase, require_engine

MOG, DATA = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
EXPECTED = json.loads((DATA / "patching/expected.json").read_text())
TOKENS = ("--answer", EXPECTED["answer"], "--against", EXPECTED["against"])
STACKS = DATA / "stacks"


class Attribute(MogCase):
    mog = MOG

    def table(self, model, *options, text=EXPECTED["clean"]):
        said = self.run_well("attribute", model, "--text", text, "--device", "cpu", "--check", "--quiet", *options)
        return list(csv.DictReader(io.StringIO(said)))

    def total(self, rows):
        return sum(float(row["value"]) for row in rows)

    def test_parts_are_those_of_pytorch(self):
        for name in ("gpt2", "llama"):
            expected = EXPECTED["models"][f"stacks/{name}"]["parts"]
            # As in cli_patch.py: parts of transformers' Llama are computed in float32.
            for precision, tolerance in (("float64", 1e-7 if name == "gpt2" else 2e-6), ("float32", 1e-5)):
                with self.subTest(model=name, precision=precision):
                    options = (*TOKENS, "--position", EXPECTED["position"], "--precision", precision)
                    rows = self.table(STACKS / name, *options)
                    found = {(row["part"], row["layer"], row["head"]): float(row["value"]) for row in rows}
                    wanted = {("embedding", "", ""): expected["embedding"]}
                    if expected["norm_bias"] is not None:
                        wanted["norm_bias", "", ""] = expected["norm_bias"]
                    for number, layer in enumerate(expected["layers"], 1):
                        wanted["feed_forward", str(number), ""] = layer["feed_forward"]
                        if layer["attention_bias"] is not None:
                            wanted["attention_bias", str(number), ""] = layer["attention_bias"]
                        for head, value in enumerate(layer["heads"], 1):
                            wanted["head", str(number), str(head)] = value
                    for key, value in wanted.items():
                        self.assertAlmostEqual(found.pop(key), value, delta=tolerance, msg=key)
                    self.assertEqual({key: value for key, value in found.items() if abs(value) > tolerance}, {})
                    self.assertAlmostEqual(float(rows[0]["logit"]), expected["logit"], delta=tolerance)
                    sources = [row for row in self.table(STACKS / name, *options, "--by", "source") if row["part"] == "head"]
                    flat = [value for layer in expected["layers"] for head in layer["sources"] for value in head]
                    self.assertEqual(len(sources), len(flat))
                    for row, value in zip(sources, flat):
                        self.assertAlmostEqual(float(row["value"]), value, delta=tolerance, msg=row)

    def test_every_stack_adds_up(self):
        """--check: 1e-9 in float64, whatever norms, multipliers, parallel blocks or groups of heads a stack has."""
        names = []
        for folder in sorted(STACKS.iterdir()):
            kind = json.loads((folder / "config.json").read_text()).get("architectures") or [""]
            if "CausalLM" not in kind[0] and "LMHead" not in kind[0]:
                continue
            names.append(folder.name)
            with self.subTest(model=folder.name):
                rows = self.table(folder, "--by", "source", "--precision", "float64")
                logit = float(rows[0]["logit"])
                self.assertAlmostEqual(self.total(rows), logit, delta=1e-8 * max(1, abs(logit)))
                if folder.name != "gemma2":
                    self.assertEqual(rows[0]["capped"], rows[0]["logit"])
        self.assertGreater(len(names), 30)
        for one in ("gemma2", "olmo2", "gpt-neox", "opt-post", "granite", "cohere", "bloom", "falcon", "gptj"):
            self.assertIn(one, names)

    def test_rows_and_differences(self):
        for name in ("gemma2", "opt-post", "gpt-neox"):
            with self.subTest(model=name):
                options = ("--position", 2, "--precision", "float64")
                tables = {by: self.table(STACKS / name, *options, "--answer", "id:7", "--by", by) for by in ("part", "layer", "source")}
                for rows in tables.values():
                    self.assertAlmostEqual(self.total(rows), float(rows[0]["logit"]), delta=1e-8)
                heads = [row for row in tables["part"] if row["part"] == "head"]
                for row in heads:
                    own = [one for one in tables["source"] if (one["layer"], one["head"]) == (row["layer"], row["head"])]
                    self.assertEqual([one["source"] for one in own], ["1", "2"])
                    self.assertAlmostEqual(self.total(own), float(row["value"]), delta=1e-9)
                for row in tables["layer"]:
                    parts = {"attention": ("head", "attention_bias")}.get(row["part"], (row["part"],))
                    own = [one for one in tables["part"] if one["part"] in parts and one["layer"] == row["layer"]]
                    self.assertAlmostEqual(self.total(own), float(row["value"]), delta=1e-9)
                other = self.table(STACKS / name, *options, "--answer", "id:9")
                difference = self.table(STACKS / name, *options, "--answer", "id:7", "--against", "id:9")
                for row, left, right in zip(difference, tables["part"], other):
                    self.assertAlmostEqual(float(row["value"]), float(left["value"]) - float(right["value"]), delta=1e-9)
                if name == "gemma2":
                    cap = json.loads((STACKS / name / "config.json").read_text())["final_logit_softcapping"]
                    logit, capped = float(heads[0]["logit"]), float(heads[0]["capped"])
                    self.assertAlmostEqual(capped, cap * math.tanh(logit / cap), delta=1e-9)
                    self.assertNotEqual(logit, capped)

    def test_float32_adds_up(self):
        for name in ("gpt2-bytes", "gemma2", "opt-post"):
            self.table(STACKS / name)

    def test_the_most_probable_token_is_the_default(self):
        best = float(self.table(STACKS / "gpt2-bytes", text="The cats sat on")[0]["logit"])
        for one in (0, 5, 100, 280):
            rows = self.table(STACKS / "gpt2-bytes", "--answer", f"id:{one}", text="The cats sat on")
            self.assertGreaterEqual(best, float(rows[0]["logit"]))

    def test_what_is_refused(self):
        attribute = ("attribute", STACKS / "gpt2", "--device", "cpu", "--text", "The cats sat.")
        self.expect(2, "does not predict", "attribute", DATA / "encoders/bert-tanh", "--device", "cpu", "--text", "The cats.")
        self.expect(2, "--by", *attribute, "--by", "token")
        self.expect(2, "--position 9", *attribute, "--position", 9)
        self.expect(2, "un | zip | ped", *attribute, "--answer", "unzipped")
        self.expect(2, "do not add up", *attribute, "--precision", "bfloat16")
        self.expect(2, ".csv", *attribute, "-o", self.folder / "x.xls")

    def test_what_a_name_may_mean_is_said(self):
        said = self.run_mog("attribute", STACKS / "gpt2-bytes", "--device", "cpu", "--text", "The cats sat on", "--answer", "mat")
        self.assertIn("without a space before it", said.stderr.decode())
        said = self.run_mog("attribute", STACKS / "gpt2", "--device", "cpu", "--text", "The cats sat.")
        self.assertIn("is no token of the text; --position", said.stderr.decode())
        self.expect(2, "the same token as the answer", "attribute", STACKS / "gpt2", "--device", "cpu", "--text", "The cats.", "--answer", "id:5", "--against", "id:5")

    def test_figure(self):
        for by, words in (("part", ("heads", "feed forward 2")), ("layer", ("attention 1",)), ("source", ("token read", "cats"))):
            table = self.folder / f"{by}.csv"
            self.run_well("attribute", STACKS / "gpt2", "--text", EXPECTED["clean"], *TOKENS, "--by", by, "-o", table, "--device", "cpu")
            for kind in ("svg", "pdf", "png"):
                files = [self.folder / f"{turn}.{kind}" for turn in (1, 2)]
                for file in files:
                    self.run_well("figure", "logit-parts", table, "-o", file)
                self.assertEqual(*(file.read_bytes() for file in files))
            for word in words:
                self.assertIn(word, (self.folder / "1.svg").read_text())
        self.expect(2, "no column", "figure", "logit-parts", self.write("t.csv", "a,b\n1,2\n"), "-o", self.folder / "x.svg")


if __name__ == "__main__":
    require_engine(MOG)
    unittest.main(argv=sys.argv[:1])

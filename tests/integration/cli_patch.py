"""`mog patch` and its figure with the real engine: equal to plain PyTorch hooks (make_patching.py), and what is refused.

Usage: cli_patch.py MOG DATA
"""
import csv
import io
import json
import math
import os
import pathlib
import shutil
import sys
import unittest

from mog_cli import MogCase, require_engine

MOG, DATA = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).absolute()
EXPECTED = json.loads((DATA / "patching/expected.json").read_text())
TEXTS = ("--clean", EXPECTED["clean"], "--corrupt", EXPECTED["corrupt"])
TOKENS = ("--answer", EXPECTED["answer"], "--against", EXPECTED["against"])
GPT2, BERT = DATA / "stacks/gpt2", DATA / "encoders/bert-tanh"


def number(text):
    return float(text) if text else math.nan


class Patch(MogCase):
    mog = MOG

    def table(self, model, *options):
        text = self.run_well("patch", model, *TEXTS, "--device", "cpu", *options)
        return list(csv.DictReader(io.StringIO(text)))

    def compare(self, rows, expected, places, tolerance):
        """Sites come in the order of make_patching.py."""
        for into in ("corrupt", "clean"):
            own = [row for row in rows if row["into"] == into]
            wanted = expected[f"into_{into}"]
            unpatched = expected[into]
            self.assertEqual(len(own), len(wanted["exact"]))
            for row, exact, estimate in zip(own, wanted["exact"], wanted["estimate"]):
                where = {key: row[key] for key in ("into", "place", "layer", "head", "position")}
                self.assertAlmostEqual(number(row["clean"]), expected["clean"], delta=tolerance)
                self.assertAlmostEqual(number(row["corrupt"]), expected["corrupt"], delta=tolerance)
                self.assertAlmostEqual(number(row["patched"]), exact, delta=tolerance, msg=where)
                self.assertAlmostEqual(number(row["change"]), exact - unpatched, delta=tolerance, msg=where)
                whole = expected["clean"] - expected["corrupt"]
                self.assertAlmostEqual(number(row["effect"]), (exact - expected["corrupt"]) / whole, delta=tolerance / abs(whole), msg=where)
                if row["measure"] == "cosine" and into == "clean":  # the slope of the cosine with itself
                    self.assertEqual(row["estimate"], "")
                    self.assertAlmostEqual(estimate, 0, delta=1e-6)
                else:
                    self.assertAlmostEqual(number(row["estimate"]), estimate, delta=tolerance, msg=where)
                    self.assertAlmostEqual(number(row["estimated_effect"]), (unpatched + estimate - expected["corrupt"]) / whole,
                                           delta=tolerance / abs(whole), msg=where)
            self.assertEqual([place for place in dict.fromkeys(row["place"] for row in own)], list(places))

    def both(self, model, expected, *options):
        # transformers norms and turns in float32 whatever the type of a Llama or Gemma; their parts add up to 1e-9 in cli_attribute.py.
        for precision, tolerance in (("float64", 1e-7 if model.name in ("gpt2", "bert-tanh") else 2e-6), ("float32", 1e-5)):
            with self.subTest(model=model.name, precision=precision):
                common = (*options, "--into", "both", "--precision", precision)
                rows = self.table(model, *common)
                rows += self.table(model, *common, "--places", "head", "--head-positions")
                self.compare([row for into in ("corrupt", "clean") for row in rows if row["into"] == into], expected,
                             ("residual", "attention", "feed_forward", "head"), tolerance)

    def test_logits_are_those_of_hooks(self):
        for name in ("gpt2", "llama", "gemma2"):
            self.both(DATA / "stacks" / name, EXPECTED["models"][f"stacks/{name}"]["logits"], *TOKENS, "--position", EXPECTED["position"])

    def test_the_cosine_is_that_of_hooks(self):
        expected = EXPECTED["models"]["encoders/bert-tanh"]
        self.both(BERT, expected["cosine"])
        self.both(BERT, expected["cosine_at"], "--position", EXPECTED["position"] - expected["cosine"]["tokens"] - 1)

    def test_batches_change_nothing(self):
        options = (*TOKENS, "--precision", "float64")
        one, many = self.table(GPT2, *options, "--batch-tokens", 1), self.table(GPT2, *options)
        self.assertEqual(len(one), len(many))
        for left, right in zip(one, many):
            self.assertAlmostEqual(number(left["patched"]), number(right["patched"]), delta=1e-12)

    def test_all_states_of_a_layer_carry_everything(self):
        """The residual state of the last layer at the token that is read is all that is read."""
        rows = self.table(GPT2, *TOKENS, "--precision", "float64", "--places", "residual")
        last = [row for row in rows if row["layer"] == "2"]
        for row in last:
            self.assertAlmostEqual(number(row["effect"]), float(row is last[-1]), delta=1e-9)

    def test_what_cannot_matter_is_exactly_nothing(self):
        rows = self.table(GPT2, *TOKENS, "--position", EXPECTED["position"])
        still = [row for row in rows if row["position"] and (row["position"] == "1" or int(row["position"]) > EXPECTED["position"])]
        self.assertEqual(len(still), (3 + 2 + 2) * 5)
        for row in still:
            self.assertEqual((float(row["change"]), float(row["effect"]), float(row["estimate"])), (0, 0, 0), row)

    def test_rank_correlation_is_of_the_rows(self):
        import itertools

        def ranks(values):
            order = sorted(range(len(values)), key=values.__getitem__)
            found = [0.0] * len(values)
            for _, group in itertools.groupby(order, key=values.__getitem__):
                group, first = list(group), sum(1 for value in found if value)
                for place in group:
                    found[place] = first + (len(group) + 1) / 2
            return found
        for place in ("attention", "head"):
            rows = self.table(GPT2, *TOKENS, "--places", place)
            x, y = (ranks([number(row[column]) for row in rows]) for column in ("change", "estimate"))
            mean = (len(rows) + 1) / 2
            cov = sum((a - mean) * (b - mean) for a, b in zip(x, y))
            rho = cov / math.sqrt(sum((a - mean) ** 2 for a in x) * sum((b - mean) ** 2 for b in y))
            for row in rows:
                self.assertAlmostEqual(number(row["spearman"]), rho, delta=1e-9)

    def test_choices(self):
        rows = self.table(GPT2, *TOKENS, "--places", "attention,head", "--layers", 2, "--method", "exact")
        self.assertEqual({row["layer"] for row in rows}, {"2"})
        self.assertEqual({row["estimate"] + row["spearman"] for row in rows}, {""})
        rows = self.table(GPT2, "--answer", EXPECTED["answer"], "--method", "gradient")
        self.assertEqual({row["patched"] + row["effect"] for row in rows}, {""})
        self.assertEqual({row["measure"] for row in rows}, {"logit"})
        lines = self.run_well("patch", GPT2, *TEXTS, *TOKENS, "--json", "--device", "cpu").splitlines()
        self.assertEqual(json.loads(lines[0])["position"], 1)
        self.assertEqual(len({json.dumps(sorted(json.loads(line))) for line in lines}), 1)
        by_id = self.table(GPT2, "--answer", "id:56", "--against", "id:60")
        self.assertEqual(by_id, self.table(GPT2, *TOKENS))
        self.assertEqual((by_id[0]["answer"], by_id[0]["against"]), ("cat", "mat"))

    def test_other_stacks(self):
        """Graph-Transformers have heads of three parts; recurrent encoders states alone."""
        rows = self.table(BERT, "--precision", "bfloat16", "--method", "exact")
        self.assertTrue(all(row["patched"] for row in rows))

    def test_what_is_refused(self):
        patch = ("patch", GPT2, "--device", "cpu")
        said = self.expect(2, "they part at token 3", *patch, "--clean", "The cats sat.", "--corrupt", "The unzipped cats sat.")
        for word in ("cats", "un", "zip", "clean:", "corrupt:"):
            self.assertIn(word, said)
        self.expect(2, "same tokens", *patch, "--clean", "The cats.", "--corrupt", "the cats.")
        self.expect(2, "un | zip | ped", *patch, *TEXTS, "--answer", "unzipped")
        self.expect(2, "--against", *patch, *TEXTS, "--against", "cat")
        self.expect(2, "ids 0 to 76", *patch, *TEXTS, "--answer", "id:77")
        self.expect(2, "not in it", *patch, *TEXTS, "--answer", "\u4e2d")
        self.expect(2, "--position 10", *patch, *TEXTS, "--position", 10)
        self.expect(2, "--places", *patch, *TEXTS, "--places", "mlp")
        self.expect(2, "--into", *patch, *TEXTS, "--into", "clear")
        self.expect(2, "--method", *patch, *TEXTS, "--method", "guess")
        self.expect(2, "layers 1 to 2", *patch, *TEXTS, "--layers", 3)
        self.expect(2, ".csv", *patch, *TEXTS, "-o", self.folder / "x.xls")
        self.expect(2, "too coarse", *patch, *TEXTS, "--precision", "bfloat16")
        self.expect(2, "does not predict", "patch", BERT, "--device", "cpu", *TEXTS, "--answer", "cat")
        self.expect(2, "no words", *patch, "--clean", " ", "--corrupt", "The cats.")
        long = "cat " * 100
        self.expect(5, "40", *patch, "--clean", long, "--corrupt", long.replace("cat", "mat", 1))

    def test_best_answers_are_those_of_either_text(self):
        rows = self.table(GPT2, "--best-answers", "--places", "residual", "--method", "exact")
        attribute = ("attribute", GPT2, "--device", "cpu", "--text")
        best = [next(csv.DictReader(io.StringIO(self.run_well(*attribute, EXPECTED[text]))))["answer"] for text in ("clean", "corrupt")]
        different = best[0] != best[1]
        self.assertEqual((rows[0]["answer"], rows[0]["against"]), (best[0], best[1] if different else ""))
        self.assertEqual(rows[0]["measure"], "logit_difference" if different else "logit")
        if different:
            self.assertGreater(float(rows[0]["clean"]), 0)
            self.assertLess(float(rows[0]["corrupt"]), 0)
        self.expect(2, "names one already", "patch", GPT2, "--device", "cpu", *TEXTS, *TOKENS, "--best-answers")
        self.expect(2, "does not predict", "patch", BERT, "--device", "cpu", *TEXTS, "--best-answers")

    def test_choices_without_effect_are_refused(self):
        patch = ("patch", GPT2, "--device", "cpu", *TEXTS)
        self.expect(2, "the same token as the answer", *patch, "--answer", "id:56", "--against", "id:56")
        self.expect(2, "has the slope 0", "patch", BERT, "--device", "cpu", *TEXTS, "--method", "gradient", "--into", "clean")
        self.expect(2, "add head to --places", *patch, *TOKENS, "--places", "residual", "--head-positions")
        self.expect(2, "--method gradient makes none", *patch, *TOKENS, "--method", "gradient", "--batch-tokens", 100)
        self.expect(2, "there is no folder", *patch, *TOKENS, "-o", self.folder / "nowhere" / "x.csv")
        self.expect(2, "from the end -1", *patch, *TOKENS, "--position", "00")

    def test_figure(self):
        table = self.folder / "patch.csv"
        self.run_well("patch", GPT2, *TEXTS, *TOKENS, "--into", "both", "-o", table, "--device", "cpu", "--quiet")
        for kind in ("svg", "pdf", "png"):
            files = [self.folder / f"{turn}.{kind}" for turn in (1, 2)]
            for file in files:
                self.run_well("figure", "patching", table, "-o", file)
            self.assertEqual(*(file.read_bytes() for file in files))
        drawn = (self.folder / "1.svg").read_text()
        for word in ("residual state, into the corrupt run", "heads, into the clean run", "cats / cat"):
            self.assertIn(word, drawn)
        for value in ("change", "estimate", "estimated_effect"):
            self.run_well("figure", "patching", table, "--y", value, "-o", self.folder / "y.svg")
        heads = self.folder / "heads.csv"
        self.run_well("patch", GPT2, *TEXTS, "--places", "head", "--head-positions", "-o", heads, "--device", "cpu", "--quiet")
        self.run_well("figure", "patching", heads, "-o", self.folder / "h.svg", "--csv", self.folder / "h.csv")
        values, wanted = (list(csv.DictReader(io.StringIO(path.read_text()))) for path in (self.folder / "h.csv", heads))
        self.assertEqual(len(values), 2 * 2 * 9)
        wanted.sort(key=lambda row: -int(row["layer"]))  # the highest layer stands on top
        self.assertEqual(sum(abs(number(row["value"]) - number(other["effect"])) < 1e-6
                             for row, other in zip(values, wanted)), len(values))
        self.expect(2, "--y", "figure", "patching", table, "--y", "worth", "-o", self.folder / "x.svg")
        self.expect(2, "no column", "figure", "patching", self.write("t.csv", "a,b\n1,2\n"), "-o", self.folder / "x.svg")
        mixed = self.write("mixed.csv", table.read_text() + table.read_text().split("\n", 1)[1].replace("gpt2", "gpt3"))
        self.expect(2, "several values of model", "figure", "patching", mixed, "-o", self.folder / "x.svg")

    def test_nothing_is_left_behind(self):
        shutil.copytree(GPT2, self.folder / "gpt2")
        before = sorted(path.name for path in self.folder.iterdir())
        self.expect(2, "--places", "patch", self.folder / "gpt2", *TEXTS, "--places", "x", "-o", self.folder / "t.csv")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), before)


if __name__ == "__main__":
    require_engine(MOG)
    unittest.main(argv=sys.argv[:1])

"""`mog faithfulness --target translate` and `--target FILE`: words of the source or of the prefix are erased, and the
log-probabilities are those that `mog record` gives of the shorter or changed sentences.

Usage: cli_faithfulness_translation.py MOG MODELS_DIR    (skips without the engine, numpy or h5py)
"""
import csv
import io
import math
import os
import sys
import unittest

from mog_cli import MogCase, require_engine, skip

try:
    import numpy as np
    from cli_source_target import Recording, write_model
except ImportError as error:
    skip(f"{error}; install numpy and h5py")

MOG, MODELS = (os.path.abspath(path) for path in sys.argv[1:3])
SOURCE = "w7 w4 w12 w9 w15".split()
TARGET = "v5 v11 v8 v14".split()
FRACTIONS = (0.2, 0.6)
ALL = ["random", "cross-attention", "contribution-norm", "contribution-projection", "contribution-logit", "alti",
       "leave-one-out"]
LAYERS, HEADS = 2, 3


def ranks(values):
    return np.argsort(np.argsort(values))


def first_of(values, fraction):
    """Places of the greatest values: so many as the fraction says, rounded up; one stays at least."""
    return np.argsort(-np.asarray(values), kind="stable")[:min(math.ceil(fraction * len(values)), len(values) - 1)]


def correlation(x, y):
    x, y = np.asarray(x, float) - np.mean(x), np.asarray(y, float) - np.mean(y)
    return float(x @ y / math.sqrt((x @ x) * (y @ y)))


class Translation(MogCase):
    mog = MOG

    def setUp(self):
        super().setUp()
        self.model = write_model(self.folder / "model", {})
        self.source = self.write("source.txt", " ".join(SOURCE) + "\n")
        self.target = self.write("target.txt", " ".join(TARGET) + "\n")

    def record(self, name, pairs, quantities):
        source = self.write(f"{name}.source", "".join(" ".join(words) + "\n" for words, _ in pairs))
        target = self.write(f"{name}.target", "".join(" ".join(words) + "\n" for _, words in pairs))
        self.run_well("record", "-m", self.model, "-i", source, "--target", target, "-o", self.folder / name, "--capture",
                      "none", "--quantity", quantities, "--precision", "float64", "--store", "float64", "-q")
        return Recording(self.folder / name)

    def log_probabilities(self, name, pairs):
        """[pair][step] of the words of TARGET."""
        recording = self.record(name, pairs, "decoder.logits")
        ids = [int(word[1:]) for word in TARGET]
        found = []
        for pair in range(len(pairs)):
            scores = recording.read("decoder.logits", pair).reshape(len(TARGET) + 1, -1)
            log = scores - np.log(np.exp(scores).sum(1, keepdims=True))
            found.append([log[step, ids[step]] for step in range(len(TARGET))])
        return np.array(found)

    def measure(self, *arguments):
        table = self.run_well("faithfulness", self.model, "-i", self.source, "--bootstrap", 0, "--precision", "float64",
                              "--fractions", ",".join(map(str, FRACTIONS)), *arguments)
        return list(csv.DictReader(io.StringIO(table)))

    def compare(self, rows, attribution, units, values, pairs_of):
        """units, values: [step], values [unit] in the order of the step; pairs_of(erased): source and target words."""
        measured = [step for step in range(len(TARGET)) if len(units[step]) >= 2]
        sets = {frozenset()}
        for step in measured:
            sets |= {frozenset([unit]) for unit in units[step]}
            for fraction in FRACTIONS:
                first = frozenset(units[step][i] for i in first_of(values[step], fraction))
                sets |= {first, frozenset(units[step]) - first}
        sets = sorted(sets, key=sorted)
        log = dict(zip(sets, self.log_probabilities(f"erased-{attribution}", [pairs_of(one) for one in sets])))
        expected = {}
        for step in measured:
            effect = lambda erased: log[frozenset()][step] - log[frozenset(erased)][step]
            alone = [effect([unit]) for unit in units[step]]
            if len(alone) >= 3:
                expected.setdefault(("spearman", ""), []).append(correlation(ranks(values[step]), ranks(alone)))
                expected.setdefault(("pearson", ""), []).append(correlation(values[step], alone))
            for fraction in FRACTIONS:
                first = [units[step][i] for i in first_of(values[step], fraction)]
                others = [unit for unit in units[step] if unit not in first]
                expected.setdefault(("comprehensiveness", str(fraction)), []).append(effect(first))
                expected.setdefault(("sufficiency", str(fraction)), []).append(effect(others))
        expected = {key: np.mean(of_steps) for key, of_steps in expected.items()}
        for measure in ("comprehensiveness", "sufficiency"):
            expected[(f"{measure}_area", "")] = np.mean([expected[(measure, str(one))] for one in FRACTIONS])
        found = {(row["measure"], row["fraction"]): float(row["mean"]) for row in rows if row["attribution"] == attribution}
        self.assertEqual(set(found), set(expected))
        for key, value in expected.items():
            self.assertAlmostEqual(found[key], value, delta=1e-6 if key[0] == "pearson" else 1e-10, msg=(attribution, key))

    def test_words_of_the_source(self):
        rows = self.measure("--target", self.target, "--erase", "remove", "--attributions",
                            "cross-attention,cross-attention:2,contribution-logit,alti")
        self.assertEqual({(row["target"], row["erasure"], row["unit"], row["sentences"]) for row in rows},
                         {("reference", "remove", "token", "1")})
        recording = self.record("maps", [(SOURCE, TARGET)], "decoder.*.cross.attention,decoder.contribution.logit,"
                                                            "decoder.*.alti.product")
        steps, tokens = len(TARGET) + 1, len(SOURCE) + 1
        cross = {layer: recording.read(f"decoder.{layer}.cross.attention", 0).reshape(HEADS, steps, tokens).mean(0)
                 for layer in (1, 2)}
        maps = {"cross-attention": (cross[1] + cross[2]) / 2, "cross-attention:2": cross[2],
                "contribution-logit": recording.read("decoder.contribution.logit", 0).reshape(steps, -1),
                "alti": recording.read(f"decoder.{LAYERS}.alti.product", 0).reshape(steps, -1)}
        words = list(range(len(SOURCE)))
        for attribution, of_steps in maps.items():
            self.compare(rows, attribution, [words] * len(TARGET), [row[:len(SOURCE)] for row in of_steps],
                         lambda erased: ([word for i, word in enumerate(SOURCE) if i not in erased], TARGET))

    def test_words_of_the_prefix(self):
        rows = self.measure("--target", self.target, "--side", "prefix", "--erase", "unk", "--attributions",
                            "contribution-logit,contribution-norm")
        self.assertEqual({row["unit"] for row in rows}, {"prefix token"})
        recording = self.record("maps", [(SOURCE, TARGET)], "decoder.contribution.logit,decoder.contribution.norm")
        steps, first = len(TARGET) + 1, len(SOURCE) + 2  # behind </s> and what the decoder begins with
        units = [list(range(step)) for step in range(len(TARGET))]
        for attribution in ("contribution-logit", "contribution-norm"):
            of_steps = recording.read(attribution.replace("contribution-", "decoder.contribution."), 0).reshape(steps, -1)
            self.compare(rows, attribution, units, [of_steps[step, first:first + step] for step in range(len(TARGET))],
                         lambda erased: (SOURCE, [word if i not in erased else "unheard" for i, word in enumerate(TARGET)]))

    def test_both_sides_in_one_order(self):
        rows = self.measure("--target", self.target, "--side", "both", "--erase", "unk", "--attributions", "alti")
        recording = self.record("maps", [(SOURCE, TARGET)], "decoder.*.alti.product")
        of_steps = recording.read(f"decoder.{LAYERS}.alti.product", 0).reshape(len(TARGET) + 1, -1)
        of_source = [("source", i) for i in range(len(SOURCE))]
        units = [of_source + [("prefix", i) for i in range(step)] for step in range(len(TARGET))]
        first = len(SOURCE) + 2
        values = [np.concatenate([of_steps[step, :len(SOURCE)], of_steps[step, first:first + step]])
                  for step in range(len(TARGET))]
        self.compare(rows, "alti", units, values,
                     lambda erased: (["unheard" if ("source", i) in erased else word for i, word in enumerate(SOURCE)],
                                     ["unheard" if ("prefix", i) in erased else word for i, word in enumerate(TARGET)]))

    def test_its_own_translation_is_that_of_mog_translate(self):
        self.source = self.write("source.txt", " ".join(SOURCE) + "\nw5 w6 w4\nw18 w9 w10 w11\n")
        said = self.run_well("translate", self.model, self.source, "--beam", 3, "-q")
        given = self.write("said.txt", said)
        own = self.measure("--target", "translate", "--beam", 3)
        reference = self.measure("--target", given)
        self.assertEqual({row["target"] for row in own}, {"translation"})
        self.assertEqual([row["attribution"] for row in own[::len(own) // len(ALL)]], ALL)
        for mine, theirs in zip(own, reference, strict=True):
            self.assertEqual({**mine, "target": ""}, {**theirs, "target": ""})
        found = {(row["attribution"], row["measure"]): float(row["mean"]) for row in own if not row["fraction"]}
        self.assertEqual(found["leave-one-out", "spearman"], 1)
        self.assertGreater(found["leave-one-out", "comprehensiveness_area"], found["random", "comprehensiveness_area"])
        # Streams change nothing, and the table has its figures and its differences.
        table, values = self.folder / "steps.csv", self.folder / "values.csv"
        self.run_well("faithfulness", self.model, "-i", self.source, "--target", "translate", "--attributions", "random,alti",
                      "--against", "random", "--bootstrap", 50, "--threads", 2, "-o", table, "--sentence-values", values, "-q")
        self.assertIn("difference_low", table.read_text())
        self.assertEqual(len(values.read_text().splitlines()), 1 + 3 * 2 * 12)
        for kind in ("faithfulness", "faithfulness-curves"):
            self.run_well("figure", kind, table, "-o", self.folder / f"{kind}.svg")

    def test_what_is_refused(self):
        text = ("faithfulness", self.model, "-i", self.source)
        self.expect(2, '"poled" is not known', *text, "--target", "poled")
        self.expect(2, "give --erase unk or pad", *text, "--target", "translate", "--side", "prefix")
        self.expect(2, "it says nothing of the prefix", *text, "--target", "translate", "--side", "both", "--erase", "unk",
                    "--attributions", "cross-attention")
        self.expect(2, "has no such layer", *text, "--target", "translate", "--attributions", "cross-attention:3")
        self.expect(2, "only cross-attention has layers", *text, "--target", "translate", "--attributions", "alti:2")
        self.expect(2, "--attributions rollout: allowed are random", *text, "--target", "translate", "--attributions", "rollout")
        self.expect(2, "--side prefix has no effect here", *text, "--side", "prefix")
        self.expect(2, "--beam 3 has no effect here", *text, "--target", self.target, "--beam", 3)
        self.expect(2, "--steps 3 has no effect here", *text, "--target", "translate", "--steps", 3)
        self.expect(2, "has no decoder", "faithfulness", os.path.join(MODELS, "tagger_half_weight_gate"), "-i", self.source,
                    "--target", "translate")
        short = self.write("short.txt", "")
        self.expect(3, "short.txt", *text, "--target", short)


if __name__ == "__main__":
    require_engine(MOG)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])

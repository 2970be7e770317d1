"""Counts, statistics of orders and their figures through `mog`.

Usage: cli_orders.py MOG MAKE_RECORDING GOLDEN_FOLDER
"""
import csv
import io
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

MOG, MAKE_RECORDING = (os.path.abspath(path) for path in sys.argv[1:3])
GOLDEN = pathlib.Path(sys.argv[3]).resolve()
UPOS = ["NOUN", "VERB", "ADJ"]


def mog(*arguments):
    return subprocess.run([MOG, *map(str, arguments)], capture_output=True, timeout=300)


def table(*arguments):
    result = mog(*arguments)
    assert result.returncode == 0, result.stderr.decode()
    return list(csv.DictReader(io.StringIO(result.stdout.decode("utf-8"))))


class Counts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.golden = json.loads((GOLDEN / "counts.json").read_text(encoding="utf-8"))

    def test_bands(self):
        rows = {(int(row["layer"]), row["part"]): row for row in table("counts", "bands", "--layers", 9)}
        for band in self.golden["order_ranges"]:
            for part in ("high", "middle", "low"):
                row = rows[band["layer"], part]
                for kind in ("exact", "nominal"):
                    expected = band[kind].get(part) or ["", ""]
                    self.assertEqual([row[f"{kind}_low"], row[f"{kind}_high"]], [str(end) for end in expected])

    def test_generation(self):
        for case in self.golden["generation"]:
            rows = table("counts", "generation", "--words", case["words"], "--order", case["order"], "--layers", 6)
            self.assertEqual([row["distinct"] for row in rows], [str(case["distinct"])] * 6)
            for column, key in (("plain_held", "plain_held_by_layer"), ("plain_new", "plain_new_by_layer"),
                                ("graph_held", "graph_held_by_layer")):
                self.assertEqual([row[column] for row in rows], [str(value) for value in case[key]])
            for column, key in (("high", "h"), ("middle1", "m1"), ("middle2", "m2")):
                self.assertEqual([row[f"graph_new_{column}"] for row in rows],
                                 [str(layer[key]) for layer in case["graph_new_by_layer"]])

    def test_multiplicity(self):
        for case in self.golden["multiplicity"]:
            rows = table("counts", "multiplicity", "--expression", case["expression"], "--layers", 8)
            self.assertEqual({row["depth"] for row in rows}, {str(case["depth"])})
            for column in ("plain_multiplicity", "plain_events", "graph_multiplicity"):
                self.assertEqual([row[column] for row in rows], [str(value) for value in case[f"{column}_by_layer"]])

    def test_the_rest(self):
        for words, order, count in self.golden["distinct_of_order_k_over_n_words"]:
            row, = table("counts", "orders", "--words", words, "--order", order)
            self.assertEqual(row["distinct"], str(count))
        rows = table("counts", "orders", "--words", 8)
        self.assertEqual([row["of_one_owner_and_node_set"] for row in rows],
                         [str(count) for _, count in self.golden["per_owner_and_node_set"]])
        self.assertEqual([row["free_anchors_of_one_node_set"] for row in rows],
                         [str(count) for _, count in self.golden["free_anchor"]])
        for case in self.golden["raw_with_overlaps"]:
            rows = table("counts", "overlaps", "--words", case["words"], "--layers", 5)
            self.assertEqual([row["plain"] for row in rows], case["plain"])
            self.assertEqual([row["graph"] for row in rows], case["graph"])
        rows = table("counts", "recurrent", "--words", 7, "--layers", 3)
        of_order = {(int(row["step"]), int(row["order"])): row["count"] for row in rows if row["order"]}
        of_layer = {(int(row["step"]), int(row["layer"])): row["count"] for row in rows if not row["order"]}
        for step, order, count in self.golden["gru_one_layer"]:
            self.assertEqual(of_order[step, order], str(count))
        for step, layer, count in self.golden["gru_total"]:
            self.assertEqual(of_layer[step, layer], count)
        found = {}
        for words in range(1, 6):
            for row in table("counts", "derivations", "--words", words, "--layers", 4):
                found[row["kind"], words, int(row["layers"])] = (row["rules"], row["derivations_of_last_word"])
        for case in self.golden["grammar_derivations"]:
            self.assertEqual(found[case["kind"], case["words"], case["layers"]],
                             (str(case["rules"]), case["derivations_of_last_word"]))

    def test_bad_requests(self):
        for arguments, word in ((["counts", "frob"], "generation"), (["counts", "multiplicity"], "--expression"),
                                (["counts", "generation", "--words", 0], "--words"),
                                (["counts", "generation", "--words", 3, "--order", 4], "--order"),
                                (["counts", "overlaps", "--layers", 40], "layers"),
                                (["counts", "recurrent", "--words", 300, "--layers", 9], "2^")):
            result = mog(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(word, result.stderr.decode(), arguments)
            self.assertEqual(result.stdout, b"")
        result = mog("counts", "multiplicity", "--expression", "(a)->a U b")
        self.assertEqual(result.returncode, 3)
        self.assertIn("column 10", result.stderr.decode())


class Recorded(unittest.TestCase):
    """Recorded sentences of 1 to 15 words, and a treebank of the same words."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.lines = [[f"w{(line * 7 + word) % 50}" for word in range(1 + line * 4 % 15)] for line in range(24)]
        corpus = cls.folder / "corpus.txt"
        corpus.write_text("".join(" ".join(words) + "\n" for words in cls.lines), encoding="utf-8")
        cls.recording = cls.folder / "rec"
        subprocess.run([MAKE_RECORDING, corpus, cls.recording], check=True)
        cls.treebank = cls.folder / "gold.conllu"
        cls.treebank.write_text(cls.conllu(cls.lines), encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @staticmethod
    def conllu(lines):
        """Chains: every word hangs on the one before it."""
        return "".join("".join(f"{i + 1}\t{word}\t_\t{UPOS[i % 3]}\t_\t_\t{i}\t{'dep' if i else 'root'}\t_\t_\n"
                               for i, word in enumerate(words)) + "\n" for words in lines)

    def rows(self, quantity, *arguments):
        by = [] if "--by" in arguments else ["--by", "layer"]
        return table("stats", self.recording, "--quantity", quantity, "--bootstrap", 50, *by, *arguments)

    def test_orders_joins_and_distributions_agree(self):
        rows = self.rows("order-mass,joins,distinct,distinct-mass,simple,bands,part-order,edges", "--orders", 64)
        words = sum(map(len, self.lines))
        layers = sorted({int(row["layer"]) for row in rows if row["layer"]})
        for row in rows:
            if row["measure"] not in ("bands", "part-order"):
                self.assertEqual(int(row["tokens"]), words)
            if row["measure"] in ("order-mass", "simple", "bands"):
                self.assertTrue(-1e-12 <= float(row["mean"]) <= 1 + 1e-12, row)
            self.assertLessEqual(float(row["low"]), float(row["high"]))

        def mean(measure, layer, distribution):
            cells = [row for row in rows if row["measure"] == measure and row["layer"] == str(layer)]
            masses = [float(row["mean"]) for row in cells]
            self.assertAlmostEqual(sum(masses), 1, places=9)
            return sum(float(row["order"]) * float(row["mean"]) for row in cells if distribution)

        order_rows = {int(row["layer"]): float(row["mean"]) for row in table(
            "stats", self.recording, "--quantity", "order", "--by", "layer,upos", "--treebank", self.treebank,
            "--bootstrap", 0) if row["bin"] == "NOUN"}
        self.assertEqual(sorted(order_rows), layers)
        last = layers[-1]
        joins = sum(float(row["mean"]) for row in rows if row["measure"] == "joins")
        self.assertAlmostEqual(mean("order-mass", last, True), 1 + joins, places=8)
        for layer in layers:
            distinct, = [row for row in rows if row["measure"] == "distinct" and row["layer"] == str(layer)]
            self.assertAlmostEqual(mean("distinct-mass", layer, True), float(distinct["mean"]), places=9)
            self.assertLessEqual(float(distinct["mean"]), mean("order-mass", layer, True) + 0.1)
            # Sentences of more than 12 words are sampled, and the error says so.
            self.assertGreater(float(distinct["sampling_error"]), 0)
            self.assertEqual(distinct["samples"], "200")
        edges, = [row for row in rows if row["measure"] == "edges"]
        self.assertGreater(float(edges["mean"]), 0)

    def test_short_sentences_are_exact(self):
        row = table("stats", self.recording, "--quantity", "distinct", "--bins", "0,13", "--bootstrap", 0)[0]
        self.assertEqual((row["bin"], row["sampling_error"], row["samples"]), ("0–13", "", ""))

    def test_parts_of_speech_of_any_quantity(self):
        for quantity in ("gate", "share", "entropy", "order-mass"):
            rows = self.rows(quantity, "--by", "layer,upos", "--treebank", self.treebank)
            self.assertEqual({row["bin"] for row in rows}, set(UPOS), quantity)
            self.assertEqual({row["by"] for row in rows}, {"upos"})
        gate = [row for row in self.rows("gate", "--by", "upos", "--treebank", self.treebank) if row["layer"] == "1"]
        self.assertEqual(sum(int(row["tokens"]) for row in gate), sum(map(len, self.lines)))

    def test_a_treebank_of_other_words_is_refused_by_sentence_and_line(self):
        other = [list(words) for words in self.lines]
        other[3][0] = "other"
        file = self.folder / "other.conllu"
        file.write_text(self.conllu(other), encoding="utf-8")
        result = mog("stats", self.recording, "--by", "layer,upos", "--treebank", file)
        line = sum(len(words) + 1 for words in other[:3]) + 1
        self.assertEqual(result.returncode, 3)
        for word in ("sentence 4", f"line {line}", '"other"'):
            self.assertIn(word, result.stderr.decode())
        file.write_text(self.conllu(self.lines[:5]), encoding="utf-8")
        result = mog("stats", self.recording, "--by", "layer,upos", "--treebank", file)
        self.assertEqual(result.returncode, 3)
        self.assertIn("5 sentences", result.stderr.decode())

    def test_layers_needed(self):
        alone = table("stats", "--quantity", "layers-needed", "--treebank", self.treebank, "--by", "layer")
        found = {row["kind"]: float(row["mean"]) for row in alone}
        # A chain of n words needs n - 1 layers when the head owns, and the logarithm with free anchors.
        chain = sum(len(words) - 1 for words in self.lines) / len(self.lines)
        free = sum(math.ceil(math.log2(len(words))) for words in self.lines) / len(self.lines)
        self.assertAlmostEqual(found["gold, head owns"], chain)
        self.assertAlmostEqual(found["gold, free anchors"], free)
        beside = self.rows("layers-needed", "--treebank", self.treebank)
        kinds = {row["kind"]: float(row["mean"]) for row in beside}
        self.assertAlmostEqual(kinds["gold, head owns"], chain)
        layers = kinds["model"]
        self.assertLessEqual(kinds["found tree"], layers)
        without = {row["kind"] for row in self.rows("layers-needed")}
        self.assertEqual(without, {"found tree", "model"})
        result = mog("stats", "--quantity", "layers-needed")
        self.assertEqual(result.returncode, 2)
        fits = sum(len(words) - 1 <= layers for words in self.lines) / len(self.lines)
        self.assertAlmostEqual(kinds["share that fits"], fits)

    def test_bad_requests(self):
        for arguments, word in ((["--by", "layer,upos"], "--treebank"),
                                (["--quantity", "joins", "--trend"], "--trend"),
                                (["--quantity", "order-mass", "--orders", 9999], "4096"),
                                (["--quantity", "distinct", "--samples", 1], "samples"),
                                (["--quantity", "frob"], "order-mass"), (["--by", "layer,length,upos"], "upos")):
            result = mog("stats", self.recording, *arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(word, result.stderr.decode(), arguments)
            self.assertEqual(result.stdout, b"")

    def test_figures(self):
        for kind, arguments in (("order-by-layer", []), ("order-by-layer", ["--quantity", "distinct"]),
                                ("order-distribution", ["--orders", 8]),
                                ("order-distribution", ["--quantity", "distinct-mass"]), ("joins-by-part", []),
                                ("order-bands", []), ("layers-needed", ["--treebank", self.treebank])):
            svg = self.folder / "figure.svg"
            result = mog("figure", kind, self.recording, *arguments, "--bootstrap", 20, "-o", svg, "--csv", "-")
            self.assertEqual(result.returncode, 0, result.stderr.decode())
            text = "".join(xml.etree.ElementTree.parse(svg).getroot().itertext())
            self.assertIn("24 sentences", text.replace("\u00a0", " "), kind)
            self.assertGreater(len(result.stdout.splitlines()), 3)
        self.assertIn("above order 8", self.caption("order-distribution", "--orders", 2).replace("order 2", "order 8"))
        self.assertIn("standard error", self.caption("order-by-layer", "--quantity", "distinct"))
        result = mog("figure", "weight-by-layer", self.recording, "--quantity", "joins", "-o", self.folder / "x.svg")
        self.assertEqual(result.returncode, 2)

    def caption(self, kind, *arguments):
        svg = self.folder / "caption.svg"
        result = mog("figure", kind, self.recording, *arguments, "--bootstrap", 0, "-o", svg, "--preset", "page")
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return " ".join("".join(xml.etree.ElementTree.parse(svg).getroot().itertext()).split())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

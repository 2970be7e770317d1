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
        rows = self.rows("leaves-mass,joins,distinct,distinct-mass,simple,bands,part-leaves,edges", "--orders", 64)
        words = sum(map(len, self.lines))
        layers = sorted({int(row["layer"]) for row in rows if row["layer"]})
        for row in rows:
            if row["measure"] not in ("bands", "part-leaves"):
                self.assertEqual(int(row["tokens"]), words)
            if row["measure"] in ("leaves-mass", "simple", "bands"):
                self.assertTrue(-1e-12 <= float(row["mean"]) <= 1 + 1e-12, row)
            self.assertLessEqual(float(row["low"]), float(row["high"]))

        def mean(measure, layer, distribution):
            cells = [row for row in rows if row["measure"] == measure and row["layer"] == str(layer)]
            masses = [float(row["mean"]) for row in cells]
            self.assertAlmostEqual(sum(masses), 1, places=9)
            return sum(float(row["leaves"] or row["order"]) * float(row["mean"]) for row in cells if distribution)

        order_rows = {int(row["layer"]): float(row["mean"]) for row in table(
            "stats", self.recording, "--quantity", "leaves", "--by", "layer,upos", "--treebank", self.treebank,
            "--bootstrap", 0) if row["bin"] == "NOUN"}
        self.assertEqual(sorted(order_rows), layers)
        last = layers[-1]
        joins = sum(float(row["mean"]) for row in rows if row["measure"] == "joins")
        self.assertAlmostEqual(mean("leaves-mass", last, True), 1 + joins, places=8)
        for layer in layers:
            distinct, = [row for row in rows if row["measure"] == "distinct" and row["layer"] == str(layer)]
            self.assertAlmostEqual(mean("distinct-mass", layer, True), float(distinct["mean"]), places=9)
            self.assertLessEqual(float(distinct["mean"]), mean("leaves-mass", layer, True) + 0.1)
            # Sentences of more than 12 words are sampled, and the error says so.
            self.assertGreater(float(distinct["sampling_error"]), 0)
            self.assertEqual(distinct["samples"], "200")
        for row in rows:  # k is of leaves or of distinct words, and the column says of which
            self.assertEqual(bool(row["leaves"]), row["measure"] == "leaves-mass", row)
            self.assertEqual(bool(row["order"]), row["measure"] == "distinct-mass", row)
        edges, = [row for row in rows if row["measure"] == "edges"]
        self.assertGreater(float(edges["mean"]), 0)

    def test_short_sentences_are_exact(self):
        row = table("stats", self.recording, "--quantity", "distinct", "--bins", "0,13", "--bootstrap", 0)[0]
        self.assertEqual((row["bin"], row["sampling_error"], row["samples"]), ("1–12", "", ""))

    def test_parts_of_speech_of_any_quantity(self):
        for quantity in ("gate", "share", "entropy", "leaves-mass"):
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
        # The same for every quantity that reads it, with the way out.
        for quantity in ("joins", "layers-needed", "gate"):
            by = [] if quantity != "gate" else ["--by", "layer,upos"]
            arguments = ["stats", self.recording, "--quantity", quantity, "--treebank", file, *by]
            result = mog(*arguments)
            self.assertEqual(result.returncode, 3, (quantity, result.stderr.decode()))
            self.assertIn("--mismatch skip", result.stderr.decode())
            self.assertEqual(mog(*arguments, "--mismatch", "skip").returncode, 0)
        file.write_text(self.conllu([["x"]] * len(self.lines)), encoding="utf-8")
        result = mog("stats", self.recording, "--by", "layer,upos", "--treebank", file, "--mismatch", "skip")
        self.assertEqual(result.returncode, 3)
        self.assertIn("none of its sentences", result.stderr.decode())

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
                                (["--quantity", "joins", "--trend", "--by", "layer,position"], "--trend"),
                                (["--quantity", "joins", "--relative", "--by", "layer,upos", "--treebank",
                                  self.treebank], "--relative"),
                                (["--heads", "1"], "--heads 1"), (["--quantity", "leaves", "--gate", "frob"], "--gate"),
                                (["--quantity", "joins", "--target", "cross"], "edges"),
                                (["--quantity", "edges", "--target", "cross"], "cross"),
                                (["--quantity", "layers-needed", "--keep-pieces"], "layers-needed"),
                                (["--quantity", "joins", "--heads", "9"], "9"),
                                (["--mismatch", "frob"], "--mismatch"),
                                (["--quantity", "leaves-mass", "--orders", 9999], "4096"),
                                (["--quantity", "distinct", "--samples", 1], "samples"),
                                (["--quantity", "frob"], "leaves-mass"), (["--by", "layer,length,upos"], "upos")):
            result = mog("stats", self.recording, *arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(word, result.stderr.decode(), arguments)
            self.assertEqual(result.stdout, b"")

    def test_options_without_effect_are_refused(self):
        svg = self.folder / "idle.svg"
        for arguments, word in (
                (["stats", self.recording, "--by", "layer,head"], "heads"),
                (["stats", self.recording, "--quantity", "joins", "--by", "layer,head"], "heads"),
                (["stats", self.recording, "--treebank", self.treebank], "--treebank"),
                (["stats", self.recording, "--mismatch", "skip"], "--mismatch skip"),
                (["stats", self.recording, "--orders", 64], "leaves-mass"),
                (["stats", self.recording, "--quantity", "leaves-mass", "--samples", 9], "distinct"),
                (["stats", self.recording, "--by", "layer", "--bins", 5], "--by layer,length"),
                (["stats", self.recording, "--by", "layer", "--relative"], "shortest bin"),
                (["stats", self.recording, "--minimum", 3], "--trend"),
                (["stats", self.recording, "--trend", "--average", "macro"], "--average macro"),
                (["stats", self.recording, "--bootstrap", 0, "--confidence", .9], "--bootstrap"),
                (["stats", self.recording, "--quantity", "edges", "--layers", "1"], "--layers 1"),
                (["stats", self.recording, "--quantity", "layers-needed", "--words", "1-3"], "--words 1-3"),
                (["stats", self.recording, "--gate", "recorded"], "--gate recorded"),
                (["counts", "bands", "--order", 9], "--order 9"), (["counts", "orders", "--layers", 3], "--layers 3"),
                (["counts", "bands", "--expression", "a"], "multiplicity"),
                (["figure", "joins-by-part", self.recording, "--quantity", "leaves", "-o", svg], "--quantity leaves"),
                (["figure", "order-bands", self.recording, "--bins", 5, "-o", svg], "--bins 5"),
                (["figure", "leaves-by-layer", self.recording, "--orders", 9, "-o", svg], "leaves-distribution"),
                (["figure", "leaves-by-layer", self.recording, "--samples", 9, "-o", svg], "distinct"),
                (["figure", "leaves-by-layer", self.recording, "--sentence", 1, "-o", svg], "--sentence 1"),
                (["figure", "tree", self.recording, "--sentence", 1, "--threshold", .5, "-o", svg], "posterior-arcs"),
                (["figure", "posterior-arcs", self.recording, "--sentence", 1, "--projective", "-o", svg], "--projective"),
                (["figure", "tree", self.recording, "--sentence", 1, "--dpi", 72, "-o", svg], "PNG"),
                (["figure", "kinds", "--layer", 1, "-o", svg], "layer-step")):
            result = mog(*arguments)
            self.assertEqual(result.returncode, 2, (arguments, result.stderr.decode()))
            self.assertIn(word, result.stderr.decode(), arguments)
            self.assertEqual(result.stdout, b"")
            self.assertFalse(svg.exists())

    def test_choices_of_the_grammar_are_those_of_trees_and_named(self):
        order = self.rows("leaves")
        last = max(order, key=lambda row: int(row["layer"] or 0))["layer"]
        joins = [row for row in self.rows("joins")]
        self.assertIn("gate recorded", joins[0]["grammar"])
        self.assertIn("averaged over heads", joins[0]["grammar"])
        for options, said in ((["--heads", "2"], "attention of head 2"), (["--gate", "constant=0.25"], "gate constant=0.25"),
                              (["--residual-share", "0.5"], "residual share 0.5"), (["--pi", "uniform"], "pi uniform")):
            changed = [row for row in self.rows("leaves", *options) if row["layer"] == last]
            self.assertIn(said, changed[0]["grammar"])
            # The expected order of one sentence is that of `mog trees` under the same choices.
            sentence = mog("trees", self.recording, "-n", 12, "--owner", "all", "--json", *options)
            self.assertEqual(sentence.returncode, 0, sentence.stderr.decode())
            document = json.loads(sentence.stdout)
            expected = [word["leaves_distribution"]["expected"] for word in document["goals"]]
            found = [row for row in table("stats", self.recording, "--quantity", "leaves", "--by", "layer,length",
                                          "--bins", ",".join(str(n) for n in range(0, 20)), "--bootstrap", 0, *options)
                     if row["layer"] == last and row["length_low"] == str(len(self.lines[11]))]
            same = [line for line in range(24) if len(self.lines[line]) == len(self.lines[11])]
            if len(same) == 1:
                self.assertAlmostEqual(float(found[0]["mean"]), sum(expected) / len(expected), places=9)
        half = {row["layer"]: float(row["mean"]) for row in self.rows("leaves", "--gate", "constant=0.5")}
        none = {row["layer"]: float(row["mean"]) for row in self.rows("leaves", "--gate", "constant=0")}
        self.assertEqual(set(none.values()), {1.0})
        self.assertGreater(half[last], 1.0)
        # The recorded sentences have as many pieces as words: kept or merged is the same.
        kept = {row["layer"]: row["mean"] for row in self.rows("leaves-mass", "--keep-pieces")}
        self.assertEqual(kept, {row["layer"]: row["mean"] for row in self.rows("leaves-mass")})

    def test_trends_and_differences_of_words(self):
        rows = table("stats", self.recording, "--quantity", "order,joins", "--trend", "--bins", "0,8", "--minimum", 2,
                     "--bootstrap", 30)
        self.assertEqual({row["measure"] for row in rows}, {"leaves", "joins"})
        self.assertEqual({row["trend"] for row in rows}, {"layer", "length"})
        for row in rows:
            if row["effect"]:
                self.assertAlmostEqual(float(row["effect"]), float(row["last_mean"]) - float(row["first_mean"]))
        layer, = [row for row in rows if row["measure"] == "leaves" and row["trend"] == "layer"]
        # Orders only grow with the layers.
        self.assertEqual(float(layer["rho_of_means"]), 1)
        self.assertGreater(float(layer["effect"]), 0)
        means = [float(row["mean"]) for row in self.rows("leaves", "--average", "macro")]
        self.assertAlmostEqual(float(layer["effect"]), means[-1] - means[0], places=9)
        plain = table("stats", self.recording, "--quantity", "joins", "--bins", "0,8", "--bootstrap", 30)
        relative = table("stats", self.recording, "--quantity", "joins", "--bins", "0,8", "--bootstrap", 30, "--relative")
        self.assertNotIn("mean", relative[0])
        for before, after in zip(plain, relative):
            base, = [row for row in plain if (row["layer"], row["part"], row["length_low"]) ==
                     (before["layer"], before["part"], "0")]
            self.assertAlmostEqual(float(after["difference"]), float(before["mean"]) - float(base["mean"]))
            self.assertLessEqual(float(after["difference_low"]), float(after["difference_high"]))

    def test_words_of_the_treebank_by_their_characters(self):
        """The first two words of every longer sentence are one word of the treebank."""
        joined = [["".join(words[:2]), *words[2:]] if len(words) > 2 else words for words in self.lines]
        file = self.folder / "joined.conllu"
        file.write_text(self.conllu(joined), encoding="utf-8")
        rows = self.rows("leaves-mass", "--by", "layer,upos", "--treebank", file)
        first = [row for row in rows if row["layer"] == "1" and row["leaves"] == "1"]
        self.assertEqual(sum(int(row["tokens"]) for row in first), sum(map(len, joined)))
        split = [[words[0][:1], words[0][1:], *words[1:]] for words in self.lines]
        file.write_text(self.conllu(split), encoding="utf-8")
        refused = mog("stats", self.recording, "--by", "layer,upos", "--treebank", file)
        self.assertEqual(refused.returncode, 3)
        for word in ("sentence 1", "line 1", "covers the words"):
            self.assertIn(word, refused.stderr.decode())
        split[5] = self.lines[5]
        file.write_text(self.conllu(split[:9]), encoding="utf-8")
        skipped = mog("stats", self.recording, "--quantity", "leaves", "--by", "layer,upos", "--treebank", file,
                      "--mismatch", "skip", "--bootstrap", 0)
        self.assertEqual(skipped.returncode, 0, skipped.stderr.decode())
        tokens = [int(row["tokens"]) for row in csv.DictReader(io.StringIO(skipped.stdout.decode())) if row["layer"] == "1"]
        self.assertEqual(sum(tokens), len(self.lines[5]))
        self.assertIn("sentence 24", skipped.stderr.decode())

    def test_figures_of_several_recordings(self):
        other = self.folder / "other.txt"
        other.write_text("".join(" ".join(words[:7]) + "\n" for words in self.lines), encoding="utf-8")
        second = self.folder / "other.rec"
        subprocess.run([MAKE_RECORDING, other, second], check=True)
        for kind, panels in (("leaves-by-layer", 2), ("leaves-distribution", 2), ("joins-by-part", 2),
                             ("order-bands", 12), ("layers-needed", 2)):
            svg = self.folder / "several.svg"
            orders = ["--orders", 8] if kind == "leaves-distribution" else []
            result = mog("figure", kind, self.recording, second, "--bootstrap", 0, *orders, "-o", svg,
                         "--heads", "1", "--csv", "-", "--preset", "page")
            self.assertEqual(result.returncode, 0, (kind, result.stderr.decode()))
            rows = list(csv.DictReader(io.StringIO(result.stdout.decode("utf-8"))))
            self.assertEqual(len({row["panel"] for row in rows}), panels, kind)
            text = " ".join("".join(xml.etree.ElementTree.parse(svg).getroot().itertext()).split())
            self.assertIn("head 1", text, kind)
        result = mog("figure", "gate", self.recording, "-n", 3, "--heads", 1, "-o", self.folder / "x.svg")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--heads 1", result.stderr.decode())
        tree = mog("figure", "tree", self.recording, "-n", 12, "--gate", "constant=0.9", "-o", self.folder / "tree.svg")
        self.assertEqual(tree.returncode, 0, tree.stderr.decode())
        self.assertIn("gate constant=0.9", " ".join("".join(
            xml.etree.ElementTree.parse(self.folder / "tree.svg").getroot().itertext()).split()))

    def test_former_names_mean_what_they_meant(self):
        """Order was said of leaves too: old commands give the same numbers, and a note."""
        for former, today in (("order", "leaves"), ("order-mass", "leaves-mass"), ("part-order", "part-leaves")):
            said = {}
            for name in (former, today):
                result = mog("stats", self.recording, "--quantity", "gate," + name, "--by", "layer", "--bootstrap", 0)
                self.assertEqual(result.returncode, 0, result.stderr.decode())
                said[name] = result
            self.assertEqual(said[former].stdout, said[today].stdout)
            self.assertIn(f"{former} is called {today} now", said[former].stderr.decode())
            self.assertNotIn("is called", said[today].stderr.decode())
        svg = self.folder / "former.svg"
        for arguments, said in ((["order-by-layer", self.recording], "leaves-by-layer"),
                                (["order-distribution", self.recording], "leaves-distribution"),
                                (["leaves-by-layer", self.recording, "--quantity", "order"], "leaves"),
                                (["tree", self.recording, "-n", 12, "--order", 3], "--leaves")):
            result = mog("figure", *arguments, "--bootstrap", 0, "-o", svg) if "tree" not in arguments else \
                mog("figure", *arguments, "-o", svg)
            self.assertEqual(result.returncode, 0, result.stderr.decode())
            self.assertIn(f"called {said} now", result.stderr.decode())
        former, today = (mog("trees", self.recording, "-n", 12, "--mode", mode, "--json") for mode in ("by-order", "by-leaves"))
        self.assertEqual((former.returncode, former.stdout), (0, today.stdout))
        self.assertIn("by-order is called by-leaves now", former.stderr.decode())
        former, today = (mog("syntax", self.recording, "--treebank", self.treebank, "--sources", source, "--bootstrap", 0)
                         for source in ("joins,by-order", "joins,by-leaves"))
        self.assertEqual((former.returncode, former.stdout), (0, today.stdout), former.stderr.decode())
        self.assertIn("by-order is called by-leaves now", former.stderr.decode())

    def test_figures(self):
        for kind, arguments in (("leaves-by-layer", []), ("leaves-by-layer", ["--quantity", "distinct"]),
                                ("leaves-distribution", ["--orders", 8]),
                                ("leaves-distribution", ["--quantity", "distinct-mass"]), ("joins-by-part", []),
                                ("order-bands", []), ("layers-needed", ["--treebank", self.treebank])):
            svg = self.folder / "figure.svg"
            result = mog("figure", kind, self.recording, *arguments, "--bootstrap", 20, "-o", svg, "--csv", "-")
            self.assertEqual(result.returncode, 0, result.stderr.decode())
            text = "".join(xml.etree.ElementTree.parse(svg).getroot().itertext())
            self.assertIn("24 sentences", text.replace("\u00a0", " "), kind)
            self.assertGreater(len(result.stdout.splitlines()), 3)
        self.assertIn("above 2 leaves", self.caption("leaves-distribution", "--orders", 2))
        self.assertIn("above order 2", self.caption("leaves-distribution", "--quantity", "distinct-mass", "--orders", 2))
        self.assertIn("standard error", self.caption("leaves-by-layer", "--quantity", "distinct"))
        result = mog("figure", "weight-by-layer", self.recording, "--quantity", "joins", "-o", self.folder / "x.svg")
        self.assertEqual(result.returncode, 2)

    def caption(self, kind, *arguments):
        svg = self.folder / "caption.svg"
        result = mog("figure", kind, self.recording, *arguments, "--bootstrap", 0, "-o", svg, "--preset", "page")
        self.assertEqual(result.returncode, 0, result.stderr.decode())
        return " ".join("".join(xml.etree.ElementTree.parse(svg).getroot().itertext()).split())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

"""`mog` on recordings and files, without an engine: exit codes, messages, JSON, byte-identical results.

Usage: cli_recordings.py MOG MAKE_RECORDING
"""
import csv
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

MOG, MAKE_RECORDING = (os.path.abspath(path) for path in sys.argv[1:3])
COMMANDS = ["ablate", "demo", "describe", "randomize", "record", "sentences", "trees", "expr", "counts", "stats", "syntax", "figure", "train", "tag", "evaluate", "validate", "doctor"]


def mog(*arguments, stdin=None, **environment):
    return subprocess.run([MOG, *map(str, arguments)], capture_output=True, input=stdin, timeout=120,
                          env=dict(os.environ, **environment))


class Files(unittest.TestCase):
    """A folder with a recorded corpus of 40 sentences."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        lines = [" ".join(f"w{(line * 7 + word) % 50}" for word in range(1 + line * 5 % 13)) for line in range(40)]
        cls.corpus = cls.folder / "corpus.txt"
        cls.corpus.write_text("\n".join(lines) + "\n", encoding="utf-8")
        cls.recording = cls.folder / "whole"
        subprocess.run([MAKE_RECORDING, cls.corpus, cls.recording], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def expect(self, code, word, *arguments):
        result = mog(*arguments)
        self.assertEqual(result.returncode, code, result.stderr.decode())
        self.assertIn(word, result.stderr.decode())
        self.assertEqual(result.stdout, b"")


class CommandLine(Files):
    def test_every_command_explains_itself_with_examples(self):
        for command in COMMANDS:
            result = mog(command, "--help")
            self.assertEqual(result.returncode, 0, command)
            text = result.stdout.decode()
            for word in ("Examples:", "--json", "--quiet", f"mog {command}"):
                self.assertIn(word, text, command)

    def test_wrong_command_lines_exit_2(self):
        for arguments in (["--quiet"], ["frobnicate"], ["describe"], ["describe", "a", "b"], ["stats"], ["--threads", "x", "doctor"],
                          ["record", "--model", "m"], ["figure", "tree", "--frob"]):
            result = mog(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn("--help", result.stderr.decode(), arguments)

    def test_alone_it_says_what_to_type(self):
        result = mog()
        self.assertEqual(result.returncode, 0, result.stderr)
        for words in (b"mog figure tree --text", b"mog examples", b"mog --help"):
            self.assertIn(words, result.stdout)

    def test_common_options_stand_before_or_after_the_command(self):
        before = mog("--json", "describe", self.corpus)
        after = mog("describe", self.corpus, "--json")
        self.assertEqual(json.loads(before.stdout), json.loads(after.stdout))

    def test_no_command_loads_torch_or_colours_a_pipe(self):
        maps = subprocess.run(["ldd", MOG], capture_output=True, check=True).stdout.decode()
        self.assertNotIn("torch", maps)
        result = mog("stats", self.recording)
        self.assertNotIn(b"\x1b", result.stdout + result.stderr)

    def test_quiet_leaves_stderr_empty(self):
        result = mog("figure", "gate", self.recording, "-n", 3, "-o", self.folder / "quiet.svg", "--quiet")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, b"")

    def test_results_that_cannot_be_written(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([MOG, "describe", self.corpus], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(result.returncode, 4, result.stderr)
        self.expect(2, "there is no folder", "stats", self.recording, "-o", self.folder / "nowhere" / "t.csv")

    def test_a_reader_that_leaves_is_no_error(self):
        read, write = os.pipe()
        os.close(read)
        result = subprocess.run([MOG, "describe", self.recording], stdout=write, stderr=subprocess.PIPE)
        os.close(write)
        self.assertEqual((result.returncode, result.stderr), (0, b""))


class Describe(Files):
    def test_text_on_standard_input(self):
        result = mog("describe", "-", "--json", stdin=b"a b\n\nc\n")
        self.assertEqual(json.loads(result.stdout)["sentences"], 3)

    def test_what_is_not_there_or_not_known(self):
        self.expect(2, "nothing.txt", "describe", self.folder / "nothing.txt")
        (self.folder / "empty.txt").write_bytes(b"")
        self.expect(3, "empty.txt", "describe", self.folder / "empty.txt")
        self.expect(2, "--kind zip", "describe", self.corpus, "--kind", "zip")
        (self.folder / "other").mkdir()
        self.expect(3, "other", "describe", self.folder / "other")
        for command in (["trees", "nothing.rec", "-n", 1], ["stats", "nothing.rec"], ["validate", "nothing.rec"],
                        ["figure", "weight-by-layer", "nothing.rec", "-o", self.folder / "w.svg"]):
            self.expect(2, "nothing.rec: there is no such file", *command)

    def test_a_recording_by_directory_and_by_file(self):
        whole = json.loads(mog("describe", self.recording, "--json").stdout)
        single = json.loads(mog("describe", self.recording / "recording.h5", "--json").stdout)
        self.assertEqual(whole["sentences"], 40)
        self.assertEqual(whole["quantities"], single["quantities"])
        self.assertTrue(whole["complete"])

    def test_a_damaged_recording(self):
        shards = sorted(self.recording.glob("**/*.h5"))
        copy = self.folder / "damaged.h5"
        copy.write_bytes(shards[0].read_bytes()[:-2000])
        self.expect(3, "damaged.h5", "describe", copy)
        self.expect(3, "damaged.h5", "validate", copy)

    def test_validate_reads_a_sound_one(self):
        result = mog("validate", self.recording, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue(json.loads(result.stdout)["sound"])


class Trees(Files):
    def test_formats_are_sound_and_the_same_every_time(self):
        for form in ("text", "json", "dot", "graphml"):
            first = mog("trees", self.recording, "-n", 3, "--format", form, "--top", 7)
            self.assertEqual(first.returncode, 0, first.stderr)
            self.assertEqual(first.stdout, mog("trees", self.recording, "-n", 3, "--format", form, "--top", 7).stdout)
            if form == "json":
                document = json.loads(first.stdout)
                self.assertEqual(document["sentence"], 3)
                self.assertAlmostEqual(sum(document["leaves_distribution"]["probability"]) +
                                       document["leaves_distribution"]["tail"], 1, places=9)
                listed = sum(join["expected"] for join in document["edge_posteriors"])
                rest = document["unlisted_edge_posteriors"]
                self.assertLess(rest["expected"], rest["joins"] * rest["below"] + 1e-12)
                self.assertAlmostEqual(listed + rest["expected"], document["leaves_distribution"]["expected"] - 1, places=9)
            elif form == "graphml":
                xml.etree.ElementTree.fromstring(first.stdout)

    def test_one_graph_for_each_number_of_leaves(self):
        result = mog("trees", self.recording, "-n", 3, "--mode", "by-leaves", "--top", 4, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout)["mode"], "by-leaves")

    def test_sentences_owners_and_layers_that_are_not_there(self):
        self.expect(2, "41", "trees", self.recording, "-n", 41)
        self.expect(2, "--owner zebra", "trees", self.recording, "-n", 3, "--owner", "zebra")
        self.expect(2, "--layer 9", "trees", self.recording, "-n", 3, "--owner", "@1", "--layer", 9)
        self.expect(2, "xml", "trees", self.recording, "-n", 3, "--format", "xml")

    def document_of(self, number, *arguments):
        return json.loads(mog("trees", self.recording, "-n", number, "--json", *arguments).stdout)

    def document(self, *arguments):
        result = mog("trees", self.recording, "-n", 3, "--json", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_trees_print_first_what_helps_first(self):
        whole = self.document_of(2, "--mode", "exact", "--top", 1)["forest"]["trees"][0]
        leaves = self.document_of(2, "--mode", "by-leaves", "--top", 4)["forest"]["trees"]
        result = mog("trees", self.recording, "-n", 2, "--top", 3)
        self.assertEqual(result.returncode, 0, result.stderr)
        text = result.stdout.decode()
        lines = text.splitlines()
        self.assertTrue(any(line.startswith("TOP: the whole sentence") for line in lines), text)
        printed = [line.split(None, 4)[-1] for line in lines if line.endswith(whole["annotated"])]
        self.assertTrue(printed, text)
        rows = [line for line in lines if any(line.endswith("  " + tree["annotated"]) for tree in leaves[1:])]
        self.assertEqual([int(row.split()[0]) for row in rows][-3:], [2, 3, 4], text)
        self.assertLess(len(lines), 20)
        for word in ("mass", "derivations", "dropped (mean", "expected joins of"):
            self.assertNotIn(word, "\n".join(line for line in lines if not line.startswith("--verbose")))
        verbose = mog("trees", self.recording, "-n", 2, "--top", 3, "--verbose").stdout.decode()
        for word in ("mass", "derivations", "expected joins of TOP", "leaves of TOP (words with repeats)", "choices:"):
            self.assertIn(word, verbose)
        owner = mog("trees", self.recording, "-n", 2, "--owner", "@2", "--layer", 2).stdout.decode()
        self.assertRegex(owner, r"(?m)^R\[2,2\]: what \S+ owns after layer 2$")
        # More words than the layers join: said, and the small graphs are there.
        long = self.folder / "nine.txt"
        long.write_text(" ".join(f"w{i}" for i in range(5, 14)) + "\n", encoding="utf-8")
        recording = self.folder / "nine"
        subprocess.run([MAKE_RECORDING, long, recording], check=True)
        result = mog("trees", recording, "-n", 1)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("join 8 at most", result.stdout.decode())
        self.assertIn("->", result.stdout.decode())

    def test_every_mode_states_its_guarantee(self):
        # Sentence 2 has 6 words: three layers join them.
        best = {}
        for mode in ("free", "by-leaves", "projective", "beam", "exact"):
            result = mog("trees", self.recording, "-n", 2, "--mode", mode, "--json")
            self.assertEqual(result.returncode, 0, result.stderr)
            document = json.loads(result.stdout)
            self.assertEqual(document["guarantee"].split(":")[0].split(" ")[0], "inexact" if mode == "beam" else "exact")
            text = mog("trees", self.recording, "-n", 2, "--mode", mode).stdout.decode()
            self.assertIn("guarantee: " + document["guarantee"], text)
            best[mode] = document["forest"]["trees"][0]
        for mode in ("projective", "beam", "exact"):
            self.assertEqual((best[mode]["order"], best[mode]["simple"]), (6, True))
            self.assertLessEqual(best[mode]["weight"], best["exact"]["weight"] * (1 + 1e-12))
        self.assertGreaterEqual(best["beam"]["weight"], best["projective"]["weight"] * (1 - 1e-12))

    def test_too_long_for_a_mode(self):
        long = self.folder / "long.txt"
        long.write_text(" ".join(f"w{i}" for i in range(13)) + "\n", encoding="utf-8")
        recording = self.folder / "long"
        subprocess.run([MAKE_RECORDING, long, recording], check=True)
        result = mog("trees", recording, "-n", 1, "--mode", "exact")
        self.assertEqual(result.returncode, 2)
        for word in ("13 words", "at most 12", "beam", "projective"):
            self.assertIn(word, result.stderr.decode())

    def test_all_words_at_once(self):
        document = self.document("--owner", "all", "--top", 2)
        self.assertEqual([goal["goal"] for goal in document["goals"]][:2], ["R[3,1]", "R[3,2]"])
        one = self.document("--owner", "@2", "--top", 2)
        self.assertEqual(document["goals"][1]["forest"], one["forest"])
        path = self.folder / "all.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        read = mog("expr", "-i", path, "--format", "text").stdout.decode().splitlines()
        self.assertEqual([line for line in read if line and not line.startswith("#")],
                         [tree.get("annotated", tree["expression"]) for goal in document["goals"] for tree in goal["forest"]["trees"]])
        for form in ("dot", "graphml", "text"):
            self.assertEqual(mog("trees", self.recording, "-n", 3, "--owner", "all", "--format", form).returncode, 0)

    def test_the_choices_behind_the_grammar(self):
        plain = self.document("--top", 3)
        self.assertEqual(plain["choices"]["heads"], "uniform")
        self.assertEqual(len(plain["dropped"]), 7)  # layer 1: high alone
        for arguments, key, value in ((("--heads", "contribution"), "heads", "contribution"), (("--heads", "2"), "heads", "2"),
                                      (("--gate", "share"), "gate", "share"), (("--gate", "constant=0.25"), "gate", "constant=0.25"),
                                      (("--pi", "share"), "pi", "share"), (("--residual-share", "0.5"), "residual_share", "0.5")):
            changed = self.document("--top", 3, *arguments)
            self.assertEqual(changed["choices"][key], value)
            self.assertNotEqual(changed["leaves_distribution"], plain["leaves_distribution"], arguments)
            self.assertAlmostEqual(sum(changed["leaves_distribution"]["probability"]) +
                                   changed["leaves_distribution"]["tail"], 1, places=9)
        for arguments in (("--heads", "3"), ("--heads", "x"), ("--gate", "w"), ("--gate", "constant=2"), ("--pi", "x"),
                          ("--target", "cross"), ("--target", "x"), ("--rho", "0.5"), ("--rho", "2"), ("--beam", "3"),
                          ("--each-order",), ("--mode", "best")):
            result = mog("trees", self.recording, "-n", 3, *arguments)
            self.assertEqual(result.returncode, 2, (arguments, result.stderr))

    def test_a_tree_as_conllu_is_read_back(self):
        result = mog("trees", self.recording, "-n", 2, "--format", "conllu")
        self.assertEqual(result.returncode, 0, result.stderr)
        path = self.folder / "tree.conllu"
        path.write_bytes(result.stdout)
        back = mog("expr", "-i", path, "--format", "conllu")
        self.assertEqual(back.returncode, 0, back.stderr)
        self.assertEqual(back.stdout, result.stdout)
        rows = [line.split("\t") for line in result.stdout.decode().splitlines() if line and line[0] != "#"]
        self.assertEqual(sum(row[6] == "0" for row in rows), 1)
        self.assertEqual({row[7] for row in rows}, {"root", "dep"})
        self.assertTrue(all(row[9] == "_" if row[6] == "0" else row[9].startswith("Layer=") for row in rows))
        self.expect(2, "--mode exact", "trees", self.recording, "-n", 2, "--format", "conllu", "--mode", "free")

    def test_a_drawing_beside_the_text(self):
        svg = self.folder / "best.svg"
        self.assertEqual(mog("trees", self.recording, "-n", 2, "--mode", "exact", "--heads", "1", "--svg", svg).returncode, 0)
        self.assertIn("head 1", svg.read_text(encoding="utf-8"))
        self.assertEqual(mog("trees", self.recording, "-n", 3, "--svg", svg).returncode, 0)
        xml.etree.ElementTree.parse(svg)


class Stats(Files):
    def test_parts_in_any_order_give_the_same_table(self):
        parts = [self.folder / "part1", self.folder / "part2"]
        for number, part in enumerate(parts, 1):
            subprocess.run([MAKE_RECORDING, self.corpus, part, str(number), "2"], check=True)
        whole = mog("stats", self.recording, "--quantity", "gate,share,entropy,max,order")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        for order in (parts, parts[::-1]):
            joined = mog("stats", *order, "--quantity", "gate,share,entropy,max,order")
            self.assertEqual(joined.stdout, whole.stdout)

    def well(self, *arguments):
        result = mog(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout.decode()

    def test_parts_of_one_run_are_one_recording_for_every_reader(self):
        parts = [self.folder / f"of-{number}.rec" for number in (1, 2)]
        for number, part in enumerate(parts, 1):
            subprocess.run([MAKE_RECORDING, self.corpus, part, str(number), "2"], check=True)
        whole = self.well("sentences", self.recording)
        for order in (parts, parts[::-1]):
            self.assertEqual(self.well("sentences", *order), whole)
            for number in (1, 2, 5):  # of either part
                self.assertEqual(self.well("trees", *order, "-n", number, "--format", "text", "--mode", "free"),
                                 self.well("trees", self.recording, "-n", number, "--format", "text", "--mode", "free"))
                tables = []
                for name, sources in (("joined", order), ("whole", [self.recording])):
                    table = self.folder / f"{name}.csv"
                    self.well("figure", "attention", *sources, "-n", number, "--layer", 1, "--part", "high",
                                  "-o", self.folder / f"{name}.svg", "--csv", table)
                    with table.open(encoding="utf-8", newline="") as file:
                        tables.append([(row["row"], row["column"], row["value"]) for row in csv.DictReader(file)])
                self.assertEqual(*tables)
        documents = json.loads(self.well("validate", *parts, "--json"))
        self.assertEqual(sum(document["sentences"] for document in documents), whole.count("\n"))
        self.expect(2, "name each recording once", "trees", parts[0], parts[0], "-n", 1)
        self.expect(2, "not parts of one recording", "trees", parts[0], self.recording, "-n", 1)
        self.expect(2, "2 were named", "figure", "attention", parts[0], self.recording, "-n", 1, "-o", self.folder / "x.svg")

    def test_json_lines_and_files(self):
        rows = [json.loads(line) for line in mog("stats", self.recording, "--json").stdout.splitlines()]
        self.assertEqual({row["layer"] for row in rows}, {1, 2, 3})
        for extension in ("csv", "jsonl"):
            path = self.folder / f"t.{extension}"
            self.assertEqual(mog("stats", self.recording, "-o", path).returncode, 0)
            self.assertGreater(path.stat().st_size, 100)
        self.expect(2, ".xls", "stats", self.recording, "-o", self.folder / "t.xls")

    def test_seeds_change_intervals_and_nothing_else_does(self):
        one = mog("stats", self.recording, "--seed", 1).stdout
        self.assertEqual(one, mog("stats", self.recording, "--seed", 1, "--threads", 2).stdout)
        self.assertNotEqual(one, mog("stats", self.recording, "--seed", 2).stdout)

    def rows(self, *arguments):
        result = mog("stats", self.recording, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return list(csv.DictReader(io.StringIO(result.stdout.decode())))

    def test_trends_have_a_direction_and_a_size(self):
        rows = self.rows("--trend", "--bins", "0,7", "--minimum", 5)
        self.assertEqual([(row["trend"], row["layer"]) for row in rows],
                         [("layer", ""), ("length", ""), ("length", "1"), ("length", "2"), ("length", "3")])
        for row in rows:
            self.assertLessEqual(float(row["rho_low"]), float(row["rho"]))
            self.assertLessEqual(float(row["rho"]), float(row["rho_high"]))
            self.assertAlmostEqual(float(row["last_mean"]) - float(row["first_mean"]), float(row["effect"]))
        self.assertEqual([row["layer"] for row in self.rows("--trend", "--layers", "2-3")], ["", "", "2", "3"])

    def test_only_some_words_and_by_position(self):
        whole, first = self.rows(), self.rows("--words", "1-3")
        self.assertEqual(first[0]["words"], "1–3")
        self.assertGreater(int(whole[1]["tokens"]), int(first[1]["tokens"]))
        by_position = self.rows("--by", "layer,position", "--bins", "5")
        self.assertEqual(by_position[0]["by"], "position")
        self.assertGreater(int(by_position[1]["sentences"]), int(by_position[2]["sentences"]))

    def test_dimensions(self):
        rows = self.rows("--dimensions", "--bins", "0,7", "--minimum", 5)
        self.assertEqual([row["layer"] for row in rows], ["1", "2", "3"])
        for row in rows:
            self.assertLessEqual(float(row["q05"]), float(row["q50"]))
            self.assertLessEqual(float(row["rising"]) + float(row["falling"]), 1)

    def test_wrong_choices(self):
        self.expect(2, "words", "stats", self.recording, "--words", "0")
        self.expect(2, "--dimensions", "stats", self.recording, "--dimensions", "--by", "layer,position")
        self.expect(2, "--trend", "stats", self.recording, "--trend", "--dimensions")
        self.expect(2, "layers", "stats", self.recording, "--layers", "7-9")
        self.expect(2, "weight", "stats", self.recording, "--quantity", "weight")
        self.expect(2, "--by", "stats", self.recording, "--by", "length")
        self.expect(2, "bins", "stats", self.recording, "--bins", "0,0")


class Figures(Files):
    def test_every_kind_in_every_format_twice_the_same(self):
        of_another = self.folder / "another"
        subprocess.run([MAKE_RECORDING, self.corpus, of_another, "1", "1", "3", "2"], check=True)
        kinds = json.loads(mog("figure", "list", "--json").stdout)
        self.assertGreaterEqual(len(kinds), 12)
        for kind in kinds:
            if kind["kind"] == "share-bars":  # of exact decompositions; cli.decomposition draws them
                continue
            if kind["kind"] in ("alignment", "source-and-prefix", "share-by-position"):  # of translations; cli.source_target
                continue
            if kind["kind"] == "routing":  # of capsules; cli.global
                continue
            if kind["kind"] == "neighbours":  # of recorded states; cli.neighbours
                continue
            if kind["kind"] == "logit-lens":  # of readers from left to right; cli.stacks
                continue
            if kind["of"] in ("tables", "expressions") or kind["kind"] == "layers-needed":  # tests of their own
                continue
            options = ["-n", "3"] if kind["of_sentence"] else []
            options += ["--layer", "2"] if kind["kind"] in ("attention", "attention-arcs", "gate-dimensions") else []
            options += {"head-bars": ["--layer", "2", "--part", "high", "--token", "2", "--key", "1"],
                        "quantity-by-layer": ["--quantity", "encoder.*.gate.mean"],
                        "quantity-map": ["--quantity", "encoder.2.high.attention"],
                        "token-bars": ["--quantity", "encoder.2.high.attention", "--token", "2"]}.get(kind["kind"], [])
            recordings = [self.recording, *([of_another] if kind["kind"] == "corpus-difference" else [])]
            for extension in ("svg", "pdf", "png"):
                files = [self.folder / f"{kind['kind']}-{turn}.{extension}" for turn in (1, 2)]
                for file in files:
                    result = mog("figure", kind["kind"], *recordings, *options, "-o", file)
                    self.assertEqual(result.returncode, 0, (kind, result.stderr))
                first, second = (file.read_bytes() for file in files)
                self.assertEqual(first, second, f"{kind['kind']}.{extension}")
                start = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[extension]
                self.assertTrue(first.startswith(start))

    def test_a_projective_tree_is_the_first_of_its_list(self):
        best = json.loads(mog("trees", self.recording, "-n", "2", "--mode", "projective", "--json").stdout)
        weight = best["forest"]["trees"][0]["weight"]
        self.assertGreater(weight, best["forest"]["trees"][-1]["weight"])
        out = self.folder / "whole.svg"
        self.assertEqual(mog("figure", "tree", self.recording, "-n", "2", "--projective", "-o", out).returncode, 0)
        drawn = re.search(r"weight ([0-9.e-]+)", out.read_text(encoding="utf-8")).group(1)
        self.assertAlmostEqual(float(drawn) / weight, 1, places=3)

    def test_lines_from_a_table(self):
        table = self.folder / "scores.csv"
        table.write_text("model,layers,value\ngate,5,0.8\ngate,6,0.9\nplain,5,0.7\n", encoding="utf-8")
        out = self.folder / "plot.svg"
        result = mog("figure", "plot", table, "--x", "layers", "--y", "value", "--lines", "model", "-o", out)
        self.assertEqual(result.returncode, 0, result.stderr)
        xml.etree.ElementTree.parse(out)
        self.expect(2, "depth", "figure", "plot", table, "--x", "depth", "--y", "value", "-o", self.folder / "no.svg")
        self.expect(2, "--x", "figure", "plot", table, "-o", self.folder / "no.svg")
        table.write_text("a,b\n1\n", encoding="utf-8")
        self.expect(3, "line 2", "figure", "plot", table, "--x", "a", "--y", "b", "-o", self.folder / "no.svg")

    def test_numbers_behind_a_figure(self):
        result = mog("figure", "weight-by-layer", self.recording, "-o", self.folder / "w.svg", "--csv", "-", "-q")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreater(len(result.stdout.splitlines()), 3)

    def test_wrong_choices(self):
        out = self.folder / "x.svg"
        self.expect(2, "pie", "figure", "pie", self.recording, "-o", out)
        self.expect(2, "--sentence", "figure", "gate", self.recording, "-o", out)
        self.expect(2, "--output", "figure", "gate", self.recording, "-n", 3)
        self.expect(2, "x.bmp", "figure", "gate", self.recording, "-n", 3, "-o", self.folder / "x.bmp")
        self.expect(2, "--theme", "figure", "gate", self.recording, "-n", 3, "-o", out, "--theme", "pink")
        self.assertFalse(out.exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
